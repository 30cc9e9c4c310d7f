"""Tuning results: buckets, keys, and files of any kind."""

from __future__ import annotations

import json
import math
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ninetoothed import tuning
from ninetoothed.artifacts.configuration import Config, Space
from ninetoothed.artifacts.signature import ParamSignature, Signature
from ninetoothed.artifacts.target import Target
from ninetoothed.cache import artifact_store
from ninetoothed.errors import ConfigurationError
from ninetoothed.runtime.tuning import results
from ninetoothed.runtime.tuning.results import Bucket, Result, Row
from ninetoothed.version import __version__
from tests.support.imports import ROOT

ONE, TWO = Config((("BLOCK", 128),)), Config((("BLOCK", 256),), 8, 2)
ROWS = (Row(TWO, 0.25, 24), Row(ONE, 0.5, 3), Row(Config(()), None, 0, "too large"))


def result(bucket: Bucket = (20, 20), key: str = "k" * 64, **changes: Any) -> Result:
    made = Result(
        key,
        "add",
        "NVIDIA H200",
        bucket,
        ((1000,), (1000,)),
        "quick",
        ROWS,
        __version__,
        "3.9.0",
    )
    return replace(made, **changes)


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv("NINETOOTHED_CACHE_DIR", str(folder))
    monkeypatch.setattr(artifact_store, "_memory", {})
    monkeypatch.setattr(artifact_store, "_warned", True)
    return folder


def tensor(*shape: int) -> Any:
    return SimpleNamespace(shape=shape, data_ptr=lambda: 0)


def sizes_of(bucket: int) -> list[int]:
    """The sizes up to 100 in one bucket."""
    return [size for size in range(100) if results.bucket_of([tensor(size)]) == (bucket,)]


def test_buckets() -> None:
    assert results.bucket_of([tensor(4096, 5000), 7, tensor()]) == (24, 24)
    assert results.bucket_of([tensor(6000), 1.5]) == (26,)
    assert [sizes_of(bucket) for bucket in (0, 2, 3, 4)] == [[1], [2], [3], [4]]
    assert [sizes_of(bucket) for bucket in (5, 6, 7, 8)] == [
        [5, 6],
        [7, 8, 9],
        [10, 11, 12, 13],
        list(range(14, 23)),
    ]
    assert sizes_of(10) == list(range(23, 46))
    assert sizes_of(results.bucket_of([tensor(0)])[0]) == [0]


def test_sizes_that_stand_for_a_bucket() -> None:
    for size in (0, 1, 2, 3, 4, 6, 8, 12, 16, 32, 1 << 30):
        assert results.rounded([tensor(size), 5]) == ((size,),)
    assert results.rounded([tensor(5, 100), tensor()]) == ((6, 128), ())


def test_buckets_grow_with_sizes() -> None:
    order = [results.bucket_of([tensor(size)]) for size in range(5000)]
    assert order == sorted(order)
    assert results.bucket_of([tensor(2**40)]) == (80,)


def test_distance() -> None:
    assert results.distance((20, 20), (20, 22), 2) == 0.5
    assert results.distance((24, 24, 24, 24, 24, 24), (22,) * 6, 3) == 2.0
    assert results.distance((), (), 0) == 0
    # One size alone, of many tensors that do not have it.
    assert results.distance((20,) * 8, (22, *(20,) * 7), 4) == 0.25
    assert results.distance((20,) * 8, (24, *(20,) * 7), 4) == math.inf
    assert results.distance(results.bucket_of([tensor(0)]), (0,), 1) > 100


def test_a_result_is_found_again() -> None:
    assert results.load("k" * 64, (20, 20)) is None
    results.store(result())
    assert results.load("k" * 64, (20, 20)) == result()
    assert results.load("k" * 64, (20, 22)) is None
    assert results.load("l" * 64, (20, 20)) is None
    assert result().ranked == [TWO, ONE]


def test_the_nearest_result_serves() -> None:
    results.store(result((20, 20)))
    results.store(result((23, 23)))
    results.store(result((40, 40)))
    results.store(result((21, 21), key="other"))
    results.store_fault("k" * 64, ONE, "it did not end")

    def nearest(*bucket: int) -> Bucket | None:
        found = results.nearest("k" * 64, bucket, 2)
        return None if found is None else found.bucket

    assert nearest(21, 21) == (20, 20)
    assert nearest(22, 22) == (23, 23)
    assert nearest(25, 25) == (23, 23)
    assert nearest(26, 26) is None
    # As many dims are of the same kernel; others are of another one.
    assert nearest(20, 20, 20) is None


def test_new_results_are_near_at_once() -> None:
    results.store(result((20, 20)))
    assert results.nearest("k" * 64, (22, 22), 2) is not None
    results.store(result((22, 22), mode="full"))
    results.store(result((20, 20), mode="full"))
    assert results.nearest("k" * 64, (22, 22), 2) == result((22, 22), mode="full")
    assert results.nearest("k" * 64, (20, 21), 2) == result((20, 20), mode="full")


def test_a_result_that_is_gone_is_not_near(own_cache: Path) -> None:
    results.store(result((20, 20)))
    assert results.nearest("k" * 64, (21, 21), 2) is not None
    results.store(result((24, 24)))
    for path in (own_cache / "tuning").iterdir():
        if "[20, 20]" in path.read_text():
            path.write_text("")
    assert results.nearest("k" * 64, (22, 22), 2) == result((24, 24))


