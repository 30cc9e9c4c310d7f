"""Configuration space: block sizes, warps and stages that are worth compiling.

Candidates are all powers of two within the bounds of the block sizes. The footprint of each, what a
program takes whatever the sizes are (see ``cost_function``), decides with which warps and stages it
can run; what cannot, or not well, is left out, and counted by reason. The rest is ordered by a
guess that knows no sizes: blocks with much reuse for kernels with dots, or blocks of a good size.
``runtime.tuning.model`` ranks it anew for the sizes of a call.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from xdsl.dialects.builtin import ModuleOp

from ninetoothed.artifacts.capabilities import capabilities
from ninetoothed.artifacts.configuration import INTERCHANGED, PACKED, Config, Legal, Space
from ninetoothed.artifacts.occupancy import (
    Architecture,
    Footprint,
    Legality,
    registers,
    scope_registers,
    shared_bytes,
    uses_warp_groups,
)
from ninetoothed.artifacts.signature import Signature
from ninetoothed.artifacts.target import Target
from ninetoothed.calls.generated import defined
from ninetoothed.compiler.cost import count
from ninetoothed.compiler.cost_function import (
    cost_source,
    footprint_source,
    lanes_source,
)
from ninetoothed.compiler.fits_function import fits_source
from ninetoothed.compiler.optimizations import legalities_of
from ninetoothed.errors import CompilerError, ConfigurationError
from ninetoothed.ir import nt
from ninetoothed.ir.tt import MAX_LANES
from ninetoothed.plugins.edited_pipeline import BoundPipeline
from ninetoothed.symbolic.choices import choices_between, powers_between

MAX_BLOCK = 1 << 15
MAX_EVALUATED_LANES = 1 << 28
"""On the CPU, where offsets alone take eight bytes a lane."""
MAX_CONFIGS = 1000
"""With more, pruning would take longer than it saves."""
_WARPS = (1, 2, 4, 8, 16)
# Long rows in registers want all that a program can have; tensor cores do not.
_MOST_WARPS = 32
_STAGES = 3
_MOST_THREADS = 1024
_REGISTER_BYTES = 4
_MOST_LIVE = 1.25
_MOST_REGISTERS = 1.75
# So much more around loops: there a register is spilled once, and not in each iteration.
_ONCE = 2
_LEAST_DOT = 4
_PACKED = ((PACKED, 1),)
# Numbers in a column of the tensor memory.
_COLUMN = 128
_MOST_LOPSIDED = 16
# Blocks from here on are given eight warps first, smaller ones four.
_LARGE_BLOCK = 1 << 14
# A vector block of this many lanes keeps every thread of four warps busy with several loads.
_GOOD_BLOCK = 1 << 11
# Bytes of a dot's operands, so that several stages fit into shared memory.
_GOOD_OPERANDS = 32 << 10
_TOO_LARGE = f"a block of over {MAX_BLOCK} lanes"
_TOO_MANY = f"one of over {MAX_CONFIGS} that could run; others stand for it"


def space(
    module: ModuleOp,
    signature: Signature,
    num_warps: Sequence[int] | None = None,
    num_stages: Sequence[int] | None = None,
    target: Target | None = None,
    pipeline: BoundPipeline | None = None,
) -> Space:
    """Configuration space of a signature: all that could run well, for some sizes.

    The best guess without knowing sizes is first; configurations with packed operands, of which
    more can run, are a list of their own. ``num_warps`` and ``num_stages`` are the user's
    choices. The module is in stage ``composed``. ``pipeline``: the definition's, whose passes may
    have choices.

    Raises:
        ConfigurationError: no choice of block sizes keeps blocks small enough, or a block that the
            user fixed is larger than any can be.
    """
    fits = fits_source(module, signature)
    is_fixed = num_warps is not None and len(num_warps) == 1
    passes = "" if pipeline is None else str(pipeline.key)
    counted = count(module, signature)
    source = footprint_source(module, signature, counted)
    footprint_of = _function(source, "footprint")
    unit = capabilities(target).architecture
    legalities = dict(legalities_of(nt.kernel_of(module), pipeline))
    packing = legalities.pop(PACKED, None)
    # Reductions of what is packed are interchanged as they are.
    beside_packing = {name: one for name, one in legalities.items() if name != INTERCHANGED}
    legal: dict[Config, Legal] = {}
    rows: list[tuple[tuple[float, ...], Config]] = []
    packed: list[tuple[tuple[float, ...], Config]] = []
    refused: list[tuple[float, Config, Legal]] = []
    smallest: tuple[int, dict[str, int]] | None = None
    pruned: Counter[str] = Counter()
    for values in _candidates(module):
        found = footprint_of(*values.values())
        lanes = found[0]
        if smallest is None or lanes < smallest[0]:
            smallest = (lanes, values)
        if values and lanes > MAX_BLOCK:
            # The most frequent reason, tested before a footprint is built.
            pruned[_TOO_LARGE] += 1
            continue
        footprint = Footprint.of(found)
        guess = _guess(footprint)
        choices = _legal(legalities, footprint, unit)
        for warps, stages in _ways(footprint, unit, num_warps, num_stages):
            config = Config(tuple(values.items()), warps, stages)
            reason = _refusal(footprint, config, unit)
            if reason:
                pruned[reason] += 1
                refused.append((_excess(footprint, config, unit), config, choices))
            else:
                rows.append(((*guess, *_unusual(footprint, config)), config))
                legal[config] = choices
        if packing is None or not packing(footprint, unit):
            continue
        footprint = footprint.packed
        choices = _legal(beside_packing, footprint, unit)
        for warps, stages in _ways(footprint, unit, num_warps, num_stages):
            config = Config(tuple(values.items()), warps, stages, _PACKED)
            if not _refusal(footprint, config, unit):
                packed.append(((*guess, *_unusual(footprint, config)), config))
                legal[config] = choices
    assert smallest is not None
    try:
        source += f"\n\n{cost_source(module, counted)}"
    except CompilerError:
        # A size that no argument gives: times cannot be estimated.
        source = ""
    if not rows:
        if not refused or smallest[0] > MAX_LANES:
            raise _nothing_fits(*smallest)
        # The configuration with the least excess may run all the same.
        _, only, choices = min(refused, key=lambda row: row[0])
        legal_choices = (choices,) if choices else ()
        return Space((only,), source, (), fits, legal_choices, passes, is_fixed)
    kept, kept_packed = _thinned(rows), _thinned(packed)
    if left := len(rows) + len(packed) - len(kept) - len(kept_packed):
        pruned[_TOO_MANY] = left
    found = tuple(legal[config] for config in (*kept, *kept_packed))
    choices = found if any(found) else ()
    reasons = tuple(pruned.items())
    return Space(kept, source, reasons, fits, choices, passes, is_fixed, kept_packed)


def interpreted_values(
    module: ModuleOp,
    signature: Signature,
    lanes: int,
    fits: Callable[..., bool] = lambda *sizes: True,
) -> dict[str, int]:
    """Block sizes for evaluation: those of the fewest programs whose blocks have at most ``lanes``
    lanes; where none has, those of the smallest blocks.

    ``fits``: which block sizes pass the checks of a call. Those that do come before all others.

    Raises:
        ConfigurationError: a block is larger than any that can be evaluated.
    """
    lanes_of = _function(lanes_source(module, signature), "lanes")

    def worth(values: Mapping[str, int]) -> tuple[bool, int, int]:
        sizes = values.values()
        is_fit = fits(*sizes)
        largest = lanes_of(*sizes)
        return (is_fit, 1, math.prod(sizes)) if largest <= lanes else (is_fit, 0, -largest)

    found = max(_candidates(module), key=worth)
    if (largest := lanes_of(*found.values())) > MAX_EVALUATED_LANES:
        raise ConfigurationError(
            f"a block has {largest} lanes, and at most {MAX_EVALUATED_LANES} are evaluated at "
            "once; tile it, and go through the tiles in a loop"
        )
    return found


def least_waste(
    module: ModuleOp,
    values: Mapping[str, int],
    counts: Callable[..., object],
    fits: Callable[..., bool] = lambda *sizes: True,
) -> dict[str, int]:
    """The smallest block sizes for which a call has as many programs and steps as for ``values``: a
    block of 1,024 lanes takes 16 times as long as one of 64 for as many columns.

    ``counts``: the numbers that must stay (see ``fits_function``); ``fits`` as above. Sizes that
    the application is specialized on are left as they are.
    """
    found = dict(values)
    wanted = counts(*found.values())
    if wanted is None or not fits(*found.values()):
        return found
    for decl in nt.kernel_of(module).declarations:
        if decl.kind != "meta" or decl.specialized is not None:
            continue
        for half in reversed(powers_between(decl.lower, found[decl.name] // 2)):
            smaller = {**found, decl.name: half}
            if counts(*smaller.values()) != wanted or not fits(*smaller.values()):
                break
            found = smaller
    return found


def largest_block(module: ModuleOp, signature: Signature, config: Config) -> int:
    """Lanes of the largest block in a configuration."""
    lanes_of = _function(lanes_source(module, signature), "lanes")
    return lanes_of(*(value for _, value in config.values))


def _function(source: str, name: str) -> Callable[..., Any]:
    """Function that a source defines."""
    (function,) = defined((name,), source, {})
    return function


def _candidates(module: ModuleOp) -> Iterator[dict[str, int]]:
    """All choices of powers of two within the meta symbols' bounds, ascending."""
    kernel = nt.kernel_of(module)
    metas = [decl for decl in kernel.declarations if decl.kind == "meta"]
    ranges = [choices_between(decl.lower, decl.upper) for decl in metas]
    for values in itertools.product(*ranges):
        yield {decl.name: value for decl, value in zip(metas, values, strict=True)}


