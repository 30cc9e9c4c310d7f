"""Compares the Triton kernels and the programs of launch and start with torch, interpreted.

Run as a script, in a process of its own: what Triton's kernels are is decided when they are made.
The kernels compute the operations of ``benchmarks.operations``, from inputs that are small.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib
import itertools
import math
import sys
from collections.abc import Callable, Iterator
from typing import Any

import torch
import torch.nn.functional as F
from triton.runtime.autotuner import Autotuner, Config

from benchmarks.correctness import compare
from benchmarks.operations import operations
from examples.runner import Draw, relative_error, tolerance_of

Case = tuple[str, tuple[Any, ...]]
"""An operation's name, and its inputs."""
Special = tuple[str, tuple[Any, ...], Callable[..., Any], dict[str, Any]]
"""The same, with a reference of its own, and options of the kernel."""

KNOWN = operations()
SMALL_BLOCKS = {"BLOCK_M": (16, 64), "BLOCK_N": (32, 16)}
"""Of attention, with more queries or with more keys: large ones would be all there is."""
ATTENTION_SIZES = (
    # The batch, heads, key heads, queries, keys and the dims of keys and values.
    (1, 1, 1, 5, 3, 16, 16),
    (1, 2, 2, 64, 64, 32, 32),
    (1, 4, 2, 37, 75, 24, 40),
    (1, 2, 1, 75, 37, 64, 64),
)


def keep_one_configuration(choice: int) -> None:
    """One of those that suit a call: with all, this takes minutes.

    Rows are walked through in several steps with the smallest blocks, in one with the largest.
    Products and windows have small ones.
    """

    def one(self: Any, arguments: dict[str, Any]) -> list[Any]:
        suitable = _SUITABLE(self, arguments)
        module = self.base_fn.__module__.rpartition(".")[2]
        if module.startswith("attention"):
            names = suitable[0].kwargs
            return [Config({name: SMALL_BLOCKS[name][choice] for name in names})]
        return [suitable[-choice if module in _OF_ROWS else -1]]

    _TUNER.prune_configs = one


_TUNER: Any = Autotuner
_SUITABLE = _TUNER.prune_configs
_OF_ROWS = (
    "add", "silu", "swiglu", "dropout", "rotary_embedding", "softmax", "layer_norm", "rms_norm",
    "cross_entropy", "argmax", "topk", "cumsum",
)  # fmt: skip


