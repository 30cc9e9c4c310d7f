"""``t[…]``: NumPy's basic indexing of a level, as meta-operations.

Bounds that are numbers, in a dim of known size, clamp as NumPy's do. Where clamping would depend on
a symbol, the bound is taken as it is, and ``Slice`` requires of the call that it fits.
"""

from __future__ import annotations

from numbers import Integral
from typing import Any, cast

from ninetoothed.errors import ArrangementError, Loc, counted
from ninetoothed.layout.meta_op import MetaOp, Sizes, elements, shape_text
from ninetoothed.layout.meta_ops import Slice, Squeeze, Unsqueeze, backwards
from ninetoothed.symbol import Symbol, as_integer
from ninetoothed.symbolic.decisions import record
from ninetoothed.symbolic.expr import IndexExpr, binary, const, symbol_names
from ninetoothed.symbolic.intervals import bounds, declared_ranges
from ninetoothed.symbolic.normal_form import normalize
from ninetoothed.symbolic.sympy_exchange import is_sympy

_Part = tuple[IndexExpr, IndexExpr, IndexExpr]
"""Start, step and size."""


def slice_ops(key: Any, sizes: Sizes, level: int, loc: Loc | None) -> list[MetaOp]:
    """Meta-operations of ``t[key]`` on a level of ``sizes``.

    Raises:
        ArrangementError: too many indices, one out of range, or of a kind that NumPy's basic
            indexing does not have; a step whose sign is unknown.
    """
    items = list(cast("tuple[Any, ...]", key)) if isinstance(key, tuple) else [key]
    entries = _complete(items, sizes, loc)
    parts: list[_Part] = []
    removed: list[int] = []
    inserted: list[int] = []
    position = 0
    for entry in entries:
        if entry is None:
            inserted.append(position)
            position += 1
            continue
        dim = len(parts)
        size = sizes[dim]
        if isinstance(entry, slice):
            entry = cast("slice[Any, Any, Any]", entry)
            parts.append(_slice(entry, size, dim, loc))
            position += 1
        else:
            parts.append((_index(entry, size, dim, loc), const(1), const(1)))
            removed.append(dim)
    ops: list[MetaOp] = []
    if any(
        size != elements(old) or start.value != 0 or step.value != 1
        for (start, step, size), old in zip(parts, sizes, strict=True)
    ):
        starts, steps, counts = zip(*parts, strict=True)
        ops.append(Slice(level, starts, steps, counts, loc=loc))
    if removed:
        ops.append(Squeeze(level, tuple(removed), loc=loc))
    return [*ops, *(Unsqueeze(level, dim, loc=loc) for dim in inserted)]


def _complete(items: list[Any], sizes: Sizes, loc: Loc | None) -> list[Any]:
    """Expand the Ellipsis: one entry a dim, and the Nones between them."""
    ellipses = [place for place, item in enumerate(items) if item is Ellipsis]
    if len(ellipses) > 1:
        raise ArrangementError("an index has one Ellipsis at most; write `:` for the dims", loc)
    for item in items:
        if not (item is None or item is Ellipsis or _is_index(item) or isinstance(item, slice)):
            raise ArrangementError(
                "a tensor is indexed by integers, symbols, slices, None and Ellipsis, not "
                f"{item!r}",
                loc,
            )
    given = sum(item is not None and item is not Ellipsis for item in items)
    if given > len(sizes):
        raise ArrangementError(
            f"{counted(given, 'index', 'indices')} for a tensor of "
            f"{counted(len(sizes), 'dim')}, of sizes {shape_text(sizes)}; leave the others out",
            loc,
        )
    rest = [slice(None)] * (len(sizes) - given)
    place = ellipses[0] if ellipses else len(items)
    return [*items[:place], *rest, *items[place + 1 :]]


def _is_index(item: Any) -> bool:
    # NumPy's integers are indices too.
    return type(item) is not bool and (isinstance(item, Symbol | Integral) or is_sympy(item))


def _sign(expr: IndexExpr) -> int | None:
    """Proved sign: 1 if at least 0, -1, 0 of the constant 0; None: unknown."""
    lower, upper = bounds(normalize(expr), declared_ranges([expr]))
    if lower is not None and lower >= 0:
        return 0 if lower == upper == 0 else 1
    return -1 if upper is not None and upper < 0 else None


def _from_front(bound: IndexExpr, size: IndexExpr, loc: Loc | None) -> IndexExpr:
    """Resolve a bound that counts from the end; one of unknown sign counts from the front."""
    if _sign(bound) != -1:
        return bound
    if bound.value is None:
        record(binary("lt", bound, const(0)), True, lambda: loc)
    return size + bound


def _expr(item: Any, what: str, loc: Loc | None) -> IndexExpr:
    expr = as_integer(item) if _is_index(item) else None
    if expr is None:
        raise ArrangementError(f"the {what} of a slice must be an integer, not {item!r}", loc)
    return expr


def _index(item: Any, size: IndexExpr, dim: int, loc: Loc | None) -> IndexExpr:
    index = _expr(item, "index", loc)
    found = _from_front(index, elements(size), loc)
    if size.value is not None and found.value is not None and not 0 <= found.value < size.value:
        raise ArrangementError(
            f"index {index} is out of range for dim {dim}, of size {size}; write one from "
            f"{-size.value} to {size.value - 1}"
            if size.value
            else f"index {index} is out of range for dim {dim}, of size 0; it has no elements",
            loc,
        )
    return found


def _slice(item: slice[Any, Any, Any], size: IndexExpr, dim: int, loc: Loc | None) -> _Part:
    step = const(1) if item.step is None else _expr(item.step, "step", loc)
    sign = _sign(step)
    if sign == 0:
        raise ArrangementError(f"the step of dim {dim} is 0; write 1 or -1", loc)
    if sign is None or (sign < 0) != backwards(step):
        raise ArrangementError(
            f"the sign of the step {step} in dim {dim} is unknown; give its symbols bounds "
            "(lower_bound, upper_bound) that decide it",
            loc,
        )
    if step.value is None:
        # What follows divides by it.
        forward = step if sign > 0 else normalize(-step)
        record(binary("lt", const(0), forward), True, lambda: loc)
    given = [
        None if bound is None else _expr(bound, what, loc)
        for bound, what in ((item.start, "start"), (item.stop, "stop"))
    ]
    if size.value is not None and all(
        bound is None or bound.value is not None for bound in (*given, step)
    ):
        first, last = (None if bound is None else bound.value for bound in given)
        chosen = range(size.value)[slice(first, last, step.value)]
        return const(chosen.start), step, const(len(chosen))
    size = elements(size)
    low, high = (const(0), size) if sign > 0 else (size - 1, const(-1))
    start = low if given[0] is None else _from_front(given[0], size, loc)
    stop = high if given[1] is None else _from_front(given[1], size, loc)
    span, stride = (stop - start, step) if sign > 0 else (start - stop, normalize(-step))
    if normalize(span) == normalize(size):
        # Printed as the size that it is.
        span = size
    count = span if stride.value == 1 else (span + stride - 1) // stride
    return normalize(start), step, _tidy(count)


def _tidy(count: IndexExpr) -> IndexExpr:
    """Simplify to a number, or where symbols cancel out; else keep the expression as written."""
    normal = normalize(count)
    if normal.value is not None:
        return const(max(normal.value, 0))
    return normal if len(symbol_names(normal)) < len(symbol_names(count)) else count
