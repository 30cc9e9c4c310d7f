"""Cost analysis: a kernel's memory traffic and work, over sizes and block sizes.

Counted are the programs, the blocks that each reads and writes in each iteration of its loops, the
dots and other operations on lanes, and what is live at once. Nothing here knows a device:
``runtime.tuning.model`` estimates times from it. What only a run shows is assumed: a loop of
unknown trip count has :data:`ASSUMED_ITERATIONS`, a length of which data tell, and that is divided
into blocks, is :data:`ASSUMED_LENGTH`, and of two branches each runs every other time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue

from ninetoothed.artifacts.signature import Signature
from ninetoothed.compiler.liveness import is_accumulated, live_blocks
from ninetoothed.dtype import DTYPES
from ninetoothed.ir import nt
from ninetoothed.layout.access import index_names
from ninetoothed.passes.analysis.contiguity import contiguity
from ninetoothed.passes.analysis.scalars import known_scalar
from ninetoothed.symbolic.expr import (
    IndexExpr,
    as_expr,
    binary,
    const,
    substitute,
    sym,
    symbol_names,
)
from ninetoothed.symbolic.normal_form import normalize

ASSUMED_ITERATIONS = 16
ASSUMED_LENGTH = 1024

Sizes = tuple[IndexExpr, ...]

_SPECIAL = frozenset(
    (
        *("exp", "exp2", "log", "log2", "sqrt", "rsqrt", "sin", "cos", "erf", "tanh", "sigmoid"),
        *("truediv", "fdiv", "div_rn", "sqrt_rn", "pow"),
    )
)
_DIVISIONS = frozenset(("floordiv", "mod", "cdiv"))
_DIVISION_OPERATIONS = 20
"""Instructions of a division of integers."""
_EXTERN_OPERATIONS = 20
"""Instructions of a function of a library, or of inline assembly: a guess."""


@dataclass(frozen=True)
class Lanes:
    """A block: its sizes, not padded, and the bytes of a lane."""

    sizes: Sizes
    bytes: int


@dataclass(frozen=True)
class GuardRange:
    """Range of a guard's index, ``lower`` to ``upper``, of which ``size`` indices are valid."""

    lower: IndexExpr
    upper: IndexExpr
    size: IndexExpr


@dataclass(frozen=True)
class Stream:
    """Blocks of one parameter that are read or written in each iteration of a scope.

    ``param``: its number, or None where a pointer may point anywhere. ``dims``: the grid's dims
    that select the elements. ``unit``: the block's dim along which lanes are contiguous.
    ``is_wide``: proved to be aligned, so that a thread moves 16 bytes at once. ``lane_guards``: the
    guards that are evaluated for each lane, since they are over several of the block's dims.
    ``is_awaited``: it is loaded, for no dot, and used in the same iteration.
    """

    param: int | None
    kind: str
    lanes: Lanes
    guard_ranges: tuple[GuardRange, ...] = ()
    dims: tuple[int, ...] = ()
    unit: int | None = None
    is_wide: bool = False
    lane_guards: int = 0
    is_awaited: bool = False


@dataclass(frozen=True)
class Dot:
    """Matrix multiplication in each iteration of a scope: ``kind`` names the units that do it."""

    kind: str
    m: IndexExpr
    n: IndexExpr
    k: IndexExpr
    batch: Sizes = ()


@dataclass(frozen=True)
class Buffer:
    """Operand of a dot in shared memory; ``is_ahead``: prefetched, stages ahead."""

    lanes: Lanes
    is_ahead: bool


