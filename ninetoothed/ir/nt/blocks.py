"""Loads and stores of tiles, and elementwise ops on blocks.

Values are blocks (one-level ``!nt.tensor`` of scalars) and scalars. Types are explicit: promotion,
broadcasting and casts are ops, so that no later pass guesses.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    StringAttr,
    UnitAttr,
    i1,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import IsTerminator, MemoryReadEffect, MemoryWriteEffect, Pure
from xdsl.utils.exceptions import VerifyException

from ninetoothed.ir.definitions import PureOp
from ninetoothed.ir.nt.attributes import (
    ExprAttr,
    ExprsAttr,
    GuardsAttr,
    TensorType,
    dtype_of,
    is_dtype,
)
from ninetoothed.ir.nt.types import loaded_type, scalar_of, shape_of, with_scalar
from ninetoothed.ir.tt.descriptors import MOST_DIMS
from ninetoothed.ir.tt.memory import NO_POLICY, CachePolicy
from ninetoothed.language.table import ELEMENTWISE, Extern, Operand, Primitive


def check_indices(op: Operation, ref: Attribute, count: int) -> None:
    """Verify that an op has one index a dim of the levels above the block."""
    assert isinstance(ref, TensorType)
    expected = sum(len(level.sizes) for level in ref.levels[:-1])
    if count != expected:
        raise VerifyException(
            f"{op.name}: {count} indices for {expected} dims of the levels above the block"
        )


def check_type(op: Operation, what: str, type: Attribute, expected: Attribute) -> None:
    """Verify the type of a value of ``op``."""
    if type != expected:
        raise VerifyException(f"{op.name}: the {what} must have type {expected}, not {type}")


class _BlockAccess(IRDLOperation):
    """Base class of accesses to blocks, which may go through a tensor descriptor."""

    descriptor = opt_prop_def(ExprsAttr)
    by_host = opt_prop_def(UnitAttr)

    @property
    def descriptor_dims(self) -> tuple[int, ...]:
        """The source's dims that the descriptor is of; none without a descriptor."""
        return () if self.descriptor is None else tuple(dim.args[0] for dim in self.descriptor.data)


def _check_descriptor(op: _BlockAccess) -> None:
    dims = () if op.descriptor is None else op.descriptor.data
    if dims and (not 2 <= len(dims) <= MOST_DIMS or len({*dims}) < len(dims)):
        raise VerifyException(
            f"{op.name}: a descriptor is of 2 to {MOST_DIMS} dims of the source, each once"
        )
    if op.by_host is not None and not dims:
        raise VerifyException(f"{op.name}: the host makes no descriptor where there is none")


@irdl_op_definition
class LoadOp(_BlockAccess):
    """Load a block: the tile ``ref``, indexed down to its innermost level.

    Lanes outside the access's guard are ``other``; without ``other`` they are unspecified.
    ``guards``: the guard of this load, in the place of the access's. ``clamped``: guards beside it,
    each of an index of the source; lanes outside read what lies at the last index inside.
    ``descriptor``: the block is a box of these dims of the source, read through a tensor
    descriptor; the last of them is contiguous. ``by_host``: the host makes it, and passes it to the
    kernel; else each program does. ``evict``: its eviction policy, in Triton's words, for a GPU's
    caches.

    ```mlir
    %1 = nt.load %x[%k] guards [[b0 + k1_0 * 64, n]] clamped [[b1 + g0 * 64, m]] other 0.0 : f16
        : !nt.tensor<[n] x !nt.tensor<[B] x f16>>[i32] -> !nt.tensor<[B] x f16>
    ```
    """

    name = "nt.load"

    ref = operand_def(TensorType)
    indices = var_operand_def()
    guards = opt_prop_def(GuardsAttr)
    clamped = opt_prop_def(GuardsAttr)
    other = opt_prop_def(FloatAttr | IntegerAttr)
    evict = opt_prop_def(StringAttr)
    result = result_def()

    traits = traits_def(MemoryReadEffect())

    assembly_format = (
        "$ref `[` $indices `]` (`guards` $guards^)? (`clamped` $clamped^)? (`other` $other^)? "
        "(`descriptor` $descriptor^)? (`by_host` $by_host^)? (`evict` $evict^)? attr-dict "
        "`:` type($ref) `[` type($indices) `]` `->` type($result)"
    )

    def __init__(
        self,
        ref: SSAValue,
        indices: Sequence[SSAValue] = (),
        other: FloatAttr | IntegerAttr | None = None,
    ) -> None:
        super().__init__(
            operands=[ref, list(indices)],
            properties={} if other is None else {"other": other},
            result_types=[loaded_type(ref.type)],
        )

    @property
    def policy(self) -> CachePolicy:
        """The cache policy of the load.

        Raises:
            ValueError: there is no such eviction policy.
        """
        return NO_POLICY if self.evict is None else CachePolicy(eviction=self.evict.data)

    def verify_(self) -> None:
        check_indices(self, self.ref.type, len(self.indices))
        check_type(self, "result", self.result.type, loaded_type(self.ref.type))
        _check_descriptor(self)
        if self.clamped is not None and self.descriptor is not None:
            raise VerifyException("nt.load: indices of boxes are not clamped")
        try:
            _ = self.policy
        except ValueError as error:
            raise VerifyException(f"nt.load: {error}") from error


