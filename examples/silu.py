"""SiLU of a tensor of any shape: each program takes one block of the last dim.

input, (2, 10)    [ 0 1 2 3 | 4 5 6 7 | 8 9 ]      blocks of 1 × BLOCK_SIZE elements
                  [ 0 1 2 3 | 4 5 6 7 | 8 9 ]      output likewise; one program a block

A contiguous tensor is a vector to the kernel, whatever its shape; any other has a kernel of its
rank, so that no program divides an element's number by sizes to find the element.
"""

import torch

import ninetoothed
import ninetoothed.language as ntl
from examples.checks import check_floats
from ninetoothed import Tensor, block_size

BLOCK_SIZE = block_size()


def arrangement(*tensors):
    block = (1,) * (tensors[0].ndim - 1) + (BLOCK_SIZE,)
    return tuple(tensor.tile(block) for tensor in tensors)


def application(input, output):
    x = ntl.cast(input, ntl.float32)
    output = x * ntl.sigmoid(x)


@ninetoothed.factory
def kernel_of_rank(ndim):
    return ninetoothed.make(
        arrangement, application, (Tensor(ndim), Tensor(ndim)), kernel_name="silu_kernel"
    )


silu_kernel = kernel_of_rank(1)


def flattened(*tensors: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """Tensors of one shape as vectors where all are contiguous, else as they are."""
    for tensor in tensors:
        if not tensor.is_contiguous():
            return tensors
    return tuple([tensor.view(-1) for tensor in tensors])


def silu(input: torch.Tensor) -> torch.Tensor:
    """``input * sigmoid(input)`` of a tensor of any shape."""
    check_floats(input=input)
    output = torch.empty_like(input)
    tensors = flattened(input, output)
    kernel_of_rank(tensors[0].ndim)(*tensors)
    return output


if __name__ == "__main__":
    from examples.runner import run

    run(
        silu,
        torch.nn.functional.silu,
        lambda draw, *shape: (draw(*shape),),
        small=(4, 123, 781),
        large=(16, 2048, 4096),
    )
