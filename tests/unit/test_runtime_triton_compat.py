"""Artifacts compile without a GPU and without torch; what does not compile says why."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ninetoothed.artifact import Target
from ninetoothed.errors import CompilerError, ConfigurationError, DeviceError
from ninetoothed.runtime import triton_compat
from tests.support import artifacts
from tests.support.targets import TARGETS

ROOT = Path(__file__).parents[2]

needs_triton = pytest.mark.skipif(not triton_compat.available(), reason="Triton is not installed")


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
    monkeypatch.setattr(triton_compat, "version", lambda: version)
    found = triton_compat.for_this_version(ACCESS)
    if version in ("3.6.0", "3.8.1"):
        assert found == ACCESS
        return
    lines = found.splitlines()
    policy = "cachePolicy = #tt.cache_policy<cache_modifier = {}, eviction_policy = {}>"
    assert f"<{{{policy.format('cg', 'evict_normal')}, isVolatile = true}}>" in lines[1]
    assert f"<{{{policy.format('none', 'evict_first')}}}>" in lines[2]
    # A user's own text stays.
    assert lines[3] == ACCESS.splitlines()[3]


def test_assertions_are_asked_for() -> None:
    text = "import triton\n\ndef add():\n    tl.device_assert(x > 0, '')\n"
    options = triton_compat.options_of(artifacts.add(language="triton-python", text=text))
    assert options["debug"] is True
    assert options["sanitize_overflow"] is False
    assert "debug" not in triton_compat.options_of(artifacts.add())


@needs_triton
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("language", ["ttir", "triton-python"])
def test_compile(target: str, language: str) -> None:
    artifact = artifacts.add(target=Target.parse(target), language=language)
    compiled = triton_compat.compile_artifact(artifact)
    assert compiled.name == "add"
    assert compiled.metadata.num_warps == 4
    assert {"ttir", "ttgir", "llir"} <= set(compiled.asm)


@needs_triton
def test_all_stages_run() -> None:
    # The path through a .ttir file would skip the first stage, which folds this.
    text = artifacts.add().text.replace(
        '%start = "arith.muli"(%program, %block)',
        '%zero = "arith.constant"() <{value = 0 : i32}> : () -> i32\n'
        '    %same = "arith.addi"(%program, %zero) : (i32, i32) -> i32\n'
        '    %start = "arith.muli"(%same, %block)',
    )
    compiled = triton_compat.compile_artifact(artifacts.add(text=text))
    assert "arith.addi %program" not in compiled.asm["ttir"]
    assert "arith.constant 0 : i32" not in compiled.asm["ttir"]


@needs_triton
def test_divisibility_reaches_both_languages() -> None:
    for language in ("ttir", "triton-python"):
        compiled = triton_compat.compile_artifact(artifacts.add(language=language))
        assert compiled.asm["ttir"].count("tt.divisibility = 16") == 3


@needs_triton
def test_second_compile_is_found_in_tritons_cache() -> None:
    first = triton_compat.compile_artifact(artifacts.add())
    second = triton_compat.compile_artifact(artifacts.add())
    assert first is not second
    assert first.hash == second.hash
    assert first.hash != triton_compat.compile_artifact(artifacts.add(512)).hash
    assert first.hash != triton_compat.compile_artifact(artifacts.add(num_warps=8)).hash


@needs_triton
@pytest.mark.parametrize("language", ["ttir", "triton-python"])
def test_is_compiled_asks_tritons_cache(language: str) -> None:
    artifact = artifacts.add(language=language)
    assert not triton_compat.is_compiled(artifact)
    triton_compat.compile_artifact(artifact)
    assert triton_compat.is_compiled(artifact)
    assert not triton_compat.is_compiled(artifacts.add(num_warps=3))


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
        triton_compat.compile_artifact(artifact)
    assert str(caught.value) == message


@needs_triton
def test_source_without_the_function_is_our_bug() -> None:
    with pytest.raises(CompilerError, match=r"defines no @triton\.jit function 'add'"):
        triton_compat.compile_artifact(artifacts.add(language="triton-python", text="x = 1\n"))


@needs_triton
def test_source_lies_in_the_cache_or_in_a_temporary_folder(cache_dir: Path) -> None:
    artifact = artifacts.add(language="triton-python")
    triton_compat.compile_artifact(artifact)
    (source,) = (path for path in cache_dir.rglob("*") if path.is_file())
    assert source.read_text() == artifact.text
    source.write_text("cut o")
    triton_compat.compile_artifact(artifact)
    assert source.read_text() == artifact.text


@needs_triton
def test_source_lies_in_a_temporary_folder_if_the_cache_takes_none(cache_dir: Path) -> None:
    cache_dir.write_text("a file where the folder should be")
    triton_compat.compile_artifact(artifacts.add(language="triton-python"))


@needs_triton
def test_compiling_needs_no_torch(tmp_path: Path) -> None:
    script = (
        "import sys\n"
        "sys.modules['torch'] = None\n"
        "from ninetoothed.runtime import triton_compat\n"
        "from tests.support import artifacts\n"
        "triton_compat.compile_artifact(artifacts.add())\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    subprocess.run([sys.executable, "-c", script], env=environment, cwd=tmp_path, check=True)


def test_long_reasons_are_cut() -> None:
    error = RuntimeError("\n\n".join(f"line {number} " + "x" * 500 for number in range(9)))
    lines = triton_compat._reason(error).split(" | ")  # pyright: ignore[reportPrivateUsage]
    assert [line[:22] for line in lines] == ["RuntimeError: line 0 x", *_starts(1, 2)]
    assert max(map(len, lines)) < 220


def _starts(*numbers: int) -> list[str]:
    return [f"line {number} " + "x" * 15 for number in numbers]


def test_no_triton(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "triton", None)
    assert not triton_compat.available()
    with pytest.raises(DeviceError, match="pip install triton"):
        triton_compat.compile_artifact(artifacts.add())


def test_no_device(monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(DeviceError, match=r"sees no CUDA or HIP device here; pass CPU tensors"):
        triton_compat.active_target()


class FakeKernel:
    """What :func:`triton_compat.launch` and ``load`` use of Triton's kernel."""

    function = 7
    packed_metadata = (4, 1, 0)

    def __init__(self, error: Exception | None = None) -> None:
        self.error = error
        self.calls: list[tuple[Any, ...]] = []

    @property
    def run(self) -> Any:
        if self.error is not None:
            raise self.error
        return lambda *arguments: self.calls.append(arguments)  # pyright: ignore


