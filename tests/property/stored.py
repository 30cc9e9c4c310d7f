"""Random applications as text, and by NumPy alone what each stored lane was computed from.

An application is a few nodes: each writes its text, and follows the lanes of all programs at once.
A read is followed as a :class:`Term`. Conditions on data and on a number of the call are followed
both ways: each has a number, and an *outcome* in which it is true or false in every lane.
"""

from __future__ import annotations

import itertools
import linecache
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

import ninetoothed.language as ntl
from ninetoothed.layout.access import index_names
from ninetoothed.symbolic.expr import Arithmetic, evaluate
from tests.property.borders import bordered
from tests.property.inverses import Brute, Placed

Bits = npt.NDArray[np.bool_]
Outcome = Mapping[int, bool]
_ARITHMETIC = Arithmetic(np.minimum, np.maximum, np.logical_and)


@dataclass(frozen=True)
class Term:
    """A read that flows into lanes of all programs; each array has a dim of programs before those
    of the block.

    ``missing``: where it has no value. ``ended``: where a lane along a reduced dim has none and is
    at no border. ``flows``: where it is selected. ``tensor``: "" for what is undefined because two
    tensors met. ``is_empty``: no lane has a value, in any program. ``is_deep``: levels between are
    indexed. ``is_doubtful``: a call may be refused for it, and may be accepted.
    """

    tensor: str
    missing: Bits
    ended: Bits
    flows: Bits
    is_empty: bool = False
    is_deep: bool = False
    is_doubtful: bool = False

    def map(self, function: Callable[[Bits], Bits]) -> Term:
        """The same of lanes that have moved."""
        missing, ended, flows = map(function, (self.missing, self.ended, self.flows))
        return replace(self, missing=missing, ended=ended, flows=flows)

    def where(self, condition: Bits) -> Term:
        """The term where it is selected by a condition."""
        return replace(self, flows=self.flows & condition)


Value = tuple[Term, ...]


def _undefined(where: Bits, is_doubtful: bool) -> Term:
    flows = np.ones(where.shape, np.bool_)
    return Term("", where, where, flows, is_doubtful=is_doubtful)


def reduced(value: Value, axis: int) -> Value:
    """A reduction along an axis, which keeps one lane: what has no value is left out. But a place
    that has no lane at all is undefined, and so is where of two tensors one ends first. Behind the
    last block, also of a tensor without any, all lanes are left out, too: which of both it is, an
    index between leaves open.
    """
    found: list[Term] = []
    for term in value:
        if not term.tensor:
            met = np.any(term.missing & term.flows, axis, keepdims=True)
            found.append(_undefined(met, term.is_doubtful))
            continue
        ended = np.all(term.ended, axis, keepdims=True) & bool(term.ended.shape[axis])
        flows = np.any(term.flows, axis, keepdims=True)
        # One lane of an empty tensor is an empty sum or, where its block is known to have but one,
        # itself.
        is_single = term.ended.shape[axis] == 1
        missing = ended & (is_single or term.is_deep or not term.is_empty)
        changed = replace(term, missing=missing, ended=ended, flows=flows)
        found.append(replace(changed, is_doubtful=term.is_deep or term.is_empty))
    for one, two in itertools.permutations(value, 2):
        if one.tensor and two.tensor and one.tensor != two.tensor:
            met = ~one.missing & one.flows & two.ended & two.flows
            whole = np.all(two.ended, axis, keepdims=True)
            found.append(_undefined(np.any(met & ~whole, axis, keepdims=True), False))
            found.append(_undefined(np.any(met & whole, axis, keepdims=True), True))
    return tuple(found)


