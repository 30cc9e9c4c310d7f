"""The tests' own tools: RUN lines, golden files, the counts of properties, reading of imports."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest

from ninetoothed.testing.filecheck import RunError, RunLine, nt_opt, run, run_lines
from tests.support.golden import Golden
from tests.support.imports import cycle
from tests.support.profiles import examples


def echo(argv: list[str]) -> int:
    """A tool that prints its input; ``--fail`` fails, ``--exit`` leaves as argparse does."""
    if "--exit" in argv:
        raise SystemExit(2)
    if "--crash" in argv:
        raise ValueError("boom")
    if "--fail" in argv:
        print("no good", file=sys.stderr)
        return 1
    files = [word for word in argv if not word.startswith("-")]
    print(Path(files[0]).read_text() if files else sys.stdin.read())
    return 0


@pytest.fixture(autouse=True)
def tool(monkeypatch: pytest.MonkeyPatch) -> None:
    package = ModuleType("ninetoothed.tools")
    module = ModuleType("ninetoothed.tools.nt_opt")
    vars(module)["main"] = echo
    vars(package)["nt_opt"] = module
    monkeypatch.setitem(sys.modules, "ninetoothed.tools", package)
    monkeypatch.setitem(sys.modules, "ninetoothed.tools.nt_opt", module)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "case.mlir"
    path.write_text(
        "alpha\nbeta\n// CHECK: alpha\n// CHECK-NEXT: beta\n// OTHER: gamma\n// BAD: no good\n"
    )
    return path


def test_run_lines_are_joined() -> None:
    text = "// RUN: nt-opt %s \\\n// RUN:   -p x | filecheck %s\ncode\n# RUN: nt-opt %s\n"
    assert run_lines(text) == (
        RunLine(1, "nt-opt %s -p x | filecheck %s"),
        RunLine(4, "nt-opt %s"),
    )


def test_open_run_line() -> None:
    with pytest.raises(RunError, match="line 1: the RUN line goes on"):
        run_lines("// RUN: nt-opt \\\n")


@pytest.mark.parametrize(
    "text",
    [
        "nt-opt %s | filecheck %s",
        "nt-opt %s | nt-opt | filecheck %s",
        "nt-opt %s",
        "not nt-opt --fail %s",
        "not nt-opt --exit %s",
        "not nt-opt --fail %s 2>&1 | filecheck %s --check-prefix=BAD",
        "nt-opt %s | not filecheck %s --check-prefix OTHERS",
    ],
)
def test_run_passes(text: str, source: Path) -> None:
    run(RunLine(1, text), source)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("nt-opt --fail %s | filecheck %s", "no good"),
        ("nt-opt --exit %s", "`nt-opt --exit %s` fails"),
        ("not nt-opt %s", "`not nt-opt %s` fails"),
        ("not nt-opt --fail %s | filecheck %s --check-prefix=BAD", "is empty"),
        ("nt-opt %s | filecheck %s --check-prefix=ABSENT", "No check strings found"),
        ("cat %s | filecheck %s", "unknown command 'cat'"),
        ("nt-opt %s | filecheck", "Missing argument"),
    ],
)
def test_run_fails(text: str, part: str, source: Path) -> None:
    with pytest.raises(RunError) as caught:
        run(RunLine(1, text), source)
    assert part in str(caught.value)


def test_a_check_that_is_not_met(tmp_path: Path) -> None:
    path = tmp_path / "case.mlir"
    path.write_text("alpha\n// CHECK-NOT: alpha\n")
    with pytest.raises(RunError, match="RUN: nt-opt %s"):
        run(RunLine(1, "nt-opt %s | filecheck %s"), path)


def test_an_exception_is_no_expected_failure(source: Path) -> None:
    with pytest.raises(ValueError, match="boom"):
        run(RunLine(1, "not nt-opt --crash %s"), source)


def test_streams_are_kept_apart() -> None:
    assert nt_opt(["--fail"]).err == "no good\n"
    assert nt_opt(["--fail"], merge=True).out == "no good\n"


def test_golden(tmp_path: Path) -> None:
    with pytest.raises(
        pytest.fail.Exception, match=r"a/b\.txt is missing: write it with `make golden`"
    ):
        Golden(update=False, root=tmp_path)("a/b.txt", "one\ntwo")
    Golden(update=True, root=tmp_path)("a/b.txt", "one\ntwo")
    assert (tmp_path / "a" / "b.txt").read_text() == "one\ntwo\n"
    Golden(update=False, root=tmp_path)("a/b.txt", "one\ntwo")
    with pytest.raises(pytest.fail.Exception, match=r"(?s)-two\n\+three"):
        Golden(update=False, root=tmp_path)("a/b.txt", "one\nthree")


@pytest.mark.parametrize(("profile", "expected"), [("ci", 60), ("full", 2_000), ("quick", 5)])
def test_examples_scale_with_the_profile(
    profile: str, expected: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NINETOOTHED_HYPOTHESIS_PROFILE", profile)
    assert examples(100).max_examples == expected
    assert examples(1).max_examples >= 1


def test_cycle() -> None:
    assert cycle({"a": {"b"}, "b": {"c"}}) is None
    assert cycle({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == ["b", "c", "b"]
