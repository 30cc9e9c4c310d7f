"""Cumulative sums of rows of any length: tiles, and a carry from one to the next.

input   [ tile 0 | tile 1 | tile 2 ]      one program a row, which goes through its tiles
output  [ tile 0 | tile 1 | tile 2 ]
               ──▶      ──▶               the sum of all tiles before is added to each
"""

import torch

import ninetoothed
import ninetoothed.language as ntl
from examples.checks import check_floats
from ninetoothed import Tensor, block_size

BLOCK_SIZE = block_size(lower_bound=256, upper_bound=8192)


def rows_in_tiles(tensor, size):
    """For each program a row, in tiles of ``size`` elements."""
    arranged = tensor.tile((1, size)).tile((1, -1)).squeeze(1)
    arranged.dtype = arranged.dtype.squeeze(0)
    arranged.dtype.dtype = arranged.dtype.dtype.squeeze(0)
    return arranged


def arrangement(input, output):
    return rows_in_tiles(input, BLOCK_SIZE), rows_in_tiles(output, BLOCK_SIZE)


def application(input, output):
    carry = 0.0

    for i in range(input.shape[0]):
        tile = ntl.cast(input[i], ntl.float32)
        output[i] = ntl.cumsum(tile) + carry
        carry += ntl.sum(tile)


cumsum_kernel = ninetoothed.make(
    arrangement, application, (Tensor(2), Tensor(2)), kernel_name="cumsum_kernel"
)


def cumsum(input: torch.Tensor) -> torch.Tensor:
    """The sums of the elements of each row of a matrix up to each; summed in float32."""
    check_floats(input=input)
    output = torch.empty_like(input)
    cumsum_kernel(input, output)
    return output


if __name__ == "__main__":
    from examples.runner import run

    run(
        cumsum,
        lambda a: torch.cumsum(a, dim=-1),
        lambda draw, rows, columns: (draw(rows, columns),),
        small=(129, 5000),
        large=(4096, 32768),
    )
