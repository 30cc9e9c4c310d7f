"""What the page of ``kernel.explore`` computes is what the interpreter touches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

import pytest
import torch

import ninetoothed
import ninetoothed.language as ntl
from ninetoothed import Symbol, Tensor
from ninetoothed.calls.arguments import Arguments
from ninetoothed.calls.copies import copied
from ninetoothed.compiler.compile import build
from ninetoothed.compiler.defaults import fitted, pick
from ninetoothed.definition.definition import Definition
from ninetoothed.errors import AssertionFailedError, collect_warnings
from ninetoothed.interpreters import interpret
from ninetoothed.interpreters.run import Argument
from ninetoothed.interpreters.trace import Trace
from ninetoothed.ir import nt
from ninetoothed.kernel.compilation import KernelCompiler
from ninetoothed.kernel.kernel import Kernel
from ninetoothed.verification.translation.samples import Sampler
from ninetoothed.verification.translation.views import LAYOUTS
from ninetoothed.view.exploration.explored_kernel import ExploredKernel, explored_kernel
from ninetoothed.view.exploration.given_sizes import Given, given_sizes
from ninetoothed.view.exploration.kernel_script import kernel_script
from tests.support.example_calls import CALLS, ExampleCall
from tests.support.example_kernels import KERNELS, ExampleKernel
from tests.support.explored import all_touched, all_touched_by, needs_node

SAMPLES = 3
"""Calls of each example: of these the last ones have other sizes than the blocks."""

JAGGED = "it is jagged: where its sequences begin and end is data"
COMPUTED = "it is indexed by what the application computes while it runs"
POINTER = "it is read or written through pointers, at addresses that are computed"

LEFT_OUT = {
    "cross_entropy-forward_kernel": {"input": POINTER},
    "embedding-embedding_backward_kernel": {"weight_gradient": POINTER},
    "embedding-embedding_kernel": {"weight": POINTER},
    "grouped_matmul": {"input": JAGGED, "output": JAGGED},
    "jagged_attention-is_causal=True": dict.fromkeys(("query", "key", "value", "output"), JAGGED),
    "jagged_padding": {"output": JAGGED},
    "paged_attention": dict.fromkeys(("key", "value", "block_table"), COMPUTED),
    "sliding_window_attention-is_capped=True": {"key": COMPUTED, "value": COMPUTED},
    "topk-topk_kernel(8)": {"input": POINTER},
    "topk-merge_kernel(8)": {"input": POINTER},
    "varlen_attention-is_causal=True": {
        **dict.fromkeys(("query", "key", "value"), COMPUTED),
        "output": POINTER,
    },
}
"""The tensors of examples that index expressions cannot tell of, and why."""

Touches = set[tuple[str, str, int, int]]


def options(example: ExampleKernel) -> dict[str, Any]:
    """The constants that an example's options give."""
    if "--set" not in example.options:
        return {}
    name, _, value = example.options[example.options.index("--set") + 1].partition("=")
    return {name: value == "True"}


def traced(trace: Trace, names: set[str]) -> Touches:
    """The accesses to some parameters in a trace: parameter, kind, program and element."""
    found: Touches = set()
    for key in trace.keys:
        if key[0] in names:
            rows = trace.rows(key)
            pairs = cast("list[list[int]]", torch.stack([rows[0], rows[-1]]).T.tolist())
            found.update((key[0], key[1], program, element) for program, element in pairs)
    return found


def by_tensor(touches: Iterable[tuple[str, str, int, int]]) -> dict[str, Touches]:
    """Accesses by the name of their tensor."""
    found: dict[str, Touches] = {}
    for touch in touches:
        found.setdefault(touch[0], set()).add(touch)
    return found


def check(kernel: ExploredKernel, found: Mapping[str, Any], trace: Trace) -> None:
    """Compare what the page computes for a call with what the interpreter touched."""
    assert found["refusals"] == []
    assert not found["cut"]
    ours = by_tensor(tuple(row) for row in found["rows"])
    told = {one.name for one in kernel.tensors if not one.left_out}
    wanted = by_tensor(traced(trace, told))
    for tensor in kernel.tensors:
        own, touched = (rows.get(tensor.name, set()) for rows in (ours, wanted))
        if any(use.conditional for use in tensor.uses):
            # Conditions are known at run time only.
            assert touched <= own
        else:
            assert own == touched
    touching = {(name, row[2]) for name, rows in ours.items() for row in rows}
    for name, program, lanes, inside in found["lanes"]:
        assert 0 <= inside <= lanes
        assert (inside > 0) == ((name, program) in touching)


