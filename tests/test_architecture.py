"""The shape of the house, held: import levels, sizes, names, and what every pass owes."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from ninetoothed.testing.filecheck import nt_opt
from tests.support.imports import PACKAGE, ROOT, cycle, imports, modules
from tests.support.passes import PassFile, pass_files

LEVELS: tuple[tuple[str, ...], ...] = (
    ("errors", "config", "dtype", "version", "symbolic"),
    ("plugins",),
    ("language", "symbol", "artifacts"),
    ("layout", "calls", "cache"),
    ("pictures",),
    ("tensor", "ir"),
    ("fingerprint", "definition", "interpreters", "passes", "backend", "runtime"),
    ("frontend",),
    ("compiler",),
    ("verification", "view", "pytorch"),
    ("kernel",),
    ("tools", "tuning", "debugging", "testing", "visualization", "generation", "__main__", ""),
)
"""The rooms, lowest level first: the folders of the package and the modules at its root, "" itself.

A module imports from its own room and from lower levels; of its own level, what ``BESIDE`` names.
"""

BESIDE = {
    "__main__": {"tools", "tuning"},
    "config": {"errors"},
    "definition": {"fingerprint"},
    "testing": {"tools"},
}
"""Rooms that import another one of their own level."""

RUNTIME_MAY_IMPORT = {"errors", "config", "dtype", "version", "artifacts", "calls", "cache"}
"""The runtime knows artifacts and calls, and nothing of the compiler."""

ROOT_MODULES = {
    "__init__",
    "__main__",
    "config",
    "debugging",
    "dtype",
    "errors",
    "generation",
    "symbol",
    "tensor",
    "tuning",
    "version",
}
"""Modules that users import by name; everything else lies in a room."""

TOPICS = (
    "backend.triton.spelling",
    "frontend.primitives",
    "interpreters",
    "ir.nt",
    "ir.tt",
    "language",
    "language.table",
    "passes.lowering",
)
"""Dialects and tables of handlers, whose modules bear the name of the topic that they are about."""

LEAN = {
    *(room for level in LEVELS[:6] for room in level if room != "ir"),
    *("fingerprint", "definition", "runtime"),
}
"""Rooms that a warm start loads: neither xDSL nor sympy is imported there."""

HALVES = ("ninetoothed.backend.triton", "ninetoothed.runtime.toolchain.triton")
"""The packages of a back end: they alone know its compiler and its vendors."""

VENDORS = re.compile(r"cuda|hip|rocm|nvidia|amd|(?:sm_|gfx)\w*", re.IGNORECASE)
VENDORS_MAY_STAND_IN = ("ninetoothed.artifacts.target", "ninetoothed.language.table.libdevice")
"""The line that registers a back end, and the table of the device libraries' functions."""

PACKAGES = [name for name, path in modules().items() if path.stem == "__init__"]
LEVEL = {room: level for level, rooms in enumerate(LEVELS) for room in rooms}
MAX_LINES = 600
PUBLIC_FUNCTIONS = {"make", "jit", "build", "eval", "subs", "block_size", "check", "sharding"}
PASSES = pass_files()
each_pass = pytest.mark.parametrize("file", PASSES, ids=[file.path.stem for file in PASSES])


def room(module: str) -> str:
    """The room of a module of the package."""
    return [*module.split("."), ""][1]


def part(module: str, package: str) -> str | None:
    """The module or sub-package of ``package`` that a module is of; None for one of another."""
    inside = module.startswith(f"{package}.")
    return module.removeprefix(f"{package}.").split(".")[0] if inside else None


def sources() -> list[Path]:
    """Every source file of ours that a person reads."""
    folders = ("ninetoothed", "tests", "benchmarks", "examples")
    paths = (path for folder in folders for path in (ROOT / folder).rglob("*"))
    golden = ROOT / "tests" / "golden"
    return sorted(p for p in paths if p.suffix in (".py", ".mlir") and golden not in p.parents)


def test_imports_go_down() -> None:
    wrong: list[str] = []
    for edge in imports():
        if edge.imported.split(".")[0] != "ninetoothed":
            continue
        importer, imported = room(edge.importer), room(edge.imported)
        if importer == imported:
            continue
        down = LEVEL[imported] < LEVEL[importer] or imported in BESIDE.get(importer, ())
        if not down or (importer == "runtime" and imported not in RUNTIME_MAY_IMPORT):
            wrong.append(f"{edge} (level {LEVEL[importer]} imports level {LEVEL[imported]})")
    assert not wrong, "\n".join(wrong)


