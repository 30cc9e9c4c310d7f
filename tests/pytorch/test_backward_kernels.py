"""Kernels as the backward of named operators."""

# pyright: reportUnusedVariable=false, reportUnknownParameterType=false, reportMissingParameterType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownLambdaType=false
# pyright: reportPrivateUsage=false
# Kernels are written in the language, whose parameters have no types.

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.tensor import DTensor, Shard

import ninetoothed
import ninetoothed.language as ntl
from ninetoothed import Symbol, Tensor
from ninetoothed.errors import ArgumentError
from tests.pytorch.test_named_operators import drawn, in_blocks
from tests.support.mesh_ranks import MeshRanks, close, placed

BLOCK = Symbol("BLOCK", constexpr=True)


def kernel(application: Callable[..., Any], count: int, **options: Any) -> Any:
    """A kernel of so many vectors."""
    tensors = tuple(Tensor(1) for _ in range(count))
    return ninetoothed.make(in_blocks, application, tensors, **options)


def registered(name: str, forward: Any, outputs: Any, backward: Any) -> Callable[..., Any]:
    """An operator of a test, which may run for several devices."""
    found = getattr(torch.ops.tests, name, None)
    if found is not None:
        return found
    return ninetoothed.operator(f"tests::{name}", forward, outputs=outputs, backward=backward)


def product(x, y, z):
    z = x * y


def product_gradients(z_gradient, y, x, x_gradient, y_gradient):
    x_gradient = z_gradient * y
    y_gradient = z_gradient * x


product_kernel = kernel(product, 3)
multiply: Any = ninetoothed.operator(
    "tests::wired_product",
    product_kernel,
    outputs={"z": "x"},
    backward=kernel(product_gradients, 5),
)


def gradient_of_x(z_gradient, y, x_gradient):
    x_gradient = z_gradient * y


multiply_by: Any = ninetoothed.operator(
    "tests::wired_product_by",
    product_kernel,
    outputs={"z": "x"},
    # Its own rule counts only where it is called.
    backward=kernel(gradient_of_x, 3, outputs={"x_gradient": "y"}),
)
"""No gradient flows to y, and the gradient of x does not need x."""


def pair(device: str) -> tuple[torch.Tensor, torch.Tensor]:
    x, y = drawn(2, 9, device=device)
    return x.clone().requires_grad_(), y.clone().requires_grad_()


def test_gradients(device: str) -> None:
    x, y = pair(device)
    assert torch.autograd.gradcheck(multiply, (x, y))
    assert torch.autograd.gradcheck(lambda x: multiply_by(x, y.detach()), (x,))


def test_opcheck(device: str) -> None:
    x, y = pair(device)
    torch.library.opcheck(multiply, (x, y))
    torch.library.opcheck(multiply_by, (x, y.detach()))
    x, y = x.detach(), y.detach()
    torch.library.opcheck(torch.ops.tests.wired_product_backward.default, (x, x, y))
    torch.library.opcheck(torch.ops.tests.wired_product_by_backward.default, (x, y, x))


def test_operator_of_the_backward_kernel() -> None:
    assert str(torch.ops.tests.wired_product_by_backward.default._schema) == (  # pyright: ignore[reportFunctionMemberAccess]
        "tests::wired_product_by_backward(Tensor z_gradient, Tensor y, Tensor x) -> Tensor"
    )


