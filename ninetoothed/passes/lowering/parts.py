"""Combining what parts of a loop's iterations have found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from xdsl.dialects.builtin import i1
from xdsl.ir import SSAValue

from ninetoothed.ir import nt
from ninetoothed.ir.rewriting import Inserter
from ninetoothed.passes.analysis.rescaled_sums import Rescaled
from ninetoothed.passes.analysis.selections import Selected
from ninetoothed.passes.lowering.identities import select

Function: TypeAlias = str | Rescaled | Selected
"""What combines the values of two parts at one place: a function of these two; or of sums and the
extremes that they are relative to; or a selection of all that the loop carries.
"""


def combine_parts(
    here: Inserter,
    functions: Sequence[Function],
    before: Sequence[SSAValue],
    part: Sequence[SSAValue],
) -> list[SSAValue]:
    """What the parts ``before`` and one more ``part`` have found together, by the function of each
    place.
    """
    first = functions[0]
    if isinstance(first, Selected):
        return _chosen(here, first, before, part)
    found = {
        place: here.add(nt.ElementwiseOp(function, [one, two], one.type))
        for place, (function, one, two) in enumerate(zip(functions, before, part, strict=True))
        if isinstance(function, str)
    }
    for place, function in enumerate(functions):
        if isinstance(function, Rescaled):
            larger = found[function.largest]
            scaled: list[SSAValue] = []
            for values in (before, part):
                by = _correction(here, function, values[function.largest], larger)
                scaled.append(here.add(nt.ElementwiseOp("mul", [values[place], by], by.type)))
            found[place] = here.add(nt.ElementwiseOp("add", scaled, scaled[0].type))
    return [found[place] for place in range(len(functions))]


def _correction(
    here: Inserter, function: Rescaled, largest: SSAValue, larger: SSAValue
) -> SSAValue:
    """What scales a sum that is relative to one extreme, to be relative to a larger one."""
    drop = here.add(nt.ElementwiseOp("sub", [largest, larger], largest.type))
    value = here.add(nt.ElementwiseOp(function.function, [drop], largest.type))
    # What was found may be infinite, and the difference of two infinities is NaN.
    bits = nt.with_scalar(largest.type, i1)
    value = select(here, here.add(nt.ElementwiseOp("ne", [largest, larger], bits)), value, 1)
    for op in function.shaping:
        value = here.insert(op.clone({op.operands[0]: value})).results[0]
    return value


def _chosen(
    here: Inserter, selection: Selected, before: Sequence[SSAValue], part: Sequence[SSAValue]
) -> list[SSAValue]:
    """The part's values where its own is found to be the one; of a tie, those before."""
    known = {selection.kept: before[selection.place], selection.value: part[selection.place]}
    for op in selection.ops:
        known[op.result] = here.insert(op.clone(dict(known))).results[0]
    found = known[selection.found]
    return [
        here.add(nt.ElementwiseOp("where", [found, two, one], one.type))
        for one, two in zip(before, part, strict=True)
    ]
