"""Tensors as values: shapes, levels, and the two assignments."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
import torch

import ninetoothed
from ninetoothed import Symbol, Tensor
from ninetoothed.symbolic.expr import SymbolInfo

B, S = Symbol("B"), Symbol("S")


def below(tensor: Tensor) -> Tensor:
    """The next level."""
    level = tensor.dtype
    assert isinstance(level, Tensor)
    return level


def levels(tensor: Tensor) -> list[tuple[Any, ...]]:
    """The shapes of all levels."""
    found: list[tuple[Any, ...]] = []
    level: object = tensor
    while isinstance(level, Tensor):
        found.append(level.shape)
        level = level.dtype
    return found


def test_sizes_and_strides_are_named_by_the_tensor() -> None:
    t = Tensor(2, name="x")
    assert str(t.shape) == "(x_size_0, x_size_1)"
    assert str(t.strides) == "(x_stride_0, x_stride_1)"
    assert (t.ndim, t.name, t.dtype) == (2, "x", None)


def test_sizes_may_be_given() -> None:
    t = Tensor(shape=(4, None, S), name="x")
    assert str(t.shape) == "(4, x_size_1, S)"
    assert Tensor(0).shape == ()


@pytest.mark.parametrize("dtype", [ninetoothed.float16, torch.float16, "fp16"])
def test_element_types(dtype: object) -> None:
    assert Tensor(1, dtype=dtype).dtype == "fp16"
    assert Tensor(1, dtype=dtype).tile((B,)).innermost().dtype == "fp16"


def _rows(*rows: dict[str, Any] | None) -> list[dict[str, Any] | None]:
    return list(rows)


OPTIONS: list[tuple[Any, list[SymbolInfo]]] = [
    (None, [SymbolInfo("size", 0), SymbolInfo("size", 0)]),
    (
        {"constexpr": True},
        [SymbolInfo("constexpr size", 1, 1 << 20), SymbolInfo("constexpr size", 1, 1 << 20)],
    ),
    (_rows(None, {"upper_bound": 8}), [SymbolInfo("size", 0), SymbolInfo("size", 0, 8)]),
    (
        (row for row in _rows({"lower_bound": 2}, None)),
        [SymbolInfo("size", 2), SymbolInfo("size", 0)],
    ),
    (
        tuple(_rows({}, {"lower_bound": -3, "upper_bound": 9})),
        [SymbolInfo("size", 0), SymbolInfo("size", 0, 9)],
    ),
    (
        {"meta": True, "lower_bound": 4, "upper_bound": 8},
        [SymbolInfo("constexpr size", 4, 8, power_of_two=True)] * 2,
    ),
]


@pytest.mark.parametrize(
    ("options", "infos"), OPTIONS, ids=["none", "dict", "list", "generator", "tuple", "meta"]
)
def test_shape_options(options: Any, infos: list[SymbolInfo]) -> None:
    t = Tensor(2, shape_options=options)
    assert [size.args[1] for size in t.chain.source.shape] == infos


def _assigned(tensor: Tensor) -> Tensor:
    """``tensor`` with the levels below its first as one."""
    tensor.dtype = below(tensor).ravel()
    return tensor


OPERATIONS: dict[str, tuple[Callable[[Tensor], Tensor], list[tuple[Any, ...]]]] = {
    "tile": (lambda t: t.tile((1, 2, 3)), [(1, 2, 3), (1, 2, 3)]),
    "tile, whole": (lambda t: t.tile((-1, 4, -1)), [(1, 1, 1), (1, 4, 9)]),
    "tile, cut off": (lambda t: t.tile((1, 3, 4)), [(1, 2, 3), (1, 3, 4)]),
    "tile, floor": (lambda t: t.tile((1, 3, 4), floor_mode=True), [(1, 1, 2), (1, 3, 4)]),
    "tile, strides": (lambda t: t.tile((1, 2, 3), strides=(-1, 1, 2)), [(1, 3, 4), (1, 2, 3)]),
    "tile, dilation": (
        lambda t: t.tile((1, 2, 3), strides=(1, 1, 1), dilation=(1, 2, 4)),
        [(1, 2, 1), (1, 2, 3)],
    ),
    "tile twice": (lambda t: t.tile((1, 2, 2)).tile((1, 1, -1)), [(1, 2, 1), (1, 1, 5), (1, 2, 2)]),
    "expand": (lambda t: t.expand((5, -1, -1)), [(5, 4, 9)]),
    "expand to a symbol": (lambda t: t.expand((S, -1, 9)), [(S, 4, 9)]),
    "squeeze": (lambda t: t.squeeze(0), [(4, 9)]),
    "squeeze, negative": (lambda t: t.squeeze(-3), [(4, 9)]),
    "squeeze, list": (lambda t: t.unsqueeze(-1).squeeze([-1, 0]), [(4, 9)]),
    "squeeze, twice the same": (lambda t: t.squeeze((0, -3)), [(4, 9)]),
    "squeeze, none": (lambda t: t.squeeze(()), [(1, 4, 9)]),
    "unsqueeze": (lambda t: t.unsqueeze(1), [(1, 1, 4, 9)]),
    "unsqueeze, last": (lambda t: t.unsqueeze(-1), [(1, 4, 9, 1)]),
    "unsqueeze, negative": (lambda t: t.unsqueeze(-2), [(1, 4, 1, 9)]),
    "permute": (lambda t: t.permute((2, 0, 1)), [(9, 1, 4)]),
    "permute, negative": (lambda t: t.permute((-1, 0, -2)), [(9, 1, 4)]),
    "flatten": (lambda t: t.flatten(), [(36,)]),
    "flatten, end exclusive": (lambda t: t.flatten(0, 2), [(4, 9)]),
    "flatten, start": (lambda t: t.flatten(1), [(1, 36)]),
    "flatten, one dim": (lambda t: t.flatten(1, 2), [(1, 4, 9)]),
    "flatten, negative": (lambda t: t.flatten(-2, 3), [(1, 36)]),
    "flatten, negative end": (lambda t: t.flatten(end_dim=-1), [(4, 9)]),
    "ravel": (lambda t: t.ravel(), [(1, 4, 9)]),
    "ravel of levels": (lambda t: t.tile((1, 2, 3)).ravel(), [(1, 2, 3, 1, 2, 3)]),
    "ravel of a level below": (
        lambda t: _assigned(t.tile((1, 2, 3)).tile((1, 1, -1))),
        [(1, 2, 1), (1, 1, 3, 1, 2, 3)],
    ),
    "pad": (lambda t: t.pad(((0, 0), (1, 2), (-3, 1))), [(1, 7, 7)]),
    "pad, symbols": (lambda t: t.pad(((S, S), (0, 0), (0, -9))), [(1 + S + S, 4, 0)]),
    "pad, generator": (lambda t: t.pad((i, 0) for i in range(3)), [(1, 5, 11)]),
    "tile, one repeated block": (
        lambda t: t.tile((1, 3, -1), strides=(0, 0, -1)),
        [(1, 1, 1), (1, 3, 9)],
    ),
    "tile, longer than the dim": (
        lambda t: t.tile((1, 5, 9), strides=(1, 1, 1)),
        [(1, 0, 1), (1, 5, 9)],
    ),
    "index": (lambda t: t[0, 1:, ::-2], [(3, 5)]),
    "index, none": (lambda t: t[..., None, 0], [(1, 4, 1)]),
}


@pytest.mark.parametrize(("operation", "shapes"), OPERATIONS.values(), ids=OPERATIONS)
def test_operations(operation: Callable[[Tensor], Tensor], shapes: list[tuple[Any, ...]]) -> None:
    t = Tensor(shape=(1, 4, 9))
    before = t.chain
    assert levels(operation(t)) == shapes
    assert t.chain is before
    assert t.shape == (1, 4, 9)


@pytest.mark.parametrize(("operation", "shapes"), OPERATIONS.values(), ids=OPERATIONS)
def test_operations_on_a_level_below(
    operation: Callable[[Tensor], Tensor], shapes: list[tuple[Any, ...]]
) -> None:
    t = Tensor(shape=(2, 8, 18)).tile((1, 4, 9))
    before = t.chain
    view = below(t)
    new = operation(view)
    # An operation on a view copies; only the assignment writes.
    assert t.chain is before
    assert view.shape == (1, 4, 9)
    assert levels(new) == shapes
    t.dtype = new
    assert levels(t) == [(2, 2, 2), *shapes]


def test_symbolic_tile_counts_print_in_full() -> None:
    t = Tensor(1, name="x")
    assert str(t.tile((B,)).shape[0]) == "(x_size_0 - (B - 1) - 1 + B - 1) // B + 1"
    assert str(t.tile((B,), strides=(S,)).shape[0]) == "(x_size_0 - (B - 1) - 1 + S - 1) // S + 1"
    assert str(t.tile((B,), floor_mode=True).shape[0]) == "(x_size_0 - (B - 1) - 1) // B + 1"
    assert str(t.tile((B,), (S,), (3,), True).shape[0]) == "(x_size_0 - 3 * (B - 1) - 1) // S + 1"
    assert t.tile((-1,)).shape == (1,)
    assert t.tile((-1,)).innermost().shape == t.shape


PRINTED: dict[str, tuple[Callable[[Tensor], Tensor], str]] = {
    "expand": (lambda t: t.expand((S, -1)), "(S, x_size_1)"),
    "squeeze": (lambda t: t.squeeze(0), "(x_size_1,)"),
    "unsqueeze": (lambda t: t.unsqueeze(-1), "(x_size_0, x_size_1, 1)"),
    "permute": (lambda t: t.permute((1, 0)), "(x_size_1, x_size_0)"),
    "flatten": (lambda t: t.flatten(), "(x_size_0 * x_size_1,)"),
    "ravel": (lambda t: t.tile((1, -1)).squeeze(1).ravel(), "(COUNT, 1, x_size_1)"),
    "pad": (lambda t: t.pad(((1, S), (-1, 0))), "(x_size_0 + 1 + S, x_size_1 + -1)"),
    "index": (lambda t: t[1:, None, 3], "(x_size_0 - 1, 1)"),
    "one repeated block": (
        lambda t: t.tile((2, 2), strides=(0, 0)).expand((S, S)),
        "(S, S)",
    ),
    "windows": (lambda t: t.tile((3, -1), (1, -1)), "(x_size_0 - 2 - 1 + 1 - 1 + 1, 1)"),
    "windows in a row": (
        lambda t: t.tile((3, 1), (1, -1)).squeeze(1).pad(((1, 1),)),
        "(max(x_size_0 - 2 - 1 + 1 - 1 + 1, 0) + 1 + 1,)",
    ),
}


@pytest.mark.parametrize(("operation", "text"), PRINTED.values(), ids=PRINTED)
def test_symbolic_shapes_print_what_was_written(
    operation: Callable[[Tensor], Tensor], text: str
) -> None:
    # A count of blocks of one element prints in full.
    count = "x_size_0 - 1 + 1 - 1 + 1"
    assert str(operation(Tensor(2, name="x")).shape) == text.replace("COUNT", count)


def test_empty_tensors_are_arranged() -> None:
    t = Tensor(shape=(0, 3))
    assert levels(t.tile((2, 2))) == [(0, 2), (2, 2)]
    assert levels(t.tile((-1, 1))) == [(1, 3), (0, 1)]
    assert levels(t.tile((-1, 1), strides=(-1, -1), dilation=(2, 1))) == [(1, 3), (0, 1)]
    assert levels(t.flatten()) == [(0,)]


def test_size() -> None:
    t = Tensor(shape=(3, 4))
    assert t.size() == (3, 4)
    assert (t.size(0), t.size(-1)) == (3, 4)


def test_assigning_writes_through_to_the_level() -> None:
    t = Tensor(shape=(8, 8)).tile((2, 2)).tile((1, -1))
    assert levels(t) == [(4, 1), (1, 4), (2, 2)]
    t.dtype = below(t).squeeze(0)
    assert levels(t) == [(4, 1), (4,), (2, 2)]
    below(t).dtype = below(below(t)).flatten()
    assert levels(t) == [(4, 1), (4,), (4,)]
    t.innermost().dtype = "fp32"
    assert t.innermost().dtype == "fp32"


def test_views_see_each_others_assignments_and_copies_do_not() -> None:
    t = Tensor(shape=(8, 8)).tile((1, 8))
    other = t.expand((-1, 5))
    twin = copy.deepcopy(t)
    view = below(t)
    t.dtype = view.squeeze(0)
    assert view.shape == (8,)
    assert levels(t) == [(8, 1), (8,)]
    assert levels(twin) == levels(t.source.tile((1, 8))) == [(8, 1), (1, 8)]
    assert levels(other) == [(8, 5), (1, 8)]


def test_an_assignment_keeps_operations_on_outer_levels_since() -> None:
    t = Tensor(shape=(8, 8)).tile((1, 8))
    inner = below(t).squeeze(0)
    t = t.expand((-1, 3))
    t.dtype = inner
    assert levels(t) == [(8, 3), (8,)]


def test_the_shape_is_set_before_arranging() -> None:
    t = Tensor(2, name="x")
    t.shape = (*t.shape[:-1], 64)
    assert str(t.shape) == "(x_size_0, 64)"
    assert t.source.shape == t.shape


def test_setting_the_shape_leaves_what_was_arranged_before() -> None:
    t = Tensor(shape=(8,))
    arranged = t.tile((2,))
    t.shape = (16,)
    assert arranged.shape == (4,)
    assert t.tile((2,)).shape == (8,)


def test_the_source_is_the_argument() -> None:
    t = Tensor(2, name="x").tile((2, 2)).permute((1, 0))
    assert str(t.source.shape) == "(x_size_0, x_size_1)"
    assert t.source.name == below(t).name == copy.deepcopy(t).name == "x"


def test_copies_are_independent() -> None:
    t = Tensor(shape=(4, 4)).tile((1, 4))
    for twin in (copy.copy(t), copy.deepcopy(t), copy.deepcopy([t, t])[1]):
        twin.dtype = below(twin).squeeze(0)
        assert levels(twin) == [(4, 1), (4,)]
        assert levels(t) == [(4, 1), (1, 4)]


def test_one_tensor_in_two_branches() -> None:
    t = Tensor(shape=(4, 4))
    rows, columns = t.tile((1, -1)), t.tile((-1, 1))
    rows.dtype = below(rows).squeeze(0)
    expected = t.eval()
    assert levels(rows) == [(4, 1), (4,)]
    assert levels(columns) == [(1, 4), (4, 1)]
    assert (rows.eval()[:, 0] == expected).all()
    assert (expected == columns.eval()[0, :, :, 0].T).all()
    assert levels(t) == [(4, 4)]


def test_evaluating_in_between_changes_nothing() -> None:
    def arranged(look: bool) -> Tensor:
        t = Tensor(shape=(4, 6), name="x")
        steps: list[Callable[[Tensor], Tensor]] = [
            lambda t: t.pad(((1, 0), (0, 0))),
            lambda t: t.tile((2, 3), strides=(B, -1)),
            lambda t: t[::-1],
            _assigned,
        ]
        for step in steps:
            t = step(t)
            if look:
                t.eval({B: 2})
                t.subs({B: 1})
                assert copy.deepcopy(t).shape == t.shape
        return t

    assert arranged(look=True).chain == arranged(look=False).chain


def test_one_tensor_is_arranged_many_times() -> None:
    def arrangement(t: Tensor) -> Tensor:
        t = t.tile((2, 2)).tile((1, -1))
        t.dtype = below(t).squeeze(0)
        below(t).dtype = below(below(t)).ravel()
        return t

    t = Tensor(shape=(4, 4))
    first = arrangement(t)
    for _ in range(3):
        assert arrangement(t).chain == first.chain
    assert levels(t) == [(4, 4)]


def test_assigning_to_a_copy_of_a_level() -> None:
    t = Tensor(shape=(4, 4)).tile((1, 4))
    view = below(t)
    twin = copy.deepcopy(view)
    twin.dtype = "fp16"
    assert (twin.dtype, view.dtype, t.innermost().dtype) == ("fp16", None, None)
    t.dtype = twin.squeeze(0)
    assert levels(t) == [(4, 1), (4,)]
    assert levels(twin) == [(1, 4)]


def test_setting_the_shape_of_a_copy() -> None:
    t = Tensor(2, name="x")
    twin = copy.copy(t)
    twin.shape = (3, 4)
    assert str(t.shape) == "(x_size_0, x_size_1)"
    assert (twin.shape, twin.name) == ((3, 4), "x")
    twin.shape = (value for value in (5, S))
    assert str(twin.shape) == "(5, S)"


def test_every_option_of_a_tensor() -> None:
    t = Tensor(
        ndim=2,
        shape=[None, 3],
        dtype="bf16",
        jagged_dim=None,
        other=-1.5,
        shape_options={"upper_bound": 64},
        name="weights",
        allow_races=True,
    )
    source = t.chain.source
    assert str(t.shape) == "(weights_size_0, 3)"
    assert source.shape[0].args[1] == SymbolInfo("size", 0, 64)
    assert (source.name, source.dtype, source.other) == ("weights", "bf16", -1.5)
    assert (source.allow_races, source.constexpr, source.value) == (True, False, None)
    assert source.jagged_dim is None
    assert source.declared is not None
    assert source.declared.file == __file__


@pytest.mark.parametrize(
    ("options", "baked", "value"),
    [
        ({}, False, None),
        ({"constexpr": True}, True, None),
        ({"value": 3}, True, 3),
        ({"value": 0.5, "constexpr": True}, True, 0.5),
        ({"value": False}, True, False),
    ],
)
def test_scalars(options: dict[str, Any], baked: bool, value: Any) -> None:
    t = Tensor(0, **options)
    assert (t.shape, t.ndim) == ((), 0)
    assert t.chain.source.constexpr is baked
    assert t.chain.source.value is value


@pytest.mark.parametrize("dim", [1, 2, -1, -2])
def test_jagged_dims(dim: int) -> None:
    t = Tensor(3, jagged_dim=dim)
    assert t.chain.source.jagged_dim == dim % 3


def test_repr_names_the_levels() -> None:
    t = Tensor(shape=(4, 4), name="x").tile((2, 1))
    assert repr(t) == "Tensor(x: (2, 4) of (2, 1))"
