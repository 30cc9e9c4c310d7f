"""Loops: their loop-carried variables and their bodies."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence

from xdsl.dialects import scf
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from ninetoothed.errors import ShapeError, TypeMismatchError, UnsupportedSyntaxError
from ninetoothed.frontend import operators
from ninetoothed.frontend.bindings import assigned, held, passed, shape_words
from ninetoothed.frontend.conditions import condition, splice, tested, truth
from ninetoothed.frontend.context import Context
from ninetoothed.frontend.ranges import loop_range
from ninetoothed.frontend.unrolling import MOST_ITERATIONS, is_known
from ninetoothed.frontend.values import Size, Value, describe
from ninetoothed.frontend.walk import STATEMENTS, Returned, execute
from ninetoothed.ir import nt
from ninetoothed.ir.name_hints import hint
from ninetoothed.ir.scf import WhileOp


class _Loop:
    """A loop under construction: its loop-carried variables, with their initial values.

    Carried is what has a value before the loop and is assigned in its body; ``variable`` is the
    induction variable.
    """

    def __init__(self, ctx: Context, node: ast.For | ast.While, variable: str | None) -> None:
        frame = ctx.frame
        self.ctx = ctx
        self.node = node
        self.variable = variable
        self.place = ctx.place(node)
        self.places = {**assigned(node.body), **frame.passed_in.get(node, {})}
        self.before = dict(frame.locals)
        self.undefined = dict(frame.undefined)
        self.dropped: dict[str, str] = {}
        """Variables that have no value behind the body, with the reason."""
        self.names = [
            name
            for name in self.places
            if name in frame.locals and name not in frame.parameters and name != variable
        ]
        self.initial = [self._initial(name) for name in self.names]

    def _initial(self, name: str) -> SSAValue:
        # A parameter's block is loaded once, before the loop.
        value = self.before[name] = self.ctx.now(self.before[name])
        if not isinstance(value, SSAValue) and not _literal(value):
            if isinstance(self.node, ast.While) and is_known(value):
                # As an unrolled loop it may hold what is known when compiling.
                self.ctx.wanted |= {self.place}
            with self.ctx.at(self.places[name]):
                raise TypeMismatchError(
                    f"{name} is {describe(value)} and cannot be assigned in a loop; use another "
                    "name"
                )
        return self.ctx.computed(value, name)

    def carry_passed(self) -> bool:
        """Carry what calls in the body have assigned, too; True if there was more of it. Only where
        the body was built is it known which functions it calls.
        """
        frame = self.ctx.frame
        found = passed(self.ctx, self.before, self.places)
        self.places.update(found)
        frame.passed_in.setdefault(self.node, {}).update(found)
        self.names += found
        self.initial += [self._initial(name) for name in found]
        return bool(found)

    def restore(self) -> None:
        """Restore the frame to its state before the loop."""
        self.ctx.frame.locals = dict(self.before)
        self.ctx.frame.undefined = {**self.undefined, **self.dropped}

    def block(self, first: Sequence[Attribute] = ()) -> Block:
        """A block whose last arguments are the carried variables."""
        types = [value.type for value in self.initial]
        block = Block(arg_types=[*first, *types])
        arguments = block.args[len(first) :]
        self._carry(arguments)
        for name, argument in zip(self.names, arguments, strict=True):
            hint(argument, name)
            self.ctx.frame.locals[name] = argument
        return block

    def _carry(self, values: Sequence[SSAValue]) -> None:
        """Note that ``values`` are the carried variables."""
        if isinstance(self.node, ast.While):
            pairs = zip(values, self.initial, strict=True)
            self.ctx.carried.update({value: (self.place, initial) for value, initial in pairs})

    def build(self, body: Callable[[], list[Block]]) -> list[Region]:
        """The loop's regions. ``body`` builds their blocks, the last of which is the loop's body,
        again and again until the types of the variables have reached a fixed point.

        Raises:
            ShapeError, TypeMismatchError: a variable has another shape or type behind the body.
        """
        tried: list[list[Attribute]] = []
        printed = len(self.ctx.printed)
        while True:
            tried.append([value.type for value in self.initial])
            self.restore()
            del self.ctx.printed[printed:]
            blocks = body()
            more = self.carry_passed()
            with self.ctx.inside(blocks[-1]):
                final = None if more or self._drop_undefined() else self._final()
            if final is not None:
                initial = self._retyped(final)
                if initial is None or [value.type for value in initial] in tried:
                    break
                self.initial = initial
            for block in blocks:
                block.drop_all_references()
        self._check(final)
        with self.ctx.inside(blocks[-1]):
            self.ctx.insert(scf.YieldOp(*final))
        return [Region(block) for block in blocks]

    def _final(self) -> list[SSAValue]:
        return held(self.ctx, self.names, self.places)

    def _drop_undefined(self) -> bool:
        """Stop carrying variables without a value behind the body; True if there were some."""
        frame = self.ctx.frame
        gone = [name for name in self.names if name not in frame.locals]
        for name in gone:
            self.dropped[name] = frame.undefined[name]
            del self.before[name]
        kept = [pair for pair in zip(self.names, self.initial, strict=True) if pair[0] not in gone]
        self.names = [name for name, _ in kept]
        self.initial = [value for _, value in kept]
        return bool(gone)

    def _retyped(self, final: Sequence[SSAValue]) -> list[SSAValue] | None:
        """Initial values, Python numbers in the types that the body yields; None: no change."""
        pairs = list(zip(self.names, self.initial, final, strict=True))
        changed = [name for name, one, two in pairs if one.type != two.type]
        if not changed or not all(_literal(self.before[name]) for name in changed):
            return None
        return [self._converted(name, one, two) for name, one, two in pairs]

    def _converted(self, name: str, one: SSAValue, two: SSAValue) -> SSAValue:
        if one.type == two.type or nt.shape_of(two.type):
            return one
        value = self.before[name]
        dtype = nt.dtype_of(two.type)
        return operators.to_dtype(self.ctx, one if isinstance(value, Size) else value, dtype)

    def _check(self, final: Sequence[SSAValue]) -> None:
        for name, one, two in zip(self.names, self.initial, final, strict=True):
            with self.ctx.at(self.places[name]):
                if nt.shape_of(one.type) != nt.shape_of(two.type):
                    raise ShapeError(
                        f"{name} is {shape_words(one)} before the loop and {shape_words(two)} "
                        "behind its body; give it its last shape before the loop, as in "
                        "ntl.zeros(x.shape, x.dtype)"
                    )
                if one.type != two.type:
                    raise TypeMismatchError(
                        f"{name} changes its type in the loop, from {describe(one)} to "
                        f"{describe(two)}; give it its last type before the loop"
                    )

    def leave(self, op: Operation) -> None:
        """Insert the loop and bind its results to the carried variables."""
        self.ctx.insert(op)
        self.restore()
        self._carry(op.results)
        frame = self.ctx.frame
        for name, result in zip(self.names, op.results, strict=True):
            hint(result, name)
            frame.locals[name] = result
        if self.variable is not None and frame.locals.pop(self.variable, None) is not None:
            self.dropped[self.variable] = (
                f"is the variable of the loop at line {self.node.lineno}, and has no value behind "
                "it; assign it to another variable in the loop"
            )
        own = () if self.variable is None else (self.variable,)
        _forget(self.ctx, self.node, (*own, *self.places), "which may not run")
        frame.undefined.update(self.dropped)


def _forget(ctx: Context, node: ast.For | ast.While, names: Iterable[str], why: str) -> None:
    """Mark variables that only the body assigns as undefined behind the loop."""
    for name in names:
        if name not in ctx.frame.locals:
            ctx.frame.undefined[name] = (
                f"is assigned in the loop at line {node.lineno}, {why}; assign it before the loop"
            )


def _literal(value: Value) -> bool:
    return isinstance(value, bool | int | float | Size)


@STATEMENTS.register(ast.For)
def _for(ctx: Context, node: ast.For) -> Returned | None:
    _refuse_else(node)
    if not isinstance(node.target, ast.Name):
        with ctx.at(node.target):
            raise UnsupportedSyntaxError("a loop has one variable; write `for i in range(n)`")
    variable = node.target.id
    frame = ctx.frame
    if variable in frame.parameters | frame.numbers | frame.constants:
        with ctx.at(node.target):
            raise TypeMismatchError(
                f"{variable} is a parameter and cannot be the variable of a loop; use another name"
            )
    with ctx.at(node.iter):
        counted = loop_range(ctx, node.iter)
    if isinstance(counted, range):
        return _unrolled(ctx, node, variable, counted)
    loop = _Loop(ctx, node, variable)

    def body() -> list[Block]:
        block = loop.block([counted.lower.type])
        with ctx.inside(block):
            index = counted.index(ctx, block.args[0])
            hint(index, variable)
            ctx.frame.locals[variable] = index
            execute(ctx, node.body)
        return [block]

    regions = loop.build(body)
    op = scf.ForOp(counted.lower, counted.upper, counted.step, loop.initial, *regions)
    op.attributes.update(counted.hints)
    loop.leave(op)
    return None


def _refuse_else(node: ast.For | ast.While) -> None:
    if node.orelse:
        raise UnsupportedSyntaxError(
            "`else` of a loop is not part of the language; write it after it"
        )


def _unrolled(ctx: Context, node: ast.For, variable: str, indices: range) -> Returned | None:
    """Unroll a loop: the body once for each index."""
    frame = ctx.frame
    for index in indices:
        frame.locals[variable] = index
        frame.undefined.pop(variable, None)
        returned = execute(ctx, node.body)
        if returned is not None:
            return returned
    if not indices:
        _forget(ctx, node, (variable, *assigned(node.body)), "which does not run")
    return None


@STATEMENTS.register(ast.While)
def _while(ctx: Context, node: ast.While) -> Returned | None:
    _refuse_else(node)
    if ctx.place(node) in ctx.unrolled:
        return _unrolled_while(ctx, node)
    loop = _Loop(ctx, node, None)
    known = _invariant_truth(ctx, loop, node.test)
    while known and _passes_more(ctx, loop):
        known = _invariant_truth(ctx, loop, node.test)
    if known:
        with ctx.at(node.test):
            raise UnsupportedSyntaxError(
                "this condition is always true, so that the loop would never end; write one that "
                "the loop's body changes"
            )
    if known is not None:
        loop.restore()
        _forget(ctx, node, loop.places, "which does not run")
        return None
    _loop_while(ctx, node, loop)
    return None


def _loop_while(ctx: Context, node: ast.While, loop: _Loop) -> None:
    def body() -> list[Block]:
        before = loop.block()
        with ctx.inside(before), ctx.at(node.test):
            bit = condition(ctx, tested(ctx, node.test))
            ctx.insert(scf.ConditionOp(bit, *before.args))
        after = loop.block()
        with ctx.inside(after):
            execute(ctx, node.body)
        return [before, after]

    regions = loop.build(body)
    types = [value.type for value in loop.initial]
    loop.leave(WhileOp(loop.initial, types, *regions))


def _invariant_truth(ctx: Context, loop: _Loop, test: ast.expr) -> bool | None:
    """The condition, if known when compiling for any values of the carried variables."""
    block = loop.block()
    printed = len(ctx.printed)
    with ctx.inside(block):
        known = truth(ctx, tested(ctx, test))
    block.drop_all_references()
    del ctx.printed[printed:]
    return known


def _passes_more(ctx: Context, loop: _Loop) -> bool:
    """Build the body only to see what its calls assign; True if that was not carried yet."""
    printed = len(ctx.printed)
    loop.restore()
    block = loop.block()
    with ctx.inside(block):
        execute(ctx, loop.node.body)
    more = loop.carry_passed()
    block.drop_all_references()
    loop.restore()
    del ctx.printed[printed:]
    return more


def _present_truth(ctx: Context, test: ast.expr) -> bool | None:
    """The condition, if known when compiling for the present values of variables. Otherwise it is
    not evaluated, for the loop will do so.
    """
    block = Block()
    printed = len(ctx.printed)
    with ctx.inside(block):
        known = truth(ctx, tested(ctx, test))
    if known is None:
        block.drop_all_references()
        del ctx.printed[printed:]
    else:
        splice(ctx, block)
    return known


def _unrolled_while(ctx: Context, node: ast.While) -> Returned | None:
    """Unroll a loop as long as its condition is known when compiling."""
    names = assigned(node.body)
    iterations = 0
    _fix_sizes(ctx, names)
    while known := _present_truth(ctx, node.test):
        if iterations == MOST_ITERATIONS:
            with ctx.at(node.test):
                raise UnsupportedSyntaxError(
                    "this loop runs when compiling, since a number that it computes is needed "
                    f"then, and after {MOST_ITERATIONS:,} iterations this still holds; write a "
                    "condition that ends the loop before"
                )
        returned = execute(ctx, node.body)
        if returned is not None:
            return returned
        _fix_sizes(ctx, (*names, *ctx.frame.passed))
        iterations += 1
    if known is None:
        _loop_while(ctx, node, _Loop(ctx, node, None))
    elif not iterations:
        _forget(ctx, node, names, "which does not run")
    return None


def _fix_sizes(ctx: Context, names: Iterable[str]) -> None:
    """Make numbers of the variables that are sizes whose numbers are known; also of those that
    calls have assigned.
    """
    values = ctx.frame.locals
    changed = [name for name in (*names, *ctx.frame.passed) if name in values]
    values.update({name: ctx.known(values[name]) for name in changed})
