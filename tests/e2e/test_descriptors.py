"""Tiles that go through tensor descriptors are what pointers give; only boxes go through them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
import torch

import ninetoothed
import ninetoothed.language as ntl
from examples import addmm, attention, bmm, int8_matmul, jagged_attention, matmul
from ninetoothed import Tensor, block_size
from ninetoothed.artifacts.capabilities import capabilities
from ninetoothed.artifacts.configuration import Config
from ninetoothed.artifacts.target import Target
from ninetoothed.calls.arguments import bind
from ninetoothed.compiler.compile import compile_kernel
from ninetoothed.compiler.optimizations import CHOICES
from ninetoothed.compiler.space import space
from ninetoothed.kernel.kernel import Kernel
from ninetoothed.runtime.toolchain.triton import compat
from ninetoothed.testing import check_kernel
from tests.support.remarks import remarks_of
from tests.support.ttir_stage import assembly

# Applications assign to their parameters, which is a store.
# pyright: reportUnusedVariable=false

PASS = "nt-use-descriptors"
CHOICE = "descriptors"
LEVELS = {"cpu": ("nt", "tt"), "cuda": "nt"}
TOLERANCES = {"rtol": 2e-3, "atol": 2e-2}
POSSIBLE = "analysis: pointers to `{}` kept: descriptors is 0, and may be {} where the GPU has them"
ODD = "missed: pointers to `{}` kept: stride `{}` is not known to be a multiple of 8"


# On a GPU, a sample of block sizes and of the values of a choice.
CONFIGS = {"cpu": 2, "cuda": 24}
OTHERS = ",".join(choice.name for choice in CHOICES if choice.name != CHOICE)


@pytest.fixture(autouse=True)
def switch_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NINETOOTHED_DISABLE_OPTIMIZATIONS", OTHERS)


def values(ran: Sequence[Config]) -> set[int]:
    """The values of the choice that ran."""
    return {dict(config.choices).get(CHOICE, 0) for config in ran}


def offered(device: str, *choices: int) -> set[int]:
    """The values of a choice; on a GPU that has no descriptors, the default."""
    target = compat.active_target() if device == "cuda" else None
    return {0, *choices} if capabilities(target).architecture.descriptors else {0}


def halves(*sizes: int, device: str) -> torch.Tensor:
    return torch.randn(sizes, device=device).half()


def check(kernel: Kernel, arguments: Sequence[Any], expected: torch.Tensor) -> set[int]:
    """Check the last argument; the values of the choice."""
    device = "cuda" if expected.is_cuda else "cpu"
    ran = check_kernel(
        kernel,
        arguments,
        {kernel.interface.names[-1]: expected},
        levels=LEVELS[device],
        configs=CONFIGS[device],
        **TOLERANCES,
    )
    return values(ran)


@pytest.mark.parametrize(
    ("m", "n", "k"),
    [(16, 16, 16), (1, 16, 32), (31, 48, 16), (33, 40, 24), (67, 80, 144), (16, 16, 0)],
)
def test_products(device: str, m: int, n: int, k: int) -> None:
    """All loads and the store are of boxes, that are cut at the matrices' ends."""
    input, other = halves(m, k, device=device), halves(k, n, device=device)
    output = torch.empty(m, n, dtype=torch.float16, device=device)
    expected = input.float() @ other.float()
    found = check(matmul.matmul_kernel, (input, other, output), expected)
    assert found == offered(device, 1, 2)
    # Of an empty matrix, no program is launched, and torch's strides are 1.
    if k:
        assert remarks_of(matmul.matmul_kernel, PASS, input, other, output) == [
            POSSIBLE.format("input", 1),
            POSSIBLE.format("other", 1),
            POSSIBLE.format("output", 2),
        ]


@pytest.mark.parametrize(("m", "n", "k"), [(0, 16, 16), (16, 0, 16)])
def test_products_without_elements(device: str, m: int, n: int, k: int) -> None:
    input, other = halves(m, k, device=device), halves(k, n, device=device)
    output = torch.empty(m, n, dtype=torch.float16, device=device)
    check(matmul.matmul_kernel, (input, other, output), output)


@pytest.mark.parametrize(("m", "n", "k"), [(48, 80, 96), (33, 41, 17), (16, 24, 40)])
def test_transposed_operands(device: str, m: int, n: int, k: int) -> None:
    """A dim of stride 1 may be any, and rows must be known to begin at multiples of 16 bytes."""
    input, other = halves(k, m, device=device).T, halves(n, k, device=device).T
    output = torch.empty(n, m, dtype=torch.float16, device=device).T
    arguments = input, other, output
    found = check(matmul.matmul_kernel, arguments, input.float() @ other.float())
    # In memory, rows of the first one and of the result have m elements.
    is_aligned = m % 8 == 0
    assert found == (offered(device, 1, 2) if is_aligned else {0})
    if not is_aligned:
        assert remarks_of(matmul.matmul_kernel, PASS, *arguments) == [
            ODD.format("input", "input_stride_1"),
            ODD.format("other", "other_stride_1"),
            ODD.format("output", "output_stride_1"),
        ]


