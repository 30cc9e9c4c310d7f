"""Accesses: the names of index variables, the composed maps, and which guards remain."""

from __future__ import annotations

import pytest

from ninetoothed import Symbol, Tensor
from ninetoothed.layout.access import Access, compose, holds, index_names
from ninetoothed.layout.meta_op import Guard
from ninetoothed.symbolic.expr import const, divisors, evaluate, sym
from ninetoothed.symbolic.intervals import Range, declared_ranges
from ninetoothed.symbolic.normal_form import normalize

B, D = Symbol("B", constexpr=True), Symbol("D", constexpr=True)
BM, BK = Symbol("BM", meta=True), Symbol("BK", meta=True)


def access(tensor: Tensor) -> Access:
    """The access of an arranged tensor, under what its symbols declare."""
    exprs = tensor.chain.expressions
    return compose(tensor.chain.source.shape, tensor.chain.ops, declared_ranges(exprs))


def squeezed(tensor: Tensor, dim: int) -> Tensor:
    """``tensor`` with a dim of the level below removed."""
    view = tensor.dtype
    assert isinstance(view, Tensor)
    tensor.dtype = view.squeeze(dim)
    return tensor


def texts(found: Access) -> tuple[list[str], list[str]]:
    """The indices and the guards, as text."""
    return [str(index) for index in found.indices], [
        f"{guard.index} < {guard.size}" for guard in found.guards
    ]


def x(*shape: int | Symbol | None) -> Tensor:
    """A tensor named x."""
    return Tensor(shape=shape, name="x")


def test_index_names() -> None:
    size = const(4)
    assert index_names(((size,),)) == (("g0",),)
    assert index_names(((size, size), (size,))) == (("g0", "g1"), ("b0",))
    assert index_names(((), (size,), (size, size), (size,))) == (
        (),
        ("k1_0",),
        ("k2_0", "k2_1"),
        ("b0",),
    )


CASES: dict[str, tuple[Tensor, list[str], list[str]]] = {
    "source": (x(None), ["g0"], []),
    "tile": (x(None).tile((B,)), ["B * g0 + b0"], ["B * g0 + b0 < x_size_0"]),
    "tile that divides": (x(8).tile((4,)), ["b0 + g0 * 4"], []),
    "tile that does not divide": (x(9).tile((4,)), ["b0 + g0 * 4"], ["b0 + g0 * 4 < 9"]),
    "one program an element": (x(None).tile((1,)), ["g0"], []),
    "whole": (x(None).tile((-1,)), ["b0"], []),
    "whole rows": (
        x(None, None).tile((1, -1)),
        ["g0", "b1"],
        [],
    ),
    "floor": (x(9).tile((4,), floor_mode=True), ["b0 + g0 * 4"], []),
    "windows": (
        x(None).tile((3,), strides=(1,)),
        ["b0 + g0"],
        [],
    ),
    "expanded": (
        x(None, 1).tile((B, 1)).expand((-1, D)),
        ["B * g0 + b0", "0"],
        ["B * g0 + b0 < x_size_0"],
    ),
    "permuted": (
        x(None, None).permute((1, 0)).tile((B, 1)),
        ["g1", "B * g0 + b0"],
        ["B * g0 + b0 < x_size_1"],
    ),
    "flattened": (
        x(None, 4).flatten().tile((B,)),
        ["(B * g0 + b0) // 4", "(B * g0 + b0) % 4"],
        ["B * g0 + b0 < x_size_0 * 4"],
    ),
    "an index of the application": (
        squeezed(x(None, None).tile((1, B)).tile((1, D)), 0),
        ["g0", "B * D * g1 + B * k1_0 + b1"],
        ["k1_0 < D", "B * D * g1 + B * k1_0 + b1 < x_size_1"],
    ),
}


@pytest.mark.parametrize(("tensor", "indices", "guards"), CASES.values(), ids=CASES)
def test_compose(tensor: Tensor, indices: list[str], guards: list[str]) -> None:
    assert texts(access(tensor)) == (indices, guards)


