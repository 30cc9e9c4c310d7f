"""Offsets, pointer arithmetic, and loads, stores and atomics through pointers.

A pointer is a scalar or the scalar of a block: ``!tt.ptr<ui32>`` points to elements of ``ui32``.
Accesses through pointers are bounded by their mask alone, as in Triton. Lanes whose mask is false,
or not valid, are not accessed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import I64, IntegerAttr, IntegerType, StringAttr, UnitAttr, i1, i64
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue
from xdsl.irdl import (
    AnyAttr,
    AttrSizedOperandSegments,
    IRDLOperation,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from ninetoothed.ir.definitions import EffectsOfLoad, PureOp
from ninetoothed.ir.nt.arrange import KernelOp
from ninetoothed.ir.nt.attributes import ExprsAttr, TensorType, dtype_of
from ninetoothed.ir.nt.blocks import check_indices, check_type
from ninetoothed.ir.nt.types import block_type, scalar_of, shape_of, with_scalar
from ninetoothed.ir.tt.atomics import SCOPES, SEMANTICS
from ninetoothed.ir.tt.memory import NO_POLICY, CachePolicy
from ninetoothed.ir.tt.types import PointerType
from ninetoothed.symbolic.expr import const

ATOMICS: dict[str, tuple[str, ...]] = {
    "add": ("i32", "u32", "i64", "u64", "fp16", "bf16", "fp32", "fp64"),
    "max": ("i32", "u32", "i64", "u64", "fp32", "fp64"),
    "min": ("i32", "u32", "i64", "u64", "fp32", "fp64"),
    "and": ("i32", "u32", "i64", "u64"),
    "or": ("i32", "u32", "i64", "u64"),
    "xor": ("i32", "u32", "i64", "u64"),
    "xchg": ("i32", "u32", "i64", "u64", "fp32", "fp64"),
    "cas": ("i16", "u16", "i32", "u32", "i64", "u64", "fp16", "bf16", "fp32", "fp64"),
}
"""The atomic functions and their element types."""

LOAD_MODIFIERS = ("", ".ca", ".cg", ".cs", ".cv")
STORE_MODIFIERS = ("", ".wb", ".cg", ".cs", ".wt")
"""The cache modifiers of loads and stores, in Triton's words."""


def is_pointer(type: Attribute) -> bool:
    """True for a pointer or a block of them."""
    return isinstance(scalar_of(type), PointerType)


def pointee_of(type: Attribute) -> Attribute:
    """The pointee type of a pointer or a block of them, in the same shape."""
    pointer = scalar_of(type)
    assert isinstance(pointer, PointerType)
    return with_scalar(type, pointer.pointee)


