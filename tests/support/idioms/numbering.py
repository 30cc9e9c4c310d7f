"""Outermost levels of different shapes: program p has element p of each, in row-major order."""

from __future__ import annotations

import numpy as np
import torch
import torch.nn.functional as F

import ninetoothed.language as ntl
from ninetoothed import Tensor
from tests.support.idioms.arranged import BLOCK_SIZE, blocks, row, rows
from tests.support.idioms.idiom import Call, Idiom, gapped, integers, nan, randn, transposed

# As many programs, in other dims: proved for all sizes.


def merged_arrangement(input, output):
    """Rows of a batch: (batch, heads, 1), and (batch * heads,)."""
    input_arranged = input.tile((1, 1, -1))
    input_arranged.dtype = input_arranged.dtype.squeeze((0, 1))
    return input_arranged, row(output.flatten(end_dim=2))


def softmax(input, output):
    output = ntl.softmax(input)


def merged_arguments() -> list[Call]:
    input, output = randn(2, 3, 21), nan(2, 3, 21)
    return [
        (randn(2, 4, 32), nan(2, 4, 32)),
        (input, output),
        (transposed(input), gapped(output)),
    ]


# As many where the call's sizes say so: (batch, heads, blocks) and (batch * heads, blocks).


def scaled_heads_arrangement(input, scale, output):
    def heads(tensor):
        arranged = tensor.tile((1, 1, BLOCK_SIZE))
        arranged.dtype = arranged.dtype.squeeze((0, 1))
        return arranged

    input_arranged = heads(input)
    scale_arranged = scale.tile((1,)).unsqueeze(1).expand((-1, input_arranged.shape[2]))
    scale_arranged.dtype = scale_arranged.dtype.squeeze(0)
    return input_arranged, scale_arranged, heads(output)


def scale_rows(input, scale, output):
    output = input * scale


def scaled_heads_arguments() -> list[Call]:
    input, output = randn(2, 3, 77), nan(2, 3, 77)
    return [
        (randn(1, 4, 64), randn(4), nan(1, 4, 64)),
        (input, randn(6), output),
        (transposed(input), gapped(randn(6)), gapped(output)),
    ]


def scaled_heads_reference(input, scale, output):
    return input.double() * scale.double().reshape(*input.shape[:2], 1)


# (2, 3, 4), (6, 4) and (24,): one number a program.


def three_shapes_arrangement(input, weight, output):
    output_arranged = output.tile((1,))
    output_arranged.dtype = output_arranged.dtype.squeeze(0)
    weight_arranged = weight.tile((1, 1))
    weight_arranged.dtype = weight_arranged.dtype.squeeze((0, 1))
    input_arranged = input.tile((1, 1, 1, -1)).squeeze(3)
    input_arranged.dtype = input_arranged.dtype.squeeze((0, 1, 2))
    return input_arranged, weight_arranged, output_arranged


def weighted_sum(input, weight, output):
    output = ntl.sum(input) * weight


def three_shapes_arguments() -> list[Call]:
    input, weight, output = randn(2, 3, 4, 5), randn(6, 4), nan(24)
    return [
        (randn(2, 2, 2, 16), randn(4, 2), nan(8)),
        (input, weight, output),
        (transposed(input), transposed(weight), gapped(output)),
    ]


def three_shapes_reference(input, weight, output):
    return (input.double().sum(3).reshape(weight.shape) * weight).flatten()


# A scalar before the tensor that the grid is of.


def scalar_first_arrangement(alpha, input, weight, output):
    weights = weight.tile((1, BLOCK_SIZE))
    weights.dtype = weights.dtype.squeeze(0)
    parts = (tensor.tile((BLOCK_SIZE,)) for tensor in (input, output))
    input_arranged, output_arranged = parts
    return alpha, input_arranged, weights, output_arranged


def scalar_first(alpha, input, weight, output):
    output = alpha * input * weight


def scalar_first_arguments() -> list[Call]:
    return [
        (2.0, randn(64), randn(1, 64), nan(64)),
        (torch.tensor(0.5), gapped(randn(77)), transposed(randn(1, 77)), nan(77)),
    ]


def scalar_first_reference(alpha, input, weight, output):
    return float(alpha) * input.double() * weight.double()[0]


# An operand that this configuration of the kernel does not use, of another shape.


def optional_arrangement(input, mask, has_mask, output):
    return input.tile((BLOCK_SIZE,)), mask.tile((BLOCK_SIZE,)), has_mask, output.tile((BLOCK_SIZE,))


