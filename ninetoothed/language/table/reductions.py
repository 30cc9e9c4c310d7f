"""Rows of reductions, scans, sorts and histograms."""

from __future__ import annotations

from collections.abc import Callable

from ninetoothed.language import rules
from ninetoothed.language.table.kinds import NO_AXIS, NO_TYPES, SHAPES, TYPES, Kind
from ninetoothed.language.table.primitive import Primitive

_COMBINES = "``combine_fn`` does not return a scalar of each block's type."
_ONLY_COMBINES = (
    "UnsupportedSyntaxError: ``combine_fn`` reads, writes or loops, or uses a value from outside."
)

REDUCE = Kind(
    "reduce",
    "Any but a scalar; ``axis`` goes, or is left with size 1 with ``keep_dims``. Without "
    "``axis``, a scalar.",
    (NO_TYPES, NO_AXIS),
)
INDEX = Kind(
    "index",
    "Any but a scalar; ``axis`` goes, or is left with size 1 with ``keep_dims``. Without "
    "``axis``, a scalar.",
    (NO_AXIS,),
    "Any; the result is i32.",
    "ntl.{name}(x, 0)",
)
REDUCE_BY = Kind(
    "reduce_by",
    "Any but a scalar, broadcast to one; ``axis`` goes, or is left with size 1 with "
    "``keep_dims``. With None, scalars.",
    (f"{TYPES}{_COMBINES}", NO_AXIS, _ONLY_COMBINES),
    "Any; each result has its block's.",
    "ntl.{name}(x, 0, ntl.maximum)",
)
SCAN = Kind("scan", "Any but a scalar; the result has the same.", (NO_TYPES, NO_AXIS))
SCAN_BY = Kind(
    "scan_by",
    "Any but a scalar, broadcast to one, which the results have.",
    (f"{TYPES}{_COMBINES}", NO_AXIS, _ONLY_COMBINES),
    "Any; each result has its block's.",
    "ntl.{name}(x, 0, ntl.maximum)",
)
SORT = Kind(
    "sort", "Any but a scalar; the result has the same.", (NO_AXIS,), "Any.", "ntl.{name}(x)"
)
TOPK = Kind(
    "topk",
    "Any but a scalar; ``dim`` is left with size ``k``.",
    (
        f"{TYPES}``k`` is not known when compiling.",
        f"{SHAPES}``k`` is below 1, or there are fewer lanes; or there is no such dim.",
    ),
    "Any.",
    "ntl.{name}(x, 4)",
)
HISTOGRAM = Kind(
    "histogram",
    "One dim; ``num_bins`` lanes. The mask is broadcast to the block.",
    (
        f"{TYPES}``num_bins`` is not known when compiling, or floats are counted.",
        f"{SHAPES}``num_bins`` is below 1, or the block has several dims.",
    ),
    "Integers and bits; the result is i32.",
    "ntl.{name}(i, 10)",
)

_WIDENED = "Bits and integers of fewer than 32 bits are widened to 32, unless ``dtype`` is given."
_REVERSE = "With ``reverse``, from the last lane down."
_COMBINE = (
    "``combine_fn`` takes two scalars, of a tuple of n blocks two times n, the left lanes first, "
    "and returns one, or a tuple of n, of the same types. It computes with its arguments alone."
)
_INDICES = (
    "With ``return_indices`` also its index, as i32, and no type is widened: of equal lanes the "
    "first, or with ``return_indices_tie_break_left=False`` any."
)


def _zero(dtype: str) -> int:
    return 0


def _one(dtype: str) -> int:
    return 1


def _extremum(name: str, identity: Callable[[str], float | int], word: str) -> Primitive:
    return Primitive(
        name,
        REDUCE,
        (
            *("input", "axis=None", "return_indices=False"),
            *("return_indices_tie_break_left=True", "keep_dims=False"),
        ),
        f"{word} along ``axis``, or of all lanes; NaNs are ignored beside numbers. Types of fewer "
        f"than 32 bits give 32. {_INDICES}",
        rules.extremum,
        f"tl.{name}({{0}}, axis={{axis}})",
        identity=identity,
    )


def _where(name: str, word: str) -> Primitive:
    return Primitive(
        name,
        INDEX,
        ("input", "axis=None", "tie_break_left=True", "keep_dims=False"),
        f"Index of the {word} along ``axis``, or among all lanes in row-major order, as i32; of "
        "equal lanes the first, or with ``tie_break_left=False`` any.",
    )


def _scan(name: str, word: str, identity: Callable[[str], float | int]) -> Primitive:
    return Primitive(
        name,
        SCAN,
        ("input", "axis=0", "reverse=False", "dtype=None"),
        f"Cumulative {word} along ``axis``. {_REVERSE} {_WIDENED}",
        rules.summation,
        f"tl.{name}({{0}}, axis={{axis}}, reverse={{reverse}})",
        identity=identity,
    )


ROWS = (
    Primitive(
        "sum",
        REDUCE,
        ("input", "axis=None", "keep_dims=False", "dtype=None"),
        f"Sum along ``axis``, or of all lanes. {_WIDENED}",
        rules.summation,
        "tl.sum({0}, axis={axis})",
        identity=_zero,
    ),
    _extremum("max", rules.lowest, "Maximum"),
    _extremum("min", rules.highest, "Minimum"),
    Primitive(
        "xor_sum",
        REDUCE,
        ("input", "axis=None", "keep_dims=False"),
        "Bitwise exclusive or along ``axis``, or of all lanes; integers.",
        rules.bitwise,
        "tl.xor_sum({0}, axis={axis})",
        identity=_zero,
    ),
    Primitive(
        "reduce_or",
        REDUCE,
        ("input", "axis", "keep_dims=False"),
        "Bitwise or along ``axis``, or with None of all lanes; integers.",
        rules.bitwise,
        "tl.reduce_or({0}, axis={axis})",
        identity=_zero,
    ),
    _where("argmax", "maximum"),
    _where("argmin", "minimum"),
    Primitive(
        "reduce",
        REDUCE_BY,
        ("input", "axis", "combine_fn", "keep_dims=False"),
        "Reduction along ``axis``, or with None of all lanes, of a block or of a tuple of blocks. "
        f"{_COMBINE} It must be associative and commutative.",
    ),
    _scan("cumsum", "sum", _zero),
    _scan("cumprod", "product", _one),
    Primitive(
        "associative_scan",
        SCAN_BY,
        ("input", "axis", "combine_fn", "reverse=False"),
        "Inclusive scan along ``axis`` of a block, or of a tuple of blocks. "
        f"{_REVERSE} {_COMBINE} It must be associative.",
    ),
    Primitive(
        "sort",
        SORT,
        ("x", "dim=None", "descending=False"),
        "Sort along ``dim``, by default the last. NaNs count as the largest.",
    ),
    Primitive(
        "topk",
        TOPK,
        ("x", "k", "dim=None", "descending=True"),
        "The ``k`` largest lanes along ``dim``, by default the last, in descending order; or the "
        "smallest, ascending. NaNs count as the largest.",
    ),
    Primitive(
        "histogram",
        HISTOGRAM,
        ("input", "num_bins", "mask=None"),
        "Histogram of a one-dimensional block of integers: the counts of 0, 1, …, ``num_bins`` - "
        "1, as i32. Other numbers, and lanes where the mask does not hold, are not counted.",
    ),
)
