"""``make(..., pipeline=...)``: passes of other packages in kernels, with choices, remarks, keys."""

from __future__ import annotations

import pickle
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
import torch

import ninetoothed
from ninetoothed import Tensor, block_size
from ninetoothed.artifacts.configuration import Space
from ninetoothed.artifacts.options import Options
from ninetoothed.artifacts.target import DEFAULT_TARGET, Target
from ninetoothed.compiler.defaults import assumed_signature
from ninetoothed.errors import ArgumentError, ConfigurationError, PluginError
from ninetoothed.fingerprint.digest import stamp
from ninetoothed.ir import nt
from ninetoothed.kernel.kernel import Kernel
from ninetoothed.passes import Choice, KernelPass, Optimization, Pipeline, register
from ninetoothed.plugins import entry_points
from ninetoothed.runtime.tuning import results
from tests.support.outside import COUNT, own_registry, write_metadata, write_package

SETTING = "NINETOOTHED_DISABLE_OPTIMIZATIONS"
TARGET = Target.parse(DEFAULT_TARGET)
COUNTED = "counted {} times [nt-count, analysis]"


def arrangement(x: Any, y: Any, size: Any = block_size()) -> tuple[Any, ...]:
    return x.tile((size,)), y.tile((size,))


def application(x: Any, y: Any) -> None:
    y = x + 1  # pyright: ignore[reportUnusedVariable]


