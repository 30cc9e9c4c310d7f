"""The meta-operations as ops: a tensor in, a tensor out."""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import I64, BoolAttr, IntegerAttr, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
)
from xdsl.utils.exceptions import VerifyException

from ninetoothed.errors import ArrangementError
from ninetoothed.ir.definitions import PureOp, ops_of
from ninetoothed.ir.nt.attributes import ExprsAttr, TensorType
from ninetoothed.layout import meta_ops
from ninetoothed.layout.meta_op import Levels, MetaOp


class MetaOperation(PureOp):
    """Base class of the meta-operations: a tensor in, a tensor out."""

    source = operand_def(TensorType)
    level = prop_def(IntegerAttr[I64])
    result = result_def(TensorType)

    @property
    def algebra(self) -> MetaOp:
        """The operation of the algebra (``layout.meta_ops``)."""
        raise NotImplementedError

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
        return found.build_from(op, source, result)

    @classmethod
    def build_from(cls, op: MetaOp, source: SSAValue, result: TensorType) -> MetaOperation:
        """The op with its properties taken from ``op``."""
        properties: dict[str, Attribute] = {
            "level": IntegerAttr(op.level, i64),
            **cls.properties_of(op),
        }
        return cls.create(operands=[source], properties=properties, result_types=[result])

    @classmethod
    def properties_of(cls, op: Any) -> dict[str, Attribute]:
        """The properties beside the level, of the class's own operation of the algebra."""
        raise NotImplementedError

    def verify_(self) -> None:
        type = self.source.type
        result = self.result.type
        assert isinstance(type, TensorType)
        assert isinstance(result, TensorType)
        levels: Levels = tuple(level.sizes for level in type.levels)
        if self.level.value.data >= len(levels):
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

    sizes = prop_def(ExprsAttr)
    strides = prop_def(ExprsAttr)
    dilation = prop_def(ExprsAttr)
    floor_mode = prop_def(BoolAttr)

    assembly_format = (
        "$source $sizes `strides` $strides `dilation` $dilation `floor` $floor_mode `level` $level "
        "attr-dict `:` type($source) `->` type($result)"
    )

    @property
    def algebra(self) -> MetaOp:
        return meta_ops.Tile(
            self.level.value.data,
            self.sizes.data,
            self.strides.data,
            self.dilation.data,
            bool(self.floor_mode),
        )

    @classmethod
    def properties_of(cls, op: meta_ops.Tile) -> dict[str, Attribute]:
        return {
            "sizes": ExprsAttr.of(op.sizes),
            "strides": ExprsAttr.of(op.strides),
            "dilation": ExprsAttr.of(op.dilation),
            "floor_mode": BoolAttr.from_bool(op.floor_mode),
        }


@irdl_op_definition
class ExpandOp(MetaOperation):
    """Dims of size 1 repeated to ``sizes``; -1 keeps a dim (``Tensor.expand``).

    ```mlir
    %2 = nt.expand %1 [-1, n] level 0 : !nt.tensor<[m, 1] x f16> -> !nt.tensor<[m, n] x f16>
    ```
    """

    name = "nt.expand"

    sizes = prop_def(ExprsAttr)

    assembly_format = "$source $sizes `level` $level attr-dict `:` type($source) `->` type($result)"

    @property
    def algebra(self) -> MetaOp:
        return meta_ops.Expand(self.level.value.data, self.sizes.data)

    @classmethod
    def properties_of(cls, op: meta_ops.Expand) -> dict[str, Attribute]:
        return {"sizes": ExprsAttr.of(op.sizes)}


class _DimsOperation(MetaOperation):
    dims = prop_def(ExprsAttr)

    @property
    def numbers(self) -> tuple[int, ...]:
        """The dims as integers."""
        return tuple(dim.args[0] for dim in self.dims.data)


@irdl_op_definition
class SqueezeOp(_DimsOperation):
    """Dims of size 1 removed (``Tensor.squeeze``).

    ```mlir
    %3 = nt.squeeze %2 [0] level 1
        : !nt.tensor<[m] x !nt.tensor<[1, n] x f16>> -> !nt.tensor<[m] x !nt.tensor<[n] x f16>>
    ```
    """

    name = "nt.squeeze"

    assembly_format = "$source $dims `level` $level attr-dict `:` type($source) `->` type($result)"

    @property
    def algebra(self) -> MetaOp:
        return meta_ops.Squeeze(self.level.value.data, self.numbers)

    @classmethod
    def properties_of(cls, op: meta_ops.Squeeze) -> dict[str, Attribute]:
        return {"dims": ExprsAttr.of(op.dims)}


