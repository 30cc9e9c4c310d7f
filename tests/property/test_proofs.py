"""The prover against brute force: what is proved holds wherever everything assumed does."""

from __future__ import annotations

import numpy as np
from hypothesis import assume, example, given

from ninetoothed.symbolic.expr import IndexExpr, substitute, sym, symbol_names
from ninetoothed.symbolic.intervals import Range, bounds
from ninetoothed.symbolic.normal_form import always_less, always_nonnegative, normalize, normalizer
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


@given(expressions, assumed(facts=False))
def test_normal_forms_under_ranges(expr: IndexExpr, known: Assumed) -> None:
    normal = normalizer(known.ranges)
    found = normal(expr)
    env, valid = known.domain
    same = value_of(found, env) == value_of(expr, env)
    assert np.all(np.broadcast_to(same, valid.shape)[valid])
    # Again, alone, and what an expression shares with another.
    rebuilt = substitute(found, {name: sym(name) for name in symbol_names(found)})
    assert normalize(rebuilt, known.ranges) == found
    assert normal(expr * 2) == normalize(expr * 2, known.ranges)
