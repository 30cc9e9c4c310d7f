"""Named operators under ``torch.func.vmap``: one launch, with the results of single calls."""

# pyright: reportUnusedVariable=false, reportUnknownParameterType=false, reportMissingParameterType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownLambdaType=false
# pyright: reportFunctionMemberAccess=false, reportPrivateUsage=false
# Kernels are written in the language, whose parameters have no types.

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from torch.func import grad, vmap

import ninetoothed
import ninetoothed.language as ntl
from examples.add import add_kernel
from examples.matmul import matmul_kernel
from examples.rms_norm import rms_norm_kernel
from examples.softmax import softmax_kernel
from examples.topk import topk_kernel
from ninetoothed import Tensor
from ninetoothed.kernel.kernel import Kernel
from tests.support.batched_calls import (
    as_they_are,
    check,
    drawn,
    made,
    operator,
    single_calls,
)
from tests.support.example_calls import CALLS, ExampleCall

# Examples.


class Recorded(list[tuple[Kernel, tuple[Any, ...], dict[str, Any]]]):
    """The calls of kernels that an example makes, with copies of their arguments."""


@pytest.fixture
def recorded(monkeypatch: pytest.MonkeyPatch) -> Iterator[Recorded]:
    found, called = Recorded(), Kernel.__call__

    def record(kernel: Kernel, *args: Any, **kwargs: Any) -> None:
        copies = tuple(one.clone() if isinstance(one, torch.Tensor) else one for one in args)
        found.append((kernel, copies, kwargs))
        called(kernel, *args, **kwargs)

    with monkeypatch.context() as patched:
        patched.setattr(Kernel, "__call__", record)
        yield found


def batch_of(tensor: torch.Tensor) -> torch.Tensor:
    """A tensor, and another one like it, with numbers that are as good."""
    other = (tensor.float() * 0.5).to(tensor.dtype) if tensor.is_floating_point() else tensor
    return torch.stack([tensor, other.clone()])


DENSE = [call for call in CALLS if "jagged" not in call.file and call.file != "grouped_matmul"]


@pytest.mark.parametrize("call", DENSE, ids=str)
def test_examples(call: ExampleCall, recorded: Recorded, device: str) -> None:
    call.called(*call.arguments(device, 1))
    for kernel, args, keywords in [*recorded]:
        names = [one.name for one in kernel.interface.arguments]
        stored = kernel.stored_by_call(args, keywords)
        tested = operator(kernel, mutates_args=stored)
        order = [one.name for one in tested._schema.arguments]
        given = {**dict(zip(names, args, strict=True)), **keywords}
        tensors = [name for name in order if isinstance(given[name], torch.Tensor)]
        inputs = [name for name in tensors if name not in stored]
        for single in ([], inputs[:1], inputs[1:]):
            mapped = [name for name in tensors if name not in single]
            if stored.issuperset(mapped):
                continue
            batch = {
                name: batch_of(given[name]) if name in mapped else given[name] for name in order
            }
            expected = {name: batch[name].clone() for name in stored}
            dims = tuple(0 if name in mapped else None for name in order)
            recorded.clear()
            vmap(tested, in_dims=dims, out_dims=None)(*batch.values())
            assert [one.__name__ for one, *_ in recorded] == [f"{kernel.__name__}_vmap"]
            for index in range(2):
                values = {**batch, **expected}
                tested(*[values[one][index] if one in mapped else values[one] for one in order])
            for name, other in expected.items():
                # What no call writes may be anything, of which NaN is not equal to itself.
                bits = [one.contiguous().view(torch.uint8) for one in (batch[name], other)]
                assert torch.equal(*bits), name


def test_in_dims_and_single_tensors(launches: list[str], device: str) -> None:
    add = operator(add_kernel, outputs={"output": "lhs"})
    x, y = drawn(3, 40, device=device), drawn(40, 3, device=device)
    check(launches, add, (0, 1), x, y)
    check(launches, add, (-2, -1), x, y)
    check(launches, add, (0, None), x, y[:, 0])
    # The output is like an input that all calls share.
    check(launches, add, (None, 0), y[:, 0], x)
    # A batch of one tensor, which is read.
    check(launches, add, (0, 0), x, x[0].expand(3, 40))
    assert vmap(add, out_dims=1)(x, x).shape == (40, 3)


