"""Rows that are loaded again behind a reduction: interpreted results are the same, bit for bit."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import pytest
import torch

import ninetoothed
import ninetoothed.language as ntl
from examples import layer_norm, rms_norm, softmax
from ninetoothed import Tensor
from ninetoothed.artifacts.configuration import Config
from ninetoothed.artifacts.target import Language, Target
from ninetoothed.compiler.compile import compile_kernel
from ninetoothed.interpreters import interpret
from ninetoothed.kernel.kernel import Kernel
from ninetoothed.runtime.toolchain.triton import compat
from ninetoothed.testing import check_kernel
from ninetoothed.verification.translation import validate
from tests.support.everywhere import lowered
from tests.support.offline import LANGUAGES
from tests.support.remarks import remarks_of

# Applications assign to their parameters, which is a store.
# pyright: reportUnusedVariable=false

PASS = "nt-reread-rows"
LEVELS = {"cpu": ("nt", "tt"), "cuda": "nt"}
REREAD = (("reread_rows", 1),)

Case = tuple[Kernel, Sequence[Any], torch.Tensor]
"""A kernel, the arguments of a call, and what its output must be."""


def made(example: Any, *ndims: int) -> Kernel:
    tensors = tuple(map(Tensor, ndims))
    return ninetoothed.make(example.arrangement, example.application, tensors, num_warps=8)


def of_softmax(x: torch.Tensor, y: torch.Tensor) -> Case:
    return made(softmax, 2, 2), (x, y), x.float().softmax(1)


def of_rms_norm(x: torch.Tensor, y: torch.Tensor) -> Case:
    weight = torch.randn(x.shape[1], device=x.device).to(x.dtype)
    scale = (x.float().square().mean(1, keepdim=True) + 1e-6).rsqrt()
    return made(rms_norm, 2, 1, 0, 2), (x, weight, 1e-6, y), x * scale * weight


def of_sum(x: torch.Tensor, y: torch.Tensor) -> Case:
    """The sum is stored, and what memory has made of it normalized."""
    arranged = rms_norm.add_arrangement, rms_norm.add_application
    tensors = tuple(map(Tensor, (2, 2, 1, 0, 2, 2)))
    kernel = ninetoothed.make(*arranged, tensors, num_warps=8)
    residual, weight = torch.randn_like(x), torch.randn_like(x[0])
    row = (x + residual).float()
    scale = (row.square().mean(1, keepdim=True) + 1e-6).rsqrt()
    return kernel, (x, residual, weight, 1e-6, y, torch.empty_like(y)), row * scale * weight


def of_layer_norm(x: torch.Tensor, y: torch.Tensor) -> Case:
    weight, bias = (torch.randn(x.shape[1], device=x.device).to(x.dtype) for _ in range(2))
    centred = x.float() - x.float().mean(1, keepdim=True)
    scale = (centred.square().mean(1, keepdim=True) + 1e-6).rsqrt()
    wanted = centred * scale * weight + bias
    return made(layer_norm, 2, 1, 1, 0, 2), (x, weight, bias, 1e-6, y), wanted


CASES = [of_softmax, of_rms_norm, of_sum, of_layer_norm]


def chosen(ran: list[Config]) -> set[int | None]:
    return {dict(config.choices).get("reread_rows") for config in ran}


# Rows of 4,096 lanes and of 8,192, all of them valid or the first ones.
@pytest.mark.parametrize("width", [4080, 4096, 4112, 8192])
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("dtype", [torch.float16, torch.float32])
def test_long_rows(device: str, case: Callable[..., Case], width: int, dtype: torch.dtype) -> None:
    x = torch.randn(3, width, device=device).to(dtype)
    kernel, values, wanted = case(x, torch.full_like(x, float("nan")))
    expected = {"output": wanted}
    ran = check_kernel(kernel, values, expected, levels=LEVELS[device], atol=1e-4)
    assert chosen(ran) == {None, 1}


@pytest.mark.parametrize(("width", "step"), [(2048, 1), (4093, 1), (4096, 3)])
def test_short_rows_and_rows_without_vectors_are_kept(width: int, step: int) -> None:
    x = torch.randn(2, step * width)[:, ::step]
    kernel, values, wanted = of_softmax(x, torch.empty(2, width))
    assert chosen(check_kernel(kernel, values, wanted, levels="tt")) == {None}


def loads(kernel: Kernel, values: Sequence[Any], output: torch.Tensor) -> tuple[int, int]:
    """How often a kernel loads with its rows kept, and with rows read again: each gives the bits
    that the other does.
    """
    results: list[torch.Tensor] = []
    counts: list[int] = []
    for choices in ((), REREAD):
        output.fill_(float("nan"))
        module, bound = lowered(kernel, values, Config((), 8, 3, choices))
        interpret(module, bound)
        results.append(output.clone())
        counts.append(str(module).count("tt.load"))
    assert torch.equal(results[0].view(torch.int16), results[1].view(torch.int16))
    kernel(*values)
    torch.testing.assert_close(results[0], output, equal_nan=True)
    return counts[0], counts[1]


# Numbers of lanes that no vector divides, and lanes that lie apart.
@pytest.mark.parametrize("width", [4093, 4095, 4096, 4097, 8191])
@pytest.mark.parametrize("step", [1, 3])
@pytest.mark.parametrize(
    ("case", "reads"), [*zip(CASES, [(1, 3), (2, 3), (3, 5), (3, 5)], strict=True)]
)
def test_bits_are_the_same(
    case: Callable[..., Case], reads: tuple[int, int], width: int, step: int
) -> None:
    x, y = (torch.randn(3, width * step) * 8).half()[:, ::step], torch.empty(3, width).half()
    kernel, values, _ = case(x, y)
    assert loads(kernel, values, y) == reads


def blocks(input: Any, output: Any) -> tuple[Any, ...]:
    """A program takes 4,096 lanes, however long a row is."""
    return input.tile((1, 4096)), output.tile((1, 4096))


def of_blocks() -> Kernel:
    return ninetoothed.make(blocks, softmax.application, (Tensor(2), Tensor(2)), num_warps=8)


@pytest.mark.parametrize("rows", [0, 1, 2])
@pytest.mark.parametrize("width", [0, 1, 31, 4095, 4096, 4097])
def test_blocks_of_which_few_lanes_are_valid(rows: int, width: int) -> None:
    x, y = torch.randn(rows, width).half(), torch.empty(rows, width).half()
    kept, reread = loads(of_blocks(), (x, y), y)
    # Rows of one lane have their boundary in a branch.
    assert (kept, reread) == ((2, 6) if width == 1 else (1, 3))


def vectors(input: Any, output: Any) -> tuple[Any, ...]:
    return input.tile((4096,)), output.tile((4096,))


def shares(input: Any, output: Any) -> None:
    output = input / ntl.sum(input)


def test_translation_validation() -> None:
    kernel = ninetoothed.make(vectors, shares, (Tensor(1), Tensor(1)), num_warps=8)
    signature = kernel.signature((torch.empty(80), torch.empty(80)), {})
    report = validate(kernel.definition, signature, Config((), 8, 3, REREAD))
    assert report.evaluated[PASS] == report.cases + report.full


@pytest.mark.parametrize("target", ["sm_80", "sm_90", "gfx942"])
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.skipif(not compat.available(), reason="needs Triton")
def test_triton_keeps_the_loads_apart(target: str, language: Language) -> None:
    if target == "gfx942" and compat.version().startswith("3.6."):
        pytest.skip("Triton 3.6 forgets the policies of buffer loads, and merges them")
    x = torch.empty(3, 8192).half()
    kernel, values, _ = of_softmax(x, torch.empty_like(x))
    signature = kernel.signature(values, {})
    parsed, config = Target.parse(target), Config((), 8, 3, REREAD)
    artifact = compile_kernel(kernel.composed(signature), signature, config, parsed, language)
    stages = ((name, str(made)) for name, made, _ in compat.stages(artifact))
    text = next(made for name, made in stages if name == "ttgir")
    assert len(re.findall(r"\b(?:tt\.load|buffer_load) ", text)) == 3


def scaled(input: Any, output: Any) -> None:
    output = input * ntl.sum(input, axis=1, keep_dims=True)


def in_four_parts(input: Any, output: Any) -> None:
    one = input * ntl.sum(input, axis=1, keep_dims=True)
    two = one * ntl.max(one, axis=1, keep_dims=True)
    output = two * ntl.min(two, axis=1, keep_dims=True)


def scanned(input: Any, output: Any) -> None:
    sums = ntl.cumsum(input, axis=1)
    output = sums * ntl.sum(sums, axis=1, keep_dims=True)


def with_an_own_random_stream(input: Any, output: Any) -> None:
    noisy = input * ntl.rand(7, input.offsets())
    output = noisy * ntl.sum(noisy, axis=1, keep_dims=True)


def remarks(application: Callable[..., None], x: torch.Tensor, y: torch.Tensor) -> list[str]:
    kernel = ninetoothed.make(blocks, application, (Tensor(2), Tensor(2)), num_warps=8)
    return remarks_of(kernel, PASS, x, y)


@pytest.mark.parametrize(
    ("application", "reason"),
    [
        (scaled, ""),
        (in_four_parts, "it would be read 4 times, and 3 loads differ by their hints"),
        (scanned, "nt.scan is not computed twice"),
        (with_an_own_random_stream, "over 16 operations would be computed twice"),
    ],
)
def test_remarks(application: Callable[..., None], reason: str) -> None:
    x, y = torch.empty(2, 4096), torch.empty(2, 4096)
    missed = f"missed: row of `input` kept over nt.reduce: {reason}"
    possible = "analysis: row of `input` kept over nt.reduce: reread_rows is 0, and may be 1"
    assert remarks(application, x, y) == [missed if reason else possible]


def test_a_row_that_is_overwritten_is_kept() -> None:
    # Whole numbers: any order of additions gives the same sum.
    x = torch.randint(-9, 9, (2, 4096)).float()
    assert remarks(scaled, x, x) == [
        "missed: row of `input` kept over nt.reduce: `input` may share memory with `output`"
    ]
    kernel = ninetoothed.make(blocks, scaled, (Tensor(2), Tensor(2)), num_warps=8)
    wanted = x * x.sum(1, keepdim=True)
    assert chosen(check_kernel(kernel, (x, x), {"output": wanted}, levels="tt")) == {None}


def rows_of_programs(input: Any, output: Any) -> tuple[Any, ...]:
    def arranged(one: Any) -> Any:
        found = one.tile((1, 4096)).tile((2, 1))
        found.dtype = found.dtype.squeeze(1)
        return found

    return arranged(input), arranged(output)


def row_by_row(input: Any, output: Any) -> None:
    for i in range(input.shape[0]):
        output[i] = input[i] * ntl.sum(input[i], axis=1, keep_dims=True)


@pytest.mark.parametrize("width", [80, 4096, 4112])
def test_rows_of_loops(device: str, width: int) -> None:
    """Read again in each iteration, unless those are staged."""
    x = torch.randn(5, width, device=device)
    tensors = (Tensor(2), Tensor(2))
    kernel = ninetoothed.make(rows_of_programs, row_by_row, tensors, num_warps=8)
    wanted = torch.cat([part * part.sum(1, keepdim=True) for part in x.split(4096, 1)], 1)
    values = (x, torch.empty_like(x))
    ran = check_kernel(kernel, values, wanted, levels=LEVELS[device], rtol=1e-4, atol=1e-3)
    assert chosen(ran) == {None, 1}
    for choices, reads in ((REREAD, 2), ((("loop_stages", 2), *REREAD), 1)):
        module, _ = lowered(kernel, values, Config((), 8, 3, choices))
        assert str(module).count("tt.load") == reads