@irdl_op_definition
class OffsetsOp(PureOp):
    """The source's coordinates along ``dim`` of a tile's block, over the block's dims ``along``, at
    the first lane of the others. Without ``dim``: the offsets from the source's first element, in
    elements.

    All lanes are valid, also those outside the access's guard.

    ```mlir
    %1 = nt.offsets %x[%k] dim 0 along [1]
        : !nt.tensor<[n] x !nt.tensor<[BM, BN] x f16>>[i32] -> !nt.tensor<[BN] x i32>
    ```
    """

    name = "nt.offsets"

    ref = operand_def(TensorType)
    indices = var_operand_def()
    dim = opt_prop_def(IntegerAttr[I64])
    along = prop_def(ExprsAttr)
    result = result_def()

    assembly_format = (
        "$ref `[` $indices `]` (`dim` $dim^)? `along` $along attr-dict "
        "`:` type($ref) `[` type($indices) `]` `->` type($result)"
    )

    def __init__(
        self,
        ref: SSAValue,
        indices: Sequence[SSAValue],
        dim: int | None,
        along: Sequence[int],
        scalar: IntegerType,
    ) -> None:
        assert isinstance(ref.type, TensorType)
        sizes = ref.type.levels[-1].sizes
        super().__init__(
            operands=[ref, list(indices)],
            properties={
                "dim": None if dim is None else IntegerAttr(dim, i64),
                "along": ExprsAttr.of(along),
            },
            result_types=[block_type([sizes[axis] for axis in along], scalar)],
        )

    @property
    def source_dim(self) -> int | None:
        """The source's dim; None for offsets from the first element."""
        return None if self.dim is None else self.dim.value.data

    @property
    def dims(self) -> tuple[int, ...]:
        """The block's dims of the result."""
        return tuple(axis.args[0] for axis in self.along.data)

    def verify_(self) -> None:
        check_indices(self, self.ref.type, len(self.indices))
        assert isinstance(self.ref.type, TensorType)
        sizes = self.ref.type.levels[-1].sizes
        expected_dims = [axis for axis in range(len(sizes)) if const(axis) in self.along.data]
        if self.along != ExprsAttr.of(expected_dims):
            raise VerifyException("nt.offsets: along must name dims of the block, ascending")
        if not isinstance(scalar_of(self.result.type), IntegerType):
            raise VerifyException("nt.offsets: the result must hold integers")
        expected = block_type([sizes[axis] for axis in self.dims], scalar_of(self.result.type))
        check_type(self, "result", self.result.type, expected)
        if self.source_dim is not None and self._rank() <= self.source_dim:
            raise VerifyException(f"nt.offsets: the source has no dim {self.source_dim}")

    def _rank(self) -> int:
        """The rank of the source; unbounded without a kernel around."""
        op = self.parent_op()
        while op is not None and not isinstance(op, KernelOp):
            op = op.parent_op()
        if op is None or not isinstance(self.ref, BlockArgument):
            return 1 << 31
        return len(op.sources[self.ref.index].strides.data)


@irdl_op_definition
class AddPtrOp(PureOp):
    """Pointer arithmetic: pointers moved by ``offset`` elements.

    ```mlir
    %2 = nt.addptr %0, %1 : !nt.tensor<[B] x !tt.ptr<f16>>, !nt.tensor<[B] x i32>
    ```
    """

    name = "nt.addptr"

    _T: ClassVar = VarConstraint("_T", AnyAttr())

    ptr = operand_def(_T)
    offset = operand_def()
    result = result_def(_T)

    assembly_format = "$ptr `,` $offset attr-dict `:` type($result) `,` type($offset)"

    def __init__(self, ptr: SSAValue, offset: SSAValue) -> None:
        super().__init__(operands=[ptr, offset], result_types=[ptr.type])

    def verify_(self) -> None:
        if not is_pointer(self.ptr.type) or not isinstance(
            scalar_of(self.offset.type), IntegerType
        ):
            raise VerifyException("nt.addptr: pointers are moved by integers")
        if shape_of(self.ptr.type) != shape_of(self.offset.type):
            raise VerifyException("nt.addptr: one offset a pointer")


def _check(op: Operation, ptr: SSAValue, value: SSAValue, mask: SSAValue | None) -> None:
    if not is_pointer(ptr.type):
        raise VerifyException(f"{op.name}: {ptr.type} is no pointer")
    if value.type != pointee_of(ptr.type):
        raise VerifyException(f"{op.name}: {ptr.type} does not point to {value.type}")
    if mask is not None and mask.type != with_scalar(ptr.type, i1):
        raise VerifyException(f"{op.name}: one bit of mask a pointer")


def _caching(policy: CachePolicy) -> dict[str, Attribute]:
    """The cache policy of an access as properties."""
    words = {"cache": policy.modifier, "evict": policy.eviction}
    return {name: StringAttr(word) for name, word in words.items() if word}


class _Cached(IRDLOperation):
    """Base class of accesses with a cache policy."""

    cache = opt_prop_def(StringAttr)
    evict = opt_prop_def(StringAttr)

    @property
    def policy(self) -> CachePolicy:
        """The cache policy of the access."""
        words = (self.cache, self.evict)
        return CachePolicy(*("" if word is None else word.data for word in words))

    def check_policy(self, modifiers: Sequence[str]) -> None:
        """Verify the cache policy."""
        try:
            policy = self.policy
        except ValueError as error:
            raise VerifyException(f"{self.name}: {error}") from error
        if policy.modifier not in modifiers:
            raise VerifyException(f"{self.name}: there is no {policy}")


