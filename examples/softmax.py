"""Softmax over rows: each program holds one whole row, of any length.

input   [ row 0 ]      one program a row; the block is the row itself, however long it is
        [ row 1 ]
        [ …     ]
"""

import torch

import ninetoothed
import ninetoothed.language as ntl
from examples.checks import check_floats
from ninetoothed import Tensor


def arrangement(input, output):
    return input.tile((1, -1)), output.tile((1, -1))


def application(input, output):
    row = ntl.cast(input, ntl.float32)
    numerator = ntl.exp(row - ntl.max(row, axis=1, keep_dims=True))
    output = numerator / ntl.sum(numerator, axis=1, keep_dims=True)


softmax_kernel = ninetoothed.make(
    arrangement, application, (Tensor(2), Tensor(2)), kernel_name="softmax_kernel"
)


def softmax(input: torch.Tensor) -> torch.Tensor:
    """The softmax of each row of a matrix."""
    check_floats(input=input)
    output = torch.empty_like(input)
    softmax_kernel(input, output)
    return output


if __name__ == "__main__":
    from examples.runner import run

    run(
        softmax,
        lambda a: torch.softmax(a, dim=-1),
        lambda draw, rows, columns: (draw(rows, columns),),
        small=(1823, 781),
        large=(16384, 4096),
    )
