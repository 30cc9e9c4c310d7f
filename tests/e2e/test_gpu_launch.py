"""Launches on a GPU: streams, graphs, threads, devices, numbers by value, and many shapes."""

from __future__ import annotations

import gc
import threading
import tracemalloc
from collections.abc import Callable

import pytest
import torch

import ninetoothed
from examples import add, matmul
from ninetoothed import Symbol, Tensor
from ninetoothed.dtype import DTYPES
from ninetoothed.runtime.toolchain import pool

pytestmark = pytest.mark.gpu


def adding():
    return ninetoothed.make(add.arrangement, add.application, [Tensor(1) for _ in range(3)])


def pair(size: int, device: str = "cuda") -> tuple[torch.Tensor, torch.Tensor]:
    return torch.randn(size, device=device), torch.randn(size, device=device)


def in_threads(*works: Callable[[], None]) -> None:
    failures: list[BaseException] = []

    def run(work: Callable[[], None]) -> None:
        try:
            work()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


@pytest.mark.parametrize("warm", [False, True])
def test_a_thread_that_never_used_the_gpu(warm: bool) -> None:
    kernel = adding()
    lhs, rhs = pair(3000)
    output = torch.zeros_like(lhs)
    if warm:
        kernel(lhs, rhs, output)
        output.zero_()
    torch.cuda.synchronize()
    in_threads(lambda: kernel(lhs, rhs, output))
    torch.cuda.synchronize()
    assert torch.equal(output, lhs + rhs)


def test_threads_launch_at_once_on_streams_of_their_own() -> None:
    kernel = adding()
    rounds = 200

    def work(seed: int) -> None:
        with torch.cuda.stream(torch.cuda.Stream()):
            step = torch.full((10_000,), float(seed), device="cuda")
            output = torch.zeros_like(step)
            for _ in range(rounds):
                kernel(step, output, output)
            torch.cuda.current_stream().synchronize()
            assert output.eq(seed * rounds).all()

    in_threads(*(lambda seed=seed: work(seed) for seed in range(6)))


def test_threads_share_a_kernel_of_several_sizes() -> None:
    kernel = adding()

    def work(seed: int) -> None:
        for size in (100, 5000, 65536):
            lhs = torch.full((size,), float(seed), device="cuda")
            output = torch.empty_like(lhs)
            kernel(lhs, lhs, output)
            assert output.eq(2 * seed).all()

    in_threads(*(lambda seed=seed: work(seed) for seed in range(8)))


def test_a_graph_is_replayed_with_new_data() -> None:
    kernel = adding()
    lhs, rhs = pair(5000)
    output = torch.empty_like(lhs)
    for _ in range(2):
        kernel(lhs, rhs, output)
        kernel(output, rhs, output)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        kernel(lhs, rhs, output)
        kernel(output, rhs, output)
    for value in (1.0, 5.0):
        lhs.fill_(value)
        rhs.fill_(2.0)
        output.zero_()
        graph.replay()
        torch.cuda.synchronize()
        assert output.eq(value + 4.0).all()


def test_what_is_launched_goes_to_the_current_stream() -> None:
    kernel = adding()
    lhs, rhs = pair(1 << 20)
    output = torch.empty_like(lhs)
    kernel(lhs, rhs, output)
    for _ in range(2):
        torch.cuda.synchronize()
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream):
            torch.cuda._sleep(50_000_000)
            lhs.fill_(3.0)
            kernel(lhs, lhs, output)
        stream.synchronize()
        assert output.eq(6).all()


@pytest.mark.parametrize("inside", [False, True])
def test_two_devices(inside: bool) -> None:
    if torch.cuda.device_count() < 2:
        pytest.skip("there is one GPU")
    kernel = adding()
    for _ in range(3):
        for place in ("cuda:0", "cuda:1"):
            lhs, rhs = pair(3000, place)
            output = torch.empty_like(lhs)
            with torch.cuda.device(place if inside else "cuda:0"):
                before = torch.cuda.current_device()
                kernel(lhs, rhs, output)
                assert torch.cuda.current_device() == before
            assert torch.equal(output, lhs + rhs)


def number(value, out):
    out = value


def numbers(value, out):
    return value, out.tile((1,))


