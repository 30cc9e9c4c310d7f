"""Normalizations of rows, channels and groups, and their gradients."""

from __future__ import annotations

import functools

import numpy as np
import torch
import torch.nn.functional as F

import ninetoothed.language as ntl
from tests.support.idioms.arranged import BLOCK_SIZE, row, rows, rows_in_blocks, whole
from tests.support.idioms.idiom import Call, Idiom, gapped, nan, randn, transposed


def matrices(*others: int) -> list[Call]:
    """An input, ``others`` tensors of so many dims, and an output."""

    def call(m: int, n: int) -> list[torch.Tensor]:
        rest = [randn(m, n) + i if dims == 2 else randn(n) for i, dims in enumerate(others, 1)]
        return [randn(m, n), *rest, nan(m, n)]

    ragged = call(3, 37)
    strided = [gapped(t) if t.ndim == 1 or i % 2 else transposed(t) for i, t in enumerate(ragged)]
    return [tuple(call(4, 32)), tuple(ragged), tuple(strided)]


# One row a program, with weights that all share.


def affine_arrangement(input, weight, bias, eps, output):
    count = input.shape[0]
    return row(input), whole(weight, count), whole(bias, count), eps, row(output)


def layer_norm(input, weight, bias, eps, output):
    x = input.to(ntl.float32)
    mean = ntl.sum(x) / input.shape[0]
    centered = x - mean
    variance = ntl.sum(centered * centered) / input.shape[0]
    output = centered * ntl.rsqrt(variance + eps) * weight + bias


def layer_norm_reference(input, weight, bias, eps, output):
    n = input.shape[1]
    return F.layer_norm(input.double(), (n,), weight.double(), bias.double(), eps)


def affine_arguments() -> list[Call]:
    return [(*call[:-1], 1e-5, call[-1]) for call in matrices(1, 1)]


# The sum of a residual is stored and normalized.


def add_rms_arrangement(input, residual, weight, eps, output):
    return row(input), row(residual), whole(weight, input.shape[0]), eps, row(output)


def add_rms_norm(input, residual, weight, eps, output):
    residual += input
    mean_square = ntl.sum(residual * residual) / residual.shape[0]
    output = residual * ntl.rsqrt(mean_square + eps) * weight


def add_rms_reference(input, residual, weight, eps, output):
    total = input.double().numpy() + residual.double().numpy()
    scale = np.sqrt((total**2).mean(1, keepdims=True) + eps)
    return torch.from_numpy(total), torch.from_numpy(total / scale * weight.double().numpy())


def add_rms_arguments() -> list[Call]:
    return [(*call[:-1], 1e-6, call[-1]) for call in matrices(2, 1)]


def l2_normalize(input, output):
    length = ntl.sqrt(ntl.sum(input * input))
    output = input / ntl.maximum(length, 1e-12)


def log_softmax(input, output):
    shifted = input - ntl.max(input)
    output = shifted - ntl.log(ntl.sum(ntl.exp(shifted)))


def softmax_backward(result, gradient, output):
    output = result * (gradient - ntl.sum(result * gradient))


def softmax_gradient(result, gradient, output):
    y, dy = result.double().numpy(), gradient.double().numpy()
    return torch.from_numpy(y * (dy - (y * dy).sum(1, keepdims=True)))


# Backward of layer norm, from the saved mean and reciprocal of the deviation.


def backward_arrangement(gradient, input, weight, mean, rstd, output):
    return (
        *rows(gradient, input),
        whole(weight, input.shape[0]),
        *rows(mean, rstd, output),
    )


def layer_norm_backward(gradient, input, weight, mean, rstd, output):
    normal = (input - mean) * rstd
    weighted = gradient * weight
    along = ntl.sum(normal * weighted) / input.shape[0]
    level = ntl.sum(weighted) / input.shape[0]
    output = (weighted - normal * along - level) * rstd


def backward_arguments() -> list[Call]:
    return [
        (gradient, input, weight, input.mean(1), 1 / input.std(1), output)
        for input, gradient, weight, output in matrices(2, 1)
    ]


def backward_reference(gradient, input, weight, mean, rstd, output):
    dy, x, w, m, r = (t.double().numpy() for t in (gradient, input, weight, mean, rstd))
    normal = (x - m[:, None]) * r[:, None]
    dn = dy * w
    inner = dn - dn.mean(1, keepdims=True) - normal * (dn * normal).mean(1, keepdims=True)
    return torch.from_numpy(inner * r[:, None])


# Groups of channels: each is one row, which is walked over in blocks, twice.


def group_arrangement(input, output, eps, groups):
    def arranged(tensor):
        size = tensor.shape[1] // groups * tensor.shape[2] * tensor.shape[3]
        group = tensor.flatten(start_dim=1).tile((1, size))
        group.dtype = group.dtype.squeeze(0).tile((BLOCK_SIZE,))
        return group

    return arranged(input), arranged(output), eps


def group_norm(input, output, eps):
    _, channels, height, width = input.source.shape
    count = channels // GROUPS * height * width
    total = 0.0
    for i in range(input.shape[0]):
        total += ntl.sum(input[i])
    mean = total / count
    squares = 0.0
    for i in range(input.shape[0]):
        centered = input[i] - mean
        squares += ntl.sum(centered * centered)
    scale = ntl.rsqrt(squares / count + eps)
    for i in range(input.shape[0]):
        output[i] = (input[i] - mean) * scale


