"""Calls of kernels that allocate their outputs: what they take, return, and refuse."""

# pyright: reportUnusedVariable=false, reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false, reportPrivateUsage=false

from __future__ import annotations

import copy
import functools
import pickle
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

import ninetoothed
import ninetoothed.language as ntl
from examples.layer_norm import layer_norm_kernel
from examples.rms_norm import add_rms_norm_kernel, rms_norm_kernel
from examples.softmax import softmax_kernel
from ninetoothed import Symbol, Tensor
from ninetoothed.errors import MismatchError, NineToothedError, SerializationError
from ninetoothed.kernel.allocating_kernel import AllocatingKernel
from ninetoothed.kernel.lazy_compilation import Compilation
from ninetoothed.testing import check_kernel

BLOCK = Symbol("BLOCK", constexpr=True)


def vectors(*tensors: Any) -> tuple[Any, ...]:
    return tuple(tensor.tile((64,)) for tensor in tensors)


def three(x: Any, y: Any, z: Any) -> Any:
    return vectors(x, y, z)


def added(x: Any, y: Any, z: Any) -> Any:
    z = x + y


def two(x: Any, z: Any) -> Any:
    return vectors(x, z)


def doubled(x: Any, z: Any) -> Any:
    z = x * 2


def rows(x: Any, y: Any, z: Any) -> Any:
    return x.tile((1, -1)), y.tile((1, -1)), z.tile((1, -1))


def shape_of_x(x: torch.Tensor) -> torch.Size:
    return x.shape


add = ninetoothed.make(three, added, (Tensor(1), Tensor(1), Tensor(1)), outputs=("z",))
double = ninetoothed.make(two, doubled, (Tensor(1), Tensor(1)), outputs={"z": shape_of_x})


