"""A few IR files that are wrong, of those that ``make test-tools`` tries."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import mutated_corpus
from tests.support.mutated_runs import outcomes
from tests.support.mutations import KINDS, mutated


def test_mutations_are_the_same_for_a_seed() -> None:
    text = mutated_corpus.golden()[0].text
    for number in range(50):
        one, two = (mutated(text, f"{number}") for _ in range(2))
        assert one == two


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_mutation_changes_something(kind: str) -> None:
    text = next(seed.text for seed in mutated_corpus.golden() if seed.name == "softmax.tt")
    alone = (mutated(text, f"{number}") for number in range(2000))
    assert any(one.data != text.encode() for one in alone if one.kinds == (kind,))


def test_mutated_files_give_errors_with_a_place(tmp_path: Path) -> None:
    seeds = [*mutated_corpus.golden(), *mutated_corpus.with_run_lines()]
    found = outcomes(mutated_corpus.runs(seeds, 30, "few", tmp_path))
    wrong = [one for one in found if one.kind not in ("accepted", "error")]
    assert not wrong, wrong
    assert {one.kind for one in found} == {"accepted", "error"}


def test_golden_files_go_on_to_the_end(tmp_path: Path) -> None:
    seeds = mutated_corpus.golden()
    assert len(seeds) == 6
    for one in outcomes(mutated_corpus.unchanged(seeds, tmp_path)):
        assert one.kind == "accepted", one
