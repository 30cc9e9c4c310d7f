"""Pointer arithmetic, loads, stores and barriers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import BoolAttr, DenseArrayBase, IntegerAttr, i1, i32
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    AnyAttr,
    AttrSizedOperandSegments,
    IRDLOperation,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from ninetoothed.ir.definitions import EffectsOfLoad, PureOp
from ninetoothed.ir.tt.syntax import parse_operands, print_operands
from ninetoothed.ir.tt.types import block_of, pointee_of, shape_of


@irdl_op_definition
class AddPtrOp(PureOp):
    """Pointer arithmetic: pointers moved by ``offset`` elements.

    ```mlir
    %2 = tt.addptr %0, %1 : tensor<128x!tt.ptr<f16>>, tensor<128xi32>
    ```
    """

    name = "tt.addptr"

    _T: ClassVar = VarConstraint("_T", AnyAttr())

    ptr = operand_def(_T)
    offset = operand_def()
    result = result_def(_T)

    assembly_format = "$ptr `,` $offset attr-dict `:` type($result) `,` type($offset)"

    def __init__(self, ptr: SSAValue | Operation, offset: SSAValue | Operation) -> None:
        ptr = SSAValue.get(ptr)
        super().__init__(operands=[ptr, offset], result_types=[ptr.type])

    def verify_(self) -> None:
        if shape_of(self.ptr.type) != shape_of(self.offset.type):
            raise VerifyException("tt.addptr: one offset a pointer")


CACHE_MODIFIERS: dict[str, int] = {
    **{"": 1, ".ca": 2, ".cg": 3, ".wb": 4},
    **{".cs": 5, ".wt": 6, ".cv": 7},
}
"""Triton's encoding of cache modifiers."""

EVICTION_POLICIES: dict[str, int] = {"": 1, "evict_first": 2, "evict_last": 3}
"""Triton's encoding of eviction policies."""


@dataclass(frozen=True)
class CachePolicy:
    """Cache modifier, as ``".cg"``, and eviction policy, as ``"evict_last"``, of an access, in
    Triton's words (:data:`CACHE_MODIFIERS`, :data:`EVICTION_POLICIES`).

    Raises:
        ValueError: there is none of a name.
    """

    modifier: str = ""
    eviction: str = ""

    def __post_init__(self) -> None:
        for what, name, table in (
            ("cache modifier", self.modifier, CACHE_MODIFIERS),
            ("eviction policy", self.eviction, EVICTION_POLICIES),
        ):
            if name not in table:
                known = ", ".join(map(repr, table))
                raise ValueError(f"there is no {what} {name!r}; there are {known}")

    @property
    def properties(self) -> dict[str, IntegerAttr]:
        """The policy as properties of an op."""
        return {
            "cache": IntegerAttr(CACHE_MODIFIERS[self.modifier], i32),
            "evict": IntegerAttr(EVICTION_POLICIES[self.eviction], i32),
        }

    @staticmethod
    def of(op: LoadOp | StoreOp) -> CachePolicy:
        """The policy of an op.

        Raises:
            VerifyException: its properties are not in Triton's encoding.
        """
        found: list[str] = []
        for table, attribute in ((CACHE_MODIFIERS, op.cache), (EVICTION_POLICIES, op.evict)):
            names = [name for name, number in table.items() if number == attribute.value.data]
            if not names:
                raise VerifyException(f"{op.name}: there is no cache policy {attribute.value.data}")
            found += names
        return CachePolicy(*found)

    @property
    def text(self) -> str:
        """The custom syntax, behind an op's operands."""
        modifier = f" cacheModifier = {self.modifier[1:]}" if self.modifier else ""
        return modifier + (f" evictionPolicy = {self.eviction}" if self.eviction else "")

    @staticmethod
    def parse(parser: Parser) -> CachePolicy:
        """The inverse of :attr:`text`."""
        found: list[str] = []
        for keyword, table, prefix in (
            ("cacheModifier", CACHE_MODIFIERS, "."),
            ("evictionPolicy", EVICTION_POLICIES, ""),
        ):
            found.append("")
            if parser.parse_optional_keyword(keyword) is not None:
                parser.parse_punctuation("=")
                found[-1] = prefix + parser.parse_identifier()
                if found[-1] not in table:
                    parser.raise_error(f"{keyword} is none of {', '.join(filter(None, table))}")
        return CachePolicy(*found)


NO_POLICY = CachePolicy()


