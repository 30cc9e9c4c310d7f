"""Vector addition."""

import ninetoothed
from ninetoothed import Symbol, Tensor

BLOCK = 1024
BLOCK_SIZE = Symbol("BLOCK_SIZE", constexpr=True)


def arrangement(lhs, rhs, output):
    return lhs.tile((BLOCK,)), rhs.tile((BLOCK,)), output.tile((BLOCK,))


def application(lhs, rhs, output):
    output = lhs + rhs


def fixed():
    """The kernel ``output = lhs + rhs``."""
    tensors = (Tensor(1), Tensor(1), Tensor(1))
    return ninetoothed.make(arrangement, application, tensors, kernel_name="add", num_warps=4)


def of_any_block(lhs, rhs, output):
    return lhs.tile((BLOCK_SIZE,)), rhs.tile((BLOCK_SIZE,)), output.tile((BLOCK_SIZE,))


def by_keyword():
    """The same, whose calls give ``BLOCK_SIZE``."""
    tensors = (Tensor(1), Tensor(1), Tensor(1))
    return ninetoothed.make(of_any_block, application, tensors, kernel_name="add", num_warps=4)
