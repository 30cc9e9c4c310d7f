"""Passes of other packages in processes of their own: warm starts, edits, pickles."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.outside import COUNT, PASS, write_metadata, write_package
from tests.support.user import CALL, KERNELS, User

WITH = KERNELS.replace("**options)", 'pipeline="nt-count", **options)')
PACKAGE = "found['package'] = [name for name in sys.modules if name.startswith('counting')]\n"


@pytest.fixture
def user(tmp_path: Path) -> User:
    user = User(tmp_path)
    user.write("kernels", WITH)
    write_package(tmp_path)
    write_metadata(tmp_path, COUNT)
    return user


def is_warm(user: User, program: str = CALL) -> bool:
    """True if a process that runs the program compiles nothing."""
    found = user.run(program + PACKAGE)
    assert found["launches"] == [["application", 2]]
    is_compiled = "xdsl" in found["imported"]
    assert bool(found["package"]) == is_compiled
    # The names of the compiler's passes, without any of them.
    assert is_compiled or found["imported"] == ["ninetoothed.passes"]
    return not is_compiled


def test_what_is_edited_compiles_anew(user: User) -> None:
    assert not is_warm(user)
    # Neither the compiler nor the pass is imported.
    assert is_warm(user)
    write_package(user.folder, passes=f"{PASS}# A comment.\n")
    assert not is_warm(user)
    (user.folder / "counting" / "helper.py").write_text("", encoding="utf-8")
    assert not is_warm(user)
    (user.folder / "counting" / "helper.py").unlink()
    for path in user.folder.glob("*.dist-info/*"):
        path.unlink()
    write_metadata(user.folder, COUNT, distribution="counted", version="1.3")
    assert not is_warm(user)
    assert is_warm(user)


def test_a_kernel_without_it_does_not_look(user: User) -> None:
    user.write("kernels", KERNELS)
    program = "import importlib.metadata\nimportlib.metadata.entry_points = None\n" + CALL
    program += "found['plugins'] = fake_gpu.imported('ninetoothed.plugins')\n"
    assert "xdsl" in user.run(program)["imported"]
    again = user.run(program)
    assert again["imported"] == again["plugins"] == []


def test_a_pass_that_a_program_registers(user: User) -> None:
    for path in user.folder.glob("*.dist-info/*"):
        path.unlink()
    user.write("kernels", "import counting.passes\n" + WITH)
    first = user.run(CALL + "found['known'] = len(caught)\n")
    assert "xdsl" in first["imported"]
    entries = user.records
    # The program imports the pass, which imports xDSL, and nothing is compiled.
    again = user.run(CALL)
    assert "ninetoothed.frontend" not in again["imported"]
    assert user.records == entries


def test_a_kernel_is_pickled_for_another_process(user: User) -> None:
    path = user.folder / "kernel.pickle"
    user.write("kernels", KERNELS)
    user.run(
        f"""
        import pickle
        from kernels import Tensor, application, arrangement, make
        tensors = (Tensor(1), Tensor(1))
        kernel = make(arrangement, application, tensors, pipeline="nt-count{{factor=3}}")
        open({str(path)!r}, "wb").write(pickle.dumps(kernel))
        """
    )
    found = user.run(
        f"""
        import pickle
        kernel = pickle.load(open({str(path)!r}, "rb"))
        found["remarks"] = str(kernel.remarks(Array(100), Array(100, pointer=8192)))
        """
    )
    assert "counted 3 times [nt-count, analysis]" in found["remarks"]
    # One that was registered is imported by its module.
    for file in user.folder.glob("*.dist-info/*"):
        file.unlink()
    found = user.run(
        f"""
        import pickle
        kernel = pickle.load(open({str(path)!r}, "rb"))
        found["remarks"] = str(kernel.remarks(Array(100), Array(100, pointer=8192)))
        """
    )
    assert "counted 3 times [nt-count, analysis]" in found["remarks"]
