"""GPU time of products and of a transformer's block on several GPUs, whose weights are split.

    torchrun --nproc-per-node 4 -m benchmarks.tensor_parallel [--smoke]
    python -m benchmarks.tensor_parallel --alone 4 [--smoke]

``product``: a product whose second matrix is split by columns, in each rank's part and as one
product on each GPU. ``block``: a norm, attention and a gated MLP, with two all-reduces; products
are ours or torch's, and all else is ours. Both are called on DTensors and checked. A block is timed
by itself, when the host waits for it, and in a row of them, when the host may run ahead. Ours and
torch's take turns.

``--alone`` times the part of one of so many ranks on one GPU, where all-reduces do nothing: what
the host and the kernels take. ``--smoke`` calls each once, on CPU tensors where there is no GPU,
and times nothing.
"""

# pyright: reportUnknownArgumentType=false, reportUnknownLambdaType=false
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false

from __future__ import annotations

import argparse
import os
import statistics
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh
from torch.distributed.tensor import DTensor, Replicate, Shard, distribute_tensor

import examples.attention
import examples.matmul
import examples.rms_norm
import examples.silu
import examples.swiglu
import ninetoothed
from benchmarks.tables import ratio, table
from ninetoothed import Tensor

Product = Callable[[Any, Any], Any]
Call = Callable[[], Any]

matmul = ninetoothed.make(
    examples.matmul.arrangement,
    examples.matmul.application,
    (Tensor(2), Tensor(2), Tensor(2)),
    outputs=("output",),
)
_rms_norm = ninetoothed.make(
    examples.rms_norm.arrangement,
    examples.rms_norm.application,
    (Tensor(2), Tensor(1), Tensor(0), Tensor(2)),
    outputs={"output": "input"},
)
_swiglu = ninetoothed.make(
    examples.silu.arrangement,
    examples.swiglu.application,
    tuple(Tensor(2) for _ in range(3)),
    outputs=("output",),
)
_ATTENTION = ("query", "key", "value", "is_causal", "scale", "output", "logsumexp")
_attention = ninetoothed.make(
    examples.attention.arrangement,
    examples.attention.application,
    tuple(getattr(examples.attention, name) for name in _ATTENTION),
    outputs={
        "output": "query",
        "logsumexp": lambda query: query.shape[:-1],
    },
)
PRODUCTS: dict[str, Product] = {"ninetoothed": matmul, "torch": torch.mm}


@dataclass(frozen=True)
class Size:
    """Sizes of a product, and of a block: ``batch`` sequences of ``length`` rows of ``heads`` heads
    of ``dim`` numbers.
    """

    product: int
    batch: int
    length: int
    heads: int
    dim: int


_ROW = 8
"""Blocks in a row."""
_WARM_UP = 5
"""Calls, or rows of them, before times are taken."""
LARGE = Size(8192, 4, 2048, 32, 128)
SMALL = Size(96, 2, 24, 4, 16)


def products(mesh: DeviceMesh, size: Size, dtype: torch.dtype) -> dict[str, tuple[Call, Call]]:
    """Of each provider the product whose columns are split, and that of whole matrices."""
    device = mesh.device_type
    lhs, rhs = (
        torch.randn(size.product, size.product, device=device, dtype=dtype) for _ in range(2)
    )
    whole, columns = distribute_tensor(lhs, mesh, [Replicate()]), _split(mesh, rhs, 1)
    lhs, rhs = whole.to_local(), distribute_tensor(rhs, mesh, [Replicate()]).to_local()
    found: dict[str, tuple[Call, Call]] = {}
    for name, product in PRODUCTS.items():
        found[name] = _calls(product, whole, columns), _calls(product, lhs, rhs)
        result = found[name][0]()
        _check(result.to_local(), lhs @ columns.to_local())
        if not _is_alone():
            _check(result.full_tensor(), lhs @ rhs)
    return found


def _is_alone() -> bool:
    """True if the other ranks do not exist."""
    return dist.get_backend() == "fake"


def _calls(product: Product, lhs: Any, rhs: Any) -> Call:
    return lambda: product(lhs, rhs)


