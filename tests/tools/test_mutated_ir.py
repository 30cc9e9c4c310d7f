"""500 IR files that are wrong: errors with a place, in little time and memory, no tracebacks."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.support import mutated_corpus
from tests.support.mutated_corpus import Seed
from tests.support.mutated_runs import Outcome, Run, outcomes

_COUNT = 500
_STAGES = ("00", "08", "11", "17", "20", "24")
"""Numbers of the dumps: the frontend's, and one of each other stage."""
_FEWEST_ACCEPTED = 20
_FEWEST_ERRORS = 250


@pytest.fixture(scope="module")
def seeds(tmp_path_factory: pytest.TempPathFactory) -> list[Seed]:
    """The examples' dumps, and tests of the IR."""
    folder = tmp_path_factory.mktemp("dumps")
    return [*mutated_corpus.dumped(folder), *mutated_corpus.with_run_lines()]


def _report(found: list[Outcome]) -> str:
    return "\n".join(f"{one.kind}: {one.name}\n{one.text}" for one in found)


def test_mutated_files_give_errors_with_a_place(seeds: list[Seed], tmp_path: Path) -> None:
    found = outcomes(mutated_corpus.runs(seeds, _COUNT, "mutated", tmp_path))
    wrong = [one for one in found if one.kind not in ("accepted", "error")]
    assert not wrong, _report(wrong)
    kinds = Counter(one.kind for one in found)
    # Mutations that break nothing, or all in the same way, would find nothing.
    assert kinds["accepted"] >= _FEWEST_ACCEPTED
    assert kinds["error"] >= _FEWEST_ERRORS


def test_files_that_are_right_are_accepted_within_the_limits(
    seeds: list[Seed], tmp_path: Path
) -> None:
    dumps = [seed for seed in seeds if seed.text.startswith("// nt-opt:")]
    few = [seed for seed in dumps if seed.name.split("-")[2] in _STAGES]
    wrong = [
        one for one in outcomes(mutated_corpus.unchanged(few, tmp_path)) if one.kind != "accepted"
    ]
    assert not wrong, _report(wrong)


@pytest.mark.parametrize(
    ("body", "kind", "text"),
    [
        ("while True: pass", "killed", "SIG"),
        ("bytearray(1 << 31)", "without place", "MemoryError"),
        ("raise SystemError", "without place", "SystemError"),
    ],
)
def test_limits_are_held(
    body: str, kind: str, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "endless.py").write_text(body)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=":")
    (found,) = outcomes([Run("one", ("--load", "endless", "--list-passes"))], workers=1)
    assert (found.kind, text in found.text) == (kind, True), found.text
