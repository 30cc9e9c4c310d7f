"""Every environment variable: its default, values and error, and its place in the documentation."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from ninetoothed import config
from ninetoothed.artifacts.target import languages
from ninetoothed.errors import ConfigurationError
from tests.support.imports import PACKAGE, ROOT, modules

# How each is read, its default, and the least value.
INTEGERS: dict[str, tuple[Callable[[], int], int, int]] = {
    "NINETOOTHED_INTERPRET_MAX_STEPS": (config.interpret_max_steps, 10_000_000, 1),
    "NINETOOTHED_INTERPRET_LANES": (config.interpret_lanes, 1 << 22, 1),
    "NINETOOTHED_COMPILE_TIMEOUT": (config.compile_timeout, 60, 1),
    "NINETOOTHED_COMPILE_WORKERS": (config.compile_workers, min(os.cpu_count() or 1, 16), 0),
    "NINETOOTHED_TUNE_TIMEOUT": (config.tune_timeout, 30, 1),
}
FLAGS: dict[str, Callable[[], bool]] = {
    "NINETOOTHED_VERIFY_IR": config.verify_ir,
    "NINETOOTHED_VALIDATE": config.validate,
}
each_integer = pytest.mark.parametrize("name", INTEGERS)


@pytest.fixture(autouse=True)
def clean(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [*os.environ]:
        if name.startswith("NINETOOTHED_") or name == "XDG_CACHE_HOME":
            monkeypatch.delenv(name)


@each_integer
def test_integer(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    read, default, least = INTEGERS[name]
    assert read() == default
    monkeypatch.setenv(name, str(least))
    assert read() == least
    monkeypatch.setenv(name, "  ")
    assert read() == default
    monkeypatch.setenv(name, " 7 ")
    assert read() == 7


@each_integer
@pytest.mark.parametrize("text", ["-1", "many", "1.5"])
def test_no_integer(name: str, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, text)
    with pytest.raises(ConfigurationError) as caught:
        INTEGERS[name][0]()
    least = INTEGERS[name][2]
    assert str(caught.value) == f"{name} must be an integer of at least {least}, not {text!r}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", False),
        ("0", False),
        ("off", False),
        ("No", False),
        ("1", True),
        ("TRUE", True),
        ("on", True),
    ],
)
def test_flag(text: str, expected: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, read in FLAGS.items():
        assert read() is False
        monkeypatch.setenv(name, text)
        assert read() is expected


def test_no_flag(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NINETOOTHED_VERIFY_IR", "maybe")
    with pytest.raises(ConfigurationError) as caught:
        config.verify_ir()
    assert str(caught.value) == "NINETOOTHED_VERIFY_IR must be 0 or 1, not 'maybe'"


def test_backend(monkeypatch: pytest.MonkeyPatch) -> None:
    assert config.backend(languages) is None
    for name in ("ttir", "triton-python"):
        monkeypatch.setenv("NINETOOTHED_BACKEND", name)
        assert config.backend(languages) == name
    monkeypatch.setenv("NINETOOTHED_BACKEND", "cuda")
    with pytest.raises(ConfigurationError) as caught:
        config.backend(languages)
    assert str(caught.value) == "NINETOOTHED_BACKEND must be ttir or triton-python, not 'cuda'"


def test_tune(monkeypatch: pytest.MonkeyPatch) -> None:
    assert config.tune() == "quick"
    for mode in ("off", "quick", "full"):
        monkeypatch.setenv("NINETOOTHED_TUNE", mode)
        assert config.tune() == mode
    monkeypatch.setenv("NINETOOTHED_TUNE", "1")
    with pytest.raises(ConfigurationError) as caught:
        config.tune()
    assert str(caught.value) == "NINETOOTHED_TUNE must be off, quick or full, not '1'"


def test_cache_dir(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/someone")
    assert config.cache_dir() == Path("/home/someone/.cache/ninetoothed")
    monkeypatch.setenv("XDG_CACHE_HOME", "/var/cache")
    assert config.cache_dir() == Path("/var/cache/ninetoothed")
    monkeypatch.setenv("NINETOOTHED_CACHE_DIR", "~/kernels")
    assert config.cache_dir() == Path("/home/someone/kernels")
    assert config.cache_read_only_dir() is None
    monkeypatch.setenv("NINETOOTHED_CACHE_READ_ONLY_DIR", "~/shared")
    assert config.cache_read_only_dir() == Path("/home/someone/shared")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", 1 << 30),
        ("0", 0),
        ("1000000", 1_000_000),
        ("7k", 7 << 10),
        (" 512M ", 512 << 20),
        ("2G", 2 << 30),
        ("1t", 1 << 40),
    ],
)
def test_cache_size(text: str, expected: int, monkeypatch: pytest.MonkeyPatch) -> None:
    assert config.cache_size() == 1 << 30
    monkeypatch.setenv("NINETOOTHED_CACHE_SIZE", text)
    assert config.cache_size() == expected


@pytest.mark.parametrize(("text", "expected"), [("", 256 << 20), ("0", 0), ("7k", 7 << 10)])
def test_scratch_size(text: str, expected: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NINETOOTHED_SCRATCH_SIZE", text)
    assert config.scratch_size() == expected


def test_without_scratch_memory_nothing_is_split(monkeypatch: pytest.MonkeyPatch) -> None:
    assert config.optimizations() == ""
    monkeypatch.setenv("NINETOOTHED_SCRATCH_SIZE", "0")
    assert config.optimizations() == "packed_operands,split_reductions"
    monkeypatch.setenv("NINETOOTHED_DISABLE_OPTIMIZATIONS", "loop_stages, ")
    assert config.optimizations() == "loop_stages,packed_operands,split_reductions"


@pytest.mark.parametrize("text", ["-1", "many", "1.5G", "G", "2GB", "2 G", "9" * 5000])
def test_no_cache_size(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NINETOOTHED_CACHE_SIZE", text)
    with pytest.raises(ConfigurationError) as caught:
        config.cache_size()
    assert str(caught.value) == (
        "NINETOOTHED_CACHE_SIZE must be a number of bytes such as 1000000, 512M or 2G, or 0 for "
        f"no bound, not {text!r}"
    )


def test_interpret_configs(monkeypatch: pytest.MonkeyPatch) -> None:
    """The text; ``tests/e2e/test_testing.py`` has what it means."""
    assert config.interpret_configs() is None
    monkeypatch.setenv("NINETOOTHED_INTERPRET_CONFIGS", " all ")
    assert config.interpret_configs() == "all"


def test_dump_ir(monkeypatch: pytest.MonkeyPatch) -> None:
    assert config.dump_ir() is None
    monkeypatch.setenv("NINETOOTHED_DUMP_IR", "out")
    assert config.dump_ir() == Path("out")


def variables(path: Path) -> set[str]:
    return set(re.findall(r"\bNINETOOTHED_[A-Z_]+", path.read_text(encoding="utf-8")))


def test_a_page_lists_every_variable() -> None:
    page = (ROOT / "docs" / "reference" / "settings.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"^\| `(NINETOOTHED_[A-Z_]+)` \|", page, re.MULTILINE))
    assert listed == variables(PACKAGE / "config.py")


def test_no_module_names_another_variable() -> None:
    known = variables(PACKAGE / "config.py")
    unknown = {name: variables(path) - known for name, path in modules().items()}
    assert not {name: extra for name, extra in unknown.items() if extra}