def test_where_memory_begins(device: str) -> None:
    def shifted(*sizes: int) -> torch.Tensor:
        whole = halves(sizes[0] * sizes[1] + 1, device=device)
        return whole[1:].view(sizes)

    input, other, output = shifted(32, 48), halves(48, 16, device=device), shifted(32, 16)
    found = check(matmul.matmul_kernel, (input, other, output), input.float() @ other.float())
    assert found == offered(device, 1)
    start = "missed: pointers to `{}` kept: it is not known to begin at a multiple of 16 bytes"
    assert remarks_of(matmul.matmul_kernel, PASS, input, other, output) == [
        start.format("input"),
        POSSIBLE.format("other", 1),
        start.format("output"),
    ]


@pytest.mark.parametrize("is_repeated", [False, True])
def test_batches(device: str, is_repeated: bool) -> None:
    """The matrix of a program is a tensor of its own, also if it is that of all programs."""
    input, other = halves(3, 33, 48, device=device), halves(1, 80, 48, device=device).mT
    other = other.expand(3, -1, -1) if is_repeated else other.repeat(3, 1, 1)
    output = torch.empty(3, 33, 80, dtype=torch.float16, device=device)
    found = check(bmm.bmm_kernel, (input, other, output), input.float() @ other.float())
    may_be_refused = is_repeated and device == "cuda"
    assert found == offered(device, 1, 2) or (may_be_refused and found == {0})


@pytest.mark.parametrize("in_place", [False, True])
def test_what_is_added_to_a_product_has_pointers(device: str, in_place: bool) -> None:
    mat1, mat2 = halves(40, 32, device=device), halves(32, 64, device=device)
    output = halves(40, 64, device=device)
    input = output if in_place else halves(40, 64, device=device)
    arguments = input, mat1, mat2, 0.5, 2.0, output
    expected = 0.5 * input.float() + 2 * (mat1.float() @ mat2.float())
    choices = (1,) if in_place else (1, 2)
    assert check(addmm.addmm_kernel, arguments, expected) == offered(device, *choices)
    found = remarks_of(addmm.addmm_kernel, PASS, *arguments)
    assert "missed: pointers to `input` kept: no loop with a dot reads it" in found
    overlap = "missed: pointers to `output` kept: `output` may share memory with `input`"
    assert (overlap in found) == in_place


def test_rows_that_are_one_place_in_memory(device: str) -> None:
    """Their stride is 0. A driver may make no descriptor of them: then only pointers are left."""
    input, other = halves(1, 48, device=device).expand(33, -1), halves(48, 32, device=device)
    output = torch.empty(33, 32, dtype=torch.float16, device=device)
    found = check(matmul.matmul_kernel, (input, other, output), input.float() @ other.float())
    assert found == offered(device, 1, 2) or (device == "cuda" and found == {0})


@pytest.mark.parametrize(
    ("queries", "keys", "is_causal"), [(33, 48, False), (64, 17, True), (16, 1, False)]
)
def test_attention(device: str, queries: int, keys: int, is_causal: bool) -> None:
    query = halves(1, 2, 2, queries, 32, device=device)
    key, value = halves(1, 2, keys, 32, device=device), halves(1, 2, keys, 64, device=device)
    output = torch.empty(1, 2, 2, queries, 64, dtype=torch.float16, device=device)
    sums = torch.empty(1, 2, 2, queries, device=device)
    arguments = query, key, value, is_causal, 0.25, output, sums
    expected = torch.nn.functional.scaled_dot_product_attention(
        query.flatten(1, 2).float(),
        key.float(),
        value.float(),
        is_causal=is_causal,
        scale=0.25,
        enable_gqa=True,
    ).view_as(output)
    ran = check_kernel(
        attention.attention_kernel,
        arguments,
        {"output": expected},
        levels=LEVELS[device],
        configs=CONFIGS[device],
        **TOLERANCES,
    )
    assert values(ran) == offered(device, 1, 2)
    found = remarks_of(attention.attention_kernel, PASS, *arguments)
    assert found[1:3] == [POSSIBLE.format("key", 1), POSSIBLE.format("value", 1)]


def test_bytes(device: str) -> None:
    """Rows of integers of eight bits are multiples of 16 of them."""
    input, other = (
        torch.randint(-9, 9, size, dtype=torch.int8, device=device) for size in ((33, 64), (64, 48))
    )
    output = torch.empty(33, 48, dtype=torch.int32, device=device)
    expected = (input.double() @ other.double()).int()
    arguments = input, other, output
    assert check(int8_matmul.int8_matmul_kernel, arguments, expected) == offered(device, 1, 2)