@irdl_op_definition
class GuardOp(PureOp):
    """The access's guard as a block of ``i1``: the lanes of a tile inside the source.

    ```mlir
    %1 = nt.guard %x[%k] : !nt.tensor<[n] x !nt.tensor<[B] x f16>>[i32] -> !nt.tensor<[B] x i1>
    ```
    """

    name = "nt.guard"

    ref = operand_def(TensorType)
    indices = var_operand_def()
    result = result_def()

    assembly_format = (
        "$ref `[` $indices `]` attr-dict `:` type($ref) `[` type($indices) `]` `->` type($result)"
    )

    def __init__(self, ref: SSAValue, indices: Sequence[SSAValue] = ()) -> None:
        super().__init__(
            operands=[ref, list(indices)],
            result_types=[with_scalar(loaded_type(ref.type), i1)],
        )

    def verify_(self) -> None:
        check_indices(self, self.ref.type, len(self.indices))
        check_type(self, "result", self.result.type, with_scalar(loaded_type(self.ref.type), i1))


@irdl_op_definition
class StoreOp(_BlockAccess):
    """Store a block to a tile; lanes outside the access's guard write nothing. ``guards``: the guard
    of this store, in the place of the access's. ``descriptor`` and ``by_host``: as a load's.

    ```mlir
    nt.store %0, %z[] descriptor [0, 1] : !nt.tensor<[B, 64] x f16>, !nt.tensor<[B, 64] x f16>[]
    ```
    """

    name = "nt.store"

    value = operand_def()
    ref = operand_def(TensorType)
    indices = var_operand_def()
    guards = opt_prop_def(GuardsAttr)

    traits = traits_def(MemoryWriteEffect())

    assembly_format = (
        "$value `,` $ref `[` $indices `]` (`guards` $guards^)? (`descriptor` $descriptor^)? "
        "(`by_host` $by_host^)? "
        "attr-dict `:` type($value) `,` type($ref) `[` type($indices) `]`"
    )

    def __init__(self, value: SSAValue, ref: SSAValue, indices: Sequence[SSAValue] = ()) -> None:
        super().__init__(operands=[value, ref, list(indices)])

    def verify_(self) -> None:
        check_indices(self, self.ref.type, len(self.indices))
        check_type(self, "value", self.value.type, loaded_type(self.ref.type))
        _check_descriptor(self)


@irdl_op_definition
class SizeOp(PureOp):
    """The value of an expression over the kernel's sizes, strides and block sizes.

    ```mlir
    %steps = nt.size <x_size_1 ceildiv B> : i32
    ```
    """

    name = "nt.size"

    expr = prop_def(ExprAttr)
    result = result_def(IntegerType | IndexType)

    assembly_format = "$expr attr-dict `:` type($result)"

    def __init__(self, expr: ExprAttr, type: IntegerType | IndexType) -> None:
        super().__init__(properties={"expr": expr}, result_types=[type])


