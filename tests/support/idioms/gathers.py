"""Places that data or coordinates name: masks, rows of tables, caches, quantized numbers."""

from __future__ import annotations

import numpy as np
import torch
import torch.nn.functional as F

import ninetoothed.language as ntl
from ninetoothed import Tensor
from tests.support.idioms.arranged import BLOCK_SIZE, blocks, row, rows, whole
from tests.support.idioms.idiom import Call, Idiom, gapped, integers, nan, randn, transposed
from tests.support.idioms.memory import column_of_rows, row_number


def tiles(*tensors):
    """Blocks of matrices; scalars as they are."""
    return tuple(tensor.tile((4, BLOCK_SIZE)) if tensor.ndim else tensor for tensor in tensors)


def matrices(*numbers: int) -> list[Call]:
    return [
        (randn(8, 32), *numbers, nan(8, 32)),
        (transposed(randn(7, 37)), *numbers, gapped(nan(7, 37))),
    ]


# Triangles of matrices, by coordinates.


def lower_triangle(input, diagonal, output):
    kept = input.offsets(1)[None, :] - input.offsets(0)[:, None] <= diagonal
    output = ntl.where(kept, input, 0.0)


def causal_fill(input, diagonal, output):
    i, j = input.offsets(0)[:, None], input.offsets(1)[None, :]
    output = ntl.where(j > i + diagonal, float("-inf"), input)


def causal_reference(input, diagonal, output):
    x = input.double().numpy()
    later = np.arange(x.shape[1])[None, :] > np.arange(x.shape[0])[:, None] + diagonal
    return torch.from_numpy(np.where(later, -np.inf, x))


def masked_fill(input, mask, value, output):
    output = ntl.where(mask != 0, value, input)


def masked_fill_arguments() -> list[Call]:
    return [
        (input, integers(0, 2, *input.shape).bool(), -1.5, output) for input, output in matrices()
    ]


def masked_fill_reference(input, mask, value, output):
    return torch.from_numpy(np.where(mask.numpy(), value, input.double().numpy()))


# One-hot: a row of bits for each number.


def one_hot(index, output):
    output = (ntl.arange(0, output.shape[0]) == index).to(output.dtype)


def one_hot_arguments() -> list[Call]:
    return [
        (integers(0, 8, 16), torch.full((16, 8), -1, dtype=torch.int32)),
        (gapped(integers(0, 11, 5)), gapped(torch.full((5, 11), -1, dtype=torch.int32))),
    ]


# Elements of a row by numbers of another: gather along the last dim.


def take_arrangement(input, index, output):
    return row(input), row(index), row(output)


def take_along(input, index, output):
    output = input[index]


def take_arguments() -> list[Call]:
    return [
        (randn(8, 32), integers(0, 32, 8, 16), nan(8, 16)),
        (transposed(randn(5, 21)), gapped(integers(0, 21, 5, 37)), gapped(nan(5, 37))),
    ]


def take_reference(input, index, output):
    return torch.from_numpy(np.take_along_axis(input.numpy(), index.numpy(), 1))


# Columns by number.


def columns_arrangement(input, index, output):
    blocks_ = output.tile((1, BLOCK_SIZE))
    blocks_.dtype = blocks_.dtype.squeeze(0)
    lines = input.tile((1, -1)).expand((-1, blocks_.shape[1]))
    lines.dtype = lines.dtype.squeeze(0)
    numbers = index.tile((BLOCK_SIZE,))[None, :].expand((output.shape[0], -1))
    return lines, numbers, blocks_


def columns_arguments() -> list[Call]:
    return [
        (randn(8, 16), integers(0, 16, 64), nan(8, 64)),
        (transposed(randn(5, 21)), gapped(integers(0, 21, 37)), gapped(nan(5, 37))),
    ]


def columns_reference(input, index, output):
    return torch.from_numpy(input.numpy()[:, index.numpy()])


# Bags: sums of rows that a row of numbers names; negative numbers are padding.


def bag_arrangement(table, index, output):
    output_arranged = output.tile((1, BLOCK_SIZE))
    output_arranged.dtype = output_arranged.dtype.squeeze(0)
    indices = index.tile((1, -1)).expand((-1, output_arranged.shape[1]))
    indices.dtype = indices.dtype.squeeze(0)
    return column_of_rows(table, index.shape[0]), indices, output_arranged


def bag(table, index, output):
    total = ntl.zeros(output.shape, dtype=ntl.float32)
    count = 0
    for i in range(index.shape[0]):
        number = index[i]
        if number >= 0:
            total += table[number]
            count += 1
    output = total / ntl.maximum(count, 1)


def bag_arguments() -> list[Call]:
    return [
        (randn(8, 32), integers(0, 8, 4, 2), nan(4, 32)),
        (transposed(randn(6, 37)), gapped(integers(-3, 6, 5, 3)), gapped(nan(5, 37))),
    ]


def bag_reference(table, index, output):
    bags = []
    for numbers in index.numpy():
        chosen = table.double().numpy()[numbers[numbers >= 0]]
        bags.append(chosen.sum(0) / max(len(chosen), 1))
    return torch.from_numpy(np.stack(bags))


