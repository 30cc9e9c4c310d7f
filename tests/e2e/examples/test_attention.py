"""Attention, its gradients and attention over jagged tensors."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
import torch

from examples import attention, jagged_attention
from examples.runner import Draw, gradients, relative_error, results, tolerance_of
from ninetoothed.errors import ArgumentError
from ninetoothed.kernel.kernel import Kernel
from tests.support import offline
from tests.support.examples import CPU, GPU, Load, Place, every_place, kinds
from tests.support.targets import FEW_TARGETS

Sizes = tuple[int, int, int, int, int, int]
"""The batch, heads, key heads, queries, keys and the dim of a head."""

SMALL: tuple[Sizes, ...] = ((1, 2, 1, 37, 75, 24), (2, 1, 1, 35, 17, 64))
LARGE: tuple[Sizes, ...] = ((1, 8, 2, 1999, 1999, 128), (1, 4, 4, 777, 2049, 64))
LARGE_HEADS: tuple[Sizes, ...] = ((1, 2, 2, 300, 131, 256),)

causal = pytest.mark.parametrize("is_causal", [False, True], ids=["all", "causal"])


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """On the CPU there is else one block of all positions."""
    monkeypatch.setenv("NINETOOTHED_INTERPRET_LANES", "2048")


@pytest.fixture
def dtype() -> torch.dtype:
    """The element type of what ``draw`` draws, unless a test names its own."""
    return torch.float16


def sizes(place: Place, dtype: torch.dtype) -> Sequence[Sizes]:
    """Few on a GPU, where each compiles four kernels."""
    if place == CPU:
        return SMALL
    return LARGE + LARGE_HEADS if place == GPU and dtype is torch.float16 else LARGE[:1]


def inputs(draw: Draw, sizes: Sizes, value_dim: int | None = None) -> tuple[torch.Tensor, ...]:
    """Query, key and value."""
    batch, heads, key_heads, m, n, dim = sizes
    return (
        draw(batch, heads, m, dim),
        draw(batch, key_heads, n, dim),
        draw(batch, key_heads, n, value_dim or dim),
    )


def gradient_of(draw: Draw, query: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
    return draw(*query.shape[:-1], value.shape[-1])


def reference(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    is_causal: bool = False,
    scale: float | None = None,
) -> torch.Tensor:
    return torch.nn.functional.scaled_dot_product_attention(
        query, key, value, is_causal=is_causal, scale=scale, enable_gqa=True
    )


def tolerance(result: torch.Tensor) -> float:
    """In fp32, scores are rounded to that, too, and their powers are as wrong as they are large."""
    return tolerance_of(result) * (4 if result.dtype is torch.float32 else 1)


def check(
    function: Callable[..., Any], wanted: Callable[..., Any], tensors: Sequence[Any], *options: Any
) -> None:
    """The function's results are those of ``wanted`` in float64."""
    found = results(function(*tensors, *options))
    expected = results(wanted(*(tensor.double() for tensor in tensors), *options))
    for one, two in zip(found, expected, strict=True):
        assert one.dtype is tensors[0].dtype
        assert relative_error(one, two) <= tolerance(one)


def check_both(load: Load, draw: Draw, tensors: Sequence[torch.Tensor], *options: Any) -> None:
    """Attention and its gradients are right."""
    function = load("attention").attention
    check(function, reference, tensors, *options)
    query, _, value = tensors
    wanted = (gradient_of(draw, query, value), *tensors)
    check(gradients(function), gradients(reference), wanted, *options)


@kinds
@causal
def test_attention(
    place: Place, dtype: torch.dtype, is_causal: bool, draw: Draw, load: Load
) -> None:
    for one in sizes(place, dtype):
        check_both(load, draw, inputs(draw, one), is_causal)


def test_heads_behind_positions(load: Load, draw: Draw) -> None:
    """As a layer has them that makes all heads in one product."""
    tensors = [draw(2, length, 2, 32).transpose(1, 2) for length in (37, 75, 75)]
    check_both(load, draw, tensors, True)


