"""The examples over rows of any length: argmax, top-k, cumulative sums and cross entropy."""

from __future__ import annotations

import math

import pytest
import torch
from torch.nn import functional

from examples import argmax, cross_entropy, cumsum, topk
from examples.runner import Draw, gradients, relative_error, tolerance_of
from ninetoothed.errors import AssertionFailedError
from tests.support.examples import Load, Place, kinds

DTYPES = (torch.float16, torch.bfloat16, torch.float32)
# One element, less than a tile, a whole tile and beyond; more than any tile.
RAGGED = ((3, 1), (5, 127), (1, 8192), (3, 8193), (2, 20011))
LARGE = ((1031, 4099), (64, 128257))


def sizes(place: Place) -> tuple[tuple[int, int], ...]:
    """Rows and columns."""
    return RAGGED + LARGE if place.is_gpu else RAGGED


def transposed(matrix: torch.Tensor) -> torch.Tensor:
    """The same numbers, each column in one piece."""
    return matrix.mT.contiguous().mT


@kinds
def test_cumsum(place: Place, dtype: torch.dtype, load: Load, draw: Draw) -> None:
    cumsum = load("cumsum").cumsum
    for rows, columns in sizes(place):
        input = draw(rows, columns)
        result = cumsum(input)
        assert result.dtype is dtype
        assert relative_error(result, input.double().cumsum(1)) <= tolerance_of(result)


def test_cumsum_of_a_transposed_matrix(load: Load, draw: Draw) -> None:
    cumsum = load("cumsum").cumsum
    input = transposed(draw(7, 8200))
    result = cumsum(input)
    assert relative_error(result, input.double().cumsum(1)) <= tolerance_of(result)


def test_cumsum_of_infinities_and_nans(place: Place, load: Load) -> None:
    """They spread to what is behind them, in other tiles too, and to nothing before them."""
    cumsum = load("cumsum").cumsum
    input = torch.ones(3, 20000, device=place.device)
    input[0, 100] = math.inf
    input[1, 9000] = math.nan
    input[2, 5], input[2, 15000] = math.inf, -math.inf
    torch.testing.assert_close(cumsum(input), input.cumsum(1), equal_nan=True)


@pytest.mark.parametrize("dtype", [torch.int32, torch.float64])
def test_cumsum_refuses_what_float32_does_not_hold(dtype: torch.dtype) -> None:
    with pytest.raises(ValueError, match=f"does not hold {dtype}"):
        cumsum.cumsum(torch.zeros(2, 3, dtype=dtype))


@kinds
def test_argmax(place: Place, load: Load, draw: Draw) -> None:
    """Of fp16 and bf16, long rows have their largest number several times."""
    argmax = load("argmax").argmax
    for rows, columns in sizes(place):
        input = draw(rows, columns)
        assert torch.equal(argmax(input), first_of_the_largest(input))


def first_of_the_largest(input: torch.Tensor) -> torch.Tensor:
    """On a GPU, torch may give another one of those that are equal."""
    return input.cpu().argmax(1).to(input.device)


def test_argmax_of_equal_numbers_is_the_first(place: Place, load: Load) -> None:
    argmax = load("argmax").argmax
    input = torch.zeros(6, 20000, device=place.device)
    input[1] = -math.inf
    input[2] = math.inf
    input[3, [19999, 9000, 701]] = 1.0  # In several tiles, in several lanes.
    input[4, [8192 + 50, 50]] = 1.0  # In one lane of two tiles.
    input[5, ::2] = -0.0
    assert argmax(input).tolist() == [0, 0, 0, 701, 50, 0]


def test_argmax_of_nans_is_the_first_one(place: Place, load: Load) -> None:
    argmax = load("argmax").argmax
    input = Draw(place.device, torch.float16)(5, 20000)
    input[0, [19999, 9000, 701]] = math.nan
    input[1, [8192 + 50, 50]] = math.nan
    input[2, 3] = math.inf
    input[2, 4] = math.nan
    input[3] = math.nan
    input[4, 19999] = -torch.tensor(math.nan)
    result = argmax(input)
    assert result.tolist() == [701, 50, 4, 0, 19999]
    assert torch.equal(result, first_of_the_largest(input))