def optional(input, mask, has_mask, output):
    output = ntl.where(mask, input, 0.0) if has_mask else input


def optional_arguments() -> list[Call]:
    input = randn(300)
    return [
        (input, input > 0, True, nan(300)),
        (input, torch.ones(1, dtype=torch.bool), False, nan(300)),
    ]


def optional_reference(input, mask, has_mask, output):
    return input.double() * mask if has_mask else input.double()


# A table that every program reads as a whole, by its source: it is arranged, but not expanded.


def lookup_arrangement(index, table, output):
    return index.tile((BLOCK_SIZE,)), table.tile((-1,)), output.tile((BLOCK_SIZE,))


def lookup(index, table, output):
    last = table.source.shape[0] - 1
    output = table.source[ntl.minimum(index, last)]


def lookup_arguments() -> list[Call]:
    return [
        (integers(0, 20, 256), randn(16), nan(256)),
        (gapped(integers(0, 5, 300)), gapped(randn(5)), nan(300)),
    ]


def lookup_reference(index, table, output):
    return table.double()[index.clamp_max(table.shape[0] - 1)]


# An output that is only asked for its pointer and stride.


def counts_arrangement(input, counts):
    return input.tile((BLOCK_SIZE,)), counts.tile((-1,))


def counts(input, counts):
    inside = input.offsets(0) < input.source.shape[0]
    pointers = counts.data_ptr() + input * counts.source.stride(0)
    ntl.atomic_add(pointers, 1, mask=inside)


def counts_arguments() -> list[Call]:
    return [
        (integers(0, 8, 256), torch.zeros(8, dtype=torch.int32)),
        (integers(0, 7, 300), gapped(torch.ones(7, dtype=torch.int32))),
    ]


def counts_reference(input, counts):
    return torch.from_numpy(counts.numpy() + np.bincount(input, minlength=len(counts)))


# One that is only asked for sizes: the length of a sequence that is elsewhere.


def padded_mean_arrangement(input, like, output):
    return *rows(input), like.tile((1, -1)), *rows(output)


def padded_mean(input, like, output):
    output = ntl.sum(input) / like.shape[1]


def padded_mean_arguments() -> list[Call]:
    return [
        (randn(8, 32), randn(2, 16), nan(8)),
        (transposed(randn(5, 37)), torch.empty(3, 4, device="meta"), gapped(nan(5))),
    ]


def padded_mean_reference(input, like, output):
    return input.double().sum(1) / like.shape[1]


# The first tensor is the grid's even where nothing reads it.


def grid_arrangement(like, output):
    return like.tile((1, 16)), output.tile((1, 16)).flatten()


def fill(like, output):
    output = output.offsets(1) * 1.0


def grid_arguments() -> list[Call]:
    return [
        (torch.empty(3, 32, device="meta"), nan(3, 32)),
        (torch.empty(4, 37, device="meta"), gapped(nan(4, 37))),
    ]


def grid_reference(like, output):
    return torch.from_numpy(np.tile(np.arange(output.shape[1]), (output.shape[0], 1)))


# A parameter that is read un-arranged, by an index.


def scalar_of_a_row_arrangement(input, scales, output):
    return input.tile((1, BLOCK_SIZE)), scales, output.tile((1, BLOCK_SIZE))


def scalar_of_a_row(input, scales, output):
    output = input * scales[input.offsets(0)]


def scalar_of_a_row_arguments() -> list[Call]:
    return [
        (randn(4, 64), randn(4), nan(4, 64)),
        (transposed(randn(3, 37)), gapped(randn(3)), nan(3, 37)),
    ]


def scalar_of_a_row_reference(input, scales, output):
    return input.double() * scales.double()[:, None]


# Fewer elements than programs: the others read 0, or `other`.


def short_bias_arrangement(input, bias, output):
    return tuple(tensor.tile((16,)) for tensor in (input, bias, output))


def add_bias(input, bias, output):
    output = input + bias


def short_bias_arguments() -> list[Call]:
    return [
        (randn(128), randn(48), nan(128)),
        (randn(77), gapped(randn(20)), gapped(nan(77))),
    ]


def short_bias_reference(other):
    def reference(input, bias, output):
        total = input.double().numpy().copy()
        read = np.full(total.shape, other)
        read[: len(bias)] = bias.numpy()
        # In the last block of the bias, too, lanes behind its end read `other`.
        return torch.from_numpy(total + read)

    return reference


