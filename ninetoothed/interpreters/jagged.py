"""Jagged parameters: start and length of each program's own sequence."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import torch
from xdsl.ir import Attribute

from ninetoothed.interpreters.memory import Memory
from ninetoothed.ir import nt
from ninetoothed.symbolic.expr import PYTHON, Arithmetic, IndexExpr, evaluate, symbol_names

Number = int | torch.Tensor
"""A number that is uniform over programs, or one for each program."""


def _either(
    of_numbers: Callable[[int, int], int],
    of_tensors: Callable[[torch.Tensor, torch.Tensor], torch.Tensor],
) -> Callable[[Number, Number], Number]:
    """An operation on numbers that stay ints where all operands are uniform."""

    def compute(left: Number, right: Number) -> Number:
        if isinstance(left, torch.Tensor) or isinstance(right, torch.Tensor):
            return of_tensors(torch.as_tensor(left), torch.as_tensor(right))
        return of_numbers(left, right)

    return compute


TENSORS = Arithmetic(
    _either(PYTHON.minimum, torch.minimum),
    _either(PYTHON.maximum, torch.maximum),
    _either(PYTHON.conjunction, torch.logical_and),
)
"""Arithmetic of expressions whose symbols are numbers or tensors of them."""


@dataclass(frozen=True)
class Sequences:
    """The sequences of a jagged parameter; ``batch`` is the index of a program's, over the
    outermost indices ``outer``.
    """

    jagged: nt.Jagged
    batch: IndexExpr
    outer: tuple[str, ...]
    offsets: torch.Tensor

    @property
    def memory(self) -> Memory:
        """The memory of the offsets."""
        return Memory(self.jagged.offsets, self.offsets, hidden=True)

    def own(
        self, outer: Sequence[torch.Tensor], symbols: Mapping[str, int]
    ) -> dict[str, torch.Tensor]:
        """Each program's start and length; for a batch index out of bounds, 0 and 0."""
        values: dict[str, Number] = {**symbols, **dict(zip(self.outer, outer, strict=True))}
        batch = torch.as_tensor(evaluate(self.batch, values, TENSORS)).reshape(-1)
        count = self.offsets.numel() - 1
        if count == 0:
            return {name: torch.zeros_like(batch) for name in self._names}
        inside = (batch >= 0) & (batch < count)
        batch = torch.where(inside, batch, 0)
        start, end = (self.offsets[at].to(torch.int64) for at in (batch, batch + 1))
        found = (torch.where(inside, number, 0) for number in (start, end - start))
        return dict(zip(self._names, found, strict=True))

    @property
    def _names(self) -> tuple[str, str]:
        return self.jagged.start, self.jagged.length


def own_sizes(type: Attribute, own: Mapping[str, torch.Tensor]) -> list[tuple[int, IndexExpr]]:
    """The dims of a block whose size is that of the program's sequence, and their sizes."""
    sizes = nt.shape_of(type) if own else ()
    return [
        (dim, size)
        for dim, size in enumerate(sizes)
        if any(name in own for name in symbol_names(size))
    ]
