"""GPU time of attention by two warp groups that alternate, in Gluon, beside ours and cuDNN's.

    python -m benchmarks.warp_groups [--smoke]

In one instruction stream, tensor cores wait for the softmax, and it for them. ``groups`` is written
by hand, for lengths that blocks divide and no mask; ``ours`` is the example. It needs a Hopper GPU.
``--smoke`` calls ours alone where there is none, and times nothing.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Sequence

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

from benchmarks.operation import Call
from benchmarks.variants import compare
from examples.attention import attention

# The batch, heads, positions and dims.
SIZES = {
    "4 x 16 x 2048, dim 128": (4, 16, 2048, 128),
    "2 x 16 x 8192, dim 128": (2, 16, 8192, 128),
    "1 x 16 x 16384, dim 128": (1, 16, 16384, 128),
    "2 x 32 x 8192, dim 64": (2, 32, 8192, 64),
}
VARIANTS = ("ours", "groups", "cuDNN")


def calls(size: tuple[int, int, int, int], device: str) -> dict[str, Call]:
    """A call of each variant, whose results are the same."""
    query, key, value = (torch.randn(size, device=device).half() for _ in range(3))
    found: dict[str, Call] = {"ours": functools.partial(attention, query, key, value)}
    if device == "cuda":
        # Triton makes kernels when it is imported.
        from benchmarks.triton_kernels import gluon_attention

        def cudnn() -> torch.Tensor:
            with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
                return torch.nn.functional.scaled_dot_product_attention(query, key, value)

        found["groups"] = functools.partial(gluon_attention.attention, query, key, value)
        found["cuDNN"] = cudnn
        expected = cudnn()
        for call in found.values():
            torch.testing.assert_close(call(), expected, atol=5e-3, rtol=1e-2)
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Time all in turn, and print a table; returns the exit code."""

    def row(size: tuple[int, int, int, int], device: str, smoke: bool) -> dict[str, Call]:
        return calls((1, 2, 256, size[3]) if smoke else size, device)

    rows = {name: functools.partial(row, size) for name, size in SIZES.items()}
    return compare("warp_groups", rows, VARIANTS, arguments, over=("groups", "cuDNN"))


if __name__ == "__main__":
    sys.exit(main())
