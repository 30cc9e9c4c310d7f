"""Argmax of each row: a reduction with a function of one's own.

input   [ tile 0 | tile 1 | tile 2 ]      one program a row, which goes through its tiles
        [ tile 0 | tile 1 | tile 2 ]      each lane keeps the largest that it has met, and where;
                                          behind the last tile the lanes are reduced to one
output  [ i ]                             one element a program
        [ i ]
"""

import torch

import ninetoothed
import ninetoothed.language as ntl
from examples.checks import check_ndim
from examples.cumsum import rows_in_tiles
from ninetoothed import Tensor, block_size

BLOCK_SIZE = block_size(lower_bound=256, upper_bound=8192)


def arrangement(input, output):
    return rows_in_tiles(input, BLOCK_SIZE), output


def is_larger(value, other):
    """True if the first is the larger one; a NaN is larger than every number."""
    return (value > other) | ((value != value) & (other == other))


def larger(value, index, other, other_index):
    """The larger of two numbers and its index, of equal ones the first one's."""
    tied = ~is_larger(value, other) & ~is_larger(other, value)
    first = is_larger(value, other) | (tied & (index < other_index))
    return ntl.where(first, value, other), ntl.where(first, index, other_index)


def application(input, output):
    largest = input[0]
    index = input[0].offsets(1)

    for i in range(1, input.shape[0]):
        found = is_larger(input[i], largest)
        index = ntl.where(found, input[i].offsets(1), index)
        largest = ntl.where(found, input[i], largest)

    _, output = ntl.reduce((largest, index), 0, larger)


# What lies behind the end of a row reads -inf, which is larger than nothing.
argmax_kernel = ninetoothed.make(
    arrangement,
    application,
    (Tensor(2, other=float("-inf")), Tensor(1, dtype=ninetoothed.int64)),
    kernel_name="argmax_kernel",
)


def argmax(input: torch.Tensor) -> torch.Tensor:
    """The index of the largest number of each row of a matrix, (rows, columns) to (rows,).

    Of several the first, and a NaN is larger than every number, as in torch.

    Raises:
        ValueError: the rows are empty, or hold no floating-point numbers.
    """
    if not input.is_floating_point():
        raise ValueError(f"argmax takes floating-point numbers, not {input.dtype}")
    check_ndim(2, input=input)
    if input.shape[1] == 0:
        raise ValueError("argmax of empty rows: there is no largest number")
    output = input.new_empty(input.shape[0], dtype=torch.int64)
    argmax_kernel(input, output)
    return output


if __name__ == "__main__":
    from examples.runner import run

    run(
        argmax,
        lambda a: torch.argmax(a, dim=-1),
        lambda draw, rows, columns: (draw(rows, columns),),
        small=(129, 5000),
        large=(4096, 32768),
    )