class Seen:
    """A parameter in a call: the elements of its outermost level, one a program."""

    def __init__(self, name: str, placed: Placed, brute: Brute, is_value: bool) -> None:
        shape = placed.with_sizes(brute.env)[0]
        model = bordered(placed.arranged.chain, shape, brute.env)
        # Two ways to one answer.
        np.testing.assert_array_equal(np.maximum(model.offsets, -1), brute.offsets)
        rank = model.ranks[0]
        self.name = name
        self.is_value = is_value
        self.is_empty = not brute.source
        self.env = brute.env
        self.access = placed.placement.access
        self.grid = model.offsets.shape[:rank]
        self.below = model.offsets.shape[rank:]
        self.count = int(np.prod(self.grid, dtype=np.int64))
        self.elements = model.offsets.reshape((self.count, *self.below))
        self.between = sum(model.ranks[1:-1])
        self.block = self.below[self.between :]
        # What an application asks for.
        self.names = SimpleNamespace(shape=self.below, source=SimpleNamespace(shape=shape))

    def at(self, index: Sequence[int], programs: int) -> npt.NDArray[np.int64]:
        """The offsets of a block in each program; 0 in one without an element."""
        found = np.zeros((programs, *self.block), np.int64)
        count = min(programs, self.count)
        inside = all(0 <= i < n for i, n in zip(index, self.below, strict=False))
        found[:count] = self.elements[(slice(count), *index)] if inside else -1
        return found

    def read(self, index: Sequence[int], programs: int) -> Value:
        """A read of a block."""
        if self.is_value:
            return ()
        offsets = self.at(index, programs)
        flows = np.ones(offsets.shape, np.bool_)
        ended = offsets == -1
        return (Term(self.name, offsets < 0, ended, flows, self.is_empty, self.between > 0),)

    def coordinate(self, dim: int, index: Sequence[int], programs: int) -> npt.NDArray[np.int64]:
        """A coordinate of each lane, also of one that does not exist."""
        rows = index_names(self.access.levels)
        env: dict[str, Any] = dict(self.env)
        rank = len(self.block)
        if self.grid and self.count:
            numbers = np.minimum(np.arange(programs), self.count - 1).reshape((-1, *[1] * rank))
            env |= dict(zip(rows[0], np.unravel_index(numbers, self.grid), strict=True))
        env |= dict.fromkeys(set(rows[0]) - env.keys(), 0)
        env |= dict(zip([name for row in rows[1:-1] for name in row], index, strict=True))
        for position, name in enumerate(rows[-1] if len(rows) > 1 else ()):
            env[name] = np.arange(self.block[position]).reshape((-1, *[1] * (rank - 1 - position)))
        return np.asarray(evaluate(self.access.indices[dim], env, _ARITHMETIC))


@dataclass
class Run:
    """A call, followed in one outcome. ``loops``: values of loop variables; ``carried``: that of
    the variable ``t``; ``stores``: for each store, the lanes of which a value is stored and not
    defined.
    """

    seen: Mapping[str, Seen]
    programs: int
    outcome: Outcome
    loops: dict[str, int] = field(default_factory=dict[str, int])
    carried: Value = ()
    stores: list[Bits] = field(default_factory=list[Bits])

    def number(self, text: str) -> int:
        """A number of the application, such as ``x.shape[0] - 1 - i``."""
        names = {name: one.names for name, one in self.seen.items()}
        return int(eval(text, {}, {**self.loops, **names}))

    def numbers(self, texts: Sequence[str]) -> list[int]:
        """Several."""
        return [*map(self.number, texts)]

    def store(self, index: Sequence[int], value: Value, executed: bool) -> None:
        """A store into ``y``."""
        target = self.seen["y"]
        exists = target.at(index, self.programs) >= 0
        exists[target.count :] = False
        # Those without doubt, and all.
        lacking = np.zeros((2, *exists.shape), np.bool_)
        for term in value:
            lacks = exists & term.missing & term.flows
            lacking |= np.stack([lacks & (not term.is_doubtful), lacks])
        self.stores.append(lacking & executed)


@dataclass
class Node:
    """An expression: its text, and what its lanes are computed from."""

    text: str
    value: Callable[[Run], Value]


@dataclass
class Condition(Node):
    """A condition; ``truth``: where it is true."""

    truth: Callable[[Run], Bits] = field(kw_only=True)


