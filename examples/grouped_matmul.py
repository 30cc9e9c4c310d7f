"""A matrix multiplication a group, of groups of different sizes: as many rows as each has.

input (groups, j, k), weight (groups, k, n), output (groups, j, n)

group 0   [ rows ]  × [ weight 0 ]     the rows of all groups lie one behind another; each group is
          [  …   ]                     cut into blocks of its own, arranged as in examples/bmm.py
group 1   [ rows ]  × [ weight 1 ]
"""

import torch

import ninetoothed
from examples import bmm
from examples import matmul as mm
from examples.checks import check_floats, check_jagged, check_no_gradients
from examples.jagged_padding import as_sequences
from ninetoothed import Tensor

grouped_matmul_kernel = ninetoothed.make(
    bmm.arrangement,
    mm.application,
    (Tensor(3, jagged_dim=1), Tensor(3), Tensor(3, jagged_dim=1)),
    kernel_name="grouped_matmul_kernel",
)


def grouped_matmul(input: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    """``input[g] @ weight[g]`` for every group ``g``.

    ``input`` is a jagged tensor, (groups, j, k), of which every group has rows of its own number;
    ``weight`` is (groups, k, n). The output is jagged as the input is, (groups, j, n).
    """
    check_jagged(input=input)
    check_no_gradients(input=input)
    rows = input.values()
    check_floats(one_dtype=True, input=rows, weight=weight)
    if input.shape[0] != weight.shape[0] or input.shape[2] != weight.shape[1]:
        raise ValueError(
            f"the weight's shape is {tuple(weight.shape)}; for this input it must be "
            f"({input.shape[0]}, {input.shape[2]}, n)"
        )
    output = as_sequences(rows.new_empty(rows.shape[0], weight.shape[2]), input)
    grouped_matmul_kernel(input, weight, output)
    return output


if __name__ == "__main__":
    from examples.runner import run

    def inputs(draw, groups, longest, n, k):
        lengths = draw.integers(longest + 1, groups).tolist()
        return draw.jagged(lengths, k), draw(groups, k, n)

    def reference(input, weight):
        products = [rows @ matrix for rows, matrix in zip(input.unbind(), weight, strict=True)]
        return torch.nested.nested_tensor_from_jagged(torch.cat(products), input.offsets())

    run(
        grouped_matmul,
        reference,
        inputs,
        small=(6, 200, 320, 192),
        large=(16, 2048, 2048, 2048),
    )