def shapes_of(definition: Definition, values: Sequence[Argument]) -> dict[str, tuple[int, ...]]:
    """The shapes of a call's tensors by name."""
    found: dict[str, tuple[int, ...]] = {}
    for parameter, value in zip(definition.parameters, values, strict=True):
        if parameter.kind == "tensor":
            assert not isinstance(value, int | float)
            found[parameter.name] = tuple(value.shape)
    return found


def calls_of(
    definition: Definition, constants: Mapping[str, Any]
) -> Iterator[tuple[list[Argument], dict[str, int]]]:
    """Calls of a kernel with contiguous tensors: the arguments, and the block sizes."""
    with collect_warnings():
        signature, module = fitted(
            definition, {}, constants, lambda one: (one, build(definition, one))
        )
        rounded, config = pick(definition, module, signature, constants)
    for sample in Sampler(definition, rounded, module, config).samples():
        dense = replace(sample, layouts=tuple(LAYOUTS[0] for _ in sample.layouts))
        values = dense.values(definition, rounded)
        for value in values:
            if isinstance(value, torch.Tensor) and not value.is_floating_point():
                # What may be an index is a valid one.
                value.zero_()
        yield values, dict(sample.blocks)


@needs_node
@pytest.mark.parametrize("example", KERNELS, ids=str)
def test_the_core_touches_what_the_interpreter_touches(example: ExampleKernel) -> None:
    definition, constants = example.kernel.definition, options(example)
    # One process of node for all: to start it takes longer than most kernels do in it.
    calls: list[tuple[str, dict[str, tuple[int, ...]], dict[str, int]]] = []
    runs: list[tuple[ExploredKernel, Trace]] = []
    for values, blocks in calls_of(definition, constants):
        shapes = shapes_of(definition, values)
        given, module = given_sizes(definition, {}, {**constants, **shapes, **blocks})
        kernel = explored_kernel(nt.kernel_of(module), definition.name)
        left_out = {one.name: one.left_out for one in kernel.tensors if one.left_out}
        assert left_out == LEFT_OUT.get(str(example), {})
        trace = Trace()
        try:
            interpret(module, values, {**given.constants, **given.fixed, **blocks}, trace)
        except AssertionFailedError:
            # No index is valid in a tensor without elements.
            continue
        calls.append((kernel_script(kernel, given), shapes, blocks))
        runs.append((kernel, trace))
        if len(runs) == SAMPLES:
            break
    assert len(runs) == SAMPLES
    for (kernel, trace), found in zip(runs, all_touched_by(calls), strict=True):
        check(kernel, found, trace)


