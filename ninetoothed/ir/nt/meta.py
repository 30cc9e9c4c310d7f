"""The meta-operations as ops: a tensor in, a tensor out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any, ClassVar, cast

from xdsl.dialects.builtin import I64, BoolAttr, IntegerAttr, StringAttr, UnitAttr, i1, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def, result_def
from xdsl.utils.exceptions import VerifyException

from ninetoothed.errors import ArrangementError
from ninetoothed.ir.definitions import PureOp, ops_of
from ninetoothed.ir.nt.attributes import ExprsAttr, TensorType
from ninetoothed.layout import meta_ops
from ninetoothed.layout.meta_op import AtMostOne, Levels, MetaOp
from ninetoothed.symbolic.expr import IndexExpr


def _property(field: bool | int | str | Sequence[IndexExpr | int]) -> Attribute:
    """A field of an operation of the algebra as a property."""
    if isinstance(field, str):
        return StringAttr(field)
    if isinstance(field, bool):
        return BoolAttr.from_bool(field)
    return IntegerAttr(field, i64) if isinstance(field, int) else ExprsAttr.of(field)


def _field(property: Attribute) -> bool | int | str | Sequence[IndexExpr]:
    """The inverse of :func:`_property`."""
    if isinstance(property, StringAttr):
        return property.data
    if isinstance(property, ExprsAttr):
        return property.data
    number = cast("IntegerAttr", property)
    return bool(number) if number.type == i1 else number.value.data


class MetaOperation(PureOp):
    """Base class of the meta-operations: a tensor in, a tensor out."""

    source = operand_def(TensorType)
    level = prop_def(IntegerAttr[I64])
    result = result_def(TensorType)

    ALGEBRA: ClassVar[type[MetaOp]]
    """The operation of the algebra (``layout.meta_ops``); the op's properties are its fields."""

    @property
    def algebra(self) -> MetaOp:
        """The operation of the algebra."""
        named = {"empty": True} if "empty" in self.properties else {}
        return self.ALGEBRA(self.level.value.data, *self.arguments, **named)

    @property
    def arguments(self) -> Sequence[Any]:
        """The fields of the operation beside its level."""
        return [_field(self.properties[name]) for name in self.names()]

    @classmethod
    def names(cls) -> list[str]:
        """The properties beside the level and ``empty``."""
        apart = ("level", "loc", "empty", "unknown")
        return [field.name for field in fields(cls.ALGEBRA) if field.name not in apart]

    @staticmethod
    def of(op: MetaOp, source: SSAValue) -> MetaOperation:
        """The op of the algebra's operation; the result type follows from it.

        Raises:
            ArrangementError: the operation is impossible on the source's type.
        """
        type = source.type
        assert isinstance(type, TensorType)
        levels = op.result(tuple(level.sizes for level in type.levels))
        result = TensorType.nested(levels, type.scalar)
        found = META_OPERATIONS[op.name]
        properties = {"level": IntegerAttr(op.level, i64), **found.properties_of(op)}
        if isinstance(op, AtMostOne) and op.empty:
            properties["empty"] = UnitAttr()
        return found.create(
            operands=[source],
            properties=properties,
            result_types=[result],
        )

    @classmethod
    def properties_of(cls, op: Any) -> dict[str, Attribute]:
        """The properties beside the level, of an operation of the class :attr:`ALGEBRA`."""
        return {name: _property(getattr(op, name)) for name in cls.names()}

    def verify_(self) -> None:
        type = self.source.type
        result = self.result.type
        assert isinstance(type, TensorType)
        assert isinstance(result, TensorType)
        levels: Levels = tuple(level.sizes for level in type.levels)
        if not 0 <= self.level.value.data < len(levels):
            raise VerifyException(f"{self.name}: there is no level {self.level.value.data}")
        try:
            expected = TensorType.nested(self.algebra.result(levels), type.scalar)
        except (ArrangementError, IndexError, ValueError) as error:
            raise VerifyException(f"{self.name}: {error}") from None
        if expected != result:
            raise VerifyException(
                f"{self.name}: the result must have type {expected}, not {result}"
            )