BLOCK = block_size(lower_bound=16, upper_bound=32)


def blocks(x: Tensor, w: Tensor, y: Tensor) -> tuple[Any, ...]:
    """A program has a block of rows of each matrix of a stack, one after the other."""
    rows = x.tile((1, BLOCK, -1)).tile((-1, 1, 1)).squeeze((0, 2))
    rows.dtype = rows.dtype.squeeze((1, 2))
    rows.dtype.dtype = rows.dtype.dtype.squeeze(0)
    whole = w.tile((1, -1, -1)).tile((-1, 1, 1)).squeeze((0, 1, 2))
    whole = whole.unsqueeze(0).expand((rows.shape[0],))
    whole.dtype = whole.dtype.squeeze((1, 2))
    whole.dtype.dtype = whole.dtype.dtype.squeeze(0)
    result = y.tile((BLOCK, -1)).squeeze(1)
    return rows, whole, result


def sum_of_products(x: Any, w: Any, y: Any) -> None:
    found = ntl.zeros(y.shape, dtype=ntl.float32)
    for i in range(x.shape[0]):
        found += ntl.dot(x[i], w[i])
    y = found


@pytest.mark.parametrize("count", [1, 3])
def test_a_loop_may_choose_an_index(device: str, count: int) -> None:
    """Then a box has a dim of one element there."""
    constants = {"shape_options": (None, {"constexpr": True}, {"constexpr": True})}
    tensors = Tensor(3, shape_options=(None, None, {"constexpr": True})), Tensor(3, **constants)
    kernel = ninetoothed.make(blocks, sum_of_products, (*tensors, Tensor(2)), num_warps=4)
    x, w = halves(count, 33, 32, device=device), halves(count, 32, 16, device=device)
    y = torch.empty(33, 16, dtype=torch.float16, device=device)
    expected = (x.float() @ w.float()).sum(0)
    assert check(kernel, (x, w, y), expected) == offered(device, 1, 2)


def test_sequences_have_pointers() -> None:
    kernel = jagged_attention.jagged_attention_kernel
    sequences = [torch.randn(size, 2, 32).half() for size in (5, 17)]
    x = torch.nested.nested_tensor(sequences, layout=torch.jagged)
    found = remarks_of(kernel, PASS, x, x.clone(), x.clone(), False, 0.5, x.clone())
    kept = "missed: pointers to `{}` kept: it consists of sequences"
    assert {kept.format(name) for name in ("key", "value", "output")} <= {*found}


def call(*sizes: int) -> tuple[torch.Tensor, ...]:
    m, n, k = sizes
    return torch.empty(m, k).half(), torch.empty(k, n).half(), torch.empty(m, n).half()


@pytest.mark.parametrize(
    ("target", "expected"),
    [("sm_90", {0, 1, 2}), ("sm_100", {0, 1, 2}), ("sm_80", {0}), ("gfx942", {0})],
)
def test_targets_that_have_them(target: str, expected: set[int]) -> None:
    kernel = matmul.matmul_kernel
    signature = bind(kernel.definition.interface, call(64, 64, 64), {}).signature
    found = space(kernel.composed(signature), signature, target=Target.parse(target))
    varied = [one for plain in found.configs for one in found.varied(plain)]
    assert values([*found.configs, *varied]) == expected


def test_they_can_be_switched_off(monkeypatch: pytest.MonkeyPatch) -> None:
    input, other, output = (torch.zeros_like(one) for one in call(16, 16, 16))
    monkeypatch.setenv("NINETOOTHED_DISABLE_OPTIMIZATIONS", CHOICE)
    assert check(matmul.matmul_kernel, (input, other, output), output) == {0}


@pytest.mark.skipif(not compat.available(), reason="Triton is not installed")
@pytest.mark.parametrize("language", ["ttir", "triton-python"])
@pytest.mark.parametrize("target", ["sm_90", "sm_100"])
@pytest.mark.parametrize("is_full", [False, True])
def test_code_of_targets(target: str, language: Any, is_full: bool) -> None:
    """Both operands are copied by the unit for that, and the result is."""
    kernel = matmul.matmul_kernel
    signature = bind(kernel.definition.interface, call(64, 64, 64), {}).signature
    module, parsed = kernel.composed(signature), Target.parse(target)
    sizes = dict.fromkeys((name for name, _ in space(module, signature).configs[0].values), 64)
    counts = {
        value: assembly(
            compile_kernel(
                module,
                signature,
                Config(tuple(sizes.items()), 4, 3, ((CHOICE, value),) if value else ()),
                parsed,
                language,
                is_full,
            )
        )["ptx"].count("cp.async.bulk.tensor.2d")
        for value in (0, 1, 2)
    }
    assert counts[0] == 0
    assert counts[1] >= 4
    assert counts[2] == counts[1] + 1
