"""``python -m ninetoothed``: what it prints, removes and returns, and that it loads little."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ninetoothed.__main__ import main
from ninetoothed.artifacts.artifact import Binary
from ninetoothed.artifacts.configuration import Config, Space
from ninetoothed.cache import artifact_store, eviction
from ninetoothed.runtime.tuning import results
from tests.support import artifacts

ROOT = Path(__file__).parents[2]
SOURCE = f"add_{'0' * 32}.py"


@pytest.fixture(autouse=True)
def cache_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("NINETOOTHED_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("NINETOOTHED_CACHE_SIZE", raising=False)
    return tmp_path / "cache"


def fill() -> None:
    """Two artifacts of 1,000 bytes, and one entry of each other kind, used an hour apart."""
    for key in "ab":
        artifact_store.store(key, artifacts.add())
    artifact_store.store_binary("b", Binary(b"code", "add", 0, 128))
    artifact_store.store_entry("k", "{}")
    artifact_store.store_space("s", Space((Config(()),), ""))
    artifact_store.store_result("t", "m", "{}")
    artifact_store.keep_source(SOURCE, "text")


SIZES = {
    "artifacts": 1000,
    "binaries": 7000,
    "kernels": 30,
    "sources": 4,
    "spaces": 1,
    "tuning": 500,
}


def resize(cache_dir: Path) -> None:
    """Gives the entries sizes and times that are easy to tell."""
    start = time.mktime((2026, 11, 21, 10, 0, 0, 0, 0, -1))
    paths = sorted(path for path in cache_dir.rglob("*/*") if path.is_file())
    for position, path in enumerate(paths):
        path.write_text("x" * SIZES[path.parent.name])
        os.utime(path, (start, start + 3600 * position))


def test_info(cache_dir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fill()
    resize(cache_dir)
    assert main(["cache", "info"]) == 0
    assert capsys.readouterr().out == (
        f"folder      {cache_dir}\n"
        "kernels     1 entry, 30 bytes\n"
        "spaces      1 entry, 1 byte\n"
        "artifacts   2 entries, 2,000 bytes\n"
        "binaries    1 entry, 7,000 bytes\n"
        "tuning      1 entry, 500 bytes\n"
        "sources     1 entry, 4 bytes\n"
        "total       7 entries, 9,535 bytes\n"
        "bound       1,073,741,824 bytes\n"
        "oldest use  2026-11-21 10:00:00\n"
        "newest use  2026-11-21 16:00:00\n"
    )


def test_info_of_an_empty_folder(
    cache_dir: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    cache_dir.mkdir()
    monkeypatch.setenv("NINETOOTHED_CACHE_SIZE", "0")
    assert main(["cache", "info"]) == 0
    out = capsys.readouterr().out
    assert out.count("0 entries, 0 bytes") == len(eviction.KINDS) + 1
    assert out.endswith("\nbound       none\n")


def test_clear(cache_dir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fill()
    resize(cache_dir)
    (cache_dir / "mine.txt").write_text("kept")
    assert main(["cache", "clear"]) == 0
    assert capsys.readouterr().out == (
        "removed 1 kernel, 1 space, 2 artifacts, 1 binary, 1 tuning result, 1 source (9,535 bytes) "
        f"from {cache_dir}\n"
    )
    assert [path.name for path in cache_dir.rglob("*") if path.is_file()] == ["mine.txt"]
    assert artifact_store.load("a") is None
    assert main(["cache", "clear"]) == 0
    assert capsys.readouterr().out == f"removed nothing (0 bytes) from {cache_dir}\n"


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("kernels", "removed 1 kernel (30 bytes)"),
        ("spaces", "removed 1 space (1 byte)"),
        ("binaries", "removed 1 binary (7,000 bytes)"),
        ("artifacts", "removed 2 artifacts (2,000 bytes)"),
        ("tuning", "removed 1 tuning result (500 bytes)"),
        ("sources", "removed 1 source (4 bytes)"),
    ],
)
def test_clear_one_kind(
    cache_dir: Path, kind: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    fill()
    resize(cache_dir)
    assert main(["cache", "clear", "--kind", kind]) == 0
    assert capsys.readouterr().out == f"{message} from {cache_dir}\n"
    left = {path.parent.name for path in cache_dir.rglob("*/*") if path.is_file()}
    assert left == {*eviction.KINDS} - {kind}


def test_clear_takes_what_killed_processes_left(
    cache_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (cache_dir / "artifacts").mkdir(parents=True)
    for name, seconds in (("old", 7200), ("new", 0)):
        path = cache_dir / "artifacts" / f".tmp-{name}.json"
        path.write_text("half")
        moment = time.time() - seconds
        os.utime(path, (moment, moment))
    assert main(["cache", "clear", "--kind", "tuning"]) == 0
    assert capsys.readouterr().out == f"removed nothing (0 bytes) from {cache_dir}\n"
    assert main(["cache", "clear", "--kind", "artifacts"]) == 0
    assert capsys.readouterr().out == (
        f"removed nothing (0 bytes) from {cache_dir}\nremoved 1 file of killed processes\n"
    )
    assert [path.name for path in (cache_dir / "artifacts").iterdir()] == [".tmp-new.json"]


def test_clear_where_nothing_can_be_removed(
    cache_dir: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: str, **__: int) -> None:
        raise PermissionError("no deletion")

    fill()
    monkeypatch.setattr(os, "unlink", refuse)
    assert main(["cache", "clear", "--kind", "artifacts"]) == 1
    out, err = capsys.readouterr()
    assert out == f"removed nothing (0 bytes) from {cache_dir}\n"
    assert err == "2 files cannot be removed: no deletion\n"


def test_folder_that_cannot_be_read(
    cache_dir: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: Path) -> None:
        raise PermissionError("no entry")

    (cache_dir / "artifacts").mkdir(parents=True)
    monkeypatch.setattr(os, "scandir", refuse)
    for action in ("info", "clear"):
        assert main(["cache", action]) == 1
        assert capsys.readouterr() == ("", f"{cache_dir} cannot be read: no entry\n")


def test_wrong_setting(
    cache_dir: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    cache_dir.mkdir()
    monkeypatch.setenv("NINETOOTHED_CACHE_SIZE", "much")
    assert main(["cache", "info"]) == 1
    assert capsys.readouterr() == (
        "",
        "NINETOOTHED_CACHE_SIZE must be a number of bytes such as 1000000, 512M or 2G, or 0 for "
        "no bound, not 'much'\n",
    )


@pytest.mark.parametrize("file", [False, True])
@pytest.mark.parametrize("action", ["info", "clear"])
def test_no_folder(
    cache_dir: Path, action: str, file: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    if file:
        cache_dir.write_text("a file where the folder should be")
    assert main(["cache", action]) == 0
    assert capsys.readouterr().out == f"there is no folder {cache_dir}: nothing is kept yet\n"
    assert cache_dir.exists() == file


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "the following arguments are required: command"),
        (
            ["frob"],
            "argument command: invalid choice: frob (choose from cache, tuning, precompile)",
        ),
        (["cache"], "the following arguments are required: action"),
        (["cache", "frob"], "argument action: invalid choice: frob (choose from info, clear)"),
        (
            ["cache", "clear", "--kind", "frob"],
            "argument --kind: invalid choice: frob (choose from kernels, spaces, artifacts, "
            "binaries, tuning, sources)",
        ),
        (["cache", "info", "--kind", "tuning"], "unrecognized arguments: --kind tuning"),
    ],
)
def test_unknown_words(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("usage: python -m ninetoothed")
    # Whether words stand in quotes depends on the version of Python.
    assert err.replace("'", "").endswith(f": error: {message}\n")


def test_command_in_a_process_of_its_own(cache_dir: Path) -> None:
    fill()
    script = (
        "import runpy, sys\n"
        "for name in ('torch', 'triton', 'xdsl', 'sympy', 'numpy'):\n"
        "    sys.modules[name] = None\n"
        "sys.argv[0] = '-m'\n"
        "runpy.run_module('ninetoothed', run_name='__main__')\n"
    )
    for command, arguments in (
        (["-m", "ninetoothed"], ["cache", "info"]),
        (["-c", script], ["cache", "clear"]),
        (["-m", "ninetoothed"], ["cache", "frob"]),
    ):
        done = subprocess.run(
            [sys.executable, *command, *arguments],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=False,
        )
        if arguments[-1] == "frob":
            assert done.returncode == 2
        else:
            assert (done.returncode, done.stderr) == (0, "")
        if arguments[-1] == "info":
            assert done.stdout.startswith(f"folder      {cache_dir}\nkernels     1 entry, ")
        if arguments[-1] == "clear":
            assert done.stdout.startswith("removed 1 kernel, 1 space, 2 artifacts, 1 binary, ")
    assert not [path for path in cache_dir.rglob("*") if path.is_file()]


def test_tuning_results_travel(
    cache_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    row = results.Row(Config(()), 1.0, 3)
    for size in (2, 4):
        bucket = results.bucket_of([])
        result = results.Result(f"{size}", "add", "GPU", bucket, (), "quick", (row,), "1", "3")
        results.store(result)
    file = str(tmp_path / "tuned.json")
    assert main(["tuning", "export", file]) == 0
    assert capsys.readouterr().out == f"2 tuning results written to {file}\n"
    assert main(["cache", "clear", "--kind", "tuning"]) == 0
    capsys.readouterr()
    assert main(["tuning", "load", file]) == 0
    assert capsys.readouterr().out == f"2 tuning results loaded from {file}\n"
    assert len(artifact_store.result_names()) == 2


def test_a_file_that_holds_no_results(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "other.json"
    file.write_text("{}")
    assert main(["tuning", "load", str(file)]) == 1
    assert f"{file} holds no tuning results" in capsys.readouterr().err
