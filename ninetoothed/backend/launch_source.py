"""Host functions of a launch, as Python source over the kernel's parameters.

Each function is flat and binds only the sizes and strides that it reads. One function does all that
a launch of a new shape needs, and reads each tensor once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import BlockArgument, OpResult, SSAValue

from ninetoothed.artifacts.reciprocals import multiplier
from ninetoothed.backend.device_function import (
    argument_attributes,
    argument_number,
    argument_source,
    checks,
    device_function,
    grid,
    packed_parameters,
    params,
    vacuous,
)
from ninetoothed.backend.names import NameTable
from ninetoothed.errors import CompilerError
from ninetoothed.ir.diagnostics import fail
from ninetoothed.ir.locations import place_of
from ninetoothed.ir.nt.attributes import Param
from ninetoothed.ir.tt import (
    AddPtrOp,
    AtomicCASOp,
    AtomicRMWOp,
    BitcastOp,
    BroadcastOp,
    DescriptorLoadOp,
    DescriptorStoreOp,
    ExpandDimsOp,
    FuncOp,
    LoadOp,
    MakeTensorDescOp,
    PointerType,
    SelectOp,
    SplatOp,
    StoreOp,
    TensorDescType,
    TransOp,
    integer_bits,
)
from ninetoothed.symbolic.expr import IndexExpr, python_text, substitute, sym, symbol_names


def launch_source(module: ModuleOp) -> str:
    """Source that defines ``launch`` over the kernel's parameters (see ``Artifact``); where a check
    is about outermost levels, also ``agrees``, and ``is_undefined`` where another is about lanes
    without a value; and ``is_full`` where guards can be left out.

    A size or stride that is a symbol no earlier parameter has binds that symbol; any other must be
    equal to what the tensor has.

    Raises:
        CompilerError: the function says too little of its launch; at its location.
    """
    function = device_function(module)
    try:
        host = _Host(function)
        return "\n\n".join(
            [*host.imports(), host.launch(), *host.classify(), *host.vacuous(), *host.packed()]
        )
    except CompilerError as error:
        error.loc = error.loc or place_of(function.location)
        raise


_Place = tuple[int, str, int]
"""Where a number is read: the parameter, "shape", "stride" or "offsets", and the dim."""


class Binding:
    """Binding of a kernel's symbols to its parameters' sizes and strides, in Python source.

    ``names``: of the parameters. ``taken``: names that stand for something else in the source.
    """

    def __init__(self, params: Sequence[Param], taken: Iterable[str] = ()) -> None:
        self._params = params
        # The names that stand in the source: of symbols first, since expressions print them.
        table = NameTable(("min", "max", *taken))
        self._symbols: dict[str, str] = {}
        # Where a symbol's value comes from.
        self._sources: dict[str, _Place] = {}
        # What must be equal to something else.
        self._checked: dict[_Place, IndexExpr] = {}
        for place, expr in self._entries():
            if expr.op == "sym" and (name := str(expr.args[0])) not in self._sources:
                self._sources[name] = place
                self._symbols[name] = table.unique(name)
            else:
                self._checked[place] = expr
        self.names = [table.unique(param.name) for param in self._params]
        for param, name in zip(self._params, self.names, strict=True):
            if param.kind != "tensor" and param.name not in self._sources:
                self._symbols[param.name] = name
        self._read = {
            place: table.unique(f"{self._params[place[0]].name}_{place[1]}_{place[2]}")
            for place in self._checked
        }

    def _entries(self) -> Iterable[tuple[_Place, IndexExpr]]:
        for index, param in enumerate(self._params):
            for kind, exprs in (("shape", param.sizes), ("stride", param.strides)):
                for dim, expr in enumerate(exprs):
                    # The batch of a jagged tensor has no stride.
                    if kind == "shape" or dim > 0 or param.offsets is None:
                        yield (index, kind, dim), expr
            if param.offsets is not None:
                yield (index, "offsets", 0), sym(param.offsets)

    def text(self, expr: IndexExpr) -> str:
        """``expr`` as Python source, for a place between commas."""
        return str(self.spelled(expr))

    def spelled(self, expr: IndexExpr) -> IndexExpr:
        names = {name: sym(self._spell(name)) for name in symbol_names(expr)}
        if any(name != new.args[0] for name, new in names.items()):
            expr = substitute(expr, names)
        return expr

    def _spell(self, name: str) -> str:
        if name not in self._symbols:
            raise CompilerError(f"no size, stride or scalar of a call gives the symbol {name!r}")
        return self._symbols[name]

    def bind(self, exprs: Iterable[IndexExpr], checked: bool = False) -> list[str]:
        """Statements that bind the symbols of ``exprs``, and what is ``checked``, too."""
        wanted: dict[tuple[int, str], dict[int, str]] = {}
        for name in symbol_names(*exprs):
            self._spell(name)
            if name in self._sources:
                index, kind, dim = self._sources[name]
                wanted.setdefault((index, kind), {})[dim] = self._symbols[name]
        if checked:
            for (index, kind, dim), name in self._read.items():
                wanted.setdefault((index, kind), {})[dim] = name
        lines: list[str] = []
        for (index, kind), dims in sorted(wanted.items()):
            value = f"{self.names[index]}.{kind}"
            if kind == "offsets":
                lines.append(f"{dims[0]} = {value}")
                continue
            # All at once: each reading makes a new tuple.
            param = self._params[index]
            count = len(param.sizes if kind == "shape" else param.strides)
            names = ", ".join(dims.get(dim, "_") for dim in range(count))
            lines.append(f"[{names}] = {value}{'()' if kind == 'stride' else ''}")
        return lines


class _Host(Binding):
    def __init__(self, function: FuncOp) -> None:
        count = len(function.body.block.args)
        sources = [argument_source(function, index) for index in range(count)]
        self._reciprocals = dict.fromkeys(name for kind, name in sources if kind == "nt.reciprocal")
        super().__init__(params(function), ("left", "right", *self._reciprocals))
        self._function = function

    def imports(self) -> list[str]:
        """What the functions call."""
        if not self._reciprocals:
            return []
        return [f"from {multiplier.__module__} import {', '.join(self._reciprocals)}\n"]

    def _define(self, name: str, lines: Iterable[str]) -> str:
        body = "".join(f"    {line}\n" for line in lines)
        return f"def {name}({', '.join(self.names)}):\n{body}"

    def launch(self) -> str:
        body: list[str] = []
        arguments, symbols = self._arguments()
        exprs = [grid(self._function), *symbols, *self._checked.values()]
        for place, expr in self._checked.items():
            index, kind, dim = place
            read, wanted = self._read[place], self._operand(expr)
            message = f"{_read_text(self._params[index].name, kind, dim)} is {{}}, but must be {{}}"
            body.append(f"if {read} != {wanted}:")
            body.append(f"    return {message!r}.format({read}, {wanted}), 0, ()")
        for check in checks(self._function):
            exprs.extend((*check.left, *check.right))
            condition = self._differ(check.left, check.right)
            if not condition:
                continue
            left, right = self._tuple(check.left), self._tuple(check.right)
            # Only who is told of it waits for the text.
            replace = f'.replace("{{left}}", str({left})).replace("{{right}}", str({right}))'
            body.append(f"if {condition}:")
            body.append(f"    return {check.message!r}{replace}, 0, ()")
        programs = f"max(0, {self.text(grid(self._function))})"
        result = f"return None, {programs}, ({''.join(f'{text}, ' for text in arguments)})"
        return self._define("launch", [*self.bind(exprs, checked=True), *body, result])

    def _operand(self, expr: IndexExpr) -> str:
        return python_text(self.spelled(expr))

    def _differ(self, left: Sequence[IndexExpr], right: Sequence[IndexExpr]) -> str:
        """Condition that is true where two tuples differ; empty where none does."""
        if len(left) != len(right):
            return "True"
        # What divides may divide by 0, which is told.
        pairs = [(a, b) for a, b in zip(left, right, strict=True) if a != b or a.operands]
        return " or ".join(self._differs(a, b) for a, b in pairs)

    def _differs(self, left: IndexExpr, right: IndexExpr) -> str:
        others = [one for one in right.operands if one != left]
        # So a bound is written; Python's min takes longer than a comparison.
        if right.op == "min" and len(others) == 1:
            return f"{self._operand(left)} > {self._operand(others[0])}"
        return f"{self._operand(left)} != {self._operand(right)}"

    def classify(self) -> list[str]:
        """The functions that tell a laxer class's calls from others, where there is one. They are
        called after a check failed.
        """
        found = checks(self._function)
        if not any(check.agreement for check in found):
            return []
        # Another class stores other lanes.
        counted = [check for check in found if not check.defined]
        exprs = [expr for check in counted for expr in (*check.left, *check.right)]
        pairs: dict[bool, list[str]] = {True: [], False: []}
        for check in counted:
            pair = f"{self._tuple(check.left)} == {self._tuple(check.right)}"
            pairs[check.agreement].append(pair)
        others = f" or not ({' and '.join(pairs[False])})" if pairs[False] else ""
        returned = f"return {' and '.join(pairs[True])}{others}"
        functions = [self._define("agrees", [*self.bind(exprs), returned])]
        if len(counted) < len(found):
            returned = f"return {' and '.join((*pairs[True], *pairs[False]))}"
            functions.append(self._define("is_undefined", [*self.bind(exprs), returned]))
        return functions

    def vacuous(self) -> list[str]:
        """The function that tells the calls in which all guards hold, if they can be told."""
        found = vacuous(self._function)
        if not found:
            return []
        texts = " and ".join(map(self._at_most_0, found))
        return [self._define("is_full", [*self.bind(found), f"return {texts}"])]

    def packed(self) -> list[str]:
        """The function that gives the shape and strides of packed copies, if there are any."""
        found = packed_parameters(self._function)
        if not found:
            return []
        rows = [(one.sizes, one.strides) for one in found]
        texts = (f"({self._tuple(sizes)}, {self._tuple(strides)}), " for sizes, strides in rows)
        bound = self.bind(expr for pair in rows for row in pair for expr in row)
        return [self._define("packed", [*bound, f"return ({''.join(texts)})"])]

    def _at_most_0(self, excess: IndexExpr) -> str:
        if excess.op == "mod":
            return f"{self.text(excess)} == 0"
        return f"{self.text(excess)} <= 0"

    def _arguments(self) -> tuple[list[str], list[IndexExpr]]:
        """The device function's arguments as source, but for scratch memory, and the symbols among
        them.
        """
        positions = {param.name: index for index, param in enumerate(self._params)}
        texts: list[str] = []
        used: list[IndexExpr] = []
        for index, value in enumerate(self._function.body.block.args):
            kind, name = argument_source(self._function, index)
            if kind == "nt.scratch":
                continue
            if kind == "nt.symbol":
                used.append(sym(name))
                text = self.text(used[-1])
            elif kind == "nt.reciprocal":
                used.append(argument_number(self._function, index, "nt.divisor"))
                text = f"{name}({self.text(used[-1])})"
            elif kind == "nt.of_descriptor":
                used.append(argument_number(self._function, index, "nt.number"))
                text = self.text(used[-1])
            elif name in positions:
                text = self.names[positions[name]]
                if "nt.unsigned" in argument_attributes(self._function)[index]:
                    text = _signed(text, integer_bits(value.type))
            else:
                message = f"argument {index} of the device function is no parameter: {name!r}"
                raise fail(self._function, message, CompilerError)
            is_memory = isinstance(value.type, PointerType | TensorDescType)
            texts.append(f"{text}.data_ptr()" if is_memory else text)
        return texts, used

    def _tuple(self, exprs: tuple[IndexExpr, ...]) -> str:
        texts = [self.text(expr) for expr in exprs]
        return f"({texts[0]},)" if len(texts) == 1 else f"({', '.join(texts)})"


def _signed(text: str, bits: int) -> str:
    """An unsigned number as the signed one of the same bits, as which a launch passes it."""
    half = 1 << (bits - 1)
    return f"({text} + {half}) % {2 * half} - {half}"


def _read_text(name: str, kind: str, dim: int) -> str:
    if kind == "offsets":
        return f"{name}.offsets"
    return f"{name}.shape[{dim}]" if kind == "shape" else f"{name}.stride({dim})"


def reads_writes(module: ModuleOp) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names of the parameters that a program loads from and stores to, in launch order; what is
    updated is both.

    Raises:
        CompilerError: a pointer comes from something that cannot be traced.
    """
    function = device_function(module)
    order = [param.name for param in params(function)]
    reads = _parameters(function, (LoadOp, DescriptorLoadOp, AtomicRMWOp, AtomicCASOp))
    writes = _parameters(function, (StoreOp, DescriptorStoreOp, AtomicRMWOp, AtomicCASOp))
    return (
        tuple(name for name in order if name in reads),
        tuple(name for name in order if name in writes),
    )


