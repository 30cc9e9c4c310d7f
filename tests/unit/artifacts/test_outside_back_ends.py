"""Back ends of other packages: found by entry points, when a name is none of ours."""

from __future__ import annotations

import importlib
import shutil
import sys
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

import ninetoothed
from examples.add import add_kernel
from ninetoothed import Tensor
from ninetoothed.artifacts.capabilities import capabilities
from ninetoothed.artifacts.target import BACK_ENDS, Target, _find_others, languages  # pyright: ignore[reportPrivateUsage]
from ninetoothed.errors import ArgumentError, ConfigurationError, DeviceError, PluginError
from ninetoothed.kernel.kernel import Kernel
from ninetoothed.runtime import toolchain
from ninetoothed.tools.nt_opt import main as nt_opt
from tests.support import fake_backend
from tests.support.outside import own_registry, write_metadata

GROUP = "ninetoothed.backends"
ROW = """
from ninetoothed.artifacts.target import BackEnd

BACK_END = BackEnd("fake", ("fake",), ("words",), device="fake", emits="faking.emitting",
                   runs="faking.running")
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The fake back end, as a package ``faking``."""
    source = Path(fake_backend.__file__).parent
    shutil.copytree(source / "backend" / "fake", tmp_path / "faking" / "emitting")
    shutil.copytree(source / "toolchain" / "fake", tmp_path / "faking" / "running")
    (tmp_path / "faking" / "__init__.py").write_text(ROW, encoding="utf-8")
    write_metadata(tmp_path, {GROUP: {"fake": "faking:BACK_END"}}, "faking", "0.3")
    ours = BACK_ENDS[:]
    monkeypatch.setenv("NINETOOTHED_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "cache").mkdir(mode=0o700)
    with own_registry(tmp_path):
        forget()
        yield tmp_path
        forget()
        assert ours == BACK_ENDS
        for name in [name for name in sys.modules if name.partition(".")[0] == "faking"]:
            del sys.modules[name]


def forget() -> None:
    """As in another process."""
    _find_others.cache_clear()
    del BACK_ENDS[1:]


def made(**options: Any) -> Kernel:
    add: Any = importlib.import_module("examples.add")
    tensors = (Tensor(1), Tensor(1), Tensor(1))
    return ninetoothed.make(add.arrangement, add.application, tensors, **options)


def test_a_target_is_found(folder: Path) -> None:
    found = Target.parse("fake1")
    assert found.back_end.origin.startswith("faking 0.3 ")
    assert capabilities(found).vendor == "Fake"
    assert toolchain.of(found).version() == "1.0"
    text = add_kernel.source(language="words", target="fake1")
    assert text.startswith("words: builtin.module tt.func ")


def test_a_language_is_found(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made(backend="words")
    forget()
    monkeypatch.setenv("NINETOOTHED_BACKEND", "words")
    made()


def test_an_artifact_of_one_is_compiled_in_another_process(folder: Path) -> None:
    assert Target("fake", "fake1", 8).back_end.name == "fake"


def test_nt_opt_prints_its_language(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    example = Path(str(sys.modules["examples.add"].__file__))
    assert nt_opt([str(example), "-t", "words"]) == 0
    assert capsys.readouterr().out.startswith("words: builtin.module tt.func ")


def test_ours_are_found_without_looking(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metadata, "entry_points", pytest.fail)
    assert Target.parse("sm_90").back_end.name == "triton"
    assert languages("ttir") == languages() == ("ttir", "triton-python")
    for backend in ("ttir", "triton-python", "interpret", None):
        made(backend=backend)
    monkeypatch.setenv("NINETOOTHED_BACKEND", "triton-python")
    made().source()


def test_its_source_is_part_of_keys(folder: Path) -> None:
    first = Target.parse("fake1").back_end.origin
    (folder / "faking" / "emitting" / "helper.py").write_text("", encoding="utf-8")
    forget()
    assert Target.parse("fake1").back_end.origin != first
    assert Target.parse("sm_90").back_end.origin == ""


def test_wrong_names(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, near in (("sm_9O", "sm_90"), ("fakel", "fake1"), ("gfx94x", "gfx942")):
        with pytest.raises(DeviceError) as caught:
            Target.parse(name)
        assert caught.value.message == f"unknown target {name!r}; did you mean {near}?"
    with pytest.raises(ArgumentError) as caught:
        made(backend="word")
    assert caught.value.message == "there is no backend 'word'; did you mean words?"
    monkeypatch.setenv("NINETOOTHED_BACKEND", "word")
    with pytest.raises(ConfigurationError) as caught:
        made()
    assert caught.value.message == (
        "NINETOOTHED_BACKEND must be ttir or triton-python or words, not 'word'"
    )
    with pytest.raises(DeviceError) as caught:
        _ = Target("npu", "npu1", 8).back_end
    assert caught.value.message == (
        "no back end has targets of kind 'npu', as npu1 is one; install the package that has it"
    )


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("\nBACK_END = 3", "which is no BackEnd: 3"),
        (
            ROW.replace('("words",)', '("ttir",)'),
            "which has the name 'ttir' of back end triton; give it another",
        ),
    ],
)
def test_wrong_back_ends(folder: Path, row: str, message: str) -> None:
    first = ROW.replace("BACK_END", "FIRST").replace("fake", "first").replace("words", "text")
    (folder / "faking" / "__init__.py").write_text(first + row, encoding="utf-8")
    points = {"first": "faking:FIRST", "second": "faking:BACK_END"}
    write_metadata(folder, {GROUP: points}, "faking", "0.4")
    shutil.rmtree(folder / "faking-0.3.dist-info")
    # Whoever asks again is told the same.
    for _ in range(2):
        with pytest.raises(PluginError) as caught:
            Target.parse("fake1")
        assert caught.value.message == (
            f"'second' in ninetoothed.backends is faking:BACK_END of faking 0.4, {message}"
        )
