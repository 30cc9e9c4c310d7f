"""Outputs that calls allocate: what decides their shapes, and what is wrong with them."""

# pyright: reportUnusedVariable=false, reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false, reportPrivateUsage=false

from __future__ import annotations

from typing import Any

import pytest

import ninetoothed
from ninetoothed import Symbol, Tensor
from ninetoothed.definition.define import define, run_arrangement
from ninetoothed.definition.definition import Definition
from ninetoothed.definition.outputs import resolve
from ninetoothed.errors import ArgumentError
from tests.support.example_kernels import KERNELS
from tests.support.imports import ROOT

BLOCK = Symbol("BLOCK", constexpr=True)

DERIVED = {
    "add": ("output",),
    "addmm": ("output",),
    "argmax": ("output",),
    "attention-attention_kernel-is_causal=True": ("output", "logsumexp"),
    "attention-delta_kernel": ("delta",),
    "attention-key_value_kernel-is_causal=True": ("key_gradient", "value_gradient"),
    "attention-query_kernel-is_causal=True": ("query_gradient",),
    "bmm": ("output",),
    "causal_conv1d": ("output",),
    "cross_entropy-backward_kernel": ("input_gradient",),
    "cross_entropy-forward_kernel": ("logsumexp", "loss"),
    "dropout": ("output",),
    "fp8_matmul": ("output",),
    "fused_linear": ("output",),
    "int8_matmul": ("output",),
    "layer_norm-layer_norm_kernel": ("output",),
    "layer_norm-layer_norm_training_kernel": ("output",),
    "matmul": ("output",),
    "paged_attention": ("output",),
    "rms_norm-add_rms_norm_kernel": ("output", "summed"),
    "rms_norm-add_rms_norm_training_kernel": ("output", "summed"),
    "rms_norm-rms_norm_kernel": ("output",),
    "rms_norm-rms_norm_training_kernel": ("output",),
    "rms_norm-sums_kernel": ("sums",),
    "silu": ("output",),
    "sliding_window_attention-is_capped=True": ("output",),
    "softmax": ("output",),
    "swiglu-swiglu_backward_kernel": ("gate_gradient", "up_gradient"),
    "swiglu-swiglu_kernel": ("output",),
    "varlen_attention-is_causal=True": ("output",),
    "w4a16_matmul": ("output",),
}
"""Outputs of the examples' kernels whose shapes are derived."""

BACKWARD = {
    "layer_norm-layer_norm_backward_kernel": ("weight_partial", "bias_partial"),
    "rms_norm-add_rms_norm_backward_kernel": ("weight_partial",),
    "rms_norm-rms_norm_backward_kernel": ("weight_partial",),
}
"""Sums of a backward pass, by example: calls choose how many programs there are, and so how many
sums. Where the first is given, or said by a function, the shapes of all else are derived.
"""

UNDECIDED = {
    "avg_pool2d-make_kernel((3, 3), (2, 2), (1, 1), True, False)": "dim 0 of output",
    "conv2d-make_kernel((1, 1), (1, 1), (1, 1))": "dim 0 of output",
    "depthwise_conv2d-make_kernel((1, 1), (1, 1), (1, 1))": "dim 2 of output",
    # It may have fewer columns than the input, which are the first sums.
    "cumsum": "dim 1 of output",
    "embedding-embedding_backward_kernel": "dim 0 of weight_gradient",
    "embedding-embedding_kernel": "dim 1 of output",
    "grouped_matmul": "the sequences of output",
    "jagged_attention-is_causal=True": "the sequences of output",
    "jagged_padding": "the sequences of output",
    "max_pool2d-make_kernel((3, 3), (2, 2), (1, 1), True)": "dim 0 of output",
    # What is rotated are two halves: a column more may be left over.
    "rotary_embedding": "dim 3 of output",
    # Of the 8 largest elements, it may have room for fewer.
    "topk-topk_kernel(8)": "dim 1 of values",
    "topk-merge_kernel(8)": "dim 1 of values",
    # Nor need the last chunk have all keys.
    "topk-chunks_kernel(8, 4096)": "dim 1 of keys",
}
"""What nothing decides of the others, whose outputs are like an input, or need a function."""


def rows(x: Any, y: Any, z: Any) -> Any:
    return x.tile((1, -1)), y.tile((1, -1)), z.tile((1, -1))


