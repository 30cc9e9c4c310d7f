"""Kernels whose descriptors the host makes: of whole tensors, for all programs, call after call."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from examples import attention, bmm, matmul
from ninetoothed.artifacts.artifact import Artifact
from ninetoothed.artifacts.capabilities import capabilities
from ninetoothed.artifacts.configuration import Config
from ninetoothed.artifacts.target import Target
from ninetoothed.calls.arguments import bind
from ninetoothed.compiler.compile import compile_kernel
from ninetoothed.compiler.space import space
from ninetoothed.kernel.kernel import Kernel
from ninetoothed.runtime import toolchain
from ninetoothed.runtime.launch.loaded import Host, LoadedKernel
from ninetoothed.runtime.toolchain.triton import compat
from ninetoothed.testing import check_kernel
from ninetoothed.verification.translation import validate
from tests.support.launched_products import (
    KeptCalls,
    Values,
    check,
    check_graph,
    check_threads,
    halves,
    product,
)

CHOICE = "descriptors"
TENSORDESC = "tensordesc<fp16[{}]>"


def artifact(
    kernel: Kernel, values: Values, target: str = "sm_90", language: Any = "ttir", size: int = 64
) -> Artifact:
    """The kernel of a call, with loads and stores by descriptors and blocks of one size."""
    signature = bind(kernel.definition.interface, values, {}).signature
    module, parsed = kernel.composed(signature), Target.parse(target)
    config = space(module, signature, target=parsed).configs[0].choosing(CHOICE, 2)
    config = Config(tuple((name, size) for name, _ in config.values), 4, 3, config.choices)
    return compile_kernel(module, signature, config, parsed, language)


def heads() -> Values:
    query, key, value = halves(1, 2, 2, 64, 32), halves(1, 2, 64, 32), halves(1, 2, 64, 64)
    output, sums = torch.empty(1, 2, 2, 64, 64).half(), torch.empty(1, 2, 2, 64)
    return query, key, value, False, 0.25, output, sums


CASES: dict[str, tuple[Kernel, Values, list[str]]] = {
    "matmul": (matmul.matmul_kernel, product(64, 64, 64), ["64, 64"] * 3),
    # One of all matrices, whichever a program has.
    "bmm": (
        bmm.bmm_kernel,
        (halves(3, 64, 64), halves(3, 64, 64), halves(3, 64, 64)),
        ["1, 64, 64"] * 3,
    ),
    "attention": (
        attention.attention_kernel,
        heads(),
        ["1, 1, 64, 32", "1, 1, 64, 64", "1, 1, 1, 64, 64"],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_of_whole_tensors(case: str) -> None:
    kernel, values, boxes = CASES[case]
    found = artifact(kernel, values)
    types = [one.type for one in found.arguments]
    given = [type for type in types if type.startswith("tensordesc")]
    assert given == [TENSORDESC.format(box) for box in boxes]
    assert "tt.make_tensor_descriptor" not in found.text


@pytest.mark.parametrize("language", ["ttir", "triton-python"])
@pytest.mark.parametrize("target", ["sm_90", "sm_100"])
@pytest.mark.parametrize("case", CASES)
@pytest.mark.skipif(not compat.available(), reason="Triton is not installed")
def test_triton_compiles_them(case: str, target: str, language: str) -> None:
    kernel, values, boxes = CASES[case]
    binary = compat.compile_binary(artifact(kernel, values, target, language))
    ranks = [len(layout.box) for layout in binary.descriptors]
    assert ranks == [box.count(",") + 1 for box in boxes]
    # Programs make none, which would take memory.
    assert binary.scratch == 0


@pytest.mark.parametrize("setting", ["", "host_descriptors"])
def test_no_pass_changes_an_address(setting: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Boxes have other lanes, in which a program accesses the same elements."""
    monkeypatch.setenv("NINETOOTHED_DISABLE_OPTIMIZATIONS", setting)
    values = halves(2, 16, 32), halves(2, 16, 32).mT, halves(2, 16, 16)
    signature = bind(bmm.bmm_kernel.definition.interface, values, {}).signature
    module = bmm.bmm_kernel.composed(signature)
    config = space(module, signature, target=Target.parse("sm_90")).configs[0].choosing(CHOICE, 2)
    report = validate(bmm.bmm_kernel.definition, signature, config)
    assert report.cases > 0
    assert report.evaluated["nt-lower-accesses"] >= report.cases


