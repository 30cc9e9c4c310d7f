"""Named operators under ``torch.func.vmap``, where calls are made one by one, or refused."""

# pyright: reportUnusedVariable=false, reportUnknownParameterType=false, reportMissingParameterType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownLambdaType=false
# pyright: reportFunctionMemberAccess=false, reportPrivateUsage=false
# Kernels are written in the language, whose parameters have no types.

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import pytest
import torch
from torch.func import vmap

import ninetoothed
import ninetoothed.language as ntl
from examples.add import add_kernel
from ninetoothed import Tensor, VmapWarning
from ninetoothed.calls import arguments
from ninetoothed.errors import ArgumentError
from tests.support.batched_calls import drawn, made, operator, single_calls


def product(x, y, z):
    z = x * y


def refused(function: Any, in_dims: Sequence[int | None], *args: Any) -> str:
    """The reason why vmap makes single calls, once, and that its results are theirs."""
    with pytest.warns(VmapWarning) as raised:
        found = vmap(function, in_dims=tuple(in_dims))(*args)
    (warning,) = [one.message for one in raised if isinstance(one.message, VmapWarning)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = single_calls(function, in_dims, *args)
    assert torch.equal(found, expected)
    with warnings.catch_warnings():
        warnings.simplefilter("error", VmapWarning)
        assert torch.equal(vmap(function, in_dims=tuple(in_dims))(*args), expected)
    prefix = (
        f"torch.func.vmap calls {function._schema.name} for each index of the batch, and not once: "
    )
    assert warning.message.startswith(prefix)
    return warning.message.removeprefix(prefix)


def test_programs_that_write_one_element() -> None:
    def all_to_one(x, y):
        return x.tile((4,)), y.tile((-1,)).expand((x.tile((4,)).shape[0],))

    def total(x, y):
        y = ntl.sum(x)

    with pytest.warns(ninetoothed.RaceWarning):
        kernel = made(total, all_to_one)
    tested = operator(kernel, outputs={"y": lambda x: (1,)})
    assert refused(tested, (0,), torch.ones(3, 8)).startswith("two programs write one element of y")


def test_levels_that_do_not_agree() -> None:
    def rows(x, y, z):
        return x.tile((1, -1)), y.tile((1, -1)), z.tile((1, -1))

    def first_plus(x, y, z):
        z = x + y

    tested = operator(made(first_plus, rows, 2), outputs={"z": "x"})
    x, y = drawn(2, 3, 8), drawn(2, 2, 8)
    with pytest.warns(ninetoothed.AgreementWarning):
        message = refused(tested, (0, 0), x, y)
    assert "another number of elements than there are programs" in message
    # With other sizes they do.
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert torch.equal(vmap(tested)(x, x), 2 * x)


def test_gradients_that_are_lost(launches: list[str]) -> None:
    tested = operator(made(product), outputs={"z": "x"})
    x = drawn(2, 8).requires_grad_()
    with pytest.warns(ninetoothed.GradientWarning):
        message = refused(tested, (0, 0), x, x.detach())
    assert message.startswith("x requires gradients, and none flow through a kernel")
    launches.clear()
    vmap(tested)(x.detach(), x.detach())
    assert launches == ["product_vmap"]


def test_backward_that_is_a_function() -> None:
    def backward(ctx: Any, gradient: torch.Tensor) -> Any:
        return gradient, gradient

    add = operator(add_kernel, outputs={"output": "lhs"}, backward=backward)
    x = drawn(2, 8)
    assert refused(add, (0, 0), x.requires_grad_(), x) == (
        "its backward is a function, for the gradients of one call; a kernel as backward takes a "
        "batch"
    )


def test_shapes_that_depend_on_data() -> None:
    def prefix(x, count, y):
        y = x

    def arrangement(x, count, y):
        return x.tile((1,)), count.tile((1,)), y.tile((1,))

    tested = operator(made(prefix, arrangement), outputs={"y": lambda count: (int(count.sum()),)})
    x, count = drawn(2, 4), torch.ones(2, 4)
    assert refused(tested, (0, 0), x, count) == (
        "the function of y does not tell a shape of tensors without data: RuntimeError"
    )
    assert vmap(tested, in_dims=(0, None))(x, count[0]).shape == (2, 4)


def test_memory_of_what_is_written(launches: list[str]) -> None:
    add = operator(add_kernel)
    x, output = drawn(3, 8), torch.zeros(4, 8)
    # A call reads what an earlier one wrote.
    with pytest.warns(VmapWarning, match="output is written, and shares memory with rhs"):
        vmap(add, out_dims=None)(x, output[:3], output[1:])
    torch.testing.assert_close(output[1:], x.cumsum(0))
    with pytest.warns(VmapWarning, match="output is written, and shares memory with lhs"):
        vmap(add, in_dims=(None, 0, 0), out_dims=None)(output[1], x, output[1:])
    one = torch.zeros(8)
    with pytest.warns(VmapWarning, match="several of its indices are one place in memory"):
        vmap(add, out_dims=None)(x, x, one.expand(3, 8))
    assert torch.equal(one, x[2] * 2)


def test_integers_of_single_calls() -> None:
    def offsets(x, y):
        y = ntl.cast(x.offsets(0), ntl.float32)

    tested = operator(made(offsets), outputs={"y": "x"})
    # Most of the memory is never touched.
    x = torch.empty_strided((2, 4), (2**31, 1), dtype=torch.int8)
    assert refused(tested, (0,), x) == (
        "its offsets do not fit 32 bits, which the integers of a single call may have"
    )


def test_integers_of_mutated_tensors(monkeypatch: pytest.MonkeyPatch, launches: list[str]) -> None:
    monkeypatch.setattr(arguments, "NARROW", 64)
    tested = operator(made(product))
    with pytest.warns(VmapWarning, match="its offsets do not fit 32 bits"):
        vmap(tested, out_dims=None)(*drawn(3, 2, 40))
    assert launches == ["product"] * 2


def test_memory_of_one_layout_that_is_mapped_over_once() -> None:
    def arrangement(y, x):
        return y.tile((4,)), x

    def with_second(y, x):
        y = y + x.source[1, y.offsets(0)]

    kernel = ninetoothed.make(arrangement, with_second, (Tensor(1), Tensor(2)))
    tested = operator(kernel)
    x = torch.ones(3, 8)
    # The third call reads what the second one wrote.
    with pytest.warns(VmapWarning, match="y is written, and shares memory with x"):
        vmap(tested, in_dims=(0, None), out_dims=None)(x, x)
    assert x[:, 0].tolist() == [2, 2, 3]


def test_integers_of_outputs(monkeypatch: pytest.MonkeyPatch) -> None:
    def arrangement(x, y):
        return x.tile((1,)), y.tile((5,))

    def repeated(x, y):
        y = x + y.offsets()

    monkeypatch.setattr(arguments, "NARROW", 64)
    tested = operator(made(repeated, arrangement), outputs=lambda x: (x.shape[0] * 5,))
    reason = "its offsets do not fit 32 bits, which the integers of a single call may have"
    # Its inputs fit, and so do the outputs of a call.
    assert refused(tested, (0,), drawn(2, 8)) == reason


@pytest.mark.parametrize("kind", ["cpu", "meta"])
def test_wrong_calls_of_the_operator_of_batches(kind: str) -> None:
    tested = operator(add_kernel, outputs={"output": "lhs"})
    name = f"{tested._schema.name}_vmap"
    batched = getattr(torch.ops.batches, name.split("::")[1])
    x = torch.ones(3, 8, device=kind)
    # One more index of rhs would be left out, or be missing.
    for other in (torch.ones(4, 8, device=kind), torch.ones(2, 8, device=kind)):
        with pytest.raises(ArgumentError) as raised:
            batched("lhs,rhs", x, other)
        assert raised.value.message == (
            f"{name}: the first dims of lhs and rhs are that of the batch, and rhs has the shape "
            f"{tuple(other.shape)}, where lhs has (3, 8)"
        )
    with pytest.raises(ArgumentError, match=r"lhs has the shape \(\)"):
        batched("lhs", x.new_ones(()), x)
    for text, wrong in (("x", "x"), ("", ""), ("lhs;", ""), ("output", "output")):
        with pytest.raises(ArgumentError) as raised:
            batched(text, x, x)
        assert raised.value.message == (
            f"{name}: batched is {text!r}, and {wrong!r} is none of the tensors lhs, rhs; give the "
            "names of those that are mapped over, as in 'x,y', and of nested batches the innermost "
            "first, as in 'x,y;x'"
        )


def test_names_that_are_taken() -> None:
    ninetoothed.operator("batches::taken_vmap", add_kernel)
    with pytest.raises(ArgumentError) as raised:
        ninetoothed.operator("batches::taken", add_kernel)
    assert raised.value.message == (
        "batches::taken_vmap, the operator of torch.func.vmap over it, is registered already; "
        "choose another name"
    )
