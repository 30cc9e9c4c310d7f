"""``ninetoothed.debugging``: numbers of elements, and what every program sees of them."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

import pytest
import torch

import ninetoothed
from ninetoothed import Symbol, Tensor
from ninetoothed.debugging import simulate_arrangement
from ninetoothed.errors import DependencyError


def of(*shapes: tuple[int, ...]) -> tuple[Tensor, ...]:
    """Symbolic tensors of these shapes."""
    return tuple(Tensor(shape=shape) for shape in shapes)


def pairs(*tensors: Tensor) -> tuple[Tensor, ...]:
    """An arrangement: blocks of two elements of vectors."""
    return tuple(tensor.tile((2,)) for tensor in tensors)


def itself(x: Tensor) -> Tensor:
    """An arrangement that does nothing."""
    return x


def targets(arrangement: Callable[..., Any], *shapes: tuple[int, ...]) -> list[list[Any]]:
    """What programs see of tensors of these shapes."""
    _, found = simulate_arrangement(arrangement, of(*shapes))
    return [target.tolist() for target in found]


def test_matmul() -> None:
    def arrangement(lhs: Tensor, rhs: Tensor, output: Tensor, block: int = 2) -> Any:
        output = output.tile((block, block))
        lhs = lhs.tile((block, block)).tile((1, -1)).expand((-1, output.shape[1]))
        lhs.dtype = lhs.dtype.squeeze(0)  # pyright: ignore[reportOptionalMemberAccess, reportAttributeAccessIssue]
        rhs = rhs.tile((block, block)).tile((-1, 1)).expand((output.shape[0], -1))
        rhs.dtype = rhs.dtype.squeeze(1)  # pyright: ignore[reportOptionalMemberAccess, reportAttributeAccessIssue]
        return lhs, rhs, output

    sources, found = simulate_arrangement(arrangement, of((2, 3), (3, 4), (2, 4)))
    for source, shape in zip(sources, [(2, 3), (3, 4), (2, 4)], strict=True):
        assert torch.equal(source, torch.arange(source.numel()).reshape(shape))
    lhs, rhs, output = found
    assert all(target.dtype == torch.int64 for target in found)
    assert [target.shape for target in found] == [(2, 2, 2, 2), (2, 2, 2, 2), (2, 2, 2)]
    assert lhs.tolist() == [[[[0, 1], [3, 4]], [[2, -1], [5, -1]]]] * 2
    assert rhs[1].tolist() == [[[2, 3], [6, 7]], [[10, 11], [-1, -1]]]
    assert output.tolist() == [[[0, 1], [4, 5]], [[2, 3], [6, 7]]]


def test_programs_are_those_of_the_first_tensor() -> None:
    """Surplus programs see nothing, and what lies behind the last program is not reached."""
    assert targets(pairs, (5,), (3,), (8,)) == [
        [[0, 1], [2, 3], [4, -1]],
        [[0, 1], [2, -1], [-1, -1]],
        [[0, 1], [2, 3], [4, 5]],
    ]


def test_outermost_elements_are_counted_row_major() -> None:
    def arrangement(x: Tensor, y: Tensor) -> Any:
        return x.permute((1, 0)), y.tile((2,))

    assert targets(arrangement, (2, 3), (12,)) == [
        [0, 3, 1, 4, 2, 5],
        [[0, 1], [2, 3], [4, 5], [6, 7], [8, 9], [10, 11]],
    ]


def test_tensor_that_is_not_tiled_has_an_element_for_each_program() -> None:
    assert targets(itself, (2, 2)) == [[0, 1, 2, 3]]


def test_numbers_are_seen_by_all_programs() -> None:
    def arrangement(scale: Tensor, x: Tensor) -> Any:
        return scale, x.tile((2,))

    assert targets(arrangement, (), (4,)) == [[0, 0], [[0, 1], [2, 3]]]
    assert targets(itself, ()) == [[0]]


def test_arranged_tensor_of_no_dims_has_programs() -> None:
    def arrangement(x: Tensor, y: Tensor) -> Any:
        return x.unsqueeze(0).tile((1,)), y.tile((2,))

    assert targets(arrangement, (), (4,)) == [[[0]], [[0, 1]]]


def test_no_programs() -> None:
    (source,), (target,) = simulate_arrangement(pairs, of((0,)))
    assert (source.shape, target.shape) == ((0,), (0, 2))


def test_tensors_may_be_dropped_reordered_and_returned_twice() -> None:
    def arrangement(x: Tensor, dropped: Tensor, y: Tensor) -> Any:
        return y.tile((2,)), x.tile((3,)), y.tile((2,))

    sources, found = simulate_arrangement(arrangement, of((3,), (7,), (2,)))
    assert [source.shape for source in sources] == [(3,), (7,), (2,)]
    assert [target.tolist() for target in found] == [[[0, 1]], [[0, 1, 2]], [[0, 1]]]


def test_other_objects_reach_the_arrangement() -> None:
    def arrangement(x: Tensor, part: slice, block: int) -> Any:
        return x[part].tile((block,))

    sources, (target,) = simulate_arrangement(arrangement, (*of((8,)), slice(1, 6), 3))
    assert len(sources) == 1
    assert target.tolist() == [[1, 2, 3], [4, 5, -1]]


def test_tensors_are_left_as_they_are() -> None:
    (x,) = of((4,))
    simulate_arrangement(pairs, (x,))
    assert x.shape == (4,)
    assert not x.chain.ops


def test_block_size_of_a_partial() -> None:
    def arrangement(x: Tensor, block: Any = Symbol("BLOCK", meta=True)) -> Any:
        return x.tile((block,))

    given = functools.partial(arrangement, block=3)
    assert targets(given, (4,)) == [[[0, 1, 2], [3, -1, -1]]]


def test_device() -> None:
    (source,), (target,) = simulate_arrangement(pairs, of((4,)), device="meta")
    assert (source.device.type, target.device.type) == ("meta", "meta")


@pytest.mark.gpu
def test_gpu() -> None:
    (source,), (target,) = simulate_arrangement(pairs, of((4,)), device="cuda")
    assert torch.equal(source[target], target)


def test_torch_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(DependencyError) as caught:
        simulate_arrangement(pairs, of((4,)))
    assert caught.value.message == (
        "simulate_arrangement returns torch tensors, and torch is not installed; "
        "pip install ninetoothed[debugging]"
    )


def test_is_an_attribute_of_the_package() -> None:
    assert ninetoothed.debugging.simulate_arrangement is simulate_arrangement
    assert {"debugging", "generation", "visualization"} <= set(dir(ninetoothed))