def test_rules_of_outputs(launches: list[str], device: str) -> None:
    x, y = drawn(2, 5, 24, device=device), drawn(2, 24, 7, device=device)
    softmax = operator(softmax_kernel, outputs=("output",))
    check(launches, softmax, (0,), x)
    check(launches, softmax, (1,), x)
    rms_norm = operator(rms_norm_kernel, outputs={"output": "input"})
    check(launches, rms_norm, (0, None, None), x, y[0, :, 0], 1e-6)
    matmul = operator(matmul_kernel, outputs=lambda input, other: (input.shape[0], other.shape[1]))
    check(launches, matmul, (0, 0), x, y)
    check(launches, matmul, (None, 0), x[0], y)
    check(launches, matmul, (0, None), x, y[0])

    def shapes(input):
        return ((input.shape[0], 4), input.dtype), ((input.shape[0], 4), torch.int64)

    check(launches, operator(topk_kernel(4), outputs=shapes), (0,), x)


def test_what_is_read_begins_as_zeros(launches: list[str], device: str) -> None:
    def accumulated(x, y):
        y = y + x

    sum_up = operator(made(accumulated), outputs={"y": "x"})
    for _ in range(3):
        check(launches, sum_up, (0,), torch.ones(3, 40, device=device))


def test_batches_of_none_and_of_one(launches: list[str], device: str) -> None:
    matmul = operator(matmul_kernel, outputs=lambda input, other: (input.shape[0], other.shape[1]))
    x, y = drawn(1, 5, 24, device=device), drawn(24, 7, device=device)
    check(launches, matmul, (0, None), x, y)
    launches.clear()
    assert vmap(matmul, in_dims=(0, None))(x[:0], y).shape == (0, 5, 7)
    assert not launches
    empty = drawn(2, 0, 24, device=device)
    assert vmap(matmul, in_dims=(0, None))(empty, y).shape == (2, 0, 7)


def test_mutated_tensors(launches: list[str], device: str) -> None:
    add = operator(add_kernel)
    x, y = drawn(2, 3, 40, device=device)
    output = torch.empty(40, 3, device=device)
    vmap(add, in_dims=(0, 0, 1), out_dims=None)(x, y, output)
    assert launches == ["add_kernel_vmap"]
    assert torch.equal(output.T, x + y)
    # Each call has the same part of both.
    expected = x + y
    vmap(add, out_dims=None)(x, y, y)
    assert launches == ["add_kernel_vmap"] * 2
    assert torch.equal(y, expected)


NESTED: dict[str, tuple[Callable[[Any], Callable[..., Any]], tuple[int, ...], tuple[int, ...]]] = {
    "both": (lambda f: vmap(vmap(f)), (2, 3, 40), (2, 3, 40)),
    "one each": (
        lambda f: vmap(vmap(f, in_dims=(None, 0)), in_dims=(0, None)),
        (2, 40),
        (3, 40),
    ),
    "the other one each": (
        lambda f: vmap(vmap(f, in_dims=(0, None)), in_dims=(None, 0)),
        (2, 40),
        (3, 40),
    ),
    "any dims": (lambda f: vmap(vmap(f, in_dims=(0, 1)), in_dims=(2, 1)), (3, 40, 2), (40, 2, 3)),
    "three": (
        lambda f: vmap(vmap(vmap(f, in_dims=(0, None)), in_dims=(0, 0)), in_dims=(None, 0)),
        (2, 3, 40),
        (4, 2, 40),
    ),
}


