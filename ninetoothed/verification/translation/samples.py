"""Adversarial samples of calls: sizes around multiples of the block sizes, all layouts, and block
sizes that differ from one another.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import BlockArgument

from ninetoothed.artifacts.configuration import Config
from ninetoothed.artifacts.signature import Signature
from ninetoothed.definition.definition import Definition
from ninetoothed.dtype import DTYPES
from ninetoothed.interpreters.run import Argument
from ninetoothed.ir import nt
from ninetoothed.symbolic.expr import IndexExpr, const, evaluate, substitute, symbol_names
from ninetoothed.verification.sizes import STEPS, SizeSampler, magnitudes
from ninetoothed.verification.translation.views import LAYOUTS, WRITABLE, sequences, tensor

LANES = 1 << 18
"""The most lanes of one case: programs times the trip count of a loop times the block."""

_SMALL_CASES = (0, 1, 2, 4, 6, 7)
_CHOSEN_CASES = (0, 3)
_ALL_CASES = range(8)
_WHOLE_DIM = 16
_MOST_UNFILLED = 4
# Cases in which only sizes that must be equal are.
_UNEQUAL_CASES = (1, 3, 5)


@dataclass(frozen=True)
class Sample:
    """A sample: the values of the size symbols, the block sizes, and the arguments' layouts."""

    sizes: Mapping[str, int]
    blocks: tuple[tuple[str, int], ...]
    layouts: tuple[str, ...]
    number: int

    def values(self, definition: Definition, signature: Signature) -> list[Argument]:
        """Create the arguments in launch order, the same numbers each time."""
        found: list[Argument] = []
        for position, (parameter, param) in enumerate(
            zip(definition.parameters, signature.params, strict=True)
        ):
            if param.kind == "constexpr":
                assert param.value is not None
                found.append(param.value)
            elif param.kind == "scalar":
                found.append(_scalar(param.dtype, self.number))
            else:
                shape = [evaluate(size, self.sizes) for size in parameter.source.shape]
                made = (param.dtype, self.layouts[position], self.number + position)
                if parameter.jagged is None:
                    found.append(tensor(shape, *made))
                else:
                    found.append(sequences(shape, parameter.jagged, self.number, *made))
        return found


