"""Compares the Triton kernels for attention with torch, interpreted.

Run as a script, in a process of its own: what Triton's kernels are is decided when they are made.
"""

from __future__ import annotations

import functools
from types import ModuleType
from typing import Any, cast

import torch
from triton.runtime.autotuner import Autotuner, Config

from benchmarks.triton_kernels import attention, attention_backward
from examples.runner import Draw, gradients, raised, relative_error, results, tolerance_of

SIZES = (
    # The batch, heads, key heads, queries, keys and the dims of keys and values.
    (1, 1, 1, 5, 3, 16, 16),
    (1, 2, 2, 64, 64, 32, 32),
    (1, 4, 2, 37, 75, 24, 40),
    (1, 2, 1, 75, 37, 64, 64),
)
SMALL_BLOCKS = {"BLOCK_M": (16, 64), "BLOCK_N": (32, 16)}


def keep_one_configuration(module: ModuleType, choice: int) -> None:
    """Small blocks, with more queries or with more keys: large ones would be all there is."""
    for kernel in vars(module).values():
        if isinstance(kernel, Autotuner):
            names = cast("dict[str, int]", kernel.configs[0].kwargs)
            kernel.configs = [Config({name: SMALL_BLOCKS[name][choice] for name in names})]
            kernel.cache.clear()


def reference(
    query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, is_causal: bool
) -> torch.Tensor:
    """torch's attention."""
    return torch.nn.functional.scaled_dot_product_attention(
        query, key, value, is_causal=is_causal, enable_gqa=True
    )


def compare(dtype: torch.dtype, strided: bool, is_causal: bool, sizes: tuple[int, ...]) -> int:
    """Forward and backward at one size; how many results agree."""
    draw = Draw("cpu", dtype, strided)
    batch, heads, key_heads, m, n, dim, value_dim = sizes
    query, key = draw(batch, heads, m, dim), draw(batch, key_heads, n, dim)
    value, gradient = draw(batch, key_heads, n, value_dim), draw(batch, heads, m, value_dim)
    ours = functools.partial(attention.attention, is_causal=is_causal)
    torchs = functools.partial(reference, is_causal=is_causal)
    inputs: tuple[Any, ...] = (query, key, value)
    found = (*results(ours(*inputs)), *gradients(ours)(gradient, *inputs))
    inputs = tuple(map(raised, inputs))
    expected = (*results(torchs(*inputs)), *gradients(torchs)(gradient.double(), *inputs))
    for one, other in zip(found, expected, strict=True):
        error = relative_error(one, other)
        # In fp32, scores are rounded to that, too.
        if not error <= tolerance_of(one) * (4 if dtype is torch.float32 else 1):
            raise AssertionError(f"{dtype} {strided=} {is_causal=} {sizes}: error {error}")
    return len(found)


def main() -> None:
    """Run all; an error says what differs."""
    count = 0
    for choice, dtype, strided in ((0, torch.float32, False), (1, torch.float16, True)):
        for module in (attention, attention_backward):
            keep_one_configuration(module, choice)
        for is_causal in (False, True):
            for sizes in SIZES:
                count += compare(dtype, strided, is_causal, sizes)
    print(f"{count} results agree")


if __name__ == "__main__":
    main()