def _ways(
    footprint: Footprint,
    unit: Architecture,
    num_warps: Sequence[int] | None,
    num_stages: Sequence[int] | None,
) -> Iterator[tuple[int, int]]:
    """Numbers of warps and stages. Without prefetched operands, stages make no difference: Triton
    pipelines the operands of dots, and no other loads.
    """
    is_ahead = any(buffer.is_ahead for scope in footprint.scopes for buffer in scope.buffers)
    stages = num_stages or (unit.stages if is_ahead else (_STAGES,))
    has_dot = any(scope.dots for scope in footprint.scopes)
    warps = num_warps or (_WARPS if has_dot else (*_WARPS, _MOST_WARPS))
    return itertools.product(
        dict.fromkeys(warps), dict.fromkeys(stages if is_ahead else stages[:1])
    )


def _refusal(footprint: Footprint, config: Config, unit: Architecture) -> str:
    """Reason why a configuration cannot run, or not well whatever the sizes are; or nothing."""
    threads = config.num_warps * unit.warp_size
    if footprint.lanes > MAX_BLOCK:
        return _TOO_LARGE
    if threads > _MOST_THREADS:
        return f"over {_MOST_THREADS} threads a program"
    if shared_bytes(footprint, config, unit) > unit.shared_per_block:
        return f"over {unit.shared_per_block >> 10} KiB of shared memory"
    for scope, wanted in zip(
        footprint.scopes, scope_registers(footprint, config, unit), strict=True
    ):
        most = unit.most_registers(threads) * (1 if footprint.is_main(scope) else _ONCE)
        # Live blocks must be in registers: with more, spills dominate.
        if scope.live / _REGISTER_BYTES / threads > _MOST_LIVE * most:
            return "blocks that are live at once take far more registers than there are"
        if wanted > _MOST_REGISTERS * most:
            return "blocks and their addresses take far more registers than there are"
    if footprint.lanes < threads and config.num_warps > 1:
        return "more threads than the largest block has lanes"
    dots = [dot for scope in footprint.scopes for dot in scope.dots]
    # Tensor cores give a warp 16 by 8 lanes of a dot.
    if dots and max(one.m * one.n * one.batch for one in dots) < _LEAST_DOT * threads:
        return "more warps than a dot's blocks have parts"
    if unit.tensor_columns and _columns(footprint, config, unit) > unit.tensor_columns:
        return f"accumulators over {unit.tensor_columns} columns of tensor memory"
    if any(max(one.m, one.n) >= _MOST_LOPSIDED * max(min(one.m, one.n), 32) for one in dots):
        return f"a dot over {_MOST_LOPSIDED} times as long as wide"
    return ""


