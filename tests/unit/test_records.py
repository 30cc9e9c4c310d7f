"""What is kept of a kernel comes back as it was; what is broken does not come back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ninetoothed import Symbol, Tensor, block_size, records
from ninetoothed.artifact import Signature
from ninetoothed.definition.define import define
from ninetoothed.records import Facts, Record
from ninetoothed.runtime import artifact_cache


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NINETOOTHED_CACHE_DIR", str(tmp_path))


def application(x: Any, flag: Any, rows: Any, y: Any, n: Any) -> None:
    y = x  # pyright: ignore[reportUnusedVariable]


def test_the_interface_of_all_that_parameters_have() -> None:
    x = Tensor(2, other=float("-inf"), shape_options=({"constexpr": True}, {"upper_bound": 64}))
    size = Symbol("SIZE", constexpr=True)
    tiled = x.pad(((1, size), (0, -1)))[::-1, 2:].tile((block_size(), size), strides=(2, size))
    rows = Tensor(2, jagged_dim=1, dtype="fp16", allow_races=True)
    number = Tensor(0, value=2.5)
    flag = Tensor(0, constexpr=True)
    arranged = [tiled, flag, rows, x.tile((1, x.shape[1] // 2)), number]
    definition = define("k", arranged, application)
    interface = definition.interface
    assert interface.repeats == ((0, 3),)
    assert interface.keywords == ("SIZE",)
    assert [formal.kind for formal in interface.parameters].count("constexpr") == 2
    assert interface.dynamic[0] == ("x_size_1 // 2", "(x_size_1 // 2)")
    assert interface.extents({"x_size_0": 4, "x_size_1": 50, "SIZE": 8})[0] == ("x_size_1 // 2", 32)


def test_records_and_facts() -> None:
    for races in (None, (), ("two programs", "and more")):
        record = Record(races)
        records.store("key", record)
        assert records.load("key") == record
    assert records.load("other") is None
    facts = Facts(frozenset("xy"), ("a warning",))
    records.store_facts("key", Signature(()), facts)
    assert records.load_facts("key", Signature(())) == facts
    assert records.load_facts("key", Signature((), index_bits=64)) is None


@pytest.mark.parametrize("text", ["", "3", "[]", "{}", '{"races": 3}', '{"interface": "{}"}'])
def test_what_is_no_record(text: str) -> None:
    artifact_cache.store_record("key", text)
    artifact_cache.store_record(f"key {Signature(())}", text)
    assert records.load("key") is None
    assert records.load_facts("key", Signature(())) is None
