"""A module of the stage ``tt`` as a Triton kernel that a person can read.

Each value is a text (:class:`Expr`) that either got a name in a statement or waits to stand in the
one op that uses it. A text only waits within its block, and names are never assigned twice, but for
what a loop carries: such a name is assigned anew where nothing reads the old value any more, else
at the loop's end.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial

from xdsl.dialects import scf
from xdsl.dialects.builtin import IntegerAttr, IntegerType, ModuleOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from ninetoothed.backend.device_function import argument_names, device_function
from ninetoothed.backend.expression import ATOM, POSTFIX, Expr, converted, exact, typed
from ninetoothed.backend.layout import lines_of
from ninetoothed.backend.names import NameTable
from ninetoothed.backend.reductions import common_combination, fold_text
from ninetoothed.backend.spelling import spell
from ninetoothed.backend.spelling.extern import declarations, imports
from ninetoothed.backend.texts import Texts
from ninetoothed.ir import tt

_COSTLY = (tt.LoadOp, tt.DotOp, tt.ReduceOp, tt.ScanOp, tt.HistogramOp)
_WAIT = 48
_ALIASES = (tt.SplatOp, tt.BroadcastOp)
_I32 = IntegerType(32)
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
    declared = declarations(function)
    helpers = Helpers([name, *declared])
    taken = [name, *declared, *helpers.reserved(function), *arguments]
    writer = Writer(NameTable(taken), helpers)
    for value, argument in zip(function.body.block.args, arguments, strict=True):
        writer.bind(value, argument)
    writer.block(function.body.block)
    kernel = [
        "@triton.jit",
        *lines_of("", "def ", f"{name}({', '.join(arguments)})", ":"),
        *(writer.lines or ["    pass"]),
    ]
    head = ["import triton", "import triton.language as tl", *imports(function)]
    sources = ["\n".join(head), *declared.values(), *helpers.sources, "\n".join(kernel)]
    return "\n\n\n".join(sources) + "\n"


class Helpers:
    """The combinations of a kernel's reductions and scans that are functions of their own."""

    def __init__(self, taken: Sequence[str]) -> None:
        self.sources: list[str] = []
        self._names: dict[str, str] = {}
        self._taken = taken
        self._table = NameTable(taken)
        self._assigned: dict[Operation, str] = {}

    def reserved(self, function: tt.FuncOp) -> list[str]:
        """The names of the helpers of ``function``, which it must not use for its own values."""
        for op in function.walk():
            folds = isinstance(op, tt.ReduceOp | tt.ScanOp)
            if folds and common_combination(op) is None:
                self._assigned[op] = self._define(op)
        return list(self._names.values())

    def name(self, op: tt.ReduceOp | tt.ScanOp) -> str | None:
        """The helper that combines for ``op``; None: Triton has one."""
        return self._assigned.get(op)

    def _define(self, op: tt.ReduceOp | tt.ScanOp) -> str:
        block = op.combine.block
        table = NameTable(self._taken)
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