@pytest.mark.parametrize("dynamic", [False, True])
def test_gradients_of_a_whole_graph(dynamic: bool, device: str) -> None:
    x, y = pair(device)

    def f(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return multiply(x * 2, y) + multiply_by(x, y.detach())

    compiled = torch.compile(f, fullgraph=True, dynamic=dynamic)
    found = torch.autograd.grad(compiled(x, y).sum(), (x, y))
    torch.testing.assert_close(found, (3 * y, 2 * x))


TRANSFORMS: dict[str, Callable[[torch.Tensor, torch.Tensor], torch.Tensor]] = {
    "grad": lambda x, y: torch.func.grad(lambda x: multiply_by(x, y).sum())(x),
    "vmap of grad": lambda x, y: torch.func.vmap(
        torch.func.grad(lambda x, y: multiply_by(x, y).sum())
    )(x[None], y[None])[0],
    "grad of vmap": lambda x, y: torch.func.grad(
        lambda x: torch.func.vmap(multiply_by)(x[None], y[None]).sum()
    )(x),
}


@pytest.mark.parametrize("transform", TRANSFORMS.values(), ids=TRANSFORMS)
def test_transforms(
    transform: Callable[[torch.Tensor, torch.Tensor], torch.Tensor], device: str
) -> None:
    x, y = drawn(2, 9, device=device)
    torch.testing.assert_close(transform(x, y), y)


def test_gradients_of_any_strides(device: str) -> None:
    x, y = pair(device)
    z = multiply(x, y)
    for gradient in (z.new_ones(()).expand(9), drawn(18, device=device)[::2]):
        found = torch.autograd.grad(z, (x, y), gradient, retain_graph=True)
        torch.testing.assert_close(found, (gradient * y, gradient * x))


def test_gradients_have_the_element_type_of_inputs(device: str) -> None:
    def arrangement(z_gradient, y, x_gradient):
        return in_blocks(z_gradient, y, x_gradient)

    tensors = (Tensor(1), Tensor(1), Tensor(1, dtype=ninetoothed.float32))
    backward = ninetoothed.make(arrangement, gradient_of_x, tensors)
    operator: Any = registered("wired_declared", product_kernel, {"z": "x"}, backward)
    x, y = (one.detach().half() for one in pair(device))
    (found,) = torch.autograd.grad(operator(x.requires_grad_(), y).sum(), x)
    assert found.dtype == torch.float16
    assert torch.equal(found, y)
    assert torch.ops.tests.wired_declared_backward(x, y, x).dtype == torch.float32


def both(x, total, twice):
    total = x + x
    twice = x * x


def both_gradients(total_gradient, twice_gradient, x, x_gradient):
    x_gradient = total_gradient * 2 + twice_gradient * x * 2


def total_gradients(total_gradient, x_gradient):
    x_gradient = total_gradient * 2


def test_a_result_that_is_not_used_has_gradients_of_zero(device: str) -> None:
    outputs = ("total", "twice")
    operator = registered("wired_both", kernel(both, 3), outputs, kernel(both_gradients, 4))
    x, _ = pair(device)
    assert torch.autograd.gradcheck(operator, (x,))
    for place, expected in enumerate((torch.full_like(x, 2), 2 * x)):
        (found,) = torch.autograd.grad(operator(x)[place].sum(), x)
        torch.testing.assert_close(found, expected)


def test_a_result_whose_gradient_is_not_taken_is_not_differentiable(device: str) -> None:
    outputs = ("total", "twice")
    operator = registered("wired_total", kernel(both, 3), outputs, kernel(total_gradients, 2))
    x, _ = pair(device)
    total, twice = operator(x)
    assert (total.requires_grad, twice.requires_grad) == (True, False)
    (found,) = torch.autograd.grad(total.sum(), x)
    torch.testing.assert_close(found, torch.full_like(x, 2))


def exponential(x, factor, out, SHIFT):
    out = ntl.exp(x * factor + SHIFT)


def exponential_gradients(out_gradient, out, factor, x_gradient, SHIFT):
    x_gradient = out_gradient * out * factor


def test_saved_results_numbers_and_symbols(device: str) -> None:
    def forward(x, factor, out, SHIFT):
        return x.tile((BLOCK,)), factor, out.tile((BLOCK,)), SHIFT

    def backward(out_gradient, out, factor, x_gradient, SHIFT):
        tiled = (one.tile((BLOCK,)) for one in (out_gradient, out, x_gradient))
        out_gradient, out, x_gradient = tiled
        return out_gradient, out, factor, x_gradient, SHIFT

    shift = Tensor(0, constexpr=True, value=1)
    operator: Any = registered(
        "wired_exponential",
        ninetoothed.make(forward, exponential, (Tensor(1), Tensor(0), Tensor(1), shift)),
        {"out": "x"},
        ninetoothed.make(
            backward,
            exponential_gradients,
            (Tensor(1), Tensor(1), Tensor(0), Tensor(1), Tensor(0, constexpr=True)),
        ),
    )
    x, _ = pair(device)
    assert torch.autograd.gradcheck(lambda x: operator(x, 0.5, BLOCK=64), (x,))
    assert torch.autograd.gradcheck(lambda x: operator(x, 0.5, 64, 2), (x,))


def copied(x, z):
    z = x


def copied_gradients(z_gradient, x_gradient):
    x_gradient = z_gradient


def every_other(*tensors):
    return tuple(tensor.tile((64,), strides=(128,)) for tensor in tensors)


def test_gradients_that_are_not_written_are_zero(device: str) -> None:
    operator = registered(
        "wired_every_other",
        ninetoothed.make(every_other, copied, (Tensor(1), Tensor(1))),
        {"z": "x"},
        ninetoothed.make(every_other, copied_gradients, (Tensor(1), Tensor(1))),
    )
    x = torch.ones(256, device=device, requires_grad=True)
    (found,) = torch.autograd.grad(operator(x).sum(), x)
    assert torch.equal(found, (torch.arange(256, device=device) % 128 < 64).float())


def added_gradients(z_gradient, x_gradient):
    x_gradient += z_gradient


def test_gradients_that_are_added_to_begin_as_zeros(device: str) -> None:
    operator = registered("wired_added", kernel(copied, 2), {"z": "x"}, kernel(added_gradients, 2))
    x = torch.ones(256, device=device, requires_grad=True)
    for _ in range(3):
        (found,) = torch.autograd.grad(operator(x).sum(), x)
        assert torch.equal(found, torch.ones_like(x))


def sharded(mesh: DeviceMesh) -> None:
    x, y = torch.randn(2, 13).unbind()

    def f(x: Any, y: Any) -> Any:
        return multiply(x, y) * multiply_by(x, y.detach())

    x_split, y_split = (placed(mesh, one, Shard(0)).requires_grad_() for one in (x, y))
    for function in (f, torch.compile(f, fullgraph=True, backend="aot_eager")):
        found = function(x_split, y_split)
        close(found, x * y * x * y)
        gradients = torch.autograd.grad(found.sum(), (x_split, y_split))
        for one, expected in zip(gradients, (2 * x * y * y, x * x * y), strict=True):
            assert isinstance(one, DTensor)
            assert one.placements == (Shard(0),)
            close(one, expected)


def test_gradients_of_dtensors(ranks: MeshRanks) -> None:
    ranks((2,), sharded)


def test_input_without_a_gradient(device: str) -> None:
    x, y = pair(device)
    with pytest.raises(ArgumentError) as raised:
        multiply_by(x, y).sum().backward()
    assert raised.value.message == (
        "tests::wired_product_by: y requires a gradient, and the backward kernel writes none of "
        "it; give that a parameter y_gradient, which it writes, or pass y.detach()"
    )


def test_second_derivatives_are_refused(device: str) -> None:
    x, y = pair(device)
    # The gradient that is given requires none, and y does.
    (once,) = torch.autograd.grad(multiply(x, y).sum(), x, create_graph=True)
    with pytest.raises(ArgumentError) as raised:
        torch.autograd.grad(once.sum(), y)
    assert raised.value.message == (
        "tests::wired_product: its backward is a kernel, whose derivatives nothing tells; for "
        "second derivatives give a function as backward, which calls operators that have a "
        "backward"
    )


def not_written(z_gradient, x_gradient, y_gradient):
    y_gradient = z_gradient + x_gradient


def overwriting(z_gradient, y, x_gradient):
    x_gradient = z_gradient * y
    z_gradient = x_gradient


WRONG: list[tuple[Callable[..., Any], str]] = [
    (
        not_written,
        "x_gradient is the gradient of x by its name, and not_written does not write it in calls "
        "like this one; write it, or leave x_gradient out",
    ),
    (
        overwriting,
        "overwriting is a backward kernel, and writes z_gradient, which others may read, too; let "
        "it write x_gradient alone",
    ),
]


@pytest.mark.parametrize(("backward", "message"), WRONG)
def test_what_is_written(backward: Callable[..., Any], message: str) -> None:
    name = f"wired_{backward.__name__}"
    operator = registered(name, product_kernel, {"z": "x"}, kernel(backward, 3))
    x = torch.ones(4, requires_grad=True)
    with pytest.raises(ArgumentError) as raised:
        operator(x, torch.ones(4)).sum().backward()
    assert raised.value.message == message


def test_refused() -> None:
    options: dict[str, Any] = {"backward": kernel(gradient_of_x, 3)}
    with pytest.raises(ArgumentError) as raised:
        ninetoothed.operator("tests::no", product_kernel, **options)
    assert raised.value.message == (
        "tests::no: backward needs an operator that returns its results, for no gradients flow "
        "through tensors that it mutates; give outputs, too"
    )
    options["outputs"] = {"z": "x"}
    with pytest.raises(ArgumentError) as raised:
        ninetoothed.operator("tests::no", product_kernel, setup_context=print, **options)
    assert raised.value.message == (
        "tests::no: backward is a kernel, whose parameters' names tell what is saved; leave "
        "setup_context out"
    )
    ninetoothed.operator("tests::taken_backward", product_kernel)
    with pytest.raises(ArgumentError) as raised:
        ninetoothed.operator("tests::taken", product_kernel, **options)
    assert raised.value.message == (
        "tests::taken_backward, the operator of the backward kernel, is registered already; choose "
        "another name"
    )
    assert not hasattr(torch.ops.tests, "taken")