# A flag for each batch, read by programs that are more than the batches.


def flags_arrangement(input, flag, output):
    flags = flag.tile((1,))
    flags.dtype = flags.dtype.squeeze(0)
    return input.tile((1, 16)), flags, output.tile((1, 16))


def flagged(input, flag, output):
    output = input * 2 if flag > 0 else -input


def flags_arguments() -> list[Call]:
    return [
        (randn(3, 32), torch.tensor([1, 0, 1]), nan(3, 32)),
        (transposed(randn(2, 37)), torch.tensor([0, 1]), gapped(nan(2, 37))),
    ]


def flags_reference(input, flag, output):
    blocks = -(-input.shape[1] // 16)
    result = input.double().numpy().copy()
    for program in range(input.shape[0] * blocks):
        on = program < len(flag) and flag[program] > 0
        m, n = divmod(program, blocks)
        result[m, 16 * n : 16 * n + 16] *= 2 if on else -1
    return torch.from_numpy(result)


# A mean of such reads: the zeros count as values.


def surplus_arrangement(input, rows_of_weights, output):
    return rows(input, rows_of_weights, output)


def surplus_sums(input, weight, output):
    output = ntl.sum(input) + ntl.max(weight)


def surplus_arguments() -> list[Call]:
    return [
        (randn(8, 16), -randn(3, 16).abs() - 1, nan(8)),
        (transposed(randn(5, 21)), -randn(4, 11).abs() - 1, gapped(nan(5))),
    ]


def surplus_reference(input, weight, output):
    largest = weight.double().amax(1)
    missing = input.shape[0] - weight.shape[0]
    return input.double().sum(1) + F.pad(largest, (0, missing))


# More elements than programs: the rest is not reached.


def positions_arguments() -> list[Call]:
    return [
        (randn(4, 32), randn(16, 32), nan(4, 32)),
        (transposed(randn(3, 37)), gapped(randn(5, 37)), nan(3, 37)),
    ]


def positions_reference(input, table, output):
    return input.double() + table.double()[: input.shape[0]]


# An output of fewer elements: what the others write is dropped.


def first_rows(input, output):
    output = ntl.cumsum(input)


def first_rows_arguments() -> list[Call]:
    return [
        (randn(8, 16), nan(3, 16)),
        (transposed(randn(5, 21)), gapped(nan(2, 21))),
    ]


def first_rows_reference(input, output):
    return torch.from_numpy(np.cumsum(input.double().numpy(), 1)[: output.shape[0]])


# Blocks that must hold a whole row: only then there are as many of both.


def one_block_arrangement(input, output):
    return input.tile((1, BLOCK_SIZE)), output.unsqueeze(1).tile((1, 1))


def one_block_norm(input, output):
    output = ntl.sqrt(ntl.sum(input * input, axis=1, keep_dims=True))


def one_block_arguments() -> list[Call]:
    return [
        (randn(8, 64), nan(8)),
        (transposed(randn(5, 100)), gapped(nan(5))),
    ]


# Blocks as long as what the number of partial sums tells.


def parts_arrangement(input, output):
    return input.tile((BLOCK_SIZE,)), *rows(output)


def partial_sums(input, output):
    output = ntl.sum(input)


def parts_arguments() -> list[Call]:
    """Blocks of 32, 16 and 64."""
    return [
        (randn(100), nan(4)),
        (gapped(randn(77)), gapped(nan(5))),
        (randn(77), nan(2)),
    ]


def parts_reference(input, output):
    size = next(size for size in (16, 32, 64, 128) if -(-len(input) // size) == len(output))
    x = np.pad(input.double().numpy(), (0, size * len(output) - len(input)))
    return torch.from_numpy(x.reshape(-1, size).sum(1))


# A bias that is shorter than the input: blocks that hold both have as many of it.


def one_block_bias_arguments() -> list[Call]:
    return [
        (randn(100), randn(20), nan(100)),
        (gapped(randn(77)), gapped(randn(5)), gapped(nan(77))),
    ]


# No blocks have as many, and long ones have fewer than there are outputs, which would be an error.


def number_blocks(input, output):
    output = ntl.program_id(0) * ntl.where(ntl.max(input) > -1e9, 1, 0)


def number_arguments() -> list[Call]:
    return [
        (randn(100), torch.full((3,), -1, dtype=torch.int32)),
        (gapped(randn(161)), gapped(torch.full((5,), -1, dtype=torch.int32))),
    ]


AGREEMENT = "AgreementWarning"

IDIOMS = (
    Idiom(
        "programs_of_merged_dims",
        merged_arrangement,
        softmax,
        merged_arguments,
        lambda input, output: torch.softmax(input.double(), 2),
        tensors=(Tensor(3), Tensor(3)),
    ),
    Idiom(
        "programs_as_many_at_the_call",
        scaled_heads_arrangement,
        scale_rows,
        scaled_heads_arguments,
        scaled_heads_reference,
    ),
    Idiom(
        "programs_of_three_shapes",
        three_shapes_arrangement,
        weighted_sum,
        three_shapes_arguments,
        three_shapes_reference,
    ),
    Idiom(
        "programs_behind_a_scalar",
        scalar_first_arrangement,
        scalar_first,
        scalar_first_arguments,
        scalar_first_reference,
    ),
    Idiom(
        "programs_and_an_unused_operand",
        optional_arrangement,
        optional,
        optional_arguments,
        optional_reference,
        tensors=(Tensor(1), Tensor(1), Tensor(0, constexpr=True), Tensor(1)),
        values={"has_mask": True},
    ),
    Idiom(
        "programs_and_a_table_by_its_source",
        lookup_arrangement,
        lookup,
        lookup_arguments,
        lookup_reference,
        tensors=(Tensor(1, dtype="i64"), Tensor(1), Tensor(1)),
        data_dependent=True,
    ),
    Idiom(
        "programs_and_counts_by_a_pointer",
        counts_arrangement,
        counts,
        counts_arguments,
        counts_reference,
        tensors=(Tensor(1, dtype="i64"), Tensor(1, dtype="i32")),
        data_dependent=True,
    ),
    Idiom(
        "programs_and_a_tensor_asked_for_its_sizes",
        padded_mean_arrangement,
        padded_mean,
        padded_mean_arguments,
        padded_mean_reference,
    ),
    Idiom("programs_of_an_unused_tensor", grid_arrangement, fill, grid_arguments, grid_reference),
    Idiom(
        "programs_and_an_indexed_tensor",
        scalar_of_a_row_arrangement,
        scalar_of_a_row,
        scalar_of_a_row_arguments,
        scalar_of_a_row_reference,
    ),
    Idiom(
        "programs_beyond_a_bias",
        short_bias_arrangement,
        add_bias,
        short_bias_arguments,
        short_bias_reference(0.0),
        tensors=(Tensor(1), Tensor(1, other=0), Tensor(1)),
        warns=AGREEMENT,
    ),
    Idiom(
        "programs_beyond_a_bias_of_ones",
        short_bias_arrangement,
        add_bias,
        short_bias_arguments,
        short_bias_reference(1.0),
        tensors=(Tensor(1), Tensor(1, other=1.0), Tensor(1)),
        warns=AGREEMENT,
    ),
    Idiom(
        "programs_beyond_flags",
        flags_arrangement,
        flagged,
        flags_arguments,
        flags_reference,
        warns=AGREEMENT,
    ),
    Idiom(
        "programs_beyond_rows_of_weights",
        surplus_arrangement,
        surplus_sums,
        surplus_arguments,
        surplus_reference,
        warns=AGREEMENT,
    ),
    Idiom(
        "programs_fewer_than_positions",
        rows,
        add_bias,
        positions_arguments,
        positions_reference,
        warns=AGREEMENT,
    ),
    Idiom(
        "programs_beyond_an_output",
        rows,
        first_rows,
        first_rows_arguments,
        first_rows_reference,
        warns=AGREEMENT,
    ),
    Idiom(
        "programs_of_blocks_that_hold_a_row",
        one_block_arrangement,
        one_block_norm,
        one_block_arguments,
        lambda input, output: torch.linalg.vector_norm(input.double(), dim=1),
    ),
    Idiom(
        "programs_of_blocks_as_many_as_sums",
        parts_arrangement,
        partial_sums,
        parts_arguments,
        parts_reference,
    ),
    Idiom(
        "programs_of_blocks_that_hold_a_bias",
        blocks,
        add_bias,
        one_block_bias_arguments,
        short_bias_reference(0.0),
        tensors=(Tensor(1), Tensor(1, other=0), Tensor(1)),
    ),
    Idiom(
        "programs_of_blocks_that_reach_all_outputs",
        parts_arrangement,
        number_blocks,
        number_arguments,
        lambda input, output: torch.arange(len(output)),
        warns=AGREEMENT,
    ),
)
