"""The elementwise examples against torch in float64: ``silu``, ``swiglu``, ``rotary_embedding`` and
``dropout``.
"""

from __future__ import annotations

import numpy as np
import pytest
import torch

from examples.runner import Draw, gradients, raised, relative_error, tolerance_of
from tests.support import philox
from tests.support.examples import Place, load, places

DTYPES = (torch.float16, torch.bfloat16, torch.float32)
SHAPES = ((1,), (1025,), (7, 131), (2, 3, 5, 17), (), (0,), (3, 0, 4))

dtypes = pytest.mark.parametrize("dtype", DTYPES)
shapes = pytest.mark.parametrize("shape", SHAPES)
layouts = pytest.mark.parametrize("strided", [False, True])


def check(result: torch.Tensor, expected: torch.Tensor) -> None:
    """The error is rounding."""
    assert relative_error(result, expected) <= tolerance_of(result)


def swiglu(gate: torch.Tensor, up: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.silu(gate) * up


def rotated(input: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    x1, x2 = input.chunk(2, dim=-1)
    cos, sin = cos[:, None], sin[:, None]
    return torch.cat((x1 * cos - x2 * sin, x2 * cos + x1 * sin), dim=-1)


@places
@dtypes
@layouts
@shapes
def test_silu(
    place: Place,
    shape: tuple[int, ...],
    strided: bool,
    dtype: torch.dtype,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    example = load("silu", place, monkeypatch)
    input = Draw(place.device, dtype, strided)(*shape)
    check(example.silu(input), torch.nn.functional.silu(input.double()))


@places
def test_silu_of_any_strides(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    example = load("silu", place, monkeypatch)
    draw = Draw(place.device, torch.float32)
    for input in (
        draw(33, 65).T,
        draw(3, 4, 50).permute(2, 0, 1),
        draw(5, 1).expand(5, 70),
        draw(200)[::3],
        draw(6, 4, 8)[:, 1],
        draw(40, 4)[..., 1:],
    ):
        check(example.silu(input), torch.nn.functional.silu(input.double()))


@places
def test_silu_of_large_numbers(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    example = load("silu", place, monkeypatch)
    input = torch.tensor([-1e4, -100.0, -0.0, 100.0, 6e4], device=place.device)
    for dtype in DTYPES:
        check(example.silu(input.to(dtype)), torch.nn.functional.silu(input.to(dtype).double()))


@places
@dtypes
@layouts
@shapes
def test_swiglu_and_its_gradients(
    place: Place,
    shape: tuple[int, ...],
    strided: bool,
    dtype: torch.dtype,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    example = load("swiglu", place, monkeypatch)
    draw = Draw(place.device, dtype, strided)
    gradient, gate, up = draw(*shape), draw(*shape), draw(*shape)
    check(example.swiglu(gate, up), swiglu(gate.double(), up.double()))
    found = gradients(example.swiglu)(gradient, gate, up)
    expected = gradients(swiglu)(gradient.double(), gate.double(), up.double())
    for result, one in zip(found, expected, strict=True):
        check(result, one)


@places
def test_swiglu_of_the_halves_of_one_tensor(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """The gradient of a sum has no strides, and both halves lie in one tensor."""
    example = load("swiglu", place, monkeypatch)
    both = Draw(place.device, torch.float32)(9, 2 * 37).requires_grad_()
    example.swiglu(*both.chunk(2, dim=-1)).sum().backward()
    other = both.detach().double().requires_grad_()
    swiglu(*other.chunk(2, dim=-1)).sum().backward()
    assert both.grad is not None
    assert other.grad is not None
    check(both.grad, other.grad)


@places
def test_swiglu_without_gradients(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    example = load("swiglu", place, monkeypatch)
    draw = Draw(place.device, torch.float32)
    gate, up = draw(65).requires_grad_(), draw(65)
    with torch.no_grad():
        output = example.swiglu(gate, up)
    assert not output.requires_grad
    check(output, swiglu(gate.detach().double(), up.double()))


@places
def test_swiglu_refuses_shapes_that_differ(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    example = load("swiglu", place, monkeypatch)
    draw = Draw(place.device, torch.float32)
    with pytest.raises(ValueError, match=r"one shape, not \(3, 5\) and \(5,\)"):
        example.swiglu(draw(3, 5), draw(5))


@places
@dtypes
@layouts
@pytest.mark.parametrize(
    "shape", [(1, 1, 1, 2), (2, 5, 3, 14), (1, 7, 8, 64), (3, 2, 1, 130), (0, 2, 2, 4)]
)
def test_rotary_embedding(
    place: Place,
    shape: tuple[int, int, int, int],
    strided: bool,
    dtype: torch.dtype,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    example = load("rotary_embedding", place, monkeypatch)
    draw = Draw(place.device, dtype, strided)
    inputs = draw(*shape), draw(shape[1], shape[3] // 2), draw(shape[1], shape[3] // 2)
    check(example.rotary_embedding(*inputs), rotated(*map(raised, inputs)))


@places
def test_rotary_embedding_of_heads_before_positions(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With angles in fp32, and transposed."""
    example = load("rotary_embedding", place, monkeypatch)
    draw = Draw(place.device, torch.float16)
    input = draw(2, 3, 5, 12).transpose(1, 2)
    cos, sin = draw(6, 5, dtype=torch.float32).T, draw(6, 5, dtype=torch.float32).T
    check(example.rotary_embedding(input, cos, sin), rotated(*map(raised, (input, cos, sin))))


@places
def test_rotary_embedding_refuses_what_does_not_fit(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    example = load("rotary_embedding", place, monkeypatch)
    draw = Draw(place.device, torch.float32)
    with pytest.raises(ValueError, match="even, not 7"):
        example.rotary_embedding(draw(1, 2, 1, 7), draw(2, 3), draw(2, 3))
    with pytest.raises(ValueError, match=r"sin must .* \(2, 4\), not \(3, 4\)"):
        example.rotary_embedding(draw(1, 2, 1, 8), draw(2, 4), draw(3, 4))


def kept(shape: tuple[int, ...], p: float, seed: int) -> torch.Tensor:
    """What dropout keeps, by the definition of its random numbers."""
    numbers = np.arange(torch.Size(shape).numel(), dtype=np.int32)
    random = philox.uniform(philox.stream(seed, numbers)[0])
    return torch.from_numpy(random >= np.float32(p)).reshape(shape)


@places
@dtypes
@layouts
@shapes
def test_dropout(
    place: Place,
    shape: tuple[int, ...],
    strided: bool,
    dtype: torch.dtype,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What is kept depends on the place in the tensor and on the seed, not on the strides."""
    example = load("dropout", place, monkeypatch)
    input = Draw(place.device, dtype, strided)(*shape)
    output = example.dropout(input, 0.3, 11)
    expected = torch.where(kept(shape, 0.3, 11).to(place.device), input.double() / 0.7, 0.0)
    assert torch.equal(output == 0, expected == 0)
    check(output, expected)


@places
def test_dropout_of_a_transposed_matrix(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    example = load("dropout", place, monkeypatch)
    input = Draw(place.device, torch.float32)(40, 30).T
    output = example.dropout(input, 0.5, 3)
    assert torch.equal(output, example.dropout(input.contiguous(), 0.5, 3))
    assert torch.equal(output != 0, kept((30, 40), 0.5, 3).to(place.device))


@places
@pytest.mark.parametrize("p", [0.1, 0.5, 0.9])
def test_dropout_drops_the_share_asked_for(
    place: Place, p: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    example = load("dropout", place, monkeypatch)
    count = 1 << 24 if place.is_gpu else 1 << 16
    dropped = (example.dropout(torch.ones(count, device=place.device), p, 5) == 0).sum()
    deviation = (count * p * (1 - p)) ** 0.5
    assert abs(float(dropped) - count * p) < 4 * deviation


@places
@pytest.mark.parametrize("seed", [0, 1, -1, 2**31, 2**40 + 5])
def test_dropout_of_a_seed(place: Place, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    example = load("dropout", place, monkeypatch)
    ones = torch.ones(300, device=place.device)
    found = example.dropout(ones, 0.5, seed)
    assert torch.equal(found, example.dropout(ones, 0.5, seed))
    assert torch.equal(found != 0, kept((300,), 0.5, seed).to(place.device))
    assert not torch.equal(found, example.dropout(ones, 0.5, seed + 2))


@places
def test_dropout_of_nothing_and_of_all(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    example = load("dropout", place, monkeypatch)
    input = Draw(place.device, torch.float16)(1000)
    assert torch.equal(example.dropout(input, 0, 1), input)
    assert torch.equal(example.dropout(input, 1, 1), torch.zeros_like(input))


@places
@pytest.mark.parametrize("p", [-0.1, 1.5, float("nan")])
def test_dropout_refuses_what_is_no_probability(
    place: Place, p: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    example = load("dropout", place, monkeypatch)
    with pytest.raises(ValueError, match="p is a probability"):
        example.dropout(torch.ones(4, device=place.device), p, 1)


@places
@layouts
@pytest.mark.parametrize("ndim", [1, 3])
def test_large_tensors(
    place: Place, ndim: int, strided: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of many blocks a row."""
    shape = (8, 1024, 4097) if place.is_gpu else (1, 2, 4097)
    shape = shape if ndim == 3 else (torch.Size(shape).numel(),)
    draw = Draw(place.device, torch.float16, strided)
    gradient, gate, up = draw(*shape), draw(*shape), draw(*shape)
    silu = load("silu", place, monkeypatch).silu
    check(silu(gate), torch.nn.functional.silu(gate.double()))
    found = gradients(load("swiglu", place, monkeypatch).swiglu)(gradient, gate, up)
    expected = gradients(swiglu)(*map(raised, (gradient, gate, up)))
    for result, one in zip(found, expected, strict=True):
        check(result, one)


@places
@layouts
def test_large_rotary_embedding(
    place: Place, strided: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    example = load("rotary_embedding", place, monkeypatch)
    batch, length, heads = (4, 2047, 32) if place.is_gpu else (1, 3, 32)
    draw = Draw(place.device, torch.float16, strided)
    inputs = draw(batch, length, heads, 128), draw(length, 64), draw(length, 64)
    check(example.rotary_embedding(*inputs), rotated(*map(raised, inputs)))
