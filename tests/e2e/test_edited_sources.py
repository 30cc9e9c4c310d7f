"""Files that are edited while a process runs: the user's, and this package's."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.support.imports import ROOT
from tests.support.user import CALL, User


@pytest.fixture
def user(tmp_path: Path) -> User:
    return User(tmp_path)


@pytest.mark.parametrize("change", ["x * FACTOR / 5", "x * FACTOR2", "x * 2", "x * ("])
def test_edits_after_the_import_are_refused(user: User, change: str) -> None:
    """The frontend reads the file; Python runs what it has read before."""
    program = f"""
    import pathlib
    path = pathlib.Path(__file__).with_name("kernels.py")
    text = path.read_text()
    path.write_text(text.replace("x * FACTOR", {change!r}))
    space = {{"__name__": "kernels", "FACTOR2": 4}}
    try:
        exec(compile(text, str(path), "exec"), space)
    except Exception as error:
        found["error"] = error.message.replace(str(path), "kernels.py")
    finally:
        path.write_text(text)
    """
    plain = user.run("import kernels; found['source'] = kernels.kernel.source()")
    problem = "not what was imported" if change != "x * (" else "not found"
    for _ in range(2):
        assert user.run(program)["error"] == (
            f"application is {problem} at line 13 of kernels.py; the file has changed since; "
            "import it again, in a new process or by importlib.reload"
        )
    again = user.run("import kernels; found['source'] = kernels.kernel.source()")
    assert again["source"] == plain["source"]


def test_edits_elsewhere_in_the_file_do_not_matter(user: User) -> None:
    program = """
    import pathlib
    import kernels
    path = pathlib.Path(kernels.__file__)
    text = path.read_text()
    path.write_text(text.replace("num_stages", "num_" "stages  # ") + "\\n# More.\\n")
    found["source"] = kernels.make(
        kernels.arrangement, kernels.application, (kernels.Tensor(1), kernels.Tensor(1))
    ).source()
    """
    assert user.run(program)["source"]


def test_a_cached_text_that_is_not_the_functions_is_refused(user: User) -> None:
    """As after an edit that leaves the size and the time of the file."""
    program = """
    import linecache, os, pathlib
    path = pathlib.Path(__file__).with_name("kernels.py")
    text = path.read_text()
    status = path.stat()
    edited = text.replace("x * FACTOR", "x / FACTOR")
    path.write_text(edited)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    linecache.getlines(str(path))
    path.write_text(text)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    try:
        import kernels
    except Exception as error:
        found["error"] = str(error).replace(str(path), "kernels.py")
    """
    assert "application is not what was imported at line 13" in user.run(program)["error"]


@pytest.mark.parametrize("when", ["before", "after"])
def test_edits_of_the_package_after_its_import(user: User, when: str) -> None:
    """What is compiled by files of two versions is kept by nobody."""
    shutil.copytree(ROOT / "ninetoothed", user.folder / "ninetoothed")
    later = user.folder / "ninetoothed" / "passes" / "pipeline.py"
    edit = f"open({str(later)!r}, 'a').write('\\n')\n"
    imports = "import ninetoothed, sys\n"
    program = f"{imports}{edit}import kernels\n" if when == "before" else f"import kernels\n{edit}"
    call = "kernels.kernel(Array(100), Array(100, pointer=8192))"
    for _ in range(2):
        # Before the edit, the kernel of the old files may be kept.
        found = user.run(f"{program}\n{call}")
        assert "xdsl" in found["imported"]
        assert found["launches"] == [["application", 2]]
    assert len(user.records) == (0 if when == "before" else 2)
    for imported in (True, False):
        assert ("xdsl" in user.run(CALL)["imported"]) == imported
