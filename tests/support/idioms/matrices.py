"""More of matrix products: vectors, transposed operands, parts of the inner dim, sparse blocks."""

from __future__ import annotations

import numpy as np
import torch

import ninetoothed.language as ntl
from ninetoothed import Tensor
from tests.support.idioms import matmul as mm
from tests.support.idioms.arranged import BLOCK_SIZE
from tests.support.idioms.idiom import Call, Idiom, gapped, integers, nan, randn, transposed
from tests.support.idioms.matmul import BLOCK_SIZE_K, BLOCK_SIZE_M, BLOCK_SIZE_N
from tests.support.idioms.products import bmm_arrangement


def array(tensor: torch.Tensor) -> np.ndarray:
    """The numbers, in fp64."""
    return tensor.double().numpy()


# A matrix by a vector, and by one of its sides.


def gemv_arrangement(matrix, vector, output):
    blocks = matrix.tile((BLOCK_SIZE_M, BLOCK_SIZE)).tile((1, -1)).squeeze(1)
    blocks.dtype = blocks.dtype.squeeze(0)
    parts = vector.tile((BLOCK_SIZE,)).tile((-1,)).expand(blocks.shape)
    return blocks, parts, output.tile((BLOCK_SIZE_M,))


def gemv(matrix, vector, output):
    total = ntl.zeros(output.shape, dtype=ntl.float32)
    for i in range(matrix.shape[0]):
        total += ntl.sum(matrix[i] * vector[i][None, :], axis=1)
    output = total


def gemv_arguments() -> list[Call]:
    return [
        (randn(32, 64), randn(64), nan(32)),
        (transposed(randn(21, 37)), gapped(randn(37)), gapped(nan(21))),
    ]


def gemv_reference(matrix, vector, output):
    return torch.from_numpy(array(matrix) @ array(vector))


def outer_arrangement(x, y, output):
    blocks = output.tile((BLOCK_SIZE_M, BLOCK_SIZE_N))
    xs = x.unsqueeze(1).tile((BLOCK_SIZE_M, 1)).expand((-1, blocks.shape[1]))
    ys = y.unsqueeze(0).tile((1, BLOCK_SIZE_N)).expand((blocks.shape[0], -1))
    return xs, ys, blocks


def outer(x, y, output):
    output += x * y


def outer_arguments() -> list[Call]:
    return [
        (randn(32), randn(16), randn(32, 16)),
        (gapped(randn(21)), randn(37), transposed(randn(21, 37))),
    ]


def outer_reference(x, y, output):
    return torch.from_numpy(array(output) + np.outer(array(x), array(y)))


# Batches, with a bias and an activation behind the product.


def linear_arrangement(input, other, bias, output):
    input_arranged, other_arranged, output_arranged = bmm_arrangement(input, other, output)
    biases = bias[None, None].expand((output.shape[0], output.shape[1], -1))
    biases = biases.tile((1, BLOCK_SIZE_M, BLOCK_SIZE_N))
    biases.dtype = biases.dtype.squeeze(0)
    return input_arranged, other_arranged, biases, output_arranged


def linear_relu(input, other, bias, output):
    mm.application(input, other, output)
    output = ntl.maximum(output + bias, 0.0)


def linear_arguments() -> list[Call]:
    return [
        (randn(2, 16, 16), randn(2, 16, 16), randn(16), nan(2, 16, 16)),
        (transposed(randn(3, 7, 21)), randn(3, 21, 5), gapped(randn(5)), gapped(nan(3, 7, 5))),
    ]


def linear_reference(input, other, bias, output):
    return torch.from_numpy(np.maximum(array(input) @ array(other) + array(bias), 0))


# A weight of (out, in): the arrangement of the product takes it transposed.


def weight_arrangement(input, weight, output):
    return mm.arrangement(input, weight.permute((1, 0)), output)


def weight_arguments() -> list[Call]:
    return [
        (randn(32, 16), randn(16, 16), nan(32, 16)),
        (randn(21, 37).half(), transposed(randn(11, 37)).half(), gapped(nan(21, 11))),
    ]


def weight_reference(input, weight, output):
    return torch.from_numpy(array(input) @ array(weight).T)


def transposed_dot(input, weight, output):
    """The blocks are transposed, not the matrix."""
    accumulator = ntl.zeros(output.shape, dtype=ntl.float32)
    for k in range(input.shape[0]):
        accumulator = ntl.dot(input[k], weight[k].T, accumulator, input_precision="ieee")
    output = accumulator.to(output.dtype)


def blocks_of_weight_arrangement(input, weight, output):
    output_arranged = output.tile((BLOCK_SIZE_M, BLOCK_SIZE_N))

    def parts(tensor, size):
        arranged = tensor.tile((size, BLOCK_SIZE_K)).tile((1, -1))
        arranged.dtype = arranged.dtype.squeeze(0)
        return arranged

    inputs = parts(input, BLOCK_SIZE_M).expand((-1, output_arranged.shape[1]))
    weights = parts(weight, BLOCK_SIZE_N).permute((1, 0))
    return inputs, weights.expand((output_arranged.shape[0], -1)), output_arranged


