"""Updates in place: several tensors of one kernel are read and written."""

from __future__ import annotations

import numpy as np
import torch

import ninetoothed.language as ntl
from ninetoothed import Tensor
from tests.support.idioms.arranged import BLOCK_SIZE, blocks
from tests.support.idioms.idiom import Call, Idiom, gapped, nan, randn, transposed


def array(tensor: torch.Tensor) -> np.ndarray:
    """The numbers, in fp64."""
    return tensor.double().numpy().copy()


def states(count: int, *numbers: float) -> list[Call]:
    """``count`` tensors of one shape, and numbers."""

    def call(*shape: int) -> list[torch.Tensor]:
        return [randn(*shape) + i for i in range(count)]

    ragged = call(5, 23)
    strided = [transposed(tensor) if i % 2 else gapped(tensor) for i, tensor in enumerate(ragged)]
    return [(*call(4, 32), *numbers), (*ragged, *numbers), (*strided, *numbers)]


def axpy(x, y, alpha):
    y += alpha * x


def axpy_reference(x, y, alpha):
    return torch.from_numpy(alpha * array(x) + array(y))


def sgd(parameter, gradient, momentum, rate, decay, mu):
    update = gradient + decay * parameter
    momentum = mu * momentum + update
    parameter -= rate * momentum


def sgd_reference(parameter, gradient, momentum, rate, decay, mu):
    p, g, m = map(array, (parameter, gradient, momentum))
    m = mu * m + g + decay * p
    return torch.from_numpy(p - rate * m), torch.from_numpy(m)


def adam(parameter, gradient, first, second, rate, beta1, beta2, eps, step):
    first = beta1 * first + (1 - beta1) * gradient
    second = beta2 * second + (1 - beta2) * gradient * gradient
    # The corrections of the start: powers by exponentials of a number of the call.
    count = step.to(ntl.float32)
    correction1 = 1 - ntl.exp2(count * ntl.log2(beta1))
    correction2 = 1 - ntl.exp2(count * ntl.log2(beta2))
    parameter -= rate * (first / correction1) / (ntl.sqrt(second / correction2) + eps)


def adam_reference(parameter, gradient, first, second, rate, beta1, beta2, eps, step):
    p, g, m, v = map(array, (parameter, gradient, first, second))
    m = beta1 * m + (1 - beta1) * g
    v = beta2 * v + (1 - beta2) * g * g
    p -= rate * (m / (1 - beta1**step)) / (np.sqrt(v / (1 - beta2**step)) + eps)
    return tuple(map(torch.from_numpy, (p, m, v)))


def adam_arguments() -> list[Call]:
    return [
        (parameter, gradient, first, second.abs(), 0.01, 0.9, 0.99, 1e-8, step)
        for step, (parameter, gradient, first, second) in enumerate(states(4), start=3)
    ]


def lion(parameter, gradient, momentum, rate, beta1, beta2):
    mixed = beta1 * momentum + (1 - beta1) * gradient
    sign = ntl.where(mixed > 0, 1.0, ntl.where(mixed < 0, -1.0, 0.0))
    parameter = parameter - rate * sign
    momentum = beta2 * momentum + (1 - beta2) * gradient


def lion_reference(parameter, gradient, momentum, rate, beta1, beta2):
    p, g, m = map(array, (parameter, gradient, momentum))
    updated = p - rate * np.sign(beta1 * m + (1 - beta1) * g)
    return torch.from_numpy(updated), torch.from_numpy(beta2 * m + (1 - beta2) * g)


def average(shadow, value, decay):
    """Exponential moving average, of a copy in fp32 of values in fp16."""
    shadow += (1 - decay) * (value.to(shadow.dtype) - shadow)


def average_reference(shadow, value, decay):
    s, v = map(array, (shadow, value))
    return torch.from_numpy(s + (1 - decay) * (v - s))


def average_arguments() -> list[Call]:
    return [(shadow, value.half(), decay) for shadow, value, decay in states(2, 0.75)]


# Clipping by a norm that another kernel left in a tensor of one element.


def clip_arrangement(gradient, norm, most):
    gradient_arranged = gradient.tile((BLOCK_SIZE,))
    norm_arranged = norm.tile((1,)).expand(gradient_arranged.shape)
    return gradient_arranged, norm_arranged, most


def clip(gradient, norm, most):
    factor = ntl.minimum(most / (norm + 1e-6), 1.0)
    gradient = gradient * factor


def clip_arguments() -> list[Call]:
    gradients = (randn(64), gapped(randn(77)))
    return [
        (g, torch.linalg.vector_norm(g).reshape(1), most) for g in gradients for most in (1.0, 99.0)
    ]


def clip_reference(gradient, norm, most):
    g = array(gradient)
    return torch.from_numpy(g * min(most / (np.sqrt((g**2).sum()) + 1e-6), 1.0))


# Rounding to multiples of a step: what is lost comes back in the next call.


def feedback(value, residual, step, output):
    wanted = value + residual
    output = ntl.floor(wanted / step + 0.5) * step
    residual = wanted - output


def feedback_arguments() -> list[Call]:
    return [
        (value, residual / 16, 0.25, output)
        for value, residual, output in (
            (randn(64), randn(64) + 1, nan(64)),
            (gapped(randn(77)), randn(77) + 1, gapped(nan(77))),
        )
    ]


def feedback_reference(value, residual, step, output):
    # In fp32, where the rounding is.
    wanted = value.numpy() + residual.numpy()
    rounded = np.floor(wanted / np.float32(step) + np.float32(0.5)) * np.float32(step)
    return torch.from_numpy(wanted - rounded), torch.from_numpy(rounded)


IDIOMS = (
    Idiom("axpy", blocks, axpy, lambda: states(2, -1.5), axpy_reference, outputs=(1,)),
    Idiom(
        "sgd_with_momentum",
        blocks,
        sgd,
        lambda: states(3, 0.1, 0.01, 0.9),
        sgd_reference,
        outputs=(0, 2),
    ),
    Idiom(
        "adam",
        blocks,
        adam,
        adam_arguments,
        adam_reference,
        tensors=(*(Tensor(2) for _ in range(4)), *(Tensor(0) for _ in range(5))),
        outputs=(0, 2, 3),
        tolerance=1e-4,
    ),
    Idiom("lion", blocks, lion, lambda: states(3, 0.1, 0.9, 0.99), lion_reference, outputs=(0, 2)),
    Idiom(
        "moving_average_of_halves",
        blocks,
        average,
        average_arguments,
        average_reference,
        outputs=(0,),
    ),
    Idiom("clip_by_a_norm", clip_arrangement, clip, clip_arguments, clip_reference, outputs=(0,)),
    Idiom(
        "error_feedback",
        blocks,
        feedback,
        feedback_arguments,
        feedback_reference,
        outputs=(1, 3),
    ),
)
