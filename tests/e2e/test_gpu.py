"""What only a GPU can show: configurations that do not fit, tuning that is not seen, caches."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

import ninetoothed
import ninetoothed.language as ntl
from examples import matmul
from examples.add import add_kernel
from ninetoothed import Symbol, Tensor
from ninetoothed.errors import ConfigurationError, DeviceError

pytestmark = pytest.mark.gpu

ROOT = Path(__file__).parents[2]


def square_blocks(a, b, c, block):
    c_tiled = c.tile((block, block))
    a_tiled = a.tile((block, block)).tile((1, -1)).expand((-1, c_tiled.shape[1]))
    a_tiled.dtype = a_tiled.dtype.squeeze(0)
    b_tiled = b.tile((block, block)).tile((-1, 1)).expand((c_tiled.shape[0], -1))
    b_tiled.dtype = b_tiled.dtype.squeeze(1)
    return a_tiled, b_tiled, c_tiled


def too_large(a, b, c):
    return square_blocks(a, b, c, 256)


def partly_too_large(a, b, c):
    block = Symbol("BLOCK", meta=True, lower_bound=32, upper_bound=128)
    return square_blocks(a, b, c, block)


def matrices(size: int, dtype: torch.dtype) -> tuple[torch.Tensor, ...]:
    a, b = (torch.randn(size, size, dtype=dtype, device="cuda") for _ in range(2))
    return a, b, torch.full((size, size), float("nan"), dtype=torch.float32, device="cuda")


def test_what_does_not_fit_is_named() -> None:
    kernel = ninetoothed.make(too_large, matmul.application, [Tensor(2) for _ in range(3)])
    with pytest.raises(ConfigurationError) as caught:
        kernel(*matrices(512, torch.float32))
    assert "num_warps=8, num_stages=" in str(caught.value)
    assert "a program needs 1048576 bytes of shared memory" in str(caught.value)


def test_the_next_configuration_is_tried() -> None:
    """Six stages of the largest blocks need more shared memory than there is."""
    kernel = ninetoothed.make(
        partly_too_large, matmul.application, [Tensor(2) for _ in range(3)], num_stages=6
    )
    a, b, c = matrices(512, torch.float32)
    kernel(a, b, c)
    torch.testing.assert_close(c.double(), a.double() @ b.double(), rtol=1e-2, atol=1e-1)


def increments(x):
    return x.tile((Symbol("BLOCK", meta=True),))


def increment(x):
    x += 1


def test_tuning_is_not_seen() -> None:
    kernel = ninetoothed.make(increments, increment, (Tensor(1),))
    x = torch.zeros(100_003, device="cuda")
    kernel(x)
    assert x.eq(1).all()
    assert kernel.best_config(x) is not None
    kernel(x)
    assert x.eq(2).all()


def test_tensors_on_different_devices() -> None:
    x = torch.randn(10, device="cuda")
    with pytest.raises(DeviceError, match="lhs is on cuda:0, but rhs is on cpu"):
        add_kernel(x, x.cpu(), x)


SCRIPT = """
import torch
from examples.matmul import matmul, matmul_kernel
a = torch.randn(300, 300, device="cuda", dtype=torch.float16)
expected = a.double() @ a.double()
assert (matmul(a, a).double() - expected).norm() / expected.norm() < 1e-3
print(matmul_kernel.best_config(a, a, a))
"""


def test_a_second_process_finds_everything_on_disk(tmp_path: Path) -> None:
    environment = os.environ | {"NINETOOTHED_CACHE_DIR": str(tmp_path)}

    def files() -> dict[str, int]:
        return {str(p): p.stat().st_mtime_ns for p in tmp_path.rglob("*") if p.is_file()}

    outputs: list[str] = []
    states: list[dict[str, int]] = []
    for _ in range(2):
        result = subprocess.run(
            [sys.executable, "-c", SCRIPT],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert result.returncode == 0, result.stderr
        outputs.append(result.stdout)
        states.append(files())
    assert outputs[0] == outputs[1]
    assert states[0] == states[1]
    assert states[0]


def softmax_of_columns(x, out):
    y = ntl.cast(x, ntl.float32)
    e = ntl.exp(y - ntl.max(y, axis=0, keep_dims=True))
    out = e / ntl.sum(e, axis=0, keep_dims=True)


def columns(x, out):
    block = Symbol("BLOCK", meta=True, upper_bound=64)
    return x.tile((-1, block)), out.tile((-1, block))


@pytest.mark.parametrize("rows", [1, 100, 257])
def test_meta_symbols_beside_sizes_of_the_call(rows: int) -> None:
    kernel = ninetoothed.make(columns, softmax_of_columns, (Tensor(2), Tensor(2)))
    x = torch.randn(rows, 1000, device="cuda")
    out = torch.empty_like(x)
    kernel(x, out)
    torch.testing.assert_close(out, torch.softmax(x, dim=0))
