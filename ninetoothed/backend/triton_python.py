"""A module of the stage ``tt`` as a Triton kernel that a person can read.

Each value is a text (:class:`Expr`) that either got a name in a statement or waits to stand in the
one op that uses it. A text only waits within its block, and names are never assigned twice, but for
what a loop carries: such a name is assigned anew where nothing reads the old value any more, else
at the loop's end.
"""

from __future__ import annotations

import linecache
import re
from collections.abc import Sequence

from xdsl.dialects import scf
from xdsl.dialects.builtin import CallSiteLoc, FileLineColLoc, IntegerAttr, IntegerType, ModuleOp
from xdsl.ir import Attribute, Block, Operation, OpResult, Region, SSAValue

from ninetoothed.backend.device_function import argument_names, device_function
from ninetoothed.backend.expression import ATOM, POSTFIX, Expr, converted, exact, typed
from ninetoothed.backend.layout import comment, lines_of
from ninetoothed.backend.names import NameTable
from ninetoothed.backend.reductions import COMMON, common_combination
from ninetoothed.backend.spelling import spell
from ninetoothed.errors import CompilerError, Loc
from ninetoothed.ir import tt

_FIT = 80
_WAIT = 48
_ALIASES = (tt.SplatOp, tt.BroadcastOp)
_I32 = IntegerType(32)
_NAMES = {
    "tt.get_program_id": "pid",
    "tt.make_range": "lanes",
    "tt.addptr": "ptrs",
    "tt.load": "value",
    "tt.atomic_rmw": "before",
    "tt.atomic_cas": "before",
    "tt.dot": "product",
    "tt.reduce": "total",
    "arith.cmpi": "mask",
    "arith.cmpf": "mask",
}
_CACHE = {2: ".ca", 3: ".cg", 4: ".wb", 5: ".cs", 6: ".wt", 7: ".cv"}
_EVICT = {2: "evict_first", 3: "evict_last"}
_LOOP_OPTIONS = {
    "tt.num_stages": "num_stages",
    "tt.loop_unroll_factor": "loop_unroll_factor",
    "tt.disallow_acc_multi_buffer": "disallow_acc_multi_buffer",
    "tt.flatten": "flatten",
    "tt.warp_specialize": "warp_specialize",
}


def emit_triton_python(module: ModuleOp) -> str:
    """Source of a ``@triton.jit`` function that computes what ``module`` does.

    Raises:
        CompilerError: an op has no spelling.
    """
    function = device_function(module)
    arguments = argument_names(function)
    name = function.sym_name.data
    helpers = Helpers(name)
    writer = Writer(NameTable([name, *helpers.reserved(function), *arguments]), helpers)
    for value, argument in zip(function.body.block.args, arguments, strict=True):
        writer.bind(value, argument)
    writer.block(function.body.block)
    kernel = [
        "@triton.jit",
        *lines_of("", "def ", f"{name}({', '.join(arguments)})", ":"),
        *(writer.lines or ["    pass"]),
    ]
    sources = ["import triton\nimport triton.language as tl", *helpers.sources, "\n".join(kernel)]
    return "\n\n\n".join(sources) + "\n"


class Helpers:
    """The combinations of a kernel's reductions that are functions of their own."""

    def __init__(self, kernel: str) -> None:
        self.sources: list[str] = []
        self._names: dict[str, str] = {}
        self._table = NameTable([kernel])
        self._assigned: dict[Operation, str] = {}

    def reserved(self, function: tt.FuncOp) -> list[str]:
        """The names of the helpers of ``function``, which it must not use for its own values."""
        for op in function.walk():
            if isinstance(op, tt.ReduceOp) and common_combination(op) is None:
                self._assigned[op] = self._define(op)
        return list(self._names.values())

    def name(self, op: tt.ReduceOp) -> str:
        """The helper that combines for ``op``."""
        return self._assigned[op]

    def _define(self, op: tt.ReduceOp) -> str:
        block = op.combine.block
        table = NameTable()
        writer = Writer(table, self)
        half = len(block.args) // 2
        arguments: list[str] = []
        for index, argument in enumerate(block.args):
            side = "left" if index < half else "right"
            wanted = side if half == 1 else f"{side}{index % half}"
            arguments.append(table.unique(argument.name_hint or wanted))
            writer.bind(argument, arguments[-1])
        writer.block(block)
        body = "\n".join([f"({', '.join(arguments)}):", *writer.lines])
        if body not in self._names:
            first = block.first_op
            wanted = "combine"
            if first is not None and first.next_op is block.last_op:
                wanted += "_" + first.name.split(".")[-1]
            name = self._names[body] = self._table.unique(wanted)
            self.sources.append(f"@triton.jit\ndef {name}{body}")
        return self._names[body]