class Writer(Texts):
    """Writes the statements of one function."""

    def __init__(self, names: NameTable, helpers: Helpers) -> None:
        super().__init__(names)
        self._helpers = helpers
        # Where results must go: a loop's carried names, a branch's results.
        self._targets: list[tuple[Operation | None, list[str]]] = []

    # Blocks.

    def block(self, block: Block) -> None:
        """Writes the ops of ``block``."""
        for op in block.ops:
            match op:
                case tt.StoreOp():
                    self._store(op)
                case tt.BarrierOp():
                    self._statement("", "tl.debug_barrier()", op)
                case tt.PrintOp() | tt.AssertOp() | tt.AssumeOp():
                    self._effect(op)
                case _ if _acts(op) and all(result.first_use is None for result in op.results):
                    self._effect(op)
                case scf.ForOp():
                    self._for(op)
                case scf.WhileOp():
                    self._while(op)
                case scf.IfOp():
                    self._if(op)
                case scf.YieldOp():
                    self._yield(op)
                case tt.ReduceReturnOp() | tt.ScanReturnOp():
                    self._return(op)
                case tt.ReturnOp() | scf.ConditionOp():
                    pass
                case _:
                    if any(result.first_use is not None for result in op.results):
                        self._value(op)

    def _region(
        self,
        region: Region,
        targets: tuple[Operation | None, list[str]],
        behind: Callable[[], None] | None = None,
    ) -> None:
        """Writes a nested region, whose results go to ``targets``, and what comes ``behind`` it."""
        outer, start = self._indent, len(self.lines)
        self._indent += "    "
        self._targets.append(targets)
        if region.blocks:
            self.block(region.block)
        self._targets.pop()
        if behind is not None:
            behind()
        if not any(not line.lstrip().startswith("#") for line in self.lines[start:]):
            self.lines.append(f"{self._indent}pass")
        self._indent = outer

    # Values.

    def _value(self, op: Operation) -> None:
        if len(op.results) > 1:
            self._several(op)
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
        if isinstance(op, tt.ReduceOp | tt.ScanOp):
            return self._fold(op)
        return spell(self, op)

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

    def _effect(self, op: Operation) -> None:
        while True:
            self._taken = {}
            text = spell(self, op).text
            if not self._shorten(text):
                break
        self._take()
        self._statement("", text, op)

    # Reductions and scans.

    def _fold(self, op: tt.ReduceOp | tt.ScanOp) -> Expr:
        shape, scalar = tt.shape_of(op.results[0].type), tt.scalar_of(op.srcs[0].type)
        return Expr(self._folded(op), POSTFIX, shape, scalar)

    def _folded(self, op: tt.ReduceOp | tt.ScanOp) -> str:
        values = [exact(self.expr(source), tt.shape_of(source.type)).text for source in op.srcs]
        return fold_text(op, values, self._helpers.name(op))

    def _several(self, op: Operation) -> None:
        """A statement that gives each result a name."""
        names = [self._unique(result) for result in op.results]
        self._taken = {}
        folds = isinstance(op, tt.ReduceOp | tt.ScanOp)
        text = self._folded(op) if folds else spell(self, op).text
        self._take()
        self._statement(f"{', '.join(names)} = ", text, op)
        for result, name in zip(op.results, names, strict=True):
            self.bind(result, name)

    def _return(self, op: tt.ReduceReturnOp | tt.ScanReturnOp) -> None:
        self._taken = {}
        texts = [exact(self.expr(value), ()).text for value in op.values]
        self._take()
        self._statement("return ", ", ".join(texts), op)

    # Control flow.

    def _for(self, op: scf.ForOp) -> None:
        induction, *arguments = op.body.block.args
        names = self._start(op, arguments, op.iter_args)
        counter = self._names.unique(induction.name_hint or "k")
        self._taken = {}
        bounds = self._range(op)
        self._take()
        self._statement(f"for {counter} in ", bounds, op, ":")
        self.bind(induction, counter)
        self._region(op.body, (op, names))
        for result, name in zip(op.results, names, strict=True):
            self.bind(result, name)

    def _start(
        self, op: Operation, arguments: Sequence[SSAValue], starts: Sequence[SSAValue]
    ) -> list[str]:
        """Gives what a loop carries its first values; the names."""
        names: list[str] = []
        for argument, start in zip(arguments, starts, strict=True):
            names.append(self._names.unique(argument.name_hint or start.name_hint or "carried"))
            self._taken = {}
            expr = exact(self.expr(start), tt.shape_of(start.type))
            self._take()
            self._statement(f"{names[-1]} = ", expr.text, op)
            self.bind(argument, names[-1])
        return names

    def _while(self, op: scf.WhileOp) -> None:
        before, after = op.before_region.block, op.after_region.block
        condition = before.last_op
        assert isinstance(condition, scf.ConditionOp)
        names = self._start(op, before.args, op.arguments)
        # What the loop hands on keeps its name, unless it is computed with the condition.
        handed = [
            names[index] if _keeps(op, index) else self._unique(result)
            for index, result in enumerate(op.results)
        ]
        lines = len(self.lines)
        self.block(before)
        bit = condition.condition
        inline = len(self.lines) == lines and self._exprs[bit].literal is None
        if inline and all(_keeps(op, index) for index in range(len(handed))):
            self._taken = {}
            text, again = self.expr(bit).text, None
            self._take()
        else:
            # A condition of several statements is computed before the loop, and behind each turn.
            text = self._names.unique("going")
            self._hand_on(condition, [text, *handed])
            again = partial(self._again, before, names, [text, *handed])
        self._statement("while ", text, op, ":")
        for argument, name in zip(after.args, handed, strict=True):
            self.bind(argument, name)
        self._region(op.after_region, (op, names), again)
        for result, name in zip(op.results, handed, strict=True):
            self.bind(result, name)

    def _again(self, before: Block, names: Sequence[str], handed: Sequence[str]) -> None:
        """The condition of a loop, at the end of its body."""
        for argument, name in zip(before.args, names, strict=True):
            self.bind(argument, name)
        self.block(before)
        assert before.last_op is not None
        self._hand_on(before.last_op, handed)

    def _hand_on(self, terminator: Operation, names: Sequence[str]) -> None:
        for name, value in zip(names, terminator.operands, strict=True):
            self._taken = {}
            text = typed(exact(self.expr(value), tt.shape_of(value.type))).text
            self._take()
            if text != name:
                self._statement(f"{name} = ", text, terminator)

    def _range(self, op: scf.ForOp) -> str:
        bounds = [self.expr(bound) for bound in (op.lb, op.ub, op.step)]
        if all(bound.literal is not None for bound in bounds) and bounds[0].scalar != _I32:
            # Numbers alone would count in int32.
            bounds[1] = typed(bounds[1])
        # Triton 3.6 takes a number of 32 bits for an unsigned one, and extends its sign.
        bounds = [typed(bound) if _is_unsigned32(bound) else bound for bound in bounds]
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
        if isinstance(loop, scf.ForOp | scf.WhileOp):
            argument = _carried(loop, index)
            if argument is not None and self._read_later(argument, op):
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


