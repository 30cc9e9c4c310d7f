"""Named operators: registered at once, by a schema of the kernel's parameters' names."""

# pyright: reportUnusedVariable=false, reportUnknownParameterType=false, reportMissingParameterType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownLambdaType=false
# pyright: reportFunctionMemberAccess=false, reportPrivateUsage=false, reportArgumentType=false
# Kernels are written in the language, whose parameters have no types.

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.autograd.function import once_differentiable

import ninetoothed
from examples.add import add_kernel
from examples.jagged_padding import pad_kernel
from examples.matmul import matmul_kernel
from examples.rms_norm import rms_norm_kernel
from examples.softmax import softmax_kernel
from examples.swiglu import swiglu_kernel
from ninetoothed import Symbol, Tensor
from ninetoothed.errors import ArgumentError, DependencyError
from tests.pytorch.test_traced_calls import add_sum
from tests.support.imports import ROOT

BLOCK = Symbol("BLOCK", constexpr=True)


def in_blocks(*tensors):
    return tuple(tensor.tile((64,)) for tensor in tensors)


def product(x, y, z):
    z = x * y * y


def product_gradients(z_gradient, x, y, x_gradient, y_gradient):
    x_gradient = z_gradient * y * y
    y_gradient = z_gradient * x * y * 2


product_kernel = ninetoothed.make(in_blocks, product, tuple(Tensor(1) for _ in "xyz"))
gradients_kernel = ninetoothed.make(in_blocks, product_gradients, tuple(Tensor(1) for _ in "gxyab"))

gradients_operator = ninetoothed.operator(
    "tests::product_gradients",
    gradients_kernel,
    outputs={"x_gradient": "x", "y_gradient": "y"},
)