class Writer:
    """Writes the statements of one function."""

    def __init__(self, names: NameTable, helpers: Helpers) -> None:
        self.lines: list[str] = []
        self._names = names
        self._helpers = helpers
        self._indent = "    "
        self._exprs: dict[SSAValue, Expr] = {}
        # Values whose texts are no names yet, in the order of their ops.
        self._waiting: dict[SSAValue, None] = {}
        # What the texts of the statement or value at hand have taken from the waiting ones.
        self._taken: dict[SSAValue, None] = {}
        # Where results must go: a loop's carried names, a branch's results.
        self._targets: list[tuple[Operation | None, list[str]]] = []
        self._place: tuple[str, int] | None = None

    def bind(self, value: SSAValue, name: str) -> None:
        """``value`` is called ``name``."""
        shape, scalar = tt.shape_of(value.type), tt.scalar_of(value.type)
        self._exprs[value] = Expr(name, ATOM, shape, scalar)

    # The operands of a spelling.

    def expr(self, value: SSAValue) -> Expr:
        """The text of ``value``."""
        if value in self._waiting:
            self._taken[value] = None
        return self._exprs[value]

    def atom(self, value: SSAValue) -> Expr:
        """A name or a number that is ``value``."""
        if self._exprs[value].literal is None and value in self._waiting:
            self._name_waiting(value)
        return self._exprs[value]

    # Blocks.

    def block(self, block: Block) -> None:
        """Writes the ops of ``block``."""
        for op in block.ops:
            match op:
                case tt.StoreOp():
                    self._store(op)
                case tt.AtomicRMWOp() | tt.AtomicCASOp() if op.result.first_use is None:
                    self._update(op)
                case scf.ForOp():
                    self._for(op)
                case scf.IfOp():
                    self._if(op)
                case scf.YieldOp():
                    self._yield(op)
                case tt.ReduceReturnOp():
                    self._return(op)
                case tt.ReturnOp():
                    pass
                case _:
                    if any(result.first_use is not None for result in op.results):
                        self._value(op)

    def _region(self, region: Region, targets: tuple[Operation | None, list[str]]) -> None:
        """Writes a nested region, whose results go to ``targets``."""
        outer, start = self._indent, len(self.lines)
        self._indent += "    "
        self._targets.append(targets)
        if region.blocks:
            self.block(region.block)
        self._targets.pop()
        if not any(not line.lstrip().startswith("#") for line in self.lines[start:]):
            self.lines.append(f"{self._indent}pass")
        self._indent = outer

    # Values.

    def _value(self, op: Operation) -> None:
        if len(op.results) > 1:
            self._reduce_many(op)
            return
        (result,) = op.results
        if isinstance(op, _ALIASES) and not self._may_wait(result):
            # The text will stand in several places.
            self.atom(op.src)
        self._taken = {}
        expr = self._spell(op)
        if expr.precedence == ATOM or expr.literal is not None:
            self._exprs[result] = expr
        elif self._may_wait(result) and _is_cheap(op) and len(expr.text) <= _WAIT:
            self._take()
            self._exprs[result] = expr
            self._waiting[result] = None
        else:
            self._assign(result, op)

    def _spell(self, op: Operation) -> Expr:
        if isinstance(op, tt.LoadOp):
            return self._load(op)
        if isinstance(op, tt.ReduceOp):
            return self._reduce(op)
        return spell(self, op)

    def _may_wait(self, value: OpResult) -> bool:
        """Whether ``value`` is used once, and in its own block."""
        uses = list(value.uses)
        return len(uses) == 1 and uses[0].operation.parent is value.op.parent

    def _take(self) -> None:
        for value in self._taken:
            self._waiting.pop(value, None)
        self._taken = {}

    def _name_waiting(self, value: SSAValue) -> None:
        taken, self._taken = self._taken, {}
        name = self._unique(value)
        expr = typed(self._exprs[value])
        self._statement(f"{name} = ", expr.text, _op_of(value))
        self._waiting.pop(value)
        self._exprs[value] = Expr(name, ATOM, expr.shape, expr.scalar)
        self._taken = {one: None for one in taken if one != value}

    def _assign(self, value: SSAValue, op: Operation) -> None:
        """Gives ``value`` a name, the one that it must go to if that is free."""
        target = self._target(value, op)
        name = target or self._unique(value)
        while True:
            self._taken = {}
            expr = self._spell(op)
            if target is not None:
                # Loops and branches need the whole shape.
                expr = exact(expr, tt.shape_of(value.type))
            if not self._shorten(f"{name} = {expr.text}"):
                break
        self._take()
        self._statement(f"{name} = ", expr.text, op)
        self._exprs[value] = Expr(name, ATOM, expr.shape, expr.scalar)

    def _shorten(self, line: str) -> bool:
        """Gives a name to the longest text taken, if ``line`` is too long; whether it did."""
        if len(self._indent) + len(line) < _FIT or not self._taken:
            return False
        longest = max(self._taken, key=lambda value: len(self._exprs[value].text))
        self._name_waiting(longest)
        return True

    def _unique(self, value: SSAValue) -> str:
        hint = value.name_hint
        if hint is None:
            owner = value.owner
            hint = _NAMES.get(owner.name, "v") if isinstance(owner, Operation) else "v"
        return self._names.unique(hint)

    def _statement(self, prefix: str, text: str, op: Operation | None, suffix: str = "") -> None:
        loc = None if op is None else _user_loc(op.location)
        if loc is not None and (loc.file, loc.line) != self._place:
            self._place = (loc.file, loc.line)
            source = linecache.getline(loc.file, loc.line).strip()
            self.lines.append(comment(self._indent, loc, source))
        self.lines.extend(lines_of(self._indent, prefix, text, suffix))

    # Memory.

    def _load(self, op: tt.LoadOp) -> Expr:
        shape, scalar = tt.shape_of(op.result.type), tt.scalar_of(op.result.type)
        arguments = [exact(self.expr(op.ptr), shape).text]
        if op.mask is not None:
            arguments.append(f"mask={self.expr(op.mask).text}")
        if op.other is not None:
            arguments.append(f"other={converted(self.expr(op.other)).text}")
        arguments.extend(_policy(op.cache, op.evict))
        if op.isVolatile.value.data:
            arguments.append("volatile=True")
        return Expr(f"tl.load({', '.join(arguments)})", POSTFIX, shape, scalar)

    def _store(self, op: tt.StoreOp) -> None:
        shape = tt.shape_of(op.value.type)
        while True:
            self._taken = {}
            arguments = [exact(self.expr(op.ptr), shape).text, converted(self.expr(op.value)).text]
            if op.mask is not None:
                arguments.append(f"mask={self.expr(op.mask).text}")
            arguments.extend(_policy(op.cache, op.evict))
            text = f"tl.store({', '.join(arguments)})"
            if not self._shorten(text):
                break
        self._take()
        self._statement("", text, op)

    def _update(self, op: tt.AtomicRMWOp | tt.AtomicCASOp) -> None:
        while True:
            self._taken = {}
            text = spell(self, op).text
            if not self._shorten(text):
                break
        self._take()
        self._statement("", text, op)

    # Reductions.

    def _reduce(self, op: tt.ReduceOp) -> Expr:
        (source,) = op.srcs
        operand = exact(self.expr(source), tt.shape_of(source.type))
        shape, scalar = tt.shape_of(op.results[0].type), tt.scalar_of(source.type)
        axis = op.axis.value.data
        common = common_combination(op)
        if common is not None:
            text = f"{COMMON[common]}({operand.text}, axis={axis})"
        else:
            text = f"tl.reduce({operand.text}, {axis}, {self._helpers.name(op)})"
        return Expr(text, POSTFIX, shape, scalar)

    def _reduce_many(self, op: Operation) -> None:
        if not isinstance(op, tt.ReduceOp):
            raise CompilerError(f"{op.name} has no spelling in Triton-Python")
        names = [self._unique(result) for result in op.results]
        self._taken = {}
        values = [exact(self.expr(source), tt.shape_of(source.type)).text for source in op.srcs]
        self._take()
        text = f"tl.reduce(({', '.join(values)}), {op.axis.value.data}, {self._helpers.name(op)})"
        self._statement(f"{', '.join(names)} = ", text, op)
        for result, name in zip(op.results, names, strict=True):
            self.bind(result, name)

    def _return(self, op: tt.ReduceReturnOp) -> None:
        self._taken = {}
        texts = [exact(self.expr(value), ()).text for value in op.values]
        self._take()
        self._statement("return ", ", ".join(texts), op)

    # Control flow.

    def _for(self, op: scf.ForOp) -> None:
        block = op.body.block
        induction, *arguments = block.args
        names: list[str] = []
        for argument, start, result in zip(arguments, op.iter_args, op.results, strict=True):
            hint = argument.name_hint or result.name_hint or start.name_hint
            names.append(self._names.unique(hint or "carried"))
            self._taken = {}
            expr = exact(self.expr(start), tt.shape_of(start.type))
            self._take()
            self._statement(f"{names[-1]} = ", expr.text, op)
            self.bind(argument, names[-1])
        counter = self._names.unique(induction.name_hint or "k")
        self._taken = {}
        bounds = self._range(op)
        self._take()
        self._statement(f"for {counter} in ", bounds, op, ":")
        self.bind(induction, counter)
        self._region(op.body, (op, names))
        for result, name in zip(op.results, names, strict=True):
            self.bind(result, name)

    def _range(self, op: scf.ForOp) -> str:
        bounds = [self.expr(bound) for bound in (op.lb, op.ub, op.step)]
        if all(bound.literal is not None for bound in bounds) and bounds[0].scalar != _I32:
            # Numbers alone would count in int32.
            bounds[1] = typed(bounds[1])
        texts = [bound.text for bound in bounds]
        if texts[2] == "1":
            texts.pop()
            if texts[0] == "0":
                texts.pop(0)
        options = [
            f"{keyword}={_option(op.attributes[name])}"
            for name, keyword in _LOOP_OPTIONS.items()
            if name in op.attributes
        ]
        return f"{'tl.range' if options else 'range'}({', '.join([*texts, *options])})"

    def _if(self, op: scf.IfOp) -> None:
        names = [self._unique(result) for result in op.results]
        self._taken = {}
        condition = self.expr(op.cond).text
        self._take()
        self._statement("if ", condition, op, ":")
        self._region(op.true_region, (None, names))
        if op.results or (op.false_region.blocks and len(op.false_region.block.ops) > 1):
            self.lines.append(f"{self._indent}else:")
            self._region(op.false_region, (None, names))
        for result, name in zip(op.results, names, strict=True):
            self.bind(result, name)

    def _yield(self, op: scf.YieldOp) -> None:
        _, names = self._targets[-1]
        moves: list[tuple[str, str]] = []
        self._taken = {}
        for name, value in zip(names, op.arguments, strict=True):
            text = exact(self.expr(value), tt.shape_of(value.type)).text
            if text != name:
                moves.append((name, text))
        self._take()
        # All values are read before any name changes.
        late: list[tuple[str, str]] = []
        for index, (name, text) in enumerate(moves):
            if any(_mentions(later, name) for _, later in moves[index + 1 :]):
                late.append((name, self._names.unique(f"next_{name}")))
                name = late[-1][1]
            self._statement(f"{name} = ", text, op)
        for name, text in late:
            self._statement(f"{name} = ", text, op)

    def _target(self, value: SSAValue, op: Operation) -> str | None:
        """The name that ``value`` goes to at the end of its block, if it may have it already."""
        use = value.get_user_of_unique_use()
        if not self._targets or not isinstance(use, scf.YieldOp) or use.parent is not op.parent:
            return None
        loop, names = self._targets[-1]
        index = list(use.operands).index(value)
        if isinstance(loop, scf.ForOp):
            argument = loop.body.block.args[index + 1]
            if self._read_later(argument, op):
                return None
            spare = self._taken_by(op)
            for waiting in self._waiting:
                if waiting not in spare and _mentions(self._exprs[waiting].text, names[index]):
                    return None
        return names[index]

    def _taken_by(self, op: Operation) -> dict[SSAValue, None]:
        self._taken = {}
        self._spell(op)
        return self._taken

    def _read_later(self, value: SSAValue, op: Operation) -> bool:
        """Whether the block of ``op`` reads ``value`` after it, itself or under another name."""
        for use in value.uses:
            user = use.operation
            place = user
            while place.parent is not op.parent and (outer := place.parent_op()) is not None:
                place = outer
            if place is not op and op.is_before_in_block(place):
                return True
            if isinstance(user, _ALIASES) and self._read_later(user.result, op):
                return True
        return False


def _is_cheap(op: Operation) -> bool:
    return not isinstance(op, tt.LoadOp | tt.AtomicRMWOp | tt.AtomicCASOp | tt.DotOp | tt.ReduceOp)


def _mentions(text: str, name: str) -> bool:
    return re.search(rf"\b{re.escape(name)}\b", text) is not None


def _op_of(value: SSAValue) -> Operation | None:
    owner = value.owner
    return owner if isinstance(owner, Operation) else None


def _option(attr: Attribute) -> str:
    return str(attr.value.data) if isinstance(attr, IntegerAttr) else "True"


def _policy(cache: IntegerAttr, evict: IntegerAttr) -> Sequence[str]:
    found: list[str] = []
    if (modifier := _CACHE.get(cache.value.data)) is not None:
        found.append(f'cache_modifier="{modifier}"')
    if (policy := _EVICT.get(evict.value.data)) is not None:
        found.append(f'eviction_policy="{policy}"')
    return found


def _user_loc(location: Attribute) -> Loc | None:
    """The user's line: of an inlined function, its own."""
    while isinstance(location, CallSiteLoc):
        location = location.callee
    if isinstance(location, FileLineColLoc):
        return Loc(location.filename.data, location.line.data, location.column.data)
    return None
