"""Rotary position embedding: each program rotates all heads of one position.

The last dim is cut into halves, the second level of the input: ``input[0]`` and ``input[1]`` are
blocks of heads × half. The angles of a position are expanded over the batch, and inside a program
they broadcast over its heads:

input, one position                cos, sin, one position

head 0   [ x1 x1 | x2 x2 ]         [ c c ]
head 1   [ x1 x1 | x2 x2 ]
head 2   [ x1 x1 | x2 x2 ]
         input[0] input[1]
"""

import torch

import ninetoothed
import ninetoothed.language as ntl
from examples.checks import check_floats, check_ndim
from ninetoothed import Tensor


def halves(tensor):
    arranged = tensor.tile((1, 1, -1, tensor.shape[3] // 2)).tile((1, 1, 1, -1))
    arranged.dtype = arranged.dtype.squeeze((0, 1, 2))
    arranged.dtype.dtype = arranged.dtype.dtype.squeeze((0, 1))
    return arranged


def angles(tensor, batch):
    """One row a position, as often as the batch is large."""
    arranged = tensor[None, :, None, :].tile((1, 1, 1, -1)).expand((batch, -1, -1, -1))
    arranged.dtype = arranged.dtype.squeeze((0, 1))
    return arranged


def arrangement(input, cos, sin, output):
    batch = input.shape[0]
    return halves(input), angles(cos, batch), angles(sin, batch), halves(output)


def application(input, cos, sin, output):
    x1 = ntl.cast(input[0], ntl.float32)
    x2 = ntl.cast(input[1], ntl.float32)
    output[0] = x1 * cos - x2 * sin
    output[1] = x2 * cos + x1 * sin


rotary_embedding_kernel = ninetoothed.make(
    arrangement,
    application,
    (Tensor(4), Tensor(2), Tensor(2), Tensor(4)),
    kernel_name="rotary_embedding_kernel",
)


def rotary_embedding(input: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    """The halves ``(x1, x2)`` of each head as ``(x1 cos - x2 sin, x2 cos + x1 sin)``.

    ``input`` is (batch, length, heads, dim), ``cos`` and ``sin`` are (length, dim // 2).
    """
    check_floats(input=input, cos=cos, sin=sin)
    check_ndim(4, input=input)
    _, length, _, dim = input.shape
    if dim % 2:
        raise ValueError(f"the last dim of input has two halves, so its size is even, not {dim}")
    for name, tensor in (("cos", cos), ("sin", sin)):
        if tensor.shape != (length, dim // 2):
            raise ValueError(
                f"{name} must have one row a position and the shape {(length, dim // 2)}, "
                f"not {tuple(tensor.shape)}"
            )
    output = torch.empty_like(input)
    rotary_embedding_kernel(input, cos, sin, output)
    return output


if __name__ == "__main__":
    from examples.runner import run

    def reference(input, cos, sin):
        x1, x2 = input.chunk(2, dim=-1)
        cos, sin = cos[:, None], sin[:, None]
        return torch.cat((x1 * cos - x2 * sin, x2 * cos + x1 * sin), dim=-1)

    run(
        rotary_embedding,
        reference,
        lambda draw, batch, length, heads, dim: (
            draw(batch, length, heads, dim),
            draw(length, dim // 2).cos(),
            draw(length, dim // 2).sin(),
        ),
        small=(2, 133, 6, 80),
        large=(8, 4096, 32, 128),
    )