@irdl_op_definition
class FullOp(PureOp):
    """Splat: a block with one scalar in all lanes.

    ```mlir
    %1 = nt.full %0 : f32 -> !nt.tensor<[BM, BN] x f32>
    ```
    """

    name = "nt.full"

    value = operand_def()
    result = result_def(TensorType)

    assembly_format = "$value attr-dict `:` type($value) `->` type($result)"

    def __init__(self, value: SSAValue | Operation, type: Attribute) -> None:
        super().__init__(operands=[value], result_types=[type])

    def verify_(self) -> None:
        if scalar_of(self.result.type) != self.value.type:
            raise VerifyException(
                f"nt.full: a block of {scalar_of(self.result.type)} cannot hold {self.value.type}"
            )


@irdl_op_definition
class ArangeOp(PureOp):
    """Range of integers: a block of one dim, ``start, start + 1, …``.

    ```mlir
    %1 = nt.arange <0> : !nt.tensor<[B] x i32>
    ```
    """

    name = "nt.arange"

    start = prop_def(ExprAttr)
    result = result_def(TensorType)

    assembly_format = "$start attr-dict `:` type($result)"

    def __init__(self, start: ExprAttr, type: Attribute) -> None:
        super().__init__(properties={"start": start}, result_types=[type])

    def verify_(self) -> None:
        if len(shape_of(self.result.type)) != 1:
            raise VerifyException("nt.arange: the result must have one dim")


@irdl_op_definition
class ElementwiseOp(PureOp):
    """Apply ``function``, an elementwise function of the language's table, to values of one shape.

    ```mlir
    %2 = nt.elementwise "add"(%0, %1) : (!nt.tensor<[B] x f16>, !nt.tensor<[B] x f16>) -> !nt.tensor<[B] x f16>
    ```
    """

    name = "nt.elementwise"

    function = prop_def(StringAttr)
    arguments = var_operand_def()
    result = result_def()

    assembly_format = (
        "$function `(` $arguments `)` attr-dict `:` functional-type($arguments, $result)"
    )

    def __init__(self, function: str, arguments: Sequence[SSAValue], type: Attribute) -> None:
        super().__init__(
            operands=[list(arguments)],
            properties={"function": StringAttr(function)},
            result_types=[type],
        )

    def verify_(self) -> None:
        row = ELEMENTWISE.get(self.function.data)
        if row is None:
            raise VerifyException(
                f"nt.elementwise: the language has no function {self.function.data}"
            )
        if len(self.arguments) != row.arity:
            raise VerifyException(
                f"nt.elementwise {row.name}: {len(self.arguments)} arguments for {row.arity}"
            )
        shape = shape_of(self.result.type)
        for argument in self.arguments:
            if shape_of(argument.type) != shape:
                raise VerifyException(
                    f"nt.elementwise {self.function.data}: an argument of type {argument.type} for "
                    f"a result of type {self.result.type}; the shapes must be equal"
                )
        types = [scalar_of(value.type) for value in (*self.arguments, self.result)]
        if not _has_form(row, types):
            raise VerifyException(f"nt.elementwise: {row.name} has no form of these types")


def _has_form(row: Primitive | Extern, types: Sequence[Attribute]) -> bool:
    """True if a function takes scalars of the first of ``types``, and gives one of the last."""
    if row.name == "where":
        # Of pointers, too.
        return types[0] == i1 and types[1] == types[2] == types[3]
    if not all(map(is_dtype, types)):
        return False
    *operands, result = map(dtype_of, types)
    if isinstance(row, Extern):
        form = row.form(operands)
        return form is not None and form.result == result
    assert row.rule is not None
    first, *others = operands
    try:
        # What is promoted already keeps its type.
        return {first} >= {*others} and row.rule(*map(Operand, operands)) == (first, result)
    except TypeError:
        return False


@irdl_op_definition
class ReturnOp(IRDLOperation):
    """Terminator of an application.

    ```mlir
    nt.return
    ```
    """

    name = "nt.return"

    traits = traits_def(IsTerminator(), Pure())

    assembly_format = "attr-dict"