def _columns(footprint: Footprint, config: Config, unit: Architecture) -> int:
    """Columns of the tensor memory that the accumulators take."""
    found = (
        math.ceil(one.m / _COLUMN) * one.n
        for scope in footprint.scopes
        for one in scope.dots
        if uses_warp_groups(one, config, unit)
    )
    return sum(found)


def _excess(footprint: Footprint, config: Config, unit: Architecture) -> float:
    """Factor by which a configuration exceeds the limits."""
    # Of a program with more threads than a unit has registers, each has a part of one.
    most = max(unit.most_registers(config.num_warps * unit.warp_size), 1)
    return max(
        footprint.lanes / MAX_BLOCK,
        registers(footprint, config, unit) / most,
        shared_bytes(footprint, config, unit) / unit.shared_per_block,
    )


def _guess(footprint: Footprint) -> tuple[float, ...]:
    """Sort key: for dots, most reuse, then operands of a good size; else a good block size."""
    dots = [one for scope in footprint.scopes for one in scope.dots]
    if dots:
        operands = max(sum(one.bytes for one in scope.buffers) for scope in footprint.scopes)
        reuse = max(one.m * one.n / (one.m + one.n) for one in dots)
        return (-reuse, abs(operands - _GOOD_OPERANDS))
    ratio = footprint.lanes / _GOOD_BLOCK
    return (max(ratio, 1 / ratio),)


