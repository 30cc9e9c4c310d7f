"""The examples whose programs see windows of images: convolution and pooling."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable
from typing import Any

import pytest
import torch
import torch.nn.functional as F

from examples import avg_pool2d, causal_conv1d, conv2d, depthwise_conv2d, max_pool2d
from examples.runner import Draw, relative_error, tolerance_of
from tests.support import offline
from tests.support.examples import Load, Place, every_place
from tests.support.targets import FEW_TARGETS

HALVES = (torch.float16, torch.bfloat16)


def check(place: Place, result: torch.Tensor, expected: torch.Tensor) -> None:
    # On a GPU, products of fp32 are formed in tf32.
    tf32 = place.is_gpu and result.dtype is torch.float32
    assert relative_error(result, expected) <= (2e-3 if tf32 else tolerance_of(result))


def layouts(images: torch.Tensor) -> Iterable[torch.Tensor]:
    """The same numbers: the channels or the rows innermost in memory, and with gaps between."""
    yield images.contiguous(memory_format=torch.channels_last)
    yield images.mT.contiguous().mT
    wide = torch.zeros([2 * size for size in images.shape], dtype=images.dtype)
    gapped = wide.to(images.device)[::2, ::2, 1::2, 1::2]
    yield gapped.copy_(images)


# Height, width, filter, and options.
CONVOLUTIONS: tuple[tuple[int, int, tuple[int, int], dict[str, Any]], ...] = (
    (8, 8, (3, 3), {}),
    (7, 9, (1, 1), {"stride": 2}),
    (5, 6, (5, 2), {"padding": (2, 0)}),
    (11, 8, (3, 3), {"stride": 2, "padding": 3, "dilation": 2}),
    (9, 14, (2, 3), {"stride": (3, 2), "padding": (0, 4), "dilation": (1, 3)}),
)


@pytest.mark.parametrize("case", CONVOLUTIONS, ids=str)
def test_conv2d(
    place: Place, case: tuple[int, int, tuple[int, int], dict[str, Any]], load: Load, draw: Draw
) -> None:
    height, width, window, options = case
    convolve = load("conv2d").conv2d
    channels = [(1, 1, 1), (2, 3, 5)]
    if place.is_gpu:
        channels.append((5, 48, 65))
    for n, c, k in channels:
        input, weight = draw(n, c, height, width), draw(k, c, *window)
        expected = F.conv2d(input.double(), weight.double(), **options)
        check(place, convolve(input, weight, **options), expected)


@every_place
@pytest.mark.parametrize("dtype", HALVES, ids=str)
def test_conv2d_of_halves(place: Place, dtype: torch.dtype, load: Load, draw: Draw) -> None:
    convolve = load("conv2d").conv2d
    shape = (16, 64, 57, 56) if place.is_gpu else (2, 8, 9, 8)
    input, weight = draw(*shape), draw(16, shape[1], 3, 3)
    result = convolve(input, weight, padding=1)
    assert result.dtype is dtype
    check(place, result, F.conv2d(input.double(), weight.double(), padding=1))


def test_conv2d_of_any_layout(place: Place, load: Load) -> None:
    convolve = load("conv2d").conv2d
    draw = Draw(place.device, torch.float16)
    input, weight = draw(2, 3, 8, 9), draw(4, 3, 3, 3)
    expected = F.conv2d(input.double(), weight.double(), stride=2, padding=1)
    for one, two in zip(layouts(input), layouts(weight), strict=True):
        check(place, convolve(one, two, 2, 1), expected)


def test_conv2d_of_nothing(load: Load, draw: Draw) -> None:
    convolve = load("conv2d").conv2d
    assert convolve(draw(0, 3, 8, 8), draw(4, 3, 3, 3)).shape == (0, 4, 6, 6)
    assert convolve(draw(2, 3, 8, 8), draw(0, 3, 3, 3)).shape == (2, 0, 6, 6)


# Window, stride and padding.
WINDOWS: tuple[tuple[Any, Any, Any], ...] = (
    (2, None, 0),
    (3, 2, 1),
    ((2, 5), (3, 1), (1, 2)),
    (1, 4, 0),
)


@pytest.mark.parametrize("windows", WINDOWS, ids=str)
def test_max_pool2d(place: Place, windows: tuple[Any, Any, Any], load: Load, draw: Draw) -> None:
    pool = load("max_pool2d").max_pool2d
    for shape, ceil_mode in itertools.product(shapes(place), (False, True)):
        # Below 0, so that elements which do not exist would win if they were 0.
        input = -draw(*shape).abs() - 1
        assert torch.equal(
            pool(input, *windows, ceil_mode=ceil_mode),
            F.max_pool2d(input, *windows, ceil_mode=ceil_mode),
        )


@pytest.mark.parametrize("windows", WINDOWS, ids=str)
def test_avg_pool2d(place: Place, windows: tuple[Any, Any, Any], load: Load, draw: Draw) -> None:
    pool = load("avg_pool2d").avg_pool2d
    both = (False, True)
    for shape, ceil_mode, include in itertools.product(shapes(place), both, both):
        input = draw(*shape)
        result = pool(input, *windows, ceil_mode, include)
        expected = F.avg_pool2d(input.double(), *windows, ceil_mode, include)
        assert relative_error(result, expected) <= tolerance_of(result)


def shapes(place: Place) -> list[tuple[int, int, int, int]]:
    return [(3, 17, 101, 64)] if place.is_gpu else [(2, 3, 13, 10), (1, 1, 5, 6)]


@every_place
@pytest.mark.parametrize("dtype", HALVES, ids=str)
def test_pools_of_halves(dtype: torch.dtype, load: Load, draw: Draw) -> None:
    input = draw(2, 3, 9, 8)
    for name in ("max_pool2d", "avg_pool2d"):
        result = getattr(load(name), name)(input, 3, 2, 1)
        assert result.dtype is dtype
        expected = getattr(F, name)(input.double(), 3, 2, 1)
        assert relative_error(result, expected) <= tolerance_of(result)


def test_pools_of_any_layout(place: Place, load: Load) -> None:
    input = Draw(place.device, torch.float16)(2, 3, 9, 8)
    for name in ("max_pool2d", "avg_pool2d"):
        pool = getattr(load(name), name)
        expected = getattr(F, name)(input.double(), 3, 2, 1)
        for images in layouts(input):
            result = pool(images, 3, 2, 1)
            assert relative_error(result, expected) <= tolerance_of(result)


def test_pools_of_nothing(place: Place, load: Load) -> None:
    input = torch.empty(0, 3, 8, 8, device=place.device)
    for name in ("max_pool2d", "avg_pool2d"):
        assert getattr(load(name), name)(input, 2).shape == (0, 3, 4, 4)


def test_max_pool2d_of_nan(place: Place, load: Load) -> None:
    """A window with a NaN gives NaN; one of infinities alone, minus infinity."""
    pool = load("max_pool2d").max_pool2d
    input = Draw(place.device, torch.float16)(1, 2, 9, 9)
    input[0, 0, 4, 4] = float("nan")
    input[0, 1, :4] = -float("inf")
    expected = F.max_pool2d(input, 3, 2, 1)
    assert torch.allclose(pool(input, 3, 2, 1), expected, rtol=0, atol=0, equal_nan=True)


def test_as_many_windows_as_in_torch() -> None:
    for size, window, stride, ceil_mode in itertools.product(
        range(1, 8), range(1, 5), range(1, 6), (False, True)
    ):
        for padding in range(window // 2 + 1):
            arguments = (window, stride, padding)
            try:
                image = torch.empty(1, 1, size, size)
                expected = F.max_pool2d(image, *arguments, ceil_mode=ceil_mode).shape[-1]
            except RuntimeError:
                with pytest.raises(ValueError, match="does not fit"):
                    max_pool2d.count_of_windows(size, *arguments, ceil_mode)
            else:
                assert max_pool2d.count_of_windows(size, *arguments, ceil_mode) == expected


@pytest.mark.parametrize("case", CONVOLUTIONS, ids=str)
def test_depthwise_conv2d(
    place: Place, case: tuple[int, int, tuple[int, int], dict[str, Any]], load: Load, draw: Draw
) -> None:
    height, width, window, options = case
    convolve = load("depthwise_conv2d").depthwise_conv2d
    for images, channels in ((1, 1), (2, 5)):
        input, weight = draw(images, channels, height, width), draw(channels, 1, *window)
        result = convolve(input, weight, **options)
        expected = F.conv2d(input.double(), weight.double(), groups=channels, **options)
        assert relative_error(result, expected) <= tolerance_of(result)


@pytest.mark.parametrize(("length", "width"), [(1, 4), (70, 4), (257, 1), (3, 7), (1000, 3)])
def test_causal_conv1d(place: Place, length: int, width: int, load: Load, draw: Draw) -> None:
    convolve = load("causal_conv1d").causal_conv1d
    for sequences, channels in ((1, 1), (2, 5)):
        input, weight, bias = (
            draw(sequences, channels, length),
            draw(channels, width),
            draw(channels),
        )
        result = convolve(input, weight, bias)
        expected = causal_conv1d.reference(input.double(), weight.double(), bias.double())
        assert relative_error(result, expected) <= tolerance_of(result)
        # Positions innermost or not, and with gaps between.
        strided = input.mT.contiguous().mT
        assert torch.equal(convolve(strided, weight, bias), result)


@every_place
@pytest.mark.parametrize("dtype", HALVES, ids=str)
def test_filters_of_halves(dtype: torch.dtype, load: Load, draw: Draw) -> None:
    input, weight, bias = draw(2, 3, 90), draw(3, 4), draw(3)
    result = load("causal_conv1d").causal_conv1d(input, weight, bias)
    expected = causal_conv1d.reference(input.double(), weight.double(), bias.double())
    assert result.dtype is dtype
    assert relative_error(result, expected) <= tolerance_of(result)
    images, filters = draw(2, 3, 9, 8), draw(3, 1, 3, 3)
    result = load("depthwise_conv2d").depthwise_conv2d(images, filters, 2, 1)
    expected = F.conv2d(images.double(), filters.double(), None, 2, 1, groups=3)
    assert result.dtype is dtype
    assert relative_error(result, expected) <= tolerance_of(result)


def test_wrong_filters() -> None:
    images = torch.zeros(1, 2, 6, 6)
    with pytest.raises(ValueError, match=re.escape("(n, c, h, w) and (c, 1, r, s)")):
        depthwise_conv2d.depthwise_conv2d(images, torch.zeros(2, 2, 3, 3))
    with pytest.raises(ValueError, match="does not fit into 6 elements"):
        depthwise_conv2d.depthwise_conv2d(images, torch.zeros(2, 1, 9, 3))
    for shapes in (((2, 3), (3, 4), (3,)), ((1, 2, 3), (3, 4), (2,)), ((1, 2, 3), (2, 4), (2, 2))):
        with pytest.raises(ValueError, match=re.escape("must be (n, c, l), (c, w) and (c,)")):
            causal_conv1d.causal_conv1d(*(torch.zeros(shape) for shape in shapes))
    needs = torch.zeros(1, 2, 6, requires_grad=True)
    with pytest.raises(ValueError, match="input requires gradients"):
        causal_conv1d.causal_conv1d(needs, torch.zeros(2, 4), torch.zeros(2))


IMAGES = torch.zeros(1, 2, 6, 6)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((IMAGES, torch.zeros(4, 3, 3, 3)), "must be"),
        ((IMAGES[0], torch.zeros(4, 2, 3, 3)), "must be"),
        ((IMAGES, torch.zeros(4, 2, 3, 3), 0), "stride"),
        ((IMAGES, torch.zeros(4, 2, 3, 3), 1, -1), "padding"),
        ((IMAGES, torch.zeros(4, 2, 3, 3), 1, 0, 0), "dilation"),
        ((IMAGES, torch.zeros(4, 2, 3, 3), 1, 0, 3), "reaches over 7 elements"),
    ],
)
def test_convolutions_that_do_not_fit(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        conv2d.conv2d(*arguments)


@pytest.mark.parametrize("pool", [max_pool2d.max_pool2d, avg_pool2d.avg_pool2d])
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((IMAGES[0], 2), "must have shape"),
        ((IMAGES.int(), 2), "float"),
        ((IMAGES, 0), "kernel_size"),
        ((IMAGES, 2, 0), "stride"),
        ((IMAGES, 2, 2, 2), "padding"),
        ((IMAGES, 2, 2, -1), "padding"),
        ((IMAGES, 7), "does not fit"),
        ((IMAGES, (2,)), "unpack"),
    ],
)
def test_windows_that_do_not_fit(pool: Any, arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        pool(*arguments)


def empty(*shape: int) -> torch.Tensor:
    return torch.empty(shape, dtype=torch.float16)


@pytest.mark.parametrize("target", FEW_TARGETS)
@pytest.mark.parametrize("dilation", [1, 2])
def test_conv2d_compiles(target: str, dilation: int) -> None:
    kernel = conv2d.make_kernel((1, 1), (dilation, 1), (dilation, 1))
    values = (empty(2, 32, 16, 16), empty(64, 32, 3, 3), empty(2, 64, 16, 16))
    offline.check(kernel, values, target)


@pytest.mark.parametrize("target", FEW_TARGETS)
@pytest.mark.parametrize("ceil_mode", [False, True], ids=["floor", "ceil"])
def test_pools_compile(target: str, ceil_mode: bool) -> None:
    windows = ((3, 3), (2, 2), (1, 1), ceil_mode)
    values = (empty(2, 32, 16, 16), empty(2, 32, 8, 8))
    offline.check(max_pool2d.make_kernel(*windows), values, target)
    for include in (False, True):
        offline.check(avg_pool2d.make_kernel(*windows, include), values, target)
