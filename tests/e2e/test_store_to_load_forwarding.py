"""What a program reads of what it has written itself: interpreted at `nt` and at `tt`, and on a GPU
by both backends, where threads would race without forwarding and barriers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
import torch

import ninetoothed
import ninetoothed.language as ntl
from ninetoothed import Symbol, Tensor
from ninetoothed.compiler.defaults import assumed_signature
from ninetoothed.interpreters import interpret
from ninetoothed.ir import nt
from ninetoothed.kernel.kernel import Kernel
from ninetoothed.runtime.toolchain.triton import compat
from tests.support import offline
from tests.support.everywhere import everywhere, lowered
from tests.support.targets import TARGETS

blocks = pytest.mark.parametrize("block", [1024, 1000, 32])

BLOCK = Symbol("BLOCK", constexpr=True)
SIZE = 2050


def numbers(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randint(-99, 99, shape, generator=torch.Generator().manual_seed(seed)) / 8


def equal(*pairs: tuple[torch.Tensor, torch.Tensor]) -> None:
    for result, expected in pairs:
        torch.testing.assert_close(
            result.cpu(), expected.to(result.dtype), rtol=0, atol=0, equal_nan=True
        )


def tiled(*tensors):
    return tuple(t.tile((BLOCK,)) for t in tensors)


def rows(*tensors):
    """A row of blocks a program."""
    found = [t.tile((1, BLOCK)).tile((1, -1)) for t in tensors]
    for t in found:
        t.dtype = t.dtype.squeeze(0)
        t.dtype.dtype = t.dtype.dtype.squeeze(0)
    return tuple(found)


def squeezed(*tensors):
    """A block of a row a program."""
    found = [t.tile((1, BLOCK)) for t in tensors]
    for t in found:
        t.dtype = t.dtype.squeeze(0)
    return tuple(found)


# One tensor a parameter.


def rounded(x, y, z):
    y = x / 3
    z = y * 3.0


@blocks
def test_what_is_read_was_rounded_as_memory_rounds(device: str, block: int) -> None:
    x = numbers(SIZE)
    half = (x / 3).half()
    everywhere(
        device,
        tiled,
        rounded,
        (x, torch.zeros(SIZE).half(), torch.zeros(SIZE)),
        lambda x, y, z: equal((y, half), (z, (half * 3.0).float())),
        BLOCK=block,
    )


def updated(x, y):
    y += x
    y *= 2
    y -= x


@blocks
def test_updates_follow_one_another(device: str, block: int) -> None:
    x, y = numbers(SIZE), numbers(SIZE, seed=1)
    everywhere(
        device,
        tiled,
        updated,
        (x, y),
        lambda _, result: equal((result, (y + x) * 2 - x)),
        BLOCK=block,
    )


def summed(x, y, total):
    y = x
    total = ntl.sum(y)


@pytest.mark.parametrize("other", [None, 3])
def test_lanes_that_were_not_stored(device: str, other: int | None) -> None:
    """They read ``other``, and without it they do not count."""
    x = torch.arange(20) % 7
    outside = (32 - 20) * (other or 0)
    everywhere(
        device,
        lambda x, y, total: (x.tile((32,)), y.tile((32,)), total.tile((1,))),
        summed,
        (x, torch.zeros_like(x), torch.zeros(1, dtype=torch.int64)),
        lambda x, y, total: equal((y, x.cpu()), (total, (x.sum() + outside).cpu().reshape(1))),
        tensors=(Tensor(1, other=100), Tensor(1, other=other), Tensor(1)),
    )


def reversed_blocks(x):
    x = ntl.flip(x)


@blocks
def test_lanes_change_places(device: str, block: int) -> None:
    x = numbers(4 * block)
    everywhere(
        device,
        tiled,
        reversed_blocks,
        (x,),
        lambda result: equal((result, x.reshape(4, block).flip(1).reshape(-1))),
        BLOCK=block,
    )


def exchanged(x, y):
    before = x
    x = y
    y = before


@blocks
def test_blocks_change_places(device: str, block: int) -> None:
    x, y = numbers(SIZE), numbers(SIZE, seed=1)
    everywhere(
        device, tiled, exchanged, (x, y), lambda one, two: equal((one, y), (two, x)), BLOCK=block
    )


# Loops and branches.


def running(x):
    for k in range(1, x.shape[0]):
        x[k] += x[k - 1]


def repeated(x, steps):
    for _ in range(steps):
        for k in range(x.shape[0]):
            x[k] = ntl.flip(x[k]) + k


def accumulated(x, y):
    y = ntl.zeros(y.shape, y.dtype)
    for k in range(x.shape[0]):
        y += x[k]


@blocks
def test_turns_read_what_the_ones_before_have_written(device: str, block: int) -> None:
    x = numbers(3, 4 * block)
    everywhere(
        device,
        rows,
        running,
        (x,),
        lambda result: equal((result, x.reshape(3, 4, block).cumsum(1).reshape(3, -1))),
        BLOCK=block,
    )


@blocks
def test_a_parameter_accumulates(device: str, block: int) -> None:
    """In its own type: each iteration rounds."""
    x = numbers(3, 4 * block)
    expected = torch.zeros(3, block).half()
    for part in x.reshape(3, 4, block).unbind(1):
        expected = (expected + part).half()
    everywhere(
        device,
        lambda x, y: (*rows(x), *squeezed(y)),
        accumulated,
        (x, torch.zeros(3, block).half()),
        lambda _, result: equal((result, expected)),
        BLOCK=block,
    )


@blocks
def test_loops_inside_loops(device: str, block: int) -> None:
    x = numbers(2, 3 * block)
    expected = x.reshape(2, 3, block)
    for _ in range(3):
        expected = expected.flip(2) + torch.arange(3)[:, None]
    everywhere(
        device,
        lambda x, steps: (*rows(x), steps),
        repeated,
        (x, 3),
        lambda result, _: equal((result, expected.reshape(2, -1))),
        tensors=(Tensor(2), Tensor(0, dtype="i32")),
        BLOCK=block,
    )


def sided(x, y, z):
    y = x
    if ntl.sum(x) > 0:
        y = ntl.flip(y) + 1
        x = y * 2
    else:
        x = y
    z = x + y


@blocks
def test_branches(device: str, block: int) -> None:
    x = numbers(6, block).reshape(-1)
    y = x.reshape(6, block)
    positive = y.sum(1, keepdim=True) > 0
    flipped = y.flip(1) + 1
    y, x_after = torch.where(positive, flipped, y), torch.where(positive, flipped * 2, y)
    everywhere(
        device,
        tiled,
        sided,
        (x, torch.zeros_like(x), torch.zeros_like(x)),
        lambda x, _, z: equal((x, x_after.reshape(-1)), (z, (x_after + y).reshape(-1))),
        BLOCK=block,
    )


# Pointers.


def through_pointers(x, y):
    x *= 2
    last = x.offsets(0) + ntl.flip(ntl.arange(0, 32)) - ntl.arange(0, 32)
    y = ntl.load(x.source.data_ptr() + last)
    ntl.store(x.source.data_ptr() + last, y)
    y += x


def test_pointers_see_what_was_stored(device: str) -> None:
    x = numbers(128)
    everywhere(
        device,
        lambda x, y: (x.tile((32,)), y.tile((32,))),
        through_pointers,
        (x, torch.zeros(128)),
        lambda result, y: equal(
            (result, 2 * x), (y, 2 * x + (2 * x).reshape(4, 32).flip(1).reshape(-1))
        ),
    )


# One tensor for several parameters.


def added(x, y, z):
    y = x + 1
    z = x * 2


def joined(x, y, z):
    z = x + y


def run(
    device: str,
    kernel: Kernel,
    arguments: Callable[[], Sequence[torch.Tensor]],
    check: Callable[..., None],
    **constexprs: int,
) -> None:
    """As ``everywhere``, for arguments that share memory."""
    if device == "cpu":
        values = arguments()
        interpret(*lowered(kernel, values, **constexprs))
        check(*values)
    values = arguments()
    kernel(*values, **constexprs)
    check(*values)


@blocks
@pytest.mark.parametrize("backend", ["ttir", "triton-python"])
def test_arguments_that_are_one_tensor(device: str, block: int, backend: str) -> None:
    """The second mention of x reads what y has become."""
    x = numbers(SIZE)
    kernel = ninetoothed.make(
        tiled,
        added,
        [Tensor(1) for _ in range(3)],
        backend=backend if device == "cuda" else None,
    )

    def apart() -> Sequence[torch.Tensor]:
        return (
            x.to(device, copy=True),
            torch.zeros(SIZE, device=device),
            torch.zeros(SIZE, device=device),
        )

    def together() -> Sequence[torch.Tensor]:
        tensor = x.to(device, copy=True)
        return tensor, tensor, torch.zeros(SIZE, device=device)

    run(device, kernel, apart, lambda _, y, z: equal((y, x + 1), (z, 2 * x)), BLOCK=block)
    run(device, kernel, together, lambda _, y, z: equal((y, x + 1), (z, 2 * x + 2)), BLOCK=block)

    def overwritten() -> Sequence[torch.Tensor]:
        tensor = torch.zeros(SIZE, device=device)
        return x.to(device, copy=True), tensor, tensor

    run(device, kernel, overwritten, lambda _, y, z: equal((y, 2 * x), (z, 2 * x)), BLOCK=block)


@pytest.mark.filterwarnings("ignore::ninetoothed.errors.OverlapWarning")
def test_arguments_that_overlap(device: str) -> None:
    """The halves of one buffer, and what lies across them."""
    kernel = ninetoothed.make(
        lambda x, y, z: tuple(t.tile((-1,)) for t in (x, y, z)),
        added,
        [Tensor(1) for _ in range(3)],
    )
    x = numbers(96)

    def parts() -> Sequence[torch.Tensor]:
        buffer = x.to(device, copy=True)
        return buffer[:64], buffer[32:], torch.zeros(64, device=device)

    changed = torch.cat([x[:32], x[:64] + 1])
    run(
        device,
        kernel,
        parts,
        lambda one, two, z: equal((one, changed[:64]), (two, changed[32:]), (z, 2 * changed[:64])),
    )


def test_only_what_is_written_makes_another_kernel() -> None:
    kernel = ninetoothed.make(tiled, added, [Tensor(1) for _ in range(3)])
    x, y, z = (numbers(40) for _ in range(3))
    memories: list[tuple[str | None, ...]] = []
    for values in ((x, y, z), (x, x, z), (x, y, x), (x, y, y)):
        call = kernel._bind(values, {"BLOCK": 32})  # pyright: ignore[reportPrivateUsage]
        memories.append(tuple(param.alias_set for param in call.signature.params))
    assert memories == [
        (None, None, None),
        (None, "x", None),
        (None, None, "x"),
        (None, None, "y"),
    ]
    reading = ninetoothed.make(tiled, joined, [Tensor(1) for _ in range(3)])
    call = reading._bind((x, x, z), {"BLOCK": 32})  # pyright: ignore[reportPrivateUsage]
    assert call.signature == reading._bind((x, y, z), {"BLOCK": 32}).signature  # pyright: ignore[reportPrivateUsage]


KERNELS: list[tuple[Callable[..., Any], Callable[..., Any], int]] = [
    (tiled, rounded, 3),
    (tiled, reversed_blocks, 1),
    (tiled, exchanged, 2),
    (tiled, sided, 3),
    (rows, running, 1),
    (tiled, through_pointers, 2),
]


@pytest.mark.skipif(not compat.available(), reason="Triton is not installed")
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("language", ["ttir", "triton-python"])
@pytest.mark.parametrize(
    "case", KERNELS, ids=[application.__name__ for _, application, _ in KERNELS]
)
def test_compiles(case: tuple[Any, Any, int], language: str, target: str) -> None:
    arrangement, application, count = case
    ndim = 2 if arrangement is rows else 1
    kernel = ninetoothed.make(arrangement, application, [Tensor(ndim) for _ in range(count)])
    signature = assumed_signature(kernel.definition, {}, {"BLOCK": 32})
    module = kernel.composed(signature)
    artifact = offline.compiled(kernel, target, language, constexprs={"BLOCK": 32})
    barriers = sum(isinstance(op, nt.BarrierOp) for op in module.walk())
    word = "gpu.barrier" if language == "ttir" else "tl.debug_barrier()"
    assert artifact.text.count(word) == barriers