@dataclass(frozen=True)
class Scope:
    """Work of one iteration of a loop, or of the code outside of loops.

    ``iterations``: the trip counts of the loops around, whose product is that of the scope;
    ``probability``: that of the branches around. ``operations`` and ``special`` are sizes of
    blocks, each with the operations a lane; ``special`` are the transcendental functions.
    ``exchanges``: how often all threads exchange lanes. ``buffers``: operands of dots. ``live``:
    sets of blocks that are in registers at once.
    """

    iterations: Sizes
    probability: float
    streams: tuple[Stream, ...]
    dots: tuple[Dot, ...]
    operations: tuple[tuple[Sizes, int], ...]
    special: tuple[tuple[Sizes, int], ...]
    exchanges: int
    buffers: tuple[Buffer, ...]
    live: tuple[tuple[Lanes, ...], ...]


@dataclass(frozen=True)
class Counted:
    """Counts of a kernel."""

    grid: Sizes
    scopes: tuple[Scope, ...]
    blocks: tuple[Lanes, ...]


def count(module: ModuleOp, signature: Signature) -> Counted:
    """Count the work of a kernel, from its module in stage ``composed``."""
    kernel = nt.kernel_of(module)
    return _Counter(kernel, signature).result()


def fixed_sizes(kernel: nt.KernelOp, signature: Signature) -> dict[str, IndexExpr]:
    """Values of symbols for all calls: constants, and for a sequence's length the longest."""
    constants = {name: const(value) for name, value in signature.constants}
    return {**kernel.longest, **constants}


def blocks_of(kernel: nt.KernelOp, fixed: Mapping[str, IndexExpr]) -> tuple[Lanes, ...]:
    """The blocks that a program computes, each once."""
    types = dict.fromkeys(result.type for op in kernel.apply.walk() for result in op.results)
    found = (_lanes(type, fixed) for type in types if _is_block(type))
    return tuple(dict.fromkeys(found))


@dataclass
class _Open:
    """Scope under construction."""

    iterations: Sizes
    probability: float
    loop: Operation | None
    streams: list[Stream] = field(default_factory=list[Stream])
    dots: list[Dot] = field(default_factory=list[Dot])
    operations: dict[Sizes, int] = field(default_factory=dict[Sizes, int])
    special: dict[Sizes, int] = field(default_factory=dict[Sizes, int])
    exchanges: int = 0
    buffers: dict[object, Buffer] = field(default_factory=dict[object, Buffer])
    live: list[tuple[Lanes, ...]] = field(default_factory=list[tuple[Lanes, ...]])

    def closed(self) -> Scope:
        return Scope(
            self.iterations,
            self.probability,
            tuple(self.streams),
            tuple(self.dots),
            tuple(self.operations.items()),
            tuple(self.special.items()),
            self.exchanges,
            tuple(self.buffers.values()),
            _largest(self.live),
        )


