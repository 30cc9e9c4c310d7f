"""GPU time of attention that masks the keys behind the last one itself, in each iteration.

    python -m benchmarks.own_masks [--smoke]

Both kernels loop over all blocks of keys. ``masked`` compares the positions of each block with the
number of keys; ``unmasked`` does not, which is right where blocks divide that number. There the
mask is proved to hold, and both take as long; elsewhere, only ``masked`` is right.
``--smoke`` calls each once, on CPU tensors where there is no GPU, and times nothing.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Sequence
from typing import Any

import torch

import ninetoothed
import ninetoothed.language as ntl
from benchmarks.operation import Call
from benchmarks.variants import compare
from ninetoothed import Tensor, block_size

_LOG2_E = 1.4426950408889634
_M, _N = block_size(lower_bound=16), block_size(lower_bound=16)
# Heads, positions and dims; the last has keys that no block divides.
SIZES = {"divides": (64, 4096, 64), "divides, dim 128": (32, 4096, 128), "odd": (64, 4099, 64)}


def _arrangement(query: Any, key: Any, value: Any, output: Any) -> Any:
    def blocks(tensor: Any) -> Any:
        arranged = tensor.tile((1, _M, -1))
        arranged.dtype = arranged.dtype.squeeze(0)
        return arranged

    def keys(tensor: Any) -> Any:
        arranged = tensor.tile((1, _N, -1)).tile((1, -1, 1)).expand((-1, queries.shape[1], -1))
        arranged.dtype = arranged.dtype.squeeze((0, 2))
        arranged.dtype.dtype = arranged.dtype.dtype.squeeze(0)
        return arranged

    queries = blocks(query)
    return queries, keys(key), keys(value), blocks(output)


def _attend(query: Any, key: Any, value: Any, is_masked: Any) -> Any:
    # Halves, as the product takes them.
    queries = ntl.cast(query * (query.shape[1] ** -0.5 * _LOG2_E), query.dtype)
    accumulator = ntl.zeros((query.shape[0], query.shape[1]), dtype=ntl.float32)
    largest = ntl.full((query.shape[0],), -1e30, dtype=ntl.float32)
    total = ntl.zeros((query.shape[0],), dtype=ntl.float32)
    for i in range(key.shape[0]):
        scores = ntl.dot(queries, ntl.trans(key[i]))
        if is_masked:
            inside = key[i].offsets(1) < key.source.shape[1]
            scores = ntl.where(inside[None, :], scores, float("-inf"))
        larger = ntl.maximum(largest, ntl.max(scores, axis=1))
        weights = ntl.exp2(scores - larger[:, None])
        correction = ntl.exp2(largest - larger)
        total = total * correction + ntl.sum(weights, axis=1)
        accumulator = accumulator * correction[:, None]
        accumulator += ntl.dot(ntl.cast(weights, value.dtype.dtype), value[i])
        largest = larger
    return accumulator / total[:, None]


def _masked(query: Any, key: Any, value: Any, output: Any) -> None:
    output = _attend(query, key, value, True)  # noqa: F841  # pyright: ignore[reportUnusedVariable]


def _unmasked(query: Any, key: Any, value: Any, output: Any) -> None:
    output = _attend(query, key, value, False)  # noqa: F841  # pyright: ignore[reportUnusedVariable]


VARIANTS = {"masked": _masked, "unmasked": _unmasked}


def calls(size: tuple[int, int, int], device: str) -> dict[str, Call]:
    """A call of each variant that is right for (heads, positions, dims), after a check of its
    result.
    """
    query, key, value = (torch.randn(size, device=device).half() for _ in range(3))
    options = (None, None, {"constexpr": True})
    tensors = [Tensor(3, shape_options=options, other=0) for _ in range(4)]
    expected = torch.nn.functional.scaled_dot_product_attention(query, key, value)
    found: dict[str, Call] = {}
    for name, application in VARIANTS.items():
        if name == "unmasked" and size[1] % 256:
            continue
        kernel = ninetoothed.make(_arrangement, application, tensors)
        output = torch.empty_like(query)
        found[name] = functools.partial(kernel, query, key, value, output)
        found[name]()
        torch.testing.assert_close(output, expected, atol=5e-3, rtol=1e-2)
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Time both in turn, and print a table; returns the exit code."""

    def row(size: tuple[int, int, int], device: str, smoke: bool) -> dict[str, Call]:
        if smoke:
            size = (1, 512 if size[1] % 256 == 0 else 67, size[2])
        return calls(size, device)

    rows = {name: functools.partial(row, size) for name, size in SIZES.items()}
    return compare("own_masks", rows, [*VARIANTS], arguments, over=("masked", "unmasked"))


if __name__ == "__main__":
    sys.exit(main())
