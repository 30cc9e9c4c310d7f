"""A back end is the files of its two folders and one line: a fake one goes the whole way."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import ninetoothed
from examples.add import add_kernel
from ninetoothed import Tensor
from ninetoothed.artifacts.artifact import Artifact
from ninetoothed.artifacts.capabilities import Targets, capabilities
from ninetoothed.artifacts.target import Target
from ninetoothed.backend.protocol import Emitter
from ninetoothed.backend.triton import emitter, targets
from ninetoothed.compiler.compile import compile_kernel
from ninetoothed.compiler.defaults import assumed_signature
from ninetoothed.errors import ArgumentError
from ninetoothed.runtime import toolchain
from ninetoothed.runtime.toolchain import pool
from tests.support import driver_stub
from tests.support.fake_backend import STREAM, FakeTensor, registered


@pytest.fixture(autouse=True)
def cache_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NINETOOTHED_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("NINETOOTHED_COMPILE_WORKERS", "0")
    monkeypatch.setenv("NINETOOTHED_TUNE", "off")


@pytest.fixture
def fake() -> Iterator[Any]:
    """The toolchain of the fake back end."""
    with registered():
        yield toolchain.of(Target.parse("fake1"))


def test_triton_s_modules_are_of_the_protocol() -> None:
    # Held by the types.
    halves: tuple[Targets, Emitter] = (targets, emitter)
    assert all(halves)


def test_text_for_a_target(fake: Any) -> None:
    text = add_kernel.source(language="words", target="fake1")
    assert text.startswith("words: builtin.module tt.func ")
    assert text.endswith(" tt.store scf.yield tt.return")
    with pytest.raises(ArgumentError, match=r"^fake1 has no language 'ttir'; write 'words'\n"):
        add_kernel.source(language="ttir", target="fake1")
    assert capabilities(Target.parse("fake1")).architecture.warp_size == 8


@pytest.mark.skipif(not driver_stub.available(), reason="there is no C compiler")
@pytest.mark.parametrize("backend", [None, "words"])
def test_a_call_is_compiled_loaded_and_launched(fake: Any, backend: str | None) -> None:
    tensors = (Tensor(1), Tensor(1), Tensor(1))
    add: Any = importlib.import_module("examples.add")
    kernel = ninetoothed.make(add.arrangement, add.application, tensors, backend=backend)
    arguments = [FakeTensor(1000, 4096 * place) for place in (1, 2, 3)]
    for _ in range(3):
        kernel(*arguments)
    stub = fake.stub
    config = kernel.best_config(*arguments)
    assert config is not None
    ((_, block),) = config.values
    assert stub.text("loaded_code").startswith("words: builtin.module tt.func ")
    for launch in stub.launches():
        assert launch.grid == (-(-1000 // block), 1, 1)
        assert launch.block == (config.num_warps * 8, 1, 1)
        assert launch.stream == STREAM
        assert launch.arguments == (4096, 8192, 12288)
    assert [one.version for one in arguments] == [0, 0, 3]
    assert len(stub.launches()) == 3
    assert str(kernel.tuning_report(*arguments)).count("a fake")


def test_what_a_binary_depends_on(fake: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    artifact = artifact_of_add()
    key = toolchain.binary_key(artifact)
    monkeypatch.setenv("FAKE_SETTING", "1")
    assert toolchain.binary_key(artifact) != key
    monkeypatch.delenv("FAKE_SETTING")
    assert toolchain.binary_key(artifact) == key
    monkeypatch.setattr(fake, "version", lambda: "1.1")
    assert toolchain.binary_key(artifact) != key
    (binary,) = pool.compile([artifact])
    assert binary == fake.compile_binary(artifact)


def artifact_of_add() -> Artifact:
    signature = assumed_signature(add_kernel.definition, {}, {})
    target, config = Target.parse("fake1"), add_kernel.configs[0]
    module = add_kernel.composed(signature, config)
    return compile_kernel(module, signature, config, target, "words")
