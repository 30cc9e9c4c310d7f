"""SwiGLU, forward and backward: each program takes one block of the last dim, as in ``silu.py``.

gate     [ 0 1 2 3 | 4 5 6 7 | 8 9 ]      blocks of BLOCK_SIZE elements
up       [ 0 1 2 3 | 4 5 6 7 | 8 9 ]
output   [ 0 1 2 3 | 4 5 6 7 | 8 9 ]      one program a block

Backward, a program reads a block of the gradient and of both inputs, and writes both gradients.
"""

import torch
from torch.autograd.function import once_differentiable

import ninetoothed
import ninetoothed.language as ntl
from examples.checks import check_floats, needs_gradients
from examples.silu import arrangement, flattened
from ninetoothed import Tensor


def application(gate, up, output):
    x = ntl.cast(gate, ntl.float32)
    output = x * ntl.sigmoid(x) * up


def backward_application(gradient, gate, up, gate_gradient, up_gradient):
    x = ntl.cast(gate, ntl.float32)
    sigmoid = ntl.sigmoid(x)
    silu = x * sigmoid
    gate_gradient = gradient * up.to(ntl.float32) * (sigmoid + silu * (1 - sigmoid))
    up_gradient = gradient * silu


@ninetoothed.factory
def kernel_of_rank(ndim):
    return ninetoothed.make(
        arrangement, application, tuple(Tensor(ndim) for _ in range(3)), kernel_name="swiglu_kernel"
    )


@ninetoothed.factory
def backward_kernel_of_rank(ndim):
    return ninetoothed.make(
        arrangement,
        backward_application,
        tuple(Tensor(ndim) for _ in range(5)),
        kernel_name="swiglu_backward_kernel",
    )


swiglu_kernel = kernel_of_rank(1)
swiglu_backward_kernel = backward_kernel_of_rank(1)


def forward(gate, up):
    output = torch.empty_like(gate)
    tensors = flattened(gate, up, output)
    kernel_of_rank(tensors[0].ndim)(*tensors)
    return output


class SwiGLU(torch.autograd.Function):
    """The kernels, as torch differentiates them."""

    @staticmethod
    def forward(ctx, gate, up):
        ctx.save_for_backward(gate, up)
        return forward(gate, up)

    @staticmethod
    @once_differentiable
    def backward(ctx, gradient):
        gate, up = ctx.saved_tensors
        gate_gradient, up_gradient = torch.empty_like(gate), torch.empty_like(up)
        tensors = flattened(gradient, gate, up, gate_gradient, up_gradient)
        backward_kernel_of_rank(tensors[0].ndim)(*tensors)
        return gate_gradient, up_gradient


def swiglu(gate: torch.Tensor, up: torch.Tensor) -> torch.Tensor:
    """``silu(gate) * up`` of two tensors of one shape, of any rank; differentiable."""
    check_floats(differentiable=True, one_dtype=True, gate=gate, up=up)
    if gate.shape != up.shape:
        raise ValueError(
            f"gate and up must have one shape, not {tuple(gate.shape)} and {tuple(up.shape)}; "
            "expand one of them"
        )
    if not needs_gradients(gate, up):
        return forward(gate, up)
    return SwiGLU.apply(gate, up)


if __name__ == "__main__":
    from examples.runner import gradients, run

    def reference(gate, up):
        return torch.nn.functional.silu(gate) * up

    run(
        swiglu,
        reference,
        lambda draw, *shape: (draw(*shape), draw(*shape)),
        small=(4, 123, 781),
        large=(16, 2048, 4096),
    )
    run(
        gradients(swiglu),
        gradients(reference),
        lambda draw, *shape: (draw(*shape), draw(*shape), draw(*shape)),
        small=(4, 123, 781),
        large=(16, 2048, 4096),
    )
