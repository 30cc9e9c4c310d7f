"""Every stage of every example goes on to the text that one run makes.

The same TTIR, architecture and numbers of warps and stages give the same PTX, so every kernel goes
to TTIR, and a few as far as PTX. With ``--debug-info`` the texts are the same byte for byte.
Without it a dump holds no locations, and the rest of the text is the same.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from ninetoothed.ir.continuation import Continuation
from ninetoothed.runtime.toolchain.triton import compat
from tests.support import profiles
from tests.support.dumped_stages import dump
from tests.support.example_kernels import KERNELS, ExampleKernel
from tests.support.nt_opt_texts import text_of

needs_triton = pytest.mark.skipif(not compat.available(), reason="Triton is not installed")
# Modules are verified behind each pass by the run that dumps them.
_TTIR = ("-t", "ttir", "--generic", "--no-verify-each")
_TO_PTX = ("add", "jagged_padding", "layer_norm-layer_norm_backward_kernel", "matmul")
_EVERY = 4
# Of PTX: lines and files, labels for their tables, and comments with names and labels.
_PTX_LOCATION = re.compile(
    r"^\s*(?:\.(?:loc|file)\s.*|\$L__(?:tmp|func)\w+:)|\s*//.*", re.MULTILINE
)


@pytest.mark.parametrize("kernel", KERNELS[:: 1 if profiles.full() else 2], ids=str)
def test_every_stage_goes_on_to_the_same_ttir(kernel: ExampleKernel, tmp_path: Path) -> None:
    files, ttir = dump(kernel, tmp_path, "--debug-info", "-t", "ttir", "--generic")
    settings = {_settings(path) for path in files}
    assert len(settings) == 1
    (found,) = settings
    assert None not in (found.arch, found.num_warps, found.num_stages)
    for path in files:
        assert text_of(str(path), "--debug-info", *_TTIR) == ttir, path.name


def _settings(path: Path) -> Continuation:
    """What the PTX of a file depends on beside its TTIR."""
    found = Continuation.read(path.read_text(encoding="utf-8"))
    assert found is not None
    return replace(found, passes="")


@needs_triton
@pytest.mark.parametrize("kernel", [one for one in KERNELS if str(one) in _TO_PTX], ids=str)
def test_every_stage_goes_on_to_the_same_ptx(kernel: ExampleKernel, tmp_path: Path) -> None:
    files, ptx = dump(kernel, tmp_path / "with", "--debug-info", "-t", "ptx")
    for path in files[::_EVERY]:
        assert text_of(str(path), "--debug-info", "-t", "ptx") == ptx, path.name
    files, _ = dump(kernel, tmp_path / "without")
    code = _without_locations(ptx)
    assert "\tret;" in code
    for path in files[::_EVERY]:
        assert _without_locations(text_of(str(path), "-t", "ptx")) == code, path.name


def _without_locations(ptx: str) -> list[str]:
    """The lines of PTX but for what locations are printed as."""
    code, _, _ = _PTX_LOCATION.sub("", ptx).partition("\t.section")
    return [line for line in code.splitlines() if line.strip()]
