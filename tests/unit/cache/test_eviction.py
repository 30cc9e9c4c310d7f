"""The cache folder keeps its bound; what goes, what stays, and what several processes see of it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
import warnings
from pathlib import Path

import pytest

from ninetoothed import config
from ninetoothed.artifacts.artifact import Binary
from ninetoothed.artifacts.configuration import Config, Space
from ninetoothed.cache import artifact_store, eviction
from tests.support import artifacts

ROOT = Path(__file__).parents[3]
HOUR = 3600.0
WITHOUT_ROOTS_RIGHTS = (
    "import ctypes, os, sys\n"
    "if os.geteuid() == 0:\n"
    "    for capability in (1, 2, 3):  # DAC_OVERRIDE, DAC_READ_SEARCH, FOWNER\n"
    "        ctypes.CDLL(None).prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP\n"
    "os.execv(sys.executable, [sys.executable, *sys.argv[1:]])\n"
)


@pytest.fixture(autouse=True)
def cache_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("NINETOOTHED_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("NINETOOTHED_CACHE_SIZE", raising=False)
    monkeypatch.setattr(artifact_store, "_memory", {})
    monkeypatch.setattr(artifact_store, "_warned", False)
    return tmp_path / "cache"


def python(*arguments: str, cache: Path, size: str = "") -> subprocess.Popen[str]:
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "NINETOOTHED_CACHE_DIR": str(cache),
        "NINETOOTHED_CACHE_SIZE": size,
    }
    return subprocess.Popen(
        [sys.executable, *arguments],
        env=environment,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def look() -> None:
    """The next write looks at the folder."""
    eviction.remove_counters(config.cache_dir())


def file_of(key: str, kind: str = "artifacts") -> Path:
    name = None
    if kind == "tuning":
        name = artifact_store._result_name(key, "m")  # pyright: ignore[reportPrivateUsage]
    name = name or artifact_store._name(key)  # pyright: ignore[reportPrivateUsage]
    return config.cache_dir() / kind / name


def store_small(key: str, kind: str) -> None:
    """An entry of some hundred bytes."""
    if kind == "tuning":
        artifact_store.store_result(key, "m", "{}")
    elif kind == "kernels":
        artifact_store.store_entry(key, "{}")
    else:
        artifact_store.store_space(key, Space((Config(()),), ""))


def age(path: Path, seconds: float) -> None:
    moment = time.time() - seconds
    os.utime(path, (moment, moment))


def total() -> int:
    return sum(file.bytes for file in eviction.scan(config.cache_dir()).entries)


def size_of_one() -> int:
    """The bytes of an artifact's entry under a key of one letter."""
    artifact_store.store("?", artifacts.add())
    size = file_of("?").stat().st_size
    file_of("?").unlink()
    return size


def present(keys: str, kind: str = "artifacts") -> str:
    return "".join(key for key in keys if file_of(key, kind).exists())


def test_least_recently_used_go_first(monkeypatch: pytest.MonkeyPatch) -> None:
    one = size_of_one()
    for position, key in enumerate("abcdefgh"):
        artifact_store.store(key, artifacts.add())
        age(file_of(key), (20 - position) * HOUR)
    assert artifact_store.load("a") == artifacts.add()
    monkeypatch.setenv("NINETOOTHED_CACHE_SIZE", str(8 * one))
    artifact_store.store("i", artifacts.add())
    # Nine do not fit into eight; seven are 7/8 of the bound.
    assert present("abcdefghi") == "adefghi"
    assert artifact_store.load("b") is None
    assert artifact_store.load("d") == artifacts.add()


def test_bound_holds_after_every_write(monkeypatch: pytest.MonkeyPatch) -> None:
    one = size_of_one()
    bound = 20 * one
    monkeypatch.setenv("NINETOOTHED_CACHE_SIZE", str(bound))
    for step in range(100):
        artifact_store.store(f"key {step}", artifacts.add())
        assert total() <= bound
        assert artifact_store.load(f"key {step}") is not None
    assert total() > bound // 2