VALUES: dict[str, list[bool | int | float]] = {
    "bool": [True, False],
    "int": [3, -(2**7), 2**7 - 1],
    "uint": [3, 0, 2**8 - 1],
    "float": [0.1, -0.0, 1e-3, float("inf"), 65504.0],
}


@pytest.mark.parametrize("name", [row.name for row in DTYPES.values() if "fp8" not in row.name])
def test_numbers_by_value(name: str) -> None:
    row = DTYPES[name]
    values = list(VALUES[row.kind])
    if row.kind in ("int", "uint"):
        low = -(1 << (row.bits - 1)) if row.kind == "int" else 0
        values += [low, low + (1 << row.bits) - 1]
    kernel = ninetoothed.make(numbers, number, (Tensor(0, dtype=name), Tensor(1)))
    dtype = getattr(torch, row.torch)
    out = torch.zeros(1, device="cuda", dtype=dtype)
    for value in (*values, *values):
        kernel(value, out)
        assert torch.equal(out.cpu(), torch.tensor([value], dtype=dtype)), value


def test_a_thousand_shapes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two kernels, one of them for sizes that fill all blocks, and memory that does not grow."""
    compiled: list[int] = []
    real = pool.compile

    def compile(artifacts, *others):
        wanted = list(artifacts)
        compiled.append(len(wanted))
        return real(wanted, *others)

    monkeypatch.setattr(pool, "compile", compile)

    def arrangement(*tensors):
        return tuple(tensor.tile((256,)) for tensor in tensors)

    tensors = [Tensor(1) for _ in range(3)]
    kernel = ninetoothed.make(arrangement, add.application, tensors, num_warps=4, num_stages=1)
    data = torch.randn(3, 1 << 16, device="cuda")
    shapes = [16 * size for size in range(1, 1001)]

    def calls() -> None:
        for size in shapes:
            kernel(data[0, :size], data[1, :size], data[2, :size])

    calls()
    assert sum(compiled) <= 2
    gc.collect()
    tracemalloc.start()
    # The second time, calls are kept; the third time, each is given its guard.
    calls()
    calls()
    gc.collect()
    before = tracemalloc.get_traced_memory()[0]
    for _ in range(5):
        calls()
    gc.collect()
    assert tracemalloc.get_traced_memory()[0] - before < 100_000
    tracemalloc.stop()
    assert sum(compiled) <= 2
    assert torch.equal(data[2, : shapes[-1]], data[0, : shapes[-1]] + data[1, : shapes[-1]])


def blocks(a, b, c, rows=128, depth=64):
    c_tiled = c.tile((rows, rows))
    a_tiled = a.tile((rows, depth)).tile((1, -1)).expand((-1, c_tiled.shape[1]))
    a_tiled.dtype = a_tiled.dtype.squeeze(0)
    b_tiled = b.tile((depth, rows)).tile((-1, 1)).expand((c_tiled.shape[0], -1))
    b_tiled.dtype = b_tiled.dtype.squeeze(1)
    return a_tiled, b_tiled, c_tiled


def test_shared_memory_beyond_what_is_common() -> None:
    a, b = (torch.randn(512, 512, dtype=torch.float16, device="cuda") for _ in range(2))
    c = torch.empty(512, 512, dtype=torch.float32, device="cuda")
    tensors = [Tensor(2) for _ in range(3)]
    kernel = ninetoothed.make(blocks, matmul.application, tensors, num_warps=8, num_stages=4)
    for _ in range(2):
        kernel(a, b, c)
        torch.testing.assert_close(c.double(), a.double() @ b.double(), rtol=1e-2, atol=1e-1)


def increments(x):
    return x.tile((Symbol("BLOCK", constexpr=True),))


def increment(x):
    x += 1


def test_in_place_and_by_keyword() -> None:
    kernel = ninetoothed.make(increments, increment, (Tensor(1),))
    x = torch.zeros(3000, device="cuda")
    for _ in range(3):
        kernel(x, BLOCK=64)
        kernel(x=x, BLOCK=128)
    assert x.eq(6).all()
    sums = adding()
    lhs, rhs = torch.ones(3000, device="cuda"), torch.ones(3000, device="cuda")
    for _ in range(3):
        sums(lhs, rhs, lhs)
        sums(rhs=rhs, output=lhs, lhs=lhs)
    assert lhs.eq(7).all()