@pytest.mark.parametrize(("transform", "one", "other"), NESTED.values(), ids=NESTED)
def test_nested_batches(
    transform: Callable[[Any], Callable[..., Any]],
    one: tuple[int, ...],
    other: tuple[int, ...],
    launches: list[str],
    device: str,
) -> None:
    def shifted(x, y, z):
        # A number of the program, and an address, of the tensors of a call.
        number = ntl.program_id(0) + ntl.num_programs(0) * y.source[0]
        z = x - ntl.load(y.source.data_ptr() + y.offsets()) * number

    def reference(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        numbers = torch.arange(40, device=device) // 4
        return x - y * (numbers + 10 * y[0])

    def in_fours(*tensors):
        return tuple(tensor.tile((4,)) for tensor in tensors)

    x, y = drawn(*one, device=device), drawn(*other, device=device)
    add = operator(add_kernel, outputs={"output": "lhs"})
    assert torch.equal(transform(add)(x, y), transform(torch.add)(x, y))
    asking = operator(made(shifted, in_fours), outputs={"z": "x"})
    torch.testing.assert_close(transform(asking)(x, y), transform(reference)(x, y))
    assert [one.replace("_vmap", "") for one in launches] == ["add_kernel", "shifted"]


# What an application asks is of its call.


def size_of_source(x, y):
    y = x + x.source.shape[0] * 2 + x.source.ndim + x.source.stride(0)


def addresses(x, y):
    y = ntl.load(x.source.data_ptr() + x.offsets(), mask=x.offsets(0) < x.source.shape[0])


def coordinates(x, y):
    y = x + x.offsets(0) + 2 * x.offsets(-1) + y.offsets()


def random_numbers(x, y):
    y = x * ntl.rand(17, x.offsets())


def programs(x, y):
    y = x + ntl.program_id(0) * 2 + ntl.num_programs(0) + ntl.program_id(1) + ntl.num_programs(2)


def first_of_source(x, y):
    y = x + x.source[0] + y.source.shape[0]


def scattered(x, y):
    y.source[y.source.shape[0] - 1 - x.offsets(0)] = x


@pytest.mark.parametrize(
    "application",
    [size_of_source, addresses, coordinates, random_numbers, programs, first_of_source, scattered],
    ids=lambda one: one.__name__,
)
def test_what_is_asked_is_that_of_a_call(
    application: Callable[..., Any], launches: list[str], device: str
) -> None:
    check(launches, operator(made(application), outputs={"y": "x"}), (1,), drawn(40, 3).to(device))


def places(x, y):
    y = x * 0 + y.offsets() + y.source.stride(0) * 100


def stored_by_address(x, y):
    ntl.store(y.data_ptr() + x.offsets(), x)


@pytest.mark.parametrize("application", [places, stored_by_address], ids=lambda one: one.__name__)
def test_outputs_lie_in_memory_as_in_single_calls(
    application: Callable[..., Any], launches: list[str], device: str
) -> None:
    def rows(x, y):
        return x.tile((1, -1)), y.tile((1, -1))

    tested = operator(made(application, rows, 2), outputs={"y": "x"})
    check(launches, tested, (0,), drawn(3, 5, 4, device=device).mT)
    # So do dims of size 1, of whose strides nothing else takes notice.
    thin = drawn(3, 4, device=device).as_strided((3, 1, 4), (4, 1, 1))
    assert torch.equal(vmap(tested)(thin), single_calls(tested, (0,), thin))
    if application is places:
        # Only the output is dense.
        check(launches, tested, (1,), drawn(5, 3, 4, device=device).transpose(0, 2))
    columns = drawn(2, 3, 5, 4, device=device).mT
    found = vmap(vmap(tested))(columns)
    assert torch.equal(found, torch.stack([single_calls(tested, (0,), one) for one in columns]))
    assert vmap(vmap(tested))(columns[:, :0]).shape == (2, 0, 4, 5)


def test_functions_of_outputs_are_told_strides(launches: list[str], device: str) -> None:
    def copied(x, y):
        y = x

    def rows(x, y):
        return x.tile((1, -1)), y.tile((1, -1))

    def shape(x):
        return x.shape, torch.float64 if x.is_contiguous() else torch.float32

    tested = operator(made(copied, rows, 2), outputs=shape)
    for x in (drawn(3, 4, 5, device=device), drawn(3, 5, 4, device=device).mT):
        check(launches, tested, (0,), x)
        expected = torch.float64 if x.is_contiguous() else torch.float32
        assert vmap(tested)(x).dtype == expected
        assert torch.compile(vmap(tested), backend="eager", fullgraph=True)(x).dtype == expected


def looked_up(x, table, y):
    y = x + table[3] + table.source.shape[0]


def with_each(x, table, y):
    y = x + table[3] * table


def first_looked_up(table, x, y):
    y = x + table[3]


@pytest.mark.parametrize("dims", [(0, 0), (0, None), (None, 0)])
def test_tensors_that_are_not_arranged(
    dims: tuple[int | None, ...], launches: list[str], device: str
) -> None:
    x, table = (drawn(*(3, 40)[dim is None :], device=device) for dim in dims)

    def blocks_and_table(x, table, y):
        return x.tile((8,)), table, y.tile((8,))

    def table_first(table, x, y):
        return table, x.tile((1,)), y.tile((1,))

    # A table of another size than there are programs.
    look_up = operator(made(looked_up, blocks_and_table), outputs={"y": "x"})
    check(launches, look_up, dims, x, table[..., :7])
    check(launches, operator(made(with_each, as_they_are), outputs={"y": "x"}), dims, x, table)
    first = operator(made(first_looked_up, table_first), outputs={"y": "x"})
    check(launches, first, dims[::-1], table, x)


def test_constants_and_defaults(launches: list[str], device: str) -> None:
    def arrangement(x, factor, y, NEGATED):
        return x.tile((BLOCK,)), factor, y.tile((BLOCK,)), NEGATED

    def scaled(x, factor, y, NEGATED):
        y = -x * factor if NEGATED else x * factor

    BLOCK = ninetoothed.Symbol("batched", constexpr=True)
    flag = Tensor(0, constexpr=True, value=False)
    tensors = (Tensor(1, other=float("inf")), Tensor(0), Tensor(1), flag)
    tested = operator(ninetoothed.make(arrangement, scaled, tensors), outputs={"y": "x"})
    x = drawn(3, 40, device=device)
    check(launches, lambda x: tested(x, 2.5, 16), (0,), x)
    check(launches, lambda x: tested(x, 2, 16, True), (0,), x)
    # The operator's own first argument is named otherwise than the symbol.
    name = tested._schema.name.split("::")[1]
    schema = getattr(torch.ops.batches, f"{name}_vmap").default._schema
    assert [one.name for one in schema.arguments][:2] == ["batched_", "x"]


def test_opcheck(device: str) -> None:
    x, y = drawn(2, 3, 9, device=device)
    ninetoothed.operator("batches::checked", add_kernel)
    ninetoothed.operator("batches::returned", add_kernel, outputs={"output": "lhs"})
    mutating, returning = torch.ops.batches.checked_vmap, torch.ops.batches.returned_vmap
    torch.library.opcheck(mutating.default, ("lhs,output", x, y[0], torch.empty_like(x)))
    torch.library.opcheck(returning.default, ("lhs,rhs", x, y))
    torch.library.opcheck(returning.default, ("lhs;rhs", x, y))


@pytest.mark.parametrize("dynamic", [False, True])
def test_whole_graphs(dynamic: bool, launches: list[str], device: str) -> None:
    matmul = operator(matmul_kernel, outputs=lambda input, other: (input.shape[0], other.shape[1]))

    def f(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return vmap(matmul, in_dims=(0, None))(x, y) + 1

    compiled = torch.compile(f, fullgraph=True, dynamic=dynamic)
    for size in (2, 5):
        x, y = drawn(size, 6, 8, device=device), drawn(8, 7, device=device)
        launches.clear()
        found = compiled(x, y)
        assert launches == ["matmul_kernel_vmap"]
        assert torch.equal(found, f(x, y))


# Gradients.


def product(x, y, z):
    z = x * y


def product_gradients(z_gradient, x, y, x_gradient, y_gradient):
    x_gradient = z_gradient * y
    y_gradient = z_gradient * x


def weighted(x: torch.Tensor) -> torch.Tensor:
    """A sum whose gradient is another one at each element."""
    return (x * torch.arange(x.numel(), device=x.device).view(x.shape)).sum()


GRADIENTS: dict[str, Callable[[Any], Callable[..., Any]]] = {
    "vmap of grad": lambda f: vmap(grad(lambda x, y: weighted(f(x, y)), argnums=(0, 1))),
    "of one": lambda f: (
        lambda x, y: vmap(grad(lambda x, y: weighted(f(x, y)), argnums=(0, 1)), in_dims=(0, None))(
            x, y[0]
        )
    ),
    "grad of vmap": lambda f: grad(lambda x, y: weighted(vmap(f)(x, y)), argnums=(0, 1)),
    "grad of vmap of one": lambda f: (
        lambda x, y: grad(lambda x, y: weighted(vmap(f, in_dims=(0, None))(x, y)), argnums=(0, 1))(
            x, y[0]
        )
    ),
    "grad of nested": lambda f: grad(
        lambda x, y: weighted(vmap(vmap(f, in_dims=(None, 0)), in_dims=(0, None))(x, y)),
        argnums=(0, 1),
    ),
    "vmap of grad of vmap": lambda f: (
        lambda x, y: vmap(
            grad(lambda x, y: weighted(vmap(f, in_dims=(0, None))(x, y)), argnums=(0, 1))
        )(torch.stack([x, x + 1, x + 2]), y)
    ),
}


@pytest.mark.parametrize("transform", GRADIENTS.values(), ids=GRADIENTS)
def test_gradients_of_a_batch(
    transform: Callable[[Any], Callable[..., Any]], launches: list[str], device: str
) -> None:
    multiply = operator(made(product), outputs={"z": "x"}, backward=made(product_gradients))
    x, y = drawn(2, 3, 40, device=device)
    torch.testing.assert_close(transform(multiply)(x, y), transform(torch.mul)(x, y))
    assert [one.replace("_vmap", "") for one in launches] == ["product", "product_gradients"]


def test_backward_of_a_batch(launches: list[str], device: str) -> None:
    multiply = operator(made(product), outputs={"z": "x"}, backward=made(product_gradients))
    x, y = (one.requires_grad_() for one in (drawn(3, 40, device=device), drawn(40, device=device)))
    found = torch.autograd.grad(vmap(multiply, in_dims=(0, None))(x, y).sum(), (x, y))
    assert launches == ["product_vmap", "product_gradients_vmap"]
    torch.testing.assert_close(found, (y.expand(3, 40), x.sum(0)))


def test_autocast(launches: list[str], device: str) -> None:
    add = operator(add_kernel, outputs={"output": "lhs"}, cast_inputs=torch.bfloat16)
    with torch.autocast(device):
        found = vmap(add)(*drawn(2, 3, 40, device=device))
    assert found.dtype == torch.bfloat16
    assert len(launches) == 1
