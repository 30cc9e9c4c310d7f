"""Programs of elements, against the offsets of all indices."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from ninetoothed import Tensor
from ninetoothed.layout import programs_of_elements as module
from ninetoothed.layout.programs_of_elements import program_count, programs_of_elements
from ninetoothed.testing.random_arrangements import Case, arrange, arrangements
from tests.support.profiles import cases as count


def listed(tensor: Tensor, corner: tuple[int, ...], programs: int | None = None) -> list[list[int]]:
    """The programs of every element of a corner, all of which are found."""
    programs = program_count([tensor.chain]) if programs is None else programs
    found = programs_of_elements([tensor.chain], corner, programs)
    assert found.is_complete
    return [numbers.tolist() for numbers in found.numbers]


@given(arrangements())
@settings(max_examples=count(200, 2_000))
def test_random_arrangements(case: Case) -> None:
    tensor: Any = arrange(case, Tensor(shape=case.shape), lambda value: value)
    offsets = case.model.offsets
    programs = math.prod(case.model.sizes(0))
    assert program_count([tensor.chain]) == programs
    rows = offsets.reshape((programs, -1)) if offsets.size else np.zeros((programs, 0))
    expected = [
        [program for program, row in enumerate(rows) if element in row]
        for element in range(math.prod(case.shape))
    ]
    assert listed(tensor, case.shape) == expected
    corner = tuple(size // 2 for size in case.shape)
    inside = np.arange(len(expected)).reshape(case.shape)[tuple(map(slice, corner))]
    assert listed(tensor, corner) == [expected[element] for element in inside.reshape(-1)]


def test_elements_behind_the_end_of_a_slice() -> None:
    """They are inside of the source, and the last tile has room for one."""
    tensor = Tensor(shape=(8,))[:5].tile((2,))
    assert listed(tensor, (8,)) == [[0], [0], [1], [1], [2], [], [], []]


def test_a_block_without_lanes() -> None:
    """No index depends on the dim that has none."""
    tensor: Any = Tensor(shape=(2,)).tile((1,))
    tensor.dtype = tensor.dtype[None][:-1]
    assert listed(tensor, (2,)) == [[], []]


def test_elements_behind_the_last_program() -> None:
    assert listed(Tensor(shape=(5,)).tile((2,)), (5,), programs=2) == [[0], [0], [1], [1], []]


def test_tensor_that_is_arranged_twice() -> None:
    x = Tensor(shape=(4,))
    chains = [x[::2].tile((1,)).chain, x[1:].tile((1,)).chain]
    found = programs_of_elements(chains, (4,), 2)
    assert [numbers.tolist() for numbers in found.numbers] == [[0], [0], [1], []]


def test_number_is_seen_by_all() -> None:
    number, x = Tensor(0), Tensor(shape=(6,)).tile((2,))
    assert program_count([number.chain, x.chain]) == 3
    assert listed(number, (), programs=3) == [[0, 1, 2]]
    assert program_count([number.chain]) == 1


def test_corner_of_large_tensors() -> None:
    """What cannot reach the corner is not gone through."""
    x = Tensor(shape=(1 << 20, 1 << 20)).tile((64, 64)).tile((1, -1)).expand((-1, 100))
    assert listed(x, (1, 2)) == [list(range(100))] * 2
    vector = Tensor(shape=(1 << 40,)).tile((1 << 30,))
    assert listed(vector, (1 << 10,)) == [[0]] * (1 << 10)


def test_remainders_are_narrowed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of programs whose number is divided, each value is tried: intervals tell nothing of it."""
    monkeypatch.setattr(module, "_MOST", 64)
    x = Tensor(shape=(8, 4)).tile((1, -1)).squeeze(1)
    x = x.unsqueeze(0).expand((8, -1)).flatten()
    assert listed(x, (1, 4)) == [list(range(0, 64, 8))] * 4


def test_too_many_indices(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that are gone through are some of the programs, and the result says so."""
    monkeypatch.setattr(module, "_MOST", 64)
    x = Tensor(shape=(2,)).tile((-1,)).expand((100,))
    found = programs_of_elements([x.chain], (2,), 100)
    assert not found.is_complete
    assert [numbers.tolist() for numbers in found.numbers] == [list(range(32))] * 2
