"""Reports on random kernels against brute force: proofs, examples, and races that do no harm."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ninetoothed import NineToothedError, Symbol, Tensor, check
from ninetoothed.layout.inverse import Site
from ninetoothed.symbolic.expr import IndexExpr, const, evaluate, sym
from ninetoothed.symbolic.intervals import Range
from ninetoothed.verification.verdicts import BENIGN, DISPROVED, PROVED, Report, Verdict
from tests.property.inverses import Brute, Placed, brute, placed, small_sizes
from tests.support.profiles import examples

# Applications assign to their parameters, which is a store.
# pyright: reportUnusedVariable=false


def one(x: Any, y: Any) -> None:
    """The program's number to its block."""
    y = x


def each(x: Any, y: Any) -> None:
    """To all blocks."""
    for i in range(y.shape[0]):
        y[i] = x + i


def backwards(x: Any, y: Any) -> None:
    """The last one first."""
    for i in range(y.shape[0] - 1, -1, -1):
        y[i] = x - i


def two(x: Any, y: Any) -> None:
    """To the first two blocks."""
    y[0] = x
    y[1] = x


def squares(x: Any, y: Any) -> None:
    """To blocks 0, 1, 4."""
    for i in range(3):
        y[i * i] = x


def pairs(x: Any, y: Any) -> None:
    """To all blocks of two dims."""
    for i in range(y.shape[0]):
        for j in range(y.shape[1]):
            y[i, j] = x


def triangle(x: Any, y: Any) -> None:
    """To those below the diagonal."""
    for i in range(y.shape[0]):
        for j in range(i + 1):
            y[i, j] = x


def diagonal(x: Any, y: Any) -> None:
    """To those on the diagonal."""
    for i in range(y.shape[0]):
        y[i, i] = x


i, j = sym("i"), sym("j")


def upto(size: IndexExpr) -> Range:
    """From 0 to ``size``, exclusive."""
    return Range(const(0), size - 1)


Stores = Callable[[Sequence[IndexExpr]], list[Site]]
APPLICATIONS: dict[int, tuple[tuple[Callable[..., None], Stores], ...]] = {
    0: ((one, lambda s: [Site()]),),
    1: (
        (each, lambda s: [Site((i,), {"i": upto(s[0])})]),
        (backwards, lambda s: [Site((s[0] - 1 - i,), {"i": upto(s[0])})]),
        (two, lambda s: [Site((const(0),)), Site((const(1),))]),
        (squares, lambda s: [Site((i * i,), {"i": upto(const(3))})]),
    ),
    2: (
        (pairs, lambda s: [Site((i, j), {"i": upto(s[0]), "j": upto(s[1])})]),
        (triangle, lambda s: [Site((i, j), {"i": upto(s[0]), "j": upto(i + 1)})]),
        (diagonal, lambda s: [Site((i, i), {"i": upto(s[0])})]),
    ),
}


def numbers(case: Placed, kept: Sequence[bool]) -> Tensor:
    """A number for each program, the same along the dims that are not kept."""
    x = Tensor(sum(kept))
    for dim, (keep, size) in enumerate(zip(kept, case.arranged.shape, strict=True)):
        if not keep:
            x = x.unsqueeze(dim).expand([-1] * dim + [size] + [-1] * (x.ndim - dim))
    return x


@examples(300)
@given(st.data())
@pytest.mark.filterwarnings("ignore:divide by zero")
def test_reports(data: st.DataObject) -> None:
    case = data.draw(placed)
    between = [size for level in case.placement.access.levels[1:-1] for size in level]
    kept = [data.draw(st.booleans()) for _ in range(case.arranged.ndim)]
    assume(len(between) in APPLICATIONS and kept)
    application, stores = data.draw(st.sampled_from(APPLICATIONS[len(between)]))
    certain = stores(between)
    report = checked(case, numbers(case, kept), application)
    coverage, races = (report.of(question, "y") for question in ("coverage", "races"))
    for found in brute(case, data.draw(small_sizes(case))):
        if coverage.answer == PROVED:
            assert found.written(certain) == set(range(found.source))
        writers = found.writers(certain).values()
        if races.answer == PROVED:
            assert all(len(programs) == 1 for programs in writers)
        if races.answer == BENIGN:
            assert all(len(values(found, kept, programs)) == 1 for programs in writers)
    check_example(case, coverage, certain)
    check_example(case, races, certain)


def checked(case: Placed, x: Tensor, application: Callable[..., None]) -> Report:
    """The report; a kernel that cannot be is no case."""
    try:
        return check(lambda: (x, case.arranged), application, ())
    except NineToothedError:
        assume(False)
        raise


def values(found: Brute, kept: Sequence[bool], programs: set[int]) -> set[tuple[int, ...]]:
    """The numbers that programs store, by their places."""
    grid = found.offsets.shape[: found.ranks[0]]
    places = [np.unravel_index(program, grid) for program in programs]
    return {tuple(int(p) for p, keep in zip(place, kept, strict=True) if keep) for place in places}


def check_example(case: Placed, verdict: Verdict, certain: Sequence[Site]) -> None:
    """Check that a counterexample occurs at its sizes, and that a call may have these."""
    example = verdict.example
    assert (example is not None) == (verdict.answer in (DISPROVED, BENIGN))
    if example is None:
        return
    named = {
        name: example.sizes[f"y_size_{dim}"]
        for dim, name in enumerate(case.size_names)
        if name is not None
    }
    try:
        found = Brute(case, {**example.sizes, **named})
    except (OverflowError, ZeroDivisionError):
        # As it is written, a size divides by that of an empty tensor; its normal form does not.
        return
    shape = [evaluate(size, found.env) for size in case.placement.source]
    element = int(np.ravel_multi_index(example.element, shape))
    if verdict.question == "coverage":
        assert element not in found.written(certain)
        return
    first, second = map(found.program, example.programs)
    assert first != second
    assert {first, second} <= found.writers(certain)[element]


# What went wrong once.


def blocks_of_blocks(t: Tensor) -> Tensor:
    """Three by three blocks of one element a program."""
    return t.tile((1, 1)).tile((3, 3))


def report_on(application: Callable[..., None], arranged: Tensor) -> Report:
    """A report where all programs store one number."""
    return check(lambda: (Tensor(0), arranged), application, ())


@pytest.mark.parametrize("application", [diagonal, triangle], ids=["diagonal", "triangle"])
def test_one_loop_for_two_indices_covers_no_square(application: Callable[..., None]) -> None:
    t = Tensor(2)
    report = report_on(application, blocks_of_blocks(t))
    assert str(report.of("coverage", "y")).startswith("an element is never written: element (0, 1)")


def test_squares_cover_no_row() -> None:
    t, B = Tensor(2), Symbol("B", constexpr=True)
    arranged = t.tile((1, B)).tile((1, -1))
    below = arranged.dtype
    assert isinstance(below, Tensor)
    arranged.dtype = below.squeeze(0)
    assert report_on(squares, arranged).of("coverage", "y").answer == DISPROVED


def test_a_slice_backwards_by_a_symbol() -> None:
    t, step = Tensor(1), Symbol("step", constexpr=True)
    report = report_on(one, t[::-step].tile((2,)))
    assert report.of("races", "y").answer == PROVED
    assert report.of("coverage", "y").answer == DISPROVED
