"""``nt-opt --load``: modules that register passes, by name and by path; what follows."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ninetoothed.errors import PluginError
from ninetoothed.plugins import entry_points, outside_passes
from ninetoothed.plugins.loading import load
from ninetoothed.tools.nt_opt import main
from tests.support.outside import COUNT, PASS, own_registry, write_metadata, write_package

KERNEL = """
import ninetoothed
from ninetoothed import Tensor


def arrangement(x, y):
    return x.tile((64,)), y.tile((64,))


def application(x, y):
    y = x + 1


kernel = ninetoothed.make(arrangement, application, (Tensor(1), Tensor(1)), pipeline="nt-count")
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("NINETOOTHED_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "cache").mkdir(mode=0o700)
    write_package(tmp_path)
    (tmp_path / "counting_alone.py").write_text(PASS, encoding="utf-8")
    path = sys.path[:]
    with own_registry(tmp_path):
        yield tmp_path
        sys.modules.pop("counting_alone", None)
    sys.path[:] = path


def wrong(name: str) -> str:
    with pytest.raises(PluginError) as caught:
        load(name)
    return caught.value.message


def test_a_name_and_a_path(folder: Path) -> None:
    load("counting.passes")
    assert "nt-count" in outside_passes.registered()
    with own_registry():
        load(str(folder / "counting_alone.py"))
        # Once more is nothing.
        load(str(folder / "counting_alone.py"))
        outside = outside_passes.registered()["nt-count"].outside
        assert outside.loadable == str(folder / "counting_alone.py")
        assert not outside.digest.startswith("unknown")


def test_mistakes(folder: Path) -> None:
    assert wrong(str(folder / "nowhere.py")) == f"there is no file {folder / 'nowhere.py'}"
    assert wrong("nowhere.at_all") == (
        "module nowhere.at_all cannot be imported: ModuleNotFoundError: No module named 'nowhere'"
    )
    broken = folder / "broken.py"
    broken.write_text("1 / 0", encoding="utf-8")
    assert wrong(str(broken)) == (
        f"module {broken} cannot be imported: ZeroDivisionError: division by zero"
    )
    assert "broken" not in sys.modules
    taken = folder / "json.py"
    taken.write_text("", encoding="utf-8")
    assert wrong(str(taken)) == (f"{taken} has the name of another module, json; give it another")


def test_nt_opt_lists_and_explains_it(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--load", "counting.passes", "--list-passes"]) == 0
    assert "nt-count                   Says how many ops a kernel has.\n" in capsys.readouterr().out
    assert main(["--help-pass", "nt-count"]) == 0
    assert capsys.readouterr().out == (
        "nt-count\n\nSays how many ops a kernel has.\n\noptions:\n  factor: int = 1\n"
        "  enabled: bool = true\n"
    )
    assert main(["--load", "nowhere", "--list-passes"]) == 1
    assert capsys.readouterr().err == (
        "nt-opt: PluginError: module nowhere cannot be imported: ModuleNotFoundError: No module "
        "named 'nowhere'\n"
    )


def test_nt_opt_lists_what_cannot_be_imported(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_package(folder, passes="1 / 0")
    write_metadata(folder, COUNT)
    entry_points.entry_points.cache_clear()
    assert main(["--list-passes"]) == 0
    listed = capsys.readouterr().out
    assert "dce                        Dead code" in listed
    assert (
        "nt-count                   'nt-count' in ninetoothed.passes is "
        "counting.passes:CountPass of counting 1.2, which cannot be imported: "
        "ZeroDivisionError: division by zero\n"
    ) in listed


def test_nt_opt_runs_it(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "kernels.py").write_text(KERNEL, encoding="utf-8")
    loads = ["--load", str(folder / "counting_alone.py")]
    kernels = str(folder / "kernels.py")
    assert main([*loads, kernels, "-t", "tt", "--remarks", "--choose", "count_factor=4"]) == 0
    first = capsys.readouterr()
    assert "counted 4 times [nt-count, analysis]" in first.err
    # A stage in front of the pass says that it is to come.
    assert main([kernels, "-t", "composed"]) == 0
    stage = folder / "stage.mlir"
    stage.write_text(capsys.readouterr().out, encoding="utf-8")
    assert main([str(stage), "-t", "tt", "--remarks"]) == 0
    assert "counted 1 times [nt-count, analysis]" in capsys.readouterr().err
    assert main([str(stage), "-p", "nt-count{factor=3}", "--remarks"]) == 0
    assert "counted 3 times [nt-count, analysis]" in capsys.readouterr().err


def test_a_dump_names_what_to_load(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "kernels.py").write_text(KERNEL, encoding="utf-8")
    path = folder / "counting_alone.py"
    loads, kernels = ["--load", str(path)], str(folder / "kernels.py")
    assert main([*loads, kernels, "-t", "tt"]) == 0
    last = capsys.readouterr().out
    # Behind the pass, nobody asks for it.
    assert "--load" not in last
    dumps = folder / "dumps"
    assert main([*loads, kernels, f"--dump-ir={dumps}"]) == 0
    assert main([*loads, kernels, "-t", "composed", "-o", str(dumps / "stage.mlir")]) == 0
    capsys.readouterr()
    for name in ("00-frontend", "stage"):
        stage = dumps / f"{name}.mlir"
        assert f" --load={path} -p " in stage.read_text().replace("\\\n//  ", "")
        assert main([*loads, str(stage), "-t", "tt"]) == 0
        assert capsys.readouterr().out == last
        with own_registry():
            sys.modules.pop("counting_alone", None)
            assert main([str(stage), "-t", "tt"]) == 1
            # Reading a text imports nothing.
            assert "counting_alone" not in sys.modules
        message, place = capsys.readouterr().err.splitlines()[:2]
        assert message == (
            "nt-opt: InvalidIRError: there is no pass nt-count; the text was made with "
            f"--load {path}: give that, too, if you trust its code"
        )
        assert place.strip().startswith(f'File "{stage}", line 1')


def test_a_dump_names_no_entry_point(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "kernels.py").write_text(KERNEL, encoding="utf-8")
    stage = folder / "stage.mlir"
    write_metadata(folder, COUNT)
    with own_registry():
        assert main([str(folder / "kernels.py"), "-t", "composed", "-o", str(stage)]) == 0
    assert "--load" not in stage.read_text()
    with own_registry():
        assert main([str(stage), "-t", "tt", "--remarks"]) == 0
    assert "counted 1 times [nt-count, analysis]" in capsys.readouterr().err


def test_a_pass_in_the_file_of_its_kernel(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, stage = folder / "own_kernels.py", folder / "stage.mlir"
    path.write_text(PASS + KERNEL, encoding="utf-8")
    assert main([str(path), "-t", "composed", "-o", str(stage)]) == 0
    with own_registry():
        assert main(["--load", str(path), str(stage), "-t", "tt", "--remarks"]) == 0
        sys.modules.pop("own_kernels")
    assert "counted 1 times [nt-count, analysis]" in capsys.readouterr().err
    assert f"--load={path} " in stage.read_text().replace("\\\n//  ", "")
