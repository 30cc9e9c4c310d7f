"""The mean cross entropy of rows of logits, forward and backward, over any number of classes.

input    [ tile 0 | tile 1 | tile 2 ]      forward: one program a row, which goes through its tiles
         [ tile 0 | tile 1 | tile 2 ]      once, with a running maximum and sum
target   [ c ]     logsumexp  [ s ]        one element a program; the logit at class c is gathered
         [ c ]                [ s ]

input    [ tile 0 | tile 1 | tile 2 ]      backward: one program a tile
         [ tile 0 | tile 1 | tile 2 ]
target   [   c        c        c    ]      the element of a row is expanded to all tiles of the row
         [   c        c        c    ]
"""

import torch
from torch.autograd.function import once_differentiable

import ninetoothed
import ninetoothed.language as ntl
from examples.checks import check_floats, needs_gradients
from examples.cumsum import rows_in_tiles
from ninetoothed import Tensor, block_size

BLOCK_SIZE = block_size(lower_bound=256, upper_bound=8192)

# The running maximum begins with the smallest number and not with -inf, so that tiles of nothing
# but -inf, which masked classes have, add exp(-inf - SMALLEST) = 0 and not exp(-inf + inf).
SMALLEST = torch.finfo(torch.float32).min


def forward_arrangement(input, target, logsumexp, loss):
    return rows_in_tiles(input, BLOCK_SIZE), target, logsumexp, loss


def forward_application(input, target, logsumexp, loss):
    largest = SMALLEST
    total = 0.0

    for i in range(input.shape[0]):
        tile = ntl.cast(input[i], ntl.float32)
        larger = ntl.maximum(largest, ntl.max(tile))
        total = total * ntl.exp(largest - larger) + ntl.sum(ntl.exp(tile - larger))
        largest = larger

    ntl.device_assert((target >= 0) & (target < input.source.shape[1]), "target is no class")
    logsumexp = largest + ntl.log(total)
    loss = logsumexp - input.source[target.offsets(0), target]


forward_kernel = ninetoothed.make(
    forward_arrangement,
    forward_application,
    (
        Tensor(2),
        Tensor(1, dtype=ninetoothed.int64),
        Tensor(1, dtype=ninetoothed.float32),
        Tensor(1, dtype=ninetoothed.float32),
    ),
    kernel_name="cross_entropy_forward_kernel",
)


def backward_arrangement(input, target, logsumexp, gradient, rows, input_gradient):
    def tiles(tensor):
        arranged = tensor.tile((1, BLOCK_SIZE))
        arranged.dtype = arranged.dtype.squeeze(0)
        return arranged

    def elements(tensor):
        return tensor.unsqueeze(1).expand((-1, tiles(input).shape[1]))

    of_rows = map(elements, (target, logsumexp, gradient))
    return tiles(input), *of_rows, rows, tiles(input_gradient)


def backward_application(input, target, logsumexp, gradient, rows, input_gradient):
    probability = ntl.exp(ntl.cast(input, ntl.float32) - logsumexp)
    one_hot = ntl.where(input.offsets(1) == target, 1.0, 0.0)
    # The loss is the mean over all rows.
    input_gradient = (probability - one_hot) * (ntl.cast(gradient, ntl.float32) / rows)


backward_kernel = ninetoothed.make(
    backward_arrangement,
    backward_application,
    (
        Tensor(2),
        Tensor(1, dtype=ninetoothed.int64),
        Tensor(1, dtype=ninetoothed.float32),
        Tensor(1),
        Tensor(0),
        Tensor(2),
    ),
    kernel_name="cross_entropy_backward_kernel",
)


def mean_loss(input, target):
    """The mean of the rows' losses, and the logarithms of their sums of exponentials."""
    logsumexp = input.new_empty(input.shape[0], dtype=torch.float32)
    loss = torch.empty_like(logsumexp)
    forward_kernel(input, target, logsumexp, loss)
    return loss.mean().to(input.dtype), logsumexp


class CrossEntropy(torch.autograd.Function):
    """The kernels, as torch differentiates them."""

    @staticmethod
    def forward(ctx, input, target):
        loss, logsumexp = mean_loss(input, target)
        ctx.save_for_backward(input, target, logsumexp)
        return loss

    @staticmethod
    @once_differentiable
    def backward(ctx, gradient):
        input, target, logsumexp = ctx.saved_tensors
        input_gradient = torch.empty_like(input)
        rows = input.shape[0]
        # One number for all rows.
        gradients = gradient.expand(rows)
        backward_kernel(input, target, logsumexp, gradients, rows, input_gradient)
        return input_gradient, None


def cross_entropy(input: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    """The mean of ``logsumexp(input[i]) - input[i, target[i]]`` over the rows; differentiable.

    ``input`` has shape (rows, classes), ``target`` (rows,) and int64. Every target counts: one that
    is no class, torch's -100 included, stops the program. The result is computed in float32, and is
    a scalar in the input's type.

    Raises:
        ValueError: there are not as many targets as rows, or float32 does not hold the input.
    """
    check_floats(differentiable=True, input=input)
    if target.shape != input.shape[:1]:
        raise ValueError(f"{tuple(target.shape)} targets for an input of {tuple(input.shape)}")
    if needs_gradients(input):
        return CrossEntropy.apply(input, target)
    return mean_loss(input, target)[0]


if __name__ == "__main__":
    from examples.runner import gradients, run

    reference = torch.nn.functional.cross_entropy

    def inputs(draw, rows, classes):
        return draw(rows, classes), draw.integers(classes, rows)

    # The gradient of a mean over many rows is too small for fp16: the loss is scaled.
    def scaled_inputs(draw, rows, classes):
        return draw().fill_(rows), *inputs(draw, rows, classes)

    sizes = {"small": (129, 5000), "large": (4096, 128256)}
    run(cross_entropy, reference, inputs, **sizes)
    run(gradients(cross_entropy), gradients(reference), scaled_inputs, **sizes)