def test_argmax_of_a_transposed_matrix(load: Load, draw: Draw) -> None:
    argmax = load("argmax").argmax
    input = transposed(draw(7, 8200))
    assert torch.equal(argmax(input), input.argmax(1))


def test_argmax_of_float64() -> None:
    """Of numbers that float32 does not tell apart, too."""
    input = torch.ones(2, 300, dtype=torch.float64)
    input[1, 200] += 2**-40
    assert argmax.argmax(input).tolist() == [0, 200]


def test_argmax_refuses_empty_rows_and_integers() -> None:
    with pytest.raises(ValueError, match="empty rows"):
        argmax.argmax(torch.zeros(3, 0))
    with pytest.raises(ValueError, match=r"not torch\.int32"):
        argmax.argmax(torch.zeros(3, 4, dtype=torch.int32))


def check_topk(input: torch.Tensor, k: int, values: torch.Tensor, indices: torch.Tensor) -> None:
    """Indices of equal numbers may differ from torch's, each must be another one."""
    expected = torch.topk(input, k)
    assert indices.dtype is torch.int64
    torch.testing.assert_close(values, expected.values, rtol=0, atol=0, equal_nan=True)
    torch.testing.assert_close(input.gather(1, indices), values, rtol=0, atol=0, equal_nan=True)
    assert indices.sort(1).values.diff(dim=1).gt(0).all()


@kinds
def test_topk(place: Place, load: Load, draw: Draw) -> None:
    topk = load("topk").topk
    for rows, columns in ((3, 1), (5, 127), (3, 513), (2, 5003), *(LARGE if place.is_gpu else ())):
        input = draw(rows, columns)
        for k in {1, min(5, columns)}:
            check_topk(input, k, *topk(input, k))


def test_topk_of_many(load: Load, draw: Draw) -> None:
    """Whole rows are sorted; the last tile has fewer than k numbers."""
    topk = load("topk").topk
    for columns, k in ((7, 7), (130, 130), (2000, 64)):
        input = transposed(draw(3, columns))
        check_topk(input, k, *topk(input, k))


@pytest.mark.parametrize("dtype", DTYPES)
def test_topk_of_infinities_nans_and_equal_numbers(load: Load, draw: Draw) -> None:
    topk = load("topk").topk
    input = draw(6, 700)
    input[0, [3, 690]] = math.nan
    input[1, 5] = -torch.tensor(math.nan)
    input[1, 6] = math.inf
    input[2] = -math.inf
    input[3] = 1.0
    input[4] = -input[4].abs()
    input[5] = math.nan
    for k in (1, 4):
        check_topk(input, k, *topk(input, k))
    assert topk(input, 3)[1][2:4].tolist() == [[0, 1, 2], [0, 1, 2]]


def first_of_the_best(input: torch.Tensor, k: int) -> torch.Tensor:
    """The indices of the k largest, of equal ones the first ones."""
    return input.cpu().sort(dim=1, descending=True, stable=True).indices[:, :k].to(input.device)


def number_of_chunks(input: torch.Tensor, k: int) -> int:
    return math.ceil(input.shape[1] / topk.chunk_length(input, 1 << (k - 1).bit_length()))


@kinds
def test_topk_of_chunks(place: Place, load: Load, draw: Draw) -> None:
    """Of few long rows; numbers of 16 bits are there several times, in several chunks."""
    example = load("topk")
    for rows, columns, k in ((1, 8192, 1), (3, 9000, 8), (2, 20011, 100), (1, 50257, 50)):
        input = draw(rows, columns)
        assert number_of_chunks(input, k) > 1
        values, indices = example.topk(input, k)
        assert torch.equal(indices, first_of_the_best(input, k))
        assert torch.equal(values, input.gather(1, indices))