def test_matmul_keeps_one_guard_a_dim() -> None:
    """The element's guard implies those of the blocks that it lies in."""
    tensor = x(None, None).tile((BM, BK)).tile((1, -1)).expand((-1, D))
    found = access(squeezed(tensor, 0))
    assert [str(guard.size) for guard in found.guards] == ["x_size_0", "x_size_1"]


def test_a_block_of_the_application_is_guarded_where_elements_do_not_say_it() -> None:
    # Windows overlap: an element behind the last window may well exist.
    found = access(squeezed(x(None, None).tile((1, 3), strides=(1, 1)).tile((1, -1)), 0))
    assert any(str(guard.index) == "k1_0" for guard in found.guards)


def test_declared_sizes_decide_guards() -> None:
    assert not access(x(64).tile((16,))).guards
    assert access(x(65).tile((16,))).guards
    fits = Tensor(1, shape_options={"upper_bound": 16}).tile((16,))
    assert [str(guard.index) for guard in access(fits).guards] == ["b0 + g0 * 16"]


def test_holds() -> None:
    index, size = sym("i"), sym("n")
    inside = {"i": Range(const(0), size - 1), "n": Range.of(0)}
    assert holds(Guard(index, size), inside)
    assert not holds(Guard(index + 1, size), inside)
    assert not holds(Guard(index - 1, size), inside)
    assert not holds(Guard(index, size), {})


def test_substitution_gives_the_access_of_numbers() -> None:
    found = access(x(None, None).tile((B, -1)))
    numbers = found.substitute({"x_size_0": 8, "x_size_1": 5, "B": 3})
    assert [[size.value for size in level] for level in numbers.levels] == [[3, 1], [3, 5]]
    assert texts(numbers) == (["b0 + g0 * 3", "b1"], ["b0 + g0 * 3 < 8"])


def test_substituting_no_elements_divides_by_nothing() -> None:
    found = access(x(None, None).flatten().tile((B,)))
    numbers = found.substitute({"x_size_0": 0, "x_size_1": 0})
    assert texts(numbers) == (["0", "0"], ["B * g0 + b0 < 0"])


def test_windows_longer_than_their_dim_are_none_where_symbols_cancel_out() -> None:
    padding = Symbol("padding", constexpr=True)
    windows = x(3).pad([(padding, -padding)]).tile((7,), strides=(3,), floor_mode=True)
    (count,) = access(windows).levels[0]
    assert normalize(count).value == 0


def test_an_empty_level_is_kept_out_without_a_division_by_its_size() -> None:
    # A row of one element holds no window of two, so the level of windows, flattened, is empty.
    x = Tensor(2)
    arranged = x.tile((1, 2), floor_mode=True).tile((-1, -1))
    below = arranged.dtype
    assert isinstance(below, Tensor)
    arranged.dtype = below.flatten()
    values = {size.args[0]: 1 for size in arranged.chain.source.shape}
    outside = [
        guard
        for guard in access(arranged).guards
        if not list(divisors(guard.index))
        and not 0 <= evaluate(guard.index, {"k1_0": 0}) < evaluate(guard.size, values)
    ]
    assert outside


def test_a_level_that_declared_bounds_prove_empty_is_composed() -> None:
    # Windows of two or more in rows of one: no program has one, whatever it makes of its index.
    size = Symbol("size", constexpr=True, lower_bound=2)
    arranged = Tensor(shape=(3, 1)).tile((1, size), floor_mode=True).flatten()
    below = arranged.dtype
    assert isinstance(below, Tensor)
    arranged.dtype = below.tile((1, B), strides=(1, 1))
    found = access(arranged)
    assert any(divisor.value == 0 for index in found.indices for divisor in divisors(index))
    assert str(normalize(found.levels[0][0])) == "1 // size * 3"
