"""Persistent programs: each result is that of programs that end with their own work."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
import torch

import ninetoothed
import ninetoothed.language as ntl
from examples import addmm, attention, bmm, grouped_matmul, int8_matmul, matmul
from examples.add import add_kernel
from ninetoothed import Tensor
from ninetoothed.artifacts.artifact import Artifact
from ninetoothed.artifacts.configuration import Config
from ninetoothed.artifacts.target import Target
from ninetoothed.backend.device_function import device_function
from ninetoothed.calls.arguments import bind
from ninetoothed.compiler.compile import compile_kernel, lower
from ninetoothed.compiler.optimizations import CHOICES
from ninetoothed.compiler.space import space
from ninetoothed.errors import CompilerError
from ninetoothed.interpreters import interpret
from ninetoothed.ir import tt
from ninetoothed.ir.scf import loop_over_programs
from ninetoothed.kernel.kernel import Kernel
from ninetoothed.passes import lower_accesses
from ninetoothed.passes.lowering.persistent import go_through_programs
from ninetoothed.passes.lowering.tile_accesses import KernelAccesses
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
from tests.support.remarks import remarks_of
from tests.support.ttir_stage import assembly

# Applications assign to their parameters, which is a store.
# pyright: reportUnusedVariable=false

PASS = "nt-persist-programs"
CHOICE = "persistent_programs"
OTHERS = ",".join(choice.name for choice in CHOICES if choice.name != CHOICE)
POSSIBLE = "analysis: programs end with their own work: persistent_programs is 0, and may be 1"
LEVELS = {"cpu": ("nt", "tt"), "cuda": "nt"}
CONFIGS = {"cpu": 3, "cuda": 24}
TOLERANCES = {"rtol": 2e-3, "atol": 2e-2}
KEPT = "missed: programs end with their own work: "


def checked(kernel: Kernel, values: Sequence[Any], expected: Any, **keywords: Any) -> set[int]:
    """Check a call; the values of the choice that ran."""
    device = next(one for one in values if isinstance(one, torch.Tensor)).device.type
    options = {"levels": LEVELS[device], "configs": CONFIGS[device], **TOLERANCES, **keywords}
    ran = check_kernel(kernel, values, expected, **options)
    return {dict(config.choices).get(CHOICE, 0) for config in ran}


@pytest.fixture(autouse=True)
def switch_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NINETOOTHED_DISABLE_OPTIMIZATIONS", OTHERS)


@pytest.mark.parametrize(
    ("m", "n", "k"),
    [(16, 16, 16), (1, 1, 1), (67, 80, 144), (33, 200, 31), (65, 31, 0), (0, 16, 16), (16, 0, 8)],
)
def test_products(device: str, m: int, n: int, k: int) -> None:
    values = product(m, n, k, device)
    expected = {"output": values[0].float() @ values[1].float()}
    assert checked(matmul.matmul_kernel, values, expected) == {0, 1}


@pytest.mark.parametrize(
    ("others", "n", "k"),
    [
        ({"grouped_programs": 8}, 208, 48),
        ({"descriptors": 2}, 208, 48),
        ({"packed_operands": 1}, 207, 47),
        ({"descriptors": 1, "grouped_programs": 8, "packed_operands": 1}, 207, 47),
    ],
    ids=str,
)
def test_with_other_choices(others: dict[str, int], n: int, k: int) -> None:
    kernel, values = matmul.matmul_kernel, product(150, n, k, "cpu")
    signature = bind(kernel.definition.interface, values, {}).signature
    module = kernel.composed(signature)
    blocks = tuple((name, 16) for name, _ in space(module, signature).configs[0].values)
    config = Config(blocks, 4, 3, tuple(sorted({CHOICE: 1, **others}.items())))
    lowered = lower(module, signature, config)
    assert loop_over_programs(device_function(lowered).body.block) is not None
    interpret(lowered, values, {}, written=(2,))
    check(*values)


def test_batches(device: str) -> None:
    values = halves(3, 33, 48), halves(3, 48, 80), halves(3, 33, 80)
    values = tuple(one.to(device) for one in values)
    expected = {bmm.bmm_kernel.interface.names[-1]: values[0].float() @ values[1].float()}
    assert checked(bmm.bmm_kernel, values, expected) == {0, 1}


@pytest.mark.parametrize("in_place", [False, True])
def test_what_is_read_before_it_is_written(device: str, in_place: bool) -> None:
    mat1, mat2 = halves(40, 32, device=device), halves(32, 64, device=device)
    output = halves(40, 64, device=device)
    input = output if in_place else halves(40, 64, device=device)
    expected = {"output": 0.5 * input.float() + 2 * (mat1.float() @ mat2.float())}
    values = input, mat1, mat2, 0.5, 2.0, output
    # Threads wait for those that read what they write.
    assert checked(addmm.addmm_kernel, values, expected) == ({0} if in_place else {0, 1})
    remark = f"{KEPT}threads wait for one another by nt.barrier" if in_place else POSSIBLE
    assert remarks_of(addmm.addmm_kernel, PASS, *values) == [remark]


def test_integers(device: str) -> None:
    drawn = (torch.randint(-9, 9, sizes, dtype=torch.int8) for sizes in ((37, 48), (48, 66)))
    input, other = (one.to(device) for one in drawn)
    output = torch.empty(37, 66, dtype=torch.int32, device=device)
    expected = (input.double() @ other.double()).to(torch.int32)
    assert checked(int8_matmul.int8_matmul_kernel, (input, other, output), expected) == {0, 1}


@pytest.mark.parametrize("lengths", [(5, 0, 40, 17), (64,), (0, 0, 1)])
def test_groups_of_rows(device: str, lengths: tuple[int, ...]) -> None:
    """Programs behind a group's end have no work; those of others go on."""

    def sequences(columns: int) -> torch.Tensor:
        offsets = torch.tensor([0, *lengths], device=device).cumsum(0)
        rows = halves(sum(lengths), columns, device=device)
        return torch.nested.nested_tensor_from_jagged(
            rows, offsets, min_seqlen=min(lengths), max_seqlen=max(lengths)
        )

    input, weight, output = (
        sequences(24),
        halves(len(lengths), 24, 40, device=device),
        sequences(40),
    )
    rows = input.values().float().split(list(lengths))
    products = [one @ matrix.float() for one, matrix in zip(rows, weight, strict=True)]
    expected = torch.nested.nested_tensor_from_jagged(torch.cat(products), input.offsets())
    values = input, weight, output
    assert checked(grouped_matmul.grouped_matmul_kernel, values, expected) == {0, 1}


