"""Optimizations can be switched off, and kernels that were compiled without them are others."""

from __future__ import annotations

import importlib
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from examples import conv2d, cross_entropy
from examples.layer_norm import layer_norm_backward_kernel, layer_norm_kernel
from examples.matmul import matmul_kernel
from examples.softmax import softmax_kernel
from ninetoothed.artifacts.signature import Signature
from ninetoothed.artifacts.target import DEFAULT_TARGET, Target
from ninetoothed.compiler.compile import compile_kernel
from ninetoothed.compiler.defaults import assumed_signature
from ninetoothed.compiler.optimizations import CHOICES, OPTIMIZATIONS, TABLE
from ninetoothed.compiler.space import space
from ninetoothed.errors import ConfigurationError
from ninetoothed.kernel.kernel import Kernel
from ninetoothed.passes import find_pass
from ninetoothed.passes.pipeline import SPECIALIZED, SYMBOLIC

SETTING = "NINETOOTHED_DISABLE_OPTIMIZATIONS"
TARGET = Target.parse(DEFAULT_TARGET)


def average_pooling() -> Kernel:
    example = importlib.import_module("examples.avg_pool2d")
    return example.make_kernel((3, 3), (2, 2), (1, 1), True, True)


def test_each_is_an_option_of_its_pass() -> None:
    for one in TABLE:
        assert hasattr(find_pass(one.pass_name)(), one.option)


def test_they_stand_in_the_order_of_the_pipeline() -> None:
    passes = [name for _, names in (*SYMBOLIC, *SPECIALIZED) for name in names]
    places = [passes.index(one.pass_name) for one in TABLE]
    assert places == sorted(places)


def test_the_page_lists_them() -> None:
    text = (Path(__file__).parents[3] / "docs/optimizations.md").read_text(encoding="utf-8")
    rows = [line for line in text.splitlines() if line.startswith("| `")]
    assert rows == [f"| `{one.name}` | `{one.pass_name}` | {one.summary} |" for one in TABLE]