# Rows that are added where numbers say, more than one to some.


def index_add_arrangement(source, index, output):
    source_arranged = source.tile((1, BLOCK_SIZE))
    source_arranged.dtype = source_arranged.dtype.squeeze(0)
    numbers = row_number(index, source_arranged.shape[1])
    return source_arranged, numbers, output.tile((-1, -1)).expand(source_arranged.shape)


def index_add(source, index, output):
    columns = source.offsets(1)
    pointers = output.data_ptr() + index * output.source.stride(0)
    pointers += columns * output.source.stride(1)
    ntl.atomic_add(pointers, source, mask=columns < source.source.shape[1])


def index_add_arguments() -> list[Call]:
    return [
        (randn(8, 32), integers(0, 4, 8), torch.zeros(4, 32)),
        (transposed(randn(5, 37)), gapped(integers(0, 3, 5)), gapped(randn(3, 37))),
    ]


def index_add_reference(source, index, output):
    result = output.double().numpy().copy()
    np.add.at(result, index.numpy(), source.double().numpy())
    return torch.from_numpy(result)


# A cache of keys: a new position goes to the slot that the call names.


def cache_arrangement(new, slot, cache):
    rows_ = new.tile((1, 1, -1)).squeeze(2)
    rows_.dtype = rows_.dtype.squeeze((0, 1))
    slots = slot.tile((1,)).unsqueeze(1).expand((-1, new.shape[1]))
    slots.dtype = slots.dtype.squeeze(0)
    lines = cache.permute((1, 0, 2)).tile((1, 1, -1)).tile((1, -1, 1)).squeeze((1, 2))
    lines = lines[None, :].expand((new.shape[0], -1))
    lines.dtype = lines.dtype.squeeze((0, 2))
    lines.dtype.dtype = lines.dtype.dtype.squeeze((0, 1))
    return rows_, slots, lines


def write_cache(new, slot, cache):
    if slot >= 0:
        cache[slot] = new


def cache_arguments() -> list[Call]:
    """Of tokens, heads and features; a slot of -1 is no token."""
    order = torch.from_numpy(np.random.default_rng(1).permutation(9)[:5])
    order[2] = -1
    return [
        (randn(4, 2, 16), torch.tensor([3, 0, 7, 1]), randn(8, 2, 16)),
        (transposed(randn(5, 3, 21)), gapped(order), gapped(randn(9, 3, 21))),
    ]


def cache_reference(new, slot, cache):
    result = cache.numpy().copy()
    kept = slot.numpy() >= 0
    result[slot.numpy()[kept]] = new.numpy()[kept]
    return torch.from_numpy(result)


# Pages: a table of pages for each sequence, and tokens behind one another.


def pages_arrangement(pages, table, output):
    """A program copies one page of one sequence."""
    output_arranged = output.tile((1, PAGE, -1)).squeeze(2)
    output_arranged.dtype = output_arranged.dtype.squeeze(0)
    numbers = table.tile((1, 1))
    numbers.dtype = numbers.dtype.squeeze((0, 1))
    all_pages = pages.tile((1, -1, -1)).tile((-1, 1, 1)).squeeze((1, 2))
    all_pages.dtype = all_pages.dtype.squeeze((1, 2))
    all_pages.dtype.dtype = all_pages.dtype.dtype.squeeze(0)
    all_pages = all_pages.unsqueeze(1).expand(table.shape)
    return all_pages, numbers, output_arranged


PAGE = 4


def copy_page(pages, table, output):
    output = pages[table]


def pages_arguments() -> list[Call]:
    return [
        (randn(6, PAGE, 8), integers(0, 6, 2, 3), nan(2, 3 * PAGE, 8)),
        (transposed(randn(5, PAGE, 7)), integers(0, 5, 3, 2), gapped(nan(3, 2 * PAGE, 7))),
    ]


def pages_reference(pages, table, output):
    chosen = pages.numpy()[table.numpy()]
    return torch.from_numpy(chosen.reshape(output.shape))


# Eight bits a number, with a scale a row.


def quantize(input, output, scale):
    largest = ntl.maximum(ntl.max(ntl.abs(input)), 1e-8)
    factor = largest / 127
    scaled = input / factor
    rounded = ntl.where(scaled >= 0, ntl.floor(scaled + 0.5), ntl.ceil(scaled - 0.5))
    output = rounded.to(ntl.int8)
    scale = factor


def quantize_arguments() -> list[Call]:
    """Multiples of the scale, so that no rounding is close."""

    def call(m: int, n: int) -> Call:
        numbers = integers(-126, 127, m, n).float()
        numbers[:, 0] = 127
        output = torch.full((m, n), -1, dtype=torch.int8)
        return numbers * (1 + integers(0, 5, m, 1)) / 8, output, nan(m)

    input, output, scale = call(3, 37)
    return [call(4, 32), (transposed(input), gapped(output), gapped(scale))]


def quantize_reference(input, output, scale):
    x = input.double().numpy()
    factor = np.abs(x).max(1) / 127
    return torch.from_numpy(np.rint(x / factor[:, None])), torch.from_numpy(factor)