_BoxAccess = DescriptorLoadOp | DescriptorStoreOp
_Access = LoadOp | StoreOp | AtomicRMWOp | AtomicCASOp | _BoxAccess


def _parameters(function: FuncOp, kinds: tuple[type[_Access], ...]) -> set[str]:
    found: set[int] = set()
    seen: set[SSAValue] = set()
    for op in function.walk():
        if isinstance(op, kinds):
            pointer = op.desc if isinstance(op, _BoxAccess) else op.ptr
            _trace(pointer, function, found, seen)
    sources = (argument_source(function, index) for index in found)
    return {name for kind, name in sources if kind in ("nt.param", "nt.descriptor")}


def _trace(value: SSAValue, function: FuncOp, found: set[int], seen: set[SSAValue]) -> None:
    """Adds to ``found`` the arguments of ``function`` that ``value`` may come from."""
    if value in seen:
        return
    seen.add(value)
    for source in _sources(value, function):
        if isinstance(source, int):
            found.add(source)
        else:
            _trace(source, function, found, seen)


def _sources(value: SSAValue, function: FuncOp) -> list[SSAValue | int]:
    if isinstance(value, BlockArgument):
        owner = value.block.parent_op()
        if owner is function:
            return [value.index]
        if isinstance(owner, scf.ForOp) and value.index > 0:
            carried = value.index - 1
            return [owner.iter_args[carried], _yielded(owner, 0, carried)]
        if isinstance(owner, scf.WhileOp):
            if value.block is owner.after_region.block:
                return [_yielded(owner, 0, value.index)]
            return [owner.arguments[value.index], _yielded(owner, 1, value.index)]
    elif isinstance(value, OpResult):
        match value.op:
            case AddPtrOp():
                return [value.op.ptr]
            case MakeTensorDescOp():
                return [value.op.base]
            case BitcastOp() | SplatOp() | BroadcastOp() | ExpandDimsOp() | TransOp():
                return [value.op.src]
            case SelectOp():
                return [value.op.lhs, value.op.rhs]
            case scf.ForOp():
                return [value.op.iter_args[value.index], _yielded(value.op, 0, value.index)]
            case scf.WhileOp():
                return [_yielded(value.op, 0, value.index)]
            case scf.IfOp():
                return [_yielded(value.op, branch, value.index) for branch in (0, 1)]
            case _:
                pass
    op = value.op if isinstance(value, OpResult) else function
    message = f"cannot tell which parameter the pointer that {op.name} gives belongs to"
    raise fail(op, message, CompilerError)


def _yielded(op: scf.ForOp | scf.WhileOp | scf.IfOp, region: int, index: int) -> SSAValue:
    """The value at ``index`` that a region yields."""
    end = op.regions[region].block.last_op
    if isinstance(end, scf.ConditionOp):
        return end.args[index]
    assert isinstance(end, scf.YieldOp)
    return end.arguments[index]