class Recorded(TorchDispatchMode):
    """Notes how memory is allocated."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = str(func)
        if "new_" in name or "_like" in name:
            self.names.append(name.split(".")[1])
        return func(*args, **(kwargs or {}))


def allocations(call: Callable[[], Any]) -> list[str]:
    with Recorded() as recorded:
        call()
    return recorded.names


def refused(call: Callable[[], Any]) -> str:
    with pytest.raises(NineToothedError) as raised:
        call()
    return raised.value.message


def test_positional_and_keyword_arguments() -> None:
    x, y = torch.arange(100.0), torch.ones(100)
    for _ in range(2):
        for z in (add(x, y), add(x, y=y), add(y=y, x=x), add(x, y, out=None)):
            assert torch.equal(z, x + y)
            assert z.dtype == x.dtype


def test_out() -> None:
    x, z = torch.arange(100.0), torch.empty(100)
    assert add(x, x, out=z) is z
    assert torch.equal(z, x * 2)


def test_several_outputs() -> None:
    def arrangement(x: Any, low: Any, high: Any) -> Any:
        return vectors(x, low, high)

    def application(x: Any, low: Any, high: Any) -> Any:
        low = x - 1
        high = x + 1

    kernel = ninetoothed.make(
        arrangement, application, (Tensor(1), Tensor(1), Tensor(1)), outputs=("high", "low")
    )
    x = torch.arange(100.0)
    high, low = kernel(x)
    assert torch.equal(high, x + 1)
    assert torch.equal(low, x - 1)
    given = torch.empty(100), torch.empty(100)
    returned = kernel(x, out=given)
    assert [one is other for one, other in zip(returned, given, strict=True)] == [True, True]
    assert torch.equal(given[0], x + 1)
    assert refused(lambda: kernel(x, out=given[0])) == (
        "out must be a tuple of 2 tensors, high, low, not a tensor of shape (100,)"
    )
    assert refused(lambda: kernel(x, out=given[:1])) == (
        "out must be a tuple of 2 tensors, high, low, not a tuple of 1"
    )


def test_output_in_front_of_inputs_named_out() -> None:
    def arrangement(out: Any, x: Any) -> Any:
        return vectors(out, x)

    def application(out: Any, x: Any) -> Any:
        out = x * 2

    kernel = ninetoothed.make(arrangement, application, (Tensor(1), Tensor(1)), outputs=("out",))
    x, out = torch.arange(100.0), torch.empty(100)
    assert torch.equal(kernel(x), x * 2)
    assert kernel(x, out=out) is out


def test_like_an_input() -> None:
    kernel = ninetoothed.make(rows, added, [Tensor(2) for _ in range(3)], outputs={"z": "y"})
    x, y = torch.ones(8, 5), torch.ones(5, 8, dtype=torch.float64).T
    z = kernel(x, y)
    assert torch.equal(z, x + y)
    assert (z.stride(), z.dtype) == (y.stride(), y.dtype)


def test_declared_element_type() -> None:
    tensors = (Tensor(1), Tensor(1), Tensor(1, dtype=ninetoothed.float64))
    for outputs in (("z",), {"z": "x"}, {"z": shape_of_x}):
        kernel = ninetoothed.make(three, added, tensors, outputs=outputs)
        assert kernel(torch.ones(4), torch.ones(4).half()).dtype == torch.float64


@pytest.mark.parametrize("dtype", [torch.float64, "fp64", ninetoothed.float64])
def test_element_type_of_a_function(dtype: Any) -> None:
    kernel = ninetoothed.make(
        three,
        added,
        (Tensor(1), Tensor(1), Tensor(1)),
        outputs={"z": lambda x: (x.shape, dtype)},
    )
    assert kernel(torch.ones(4), torch.ones(4).half()).dtype == torch.float64


def test_function_alone() -> None:
    kernel = ninetoothed.make(two, doubled, (Tensor(1), Tensor(1)), outputs=lambda x: x.shape)
    x = torch.arange(100.0)
    assert torch.equal(kernel(x), x * 2)

    def both(x: Any, y: Any, z: Any) -> Any:
        y = x
        z = x * 2

    tensors = (Tensor(1), Tensor(1), Tensor(1))
    kernel = ninetoothed.make(
        three, both, tensors, outputs=lambda x: (x.shape, (x.shape, torch.float64))
    )
    y, z = kernel(x)
    assert torch.equal(y, x)
    assert torch.equal(z, x.double() * 2)


def test_numbers_and_symbols() -> None:
    def arrangement(x: Any, factor: Any, z: Any) -> Any:
        return x.tile((BLOCK,)), factor, z.tile((BLOCK,))

    def application(x: Any, factor: Any, z: Any) -> Any:
        z = x * factor

    kernel = ninetoothed.make(
        arrangement,
        application,
        (Tensor(1), Tensor(0), Tensor(1)),
        outputs={"z": lambda x, factor, BLOCK: x.shape if factor and BLOCK else None},
    )
    x = torch.arange(100.0)
    for factor in (2, 2.5, True, torch.tensor(3.0)):
        for block in (32, 64):
            assert torch.equal(kernel(x, factor, BLOCK=block), x * factor)
    assert refused(lambda: kernel(x, 2)) == (
        "application needs a value for BLOCK; give it by keyword, as in BLOCK=64"
    )


def test_tensor_arranged_twice() -> None:
    def arrangement(x: Any, z: Any) -> Any:
        return x.tile((64,)), x.tile((64,)), z.tile((64,))

    kernel = ninetoothed.make(arrangement, added, (Tensor(1), Tensor(1)), outputs=("z",))
    x = torch.arange(100.0)
    assert torch.equal(kernel(x), x * 2)
    assert torch.equal(kernel(x, x), x * 2)


def test_jit() -> None:
    @ninetoothed.jit(outputs=("z",))
    def kernel(x: Tensor(1).tile((64,)), z: Tensor(1).tile((64,))):  # pyright: ignore
        z = x * 2

    x = torch.arange(100.0)
    assert torch.equal(kernel(x), x * 2)


def test_memory_that_is_wholly_written_is_left_as_it_is() -> None:
    x = torch.ones(100)
    assert allocations(lambda: add(x, x)) == ["new_empty"]
    assert allocations(lambda: double(x)) == ["new_empty"]
    kernel = ninetoothed.make(rows, added, [Tensor(2) for _ in range(3)], outputs={"z": "y"})
    assert allocations(lambda: kernel(x[None], x[None])) == ["empty_like"]


def test_other_memory_holds_zeros() -> None:
    def every_other_block(x: Any, z: Any) -> Any:
        return x.tile((64,)), z.tile((64,), strides=(128,))

    sparse = ninetoothed.make(
        every_other_block, doubled, (Tensor(1), Tensor(1)), outputs={"z": lambda x: (192,)}
    )
    x = torch.ones(128)
    assert allocations(lambda: sparse(x)) == ["new_zeros"]
    assert torch.equal(sparse(x), torch.tensor([2.0, 0.0, 2.0]).repeat_interleave(64))

    def accumulated(x: Any, z: Any) -> Any:
        z = z + x

    read = ninetoothed.make(two, accumulated, (Tensor(1), Tensor(1)), outputs={"z": "x"})
    assert allocations(lambda: read(torch.ones(100))) == ["zeros_like"]
    assert torch.equal(read(torch.ones(100)), torch.ones(100))

    def total(x: Any, z: Any) -> Any:
        ntl.atomic_add(z.data_ptr(), ntl.sum(x))

    def summed(x: Any, z: Any) -> Any:
        return x.tile((64,)), z.tile((1,)).expand((x.tile((64,)).shape[0],))

    whole = ninetoothed.make(summed, total, (Tensor(1), Tensor(1)), outputs={"z": lambda x: (1,)})
    assert whole(torch.ones(100)).item() == 100
    assert whole(torch.ones(100)).item() == 100


def test_facts_of_outputs_are_kept_on_disk() -> None:
    x = torch.ones(100)

    def kernel() -> Any:
        return ninetoothed.make(two, doubled, (Tensor(1), Tensor(1)), outputs=("z",))

    kernel()(x)
    again = kernel()
    compilation: Any = vars(again)["_compilation"]
    facts = compilation.output_facts({"x": "fp32", "z": "fp32"}, {})
    assert facts == (frozenset({"z"}), frozenset({"z"}), ())
    assert vars(compilation)["_compiler"] is None


def test_rows_that_are_one_block_each() -> None:
    kernel = ninetoothed.make(rows, added, [Tensor(2) for _ in range(3)], outputs=("z",))
    x, y = torch.rand(8, 5), torch.rand(8, 5)
    assert torch.equal(kernel(x, y), x + y)
    assert allocations(lambda: kernel(x, y)) == ["new_empty"]
    assert refused(lambda: kernel(x, y[:, :4])).endswith(
        "the sizes y_size_1 and x_size_1 must be equal: they are (4,) and (5,)"
    )


@pytest.mark.parametrize("columns", [1, 4, 6, 8])
@pytest.mark.parametrize(
    ("kernel", "inputs", "outputs"),
    [
        (softmax_kernel, ((3, 5),), ("output",)),
        (layer_norm_kernel, ((3, 5), (5,), (5,), 1e-6), ("output",)),
        (rms_norm_kernel, ((3, 5), (5,), 1e-6), ("output",)),
        (add_rms_norm_kernel, ((3, 5), (3, 5), (5,), 1e-6), ("output", "summed")),
    ],
    ids=["softmax", "layer_norm", "rms_norm", "add_rms_norm"],
)
def test_derived_rows_of_examples(
    kernel: Any, inputs: tuple[Any, ...], outputs: tuple[str, ...], columns: int
) -> None:
    """No call is taken whose outputs have other sizes than those that are derived."""
    given = [torch.rand(one) if isinstance(one, tuple) else one for one in inputs]
    allocating = AllocatingKernel.of(kernel, outputs)
    found = allocating(*given)
    found = found if isinstance(found, tuple) else (found,)
    assert [tuple(one.shape) for one in found] == [(3, 5)] * len(outputs)
    for place in range(len(outputs)):
        others = [torch.empty(3, 5) for _ in outputs]
        kernel(*given, *others)
        assert all(map(torch.equal, others, found))
        others[place] = torch.empty(3, columns)
        assert "must be equal: they are" in refused(functools.partial(kernel, *given, *others))


def test_outputs_of_a_kernel_that_was_made_without() -> None:
    kernel = ninetoothed.make(rows, added, [Tensor(2) for _ in range(3)])
    x = torch.rand(8, 5)
    assert torch.equal(AllocatingKernel.of(kernel, ("z",))(x, x), x + x)


def test_rows_in_another_process() -> None:
    """What calls check is kept on disk: nothing is compiled for it again."""
    x = torch.rand(8, 5)

    def kernel() -> Any:
        return ninetoothed.make(rows, added, [Tensor(2) for _ in range(3)], outputs=("z",))

    kernel()(x, x)
    again = kernel()
    assert vars(vars(again)["_compilation"])["_compiler"] is None
    assert torch.equal(again(x, x), x + x)


def test_shape_that_an_outputs_function_decides() -> None:
    def both(x: Any, y: Any, z: Any) -> Any:
        y = x + 1
        z = y * 2

    kernel = ninetoothed.make(
        rows, both, [Tensor(2) for _ in range(3)], outputs={"z": None, "y": shape_of_x}
    )
    x = torch.rand(8, 5)
    z, y = kernel(x)
    assert torch.equal(y, x + 1)
    assert torch.equal(z, y * 2)


@pytest.mark.parametrize("default", [True, None])
def test_sizes_that_some_calls_do_not_check(default: bool | None) -> None:
    """What says a shape is asked for the call's own element types and constants."""

    def arrangement(x: Any, flag: Any, z: Any) -> Any:
        return x.tile((1, -1)), flag, z.tile((1, -1))

    def application(x: Any, flag: Any, z: Any) -> Any:
        z = x * 2 if flag else ntl.sum(x)

    tensors = Tensor(2), Tensor(0, constexpr=True, value=default), Tensor(2)
    kernel = ninetoothed.make(arrangement, application, tensors, outputs=("z",))
    x = torch.rand(8, 5)
    assert torch.equal(kernel(x, True), x * 2)
    for _ in range(2):
        assert refused(lambda: kernel(x, False)) == (
            "outputs: nothing decides dim 1 of z, whose size follows neither from outermost levels "
            "nor from sizes that calls check to be equal; write outputs={'z': 'x'} if it is like "
            "x, or outputs={'z': lambda x: (…, …)} with its shape"
        )


