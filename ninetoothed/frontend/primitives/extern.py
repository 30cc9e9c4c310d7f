"""Functions of the device libraries: overloads are resolved over the row's forms."""

from __future__ import annotations

from collections.abc import Sequence

from ninetoothed.dtype import DTYPES
from ninetoothed.errors import TypeMismatchError, any_of
from ninetoothed.frontend import operators
from ninetoothed.frontend.context import Context
from ninetoothed.frontend.primitives.handlers import HANDLERS, Bound
from ninetoothed.frontend.values import Value, describe
from ninetoothed.ir import nt
from ninetoothed.language.table import Extern, Primitive
from ninetoothed.language.table.libdevice import Form


def _is_number(value: Value) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _fits(value: Value, wanted: str) -> bool:
    """True if a value may be an operand of type ``wanted``: a number takes any type of its kind, an
    integer those of floats, too.
    """
    if not _is_number(value):
        return nt.dtype_of(value.type) == wanted
    return DTYPES[wanted].kind == "float" or isinstance(value, int)


def _exact(ctx: Context, value: Value) -> str:
    return operators.literal(ctx, value) if _is_number(value) else nt.dtype_of(value.type)


def _form(ctx: Context, row: Extern, values: Sequence[Value]) -> Form:
    """The overload for the values' types; of numbers, by their literals' types if there is one.

    Raises:
        TypeMismatchError: there is none.
    """
    form = row.form([_exact(ctx, value) for value in values])
    if form is not None:
        return form
    for form in row.forms:
        if all(map(_fits, values, form.operands)):
            return form
    taken = any_of([_text(form.operands) for form in row.forms])
    given = _text([_exact(ctx, value) for value in values])
    wanted = DTYPES[row.forms[0].operands[0]].triton
    raise TypeMismatchError(
        f"ntl.{row.name} takes {taken}, not {given}; convert it first: ntl.cast(x, ntl.{wanted})"
    )


def _text(dtypes: Sequence[str]) -> str:
    return dtypes[0] if len(dtypes) == 1 else f"({', '.join(dtypes)})"


@HANDLERS.register("extern")
def _extern(ctx: Context, row: Primitive, bound: Bound) -> Value:
    assert isinstance(row, Extern)
    values: list[Value] = []
    for name, value in bound.items():
        value = ctx.read(value)
        if isinstance(value, bool):
            raise TypeMismatchError(f"ntl.{row.name}: {name} is {describe(value)}; give a number")
        values.append(value if _is_number(value) else ctx.scalar(value, name))
    form = _form(ctx, row, values)
    operands = [
        ctx.constant(value, dtype) if _is_number(value) else value
        for value, dtype in zip(values, form.operands, strict=True)
    ]
    blocks, shape = operators.broadcast(ctx, operands)
    return ctx.add(
        nt.ElementwiseOp(row.name, blocks, nt.block_type(shape, nt.scalar_type(form.result)))
    )
