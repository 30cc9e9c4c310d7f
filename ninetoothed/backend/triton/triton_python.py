"""Triton-Python emitter: a module of the stage ``tt`` as a kernel that a person can read.

A pure value that is used once, before the next loop or branch of its block, stands as a text in the
op that uses it. Every other value is assigned to a name, once; but the names of what a loop carries
are assigned anew at the end of its body.
"""

from __future__ import annotations

import linecache
import re
from collections.abc import Callable, Sequence
from functools import partial

from xdsl.dialects import scf
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i32
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.traits import IsTerminator, is_side_effect_free
from xdsl.transforms.dead_code_elimination import is_trivially_dead

from ninetoothed.backend.device_function import (
    argument_names,
    argument_number,
    argument_source,
    device_function,
    function_name,
)
from ninetoothed.backend.names import NameTable
from ninetoothed.backend.triton.expression import ATOM, Expr, exact, typed
from ninetoothed.backend.triton.line_breaks import comment, lines_of
from ninetoothed.backend.triton.spelling import spell
from ninetoothed.backend.triton.spelling.arithmetic import repeats_operands
from ninetoothed.backend.triton.spelling.extern import needs
from ninetoothed.ir import tt
from ninetoothed.ir.locations import loc_of
from ninetoothed.ir.scf import loop_over_programs
from ninetoothed.symbolic.expr import python_text

# A longer text gets a name; so none is nested deeper than Python and Triton can parse.
_LONGEST_INLINE = 60
_CONTROL = (scf.ForOp, scf.WhileOp, scf.IfOp)
_NAMES = {
    "tt.get_program_id": "pid",
    "tt.make_range": "lanes",
    "tt.addptr": "ptrs",
    "tt.load": "value",
    "tt.make_tensor_descriptor": "desc",
    "tt.descriptor_load": "value",
    "tt.atomic_rmw": "before",
    "tt.atomic_cas": "before",
    "tt.dot": "product",
    "tt.reduce": "total",
    "tt.scan": "running",
    "tt.histogram": "counts",
    "arith.cmpi": "mask",
    "arith.cmpf": "mask",
}
_LOOP_OPTIONS = {
    "tt.num_stages": "num_stages",
    "tt.loop_unroll_factor": "loop_unroll_factor",
    "tt.disallow_acc_multi_buffer": "disallow_acc_multi_buffer",
    "tt.flatten": "flatten",
    "tt.warp_specialize": "warp_specialize",
}


_ON_PROGRAMS = (
    "# Programs do all the work, however many start: as many as run at once, and no more."
)
_ON_MEMORY = "# Descriptors take memory at a launch: call triton.set_allocator."


def emit_triton_python(module: ModuleOp) -> str:
    """Source of a ``@triton.jit`` function that computes what ``module`` does.

    Raises:
        CompilerError: an op has no spelling.
    """
    function = device_function(module)
    name, arguments = function_name(function), argument_names(function)
    imports, declarations = needs(function)
    names = NameTable([name, *declarations, *arguments])
    combinations = Combinations(names, list(declarations))
    writer = Writer(names, combinations)
    writer.function(function.body.block, arguments)
    # Triton gives a descriptor its sizes and strides by itself.
    sources = [argument_source(function, index) for index in range(len(arguments))]
    given = [
        argument
        for argument, (kind, _) in zip(arguments, sources, strict=True)
        if kind != "nt.of_descriptor"
    ]
    kernel = ["@triton.jit", *lines_of("", f"def {name}({', '.join(given)}):"), *writer.lines]
    if not writer.lines:
        kernel.append("    pass")
    if loop_over_programs(function.body.block) is not None:
        kernel.insert(0, _ON_PROGRAMS)
    if any(isinstance(op, tt.MakeTensorDescOp) for op in function.walk()):
        kernel.insert(0, _ON_MEMORY)
    kernel[:0] = [
        f"# {argument}: {_descriptor(function, index, source)}"
        for index, (argument, (kind, source)) in enumerate(zip(arguments, sources, strict=True))
        if kind == "nt.descriptor"
    ]
    head = ["import triton", "import triton.language as tl", *imports]
    parts = ["\n".join(head), *declarations.values(), *combinations.sources, "\n".join(kernel)]
    return "\n\n\n".join(parts) + "\n"


def _descriptor(function: tt.FuncOp, index: int, param: str) -> str:
    """What a call of the kernel passes for the descriptor that is argument ``index``."""
    box = [*tt.shape_of(tt.box_of(function.body.block.args[index].type))]
    texts = [
        python_text(argument_number(function, index + 1 + place, "nt.number"))
        for place in range(2 * len(box))
    ]
    shape, strides = texts[: len(box)], texts[len(box) :]
    return f"TensorDescriptor({param}, [{', '.join(shape)}], [{', '.join(strides)}], {box})"