@dataclass
class Program:
    """An application of the parameters ``names``; ``run`` follows it. ``outcomes``: the number of
    conditions that are followed both ways.
    """

    names: tuple[str, ...]
    text: str
    run: Callable[[Run], None]
    outcomes: int

    def application(self) -> Any:
        """The function."""
        file = f"<{abs(hash(self.text))}>"
        linecache.cache[file] = (len(self.text), None, self.text.splitlines(keepends=True), file)
        scope: dict[str, Any] = {"ntl": ntl, "__name__": "applications"}
        exec(compile(self.text, file, "exec"), scope)
        return scope["application"]

    def lacking(self, seen: Mapping[str, Seen], programs: int) -> tuple[bool, bool]:
        """Two answers: a lane is stored that is not defined, in some outcome; in every one."""
        if not programs:
            return False, False
        found: list[Bits] = []
        sure: list[Bits] = []
        for truths in itertools.product((False, True), repeat=self.outcomes):
            run = Run(seen, programs, dict(enumerate(truths)))
            self.run(run)
            stored = [one.reshape((2, -1)) for one in run.stores]
            lanes = np.concatenate([np.zeros((2, 1), np.bool_), *stored], axis=1)
            sure.append(lanes[0])
            found.append(lanes[1])
        return bool(np.any(sure)), bool(np.any(np.all(found, axis=0)))


