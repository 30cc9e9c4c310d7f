"""Program ids and indices, the pointers of parameters, and scratch memory."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import (
    I64,
    IndexType,
    IntegerAttr,
    IntegerType,
    StringAttr,
    UnitAttr,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    AnyAttr,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    var_result_def,
)
from xdsl.utils.exceptions import VerifyException

from ninetoothed.ir.definitions import PureOp
from ninetoothed.ir.nt.attributes import ExprAttr, ExprsAttr, GuardsAttr, TensorType
from ninetoothed.ir.tt.types import PointerType, scalar_of
from ninetoothed.symbolic.expr import IndexExpr, minimum, product


@irdl_op_definition
class ProgramIdOp(PureOp):
    """The program id: the number of this program among those that run, from 0; with ``last``, that
    of the last one, counted down from there.

    ``persistent``: fewer programs are launched, each of which is to do the work of several, one
    after the other, and the id is that of each of these (see ``nt-persist-programs``).

    ```mlir
    %pid = nt.program_id persistent last <n ceildiv 64 - 1> : index
    ```
    """

    name = "nt.program_id"

    persistent = opt_prop_def(UnitAttr)
    last = opt_prop_def(ExprAttr)
    result = result_def(IndexType | IntegerType)

    assembly_format = "(`persistent` $persistent^)? (`last` $last^)? attr-dict `:` type($result)"

    def __init__(
        self, type: IndexType | IntegerType | None = None, last: ExprAttr | None = None
    ) -> None:
        super().__init__(
            properties={} if last is None else {"last": last}, result_types=[type or IndexType()]
        )


@irdl_op_definition
class ProgramIndexOp(PureOp):
    """The outermost index of this program: ``program`` unravelled, row-major, over ``sizes``.

    With ``grouped``, the two innermost dims are unravelled by groups of so many rows: programs go
    down the rows of a group, and then on to its next column.

    ```mlir
    %g0, %g1 = nt.program_index %pid [m ceildiv 64, n ceildiv 64] grouped 8 : index, index
    ```
    """

    name = "nt.program_index"

    program = operand_def(IndexType)
    sizes = prop_def(ExprsAttr)
    grouped = opt_prop_def(IntegerAttr[I64])
    results_ = var_result_def(IndexType)

    assembly_format = "$program $sizes (`grouped` $grouped^)? attr-dict (`:` type($results_)^)?"

    def __init__(self, program: SSAValue | Operation, sizes: ExprsAttr, grouped: int = 1) -> None:
        super().__init__(
            operands=[program],
            properties={"sizes": sizes}
            | ({"grouped": IntegerAttr(grouped, i64)} if grouped > 1 else {}),
            result_types=[[IndexType()] * len(sizes.data)],
        )

    def verify_(self) -> None:
        if len(self.results) != len(self.sizes.data):
            raise VerifyException("nt.program_index: one result a size")
        if self.grouped is not None and (self.rows_of_group < 2 or len(self.results) < 2):
            raise VerifyException("nt.program_index: groups have 2 rows or more, of two dims")

    @property
    def rows_of_group(self) -> int:
        """The rows of a group; 1: there are no groups."""
        return 1 if self.grouped is None else self.grouped.value.data

    def indices(self, program: IndexExpr) -> tuple[IndexExpr, ...]:
        """The results, as expressions over ``program`` and the sizes."""
        sizes = self.sizes.data
        found = [
            program // product(sizes[dim + 1 :]) % size if dim else program // product(sizes[1:])
            for dim, size in enumerate(sizes)
        ]
        if self.rows_of_group > 1:
            rows, columns = sizes[-2:]
            inner = program % (rows * columns) if len(sizes) > 2 else program
            group = columns * self.rows_of_group
            first = inner // group * self.rows_of_group
            height = minimum(rows - first, self.rows_of_group)
            found[-2:] = [first + inner % group % height, inner % group // height]
        return tuple(found)


@irdl_op_definition
class HoldsOp(PureOp):
    """True in a program in which all of ``guards`` hold: pairs of an index and its upper bound, over
    the program's outermost indices and sizes.

    ```mlir
    %more = nt.holds [[g1 * 64, length]] : i1
    ```
    """

    name = "nt.holds"

    guards = prop_def(GuardsAttr)
    result = result_def(IntegerType(1))

    assembly_format = "$guards attr-dict `:` type($result)"

    def __init__(self, guards: GuardsAttr) -> None:
        super().__init__(properties={"guards": guards}, result_types=[IntegerType(1)])


class _Number(PureOp):
    """Base class of numbers of programs."""

    result = result_def(IntegerType(32))

    assembly_format = "attr-dict `:` type($result)"

    def __init__(self) -> None:
        super().__init__(result_types=[IntegerType(32)])


@irdl_op_definition
class ProgramNumberOp(_Number):
    """The number of this program in the row-major order of the outermost level, from 0, in any
    schedule.

    ```mlir
    %0 = nt.program_number : i32
    ```
    """

    name = "nt.program_number"


@irdl_op_definition
class ProgramCountOp(_Number):
    """The number of programs, one an element of the outermost level.

    ```mlir
    %0 = nt.program_count : i32
    ```
    """

    name = "nt.program_count"


@irdl_op_definition
class PointerOp(PureOp):
    """The pointer to the first element of a parameter.

    ```mlir
    %p = nt.pointer %x : !nt.tensor<[B] x f16> -> !tt.ptr<f16>
    ```
    """

    name = "nt.pointer"

    ref = operand_def(TensorType)
    result = result_def()

    assembly_format = "$ref attr-dict `:` type($ref) `->` type($result)"

    def __init__(self, ref: SSAValue, type: Attribute) -> None:
        super().__init__(operands=[ref], result_types=[type])


@irdl_op_definition
class ScratchOp(PureOp):
    """The pointer to scratch memory, which a launch has beside its parameters: ``count`` elements
    for each of its programs, which all of them see. They hold 0 at first if ``zeroed``, else
    anything. Ops of one name are of one memory.

    ```mlir
    %p = nt.scratch "arrivals" 1 zeroed : !tt.ptr<i32>
    ```
    """

    name = "nt.scratch"

    memory = prop_def(StringAttr)
    count = prop_def(IntegerAttr[I64])
    zeroed = opt_prop_def(UnitAttr)
    result = result_def(PointerType)

    assembly_format = "$memory $count (`zeroed` $zeroed^)? attr-dict `:` type($result)"

    def __init__(self, memory: str, count: int, scalar: Attribute, zeroed: bool = False) -> None:
        super().__init__(
            properties={
                "memory": StringAttr(memory),
                "count": IntegerAttr(count, i64),
                **({"zeroed": UnitAttr()} if zeroed else {}),
            },
            result_types=[PointerType(scalar)],
        )

    def verify_(self) -> None:
        if self.count.value.data < 1:
            raise VerifyException("nt.scratch: a program has at least one element")


@irdl_op_definition
class QuotientOp(PureOp):
    """The quotient of an address's number, which is at least 0, by a number that the host computes,
    rounded down. A divisor below 1 counts as 1: no lane that exists is divided by it.

    ```mlir
    %1 = nt.quotient %0 by <n ceildiv 2> : tensor<64xi32>
    ```
    """

    name = "nt.quotient"

    _T: ClassVar = VarConstraint("_T", AnyAttr())

    value = operand_def(_T)
    divisor = prop_def(ExprAttr)
    result = result_def(_T)

    assembly_format = "$value `by` $divisor attr-dict `:` type($result)"

    def __init__(self, value: SSAValue, divisor: ExprAttr) -> None:
        properties = {"divisor": divisor}
        super().__init__(operands=[value], properties=properties, result_types=[value.type])

    def verify_(self) -> None:
        if scalar_of(self.result.type) != i32:
            raise VerifyException("nt.quotient: the number must be an integer of 32 bits")
