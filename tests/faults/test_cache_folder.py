"""Somebody else at the cache folder: nothing that he puts there is run, and no file is lost.

Each test is an attack, or a mishap that looks like one. Those that need another user are skipped
where this one may not give files away.
"""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import ninetoothed
from ninetoothed import Tensor, block_size, tuning
from ninetoothed.__main__ import main
from ninetoothed.artifacts.artifact import Artifact
from ninetoothed.cache import artifact_store, atomic, entries, eviction, folder
from ninetoothed.cache.folder import UnsafeFolderError
from ninetoothed.errors import ConfigurationError
from tests.support import artifacts

ROOT = Path(__file__).parents[2]
SOMEBODY = 12345
SOURCE = f"add_{'0' * 32}.py"
HOUR = 3600.0

owned_by_others = pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
# A test that waits for a pipe would wait for ever.
pytestmark = pytest.mark.filterwarnings("error")


@pytest.fixture(autouse=True)
def cache_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("NINETOOTHED_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("NINETOOTHED_CACHE_SIZE", raising=False)
    forget(monkeypatch)
    return tmp_path / "cache"


@pytest.fixture
def default_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The cache folder where nobody has named one."""
    monkeypatch.delenv("NINETOOTHED_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    return tmp_path / "home" / "ninetoothed"


def forget(monkeypatch: pytest.MonkeyPatch) -> None:
    """What follows is as in a new process."""
    monkeypatch.setattr(artifact_store, "_memory", {})
    monkeypatch.setattr(artifact_store, "_warned", False)


def entry_of(key: str) -> Path:
    name = artifact_store._name(key)  # pyright: ignore[reportPrivateUsage]
    return artifact_store.config.cache_dir() / "artifacts" / name


def fill() -> None:
    """An entry in every room, and a counter."""
    artifact_store.store("key", artifacts.add())
    artifact_store.store_entry("key", "{}")
    artifact_store.store_result("key", "m", "{}")
    artifact_store.keep_source(SOURCE, "text")


def make_kernel() -> ninetoothed.Kernel:
    def application(x: Any, y: Any) -> None:
        y = x  # pyright: ignore[reportUnusedVariable]

    def arrangement(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        size = block_size()
        return x.tile((size,)), y.tile((size,))

    return ninetoothed.make(arrangement, application, (Tensor(1), Tensor(1)))


def check_refused(message: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The commands that read the folder end with this error, and so does ``make``."""
    for action in ("info", "clear"):
        assert main(["cache", action]) == 1
        assert capsys.readouterr() == ("", f"{message}\n")
    with pytest.raises(ConfigurationError) as caught:
        make_kernel()
    assert caught.value.message == message


# What somebody may put at a name, over nothing or over a file of ours: a function of the path, and
# of a file of this user's that must stay as it is.
def link(path: Path, victim: Path) -> None:
    path.symlink_to(victim)


def dangling_link(path: Path, victim: Path) -> None:
    path.symlink_to(victim.with_name("nothing"))


def hard_link(path: Path, victim: Path) -> None:
    path.hardlink_to(victim)


def pipe(path: Path, _: Path) -> None:
    os.mkfifo(path)


def directory(path: Path, _: Path) -> None:
    path.mkdir()


def device(path: Path, _: Path) -> None:
    try:
        os.mknod(path, stat.S_IFCHR | 0o644, os.makedev(1, 5))  # /dev/zero
    except PermissionError:
        pytest.skip("this user makes no devices")


Put = Callable[[Path, Path], None]
THINGS: tuple[Put, ...] = (link, dangling_link, hard_link, pipe, directory, device)
each_thing = pytest.mark.parametrize("put", THINGS, ids=[put.__name__ for put in THINGS])


@each_thing
def test_at_the_name_of_an_entry(put: Put, cache_dir: Path, tmp_path: Path) -> None:
    artifact_store.store("key", artifacts.add())
    victim = tmp_path / "victim"
    # Even where what is led to would be a whole entry.
    text = entry_of("key").read_text()
    victim.write_text(text)
    entry_of("key").unlink()
    put(entry_of("key"), victim)
    assert artifact_store.load("key") is None
    if put is directory:
        with pytest.warns(RuntimeWarning, match="are not kept on disk"):
            artifact_store.store("key", artifacts.add(512))
    else:
        artifact_store.store("key", artifacts.add(512))
        assert stat.S_ISREG(entry_of("key").lstat().st_mode)
    assert artifact_store.load("key") == artifacts.add(512)
    assert victim.read_text() == text
    assert not victim.with_name("nothing").exists()
    assert not list(cache_dir.rglob(".tmp-*"))


@each_thing
def test_at_the_name_of_a_source(put: Put, cache_dir: Path, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("text")
    (cache_dir / "sources").mkdir(parents=True)
    put(cache_dir / "sources" / SOURCE, victim)
    if put is directory:
        with pytest.raises(IsADirectoryError):
            artifact_store.keep_source(SOURCE, "text")
        return
    path = artifact_store.keep_source(SOURCE, "text")
    assert stat.S_ISREG(path.lstat().st_mode)
    assert path.stat().st_nlink == 1
    assert path.read_text() == "text"
    path.unlink()
    put(path, victim)
    assert artifact_store.keep_source(SOURCE, "other").read_text() == "other"
    assert victim.read_text() == "text"


@each_thing
def test_at_the_name_of_a_counter(
    put: Put, cache_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    victim = tmp_path / "victim"
    victim.write_text("precious")
    cache_dir.mkdir()
    counter = cache_dir / ".written-4096"
    put(counter, victim)
    monkeypatch.setenv("NINETOOTHED_CACHE_SIZE", "4096")
    for step in range(30):
        artifact_store.store(str(step), artifacts.add())
    assert victim.read_text() == "precious"
    assert not victim.with_name("nothing").exists()
    assert sum(file.bytes for file in eviction.scan(cache_dir).entries) <= 4096
    assert counter.is_dir() if put is directory else stat.S_ISREG(counter.lstat().st_mode)
    assert main(["cache", "clear"]) == 0
    assert victim.read_text() == "precious"


@pytest.mark.parametrize("room", eviction.KINDS)
def test_room_that_is_a_link(
    room: str,
    cache_dir: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    name = SOURCE if room == "sources" else f"{'0' * 64}.json"
    for path in (elsewhere / name, elsewhere / f".tmp-old{Path(name).suffix}"):
        path.write_text("x" * 10_000)
        os.utime(path, (0, 0))
    cache_dir.mkdir()
    (cache_dir / room).symlink_to(elsewhere)
    monkeypatch.setenv("NINETOOTHED_CACHE_SIZE", "1")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        artifact_store.store_entry("key", "{}")
        artifact_store.store("key", artifacts.add())
    assert artifact_store.load("key") == artifacts.add()
    message = (
        f"{cache_dir / room} is a link, and none is followed in the cache folder; remove it, or "
        "set NINETOOTHED_CACHE_DIR to the folder that has room for all"
    )
    check_refused(message, capsys)
    assert len(list(elsewhere.iterdir())) == 2


def test_linked_room_gives_nothing(cache_dir: Path, tmp_path: Path) -> None:
    artifact_store.store("key", artifacts.add())
    artifact_store.store_result("key", "m", "{}")
    for room in ("artifacts", "tuning"):
        (cache_dir / room).rename(tmp_path / room)
        (cache_dir / room).symlink_to(tmp_path / room)
    assert artifact_store.load("key") is None
    assert artifact_store.load_result("key", "m") is None
    assert artifact_store.result_names() == []


def test_own_link_to_the_folder_is_followed(cache_dir: Path, tmp_path: Path) -> None:
    (tmp_path / "large disk").mkdir()
    cache_dir.symlink_to(tmp_path / "large disk")
    artifact_store.store("key", artifacts.add())
    assert artifact_store.load("key") == artifacts.add()
    assert (tmp_path / "large disk" / "artifacts").is_dir()
    assert main(["cache", "clear"]) == 0
    assert artifact_store.load("key") is None


@owned_by_others
@pytest.mark.parametrize("above", [False, True])
def test_link_of_somebodys(
    above: bool, cache_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It leads to a folder of ours."""
    target = tmp_path / "ours"
    (target / "cache").mkdir(parents=True)
    if above:
        path = tmp_path / "way"
        path.symlink_to(target)
        monkeypatch.setenv("NINETOOTHED_CACHE_DIR", str(path / "cache"))
    else:
        path = cache_dir
        path.symlink_to(target)
    os.chown(path, SOMEBODY, -1, follow_symlinks=False)
    with pytest.warns(RuntimeWarning, match="are not kept on disk") as record:
        artifact_store.store("key", artifacts.add())
    assert str(record[0].message) == (
        f"compiled kernels are not kept on disk: {path} is a link of user {SOMEBODY}'s, who could "
        "lead it to any folder; remove it, or set NINETOOTHED_CACHE_DIR to a folder of your own"
    )
    assert [file for file in target.rglob("*") if file.is_file()] == []


@owned_by_others
def test_files_of_somebodys(cache_dir: Path) -> None:
    fill()
    for path in cache_dir.rglob("*"):
        if path.is_file():
            os.chown(path, SOMEBODY, -1)
    assert artifact_store.load("key") is None
    assert artifact_store.load_entry("key") is None
    assert artifact_store.load_result("key", "m") is None
    assert artifact_store.keep_source(SOURCE, "text").stat().st_uid == 0
    fill()
    assert artifact_store.load("key") == artifacts.add()


@owned_by_others
@pytest.mark.parametrize("room", ["", "artifacts"])
def test_folder_of_somebodys(
    room: str, cache_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As where root runs with a user's home."""
    fill()
    os.chown(cache_dir / room, SOMEBODY, -1)
    message = (
        f"{cache_dir / room} belongs to user {SOMEBODY}, who could put code there that is run as "
        "user 0; set NINETOOTHED_CACHE_DIR to a folder of your own"
    )
    assert artifact_store.load("key") is None
    check_refused(message, capsys)
    assert entry_of("key").exists()


@owned_by_others
def test_folder_of_roots_is_read() -> None:
    """A folder that root has filled serves other users, who write nothing to it."""
    fill()
    script = (
        "import os\n"
        "from ninetoothed.cache import artifact_store\n"
        "from tests.support import artifacts\n"
        f"os.setuid({SOMEBODY})\n"
        "artifact_store.check_folder()\n"
        "assert artifact_store.load('key') == artifacts.add()\n"
    )
    # The folders of tests are root's alone.
    shared = Path(tempfile.mkdtemp(prefix="ninetoothed-shared-"))
    try:
        shutil.copytree(artifact_store.config.cache_dir(), shared, dirs_exist_ok=True)
        shared.chmod(0o755)
        environment = {"PYTHONPATH": str(ROOT), "NINETOOTHED_CACHE_DIR": str(shared)}
        done = subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, **environment},
            cwd="/",
            capture_output=True,
            text=True,
            check=False,
        )
    finally:
        shutil.rmtree(shared)
    assert (done.returncode, done.stderr) == (0, "")


each_mode = pytest.mark.parametrize("mode", [0o777, 0o775, 0o757, 0o1777, 0o722, 0o2775])


@each_mode
@pytest.mark.parametrize("room", ["", "artifacts"])
def test_folder_that_others_can_write(
    mode: int, room: str, cache_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fill()
    (cache_dir / room).chmod(mode)
    message = (
        f"{cache_dir / room} has the mode {mode:o}, so others could put code there that is run as "
        f"user {os.geteuid()}; `chmod -R go-w {cache_dir}`, or set NINETOOTHED_CACHE_DIR to a "
        "folder of your own"
    )
    assert artifact_store.load("key") is None
    for command in ("cache info", "cache clear", f"tuning export {cache_dir.parent}/tuned.json"):
        assert main(command.split()) == 1
        assert capsys.readouterr() == ("", f"{message}\n")
    for use in (make_kernel, lambda: tuning.load("tuned.json")):
        with pytest.raises(ConfigurationError) as caught:
            use()
        assert caught.value.message == message
    # What happens behind a kernel's call raises nothing.
    with pytest.warns(RuntimeWarning) as record:
        artifact_store.store("key", artifacts.add(512))
    assert [str(one.message) for one in record] == [
        f"compiled kernels are not kept on disk: {message}"
    ]
    artifact_store.store("key 2", artifacts.add(512))
    assert artifact_store.load("key") == artifacts.add(512)
    with pytest.raises(UnsafeFolderError):
        folder.check(cache_dir, eviction.KINDS)


def test_the_remedy_is_one(cache_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill()
    # A space in the name: the command is to be copied.
    place = cache_dir.rename(cache_dir.with_name("my cache"))
    monkeypatch.setenv("NINETOOTHED_CACHE_DIR", str(place))
    for path in (place, *place.rglob("*")):
        path.chmod(0o777)
    with pytest.raises(ConfigurationError) as caught:
        make_kernel()
    command = caught.value.message.split("`")[1]
    subprocess.run(command, shell=True, check=True)
    make_kernel()
    assert artifact_store.load("key") == artifacts.add()


def test_default_folder_is_done_without(default_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    default_dir.mkdir(parents=True)
    default_dir.chmod(0o777)
    with pytest.warns(RuntimeWarning, match=f"{default_dir} has the mode 777") as record:
        make_kernel()
    assert len(record) == 1
    make_kernel()
    artifact_store.store("key", artifacts.add())
    assert tuning.export(default_dir.parent / "tuned.json") == 0
    assert artifact_store.load("key") == artifacts.add()
    assert list(default_dir.iterdir()) == []
    forget(monkeypatch)
    default_dir.chmod(0o700)
    make_kernel()
    assert (default_dir / "kernels").is_dir()


def test_file_that_others_can_write_is_a_miss() -> None:
    fill()
    for mode, found in ((0o664, False), (0o646, False), (0o644, True), (0o600, True)):
        entry_of("key").chmod(mode)
        assert (artifact_store.load("key") is not None) == found


@pytest.mark.parametrize("umask", [0o000, 0o002, 0o022, 0o027, 0o077])
def test_modes(umask: int, cache_dir: Path, tmp_path: Path) -> None:
    before = os.umask(umask)
    try:
        fill()
        (tmp_path / "theirs").write_text("")
        tuning.export(tmp_path / "new" / "tuned.json")
        artifact_store.store("key", artifacts.add(512))
    finally:
        os.umask(before)
    found = {stat.S_IMODE(path.stat().st_mode) for path in cache_dir.rglob("*") if path.is_file()}
    assert found == {0o644 & ~umask}
    folders = [cache_dir, *(path for path in cache_dir.iterdir() if path.is_dir())]
    assert {stat.S_IMODE(path.stat().st_mode) for path in folders} == {0o755 & ~umask}
    # An exported file is the user's, as his others are.
    exported = (tmp_path / "new" / "tuned.json").stat().st_mode
    assert exported == (tmp_path / "theirs").stat().st_mode
    assert artifact_store.load("key") == artifacts.add(512)


def test_what_can_be_put_above(cache_dir: Path, tmp_path: Path) -> None:
    """Whoever may write above moves the folder away; what he puts in its place does not pass."""
    fill()
    tmp_path.chmod(0o777)
    assert artifact_store.load("key") == artifacts.add()
    cache_dir.rename(tmp_path / "away")
    shutil.copytree(tmp_path / "away", cache_dir)
    cache_dir.chmod(0o777)
    assert artifact_store.load("key") is None
    cache_dir.chmod(0o755)
    if os.geteuid() == 0:
        os.chown(cache_dir, SOMEBODY, -1)
        assert artifact_store.load("key") is None


def swap(cache_dir: Path) -> Path:
    """Move the folder away, and put one with other contents in its place; returns the old one."""
    away = cache_dir.with_name("away")
    cache_dir.rename(away)
    shutil.copytree(away, cache_dir)
    for path in cache_dir.rglob("*"):
        if path.is_file():
            path.write_text("swapped")
    return away


def test_folder_swapped_between_check_and_read(
    cache_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill()
    read = artifact_store.read

    def late(room: int, name: str) -> tuple[str, os.stat_result]:
        swap(cache_dir)
        return read(room, name)

    monkeypatch.setattr(artifact_store, "read", late)
    # Of the folder that was checked.
    assert artifact_store.load("key") == artifacts.add()


def test_folder_swapped_between_check_and_write(
    cache_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill()
    write, away = artifact_store.write_in, cache_dir.with_name("away")

    def late(room: int, name: str, text: str) -> None:
        swap(cache_dir)
        write(room, name, text)

    monkeypatch.setattr(artifact_store, "write_in", late)
    artifact_store.store("key", artifacts.add(512))
    assert entry_of("key").read_text() == "swapped"
    name = entry_of("key").relative_to(cache_dir)
    assert Artifact.from_json(json.loads((away / name).read_text())["content"]).text


def test_room_swapped_for_a_link_between_scan_and_removal(cache_dir: Path, tmp_path: Path) -> None:
    artifact_store.store("key", artifacts.add())
    found = eviction.scan(cache_dir)
    (cache_dir / "artifacts").rename(tmp_path / "away")
    (cache_dir / "artifacts").symlink_to(tmp_path / "away")
    assert [type(eviction.remove(file)) for file in found.entries] == [UnsafeFolderError]
    assert len(list((tmp_path / "away").iterdir())) == 1


def test_name_of_a_temporary_file_that_is_taken(
    cache_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Were it guessed, what lies there would not be followed."""
    victim = tmp_path / "victim"
    victim.write_text("precious")
    (cache_dir / "artifacts").mkdir(parents=True)
    monkeypatch.setattr(atomic, "_temporary", ".tmp-guessed{}".format)
    (cache_dir / "artifacts" / ".tmp-guessed.json").symlink_to(victim)
    with pytest.warns(RuntimeWarning, match="File exists"):
        artifact_store.store("key", artifacts.add())
    path = tmp_path / ".tmp-guessed.json"
    path.symlink_to(victim)
    with pytest.raises(ConfigurationError, match="File exists"):
        tuning.export(tmp_path / "tuned.json")
    assert victim.read_text() == "precious"


def test_export_replaces_a_link(tmp_path: Path) -> None:
    victim, path = tmp_path / "victim", tmp_path / "tuned.json"
    victim.write_text("precious")
    path.symlink_to(victim)
    tuning.export(path)
    assert victim.read_text() == "precious"
    assert not path.is_symlink()


def test_noted_use_of_a_link(cache_dir: Path, tmp_path: Path) -> None:
    """A file's time is noted of that file, and of none that a link names."""
    artifact_store.store("key", artifacts.add())
    victim = tmp_path / "victim"
    victim.touch()
    os.utime(victim, (0, 0))
    os.utime(entry_of("key"), (0, 0))
    with folder.opened(cache_dir, "artifacts") as room:
        entry_of("key").unlink()
        entry_of("key").symlink_to(victim)
        eviction.refresh(room, entry_of("key").name, 0)
    assert victim.stat().st_mtime == 0
    assert abs(entry_of("key").lstat().st_mtime - time.time()) < HOUR


def test_warning_is_one(cache_dir: Path) -> None:
    """A recorded warning names a kind of warning, and nothing else of the package."""
    for category in ("NineToothedError", "warn", "annotations", "Loc"):
        row = {"category": category, "message": "m", "loc": None}
        artifact_store.store_entry("key", json.dumps({"warnings": [row], "has_races": False}))
        assert entries.load("key") is None
    assert cache_dir.is_dir()


def test_tuning_file_is_data(tmp_path: Path) -> None:
    """Nothing in an exported file is run, whatever it says."""
    call = f"__import__('pathlib').Path({str(tmp_path / 'ran')!r}).touch()"
    config = {"values": [[call, 1]], "num_warps": 4, "num_stages": 1, "choices": [[call, 1]]}
    row = {"config": config, "milliseconds": 1.0, "samples": 1, "reason": None}
    result = {
        **dict.fromkeys(("key", "kernel", "device", "ninetoothed", "triton"), call),
        "bucket": [1],
        "shapes": [[1]],
        "mode": call,
        "rows": [row],
        "imported": False,
    }
    path = tmp_path / "tuned.json"
    path.write_text(json.dumps({"format": 2, "results": [result]}))
    assert tuning.load(path) == 1
    assert tuning.export(tmp_path / "again.json") == 1
    assert not (tmp_path / "ran").exists()


def test_systems_without_descriptors(cache_dir: Path) -> None:
    """There the cache is in memory; the package is imported, and works."""
    script = (
        "import os, warnings\n"
        "for name in ('O_NOFOLLOW', 'O_DIRECTORY', 'O_NONBLOCK', 'O_NOCTTY'):\n"
        "    delattr(os, name)\n"
        "os.supports_dir_fd.clear()\n"
        "from ninetoothed.cache import artifact_store\n"
        "from tests.support import artifacts\n"
        "artifact_store.check_folder()\n"
        "with warnings.catch_warnings(record=True) as caught:\n"
        "    warnings.simplefilter('always')\n"
        "    artifact_store.store('key', artifacts.add())\n"
        "assert artifact_store.load('key') == artifacts.add()\n"
        "print(*(one.message for one in caught))\n"
    )
    environment = {"PYTHONPATH": str(ROOT), "NINETOOTHED_CACHE_DIR": str(cache_dir)}
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("on this system") == 1
    assert not cache_dir.exists()