@pytest.mark.parametrize("is_causal", [False, True])
def test_attention(device: str, is_causal: bool) -> None:
    """Programs whose loops are of several lengths, the longest first."""
    query, key = halves(1, 2, 2, 50, 32, device=device), halves(1, 2, 50, 32, device=device)
    value = halves(1, 2, 50, 64, device=device)
    output = torch.empty(1, 2, 2, 50, 64, dtype=torch.float16, device=device)
    sums = torch.empty(1, 2, 2, 50, device=device)
    expected = torch.nn.functional.scaled_dot_product_attention(
        query.flatten(1, 2).float(),
        key.float(),
        value.float(),
        is_causal=is_causal,
        scale=0.25,
        enable_gqa=True,
    )
    values = query, key, value, is_causal, 0.25, output, sums
    expected = {"output": expected.view_as(output)}
    assert checked(attention.attention_kernel, values, expected) == {0, 1}


# What is legal.


def gram(x: Any, y: Any) -> tuple[Any, ...]:
    """A program a row of blocks, which all of them read."""
    x = x.tile((16, 16)).tile((1, -1))
    x.dtype = x.dtype.squeeze(0)
    return x, y.tile((16, 16))


def products(x: Any, y: Any) -> None:
    total = ntl.zeros(y.shape, dtype=ntl.float32)
    for k in range(x.shape[0]):
        total += ntl.dot(x[k], ntl.trans(x[k]))
    y = total


def numbered(x: Any, y: Any) -> None:
    products(x, y)
    y = y + ntl.program_id(0)


def counted(x: Any, y: Any) -> None:
    products(x, y)
    y = y + ntl.num_programs(0)


def written_in_between(x: Any, y: Any) -> None:
    for k in range(x.shape[0]):
        x[k] = ntl.dot(x[k], ntl.trans(x[k]))
    y = ntl.zeros(y.shape, dtype=ntl.float32)


def printed(x: Any, y: Any) -> None:
    products(x, y)
    ntl.device_print("y", y)


def added(x: Any, y: Any) -> None:
    products(x, y)
    ntl.atomic_add(y.data_ptr(), 1.0)


def made(application: Any) -> Kernel:
    return ninetoothed.make(gram, application, (Tensor(2), Tensor(2)), num_warps=4)