def test_remarks_and_other_questions_leave_outputs_out() -> None:
    x = torch.ones(100)
    assert str(double.remarks(x))
    assert str(double.tuning_report(x))
    double.bound((x,), {})


def test_check_kernel() -> None:
    x = torch.ones(100)
    assert check_kernel(add, (x, x), torch.add)
    with pytest.raises(MismatchError, match="gives z other elements"):
        check_kernel(add, (x, x), torch.sub)


def test_copies() -> None:
    x = torch.arange(100.0)
    assert copy.deepcopy(add) is add
    assert torch.equal(pickle.loads(pickle.dumps(double))(x), x * 2)
    kernel = ninetoothed.make(
        two, doubled, (Tensor(1), Tensor(1)), outputs={"z": lambda x: x.shape}
    )
    with pytest.raises(SerializationError, match="which outputs= is given"):
        pickle.dumps(kernel)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda x: add(x),
            "added(x, y) takes 2 arguments, but 1 was given; y is missing",
        ),
        (
            lambda x: add(x, x, x),
            "added(x, y) takes 2 arguments, but 3 were given: z is allocated and returned; leave "
            "it out, or pass out=z",
        ),
        (
            lambda x: add(x, x, x, x),
            "added(x, y) takes 2 arguments, but 4 were given; leave the others out",
        ),
        (
            lambda x: add(x, x, z=x),
            "added(x, y) does not take z: z is allocated and returned; leave it out, or pass out=z",
        ),
        (lambda x: add(x, x, w=x), "added has no argument w; it takes no other keywords"),
        (lambda x: add(x, 3), "y must be a torch tensor of 1 dim, not 3"),
        (lambda x: add(x[None], x), "x must have 1 dim, but its shape is (1, 4)"),
        (lambda x: add(x, x, out=x[None]), "z must have 1 dim, but its shape is (1, 4)"),
        (lambda x: add(x, x, out=(x,)), "out must be the tensor z itself, not a tuple of 1"),
        (
            lambda x: add(x, x.double()),
            "nothing tells the element type of z, for those of the inputs differ (x has fp32, y "
            "has fp64); declare it, as in Tensor(1, dtype=ninetoothed.float32), or say what it is "
            "like, as in outputs={'z': 'x'}",
        ),
    ],
)
def test_refused_calls(call: Callable[[torch.Tensor], Any], message: str) -> None:
    x = torch.ones(4)
    for _ in range(2):
        assert refused(lambda: call(x)) == message


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        (
            (4, 4),
            "outputs: the function of z must return its shape, a tuple of 1 size, or (shape, "
            "dtype), not (4, 4)",
        ),
        (
            4,
            "outputs: the function of z must return its shape, a tuple of 1 size, or (shape, "
            "dtype), not 4",
        ),
        (
            (-1,),
            "outputs: the function of z must return its shape, a tuple of 1 size, or (shape, "
            "dtype), not (-1,)",
        ),
        (
            ((4,), "float"),
            "outputs: the function of z must return an element type behind the shape, such as "
            "torch.float32, not 'float'",
        ),
    ],
)
def test_refused_results_of_functions(returned: Any, message: str) -> None:
    kernel = ninetoothed.make(
        two, doubled, (Tensor(1), Tensor(1)), outputs={"z": lambda x: returned}
    )
    assert refused(lambda: kernel(torch.ones(4))) == message


