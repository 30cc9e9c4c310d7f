"""Kernels of one tensor and of eight."""

import ninetoothed
from ninetoothed import Tensor

BLOCK = 1024


def arrangement(*tensors):
    return tuple(tensor.tile((BLOCK,)) for tensor in tensors)


def scaled(values):
    values = values * 2


def summed(a, b, c, d, e, f, g, output):
    output = a + b + c + d + e + f + g


def scale():
    """The kernel ``values *= 2``."""
    return ninetoothed.make(arrangement, scaled, (Tensor(1),), kernel_name="scale", num_warps=4)


def total():
    """The kernel ``output = a + b + c + d + e + f + g``."""
    tensors = tuple(Tensor(1) for _ in range(8))
    return ninetoothed.make(arrangement, summed, tensors, kernel_name="total", num_warps=4)