def test_launch_convention() -> None:
    kernel = FakeKernel()
    triton_compat.launch(kernel, artifacts.add(), 5, (1, 2, 3, 100), 99)
    assert kernel.calls == [(5, 1, 1, 99, 7, (4, 1, 0), None, None, None, 1, 2, 3, 100)]


def test_resources_are_a_matter_of_the_configuration() -> None:
    needs = "out of resource: shared memory, Required: 300000, Hardware limit: 232448."
    for error in (RuntimeError(needs), MemoryError("too many resources requested for launch")):
        with pytest.raises(ConfigurationError):
            triton_compat.launch(FakeKernel(error), artifacts.add(), 1, (), 0)
        with pytest.raises(ConfigurationError):
            triton_compat.load(FakeKernel(error))


def test_a_lost_device_is_no_matter_of_the_configuration() -> None:
    error = RuntimeError("Triton Error [CUDA]: an illegal memory access was encountered")
    with pytest.raises(RuntimeError, match="illegal memory access"):
        triton_compat.launch(FakeKernel(error), artifacts.add(), 1, (), 0)
    with pytest.raises(RuntimeError, match="illegal memory access"):
        triton_compat.load(FakeKernel(error))


@pytest.mark.gpu
@pytest.mark.parametrize("language", ["ttir", "triton-python"])
@pytest.mark.parametrize("size", [1, 256, 1023, 100_003])
def test_launch(language: str, size: int) -> None:
    torch: Any = pytest.importorskip("torch")
    target = triton_compat.active_target()
    artifact = artifacts.add(language=language, target=target)
    compiled = triton_compat.compile_artifact(artifact)
    triton_compat.load(compiled)
    x, y = torch.randn(2, size + 16, device="cuda").unbind()
    x, y = x.clone(), y.clone()
    out = torch.full((size + 16,), 9.0, device="cuda")
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    pointers = (x.data_ptr(), y.data_ptr(), out.data_ptr())
    with torch.cuda.stream(side):
        triton_compat.launch(
            compiled, artifact, -(-size // 256), (*pointers, size), side.cuda_stream
        )
    side.synchronize()
    assert torch.equal(out[:size], (x + y)[:size])
    assert bool((out[size:] == 9.0).all())


@pytest.mark.gpu
def test_too_many_threads_for_the_device() -> None:
    target = triton_compat.active_target()
    artifact = artifacts.add(16384, num_warps=64, target=target)
    with pytest.raises(ConfigurationError):
        triton_compat.load(triton_compat.compile_artifact(artifact))
