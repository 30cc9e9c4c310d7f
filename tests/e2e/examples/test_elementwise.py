"""The elementwise examples against torch in float64: ``silu``, ``swiglu``, ``rotary_embedding`` and
``dropout``; and what all examples refuse.
"""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pytest
import torch

from examples import add, dropout, rotary_embedding
from examples import swiglu as swiglu_example
from examples.runner import Draw, gradients, raised, relative_error, tolerance_of
from tests.support import philox
from tests.support.examples import Load, Place, kinds

DTYPES = (torch.float16, torch.bfloat16, torch.float32)
SHAPES = ((1,), (1025,), (7, 131), (2, 3, 5, 17), (), (0,), (3, 0, 4))
LARGE = ((8, 1024, 4097),)
"""On a GPU, of many blocks a row."""


def shapes(place: Place) -> tuple[tuple[int, ...], ...]:
    return SHAPES + LARGE if place.is_gpu else SHAPES


def check(result: torch.Tensor, expected: torch.Tensor) -> None:
    """The error is rounding."""
    assert relative_error(result, expected) <= tolerance_of(result)


def swiglu(gate: torch.Tensor, up: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.silu(gate) * up


def rotated(input: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    x1, x2 = input.chunk(2, dim=-1)
    cos, sin = cos[:, None], sin[:, None]
    return torch.cat((x1 * cos - x2 * sin, x2 * cos + x1 * sin), dim=-1)


@kinds
def test_silu(place: Place, load: Load, draw: Draw) -> None:
    example = load("silu")
    for input in (draw(*shape) for shape in shapes(place)):
        check(example.silu(input), torch.nn.functional.silu(input.double()))


def test_silu_of_any_strides(load: Load, draw: Draw) -> None:
    example = load("silu")
    for input in (
        draw(33, 65).T,
        draw(3, 4, 50).permute(2, 0, 1),
        draw(5, 1).expand(5, 70),
        draw(200)[::3],
        draw(6, 4, 8)[:, 1],
        draw(40, 4)[..., 1:],
    ):
        check(example.silu(input), torch.nn.functional.silu(input.double()))


def test_silu_of_large_numbers(place: Place, load: Load) -> None:
    example = load("silu")
    input = torch.tensor([-1e4, -100.0, -0.0, 100.0, 6e4], device=place.device)
    for dtype in DTYPES:
        check(example.silu(input.to(dtype)), torch.nn.functional.silu(input.to(dtype).double()))


@kinds
def test_swiglu_and_its_gradients(place: Place, load: Load, draw: Draw) -> None:
    example = load("swiglu")
    for shape in shapes(place):
        gradient, gate, up = draw(*shape), draw(*shape), draw(*shape)
        check(example.swiglu(gate, up), swiglu(gate.double(), up.double()))
        found = gradients(example.swiglu)(gradient, gate, up)
        expected = gradients(swiglu)(gradient.double(), gate.double(), up.double())
        for result, one in zip(found, expected, strict=True):
            check(result, one)


def test_swiglu_of_the_halves_of_one_tensor(load: Load, draw: Draw) -> None:
    """The gradient of a sum has no strides, and both halves lie in one tensor."""
    example = load("swiglu")
    both = draw(9, 2 * 37).requires_grad_()
    example.swiglu(*both.chunk(2, dim=-1)).sum().backward()
    other = both.detach().double().requires_grad_()
    swiglu(*other.chunk(2, dim=-1)).sum().backward()
    assert both.grad is not None
    assert other.grad is not None
    check(both.grad, other.grad)


def test_swiglu_without_gradients(load: Load, draw: Draw) -> None:
    example = load("swiglu")
    gate, up = draw(65).requires_grad_(), draw(65)
    with torch.no_grad():
        output = example.swiglu(gate, up)
    assert not output.requires_grad
    check(output, swiglu(gate.detach().double(), up.double()))


def test_swiglu_refuses_tensors_that_differ() -> None:
    draw = Draw("cpu", torch.float32)
    with pytest.raises(ValueError, match=r"one shape, not \(3, 5\) and \(5,\)"):
        swiglu_example.swiglu(draw(3, 5), draw(5))
    with pytest.raises(ValueError, match="gate, up must have one element type"):
        swiglu_example.swiglu(draw(5), draw(5).half())


ROTATED = ((1, 1, 1, 2), (2, 5, 3, 14), (1, 7, 8, 64), (3, 2, 1, 130), (0, 2, 2, 4))


@kinds
def test_rotary_embedding(place: Place, load: Load, draw: Draw) -> None:
    example = load("rotary_embedding")
    for batch, length, heads, dim in (*ROTATED, (4, 2047, 32, 128)) if place.is_gpu else ROTATED:
        inputs = draw(batch, length, heads, dim), draw(length, dim // 2), draw(length, dim // 2)
        check(example.rotary_embedding(*inputs), rotated(*map(raised, inputs)))


def test_rotary_embedding_of_heads_before_positions(place: Place, load: Load) -> None:
    """With angles in fp32, and transposed."""
    example = load("rotary_embedding")
    draw = Draw(place.device, torch.float16)
    input = draw(2, 3, 5, 12).transpose(1, 2)
    cos, sin = draw(6, 5, dtype=torch.float32).T, draw(6, 5, dtype=torch.float32).T
    check(example.rotary_embedding(input, cos, sin), rotated(*map(raised, (input, cos, sin))))


def test_rotary_embedding_refuses_what_does_not_fit() -> None:
    function, draw = rotary_embedding.rotary_embedding, Draw("cpu", torch.float32)
    with pytest.raises(ValueError, match="even, not 7"):
        function(draw(1, 2, 1, 7), draw(2, 3), draw(2, 3))
    with pytest.raises(ValueError, match=r"sin must .* \(2, 4\), not \(3, 4\)"):
        function(draw(1, 2, 1, 8), draw(2, 4), draw(3, 4))
    with pytest.raises(ValueError, match="input must have 4 dims, not 3"):
        function(draw(2, 1, 8), draw(2, 4), draw(2, 4))


def kept(shape: tuple[int, ...], p: float, seed: int) -> torch.Tensor:
    """The elements that dropout keeps, by the definition of its random numbers."""
    count = torch.Size(shape).numel()
    groups = philox.stream(seed, np.arange(-(-count // 4), dtype=np.int32))
    random = philox.uniform(np.stack(groups, axis=1).reshape(-1)[:count])
    return torch.from_numpy(random >= np.float32(p)).reshape(shape)


@kinds
def test_dropout(place: Place, load: Load, draw: Draw) -> None:
    """Dropout depends on the index in the tensor and on the seed, not on the strides."""
    example = load("dropout")
    for shape in SHAPES:
        input = draw(*shape)
        output = example.dropout(input, 0.3, 11)
        expected = torch.where(kept(shape, 0.3, 11).to(place.device), input.double() / 0.7, 0.0)
        assert torch.equal(output == 0, expected == 0)
        check(output, expected)


def test_dropout_of_a_transposed_matrix(place: Place, load: Load, draw: Draw) -> None:
    example = load("dropout")
    input = draw(40, 30).T
    output = example.dropout(input, 0.5, 3)
    assert torch.equal(output, example.dropout(input.contiguous(), 0.5, 3))
    assert torch.equal(output != 0, kept((30, 40), 0.5, 3).to(place.device))


@pytest.mark.parametrize("shape", [(5, 1027), (3, 2, 130), (7, 1), (9, 511)], ids=str)
def test_dropout_of_odd_rows(place: Place, load: Load, draw: Draw, shape: tuple[int, ...]) -> None:
    """They begin anywhere in a group of four numbers."""
    example = load("dropout")
    input = draw(*shape[:-1], shape[-1] + 3)[..., : shape[-1]]
    output = example.dropout(input, 0.5, 3)
    assert torch.equal(output, example.dropout(input.contiguous(), 0.5, 3))
    assert torch.equal(output != 0, kept(shape, 0.5, 3).to(place.device))


def test_dropout_drops_the_share_asked_for(place: Place, load: Load) -> None:
    example = load("dropout")
    count = 1 << 24 if place.is_gpu else 1 << 16
    for p in (0.1, 0.5, 0.9):
        dropped = (example.dropout(torch.ones(count, device=place.device), p, 5) == 0).sum()
        deviation = (count * p * (1 - p)) ** 0.5
        assert abs(float(dropped) - count * p) < 4 * deviation


def test_dropout_of_a_seed(place: Place, load: Load) -> None:
    example = load("dropout")
    ones = torch.ones(300, device=place.device)
    for seed in (0, 1, -1, 2**31, 2**40 + 5):
        found = example.dropout(ones, 0.5, seed)
        assert torch.equal(found != 0, kept((300,), 0.5, seed).to(place.device))
        assert not torch.equal(found, example.dropout(ones, 0.5, seed + 2))


def test_dropout_of_nothing_and_of_all(place: Place, load: Load) -> None:
    example = load("dropout")
    input = Draw(place.device, torch.float16)(1000)
    assert torch.equal(example.dropout(input, 0, 1), input)
    assert torch.equal(example.dropout(input, 1, 1), torch.zeros_like(input))


@pytest.mark.parametrize("p", [-0.1, 1.5, float("nan")])
def test_dropout_refuses_what_is_no_probability(p: float) -> None:
    with pytest.raises(ValueError, match="p is a probability"):
        dropout.dropout(torch.ones(4), p, 1)


SQUARE, VECTOR, IMAGES = (4, 4), (4,), (1, 1, 4, 4)
FORWARD_ONLY: tuple[tuple[str, tuple[Any, ...]], ...] = (
    ("add", (VECTOR, VECTOR)),
    ("silu", (VECTOR,)),
    ("dropout", (VECTOR, 0.5, 1)),
    ("rotary_embedding", (IMAGES, (1, 2), (1, 2))),
    ("softmax", (SQUARE,)),
    ("cumsum", (SQUARE,)),
    ("topk", (SQUARE, 2)),
    ("matmul", (SQUARE, SQUARE)),
    ("addmm", (VECTOR, SQUARE, SQUARE)),
    ("fused_linear", (SQUARE, SQUARE, VECTOR, SQUARE)),
    ("bmm", ((1, 4, 4), (1, 4, 4))),
    ("conv2d", (IMAGES, IMAGES)),
    ("max_pool2d", (IMAGES, 2)),
    ("avg_pool2d", (IMAGES, 2)),
    ("sliding_window_attention", (IMAGES, IMAGES, IMAGES, 2)),
)
DIFFERENTIABLE: tuple[tuple[str, tuple[Any, ...]], ...] = (
    ("swiglu", (VECTOR, VECTOR)),
    ("rms_norm", (SQUARE, VECTOR)),
    ("layer_norm", (SQUARE, VECTOR, VECTOR)),
    ("attention", (IMAGES, IMAGES, IMAGES)),
)
EXACT = ("add", "max_pool2d")
"""These compute in the input's own type."""


def called(name: str, arguments: tuple[Any, ...], **options: Any) -> torch.Tensor:
    """The result of an example for tensors of these shapes."""
    function = getattr(importlib.import_module(f"examples.{name}"), name)
    return function(*(torch.ones(x, **options) if isinstance(x, tuple) else x for x in arguments))


@pytest.mark.parametrize(("name", "arguments"), FORWARD_ONLY)
def test_gradients_that_a_function_does_not_have_are_refused(
    name: str, arguments: tuple[Any, ...]
) -> None:
    with pytest.raises(ValueError, match="requires gradients, which this function does not have"):
        called(name, arguments, requires_grad=True)
    with torch.no_grad():
        called(name, arguments, requires_grad=True)


@pytest.mark.parametrize(("name", "arguments"), FORWARD_ONLY + DIFFERENTIABLE)
def test_float64_is_refused_where_it_would_be_rounded(
    name: str, arguments: tuple[Any, ...]
) -> None:
    if name in EXACT:
        assert called(name, arguments, dtype=torch.float64).dtype is torch.float64
        return
    for dtype in (torch.float64, torch.int32):
        with pytest.raises(ValueError, match=f"float32, which does not hold {dtype}"):
            called(name, arguments, dtype=dtype)


def test_add_refuses_vectors_that_differ() -> None:
    for lhs, rhs in ((torch.ones(5), torch.ones(1)), (torch.ones(5), torch.ones(5).half())):
        with pytest.raises(ValueError, match="lhs and rhs must be alike"):
            add.add(lhs, rhs)
