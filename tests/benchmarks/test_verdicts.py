"""The share of undecided verdicts over the examples and the idioms."""

from __future__ import annotations

import pytest

from benchmarks.verdicts import MOST_UNDECIDED, Row, rows, share


@pytest.fixture(scope="module")
def found() -> list[Row]:
    """The reports of all."""
    return list(rows())


@pytest.mark.filterwarnings("ignore::ninetoothed.errors.NineToothedWarning")
@pytest.mark.parametrize("question", [None, "defined", "coverage", "races", "in bounds"])
def test_few_verdicts_are_undecided(found: list[Row], question: str | None) -> None:
    one = share(found, question)
    assert one.total > 100
    assert one.part <= MOST_UNDECIDED, one