# Parts of the inner dim by programs of their own, which add to one output.

SPLIT = 32


def split_arrangement(input, other, output):
    """Three dims of programs: a part of k, and a block of the output."""
    blocks = output.tile((16, 16))[None].expand(((input.shape[1] + SPLIT - 1) // SPLIT, -1, -1))
    lines = input.tile((16, SPLIT)).permute((1, 0)).unsqueeze(2).expand((-1, -1, blocks.shape[2]))
    columns = other.tile((SPLIT, 16)).unsqueeze(1).expand((-1, blocks.shape[1], -1))
    return lines, columns, blocks


def split_k(input, other, output):
    part = ntl.dot(input, other, input_precision="ieee")
    rows, columns = output.offsets(0)[:, None], output.offsets(1)[None, :]
    inside = (rows < output.source.shape[0]) & (columns < output.source.shape[1])
    ntl.atomic_add(output.data_ptr() + output.offsets(), part, mask=inside)


def split_arguments() -> list[Call]:
    return [
        (randn(16, 64), randn(64, 16), torch.zeros(16, 16)),
        (transposed(randn(7, 77)), randn(77, 21), transposed(torch.ones(7, 21))),
    ]


def split_reference(input, other, output):
    return torch.from_numpy(array(output) + array(input) @ array(other))


# Blocks of the left matrix that a mask names; the others are 0.


def sparse_arrangement(input, mask, other, output):
    output_arranged = output.tile((16, BLOCK_SIZE_N))
    inputs = input.tile((16, 16)).tile((1, -1)).expand((-1, output_arranged.shape[1]))
    inputs.dtype = inputs.dtype.squeeze(0)
    masks = mask.tile((1, 1)).tile((1, -1)).expand((-1, output_arranged.shape[1]))
    masks.dtype = masks.dtype.squeeze(0)
    masks.dtype.dtype = masks.dtype.dtype.squeeze((0, 1))
    others = other.tile((16, BLOCK_SIZE_N)).tile((-1, 1))
    others = others.expand((output_arranged.shape[0], -1))
    others.dtype = others.dtype.squeeze(1)
    return inputs, masks, others, output_arranged


def sparse_product(input, mask, other, output):
    accumulator = ntl.zeros(output.shape, dtype=ntl.float32)
    for k in range(input.shape[0]):
        if mask[k] != 0:
            accumulator += ntl.dot(input[k], other[k], input_precision="ieee")
    output = accumulator


def sparse_arguments() -> list[Call]:
    return [
        (randn(32, 48), integers(0, 2, 2, 3), randn(48, 16), nan(32, 16)),
        (transposed(randn(21, 37)), integers(0, 2, 2, 3), randn(37, 11), gapped(nan(21, 11))),
    ]


def sparse_reference(input, mask, other, output):
    kept = np.kron(mask.numpy(), np.ones((16, 16)))[: input.shape[0], : input.shape[1]]
    return torch.from_numpy((array(input) * kept) @ array(other))


# A lower triangular matrix: a program's loop ends at the diagonal.


def triangular_arrangement(input, other, output):
    output_arranged = output.tile((16, BLOCK_SIZE_N))
    inputs = input.tile((16, 16)).tile((1, -1)).expand((-1, output_arranged.shape[1]))
    inputs.dtype = inputs.dtype.squeeze(0)
    others = other.tile((16, BLOCK_SIZE_N)).tile((-1, 1))
    others = others.expand((output_arranged.shape[0], -1))
    others.dtype = others.dtype.squeeze(1)
    return inputs, others, output_arranged


def triangular_product(input, other, output):
    last = output.offsets(0)[0] // 16
    accumulator = ntl.zeros(output.shape, dtype=ntl.float32)
    for k in range(last):
        accumulator += ntl.dot(input[k], other[k], input_precision="ieee")
    kept = input[last].offsets(1)[None, :] <= input[last].offsets(0)[:, None]
    diagonal = ntl.where(kept, input[last], 0.0)
    output = accumulator + ntl.dot(diagonal, other[last], input_precision="ieee")


def triangular_arguments() -> list[Call]:
    return [
        (randn(48, 48), randn(48, 16), nan(48, 16)),
        (transposed(randn(37, 37)), gapped(randn(37, 11)), gapped(nan(37, 11))),
    ]


def triangular_reference(input, other, output):
    return torch.from_numpy(np.tril(array(input)) @ array(other))


# Integers of eight bits, summed in 32.


def integer_product(input, other, scale, output):
    accumulator = ntl.zeros(output.shape, dtype=ntl.int32)
    for k in range(input.shape[0]):
        accumulator += ntl.dot(input[k], other[k], out_dtype=ntl.int32)
    output = accumulator.to(ntl.float32) * scale


def integer_arrangement(input, other, scale, output):
    # Tensor cores take 32 lanes of int8 along k and more.
    blocks = output.tile((16, 16))
    lines = input.tile((16, 32)).tile((1, -1)).expand((-1, blocks.shape[1]))
    lines.dtype = lines.dtype.squeeze(0)
    columns = other.tile((32, 16)).tile((-1, 1)).expand((blocks.shape[0], -1))
    columns.dtype = columns.dtype.squeeze(1)
    return lines, columns, scale, blocks


def integer_arguments() -> list[Call]:
    def operand(m: int, n: int) -> torch.Tensor:
        return integers(-128, 128, m, n, dtype=torch.int8)

    return [
        (operand(16, 64), operand(64, 32), 0.25, nan(16, 32)),
        (transposed(operand(7, 37)), operand(37, 21), -0.5, gapped(nan(7, 21))),
    ]


def integer_reference(input, other, scale, output):
    return torch.from_numpy(array(input) @ array(other) * scale)


# A correction of low rank: two products in one program.


def lora_arrangement(input, weight, down, up, output):
    inputs, weights, blocks = mm.arrangement(input, weight, output)
    # All of the rank is one block.
    downs = down.tile((BLOCK_SIZE_K, -1)).tile((-1, 1)).expand(blocks.shape)
    downs.dtype = downs.dtype.squeeze(1)
    ups = up.tile((-1, BLOCK_SIZE_N)).expand((blocks.shape[0], -1))
    return inputs, weights, downs, ups, blocks


def lora(input, weight, down, up, output):
    accumulator = ntl.zeros(output.shape, dtype=ntl.float32)
    narrow = ntl.zeros((output.shape[0], up.shape[0]), dtype=ntl.float32)
    for k in range(input.shape[0]):
        accumulator += ntl.dot(input[k], weight[k], input_precision="ieee")
        narrow += ntl.dot(input[k], down[k], input_precision="ieee")
    output = accumulator + ntl.dot(narrow, up, input_precision="ieee")


def lora_arguments() -> list[Call]:
    return [
        (randn(32, 16), randn(16, 16), randn(16, 16), randn(16, 16), nan(32, 16)),
        (
            transposed(randn(21, 37)),
            randn(37, 11),
            gapped(randn(37, 4)),
            randn(4, 11),
            gapped(nan(21, 11)),
        ),
    ]


def lora_reference(input, weight, down, up, output):
    x = array(input)
    return torch.from_numpy(x @ array(weight) + x @ array(down) @ array(up))


# The scores of one operand with itself.


def gram_arrangement(input, output):
    return mm.arrangement(input, input.permute((1, 0)), output)


def gram_arguments() -> list[Call]:
    def call(tensor: torch.Tensor, output: torch.Tensor) -> Call:
        return tensor, tensor, output

    return [
        call(randn(32, 16), nan(32, 32)),
        call(transposed(randn(21, 37)), gapped(nan(21, 21))),
    ]


def gram_reference(input, same, output):
    return torch.from_numpy(array(input) @ array(input).T)


IDIOMS = (
    Idiom(
        "gemv",
        gemv_arrangement,
        gemv,
        gemv_arguments,
        gemv_reference,
        tensors=(Tensor(2, other=0), Tensor(1, other=0), Tensor(1)),
    ),
    Idiom("outer_product_in_place", outer_arrangement, outer, outer_arguments, outer_reference),
    Idiom(
        "bmm_with_bias_and_relu",
        linear_arrangement,
        linear_relu,
        linear_arguments,
        linear_reference,
    ),
    Idiom(
        "mm_of_a_transposed_weight",
        weight_arrangement,
        mm.application,
        weight_arguments,
        weight_reference,
        tolerance=2e-3,
    ),
    Idiom(
        "mm_of_transposed_blocks",
        blocks_of_weight_arrangement,
        transposed_dot,
        weight_arguments,
        weight_reference,
        tolerance=2e-3,
    ),
    Idiom(
        "mm_of_a_split_inner_dim",
        split_arrangement,
        split_k,
        split_arguments,
        split_reference,
        tensors=(Tensor(2, other=0), Tensor(2, other=0), Tensor(2)),
        data_dependent=True,
    ),
    Idiom(
        "mm_of_sparse_blocks",
        sparse_arrangement,
        sparse_product,
        sparse_arguments,
        sparse_reference,
    ),
    Idiom(
        "mm_of_a_triangle",
        triangular_arrangement,
        triangular_product,
        triangular_arguments,
        triangular_reference,
    ),
    Idiom(
        "mm_of_integers",
        integer_arrangement,
        integer_product,
        integer_arguments,
        integer_reference,
    ),
    Idiom(
        "mm_with_a_low_rank",
        lora_arrangement,
        lora,
        lora_arguments,
        lora_reference,
        tensors=tuple(Tensor(2, other=0) for _ in range(5)),
        tolerance=1e-4,
    ),
    Idiom(
        "mm_with_itself",
        gram_arrangement,
        mm.application,
        gram_arguments,
        gram_reference,
        tensors=(Tensor(2), Tensor(2)),
    ),
)