def vectors(x: Any, y: Any, z: Any) -> Any:
    return tuple(one.tile((BLOCK,)) for one in (x, y, z))


def application(x: Any, y: Any, z: Any) -> Any:
    z = x + y


def definition(arrangement: Any = vectors, ndim: int = 1, **options: Any) -> Definition:
    tensors = (Tensor(ndim), Tensor(ndim), Tensor(ndim, **options))
    arranged = run_arrangement(arrangement, tensors)
    return define(None, arranged.tensors, application, decisions=arranged.decisions)


def refused(given: Any, known: Definition | None = None, equal_sizes: Any = ()) -> str:
    with pytest.raises(ArgumentError) as raised:
        resolve(known or definition(), given, equal_sizes)
    return raised.value.message


@pytest.mark.parametrize("example", KERNELS, ids=str)
def test_examples(example: Any) -> None:
    known = example.kernel.definition
    equal_sizes = example.kernel._compilation.equal_sizes
    name = str(example)
    if name in DERIVED:
        found = resolve(known, DERIVED[name], equal_sizes)
        assert all(output.shape is not None for output in found.each)
    elif name in BACKWARD:
        first, *others = BACKWARD[name]
        message = refused(("input_gradient", first, *others), known, equal_sizes)
        assert message.startswith("outputs: nothing decides dim 0 of weight_partial, ")
        derived = ("input_gradient", *others)
        by_function = {first: lambda gradient: (1, gradient.shape[1]), **dict.fromkeys(derived)}
        for given in (derived, by_function):
            found = resolve(known, given, equal_sizes)
            assert {one.name for one in found.each if one.shape is not None} == {*derived}
    else:
        first = UNDECIDED[name].split(" of ")[1]
        message = refused((first,), known, equal_sizes)
        assert message.startswith(f"outputs: nothing decides {UNDECIDED[name]}")


def test_numbers_of_examples() -> None:
    text = " ".join((ROOT / "docs" / "pytorch.md").read_text(encoding="utf-8").split())
    assert (
        f"Of the examples' {len(KERNELS)} kernels, all outputs of {len(DERIVED)} are derived, and "
        f"of {len(BACKWARD)} more all but the partial sums"
    ) in text


def test_shape_of_the_first_input_that_decides() -> None:
    (output,) = resolve(definition(), ["z"]).each
    assert (output.name, output.position, output.shape) == ("z", 2, ("s0",))


def test_sizes_that_programs_agree_on() -> None:
    found = resolve(definition(), ("z",))
    assert found.sizes == ((0, 0), (1, 0))
    assert found.conditions == (("s0", "s1"),)


def test_like_an_input() -> None:
    (output,) = resolve(definition(rows, 2), {"z": "y"}).each
    assert (output.like, output.shape) == (1, None)


def test_function_of_inputs_and_symbols() -> None:
    (output,) = resolve(definition(), {"z": lambda y, BLOCK: (BLOCK,)}).each
    assert output.takes == ("y", "BLOCK")


def test_function_alone() -> None:
    found = resolve(definition(), lambda x: (x.shape, x.shape))
    assert [output.name for output in found.each] == ["y", "z"]
    assert found.is_shared


def test_undecided_shape() -> None:
    assert refused(("z",), definition(rows, 2)) == (
        "outputs: nothing decides dim 1 of z, whose size follows neither from outermost levels nor "
        "from sizes that calls check to be equal; write outputs={'z': 'x'} if it is like x, or "
        "outputs={'z': lambda x, y: (…, …)} with its shape"
    )


def test_shape_that_checks_decide() -> None:
    found = resolve(
        definition(rows, 2), ("z",), [("x_size_1", "y_size_1"), ("y_size_1", "z_size_1")]
    )
    assert [found.sizes[int(one[1:])] for one in found.each[0].shape or ()] == [(0, 0), (1, 1)]
    assert found.needs_checks
    assert not resolve(definition(), ("z",), [("x_size_0", "z_size_0")]).needs_checks


def test_shape_that_calls_may_decide() -> None:
    found = resolve(definition(rows, 2), ("z",), None)
    assert found.each[0].shape is None
    assert found.needs_checks


def test_shape_that_another_outputs_function_decides() -> None:
    found = resolve(
        definition(rows, 2), {"z": None, "y": lambda x: x.shape}, [("y_size_1", "z_size_1")]
    )
    assert [found.sizes[int(one[1:])] for one in found.each[0].shape or ()] == [(0, 0), (1, 1)]
    assert found.needs_checks