def test_the_root_holds_what_users_import() -> None:
    found = {path.stem for path in modules().values() if path.parent == PACKAGE}
    assert found == ROOT_MODULES


def test_file_names_are_unique() -> None:
    named: dict[str, list[str]] = {}
    for module, path in modules().items():
        folder = module.removeprefix("ninetoothed.").rpartition(".")[0]
        if path.stem not in ("__init__", "__main__") and folder not in TOPICS:
            named.setdefault(path.stem, []).append(module)
    twice = [f"{name}: {', '.join(found)}" for name, found in named.items() if len(found) > 1]
    topics = {
        path.stem
        for module, path in modules().items()
        if module.removeprefix("ninetoothed.").rpartition(".")[0] in TOPICS
    }
    twice += [f"{name}: {found[0]}, and a topic" for name, found in named.items() if name in topics]
    assert not twice, "one name for two subjects:\n" + "\n".join(twice)


def test_no_import_cycle() -> None:
    edges: dict[str, set[str]] = {}
    for edge in imports():
        if edge.imported in modules() and edge.importer != edge.imported:
            edges.setdefault(edge.importer, set()).add(edge.imported)
    assert cycle(edges) is None


@pytest.mark.parametrize("package", PACKAGES)
def test_parts_of_a_package_import_in_one_direction(package: str) -> None:
    """Its modules and sub-packages, each of which counts as one."""
    edges: dict[str, set[str]] = {}
    for edge in imports():
        importer, imported = part(edge.importer, package), part(edge.imported, package)
        if importer and imported and importer != imported:
            edges.setdefault(importer, set()).add(imported)
    assert cycle(edges) is None


def test_lean_rooms_import_neither_xdsl_nor_sympy() -> None:
    wrong = [
        str(edge)
        for edge in imports()
        if edge.imported.split(".")[0] in ("xdsl", "sympy") and room(edge.importer) in LEAN
    ]
    assert not wrong, "\n".join(wrong)


def is_half(module: str) -> bool:
    """True for a module of a back end."""
    return any(f"{module}.".startswith(f"{half}.") for half in HALVES)


def test_back_ends_are_reached_through_their_protocols() -> None:
    wrong = [
        str(edge)
        for edge in imports()
        if (edge.imported.split(".")[0] == "triton" or is_half(edge.imported))
        and not is_half(edge.importer)
    ]
    for name, path in modules().items():
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match call:
                case ast.Call(
                    func=ast.Attribute(attr="import_module" | "find_spec"),
                    args=[ast.Constant(value=str(text)), *_],
                ) if text.split(".")[0] == "triton" and not is_half(name):
                    wrong.append(f"{name}:{call.lineno} imports {text}")
                case _:
                    pass
    assert not wrong, "\n".join(wrong)


def test_no_branch_on_a_vendor() -> None:
    wrong: list[str] = []
    for name, path in modules().items():
        if is_half(name) or name in VENDORS_MAY_STAND_IN:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Constant(value=str(text)) if VENDORS.fullmatch(text):
                    wrong.append(f"{name}:{node.lineno} has {text!r}")
                case ast.Attribute(attr="cuda" | "hip" as attribute):
                    wrong.append(f"{name}:{node.lineno} has .{attribute}")
                case _:
                    pass
    assert not wrong, "say it in backend/NAME/targets.py:\n" + "\n".join(wrong)


def test_files_are_short() -> None:
    lengths = {path: path.read_text(encoding="utf-8").count("\n") for path in sources()}
    long = [f"{path.relative_to(ROOT)}: {n}" for path, n in lengths.items() if n > MAX_LINES]
    assert not long, f"longer than {MAX_LINES} lines: {', '.join(long)}"


def test_module_names() -> None:
    wrong = [path for path in sources() if path.stem == "utils" or path.parent.name == "utils"]
    assert not wrong, f"a helper with two users gets a module named for what it does: {wrong}"
    taken = [name for name in modules() if name.split(".")[1:2] and name.count(".") == 1]
    wrong_names = [name for name in taken if name.split(".")[1] in PUBLIC_FUNCTIONS]
    assert not wrong_names, f"an import of the module hides the function: {wrong_names}"