@needs_node
@pytest.mark.parametrize("example", CALLS, ids=str)
def test_calls_of_examples(example: ExampleCall, monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernels that an example's function calls, on tensors of its sizes."""
    calls: list[tuple[Definition, Arguments, list[Argument]]] = []
    run = KernelCompiler.interpret

    def record(compiler: KernelCompiler, arguments: Arguments) -> None:
        values = [
            one.contiguous() if isinstance(one, torch.Tensor) else one
            for one in copied(arguments.values)
        ]
        calls.append((compiler.definition, arguments, values))
        run(compiler, arguments)

    monkeypatch.setattr(KernelCompiler, "interpret", record)
    example.called(*example.arguments("cpu", 1))
    assert calls
    asked: list[tuple[str, dict[str, tuple[int, ...]], Mapping[str, int]]] = []
    runs: list[tuple[ExploredKernel, Trace]] = []
    for definition, arguments, values in calls:
        params, constants = arguments.signature.params, dict(arguments.signature.constants)
        named = {definition.keywords[name]: constants[name] for name in definition.constexprs}
        fixed = {param.name: param.value for param in params if param.kind == "constexpr"}
        dtypes = {param.name: param.dtype for param in params if param.kind != "constexpr"}
        shapes = shapes_of(definition, values)
        given, module = given_sizes(definition, dtypes, {**named, **fixed, **shapes})
        kernel = explored_kernel(nt.kernel_of(module), definition.name)
        trace = Trace()
        interpret(module, values, {**given.constants, **given.fixed, **given.blocks}, trace)
        asked.append((kernel_script(kernel, given), shapes, given.blocks))
        runs.append((kernel, trace))
    for (kernel, trace), found in zip(runs, all_touched_by(asked), strict=True):
        check(kernel, found, trace)


def arrange_sums(x: Tensor, y: Tensor) -> tuple[Tensor, ...]:
    y = y.tile((4,))
    return x.tile((4,)).tile((-1,)).expand((y.shape[0],)), y


def sums_of_behind(x: Any, y: Any) -> None:
    total = ntl.zeros((4,), dtype=ntl.float32)
    for k in range((y.offsets(0)[0] + 5) // 4):
        total += x[k]
    y = total  # pyright: ignore[reportUnusedVariable]


def sums_of_before(x: Any, y: Any) -> None:
    total = ntl.zeros((4,), dtype=ntl.float32)
    for k in range((y.offsets(0)[0] - 5) // 4):
        total += x[k]
    y = total  # pyright: ignore[reportUnusedVariable]


def test_a_quotient_of_what_may_be_negative_is_no_index_expression() -> None:
    """It is rounded towards zero, as Triton does, and index expressions are rounded down."""
    for application, left_out in ((sums_of_behind, ""), (sums_of_before, COMPUTED)):
        made = ninetoothed.make(arrange_sums, application, (Tensor(1, other=0), Tensor(1)))
        _, module = given_sizes(made.definition, {}, {"x": (16,), "y": (16,)})
        kernel = explored_kernel(nt.kernel_of(module), "sums")
        assert [one.left_out for one in kernel.tensors] == [left_out, ""]


BLOCK = Symbol("BLOCK", meta=True, lower_bound=4, upper_bound=64)


def compared(kernel: Kernel, **given: Any) -> tuple[str, Given]:
    """The script of a kernel, which touches what the interpreter does, and what it begins with."""
    sizes, module = given_sizes(kernel.definition, {}, given)
    explored = explored_kernel(nt.kernel_of(module), kernel.definition.name)
    values = [torch.zeros(sizes.shapes[one.name]) for one in explored.tensors]
    trace = Trace()
    interpret(module, values, {**sizes.constants, **sizes.fixed, **sizes.blocks}, trace)
    script = kernel_script(explored, sizes)
    (found,) = all_touched(script, [(sizes.shapes, sizes.blocks)])
    check(explored, found, trace)
    return script, sizes


def refused(script: str, shapes: Mapping[str, Sequence[int]], **blocks: int) -> list[str]:
    """What other sizes are refused for."""
    (found,) = all_touched(script, [(shapes, blocks)])
    return [one["text"] for one in found["refusals"]]


def arrange_rows(x: Tensor, y: Tensor) -> tuple[Tensor, ...]:
    return x.tile((1, 4)), y.tile((1, 4))


def arrange_blocks(x: Tensor, y: Tensor) -> tuple[Tensor, ...]:
    return x.tile((BLOCK,)), y.tile((BLOCK,))


def arrange_columns(x: Tensor, y: Tensor) -> tuple[Tensor, ...]:
    columns: Any = x.tile((BLOCK, 1)).tile((1, -1)).squeeze(1)
    columns.dtype = columns.dtype.squeeze(0)
    columns.dtype.dtype = columns.dtype.dtype.squeeze(1)
    return columns, y.tile((BLOCK,))


def copied_rows(x: Any, y: Any) -> None:
    y = x  # pyright: ignore[reportUnusedVariable]


def doubled_if_large(x: Any, y: Any) -> None:
    y = x * 2 if x.shape[0] > 8 else x  # pyright: ignore[reportUnusedVariable]


def unrolled(x: Any, y: Any) -> None:
    total = x[0]
    for i in ntl.static_range(1, x.shape[0]):
        total += x[i]
    y = total  # pyright: ignore[reportUnusedVariable]


@needs_node
def test_outermost_levels_of_other_counts() -> None:
    kernel = ninetoothed.make(arrange_rows, copied_rows, (Tensor(2), Tensor(2)))
    script, _ = compared(kernel, x=(3, 8), y=(1, 16))
    # Not all elements of y have a program.
    assert "y" in refused(script, {"x": (1, 8), "y": (9, 16)})[0]


@needs_node
def test_a_block_size_that_the_application_is_specialized_on() -> None:
    kernel = ninetoothed.make(arrange_blocks, doubled_if_large, (Tensor(1), Tensor(1)))
    script, sizes = compared(kernel, x=(30,), y=(30,), BLOCK=16)
    assert refused(script, sizes.shapes, BLOCK=16) == []
    assert refused(script, sizes.shapes, BLOCK=8) == [
        "the application is specialized on BLOCK=16; write another page for 8"
    ]


@needs_node
def test_a_size_that_the_kernel_is_compiled_for() -> None:
    x = Tensor(2, shape_options=({}, {"constexpr": True}))
    kernel = ninetoothed.make(arrange_columns, unrolled, (x, Tensor(1)))
    script, sizes = compared(kernel, x=(10, 3), y=(10,))
    assert sizes.fixed == {"x_size_1": 3}
    assert refused(script, {"x": (9, 3), "y": (9,)}, BLOCK=8) == []
    assert refused(script, {"x": (10, 4), "y": (10,)}, BLOCK=4) == [
        "x_size_1 is 4, but the kernel is compiled for 3; write another page"
    ]
