"""Optimizations: what can be switched off, and what passes may do in several ways.

An *optimization* is an option of a pass that is on, or a choice, and its name switches it off
(``NINETOOTHED_DISABLE_OPTIMIZATIONS``): to find out what it gains, or whether it is at fault.

A *choice* is an option of a pass whose values are all right, declared as data, with its *legality*:
which values are legal for a kernel, with some block sizes on some architecture. That is asked
before any specialised pass runs, of the module in stage ``composed``. What is not the default is
carried by ``Config.choices``, by name, through the space, the tuner, the caches and the dumps; the
tuner varies it around what it has found to be best.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

from ninetoothed import config as settings
from ninetoothed import passes
from ninetoothed.artifacts.configuration import (
    BOUNDS,
    DESCRIPTORS,
    GROUPED,
    INTERCHANGED,
    PACKED,
    PERSISTENT,
    SPLIT,
    STAGED,
    Choices,
)
from ninetoothed.artifacts.occupancy import Architecture, Footprint, Legality
from ninetoothed.errors import ArgumentError, Loc, PluginError, raise_loc, shown
from ninetoothed.ir import nt
from ninetoothed.ir.optimization import Choice, Optimization
from ninetoothed.passes import (
    advance_loads,
    coarsen_programs,
    defer_reductions,
    interchange_reductions,
    lower_accesses,
    pack_operands,
    persist_programs,
    reread_rows,
    schedule_programs,
    split_reductions,
    stage_loops,
    use_descriptors,
)
from ninetoothed.passes.placement import optimizations_of, placed_passes
from ninetoothed.plugins import outside_passes
from ninetoothed.plugins.edited_pipeline import BoundPipeline

TABLE: tuple[Optimization, ...] = (
    Optimization(
        *("checked_equalities", "nt-specialize", "merges_checked"),
        "Sizes that the checks of every call require to be equal are one argument.",
    ),
    Optimization(
        *("equal_sizes", "nt-specialize", "merges_equal"),
        "Sizes of two tensors that are equal in the call, and cut alike, are one argument.",
    ),
    Optimization(
        *("equal_strides", "nt-specialize", "merges_strides"),
        "Strides of tensors that are cut alike are one argument where they are equal.",
    ),
    Optimization(
        *("collapsed_dims", "nt-specialize", "collapses"),
        "Flattened contiguous dims are addressed as one, without divisions.",
    ),
    Choice(
        *(INTERCHANGED, "nt-interchange-reductions", "interchanged"),
        "Of a flattened reduction, as over channels and taps, a block has lanes of the first dim "
        "alone; the tuner says whether.",
        interchange_reductions.legality,
    ),
    Choice(
        *(PACKED, "nt-pack-operands", "packed"),
        "Operands of dots whose rows do not begin at multiples of 16 bytes are read from copies "
        "whose rows do, which a launch makes before; the tuner says whether.",
        pack_operands.legality,
    ),
    Optimization(
        *("sunk_scales", "nt-sink-scales", "enabled"),
        "The largest of scaled lanes is the largest lane, scaled, where the scale is above 0.",
    ),
    Optimization(
        *("unrolled_reductions", "nt-unroll-reductions", "enabled"),
        "The lanes of a window are read and combined one after the other.",
    ),
    Choice(
        *("deferred_reductions", "nt-defer-reductions", "deferred"),
        "A loop that adds up reductions of its tiles reduces once, behind it; the tuner says "
        "whether.",
        defer_reductions.legality,
    ),
    Choice(
        *(SPLIT, "nt-split-reductions", "parts"),
        "Several programs share the iterations of one that adds up, and the last to end combines "
        "the parts; the tuner says how many.",
        split_reductions.legality,
    ),
    Choice(
        *("coarsened_programs", "nt-coarsen-programs", "factor"),
        "A program does the work of several that have little to do; the tuner says of how many.",
        coarsen_programs.legality,
    ),
    Optimization(
        *("longest_first", "nt-schedule-programs", "longest_first"),
        "Programs start from the last one down where the last ones iterate most.",
    ),
    Choice(
        *(GROUPED, "nt-schedule-programs", "grouped"),
        "Programs go down groups of rows of the grid, where rows and columns share what they load; "
        "the tuner says how many rows.",
        schedule_programs.legality,
    ),
    Optimization(
        *("sorted_merges", "nt-merge-sorted", "enabled"),
        "Two blocks that are sorted, side by side, are merged where they are sorted together.",
    ),
    Optimization(
        *("hoisted_loads", "nt-hoist-loads", "enabled"),
        "A tile that no iteration of a loop changes is loaded in front of it.",
    ),
    Choice(
        *("early_loads", "nt-advance-loads", "advanced"),
        "What is read behind a reduction is read in front of it; the tuner says whether.",
        advance_loads.legality,
    ),
    Optimization(
        *("vacuous_guards", "nt-fold-guards", "enabled"),
        "Calls whose sizes fill all blocks run a second kernel, without guards; comparisons with "
        "a size that are always true, or never, are left out.",
    ),
    Optimization(
        *("split_loops", "nt-split-loops", "enabled"),
        "Iterations in which a comparison of an index holds in all lanes run a copy without it.",
    ),
    Optimization(
        *("guarded_loads", "nt-guard-loads", "enabled"),
        "Loads that reach only stores take the stores' guards.",
    ),
    Optimization(
        *("clamped_guards", "nt-clamp-guards", "enabled"),
        "Rows and columns of a product that are not stored are read at the last place inside, "
        "without a mask.",
    ),
    Optimization(
        *("skipped_programs", "nt-skip-programs", "enabled"),
        "Programs that store nothing do nothing.",
    ),
    Optimization(
        *("split_boundaries", "nt-split-boundaries", "enabled"),
        "Programs all of whose lanes exist run a copy without guards, where those are in the way "
        "of vectors.",
    ),
    Choice(
        *(STAGED, "nt-stage-loops", "stages"),
        "A loop without dots loads for later iterations while it computes; the tuner says how far "
        "ahead.",
        stage_loops.legality,
    ),
    Choice(
        *(DESCRIPTORS, "nt-use-descriptors", "descriptors"),
        "Tiles of loops with dots are copied as boxes, through tensor descriptors (TMA): loads, or "
        "also stores; the tuner says whether.",
        use_descriptors.legality,
    ),
    Optimization(
        *("host_descriptors", "nt-use-descriptors", "host_descriptors"),
        "The host makes tensor descriptors where it knows all that is in them, once for a tensor; "
        "each program makes the others.",
    ),
    Choice(
        *("reread_rows", "nt-reread-rows", "reread"),
        "A long row that is used again behind a reduction is loaded again, and not kept; the tuner "
        "says whether.",
        reread_rows.legality,
    ),
    Choice(
        *(PERSISTENT, "nt-persist-programs", "persistent"),
        "As many programs as the device runs at once do the work of all, one after the other, and "
        "load for the next while they end one; the tuner says whether.",
        persist_programs.legality,
    ),
    Choice(
        *("pointer_blocks", "nt-lower-accesses", "pointer_blocks"),
        "Blocks of pointers are made in front of a loop, and moved inside; the tuner says whether.",
        lower_accesses.pointer_blocks_legality,
    ),
    Choice(
        *(BOUNDS, "nt-lower-accesses", "moving_bounds"),
        "In loops, lanes are compared with what is left of a size, and not indices with the size; "
        "the tuner says whether.",
        lower_accesses.moving_bounds_legality,
    ),
    Choice(
        *("cyclic_lanes", "nt-lower-accesses", "cyclic_lanes"),
        "Of kernels that read windows, neighbouring lanes belong to neighbouring threads; the "
        "tuner says whether.",
        lower_accesses.cyclic_lanes_legality,
    ),
    Optimization(
        *("unsigned_tests", "nt-lower-accesses", "unsigned_tests"),
        "An index that may be negative is compared once, as an unsigned number.",
    ),
    Optimization(
        *("recomputed_masks", "nt-lower-accesses", "recomputed_masks"),
        "Masks are not kept until a store, or over an op that combines lanes, but computed anew.",
    ),
    Optimization(
        *("narrow_indices", "nt-lower-accesses", "narrow_indices"),
        "Of tensors that 32 bits do not reach, indices of programs and most guards are computed in "
        "32 bits.",
    ),
    Optimization(
        *("reciprocals", "nt-lower-accesses", "reciprocals"),
        "Where 32 bits hold an index, divisions by sizes are multiplications by numbers that the "
        "host computes.",
    ),
    Optimization(
        *("alignment_facts", "nt-lower-accesses", "alignment_facts"),
        "Triton is told how indices are aligned behind divisions, where it cannot find out.",
    ),
    Optimization(
        *("broadcast_loads", "nt-lower-accesses", "broadcast_loads"),
        "What is the same along a dim of a block, as a row that is added to each row, is loaded "
        "once, and broadcast.",
    ),
    Optimization(
        *("trapped_assertions", "nt-lower-to-tt", "trapped_assertions"),
        "Beside dots of Hopper's warp groups, an assertion that fails stops the program without a "
        "word.",
    ),
    Optimization(
        *("wide_products", "nt-widen-products", "enabled"),
        "Both halves of a product of two 32-bit integers, as Philox takes them, are computed at "
        "once.",
    ),
)
"""All optimizations, in the order in which the pipeline comes to them."""

OPTIMIZATIONS = tuple(one.name for one in TABLE)
"""Their names: what can be switched off."""

CHOICES = tuple(one for one in TABLE if isinstance(one, Choice))
"""Those that the tuner varies."""


def options_of(
    choices: Choices, pipeline: BoundPipeline | None = None
) -> dict[str, dict[str, Any]]:
    """Options of passes, by their names, for a configuration's choices and the settings.

    ``pipeline``: with passes of other packages.

    Raises:
        KeyError: there is no such choice.
        ConfigurationError: the setting names an optimization that there is not.
    """
    found: dict[str, dict[str, Any]] = {}
    table = table_of(pipeline)
    disabled = _disabled(table)
    for one in table:
        if one.name in disabled and not isinstance(one, Choice):
            found.setdefault(one.pass_name, {})[one.option] = False
    known = {one.name: one for one in table if isinstance(one, Choice)}
    for name, value in choices:
        found.setdefault(known[name].pass_name, {})[known[name].option] = value
    return found


def outside_options(pipeline: BoundPipeline | None) -> dict[str, dict[str, Any]]:
    """Options of a pipeline's passes of other packages, for the settings."""
    if pipeline is None:
        return {}
    names = [one.name for one in pipeline.passes]
    return {name: row for name, row in options_of((), pipeline).items() if name in names}


