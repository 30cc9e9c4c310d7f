"""The sizes whose equality is part of a signature."""

from __future__ import annotations

from ninetoothed.layout.equal_sizes import MOST, alike, equal_sizes
from ninetoothed.layout.meta_op import Levels
from ninetoothed.symbolic.expr import IndexExpr, binary, sym

SIZES = ("m", "k", "k2", "n", "m2", "n2")
m, k, k2, n, m2, n2, B, C = (sym(name) for name in (*SIZES, "B", "C"))


def blocks(size: IndexExpr, block: IndexExpr = B) -> IndexExpr:
    return binary("ceildiv", size, block)


def found(*levels: Levels) -> list[list[tuple[str, str]]]:
    return equal_sizes(levels, SIZES)


def test_matmul() -> None:
    # As tile prints a shape, and as it is in normal form.
    printed = (m2 - (B - 1) - 1 + B - 1) // B + 1
    assert found(
        ((blocks(m), blocks(n)), (blocks(k, C),), (B, C)),
        ((blocks(m), blocks(n)), (blocks(k2, C),), (C, B)),
        ((printed, blocks(n2)), (B, B)),
    ) == [[("m", "m2")], [("k", "k2")], [("n", "n2")]]


def test_factors_are_paired_by_their_dims() -> None:
    assert found(((blocks(n2 * k * m),), (B,)), ((blocks(m2 * k * n),), (B,))) == [
        [("m", "n")],
        [("m2", "n2")],
    ]


def test_several_are_one_fact() -> None:
    cut = [((blocks(size),), (B,)) for size in (n, m, m2)]
    assert found(*cut) == [[("m", "n"), ("m", "m2")]]


def test_what_is_cut_otherwise() -> None:
    assert found(((blocks(m),), (B,)), ((blocks(n, C),), (C,))) == []
    assert found(((blocks(m),), (B,)), ((blocks(n + 1),), (B,))) == []
    assert found(((blocks(m), n), (B,)), ((blocks(n),), (B,))) == []
    # A size of none of the tensors.
    assert found(((blocks(m),), (B,)), ((blocks(sym("other")),), (B,))) == []


def test_plain_sizes() -> None:
    # Of programs they are checked; of a loop they are not.
    assert found(((m,), (n,), (B,)), ((m2,), (n2,), (B,))) == [[("n", "n2")]]


def test_there_are_not_many_facts() -> None:
    names = [f"s{number}" for number in range(2 * MOST + 2)]
    half = len(names) // 2
    rows = [tuple(blocks(sym(name)) for name in part) for part in (names[:half], names[half:])]
    facts = equal_sizes([(row, (B,)) for row in rows], names)
    assert facts == [list(zip(names[:half], names[half:], strict=True))]


def test_tensors_that_are_alike() -> None:
    rows = [((blocks(size),), (B, length)) for size, length in ((m, k), (m2, k2), (n, k))]
    weight = ((blocks(m),), (k,))
    other = ((blocks(m, C),), (C, k))
    assert alike([rows[0], weight, rows[1], other, rows[2]], SIZES) == [(0, 2), (0, 4)]
    looped = ((blocks(m),), (k,), (B, C))
    assert alike([rows[0], looped, rows[1], looped], SIZES) == [(1, 3)]