@irdl_op_definition
class PointerLoadOp(_Cached):
    """Load through pointers.

    Lanes whose mask is false are ``other``; without ``other`` they are unspecified and not valid.
    All others are valid.

    ```mlir
    %1 = nt.pointer_load %p mask %m : !nt.tensor<[B] x i1> other %o : !nt.tensor<[B] x f16>
        cache ".cg" evict "evict_last" volatile
        : !nt.tensor<[B] x !tt.ptr<f16>> -> !nt.tensor<[B] x f16>
    ```
    """

    name = "nt.pointer_load"

    ptr = operand_def()
    mask = opt_operand_def()
    other = opt_operand_def()
    volatile = opt_prop_def(UnitAttr)
    result = result_def()

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    traits = traits_def(EffectsOfLoad())

    assembly_format = (
        "$ptr (`mask` $mask^ `:` type($mask))? (`other` $other^ `:` type($other))? "
        "(`cache` $cache^)? (`evict` $evict^)? (`volatile` $volatile^)? attr-dict "
        "`:` type($ptr) `->` type($result)"
    )

    def __init__(
        self,
        ptr: SSAValue,
        mask: SSAValue | None = None,
        other: SSAValue | None = None,
        policy: CachePolicy = NO_POLICY,
        volatile: bool = False,
    ) -> None:
        super().__init__(
            operands=[ptr, mask, other],
            properties={**_caching(policy), **({"volatile": UnitAttr()} if volatile else {})},
            result_types=[pointee_of(ptr.type)],
        )

    def masked(self, mask: SSAValue | None) -> PointerLoadOp:
        """A copy of the op with another mask; None: it loads all lanes."""
        volatile = self.volatile is not None
        other = None if mask is None else self.other
        return PointerLoadOp(self.ptr, mask, other, self.policy, volatile)

    def verify_(self) -> None:
        _check(self, self.ptr, self.result, self.mask)
        if self.other is not None and (self.mask is None or self.other.type != self.result.type):
            raise VerifyException("nt.pointer_load: other needs a mask, and the result's type")
        self.check_policy(LOAD_MODIFIERS)


@irdl_op_definition
class PointerStoreOp(_Cached):
    """Store through pointers, where the mask is true.

    ```mlir
    nt.pointer_store %v, %p mask %m : !nt.tensor<[B] x i1> cache ".wt" evict "evict_first"
        : !nt.tensor<[B] x f16>, !nt.tensor<[B] x !tt.ptr<f16>>
    ```
    """

    name = "nt.pointer_store"

    value = operand_def()
    ptr = operand_def()
    mask = opt_operand_def()

    traits = traits_def(MemoryWriteEffect())

    assembly_format = (
        "$value `,` $ptr (`mask` $mask^ `:` type($mask))? (`cache` $cache^)? (`evict` $evict^)? "
        "attr-dict `:` type($value) `,` type($ptr)"
    )

    def __init__(
        self,
        value: SSAValue,
        ptr: SSAValue,
        mask: SSAValue | None = None,
        policy: CachePolicy = NO_POLICY,
    ) -> None:
        super().__init__(operands=[value, ptr, mask], properties=_caching(policy))

    def masked(self, mask: SSAValue | None) -> PointerStoreOp:
        """A copy of the op with another mask; None: it stores all lanes."""
        return PointerStoreOp(self.value, self.ptr, mask, self.policy)

    def verify_(self) -> None:
        _check(self, self.ptr, self.value, self.mask)
        self.check_policy(STORE_MODIFIERS)