def test_chunks_of_topk(monkeypatch: pytest.MonkeyPatch) -> None:
    """At most as many as there are programs for, as hold 4096 columns, and whose keys one program
    sorts.
    """
    monkeypatch.setattr(topk, "PROGRAMS", 16)
    for rows, columns, k, chunks in (
        *((1, 4095, 1, 1), (1, 8191, 1, 1), (1, 8192, 1, 2), (1, 8193, 1, 2), (2, 20011, 1, 4)),
        *((1, 10**6, 64, 16), (5, 10**6, 64, 3), (16, 10**6, 64, 1), (17, 10**6, 64, 1)),
        *((1, 10**6, 65, 8), (1, 10**6, 512, 2), (1, 10**6, 513, 1), (0, 8192, 1, 2)),
    ):
        input = torch.empty(rows, columns, device="meta")
        assert number_of_chunks(input, k) == chunks


@pytest.mark.parametrize("dtype", DTYPES)
def test_topk_of_chunks_of_infinities_nans_and_equal_numbers(load: Load, draw: Draw) -> None:
    topk = load("topk").topk
    input = draw(4, 12300)
    input[0, [12299, 6143, 6144, 3]] = math.nan
    input[1, 5] = -torch.tensor(math.nan)
    input[1, 12000] = math.inf
    input[2] = -math.inf
    input[2, 9000] = -1.0
    input[3] = 1.0
    input[3, [7000, 6150]] = 2.0
    for matrix in (input, transposed(input)):
        assert number_of_chunks(matrix, 130) > 1
        for k in (1, 4, 130):
            # torch's own on a GPU sorts 128 and more by their bits: a negative NaN is the last.
            values, indices = topk(matrix, k)
            assert torch.equal(indices, first_of_the_best(matrix, k))
            expected = matrix.gather(1, indices)
            torch.testing.assert_close(values, expected, rtol=0, atol=0, equal_nan=True)


