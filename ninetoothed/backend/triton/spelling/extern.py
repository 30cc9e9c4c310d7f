"""Functions of the device libraries, and inline assembly.

What Triton has in its own ``libdevice`` for the target is spelled so; of any other function the
source holds a declaration (:func:`needs`).
"""

from __future__ import annotations

from typing import Any

from ninetoothed.backend.triton.expression import (
    Expr,
    call,
    dtype_text,
    exact,
    signed,
    standalone,
    unsigned,
)
from ninetoothed.backend.triton.spelling.operands import SPELLINGS, Operands, call_of, scalar_of
from ninetoothed.dtype import DTYPES
from ninetoothed.errors import CompilerError
from ninetoothed.ir import tt
from ninetoothed.ir.diagnostics import fail
from ninetoothed.language.table import Extern
from ninetoothed.language.table.libdevice import SYMBOLS, Form

_IMPORT = "from triton.language.extra import libdevice"


def _meant(op: tt.ExternElementwiseOp) -> tuple[Extern, Form]:
    """Row and form of a library's function, by its symbol and the operands' widths."""
    types: list[Any] = [tt.scalar_of(operand.type) for operand in op.srcs]
    widths = [type.bitwidth for type in types]
    for row, form in SYMBOLS.get(op.symbol.data, ()):
        if [DTYPES[dtype].bits for dtype in form.operands] == widths:
            return row, form
    message = f"{op.symbol.data} is no function of the device libraries"
    raise fail(op, message, CompilerError)


def _of_triton(op: tt.ExternElementwiseOp) -> str | None:
    """Triton's name for the function; None: it has none for the library's owner."""
    row, form = _meant(op)
    return row.name if row.portable or op.symbol.data == form.nvidia else None


def _declared(op: tt.ExternElementwiseOp) -> str:
    return op.symbol.data.strip("_")


def needs(function: tt.FuncOp) -> tuple[list[str], dict[str, str]]:
    """Import and declarations that library functions need in front of the kernel; declarations by
    name, of those functions that Triton has no name for.
    """
    imports: list[str] = []
    declarations: dict[str, str] = {}
    for op in function.walk():
        if isinstance(op, tt.ExternElementwiseOp):
            if _of_triton(op) is None:
                declarations[_declared(op)] = _declaration(op)
            else:
                imports = [_IMPORT]
    return imports, declarations


def _declaration(op: tt.ExternElementwiseOp) -> str:
    _, form = _meant(op)
    arguments = ", ".join(("x", "y", "z", "w")[: len(form.operands)])
    types = "".join(f"tl.{DTYPES[dtype].triton}, " for dtype in form.operands)
    result = dtype_text(scalar_of(op))
    return (
        "@tl.core.extern\n"
        f"def {_declared(op)}({arguments}, _semantic=None):\n"
        f"    symbols = {{({types.strip()}): ({op.symbol.data!r}, {result})}}\n"
        "    return tl.core.extern_elementwise(\n"
        f'        "", "", [{arguments}], symbols, is_pure=True, _semantic=_semantic\n'
        "    )"
    )


@SPELLINGS.register(tt.ExternElementwiseOp)
def _extern(operands: Operands, op: tt.ExternElementwiseOp) -> Expr:
    _, form = _meant(op)
    is_unsigned = [DTYPES[dtype].kind == "uint" for dtype in (*form.operands, form.result)]
    values = [
        (unsigned if one else standalone)(operands.expr(value))
        for value, one in zip(op.srcs, is_unsigned, strict=False)
    ]
    result = call(_of_triton(op) or _declared(op), values, scalar_of(op))
    return signed(result) if is_unsigned[-1] else result


@SPELLINGS.register(tt.ElementwiseInlineAsmOp)
def _assembly(operands: Operands, op: tt.ElementwiseInlineAsmOp) -> Expr:
    shape = tt.shape_of(op.results[0].type)
    args = [exact(operands.expr(value), shape).text for value in op.args]
    dtypes = [dtype_text(tt.scalar_of(result.type)) for result in op.results]
    dtype = dtypes[0] if len(dtypes) == 1 else f"({', '.join(dtypes)})"
    return call_of(
        op,
        "tl.inline_asm_elementwise",
        repr(op.asm_string.data),
        repr(op.constraints.data),
        f"[{', '.join(args)}]",
        f"dtype={dtype}",
        f"is_pure={bool(op.pure.value.data)}",
        f"pack={op.packed_element.value.data}",
    )
