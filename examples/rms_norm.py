"""RMS norm of rows, alone and of a sum with a residual; forward and backward.

Forward, a program holds one row, and the weight, which is expanded to as many rows:

input    [ row 0 ]      weight  [ w ]      output  [ row 0 ]      one program a row
         [ row 1 ]              [ w ]              [ row 1 ]

Where gradients are expected, it keeps one number of its row: one over the root mean square.

Backward, a program walks over several rows and holds each in turn. It writes their gradients, and
one row of sums: what its rows say of the weight's gradient.

input    [ row 0 ] ┐ program 0      weight_partial  [ row 0 + row 1 ]
         [ row 1 ] ┘                                [ row 2 + row 3 ]
         [ row 2 ] ┐ program 1
         [ row 3 ] ┘                gradient and input_gradient like input, scale likewise

A second kernel adds up these few rows, a program some columns:

partial  [ tile | tile ]      sums  [ tile | tile ]
         [ tile | tile ]
             ↓      ↓         one program a column of tiles, which it goes down

So both gradients take one reading of the inputs, and one input gives the same gradients each time,
bit for bit, since no order of programs matters.
"""

import torch
from torch.autograd.function import once_differentiable

import ninetoothed
import ninetoothed.language as ntl
from examples.checks import check_floats, needs_gradients
from ninetoothed import Tensor, block_size

ROWS = block_size(lower_bound=8, upper_bound=64)
COLUMNS = block_size(lower_bound=16, upper_bound=128)


def arrangement(input, weight, eps, output):
    weights = weight.unsqueeze(0).expand((input.shape[0], -1))
    return input.tile((1, -1)), weights.tile((1, -1)), eps, output.tile((1, -1))


def inverse_rms(x, eps):
    return ntl.rsqrt(ntl.sum(x * x, axis=1, keep_dims=True) / x.shape[1] + eps)


def application(input, weight, eps, output):
    x = ntl.cast(input, ntl.float32)
    output = x * inverse_rms(x, eps) * weight


rms_norm_kernel = ninetoothed.make(
    arrangement,
    application,
    (Tensor(2), Tensor(1), Tensor(0), Tensor(2)),
    kernel_name="rms_norm_kernel",
)


def training_arrangement(input, weight, eps, output, scale):
    return *arrangement(input, weight, eps, output), scale.tile((1, 1))


def training_application(input, weight, eps, output, scale):
    x = ntl.cast(input, ntl.float32)
    inverse = inverse_rms(x, eps)
    output = x * inverse * weight
    scale = inverse


rms_norm_training_kernel = ninetoothed.make(
    training_arrangement,
    training_application,
    (Tensor(2), Tensor(1), Tensor(0), Tensor(2), Tensor(2)),
    kernel_name="rms_norm_training_kernel",
)


def add_arrangement(input, residual, weight, eps, output, summed):
    arranged = arrangement(input, weight, eps, output)
    return arranged[0], residual.tile((1, -1)), *arranged[1:], summed.tile((1, -1))


def add_application(input, residual, weight, eps, output, summed):
    summed = input + residual
    application(summed, weight, eps, output)


add_rms_norm_kernel = ninetoothed.make(
    add_arrangement,
    add_application,
    (Tensor(2), Tensor(2), Tensor(1), Tensor(0), Tensor(2), Tensor(2)),
    kernel_name="add_rms_norm_kernel",
)


def add_training_arrangement(input, residual, weight, eps, output, summed, scale):
    arranged = add_arrangement(input, residual, weight, eps, output, summed)
    return *arranged, scale.tile((1, 1))


def add_training_application(input, residual, weight, eps, output, summed, scale):
    summed = input + residual
    training_application(summed, weight, eps, output, scale)


add_rms_norm_training_kernel = ninetoothed.make(
    add_training_arrangement,
    add_training_application,
    (Tensor(2), Tensor(2), Tensor(1), Tensor(0), Tensor(2), Tensor(2), Tensor(2)),
    kernel_name="add_rms_norm_training_kernel",
)


def rows_of_programs(tensor, rows, columns=-1):
    arranged = tensor.tile((1, columns)).tile((rows, 1))
    arranged.dtype = arranged.dtype.squeeze(1)
    return arranged


def backward_arrangement(gradient, input, weight, scale, input_gradient, weight_partial):
    programs = weight_partial.shape[0]
    rows = (input.shape[0] + programs - 1) // programs
    weights = weight.unsqueeze(0).expand((programs, -1))
    return (
        rows_of_programs(gradient, rows),
        rows_of_programs(input, rows),
        weights.tile((1, -1)),
        rows_of_programs(scale, rows, 1),
        rows_of_programs(input_gradient, rows),
        weight_partial.tile((1, -1)),
    )