def test_a_switch(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = average_pooling()
    on = kernel.source()
    monkeypatch.setenv(SETTING, "loop_stages,pointer_blocks")
    assert kernel.source() == on
    own = "unrolled_reductions,unsigned_tests,recomputed_masks,reciprocals"
    monkeypatch.setenv(SETTING, own)
    off = kernel.source()
    assert off != on
    monkeypatch.setenv(SETTING, "all")
    assert kernel.source() == off


def test_loads_stay_in_loops(monkeypatch: pytest.MonkeyPatch) -> None:
    def is_in_loop() -> bool:
        text = layer_norm_backward_kernel.source(language="ttir")
        return text.index('"tt.load"') > text.index('"scf.for"')

    assert not is_in_loop()
    monkeypatch.setenv(SETTING, "hoisted_loads")
    assert is_in_loop()


def test_checked_equalities(monkeypatch: pytest.MonkeyPatch) -> None:
    on = layer_norm_kernel.source()
    assert "weight_size_0" not in on
    monkeypatch.setenv(SETTING, "checked_equalities")
    assert "weight_size_0" in layer_norm_kernel.source()


def test_equal_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = matmul_kernel
    signature, config = assumed_signature(kernel.definition, {}, {}), kernel.configs[0]
    apart = compile_kernel(kernel.composed(signature), signature, config, TARGET, "triton-python")
    facts = [pair for fact in kernel.interface.equals for pair in fact]
    signature = replace(signature, equal=tuple((one[0], two[0]) for one, two in facts))
    assert ("input_size_1", "other_size_0") in signature.equal
    equal = compile_kernel(kernel.composed(signature), signature, config, TARGET, "triton-python")
    assert "other_size_0" in apart.text
    assert "other_size_0" not in equal.text
    # The signature says it, so that no call is asked.
    assert "the outermost shapes of" in apart.launch
    assert "the outermost shapes of" not in equal.launch
    monkeypatch.setenv(SETTING, "equal_sizes")
    off = compile_kernel(kernel.composed(signature), signature, config, TARGET, "triton-python")
    assert (off.text, off.launch) == (apart.text, apart.launch)


def kernel_with(choice: str) -> tuple[Kernel, Signature]:
    """A kernel that has a choice, and for which signature."""
    if choice == "reread_rows":
        rows = [torch.empty(64, 8192, dtype=torch.float16, device="meta") for _ in range(2)]
        return softmax_kernel, softmax_kernel.signature(rows, {})
    if choice == "interchanged_reductions":
        images = [torch.empty(2, 8, 9, 9, device="meta") for _ in range(2)]
        kernel = conv2d.make_kernel((1, 1), (1, 1), (1, 1))
        return kernel, kernel.signature([images[0], torch.empty(8, 8, 3, 3), images[1]], {})
    if choice == "packed_operands":
        matrices = [torch.empty(63, 63, device="meta") for _ in range(3)]
        return matmul_kernel, matmul_kernel.signature(matrices, {})
    if choice == "descriptors":
        matrices = [torch.empty(64, 64, device="meta") for _ in range(3)]
        return matmul_kernel, matmul_kernel.signature(matrices, {})
    kernels = {
        **dict.fromkeys(("deferred_reductions", "moving_bounds"), cross_entropy.forward_kernel),
        "cyclic_lanes": average_pooling(),
        "early_loads": layer_norm_kernel,
        **dict.fromkeys(
            ("grouped_programs", "persistent_programs", "split_reductions"), matmul_kernel
        ),
    }
    kernel = kernels.get(choice, layer_norm_backward_kernel)
    return kernel, assumed_signature(kernel.definition, {}, {}, "fp32")


@pytest.mark.parametrize("name", [choice.name for choice in CHOICES])
def test_a_choice_is_not_offered(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel, signature = kernel_with(name)
    composed = kernel.composed(signature)

    def offered() -> set[str]:
        found = space(composed, signature)
        rows = [row for one in found.listed for row in (one, *found.varied(one))]
        return {name for one in rows for name, _ in one.choices}

    assert name in offered()
    monkeypatch.setenv(SETTING, name)
    assert name not in offered()
    monkeypatch.setenv(SETTING, "all")
    assert not offered()


def test_without_scratch_memory_nothing_is_split(monkeypatch: pytest.MonkeyPatch) -> None:
    signature = assumed_signature(matmul_kernel.definition, {}, {})
    composed = matmul_kernel.composed(signature)
    assert any("split_reductions" in dict(row) for row in space(composed, signature).legal)
    monkeypatch.setenv("NINETOOTHED_SCRATCH_SIZE", "0")
    assert not any("split_reductions" in dict(row) for row in space(composed, signature).legal)


def test_kernels_without_an_optimization_are_others(monkeypatch: pytest.MonkeyPatch) -> None:
    signature = assumed_signature(matmul_kernel.definition, {}, {})
    compilation = matmul_kernel._compilation  # pyright: ignore[reportPrivateUsage]
    keys = {compilation.key(signature, TARGET)}
    for names in ("pointer_blocks", "pointer_blocks,loop_stages", "all"):
        monkeypatch.setenv(SETTING, names)
        keys.add(compilation.key(signature, TARGET))
    assert len(keys) == 4
    monkeypatch.setenv(SETTING, "loop_stages, pointer_blocks")
    assert compilation.key(signature, TARGET) in keys


def test_an_unknown_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SETTING, "pointer_blocks,fast")
    with pytest.raises(ConfigurationError) as caught:
        matmul_kernel.source()
    assert caught.value.message == (
        f"NINETOOTHED_DISABLE_OPTIMIZATIONS must be all, or some of {', '.join(OPTIMIZATIONS)}, "
        "with commas between them, not 'pointer_blocks,fast'"
    )