class Combinations:
    """Combine functions of a kernel's reductions and scans."""

    def __init__(self, names: NameTable, taken: Sequence[str]) -> None:
        self.sources: list[str] = []
        self._table, self._taken = names, taken
        self._names: dict[str, str] = {}

    def name(self, op: tt.ReduceOp | tt.ScanOp) -> str:
        """The combine function of ``op``."""
        block = op.combine.block
        table = NameTable(self._taken)
        half = len(block.args) // 2
        arguments: list[str] = []
        for index, argument in enumerate(block.args):
            side = "left" if index < half else "right"
            wanted = side if half == 1 else f"{side}{index % half}"
            arguments.append(table.unique(argument.name_hint or wanted))
        writer = Writer(table, self)
        writer.function(block, arguments)
        body = "\n".join([f"({', '.join(arguments)}):", *writer.lines])
        if body not in self._names:
            first, *others = block.ops
            wanted = f"combine_{first.name.split('.')[-1]}" if len(others) == 1 else "combine"
            name = self._names[body] = self._table.unique(wanted)
            self.sources.append(f"@triton.jit\ndef {name}{body}")
        return self._names[body]


class Writer:
    """Writes the statements of one function."""

    def __init__(self, names: NameTable, combinations: Combinations) -> None:
        self.lines: list[str] = []
        self._names, self._combinations = names, combinations
        self._indent = "    "
        self._exprs: dict[SSAValue, Expr] = {}
        # Of each op, the part of its block, between loops and branches, that it stands in.
        self._parts: dict[Operation, int] = {}
        self._part = 0
        self._place: tuple[str, int] | None = None

    def function(self, block: Block, arguments: Sequence[str]) -> None:
        """Write the body of a function; what it returns too, if anything."""
        self._bind(block.args, arguments)
        self._block(block)
        if block.last_op is not None and block.last_op.operands:
            texts = [exact(self.expr(value), ()).text for value in block.last_op.operands]
            self._statement(f"return {', '.join(texts)}", block.last_op)

    # `spelling.operands.Operands`.

    def expr(self, value: SSAValue) -> Expr:
        return self._exprs[value]

    def whole(self, value: SSAValue) -> Expr:
        return exact(self._exprs[value], tt.shape_of(value.type))

    def combine(self, op: tt.ReduceOp | tt.ScanOp) -> str:
        return self._combinations.name(op)

    # Blocks and values.

    def _block(self, block: Block) -> None:
        """The ops of a block, but for its terminator."""
        self._part += 1
        for op in block.ops:
            self._parts[op] = self._part
            self._part += isinstance(op, _CONTROL)
        for op in block.ops:
            match op:
                case scf.ForOp():
                    self._for(op)
                case scf.WhileOp():
                    self._while(op)
                case scf.IfOp():
                    self._if(op)
                case _ if not op.has_trait(IsTerminator) and not is_trivially_dead(op):
                    self._op(op)
                case _:
                    pass

    def _op(self, op: Operation) -> None:
        expr = spell(self, op)
        if all(result.first_use is None for result in op.results):
            self._statement(expr.text, op)
        elif self._is_inlined(op, expr):
            self._exprs[op.results[0]] = expr
        else:
            names = [self._unique(result) for result in op.results]
            self._statement(f"{', '.join(names)} = {expr.text}", op)
            self._bind(op.results, names)
            if len(names) == 1:
                self._exprs[op.results[0]] = Expr(names[0], ATOM, expr.shape, expr.scalar)

    def _is_inlined(self, op: Operation, expr: Expr) -> bool:
        if expr.precedence == ATOM or expr.literal is not None:
            return True
        user = op.results[0].get_user_of_unique_use() if len(op.results) == 1 else None
        return (
            user is not None
            and self._parts.get(user) == self._parts[op]
            and is_side_effect_free(op)
            and not repeats_operands(user)
            and len(expr.text) <= _LONGEST_INLINE
        )

    def _bind(self, values: Sequence[SSAValue], names: Sequence[str]) -> None:
        for value, name in zip(values, names, strict=True):
            shape, scalar = tt.shape_of(value.type), tt.scalar_of(value.type)
            self._exprs[value] = Expr(name, ATOM, shape, scalar)

    def _unique(self, value: SSAValue) -> str:
        source = value
        while isinstance(source.owner, tt.SplatOp | tt.BroadcastOp):
            source = source.owner.src
        op = source.owner
        usual = _NAMES.get(op.name, "v") if isinstance(op, Operation) else "v"
        return self._names.unique(source.name_hint or value.name_hint or usual)

    def _statement(self, text: str, op: Operation | None) -> None:
        """A statement, under the user's line that ``op`` comes of."""
        loc = None if op is None else loc_of(op.location)
        if loc is not None and (loc.file, loc.line) != self._place:
            self._place = (loc.file, loc.line)
            source = linecache.getline(loc.file, loc.line).strip()
            self.lines.append(comment(self._indent, loc, source))
        self.lines += lines_of(self._indent, text)

    # Control flow.

    def _region(
        self, region: Region, names: Sequence[str], behind: Callable[[], None] | None = None
    ) -> None:
        """A nested region, whose results are assigned to ``names``, and what comes ``behind``."""
        self._indent += "    "
        start = len(self.lines)
        for block in region.blocks:
            self._block_to(block, names)
        if behind is not None:
            behind()
        if len(self.lines) == start:
            self.lines.append(f"{self._indent}pass")
        self._indent = self._indent[:-4]

    def _block_to(self, block: Block, names: Sequence[str]) -> None:
        """A block, and the operands of its terminator assigned to ``names``."""
        self._block(block)
        terminator = block.last_op
        assert terminator is not None
        self._assign(names, terminator)

    def _assign(self, names: Sequence[str], terminator: Operation) -> None:
        """Parallel assignment of the operands of ``terminator`` to ``names``."""
        values = dict(zip(names, terminator.operands, strict=True))
        texts = {name: self.whole(value).text for name, value in values.items()}
        texts = {name: text for name, text in texts.items() if text != name}
        while texts:
            # First what no other text reads; in a cycle, all at once.
            free = [name for name in texts if not _is_read(name, texts)]
            together = free[:1] or list(texts)
            right = ", ".join([texts.pop(name) for name in together])
            op = values[together[0]].owner
            here = op if isinstance(op, Operation) and op.parent is terminator.parent else None
            self._statement(f"{', '.join(together)} = {right}", here)

    def _start(
        self, op: Operation, arguments: Sequence[SSAValue], starts: Sequence[SSAValue]
    ) -> list[str]:
        """Assign the first values of loop-carried variables; their names."""
        names = [
            self._names.unique(argument.name_hint or start.name_hint or "carried")
            for argument, start in zip(arguments, starts, strict=True)
        ]
        for name, start in zip(names, starts, strict=True):
            self._statement(f"{name} = {self.whole(start).text}", op)
        self._bind(arguments, names)
        return names

    def _for(self, op: scf.ForOp) -> None:
        induction, *arguments = op.body.block.args
        names = self._start(op, arguments, op.iter_args)
        counter = self._names.unique(induction.name_hint or "k")
        self._statement(f"for {counter} in {self._range(op)}:", op)
        self._bind([induction], [counter])
        self._region(op.body, names)
        self._bind(op.results, names)

    def _range(self, op: scf.ForOp) -> str:
        bounds = [self.expr(bound) for bound in (op.lb, op.ub, op.step)]
        if all(bound.literal is not None for bound in bounds) and bounds[0].scalar != i32:
            # Numbers alone would count in int32.
            bounds[1] = typed(bounds[1])
        # Triton 3.6 takes a number of 32 bits for an unsigned one, and extends its sign.
        bounds = [typed(bound) if _is_unsigned32(bound) else bound for bound in bounds]
        start, end, step = (bound.text for bound in bounds)
        texts = [start, end, step] if step != "1" else [start, end] if start != "0" else [end]
        options = [
            f"{keyword}={_option(op.attributes[name])}"
            for name, keyword in _LOOP_OPTIONS.items()
            if name in op.attributes
        ]
        return f"{'tl.range' if options else 'range'}({', '.join([*texts, *options])})"

    def _while(self, op: scf.WhileOp) -> None:
        before, after = op.before_region.block, op.after_region.block
        condition = before.last_op
        assert isinstance(condition, scf.ConditionOp)
        names = self._start(op, before.args, op.arguments)
        # What the loop forwards keeps its name, unless it is computed with the condition.
        carried: dict[SSAValue, str] = dict(zip(before.args, names, strict=True))
        forwarded = [
            carried.get(value) or self._unique(result)
            for value, result in zip(condition.args, op.results, strict=True)
        ]
        start = len(self.lines)
        self._block(before)
        bit, again = self.expr(condition.condition), None
        if len(self.lines) > start or bit.literal is not None or not set(forwarded) <= set(names):
            # A condition of several statements is computed before the loop and behind its body.
            targets = [self._names.unique("going"), *forwarded]
            self._assign(targets, condition)
            again = partial(self._block_to, before, targets)
            self._statement(f"while {targets[0]}:", op)
        else:
            self._statement(f"while {bit.text}:", op)
        self._bind(after.args, forwarded)
        self._region(op.after_region, names, again)
        self._bind(op.results, forwarded)

    def _if(self, op: scf.IfOp) -> None:
        names = [self._unique(result) for result in op.results]
        self._statement(f"if {self.expr(op.cond).text}:", op)
        self._region(op.true_region, names)
        if op.results or any(len(block.ops) > 1 for block in op.false_region.blocks):
            self.lines.append(f"{self._indent}else:")
            self._region(op.false_region, names)
        self._bind(op.results, names)


def _is_read(name: str, texts: dict[str, str]) -> bool:
    """True if a text other than its own reads ``name``."""
    word = re.compile(rf"\b{re.escape(name)}\b")
    return any(other != name and word.search(text) for other, text in texts.items())


def _is_unsigned32(bound: Expr) -> bool:
    return bound.literal is not None and 2**31 <= bound.literal < 2**32


def _option(attr: Attribute) -> str:
    return str(attr.value.data) if isinstance(attr, IntegerAttr) else "True"
