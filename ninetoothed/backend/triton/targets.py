"""Targets of Triton: NVIDIA's and AMD's GPUs, and their capabilities."""

from __future__ import annotations

import functools
import re
from dataclasses import replace

from ninetoothed.artifacts.capabilities import Capabilities, Product
from ninetoothed.artifacts.occupancy import Architecture
from ninetoothed.artifacts.target import Target
from ninetoothed.dtype import DTYPES

_FAMILIES = ("gfx9", "gfx")
_PRECISIONS = ("tf32", "tf32x3", "ieee", "bf16x3", "bf16x6")


def parse(text: str) -> Target | None:
    """Target of a name: ``"sm_90"`` or ``"cuda:90"``, ``"gfx942"`` or ``"hip:gfx942"``."""
    if match := re.fullmatch(r"(?:sm_?|cuda:)(\d+)a?", text):
        return Target("cuda", f"sm_{match[1]}", 32)
    if match := re.fullmatch(r"(?:hip:)?(gfx[0-9a-f]+)", text):
        # CDNA (gfx9) has wavefronts of 64; RDNA (gfx10 on) runs with 32.
        return Target("hip", match[1], 64 if match[1].startswith("gfx9") else 32)
    return None


def names() -> list[str]:
    """Names of targets."""
    return [name for name in ARCHITECTURES if name not in _FAMILIES]


@functools.cache
def capabilities(target: Target) -> Capabilities:
    """Capabilities of a target, with Triton."""
    return _of_hip(target) if target.backend == "hip" else _of_cuda(target)


def _of_cuda(target: Target) -> Capabilities:
    number = _number(target.arch)
    return Capabilities(
        vendor="NVIDIA",
        architecture=architecture(target),
        eight_bit_floats=("fp8e4nv", "fp8e5") if number >= 89 else ("fp8e5",),
        dot_precisions=_PRECISIONS,
        other_precision=_PRECISIONS[0],
        # Triton 3.9 takes fewer of 32 and 64 bits; 3.6 does not.
        dot_depths={name: 32 if row.bits == 8 else 16 for name, row in DTYPES.items()},
        # On Hopper as many as there are; elsewhere the sums have 32 bits at no cost.
        imprecise_sums=1 << 30 if number == 90 else 0,
        combines_cache_hints=False,
        products=_PRODUCTS.get(target.arch, ()),
    )


def _of_hip(target: Target) -> Capabilities:
    precisions = ("ieee", "bf16x3", "bf16x6")
    return Capabilities(
        vendor="AMD",
        architecture=architecture(target),
        eight_bit_floats=("fp8e4nv", "fp8e5", "fp8e4b8", "fp8e5b16"),
        dot_precisions=("tf32", *precisions) if target.arch == "gfx942" else precisions,
        # It says nothing; but AMD's takes tf32 for a type.
        other_precision="ieee",
        dot_depths={name: 16 if name == "fp32" else 1 for name in DTYPES},
        imprecise_sums=0,
        combines_cache_hints=True,
        products=_PRODUCTS.get(target.arch, ()),
    )


def _tensor(fp16: float, tf32: float = 0.5, i8: float = 2.0, fp8: float = 0.0) -> dict[str, float]:
    """Operations a cycle, those of other element types as fractions of ``fp16``."""
    return {"fp16": fp16, "tf32": tf32 * fp16, "i8": i8 * fp16, "fp8": fp8 * fp16}