def legalities_of(
    kernel: nt.KernelOp, pipeline: BoundPipeline | None = None
) -> list[tuple[str, Legality]]:
    """Legality of each choice that a kernel in stage ``composed`` has.

    Raises:
        ConfigurationError: the setting names an optimization that there is not.
        PluginError: the legality of a choice of a pass of another package fails; the same raise the
            functions that are returned.
    """
    table = table_of(pipeline)
    disabled = _disabled(table)
    choices = [one for one in table if isinstance(one, Choice)]
    choices = [choice for choice in choices if choice.name not in disabled]
    found = [
        (one.name, one.legality(kernel) if one in TABLE else _outside_legality(one, kernel))
        for one in choices
    ]
    return [(name, legality) for name, legality in found if legality is not None]


def _outside_legality(choice: Choice, kernel: nt.KernelOp) -> Legality | None:
    """Legality of a choice of a pass of another package, which is named where it goes wrong."""
    found: object = _asked(choice, lambda: choice.legality(kernel))
    if found is None:
        return None
    if not callable(found):
        raise _wrong(choice, f"is {shown(found)}, not a function of a footprint and architecture")

    def legality(footprint: Footprint, architecture: Architecture) -> tuple[int, ...]:
        values = _asked(choice, lambda: found(footprint, architecture))
        row = _integers(values)
        if row is None:
            raise _wrong(choice, f"gives {shown(values)}, not a tuple of integers")
        default = getattr(passes.find_pass(choice.pass_name), choice.option)
        return tuple(value for value in row if value != default)

    return legality