def test_faults() -> None:
    assert results.fault("k" * 64, ONE) is None
    results.store_fault("k" * 64, ONE, "it did not end within 30 s")
    assert results.fault("k" * 64, ONE) == "it did not end within 30 s"
    assert results.fault("k" * 64, TWO) is None


def test_what_a_key_depends_on() -> None:
    signature = Signature((ParamSignature("x", "tensor", "fp32", 1),))
    given: list[Any] = [
        "add",
        signature,
        Target.parse("sm_90"),
        Space((ONE, TWO), "cost"),
        "NVIDIA H200",
        "3.9.0",
    ]
    others: list[Any] = [
        "sub",
        replace(signature, index_bits=64),
        Target.parse("sm_80"),
        Space((ONE,), "cost"),
        "NVIDIA H100",
        "3.6.0",
    ]
    key: Any = results.key
    keys = {key(*given)}
    for position, other in enumerate(others):
        keys.add(key(*given[:position], other, *given[position + 1 :]))
    keys.add(key(*given[:3], Space((ONE, TWO), "another cost"), *given[4:]))
    assert len(keys) == len(others) + 2


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", "[" * 100_000, json.dumps({"rows": [], "key": ""}), "\x00"],
    ids=["empty", "list", "no fields", "nested", "no rows", "binary"],
)
def test_broken_entries_are_absent(text: str, tmp_path: Path) -> None:
    artifact_store.store_result("k" * 64, "bucket (20, 20)", text)
    assert results.load("k" * 64, (20, 20)) is None
    assert results.nearest("k" * 64, (20, 20), 2) is None
    assert tuning.export(tmp_path / "results.json") == 0


def test_a_disk_that_takes_nothing(own_cache: Path) -> None:
    own_cache.write_text("a file, not a folder")
    results.store(result())
    assert results.load("k" * 64, (20, 20)) == result()
    assert results.nearest("k" * 64, (21, 21), 2) == result()


def test_results_travel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = [result(), result((24, 24)), result(key="j" * 64, device="NVIDIA H100", mode="full")]
    for one in found:
        results.store(one)
    path = tmp_path / "results.json"
    assert tuning.export(path) == 3
    text = path.read_text()
    monkeypatch.setenv("NINETOOTHED_CACHE_DIR", str(tmp_path / "elsewhere"))
    assert tuning.load(path) == 3
    for one in found:
        assert results.load(one.key, one.bucket) == replace(one, imported=True)
    # The same again, byte by byte.
    assert tuning.export(str(path)) == 3
    assert path.read_text() == text
    assert str(tmp_path) not in text


def test_what_is_loaded_replaces_what_is_there(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    results.store(result())
    tuning.export(path)
    results.store(result(rows=ROWS[1:]))
    tuning.load(path)
    loaded = results.load("k" * 64, (20, 20))
    assert loaded is not None
    assert loaded.ranked == [TWO, ONE]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (r"(?s).*", "", "holds no tuning results of ninetoothed.tuning.export"),
        (r"(?s).*", "[1, 2]", "holds no tuning results"),
        (r"(?s).{40}$", "", "holds no tuning results"),
        ("add", "\udcff", "cannot be read"),
        ('"format": 2', '"format": 99', "reads format 2; export them"),
        (r"0\.5", '"soon"', "holds no tuning results"),
        (r"0\.25", "null", "holds no tuning results"),
        ('"quick"', "3", "holds no tuning results"),
        (r"(?s).*", "[" * 100_000, "holds no tuning results"),
        ('"num_warps": 4', '"num_warps": 1e999', "holds no tuning results"),
        (f'"{"k" * 64}"', r'"\\ud800"', "holds no tuning results"),
    ],
    ids=[
        *("empty", "foreign", "cut", "bytes", "format", "time", "no time", "mode", "nested"),
        *("infinite", "surrogate"),
    ],
)
def test_files_that_are_no_results(old: str, new: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    results.store(result((1, 1)))
    results.store(result((2, 2)))
    tuning.export(path)
    text = re.sub(old, new, path.read_text(), count=1)
    path.write_bytes(text.encode(errors="surrogateescape"))
    for file in (tmp_path / "cache" / "tuning").iterdir():
        file.unlink()
    with pytest.raises(ConfigurationError, match=message) as caught:
        tuning.load(path)
    assert str(path) in str(caught.value)
    # All or nothing.
    assert not any((tmp_path / "cache" / "tuning").iterdir())


def test_files_that_cannot_be_reached(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"cannot be read from .*none\.json"):
        tuning.load(tmp_path / "none.json")
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigurationError, match="cannot be written to"):
        tuning.export(tmp_path / "file" / "results.json")


WRITER = """
import sys
from dataclasses import replace
from tests.unit.runtime.tuning.test_results import result
from ninetoothed.runtime.tuning import results

process = int(sys.argv[1])
for step in range(60):
    results.store(result((process, step)))
    results.store(result((99, 99), mode=f"of {process}"))
    for bucket in ((1 - process, step), (99, 99)):
        found = results.load("k" * 64, bucket)
        assert found is None or found.rows == result().rows
    assert results.nearest("k" * 64, (99, 99), 2) is not None
"""


def test_two_processes_lose_nothing_of_each_other() -> None:
    command = [sys.executable, "-c", WRITER]
    processes = [subprocess.Popen([*command, str(index)], cwd=ROOT) for index in (0, 1)]
    assert [process.wait() for process in processes] == [0, 0]
    for process in (0, 1):
        for step in range(60):
            assert results.load("k" * 64, (process, step)) is not None
    assert len(artifact_store.result_names("k" * 64)) == 121
