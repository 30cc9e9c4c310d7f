"""Calls that would store lanes that were never read are refused, and all others are not."""

from __future__ import annotations

import importlib
from typing import Any

import pytest
import torch

import ninetoothed
import ninetoothed.language as ntl
from examples.add import add_kernel
from examples.matmul import matmul_kernel
from ninetoothed import Tensor, check
from ninetoothed.errors import ArgumentError, ArrangementError
from ninetoothed.kernel.kernel import Kernel
from tests.support.examples import NAMES

# Applications assign to their parameters, which is a store.
# pyright: reportUnusedVariable=false


def blocks(*tensors: Tensor) -> tuple[Tensor, ...]:
    """Blocks of 4 elements."""
    return tuple(tensor.tile((4,)) for tensor in tensors)


def copy(x: Any, y: Any) -> None:
    """One element a lane."""
    y = x


def vectors(device: str, *sizes: int) -> list[torch.Tensor]:
    """Vectors of ones."""
    return [torch.ones(size, device=device) for size in sizes]


@pytest.mark.parametrize("sizes", [(10, 1000, 1000), (1000, 10, 1000)])
def test_a_sum_of_vectors_of_other_sizes(device: str, sizes: tuple[int, ...]) -> None:
    name = "lhs" if sizes[0] == 10 else "rhs"
    wanted = rf"output is written where {name} has no element.*output_size_0 <= {name}_size_0.*"
    with pytest.raises(ArgumentError, match=wanted + r"\(1000, 10\)"):
        add_kernel(*vectors(device, *sizes))


def test_longer_operands_are_read_in_part(device: str) -> None:
    x, y, output = vectors(device, 1000, 1000, 990)
    add_kernel(x, y, output)
    assert output.tolist() == [2.0] * 990


@pytest.mark.parametrize(
    ("shapes", "message"),
    [
        (((20, 65), (30, 40), (20, 40)), r"other ends before input.*\(65, 30\)"),
        (((20, 30), (65, 40), (20, 40)), r"input ends before other.*\(65, 30\)"),
        (((20, 64), (64, 40), (30, 40)), r"output is written where input.*\(30, 20\)"),
        (((20, 64), (64, 30), (20, 40)), r"output is written where other.*\(40, 30\)"),
    ],
)
def test_products_of_matrices_that_do_not_fit(
    device: str, shapes: tuple[tuple[int, int], ...], message: str
) -> None:
    with pytest.raises(ArgumentError, match=message):
        matmul_kernel(*(torch.ones(shape, device=device) for shape in shapes))


@pytest.mark.parametrize("shape", [(0, 64, 40), (20, 0, 40), (20, 64, 0)])
def test_empty_products(device: str, shape: tuple[int, int, int]) -> None:
    m, k, n = shape
    output = torch.ones((m, n), device=device)
    matmul_kernel(torch.ones((m, k), device=device), torch.ones((k, n), device=device), output)
    assert torch.equal(output, torch.full_like(output, k))