def test_the_entry_just_written_stays_however_small_the_bound(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("NINETOOTHED_CACHE_SIZE", "1")
    artifact_store.store("a", artifacts.add())
    assert artifact_store.load("a") == artifacts.add()
    artifact_store.store("b", artifacts.add())
    assert present("ab") == "b"
    artifact_store.store_entry("c", "{}")
    assert present("ab") == ""
    assert artifact_store.load_entry("c") == "{}"


def test_no_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NINETOOTHED_CACHE_SIZE", "0")
    for key in "abcd":
        artifact_store.store(key, artifacts.add())
        look()
    assert present("abcd") == "abcd"


SMALL = pytest.mark.parametrize("kind", ["tuning", "kernels", "spaces"])


@SMALL
def test_small_entries_outlive_large_ones(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    one = size_of_one()
    for key in "tuv":
        store_small(key, kind)
        age(file_of(key, kind), 1000 * HOUR)
    monkeypatch.setenv("NINETOOTHED_CACHE_SIZE", str(4 * one))
    for step in range(20):
        artifact_store.store_binary(f"key {step}", Binary(b"x" * one, "add", 0, 128))
    assert present("tuv", kind) == "tuv"
    assert total() <= 4 * one


@SMALL
def test_old_small_entries_go_where_they_are_more_than_a_quarter(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = "abcdefghijklmnop"
    for position, key in enumerate(keys):
        store_small(key, kind)
        age(file_of(key, kind), (100 - position) * HOUR)
    one = file_of("a", kind).stat().st_size
    monkeypatch.setenv("NINETOOTHED_CACHE_SIZE", str(16 * one))
    store_small("q", kind)
    assert present(f"{keys}q", kind) == "nopq"


def test_sources_count_and_go(cache_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = [f"add_{digit * 32}.py" for digit in "01234"]
    for position, name in enumerate(names):
        path = artifact_store.keep_source(name, "x" * 1000)
        age(path, (10 - position) * HOUR)
    # A use is noted at once: Triton reads the file in a moment.
    artifact_store.keep_source(names[0], "x" * 1000)
    monkeypatch.setenv("NINETOOTHED_CACHE_SIZE", "4000")
    path = artifact_store.keep_source(f"add_{'5' * 32}.py", "y" * 1000)
    assert path.read_text() == "y" * 1000
    left = sorted(path.name for path in (cache_dir / "sources").iterdir())
    assert left == [names[0], names[4], path.name]
    # What was used within the last minute stays, whatever the bound.
    monkeypatch.setenv("NINETOOTHED_CACHE_SIZE", "1")
    artifact_store.store("key", artifacts.add())
    left = sorted(path.name for path in (cache_dir / "sources").iterdir())
    assert left == [names[0], path.name]


def test_source_that_was_cut_off_is_written_anew() -> None:
    path = artifact_store.keep_source(f"add_{'0' * 32}.py", "text\n")
    for broken in (b"te", b"\xff\xfe", b""):
        path.write_bytes(broken)
        assert artifact_store.keep_source(path.name, "text\n").read_text() == "text\n"


def test_files_of_others_are_left_alone(cache_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    others = [
        cache_dir / "sources" / "main.py",
        cache_dir / "artifacts" / "notes.json",
        cache_dir / "artifacts" / ".tmp-notes",
        cache_dir / "tuning" / "results" / f"{'0' * 64}.json",
        cache_dir / "other" / f"{'0' * 64}.json",
        cache_dir / f"{'0' * 64}.json",
    ]
    for path in others:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x" * 10_000)
        age(path, 1000 * HOUR)
    (cache_dir / "tuning" / f"{'1' * 64}.json").symlink_to(others[0])
    monkeypatch.setenv("NINETOOTHED_CACHE_SIZE", "1")
    artifact_store.store("key", artifacts.add())
    assert all(path.exists() for path in others)
    assert [file.kind for file in eviction.scan(cache_dir).entries] == ["artifacts"]


def test_old_temporary_files_go(cache_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    artifact_store.store("a", artifacts.add())
    for kind in eviction.KINDS:
        (cache_dir / kind).mkdir(exist_ok=True)
        suffix = ".py" if kind == "sources" else ".json"
        for name, seconds in (("old", HOUR + 60), ("new", HOUR - 60)):
            path = cache_dir / kind / f".tmp-{name}{suffix}"
            path.write_text("half")
            age(path, seconds)
    for size in ("1G", "0"):
        look()
        monkeypatch.setenv("NINETOOTHED_CACHE_SIZE", size)
        artifact_store.store("b", artifacts.add())
        left = sorted(path.name for path in cache_dir.rglob(".tmp-*"))
        assert left == [*[".tmp-new.json"] * 5, ".tmp-new.py"]


@pytest.fixture
def scans(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Grows by a folder each time that the cache is looked through."""
    seen: list[Path] = []
    scan = eviction.scan

    def counting(folder: Path) -> eviction.Contents:
        seen.append(folder)
        return scan(folder)

    monkeypatch.setattr(eviction, "scan", counting)
    return seen


def test_few_writes_look_through_the_folder_and_no_read(
    scans: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    one = size_of_one()
    look()
    scans.clear()
    monkeypatch.setenv("NINETOOTHED_CACHE_SIZE", str(160 * one))
    for step in range(100):
        artifact_store.store(str(step), artifacts.add())
        artifact_store.load(str(step))
        artifact_store.load("none")
    # The first, and one each ten: a sixteenth of the bound.
    assert 10 <= len(scans) <= 11


def test_processes_count_together(cache_dir: Path, scans: list[Path]) -> None:
    one = size_of_one()
    script = (
        "from ninetoothed.cache import artifact_store\n"
        "from tests.support import artifacts\n"
        "for key in 'abcde':\n"
        "    artifact_store.store(key, artifacts.add())\n"
    )
    size = str(160 * one)
    for _ in range(2):
        process = python("-c", script, cache=cache_dir, size=size)
        assert process.communicate() == ("", "")
    scans.clear()
    # The first one of all was a look; ten more fit into a sixteenth of the bound.
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NINETOOTHED_CACHE_SIZE", size)
        artifact_store.store("f", artifacts.add())
        assert scans == []
        artifact_store.store("g", artifacts.add())
        assert scans == [cache_dir]


def test_small_entries_count(cache_dir: Path) -> None:
    """Also where a byte of the counter stands for more than such an entry has."""
    store_small("a", "kernels")
    before = (cache_dir / f".written-{1 << 30}").stat().st_size
    store_small("b", "kernels")
    store_small("c", "tuning")
    assert (cache_dir / f".written-{1 << 30}").stat().st_size == before + 2


def test_an_entry_that_cannot_be_removed_does_not_make_every_write_slow(
    scans: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(name: str, *, dir_fd: int) -> None:
        raise PermissionError(f"no deletion of {name} in {dir_fd}")

    one = size_of_one()
    bound = 80 * one
    monkeypatch.setenv("NINETOOTHED_CACHE_SIZE", str(bound))
    for step in range(100):
        artifact_store.store(str(step), artifacts.add())
    monkeypatch.setattr(os, "unlink", refuse)
    for step in range(100):
        artifact_store.store(f"more {step}", artifacts.add())
    assert total() > bound
    scans.clear()
    for step in range(50):
        artifact_store.store(f"most {step}", artifacts.add())
    # One each five: a sixteenth of the bound.
    assert 9 <= len(scans) <= 11


def test_a_use_is_noted_once_an_hour(monkeypatch: pytest.MonkeyPatch) -> None:
    noted: list[str] = []
    utime = os.utime

    def counting(name: str, *, dir_fd: int, follow_symlinks: bool) -> None:
        noted.append(name)
        utime(name, dir_fd=dir_fd, follow_symlinks=follow_symlinks)

    artifact_store.store("key", artifacts.add())
    artifact_store.store_result("key", "m", "{}")
    files = [file_of("key"), file_of("key", "tuning")]
    names = [path.name for path in files]
    # The last one: the clock of another machine is a day ahead.
    for seconds, expected in ((HOUR - 60, []), (HOUR + 60, names), (-24 * HOUR, names)):
        for path in files:
            age(path, seconds)
        noted.clear()
        with monkeypatch.context() as patch:
            patch.setattr(os, "utime", counting)
            for _ in range(3):
                artifact_store.load("key")
                artifact_store.load_result("key", "m")
        assert noted == expected
        if expected:
            assert all(abs(path.stat().st_mtime - time.time()) < 60 for path in files)


# What a disk may refuse, and the entry that is read and written meanwhile.
@pytest.mark.parametrize("name", ["utime", "unlink", "scandir"])
@pytest.mark.parametrize("error", [PermissionError(13, "denied"), OSError(30, "read-only")])
def test_bookkeeping_never_raises(
    name: str, error: OSError, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise error

    artifact_store.store("key", artifacts.add())
    age(file_of("key"), 2 * HOUR)
    stale = file_of("key").parent / ".tmp-old.json"
    stale.write_text("half")
    age(stale, 2 * HOUR)
    monkeypatch.setenv("NINETOOTHED_CACHE_SIZE", "1")
    monkeypatch.setattr(os, name, refuse)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert artifact_store.load("key") == artifacts.add()
        artifact_store.store("key 2", artifacts.add(512))
        assert artifact_store.load("key 2") == artifacts.add(512)
        source = artifact_store.keep_source(f"add_{'0' * 32}.py", "text")
        assert artifact_store.keep_source(source.name, "text") == source


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="drops capabilities of Linux")
def test_folder_that_may_only_be_read(cache_dir: Path) -> None:
    artifact_store.store("old", artifacts.add())
    stale = file_of("old").parent / ".tmp-old.json"
    stale.write_text("half")
    for path in (file_of("old"), stale):
        age(path, 2 * HOUR)
        path.chmod(0o444)
    folders = (cache_dir / "artifacts", cache_dir)
    for folder in folders:
        folder.chmod(0o555)
    script = (
        "import warnings\n"
        "from ninetoothed.cache import artifact_store\n"
        "from tests.support import artifacts\n"
        "with warnings.catch_warnings(record=True) as caught:\n"
        "    warnings.simplefilter('always')\n"
        "    assert artifact_store.load('old') == artifacts.add()\n"
        "    for key in 'ab':\n"
        "        artifact_store.store(key, artifacts.add(512))\n"
        "        assert artifact_store.load(key) == artifacts.add(512)\n"
        "    assert artifact_store.load('old') == artifacts.add()\n"
        "print(*(warning.message for warning in caught), sep='\\n')\n"
    )
    process = python("-c", WITHOUT_ROOTS_RIGHTS, "-c", script, cache=cache_dir, size="1")
    out, err = process.communicate()
    for folder in folders:
        folder.chmod(0o755)
    assert (process.returncode, err) == (0, "")
    assert out.startswith(f"compiled kernels are not kept on disk: {cache_dir} cannot be written")
    assert out.count("\n") == 1
    assert sorted(path.name for path in (cache_dir / "artifacts").iterdir()) == [
        stale.name,
        file_of("old").name,
    ]


BUSY = """
import random, sys
from ninetoothed.cache import artifact_store
from tests.support import artifacts

hits = 0
choose = random.Random(sys.argv[1])
for step in range(300):
    number = choose.randrange(16)
    expected = artifacts.add(number + 1)
    found = artifact_store.load(str(number))
    assert found is None or found == expected, number
    hits += found is not None
    if found is None or step % 5 == 0:
        artifact_store.store(str(number), expected)
        source = artifact_store.keep_source(f"add_{number:032}.py", expected.text)
        assert source.read_text() == expected.text
print(hits)
"""


def test_processes_write_evict_and_read_at_once(
    cache_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bound = 12 * size_of_one()
    monkeypatch.setenv("NINETOOTHED_CACHE_SIZE", str(bound))
    processes = [
        python("-W", "error", "-c", BUSY, str(seed), cache=cache_dir, size=str(bound))
        for seed in range(3)
    ]
    wrong: list[str] = []

    def work(offset: int) -> None:
        step = offset
        while any(process.poll() is None for process in processes):
            step += 1
            expected = artifacts.add(step % 16 + 1)
            found = artifact_store.load(str(step % 16))
            if found is not None and found != expected:
                wrong.append(str(step % 16))
            artifact_store.store(str(step % 16), expected)

    threads = [threading.Thread(target=work, args=(8 * number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    ends = [(*process.communicate(), process.returncode) for process in processes]
    assert [(err, code) for _, err, code in ends] == [("", 0)] * 3
    assert all(int(out) > 0 for out, _, _ in ends)
    assert not wrong
    assert not list(cache_dir.rglob(".tmp-*"))
    for path in (cache_dir / "sources").iterdir():
        age(path, HOUR)
    look()
    artifact_store.store("last", artifacts.add())
    assert total() <= bound


HALF = """
import os, time
from ninetoothed.cache import artifact_store
from tests.support import artifacts

fdopen = os.fdopen

class Half:
    def __init__(self, file):
        self.file = file
    def __enter__(self):
        return self
    def __exit__(self, *_):
        pass
    def write(self, text):
        self.file.write(text[: len(text) // 2])
        self.file.flush()
        print("half", flush=True)
        time.sleep(600)

os.fdopen = lambda *arguments, **options: Half(fdopen(*arguments, **options))
artifact_store.store("key", artifacts.add(512))
"""


@pytest.mark.parametrize("before", [False, True], ids=["new", "replaced"])
def test_process_killed_in_the_middle_of_a_write(
    cache_dir: Path, before: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if before:
        artifact_store.store("key", artifacts.add())
    process = python("-c", HALF, cache=cache_dir)
    assert process.stdout is not None
    assert process.stdout.readline() == "half\n"
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    (half,) = cache_dir.rglob(".tmp-*")
    assert half.stat().st_size > 0
    assert artifact_store.load("key") == (artifacts.add() if before else None)
    look()
    artifact_store.store("key", artifacts.add(512))
    assert half.exists()
    age(half, HOUR + 60)
    look()
    artifact_store.store("key 2", artifacts.add())
    assert not half.exists()
    assert artifact_store.load("key") == artifacts.add(512)