_KIB = 1 << 10
# By PTX's memory consistency model; AMD's threads wait for their own stores alone.
_CUDA = functools.partial(Architecture, is_cumulative=True)
_HOPPER = _CUDA(
    *(227 * _KIB, 228 * _KIB, 2048, 32, _tensor(4096, fp8=2.0)), warp_groups=True, descriptors=True
)
_CDNA = Architecture(
    *(64 * _KIB, 64 * _KIB, 2048, 32, _tensor(2048, fp8=2.0)),
    registers=2 * 65536,
    registers_per_thread=512,
    warp_size=64,
    stages=(1, 2, 3),
)
ARCHITECTURES: dict[str, Architecture] = {
    # CUDA: the programming guide's table of technical specifications, and each white paper's rates.
    "sm_70": _CUDA(96 * _KIB, 96 * _KIB, 2048, 32, _tensor(1024, 0, 0), lanes=64, stages=(1, 2)),
    "sm_75": _CUDA(64 * _KIB, 64 * _KIB, 1024, 16, _tensor(1024, 0), lanes=64, stages=(1, 2)),
    "sm_80": _CUDA(163 * _KIB, 164 * _KIB, 2048, 32, _tensor(2048), lanes=64),
    "sm_86": _CUDA(99 * _KIB, 100 * _KIB, 1536, 16, _tensor(1024, 0.25)),
    "sm_89": _CUDA(99 * _KIB, 100 * _KIB, 1536, 24, _tensor(1024, fp8=2.0)),
    "sm_90": _HOPPER,
    "sm_100": replace(_HOPPER, tensor=_tensor(8192, fp8=2.0), tensor_columns=512),
    "sm_120": _CUDA(*(99 * _KIB, 100 * _KIB, 1536, 24, _tensor(1024, fp8=2.0)), descriptors=True),
    # HIP: the white papers of CDNA (gfx9), the last row is RDNA.
    "gfx942": _CDNA,
    "gfx950": replace(
        _CDNA, shared_per_block=160 * _KIB, shared=160 * _KIB, tensor=_tensor(4096, fp8=2.0)
    ),
    "gfx9": replace(_CDNA, tensor=_tensor(1024, 0.25, 1.0)),
    "gfx": replace(_CDNA, tensor=_tensor(512, 0, 1.0), warp_size=32, registers_per_thread=256),
}


# Their data sheets' numbers, with the names and the boost clocks that torch tells.
_PRODUCTS: dict[str, tuple[Product, ...]] = {
    "sm_70": (Product("Tesla V100-SXM2-16GB", 80, 1.53e9, 898e9, 6 << 20),),
    "sm_75": (Product("Tesla T4", 40, 1.59e9, 320e9, 4 << 20),),
    "sm_80": (
        Product("NVIDIA A100-SXM4-80GB", 108, 1.41e9, 2.039e12, 40 << 20),
        Product("NVIDIA A100-SXM4-40GB", 108, 1.41e9, 1.555e12, 40 << 20),
    ),
    "sm_86": (Product("NVIDIA A10", 72, 1.695e9, 600e9, 6 << 20),),
    "sm_89": (
        Product("NVIDIA L40S", 142, 2.52e9, 864e9, 96 << 20),
        Product("NVIDIA L4", 58, 2.04e9, 300e9, 48 << 20),
        Product("NVIDIA GeForce RTX 4090", 128, 2.52e9, 1.008e12, 72 << 20),
    ),
    "sm_90": (
        Product("NVIDIA H100 80GB HBM3", 132, 1.98e9, 3.352e12, 50 << 20),
        Product("NVIDIA H200", 132, 1.98e9, 4.917e12, 60 << 20),
    ),
    "sm_100": (Product("NVIDIA B200", 148, 1.965e9, 8e12, 126 << 20),),
    "gfx942": (Product("AMD Instinct MI300X", 304, 2.1e9, 5.3e12, 4 << 20),),
}


def architecture(target: Target) -> Architecture:
    """Architecture of a target; of one that is not in the table, the nearest below it."""
    if target.backend == "hip":
        names = (target.arch, target.arch[:4], "gfx")
        return next(ARCHITECTURES[name] for name in names if name in ARCHITECTURES)
    numbers = [_number(name) for name in ARCHITECTURES if name.startswith("sm_")]
    below = [number for number in numbers if number <= _number(target.arch)]
    return ARCHITECTURES[f"sm_{max(below, default=min(numbers))}"]


def _number(arch: str) -> int:
    """The compute capability in a name like ``"sm_90"``."""
    return int(arch.removeprefix("sm_"))
