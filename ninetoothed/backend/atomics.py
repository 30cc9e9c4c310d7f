"""How atomic updates, and pointers under another type, are spelled in Triton-Python."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.ir import Attribute, SSAValue

from ninetoothed.backend.expression import (
    POSTFIX,
    Expr,
    as_signed,
    as_unsigned,
    dtype_text,
    exact,
    method,
    typed_unsigned,
    unsigned_text,
)
from ninetoothed.ir import tt

Text = Callable[[SSAValue], Expr]

_CALLS = {"fadd": "add", "exch": "xchg", "umax": "max", "umin": "min"}


def pointer_text(pointee: Attribute) -> str:
    """``tl.pointer_type(tl.float32)``."""
    return f"tl.pointer_type({dtype_text(pointee)})"


def bitcast(operand: Expr, scalar: Attribute) -> Expr:
    """The same bits as ``scalar``, a number or a pointer."""
    if isinstance(scalar, tt.PointerType):
        return method(operand, f"to({pointer_text(scalar.pointee)}, bitcast=True)", scalar)
    return method(operand, f"to({dtype_text(scalar)}, bitcast=True)", scalar)


def _order(order: tuple[str, str]) -> list[str]:
    """The keywords of a memory order that is not Triton's default."""
    defaults = {"sem": "acq_rel", "scope": "gpu"}
    given = dict(zip(defaults, order, strict=True))
    return [f'{name}="{word}"' for name, word in given.items() if word != defaults[name]]


def atomic(text: Text, op: tt.AtomicRMWOp | tt.AtomicCASOp) -> Expr:
    """The call that updates; its value is what was there before."""
    scalar, shape = tt.scalar_of(op.result.type), tt.shape_of(op.result.type)
    ptr = exact(text(op.ptr), shape)
    if isinstance(op, tt.AtomicCASOp):
        operands = [exact(text(value), shape) for value in (op.cmp, op.val)]
        texts = [ptr.text, *(operand.text for operand in operands), *_order(op.order)]
        return Expr(f"tl.atomic_cas({', '.join(texts)})", POSTFIX, shape, scalar)
    unsigned = op.function in ("umax", "umin")
    value = exact(text(op.val), shape)
    if unsigned:
        # Triton picks the op by the sign of what the pointers point to.
        ptr = method(ptr, f"to(tl.pointer_type({unsigned_text(scalar)}), bitcast=True)", scalar)
        value = typed_unsigned(as_unsigned(value))
    texts = [ptr.text, value.text]
    mask = text(op.mask)
    if mask.literal is not True:
        texts.append(f"mask={exact(mask, shape).text}")
    function = _CALLS.get(op.function, op.function)
    call = f"tl.atomic_{function}({', '.join([*texts, *_order(op.order)])})"
    result = Expr(call, POSTFIX, shape, scalar)
    used = op.result.first_use is not None
    return as_signed(result) if unsigned and used else result