def blocks(mesh: DeviceMesh, size: Size, dtype: torch.dtype) -> dict[str, Call]:
    """A call of a block for each provider of products."""
    width = size.heads * size.dim
    device = mesh.device_type

    def drawn(*shape: int) -> torch.Tensor:
        found = torch.randn(*shape, device=device, dtype=dtype)
        return found / shape[0] ** 0.5

    whole = [Replicate()]
    x = distribute_tensor(drawn(size.batch * size.length, width), mesh, whole)
    norms = [distribute_tensor(torch.ones(width, device=device, dtype=dtype), mesh, whole)] * 2
    queries, keys, values = (_split(mesh, drawn(width, width), 1) for _ in range(3))
    gates, ups = (_split(mesh, drawn(width, 4 * width), 1) for _ in range(2))
    joined, down = (_split(mesh, drawn(rows, width), 0) for rows in (width, 4 * width))

    def heads(rows: Any) -> Any:
        return rows.view(size.batch, size.length, size.heads, size.dim).transpose(1, 2)

    def block(product: Product) -> Any:
        normed = _rms_norm(x, norms[0], 1e-6)
        query, key, value = (heads(product(normed, one)) for one in (queries, keys, values))
        attended = _attention(query.unsqueeze(2), key, value, True, size.dim**-0.5)[0]
        attended = attended.squeeze(2).transpose(1, 2).reshape(size.batch * size.length, width)
        hidden = x + product(attended, joined).redistribute(placements=whole)
        normed = _rms_norm(hidden, norms[1], 1e-6)
        gated = _swiglu(product(normed, gates), product(normed, ups))
        return hidden + product(gated, down).redistribute(placements=whole)

    found: dict[str, Call] = {name: _block(block, one) for name, one in PRODUCTS.items()}
    ours, torchs = (call().to_local() for call in found.values())
    _check(ours, torchs)
    return found


def _block(block: Callable[[Product], Any], product: Product) -> Call:
    return lambda: block(product)


def _split(mesh: DeviceMesh, tensor: torch.Tensor, dim: int) -> Any:
    """A tensor of which each rank, having drawn all of it, takes its part: nobody sends it."""
    part = tensor.chunk(mesh.size(), dim)[mesh.get_local_rank()]
    return DTensor.from_local(part.contiguous(), mesh, [Shard(dim)])


def _check(found: torch.Tensor, expected: torch.Tensor) -> None:
    error = (found.float() - expected.float()).norm() / expected.float().norm()
    assert error < 1e-2, f"the results differ by {error.item()}"


def _times_us(calls: Sequence[Call], row: int = 1, samples: int = 30) -> list[float]:
    """The median times of calls that take turns, each in rows of so many; behind each row the host
    waits. All ranks make as many calls, for each waits for the others.
    """
    times: list[list[float]] = [[] for _ in calls]
    for sample in range(_WARM_UP + samples):
        for call, found in zip(calls, times, strict=True):
            start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            start.record()
            for _ in range(row):
                call()
            end.record()
            end.synchronize()
            if sample >= _WARM_UP:
                found.append(start.elapsed_time(end) * 1e3 / row)
    return [*map(statistics.median, times)]


def main(arguments: Sequence[str] | None = None) -> int:
    """Time all, and print a table on the first rank; returns the exit code."""
    parser = argparse.ArgumentParser(prog="torchrun -m benchmarks.tensor_parallel")
    parser.add_argument("--smoke", action="store_true", help="one call of each, without GPUs, too")
    text = "the part of one of so many ranks, without the others"
    parser.add_argument("--alone", type=int, metavar="RANKS", help=text)
    options = parser.parse_args(arguments)
    smoke: bool = options.smoke
    alone: int | None = options.alone
    if alone is not None and alone < 1:
        parser.error(f"--alone takes the number of ranks, from 1, not {alone}")
    on_gpu = torch.cuda.is_available()
    if alone is None and "RANK" not in os.environ:
        print("run it on several ranks, with torchrun; nothing was measured", file=sys.stderr)
        return 2
    if not on_gpu and not smoke:
        print("no GPU found: time on some is what is measured; nothing was", file=sys.stderr)
        return 2
    if alone is not None:
        dist.init_process_group("fake", rank=0, world_size=alone)
    elif on_gpu:
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    ranks = alone or int(os.environ["WORLD_SIZE"])
    mesh = init_device_mesh("cuda" if on_gpu else "cpu", (ranks,))
    torch.manual_seed(0)
    size, dtype = (SMALL, torch.float32) if smoke else (LARGE, torch.float16)
    split, whole = products(mesh, size, dtype), blocks(mesh, size, dtype)
    if not smoke:
        if alone is None:
            # From now on all ranks use the same configurations.
            ninetoothed.tuning.synchronize()
        columns, ones = zip(*split.values(), strict=True)
        block = [*whole.values()]
        times = _times_us(columns), _times_us(ones), _times_us(block), _times_us(block, _ROW)
        rows: list[list[str]] = []
        for name, *each in zip(PRODUCTS, *times, strict=True):
            rows.append([name, *(f"{time:.0f}" for time in each), ratio(each[1] / each[0])])
        if dist.get_rank() == 0:
            titles = ["products", f"on {ranks} GPUs, µs", "on one, µs"]
            titles += ["block, µs", "in a row, µs", "speedup"]
            print(table(titles, rows))
    elif dist.get_rank() == 0:
        print("called")
    dist.destroy_process_group()
    return 0


if __name__ == "__main__":
    sys.exit(main())
