"""``examples/plugin`` is a complete package: it is installed in an environment of its own."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.support.imports import ROOT
from tests.tools.environment import Environment

NT_OPT = ("-m", "ninetoothed.tools.nt_opt")
PLUGIN = ROOT / "examples" / "plugin"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """An environment with the package, built from a copy of its folder."""
    folder = tmp_path_factory.mktemp("plugin")
    shutil.copytree(PLUGIN, folder / "plugin")
    environment = Environment.made(folder / "environment")
    environment.install(folder / "plugin")
    return environment


def test_its_own_tests_pass(installed: Environment) -> None:
    # Away from the package's folder, so that what is installed is imported.
    tests = PLUGIN / "tests"
    out = installed.run(
        "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tests), "--rootdir", str(tests)
    )
    assert "2 passed" in out


def test_the_pass_is_listed_and_explained(installed: Environment) -> None:
    listed = installed.run(*NT_OPT, "--list-passes")
    assert any(line.split()[:1] == ["cache-hints"] for line in listed.splitlines())
    assert "evict_last" in installed.run(*NT_OPT, "--help-pass", "cache-hints")


KERNEL = """
import torch
import ninetoothed
from ninetoothed import Tensor
from ninetoothed.testing import check_kernel

def arrangement(x, bias, y):
    rows = bias.unsqueeze(0).expand((x.shape[0], -1))
    return x.tile((1, -1)), rows.tile((1, -1)), y.tile((1, -1))

def application(x, bias, y):
    y = x + bias

def make(pipeline):
    tensors = (Tensor(2), Tensor(1), Tensor(2))
    return ninetoothed.make(arrangement, application, tensors, pipeline=pipeline)

if __name__ == "__main__":
    for level in range(3):
        text = make(f"cache-hints{{level={level}}}").source()
        print(text.count("evict_first"), text.count("evict_last"))
    arguments = torch.arange(12.0).reshape(3, 4), torch.ones(4), torch.empty(3, 4)
    ran = check_kernel(make("cache-hints"), arguments, lambda x, b, y: x + b, levels="tt")
    print(*sorted({dict(config.choices).get("cache_hints", 0) for config in ran}))
"""


def test_a_kernel_names_it_and_the_tuner_has_its_choice(
    installed: Environment, tmp_path: Path
) -> None:
    path = tmp_path / "kernel.py"
    path.write_text(KERNEL, encoding="utf-8")
    assert installed.run(str(path)).splitlines() == ["0 0", "0 1", "1 1", "0 1 2"]
    call = ("--kernel", "make('cache-hints')", "--choose", "cache_hints=1", "-t", "ttir")
    assert "eviction_policy = evict_last" in installed.run(*NT_OPT, str(path), *call)


def test_the_example_is_small() -> None:
    python = [*PLUGIN.rglob("*.py")]
    (ir,) = PLUGIN.rglob("*.mlir")
    assert sum(len(path.read_text(encoding="utf-8").splitlines()) for path in python) <= 60
    assert len(ir.read_text(encoding="utf-8").splitlines()) <= 20