def test_nothing_is_stored_where_another_size_is_0(device: str) -> None:
    def arrangement(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        return x.tile((4, 4)), y.tile((4, 4))

    kernel = ninetoothed.make(arrangement, copy, (Tensor(2), Tensor(2)))
    kernel(torch.ones(0, 3, device=device), torch.ones(0, 4, device=device))
    with pytest.raises(ArgumentError, match=r"y_size_1 <= x_size_1 .*\(4, 3\)"):
        kernel(torch.ones(2, 3, device=device), torch.ones(2, 4, device=device))


def test_other_is_a_value(device: str) -> None:
    kernel = ninetoothed.make(blocks, copy, (Tensor(1, other=7.0), Tensor(1)))
    x, y = vectors(device, 9, 12)
    kernel(x, y)
    assert y.tolist() == [1.0] * 9 + [7.0] * 3


def test_padding_has_no_value_but_in_a_reduction(device: str) -> None:
    def padded(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        return x.pad(((1, 1),)).tile((4,)), y.tile((4,))

    message = r"y is written where x has no element, .*whatever the sizes; .*Tensor\(1, other=0\)"
    with pytest.raises(ArrangementError, match=message) as caught:
        ninetoothed.make(padded, copy, (Tensor(1), Tensor(1)))(*vectors(device, 6, 8))
    assert caught.value.loc is not None
    assert caught.value.loc.line == copy.__code__.co_firstlineno + 2

    def windows(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        return x.pad(((1, 1),)).tile((3,), strides=(1,)), y.tile((1,))

    def total(x: Any, y: Any) -> None:
        y = ntl.sum(x, keep_dims=True)

    kernel = ninetoothed.make(windows, total, (Tensor(1), Tensor(1)))
    x, y = vectors(device, 6, 6)
    kernel(x, y)
    assert y.tolist() == [2.0, 3.0, 3.0, 3.0, 3.0, 2.0]


def test_a_dim_of_one_program_has_no_index(device: str) -> None:
    """Where both tensors must have one program, none is beyond the end of the shorter one."""

    def halves(x: Tensor, scale: Tensor) -> tuple[Tensor, Tensor]:
        half = x.shape[-1] // 2
        parts = x.tile((1, half)).tile((1, -1))
        parts.dtype = parts.dtype.squeeze(0)
        parts.dtype.dtype = parts.dtype.dtype.squeeze(0)
        row = scale[None, :].tile((1, half)).expand((x.shape[0], -1))
        row.dtype = row.dtype.squeeze(0)
        return parts, row

    def scaled(x: Any, scale: Any) -> None:
        x[0] = x[0] * scale
        x[1] = x[1] * scale

    kernel = ninetoothed.make(halves, scaled, (Tensor(2), Tensor(1)))
    x = torch.ones((3, 14), device=device)
    kernel(x, torch.full((7,), 2.0, device=device))
    assert torch.equal(x, torch.full_like(x, 2.0))


@pytest.mark.filterwarnings("ignore::ninetoothed.errors.AgreementWarning")
def test_programs_without_an_element_read_0_along_a_dim_of_one_program(device: str) -> None:
    def first(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        return y[:1], x[:1]

    def put(y: Any, x: Any) -> None:
        y = x

    kernel = ninetoothed.make(first, put, (Tensor(2), Tensor(2)))
    y = torch.full((1, 5), 7.0, device=device)
    kernel(y, torch.ones((1, 3), device=device))
    assert y.tolist() == [[1.0, 1.0, 1.0, 0.0, 0.0]]


def test_a_dim_that_one_tensor_knows_to_be_of_one_program(device: str) -> None:
    def rows(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        return x[1:].tile((1,)).tile((-1,)), y.tile((1,)).tile((-1,))

    def each(x: Any, y: Any) -> None:
        for i in range(y.shape[0]):
            y[i] = x[i]

    kernel = ninetoothed.make(rows, each, (Tensor(1), Tensor(1)))
    y = torch.zeros(7, device=device)
    kernel(torch.arange(8.0, device=device), y)
    assert y.tolist() == [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]
    with pytest.raises(ArgumentError, match="y_size_0 <= x_size_0 - 1 must hold"):
        kernel(torch.arange(7.0, device=device), y)


def test_halves_and_joined_lanes_are_checked() -> None:
    def halves(x: Tensor, scale: Tensor, y: Tensor) -> tuple[Tensor, ...]:
        half = y.shape[0] // 2
        return x[half:].tile((half,)), scale.tile((-1,)), y[half:].tile((half,))

    def scaled(x: Any, scale: Any, y: Any) -> None:
        y = x * scale

    verdict = check(halves, scaled, (Tensor(1), Tensor(1), Tensor(1))).of("defined", "y")
    assert verdict.answer in ("proved", "checked"), verdict

    def doubled(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        return x.tile((4,)), y.tile((8,))

    def interleaved(x: Any, y: Any) -> None:
        y = ntl.ravel(ntl.join(x, x))

    report = check(doubled, interleaved, (Tensor(1), Tensor(1)))
    assert "selects" not in str(report.of("defined", "y"))


def taps(x: Tensor, weight: Tensor, y: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """A convolution of rows of channels: 3 taps in a loop."""
    x = x.pad(((1, 1), (0, 0))).tile((3, -1), strides=(1, -1), floor_mode=True)
    x.dtype = x.dtype.tile((1, -1)).squeeze(1)
    weight = weight.tile((1, -1, -1)).tile((3, 1, 1))
    weight.dtype = weight.dtype.squeeze((1, 2))
    weight.dtype.dtype = weight.dtype.dtype.squeeze(0)
    y = y.tile((1, -1)).squeeze(1)
    return x.squeeze(1), weight.squeeze((1, 2)).expand((y.shape[0],)), y


def products(x: Any, weight: Any, y: Any) -> None:
    """A matrix product a tap."""
    total = ntl.zeros(y.shape, dtype=ntl.float32)
    for tap in range(3):
        total += ntl.dot(x[tap], weight[tap])
    y = total


def sums(x: Any, weight: Any, y: Any) -> None:
    """A sum over channels a tap."""
    total = ntl.zeros(y.shape, dtype=ntl.float32)
    for tap in range(3):
        total += ntl.sum(x[tap][:, :, None] * weight[tap][None, :, :], axis=1)
    y = total


@pytest.mark.parametrize("channels", [1, 16])
@pytest.mark.parametrize("application", [products, sums])
def test_places_in_padding_are_the_identity(device: str, application: Any, channels: int) -> None:
    kernel = ninetoothed.make(taps, application, (Tensor(2), Tensor(3), Tensor(2)))
    x = torch.ones((10, channels), device=device)
    y = torch.zeros((10, 16), device=device)
    kernel(x, torch.ones((3, channels, 16), device=device), y)
    expected = torch.full_like(y, 3.0 * channels)
    expected[[0, -1]] = 2.0 * channels
    assert torch.equal(y, expected)


def test_a_reduced_dim_of_one_lane(device: str) -> None:
    def windows(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        return x.pad(((1, 1),)).tile((1,)), y.tile((1,))

    def total(x: Any, y: Any) -> None:
        y = ntl.sum(x, keep_dims=True)

    kernel = ninetoothed.make(windows, total, (Tensor(1), Tensor(1)))
    x, y = vectors(device, 2, 4)
    kernel(x, y)
    assert y.tolist() == [0.0, 1.0, 1.0, 0.0]


def test_a_condition_on_offsets_is_followed() -> None:
    def halves(x: Any, y: Any) -> None:
        y = ntl.where(y.offsets(0) < x.source.shape[0], x, 0.0)

    report = check(blocks, halves, (Tensor(1), Tensor(1)))
    assert report.of("defined", "y").answer == "proved"


def test_selections_by_data_and_pointers_are_open() -> None:
    def selected(x: Any, mask: Any, y: Any) -> None:
        y = ntl.where(mask > 0, x, 0.0)

    report = check(blocks, selected, (Tensor(1), Tensor(1), Tensor(1)))
    verdict = report.of("defined", "y")
    assert verdict.answer == "undecided"
    assert str(verdict).startswith("data or a number of the call selects what is stored")


def test_both_sides_of_a_selection_are_stored() -> None:
    def leaky(x: Any, y: Any) -> None:
        y = ntl.where(x > 0, x, 0.1 * x)

    verdict = check(blocks, leaky, (Tensor(1), Tensor(1))).of("defined", "y")
    assert (verdict.answer, str(verdict)) == ("checked", "y_size_0 <= x_size_0")


_OPEN = {
    *("embedding_kernel", "cross_entropy_forward_kernel", "dropout_kernel"),
    *("grouped_matmul_kernel", "unpad_kernel", "layer_norm_backward_kernel", "addmm_kernel"),
    "w4a16_matmul_kernel",
}
"""Kernels that select or read by data or where a number of the call says so, or of which sequences
have their own lengths; a bias' gradient, summed in a program; and a sum over both halves of groups:
the right answer, or one for which no proof was found yet."""


def rows_of_programs(input: Any, partial: Any) -> tuple[Any, Any]:
    programs = partial.shape[0]
    rows = (input.shape[0] + programs - 1) // programs
    arranged = input.tile((1, -1)).tile((rows, 1))
    arranged.dtype = arranged.dtype.squeeze(1)
    return arranged, partial.tile((1, -1))


def sums_of_rows(input: Any, partial: Any) -> None:
    total = ntl.zeros(partial.shape, dtype=ntl.float32)
    for i in range(input.shape[0]):
        exists = input[i].offsets(0) < input.source.shape[0]
        total += ntl.where(exists, input[i], 0.0)
    partial = total


def test_rows_that_offsets_select_are_proved_or_checked() -> None:
    sums = ninetoothed.make(rows_of_programs, sums_of_rows, (Tensor(2), Tensor(2)))
    assert sums.report().of("defined", "partial").answer == "proved"
    rotary = importlib.import_module("examples.rotary_embedding").rotary_embedding_kernel
    assert rotary.report().of("defined", "output").answer == "checked"


@pytest.mark.parametrize("name", NAMES)
def test_examples(name: str) -> None:

    module = importlib.import_module(f"examples.{name}")
    for kernel in [value for value in vars(module).values() if isinstance(value, Kernel)]:
        constexprs = {
            parameter.name: True
            for parameter in kernel.definition.parameters
            if parameter.kind == "constexpr"
        }
        for verdict in kernel.report(values=constexprs).verdicts:
            if verdict.question == "defined" and verdict.text != "some addresses are computed":
                wanted = ("undecided",) if kernel.definition.name in _OPEN else ()
                assert verdict.answer in ("proved", "checked", *wanted), (kernel, verdict)
