"""Rows of a table by their numbers, and the backward pass, which scatters with atomics.

index   [ 2 ]     weight   [ row 0 ]     output   [ row 2 ]     one program a block of the output,
        [ 0 ]              [ row 1 ]              [ row 0 ]     which reads the numbers of its rows
        [ 2 ]              [ row 2 ]              [ row 2 ]     and gathers these from the weight

Backward, a program has the same block of the gradient, and adds it to the rows of the weight's
gradient that index names. Other programs may add to the same rows at the same time.
"""

import torch
from torch.autograd.function import once_differentiable

import ninetoothed
import ninetoothed.language as ntl
from examples.checks import check_floats, check_ndim, needs_gradients
from ninetoothed import Tensor, block_size

BLOCK_SIZE_M = block_size(lower_bound=1, upper_bound=16)
BLOCK_SIZE_N = block_size()


def arrangement(index, weight, output):
    output_arranged = output.tile((BLOCK_SIZE_M, BLOCK_SIZE_N))

    index_arranged = index.unsqueeze(1).tile((BLOCK_SIZE_M, 1))
    index_arranged = index_arranged.expand((-1, output_arranged.shape[1]))

    # Each program has the whole table, and reads no more of it than it names.
    weight_arranged = weight.tile((-1, -1)).expand(output_arranged.shape)

    return index_arranged, weight_arranged, output_arranged


def check_rows(index, weight):
    is_row = (index >= 0) & (index < weight.source.shape[0])
    ntl.device_assert(is_row, "an index is no row of the weight")


def application(index, weight, output):
    check_rows(index, weight)
    output = weight.source[index, output.offsets(1)]


def backward_application(index, weight_gradient, gradient):
    check_rows(index, weight_gradient)
    column = gradient.offsets(1)[None, :]
    pointers = weight_gradient.source.data_ptr() + index * weight_gradient.source.stride(0)
    pointers += column * weight_gradient.source.stride(1)
    ntl.atomic_add(pointers, gradient, mask=column < weight_gradient.source.shape[1], sem="relaxed")


embedding_kernel = ninetoothed.make(
    arrangement,
    application,
    (Tensor(1, dtype=ninetoothed.int64), Tensor(2), Tensor(2)),
    kernel_name="embedding_kernel",
)

embedding_backward_kernel = ninetoothed.make(
    arrangement,
    backward_application,
    (Tensor(1, dtype=ninetoothed.int64), Tensor(2, dtype=ninetoothed.float32), Tensor(2)),
    kernel_name="embedding_backward_kernel",
)


def embedding_backward(gradient: torch.Tensor, index: torch.Tensor, rows: int) -> torch.Tensor:
    """The gradient of a weight of so many rows, in the type of ``gradient``.

    It is summed in float32 and cast at the end. A sum in float16 would be rounded after every
    addition, and would stop growing at 2048 times what is added; a frequent word is added more
    often. The additions come in any order, so that the last bits differ from run to run.

    Raises:
        ValueError: float32 does not hold the gradient.
    """
    check_floats(gradient=gradient)
    columns = gradient.shape[-1]
    weight_gradient = torch.zeros((rows, columns), dtype=torch.float32, device=gradient.device)
    embedding_backward_kernel(
        index.reshape(-1), weight_gradient, gradient.reshape(index.numel(), columns)
    )
    return weight_gradient.to(gradient.dtype)


def rows_of(index, weight):
    columns = weight.shape[1]
    output = weight.new_empty(*index.shape, columns)
    if index.ndim == 1:
        embedding_kernel(index, weight, output)
    else:
        embedding_kernel(index.reshape(-1), weight, output.view(index.numel(), columns))
    return output


class Embedding(torch.autograd.Function):
    """The kernels, as torch differentiates them."""

    @staticmethod
    def forward(ctx, index, weight):
        ctx.save_for_backward(index)
        ctx.rows = weight.shape[0]
        return rows_of(index, weight)

    @staticmethod
    @once_differentiable
    def backward(ctx, gradient):
        (index,) = ctx.saved_tensors
        return None, embedding_backward(gradient, index, ctx.rows)


def embedding(index: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    """``weight[index]``, rows of a matrix: (*,) and (rows, columns) to (*, columns).

    ``index`` is int64; a number that is no row of the weight stops the program, as in torch.
    Differentiable.
    """
    check_ndim(2, weight=weight)
    if not needs_gradients(weight):
        return rows_of(index, weight)
    return Embedding.apply(index, weight)


if __name__ == "__main__":
    from examples.runner import gradients, run

    reference = torch.nn.functional.embedding

    def inputs(draw, count, rows, columns):
        return draw.integers(rows, count), draw(rows, columns)

    sizes = {"small": (1000, 5000, 200), "large": (65536, 128256, 1024)}
    run(embedding, reference, inputs, **sizes)
    run(
        gradients(embedding),
        gradients(reference),
        lambda draw, *sizes: (draw(sizes[0], sizes[2]), *inputs(draw, *sizes)),
        **sizes,
    )