def _unusual(footprint: Footprint, config: Config) -> tuple[float, float]:
    """Sort key: distance of warps and stages from what mostly does well."""
    warps = 8 if footprint.lanes >= _LARGE_BLOCK else 4
    return abs(math.log2(config.num_warps / warps)), abs(config.num_stages - _STAGES)


def _legal(legalities: Mapping[str, Legality], footprint: Footprint, unit: Architecture) -> Legal:
    """Legal values of the choices that have any beside their default."""
    found = ((name, legality(footprint, unit)) for name, legality in legalities.items())
    return tuple((name, others) for name, others in found if others)


def _thinned(rows: Sequence[tuple[tuple[float, ...], Config]]) -> tuple[Config, ...]:
    """In the order of their keys, thin out to :data:`MAX_CONFIGS`: first fewer stages, then every
    second, and so on.
    """
    kept = [config for _, config in sorted(rows, key=lambda row: row[0])]
    for stages in sorted({config.num_stages for config in kept} - {_STAGES}, reverse=True):
        if len(kept) > MAX_CONFIGS:
            kept = [config for config in kept if config.num_stages != stages]
    return tuple(kept[:: max(-(-len(kept) // MAX_CONFIGS), 1)])


def _nothing_fits(lanes: int, values: Mapping[str, int]) -> ConfigurationError:
    if not values:
        return ConfigurationError(
            f"a block has {lanes} lanes, and on a GPU at most {MAX_LANES} can be one "
            "block; tile it, and go through the tiles in a loop"
        )
    return ConfigurationError(
        f"no choice of block sizes fits: the smallest, {values}, has a block of "
        f"{lanes} lanes, and at most {MAX_BLOCK} can run; give block_size() a smaller lower_bound"
    )
