"""What the device can do at best: copy bandwidth and the peaks of matrix products.

All of it is measured on random data: on zeros the units draw less power and run faster. The
products are torch's.
"""

from __future__ import annotations

import contextlib
import functools
import statistics
from collections.abc import Callable
from typing import Any

import torch

from benchmarks.operation import DTYPES, Call

_COPIED_BYTES = 1 << 32
_EDGE = 8192
_WARM_UP, _SAMPLES, _MEDIANS = 3, 10, 3


def measured() -> dict[str, float]:
    """What the current GPU does a second, by unit (``benchmarks.operation.Work.unit``).

    ``"bytes"`` are those that a copy reads and writes. A unit that the GPU lacks, or torch, is not
    there.
    """
    source = torch.randint(0, 256, (_COPIED_BYTES,), dtype=torch.uint8, device="cuda")
    target = torch.empty_like(source)
    peaks = {"bytes": 2 * _COPIED_BYTES / _best_seconds(functools.partial(target.copy_, source))}
    del source, target
    torch.cuda.empty_cache()
    for unit, product in _PRODUCTS.items():
        # Units that this device or this torch has not.
        with contextlib.suppress(RuntimeError, AttributeError, NotImplementedError):
            peaks[unit] = 2 * _EDGE**3 / _best_seconds(product())
        torch.cuda.empty_cache()
    return peaks


def _best_seconds(call: Call) -> float:
    """The least of several medians of GPU time."""
    for _ in range(_WARM_UP):
        call()
    medians: list[float] = []
    cuda: Any = torch.cuda
    for _ in range(_MEDIANS):
        events = [
            (cuda.Event(enable_timing=True), cuda.Event(enable_timing=True))
            for _ in range(_SAMPLES)
        ]
        for start, end in events:
            start.record()
            call()
            end.record()
        cuda.synchronize()
        medians.append(statistics.median(start.elapsed_time(end) for start, end in events) / 1e3)
    return min(medians)


def _matrix(dtype: torch.dtype) -> torch.Tensor:
    shape = (_EDGE, _EDGE)
    if not dtype.is_floating_point:
        return torch.randint(-128, 128, shape, dtype=dtype, device="cuda")
    # Not every element type has a random generator of its own.
    drawn = dtype if dtype.itemsize > 1 else torch.float32
    return torch.randn(shape, dtype=drawn, device="cuda").to(dtype)


def _mm(dtype: torch.dtype) -> Call:
    return functools.partial(torch.mm, _matrix(dtype), _matrix(dtype))


def _fp8() -> Call:
    lhs, rhs = (_matrix(torch.float8_e4m3fn) for _ in range(2))
    one = torch.ones((), device="cuda")
    scaled: Any = getattr(torch, "_scaled_mm")  # noqa: B009, no public name of torch's
    options = {"scale_a": one, "scale_b": one, "out_dtype": torch.bfloat16, "use_fast_accum": True}
    return lambda: scaled(lhs, rhs.t(), **options)


def _int8() -> Call:
    lhs, rhs = (_matrix(torch.int8) for _ in range(2))
    product: Any = getattr(torch, "_int_mm")  # noqa: B009, no public name of torch's
    return lambda: product(lhs, rhs.t())


_PRODUCTS: dict[str, Callable[[], Call]] = {
    **{unit: functools.partial(_mm, dtype) for unit, dtype in DTYPES.items()},
    "fp8": _fp8,
    "int8": _int8,
}
