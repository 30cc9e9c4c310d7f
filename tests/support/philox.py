"""Philox and what Triton makes of its bits, in NumPy: the reference of random numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

_KEYS = {32: (0x9E3779B9, 0xBB67AE85), 64: (0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B)}
_ROUNDS = {32: (0xD2511F53, 0xCD9E8D57), 64: (0xD2E7470EE14C6C93, 0xCA5A826395121157)}


def philox(seed: int, counters: Sequence[Array], rounds: int = 10) -> list[Array]:
    """Four arrays of random bits, as wide as the counters."""
    dtype = counters[0].dtype
    width = 8 * dtype.itemsize
    mask = (1 << width) - 1
    # Python's integers have room for whole products.
    c0, c1, c2, c3 = (counter.astype(object) for counter in counters)
    seed &= (1 << 64) - 1
    key = [seed & mask, seed >> 32 if width == 32 else 0]
    for _ in range(rounds):
        first, second = c0 * _ROUNDS[width][0], c2 * _ROUNDS[width][1]
        c0, c1 = (second >> width) ^ c1 ^ key[0], second & mask
        c2, c3 = (first >> width) ^ c3 ^ key[1], first & mask
        key = [(old + step) & mask for old, step in zip(key, _KEYS[width], strict=True)]
    return [np.asarray(counter, dtype=dtype) for counter in (c0, c1, c2, c3)]


def stream(seed: int, offsets: Array, rounds: int = 10) -> list[Array]:
    """Reference of ``randint4x``."""
    low = (offsets.astype(np.int64) & 0xFFFFFFFF).astype(np.uint32)
    zero = np.zeros_like(low)
    high = zero
    if offsets.dtype.itemsize == 8:
        high = (offsets.view(np.uint64) >> np.uint64(32)).astype(np.uint32)
    return philox(seed, [low, high, zero, zero], rounds)


def uniform(bits: Array) -> Array:
    """Bits as fp32 in [0, 1)."""
    signed = bits.view(np.int32)
    return np.where(signed < 0, ~signed, signed).astype(np.float32) * np.float32(4.6566127342e-10)


def normal(one: Array, two: Array) -> tuple[Array, Array]:
    """Two normal numbers from two uniform ones."""
    radius = np.sqrt(-2 * np.log(np.maximum(np.float32(1e-7), one).astype(np.float64)))
    angle = 2 * np.pi * two.astype(np.float64)
    return (
        (radius * np.cos(angle)).astype(np.float32),
        (radius * np.sin(angle)).astype(np.float32),
    )
