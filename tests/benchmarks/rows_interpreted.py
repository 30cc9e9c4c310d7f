"""Compares the Triton kernels over elements and rows with torch, interpreted.

Run as a script, in a process of its own: what Triton's kernels are is decided when they are made.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import Any

import torch
from triton.runtime.autotuner import Autotuner

from benchmarks.triton_kernels.add import add
from benchmarks.triton_kernels.argmax import argmax
from benchmarks.triton_kernels.cross_entropy import cross_entropy
from benchmarks.triton_kernels.cumsum import cumsum
from benchmarks.triton_kernels.dropout import dropout
from benchmarks.triton_kernels.layer_norm import layer_norm
from benchmarks.triton_kernels.rms_norm import add_rms_norm, rms_norm
from benchmarks.triton_kernels.rotary_embedding import rotary_embedding
from benchmarks.triton_kernels.silu import silu
from benchmarks.triton_kernels.softmax import softmax
from benchmarks.triton_kernels.swiglu import swiglu
from benchmarks.triton_kernels.topk import topk
from examples.runner import Draw, gradients, raised, relative_error, results, tolerance_of


def _compare(
    function: Callable[..., Any], reference: Callable[..., Any], inputs: tuple[Any, ...]
) -> None:
    wanted = results(reference(*map(raised, inputs)))
    for result, expected in zip(results(function(*inputs)), wanted, strict=True):
        error = relative_error(result, expected)
        # Written so that NaN is wrong.
        assert error <= tolerance_of(result), f"error {error:.1e} of {inputs[0].shape}"


def _with_gradients(
    function: Callable[..., Any], reference: Callable[..., Any], inputs: tuple[Any, ...]
) -> None:
    _compare(function, reference, inputs)
    gradient = torch.rand_like(function(*inputs))
    _compare(gradients(function), gradients(reference), (gradient, *inputs))


def check_add(draw: Draw) -> None:
    for size in (1, 16, 781):
        _compare(add, torch.add, (draw(size), draw(size)))


def check_silu(draw: Draw) -> None:
    for shape in ((1,), (16, 32), (3, 2, 300)):
        _compare(silu, torch.nn.functional.silu, (draw(*shape),))
    _compare(silu, torch.nn.functional.silu, (draw(4, 3, 5).permute(2, 0, 1),))


def check_swiglu(draw: Draw) -> None:
    def reference(gate: torch.Tensor, up: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.silu(gate) * up

    for shape in ((16, 32), (3, 2, 261)):
        _with_gradients(swiglu, reference, (draw(*shape), draw(*shape)))
    _with_gradients(swiglu, reference, draw(5, 34).chunk(2, dim=-1))


def check_dropout(draw: Draw) -> None:
    input = draw(3, 600).abs() + 1
    for p in (0.0, 0.25, 1.0):
        output = dropout(input, p, 3)
        assert torch.equal(output, dropout(input, p, 3))
        kept = output != 0
        assert abs(kept.double().mean() - (1 - p)) <= 5 * math.sqrt(p * (1 - p) / input.numel())
        if p < 1:
            scaled = input[kept].double() / (1 - p)
            assert relative_error(output[kept], scaled) <= tolerance_of(output)
    one, other = (dropout(input, 0.5, seed) != 0 for seed in (1, 2**40))
    assert 0.4 < (one == other).double().mean() < 0.6
    # Neither a row nor a group of four repeats another.
    assert 0.4 < (one[0] == one[1]).double().mean() < 0.6
    assert 0.4 < (one[:, 1:] == one[:, :-1]).double().mean() < 0.6
    assert 0.4 < (one[:, 4:] == one[:, :-4]).double().mean() < 0.6


def check_rotary_embedding(draw: Draw) -> None:
    def reference(input: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
        x1, x2 = input.chunk(2, dim=-1)
        cos, sin = cos[:, None], sin[:, None]
        return torch.cat((x1 * cos - x2 * sin, x2 * cos + x1 * sin), dim=-1)

    for batch, length, heads, dim in ((2, 3, 4, 16), (1, 5, 3, 12)):
        angles = draw(length, dim // 2), draw(length, dim // 2)
        _compare(rotary_embedding, reference, (draw(batch, length, heads, dim), *angles))
        transposed = draw(batch, heads, length, dim).transpose(1, 2)
        _compare(rotary_embedding, reference, (transposed, *angles))


def check_softmax(draw: Draw) -> None:
    def reference(input: torch.Tensor) -> torch.Tensor:
        return torch.softmax(input, dim=-1)

    for shape in ((1, 1), (3, 32), (2, 781)):
        _compare(softmax, reference, (draw(*shape),))
    _compare(softmax, reference, (draw(33, 3).t(),))
    _compare(softmax, reference, (draw(1, (1 << 16) + 3),))


def check_layer_norm(draw: Draw) -> None:
    def reference(input: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.layer_norm(input, weight.shape, weight, bias)

    for rows, columns in ((1, 32), (7, 261)):
        inputs = (draw(rows, columns) + 3, draw(columns), draw(columns))
        _with_gradients(layer_norm, reference, inputs)
    _with_gradients(layer_norm, reference, (draw(9, 4).t(), draw(9), draw(9)))


def check_rms_norm(draw: Draw) -> None:
    def reference(input: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.rms_norm(input, weight.shape, weight, 1e-6)

    for rows, columns in ((1, 32), (7, 261)):
        _with_gradients(rms_norm, reference, (draw(rows, columns), draw(columns)))
    _with_gradients(rms_norm, reference, (draw(9, 4).t(), draw(9)))


def check_add_rms_norm(draw: Draw) -> None:
    def reference(
        input: torch.Tensor, residual: torch.Tensor, weight: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        summed = input + residual
        return torch.nn.functional.rms_norm(summed, weight.shape, weight, 1e-6), summed

    def joined(function: Callable[..., Any]) -> Callable[..., torch.Tensor]:
        return lambda *inputs: torch.cat(function(*inputs))

    for rows, columns in ((1, 32), (7, 261)):
        inputs = (draw(rows, columns), draw(rows, columns), draw(columns))
        _compare(add_rms_norm, reference, inputs)
        _with_gradients(joined(add_rms_norm), joined(reference), inputs)


def check_cross_entropy(draw: Draw) -> None:
    reference = torch.nn.functional.cross_entropy
    for rows, classes in ((1, 32), (5, 781)):
        inputs = (draw(rows, classes), draw.integers(classes, rows))
        _with_gradients(cross_entropy, reference, inputs)
    masked = draw(2, 600)
    masked[:, :300] = float("-inf")
    _with_gradients(cross_entropy, reference, (masked, draw.integers(600, 2, low=300)))


def check_argmax(draw: Draw) -> None:
    def reference(input: torch.Tensor) -> torch.Tensor:
        return torch.argmax(input, dim=-1)

    tied = draw(1, 300).round()
    not_a_number = draw(2, 300)
    not_a_number[:, 5] = float("nan")
    not_a_number[1, 298:300] = float("nan")
    nothing = torch.full((1, 20), float("-inf"), dtype=draw.dtype)
    for input in (draw(1, 1), draw(1, 257), tied, not_a_number, nothing, draw(40, 2).t()):
        _compare(argmax, reference, (input,))


def check_topk(draw: Draw) -> None:
    for rows, columns, k in ((1, 1, 1), (3, 8, 8), (2, 259, 5), (1, 200, 50)):
        input = draw(rows, columns)
        found, indices = topk(input, k)
        assert torch.equal(found, torch.topk(input, k, dim=-1).values)
        assert torch.equal(input.gather(1, indices), found)
    tied = torch.tensor([[1, 2, 2, 0, -1, 2]], dtype=draw.dtype)
    assert topk(tied, 4)[1].tolist() == [[1, 2, 5, 0]]
    low = torch.tensor([[-3, float("-inf"), -2]], dtype=draw.dtype)
    assert topk(low, 3)[1].tolist() == [[2, 0, 1]]


def check_cumsum(draw: Draw) -> None:
    def reference(input: torch.Tensor) -> torch.Tensor:
        return torch.cumsum(input, dim=-1)

    for shape in ((1, 1), (3, 32), (2, 781)):
        _compare(cumsum, reference, (draw(*shape),))
    _compare(cumsum, reference, (draw(33, 3).t(),))


CASES = {
    "add": check_add,
    "silu": check_silu,
    "swiglu": check_swiglu,
    "dropout": check_dropout,
    "rotary_embedding": check_rotary_embedding,
    "softmax": check_softmax,
    "layer_norm": check_layer_norm,
    "rms_norm": check_rms_norm,
    "add_rms_norm": check_add_rms_norm,
    "cross_entropy": check_cross_entropy,
    "argmax": check_argmax,
    "topk": check_topk,
    "cumsum": check_cumsum,
}


def keep_one_configuration(position: int) -> None:
    """Of those that suit a call: with all, this takes minutes."""

    def one(self: Autotuner, arguments: dict[str, Any]) -> list[Any]:
        return [_SUITABLE(self, arguments)[position]]

    _TUNER.prune_configs = one


_TUNER: Any = Autotuner
_SUITABLE = _TUNER.prune_configs


def main(names: list[str]) -> None:
    """Run the cases, or those named; an error says which is wrong."""
    # The smallest blocks, which go through a row in several steps, and the largest.
    for position, dtype, strided in ((0, torch.float32, False), (-1, torch.float16, True)):
        keep_one_configuration(position)
        for name in names or CASES:
            try:
                CASES[name](Draw("cpu", dtype, strided))
            except Exception as error:
                raise AssertionError(f"{name} is wrong for {dtype}") from error
    print("results agree")


if __name__ == "__main__":
    main(sys.argv[1:])
