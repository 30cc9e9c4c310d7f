"""Program ids, pointers, descriptors, loads, stores and atomics."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from ninetoothed.backend.triton.expression import (
    POSTFIX,
    Expr,
    binary,
    bitcast,
    converted,
    signed,
    unsigned,
    unsigned_text,
)
from ninetoothed.backend.triton.spelling.operands import SPELLINGS, Operands, call_of, scalar_of
from ninetoothed.ir import tt

_ATOMICS = {"fadd": "add", "exch": "xchg", "umax": "max", "umin": "min"}


@SPELLINGS.register(tt.GetProgramIdOp)
def _program_id(operands: Operands, op: tt.GetProgramIdOp) -> Expr:
    return call_of(op, "tl.program_id", op.axis.value.data)


@SPELLINGS.register(tt.GetNumProgramsOp)
def _num_programs(operands: Operands, op: tt.GetNumProgramsOp) -> Expr:
    return call_of(op, "tl.num_programs", op.axis.value.data)


@SPELLINGS.register(tt.MakeRangeOp)
def _make_range(operands: Operands, op: tt.MakeRangeOp) -> Expr:
    return call_of(op, "tl.arange", op.start.value.data, op.end.value.data)


@SPELLINGS.register(tt.AddPtrOp)
def _addptr(operands: Operands, op: tt.AddPtrOp) -> Expr:
    return binary("+", operands.expr(op.ptr), operands.expr(op.offset))


@SPELLINGS.register(tt.LoadOp)
def _load(operands: Operands, op: tt.LoadOp) -> Expr:
    arguments = [operands.whole(op.ptr).text]
    if op.mask is not None:
        arguments.append(f"mask={operands.expr(op.mask).text}")
    if op.other is not None:
        arguments.append(f"other={converted(operands.expr(op.other)).text}")
    arguments += _policy(op)
    if op.isVolatile.value.data:
        arguments.append("volatile=True")
    return call_of(op, "tl.load", *arguments)


@SPELLINGS.register(tt.StoreOp)
def _store(operands: Operands, op: tt.StoreOp) -> Expr:
    arguments = [operands.whole(op.ptr).text, converted(operands.expr(op.value)).text]
    if op.mask is not None:
        arguments.append(f"mask={operands.expr(op.mask).text}")
    return call_of(op, "tl.store", *arguments, *_policy(op))


def _policy(op: tt.LoadOp | tt.StoreOp) -> list[str]:
    policy = tt.CachePolicy.of(op)
    given = {"cache_modifier": policy.modifier, "eviction_policy": policy.eviction}
    return [f'{keyword}="{word}"' for keyword, word in given.items() if word]


@SPELLINGS.register(tt.MakeTensorDescOp)
def _make_descriptor(operands: Operands, op: tt.MakeTensorDescOp) -> Expr:
    arguments = [operands.expr(op.base).text]
    # The last stride must be Python's 1.
    for keyword, values in (("shape", op.shape), ("strides", op.strides)):
        texts = [operands.expr(value).text for value in values]
        arguments.append(f"{keyword}=[{', '.join(texts)}]")
    box = tt.shape_of(tt.box_of(op.result.type))
    return call_of(op, "tl.make_tensor_descriptor", *arguments, f"block_shape={[*box]}")


def _box(operands: Operands, desc: SSAValue, indices: Sequence[SSAValue]) -> tuple[str, str]:
    """The texts of a descriptor, and of the place where its box begins."""
    texts = [operands.expr(index).text for index in indices]
    return operands.expr(desc).at(POSTFIX), f"[{', '.join(texts)}]"


@SPELLINGS.register(tt.DescriptorLoadOp)
def _descriptor_load(operands: Operands, op: tt.DescriptorLoadOp) -> Expr:
    desc, place = _box(operands, op.desc, op.indices)
    return call_of(op, f"{desc}.load", place)


@SPELLINGS.register(tt.DescriptorStoreOp)
def _descriptor_store(operands: Operands, op: tt.DescriptorStoreOp) -> Expr:
    desc, place = _box(operands, op.desc, op.indices)
    return call_of(op, f"{desc}.store", place, operands.whole(op.src).text)


@SPELLINGS.register(tt.BarrierOp)
def _barrier(operands: Operands, op: tt.BarrierOp) -> Expr:
    return call_of(op, "tl.debug_barrier")


@SPELLINGS.register(tt.AtomicCASOp)
def _compare_and_swap(operands: Operands, op: tt.AtomicCASOp) -> Expr:
    texts = [operands.whole(value).text for value in (op.ptr, op.cmp, op.val)]
    return call_of(op, "tl.atomic_cas", *texts, *_order(op.order))


@SPELLINGS.register(tt.AtomicRMWOp)
def _atomic(operands: Operands, op: tt.AtomicRMWOp) -> Expr:
    ptr, value, mask = operands.whole(op.ptr), operands.whole(op.val), operands.expr(op.mask)
    is_unsigned = op.function in ("umax", "umin")
    if is_unsigned:
        # Triton picks the op by the sign of what the pointers point to.
        pointee = unsigned_text(scalar_of(op))
        ptr, value = bitcast(ptr, ptr.scalar, f"tl.pointer_type({pointee})"), unsigned(value)
    masked = [] if mask.literal is True else [f"mask={operands.whole(op.mask).text}"]
    function = f"tl.atomic_{_ATOMICS.get(op.function, op.function)}"
    result = call_of(op, function, ptr.text, value.text, *masked, *_order(op.order))
    return signed(result) if is_unsigned and op.result.first_use is not None else result


def _order(order: tuple[str, str]) -> list[str]:
    """The keywords of a memory order that is not Triton's default."""
    defaults = {"sem": "acq_rel", "scope": "gpu"}
    given = dict(zip(defaults, order, strict=True))
    return [f'{name}="{word}"' for name, word in given.items() if word != defaults[name]]