GROUPS = 3


def group_arguments() -> list[Call]:
    input, output = randn(2, 6, 3, 5), nan(2, 6, 3, 5)
    return [
        (randn(1, 3, 8, 4), nan(1, 3, 8, 4), 1e-5),
        (input, output, 1e-5),
        (transposed(input), gapped(output), 1e-5),
    ]


# Channels of images: statistics that are given, or of each image.


def channel(tensor, images):
    """One number of each channel, for each image."""
    arranged = tensor[None, :].tile((1, 1)).expand((images, -1))
    arranged.dtype = arranged.dtype.squeeze((0, 1))
    return arranged


def planes(tensor):
    """All pixels of one channel of an image."""
    arranged = tensor.flatten(start_dim=2).tile((1, 1, -1)).squeeze(2)
    arranged.dtype = arranged.dtype.squeeze((0, 1))
    return arranged


def batch_arrangement(input, mean, variance, weight, bias, output, eps):
    images = input.shape[0]
    numbers = (channel(tensor, images) for tensor in (mean, variance, weight, bias))
    return planes(input), *numbers, planes(output), eps


def batch_norm(input, mean, variance, weight, bias, output, eps):
    scale = weight * ntl.rsqrt(variance + eps)
    output = input * scale + (bias - mean * scale)


def batch_arguments() -> list[Call]:
    def call(n: int, c: int, h: int, w: int) -> Call:
        numbers = (randn(c), randn(c).square() + 1, randn(c) + 1, randn(c) - 1)
        return randn(n, c, h, w), *numbers, nan(n, c, h, w), 1e-5

    input, *numbers, output, eps = call(2, 3, 5, 7)
    return [
        call(1, 2, 4, 4),
        (input, *numbers, output, eps),
        (transposed(input), *map(gapped, numbers), gapped(output), eps),
    ]


def batch_reference(input, mean, variance, weight, bias, output, eps):
    numbers = (tensor.double() for tensor in (mean, variance, weight, bias))
    return F.batch_norm(input.double(), *numbers, training=False, eps=eps)


def instance_arrangement(input, output, eps):
    return planes(input), planes(output), eps


def instance_norm(input, output, eps):
    count = input.shape[0]
    mean = ntl.sum(input) / count
    centered = input - mean
    output = centered / ntl.sqrt(ntl.sum(centered * centered) / count + eps)


def instance_arguments() -> list[Call]:
    return [(call[0], call[-2], call[-1]) for call in batch_arguments()]


# Weights of a layer, each row of which gets mean 0 and deviation 1; by blocks of any size.


def standardize_arrangement(weight, output):
    return rows_in_blocks(weight, BLOCK_SIZE), rows_in_blocks(output, BLOCK_SIZE)


def standardize(weight, output):
    """By the mean of squares, in one sweep."""
    n = weight.source.shape[1]
    total = squares = 0.0
    for i in range(weight.shape[0]):
        total += ntl.sum(weight[i])
        squares += ntl.sum(weight[i] * weight[i])
    mean = total / n
    scale = ntl.rsqrt(squares / n - mean * mean + 1e-6)
    for i in range(weight.shape[0]):
        output[i] = (weight[i] - mean) * scale


def standardize_reference(weight, output):
    x = weight.double().numpy()
    centered = x - x.mean(1, keepdims=True)
    return torch.from_numpy(centered / np.sqrt(x.var(1, keepdims=True) + 1e-6))


def group_norm_reference(input, output, eps):
    return F.group_norm(input.double(), GROUPS, eps=eps)


IDIOMS = (
    Idiom("layer_norm", affine_arrangement, layer_norm, affine_arguments, layer_norm_reference),
    Idiom(
        "add_and_rms_norm",
        add_rms_arrangement,
        add_rms_norm,
        add_rms_arguments,
        add_rms_reference,
        outputs=(1, 4),
    ),
    Idiom(
        "l2_normalize",
        rows,
        l2_normalize,
        lambda: matrices(),
        lambda input, output: F.normalize(input.double(), dim=1),
    ),
    Idiom(
        "log_softmax",
        rows,
        log_softmax,
        lambda: matrices(),
        lambda input, output: F.log_softmax(input.double(), dim=1),
    ),
    Idiom("softmax_backward", rows, softmax_backward, lambda: matrices(2), softmax_gradient),
    Idiom(
        "layer_norm_backward",
        backward_arrangement,
        layer_norm_backward,
        backward_arguments,
        backward_reference,
    ),
    Idiom(
        "group_norm",
        functools.partial(group_arrangement, groups=GROUPS),
        group_norm,
        group_arguments,
        group_norm_reference,
        outputs=(1,),
    ),
    Idiom(
        "batch_norm_of_given_statistics",
        batch_arrangement,
        batch_norm,
        batch_arguments,
        batch_reference,
        outputs=(5,),
        tolerance=1e-4,
    ),
    Idiom(
        "instance_norm",
        instance_arrangement,
        instance_norm,
        instance_arguments,
        lambda input, output, eps: F.instance_norm(input.double(), eps=eps),
        outputs=(1,),
    ),
    Idiom(
        "standardized_weights",
        standardize_arrangement,
        standardize,
        lambda: matrices(),
        standardize_reference,
        tolerance=1e-4,
    ),
)
