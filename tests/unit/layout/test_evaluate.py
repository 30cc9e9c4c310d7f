"""``Tensor.eval`` and ``Tensor.subs``: numbers for symbols."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import torch

import ninetoothed
from ninetoothed import Symbol, Tensor, block_size
from ninetoothed.errors import ArrangementError
from tests.support import counting

B, S = Symbol("B"), Symbol("S")


def below(tensor: Tensor) -> Tensor:
    """The next level."""
    level = tensor.dtype
    assert isinstance(level, Tensor)
    return level


def rows(*values: Any) -> npt.NDArray[np.int64]:
    """An array of offsets."""
    return np.array(values, dtype=np.int64)


def same(found: npt.NDArray[np.int64], expected: npt.NDArray[np.int64]) -> None:
    """The offsets are these, of this shape, and 64-bit integers."""
    assert found.dtype == np.int64
    np.testing.assert_array_equal(found, expected, strict=True)


def test_a_source_is_its_offsets() -> None:
    same(Tensor(shape=(2, 3)).eval(), rows([0, 1, 2], [3, 4, 5]))
    same(Tensor(0).eval(), np.array(0, dtype=np.int64))
    same(Tensor(shape=(0, 3)).eval(), np.zeros((0, 3), np.int64))


def test_lanes_outside_are_minus_one() -> None:
    same(Tensor(shape=(5,)).tile((2,)).eval(), rows([0, 1], [2, 3], [4, -1]))
    same(Tensor(shape=(3,)).pad(((1, 2),)).eval(), rows(-1, 0, 1, 2, -1, -1))
    same(Tensor(shape=(3,)).pad(((-1, -1),)).eval(), rows(1))


def test_levels_are_concatenated() -> None:
    t = Tensor(shape=(2, 4)).tile((1, 2))
    assert t.eval().shape == (2, 2, 1, 2)
    same(t.ravel().eval(), t.eval())
    same(t.eval().reshape(4, 2), rows([0, 1], [2, 3], [4, 5], [6, 7]))


def test_a_block_that_is_repeated() -> None:
    t = Tensor(shape=(3,)).tile((2,), strides=(0,))
    assert t.shape == (1,)
    same(t.expand((3,)).eval(), rows([0, 1], [0, 1], [0, 1]))


def test_the_result_belongs_to_the_caller() -> None:
    t = Tensor(shape=(3,)).unsqueeze(0).expand((2, -1))
    found = t.eval()
    found[0, 0] = 7
    same(t.eval(), rows([0, 1, 2], [0, 1, 2]))


def test_tensors_and_symbols_are_given_values() -> None:
    t = Tensor(1)
    arranged = t.tile((B,))
    expected = rows([0, 1], [2, 3], [4, -1])
    for value in ({"shape": (5,)}, {"shape": [5]}, Tensor(shape=(5,)), torch.empty(5), np.empty(5)):
        same(arranged.eval({t: value, B: 2}), expected)
        same(ninetoothed.eval(arranged, {arranged: value, B: np.int64(2)}), expected)
        same(ninetoothed.subs(arranged, {t: value}).eval({B: 2}), expected)
    same(arranged.subs({t: {"shape": (S,)}}).eval({S: 5, B: 2}), expected)
    same(arranged.subs({B: S}).eval({S: 2, t: {"shape": (5,)}}), expected)
    same(arranged.eval({t.shape[0]: 5, B: 2}), expected)


def test_a_symbol_is_given_its_value_by_name() -> None:
    block = block_size()
    t = Tensor(shape=(4,)).tile((block,))
    same(t.eval({block: 2}), rows([0, 1], [2, 3]))
    meta = Symbol("META", meta=True)
    same(Tensor(shape=(2,)).tile((meta,)).eval({Symbol("META"): 2}), rows([0, 1]))


def test_subs_keeps_everything_else() -> None:
    t = Tensor(2, name="x", dtype="fp16", other=3)
    arranged = t.tile((B, -1)).permute((1, 0))
    found = arranged.subs({t: {"shape": (8, 4)}})
    assert str(found.shape) == "(1, (8 - (B - 1) - 1 + B - 1) // B + 1)"
    assert (found.name, found.innermost().dtype) == ("x", "fp16")
    assert found.chain.source.other == 3
    assert str(found.strides) == str(t.strides)
    assert found.subs({B: 3}).shape == (1, 3)
    assert arranged.subs({}).chain == arranged.chain
    assert str(arranged.shape) == "(1, (x_size_0 - (B - 1) - 1 + B - 1) // B + 1)"


def test_a_whole_dim_stays_whole_whichever_symbols_are_given_numbers_first() -> None:
    x = Tensor(2, name="x")
    # With one size known, the number of elements is a shorter expression.
    rest = x.pad(((-1, 0), (-1, 0))).flatten()
    for arranged in (rest.tile((-1,)), rest.tile((-1,), (-1,)), rest.expand(rest.shape)):
        partial = arranged.subs({x: {"shape": (S, 4)}})
        for size in (1, 2, 3):
            same(partial.eval({S: size}), arranged.eval({x: {"shape": (size, 4)}}))


def test_substitution_is_simultaneous() -> None:
    t = Tensor(shape=(12,)).tile((B,)).tile((S,))
    swapped = t.subs({B: S, S: B})
    assert (str(below(below(swapped)).shape), str(below(swapped).shape)) == ("(S,)", "(B,)")
    same(swapped.eval({S: 2, B: 3}), t.eval({B: 2, S: 3}))


def test_subs_of_a_level_is_that_level() -> None:
    t = Tensor(shape=(4, 4)).tile((B, 2))
    view = below(t).subs({B: 2})
    assert view.shape == (2, 2)
    assert str(below(t).shape) == "(B, 2)"
    t = t.subs({B: 2})
    t.dtype = below(t).flatten()
    assert t.eval().shape == (2, 2, 4)


def test_windows_that_do_not_fit_are_none() -> None:
    t = Tensor(2, name="x")
    windows = t.tile((5, 5), strides=(1, 1))
    assert windows.eval({t: {"shape": (2, 2)}}).shape == (0, 0, 5, 5)
    assert windows.flatten().eval({t: {"shape": (2, 2)}}).shape == (0, 5, 5)
    repeated = Tensor(shape=(1,)).expand((windows.shape[0],))
    for size, count in ((2, 0), (3, 0), (4, 0), (5, 1), (7, 3)):
        # -1 is no dim that is kept here.
        assert repeated.eval({t: {"shape": (size, 5)}}).shape == (count,)


def test_squeezed_and_expanded_dims_of_size_0_have_no_elements() -> None:
    x = Tensor(2, name="x")
    same(x.squeeze(0).eval({x: {"shape": (1, 3)}}), rows(0, 1, 2))
    same(x.squeeze(0).eval({x: {"shape": (0, 3)}}), rows(-1, -1, -1))
    same(x.expand((2, -1)).eval({x: {"shape": (0, 3)}}), rows([-1] * 3, [-1] * 3))
    # An empty dim that stays is none.
    assert x.expand((0, -1)).eval({x: {"shape": (0, 3)}}).shape == (0, 3)
    windows = x.tile((1, 5), strides=(1, 1)).squeeze(1)
    assert windows.eval({x: {"shape": (2, 3)}}).tolist() == [[[-1] * 5], [[-1] * 5]]


def test_sequences_of_dim_1() -> None:
    t = Tensor(3, jagged_dim=1)
    lengths = {t: {"shape": (3, (2, 0, 1), 2)}}
    expected = rows(
        [[0, 1], [2, 3]],
        [[-1, -1], [-1, -1]],
        [[4, 5], [-1, -1]],
    )
    same(t.eval(lengths), expected)
    blocks = t.tile((1, 2, -1)).eval(lengths)
    assert blocks.shape == (3, 1, 1, 1, 2, 2)
    same(blocks.reshape(3, 2, 2), expected)
    # What is behind the end of a sequence does not exist, whatever the longest one has there.
    same(t[:, 1:].eval(lengths).reshape(3, 2), rows([2, 3], [-1, -1], [-1, -1]))


def test_sequences_of_dim_2() -> None:
    t = Tensor(3, jagged_dim=2)
    expected = rows([[0, -1], [3, -1]], [[1, 2], [4, 5]])
    same(t.eval({t: {"shape": (2, 2, [1, 2])}}), expected)
    same(t.permute((2, 0, 1)).eval({t: {"shape": (2, 2, [1, 2])}}), expected.transpose(2, 0, 1))
    # Sequences lie one behind another in each row.
    same(t.eval({t: {"shape": (2, 2, 2)}}), rows([[0, 1], [4, 5]], [[2, 3], [6, 7]]))
    padded = t.tile((1, 1, 4)).eval({t: {"shape": (2, 2, (1, 2))}})
    same(padded.reshape(2, 2, 4)[..., :2], expected)
    assert (padded.reshape(2, 2, 4)[..., 2:] == -1).all()


def test_no_sequences() -> None:
    t = Tensor(2, jagged_dim=1)
    assert t.eval({t: {"shape": (0, ())}}).shape == (0, 0)
    assert t.eval({t: {"shape": (2, (0, 0))}}).shape == (2, 0)


def test_a_million_elements_execute_no_more_lines_than_a_hundred() -> None:
    t = Tensor(4)
    arranged = t.pad(((0, 0), (0, 0), (1, 1), (1, 1))).permute((0, 2, 3, 1)).flatten()[::-1]
    arranged = arranged.tile((B,)).tile((1,)).expand((-1,))

    def evaluated(shape: tuple[int, ...]) -> Any:
        return arranged.eval({t: {"shape": shape}, B: 64})

    assert evaluated((2, 2, 3, 3)).size < 200
    lines = counting.lines(lambda: evaluated((2, 3, 3, 3)))
    assert counting.lines(lambda: evaluated((10, 10, 98, 98))) < 1.2 * lines
    tracemalloc.start()
    found = evaluated((10, 10, 98, 98))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found.size >= 10**6
    assert (found >= 0).sum() == 10 * 10 * 98 * 98
    assert peak < 10 * found.nbytes


def test_values_may_be_given_twice() -> None:
    t = Tensor(1, name="x")
    same(t.eval({t: {"shape": (2,)}, t.shape[0]: 2}), rows(0, 1))


def test_impossible_operations_are_found_with_the_numbers() -> None:
    t = Tensor(2, name="x")
    with pytest.raises(ArrangementError, match=r"expand: dim 0 of \(4, 2\) has size 4"):
        t.expand((3, -1)).subs({t: {"shape": (4, 2)}})
    with pytest.raises(ArrangementError, match="would have the size -1"):
        t.pad(((-5, 0), (0, 0))).subs({t: {"shape": (4, 2)}})
    with pytest.raises(ArrangementError, match="a tile of size -1"):
        t.tile((B, -1)).subs({B: -1})
    with pytest.raises(ArrangementError, match="a stride of -3"):
        t.tile((2, 2), strides=(B, 1)).eval({t: {"shape": (4, 2)}, B: -3})
    with pytest.raises(ArrangementError, match="a dilation of 0"):
        t.tile((2, 2), dilation=(B, 1)).eval({t: {"shape": (4, 2)}, B: 0})
