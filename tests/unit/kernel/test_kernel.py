"""Introspection of kernels, and their use from many threads."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest
import torch

import ninetoothed
import ninetoothed.language as ntl
from examples import add
from examples.add import add_kernel
from examples.matmul import matmul, matmul_kernel
from ninetoothed import OptionWarning, Symbol, Tensor
from ninetoothed.artifacts.target import Target
from ninetoothed.calls.arguments import bind
from ninetoothed.errors import ArgumentError
from ninetoothed.ir.stages import STAGES
from ninetoothed.kernel import kernel
from ninetoothed.passes.annotate_verdicts import AnnotateVerdictsPass
from ninetoothed.runtime.launch.launch_cache import LaunchCache
from ninetoothed.runtime.toolchain import pool
from ninetoothed.runtime.toolchain.triton import compat


def constexpr_arrangement(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    size = Symbol("SIZE", constexpr=True)
    return x.tile((size,)), y.tile((size,))


def scale(x: Any, y: Any) -> None:
    y = x * 2  # pyright: ignore[reportUnusedVariable]


@pytest.mark.parametrize("stage", STAGES)
def test_ir_of_every_stage(stage: str) -> None:
    text = add_kernel.ir(stage)
    assert text.startswith("// element types assumed: lhs: fp32, rhs: fp32, output: fp32\n")
    assert ("tt.func @add_kernel" if stage == "tt" else "nt.kernel @add_kernel") in text


def test_verdicts_are_annotated_where_somebody_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    annotated: list[object] = []

    def annotate(*of: object) -> None:
        annotated.append(of)

    def arrangement(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        return x.tile((8,)), y.tile((8,))

    monkeypatch.setattr(AnnotateVerdictsPass, "apply", annotate)
    kernel = ninetoothed.make(arrangement, scale, (Tensor(1), Tensor(1)))
    kernel(torch.ones(16), torch.empty(16))
    kernel.source()
    assert not annotated
    kernel.ir()
    assert len(annotated) == 1


def test_ir_takes_types_and_values() -> None:
    names = ("lhs", "rhs", "output")
    text = add_kernel.ir("tt", dict.fromkeys(names, torch.float16), {"BLOCK_SIZE_0": 64})
    assert "assumed" not in text
    assert "tensor<64xf16>" in text


def test_source_is_python_for_triton() -> None:
    source = matmul_kernel.source()
    assert "def matmul_kernel(" in source
    assert "tl.dot(" in source
    assert max(map(len, source.splitlines())) <= 100
    compile(source, "matmul_kernel.py", "exec")
    assert '"tt.dot"' in matmul_kernel.source(language="ttir")


def test_sizes_are_named_by_parameters() -> None:
    source = add_kernel.source()
    assert "output_size_0" in source
    assert "ninetoothed_" not in source


def test_no_configuration_is_best_before_a_launch() -> None:
    assert matmul_kernel.best_config(*(torch.ones(4, 4) for _ in range(3))) is None


def test_calls_are_looked_up_anew_where_choices_change(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where ranks synchronize: what repeats an earlier call would launch its kernel."""
    on_replaced: list[Callable[[], None]] = []
    cleared: list[LaunchCache] = []

    def dispatcher(*args: Any) -> None:
        on_replaced.append(args[-1])

    def clear(self: LaunchCache) -> None:
        cleared.append(self)

    monkeypatch.setattr(kernel, "Dispatcher", dispatcher)
    monkeypatch.setattr(LaunchCache, "clear", clear)
    for _ in range(2):
        ninetoothed.make(constexpr_arrangement, scale, (Tensor(1), Tensor(1)))
    for function in on_replaced:
        function()
    assert len(cleared) == 2
    assert cleared[0] is not cleared[1]


def test_tensors_by_name_and_constexprs_by_keyword() -> None:
    kernel = ninetoothed.make(constexpr_arrangement, scale, (Tensor(1), Tensor(1)))
    x, y = torch.randn(10), torch.empty(10)
    kernel(y=y, x=x, SIZE=4)
    assert torch.equal(y, 2 * x)


def test_a_constant_may_have_a_default() -> None:
    def arrangement(x: Tensor, s: Tensor, y: Tensor, k: Tensor) -> tuple[Tensor, ...]:
        return x.tile((4,)), s, y.tile((4,)), k

    def application(x: Any, s: Any, y: Any, k: Any) -> None:
        y = x * s * k  # pyright: ignore[reportUnusedVariable]

    tensors = (Tensor(1), Tensor(0), Tensor(1), Tensor(0, value=3.0))
    kernel = ninetoothed.make(arrangement, application, tensors)
    x, y = torch.arange(6.0), torch.empty(6)
    for given, factor in (((), 1.5), ((2.0,), 1.0)):
        kernel(x, 0.5, y, *given)
        assert torch.equal(y, factor * x)