def made(pipeline: Any = None, **options: Any) -> Kernel:
    tensors = (Tensor(1), Tensor(1))
    return ninetoothed.make(arrangement, application, tensors, pipeline=pipeline, **options)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("NINETOOTHED_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "cache").mkdir(mode=0o700)
    write_metadata(tmp_path, COUNT)
    write_package(tmp_path)
    with own_registry(tmp_path):
        yield tmp_path


@dataclass(frozen=True)
class SymbolicPass(KernelPass):
    """Marks the kernel once a signature."""

    name = "nt-symbolic"
    optimizations = (Optimization("marked", name, "enabled", "Marks."),)

    enabled: bool = True

    def apply_to(self, kernel: nt.KernelOp) -> None:
        if self.enabled:
            nt.RemarkEmitter(kernel, self.name).passed(kernel, "marked")


def remarks(kernel: Kernel, config: Any = None) -> str:
    return str(kernel.remarks(torch.zeros(10), torch.zeros(10), config=config))


def key(kernel: Kernel) -> str:
    signature = assumed_signature(kernel.definition, {}, {})
    return kernel._compilation.key(signature, TARGET)  # pyright: ignore[reportPrivateUsage]


def digest(kernel: Kernel) -> str:
    found = kernel._compilation.digest  # pyright: ignore[reportPrivateUsage]
    assert found is not None
    return found


def space(kernel: Kernel) -> Space:
    signature = assumed_signature(kernel.definition, {}, {})
    return kernel._compilation.space(signature, TARGET)  # pyright: ignore[reportPrivateUsage]


def test_it_runs_where_it_is_registered() -> None:
    kernel = made("nt-count")
    lines = remarks(kernel).splitlines()
    assert any(line.endswith(COUNTED.format(1)) for line in lines)
    assert COUNTED.format(1) not in remarks(made())
    x, y = torch.arange(10.0), torch.zeros(10)
    kernel(x, y)
    assert torch.equal(y, x + 1)
    assert kernel.source() == made().source()


def test_options_in_its_text() -> None:
    assert COUNTED.format(3) in remarks(made(("nt-count{factor=3}",)))


def test_jit_takes_it() -> None:
    @ninetoothed.jit(pipeline="nt-count{factor=3}")
    def jitted(x: Tensor(1).tile((64,)), y: Tensor(1).tile((64,))):  # pyright: ignore
        y = x + 1  # pyright: ignore

    assert COUNTED.format(3) in remarks(jitted)


def test_a_pass_of_a_symbolic_stage() -> None:
    register(SymbolicPass, after="nt-number-programs")
    kernel = made(("nt-symbolic", "nt-count"))
    text = remarks(kernel)
    assert text.index("marked [nt-symbolic, passed]") < text.index(COUNTED.format(1))


def test_passes_that_are_left_out() -> None:
    text = remarks(made(Pipeline().without("nt-fold-guards")))
    assert "nt-fold-guards" in remarks(made())
    assert "nt-fold-guards" not in text


def test_choices() -> None:
    kernel = made("nt-count")
    found = space(kernel)
    assert dict(found.legal[0]) == {"count_factor": (2, 4)}
    first = found.configs[0]
    assert [one.choices for one in found.varied(first)] == [
        (("count_factor", 2),),
        (("count_factor", 4),),
    ]
    assert not space(made()).legal
    # What the user says is chosen.
    assert not space(made("nt-count{factor=3}")).legal
    config = kernel.configs[0].choosing("count_factor", 4)
    assert COUNTED.format(4) in remarks(kernel, config)
    assert str(config).endswith("count_factor=4")


def test_switches(monkeypatch: pytest.MonkeyPatch) -> None:
    register(SymbolicPass, after="composed")
    kernel = made(("nt-symbolic", "nt-count"))
    for text, shown, counted in (
        ("counted", True, False),
        ("marked", False, True),
        ("count_factor,pointer_blocks", True, True),
        ("all", False, False),
    ):
        monkeypatch.setenv(SETTING, text)
        found = remarks(kernel)
        assert ("marked [nt-symbolic" in found, COUNTED.format(1) in found) == (shown, counted)
    monkeypatch.setenv(SETTING, "count_factor")
    assert not space(kernel).legal
    # A kernel without the pass knows what it declares.
    remarks(made())
    monkeypatch.setenv(SETTING, "count_fctor")
    with pytest.raises(ConfigurationError, match=r"must be all, or some of .*, not 'count_fctor'"):
        remarks(kernel)


def test_two_optimizations_of_one_name() -> None:
    choice = Choice("loop_stages", "nt-mine", "factor", "", lambda kernel: None)

    @register(before="nt-pad-blocks")
    @dataclass(frozen=True)
    class MyPass(SymbolicPass):
        name = "nt-mine"
        optimizations = (choice,)
        factor: int = 1

    with pytest.raises(ArgumentError) as caught:
        made("nt-mine")
    assert caught.value.message == (
        "optimization 'loop_stages' of pass nt-mine has the name of one of nt-stage-loops; give it "
        "another"
    )


def fails(*_: Any) -> Any:
    raise RuntimeError


def returning(found: Any) -> Any:
    def function(*_: Any) -> Any:
        return found

    return function


@pytest.mark.parametrize(
    ("legality", "message"),
    [
        (fails, "failed with RuntimeError"),
        (returning(fails), "failed with RuntimeError"),
        (returning((1, 2)), "is (1, 2), not a function of a footprint and architecture"),
        (returning(returning(2)), "gives 2, not a tuple of integers"),
        (returning(returning(("a",))), "gives ('a',), not a tuple of integers"),
    ],
)
def test_a_legality_that_is_wrong(legality: Any, message: str) -> None:
    @register(before="nt-pad-blocks")
    @dataclass(frozen=True)
    class MyPass(SymbolicPass):
        name = "nt-mine"
        optimizations = (Choice("mine", name, "factor", "", legality),)
        factor: int = 1

    with pytest.raises(PluginError) as caught:
        space(made("nt-mine"))
    assert caught.value.message == f"legality of choice mine of pass nt-mine {message}"
    # At the line that raises.
    if "failed" in message:
        assert caught.value.loc is not None
        assert caught.value.loc.function == "fails"


def test_a_default_is_no_other_value() -> None:
    @register(before="nt-pad-blocks")
    @dataclass(frozen=True)
    class MyPass(SymbolicPass):
        name = "nt-mine"
        optimizations = (
            Choice("mine", name, "factor", "", lambda kernel: lambda footprint, unit: (1, 2)),
        )
        factor: int = 1

    assert {row for row in space(made("nt-mine")).legal} == {(("mine", (2,)),)}


def test_mistakes_are_told_when_it_is_made() -> None:
    for pipeline, message in (
        ("nt-cuont", "there is no pass 'nt-cuont'; did you mean nt-count? "),
        ("nt-count{fctor=1}", "nt-count has no option fctor; did you mean factor?"),
        (Pipeline().insert("nt-count", after="nt-pad"), "there is no pass or stage 'nt-pad' in "),
        (
            Pipeline().insert("nt-count", after="composed"),
            "pass nt-count has the choice count_factor, which is made once a configuration, and ",
        ),
    ):
        with pytest.raises(ArgumentError) as caught:
            made(pipeline)
        assert caught.value.message.startswith(message)
        assert caught.value.loc is not None
        assert caught.value.loc.file == __file__


def test_a_pass_that_fails_is_named() -> None:
    @register(after="composed")
    @dataclass(frozen=True)
    class FailingPass(SymbolicPass):
        name = "nt-failing"
        optimizations = ()

        def apply_to(self, kernel: nt.KernelOp) -> None:
            raise RuntimeError("not today")

    with pytest.raises(PluginError, match=r"pass nt-failing \(.*FailingPass\): it failed"):
        made("nt-failing").source()


def test_keys_without_it_are_what_they_were() -> None:
    """Exactly: these texts are on users' disks."""
    kernel = made(num_warps=4)
    options = (None, (4,), None, None, None, False, None)
    assert Options(num_warps=(4,)).key == options
    signature = assumed_signature(kernel.definition, {}, {})
    assert key(kernel) == f"{digest(kernel)} {signature} {TARGET} ttir {_triton()}"
    from ninetoothed.fingerprint.digest import examine

    assert digest(kernel) == examine(application).key(kernel.definition.encoded(), options)
    assert made((), num_warps=4)._compilation.digest == digest(kernel)  # pyright: ignore
    found = space(kernel)
    assert found.passes == ""
    one = results.key("application", signature, TARGET, found, "a GPU", "3.6")
    assert one != results.key(
        "application", signature, TARGET, replace(found, passes="x"), "a GPU", "3.6"
    )


def _triton() -> str:
    from ninetoothed.runtime import toolchain

    return toolchain.of(TARGET).version()


def test_it_is_part_of_every_key(folder: Path) -> None:
    def keys(pipeline: Any) -> tuple[str, str, str]:
        # As in another process.
        with own_registry():
            kernel = made(pipeline)
            return digest(kernel), key(kernel), space(kernel).passes

    plain, first = keys(None), keys("nt-count")
    assert all(one != other for one, other in zip(plain, first, strict=True))
    assert keys("nt-count") == first
    found = {plain, first, keys("nt-count{factor=2}"), keys(Pipeline().without("nt-fold-guards"))}
    helper = folder / "counting" / "helper.py"
    helper.write_text("")
    found.add(keys("nt-count"))
    assert len(found) == 5
    assert all(len({row[place] for row in found}) == 5 for place in range(3))


def test_kernels_without_a_digest_have_it_in_their_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NINETOOTHED_VERIFY_IR", "1")
    keys: list[str] = []
    for pipeline in (None, "nt-count"):
        kernel = made(pipeline)
        assert kernel._compilation.digest is None  # pyright: ignore[reportPrivateUsage]
        keys.append(key(kernel))
    assert keys[0] != keys[1]
    assert stamp() in keys[0]


def test_entry_points_are_looked_up_when_a_name_is_not_known(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looked: list[str] = []
    original: Callable[[str], Any] = entry_points.entry_points

    def counted(group: str) -> Any:
        looked.append(group)
        return original(group)

    counted.cache_clear = entry_points.entry_points.cache_clear  # pyright: ignore
    monkeypatch.setattr(entry_points, "entry_points", counted)
    register(SymbolicPass, after="composed")
    for pipeline in (None, "nt-symbolic", Pipeline().without("nt-fold-guards")):
        kernel = made(pipeline)
        remarks(kernel)
        kernel.source()
    monkeypatch.setenv(SETTING, "hoisted_loads")
    made().source()
    assert not looked
    made("nt-count")
    assert set(looked) == {"ninetoothed.passes"}


def test_it_is_pickled_by_names() -> None:
    kernel = made("nt-count{factor=3}")
    text = pickle.dumps(kernel)
    assert b"CountPass" in text
    with own_registry():
        again: Kernel = pickle.loads(text)
        assert COUNTED.format(3) in remarks(again)
        assert digest(again) == digest(kernel)


def test_threads_make_kernels_at_once() -> None:
    assert "counting" not in sys.modules
    texts: list[str] = []
    barrier = threading.Barrier(8)

    def run() -> None:
        barrier.wait()
        texts.append(remarks(made("nt-count")))

    threads = [threading.Thread(target=run) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(texts) == 8
    assert len(set(texts)) == 1


def test_a_pass_that_is_registered_anew() -> None:
    kernel = made("nt-count")
    module = sys.modules["counting.passes"]
    module.CountPass.version = "2"
    register(module.CountPass, after="specialized")
    with pytest.raises(PluginError) as caught:
        kernel.source()
    assert caught.value.message == (
        "pass nt-count was registered anew since the kernel was made; make the kernel again"
    )
    made("nt-count").source()
