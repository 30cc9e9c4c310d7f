"""The prover against brute force: what is proved holds wherever everything assumed does."""

from __future__ import annotations

import numpy as np
from hypothesis import assume, example, given

from ninetoothed.ir.index_bounds import Range, bounds
from ninetoothed.ir.index_expr import IndexExpr, const, substitute, sym, symbol_names
from ninetoothed.ir.index_normal import always_less, always_nonnegative, normalize, normalizer
from tests.property.expressions import Assumed, assumed, expressions, value_of


@given(expressions, assumed())
@example(sym("a"), Assumed({"a": Range()}, [-sym("a") - 2]))
def test_nothing_is_proved_that_fails_somewhere(expr: IndexExpr, known: Assumed) -> None:
    env, valid = known.domain
    assume(valid.any())
    values = np.broadcast_to(value_of(expr, env), valid.shape)[valid]
    smallest, largest = int(values.min()), int(values.max())
    # The two that just fail.
    assert not always_nonnegative(expr - smallest - 1, known.ranges, known.facts)
    assert not always_less(expr, largest, known.ranges, known.facts)
    lower, upper = bounds(expr, known.ranges)
    assert lower is None or lower <= smallest
    assert upper is None or largest <= upper


@given(expressions, expressions, assumed())
def test_nothing_is_proved_of_two_that_fails_somewhere(
    left: IndexExpr, right: IndexExpr, known: Assumed
) -> None:
    env, valid = known.domain
    if always_less(left, right, known.ranges, known.facts):
        less = value_of(left, env) < value_of(right, env)
        assert np.all(np.broadcast_to(less, valid.shape)[valid])


@given(expressions, assumed(facts=False))
def test_normal_form_under_ranges_has_the_same_value(expr: IndexExpr, known: Assumed) -> None:
    env, valid = known.domain
    found = normalizer(known.ranges)(expr)
    same = value_of(found, env) == value_of(expr, env)
    assert np.all(np.broadcast_to(same, valid.shape)[valid])


@given(expressions, assumed(facts=False))
def test_normalizing_under_ranges_is_idempotent(expr: IndexExpr, known: Assumed) -> None:
    once = normalize(expr, known.ranges)
    rebuilt = substitute(once, {name: sym(name) for name in symbol_names(once)})
    assert normalize(rebuilt, known.ranges) == once


@given(expressions, expressions, assumed(facts=False))
def test_one_normalizer_for_many_expressions(
    one: IndexExpr, two: IndexExpr, known: Assumed
) -> None:
    shared = normalizer(known.ranges)
    assert shared(one + const(0)) == normalize(one, known.ranges)
    assert shared(two) == normalize(two, known.ranges)