@irdl_op_definition
class TileOp(MetaOperation):
    """Tile a level into blocks of ``sizes``: two levels for one (``Tensor.tile``).

    ```mlir
    %1 = nt.tile %0 [B] strides [B] dilation [1] floor false level 0
        : !nt.tensor<[n] x f16> -> !nt.tensor<[n ceildiv B] x !nt.tensor<[B] x f16>>
    ```
    """

    name = "nt.tile"

    ALGEBRA: ClassVar = meta_ops.Tile

    sizes = prop_def(ExprsAttr)
    strides = prop_def(ExprsAttr)
    dilation = prop_def(ExprsAttr)
    floor_mode = prop_def(BoolAttr)

    assembly_format = (
        "$source $sizes `strides` $strides `dilation` $dilation `floor` $floor_mode `level` $level "
        "attr-dict `:` type($source) `->` type($result)"
    )


@irdl_op_definition
class ExpandOp(MetaOperation):
    """Dims of size 1 repeated to ``sizes``; -1 keeps a dim (``Tensor.expand``).

    ``empty``: a size of the tensor that is at most 1 is 0, so there are no elements.

    ```mlir
    %2 = nt.expand %1 [-1, n] level 0 : !nt.tensor<[m, 1] x f16> -> !nt.tensor<[m, n] x f16>
    ```
    """

    name = "nt.expand"

    ALGEBRA: ClassVar = meta_ops.Expand

    sizes = prop_def(ExprsAttr)
    empty = opt_prop_def(UnitAttr)

    assembly_format = (
        "$source $sizes (`empty` $empty^)? `level` $level attr-dict `:` type($source) `->` "
        "type($result)"
    )


class _DimsOperation(MetaOperation):
    dims = prop_def(ExprsAttr)

    assembly_format = "$source $dims `level` $level attr-dict `:` type($source) `->` type($result)"

    @property
    def numbers(self) -> tuple[int, ...]:
        """The dims as integers."""
        return tuple(dim.args[0] for dim in self.dims.data)

    def verify_(self) -> None:
        for dim in self.dims.data:
            if dim.value is None:
                raise VerifyException(f"{self.name}: a dim is a number, not {dim}")
        super().verify_()

    @property
    def arguments(self) -> Sequence[Any]:
        return [self.numbers]


@irdl_op_definition
class SqueezeOp(_DimsOperation):
    """Dims of size 1 removed (``Tensor.squeeze``); ``empty`` as in ``nt.expand``.

    ```mlir
    %3 = nt.squeeze %2 [0] level 1
        : !nt.tensor<[m] x !nt.tensor<[1, n] x f16>> -> !nt.tensor<[m] x !nt.tensor<[n] x f16>>
    ```
    """

    name = "nt.squeeze"

    ALGEBRA: ClassVar = meta_ops.Squeeze

    empty = opt_prop_def(UnitAttr)

    def verify_(self) -> None:
        super().verify_()
        numbers = self.numbers
        if numbers != tuple(sorted({*numbers})) or min(numbers, default=0) < 0:
            raise VerifyException(f"{self.name}: the dims must ascend, counted from 0")

    assembly_format = (
        "$source $dims (`empty` $empty^)? `level` $level attr-dict `:` type($source) `->` "
        "type($result)"
    )


@irdl_op_definition
class UnsqueezeOp(MetaOperation):
    """A dim of size 1 inserted (``Tensor.unsqueeze``).

    ```mlir
    %3 = nt.unsqueeze %2 dim 0 level 0 : !nt.tensor<[m] x f16> -> !nt.tensor<[1, m] x f16>
    ```
    """

    name = "nt.unsqueeze"

    ALGEBRA: ClassVar = meta_ops.Unsqueeze

    dim = prop_def(IntegerAttr[I64])

    def verify_(self) -> None:
        super().verify_()
        result = self.result.type
        assert isinstance(result, TensorType)
        if not 0 <= self.dim.value.data < len(result.levels[self.level.value.data].sizes):
            raise VerifyException(f"{self.name}: there is no dim {self.dim.value.data}")

    assembly_format = (
        "$source `dim` $dim `level` $level attr-dict `:` type($source) `->` type($result)"
    )


