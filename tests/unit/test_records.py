"""What is kept of a kernel comes back as it was; what is broken does not come back."""

from __future__ import annotations

import importlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ninetoothed import Symbol, Tensor, block_size, records
from ninetoothed.artifact import Signature
from ninetoothed.definition.definition import Definition, decoded, define
from ninetoothed.interface import Interface
from ninetoothed.kernel import Kernel
from ninetoothed.records import Facts, Record
from ninetoothed.runtime import artifact_cache
from tests.support import examples

KERNELS = {
    f"{example}.{name}": value
    for example in examples.NAMES
    for name, value in vars(importlib.import_module(f"examples.{example}")).items()
    if isinstance(value, Kernel)
}


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NINETOOTHED_CACHE_DIR", str(tmp_path))


def check(definition: Definition) -> None:
    """It is the same behind a way through text."""
    text = definition.encoded()
    again = decoded(text, definition.application.function)
    names = [parameter.name for parameter in definition.parameters]
    assert again.encoded() == text
    for one, two in zip(definition.parameters, again.parameters, strict=True):
        # Names of tensors come from a counter.
        assert replace(one, origin=names[definition.firsts[one.origin]]) == two
        assert one.source.declared == two.source.declared
        assert [op.loc for op in one.ops] == [op.loc for op in two.ops]
    for name in ("name", "meta", "constexprs", "dynamic", "constexpr_sizes", "keywords"):
        assert getattr(definition, name) == getattr(again, name)
    assert definition.interface == again.interface
    assert Interface.from_json(definition.interface.to_json()) == definition.interface


@pytest.mark.parametrize("name", KERNELS)
def test_examples(name: str) -> None:
    check(KERNELS[name].definition)


def application(x: Any, flag: Any, rows: Any, y: Any, n: Any) -> None:
    y = x  # pyright: ignore[reportUnusedVariable]


def test_all_that_parameters_have() -> None:
    x = Tensor(2, other=float("-inf"), shape_options=({"constexpr": True}, {"upper_bound": 64}))
    size = Symbol("SIZE", constexpr=True)
    tiled = x.pad(((1, size), (0, -1)))[::-1, 2:].tile((block_size(), size), strides=(2, size))
    rows = Tensor(2, jagged_dim=1, dtype="fp16", allow_races=True)
    number = Tensor(0, value=2.5)
    flag = Tensor(0, constexpr=True)
    arranged = [tiled, flag, rows, x.tile((1, x.shape[1] // 2)), number]
    definition = define("k", arranged, application)
    check(definition)
    interface = definition.interface
    assert interface.repeats == ((0, 3),)
    assert interface.keywords == ("SIZE",)
    assert [formal.kind for formal in interface.parameters].count("constexpr") == 2
    assert interface.dynamic[0] == ("x_size_1 // 2", "(x_size_1 // 2)")
    assert interface.extents({"x_size_0": 4, "x_size_1": 50, "SIZE": 8})[0] == ("x_size_1 // 2", 32)


def test_records_and_facts() -> None:
    interface = next(iter(KERNELS.values())).interface
    for races in (None, (), ("two programs", "and more")):
        record = Record(interface, "[]", races)
        records.store("key", record)
        assert records.load("key") == record
    assert records.load("other") is None
    facts = Facts(frozenset("xy"), ("a warning",))
    records.store_facts("key", Signature(()), facts)
    assert records.load_facts("key", Signature(())) == facts
    assert records.load_facts("key", Signature((), index_bits=64)) is None


@pytest.mark.parametrize("text", ["", "3", "[]", "{}", '{"interface": "{}", "arranged": ""}'])
def test_what_is_no_record(text: str) -> None:
    artifact_cache.store_record("key", text)
    artifact_cache.store_record(f"key {Signature(())}", text)
    assert records.load("key") is None
    assert records.load_facts("key", Signature(())) is None