NUMBER = "a program asks for its number, or for how many there are"


@pytest.mark.parametrize(
    ("application", "remark"),
    [
        (products, POSSIBLE),
        (printed, POSSIBLE),
        (numbered, f"{KEPT}{NUMBER}"),
        (counted, f"{KEPT}{NUMBER}"),
        (added, f"{KEPT}a program may wait for another by nt.atomic"),
        (written_in_between, f"{KEPT}accesses of `x` may overlap"),
    ],
)
def test_which_programs_are_independent(application: Any, remark: str) -> None:
    kernel, values = made(application), (torch.empty(64, 64), torch.empty(64, 16))
    assert remarks_of(kernel, PASS, *values) == [remark]
    signature = bind(kernel.definition.interface, values, {}).signature
    legal = space(kernel.composed(signature), signature).legal
    assert any(CHOICE in dict(row) for row in legal) == (remark == POSSIBLE)


def test_without_a_dot_there_is_nothing_to_say() -> None:
    assert remarks_of(add_kernel, PASS, *(torch.empty(64) for _ in range(3))) == []


def test_what_shares_iterations_does_not_persist(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NINETOOTHED_DISABLE_OPTIMIZATIONS")
    kernel, values = matmul.matmul_kernel, product(64, 64, 4096)
    signature = bind(kernel.definition.interface, values, {}).signature
    module = kernel.composed(signature)
    config = space(module, signature).configs[0].choosing(CHOICE, 1)
    found = [
        compile_kernel(module, signature, one, Target.parse("sm_90"), "ttir").persistent
        for one in (config, config.choosing("split_reductions", 4))
    ]
    assert found == [True, False]


def test_no_pass_changes_what_is_touched(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a program does for another one counts as the other one's, and none of it is missed."""
    kernel = matmul.matmul_kernel
    signature = bind(kernel.definition.interface, product(33, 48, 16), {}).signature
    config = space(kernel.composed(signature), signature).configs[0].choosing(CHOICE, 1)
    for bits in (32, 64):
        wide = replace(signature, index_bits=bits)
        report = validate(kernel.definition, wide, config.choosing("grouped_programs", 8))
        assert report.cases > 0

    def once(accesses: KernelAccesses, own: tt.GetProgramIdOp) -> None:
        """Let a program do its own work, and none behind."""
        go_through_programs(accesses, own)
        loop = loop_over_programs(accesses.kernel.apply.block)
        assert loop is not None
        loop.operands[1] = loop.step

    monkeypatch.setattr(lower_accesses, "go_through_programs", once)
    with pytest.raises(CompilerError, match="nt-lower-accesses changes which elements"):
        validate(kernel.definition, signature, config)


# By Triton.


def artifact(
    kernel: Kernel,
    values: Values,
    target: str,
    language: Any = "ttir",
    size: int = 64,
    **other: int,
) -> Artifact:
    """A persistent kernel of a call, with blocks of one size; ``other``: other choices."""
    signature = bind(kernel.definition.interface, values, {}).signature
    module, parsed = kernel.composed(signature), Target.parse(target)
    config = space(module, signature, target=parsed).configs[0]
    blocks = tuple((name, size) for name, _ in config.values)
    config = Config(blocks, 4, 3, tuple(sorted({CHOICE: 1, **other}.items())))
    return compile_kernel(module, signature, config, parsed, language)


def heads() -> Values:
    query, key, value = halves(1, 2, 2, 64, 32), halves(1, 2, 64, 32), halves(1, 2, 64, 64)
    output, sums = torch.empty(1, 2, 2, 64, 64).half(), torch.empty(1, 2, 2, 64)
    return query, key, value, True, 0.25, output, sums


CASES: dict[str, tuple[Kernel, Values, dict[str, int]]] = {
    "matmul": (matmul.matmul_kernel, product(128, 128, 128), {}),
    "odd sizes": (matmul.matmul_kernel, product(67, 33, 131), {"grouped_programs": 8}),
    "descriptors": (matmul.matmul_kernel, product(128, 128, 128), {"descriptors": 2}),
    "attention": (attention.attention_kernel, heads(), {}),
}


@pytest.mark.parametrize(
    ("target", "language"),
    [(one, "ttir") for one in ("sm_80", "sm_90", "sm_100", "gfx942")]
    + [("sm_90", "triton-python")],
)
@pytest.mark.parametrize("case", CASES)
@pytest.mark.skipif(not compat.available(), reason="Triton is not installed")
def test_triton_compiles_them(case: str, target: str, language: str) -> None:
    kernel, values, other = CASES[case]
    if "descriptors" in other and target in ("sm_80", "gfx942"):
        pytest.skip("the GPU has no tensor descriptors")
    found = artifact(kernel, values, target, language, **other)
    assert found.persistent
    assert compat.compile_binary(found).code


@pytest.mark.skipif(not compat.available(), reason="Triton is not installed")
@pytest.mark.parametrize("language", ["ttir", "triton-python"])
def test_triton_makes_one_loop_of_two(language: str) -> None:
    """Beside it, one for calls in which there is nothing to add up."""
    found = artifact(matmul.matmul_kernel, product(128, 128, 128), "sm_90", language, descriptors=2)
    texts = assembly(found)
    outer, inner = re.findall(r"^( *).*scf\.for ", texts["ttir"], re.MULTILINE)
    assert len(outer) < len(inner)
    empty, one = re.findall(r"^( *).*scf\.for ", texts["ttgir"], re.MULTILINE)
    assert len(empty) >= len(one)
    body = texts["ttgir"].rpartition("scf.for ")[2]
    for op in ("ttng.warp_group_dot ", "ttng.async_tma_copy_local_to_global "):
        assert texts["ttgir"].count(op) - body.count(op) == ("local_to" in op)
        assert body.count(op) == 1
    assert body.count("ttng.async_tma_copy_global_to_local ") == 2


def test_descriptors_are_made_in_front_of_the_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NINETOOTHED_DISABLE_OPTIMIZATIONS", "host_descriptors")
    found = artifact(matmul.matmul_kernel, product(128, 128, 128), "sm_90", descriptors=2)
    first_loop = found.text.index('"scf.for"')
    assert found.text.rindex('"tt.make_tensor_descriptor"') < first_loop
    assert found.text.rindex('"tt.get_program_id"') < first_loop


# On a GPU.


def launched(kernel: Kernel, values: Values, **other: int) -> KeptCalls:
    found = artifact(kernel, values, str(toolchain.active().active_target()), **other)
    binary = compat.compile_binary(found)
    return KeptCalls(kernel, LoadedKernel(Host(found), toolchain.active_driver().load(binary)))


@pytest.mark.gpu
@pytest.mark.parametrize(
    ("m", "n", "k"),
    # More work than any GPU has room for, as much as one, odd sizes, and nothing to add up.
    [(4096, 4096, 64), (64, 64, 64), (4097, 3001, 131), (1, 5000, 17), (3000, 4000, 0)],
)
def test_more_work_than_programs(m: int, n: int, k: int) -> None:
    values = product(m, n, k, "cuda")
    kernel = launched(matmul.matmul_kernel, values)
    kept: list[bool] = []
    for _ in range(3):
        values[2].fill_(torch.nan)
        kept.append(kernel(*values))
        check(*values)
    assert kept[-1]
    found = kernel.kernel.launch(values)
    assert found is not None
    assert found[1] == min(-(-m // 64) * -(-n // 64), kernel.kernel.loaded.resident)


@pytest.mark.gpu
def test_each_iteration_of_the_loop_is_another_program() -> None:
    """Also with descriptors, and in groups of rows."""
    values = product(4096, 2048, 256, "cuda")
    target = toolchain.active().active_target()
    signature = bind(matmul.matmul_kernel.definition.interface, values, {}).signature
    module = matmul.matmul_kernel.composed(signature)
    offered = dict(space(module, signature, target=target).legal[0])
    for descriptors in (0, *offered.get("descriptors", ())):
        for groups in (1, 8):
            choices = {"grouped_programs": groups, "descriptors": descriptors}
            default = {"grouped_programs": 1, "descriptors": 0}
            other = {name: one for name, one in choices.items() if one != default[name]}
            values[2].fill_(torch.nan)
            launched(matmul.matmul_kernel, values, **other)(*values)
            check(*values)


@pytest.mark.gpu
def test_graphs() -> None:
    values = product(2048, 2048, 64, "cuda")
    check_graph(launched(matmul.matmul_kernel, values), 2048, 2048, 64)


@pytest.mark.gpu
def test_threads() -> None:
    values = product(2048, 2048, 64, "cuda")
    check_threads(launched(matmul.matmul_kernel, values), 2048, 2048, 64)
