"""Split loops: each result is that of loops whose iterations all compare."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp

import ninetoothed
import ninetoothed.language as ntl
from examples.attention import no_sums
from ninetoothed import Tensor, block_size
from ninetoothed.artifacts.configuration import Config
from ninetoothed.calls.arguments import bind
from ninetoothed.compiler.compile import lower
from ninetoothed.compiler.space import space
from ninetoothed.interpreters import interpret
from ninetoothed.testing import check_kernel
from ninetoothed.verification.translation import validate
from tests.support.remarks import remarks_of

# Applications assign to their parameters, which is a store.
# pyright: reportUnusedVariable=false

PASS = "nt-split-loops"
LEVELS = {"cpu": ("nt", "tt"), "cuda": "nt"}
CONFIGS = {"cpu": 1, "cuda": 8}
WINDOW = 90
LARGE = block_size(lower_bound=16)
SMALL = block_size(lower_bound=16)


def arrangement(query, key, value, length, output):
    def rows(tensor):
        arranged = tensor.tile((1, LARGE, -1))
        arranged.dtype = arranged.dtype.squeeze(0)
        return arranged

    def blocks(tensor):
        arranged = tensor.tile((1, SMALL, -1)).tile((1, -1, -1)).expand((-1, programs, -1))
        arranged.dtype = arranged.dtype.squeeze((0, 2))
        arranged.dtype.dtype = arranged.dtype.dtype.squeeze(0)
        return arranged

    query_arranged = rows(query)
    programs = query_arranged.shape[1]
    return query_arranged, blocks(key), blocks(value), length, rows(output)


def causal(query, key, length):
    position = key.offsets(-2)[None, :]
    return (position < key.source.shape[-2]) & (position <= query.offsets(-2)[:, None])


def window(query, key, length):
    behind = query.offsets(-2)[:, None] - key.offsets(-2)[None, :]
    return (behind >= 0) & (behind < WINDOW) & (key.offsets(-2) < key.source.shape[-2])[None, :]


def given(query, key, length):
    """Of so many keys, a number that the call gives."""
    return (key.offsets(-2) < length)[None, :]


def negated(query, key, length):
    outside = (key.offsets(-2) >= key.source.shape[-2])[None, :]
    return ~(outside | (key.offsets(-2)[None, :] > query.offsets(-2)[:, None]))


def attend(seen: Any) -> Any:
    def application(query, key, value, length, output):
        accumulator, largest, total = no_sums(query, value)
        for i in range(key.shape[0]):
            scores = ntl.dot(query, ntl.trans(key[i]), input_precision="ieee")
            scores = ntl.where(seen(query, key[i], length), scores, float("-inf"))
            larger = ntl.maximum(largest, ntl.max(scores, axis=1))
            weights = ntl.exp(scores - larger[:, None])
            correction = ntl.exp(largest - larger)
            total = total * correction + ntl.sum(weights, axis=1)
            product = ntl.dot(
                ntl.cast(weights, value.dtype.dtype), value[i], input_precision="ieee"
            )
            accumulator = accumulator * correction[:, None] + product
            largest = larger
        output = accumulator / ntl.maximum(total, 1e-6)[:, None]

    return application


_DIM = {"constexpr": True}
TENSORS = tuple(Tensor(3, shape_options=(None, None, _DIM), other=0) for _ in range(3))
KERNELS = {
    seen.__name__: ninetoothed.make(
        arrangement,
        attend(seen),
        (*TENSORS, Tensor(0, dtype="i32"), Tensor(3, shape_options=(None, None, _DIM))),
        kernel_name=f"attention_{seen.__name__}",
    )
    for seen in (causal, window, given, negated)
}


def mask(name: str, queries: int, keys: int, length: int) -> torch.Tensor:
    behind = torch.arange(queries)[:, None] - torch.arange(keys)[None, :]
    if name == "given":
        return (torch.arange(keys) < length)[None, :].expand(queries, keys)
    return (behind >= 0) & (behind < (WINDOW if name == "window" else keys + queries))


def values(queries: int, keys: int, length: int, device: str) -> tuple[Any, ...]:
    dtype = torch.float16 if device == "cuda" else torch.float32
    query, key, value = (
        torch.randn(2, size, 32, device=device).to(dtype) for size in (queries, keys, keys)
    )
    return query, key, value, length, torch.empty_like(query)


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize(
    ("queries", "keys", "length"),
    [(128, 128, 128), (70, 150, 100), (33, 1, 0), (40, 0, 0)],
)
def test_attention(device: str, name: str, queries: int, keys: int, length: int) -> None:
    given = query, key, value, length, _ = values(queries, keys, length, device)
    seen = mask(name, queries, keys, length).to(device)
    scores = query.float() @ key.float().mT
    weights = torch.softmax(scores.where(seen, float("-inf")), -1).nan_to_num(0.0)
    expected = weights @ value.float()
    tolerances = {"rtol": 2e-3, "atol": 4e-3} if device == "cuda" else {"rtol": 1e-4, "atol": 1e-4}
    options = {"levels": LEVELS[device], "configs": CONFIGS[device], **tolerances}
    check_kernel(KERNELS[name], given, {"output": expected}, **options)


def lowered(name: str, given: tuple[Any, ...]) -> ModuleOp:
    """The kernel with blocks of 16 positions."""
    kernel = KERNELS[name]
    signature = bind(kernel.definition.interface, given, {}).signature
    module = kernel.composed(signature)
    blocks = tuple((block, 16) for block, _ in space(module, signature).configs[0].values)
    return lower(module, signature, Config(blocks, 4, 3))


def loops(module: ModuleOp) -> int:
    return sum(isinstance(op, scf.ForOp) for op in module.walk())


@pytest.mark.parametrize("name", KERNELS)
def test_results_are_the_same_bits(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    given = values(70, 150, 100, "cpu")
    found: list[torch.Tensor] = []
    for switched_off, count in (("", 3 if name == "window" else 2), ("split_loops", 1)):
        monkeypatch.setenv("NINETOOTHED_DISABLE_OPTIMIZATIONS", switched_off)
        module = lowered(name, given)
        assert loops(module) == count
        interpret(module, given, {}, written=(4,))
        found.append(given[-1].clone())
    assert torch.equal(*found)


@pytest.mark.parametrize(
    ("name", "limits"),
    [
        ("causal", ["below `key_size_1 floordiv 128`", "below `g1 * 2`"]),
        # Blocks of 256 queries and 128 keys are larger than what a query sees.
        ("window", []),
        ("given", ["below `length floordiv 128`"]),
        ("negated", ["below `key_size_1 floordiv 128`", "below `g1 * 2`"]),
    ],
)
def test_what_is_said(name: str, limits: list[str]) -> None:
    assert remarks_of(KERNELS[name], PASS, *values(70, 150, 100, "cpu")) == [
        f"passed: iterations {limit} run a copy without the comparison" for limit in limits
    ]


def behind(x, first, y):
    total = ntl.zeros((16, 16), dtype=ntl.float32)
    for i in range(x.shape[0]):
        kept = ntl.where((x[i].offsets(-2) > first)[:, None], x[i], 0.0)
        total += ntl.dot(kept, kept, input_precision="ieee")
    y = total


@pytest.mark.parametrize(("dtype", "is_split"), [("i32", True), ("i64", False)])
def test_numbers_of_64_bits(dtype: str, is_split: bool) -> None:
    """Sums with them might not fit."""

    def arranged(x, first, y):
        rows = x.tile((16, 16)).tile((-1, 1))
        rows.dtype = rows.dtype.squeeze(1)
        return rows, first, y.tile((16, 16))

    tensors = (Tensor(2, other=0), Tensor(0, dtype=dtype), Tensor(2))
    kernel = ninetoothed.make(arranged, behind, tensors)
    most = torch.iinfo(torch.int64 if dtype == "i64" else torch.int32).max
    x, y = torch.randn(40, 16), torch.empty(16, 16)
    for first in (-1, 17, most):
        expected = torch.zeros(16, 16)
        for start in (0, 16, 32):
            block = torch.zeros(16, 16)
            block[: len(x[start : start + 16])] = x[start : start + 16]
            block[torch.arange(start, start + 16) <= first] = 0
            expected += block @ block
        check_kernel(kernel, (x, first, y), {"y": expected}, levels=("nt", "tt"), atol=1e-4)
        assert bool(remarks_of(kernel, PASS, x, first, y)) is is_split


@pytest.mark.parametrize("name", ["window", "given"])
def test_no_access_changes(name: str) -> None:
    """A guard that goes holds."""
    kernel, given = KERNELS[name], values(70, 150, 100, "cpu")
    signature = bind(kernel.definition.interface, given, {}).signature
    blocks = tuple((block, 16) for block, _ in kernel.configs[0].values)
    assert validate(kernel.definition, signature, Config(blocks, 4, 3)).cases > 0