@pytest.mark.parametrize("dtype", [torch.float16])
def test_topk_of_chunks_that_end_behind_16_bits(
    load: Load, draw: Draw, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the last chunk has behind the end of its row is less than all negative numbers."""
    example = load("topk")
    monkeypatch.setattr(example, "PROGRAMS", 16)
    monkeypatch.setattr(example, "SHORTEST", 13000)
    for columns in (2**16 - 1, 2**16, 2**16 + 1):
        input = -1 - draw(2, columns).abs()
        input[1, 9:] = -math.inf
        assert 2**16 % example.chunk_length(input, 16)
        assert torch.equal(example.topk(input, 10)[1], first_of_the_best(input, 10))


def test_topk_refuses_other_k_and_types() -> None:
    for k, columns in ((4, 3), (-1, 3), (1025, 2000)):
        with pytest.raises(ValueError, match=f"k is {k}, and must be between 0 and"):
            topk.topk(torch.zeros(2, columns), k)
    with pytest.raises(ValueError, match=r"does not hold torch\.float64"):
        topk.topk(torch.zeros(2, 3, dtype=torch.float64), 1)


def test_without_elements(load: Load, draw: Draw) -> None:
    cumsum = load("cumsum").cumsum
    assert cumsum(draw(0, 5)).shape == (0, 5)
    assert cumsum(draw(5, 0)).shape == (5, 0)
    assert load("argmax").argmax(draw(0, 5)).shape == (0,)
    topk = load("topk").topk
    for input, k in ((draw(0, 5), 2), (draw(0, 9000), 2), (draw(5, 3), 0), (draw(5, 0), 0)):
        values, indices = topk(input, k)
        assert values.shape == indices.shape == (input.shape[0], k)
    cross_entropy = load("cross_entropy").cross_entropy
    assert cross_entropy(draw(0, 5), draw.integers(5, 0)).isnan()


@kinds
def test_cross_entropy(place: Place, load: Load, draw: Draw) -> None:
    cross_entropy = load("cross_entropy").cross_entropy
    for rows, classes in sizes(place):
        input, target = draw(rows, classes), draw.integers(classes, rows)
        check_cross_entropy(cross_entropy, input, target)


def check_cross_entropy(cross_entropy, input: torch.Tensor, target: torch.Tensor) -> None:
    """The loss, and the gradient of it."""
    result = cross_entropy(input, target)
    assert result.dtype is input.dtype
    expected = functional.cross_entropy(input.double(), target)
    # A single class loses nothing, which relative errors do not measure.
    assert abs(result.double() - expected) <= tolerance_of(result) * max(expected, 1)

    gradient = torch.tensor(-0.5, dtype=input.dtype, device=input.device)
    (found,) = gradients(cross_entropy)(gradient, input, target)
    (wanted,) = gradients(functional.cross_entropy)(gradient.double(), input.double(), target)
    assert found.dtype is input.dtype
    if input.dtype is torch.float16:
        # Most numbers are too small to be as precise as fp16 is elsewhere.
        smallest = torch.finfo(input.dtype).smallest_normal * torch.finfo(input.dtype).eps
        assert (found - wanted).abs().max() <= tolerance_of(found) * wanted.abs().max() + smallest
    elif wanted.any():
        assert relative_error(found, wanted) <= tolerance_of(found)
    else:
        assert found.abs().max() <= tolerance_of(found)


def test_cross_entropy_of_a_transposed_matrix(load: Load, draw: Draw) -> None:
    cross_entropy = load("cross_entropy").cross_entropy
    input = transposed(draw(7, 8200))
    check_cross_entropy(cross_entropy, input, draw.integers(8200, 14)[::2])


def test_cross_entropy_of_masked_classes(place: Place, load: Load, draw: Draw) -> None:
    """Whole tiles of -inf, and of the smallest number, count nothing."""
    cross_entropy = load("cross_entropy").cross_entropy
    input = draw(4, 20000)
    input[0, :16384] = -math.inf
    input[1, 10:] = -math.inf
    input[2, :16384] = torch.finfo(torch.float32).min
    input[3] = 1e4 * input[3]
    target = torch.tensor([17000, 3, 16384, 19999], device=place.device)
    check_cross_entropy(cross_entropy, input, target)


def test_cross_entropy_where_torch_has_no_number(place: Place, load: Load) -> None:
    cross_entropy = load("cross_entropy").cross_entropy
    target = torch.zeros(1, dtype=torch.int64, device=place.device)
    for number in (-math.inf, math.inf, math.nan):
        input = torch.full((1, 9000), number, device=place.device)
        assert cross_entropy(input, target).isnan()
    input = torch.zeros(1, 9000, device=place.device)
    input[0, 0] = -math.inf
    assert cross_entropy(input, target) == math.inf


def test_cross_entropy_without_gradients(load: Load, draw: Draw) -> None:
    cross_entropy = load("cross_entropy").cross_entropy
    input, target = draw(3, 20).requires_grad_(), draw.integers(20, 3)
    with torch.no_grad():
        assert not cross_entropy(input, target).requires_grad
    assert not cross_entropy(input.detach(), target).requires_grad


@pytest.mark.parametrize("target", [-100, -1, 5])
def test_cross_entropy_stops_at_a_target_that_is_no_class(target: int) -> None:
    with pytest.raises(AssertionFailedError, match="target is no class"):
        cross_entropy.cross_entropy(torch.zeros(3, 5), torch.tensor([0, target, 4]))


def test_cross_entropy_refuses_other_targets_and_types() -> None:
    with pytest.raises(ValueError, match="targets for an input of"):
        cross_entropy.cross_entropy(torch.zeros(3, 5), torch.zeros(2, dtype=torch.int64))
    with pytest.raises(ValueError, match=r"does not hold torch\.float64"):
        cross_entropy.cross_entropy(
            torch.zeros(3, 5, dtype=torch.float64), torch.zeros(3, dtype=torch.int64)
        )