class _Atomic(IRDLOperation):
    """Base class of atomics, with their memory order."""

    sem = prop_def(StringAttr)
    scope = prop_def(StringAttr)

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    def check_function(self, function: str, type: Attribute) -> None:
        """Verify that a function takes a type, and the memory order."""
        sem, scope = self.sem.data, self.scope.data
        if dtype_of(type) not in ATOMICS[function]:
            raise VerifyException(f"{self.name}: {function} takes no {dtype_of(type)}")
        if sem not in SEMANTICS or scope not in SCOPES:
            raise VerifyException(f"{self.name}: there is no order {sem!r} of scope {scope!r}")


@irdl_op_definition
class AtomicOp(_Atomic):
    """Atomic read-modify-write through pointers with ``function`` and ``value``, where the mask is
    true; gives the old values.

    The functions are ``add``, ``max``, ``min``, ``and``, ``or``, ``xor`` and ``xchg`` (exchange);
    ``sem`` and ``scope`` are Triton's. Lanes whose mask is false are unspecified and not valid.

    ```mlir
    %1 = nt.atomic "add" %p, %v mask %m : !nt.tensor<[B] x i1> "relaxed" "gpu"
        : !nt.tensor<[B] x !tt.ptr<f32>>, !nt.tensor<[B] x f32>
    ```
    """

    name = "nt.atomic"

    _T: ClassVar = VarConstraint("_T", AnyAttr())

    function = prop_def(StringAttr)
    ptr = operand_def()
    value = operand_def(_T)
    mask = opt_operand_def()
    result = result_def(_T)

    assembly_format = (
        "$function $ptr `,` $value (`mask` $mask^ `:` type($mask))? $sem $scope attr-dict "
        "`:` type($ptr) `,` type($value)"
    )

    def __init__(
        self,
        function: str,
        ptr: SSAValue,
        value: SSAValue,
        mask: SSAValue | None = None,
        sem: str = "acq_rel",
        scope: str = "gpu",
    ) -> None:
        super().__init__(
            operands=[ptr, value, mask],
            properties={
                "function": StringAttr(function),
                "sem": StringAttr(sem),
                "scope": StringAttr(scope),
            },
            result_types=[value.type],
        )

    def masked(self, mask: SSAValue) -> AtomicOp:
        """A copy of the op with another mask."""
        function, sem, scope = self.function.data, self.sem.data, self.scope.data
        return AtomicOp(function, self.ptr, self.value, mask, sem, scope)

    def verify_(self) -> None:
        function = self.function.data
        if function not in ATOMICS or function == "cas":
            raise VerifyException(f"nt.atomic: there is no function {function}")
        _check(self, self.ptr, self.value, self.mask)
        self.check_function(function, self.value.type)


@irdl_op_definition
class AtomicCasOp(_Atomic):
    """Atomic compare-and-swap through pointers: ``value`` where the bits are those of ``compare``;
    gives the old values. It has no mask, as Triton's has none.

    ```mlir
    %1 = nt.atomic_cas %p, %c, %v "acq_rel" "gpu" : !tt.ptr<i32>, i32
    ```
    """

    name = "nt.atomic_cas"

    _T: ClassVar = VarConstraint("_T", AnyAttr())

    ptr = operand_def()
    compare = operand_def(_T)
    value = operand_def(_T)
    result = result_def(_T)

    assembly_format = (
        "$ptr `,` $compare `,` $value $sem $scope attr-dict `:` type($ptr) `,` type($value)"
    )

    def __init__(
        self,
        ptr: SSAValue,
        compare: SSAValue,
        value: SSAValue,
        sem: str = "acq_rel",
        scope: str = "gpu",
    ) -> None:
        super().__init__(
            operands=[ptr, compare, value],
            properties={"sem": StringAttr(sem), "scope": StringAttr(scope)},
            result_types=[value.type],
        )

    def verify_(self) -> None:
        _check(self, self.ptr, self.value, None)
        self.check_function("cas", self.value.type)


PointerAccess = PointerLoadOp | PointerStoreOp | AtomicOp
"""The accesses through pointers that take a mask."""
