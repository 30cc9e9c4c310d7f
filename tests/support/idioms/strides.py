"""Elements at regular distances: flattened views, interleaved halves, diagonals, slices."""

from __future__ import annotations

import functools

import torch

from ninetoothed import Tensor, block_size
from tests.support.idioms.idiom import Call, Idiom, gapped, nan, randn, transposed

BLOCK_SIZE = block_size(lower_bound=16, upper_bound=128)


# Elementwise over tensors of any number of dims and any strides.


def flat_arrangement(*tensors):
    return tuple(tensor.flatten().tile((BLOCK_SIZE,)) for tensor in tensors)


def add_application(input, other, output):
    output = input + other


def flat_arguments() -> list[Call]:
    input, other, output = randn(3, 5, 7), randn(3, 7, 5).transpose(1, 2), nan(3, 5, 7)
    return [
        (randn(4, 4, 8), randn(8, 4, 4).permute(2, 1, 0), nan(4, 4, 8)),
        (input, other, output),
        (transposed(input), gapped(other), transposed(output)),
        (input[:1].expand(3, -1, -1), other, gapped(output)),
    ]


# Rotary embedding, in place. The halves of the last dim, interleaved or one behind the other, are
# two blocks of each program.


def rotary_arrangement(input, sin, cos, interleaved):
    half = input.shape[-1] // 2
    if interleaved:
        halves = input.tile((1, 1, 1, half), strides=(-1, -1, -1, 1), dilation=(1, 1, 1, 2))
    else:
        halves = input.tile((1, 1, 1, half))
    halves = halves.tile((1, 1, 1, -1))
    halves.dtype = halves.dtype.squeeze((0, 1, 2))
    halves.dtype.dtype = halves.dtype.dtype.squeeze((0, 1, 2))

    def angles(tensor):
        arranged = tensor[None, :, None, :].tile((1, 1, 1, half))
        arranged = arranged.expand((input.shape[0], -1, input.shape[2], -1))
        arranged.dtype = arranged.dtype.squeeze((0, 1, 2))
        return arranged

    return halves, angles(sin), angles(cos)


def rotary_application(input, sin, cos):
    first = input[0]
    second = input[1]
    input[0] = first * cos - second * sin
    input[1] = first * sin + second * cos


def rotary_arguments() -> list[Call]:
    """Of a batch, positions, heads and an even number of features."""

    def call(*shape: int) -> Call:
        angles = randn(shape[1], shape[3] // 2)
        return randn(*shape), angles.sin(), angles.cos()

    input, sin, cos = call(2, 5, 3, 14)
    return [
        call(1, 4, 2, 16),
        (input, sin, cos),
        (transposed(input), transposed(sin), gapped(cos)),
        (gapped(input), sin, cos),
    ]


def rotary_reference(input, sin, cos, interleaved):
    parts = input.double()
    half = input.shape[-1] // 2
    if interleaved:
        first, second = parts[..., 0::2], parts[..., 1::2]
    else:
        first, second = parts[..., :half], parts[..., half:]
    sin, cos = (angles.double()[None, :, None, :] for angles in (sin, cos))
    rotated = (first * cos - second * sin, first * sin + second * cos)
    if interleaved:
        return torch.stack(rotated, dim=-1).flatten(start_dim=-2)
    return torch.cat(rotated, dim=-1)


def rotary(name: str, interleaved: bool) -> Idiom:
    return Idiom(
        name,
        functools.partial(rotary_arrangement, interleaved=interleaved),
        rotary_application,
        rotary_arguments,
        functools.partial(rotary_reference, interleaved=interleaved),
        outputs=(0,),
    )


# Diagonals of square matrices.


def diagonal_arrangement(input, output):
    diagonal = input.flatten()[:: input.shape[-1] + 1]
    return diagonal.tile((BLOCK_SIZE,)), output.tile((BLOCK_SIZE,))


def diagonal_by_strides_arrangement(input, output):
    diagonal = input.flatten().tile((1,), strides=(input.shape[-1] + 1,)).ravel().squeeze(1)
    return diagonal.tile((BLOCK_SIZE,)), output.tile((BLOCK_SIZE,))


def copy_application(input, output):
    output = input


def diagonal_arguments() -> list[Call]:
    return [
        (randn(32, 32), nan(32)),
        (randn(37, 37), gapped(nan(37))),
        (transposed(randn(5, 5)), nan(5)),
        (gapped(randn(70, 70)), nan(70)),
        (randn(1, 1), nan(1)),
    ]


def fill_diagonal_arrangement(input, value):
    diagonal = input.flatten()[:: input.shape[-1] + 1]
    return diagonal.tile((BLOCK_SIZE,)), value


def fill_application(input, value):
    input = value


def fill_arguments() -> list[Call]:
    return [(input, 2.5) for input, _ in diagonal_arguments()]


def fill_reference(input, value):
    return input.double().fill_diagonal_(value)


# Slices that come as an argument; what lies outside them stays.


def slices_arrangement(input, output, slices):
    part = output[slices]
    return input.flatten().tile((BLOCK_SIZE,)), part.flatten().tile((BLOCK_SIZE,))


def slices_arguments(*shape: int, slices: tuple[slice, ...]) -> list[Call]:
    output = randn(*shape)
    input = randn(*output[slices].shape)
    return [(input, output), (transposed(input), gapped(output)), (gapped(input), output)]


def slices_reference(input, output, slices):
    result = output.double()
    result[slices] = input.double()
    return result


def into_slices(name: str, shape: tuple[int, ...], *slices: slice) -> Idiom:
    return Idiom(
        name,
        slices_arrangement,
        copy_application,
        functools.partial(slices_arguments, *shape, slices=slices),
        functools.partial(slices_reference, slices=slices),
        tensors=(Tensor(2), Tensor(2), slices),
    )


# The last dim backwards.


def reversed_arrangement(input, output):
    return input[..., ::-1].tile((1, BLOCK_SIZE)), output.tile((1, BLOCK_SIZE))


def reversed_arguments() -> list[Call]:
    return [
        (randn(3, 64), nan(3, 64)),
        (transposed(randn(4, 33)), gapped(nan(4, 33))),
        (gapped(randn(2, 1)), nan(2, 1)),
    ]


IDIOMS = (
    Idiom(
        "elementwise_of_strided_tensors",
        flat_arrangement,
        add_application,
        flat_arguments,
        lambda input, other, output: input.double() + other.double(),
    ),
    rotary("rotary_of_interleaved_halves", interleaved=True),
    rotary("rotary_of_halves", interleaved=False),
    Idiom(
        "diagonal_by_a_slice",
        diagonal_arrangement,
        copy_application,
        diagonal_arguments,
        lambda input, output: input.double().diagonal(),
    ),
    Idiom(
        "diagonal_by_strides",
        diagonal_by_strides_arrangement,
        copy_application,
        diagonal_arguments,
        lambda input, output: input.double().diagonal(),
    ),
    Idiom(
        "fill_diagonal",
        fill_diagonal_arrangement,
        fill_application,
        fill_arguments,
        fill_reference,
        outputs=(0,),
    ),
    into_slices("slices", (9, 12), slice(1, 7), slice(2, None, 3)),
    into_slices("slices_from_the_end", (9, 12), slice(-4, -1), slice(None)),
    Idiom(
        "a_dim_backwards",
        reversed_arrangement,
        copy_application,
        reversed_arguments,
        lambda input, output: input.double().flip(1),
    ),
)
