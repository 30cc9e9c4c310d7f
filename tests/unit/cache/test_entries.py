"""Cache entries of kernels: round trips, and broken files, which count as absent."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ninetoothed import Symbol, Tensor, block_size
from ninetoothed.artifacts.signature import Signature
from ninetoothed.cache import artifact_store, entries
from ninetoothed.cache.entries import CacheEntry, SignatureInfo
from ninetoothed.definition.define import define
from ninetoothed.errors import Loc, RaceWarning


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
    assert [parameter.kind for parameter in interface.parameters].count("constexpr") == 2
    assert interface.dynamic[0] == ("x_size_1 // 2", "(x_size_1 // 2)")
    assert interface.padded_sizes({"x_size_0": 4, "x_size_1": 50, "SIZE": 8})[0] == (
        "x_size_1 // 2",
        32,
    )


def test_records_and_facts() -> None:
    place = Loc("a.py", 3, 4, 9, "inner", caller=Loc("b.py", 1))
    warnings = (RaceWarning("two programs", place), RaceWarning("and more"))
    sizes = (("x_size_1", "y_size_1"),)
    for entry in (
        CacheEntry((), False),
        CacheEntry((), True, sizes),
        CacheEntry(warnings, True, None),
    ):
        entries.store("key", entry)
        assert entries.load("key") == entry
    assert entries.load("other") is None
    for stored in (None, frozenset[str](), frozenset("x")):
        signature_info = SignatureInfo(frozenset("xy"), warnings, stored)
        entries.store_signature_info("key", Signature(()), signature_info)
        assert entries.load_signature_info("key", Signature(())) == signature_info
    assert entries.load_signature_info("key", Signature((), index_bits=64)) is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "3",
        "[]",
        "{}",
        '{"warnings": 3}',
        '{"warnings": [{}], "has_races": true}',
        '{"interface": "{}"}',
    ],
)
def test_what_is_no_record(text: str) -> None:
    artifact_store.store_entry("key", text)
    artifact_store.store_entry(f"key {Signature(())}", text)
    assert entries.load("key") is None
    assert entries.load_signature_info("key", Signature(())) is None
