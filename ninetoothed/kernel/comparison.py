"""Comparison of a kernel's results with those of other block sizes, or of a reference.

Floats differ by rounding where sums are taken in another order, and so are compared as
``torch.testing.assert_close`` does: by a tolerance for each element type. Everything else is equal
or is not. NaN equals NaN. torch is imported when elements are compared: a kernel is compiled
without.
"""

from __future__ import annotations

import contextlib
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, cast

from ninetoothed.errors import NineToothedError, counted

if TYPE_CHECKING:
    import torch

_SHOWN = 3


class Tolerance(NamedTuple):
    """Elements are close if they differ by at most ``atol + rtol * |expected|``."""

    rtol: float
    atol: float

    @staticmethod
    def of(dtype: torch.dtype) -> Tolerance:
        """That of ``torch.testing`` for an element type; of floats of 8 bits, which it has none
        for, one unit in the last place.
        """
        if not dtype.is_floating_point:
            return Tolerance(0.0, 0.0)
        if dtype.itemsize > 1:
            return _TOLERANCES[str(dtype)]
        import torch

        return Tolerance(torch.finfo(dtype).eps, 1e-5)


_TOLERANCES = {
    "torch.float16": Tolerance(1e-3, 1e-5),
    "torch.bfloat16": Tolerance(1.6e-2, 1e-5),
    "torch.float32": Tolerance(1.3e-6, 1e-5),
    "torch.float64": Tolerance(1e-7, 1e-7),
}


@dataclass(frozen=True)
class Difference:
    """Elements that differ: how many of how many, and the first of them with both values."""

    count: int
    total: int
    first: tuple[tuple[tuple[int, ...], bool | int | float, bool | int | float], ...]
    tolerance: Tolerance

    def __str__(self) -> str:
        """Text for a message, a line for each element shown."""
        rtol, atol = self.tolerance
        allowed = f" by more than {atol:g} + {rtol:g} * |expected|" if rtol or atol else ""
        head = f"{self.count} of {counted(self.total, 'element')} differ{allowed}"
        if self.count == 1:
            head = head.replace("differ", "differs")
        rows = [f"  at {index}: {one!r} and {other!r}" for index, one, other in self.first]
        return "\n".join([f"{head}, first", *rows])


def difference(
    actual: torch.Tensor, expected: torch.Tensor, tolerance: Tolerance | None = None
) -> Difference | None:
    """Elements in which ``actual`` differs from ``expected``, of the same shape; None: in none.

    ``tolerance``: default that of the element type of ``actual``.
    """
    import torch

    tolerance = tolerance or Tolerance.of(actual.dtype)
    # Integers of 64 bits are no float.
    is_float = actual.dtype.is_floating_point or expected.dtype.is_floating_point
    wide = torch.float64 if is_float else torch.int64
    one, other = actual.detach().to(wide), expected.detach().to(actual.device, wide)
    wrong = ~torch.isclose(one, other, *tolerance, equal_nan=True)
    places = wrong.nonzero()
    if len(places) == 0:
        return None
    first: list[tuple[tuple[int, ...], bool | int | float, bool | int | float]] = []
    for row in cast("list[list[int]]", places[:_SHOWN].tolist()):
        index = tuple(row)
        first.append((index, actual[index].item(), expected[index].item()))
    return Difference(len(places), wrong.numel(), tuple(first), tolerance)


def described(values: Sequence[tuple[str, int]]) -> str:
    """Text of block sizes, such as ``BLOCK=64``."""
    return ", ".join(f"{name}={value}" for name, value in values) or "no block sizes"


@contextlib.contextmanager
def named(configuration: str) -> Generator[None]:
    """Add to an error the configuration that has it: the usual one may not."""
    try:
        yield
    except NineToothedError as error:
        error.message += f" (with {configuration})"
        raise
