"""Placements of DTensors under which a kernel runs on each rank's own tensors.

A rule is about one dim of the mesh. Tensors have the names of a call's arguments.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from torch.distributed.tensor import Partial, Replicate, Shard
from torch.distributed.tensor.placement_types import Placement

Shapes = Mapping[str, tuple[int, ...]]


@dataclass(frozen=True)
class Rule:
    """Placements of tensors along a dim of the mesh; those that have no entry are replicated."""

    name: str
    placements: Mapping[str, Placement]

    def __getitem__(self, tensor: str) -> Placement:
        return self.placements.get(tensor, Replicate())

    def fits(self, placed: Mapping[str, Placement]) -> bool:
        """True if tensors are placed by the rule."""
        return all(_same(self[name], one) for name, one in placed.items())

    @property
    def split(self) -> dict[str, int]:
        """The dims that it splits, by tensor."""
        return {name: one.dim for name, one in self.placements.items() if isinstance(one, Shard)}

    def holds(self, shapes: Shapes) -> bool:
        """True if the dims that it splits have one size."""
        sizes = [shapes[name][dim] for name, dim in self.split.items()]
        return all(size == sizes[0] for size in sizes)

    def parts(self, shapes: Shapes, ranks: int) -> list[Shapes]:
        """The shapes that ranks have, each once, where dims are split as ``torch.chunk`` splits
        them.
        """
        if not self.split:
            return [shapes]
        size = next(shapes[name][dim] for name, dim in self.split.items())
        step = -(-size // ranks)
        parts = dict.fromkeys(min(step, max(size - step * rank, 0)) for rank in range(ranks))
        return [
            {**shapes, **{name: _with(shapes[name], dim, part) for name, dim in self.split.items()}}
            for part in parts
        ]


WHOLE = Rule("", {})
"""What holds for every kernel: each rank has all of each tensor, and does all of the work."""


@dataclass(frozen=True)
class Rules:
    """The rules of calls of one class. A tensor's dim is split by one of them at most, so that each
    holds for the parts that another makes.

    ``refused``: the reasons why dims are not split, by tensor and dim; ``reason``: that of others.
    """

    kernel: str
    each: tuple[Rule, ...]
    refused: Mapping[tuple[str, int], str]
    reason: str


def combinable(
    rules: Iterable[Rule],
    shapes: Shapes,
    mesh: Sequence[int],
    allocated: Callable[[Shapes], Shapes],
) -> list[Rule]:
    """The rules, with ``WHOLE``, that may be combined on the dims of a mesh of so many ranks: under
    them each rank allocates outputs of the shapes that it is to have. ``allocated``: the shapes of
    outputs, by those of inputs.
    """
    found = [WHOLE]
    for rule in rules:
        combined = itertools.product([*found, rule], repeat=len(mesh))
        parts = itertools.chain(*(_local(rows, shapes, mesh) for rows in combined if rule in rows))
        if all(
            all(local[name] == shape for name, shape in allocated(local).items())
            for local in _distinct(parts)
        ):
            found.append(rule)
    return found


def _local(rules: Sequence[Rule], shapes: Shapes, mesh: Sequence[int]) -> list[Shapes]:
    """The shapes that ranks have, each once, with a rule for each dim of the mesh."""
    found = [shapes]
    for rule, ranks in zip(rules, mesh, strict=True):
        found = _distinct(part for one in found for part in rule.parts(one, ranks))
    return found


class Misfit(NamedTuple):
    """Placements of a call that fit no rule: a text, and what some tensors need instead, along all
    dims of the mesh.
    """

    text: str
    needed: Mapping[str, tuple[Placement, ...]]


def misfit(
    rules: Rules,
    placed: Mapping[str, Sequence[Placement]],
    shapes: Shapes,
    names: Sequence[str],
) -> Misfit | None:
    """What does not fit in the placements of tensors along the dims of a mesh, which have names for
    a message; None where each of them has a rule.
    """
    held = [rule for rule in (*rules.each, WHOLE) if rule.holds(shapes)]
    chosen: list[Rule] = []
    texts: list[str] = []
    for place, name in enumerate(names):
        along = {tensor: placements[place] for tensor, placements in placed.items()}
        rule = next((one for one in held if one.fits(along)), None)
        if rule is None:
            rule = min(held, key=lambda one: _changes(one, along))
            texts.append(_explained(rules, along, shapes, name))
        chosen.append(rule)
    if not texts:
        return None
    needed = {tensor: tuple(rule[tensor] for rule in chosen) for tensor in placed}
    changed = {
        tensor: one for tensor, one in needed.items() if not all(map(_same, one, placed[tensor]))
    }
    return Misfit(texts[0], changed)


def shown(placement: Placement) -> str:
    """A placement as a program writes it."""
    dim = _split_dim(placement)
    if dim is not None:
        return f"Shard({dim})"
    if isinstance(placement, Partial):
        return "Partial()" if placement.reduce_op == "sum" else f"Partial({placement.reduce_op!r})"
    return repr(placement)


def _explained(rules: Rules, along: Mapping[str, Placement], shapes: Shapes, where: str) -> str:
    """Why tensors that are placed so ``along`` a dim of the mesh fit none of the rules."""
    for name, one in along.items():
        having = [rule for rule in rules.each if _same(rule[name], one)]
        if isinstance(one, Replicate) or any(rule.holds(shapes) for rule in having):
            continue
        start = f"{name} is {shown(one)} along {where}"
        if having:
            sizes = ", ".join(
                f"dim {dim} of {other} has {shapes[other][dim]}"
                for other, dim in having[0].split.items()
            )
            return (
                f"{start}, and {rules.kernel} takes that only where all dims that are split with "
                f"it have one size: {sizes}"
            )
        if isinstance(one, Partial):
            return f"{start}, and {rules.kernel} needs its elements, not parts of their sums"
        dim = _split_dim(one)
        if dim is not None:
            reason = rules.refused.get((name, dim), rules.reason)
            return f"{start}, and {rules.kernel} does not split dim {dim} of {name}: {reason}"
        return f"{start}, which {rules.kernel} does not take"
    placed = ", ".join(f"{name}: {shown(one)}" for name, one in along.items())
    return f"{rules.kernel} has no rule with {placed} along {where}"


def _changes(rule: Rule, placed: Mapping[str, Placement]) -> int:
    """How many tensors a rule places otherwise."""
    changed = [(rule[name], one) for name, one in placed.items() if not _same(rule[name], one)]
    # Parts of sums are only made of tensors that each rank has.
    impossible = [
        one for new, one in changed if isinstance(new, Partial) and not isinstance(one, Replicate)
    ]
    return len(changed) + len(placed) * len(impossible)


def _split_dim(placement: Placement) -> int | None:
    """The dim that is split in one way, as ``torch.chunk`` does; None if there is none."""
    # Classes that split in several ways may be derived from it.
    dim: int | None = getattr(placement, "dim", None)
    return dim if type(placement) is Shard else None


def _same(one: Placement, other: Placement) -> bool:
    return type(one) is type(other) and one == other


def _with(shape: tuple[int, ...], dim: int, size: int) -> tuple[int, ...]:
    return (*shape[:dim], size, *shape[dim + 1 :])


def _distinct(shapes: Iterable[Shapes]) -> list[Shapes]:
    return [*{tuple(one.items()): one for one in shapes}.values()]
