"""Sizes that follow from others where outermost levels agree."""

from __future__ import annotations

from collections.abc import Sequence

from ninetoothed.layout.solved_sizes import equalities, solved_sizes
from ninetoothed.symbolic.expr import IndexExpr, binary, const, sym

m, n, p, q, b = map(sym, "mnpqb")


def blocks(size: IndexExpr) -> IndexExpr:
    return binary("ceildiv", size, b)


def solved(
    *levels: tuple[IndexExpr, ...], equal: Sequence[tuple[IndexExpr, IndexExpr]] = ()
) -> dict[str, str]:
    found = solved_sizes(levels, {"p", "q"}, {"m", "n"}, equal)
    return {name: str(size) for name, size in found.items()}


def test_equal_forms() -> None:
    assert solved((m,), (p,)) == {"p": "m"}
    assert solved((blocks(m),), (blocks(p),)) == {"p": "m"}
    assert solved((blocks(p),), (blocks(m),)) == {"p": "m"}
    assert solved((m + 2,), (p,)) == {"p": "m + 2"}


def test_sizes_of_different_tensors() -> None:
    matmul = solved((blocks(m), blocks(q)), (blocks(p), blocks(n)), (blocks(p), blocks(q)))
    assert matmul == {"p": "m", "q": "n"}


def test_a_size_behind_another_unknown_one() -> None:
    assert solved((q,), (p,), (m,)) == {"p": "m", "q": "m"}


def test_the_first_that_decides_counts() -> None:
    assert solved((m,), (n,), (p,)) == {"p": "m"}


def test_equal_sizes() -> None:
    assert solved((m,), (p,), equal=[(q, n)]) == {"p": "m", "q": "n"}
    assert solved((m,), (m,), equal=[(p, q), (q, n)]) == {"p": "n", "q": "n"}
    # Levels come first.
    assert solved((m,), (p,), equal=[(p, n)]) == {"p": "m"}


def test_what_is_not_decided() -> None:
    # Of another form, of another number of dims, and the blocks' sizes, which are no sizes.
    assert solved((m,), (blocks(p),)) == {}
    assert solved((m, n), (p,)) == {}
    assert solved((b,), (p,)) == {}
    # A matrix or its transposed one.
    assert solved((blocks(m * n),), (blocks(p * q),)) == {}


def test_equalities() -> None:
    known = {"m", "n", "p"}
    assert equalities([(blocks(m), n), (blocks(m), n)], known) == []
    assert equalities([(blocks(m),), (blocks(p),), (blocks(p),)], known) == [(m, p)]
    assert equalities([(m,), (blocks(m),)], known) is None
    assert equalities([(blocks(m),), (blocks(q),)], known) is None
    assert equalities([(m,), (m, const(1))], known) is None