@pytest.mark.skipif(not compat.available(), reason="Triton is not installed")
def test_programs_make_them_where_the_host_shall_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NINETOOTHED_DISABLE_OPTIMIZATIONS", "host_descriptors")
    found = artifact(matmul.matmul_kernel, product(64, 64, 64))
    assert "tt.make_tensor_descriptor" in found.text
    binary = compat.compile_binary(found)
    assert binary.descriptors == ()
    assert binary.scratch > 0


def test_both_ways_give_the_same(device: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NINETOOTHED_DISABLE_OPTIMIZATIONS", "host_descriptors")
    input, other, output = product(67, 80, 144, device=device)
    expected = {"output": input.float() @ other.float()}
    levels = ("nt", "tt") if device == "cpu" else "nt"
    check_kernel(
        matmul.matmul_kernel,
        (input, other, output),
        expected,
        levels=levels,
        configs=2 if device == "cpu" else 12,
        rtol=2e-3,
        atol=2e-2,
    )


# On a GPU.


def launched(kernel: Kernel, values: Values) -> KeptCalls:
    target = toolchain.active().active_target()
    if not capabilities(target).architecture.descriptors:
        pytest.skip("the GPU has no tensor descriptors")
    found = artifact(kernel, values, str(target))
    binary = compat.compile_binary(found)
    assert binary.descriptors
    return KeptCalls(kernel, LoadedKernel(Host(found), toolchain.active_driver().load(binary)))


@pytest.mark.gpu
def test_calls_of_other_tensors() -> None:
    """Each call reads and writes its own, also at the place of another that is gone."""
    given = [product(67, 80, 144, "cuda") for _ in range(3)]
    kernel = launched(matmul.matmul_kernel, given[0])
    kept: list[bool] = []
    for _ in range(4):
        for values in given:
            values[2].fill_(torch.nan)
            kept.append(kernel(*values))
            check(*values)
    assert kept[-6:] == [True] * 6
    for _ in range(5):
        # torch's allocator gives the memory of the one before.
        values = product(67, 80, 144, "cuda")
        kernel(*values)
        check(*values)
        del values


@pytest.mark.gpu
@pytest.mark.parametrize(
    ("m", "n", "k"), [(64, 64, 64), (1, 16, 16), (31, 48, 16), (200, 176, 208), (1025, 1040, 2064)]
)
def test_nothing_is_written_outside(m: int, n: int, k: int) -> None:
    input, other, _ = product(m, n, k, "cuda")
    rows = torch.full((m + 2, n), 7.0, dtype=torch.float16, device="cuda")
    columns = torch.full((m, n + 32), 7.0, dtype=torch.float16, device="cuda")
    for whole, output in ((rows, rows[1:-1]), (columns, columns[:, 16:-16])):
        values = input, other, output
        launched(matmul.matmul_kernel, values)(*values)
        check(*values)
        output.fill_(7.0)
        assert whole.eq(7.0).all()


@pytest.mark.gpu
def test_where_rows_lie_otherwise() -> None:
    """Transposed matrices, parts of larger ones, and one row again and again."""
    m, n, k = 96, 112, 80
    input, other = halves(k, m, device="cuda").T, halves(n, k, device="cuda").T
    output = torch.empty(n, m, dtype=torch.float16, device="cuda").T
    part = halves(2 * m, k + 48, device="cuda")[::2, 16 : 16 + k]
    for values in ((input, other, output), (part, other, output)):
        launched(matmul.matmul_kernel, values)(*values)
        check(*values)


@pytest.mark.gpu
def test_batches() -> None:
    values = halves(5, 67, 80, device="cuda"), halves(5, 80, 96, device="cuda")
    values = (*values, torch.full((5, 67, 96), torch.nan, dtype=torch.float16, device="cuda"))
    launched(bmm.bmm_kernel, values)(*values)
    check(*values)


@pytest.mark.gpu
def test_sums_of_nothing() -> None:
    """No descriptor of an empty matrix is read."""
    like = product(64, 64, 64, "cuda")
    kernel = launched(matmul.matmul_kernel, like)
    whole = halves(64, 64, device="cuda")
    values = whole[:, :0], whole[:0], torch.full_like(like[2], torch.nan)
    kernel.kernel.launch(values)
    assert values[2].eq(0).all()


@pytest.mark.gpu
def test_graphs() -> None:
    """A graph has what was encoded before and during its capture, whatever is called afterwards."""
    check_graph(launched(matmul.matmul_kernel, product(96, 80, 144, "cuda")), 96, 80, 144)


@pytest.mark.gpu
def test_threads() -> None:
    check_threads(launched(matmul.matmul_kernel, product(96, 80, 144, "cuda")), 96, 80, 144)