def row_gradients(gradient, input, weight, scale):
    """The gradient of a row, and what the row adds to the weight's."""
    normalized = ntl.cast(input, ntl.float32) * scale
    weighted = ntl.cast(gradient, ntl.float32) * weight
    mean = ntl.sum(weighted * normalized, axis=1, keep_dims=True) / input.shape[1]
    return (weighted - normalized * mean) * scale, gradient * normalized


def backward_application(gradient, input, weight, scale, input_gradient, weight_partial):
    total = ntl.zeros(weight_partial.shape, dtype=ntl.float32)

    for i in range(input.shape[0]):
        of_input, of_weight = row_gradients(gradient[i], input[i], weight, scale[i])
        input_gradient[i] = of_input
        total += of_weight

    weight_partial = total


rms_norm_backward_kernel = ninetoothed.make(
    backward_arrangement,
    backward_application,
    (
        Tensor(2, other=0),
        Tensor(2, other=0),
        Tensor(1, other=0),
        Tensor(2, other=0),
        Tensor(2),
        Tensor(2),
    ),
    kernel_name="rms_norm_backward_kernel",
)


def add_backward_arrangement(
    gradient, summed_gradient, summed, weight, scale, input_gradient, weight_partial
):
    arranged = backward_arrangement(gradient, summed, weight, scale, input_gradient, weight_partial)
    rows = arranged[1].dtype.shape[0]
    return arranged[0], rows_of_programs(summed_gradient, rows), *arranged[1:]


def add_backward_application(
    gradient, summed_gradient, summed, weight, scale, input_gradient, weight_partial
):
    total = ntl.zeros(weight_partial.shape, dtype=ntl.float32)

    for i in range(summed.shape[0]):
        of_summed, of_weight = row_gradients(gradient[i], summed[i], weight, scale[i])
        input_gradient[i] = of_summed + summed_gradient[i]
        total += of_weight

    weight_partial = total


add_rms_norm_backward_kernel = ninetoothed.make(
    add_backward_arrangement,
    add_backward_application,
    (
        Tensor(2, other=0),
        Tensor(2, other=0),
        Tensor(2, other=0),
        Tensor(1, other=0),
        Tensor(2, other=0),
        Tensor(2),
        Tensor(2),
    ),
    kernel_name="add_rms_norm_backward_kernel",
)


def sums_arrangement(partial, sums):
    arranged = partial.tile((1, ROWS, COLUMNS)).tile((1, -1, 1)).squeeze(1)
    arranged.dtype = arranged.dtype.squeeze((0, 2))
    arranged.dtype.dtype = arranged.dtype.dtype.squeeze(0)
    summed = sums.tile((1, COLUMNS))
    summed.dtype = summed.dtype.squeeze(0)
    return arranged, summed


def sums_application(partial, sums):
    total = ntl.zeros(sums.shape, dtype=ntl.float32)

    for i in range(partial.shape[0]):
        total += ntl.sum(partial[i], axis=0)

    sums = total


sums_kernel = ninetoothed.make(
    sums_arrangement, sums_application, (Tensor(3), Tensor(2)), kernel_name="sums_kernel"
)


