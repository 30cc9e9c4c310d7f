"""``nt-opt view``: its options and errors."""

from __future__ import annotations

from pathlib import Path

import pytest

from ninetoothed.errors import DeviceError
from ninetoothed.ir.stages import STAGES
from ninetoothed.tools.nt_opt import main
from ninetoothed.view import collection
from tests.support.imports import ROOT
from tests.support.outside import own_registry, write_package
from tests.support.view_pages import data_of

ADD = str(ROOT / "examples" / "add.py")


@pytest.fixture(autouse=True)
def without_triton(monkeypatch: pytest.MonkeyPatch) -> None:
    def inspect(*_: object) -> None:
        raise DeviceError("Triton is not installed")

    monkeypatch.setattr(collection, "inspect", inspect)


def test_the_page_is_of_the_call_that_the_options_say(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "folder" / "out.html"
    options = ["--dtype=lhs=fp16", "--set=BLOCK_SIZE_0=512", "--arch=gfx942", "--num-warps=2"]
    assert main(["view", ADD, "-o", str(path), *options]) == 0
    assert capsys.readouterr().out == (
        f"wrote {path}\nonly our own stages are in it: Triton is not installed\n"
    )
    data = data_of(path.read_text(encoding="utf-8"))
    assert data["kernel"] == "add_kernel"
    assert data["target"] == "gfx942"
    assert data["config"][:2] == [["BLOCK_SIZE_0", 512], ["num_warps", 2]]
    assert data["assumed"][0] == "element types assumed: rhs: fp32, output: fp32"


def test_the_page_bears_the_kernels_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["view", ADD, "--no-timings"]) == 0
    first = Path("add_kernel.html").read_bytes()
    assert main(["view", ADD, "--no-timings"]) == 0
    assert Path("add_kernel.html").read_bytes() == first


OUTSIDE = """
from counting.passes import CountPass
import ninetoothed
from ninetoothed import Tensor

def application(x, y):
    y = x

kernel = ninetoothed.make(
    lambda x, y: (x.tile((4,)), y.tile((4,))),
    application,
    (Tensor(1), Tensor(1)),
    pipeline="nt-count{factor=3}",
)
"""


@pytest.mark.parametrize("load", [[], ["--load=counting.passes"]])
def test_passes_of_other_packages_are_on_the_page(load: list[str], tmp_path: Path) -> None:
    write_package(tmp_path)
    kernel, path = tmp_path / "outside_kernel.py", tmp_path / "out.html"
    imports, _, rest = OUTSIDE.partition("import ninetoothed")
    kernel.write_text(f"{'' if load else imports}import ninetoothed{rest}", encoding="utf-8")
    with own_registry(tmp_path):
        assert main(["view", str(kernel), "-o", str(path), *load]) == 0
    data = data_of(path.read_text(encoding="utf-8"))
    names = [row["name"] for row in data["passes"]]
    assert names[names.index("nt-specialize") + 1] == "nt-count"
    stages = [row["stage"] for row in data["passes"] if "stage" in row]
    assert stages == [*STAGES]
    messages = [row["message"] for row in data["remarks"] if row["pass"] == "nt-count"]
    assert messages == ["counted 3 times"]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (
            [ADD, "--kernal", "x"],
            2,
            "nt-opt view: error: there is no option --kernal; did you mean --kernel?",
        ),
        ([], 2, "nt-opt view: error: the following arguments are required: FILE"),
        (
            [ADD, "--kernel", "add_kernl"],
            1,
            "nt-opt view: UndefinedNameError: there is no kernel add_kernl; did you mean "
            "add_kernel?",
        ),
        (
            [ADD, "--arch", "nonsense"],
            1,
            "nt-opt view: DeviceError: unknown target 'nonsense'; write for example 'sm_90'",
        ),
        (
            ["nothing.py"],
            1,
            "nt-opt view: FileNotFoundError: [Errno 2] No such file or directory",
        ),
    ],
)
def test_errors(
    arguments: list[str], code: int, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["view", *arguments]) == code
    assert capsys.readouterr().err.startswith(message)


def test_help_says_what_it_does(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["view", "--help"]) == 0
    assert capsys.readouterr().out.startswith("usage: nt-opt view")
