"""Windows of images: convolution and pooling."""

from __future__ import annotations

import torch
import torch.nn.functional as F

from benchmarks.operation import LAYERS, Operation, Work, by_hand, bytes_of
from benchmarks.operations.products import UNITS
from examples import avg_pool2d, causal_conv1d, conv2d, depthwise_conv2d, max_pool2d
from examples.runner import Draw


def _conv2d_inputs(
    draw: Draw,
    images: int,
    channels: int,
    height: int,
    width: int,
    filters: int,
    kernel: int,
    stride: int,
    padding: int,
) -> tuple[torch.Tensor, torch.Tensor, int, int]:
    weight = draw(filters, channels, kernel, kernel)
    return draw(images, channels, height, width), weight, stride, padding


def _output_size(
    input: torch.Tensor, weight: torch.Tensor, stride: int, padding: int
) -> tuple[int, ...]:
    return tuple(
        (input.shape[dim] + 2 * padding - weight.shape[dim]) // stride + 1 for dim in (2, 3)
    )


def _unfolded(input: torch.Tensor, weight: torch.Tensor, stride: int, padding: int) -> torch.Tensor:
    """A product of matrices: in float64, torch's convolution takes seconds."""
    columns = F.unfold(input, weight.shape[2:], padding=padding, stride=stride)
    size = _output_size(input, weight, stride, padding)
    return (weight.flatten(1) @ columns).unflatten(2, size)


def _conv2d(input: torch.Tensor, weight: torch.Tensor, stride: int, padding: int) -> torch.Tensor:
    return F.conv2d(input, weight, stride=stride, padding=padding)


def _conv2d_work(input: torch.Tensor, weight: torch.Tensor, stride: int, padding: int) -> Work:
    height, width = _output_size(input, weight, stride, padding)
    elements = input.shape[0] * weight.shape[0] * height * width
    return Work(
        bytes_of(input, weight) + elements * input.element_size(),
        2 * elements * weight[0].numel(),
        UNITS[input.dtype],
    )


def _depthwise_inputs(
    draw: Draw,
    images: int,
    channels: int,
    height: int,
    width: int,
    kernel: int,
    stride: int,
    padding: int,
) -> tuple[torch.Tensor, torch.Tensor, int, int]:
    weight = draw(channels, 1, kernel, kernel)
    return draw(images, channels, height, width), weight, stride, padding


def _depthwise_conv2d(
    input: torch.Tensor, weight: torch.Tensor, stride: int, padding: int
) -> torch.Tensor:
    groups = weight.shape[0]
    return F.conv2d(input, weight, stride=stride, padding=padding, groups=groups)


def _depthwise_work(input: torch.Tensor, weight: torch.Tensor, stride: int, padding: int) -> Work:
    height, width = _output_size(input, weight, stride, padding)
    elements = input.shape[0] * weight.shape[0] * height * width
    return Work(bytes_of(input, weight) + elements * input.element_size())


def _causal_inputs(
    draw: Draw, sequences: int, channels: int, length: int, width: int
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    return draw(sequences, channels, length), draw(channels, width), draw(channels)


def _causal_work(input: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> Work:
    return Work(2 * bytes_of(input) + bytes_of(weight, bias))


POOL_SIZES = {
    "small": (2, 64, 28, 28, 3, 2, 1, 0),
    "medium": (32, 64, 112, 112, 3, 2, 1, 0),
    "large": (128, 128, 112, 112, 3, 2, 1, 0),
    "ragged": (31, 67, 109, 113, 3, 2, 1, 1),
}
"""Images, channels, height, width, kernel, stride, padding, and whether it is ceil mode."""


def _pool_inputs(
    draw: Draw,
    images: int,
    channels: int,
    height: int,
    width: int,
    kernel: int,
    stride: int,
    padding: int,
    ceil_mode: int,
) -> tuple[torch.Tensor, int, int, int, bool]:
    return draw(images, channels, height, width), kernel, stride, padding, bool(ceil_mode)


def _max_pool2d(
    input: torch.Tensor, kernel: int, stride: int, padding: int, ceil_mode: bool
) -> torch.Tensor:
    return F.max_pool2d(input, kernel, stride, padding, ceil_mode=ceil_mode)


def _avg_pool2d(
    input: torch.Tensor, kernel: int, stride: int, padding: int, ceil_mode: bool
) -> torch.Tensor:
    return F.avg_pool2d(input, kernel, stride, padding, ceil_mode=ceil_mode)


def _pool_work(
    input: torch.Tensor, kernel: int, stride: int, padding: int, ceil_mode: bool
) -> Work:
    planes = input.shape[0] * input.shape[1]
    sizes = (
        max_pool2d.count_of_windows(size, kernel, stride, padding, ceil_mode)
        for size in input.shape[2:]
    )
    height, width = sizes
    return Work(bytes_of(input) + planes * height * width * input.element_size())


OPERATIONS = (
    Operation(
        name="conv2d",
        sizes={
            "small": (4, 64, 28, 28, 64, 3, 1, 1),
            "medium": (32, 128, 28, 28, 128, 3, 1, 1),
            "large": (32, 256, 56, 56, 256, 3, 1, 1),
            "ragged": (17, 131, 57, 59, 149, 3, 2, 1),
            **LAYERS,
        },
        inputs=_conv2d_inputs,
        reference=_unfolded,
        work=_conv2d_work,
        ours=conv2d.conv2d,
        triton=by_hand("conv2d"),
        torch=_conv2d,
        is_autotuned=True,
    ),
    Operation(
        name="depthwise_conv2d",
        sizes={
            "small": (2, 32, 28, 28, 3, 1, 1),
            "medium": (32, 256, 28, 28, 3, 1, 1),
            "large": (32, 256, 112, 112, 3, 1, 1),
            "ragged": (17, 131, 57, 59, 5, 2, 2),
        },
        inputs=_depthwise_inputs,
        reference=_depthwise_conv2d,
        work=_depthwise_work,
        ours=depthwise_conv2d.depthwise_conv2d,
        triton=by_hand("depthwise_conv2d"),
        torch=_depthwise_conv2d,
    ),
    Operation(
        name="causal_conv1d",
        sizes={
            "small": (1, 256, 512, 4),
            "medium": (4, 2048, 2048, 4),
            "large": (8, 8192, 4096, 4),
            "ragged": (3, 4099, 2053, 3),
        },
        inputs=_causal_inputs,
        reference=causal_conv1d.reference,
        work=_causal_work,
        ours=causal_conv1d.causal_conv1d,
        triton=by_hand("causal_conv1d"),
        torch=causal_conv1d.reference,
    ),
    Operation(
        name="max_pool2d",
        sizes=POOL_SIZES,
        inputs=_pool_inputs,
        reference=_max_pool2d,
        work=_pool_work,
        ours=max_pool2d.max_pool2d,
        triton=by_hand("max_pool2d"),
        torch=_max_pool2d,
        dtypes=("fp16", "bf16", "fp32"),
    ),
    Operation(
        name="avg_pool2d",
        sizes=POOL_SIZES,
        inputs=_pool_inputs,
        reference=_avg_pool2d,
        work=_pool_work,
        ours=avg_pool2d.avg_pool2d,
        triton=by_hand("avg_pool2d"),
        torch=_avg_pool2d,
        dtypes=("fp16", "bf16", "fp32"),
    ),
)