def save(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
    ctx.save_for_backward(*inputs)


@once_differentiable
def product_backward(ctx: Any, gradient: torch.Tensor) -> Any:
    return gradients_operator(gradient, *ctx.saved_tensors)


multiply = ninetoothed.operator(
    "tests::product",
    product_kernel,
    outputs={"z": "x"},
    backward=product_backward,
    setup_context=save,
    cast_inputs=torch.bfloat16,
)
"""Differentiable."""


def twice_product_backward(ctx: Any, gradient: torch.Tensor) -> Any:
    x, y = ctx.saved_tensors
    return twice_multiply(gradient, y), twice_multiply(gradient, 1 + 0 * y) * x * y * 2


twice_multiply = ninetoothed.operator(
    "tests::twice_product",
    product_kernel,
    outputs={"z": "x"},
    backward=twice_product_backward,
    setup_context=save,
)
"""Differentiable any number of times."""

add = ninetoothed.operator("tests::add", add_kernel)


def reference(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return x * y * y


def drawn(*shape: int, device: str = "cpu", dtype: torch.dtype = torch.float64) -> torch.Tensor:
    generator = torch.Generator().manual_seed(len(shape))
    return torch.randn(shape, generator=generator, dtype=dtype).to(device)


def registered(name: str, kernel: Any, **options: Any) -> Callable[..., Any]:
    """An operator of a test, which may run for several devices."""
    found = getattr(torch.ops.tests, name, None)
    return ninetoothed.operator(f"tests::{name}", kernel, **options) if found is None else found


def test_operator_that_mutates(device: str) -> None:
    assert str(add._schema) == (  # pyright: ignore[reportFunctionMemberAccess]
        "tests::add(Tensor lhs, Tensor rhs, Tensor(output!) output) -> ()"
    )
    x, y = drawn(2, 100, device=device, dtype=torch.float32).unbind()
    output = torch.empty_like(x)
    assert torch.ops.tests.add(rhs=y, lhs=x, output=output) is None
    assert torch.equal(output, x + y)


def test_operator_reads_copies_of_what_it_mutates(device: str) -> None:
    x = torch.arange(16.0, device=device)
    expected = x + x.sum()
    # Each program reads all of x, and writes a part.
    registered("add_sum", add_sum)(x, x)
    assert torch.equal(x, expected)


def test_operator_refuses_to_mutate_one_memory_twice() -> None:
    def both(x, y):
        x = x + 1
        y = y + 1

    operator = registered(
        "both", ninetoothed.make(in_blocks, both, (Tensor(1), Tensor(1)), kernel_name="both")
    )
    x = torch.ones(4)
    with pytest.raises(ArgumentError, match="x and y are written, and share memory"):
        operator(x, x)


EPS = 1e-6
CHECKED: list[tuple[str, Any, dict[str, Any], Callable[[str], tuple[Any, ...]]]] = [
    ("add", add_kernel, {"output": "lhs"}, lambda d: (drawn(9, device=d), drawn(9, device=d))),
    (
        "swiglu",
        swiglu_kernel,
        {"output": "gate"},
        lambda d: (drawn(9, device=d), drawn(9, device=d)),
    ),
    ("softmax", softmax_kernel, {"output": "input"}, lambda d: (drawn(3, 9, device=d),)),
    (
        "rms_norm",
        rms_norm_kernel,
        {"output": "input"},
        lambda d: (drawn(3, 9, device=d), drawn(9, device=d), EPS),
    ),
    (
        "matmul",
        matmul_kernel,
        {"output": lambda input, other: (input.shape[0], other.shape[1])},
        lambda d: (drawn(5, 4, device=d), drawn(4, 3, device=d)),
    ),
]


@pytest.mark.parametrize(
    ("name", "kernel", "outputs", "given"), CHECKED, ids=[c[0] for c in CHECKED]
)
def test_opcheck(
    name: str,
    kernel: Any,
    outputs: dict[str, Any],
    given: Callable[[str], tuple[Any, ...]],
    device: str,
) -> None:
    args = [one.float() if isinstance(one, torch.Tensor) else one for one in given(device)]
    allocating = registered(f"allocating_{name}", kernel, outputs=outputs)
    torch.library.opcheck(allocating, args)
    mutating = registered(f"mutating_{name}", kernel)
    expected = allocating(*args)
    output = torch.zeros_like(expected)
    torch.library.opcheck(mutating, (*args, output.clone()))
    mutating(*args, output)
    assert torch.equal(output, expected)


def test_opcheck_of_gradients(device: str) -> None:
    x, y = drawn(2, 9, device=device, dtype=torch.float32).unbind()
    torch.library.opcheck(multiply, (x.requires_grad_(), y.requires_grad_()))


def test_gradients(device: str) -> None:
    x, y = (one.clone().requires_grad_() for one in drawn(2, 9, device=device))
    assert torch.autograd.gradcheck(multiply, (x, y))
    assert torch.autograd.gradcheck(twice_multiply, (x, y))
    assert torch.autograd.gradgradcheck(twice_multiply, (x, y))


def test_gradients_of_a_whole_graph(device: str) -> None:
    x, y = (one.clone().requires_grad_() for one in drawn(2, 9, device=device))
    compiled = torch.compile(lambda x, y: multiply(x, y) + 1, fullgraph=True)
    found = torch.autograd.grad(compiled(x, y).sum(), (x, y))
    for one, other in zip(found, torch.autograd.grad(reference(x, y).sum(), (x, y)), strict=True):
        torch.testing.assert_close(one, other)


TRANSFORMS: dict[str, Callable[[Callable[..., Any]], Callable[..., Any]]] = {
    "grad": lambda f: torch.func.grad(lambda x, y: f(x, y).sum(), argnums=(0, 1)),
    "vmap": lambda f: torch.func.vmap(lambda x: f(x, x)),
    "vmap of grad": lambda f: torch.func.vmap(torch.func.grad(lambda x, y: f(x, y).sum())),
    "grad of vmap": lambda f: torch.func.grad(lambda x, y: torch.func.vmap(f)(x, y).sum()),
    "vmap of one": lambda f: (
        lambda x, y: torch.func.vmap(f, in_dims=(1, None), out_dims=1)(x.T, y[0])
    ),
    "nested vmap": lambda f: (
        lambda x, y: torch.func.vmap(torch.func.vmap(f, in_dims=(None, 0)), in_dims=(0, None))(x, y)
    ),
    "jacobian": lambda f: lambda x, y: torch.func.jacrev(f)(x[0], y[0]),
    "functionalize": torch.func.functionalize,
}


# The backward is a function, which takes the gradients of one call.
@pytest.mark.filterwarnings("ignore::ninetoothed.VmapWarning")
@pytest.mark.parametrize("transform", TRANSFORMS.values(), ids=TRANSFORMS)
def test_transforms(
    transform: Callable[[Callable[..., Any]], Callable[..., Any]], device: str
) -> None:
    x, y = drawn(2, 3, 5, device=device).unbind()
    if transform in (TRANSFORMS["grad"], TRANSFORMS["functionalize"]):
        x, y = x[0], y[0]
    given = (x,) if transform is TRANSFORMS["vmap"] else (x, y)
    torch.testing.assert_close(transform(multiply)(*given), transform(reference)(*given))


def test_second_derivatives_of_transforms() -> None:
    def second(f: Callable[..., Any]) -> torch.Tensor:
        once = torch.func.grad(lambda x: f(x, x).sum())
        return torch.func.grad(lambda x: once(x).sum())(x)

    x = drawn(5)
    torch.testing.assert_close(second(twice_multiply), second(reference))


@pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated:DeprecationWarning")
def test_forward_mode_is_refused() -> None:
    x = drawn(5)
    with pytest.raises(NotImplementedError, match="You must implement the jvp function"):
        torch.func.jvp(multiply, (x, x), (x, x))


def test_map_over_nothing() -> None:
    found = torch.func.vmap(multiply, in_dims=(1, None))(drawn(5, 0), drawn(5))
    assert found.shape == (0, 5)
    several = torch.func.vmap(gradients_operator)(*[drawn(0, 5)] * 3)
    assert [one.shape for one in several] == [(0, 5), (0, 5)]


def test_map_over_what_is_mutated() -> None:
    def summed(x: torch.Tensor, output: torch.Tensor) -> None:
        torch.func.vmap(add, in_dims=(0, 0, 0), out_dims=None)(x, x, output)

    x, output = drawn(3, 5), torch.empty(3, 5, dtype=torch.float64)
    summed(x, output)
    assert torch.equal(output, x + x)
    with pytest.raises(ArgumentError) as raised:
        torch.func.vmap(lambda x: add(x, x, output[0]), out_dims=None)(x)
    assert raised.value.message == (
        "tests::add writes output, which torch.func.vmap does not map over, so that all calls "
        "would write one memory; map over it, too"
    )


def test_autocast(device: str) -> None:
    x = torch.ones(4, device=device)
    with torch.autocast(device):
        assert multiply(x, x).dtype == torch.bfloat16
    assert multiply(x, x).dtype == torch.float32


def test_numbers_constants_and_defaults(device: str) -> None:
    def arrangement(x, factor, shift, y, NEGATED):
        return x.tile((BLOCK,)), factor, shift, y.tile((BLOCK,)), NEGATED

    def application(x, factor, shift, y, NEGATED):
        y = -x * factor + shift if NEGATED else x * factor + shift

    tensors = (
        Tensor(1),
        Tensor(0),
        Tensor(0, dtype=ninetoothed.float32),
        Tensor(1),
        Tensor(0, constexpr=True, value=False),
    )
    kernel = ninetoothed.make(arrangement, application, tensors, kernel_name="scaled")
    operator: Any = registered("scaled", kernel, outputs={"y": "x"})
    assert str(torch.ops.tests.scaled.default._schema) == (
        "tests::scaled(Tensor x, Scalar factor, float shift, int BLOCK, bool NEGATED=False) "
        "-> Tensor"
    )
    x = torch.arange(5.0, device=device)
    assert torch.equal(operator(x, 2, 1.0, 64), x * 2 + 1)
    assert torch.equal(operator(x, 2.5, 1.0, BLOCK=64, NEGATED=True), x * -2.5 + 1)
    torch.library.opcheck(torch.ops.tests.scaled.default, (x, 2, 1.0, 64))


def test_defaults_reach_what_is_saved() -> None:
    saved: list[Any] = []

    def remember(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        saved.append(inputs[1:])

    def arrangement(x, y, TWICE):
        return x.tile((64,)), y.tile((64,)), TWICE

    def application(x, y, TWICE):
        y = x * 2 if TWICE else x

    tensors = (Tensor(1), Tensor(1), Tensor(0, constexpr=True, value=True))
    operator = ninetoothed.operator(
        "tests::by_default",
        ninetoothed.make(arrangement, application, tensors),
        outputs={"y": "x"},
        backward=lambda ctx, gradient: (gradient * 2, None),
        setup_context=remember,
    )
    x = torch.ones(4, requires_grad=True)
    for call in (lambda: operator(x), lambda: operator(x, True)):
        (gradient,) = torch.autograd.grad(call().sum(), x)
        assert torch.equal(gradient, torch.full((4,), 2.0))
    assert saved == [(True,), (True,)]


def accumulated(x, y):
    y = y + x


def test_results_that_are_read_begin_as_zeros(device: str) -> None:
    kernel = ninetoothed.make(in_blocks, accumulated, (Tensor(1), Tensor(1)))
    operator = registered("accumulated", kernel, outputs={"y": "x"})
    x = torch.ones(8, device=device)
    for _ in range(3):
        assert torch.equal(operator(x), x)


def test_outputs_of_the_kernel(device: str) -> None:
    tensors = tuple(Tensor(1) for _ in "xyz")
    kernel = ninetoothed.make(in_blocks, product, tensors, outputs=("z",))
    x, y = drawn(2, 9, device=device).unbind()
    assert torch.equal(kernel(x, y), reference(x, y))
    assert torch.equal(registered("own_outputs", kernel)(x, y), reference(x, y))


PROGRAM = """
import torch

import ninetoothed
from examples.add import add_kernel
from examples.jagged_padding import pad_kernel
from examples.rms_norm import rms_norm_kernel

add = ninetoothed.operator("shipped::add", add_kernel)
rms_norm = ninetoothed.operator("shipped::rms_norm", rms_norm_kernel, outputs={"output": "input"})


class Module(torch.nn.Module):
    def forward(self, x, weight):
        output = torch.empty_like(weight)
        add(weight, weight, output)
        return rms_norm(x, output, 1e-6) + 1


def given(rows):
    return torch.arange(8.0 * rows).view(rows, 8), torch.ones(8)
"""

EXPORTED = """
from shipped import *

rows = torch.export.Dim("rows", min=2, max=100)
exported = torch.export.export(Module(), given(3), dynamic_shapes=({0: rows}, None))
"""


def run(folder: Path, program: str) -> None:
    """Run a program in a process of its own."""
    path = f"import sys\nsys.path[:0] = [{str(ROOT)!r}, {str(folder)!r}]\n"
    done = subprocess.run(
        [sys.executable, "-c", path + program], cwd=folder, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_saved_programs_are_loaded_where_the_operator_is_named(tmp_path: Path) -> None:
    (tmp_path / "shipped.py").write_text(PROGRAM, encoding="utf-8")
    run(tmp_path, EXPORTED + 'torch.export.save(exported, "program.pt2")')
    loaded = """
import shipped, torch
loaded = torch.export.load("program.pt2").module()
assert torch.equal(loaded(*shipped.given(5)), shipped.Module()(*shipped.given(5)))
"""
    run(tmp_path, loaded)


def test_packages_are_loaded_where_the_operator_is_named(tmp_path: Path) -> None:
    (tmp_path / "shipped.py").write_text(PROGRAM, encoding="utf-8")
    compiled = 'torch._inductor.aoti_compile_and_package(exported, package_path="program.pt2")'
    run(tmp_path, EXPORTED + compiled)
    loaded = """
import shipped, torch
loaded = torch._inductor.aoti_load_package("program.pt2")
assert torch.equal(loaded(*shipped.given(5)), shipped.Module()(*shipped.given(5)))
"""
    run(tmp_path, loaded)


def constexpr_only(x, y, FLAG):
    y = x if FLAG else x + 1


FLAGGED = ninetoothed.make(
    lambda x, y, FLAG: (x.tile((64,)), y.tile((64,)), FLAG),
    constexpr_only,
    (Tensor(1), Tensor(1), Tensor(0, constexpr=True)),
    kernel_name="flagged",
)

REFUSED: list[tuple[str, Any, dict[str, Any], str]] = [
    (
        "add",
        add_kernel,
        {},
        "'add' is no name of an operator; write a namespace of your own and a name, of ASCII "
        "letters, digits and _, as in 'mylib::add'",
    ),
    (
        "aten::add",
        add_kernel,
        {},
        "aten::add: the namespace aten is taken; choose one of your own, as in 'mylib::add'",
    ),
    (
        "tests::add",
        add_kernel,
        {},
        "tests::add is registered already; choose another name, or use torch.ops.tests.add",
    ),
    ("tests::no", 3, {}, "tests::no needs a kernel, as ninetoothed.make returns one, not 3"),
    (
        "tests::no",
        add_kernel,
        {"outputs": {"z": "lhs"}},
        "outputs: 'z' is no tensor of add_kernel; tensors are lhs, rhs, output",
    ),
    (
        "tests::no",
        add_kernel,
        {"backward": save},
        "tests::no: backward needs an operator that returns its results, for no gradients flow "
        "through tensors that it mutates; give outputs, too",
    ),
    (
        "tests::no",
        add_kernel,
        {"cast_inputs": torch.float16},
        "tests::no: cast_inputs needs an operator that returns its results, for what it wrote to a "
        "tensor that was cast would be lost; give outputs, too",
    ),
    (
        "tests::no",
        FLAGGED,
        {},
        "tests::no: FLAG has no value, by which flagged is compiled to tell what it writes; give "
        "mutates_args, as in mutates_args=('y',)",
    ),
    (
        "tests::no",
        pad_kernel(0.0),
        {},
        "tests::no: input is jagged, and operators with names take no nested tensors; call the "
        "kernel itself, which torch.compile and torch.export take",
    ),
]


@pytest.mark.parametrize(("name", "kernel", "options", "message"), REFUSED)
def test_refused(name: str, kernel: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ArgumentError) as raised:
        ninetoothed.operator(name, kernel, **options)
    assert raised.value.message == message


def test_schema_that_does_not_tell_what_is_written() -> None:
    operator = ninetoothed.operator("tests::told_less", add_kernel, mutates_args=())
    x = torch.ones(4)
    with pytest.raises(ArgumentError) as raised:
        operator(x, x, torch.ones(4))
    assert raised.value.message == (
        "this call of tests::told_less writes output, which its schema does not tell; name output "
        "in mutates_args, too"
    )


def test_torch_without_the_interface(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(torch.library, "register_vmap")
    monkeypatch.setattr(torch, "__version__", "2.4.0")
    with pytest.raises(DependencyError) as raised:
        ninetoothed.operator("tests::no", add_kernel)
    assert raised.value.message == (
        "torch 2.4.0 has no torch.library.register_vmap, which operators need; run pip install "
        "'torch>=2.6'"
    )