class Author:
    """Writes an application whose parameters have blocks of ``rank`` dims, and ``between`` dims to
    be indexed. ``dims``: for each parameter, the dims of the block along which each of its
    coordinates varies. ``inputs``: those that are read.
    """

    def __init__(
        self,
        draw: Callable[[Any], Any],
        inputs: Sequence[str],
        between: int,
        rank: int,
        dims: Mapping[str, Sequence[Sequence[int]]],
        source_rank: int,
    ) -> None:
        self.draw = draw
        self.inputs = inputs
        self.between = between
        self.rank = rank
        self.dims = dims
        self.source_rank = source_rank
        self.loops: list[str] = []
        self.conditions = 0
        self.scalar: int | None = None
        self.is_carried = False

    def pick(self, *choices: Any) -> Any:
        return self.draw(st.sampled_from(choices))

    # Expressions.

    def index(self) -> list[str]:
        """An index of the levels between."""
        return [self._index(dim) for dim in range(self.between)]

    def _index(self, dim: int) -> str:
        if dim >= len(self.loops):
            return self.pick("0", "0", "1")
        i = self.loops[dim]
        size = f"{self.pick(*self.inputs, 'y')}.shape[{dim}]"
        return self.pick(i, i, i, i, i, "0", f"{size} - 1 - {i}", f"{i} + 1")

    def expression(self, depth: int) -> Node:
        kinds = ["read", "read", "literal"] if depth < 2 else []
        if depth:
            kinds += ["add", "add", "where", "where"]
        if depth and self.rank:
            kinds += ["reduce", "reduce", "scan", "flip", "join"]
        if self.is_carried:
            kinds += ["carried"] * 3
        kind = self.pick(*kinds)
        made: Node = getattr(self, f"_{kind}")(depth)
        return made

    def _read(self, depth: int) -> Node:
        return self._read_of(self.pick(*self.inputs, *self.inputs, "y"))

    def _read_of(self, name: str) -> Node:
        index = self.index()
        text = f"{name}[{', '.join(index)}]" if index else name
        return Node(text, lambda run: run.seen[name].read(run.numbers(index), run.programs))

    def _literal(self, depth: int) -> Node:
        return Node("1.0", lambda run: ())

    def _carried(self, depth: int) -> Node:
        return Node("t", lambda run: run.carried)

    def _add(self, depth: int) -> Node:
        one, two = self.expression(depth - 1), self.expression(depth - 1)
        return Node(f"({one.text} + {two.text})", lambda run: one.value(run) + two.value(run))

    def _where(self, depth: int) -> Node:
        condition = self.condition(depth - 1)
        one, two = self.expression(depth - 1), self.expression(depth - 1)

        def value(run: Run) -> Value:
            truth = condition.truth(run)
            return (
                *condition.value(run),
                *(term.where(truth) for term in one.value(run)),
                *(term.where(~truth) for term in two.value(run)),
            )

        return Node(f"ntl.where({condition.text}, {one.text}, {two.text})", value)

    def _reduce(self, depth: int) -> Node:
        inner, axis = self._operand(depth), self.draw(st.integers(0, self.rank - 1))
        function = self.pick("sum", "max")
        text = f"ntl.{function}({inner.text}, axis={axis}, keep_dims=True)"
        return Node(text, lambda run: reduced(inner.value(run), axis + 1))

    def _operand(self, depth: int) -> Node:
        """What is reduced: often a sum of two tensors."""
        return self.full(depth, self.pick(self.expression, self._read, self._pair))

    def _pair(self, depth: int) -> Node:
        names = self.draw(st.permutations([*self.inputs, "y"]))
        one, two = (self._read_of(name) for name in names[:2])
        return Node(f"({one.text} + {two.text})", lambda run: one.value(run) + two.value(run))

    def _scan(self, depth: int) -> Node:
        inner, axis = self.full(depth), self.draw(st.integers(0, self.rank - 1))
        return Node(f"ntl.cumsum({inner.text}, axis={axis})", inner.value)

    def _flip(self, depth: int) -> Node:
        inner, axis = self.full(depth), self.draw(st.integers(0, self.rank - 1))
        text = f"ntl.flip({inner.text}, {axis})"
        if self.rank == 2 and self.pick(True, False):
            text = f"ntl.trans(ntl.flip(ntl.trans({inner.text}), {1 - axis}))"
        return Node(
            text,
            lambda run: tuple(
                term.map(lambda lanes: np.flip(lanes, axis + 1)) for term in inner.value(run)
            ),
        )

    def _join(self, depth: int) -> Node:
        both = self.full(depth), self.full(depth)
        side: int = self.pick(0, 1)
        text = f"ntl.split(ntl.join({both[0].text}, {both[1].text}))[{side}]"
        return Node(text, both[side].value)

    def full(self, depth: int, make: Callable[[int], Node] | None = None) -> Node:
        """An expression that has every lane of a block."""
        inner = (make or self.expression)(depth - 1)

        def value(run: Run) -> Value:
            shape = (run.programs, *run.seen["y"].block)
            return tuple(
                term.map(lambda lanes: np.broadcast_to(lanes, shape)) for term in inner.value(run)
            )

        return Node(f"ntl.broadcast_to({inner.text}, {self.shape})", value)

    @property
    def shape(self) -> str:
        """The shape of a block."""
        return "y.dtype.shape" if self.between else "y.shape"

    # Conditions.

    def condition(self, depth: int) -> Condition:
        kinds = ["offsets"] * 9 + ["both", "both", "either", "not"]
        if self.conditions < 2:
            kinds += ["data", "data", "number"]
        kind = self.pick(*kinds)
        if kind in ("both", "either"):
            return self._combined(kind == "both")
        return getattr(self, f"_of_{kind}")(depth)

    def _of_offsets(self, depth: int) -> Condition:
        name: str = self.pick(*self.dims)
        dims = self.dims[name]
        dim: int = self.draw(st.integers(0, self.source_rank - 1))
        index = self.index()
        other = self.pick(*self.inputs, "y")
        limit = self.pick(
            *[f"{other}.source.shape[{dim}]"] * 4,
            f"{other}.source.shape[0] - 1",
            "2",
        )
        relation = self.pick("<", "<", "<", "<=", ">", ">=")
        text = f"{name}[{', '.join(index)}]" if index else name
        text = f"{text}.offsets({dim})"
        if len(dims[dim]) == 1 and self.rank > 1:
            text += f"[{', '.join(':' if d in dims[dim] else 'None' for d in range(self.rank))}]"

        def truth(run: Run) -> Bits:
            found = run.seen[name].coordinate(dim, run.numbers(index), run.programs)
            end = run.number(limit)
            return {"<": found < end, "<=": found <= end, ">": found > end, ">=": found >= end}[
                relation
            ]

        return Condition(f"({text} {relation} {limit})", lambda run: (), truth=truth)

    def _of_data(self, depth: int) -> Condition:
        inner, number = self.full(1), self.conditions
        self.conditions += 1
        return Condition(
            f"({inner.text} > 0)", inner.value, truth=lambda run: np.array(run.outcome[number])
        )

    def _of_number(self, depth: int) -> Condition:
        if self.scalar is None:
            self.scalar = self.conditions
            self.conditions += 1
        number = self.scalar
        text = f"ntl.full({self.shape}, s, ntl.float32) > 0" if self.rank else "s > 0"
        return Condition(
            f"({text})", lambda run: (), truth=lambda run: np.array(run.outcome[number])
        )

    def _of_not(self, depth: int) -> Condition:
        inner = self.condition(0)
        return Condition(f"~{inner.text}", inner.value, truth=lambda run: ~inner.truth(run))

    def _combined(self, both: bool) -> Condition:
        one, two = self.condition(0), self.condition(0)

        def truth(run: Run) -> Bits:
            combine = np.logical_and if both else np.logical_or
            return combine(one.truth(run), two.truth(run))

        return Condition(
            f"({one.text} {'&' if both else '|'} {two.text})",
            lambda run: one.value(run) + two.value(run),
            truth=truth,
        )

    # Statements.

    def program(self) -> Program:
        """An application."""
        lines, run = self._statements()
        names = [*self.inputs, "y"]
        if self.pick(True, False):
            names.reverse()
        if self.scalar is not None:
            names.append("s")
        text = "\n".join([f"def application({', '.join(names)}):", *lines, ""])
        return Program(tuple(names), text, run, self.conditions)

    def _store(self, indent: str, index: list[str]) -> tuple[list[str], Callable[[Run], None]]:
        """A store, perhaps below a branch."""
        value = self.expression(3)
        target = f"y[{', '.join(index)}]" if index else "y"
        lines = [f"{indent}{target} = {value.text}"]
        test = self.pick(*[None] * 6, "number", *(["first"] if self.loops else []))
        number = self.scalar
        if test == "number" and number is None:
            if self.conditions > 2:
                test = None
            else:
                self.scalar = number = self.conditions
                self.conditions += 1
        if test is not None:
            condition = "s > 0" if test == "number" else f"{self.loops[0]} > 0"
            lines = [f"{indent}if {condition}:", f"    {lines[0]}"]

        loops = list(self.loops)

        def run(given: Run) -> None:
            executed = True
            if test == "number":
                assert number is not None
                executed = given.outcome[number]
            elif test == "first":
                executed = given.number(f"{loops[0]} > 0") > 0
            given.store(given.numbers(index), value.value(given), executed)

        return lines, run

    def _statements(self) -> tuple[list[str], Callable[[Run], None]]:
        """A loop that carries a value, stores in it or behind it, or stores alone."""
        form = self.pick("plain", "plain", "carry", "carry and store")
        if form == "plain":
            return self._plain()
        start = self.full(2) if self.rank else self.expression(2)
        lines = [f"    t = {start.text}"]
        self.loops = ["i"]
        end = self.pick("2", *(f"{name}.shape[0]" for name in (*self.inputs, "y")))
        if not self.between:
            end = self.pick("2", "x.source.shape[0]", "0")
        lines.append(f"    for i in range({end}):")
        step = self.full(2) if self.rank else self.expression(2)
        adds = self.pick(True, True, False)
        lines.append(f"        t = {'t + ' if adds else ''}{step.text}")
        self.is_carried = True
        inner: Callable[[Run], None] | None = None
        if form == "carry and store" and self.between == 1:
            more, inner = self._store("        ", ["i"])
            lines += more
        self.loops = []
        behind, outer = self._store("    ", ["0"] * self.between)
        lines += behind

        def run(given: Run) -> None:
            given.carried = start.value(given)
            for i in range(given.number(end)):
                given.loops["i"] = i
                value = step.value(given)
                given.carried = (*given.carried, *value) if adds else value
                if inner is not None:
                    inner(given)
            outer(given)

        return lines, run

    def _plain(self) -> tuple[list[str], Callable[[Run], None]]:
        lines: list[str] = []
        ends: list[str] = []
        if self.between and self.pick(True, True, True, False):
            self.loops = ["i", "j"][: self.between]
            for dim, name in enumerate(self.loops):
                ends.append(f"y.shape[{dim}]")
                lines.append(f"{'    ' * (dim + 1)}for {name} in range({ends[-1]}):")
        indent = "    " * (len(ends) + 1)
        index = list(self.loops) or [self.pick("0", "0", "1") for _ in range(self.between)]
        more, store = self._store(indent, index)
        stores = [store]
        lines += more
        if self.pick(True, False, False, False):
            more, store = self._store(indent, index)
            stores.append(store)
            lines += more

        def run(given: Run) -> None:
            for values in itertools.product(*(range(given.number(end)) for end in ends)):
                given.loops.update(zip(("i", "j"), values, strict=False))
                for one in stores:
                    one(given)

        return lines, run
