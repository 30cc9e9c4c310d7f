"""Rows of what reads and writes through pointers."""

from __future__ import annotations

import numpy as np

import ninetoothed.language as ntl
from ninetoothed import Tensor
from tests.rows.case import (
    MANY,
    NUMBERS,
    NUMBERS_AND_BITS,
    Array,
    Case,
    Layout,
    Result,
    Values,
)


def _sources(*tensors: Tensor) -> tuple[Tensor, ...]:
    """Blocks of the first; of the others every program has the source."""
    first, *others = tensors
    programs = -(-first.shape[0] // 48)
    return first.tile((48,)), *(other.tile((-1,)).expand((programs,)) for other in others)


SOURCES = Layout("sources", _sources, tuple(((n,),) for n in (MANY, 1, 3, 5, 0)))


def copy(x, loaded, stored):
    place = x.offsets(0)
    inside = place < x.source.shape[0]
    found = ntl.load(x.source.data_ptr() + place, mask=inside, other=0)
    ntl.store(loaded.source.data_ptr() + place, found, mask=inside)
    ntl.store(stored.source.data_ptr() + place, x, mask=inside & (place % 2 == 0))


def _copy(x: Array) -> tuple[Array, Array]:
    return x, np.where(np.arange(len(x)) % 2 == 0, x, np.ones_like(x))


def update(x, old, added, larger, smaller, exchanged):
    place = x.offsets(0)
    inside = place < x.source.shape[0]
    found = ntl.atomic_add(added.source.data_ptr() + place, x, mask=inside)
    ntl.store(old.source.data_ptr() + place, found, mask=inside)
    ntl.atomic_max(larger.source.data_ptr() + place, x, mask=inside)
    ntl.atomic_min(smaller.source.data_ptr() + place, x, mask=inside)
    ntl.atomic_xchg(exchanged.source.data_ptr() + place, x, mask=inside)


def _update(x: Array) -> tuple[Array, ...]:
    three = np.full_like(x, 3)
    return three, x + three, np.maximum(x, three), np.minimum(x, three), x


def update_bits(x, conjunction, disjunction, exclusive):
    place = x.offsets(0)
    inside = place < x.source.shape[0]
    ntl.atomic_and(conjunction.source.data_ptr() + place, x, mask=inside)
    ntl.atomic_or(disjunction.source.data_ptr() + place, x, mask=inside)
    ntl.atomic_xor(exclusive.source.data_ptr() + place, x, mask=inside)


def _update_bits(x: Array) -> tuple[Array, ...]:
    three = np.full_like(x, 3)
    return x & three, x | three, x ^ three


def contend(x, total):
    """Every lane of every program adds to one place."""
    ntl.atomic_add(total.source.data_ptr() + x * 0, x, mask=x.offsets(0) < x.source.shape[0])


def swap(x, expected, result, old):
    """Threes are put where ones are expected and found."""
    old = ntl.atomic_cas(result.source.data_ptr() + x.offsets(0), expected, x)


def _swap(x: Array, expected: Array) -> tuple[Array, Array]:
    three = np.full_like(x, 3)
    return np.where(expected == 3, x, three), three


def _swapping(x: Tensor, expected: Tensor, result: Tensor, old: Tensor) -> tuple[Tensor, ...]:
    programs = -(-x.shape[0] // 16)
    blocks = (tensor.tile((16,)) for tensor in (x, expected))
    return *blocks, result.tile((-1,)).expand((programs,)), old.tile((16,))


def _one_place(x: Tensor, total: Tensor) -> tuple[Tensor, ...]:
    return x.tile((48,)), total.tile((-1,)).expand((-(-x.shape[0] // 48),))


THREE = Result(start=3)
EXACT = Values(step=1 / 8, special=(np.inf, -np.inf))
WIDE = ("i32", "i64", "u32", "u64")
UPDATES = "atomic_add atomic_max atomic_min atomic_xchg"

CASES = (
    Case(
        *("load store", copy, _copy, (NUMBERS,), NUMBERS_AND_BITS, (SOURCES,)),
        results=(Result(), Result(start=1)),
    ),
    Case(UPDATES, update, _update, (EXACT,), ("fp32", "fp64"), (SOURCES,), THREE),
    Case(UPDATES, update, _update, (NUMBERS,), WIDE, (SOURCES,), THREE),
    Case(
        *("atomic_and atomic_or atomic_xor", update_bits, _update_bits, (NUMBERS,), WIDE),
        layouts=(SOURCES,),
        results=THREE,
    ),
    Case(
        *("atomic_add", contend, lambda x: np.array([x.sum(dtype=x.dtype)]), (NUMBERS,)),
        dtypes=("i32", "i64"),
        layouts=(Layout("contended", _one_place, tuple(((n,), (1,)) for n in (MANY, 3, 0))),),
        results=Result(start=0),
    ),
    Case(
        *("atomic_cas", swap, _swap, (NUMBERS, Values(2, 4, special=())), (*WIDE, "i16")),
        layouts=(Layout("swapping", _swapping, tuple(((n,),) for n in (48, 16, 0))),),
        results=(THREE, Result()),
    ),
)
