"""Division of blocks that hold negative numbers rounds to zero in each lane, also where one thread
has several lanes and Triton takes division for floor division.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
import torch

import ninetoothed
import ninetoothed.language as ntl
from ninetoothed.runtime.toolchain.triton import compat
from tests.support.everywhere import everywhere
from tests.support.idioms.idiom import declared
from tests.support.offline import artifacts
from tests.support.targets import TARGETS
from tests.support.ttir_stage import assembly

# Applications assign to their parameters, which is a store.
# pyright: reportUnusedVariable=false

LANES = 1024
"""So many that each thread has several that lie side by side."""


def whole(x: Any, y: Any) -> tuple[Any, Any]:
    return x.tile((2 * LANES,)), y.tile((LANES,))


def quotients(x: Any, y: Any) -> None:
    y = (ntl.arange(0, LANES) - LANES) // LANES


def remainders(x: Any, y: Any) -> None:
    y = (ntl.arange(0, LANES) - LANES) % LANES


def by_size(x: Any, y: Any) -> None:
    y = (ntl.arange(0, LANES) - LANES) // x.source.shape[0]


def at_quotients(x: Any, y: Any) -> None:
    y = x.source[LANES + (ntl.arange(0, LANES) - LANES) // 16]


def at_remainders(x: Any, y: Any) -> None:
    y = x.source[LANES + (ntl.arange(0, LANES) - LANES) % 16]


def behind_a_pad(x: Any, y: Any) -> tuple[Any, Any]:
    """A flat tensor behind a block of zeros, and what is computed of its lanes."""
    return x.flatten().pad(((LANES, 0),)).tile((LANES,)), y.tile((LANES,))


def rows(x: Any, y: Any) -> None:
    y = x.offsets(0)


def columns(x: Any, y: Any) -> None:
    y = x.offsets(1)


def rounded(divisor: int) -> torch.Tensor:
    return torch.div(torch.arange(-LANES, 0), divisor, rounding_mode="trunc").int()


NUMBERS = torch.arange(2 * LANES, dtype=torch.int32)
ZEROS = torch.zeros(LANES, dtype=torch.int32)
EXPECTED: dict[Callable[..., None], torch.Tensor] = {
    quotients: rounded(LANES),
    by_size: rounded(2 * LANES),
    remainders: torch.arange(-LANES, 0).fmod(LANES).int(),
    at_quotients: LANES + rounded(16),
    at_remainders: LANES + torch.arange(-LANES, 0).fmod(16).int(),
}


@pytest.mark.parametrize("application", EXPECTED, ids=lambda one: one.__name__)
def test_divisions(application: Callable[..., None], device: str) -> None:
    def check(x: torch.Tensor, y: torch.Tensor) -> None:
        assert torch.equal(y.cpu(), EXPECTED[application])

    everywhere(device, whole, application, (NUMBERS, ZEROS), check)


def matrix() -> torch.Tensor:
    """Rows of 48 numbers that lie apart, for dims of a contiguous tensor are one."""
    return torch.arange(64 * 64, dtype=torch.int32).reshape(64, 64)[:, :48]


@pytest.mark.parametrize("without", ["", "alignment_facts"])
@pytest.mark.parametrize("application", [rows, columns])
def test_indices_round_down(
    application: Callable[..., None], without: str, device: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NINETOOTHED_DISABLE_OPTIMIZATIONS", without)

    def check(x: torch.Tensor, y: torch.Tensor) -> None:
        flat = torch.arange(-LANES, len(y) - LANES)
        assert torch.equal(y.cpu(), (flat // 48 if application is rows else flat % 48).int())

    values = (matrix(), torch.zeros(4 * LANES, dtype=torch.int32))
    everywhere(device, behind_a_pad, application, values, check)


def llvm(
    arrangement: Callable[..., Any],
    application: Callable[..., None],
    values: Sequence[Any],
    target: str,
) -> Iterator[tuple[str, int]]:
    """LLVM's IR of a kernel from each language, and how many lanes each thread has."""
    kernel = ninetoothed.make(arrangement, application, declared(values))
    for artifact in artifacts(kernel, values, target):
        threads = artifact.config.num_warps * artifact.target.warp_size
        assert LANES // threads > 1
        yield assembly(artifact)["llir"], LANES // threads


@pytest.mark.skipif(not compat.available(), reason="needs Triton")
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    ("arrangement", "application"), [(whole, by_size), (behind_a_pad, rows)], ids=["block", "index"]
)
def test_each_lane_is_divided(
    arrangement: Callable[..., Any],
    application: Callable[..., None],
    target: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # With them, an index is right anyway: of each group that is one number, one lane is computed.
    monkeypatch.setenv("NINETOOTHED_DISABLE_OPTIMIZATIONS", "alignment_facts")
    values = (matrix() if arrangement is behind_a_pad else NUMBERS, ZEROS)
    for text, lanes in llvm(arrangement, application, values, target):
        widths = re.findall(r" sdiv (?:<(\d+) x )?i32", text)
        assert sum(int(width or 1) for width in widths) == lanes


@pytest.mark.skipif(not compat.available(), reason="needs Triton")
@pytest.mark.parametrize("target", TARGETS)
def test_each_lane_is_read(target: str) -> None:
    """Not several at once, from the first of the remainders on."""
    for text, lanes in llvm(whole, at_remainders, (NUMBERS, ZEROS), target):
        reads = re.findall(r"ld\.global\.\w+|call [^@]*@llvm.amdgcn.raw.ptr.buffer.load.\w+", text)
        assert len(reads) == lanes