class _Counter:
    def __init__(self, kernel: nt.KernelOp, signature: Signature) -> None:
        self._kernel = kernel
        self._fixed = fixed_sizes(kernel, signature)
        self._contiguity = contiguity(kernel, signature)
        self._accesses = [
            nt.access_of(value, kernel.assumptions)[1].data for value in kernel.arranged.values
        ]
        self._for_dots = _loaded_for_dots(kernel)
        self._typical: dict[SSAValue, IndexExpr] = {}
        self._scopes: list[_Open] = []
        self._live = live_blocks(kernel.apply.block)

    def result(self) -> Counted:
        self._count(self._kernel.apply.block, self._open((), 1.0, None))
        return Counted(
            self._sizes(self._kernel.program_shape),
            tuple(scope.closed() for scope in self._scopes),
            blocks_of(self._kernel, self._fixed),
        )

    def _open(self, iterations: Sizes, probability: float, loop: Operation | None) -> _Open:
        scope = _Open(iterations, probability, loop)
        self._scopes.append(scope)
        return scope

    def _sizes(self, sizes: Iterable[IndexExpr]) -> Sizes:
        return _substituted(sizes, self._fixed)

    def _lanes(self, type: Attribute) -> Lanes:
        return _lanes(type, self._fixed)

    def _count(self, block: Block, scope: _Open) -> None:
        for types in self._live[block]:
            scope.live.append(tuple(sorted(map(self._lanes, types), key=str)))
        for op in block.ops:
            if isinstance(op, scf.ForOp):
                self._count_loop(op, scope)
            elif isinstance(op, scf.WhileOp):
                iterations = (*scope.iterations, const(ASSUMED_ITERATIONS))
                inner = self._open(iterations, scope.probability, op)
                for region in op.regions:
                    self._count(region.block, inner)
            elif isinstance(op, scf.IfOp):
                inner = self._open(scope.iterations, scope.probability / 2, scope.loop)
                for region in op.regions:
                    for branch in region.blocks:
                        self._count(branch, inner)
            else:
                self._count_op(op, scope)

    def _count_loop(self, op: scf.ForOp, scope: _Open) -> None:
        ends = [self.typical(end) for end in (op.lb, op.ub, op.step)]
        lower, upper, step = ends
        iterations: IndexExpr = const(ASSUMED_ITERATIONS)
        if lower is not None and upper is not None and step is not None and step.value != 0:
            iterations = binary("ceildiv", normalize(upper - lower), step)
        middle = None if lower is None else normalize(lower + iterations // 2 * as_expr(step or 1))
        if middle is not None:
            self._typical[op.body.block.args[0]] = middle
        inner = self._open((*scope.iterations, iterations), scope.probability, op)
        self._count(op.body.block, inner)

    def typical(self, value: SSAValue) -> IndexExpr | None:
        """Typical value of an integer as an expression over sizes: in the middle program and
        iteration.
        """
        if value not in self._typical:
            found = self._typical_of(value)
            if found is None:
                return None
            self._typical[value] = substitute(found, self._fixed)
        return self._typical[value]

    def _typical_of(self, value: SSAValue) -> IndexExpr | None:
        known = known_scalar(value)
        if known is not None:
            return known
        match value.owner:
            case nt.CastOp() as op:
                return self.typical(op.value)
            case nt.ElementwiseOp() as op if op.function.data in _SCALARS:
                found = [self.typical(argument) for argument in op.arguments]
                if found[0] is None and op.function.data in _QUOTIENTS:
                    found[0] = const(ASSUMED_LENGTH)
                if len(found) == 2 and found[0] is not None and found[1] is not None:
                    return binary(_SCALARS[op.function.data], found[0], found[1])
            case nt.OffsetsOp() as op if not op.dims and op.source_dim is not None:
                return self._middle(op.ref, op.indices, op.source_dim)
            case nt.LoadOp() as op if isinstance(op.ref, BlockArgument):
                source = self._kernel.sources[op.ref.index]
                if source.kind.data == "scalar" and nt.dtype_of(op.result.type)[0] in "iu":
                    return sym(source.param.data)
            case _:
                pass
        return None

    def _middle(self, ref: SSAValue, given: Sequence[SSAValue], dim: int) -> IndexExpr | None:
        """Index along a source's dim of a block's first lane, for the middle program."""
        assert isinstance(ref, BlockArgument)
        access = self._accesses[ref.index]
        values: dict[str, IndexExpr] = {}
        indices = iter(given)
        for level, names in enumerate(index_names(access.levels)):
            for name, size in zip(names, access.levels[level], strict=True):
                if level == len(access.levels) - 1:
                    values[name] = const(0)
                elif level == 0:
                    values[name] = (size - 1) // 2
                else:
                    found = self.typical(next(indices))
                    if found is None:
                        return None
                    values[name] = found
        return substitute(access.indices[dim], values)

    def _count_op(self, op: Operation, scope: _Open) -> None:
        match op:
            case nt.LoadOp() | nt.StoreOp():
                self._count_access(op, scope)
            case nt.PointerLoadOp() | nt.PointerStoreOp() | nt.AtomicOp() | nt.AtomicCasOp():
                self._count_pointers(op, scope)
            case nt.DotOp():
                self._count_dot(op, scope)
            case nt.DotScaledOp():
                self._count_scaled(op, scope)
            case nt.ElementwiseOp():
                self._count_elementwise(op, scope)
            case nt.InlineAsmOp():
                self._add(scope.operations, op.results, _EXTERN_OPERATIONS)
            case nt.CastOp() | nt.OffsetsOp() | nt.AddressOp() | nt.GuardOp() | nt.AddPtrOp():
                self._add(scope.operations, op.results[:1], 1)
            case nt.SortOp() | nt.HistogramOp():
                # A bitonic network: about (log2 n)² / 2 steps, for the 10 bits of a usual block.
                self._add(scope.operations, op.operands[:1], 100)
                scope.exchanges += 30
            case nt.ReduceOp() | nt.ReduceByOp():
                self._add(scope.operations, op.operands, 2 if isinstance(op, nt.ReduceByOp) else 1)
                scope.exchanges += 1
            case nt.ScanOp() | nt.ScanByOp():
                self._add(scope.operations, op.operands, 4)
                scope.exchanges += 1
            case nt.GatherOp() | nt.FlipOp() | nt.JoinOp() | nt.SplitOp() | nt.ReshapeOp():
                self._add(scope.operations, op.results, 2)
                scope.exchanges += 1
            case nt.BarrierOp():
                scope.exchanges += 1
            case _:
                pass

    def _add(self, counts: dict[Sizes, int], values: Iterable[SSAValue], times: int) -> None:
        for value in values:
            if _is_block(value.type):
                sizes = self._lanes(value.type).sizes
                counts[sizes] = counts.get(sizes, 0) + times

    def _count_elementwise(self, op: nt.ElementwiseOp, scope: _Open) -> None:
        function = op.function.data
        if function == "add" and any(map(is_accumulated, op.arguments)):
            # A dot accumulates at no cost.
            return
        if function in _SPECIAL:
            self._add(scope.special, op.results, 1)
        scalar = nt.dtype_of(nt.scalar_of(op.results[0].type))
        times = 1
        if function in _DIVISIONS and scalar[0] in "iu":
            times = _DIVISION_OPERATIONS
        elif scalar == "fp64":
            times = 2
        elif "." in function:
            times = _EXTERN_OPERATIONS
        self._add(scope.operations, op.results, times)

    def _count_access(self, op: nt.LoadOp | nt.StoreOp, scope: _Open) -> None:
        ref = op.ref
        assert isinstance(ref, BlockArgument)
        if self._kernel.sources[ref.index].kind.data != "tensor":
            return
        kind = "load" if isinstance(op, nt.LoadOp) else "store"
        scope.streams.append(replace(self._stream(ref.index, kind), is_awaited=self._awaited(op)))

    def _stream(self, param: int, kind: str) -> Stream:
        access = self._accesses[param]
        source = self._kernel.sources[param]
        names = index_names(access.levels)
        ranges: dict[str, tuple[IndexExpr, IndexExpr]] = {}
        for row, sizes in zip(names, access.levels, strict=True):
            for name, size in zip(row, sizes, strict=True):
                ranges[name] = (const(0), size - 1)
        guard_ranges: dict[GuardRange, None] = {}
        for guard in access.guards:
            lower, upper = span(guard.index, ranges)
            ends = self._sizes((lower, upper, guard.size))
            guard_ranges[GuardRange(*ends)] = None
        used = symbol_names(*access.indices)
        dims = tuple(dim for dim, name in enumerate(names[0]) if name in used)
        sizes = access.levels[-1] if len(access.levels) > 1 else ()
        lanes = Lanes(self._sizes(sizes), lane_bytes(nt.scalar_of(source.result.type)))
        near = self._contiguity[param]
        lane_guards = sum(
            sum(name in symbol_names(guard.index) for name in names[-1]) > 1
            for guard in access.guards
        )
        return Stream(
            param, kind, lanes, tuple(guard_ranges), dims, near.dim, near.is_wide, lane_guards
        )

    def _count_pointers(
        self,
        op: nt.PointerLoadOp | nt.PointerStoreOp | nt.AtomicOp | nt.AtomicCasOp,
        scope: _Open,
    ) -> None:
        kind = "store" if isinstance(op, nt.PointerStoreOp) else "atomic"
        kind = "load" if isinstance(op, nt.PointerLoadOp) else kind
        pointer = op.ptr.type
        lanes = Lanes(
            self._sizes(nt.shape_of(pointer)), lane_bytes(nt.scalar_of(nt.pointee_of(pointer)))
        )
        # Lanes mostly point to contiguous elements.
        unit = len(lanes.sizes) - 1 if lanes.sizes else None
        awaited = self._awaited(op)
        scope.streams.append(Stream(None, kind, lanes, unit=unit, is_awaited=awaited))

    def _awaited(self, op: Operation) -> bool:
        """True if an iteration waits for what it loads, though operands of dots are prefetched."""
        if not isinstance(op, nt.LoadOp | nt.PointerLoadOp) or op in self._for_dots:
            return False
        return any(not isinstance(use.operation, scf.YieldOp) for use in op.results[0].uses)

    def _count_dot(self, op: nt.DotOp, scope: _Open) -> None:
        a, b = self._lanes(op.a.type), self._lanes(op.b.type)
        *batch, m, k = a.sizes
        precision = None if op.precision is None else op.precision.data
        kind = _kind(nt.dtype_of(nt.scalar_of(op.a.type)), precision)
        scope.dots.append(Dot(kind, m, b.sizes[-1], k, tuple(batch)))
        self._buffers((op.a, op.b), scope)

    def _count_scaled(self, op: nt.DotScaledOp, scope: _Open) -> None:
        a, result = self._lanes(op.a.type), self._lanes(op.results[0].type)
        m, n = result.sizes[-2:]
        scope.dots.append(Dot("fp16", m, n, a.sizes[-1], result.sizes[:-2]))
        self._buffers((op.a, op.b), scope)

    def _buffers(self, operands: Sequence[SSAValue], scope: _Open) -> None:
        """Add the operands of a dot in shared memory. One block that is loaded is one buffer,
        however often it is read, and transposed or masked; a left operand that is computed stays in
        registers.
        """
        for position, operand in enumerate(operands):
            origins = _origins(operand)
            loads = [op for op in origins if not isinstance(op, nt.AnyDotOp)]
            is_loaded = len(loads) == len(origins)
            if position == 0 and not is_loaded:
                continue
            is_ahead = (
                isinstance(scope.loop, scf.ForOp)
                and is_loaded
                and any(_loop(load) is scope.loop and self._is_asynchronous(load) for load in loads)
            )
            key: object = operand
            if len(origins) == 1 and isinstance(load := origins[0], nt.LoadOp):
                key = (load.ref, *load.indices)
            scope.buffers[key] = Buffer(self._lanes(operand.type), is_ahead)

    def _is_asynchronous(self, op: Operation) -> bool:
        """True if a load may be asynchronous, past the registers: at least four bytes a thread are
        contiguous.
        """
        if not isinstance(op, nt.LoadOp) or not isinstance(op.ref, BlockArgument):
            return isinstance(op, nt.PointerLoadOp)
        wide = self._contiguity[op.ref.index].is_wide
        return wide or lane_bytes(nt.scalar_of(op.result.type)) >= 4


_SCALARS = {
    **{name: name for name in ("add", "sub", "mul", "floordiv", "mod")},
    **{"minimum": "min", "maximum": "max", "cdiv": "ceildiv"},
}


_QUOTIENTS = frozenset(("floordiv", "cdiv"))


def _largest(sets: Iterable[tuple[Lanes, ...]]) -> tuple[tuple[Lanes, ...], ...]:
    """Maximal sets: those that no other contains."""
    counts = [(blocks, Counter(blocks)) for blocks in dict.fromkeys(sets)]
    return tuple(blocks for blocks, own in counts if not any(own < other for _, other in counts))


def _substituted(sizes: Iterable[IndexExpr], fixed: Mapping[str, IndexExpr]) -> Sizes:
    return tuple(substitute(size, fixed) for size in sizes)


def _lanes(type: Attribute, fixed: Mapping[str, IndexExpr]) -> Lanes:
    return Lanes(_substituted(nt.shape_of(type), fixed), lane_bytes(nt.scalar_of(type)))


def _is_block(type: Attribute) -> bool:
    return isinstance(type, nt.TensorType) and not isinstance(type.element_type, nt.TensorType)


def lane_bytes(scalar: Attribute) -> int:
    """Bytes of one lane."""
    return 8 if nt.is_pointer(scalar) else max(DTYPES[nt.dtype_of(scalar)].bits // 8, 1)


def _kind(dtype: str, precision: str | None) -> str:
    """Units of a dot: an element type of tensor cores, or ``"fma"``, the ordinary units."""
    if dtype == "fp64" or (dtype == "fp32" and precision == "ieee"):
        return "fma"
    if dtype == "fp32":
        return "tf32x3" if precision == "tf32x3" else "tf32"
    return "fp8" if dtype.startswith("fp8") else "i8" if dtype in ("i8", "u8") else "fp16"


def _loop(op: Operation) -> Operation | None:
    """Innermost loop around an op."""
    parent = op.parent_op()
    while parent is not None and not isinstance(parent, scf.ForOp | scf.WhileOp):
        parent = parent.parent_op()
    return parent


def _origins(value: SSAValue) -> list[Operation]:
    """Loads and dots that a value is computed from."""
    found: dict[Operation, None] = {}
    seen: set[SSAValue] = set()
    open_values = [value]
    while open_values:
        value = open_values.pop()
        if value in seen or not isinstance(op := value.owner, Operation):
            continue
        seen.add(value)
        if isinstance(op, nt.LoadOp | nt.PointerLoadOp | nt.AnyDotOp):
            found[op] = None
        else:
            open_values.extend(op.operands)
    return list(found)


def _loaded_for_dots(kernel: nt.KernelOp) -> set[Operation]:
    """Loads from which operands of dots are computed, or the places where those are loaded from."""
    found: set[Operation] = set()
    seen: set[SSAValue] = set()
    dots = [op for op in kernel.apply.walk() if isinstance(op, nt.AnyDotOp)]
    # What it is added to is none.
    open_values = [value for op in dots for value in op.operands if value != op.acc]
    while open_values:
        value = open_values.pop()
        op = value.owner
        if value in seen or not isinstance(op, Operation) or isinstance(op, nt.AnyDotOp):
            continue
        seen.add(value)
        if isinstance(op, nt.LoadOp | nt.PointerLoadOp):
            found.add(op)
        open_values.extend(op.operands)
    return found


def span(
    expr: IndexExpr, ranges: Mapping[str, tuple[IndexExpr, IndexExpr]]
) -> tuple[IndexExpr, IndexExpr]:
    """Symbolic bounds of an expression, where sizes and strides are not negative."""
    if expr.op == "const":
        return expr, expr
    if expr.op == "sym":
        return ranges.get(expr.args[0], (expr, expr))
    lows, highs = zip(*(span(operand, ranges) for operand in expr.args), strict=True)
    match expr.op:
        case "neg":
            return -highs[0], -lows[0]
        case "sub":
            return lows[0] - highs[1], highs[0] - lows[1]
        case "mul" if any(operand.value is not None and operand.value < 0 for operand in expr.args):
            return highs[0] * highs[1], lows[0] * lows[1]
        case "floordiv" | "ceildiv":
            return binary(expr.op, lows[0], highs[1]), binary(expr.op, highs[0], lows[1])
        case "mod":
            return const(0), highs[1] - 1
        case _:
            return binary(expr.op, lows[0], lows[1]), binary(expr.op, highs[0], highs[1])