def test_no_test_takes_the_time() -> None:
    """Seconds are for benchmarks; a test asserts what causes them (``tests.support.counting``)."""
    clocks = re.compile(r"\b(perf_counter|process_time|thread_time|timeit)")
    tests = (path for path in sources() if path.suffix == ".py" and ROOT / "tests" in path.parents)
    wrong = [
        str(path.relative_to(ROOT))
        for path in tests
        if path != Path(__file__) and clocks.search(path.read_text(encoding="utf-8"))
    ]
    assert not wrong


@each_pass
def test_pass_has_its_file_name(file: PassFile) -> None:
    assert list(file.names.values()) == [file.expected_name], (
        f"{file.path.name} defines one class …Pass with name = {file.expected_name!r}, or says in "
        f"its docstring that it is no pass; found {file.names}"
    )


@each_pass
def test_pass_has_a_place_in_the_pipeline(file: PassFile) -> None:
    pipeline = (file.path.parent / "pipeline.py").read_text(encoding="utf-8")
    spellings = (file.expected_name, file.expected_name.removeprefix("nt-"), file.path.stem)
    assert any(re.search(rf"(?<![\w-]){name}(?![\w-])", pipeline) for name in spellings)


@each_pass
def test_pass_has_a_filecheck_file(file: PassFile) -> None:
    path = ROOT / "tests" / "filecheck" / "passes" / f"{file.path.stem}.mlir"
    assert path.is_file(), f"write {path.relative_to(ROOT)}"
    assert file.expected_name in path.read_text(encoding="utf-8")


@each_pass
def test_pass_does_what_its_docstring_shows(file: PassFile, tmp_path: Path) -> None:
    assert len(file.examples) == 2, "the docstring shows IR before and after in two ```mlir blocks"
    printed: list[str] = []
    for name, text, options in (
        ("before", file.examples[0], ["-p", file.pipeline]),
        ("after", file.examples[1], []),
    ):
        path = tmp_path / f"{name}.mlir"
        path.write_text(text, encoding="utf-8")
        result = nt_opt([str(path), *options])
        assert result.code == 0, f"{name}: {result.err}{result.out}"
        printed.append(result.out)
    assert printed[0] == printed[1]


def test_pass_list_is_complete() -> None:
    result = nt_opt(["--list-passes"])
    assert result.code == 0
    missing = [f.expected_name for f in PASSES if f.expected_name not in result.out]
    assert not missing


def python(code: str) -> str:
    """Output of a fresh interpreter for ``code``."""
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout


def test_import_loads_little() -> None:
    """Beside the package two modules of ours and what defines dataclasses: a few milliseconds."""
    loaded = python(
        "import dataclasses, importlib, sys, typing\n"
        "before = set(sys.modules)\n"
        "import ninetoothed\n"
        "print(*sorted(set(sys.modules) - before - {'__future__'}))"
    )
    assert loaded.split() == ["ninetoothed", "ninetoothed.dtype", "ninetoothed.version"]


def test_public_modules_load_neither_torch_nor_matplotlib() -> None:
    """They are loaded by the functions that need them."""
    loaded = python(
        "import sys, ninetoothed\n"
        "ninetoothed.debugging, ninetoothed.generation, ninetoothed.testing.check_kernel\n"
        "ninetoothed.visualization, ninetoothed.tuning.synchronize\n"
        "wanted = {'filecheck', 'hypothesis', 'matplotlib', 'pytest', 'torch', 'xdsl'}\n"
        "print(sorted(wanted & set(sys.modules)))"
    )
    assert loaded == "[]\n"


def test_first_kernel_loads_what_it_needs() -> None:
    parts = [
        "mpmath",
        "ninetoothed.backend.triton.spelling",
        "ninetoothed.backend.triton.triton_python",
        "ninetoothed.tools",
        "ninetoothed.verification.translation.check",
        "sympy",
        "triton",
    ]
    interpreter = "ninetoothed.interpreters.run"
    loaded = python(
        "import sys, torch\n"
        "before = set(sys.modules)\n"
        "from examples import add\n"
        "print('ninetoothed.passes.pad_blocks' in sys.modules)\n"
        "add.add_kernel.source(language='ttir')\n"
        f"print({interpreter!r} in sys.modules)\n"
        "add.add(torch.ones(16), torch.ones(16))\n"
        f"print([name for name in {parts} if name in set(sys.modules) - before])"
    )
    assert loaded.split("\n") == ["False", "False", "[]", ""]
