"""Accesses, shapes and numbers of random arrangements against a NumPy model."""

from __future__ import annotations

import io
import itertools
import math
from collections.abc import Sequence
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Region
from xdsl.parser import Parser
from xdsl.printer import Printer

from ninetoothed import Symbol, Tensor
from ninetoothed.artifacts.signature import Agreement, ParamSignature
from ninetoothed.compiler.compile import context
from ninetoothed.definition.define import define
from ninetoothed.frontend.arrangement import arrange as arranged_block
from ninetoothed.frontend.arrangement import declarations, view
from ninetoothed.ir import nt
from ninetoothed.layout.access import Access, compose, index_names
from ninetoothed.layout.emptiness import emptied, unknown_sizes
from ninetoothed.layout.lifting import lifted, repeated
from ninetoothed.layout.meta_op import MetaOp
from ninetoothed.layout.numbering import Use, numbering, renumbering
from ninetoothed.passes.compose_arrangement import ComposeArrangementPass
from ninetoothed.symbolic.expr import Arithmetic, IndexExpr, const, evaluate
from ninetoothed.symbolic.intervals import declared_ranges
from ninetoothed.tensor import tensor_of
from ninetoothed.testing.random_arrangements import (
    MAX_ELEMENTS,
    Case,
    Model,
    Number,
    arrange,
    arrangements,
)
from tests.support.profiles import examples

ARITHMETIC = Arithmetic(np.minimum, np.maximum, np.logical_and)


def evaluated(expr: IndexExpr, env: dict[str, Any]) -> Any:
    """The value of ``expr``; 0 where a size that is written as 0 divides a number: NumPy's
    quotients by zero are 0 and warned of, Python's raise. Guards let none of them pass.
    """
    try:
        return evaluate(expr, env, ARITHMETIC)
    except ZeroDivisionError:
        return 0


def check(access: Access, model: Model, shape: Sequence[int], values: dict[str, int]) -> None:
    """Compare the access with the model, at every element and at the indices around.

    Indices of programs and of the block are inside; those between are the application's, and may
    be anything.
    """
    sizes = [[evaluate(size, values) for size in level] for level in access.levels]
    # A window longer than its dim makes a count below zero, which is none.
    assert [max(size, 0) for level in sizes for size in level] == list(model.offsets.shape)
    env: dict[str, Any] = {name: np.int64(value) for name, value in values.items()}
    ranges: list[range] = []
    last = len(sizes) - 1
    for level, row in enumerate(sizes):
        around = 2 if 0 < level < last else 0
        ranges += [range(-around, max(size, 0) + around) for size in row]
    names = [name for row in index_names(access.levels) for name in row]
    if np.prod([len(r) for r in ranges]) > 20 * MAX_ELEMENTS:
        ranges = [range(size) for size in model.offsets.shape]
    env |= dict(zip(names, np.ix_(*ranges), strict=True))
    full = tuple(len(r) for r in ranges)
    valid = np.ones(full, bool)
    for guard in access.guards:
        index, size = (evaluated(e, env) for e in (guard.index, guard.size))
        valid = valid & (np.asarray(index) >= 0) & (index < np.asarray(size))
    linear: Any = np.zeros(full, np.int64)
    inside = np.ones(full, bool)
    for index, size in zip(access.indices, shape, strict=True):
        value = evaluated(index, env)
        inside &= (np.asarray(value) >= 0) & (value < np.asarray(size))
        linear = linear * size + value
    assert not (valid & ~inside).any(), "the guards let an index outside the source pass"
    expected = np.full(full, -1)
    window = tuple(
        slice(-r.start, -r.start + size)
        for r, size in zip(ranges, model.offsets.shape, strict=True)
    )
    expected[window] = model.offsets
    np.testing.assert_array_equal(np.where(valid, linear, -1), expected)


def composed(t: Tensor, values: dict[str, int]) -> Access:
    """The access of an arranged tensor, under what its symbols declare, for calls like one with
    these values.
    """
    chain = t.chain
    ops = classified(chain.ops, values)
    return compose(chain.source.shape, ops, declared_ranges(chain.expressions))


def classified(ops: Sequence[MetaOp], values: dict[str, int]) -> Sequence[MetaOp]:
    """The operations in the class of a call with these values: dims of size 1 may be empty."""
    empty = any(evaluate(size, values) < 1 for size in unknown_sizes(ops))
    return emptied(ops) if empty else ops


def shown(t: Tensor, values: dict[str, int]) -> list[int]:
    """The sizes of all levels."""
    sizes = [evaluate(size, values) for level in t.chain.levels for size in level]
    return [max(size, 0) for size in sizes]


