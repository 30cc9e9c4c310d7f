"""What ``--trace`` writes is read by the tools that it is for, which say where it is wrong."""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from ninetoothed.tools.nt_opt import main
from tests.support.imports import ROOT

SOFTMAX = ROOT / "examples" / "softmax.py"
TLPARSE = shutil.which("tlparse", path=str(Path(sys.executable).parent)) or shutil.which("tlparse")


def run(*command: str) -> None:
    """Run a command, which succeeds."""
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module", params=["sm_90", "gfx942"])
def logs(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with both logs of softmax."""
    folder = tmp_path_factory.mktemp("trace")
    page = ("-o", str(folder / "page.html"))
    options = ("--trace", str(folder / "logs"), "--arch", request.param)
    assert main(["view", str(SOFTMAX), *page, *options]) == 0
    return folder / "logs"


@pytest.mark.skipif(TLPARSE is None, reason="tlparse is not installed: make test-tools does")
def test_tlparse_knows_every_line(logs: Path, tmp_path: Path) -> None:
    (log,) = logs.glob("*torch_trace*")
    strict = ("--strict", "--strict-compile-id", "--no-browser", "--plain-text")
    run(str(TLPARSE), *strict, "-o", str(tmp_path / "out"), str(log))
    (folder,) = (path for path in (tmp_path / "out").iterdir() if path.is_dir())
    names = {path.name.rpartition("_")[0] for path in folder.iterdir()}
    assert {"00-frontend", "ttir", "llir", "remarks"} <= names
    assert any(name.endswith("-nt-lower-accesses") for name in names)
    (ttir,) = folder.glob("ttir_*")
    assert ttir.read_text(encoding="utf-8").startswith("#loc")


@pytest.mark.skipif(
    not find_spec("tritonparse"), reason="tritonparse is not installed: make test-tools does"
)
def test_tritonparse_maps_every_stage_to_the_source(logs: Path, tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    (log,) = logs.glob("*triton_trace*")
    shutil.copy(log, folder)
    out = tmp_path / "out"
    run(sys.executable, "-m", "tritonparse", "parse", str(folder), "-o", str(out))
    (mapped,) = out.glob("*.ndjson.gz")
    with gzip.open(mapped, "rt", encoding="utf-8") as file:
        event = next(event for event in map(json.loads, file) if "payload" in event)
    stages = [name.partition(".")[2] for name in event["payload"]["file_content"]]
    mappings = event["payload"]["source_mappings"]
    source = SOFTMAX.read_text(encoding="utf-8").split("\n")
    for stage in stages:
        lines = {row["line"] for row in mappings[stage].values()}
        assert any("numerator = " in source[line - 1] for line in lines), stage
