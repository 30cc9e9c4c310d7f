"""Vector addition."""

import ninetoothed
from ninetoothed import Tensor

BLOCK = 1024


def arrangement(lhs, rhs, output):
    return lhs.tile((BLOCK,)), rhs.tile((BLOCK,)), output.tile((BLOCK,))


def application(lhs, rhs, output):
    output = lhs + rhs


def fixed():
    """The kernel ``output = lhs + rhs``."""
    tensors = (Tensor(1), Tensor(1), Tensor(1))
    return ninetoothed.make(arrangement, application, tensors, kernel_name="add", num_warps=4)