class Written:
    """Numbers, some written as symbols and expressions, and the symbols' values."""

    def __init__(self, random: Any) -> None:
        self.random = random
        self.values: dict[str, int] = {}

    def number(self, value: int) -> Symbol | int:
        """``value``, or something that stands for it."""
        choice = self.random.random()
        if value < 1 or choice < 0.4:
            return value
        if choice < 0.5:
            return self._symbol(value) * 1 + 0
        if choice < 0.6:
            return self._symbol(value + 1) - 1
        if choice < 0.7 and value % 2 == 0:
            return 2 * self._symbol(value // 2)
        return self._symbol(value)

    def _symbol(self, value: int) -> Any:
        known = [name for name, other in self.values.items() if other == value]
        name = self.random.choice([*known, f"s{len(self.values)}"])
        self.values[name] = value
        return Symbol(name, constexpr=True)

    def halves(self) -> tuple[dict[Any, Any], dict[Any, Any]]:
        """The values as two mappings for ``subs``."""
        found: tuple[dict[Any, Any], dict[Any, Any]] = ({}, {})
        for name, value in self.values.items():
            found[self.random.random() < 0.5][Symbol(name)] = value
        return found


def plain(value: int) -> int:
    """A number as it is."""
    return value


randoms = st.randoms(use_true_random=False)


@given(arrangements())
def test_numbers(case: Case) -> None:
    t = arrange(case, Tensor(shape=case.shape), plain)
    assert shown(t, {}) == list(case.model.offsets.shape)
    np.testing.assert_array_equal(t.eval(), case.model.offsets)
    check(composed(t, {}), case.model, case.shape, {})


@examples(500)
@given(arrangements(exact=True), randoms)
def test_symbols_that_are_given_numbers(case: Case, random: Any) -> None:
    written = Written(random)
    t = Tensor(len(case.shape))
    arranged = arrange(case, t, written.number)
    one, two = written.halves()
    both = {**one, **two, t: {"shape": case.shape}}
    np.testing.assert_array_equal(arranged.eval(both), case.model.offsets)
    # Some of the sizes first, by symbols as shapes; in three steps it is the same.
    mixed = [random.choice([size, n]) for size, n in zip(t.shape, case.shape, strict=True)]
    partial = arranged.subs({**one, t: {"shape": mixed}})
    assert partial.source.shape == tuple(mixed)
    np.testing.assert_array_equal(
        partial.eval({**two, t: Tensor(shape=case.shape)}), case.model.offsets
    )
    rest = partial.subs(two).subs({t: {"shape": case.shape}})
    assert shown(rest, {}) == list(case.model.offsets.shape)
    assert rest.chain == arranged.subs(both).chain
    np.testing.assert_array_equal(rest.eval(), case.model.offsets)


@examples(600)
@given(arrangements(exact=True), randoms)
# The size of an empty tensor divides; what comes of it is guarded out.
@pytest.mark.filterwarnings("ignore:divide by zero")
def test_accesses_of_symbols(case: Case, random: Any) -> None:
    written = Written(random)
    t = Tensor(len(case.shape))
    arranged = arrange(case, t, written.number)
    sizes = [size.args[0] for size in t.chain.source.shape]
    values = written.values | dict(zip(sizes, case.shape, strict=True))
    assert shown(arranged, values) == list(case.model.offsets.shape)
    access = composed(arranged, values)
    check(access, case.model, case.shape, values)
    check(access.substitute(values), case.model, case.shape, {})


@given(arrangements(), st.integers(0, 3), st.integers(0, 3))
def test_lifted_arrangements(case: Case, inner: int, outer: int) -> None:
    """Of a batch of tensors, and of one tensor for a batch, each in a batch of its own."""
    chain = arrange(case, Tensor(shape=case.shape), plain).chain
    ranks = [case.model.ranks[0] + 2, *case.model.ranks[1:]]
    for first, second in itertools.product((lifted, repeated), repeat=2):
        shape, offsets = case.shape, case.model.offsets
        for lift, count in ((first, inner), (second, outer)):
            distance = math.prod(shape) if lift is lifted else 0
            shape = (count, *shape) if lift is lifted else shape
            parts = [np.where(offsets < 0, -1, offsets + part * distance) for part in range(count)]
            offsets = np.stack(parts) if parts else np.empty((0, *offsets.shape), np.int64)
        t = tensor_of(second(first(chain, const(inner)), const(outer)))
        assert t.source.shape == shape
        np.testing.assert_array_equal(t.eval(), offsets)
        check(composed(t, {}), Model(offsets, ranks), shape, {})


@st.composite
def numbered(draw: st.DrawFn) -> tuple[Case, tuple[int, ...], Agreement, Use]:
    """An arrangement, a shape of programs, a class of signatures whose checks they pass, and a use
    of the elements.
    """
    case = draw(arrangements(exact=True, most=4))
    own = case.model.sizes(0)
    count = math.prod(own)
    if draw(st.booleans()):
        # The same number: dims merged, split, or in another order.
        shapes = [[count], [1, count], [count, 1], own[::-1], [*own, 1], [1, *own], own]
        shapes += [[number, count // number] for number in (2, 3, 5) if count % number == 0]
        return case, tuple(draw(st.sampled_from(shapes))), draw(agreements), draw(uses)
    # Without a dim, what is guarded out would be divided as a number.
    grid = tuple(draw(st.lists(st.integers(0, 6), min_size=0 if count else 1, max_size=3)))
    use = draw(uses) if count <= math.prod(grid) else "read"
    return case, grid, "any", use


agreements = st.sampled_from(get_args(Agreement))
uses: st.SearchStrategy[Use] = st.sampled_from(["read", "write"])


@examples(400)
@given(numbered(), randoms)
@pytest.mark.filterwarnings("ignore:divide by zero")
def test_programs_have_elements_by_number(
    given: tuple[Case, tuple[int, ...], Agreement, Use], random: Any
) -> None:
    case, grid, agreement, use = given
    if math.prod(grid) == 0:
        # No program asks, and its number would be divided by 0.
        return
    written = Written(random)
    number: Number = random.choice([plain, written.number])
    arranged = arrange(case, Tensor(shape=case.shape), number)
    shape = tuple(
        size.expr if isinstance(size, Symbol) else const(size) for size in map(number, grid)
    )
    chain = arranged.chain
    exprs = [*chain.expressions, *shape]
    known = numbering(shape, chain.levels[0], use, agreement, declared_ranges(exprs))
    if known.rule == "shapes" and grid != tuple(case.model.sizes(0)):
        # A call of this class would be refused.
        return
    ops = (*classified(chain.ops, written.values), *renumbering(known, shape, chain.levels[0]))
    access = compose(chain.source.shape, ops, declared_ranges(exprs))
    below = case.model.offsets.shape[case.model.ranks[0] :]
    elements = case.model.offsets.reshape((math.prod(case.model.sizes(0)), *below))
    offsets = np.full((math.prod(grid), *below), -1)
    reached = min(len(elements), len(offsets))
    offsets[:reached] = elements[:reached]
    model = Model(offsets.reshape((*grid, *below)), [len(grid), *case.model.ranks[1:]])
    check(access, model, case.shape, written.values)


def identity(x: Any) -> None:
    """An application of one parameter."""


def module_of(t: Tensor, shape: Sequence[int], values: dict[str, int]) -> ModuleOp:
    """A kernel whose arrangement is ``t``, for calls with sizes that are as empty as ``shape``;
    ``values`` are those of all symbols, to which it adds the sizes.
    """
    definition = define(None, [t], identity)
    sizes = definition.parameters[0].source.shape
    values |= {str(size): number for size, number in zip(sizes, shape, strict=True)}
    empty = any(is_empty(values) for is_empty in definition.interface.emptinesses)
    param = ParamSignature("x", "tensor", "fp32", len(shape), empty=empty)
    block = arranged_block(definition, (param,))
    last = block.last_op
    assert isinstance(last, nt.ArrangedOp)
    body = Block(arg_types=[view(last.values[0])])
    body.add_op(nt.ReturnOp())
    kernel = nt.KernelOp("k", declarations(definition, {}), Region(block), Region(body))
    return ModuleOp([kernel])


def text_of(module: ModuleOp) -> str:
    """The module's text."""
    stream = io.StringIO()
    Printer(stream).print_op(module)
    return stream.getvalue()


@examples(300)
@given(arrangements(exact=True), randoms)
@pytest.mark.filterwarnings("ignore:divide by zero")
def test_meta_operations_are_kept_by_text_and_composed_by_the_pass(case: Case, random: Any) -> None:
    written = Written(random)
    number: Number = random.choice([plain, written.number])
    t = Tensor(len(case.shape)) if random.random() < 0.5 else Tensor(shape=case.shape)
    arranged = arrange(case, t, number)
    values = dict(written.values)
    module = module_of(arranged, case.shape, values)
    module.verify()
    text = text_of(module)
    parsed = Parser(context(), text).parse_module()
    parsed.verify()
    assert text_of(parsed) == text
    assert parsed.is_structurally_equivalent(module)
    ComposeArrangementPass().apply(context(), parsed)
    parsed.verify()
    (kernel,) = parsed.body.ops
    assert isinstance(kernel, nt.KernelOp)
    owner = kernel.arranged.values[0].owner
    assert isinstance(owner, nt.AccessOp)
    check(owner.access.data, case.model, case.shape, values)