def empty_partial(input: torch.Tensor, vectors: int) -> torch.Tensor:
    """Room for the sums of a backward pass over ``input``, for the gradients of as many
    ``vectors``: (vectors, programs, columns). Programs share the rows, two a multiprocessor; one
    that holds a wide row needs all of its registers.
    """
    rows, columns = input.shape
    programs = 2 if columns <= 4096 else 1
    if input.is_cuda:
        programs *= torch.cuda.get_device_properties(input.device).multi_processor_count
    rows_each = max(-(-rows // programs), 1)
    return input.new_empty((vectors, -(-rows // rows_each), columns), dtype=torch.float32)


def sums(partial: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """Of (vectors, programs, columns), the sums over the programs."""
    vectors, _, columns = partial.shape
    summed = partial.new_empty((vectors, columns), dtype=dtype)
    sums_kernel(partial, summed)
    return summed


def empty_numbers(input: torch.Tensor) -> torch.Tensor:
    """Room for a number of each row."""
    return input.new_empty((input.shape[0], 1), dtype=torch.float32)


class RMSNorm(torch.autograd.Function):
    """The kernels, as torch differentiates them."""

    @staticmethod
    def forward(ctx, input, weight, eps):
        output, scale = torch.empty_like(input), empty_numbers(input)
        rms_norm_training_kernel(input, weight, eps, output, scale)
        ctx.save_for_backward(input, weight, scale)
        return output

    @staticmethod
    @once_differentiable
    def backward(ctx, gradient):
        input, weight, scale = ctx.saved_tensors
        input_gradient, partial = torch.empty_like(input), empty_partial(input, 1)
        if partial.shape[1]:
            rms_norm_backward_kernel(gradient, input, weight, scale, input_gradient, partial[0])
        return input_gradient, sums(partial, weight.dtype)[0], None


class AddRMSNorm(torch.autograd.Function):
    """The kernels, as torch differentiates them."""

    @staticmethod
    def forward(ctx, input, residual, weight, eps):
        output, summed = torch.empty_like(input), torch.empty_like(input)
        scale = empty_numbers(input)
        add_rms_norm_training_kernel(input, residual, weight, eps, output, summed, scale)
        ctx.save_for_backward(summed, weight, scale)
        return output, summed

    @staticmethod
    @once_differentiable
    def backward(ctx, gradient, summed_gradient):
        summed, weight, scale = ctx.saved_tensors
        input_gradient, partial = torch.empty_like(summed), empty_partial(summed, 1)
        if partial.shape[1]:
            add_rms_norm_backward_kernel(
                gradient, summed_gradient, summed, weight, scale, input_gradient, partial[0]
            )
        return input_gradient, input_gradient, sums(partial, weight.dtype)[0], None


def check_vector(name: str, vector: torch.Tensor, input: torch.Tensor) -> None:
    """Raise a ValueError where a vector has not one number a column of ``input``."""
    if vector.shape != input.shape[-1:]:
        raise ValueError(
            f"{name} must have one number a column of input, and the shape "
            f"{tuple(input.shape[-1:])}, not {tuple(vector.shape)}"
        )


def rms_norm(input: torch.Tensor, weight: torch.Tensor, eps: float = 1e-6) -> torch.Tensor:
    """``input / sqrt(mean(input²) + eps) * weight`` of each row; differentiable.

    ``input`` is (rows, columns) and ``weight`` (columns,); computed in fp32.
    """
    check_floats(differentiable=True, input=input, weight=weight)
    check_vector("weight", weight, input)
    if needs_gradients(input, weight):
        return RMSNorm.apply(input, weight, eps)
    output = torch.empty_like(input)
    rms_norm_kernel(input, weight, eps, output)
    return output


def add_rms_norm(
    input: torch.Tensor, residual: torch.Tensor, weight: torch.Tensor, eps: float = 1e-6
) -> tuple[torch.Tensor, torch.Tensor]:
    """``(rms_norm(summed, weight, eps), summed)`` for ``summed = input + residual``, which is
    rounded to the element type of ``input``; differentiable.

    ``input`` and ``residual`` are (rows, columns) and ``weight`` (columns,); computed in fp32.
    """
    check_floats(differentiable=True, input=input, residual=residual, weight=weight)
    check_vector("weight", weight, input)
    if residual.shape != input.shape or residual.dtype != input.dtype:
        raise ValueError(
            f"residual must be as input, {tuple(input.shape)} of {input.dtype}, not "
            f"{tuple(residual.shape)} of {residual.dtype}"
        )
    if needs_gradients(input, residual, weight):
        return AddRMSNorm.apply(input, residual, weight, eps)
    output, summed = torch.empty_like(input), torch.empty_like(input)
    add_rms_norm_kernel(input, residual, weight, eps, output, summed)
    return output, summed


if __name__ == "__main__":
    from examples.runner import gradients, run

    def reference(input, weight):
        return torch.nn.functional.rms_norm(input, weight.shape, weight, 1e-6)

    def add_reference(input, residual, weight):
        return reference(input + residual, weight), input + residual

    # Both results in one tensor have one gradient.
    def stacked(input, residual, weight):
        return torch.stack(add_rms_norm(input, residual, weight))

    def stacked_reference(input, residual, weight):
        return torch.stack(add_reference(input, residual, weight))

    def inputs(draw, rows, columns):
        return draw(rows, columns), draw(columns)

    def add_inputs(draw, rows, columns):
        return draw(rows, columns), *inputs(draw, rows, columns)

    def stacked_inputs(draw, rows, columns):
        return draw(2, rows, columns), *add_inputs(draw, rows, columns)

    sizes = {"small": (777, 781), "large": (16384, 8192)}
    run(rms_norm, reference, inputs, **sizes)
    run(gradients(rms_norm), gradients(reference), add_inputs, **sizes)
    run(add_rms_norm, add_reference, add_inputs, **sizes)
    run(gradients(stacked), gradients(stacked_reference), stacked_inputs, **sizes)
