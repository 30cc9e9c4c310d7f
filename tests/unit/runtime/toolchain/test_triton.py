"""Artifacts compile without a GPU and without torch; what does not compile says why."""

from __future__ import annotations

import importlib
import importlib.metadata
import os
import shutil
import subprocess
import sys
import types
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ninetoothed.artifacts.artifact import Artifact, Binary
from ninetoothed.artifacts.target import Target
from ninetoothed.errors import CompilerError, ConfigurationError, DeviceError
from ninetoothed.runtime import toolchain
from ninetoothed.runtime.toolchain import triton as triton_package
from ninetoothed.runtime.toolchain.triton import compat
from tests.support import artifacts
from tests.support.targets import TARGETS
from tests.support.ttir_stage import assembly, to_ttir

ROOT = Path(__file__).parents[4]

needs_triton = pytest.mark.skipif(not compat.available(), reason="Triton is not installed")


@pytest.fixture(autouse=True)
def cache_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("NINETOOTHED_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path / "triton"))
    return tmp_path / "cache"


POLICY = "boundaryCheck = array<i32>, cache = {} : i32, evict = {} : i32"
LOAD, STORE = POLICY.format(3, 1), POLICY.format(1, 2)
ACCESS = f"""
    %0 = "tt.load"(%p, %m) <{{{LOAD}, isVolatile = true}}> : x
    "tt.store"(%p, %0) <{{{STORE}}}> : x
    "tt.assert"(%b) <{{message = "\\0A \\22tt.load\\22(%p) <{{{LOAD}"}}> : x
"""


@needs_triton
@pytest.mark.parametrize("version", ["3.6.0", "3.8.1", "3.9.0", "3.10.0"])
def test_what_is_asked_of_caches_is_written_as_the_version_has_it(
    version: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compat, "version", lambda: version)
    found = compat.for_this_version(ACCESS)
    if version in ("3.6.0", "3.8.1"):
        assert found == ACCESS
        return
    lines = found.splitlines()
    policy = "cachePolicy = #tt.cache_policy<cache_modifier = {}, eviction_policy = {}>"
    assert f"<{{{policy.format('cg', 'evict_normal')}, isVolatile = true}}>" in lines[1]
    assert f"<{{{policy.format('none', 'evict_first')}}}>" in lines[2]
    # A user's own text stays.
    assert lines[3] == ACCESS.splitlines()[3]


BOXES = """
    %d = "tt.make_tensor_descriptor"(%x, %m, %n, %s, %one) : (p, i32, i32, i64, i64) -> {0}
    %0 = "tt.descriptor_load"(%d, %i, %j) : ({0}, i32, i32) -> tensor<64x16xf16>
    "tt.descriptor_store"(%d, %0, %i, %j) : ({0}, tensor<64x16xf16>, i32, i32) -> ()
"""


@needs_triton
@pytest.mark.parametrize("version", ["3.6.0", "3.7.1", "3.8.0", "3.9.0"])
def test_types_of_descriptors_are_written_as_the_version_has_them(
    version: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compat, "version", lambda: version)
    old = "!tt.tensordesc<tensor<64x16xf16>>"
    # A user's own text stays.
    message = f'    "tt.assert"(%b) <{{message = "{old}"}}> : x\n'
    wanted = old if version in ("3.6.0", "3.7.1") else "!tt.tensordesc<64x16xf16>"
    found = compat.for_this_version(BOXES.format(old) + message)
    assert found == BOXES.format(wanted) + message


def test_assertions_are_asked_for() -> None:
    text = "import triton\n\ndef add():\n    tl.device_assert(x > 0, '')\n"
    options = compat.options_of(artifacts.add(language="triton-python", text=text))
    assert options["debug"] is True
    assert options["sanitize_overflow"] is False
    assert "debug" not in compat.options_of(artifacts.add())


@needs_triton
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("language", ["ttir", "triton-python"])
def test_compile(target: str, language: str) -> None:
    artifact = artifacts.add(target=Target.parse(target), language=language)
    binary = compat.compile_binary(artifact)
    # Cubins and code objects are ELF files.
    assert binary.code.startswith(b"\x7fELF")
    assert b"add" in binary.code
    assert binary.entry == "add"
    assert binary.shared == 0
    assert binary.threads == 4 * artifact.target.warp_size
    assert (binary.scratch, binary.scratch_alignment) == (0, 1)


@needs_triton
@pytest.mark.parametrize(
    ("target", "names"),
    [
        ("sm_90", ["ttir", "ttgir", "llir", "ptx", "cubin"]),
        ("gfx942", ["ttir", "ttgir", "llir", "amdgcn", "hsaco"]),
    ],
)
@pytest.mark.parametrize("language", ["ttir", "triton-python"])
def test_stages(target: str, names: list[str], language: str) -> None:
    artifact = artifacts.add(target=Target.parse(target), language=language)
    texts: list[str] = []
    metadata: dict[str, Any] = {}
    for expected, (name, made, known) in zip(names, compat.stages(artifact), strict=True):
        assert name == expected
        texts.append(str(made))
        metadata = known
    assert "tt.func public @add" in texts[0]
    assert "#ttg.blocked" in texts[1]
    assert "define" in texts[2]
    assert "add" in texts[3]
    # What no launch of ours provides, and whose names we know.
    assert metadata["num_ctas"] == 1
    assert not metadata["tensordesc_meta"]
    assert metadata["profile_scratch_size"] == 0
    assert metadata["name"] == "add"


@needs_triton
def test_triton_itself_makes_the_same() -> None:
    triton: Any = importlib.import_module("triton")
    backends: Any = importlib.import_module("triton.backends.compiler")
    artifact = artifacts.add(language="triton-python")
    source = compat._python_source(artifact)  # pyright: ignore[reportPrivateUsage]
    target = backends.GPUTarget("cuda", 90, 32)
    theirs = triton.compile(source, target=target, options=compat.options_of(artifact))
    # The cubin has the time at which the source's file was last touched.
    assert assembly(artifact)["ptx"] == theirs.asm["ptx"]
    ours = compat.compile_binary(artifact)
    assert len(ours.code) == len(theirs.asm["cubin"])
    metadata = theirs.metadata
    assert (ours.entry, ours.shared) == (metadata.name, metadata.shared)
    assert ours.threads == metadata.num_warps * metadata.warp_size
    assert ours.scratch == metadata.global_scratch_size


@needs_triton
def test_nothing_lands_in_tritons_cache(tmp_path: Path) -> None:
    compat.compile_binary(artifacts.add())
    assert not (tmp_path / "triton").exists()


@needs_triton
def test_all_stages_run() -> None:
    # The path through a .ttir file would skip the first stage, which folds this.
    text = artifacts.add().text.replace(
        '%start = "arith.muli"(%program, %block)',
        '%zero = "arith.constant"() <{value = 0 : i32}> : () -> i32\n'
        '    %same = "arith.addi"(%program, %zero) : (i32, i32) -> i32\n'
        '    %start = "arith.muli"(%same, %block)',
    )
    ttir = to_ttir(artifacts.add(text=text))
    assert "arith.addi %program" not in ttir
    assert "arith.constant 0 : i32" not in ttir


@needs_triton
@pytest.mark.parametrize("language", ["ttir", "triton-python"])
def test_divisibility_reaches_both_languages(language: str) -> None:
    assert to_ttir(artifacts.add(language=language)).count("tt.divisibility = 16") == 3


@needs_triton
@pytest.mark.parametrize(
    ("artifact", "message"),
    [
        (artifacts.add(text="nonsense"), "RuntimeError: Parse MLIR file failed."),
        (artifacts.add(num_warps=3), "AssertionError: num_warps must be a power of 2"),
        (
            artifacts.add(
                language="triton-python",
                text="import triton\n\n\n@triton.jit\ndef add(x, y, out, n):\n    nothing\n",
            ),
            "CompilationError: NameError('nothing is not defined')",
        ),
    ],
)
def test_failure_is_a_configuration_error(artifact: Any, message: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        compat.compile_binary(artifact)
    assert str(caught.value) == message


def launched_with(monkeypatch: pytest.MonkeyPatch, **metadata: object) -> Binary:
    """The binary of a compile whose last stage leaves this metadata."""
    known = {"name": "add", "num_warps": 4, "shared": 64, **metadata}

    def stages(_: Artifact) -> Iterator[tuple[str, object, dict[str, object]]]:
        yield "ttir", "text", {}
        yield "cubin", b"code", known

    monkeypatch.setattr(compat, "stages", stages)
    return compat.compile_binary(artifacts.add())


def test_what_a_launch_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    assert launched_with(monkeypatch) == Binary(b"code", "add", 64, 128, 0, 1)
    scratch = {"global_scratch_size": 24, "global_scratch_align": 8, "profile_scratch_size": 0}
    found = launched_with(monkeypatch, num_warps=8, tensordesc_meta=[], num_ctas=1, **scratch)
    assert found == Binary(b"code", "add", 64, 256, 24, 8)
    assert launched_with(monkeypatch, global_scratch_size=None).scratch == 0


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("tensordesc_meta", [{"block_size": [8, 64]}]),
        ("profile_scratch_size", 8),
        ("num_ctas", 2),
    ],
)
def test_what_no_launch_gives(name: str, value: object, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(CompilerError, match=r"^add: "):
        launched_with(monkeypatch, **{name: value})


def test_tensor_memory_is_a_matter_of_the_configuration(monkeypatch: pytest.MonkeyPatch) -> None:
    assert launched_with(monkeypatch, tmem_size=512).code == b"code"
    with pytest.raises(ConfigurationError, match="tensor memory, Required: 640"):
        launched_with(monkeypatch, tmem_size=640)


@needs_triton
def test_source_without_the_function_is_our_bug() -> None:
    with pytest.raises(CompilerError, match=r"defines no @triton\.jit function 'add'"):
        compat.compile_binary(artifacts.add(language="triton-python", text="x = 1\n"))


@needs_triton
def test_source_lies_in_the_cache(cache_dir: Path) -> None:
    artifact = artifacts.add(language="triton-python")
    compat.compile_binary(artifact)
    (source,) = (path for path in cache_dir.rglob("*/*") if path.is_file())
    assert source.read_text() == artifact.text
    source.write_text("cut o")
    compat.compile_binary(artifact)
    assert source.read_text() == artifact.text


@needs_triton
def test_source_lies_in_a_temporary_folder_if_the_cache_takes_none(cache_dir: Path) -> None:
    cache_dir.write_text("a file where the folder should be")
    compat.compile_binary(artifacts.add(language="triton-python"))


def run(script: str, cwd: Path) -> str:
    """Output of a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *filter(None, sys.path)])},
        cwd=cwd,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    return done.stdout


@needs_triton
@pytest.mark.parametrize("language", ["ttir", "triton-python"])
@pytest.mark.parametrize("target", ["sm_90", "gfx942"])
def test_compiling_needs_no_framework(language: str, target: str, tmp_path: Path) -> None:
    script = (
        "import sys\n"
        "for name in ('torch', 'numpy', 'xdsl', 'sympy'):\n"
        "    sys.modules[name] = None\n"
        "from ninetoothed.artifacts.artifact import Target\n"
        "from ninetoothed.runtime.toolchain.triton import compat\n"
        "from tests.support import artifacts\n"
        f"target, language = Target.parse({target!r}), {language!r}\n"
        "compat.compile_binary(artifacts.add(target=target, language=language))\n"
    )
    run(script, tmp_path)


@needs_triton
def test_asking_for_the_version_imports_nothing(tmp_path: Path) -> None:
    script = (
        "import sys\n"
        "from ninetoothed.runtime import toolchain\n"
        "from ninetoothed.runtime.toolchain.triton import compat\n"
        "from tests.support import artifacts\n"
        "assert compat.available()\n"
        "toolchain.binary_key(artifacts.add())\n"
        "found = compat.version()\n"
        "assert 'triton' not in sys.modules\n"
        "import triton\n"
        "assert triton.__version__ == found\n"
        "print(found)\n"
    )
    assert run(script, tmp_path) == f"{compat.version()}\n"


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Callable[[str], None]]:
    """Puts a Triton with this text in the place of the installed one."""
    compat.version.cache_clear()
    package = tmp_path / "packages" / "triton"
    package.mkdir(parents=True)
    monkeypatch.delitem(sys.modules, "triton", raising=False)
    monkeypatch.syspath_prepend(package.parent)

    def install(text: str) -> None:
        compat.version.cache_clear()
        sys.modules.pop("triton", None)
        (package / "__init__.py").write_text(text)
        importlib.invalidate_caches()

    yield install
    sys.modules.pop("triton", None)
    compat.version.cache_clear()


@pytest.mark.parametrize("version", ["3.6.0", "3.10.1+git1234", "4.0.0rc1", "3.6"])
def test_versions_that_are_taken(version: str, installed: Callable[[str], None]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        installed(f'"""isort:skip_file"""\n__version__ = \'{version}\'\nraise RuntimeError\n')
        assert compat.version() == version


@pytest.mark.parametrize("version", ["3.5.1", "2.3.0"])
def test_older_versions_are_refused(version: str, installed: Callable[[str], None]) -> None:
    installed(f'__version__ = "{version}"\n')
    with pytest.raises(DeviceError) as caught:
        compat.version()
    assert str(caught.value).startswith(
        f"Triton {version} is installed, and 3.6 is the oldest that is taken; "
        "`pip install 'triton>=3.6'`"
    )


def test_version_that_no_text_tells(
    installed: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    installed('__version__ = ".".join(["3", "7", "2"])\n')

    def present(_: str) -> str:
        return "3.8.1"

    def absent(name: str) -> str:
        raise importlib.metadata.PackageNotFoundError(name)

    with monkeypatch.context() as patch:
        patch.setattr(importlib.metadata, "version", present)
        assert compat.version() == "3.8.1"
        compat.version.cache_clear()
        patch.setattr(importlib.metadata, "version", absent)
        assert compat.version() == "3.7.2"


@needs_triton
def test_the_key_has_all_that_changes_the_binary(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, _ in compat.settings(os.environ):
        monkeypatch.delenv(name)
    key = toolchain.binary_key(artifacts.add())
    assert toolchain.binary_key(artifacts.add()) == key
    assert toolchain.binary_key(artifacts.add(512)) != key
    assert toolchain.binary_key(artifacts.add(num_warps=8)) != key
    monkeypatch.setenv("TRITON_CACHE_DIR", "elsewhere")
    monkeypatch.setenv("TRITON_INTERPRET", "1")
    assert toolchain.binary_key(artifacts.add()) == key
    with monkeypatch.context() as patch:
        patch.setenv("TRITON_PTXAS_PATH", "/opt/ptxas")
        assert toolchain.binary_key(artifacts.add()) != key
    with monkeypatch.context() as patch:
        patch.setattr(compat, "version", lambda: "3.9.9")
        assert toolchain.binary_key(artifacts.add()) != key


def test_the_key_has_what_we_do_beside_triton(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sources: Any = toolchain._sources  # pyright: ignore[reportPrivateUsage]
    key = toolchain.binary_key(artifacts.add())
    for path in triton_package.__path__:
        shutil.copytree(path, tmp_path / "edited")
    with (tmp_path / "edited" / "compat.py").open("a") as file:
        file.write("\n")
    for owner, name, value in (
        (toolchain, "__version__", "0"),
        (triton_package, "__path__", [str(tmp_path / "edited")]),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(owner, name, value)
            sources.cache_clear()
            assert toolchain.binary_key(artifacts.add()) != key
    sources.cache_clear()
    assert toolchain.binary_key(artifacts.add()) == key


def descriptors(groups: list[Any]) -> list[Any]:
    return [item for group in groups for item in group.__dict__.values()]


@needs_triton
def test_triton_knows_no_other_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    knobs: Any = importlib.import_module("triton.knobs")
    library: Any = importlib.import_module("triton._C.libtriton")
    # Groups of descriptors, which have the names of their variables.
    groups = [getattr(knobs, name) for name in dir(knobs) if name.endswith("_knobs")]
    names = {str(getattr(item, "key", "")) for item in descriptors(groups)}
    names |= {"DISABLE_LLVM_OPT", "MLIR_ENABLE_DUMP", "LLVM_IR_ENABLE_DUMP", "DISABLE_MMA_V3"}
    names |= {"ALLOW_LHS_TMEM_LAYOUT_CONVERSION", "NVPTX_ENABLE_DUMP", "USE_IR_LOC"}
    for name in names:
        if name.isupper():
            monkeypatch.setenv(name, "1")
    # Those on which Triton's own cache depends.
    theirs = set(library.get_cache_invalidating_env_vars())
    assert len(theirs) > 5
    known = dict(compat.settings(os.environ))
    assert sorted(theirs - known.keys()) == []


def test_long_reasons_are_cut() -> None:
    error = RuntimeError("\n\n".join(f"line {number} " + "x" * 500 for number in range(9)))
    lines = compat.reason(error).split(" | ")
    assert [line[:22] for line in lines] == ["RuntimeError: line 0 x", *_starts(1, 2)]
    assert max(map(len, lines)) < 220


def _starts(*numbers: int) -> list[str]:
    return [f"line {number} " + "x" * 15 for number in numbers]


def test_no_triton(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "triton", None)
    assert not compat.available()
    with pytest.raises(DeviceError, match="pip install triton"):
        compat.compile_binary(artifacts.add())
    compat.version.cache_clear()
    with pytest.raises(DeviceError, match="pip install triton"):
        toolchain.binary_key(artifacts.add())


def test_no_device(monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(DeviceError, match=r"sees no CUDA or HIP device here; pass CPU tensors"):
        compat.active_target()


@pytest.mark.parametrize(
    ("hip", "arch", "warp_size", "expected"),
    [
        (None, "", 32, Target("cuda", "sm_100", 32)),
        ("6.4", "gfx942:sramecc+:xnack-", 64, Target("hip", "gfx942", 64)),
        ("6.4", "gfx1100", 32, Target("hip", "gfx1100", 32)),
    ],
)
def test_active_target(
    hip: str | None,
    arch: str,
    warp_size: int,
    expected: Target,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[int] = []

    def properties(index: int) -> Any:
        asked.append(index)
        return types.SimpleNamespace(gcnArchName=arch, warp_size=warp_size)

    cuda = types.SimpleNamespace(
        is_available=lambda: True,
        current_device=lambda: 3,
        get_device_properties=properties,
        get_device_capability={3: (10, 0)}.__getitem__,
    )
    torch = types.SimpleNamespace(cuda=cuda, version=types.SimpleNamespace(hip=hip))
    monkeypatch.setitem(sys.modules, "torch", torch)
    cache: Any = compat._target_of  # pyright: ignore[reportPrivateUsage]
    cache.cache_clear()
    try:
        assert [compat.active_target() for _ in range(3)] == [expected] * 3
    finally:
        cache.cache_clear()
    assert asked == [3]


@pytest.mark.gpu
def test_triton_sees_the_same_device() -> None:
    driver: Any = importlib.import_module("triton.runtime.driver")
    theirs = driver.driver.active.get_current_target()
    found = compat.active_target()
    assert (found.backend, found.arch.removeprefix("sm_")) == (theirs.backend, str(theirs.arch))
    assert found.warp_size == theirs.warp_size