@irdl_op_definition
class LoadOp(IRDLOperation):
    """Load through pointers; where the mask is false ``other``, or unspecified.

    ```mlir
    %3 = tt.load %0, %1, %2 cacheModifier = cg evictionPolicy = evict_last volatile
        : tensor<128x!tt.ptr<f16>>
    ```
    """

    name = "tt.load"

    ptr = operand_def()
    mask = opt_operand_def()
    other = opt_operand_def()
    boundaryCheck = prop_def(DenseArrayBase)
    cache = prop_def(IntegerAttr)
    evict = prop_def(IntegerAttr)
    isVolatile = prop_def(BoolAttr)
    result = result_def()

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    traits = traits_def(EffectsOfLoad())

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
            properties={
                "boundaryCheck": DenseArrayBase.from_list(i32, []),
                **policy.properties,
                "isVolatile": BoolAttr.from_bool(volatile),
            },
            result_types=[pointee_of(ptr.type)],
        )

    def verify_(self) -> None:
        if self.result.type != pointee_of(self.ptr.type):
            raise VerifyException("tt.load: the result must be what the pointers point to")
        _check_mask(self, self.mask, self.ptr.type)
        if self.other is not None and (self.mask is None or self.other.type != self.result.type):
            raise VerifyException("tt.load: other needs a mask, and the result's type")
        _ = CachePolicy.of(self)

    @classmethod
    def parse(cls, parser: Parser) -> LoadOp:
        policy, volatile = NO_POLICY, False

        def behind() -> None:
            nonlocal policy, volatile
            policy = CachePolicy.parse(parser)
            volatile = parser.parse_optional_keyword("volatile") is not None

        def types(written: list[Attribute], count: int) -> list[Attribute]:
            type = written[0]
            return [type, block_of(shape_of(type), i1), pointee_of(type)][:count]

        values, attributes = parse_operands(parser, types, behind)
        op = cls(*values, policy=policy, volatile=volatile)
        op.attributes = attributes
        return op

    def print(self, printer: Printer) -> None:
        behind = CachePolicy.of(self).text
        if self.isVolatile.value.data:
            behind += " volatile"
        print_operands(printer, self, self.ptr.type, behind=behind)


@irdl_op_definition
class BarrierOp(IRDLOperation):
    """Barrier of the program's threads: accesses before it are done before any behind it begins.

    Triton's own op changed its name between 3.6 and 3.9; all of them take this one of MLIR's
    dialect ``gpu``.

    ```mlir
    gpu.barrier
    ```
    """

    name = "gpu.barrier"

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    assembly_format = "attr-dict"


def _check_mask(op: Operation, mask: SSAValue | None, pointers: Attribute) -> None:
    if mask is not None and mask.type != block_of(shape_of(pointers), i1):
        raise VerifyException(f"{op.name}: one bit of mask a pointer")


@irdl_op_definition
class StoreOp(IRDLOperation):
    """Store through pointers, where the mask is true.

    ```mlir
    tt.store %0, %1, %2 cacheModifier = wt evictionPolicy = evict_first : tensor<128x!tt.ptr<f16>>
    ```
    """

    name = "tt.store"

    ptr = operand_def()
    value = operand_def()
    mask = opt_operand_def()
    boundaryCheck = prop_def(DenseArrayBase)
    cache = prop_def(IntegerAttr)
    evict = prop_def(IntegerAttr)

    traits = traits_def(MemoryWriteEffect())

    def __init__(
        self,
        ptr: SSAValue,
        value: SSAValue,
        mask: SSAValue | None = None,
        policy: CachePolicy = NO_POLICY,
    ) -> None:
        super().__init__(
            operands=[ptr, value, mask],
            properties={"boundaryCheck": DenseArrayBase.from_list(i32, []), **policy.properties},
        )

    def verify_(self) -> None:
        if self.value.type != pointee_of(self.ptr.type):
            raise VerifyException("tt.store: the value must be what the pointers point to")
        _check_mask(self, self.mask, self.ptr.type)
        _ = CachePolicy.of(self)

    @classmethod
    def parse(cls, parser: Parser) -> StoreOp:
        policy = NO_POLICY

        def behind() -> None:
            nonlocal policy
            policy = CachePolicy.parse(parser)

        def types(written: list[Attribute], count: int) -> list[Attribute]:
            type = written[0]
            return [type, pointee_of(type), block_of(shape_of(type), i1)][:count]

        values, attributes = parse_operands(parser, types, behind)
        op = cls(*values, policy=policy)
        op.attributes = attributes
        return op

    def print(self, printer: Printer) -> None:
        print_operands(printer, self, self.ptr.type, behind=CachePolicy.of(self).text)