@irdl_op_definition
class UnsqueezeOp(MetaOperation):
    """A dim of size 1 inserted (``Tensor.unsqueeze``).

    ```mlir
    %3 = nt.unsqueeze %2 dim 0 level 0 : !nt.tensor<[m] x f16> -> !nt.tensor<[1, m] x f16>
    ```
    """

    name = "nt.unsqueeze"

    dim = prop_def(IntegerAttr[I64])

    assembly_format = (
        "$source `dim` $dim `level` $level attr-dict `:` type($source) `->` type($result)"
    )

    @property
    def algebra(self) -> MetaOp:
        return meta_ops.Unsqueeze(self.level.value.data, self.dim.value.data)

    @classmethod
    def properties_of(cls, op: meta_ops.Unsqueeze) -> dict[str, Attribute]:
        return {"dim": IntegerAttr(op.dim, i64)}


@irdl_op_definition
class PermuteOp(_DimsOperation):
    """New dim ``i`` is old dim ``dims[i]`` (``Tensor.permute``).

    ```mlir
    %3 = nt.permute %2 [1, 0] level 0 : !nt.tensor<[m, n] x f16> -> !nt.tensor<[n, m] x f16>
    ```
    """

    name = "nt.permute"

    assembly_format = "$source $dims `level` $level attr-dict `:` type($source) `->` type($result)"

    @property
    def algebra(self) -> MetaOp:
        return meta_ops.Permute(self.level.value.data, self.numbers)

    @classmethod
    def properties_of(cls, op: meta_ops.Permute) -> dict[str, Attribute]:
        return {"dims": ExprsAttr.of(op.dims)}


@irdl_op_definition
class FlattenOp(_DimsOperation):
    """Dims ``[start, end)`` merged, row-major (``Tensor.flatten``).

    ```mlir
    %3 = nt.flatten %2 [0, 2] level 0 : !nt.tensor<[m, n] x f16> -> !nt.tensor<[m * n] x f16>
    ```
    """

    name = "nt.flatten"

    assembly_format = "$source $dims `level` $level attr-dict `:` type($source) `->` type($result)"

    @property
    def algebra(self) -> MetaOp:
        start, end = self.numbers
        return meta_ops.Flatten(self.level.value.data, start, end)

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

    assembly_format = "$source `level` $level attr-dict `:` type($source) `->` type($result)"

    @property
    def algebra(self) -> MetaOp:
        return meta_ops.Ravel(self.level.value.data)

    @classmethod
    def properties_of(cls, op: MetaOp) -> dict[str, Attribute]:
        return {}


@irdl_op_definition
class PadOp(MetaOperation):
    """``left`` and ``right`` more elements a dim, outside the guard (``Tensor.pad``).

    ```mlir
    %3 = nt.pad %2 [1] [1] level 0 : !nt.tensor<[m] x f16> -> !nt.tensor<[m + 2] x f16>
    ```
    """

    name = "nt.pad"

    left = prop_def(ExprsAttr)
    right = prop_def(ExprsAttr)

    assembly_format = (
        "$source $left $right `level` $level attr-dict `:` type($source) `->` type($result)"
    )

    @property
    def algebra(self) -> MetaOp:
        return meta_ops.Pad(self.level.value.data, self.left.data, self.right.data)

    @classmethod
    def properties_of(cls, op: meta_ops.Pad) -> dict[str, Attribute]:
        return {"left": ExprsAttr.of(op.left), "right": ExprsAttr.of(op.right)}


@irdl_op_definition
class SliceOp(MetaOperation):
    """``sizes`` elements a dim, from ``starts`` on, ``steps`` apart (``Tensor[…]``).

    ```mlir
    %3 = nt.slice %2 from [m - 1] steps [-1] sizes [m] level 0 : !nt.tensor<[m] x f16> -> !nt.tensor<[m] x f16>
    ```
    """

    name = "nt.slice"

    starts = prop_def(ExprsAttr)
    steps = prop_def(ExprsAttr)
    sizes = prop_def(ExprsAttr)

    assembly_format = (
        "$source `from` $starts `steps` $steps `sizes` $sizes `level` $level attr-dict `:` "
        "type($source) `->` type($result)"
    )

    @property
    def algebra(self) -> MetaOp:
        return meta_ops.Slice(
            self.level.value.data, self.starts.data, self.steps.data, self.sizes.data
        )

    @classmethod
    def properties_of(cls, op: meta_ops.Slice) -> dict[str, Attribute]:
        return {
            "starts": ExprsAttr.of(op.starts),
            "steps": ExprsAttr.of(op.steps),
            "sizes": ExprsAttr.of(op.sizes),
        }


META_OPERATIONS: dict[str, type[MetaOperation]] = {
    op.name.removeprefix("nt."): op for op in ops_of(__name__) if issubclass(op, MetaOperation)
}