def test_eight_threads_make_and_call_kernels() -> None:
    failures: list[BaseException] = []
    # Kernels have no types of Python's.
    arrangement = cast("Callable[..., Any]", add.arrangement)
    application = cast("Callable[..., Any]", add.application)

    def work(seed: int) -> None:
        try:
            kernel = ninetoothed.make(arrangement, application, (Tensor(1), Tensor(1), Tensor(1)))
            for size in (10, 1000, 3000):
                lhs = torch.full((size,), float(seed))
                rhs = torch.arange(size, dtype=torch.float32)
                for shared in (kernel, add_kernel):
                    output = torch.empty(size)
                    shared(lhs, rhs, output)
                    assert torch.equal(output, lhs + rhs)
            a = torch.randn(20, 30)
            torch.testing.assert_close(matmul(a, a.T), a @ a.T)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def mirrored(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    return x.tile((32,)), x[::-1].tile((32,)), y.tile((32,))


def total(x: Any, reversed_x: Any, y: Any) -> None:
    y = x + reversed_x  # pyright: ignore[reportUnusedVariable]


def test_a_tensor_arranged_twice_is_passed_once_or_twice() -> None:
    kernel = ninetoothed.make(mirrored, total, (Tensor(1), Tensor(1)))
    x = torch.arange(100.0)
    for positional, keywords in (("xy", ""), ("xxy", ""), ("x", "y"), ("", "xy")):
        tensors = {"x": x, "y": torch.zeros(100)}
        given = {name: tensors[name] for name in keywords}
        kernel(*(tensors[name] for name in positional), **given)
        assert torch.equal(tensors["y"], torch.full((100,), 99.0))


def test_a_tensor_arranged_twice_is_one_tensor() -> None:
    kernel = ninetoothed.make(mirrored, total, (Tensor(1), Tensor(1)))
    message = "x and reversed_x are one tensor, arranged in two ways, but are given different ones"
    with pytest.raises(ninetoothed.NineToothedError, match=message):
        kernel(torch.zeros(100), torch.zeros(100), torch.zeros(100))


def test_block_sizes_are_assumed_that_fit() -> None:
    def arrangement(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        return x.tile((-1, -1, -1)), y.tile((-1, -1, -1))

    text = ninetoothed.make(arrangement, scale, (Tensor(3), Tensor(3))).ir()
    assert "// block size x_size_0 assumed to be rounded up to 16\n" in text


def test_block_sizes_that_are_expressions_are_assumed_that_fit() -> None:
    def arrangement(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        def half(t: Tensor) -> Tensor:
            return t.tile((-1, t.shape[1] // 2))

        return half(x), half(y)

    text = ninetoothed.make(arrangement, scale, (Tensor(2), Tensor(2))).ir()
    assert "// block size x_size_1 // 2 assumed to be rounded up to 64\n" in text
    assert "tensor<64x64xf32>" in text


def rows(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    return x.tile((1, -1)).squeeze(1), y.tile((1, -1)).squeeze(1)


def test_constexpr_sizes_are_assumed() -> None:
    """The whole dim of another tensor is as long."""

    def application(x: Any, y: Any) -> None:
        total = x
        for i in ntl.static_range(x.shape[1]):  # pyright: ignore[reportGeneralTypeIssues]
            total = total + i
        y = total  # pyright: ignore[reportUnusedVariable]

    options = (None, {"constexpr": True})
    kernel = ninetoothed.make(rows, application, (Tensor(2, shape_options=options), Tensor(2)))
    text = kernel.ir("tt")
    assert "// constexpr sizes: x_size_1=16\n" in text
    assert "// block size y_size_1 assumed to be rounded up to 16\n" in text
    assert text.count("arith.addf") == 16
    given = kernel.source(values={"x_size_1": 5})
    assert given.count(" + ") < kernel.source().count(" + ")
    assert kernel.report().assumed.endswith("constexpr sizes: x_size_1=16")
    with pytest.raises(ArgumentError, match="x_size_1 must be an integer"):
        kernel.ir(values={"x_size_1": 2.0})
    # A call of another size is compiled for that.
    x, y = torch.ones(3, 5), torch.empty(3, 5)
    kernel(x, y)
    assert torch.equal(y, x + 10)


def test_what_an_assumed_size_does_not_fit_is_left_to_the_call() -> None:
    def application(x: Any, y: Any) -> None:
        y = x * (1, 2, 3)[x.shape[1]]  # pyright: ignore[reportUnusedVariable, reportUnknownVariableType]

    options = (None, {"constexpr": True})
    kernel = ninetoothed.make(rows, application, (Tensor(2, shape_options=options), Tensor(2)))
    x, y = torch.ones(3, 2), torch.empty(3, 2)
    kernel(x, y)
    assert torch.equal(y, 3 * x)


def test_proofs_are_of_all_constexpr_sizes() -> None:
    kernel = ninetoothed.make(rows, scale, (Tensor(2, shape_options={"constexpr": True}),) * 2)
    assert "constexpr sizes" not in kernel.report().assumed
    assert kernel.report(values={"x_size_1": 8}).assumed.endswith("x_size_1=8")


def test_a_compile_time_number_needs_a_value() -> None:
    def arrangement(x: Tensor, flag: Tensor, y: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return x.tile((64,)), flag, y.tile((64,))

    def application(x: Any, flag: Any, y: Any) -> None:
        y = x * (2 if flag else 3)  # pyright: ignore[reportUnusedVariable]

    tensors = (Tensor(1), Tensor(0, constexpr=True), Tensor(1))
    kernel = ninetoothed.make(arrangement, application, tensors)
    for way in (kernel.ir, kernel.source, kernel.report):
        assert way(values={"flag": False})
        with pytest.raises(ArgumentError, match="application needs a value for flag"):
            way()


def test_tuning_of_cpu_tensors_is_reported() -> None:
    arguments = [torch.ones(4, 6), torch.ones(6, 5), torch.empty(4, 5)]
    report = matmul_kernel.tuning_report(*arguments)
    assert report.origin == "interpreted"
    assert report.chosen is None
    assert str(report).splitlines()[0] == "kernel 'matmul_kernel' on cpu, sizes 4×6 6×5 4×5"


def test_tune_is_a_mode() -> None:
    tensors = [Tensor(1)]
    with pytest.raises(ArgumentError, match='tune must be "off", "quick" or "full", not \'fast\''):
        ninetoothed.make(lambda x: (x.tile((4,)),), lambda x: None, tensors, tune="fast")  # pyright: ignore


def test_a_worker_is_started_where_something_will_be_compiled(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    started: list[object] = []
    monkeypatch.setenv("NINETOOTHED_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(pool, "prestart", started.append)
    tensors = (Tensor(1), Tensor(1))
    for backend, count in (("interpret", 0), (None, 1), (None, 1), ("triton-python", 2)):
        ninetoothed.make(rows_of_one, scale, tensors, backend=backend)
        assert len(started) == count


def rows_of_one(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    return x.tile((1,)), y.tile((1,))


def test_an_output_dir_has_no_effect() -> None:
    text = (
        "output_dir has no effect, for with caller='torch' no library is built; leave it out, and "
        "see ninetoothed.generation.CACHE_DIR for where compiled kernels are kept"
    )
    with pytest.warns(OptionWarning) as caught:
        kernel = ninetoothed.make(
            constexpr_arrangement, scale, (Tensor(1), Tensor(1)), output_dir="somewhere"
        )
    (warning,) = caught
    assert (str(warning.message), warning.filename) == (text, __file__)
    x, y = torch.ones(8), torch.empty(8)
    kernel(x, y, SIZE=4)
    assert torch.equal(y, x * 2)
    assert not Path("somewhere").exists()


def test_prettify_has_no_effect() -> None:
    def function(x: Any, y: Any) -> None:
        y = x * 2  # pyright: ignore[reportUnusedVariable]

    function.__annotations__ = {name: Tensor(1).tile((8,)) for name in "xy"}
    wanted = ninetoothed.jit(function).source()
    for value in (True, False):
        assert ninetoothed.jit(_prettify=value)(function).source() == wanted


def test_key_has_the_language_and_the_compilers_version(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is kept under the key depends on both, and on all else that a call brings."""
    tensor = torch.ones(16)

    def key(
        language: str = "ttir",
        version: str = "3.6.0",
        other: torch.Tensor = tensor,
        target: str = "sm_90",
        warps: int = 4,
    ) -> str:
        monkeypatch.setenv("NINETOOTHED_BACKEND", language)
        monkeypatch.setattr(compat, "version", lambda: version)
        kernel = ninetoothed.make(
            constexpr_arrangement, scale, (Tensor(1), Tensor(1)), num_warps=warps
        )
        compilation = kernel._compilation  # pyright: ignore[reportPrivateUsage]
        signature = bind(kernel.definition.interface, (tensor, other), {"SIZE": 8}).signature
        return compilation.key(signature, Target.parse(target))

    keys = [
        key(),
        key(language="triton-python"),
        key(version="3.7.1"),
        key(other=tensor.half()),
        key(target="sm_80"),
        key(warps=8),
    ]
    assert len(set(keys)) == len(keys)
    assert key() == keys[0]