@irdl_op_definition
class PermuteOp(_DimsOperation):
    """New dim ``i`` is old dim ``dims[i]`` (``Tensor.permute``).

    ```mlir
    %3 = nt.permute %2 [1, 0] level 0 : !nt.tensor<[m, n] x f16> -> !nt.tensor<[n, m] x f16>
    ```
    """

    name = "nt.permute"

    ALGEBRA: ClassVar = meta_ops.Permute


@irdl_op_definition
class FlattenOp(_DimsOperation):
    """Dims ``[start, end)`` merged, row-major (``Tensor.flatten``).

    ```mlir
    %3 = nt.flatten %2 [0, 2] level 0 : !nt.tensor<[m, n] x f16> -> !nt.tensor<[m * n] x f16>
    ```
    """

    name = "nt.flatten"

    ALGEBRA: ClassVar = meta_ops.Flatten

    @property
    def arguments(self) -> Sequence[Any]:
        return self.numbers

    def verify_(self) -> None:
        if len(self.dims.data) != 2:
            raise VerifyException(f"{self.name}: two dims say where the merged ones begin and end")
        super().verify_()

    @classmethod
    def properties_of(cls, op: meta_ops.Flatten) -> dict[str, Attribute]:
        return {"dims": ExprsAttr.of((op.start, op.end))}


@irdl_op_definition
class RavelOp(MetaOperation):
    """This level and those below as one (``Tensor.ravel``).

    ```mlir
    %3 = nt.ravel %2 level 0 : !nt.tensor<[m] x !nt.tensor<[4, n] x f16>> -> !nt.tensor<[m, 4, n] x f16>
    ```
    """

    name = "nt.ravel"

    ALGEBRA: ClassVar = meta_ops.Ravel

    assembly_format = "$source `level` $level attr-dict `:` type($source) `->` type($result)"


@irdl_op_definition
class PadOp(MetaOperation):
    """``left`` and ``right`` more elements a dim, outside the guard (``Tensor.pad``).

    ```mlir
    %3 = nt.pad %2 [1] [1] level 0 : !nt.tensor<[m] x f16> -> !nt.tensor<[m + 2] x f16>
    ```
    """

    name = "nt.pad"

    ALGEBRA: ClassVar = meta_ops.Pad

    left = prop_def(ExprsAttr)
    right = prop_def(ExprsAttr)

    assembly_format = (
        "$source $left $right `level` $level attr-dict `:` type($source) `->` type($result)"
    )


@irdl_op_definition
class SliceOp(MetaOperation):
    """``sizes`` elements a dim, from ``starts`` on, ``steps`` apart (``Tensor[…]``).

    ```mlir
    %3 = nt.slice %2 from [m - 1] steps [-1] sizes [m] level 0 : !nt.tensor<[m] x f16> -> !nt.tensor<[m] x f16>
    ```
    """

    name = "nt.slice"

    ALGEBRA: ClassVar = meta_ops.Slice

    starts = prop_def(ExprsAttr)
    steps = prop_def(ExprsAttr)
    sizes = prop_def(ExprsAttr)

    assembly_format = (
        "$source `from` $starts `steps` $steps `sizes` $sizes `level` $level attr-dict `:` "
        "type($source) `->` type($result)"
    )


@irdl_op_definition
class RenumberOp(MetaOperation):
    """The outermost level in the shape of the programs, row-major: program ``p`` has element ``p``.

    ``count`` is ``"equal"`` where there are as many elements as programs, ``"fewer"`` where there
    are no more, or ``"any"``. Programs without an element are outside the guard.

    ```mlir
    %3 = nt.renumber %2 [m, n] count "equal" level 0
        : !nt.tensor<[m * n] x f16> -> !nt.tensor<[m, n] x f16>
    ```
    """

    name = "nt.renumber"

    ALGEBRA: ClassVar = meta_ops.Renumber

    sizes = prop_def(ExprsAttr)
    count = prop_def(StringAttr)

    assembly_format = (
        "$source $sizes `count` $count `level` $level attr-dict `:` "
        "type($source) `->` type($result)"
    )

    def verify_(self) -> None:
        if self.count.data not in ("equal", "fewer", "any"):
            raise VerifyException(f"nt.renumber: there is no count {self.count.data}")
        super().verify_()


META_OPERATIONS: dict[str, type[MetaOperation]] = {
    op.name.removeprefix("nt."): op for op in ops_of(__name__) if issubclass(op, MetaOperation)
}
