"""Named operators under ``torch.func.vmap``: one launch, with the results of single calls."""

# pyright: reportUnusedVariable=false, reportUnknownParameterType=false, reportMissingParameterType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownLambdaType=false
# pyright: reportFunctionMemberAccess=false, reportPrivateUsage=false
# Kernels are written in the language, whose parameters have no types.

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Iterator, Sequence
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
from ninetoothed import Tensor, VmapWarning, block_size
from ninetoothed.errors import ArgumentError
from ninetoothed.kernel.kernel import Kernel
from tests.support.example_calls import CALLS, ExampleCall

BLOCK_SIZE = block_size()
_numbers = itertools.count()


def operator(kernel: Kernel, **options: Any) -> Callable[..., Any]:
    """An operator of a name of its own."""
    return ninetoothed.operator(f"batches::k{next(_numbers)}", kernel, **options)


def in_blocks(*tensors):
    return tuple(tensor.tile((BLOCK_SIZE,)) for tensor in tensors)


def as_they_are(*tensors):
    return tensors


def made(application: Callable[..., Any], arrangement: Any = in_blocks, ndim: int = 1) -> Kernel:
    """A kernel whose tensors have so many dims each."""
    count = application.__code__.co_argcount
    return ninetoothed.make(arrangement, application, tuple(Tensor(ndim) for _ in range(count)))


def drawn(*shape: int, device: str = "cpu") -> torch.Tensor:
    generator = torch.Generator().manual_seed(sum(shape))
    return torch.randn(shape, generator=generator).to(device)


@pytest.fixture
def launches(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the kernels that are called, in order."""
    found: list[str] = []
    called = Kernel.__call__

    def call(kernel: Kernel, *args: Any, **kwargs: Any) -> Any:
        found.append(kernel.__name__)
        return called(kernel, *args, **kwargs)

    monkeypatch.setattr(Kernel, "__call__", call)
    return found


def single_calls(function: Any, in_dims: Sequence[int | None], *args: Any) -> Any:
    """What vmap returns, by a call for each index."""
    sizes = [one.shape[dim] for one, dim in zip(args, in_dims, strict=True) if dim is not None]
    results: list[Any] = []
    for index in range(sizes[0]):
        pairs = zip(args, in_dims, strict=True)
        results.append(
            function(*[one if dim is None else one.select(dim, index) for one, dim in pairs])
        )
    if isinstance(results[0], torch.Tensor):
        return torch.stack(results)
    return tuple(torch.stack(one) for one in zip(*results, strict=True))


def check(launches: list[str], function: Any, in_dims: Sequence[int | None], *args: Any) -> None:
    """Check that vmap makes one launch, and gives the bits of single calls."""
    launches.clear()
    found = vmap(function, in_dims=tuple(in_dims))(*args)
    assert len(launches) == 1, launches
    expected = single_calls(function, in_dims, *args)
    assert [*map(torch.Tensor.stride, several(found))] == [
        *map(torch.Tensor.stride, several(expected))
    ]
    for one, other in zip(several(found), several(expected), strict=True):
        assert torch.equal(one, other)


def several(results: Any) -> tuple[torch.Tensor, ...]:
    return (results,) if isinstance(results, torch.Tensor) else results


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


# Where calls are made one by one.


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


def test_gradients_that_are_lost() -> None:
    tested = operator(made(product), outputs={"z": "x"})
    x = drawn(2, 8).requires_grad_()
    with pytest.warns(ninetoothed.GradientWarning):
        message = refused(tested, (0, 0), x, x.detach())
    assert message.startswith("x requires gradients, and none flow through a kernel")


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


def test_names_that_are_taken() -> None:
    ninetoothed.operator("batches::taken_vmap", add_kernel)
    with pytest.raises(ArgumentError) as raised:
        ninetoothed.operator("batches::taken", add_kernel)
    assert raised.value.message == (
        "batches::taken_vmap, the operator of torch.func.vmap over it, is registered already; "
        "choose another name"
    )