class Sampler:
    """The samples of one kernel, from its module in stage ``composed``.

    ``skipped`` counts the cases for which no sizes were found that the kernel's checks allow.
    """

    def __init__(
        self, definition: Definition, signature: Signature, module: ModuleOp, config: Config
    ) -> None:
        kernel = nt.kernel_of(module)
        self.skipped = 0
        self._definition = definition
        self._kernel = kernel
        self._constants = dict(signature.constants)
        for one in definition.interface.empties:
            # Of windows, chance finds sizes at which none fits.
            if signature.params[one.position].empty and one.sizes and one.source == one.sizes[0][0]:
                self._constants[one.source] = 0
        self._config = config
        self._accesses = [
            nt.access_of(value, kernel.assumptions)[1].data for value in kernel.arranged.values
        ]
        self._checks = [_of_sizes(kernel, check.data) for check in kernel.checks]
        self._written = [_is_written(argument) for argument in kernel.apply.block.args]

    def samples(self) -> Iterator[Sample]:
        """Generate the samples, smaller block sizes first."""
        small, chosen = self._small(), dict(self._config.values)
        if small == chosen:
            rounds = [(small, _ALL_CASES)]
        else:
            rounds = [(small, _SMALL_CASES), (chosen, _CHOSEN_CASES)]
        for blocks, cases in rounds:
            for case in cases:
                sizes = self._sizes(blocks, case)
                if sizes is None:
                    self.skipped += 1
                    continue
                layouts = tuple(self._layout(case, place) for place in range(len(self._written)))
                yield Sample(sizes, tuple(blocks.items()), layouts, case)

    def filled(self) -> Iterator[Sample]:
        """Generate samples whose sizes are multiples of what is cut from them, all or all but one
        group of sizes that must be equal.
        """
        small, chosen = self._small(), dict(self._config.values)
        rounds: list[tuple[dict[str, int], int | None]] = [(small, None)]
        if small != chosen:
            rounds.append((chosen, None))
        groups = len(self._groups(self._constants | small))
        rounds += [(small, group) for group in range(min(groups, _MOST_UNFILLED))]
        for number, (blocks, unfilled) in enumerate(rounds):
            sizes = self._filled(blocks, unfilled)
            if sizes is None:
                self.skipped += 1
                continue
            layouts = tuple(self._layout(number, place) for place in range(len(self._written)))
            yield Sample(sizes, tuple(blocks.items()), layouts, number)

    def _filled(self, blocks: Mapping[str, int], unfilled: int | None) -> dict[str, int] | None:
        """Sizes that are multiples, but for those of a group, of tensors that are not large."""
        known = {**self._constants, **blocks}
        groups = self._groups(known)
        full = [math.lcm(*self._tiles(group, known)) for group in groups]
        # A size that 16 does not divide is known to fill no block: no call is asked.
        candidates = [
            [size + max(size // 2, 1), size + 1] if group == unfilled else [size, 2 * size]
            for group, size in enumerate(full)
        ]
        sizes = self._sampled(blocks, groups, candidates, 0, range(2))
        return sizes if sizes is not None and self._elements(sizes | known) <= LANES else None

    def _elements(self, symbols: Mapping[str, int]) -> int:
        """The most elements of a tensor."""
        shapes = (source.sizes for source in self._kernel.sources)
        return max(math.prod(evaluate(size, symbols) for size in sizes) for sizes in shapes)

    def _layout(self, case: int, position: int) -> str:
        names = WRITABLE if self._written[position] else LAYOUTS
        return names[0] if case == 0 else names[(case + 2 * position) % len(names)]

    def _small(self) -> dict[str, int]:
        """Smallest block sizes, made to differ where their bounds allow it."""
        found: dict[str, int] = {}
        for place, (name, _) in enumerate(self._config.values):
            info = self._definition.meta[name]
            lower = max(info.lower or 1, 1)
            powers = [1 << bits for bits in range(lower.bit_length() + 4) if 1 << bits >= lower]
            powers = [power for power in powers if power <= (info.upper or power)] or [lower]
            found[name] = powers[min(place % 3, len(powers) - 1)]
        return found

    def _sizes(self, blocks: Mapping[str, int], case: int) -> dict[str, int] | None:
        """Sizes around the ends of blocks, with which the checks hold and which take few lanes."""
        known = {**self._constants, **blocks}
        groups = self._groups(known)
        if case in _UNEQUAL_CASES:
            groups = [[name] for group in groups for name in group]
        candidates = [
            [around(self._tile(group, known, case)) for around in _AROUND] for group in groups
        ]
        if candidates and case >= len(_AROUND):
            # No programs, or a loop without iterations.
            candidates[(case - len(_AROUND)) % len(groups)] = [0]
        starts = range(case, case + len(_AROUND))
        return self._sampled(blocks, groups, candidates, STEPS[case % len(STEPS)], starts)

    def _sampled(
        self,
        blocks: Mapping[str, int],
        groups: Sequence[Sequence[str]],
        candidates: Sequence[Sequence[int]],
        step: int,
        starts: Iterable[int],
    ) -> dict[str, int] | None:
        """Sizes of the candidates, from the first start on with which the checks hold."""
        checks = [
            pair for check in self._checks for pair in zip(check.left, check.right, strict=True)
        ]
        known = {**self._constants, **blocks}
        sampler = SizeSampler(groups, candidates, checks, self._kernel.assumptions, known=known)
        for start in starts:
            sizes = sampler.sample(step, start)
            if sizes is not None and self._fits(sizes):
                return {name: value for name, value in sizes.items() if name not in blocks}
        return None

    def _groups(self, known: Mapping[str, int]) -> list[list[str]]:
        """Groups of sizes that the checks require to be equal."""
        groups = [
            [decl.name]
            for decl in self._kernel.declarations
            if decl.kind == "size" and decl.name not in known
        ]
        for check in self._checks:
            # Of a size that must not be above another, the two are the left side.
            pairs = [check.left] if check.defined else zip(check.left, check.right, strict=True)
            for sides in pairs:
                tied = [
                    [group for group in groups if any(name in group for name in _counted(side))]
                    for side in sides
                ]
                if [len(found) for found in tied] == [1, 1] and tied[0] != tied[1]:
                    tied[0][0].extend(tied[1][0])
                    groups.remove(tied[1][0])
        return groups

    def _tile(self, group: Sequence[str], known: Mapping[str, int], case: int) -> int:
        """Block size in terms of these sizes, which decides where their last block ends."""
        tiles = self._tiles(group, known)
        return tiles[case % len(tiles)]

    def _tiles(self, group: Sequence[str], known: Mapping[str, int]) -> list[int]:
        """The block sizes in terms of these sizes."""
        found: dict[int, None] = {}
        for access in self._accesses:
            pairs = [(size, size) for level in access.levels for size in level]
            pairs += [(guard.index, guard.size) for guard in access.guards]
            for index, size in pairs:
                if any(name in group for name in symbol_names(size)):
                    put = (substitute(expr, dict(known)) for expr in (index, size))
                    found.update(dict.fromkeys(magnitudes(*put)))
        return sorted(number for number in found if 1 < number <= LANES) or [_WHOLE_DIM]

    def _fits(self, symbols: Mapping[str, int]) -> bool:
        try:
            return self._lanes(symbols) <= LANES
        except ZeroDivisionError:
            return False

    def _lanes(self, symbols: Mapping[str, int]) -> int:
        found = [0]
        for access in self._accesses:
            lanes = 1
            for level, sizes in enumerate(access.levels):
                count = math.prod(max(evaluate(size, symbols), 0) for size in sizes)
                last = 0 < level == len(access.levels) - 1
                lanes *= 1 << max(count - 1, 0).bit_length() if last else count
            found.append(lanes)
        return max(found)


def _counted(size: IndexExpr) -> Iterator[str]:
    """The symbols of a size but those of which it matters only whether they are 0."""
    if size.op == "sym":
        yield size.args[0]
    elif not (size.op == "min" and const(1) in size.operands):
        for operand in size.operands:
            yield from _counted(operand)


def _of_sizes(kernel: nt.KernelOp, check: nt.Check) -> nt.Check:
    """Replace a check of offsets by that of the sizes which decide the samples' lengths."""
    sizes = {
        source.jagged.data.offsets: (source.sizes[0], source.sizes[source.jagged.data.dim])
        for source in kernel.sources
        if source.jagged is not None
    }
    left, right = (sizes.get(str(side[0]), side) for side in (check.left, check.right))
    return replace(check, left=left, right=right)


def _scalar(dtype: str, number: int) -> int | float | bool:
    match DTYPES[dtype].kind:
        case "float":
            return 0.5 + number
        case "bool":
            return number % 2 == 1
        case _:
            return 1 + number % 3


def _is_written(argument: BlockArgument) -> bool:
    return any(use.operation.name not in ("nt.load", "nt.guard") for use in argument.uses)


def _prime(least: int) -> int:
    return next(
        number
        for number in range(least, 2 * least)
        if all(number % factor for factor in range(2, math.isqrt(number) + 1))
    )


_AROUND: tuple[Callable[[int], int], ...] = (
    lambda tile: tile + 1,
    lambda tile: 2 * tile + 1,
    lambda tile: tile,
    lambda tile: tile - 1,
    lambda tile: _prime(tile + 2),
    lambda _: 1,
)
"""Sizes around a block's: where the last block is not full, is full, or is the only one."""
