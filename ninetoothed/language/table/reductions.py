"""Rows of what combines lanes."""

from __future__ import annotations

from collections.abc import Callable

from ninetoothed.language import rules
from ninetoothed.language.table.kinds import NO_AXIS, NO_TYPES, SHAPES, TYPES, Kind
from ninetoothed.language.table.primitive import Primitive

_COMBINES = "``combine_fn`` does not give a scalar of each block's type."
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

_WIDENED = "Integers of fewer than 32 bits and bits are widened to 32, unless ``dtype`` says what."
_REVERSE = "With ``reverse``, from the last lane down."
_COMBINE = (
    "``combine_fn`` takes two scalars, of a tuple of n blocks two times n, the left lanes first, "
    "and gives one, or a tuple of n, of the same types. It computes with its arguments alone."
)
_INDICES = (
    "With ``return_indices`` also where it is, as i32, in the type of the lanes: of several the "
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
        f"The {word} along ``axis``, or of all lanes; of numbers and NaNs, of the numbers. Types "
        f"of fewer than 32 bits give 32. {_INDICES}",
        rules.extremum,
        f"tl.{name}({{0}}, axis={{axis}})",
        identity=identity,
    )


def _where(name: str, word: str) -> Primitive:
    return Primitive(
        name,
        INDEX,
        ("input", "axis=None", "tie_break_left=True", "keep_dims=False"),
        f"Where along ``axis``, or among all lanes in row-major order, the {word} is, as i32; of "
        "several the first, or with ``tie_break_left=False`` any.",
    )


def _scan(name: str, word: str, identity: Callable[[str], float | int]) -> Primitive:
    return Primitive(
        name,
        SCAN,
        ("input", "axis=0", "reverse=False", "dtype=None"),
        f"The {word} of the lanes along ``axis`` up to each. {_REVERSE} {_WIDENED}",
        rules.summation,
        f"tl.{name}({{0}}, axis={{axis}}, reverse={{reverse}})",
        identity=identity,
    )


ROWS = (
    Primitive(
        "sum",
        REDUCE,
        ("input", "axis=None", "keep_dims=False", "dtype=None"),
        f"The sum along ``axis``, or of all lanes. {_WIDENED}",
        rules.summation,
        "tl.sum({0}, axis={axis})",
        identity=_zero,
    ),
    _extremum("max", rules.lowest, "largest"),
    _extremum("min", rules.highest, "smallest"),
    Primitive(
        "xor_sum",
        REDUCE,
        ("input", "axis=None", "keep_dims=False"),
        "The bits that an odd number of lanes along ``axis``, or of all lanes, have; integers.",
        rules.bitwise,
        "tl.xor_sum({0}, axis={axis})",
        identity=_zero,
    ),
    Primitive(
        "reduce_or",
        REDUCE,
        ("input", "axis", "keep_dims=False"),
        "The bits that some lane along ``axis`` has, or with None any lane; integers.",
        rules.bitwise,
        "tl.reduce_or({0}, axis={axis})",
        identity=_zero,
    ),
    _where("argmax", "largest"),
    _where("argmin", "smallest"),
    Primitive(
        "reduce",
        REDUCE_BY,
        ("input", "axis", "combine_fn", "keep_dims=False"),
        "The lanes along ``axis``, or with None all lanes, of a block or of each block of a tuple, "
        f"combined to one. {_COMBINE} It must be associative and commutative.",
    ),
    _scan("cumsum", "sum", _zero),
    _scan("cumprod", "product", _one),
    Primitive(
        "associative_scan",
        SCAN_BY,
        ("input", "axis", "combine_fn", "reverse=False"),
        "The lanes along ``axis`` of a block, or of each block of a tuple, up to each, combined. "
        f"{_REVERSE} {_COMBINE} It must be associative.",
    ),
    Primitive(
        "sort",
        SORT,
        ("x", "dim=None", "descending=False"),
        "The lanes along ``dim``, or along the last dim, in order. NaNs count as the largest.",
    ),
    Primitive(
        "topk",
        TOPK,
        ("x", "k", "dim=None", "descending=True"),
        "The ``k`` largest along ``dim``, or along the last dim, the largest first; or the "
        "smallest, the smallest first. NaNs count as the largest.",
    ),
    Primitive(
        "histogram",
        HISTOGRAM,
        ("input", "num_bins", "mask=None"),
        "How many lanes of a one-dimensional block of integers hold 0, 1, …, ``num_bins`` - 1, as "
        "i32. Other numbers, and lanes where the mask does not hold, are not counted.",
    ),
)
