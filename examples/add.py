"""Vector addition: each program adds one block.

lhs     [ 0 1 2 3 | 4 5 6 7 | 8 9 ]      blocks of BLOCK_SIZE elements, the last one cut off
rhs     [ 0 1 2 3 | 4 5 6 7 | 8 9 ]
output  [ 0 2 4 6 | 8 …     | …   ]      one program a block
"""

import torch

import ninetoothed
from examples.checks import check_no_gradients
from ninetoothed import Tensor, block_size

BLOCK_SIZE = block_size()


def arrangement(lhs, rhs, output):
    return lhs.tile((BLOCK_SIZE,)), rhs.tile((BLOCK_SIZE,)), output.tile((BLOCK_SIZE,))


def application(lhs, rhs, output):
    output = lhs + rhs


add_kernel = ninetoothed.make(
    arrangement, application, (Tensor(1), Tensor(1), Tensor(1)), kernel_name="add_kernel"
)


def add(lhs: torch.Tensor, rhs: torch.Tensor) -> torch.Tensor:
    """``lhs + rhs`` of two vectors of numbers, of one length and one element type."""
    if lhs.shape != rhs.shape or lhs.dtype is not rhs.dtype:
        raise ValueError(
            f"lhs and rhs must be alike, not {tuple(lhs.shape)} of {lhs.dtype} and "
            f"{tuple(rhs.shape)} of {rhs.dtype}; expand or convert one of them"
        )
    check_no_gradients(lhs=lhs, rhs=rhs)
    output = torch.empty_like(lhs)
    add_kernel(lhs, rhs, output)
    return output


if __name__ == "__main__":
    from examples.runner import run

    run(
        add,
        torch.add,
        lambda draw, size: (draw(size), draw(size)),
        small=(98432,),
        large=(2**26 + 1,),
    )
