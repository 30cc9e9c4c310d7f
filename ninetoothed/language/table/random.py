"""Random numbers by Philox, a counter-based generator, with bit for bit Triton's stream.

These are composites, too. A seed and an offset give the same number on every backend, whatever the
block sizes.
"""

from __future__ import annotations

from typing import Any

import ninetoothed.language as ntl
from ninetoothed.dtype import INTEGERS, int32, int64, uint32, uint64
from ninetoothed.language.table.primitive import Primitive, composite

ROWS: list[Primitive] = []

_WIDE = (int64, uint64)


@composite(ROWS)
def philox_impl(c0: Any, c1: Any, c2: Any, c3: Any, k0: Any, k1: Any, n_rounds: Any = 10) -> Any:
    """``n_rounds`` rounds of Philox over the counters ``c0`` to ``c3``, all u32 or all u64, with
    the key ``k0, k1``: four blocks of bits.

    Example: ``ntl.philox_impl(u, u, u, u, u, u)``
    """
    ntl.static_assert(
        c0.dtype in (uint32, uint64),
        "the counters of ntl.philox_impl must be u32 or u64, not "
        + c0.dtype
        + "; call ntl.philox, which converts them",
    )
    wide = c0.dtype == uint64
    key_a = 0x9E3779B97F4A7C15 if wide else 0x9E3779B9
    key_b = 0xBB67AE8584CAA73B if wide else 0xBB67AE85
    round_a = 0xD2E7470EE14C6C93 if wide else 0xD2511F53
    round_b = 0xCA5A826395121157 if wide else 0xCD9E8D57
    for _ in ntl.static_range(n_rounds):
        old_c0, old_c2 = c0, c2
        c0 = ntl.umulhi(round_b, old_c2) ^ c1 ^ k0
        c2 = ntl.umulhi(round_a, old_c0) ^ c3 ^ k1
        c1 = round_b * old_c2
        c3 = round_a * old_c0
        k0 = k0 + key_a
        k1 = k1 + key_b
    return c0, c1, c2, c3


def _counter(c: Any, wide: Any) -> Any:
    """A counter as an unsigned integer."""
    ntl.static_assert(
        c.dtype in (_WIDE if wide else (int32, uint32)),
        "the counters of ntl.philox must be integers of 32 bits, or all of 64, not "
        + c.dtype
        + "; convert them first: ntl.cast(c, ntl.uint32)",
    )
    return c.to(uint64) if wide else c.to(uint32)


@composite(ROWS)
def philox(seed: Any, c0: Any, c1: Any, c2: Any, c3: Any, n_rounds: Any = 10) -> Any:
    """Four blocks of random bits for the counters ``c0`` to ``c3``: u32 for counters of 32 bits,
    u64 for counters of 64.

    Example: ``ntl.philox(42, i, i, i, i)``
    """
    ntl.static_assert(
        seed.dtype in INTEGERS,
        "the seed of random numbers must be an integer, not "
        + seed.dtype
        + "; convert it first: ntl.cast(seed, ntl.int64)",
    )
    wide = c0.dtype in _WIDE
    seed = seed.to(uint64)
    low = seed if wide else (seed & 0xFFFFFFFF).to(uint32)
    high = ntl.zeros((1,), uint64) if wide else ((seed >> 32) & 0xFFFFFFFF).to(uint32)
    return philox_impl(
        _counter(c0, wide),
        _counter(c1, wide),
        _counter(c2, wide),
        _counter(c3, wide),
        low,
        high,
        n_rounds,
    )


@composite(ROWS)
def randint4x(seed: Any, offset: Any, n_rounds: Any = 10) -> Any:
    """Four blocks of random u32, one number of each for each offset; the cheapest source of many.

    Example: ``ntl.randint4x(42, i)``
    """
    ntl.static_assert(
        offset.dtype in INTEGERS,
        "the offsets of random numbers must be integers, not "
        + offset.dtype
        + "; convert them first: ntl.cast(offsets, ntl.int32)",
    )
    low = offset.to(uint32)
    zero = low * 0
    high = (offset >> 32).to(uint32) if offset.dtype in _WIDE else zero
    return philox(seed, low, high, zero, zero, n_rounds)


@composite(ROWS)
def randint(seed: Any, offset: Any, n_rounds: Any = 10) -> Any:
    """Random u32, one for each offset. For several streams, ``randint4x`` costs less.

    Example: ``ntl.randint(42, i)``
    """
    found, _, _, _ = randint4x(seed, offset, n_rounds)
    return found


@composite(ROWS)
def uint_to_uniform_float(x: Any) -> Any:
    """Random integers of 32 or 64 bits as fp32, uniform in [0, 1).

    Example: ``ntl.uint_to_uniform_float(i)``
    """
    ntl.static_assert(
        x.dtype in (int32, uint32, int64, uint64),
        "ntl.uint_to_uniform_float takes integers of 32 or 64 bits, not "
        + x.dtype
        + "; convert them first: ntl.cast(x, ntl.uint32)",
    )
    wide = x.dtype in _WIDE
    x = x.to(int64) if wide else x.to(int32)
    # Such that the largest integer gives less than 1 when rounded.
    scale = 1.0842020432385337e-19 if wide else 4.6566127342e-10
    return ntl.where(x < 0, ~x, x) * scale


@composite(ROWS)
def rand(seed: Any, offset: Any, n_rounds: Any = 10) -> Any:
    """Random fp32, uniform in [0, 1), one for each offset; ``seed`` is an integer.

    Example: ``ntl.rand(42, i)``
    """
    return uint_to_uniform_float(randint(seed, offset, n_rounds))


@composite(ROWS)
def rand4x(seed: Any, offsets: Any, n_rounds: Any = 10) -> Any:
    """Four blocks of random fp32, uniform in [0, 1).

    Example: ``ntl.rand4x(42, i)``
    """
    i1, i2, i3, i4 = randint4x(seed, offsets, n_rounds)
    return (
        uint_to_uniform_float(i1),
        uint_to_uniform_float(i2),
        uint_to_uniform_float(i3),
        uint_to_uniform_float(i4),
    )


@composite(ROWS)
def pair_uniform_to_normal(u1: Any, u2: Any) -> Any:
    """Box-Muller transform: two blocks of normal numbers from two of uniform ones.

    Example: ``ntl.pair_uniform_to_normal(x, y)``
    """
    u1 = ntl.maximum(1.0e-7, u1)
    angle = 6.283185307179586 * u2
    radius = ntl.sqrt(-2.0 * ntl.log(u1))
    return radius * ntl.cos(angle), radius * ntl.sin(angle)


@composite(ROWS)
def randn(seed: Any, offset: Any, n_rounds: Any = 10) -> Any:
    """Random fp32, standard normal, one for each offset.

    Example: ``ntl.randn(42, i)``
    """
    i1, i2, _, _ = randint4x(seed, offset, n_rounds)
    found, _ = pair_uniform_to_normal(uint_to_uniform_float(i1), uint_to_uniform_float(i2))
    return found


@composite(ROWS)
def randn4x(seed: Any, offset: Any, n_rounds: Any = 10) -> Any:
    """Four blocks of random fp32, standard normal.

    Example: ``ntl.randn4x(42, i)``
    """
    u1, u2, u3, u4 = rand4x(seed, offset, n_rounds)
    n1, n2 = pair_uniform_to_normal(u1, u2)
    n3, n4 = pair_uniform_to_normal(u3, u4)
    return n1, n2, n3, n4