def test_scale(load: Load, draw: Draw) -> None:
    for scale in (1.0, -0.5, 0.0):
        check_both(load, draw, inputs(draw, (1, 1, 1, 20, 37, 16)), False, scale)


def test_one_query_and_one_key(load: Load, draw: Draw) -> None:
    attention = load("attention").attention
    tensors = inputs(draw, (3, 1, 1, 1, 1, 16))
    assert torch.equal(attention(*tensors, True), tensors[2])
    gradient = draw(3, 1, 1, 16)
    found = gradients(attention)(gradient, *tensors, True)
    nothing = torch.zeros_like(gradient)
    for one, expected in zip(found, (nothing, nothing, gradient), strict=True):
        torch.testing.assert_close(one, expected, rtol=1e-3, atol=1e-2)


def test_values_of_another_dim(load: Load, draw: Draw) -> None:
    check_both(load, draw, inputs(draw, (1, 2, 1, 20, 37, 16), 40), True)


def test_scores_of_minus_infinity(load: Load, draw: Draw) -> None:
    """They have no weight, be they whole blocks; where there are no others, the output is 0."""
    attention = load("attention").attention
    query, key, value = inputs(draw, (1, 1, 1, 5, 700, 16))
    query, visible = query.abs() + 0.1, slice(600, None)
    key[:, :, : visible.start] = -math.inf
    seen = (query, key[:, :, visible], value[:, :, visible])
    check(lambda *_: attention(query, key, value), reference, seen)
    assert attention(query, torch.full_like(key, -math.inf), value).eq(0).all()


@causal
def test_scores_far_below_zero(is_causal: bool, load: Load, draw: Draw) -> None:
    """Lanes beyond the last key, 0, would be far above all of them."""
    query, key, value = inputs(draw, (1, 1, 1, 37, 37, 16))
    tensors = (query.abs() + 2, key.abs().neg() - 2, value)
    check_both(load, draw, tensors, is_causal)


@pytest.mark.parametrize(
    "sizes", [(2, 2, 1, 5, 0, 16), (2, 2, 1, 0, 5, 16), (0, 2, 1, 5, 5, 16), (1, 0, 0, 5, 5, 16)]
)
def test_empty_tensors(sizes: Sizes, load: Load, draw: Draw) -> None:
    attention = load("attention").attention
    tensors = inputs(draw, sizes)
    result = attention(*tensors, True)
    assert torch.equal(result, torch.zeros_like(tensors[0]))
    found = gradients(attention)(torch.ones_like(result), *tensors, True)
    assert all(torch.equal(one, torch.zeros_like(one)) for one in found)


def test_a_gradient_that_is_one_number(load: Load, draw: Draw) -> None:
    attention = load("attention").attention
    tensors = inputs(draw, (1, 2, 1, 20, 20, 16))
    with torch.no_grad():
        assert not attention(*tensors).requires_grad
    leaves = [tensor.requires_grad_() for tensor in tensors]
    attention(*leaves).sum().backward()
    twins = [leaf.detach().double().requires_grad_() for leaf in leaves]
    reference(*twins).sum().backward()
    for leaf, twin in zip(leaves, twins, strict=True):
        # Gradients of a softmax's scores add up to 0, and these gradients nearly cancel.
        torch.testing.assert_close(leaf.grad.double(), twin.grad, rtol=1e-2, atol=1e-2)


def test_gradients_of_some_inputs_only() -> None:
    tensors = inputs(Draw("cpu", torch.float32), (1, 2, 1, 5, 5, 16))
    tensors[1].requires_grad_()
    attention.attention(*tensors).sum().backward()
    assert [tensor.grad is None for tensor in tensors] == [True, False, True]


