"""Triton's run half: ``compat`` compiles, ``drivers`` are CUDA's and HIP's libraries."""

from ninetoothed.runtime.toolchain import Toolchain
from ninetoothed.runtime.toolchain.triton import compat

TOOLCHAIN: Toolchain = compat