def elements_and_rows(draw: Draw) -> Iterator[Case]:
    """Operations on elements, norms, and what searches or sums rows."""
    for size in (1, 16, 781):
        yield "add", (draw(size), draw(size))
    for shape in ((1,), (16, 32), (3, 2, 300)):
        yield "silu", (draw(*shape),)
    yield "silu", (draw(4, 3, 5).permute(2, 0, 1),)
    halves = draw(5, 34).chunk(2, dim=-1)
    for gate, up in (*((draw(*s), draw(*s)) for s in ((16, 32), (3, 2, 261))), halves):
        yield "swiglu", (gate, up)
        yield "swiglu_backward", (torch.rand_like(gate), gate, up)
    for batch, length, heads, dim in ((2, 3, 4, 16), (1, 5, 3, 12)):
        angles = draw(length, dim // 2), draw(length, dim // 2)
        yield "rotary_embedding", (draw(batch, length, heads, dim), *angles)
        yield "rotary_embedding", (draw(batch, heads, length, dim).transpose(1, 2), *angles)
    for input in (draw(1, 1), draw(3, 32), draw(2, 781), draw(33, 3).t(), draw(1, (1 << 16) + 3)):
        yield "softmax", (input,)
        if input.numel() < 1 << 16:
            yield "cumsum", (input,)
    for input in (draw(1, 32), draw(7, 261), draw(9, 4).t()):
        weight, bias, gradient = draw(input.shape[1]), draw(input.shape[1]), torch.rand_like(input)
        yield "rms_norm", (input, weight)
        yield "rms_norm_backward", (gradient, input, weight)
        yield "layer_norm", (input + 3, weight, bias)
        yield "layer_norm_backward", (gradient, input + 3, weight, bias)
    for rows, columns in ((1, 32), (7, 261)):
        yield "add_rms_norm", (draw(rows, columns), draw(rows, columns), draw(columns))
    masked = draw(2, 600)
    masked[:, :300] = float("-inf")
    losses = [(draw(*shape), draw.integers(shape[1], shape[0])) for shape in ((1, 32), (5, 781))]
    for inputs in (*losses, (masked, draw.integers(600, 2, low=300))):
        yield "cross_entropy", inputs
        yield "cross_entropy_backward", (torch.rand((), dtype=draw.dtype), *inputs)
    not_a_number = draw(2, 300)
    not_a_number[:, 5] = float("nan")
    not_a_number[1, 298:300] = float("nan")
    nothing = torch.full((1, 20), float("-inf"), dtype=draw.dtype)
    tied = draw(1, 300).round()
    for input in (draw(1, 1), draw(1, 257), tied, not_a_number, nothing, draw(40, 2).t()):
        yield "argmax", (input,)
    for rows, columns, k in ((1, 1, 1), (3, 8, 8), (2, 259, 5), (1, 200, 50)):
        yield "topk", (draw(rows, columns), k)


def products_and_gathers(draw: Draw) -> Iterator[Case]:
    """Products, convolutions and pooling, embeddings and jagged tensors."""
    for m, n, k in ((37, 53, 41), (64, 80, 96), (1, 1, 1)):
        yield "matmul", (draw(m, k), draw(k, n))
        yield "matmul", (draw(k, m).T, draw(n, k).T)
        yield "matmul", (draw(m, k), draw(n, k).T)
        yield "addmm", (draw(n), draw(m, k), draw(k, n))
        yield "fused_linear", (draw(m, k), draw(n, k), draw(n), draw(m, n))
        yield "bmm", (draw(3, m, k), draw(3, k, n))
        yield "bmm", (draw(3, m, k), draw(3, n, k).mT)
        scales = (draw(m, dtype=torch.float32), draw(n, dtype=torch.float32))
        for name, dtype, rest in (
            ("fp8_matmul", torch.float8_e4m3fn, scales),
            ("int8_matmul", torch.int8, ()),
        ):
            yield name, (draw(m, k, dtype=dtype), draw(k, n, dtype=dtype), *rest)
            yield name, (draw(m, k, dtype=dtype), draw(n, k, dtype=dtype).T, *rest)
        eights = (draw(*shape, dtype=torch.float8_e4m3fn) for shape in ((m, k), (k, n)))
        of_matrices = (draw(dtype=torch.float32) for _ in range(2))
        yield "fp8_matmul_tensorwise", (*eights, *of_matrices)
    halves = Draw("cpu", torch.float16, draw.strided)
    for m, n, k in ((1, 40, 128), (17, 33, 384)):
        yield "w4a16_matmul", tuple(KNOWN["w4a16_matmul"].inputs(halves, m, n, k))
    for lengths in ((5, 0, 33, 70), (0, 1)):
        yield "grouped_matmul", (draw.jagged(lengths, 40), draw(len(lengths), 40, 24))
    for options in ((1, 0), (2, 1)):
        yield "conv2d", (draw(2, 19, 11, 13), draw(21, 19, 3, 2), *options)
    yield "conv2d", (draw(2, 64, 5, 5), draw(16, 64, 1, 1), 1, 0)
    for options in ((1, 0), (2, 1)):
        yield "depthwise_conv2d", (draw(2, 5, 11, 13), draw(5, 1, 3, 2), *options)
    yield "causal_conv1d", (draw(2, 3, 70), draw(3, 4), draw(3))
    for name in ("max_pool2d", "avg_pool2d"):
        for options in (
            (2, None, 0, False), (3, 2, 1, False), (3, 2, 1, True),
            ((3, 2), (2, 3), (1, 0), True), (2, 3, 1, True),
        ):  # fmt: skip
            yield name, (draw(2, 3, 11, 14), *options)
    for shape in ((29,), (5, 7)):
        index, weight = draw.integers(11, *shape), draw(11, 300)
        yield "embedding", (index, weight)
        yield "embedding_backward", (draw(*shape, 300), index, weight)
    sequences = draw.jagged((5, 0, 33, 12), 70)
    yield "jagged_pad", (sequences, 33)
    yield "jagged_unpad", (draw(4, 35, 70), sequences)


def attention(draw: Draw) -> Iterator[Case]:
    """Forward and backward; grouped heads, windows, sequences and pages."""
    for is_causal in (False, True):
        for batch, heads, key_heads, m, n, dim, value_dim in ATTENTION_SIZES:
            query, key = draw(batch, heads, m, dim), draw(batch, key_heads, n, dim)
            value, gradient = draw(batch, key_heads, n, value_dim), draw(batch, heads, m, value_dim)
            yield "attention", (query, key, value, is_causal)
            yield "attention_backward", (gradient, query, key, value, is_causal)
    for batch, heads, key_heads, m, n, dim, _ in ATTENTION_SIZES:
        query, key, value = (draw(batch, *x, dim) for x in ((heads, m), *2 * [(key_heads, n)]))
        # Each query sees a key.
        for window in (max(m - n, 0) + 1, 50):
            yield "sliding_window_attention", (query, key, value, window)
    for lengths, key_lengths in (((1, 37, 0, 70), (1, 75, 0, 5)), ((33, 80), (33, 80))):
        total, key_total = sum(lengths), sum(key_lengths)
        tensors = draw(total, 4, 24), draw(key_total, 2, 24), draw(key_total, 2, 40)
        offsets = [
            torch.tensor([0, *itertools.accumulate(each)], dtype=torch.int32)
            for each in (lengths, key_lengths)
        ]
        for is_causal in (False, True):
            yield "varlen_attention", (*tensors, *offsets, max(lengths), is_causal)
    for sizes in ((3, 4, 2, 37, 24, 16), (2, 1, 1, 5, 64, 8), (2, 20, 1, 70, 16, 32)):
        yield "paged_attention", tuple(KNOWN["paged_attention"].inputs(draw, *sizes))


def special(draw: Draw) -> Iterator[Special]:
    """Options of the kernels that the operations do not have, and inputs that are not numbers."""

    def padded(input: Any, length: int) -> torch.Tensor:
        rows = [F.pad(one, (0, 0, 0, length - len(one)), value=-1.5) for one in input.unbind()]
        return torch.stack(rows)

    def product_alone(_: torch.Tensor, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return a @ b

    def dilated(
        a: torch.Tensor, w: torch.Tensor, stride: Any, padding: Any, dilation: Any
    ) -> torch.Tensor:
        return F.conv2d(a, w, None, stride, padding, dilation)

    matrices = draw(37, 41), draw(53, 41).T
    scales = {"beta": 0.5, "alpha": 2}
    yield "addmm", (draw(37, 53), *matrices), functools.partial(torch.addmm, **scales), scales
    nothing = torch.full((37, 53), float("nan"), dtype=draw.dtype)
    yield "addmm", (nothing, *matrices), product_alone, {"beta": 0}
    images, filters = draw(2, 19, 11, 13), draw(21, 19, 3, 2)
    yield "conv2d", (images, filters, (2, 1), (0, 2), (1, 2)), dilated, {}
    inputs = (draw(2, 3, 11, 14), 3, 2, 1, True)
    option = {"count_include_pad": False}
    yield "avg_pool2d", inputs, functools.partial(F.avg_pool2d, **option), option
    yield "jagged_pad", (draw.jagged((5, 0, 33, 12), 70), 40), padded, {"value": -1.5}


def check(name: str, inputs: tuple[Any, ...], reference: Any = None, **options: Any) -> None:
    """Compare one case.

    Raises:
        WrongResultError: the kernel's result differs from torch's.
    """
    operation = KNOWN[name]
    if reference is not None:
        operation = dataclasses.replace(operation, reference=reference)
    value = operation.call(functools.partial(operation.triton(), **options), inputs)()
    if operation.compared is not None:
        value = operation.compared(value, *inputs)
    # In fp32, scores are rounded to that, too.
    is_rounded = "attention" in name and inputs[0].dtype is torch.float32
    compare(value, operation.expected(inputs), 4.0 if is_rounded else 1.0)


def check_dropout(draw: Draw) -> None:
    """What is kept is scaled, and as random as it says."""
    dropout = KNOWN["dropout"].triton()
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
    # Neither a seed, nor a row, nor an element, nor a group of four repeats another.
    pairs = ((one, other), (one[0], one[1]), (one[:, 1:], one[:, :-1]), (one[:, 4:], one[:, :-4]))
    for lhs, rhs in pairs:
        assert 0.4 < (lhs == rhs).double().mean() < 0.6


def check_what_is_not_a_number(draw: Draw) -> None:
    """The largest of a window, or of a row: NaN where there is one, and the first of equals."""
    input = draw(1, 2, 8, 8)
    input[0, 0, 3, 3] = float("nan")
    found = KNOWN["max_pool2d"].triton()(input, 3, 2, 1, False)
    assert torch.equal(found.isnan(), F.max_pool2d(input, 3, 2, 1).isnan())
    topk = KNOWN["topk"].triton()
    tied = torch.tensor([[1, 2, 2, 0, -1, 2]], dtype=draw.dtype)
    assert topk(tied, 4)[1].tolist() == [[1, 2, 5, 0]]
    low = torch.tensor([[-3, float("-inf"), -2]], dtype=draw.dtype)
    assert topk(low, 3)[1].tolist() == [[2, 0, 1]]


def check_programs() -> None:
    """The kernels of ``benchmarks.programs``, ours and Triton's."""
    draw = Draw("cpu", torch.float32)
    terms = [draw(1027) for _ in range(7)]
    matrices = [draw(130, 70), draw(70, 140)]

    def agrees(kernel: Any, operands: list[torch.Tensor], expected: torch.Tensor) -> None:
        output = torch.full(expected.shape, torch.nan)
        kernel(*operands, output)
        assert relative_error(output, expected) <= tolerance_of(output), kernel

    for whose in ("ours", "triton"):
        add, pointwise, matmul = (
            importlib.import_module(f"benchmarks.programs.{whose}_{name}")
            for name in ("add", "pointwise", "matmul")
        )
        # Our kernels have to be made first.
        total, scale = (
            made() if whose == "ours" else made for made in (pointwise.total, pointwise.scale)
        )
        agrees(add.fixed(), terms[:2], terms[0] + terms[1])
        agrees(total, terms, sum(terms, torch.tensor(0.0)))
        for kernel in (matmul.fixed(), *([matmul.tuned()] if whose == "ours" else [])):
            agrees(kernel, matrices, matrices[0].double() @ matrices[1].double())
        values = terms[0].clone()
        scale(values)
        assert torch.equal(values, terms[0] * 2)


def main(topics: list[str]) -> None:
    """Run all, or what is named; an error says what differs."""
    for topic in topics or TOPICS:
        if topic == "programs":
            check_programs()
            continue
        for choice, dtype, strided in ((0, torch.float32, False), (1, torch.float16, True)):
            keep_one_configuration(choice)
            draw = Draw("cpu", dtype, strided)
            if topic == "special":
                check_dropout(draw)
                check_what_is_not_a_number(draw)
                for name, inputs, reference, options in special(draw):
                    check(name, inputs, reference, **options)
                continue
            for name, inputs in TOPICS[topic](draw):
                try:
                    check(name, inputs)
                except Exception as error:
                    shapes = [getattr(value, "shape", value) for value in inputs]
                    raise AssertionError(f"{name} is wrong for {dtype} {shapes}") from error
    print("results agree")


TOPICS: dict[str, Callable[..., Any]] = {
    "attention": attention,
    "products_and_gathers": products_and_gathers,
    "elements_and_rows": elements_and_rows,
    "special": special,
    "programs": check_programs,
}


if __name__ == "__main__":
    main(sys.argv[1:])
