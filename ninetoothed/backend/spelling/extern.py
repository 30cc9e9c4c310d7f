"""Functions of the device libraries, and inline assembly.

What Triton has in its own ``libdevice`` for the target is spelled so; of any other function the
source holds a declaration (:func:`declarations`).
"""

from __future__ import annotations

from xdsl.dialects.builtin import AnyFloat, IntegerType
from xdsl.ir import Attribute

from ninetoothed.backend.expression import (
    POSTFIX,
    Expr,
    as_signed,
    as_unsigned,
    call,
    dtype_text,
    exact,
    standalone,
    typed_unsigned,
)
from ninetoothed.backend.spelling.operands import Operands, Spelling, scalar_of
from ninetoothed.dtype import DTYPES
from ninetoothed.errors import CompilerError
from ninetoothed.ir import tt
from ninetoothed.language.table import Extern
from ninetoothed.language.table.libdevice import SYMBOLS, Form

IMPORT = "from triton.language.extra import libdevice"


def _width(type: Attribute) -> int:
    scalar = tt.scalar_of(type)
    assert isinstance(scalar, AnyFloat | IntegerType)
    return scalar.bitwidth


def _meant(op: tt.ExternElementwiseOp) -> tuple[Extern, Form]:
    """The function that a symbol is, by its operands' widths."""
    widths = [_width(operand.type) for operand in op.srcs]
    for row, form in SYMBOLS.get(op.symbol.data, ()):
        if [DTYPES[dtype].bits for dtype in form.operands] == widths:
            return row, form
    raise CompilerError(f"{op.symbol.data} is no function of the device libraries")


def _of_triton(op: tt.ExternElementwiseOp) -> str | None:
    """Triton's name for the function; None: it has none for the library's owner."""
    row, form = _meant(op)
    nvidia = op.symbol.data == form.nvidia
    return row.name if row.portable or nvidia else None


def _declared(op: tt.ExternElementwiseOp) -> str:
    return op.symbol.data.strip("_")


def imports(function: tt.FuncOp) -> list[str]:
    """The line that imports Triton's ``libdevice``, if the function uses it."""
    found = (op for op in function.walk() if isinstance(op, tt.ExternElementwiseOp))
    return [IMPORT] if any(_of_triton(op) is not None for op in found) else []


def declarations(function: tt.FuncOp) -> dict[str, str]:
    """The functions that Triton has no name for: their names and sources."""
    found: dict[str, str] = {}
    for op in function.walk():
        if isinstance(op, tt.ExternElementwiseOp) and _of_triton(op) is None:
            found[_declared(op)] = _declaration(op)
    return found


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


def _extern(operands: Operands, op: tt.ExternElementwiseOp) -> Expr:
    _, form = _meant(op)
    values: list[Expr] = []
    for value, dtype in zip(op.srcs, form.operands, strict=True):
        expr = operands.expr(value)
        unsigned = DTYPES[dtype].kind == "uint"
        values.append(typed_unsigned(as_unsigned(expr)) if unsigned else standalone(expr))
    scalar = scalar_of(op)
    result = call(_of_triton(op) or _declared(op), values, scalar)
    return as_signed(result) if DTYPES[form.result].kind == "uint" else result


def _assembly(operands: Operands, op: tt.ElementwiseInlineAsmOp) -> Expr:
    shape = tt.shape_of(op.results[0].type)
    args = [exact(operands.expr(value), shape).text for value in op.args]
    dtypes = [dtype_text(tt.scalar_of(result.type)) for result in op.results]
    several = f"({', '.join(dtypes)})"
    keywords = (
        repr(op.asm_string.data),
        repr(op.constraints.data),
        f"[{', '.join(args)}]",
        f"dtype={dtypes[0] if len(dtypes) == 1 else several}",
        f"is_pure={bool(op.pure.value.data)}",
        f"pack={op.packed_element.value.data}",
    )
    text = f"tl.inline_asm_elementwise({', '.join(keywords)})"
    return Expr(text, POSTFIX, shape, scalar_of(op))


SPELLINGS: dict[str, Spelling] = {
    "tt.extern_elementwise": _extern,
    "tt.elementwise_inline_asm": _assembly,
}
