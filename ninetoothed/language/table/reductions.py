"""Rows of what combines lanes."""

from __future__ import annotations

from collections.abc import Callable

from ninetoothed.language import rules
from ninetoothed.language.table.primitive import Primitive

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
        "reduce",
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
        "index",
        ("input", "axis=None", "tie_break_left=True", "keep_dims=False"),
        f"Where along ``axis``, or among all lanes in row-major order, the {word} is, as i32; of "
        "several the first, or with ``tie_break_left=False`` any.",
    )


def _scan(name: str, word: str, identity: Callable[[str], float | int]) -> Primitive:
    return Primitive(
        name,
        "scan",
        ("input", "axis=0", "reverse=False", "dtype=None"),
        f"The {word} of the lanes along ``axis`` up to each. {_REVERSE} {_WIDENED}",
        rules.summation,
        f"tl.{name}({{0}}, axis={{axis}}, reverse={{reverse}})",
        identity=identity,
    )


ROWS = (
    Primitive(
        "sum",
        "reduce",
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
        "reduce",
        ("input", "axis=None", "keep_dims=False"),
        "The bits that an odd number of lanes along ``axis``, or of all lanes, have; integers.",
        rules.bitwise,
        "tl.xor_sum({0}, axis={axis})",
        identity=_zero,
    ),
    Primitive(
        "reduce_or",
        "reduce",
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
        "reduce_by",
        ("input", "axis", "combine_fn", "keep_dims=False"),
        "The lanes along ``axis``, or with None all lanes, of a block or of each block of a tuple, "
        f"combined to one. {_COMBINE} It must be associative and commutative.",
    ),
    _scan("cumsum", "sum", _zero),
    _scan("cumprod", "product", _one),
    Primitive(
        "associative_scan",
        "scan_by",
        ("input", "axis", "combine_fn", "reverse=False"),
        "The lanes along ``axis`` of a block, or of each block of a tuple, up to each, combined. "
        f"{_REVERSE} {_COMBINE} It must be associative.",
    ),
    Primitive(
        "sort",
        "sort",
        ("x", "dim=None", "descending=False"),
        "The lanes along ``dim``, or along the last dim, in order. NaNs count as the largest.",
    ),
    Primitive(
        "topk",
        "topk",
        ("x", "k", "dim=None", "descending=True"),
        "The ``k`` largest along ``dim``, or along the last dim, the largest first; or the "
        "smallest, the smallest first. NaNs count as the largest.",
    ),
    Primitive(
        "histogram",
        "histogram",
        ("input", "num_bins", "mask=None"),
        "How many lanes of a one-dimensional block of integers hold 0, 1, …, ``num_bins`` - 1, as "
        "i32. Other numbers, and lanes where the mask does not hold, are not counted.",
    ),
)