def dequantize_arrangement(input, scale, zero, output):
    def columns(tensor):
        return tensor.tile((BLOCK_SIZE,))[None].expand((input.shape[0], -1))

    lines = (tensor.tile((1, BLOCK_SIZE)) for tensor in (input, output))
    input_arranged, output_arranged = lines
    return input_arranged, columns(scale), columns(zero), output_arranged


def dequantize(input, scale, zero, output):
    output = (input.to(ntl.float32) - zero[None, :]) * scale[None, :]


def dequantize_arguments() -> list[Call]:
    def call(m: int, n: int) -> Call:
        zero = integers(-9, 9, n, dtype=torch.int8)
        return integers(-128, 128, m, n, dtype=torch.int8), randn(n), zero, nan(m, n)

    input, scale, zero, output = call(3, 37)
    return [
        call(4, 32),
        (transposed(input), gapped(scale), gapped(zero), gapped(output)),
    ]


def dequantize_reference(input, scale, zero, output):
    return torch.from_numpy(
        (input.double().numpy() - zero.double().numpy()) * scale.double().numpy()
    )


# Two numbers of four bits in a byte.


def unpack_arrangement(packed, output):
    pairs = output.tile((2,))
    pairs = pairs.tile((BLOCK_SIZE,))
    pairs.dtype = pairs.dtype.ravel()
    return packed.tile((BLOCK_SIZE,)), pairs


def unpack(packed, output):
    low = packed & 15
    high = (packed >> 4) & 15
    output = ntl.join(low, high).to(ntl.float32) - 8


def unpack_arguments() -> list[Call]:
    return [
        (integers(0, 256, 64, dtype=torch.uint8), nan(128)),
        (gapped(integers(0, 256, 37, dtype=torch.uint8)), gapped(nan(74))),
    ]


def unpack_reference(packed, output):
    byte = packed.numpy()
    return torch.from_numpy(np.stack([byte & 15, byte >> 4], 1).ravel().astype(float) - 8)


# Values between borders: the number of a bucket indexes a table of its own.


def bucket_arrangement(input, borders, values, output):
    input_arranged, output_arranged = blocks(input, output)
    count = input_arranged.shape[0]
    return input_arranged, whole(borders, count), whole(values, count), output_arranged


def bucket(input, borders, values, output):
    below = (borders[None, :] < input[:, None]).to(ntl.int32)
    output = values[ntl.sum(below, axis=1)]


def bucket_arguments() -> list[Call]:
    borders = randn(5).sort().values
    return [
        (randn(64), randn(7).sort().values, randn(8), nan(64)),
        (gapped(randn(77)), gapped(borders), randn(6), gapped(nan(77))),
    ]


def bucket_reference(input, borders, values, output):
    return torch.from_numpy(values.numpy()[np.searchsorted(borders.numpy(), input.numpy())])


IDIOMS = (
    Idiom(
        "lower_triangle",
        tiles,
        lower_triangle,
        lambda: matrices(-1),
        lambda input, diagonal, output: torch.from_numpy(np.tril(input.numpy(), diagonal)),
    ),
    Idiom("causal_fill", tiles, causal_fill, lambda: matrices(2), causal_reference),
    Idiom("masked_fill", tiles, masked_fill, masked_fill_arguments, masked_fill_reference),
    Idiom(
        "one_hot",
        rows,
        one_hot,
        one_hot_arguments,
        lambda index, output: F.one_hot(index, output.shape[1]),
    ),
    Idiom(
        "take_along_rows",
        take_arrangement,
        take_along,
        take_arguments,
        take_reference,
        data_dependent=True,
    ),
    Idiom(
        "columns_by_number",
        columns_arrangement,
        take_along,
        columns_arguments,
        columns_reference,
        data_dependent=True,
    ),
    Idiom("embedding_bag", bag_arrangement, bag, bag_arguments, bag_reference, data_dependent=True),
    Idiom(
        "index_add",
        index_add_arrangement,
        index_add,
        index_add_arguments,
        index_add_reference,
        data_dependent=True,
    ),
    Idiom(
        "a_cache_of_slots",
        cache_arrangement,
        write_cache,
        cache_arguments,
        cache_reference,
        data_dependent=True,
    ),
    Idiom(
        "pages_of_a_table",
        pages_arrangement,
        copy_page,
        pages_arguments,
        pages_reference,
        data_dependent=True,
    ),
    Idiom(
        "quantized_rows",
        rows,
        quantize,
        quantize_arguments,
        quantize_reference,
        outputs=(1, 2),
    ),
    Idiom(
        "dequantized_columns",
        dequantize_arrangement,
        dequantize,
        dequantize_arguments,
        dequantize_reference,
    ),
    Idiom("four_bits_a_number", unpack_arrangement, unpack, unpack_arguments, unpack_reference),
    Idiom(
        "values_of_buckets",
        bucket_arrangement,
        bucket,
        bucket_arguments,
        bucket_reference,
        tensors=(Tensor(1), Tensor(1, other=float("inf")), Tensor(1), Tensor(1)),
        data_dependent=True,
    ),
)