def test_function_alone_that_says_too_few() -> None:
    kernel = ninetoothed.make(
        three, added, [Tensor(1) for _ in range(3)], outputs=lambda x: x.shape
    )
    assert refused(lambda: kernel(torch.ones(4))) == (
        "y is an output, and the application does not write it in calls like this one; leave it "
        "out of outputs="
    )

    def both(x: Any, y: Any, z: Any) -> Any:
        y = x
        z = x

    kernel = ninetoothed.make(
        three, both, [Tensor(1) for _ in range(3)], outputs=lambda x: (x.shape,)
    )
    assert refused(lambda: kernel(torch.ones(4))) == (
        "outputs: the function must return a tuple of 2 shapes, those of y, z, not "
        "(torch.Size([4]),)"
    )


def test_function_without_an_element_type() -> None:
    kernel = ninetoothed.make(
        three, added, [Tensor(1) for _ in range(3)], outputs={"z": shape_of_x}
    )
    message = refused(lambda: kernel(torch.ones(4), torch.ones(4).half()))
    assert message.endswith("or return (shape, dtype) from its function")


def test_functions_own_errors_are_shown() -> None:
    def shape(x: torch.Tensor) -> Any:
        raise ValueError("no shape")

    kernel = ninetoothed.make(two, doubled, (Tensor(1), Tensor(1)), outputs={"z": shape})
    with pytest.raises(ValueError, match="no shape"):
        kernel(torch.ones(4))


def test_kernels_without_outputs_return_nothing() -> None:
    kernel = ninetoothed.make(two, doubled, (Tensor(1), Tensor(1)))
    assert kernel(torch.ones(4), torch.empty(4)) is None


def test_inputs_that_differ_in_their_sizes_warn_as_ever() -> None:
    with pytest.warns(ninetoothed.errors.AgreementWarning):
        z = add(torch.ones(100), torch.ones(200))
    assert torch.equal(z, torch.full((100,), 2.0))


def test_repeated_calls_ask_no_facts(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    facts = Compilation.output_facts

    def noted(self: Compilation, *given: Any) -> Any:
        asked.append(given)
        return facts(self, *given)

    monkeypatch.setattr(Compilation, "output_facts", noted)
    kernel = ninetoothed.make(two, doubled, (Tensor(1), Tensor(1)), outputs=("z",))
    for size in (4, 4, 400):
        kernel(torch.ones(size))
    assert len(asked) == 1
    kernel(torch.ones(4).half())
    assert len(asked) == 2
