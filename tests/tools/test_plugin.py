"""``examples/plugin`` is a complete package: it is installed in an environment of its own."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.support.imports import ROOT
from tests.tools.environment import Environment

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
    listed = installed.run("-m", "ninetoothed.tools.nt_opt", "--list-passes")
    assert any(line.split()[:1] == ["cache-hints"] for line in listed.splitlines())
    assert "evict_last" in installed.run(
        "-m", "ninetoothed.tools.nt_opt", "--help-pass", "cache-hints"
    )


KERNEL = """
import torch
import ninetoothed
from ninetoothed import Tensor, block_size
from ninetoothed.artifacts.target import Target

def arrangement(x, bias, y):
    rows = bias.unsqueeze(0).expand((x.shape[0], -1))
    return x.tile((1, -1)), rows.tile((1, -1)), y.tile((1, -1))

def application(x, bias, y):
    y = x + bias

def make(pipeline):
    return ninetoothed.make(arrangement, application, (Tensor(2), Tensor(1), Tensor(2)), pipeline=pipeline)

x, bias, y = torch.arange(12.0).reshape(3, 4), torch.ones(4), torch.empty(3, 4)
make("cache-hints{level=2}")(x, bias, y)
assert torch.equal(y, x + bias)
for level in range(3):
    text = make(f"cache-hints{{level={level}}}").source(language="triton-python")
    print(text.count("evict_first"), text.count("evict_last"))
choices = {
    value
    for config in make("cache-hints").space(x, bias, y) for name, value in config.choices if name == "cache_hints"
}
print(sorted(choices))
"""


def test_a_kernel_names_it_and_the_tuner_chooses(installed: Environment, tmp_path: Path) -> None:
    path = tmp_path / "kernel.py"
    path.write_text(KERNEL, encoding="utf-8")
    assert installed.run(str(path)).splitlines() == ["0 0", "0 1", "1 1", "[1, 2]"]
