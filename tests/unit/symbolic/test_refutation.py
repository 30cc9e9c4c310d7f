"""Inequalities that samples refute, and proofs that they end."""

from __future__ import annotations

import pytest

from ninetoothed.symbolic import normal_form
from ninetoothed.symbolic.expr import IndexExpr, binary, const, sym
from ninetoothed.symbolic.intervals import Range
from ninetoothed.symbolic.normal_form import always_nonnegative
from ninetoothed.symbolic.refutation import refuted

N, M, B, J = map(sym, "NMBJ")
SIZES = {"N": Range.of(0), "M": Range.of(0), "B": Range.of(1, 64)}


@pytest.mark.parametrize(
    ("expr", "facts"),
    [
        (N - M, ()),
        (N - M - 1, (N - M,)),
        (N - B * J - 1, (M - B * J - 1,)),
        # Equalities, of symbols and of quotients.
        (N - M - 1, (N - M, M - N)),
        (N - M, (binary("ceildiv", N, B) - binary("ceildiv", M, B),)),
        (-(N // B), (N - 1,)),
    ],
)
def test_refuted(expr: IndexExpr, facts: tuple[IndexExpr, ...]) -> None:
    ranges = {**SIZES, "J": Range(const(0), binary("ceildiv", M, B) - 1)}
    assert refuted(expr, facts, ranges)
    assert not always_nonnegative(expr, ranges, facts)


@pytest.mark.parametrize(
    ("expr", "facts"),
    [
        (N, ()),
        (N - M, (N - M,)),
        (N - M, (N - M, M - N)),
        (N - 2 * M, (M - N, -M, N)),
        (B - N % B - 1, ()),
        # Where there is no sample, nothing is refuted.
        (N - M - 1, (-N - 1,)),
        # Divisors are positive.
        (N // M, ()),
        # No value is below the range of another.
        (M - J - 1, ()),
    ],
)
def test_what_holds_is_not_refuted(expr: IndexExpr, facts: tuple[IndexExpr, ...]) -> None:
    assert not refuted(expr, facts, {**SIZES, "J": Range(const(0), M - 1)})


def test_a_refuted_inequality_is_not_searched_to_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[int] = []
    proves = normal_form._Prover._proves  # pyright: ignore[reportPrivateUsage]

    def counted(self: normal_form._Prover, *rest: object) -> bool:  # pyright: ignore[reportPrivateUsage]
        taken.append(1)
        return proves(self, *rest)  # pyright: ignore[reportArgumentType]

    monkeypatch.setattr(normal_form._Prover, "_proves", counted)  # pyright: ignore[reportPrivateUsage]
    length, size, parts, other = map(sym, ("length", "size", "parts", "other"))
    part = binary("ceildiv", length, parts)
    ends = [binary("ceildiv", one, part) for one in (length, size)]
    facts = [ends[0] - ends[1], ends[1] - ends[0], ends[1] - parts, parts - ends[1]]
    ranges = {name: Range.of(0) for name in ("length", "size", "parts", "other")}
    assert not always_nonnegative(length - part * other, ranges, facts)
    assert 0 < len(taken) <= normal_form._FEW_STEPS + 1  # pyright: ignore[reportPrivateUsage]