def _integers(given: object) -> list[int] | None:
    if not isinstance(given, tuple | list):
        return None
    row = cast("Sequence[object]", given)
    found = [value for value in row if isinstance(value, int)]
    return found if len(found) == len(row) else None


def _asked(choice: Choice, ask: Callable[[], object]) -> object:
    try:
        return ask()
    except Exception as error:
        # Code of others may raise anything.
        text = f": {error}" if str(error) else ""
        loc = raise_loc(error, choice.legality.__module__)
        raise _wrong(choice, f"failed with {type(error).__name__}{text}", loc) from error


def _wrong(choice: Choice, what: str, loc: Loc | None = None) -> PluginError:
    return PluginError(f"legality of choice {choice.name} of pass {choice.pass_name} {what}", loc)


def table_of(pipeline: BoundPipeline | None) -> tuple[Optimization, ...]:
    """The compiler's optimizations, and those of a pipeline's passes of other packages.

    Raises:
        ArgumentError: two optimizations have one name.
        PluginError: a pass cannot be imported, or is another one by now.
    """
    if pipeline is None:
        return TABLE
    found = list(TABLE)
    for placed in placed_passes(pipeline):
        for new in placed.optimizations:
            known = next((one for one in found if one.name == new.name), None)
            if known is not None:
                raise ArgumentError(
                    f"optimization {new.name!r} of pass {new.pass_name} has the name of one of "
                    f"{known.pass_name}; give it another"
                )
            found.append(new)
    left_out = pipeline.pipeline.left_out
    return tuple(one for one in found if one.pass_name not in left_out)


def _disabled(table: Sequence[Optimization]) -> frozenset[str]:
    """The optimizations of a table that settings switch off, and others that they name.

    Raises:
        ConfigurationError: it names an optimization that there is not: neither of the compiler, nor
            of a pass of another package that is registered, or has an entry point.
    """
    found = settings.disabled_optimizations([one.name for one in table], _outside_optimizations)
    if not settings.scratch_size():
        found |= {PACKED, SPLIT}
    return found


def _outside_optimizations() -> list[str]:
    """The names of what passes of other packages declare; of all that are installed."""
    return [one.name for one in _outside_table()]


def _outside_table() -> list[Optimization]:
    passes = [outside_passes.load(name) for name in outside_passes.names()]
    return [one for found in passes if found for one in optimizations_of(found.pass_)]
