"""Causal convolution of sequences: each channel has a filter of its own, which looks back.

input, padded in front       windows, one a row        output
. . 0 1 2 3 4          (0)   [ . . 0 ]                 [ 0w              ]
                       (1)   [ . 0 1 ]   × [ u v w ]   [ 0v + 1w         ]   BLOCK_SIZE rows of one
                       (2)   [ 0 1 2 ]                 [ 0u + 1v + 2w    ]   channel a program
                       …     [ …     ]                 [ …               ]

As in state-space models, a bias is added and SiLU applied. Elements in front of the first one (.)
do not exist, and so they add nothing.
"""

import torch

import ninetoothed
import ninetoothed.language as ntl
from examples.checks import check_floats
from ninetoothed import Tensor, block_size

BLOCK_SIZE = block_size()


def blocks(tensor):
    """A block of positions of one channel of one sequence for each program."""
    arranged = tensor.tile((1, 1, BLOCK_SIZE))
    arranged.dtype = arranged.dtype.squeeze((0, 1))
    return arranged


def of_channel(tensor, output_arranged):
    """What a channel has, a row of `tensor`, for each program of it."""
    arranged = tensor.tile((1, -1)).expand((-1, output_arranged.shape[2]))[None]
    arranged = arranged.expand((output_arranged.shape[0], -1, -1))
    arranged.dtype = arranged.dtype.squeeze(0)
    return arranged


def arrangement(input, weight, bias, output):
    width = weight.shape[1]
    windows = input.pad(((0, 0), (0, 0), (width - 1, 0))).tile(
        (1, 1, width), strides=(-1, -1, 1), floor_mode=True
    )
    windows.dtype = windows.dtype.squeeze((0, 1))
    windows_arranged = windows.ravel().tile((1, 1, BLOCK_SIZE, -1)).squeeze(3)
    windows_arranged.dtype = windows_arranged.dtype.squeeze((0, 1))
    output_arranged = blocks(output)
    return (
        windows_arranged,
        of_channel(weight, output_arranged),
        of_channel(bias[:, None], output_arranged),
        output_arranged,
    )


def application(windows, weight, bias, output):
    total = ntl.sum(ntl.cast(windows, ntl.float32) * weight[None, :], axis=1) + bias
    output = total * ntl.sigmoid(total)


weight = Tensor(2, shape_options=(None, {"constexpr": True}))
causal_conv1d_kernel = ninetoothed.make(
    arrangement,
    application,
    (Tensor(3), weight, Tensor(1), Tensor(3)),
    kernel_name="causal_conv1d_kernel",
)


def causal_conv1d(input: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    """SiLU of the causal convolution of sequences (n, c, l) with filters (c, w), plus a bias (c).

    Position ``t`` of channel ``i`` is the sum of ``weight[i, j] * input[:, i, t - w + 1 + j]``.
    """
    check_floats(one_dtype=True, input=input, weight=weight, bias=bias)
    channels = input.shape[1:2]
    if input.dim() != 3 or weight.dim() != 2 or not weight.shape[:1] == bias.shape == channels:
        raise ValueError(
            f"the shapes of the input, the weight and the bias, {tuple(input.shape)}, "
            f"{tuple(weight.shape)} and {tuple(bias.shape)}, must be (n, c, l), (c, w) and (c,)"
        )
    output = torch.empty_like(input, memory_format=torch.contiguous_format)
    causal_conv1d_kernel(input, weight, bias, output)
    return output


def reference(input, weight, bias):
    width = weight.shape[1]
    padded = torch.nn.functional.pad(input, (width - 1, 0))
    return torch.nn.functional.silu(
        torch.nn.functional.conv1d(padded, weight[:, None], bias, groups=weight.shape[0])
    )


if __name__ == "__main__":
    from examples.runner import run

    run(
        causal_conv1d,
        reference,
        lambda draw, n, c, length: (draw(n, c, length), draw(c, 4), draw(c)),
        small=(2, 8, 300),
        large=(8, 4096, 2048),
    )
