"""Elementwise functions: activations, gated ones, polynomials."""

from __future__ import annotations

import torch
import torch.nn.functional as F

import ninetoothed.language as ntl
from ninetoothed import Tensor
from tests.support.idioms.arranged import BLOCK_SIZE, blocks
from tests.support.idioms.idiom import Call, Idiom, gapped, nan, randn, transposed

SQRT_HALF = 0.7071067811865476
SQRT_TWO_OVER_PI = 0.7978845608028654


def gelu(x, y):
    y = 0.5 * x * (1 + ntl.erf(x * SQRT_HALF))


def gelu_tanh(x, y):
    inner = SQRT_TWO_OVER_PI * (x + 0.044715 * x * x * x)
    y = 0.5 * x * (1 + ntl.tanh(inner))


def leaky_relu(x, slope, y):
    y = ntl.where(x > 0, x, x * slope)


def hard_swish(x, y):
    y = x * ntl.clamp(x + 3, 0.0, 6.0) / 6


def softplus(x, beta, threshold, y):
    """Linear above the threshold, where the exponential would overflow."""
    scaled = x * beta
    soft = ntl.log(1 + ntl.exp(ntl.minimum(scaled, threshold))) / beta
    y = ntl.where(scaled > threshold, x, soft)


def log1p_exp(x):
    return ntl.maximum(x, 0.0) + ntl.log(1 + ntl.exp(-ntl.abs(x)))


def mish(x, y):
    y = x * ntl.tanh(log1p_exp(x))


def elu(x, alpha, y):
    negative = alpha * (ntl.exp(ntl.minimum(x, 0.0)) - 1)
    y = x if alpha == 0 else ntl.where(x > 0, x, negative)


def silu_backward(gradient, x, y):
    """In fp32, whatever the operands are."""
    x32 = x.to(ntl.float32)
    gate = ntl.sigmoid(x32)
    y = (gradient.to(ntl.float32) * gate * (1 + x32 * (1 - gate))).to(y.dtype)


# A polynomial by Horner's rule: the coefficients are a tuple of the module.

COEFFICIENTS = (0.25, -1.5, 0.0, 2.0, -0.125)


def polynomial(x, y):
    value = COEFFICIENTS[-1]
    for i in ntl.static_range(len(COEFFICIENTS) - 1):
        value = value * x + COEFFICIENTS[len(COEFFICIENTS) - 2 - i]
    y = value


def polynomial_reference(x, y):
    return sum(factor * x.double() ** power for power, factor in enumerate(COEFFICIENTS))


# Halves of one packed tensor, by slices.


def packed_arrangement(packed, output):
    half = packed.shape[-1] // 2
    gate, up = packed[..., :half], packed[..., half:]
    return tuple(tensor.tile((1, BLOCK_SIZE)) for tensor in (gate, up, output))


def swiglu(gate, up, output):
    output = gate * ntl.sigmoid(gate) * up


def swiglu_arguments() -> list[Call]:
    def call(rows: int, columns: int) -> Call:
        packed = randn(rows, 2 * columns)
        return packed, packed, nan(rows, columns)

    packed, _, output = call(3, 37)
    strided = transposed(packed)
    return [call(2, 64), (packed, packed, output), (strided, strided, gapped(output))]


def swiglu_reference(gate, up, output):
    first, second = gate.double().chunk(2, dim=-1)
    return F.silu(first) * second


# A slope a channel.


def prelu_arrangement(x, weight, y):
    n, _, length = x.shape
    weights = weight[None, :, None].expand((n, -1, length))
    return blocks(x, weights, y)


def prelu(x, weight, y):
    y = ntl.where(x >= 0, x, weight * x)


def prelu_arguments() -> list[Call]:
    x, weight, y = randn(2, 3, 19), randn(3), nan(2, 3, 19)
    return [
        (randn(1, 4, 16), randn(4), nan(1, 4, 16)),
        (x, weight, y),
        (transposed(x), gapped(weight), gapped(y)),
    ]


def prelu_reference(x, weight, y):
    return F.prelu(x.double(), weight.double())


def calls(*scalars: float) -> list[Call]:
    """Of one input, some numbers and one output."""
    x = randn(3, 37) * 4
    return [
        (randn(4, 32), *scalars, nan(4, 32)),
        (transposed(x), *scalars, nan(3, 37)),
        (gapped(x), *scalars, gapped(nan(3, 37))),
    ]


def elementwise(name: str, application, reference, *scalars: float) -> Idiom:
    """Of one input, ``scalars`` and an output, called with them."""
    return Idiom(
        name,
        blocks,
        application,
        lambda: calls(*scalars),
        lambda x, *rest: reference(x.double(), *rest[:-1]),
    )


def halves() -> list[Call]:
    return [
        tuple(tensor.half() for tensor in (randn(size), randn(size) + 1, nan(size)))
        for size in (64, 77)
    ]


def silu_gradient(gradient, x, y):
    gate = torch.sigmoid(x.double())
    return gradient.double() * gate * (1 + x.double() * (1 - gate))


IDIOMS = (
    elementwise("gelu", gelu, F.gelu),
    elementwise("gelu_by_tanh", gelu_tanh, lambda x: F.gelu(x, approximate="tanh")),
    elementwise("leaky_relu", leaky_relu, F.leaky_relu, 0.125),
    elementwise("hard_swish", hard_swish, F.hardswish),
    elementwise("softplus", softplus, F.softplus, 2.0, 5.0),
    elementwise("mish", mish, F.mish),
    Idiom(
        "elu_of_a_constexpr_alpha",
        blocks,
        elu,
        lambda: [*calls(0.5), *calls(0.0)[:1]],
        lambda x, alpha, y: F.elu(x.double(), alpha) if alpha else x.double(),
        tensors=(Tensor(2), Tensor(0, constexpr=True), Tensor(2)),
        values={"alpha": 0.5},
    ),
    Idiom("silu_backward_of_halves", blocks, silu_backward, halves, silu_gradient, tolerance=2e-3),
    Idiom(
        "polynomial_of_a_tuple",
        blocks,
        polynomial,
        lambda: calls(),
        polynomial_reference,
        tolerance=1e-4,
    ),
    Idiom(
        "swiglu_of_packed_halves",
        packed_arrangement,
        swiglu,
        swiglu_arguments,
        swiglu_reference,
        tensors=(Tensor(2), Tensor(2)),
    ),
    Idiom("prelu_of_channels", prelu_arrangement, prelu, prelu_arguments, prelu_reference),
)
