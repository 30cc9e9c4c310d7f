"""Sharding rules: the placements of a kernel's tensors on several devices that give the same
result, derived from the arrangement and proved for all sizes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from xdsl.dialects.builtin import ModuleOp

from ninetoothed.artifacts.signature import Signature
from ninetoothed.compiler.compile import build
from ninetoothed.compiler.defaults import (
    describe_assumed,
    fitted,
    for_fewest_sizes,
    plain_values,
    require_names,
)
from ninetoothed.definition.definition import Definition
from ninetoothed.ir.nt import kernel_of
from ninetoothed.symbolic.expr import symbol_names
from ninetoothed.verification.shard_accesses import (
    Dim,
    JoinError,
    RefusedError,
    Slices,
    Tensors,
    program_slices,
)
from ninetoothed.verification.shard_asks import added_by_programs
from ninetoothed.verification.shard_flow import Flow

_PASS = "nt-check-definedness"
"""The last one behind which the arrangement and the application are as they were written."""


@dataclass(frozen=True)
class Shard:
    """Each rank has a part of the tensor along ``dim``, as ``torch.chunk`` splits it."""

    dim: int

    def __str__(self) -> str:
        return f"S{self.dim}"


@dataclass(frozen=True)
class Replicate:
    """Each rank has the whole tensor."""

    def __str__(self) -> str:
        return "R"


@dataclass(frozen=True)
class Partial:
    """The tensor is the sum of those of the ranks."""

    def __str__(self) -> str:
        return "P(sum)"


Placement = Shard | Replicate | Partial


@dataclass(frozen=True)
class Rule:
    """Placements under which a kernel may run on each rank's own tensors.

    ``name``: ``g0`` where dim 0 of the programs is split, ``sum`` where sums are, ``lanes`` where
    dims are that each program has the whole of; numbered if there are several. ``placements``: of
    the tensors, by parameter. The dims that a rule splits have one size, or it does not hold.
    """

    name: str
    placements: Mapping[str, Placement]


@dataclass(frozen=True)
class Refusal:
    """What no rule splits, and why: a dim of the programs, as ``g0``, or one of a tensor of which
    each program has all, as ``input 1``.

    ``dims``: all dims of tensors that would have to be split with it, by parameter; none where the
    kernel as a whole is refused.
    """

    name: str
    reason: str
    dims: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True)
class Sharding:
    """The rules of one kernel. ``str(sharding)`` is a table, with the refused dims below."""

    kernel: str
    rules: tuple[Rule, ...]
    refusals: tuple[Refusal, ...]
    assumed: str = ""
    """The assumptions about a call, as comments."""
    holds_for_all_sizes: bool = True
    """False if the kernel depends on constexpr sizes, and is compiled for some."""

    def rule(self, name: str) -> Rule:
        """The rule of a name.

        Raises:
            KeyError: there is none; with the reason, if it is known.
        """
        for rule in self.rules:
            if rule.name == name:
                return rule
        reasons = [one.reason for one in self.refusals if one.name == name]
        raise KeyError(": ".join([name, *reasons]))

    def __str__(self) -> str:
        names = [one.name for one in (*self.rules, *self.refusals)]
        first = max(map(len, names), default=0)
        rows = [
            [f"{param}: {placement}" for param, placement in rule.placements.items()]
            for rule in self.rules
        ]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = [
            "".join(
                f"{cell},".ljust(width + 2) for cell, width in zip(row, widths, strict=True)
            ).rstrip(" ,")
            for row in rows
        ]
        lines += [f"refused: {refusal.reason}" for refusal in self.refusals]
        return "\n".join(
            f"{name.ljust(first)}  {line}" for name, line in zip(names, lines, strict=True)
        )


def derive(
    definition: Definition, dtypes: Mapping[str, Any], values: Mapping[str, Any]
) -> Sharding:
    """The rules of a kernel where no call has fixed its types.

    Raises:
        NineToothedError: the application is wrong, or a constexpr number has no value.
    """
    require_names(dtypes, values)
    signature, module = fitted(
        definition,
        dtypes,
        {**plain_values(definition), **values},
        lambda signature: _built(definition, signature, values),
    )
    assumed = describe_assumed(definition, signature, dtypes)
    origins = [parameter.origin for parameter in definition.parameters]
    fixed = [name for name, _ in signature.constants if name in definition.constexpr_sizes]
    rules, refusals = _derived(Tensors(kernel_of(module), origins, fixed))
    return Sharding(definition.name, tuple(rules), tuple(refusals), assumed, not fixed)


def _built(
    definition: Definition, signature: Signature, values: Mapping[str, Any]
) -> tuple[Signature, ModuleOp]:
    """The module before anything is moved in it, for as few assumed constexpr sizes as possible."""
    found: list[ModuleOp] = []

    def keep(name: str, module: ModuleOp) -> None:
        if name == _PASS:
            found.append(module.clone())

    # Calls warn.
    kept, _ = for_fewest_sizes(
        definition, signature, values, lambda one: build(definition, one, [keep])
    )
    return kept, found[-1]


def _derived(tensors: Tensors) -> tuple[list[Rule], list[Refusal]]:
    shape = tensors.kernel.program_shape
    programs = [dim for dim, size in enumerate(shape) if size.value != 1]
    try:
        tensors.require_plain()
    except RefusedError as error:
        return [], [Refusal(f"g{dim}", error.reason) for dim in programs]
    rules: list[Rule] = []
    refusals: list[Refusal] = []
    for dim in programs:
        try:
            slices = program_slices(tensors, dim)
            rules.append(_rule(f"g{dim}", tensors, slices, _program_sums(tensors, slices)))
        except RefusedError as error:
            found = [
                one for number in tensors.accesses for one in tensors.dims_of(number, f"g{dim}")
            ]
            refusals.append(Refusal(f"g{dim}", error.reason, _named(tensors, found)))
    others: list[tuple[str, Slices, set[int]]] = []
    refused: list[tuple[Dim, str, set[Dim]]] = []
    for seed in _seeds(tensors):
        if any(seed in slices.dims for _, slices, _ in others):
            continue
        dims = {seed}
        try:
            slices, sums = _joined(tensors, dims)
            if not sums and not any(map(tensors.is_written, slices.of)):
                raise RefusedError("nothing that is stored depends on it")
        except RefusedError as error:
            known = next((group for _, _, group in refused if group & dims), None)
            if known is None:
                refused.append((seed, error.reason, dims))
            else:
                known |= dims
            continue
        others.append(("sum" if sums else "lanes", slices, sums))
    for seed, reason, dims in refused:
        name = f"{tensors.names[seed[0]]} {seed[1]}"
        refusals.append(Refusal(name, reason, _named(tensors, dims)))
    kinds = [kind for kind, _, _ in others]
    for number, (kind, slices, sums) in enumerate(others):
        several = kinds.count(kind) > 1
        name = f"{kind}{kinds[:number].count(kind)}" if several else kind
        rules.append(_rule(name, tensors, slices, sums))
    return rules, refusals


def _named(tensors: Tensors, dims: Iterable[Dim]) -> tuple[tuple[str, int], ...]:
    """Dims by the names of their parameters."""
    return tuple((tensors.names[number], dim) for number, dim in sorted(dims))


def _program_sums(tensors: Tensors, slices: Slices) -> set[int]:
    """The tensors that are given sums where programs are split."""
    if slices.form.lane is None:
        return added_by_programs(tensors, slices)
    try:
        return Flow(tensors, slices).sums
    except JoinError as error:
        dims = ", ".join(map(tensors.text, sorted(error.dims)))
        raise RefusedError(f"lanes along it meet those along {dims}") from None


def _seeds(tensors: Tensors) -> Iterator[Dim]:
    """The dims that loops or lanes are about, and no program."""
    for number, access in tensors.accesses.items():
        programs = {f"g{dim}" for dim in range(len(access.levels[0]))}
        own = {*tensors.loop_variables(number), *tensors.lane_variables(number)}
        for dim, index in enumerate(access.indices):
            names = set(symbol_names(index))
            if names & own and not names & programs:
                yield number, dim


def _joined(tensors: Tensors, dims: set[Dim]) -> tuple[Slices, set[int]]:
    """What must be split with some ``dims``, which are added to them, and the tensors, by their
    number, that are given sums.

    Raises:
        RefusedError: they cannot be split.
    """
    while True:
        try:
            slices = Slices(tensors, dims, None)
            return slices, Flow(tensors, slices).sums
        except JoinError as error:
            dims |= error.dims


def _rule(name: str, tensors: Tensors, slices: Slices, sums: set[int]) -> Rule:
    placements: dict[str, Placement] = {}
    placed: set[str] = set()
    summed = {tensors.origins[number] for number in sums}
    for number, origin in enumerate(tensors.origins):
        # Parameters of one tensor are one argument.
        if origin in placed or not tensors.is_tensor(number):
            continue
        placed.add(origin)
        sliced = slices.of.get(number)
        placement = Replicate() if sliced is None else Shard(sliced.dim)
        placements[tensors.names[number]] = Partial() if origin in summed else placement
    return Rule(name, placements)