def _keeps(op: scf.WhileOp, index: int) -> bool:
    """Whether a loop hands on to its body what it carries at ``index``."""
    before = op.before_region.block
    terminator = before.last_op
    assert isinstance(terminator, scf.ConditionOp)
    return index < len(before.args) and terminator.args[index] is before.args[index]


def _carried(loop: scf.ForOp | scf.WhileOp, index: int) -> SSAValue | None:
    """What the carried value at ``index`` is in the loop's body, if it is there."""
    if isinstance(loop, scf.ForOp):
        return loop.body.block.args[index + 1]
    return loop.after_region.block.args[index] if _keeps(loop, index) else None


def _is_unsigned32(bound: Expr) -> bool:
    return bound.literal is not None and 2**31 <= bound.literal < 2**32


def _is_cheap(op: Operation) -> bool:
    return not _acts(op) and not isinstance(op, _COSTLY)


def _acts(op: Operation) -> bool:
    """Whether an op that gives something does more than that."""
    if isinstance(op, tt.ElementwiseInlineAsmOp):
        return not op.pure.value.data
    return isinstance(op, tt.AtomicRMWOp | tt.AtomicCASOp)


def _mentions(text: str, name: str) -> bool:
    return re.search(rf"\b{re.escape(name)}\b", text) is not None


def _option(attr: Attribute) -> str:
    return str(attr.value.data) if isinstance(attr, IntegerAttr) else "True"


def _policy(cache: IntegerAttr, evict: IntegerAttr) -> Sequence[str]:
    found: list[str] = []
    if (modifier := _CACHE.get(cache.value.data)) is not None:
        found.append(f'cache_modifier="{modifier}"')
    if (policy := _EVICT.get(evict.value.data)) is not None:
        found.append(f'eviction_policy="{policy}"')
    return found
