"""Kernels, the sources of their parameters, and accesses."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from xdsl.dialects.builtin import (
    ArrayAttr,
    BoolAttr,
    FloatAttr,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    UnitAttr,
)
from xdsl.ir import Attribute, Operation, Region, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import IsolatedFromAbove, IsTerminator, NoTerminator, Pure, SymbolOpInterface
from xdsl.utils.exceptions import VerifyException

from ninetoothed.errors import CompilerError
from ninetoothed.ir.definitions import InvalidOpError, PureOp
from ninetoothed.ir.locations import place_of
from ninetoothed.ir.nt.attributes import (
    AccessAttr,
    CheckAttr,
    ExprAttr,
    ExprsAttr,
    Param,
    SymbolAttr,
    SymbolDecl,
    TensorType,
)
from ninetoothed.ir.nt.blocks import ReturnOp
from ninetoothed.ir.nt.jagged import Jagged, JaggedAttr, check_jagged
from ninetoothed.ir.nt.meta import MetaOperation
from ninetoothed.ir.nt.types import shape_of
from ninetoothed.layout import access as algebra
from ninetoothed.symbolic.expr import IndexExpr, sym
from ninetoothed.symbolic.intervals import Assumptions


@irdl_op_definition
class KernelOp(IRDLOperation):
    """A kernel: its symbols, the arrangement of its parameters and the application.

    The first region ends in ``nt.arranged``, the second takes one argument a parameter, its tile:
    the levels below the programs. ``checks``: what a call must satisfy. ``padded_sizes``: block
    sizes that only a call knows, each with the power of two that it is padded to. ``grid``: the
    number of programs, once they are scheduled.

    ```mlir
    nt.kernel @copy symbols [#nt.symbol<n size 0 to ?>] grid #nt.expr<n> arrange {
      %0 = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f16>
      nt.arranged %0 : !nt.tensor<[n] x f16>
    } apply {
    ^bb0(%x : !nt.tensor<[] x f16>):
      nt.return
    }
    ```
    """

    name = "nt.kernel"

    sym_name = prop_def(StringAttr)
    symbols = prop_def(ArrayAttr[SymbolAttr])
    checks = prop_def(ArrayAttr[CheckAttr])
    padded_sizes = prop_def(ArrayAttr[ExprsAttr])
    grid = opt_prop_def(ExprAttr)
    vacuous = opt_prop_def(ExprsAttr)
    arrange = region_def("single_block")
    apply = region_def("single_block")

    traits = traits_def(IsolatedFromAbove(), NoTerminator(), SymbolOpInterface())

    def __init__(
        self,
        name: str,
        symbols: Iterable[SymbolDecl],
        arrange: Region,
        apply: Region,
        padded_sizes: Iterable[tuple[IndexExpr, int]] = (),
    ) -> None:
        super().__init__(
            properties={
                "sym_name": StringAttr(name),
                "symbols": ArrayAttr(SymbolAttr(symbol) for symbol in symbols),
                "checks": ArrayAttr[CheckAttr]([]),
                "padded_sizes": ArrayAttr(
                    ExprsAttr.of(padded_size) for padded_size in padded_sizes
                ),
            },
            regions=[arrange, apply],
        )

    @property
    def declarations(self) -> list[SymbolDecl]:
        """The declarations of the symbols."""
        return [symbol.data for symbol in self.symbols]

    @property
    def assumptions(self) -> Assumptions:
        """The ranges of the symbols' values, by their declarations."""
        return {decl.name: decl.range for decl in self.declarations}

    @property
    def divisors(self) -> dict[str, int]:
        """What divides the symbols' values, by their declarations."""
        return {decl.name: decl.divisor for decl in self.declarations}

    @property
    def specialized(self) -> dict[str, int]:
        """The block sizes that the application is built for, by symbol; it is valid for all values
        of the others.
        """
        return {
            decl.name: decl.specialized
            for decl in self.declarations
            if decl.specialized is not None
        }

    @property
    def arranged(self) -> ArrangedOp:
        """The terminator of the arrangement."""
        last = self.arrange.block.last_op
        assert isinstance(last, ArrangedOp)
        return last

    @property
    def sources(self) -> list[SourceOp]:
        """The parameters' sources, in launch order."""
        found: list[SourceOp] = []
        for value in self.arranged.values:
            owner = value.owner
            while not isinstance(owner, SourceOp):
                assert isinstance(owner, MetaOperation | AccessOp)
                owner = owner.source.owner
            found.append(owner)
        return found

    @property
    def program_shape(self) -> tuple[IndexExpr, ...]:
        """The shape of the programs, the first tensor's outermost level; of a kernel of scalars
        only, none.
        """
        for value, source in zip(self.arranged.values, self.sources, strict=True):
            if source.kind.data == "tensor":
                return shape_of(value.type)
        return ()

    @property
    def longest(self) -> dict[str, IndexExpr]:
        """The longest sequence's length, by the symbol of each jagged parameter's length."""
        return {
            source.jagged.data.length: source.sizes[source.jagged.data.dim]
            for source in self.sources
            if source.jagged is not None
        }

    @property
    def padding(self) -> dict[IndexExpr, int]:
        """The padded sizes of block sizes that only a call knows."""
        result: dict[IndexExpr, int] = {}
        for padded_size in self.padded_sizes:
            size, rounded = padded_size.data
            assert rounded.value is not None
            result[size] = rounded.value
        return result

    def verify_(self) -> None:
        names = [decl.name for decl in self.declarations]
        for name in names:
            if names.count(name) > 1:
                raise VerifyException(f"nt.kernel: symbol {name} is declared twice")
        if not isinstance(self.arrange.block.last_op, ArrangedOp):
            raise VerifyException("nt.kernel: the arrangement must end in nt.arranged")
        if not isinstance(self.apply.block.last_op, ReturnOp):
            raise VerifyException("nt.kernel: the application must end in nt.return")
        types = [value.type for value in self.arranged.values]
        arguments = [argument.type for argument in self.apply.block.args]
        if len(types) != len(arguments):
            raise VerifyException(
                f"nt.kernel: {len(types)} tensors are arranged, the application takes "
                f"{len(arguments)}"
            )
        for op in self.arrange.block.ops:
            if not isinstance(op, SourceOp | MetaOperation | AccessOp | ArrangedOp):
                raise InvalidOpError(op, f"nt.kernel: the arrangement cannot hold {op.name}")
        for row in self.padded_sizes:
            if len(row.data) != 2 or row.data[1].value is None:
                raise VerifyException("nt.kernel: a padded size is a pair [size, number]")
        self._verify_tiles()

    def _verify_tiles(self) -> None:
        """Verify that tiles are referred to, and are no values: both have one type."""
        arguments = frozenset(self.apply.block.args)
        for op in self.apply.walk():
            ref: SSAValue | None = getattr(op, "ref", None)
            if ref is not None and ref not in arguments:
                raise InvalidOpError(
                    op, f"{op.name} refers to a value that is no argument of the application"
                )
            tiles = [value for value in op.operands if value in arguments]
            if tiles not in ([], [ref]):
                raise InvalidOpError(
                    op, f"{op.name} uses an argument of the application as a value; load it first"
                )

    @classmethod
    def parse(cls, parser: Parser) -> KernelOp:
        name = parser.parse_symbol_name()
        properties: dict[str, Attribute] = {
            "sym_name": name,
            "symbols": ArrayAttr[SymbolAttr]([]),
            "checks": ArrayAttr[CheckAttr]([]),
            "padded_sizes": ArrayAttr[ExprsAttr]([]),
        }
        for key in ("symbols", "checks", "padded_sizes", "grid", "vacuous"):
            if parser.parse_optional_keyword(key) is not None:
                properties[key] = parser.parse_attribute()
        attributes = parser.parse_optional_attr_dict_with_keyword()
        parser.parse_keyword("arrange")
        arrange = parser.parse_region()
        parser.parse_keyword("apply")
        apply = parser.parse_region()
        return KernelOp.create(
            properties=properties,
            attributes={} if attributes is None else attributes.data,
            regions=[arrange, apply],
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_symbol_name(self.sym_name.data)
        for key, value in (
            ("symbols", self.symbols),
            ("checks", self.checks),
            ("padded_sizes", self.padded_sizes),
        ):
            if value.data:
                printer.print_string(f" {key} ")
                printer.print_attribute(value)
        for key, value in (("grid", self.grid), ("vacuous", self.vacuous)):
            if value is not None:
                printer.print_string(f" {key} ")
                printer.print_attribute(value)
        printer.print_op_attributes(self.attributes, print_keyword=True)
        printer.print_string(" arrange ")
        printer.print_region(self.arrange)
        printer.print_string(" apply ")
        printer.print_region(self.apply)


@irdl_op_definition
class SourceOp(PureOp):
    """A parameter of the kernel: its name, sizes, strides in elements, and ``other``.

    ``kind``: ``"tensor"``, ``"scalar"`` (a number, by value) or ``"constexpr"`` (``value`` is baked
    in). ``aligned``: the data starts at a multiple of 16 bytes. ``jagged``: the size of that dim
    is the longest sequence's, and the batch, dim 0, has no stride. ``memory``: the alias set, named
    by a source, if that is another. ``repeated``: several of its indices are one place in memory.
    ``computed``: strides that are known to be equal to those, products of sizes or symbols of other
    sources, by which addresses are computed. ``packed``: the parameter's own strides, where the
    kernel reads a copy of it, with ``strides``, that a launch makes before (see
    ``nt-pack-operands``).

    ```mlir
    %0 = nt.source "x" "tensor" strides [x_stride_0] aligned false : !nt.tensor<[x_size_0] x f16>
    ```
    """

    name = "nt.source"

    param = prop_def(StringAttr)
    kind = prop_def(StringAttr)
    strides = prop_def(ExprsAttr)
    computed = opt_prop_def(ExprsAttr)
    packed = opt_prop_def(ExprsAttr)
    other = opt_prop_def(FloatAttr | IntegerAttr)
    value = opt_prop_def(FloatAttr | IntegerAttr)
    jagged = opt_prop_def(JaggedAttr)
    memory = opt_prop_def(StringAttr)
    repeated = opt_prop_def(UnitAttr)
    aligned = prop_def(BoolAttr)
    result = result_def(TensorType)

    assembly_format = (
        "$param $kind `strides` $strides (`computed` $computed^)? (`packed` $packed^)? "
        "(`other` $other^)? "
        "(`value` $value^)? (`jagged` $jagged^)? (`memory` $memory^)? (`repeated` $repeated^)? `aligned` $aligned "
        "attr-dict `:` type($result)"
    )

    def __init__(
        self,
        param: str,
        kind: str,
        type: TensorType,
        strides: Iterable[IndexExpr],
        other: FloatAttr | IntegerAttr | None = None,
        value: FloatAttr | IntegerAttr | None = None,
        aligned: bool = False,
        jagged: Jagged | None = None,
        memory: str | None = None,
        repeated: bool = False,
    ) -> None:
        properties: dict[str, Attribute] = {
            "param": StringAttr(param),
            "kind": StringAttr(kind),
            "strides": ExprsAttr.of(strides),
            "aligned": BoolAttr.from_bool(aligned),
        }
        if other is not None:
            properties["other"] = other
        if value is not None:
            properties["value"] = value
        if jagged is not None:
            properties["jagged"] = JaggedAttr(jagged)
        if memory is not None:
            properties["memory"] = StringAttr(memory)
        if repeated:
            properties["repeated"] = UnitAttr()
        super().__init__(properties=properties, result_types=[type])

    @property
    def sizes(self) -> tuple[IndexExpr, ...]:
        """The sizes; of a jagged dim, the longest sequence's."""
        return shape_of(self.result.type)

    @property
    def decl(self) -> Param:
        """The parameter, as a launch binds it."""
        names = self.param.data, self.kind.data
        strides = self.strides.data if self.packed is None else self.packed.data
        if self.jagged is None:
            return Param(*names, self.sizes, strides)
        jagged = self.jagged.data
        return Param(*names, self.sizes, strides, jagged.offsets, jagged.dim)

    @property
    def own(self) -> tuple[str, IndexExpr] | None:
        """The symbol of a jagged source's longest length, and the program's own length."""
        if self.jagged is None:
            return None
        longest = self.sizes[self.jagged.data.dim]
        # A size that is a number has no symbol, and guards have the length already.
        return (longest.args[0], sym(self.jagged.data.length)) if longest.op == "sym" else None

    def verify_(self) -> None:
        type = self.result.type
        assert isinstance(type, TensorType)
        if self.kind.data not in ("tensor", "scalar", "constexpr"):
            raise VerifyException(f"nt.source: there is no kind {self.kind.data}")
        if (self.value is not None) != (self.kind.data == "constexpr"):
            raise VerifyException("nt.source: a constexpr, and nothing else, has a value")
        if isinstance(type.element_type, TensorType):
            raise VerifyException("nt.source: the type must have one level")
        if len(self.strides.data) != len(type.sizes):
            raise VerifyException(
                f"nt.source: {len(self.strides.data)} strides for {len(type.sizes)} dims"
            )
        if self.computed is not None and len(self.computed.data) != len(type.sizes):
            raise VerifyException(
                f"nt.source: {len(self.computed.data)} computed strides for {len(type.sizes)} dims"
            )
        if self.packed is not None:
            self._verify_packed(self.packed, len(type.sizes))
        if self.jagged is not None:
            check_jagged(self.jagged.data, type.sizes, self.strides.data)

    def _verify_packed(self, packed: ExprsAttr, ndim: int) -> None:
        if len(packed.data) != ndim:
            raise VerifyException(f"nt.source: {len(packed.data)} packed strides for {ndim} dims")
        if self.kind.data != "tensor" or self.jagged is not None or self.computed is not None:
            raise VerifyException(
                "nt.source: only a tensor is packed, without sequences and computed strides"
            )


@irdl_op_definition
class AccessOp(PureOp):
    """An access of a source: the composition of a chain of meta-operations.

    ```mlir
    %1 = nt.access %0 <[[n ceildiv 64], [64]] -> [b0 + g0 * 64] if [[b0 + g0 * 64, n]]>
        : !nt.tensor<[n] x f16> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f16>>
    ```
    """

    name = "nt.access"

    source = operand_def(TensorType)
    access = prop_def(AccessAttr)
    result = result_def(TensorType)

    assembly_format = "$source $access attr-dict `:` type($source) `->` type($result)"

    def __init__(self, source: SSAValue | Operation, access: AccessAttr) -> None:
        source = SSAValue.get(source)
        assert isinstance(source.type, TensorType)
        result = TensorType.nested(access.data.levels, source.type.scalar)
        super().__init__(operands=[source], properties={"access": access}, result_types=[result])

    def verify_(self) -> None:
        source, result = self.source.type, self.result.type
        assert isinstance(source, TensorType)
        assert isinstance(result, TensorType)
        if len(self.access.data.indices) != len(source.sizes):
            raise VerifyException(
                f"nt.access: {len(self.access.data.indices)} indices for {len(source.sizes)} dims"
            )
        expected = TensorType.nested(self.access.data.levels, source.scalar)
        if expected != result:
            raise VerifyException(f"nt.access: the result must have type {expected}, not {result}")


@irdl_op_definition
class ArrangedOp(IRDLOperation):
    """The arranged tensors, in the order of the kernel's parameters.

    ```mlir
    nt.arranged %1 : !nt.tensor<[n ceildiv B] x !nt.tensor<[B] x f16>>
    ```
    """

    name = "nt.arranged"

    values = var_operand_def(TensorType)

    traits = traits_def(IsTerminator(), Pure())

    assembly_format = "($values^ `:` type($values))? attr-dict"

    def __init__(self, values: Sequence[SSAValue | Operation]) -> None:
        super().__init__(operands=[values])


def kernel_of(module: ModuleOp) -> KernelOp:
    """The only kernel of a module."""
    (kernel,) = module.body.ops
    assert isinstance(kernel, KernelOp)
    return kernel


def chain(value: SSAValue) -> tuple[SourceOp, list[MetaOperation]]:
    """The source of an arranged value and its chain of meta-operations, in order."""
    ops: list[MetaOperation] = []
    owner = value.owner
    while isinstance(owner, MetaOperation):
        ops.append(owner)
        owner = owner.source.owner
    if isinstance(owner, AccessOp):
        raise CompilerError(
            "an arrangement with nt.access is composed already; what follows its meta-operations "
            "comes before that",
            place_of(owner.location),
        )
    assert isinstance(owner, SourceOp)
    return owner, ops[::-1]


def access_of(value: SSAValue, assumptions: Assumptions) -> tuple[SourceOp, AccessAttr]:
    """The source and the access of an arranged value, composed or not."""
    owner = value.owner
    if isinstance(owner, AccessOp):
        source = owner.source.owner
        assert isinstance(source, SourceOp)
        return source, owner.access
    source, ops = chain(value)
    operations = [op.algebra for op in ops]
    access = algebra.compose(source.sizes, operations, assumptions, source.own)
    return source, AccessAttr(access)