def test_what_does_not_fit_is_an_error() -> None:
    draw = Draw("cpu", torch.float32)
    query, key, value = inputs(draw, (1, 3, 2, 5, 5, 16))
    with pytest.raises(ValueError, match="2 key heads do not divide 3 query heads"):
        attention.attention(query, key, value)
    for wrong in (value[:, :1], value[:, :, :3], value.repeat(2, 1, 1, 1)):
        with pytest.raises(ArgumentError, match="must be"):
            attention.attention(query[:, :2], key, wrong)
    with pytest.raises(ArgumentError, match="must be"):
        attention.attention(query[:, :2, :, :8], key, value)
    with pytest.raises(ValueError, match="one element type"):
        attention.attention(query[:, :2], key.half(), value)
    with pytest.raises(ValueError, match="query must have 4 dims"):
        attention.attention(query[0], key, value)


@every_place
@causal
@pytest.mark.parametrize(
    ("lengths", "key_lengths"),
    [((0, 1, 70, 33), (0, 1, 70, 33)), ((20, 3, 40), (37, 0, 5)), ((), ())],
)
def test_jagged_attention(
    is_causal: bool, lengths: Sequence[int], key_lengths: Sequence[int], load: Load, draw: Draw
) -> None:
    function = load("jagged_attention").jagged_attention
    query = draw.jagged(lengths, 4, 24)
    key, value = (draw.jagged(key_lengths, 2, 24) for _ in range(2))
    result = function(query, key, value, is_causal)
    assert result.is_nested
    assert result.offsets() is query.offsets()
    assert len(result.unbind()) == len(lengths)
    for one, *parts in zip(*(x.unbind() for x in (result, query, key, value)), strict=True):
        expected = reference(*(part.double().transpose(0, 1) for part in parts), is_causal)
        assert relative_error(one, expected.transpose(0, 1)) <= tolerance(one)


def test_jagged_tensors_that_do_not_fit_are_an_error() -> None:
    draw = Draw("cpu", torch.float32)
    query, key = draw.jagged((3, 4), 3, 16), draw.jagged((3, 4), 2, 16)
    with pytest.raises(ValueError, match="2 key heads do not divide 3 query heads"):
        jagged_attention.jagged_attention(query, key, key)
    key, value = draw.jagged((3, 4), 3, 16), draw.jagged((4, 3), 3, 16)
    with pytest.raises(ArgumentError, match="must have equal lengths"):
        jagged_attention.jagged_attention(query, key, value)
    with pytest.raises(ValueError, match=r"key must be a torch\.nested tensor"):
        jagged_attention.jagged_attention(query, draw(2, 4, 3, 16), value)
    with pytest.raises(ValueError, match="query requires gradients"):
        jagged_attention.jagged_attention(query.requires_grad_(), key, key)


def calls(dim: int, is_causal: bool) -> Iterator[tuple[Kernel, tuple[Any, ...]]]:
    """All kernels, with arguments."""

    def empty(*sizes: int, dtype: torch.dtype = torch.float16) -> torch.Tensor:
        return torch.empty(sizes, dtype=dtype, device="meta")

    query, key = empty(2, 2, 2, 512, dim), empty(2, 2, 512, dim)
    numbers = empty(2, 2, 2, 512, dtype=torch.float32)
    options = (is_causal, 0.1)
    yield attention.attention_kernel, (query, key, key, *options, query, numbers)
    yield attention.delta_kernel, (query, query, numbers)
    shared = (query, key, key, query, numbers, numbers, *options)
    yield attention.query_kernel, (*shared, query)
    yield attention.key_value_kernel, (*shared, key, key)
    sequences = Draw("cpu", torch.float16).jagged((3, 40), 4, dim)
    kernel = jagged_attention.jagged_attention_kernel
    yield kernel, (sequences, sequences, sequences, *options, sequences)


@pytest.mark.parametrize("target", FEW_TARGETS)
@pytest.mark.parametrize(("dim", "is_causal"), [(64, True), (128, False)])
def test_kernels_compile_offline(dim: int, is_causal: bool, target: str) -> None:
    for kernel, arguments in calls(dim, is_causal):
        offline.check(kernel, arguments, target)