def test_products_decide_nothing() -> None:
    def flattened(x: Any, y: Any, z: Any) -> Any:
        return tuple(one.flatten().tile((64,)) for one in (x, y, z))

    assert refused(("z",), definition(flattened, 2)).startswith("outputs: nothing decides dim 0")


def test_jagged_output() -> None:
    def padded(x: Any, y: Any, z: Any) -> Any:
        return tuple(one.tile((1, 64)) for one in (x, y, z))

    known = definition(padded, 2, jagged_dim=1)
    assert refused(("z",), known) == (
        "outputs: nothing decides the sequences of z, which is jagged; leave outputs out, and pass "
        "a tensor to write into"
    )
    assert refused({"z": "x"}, known) == (
        "outputs: z has 2 dims, dim 1 jagged, and x, which it is to be like, has 2 dims; give it a "
        "function of the inputs that returns its shape"
    )
    assert refused({"z": lambda x: x.shape}, known) == (
        "outputs: no shape tells the sequences of z, which is jagged; name a jagged input that it "
        "is like, or leave outputs out, and pass a tensor to write into"
    )


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (("w",), "outputs: 'w' is no tensor of application; tensors are x, y, z"),
        (("z", "z"), "outputs: z is named twice; name it once"),
        ((1,), "outputs: 1 is no tensor of application; tensors are x, y, z"),
        (
            "z",
            "outputs must be a tuple of parameters' names, a dict of them, or a function, not "
            "'z'; write for example outputs=('z',)",
        ),
        (
            (),
            "outputs must be a tuple of parameters' names, a dict of them, or a function, not (); "
            "write for example outputs=('z',)",
        ),
        (
            3,
            "outputs must be a tuple of parameters' names, a dict of them, or a function, not 3; "
            "write for example outputs=('z',)",
        ),
        (
            ("x", "y", "z"),
            "outputs: application has no tensor besides x, y, z, so that nothing says where to "
            "allocate; leave outputs out, and pass a tensor to write into",
        ),
        (
            {"z": 64},
            "outputs: z must be given the name of an input, a function of the inputs, or None, not "
            "64; for a shape that is always the same, write outputs={'z': lambda: (64, 64)}",
        ),
        (
            {"z": "w"},
            "outputs: z is to be like w, which is no input of application that is a tensor; inputs "
            "are x, y",
        ),
        (
            {"z": "z"},
            "outputs: z is to be like z, which is no input of application that is a tensor; inputs "
            "are x, y",
        ),
        (
            {"z": lambda w: w.shape},
            "outputs: z: the function takes w, which is no input that a call gives; it is given by "
            "name what it takes of x, y, BLOCK",
        ),
        (
            lambda *tensors: tensors[0].shape,
            "outputs: the function takes *tensors, which is no input that a call gives; it is "
            "given by name what it takes of x, y, z, BLOCK",
        ),
        (
            lambda x, y, z: x.shape,
            "outputs: the function takes every tensor, so that no output is left; a tensor is an "
            "output if the function does not take it",
        ),
    ],
)
def test_refused(given: Any, message: str) -> None:
    assert refused(given) == message


def test_input_named_out() -> None:
    def arrangement(out: Any, z: Any) -> Any:
        return out.tile((64,)), z.tile((64,))

    def doubled(out: Any, z: Any) -> Any:
        z = out * 2

    with pytest.raises(ArgumentError) as raised:
        ninetoothed.make(arrangement, doubled, (Tensor(1), Tensor(1)), outputs=("z",))
    assert raised.value.message == (
        "outputs: a call takes tensors to write into as out=, and out is a parameter or a symbol "
        "of the kernel; rename it"
    )


def test_other_number_of_dims() -> None:
    known = define(
        None,
        run_arrangement(
            lambda x, z: (x.tile((1, -1)), z.tile((1,))[:, None]), (Tensor(2), Tensor(1))
        ).tensors,
        doubled,
    )
    assert refused({"z": "x"}, known) == (
        "outputs: z has 1 dim, and x, which it is to be like, has 2 dims; give it a function of "
        "the inputs that returns its shape"
    )


def doubled(x: Any, z: Any) -> Any:
    z = x * 2
