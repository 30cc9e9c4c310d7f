"""Programs are given elements of the outermost levels by number, in each class of signatures.

``interpret`` runs a kernel at ``nt`` and at ``tt``, whatever class a call would choose by itself.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import torch

import ninetoothed
import ninetoothed.language as ntl
from ninetoothed import Tensor
from ninetoothed.artifacts.signature import Agreement
from ninetoothed.calls.arguments import bind
from ninetoothed.compiler.compile import lower
from ninetoothed.errors import AgreementWarning, ArgumentError, ArrangementError
from ninetoothed.interpreters import interpret
from ninetoothed.kernel.kernel import Kernel
from ninetoothed.verification.translation import validate
from tests.support.spaces import by_block_sizes

CLASSES: tuple[Agreement, ...] = ("shapes", "counts", "any")


def made(
    arrangement: Callable[..., object],
    application: Callable[..., object],
    *tensors: Tensor,
    strict: bool = False,
) -> Kernel:
    """The kernel; what ``make`` warns of outermost levels is not in question here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AgreementWarning)
        return ninetoothed.make(arrangement, application, tensors, strict=strict)


def run(kernel: Kernel, agreement: Agreement, *values: Any) -> list[list[Any]]:
    """The arguments behind a run in a class of signatures: at ``nt`` and at ``tt``, for several
    block sizes.
    """
    signature = replace(
        bind(kernel.definition.interface, values, {}).signature, agreement=agreement
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AgreementWarning)
        module = kernel.composed(signature)
    found: list[list[Any]] = []
    for config in by_block_sizes(module, signature)[:3]:
        constants = {**dict(signature.constants), **dict(config.values)}
        for stage, known in ((module, constants), (lower(module, signature, config), {})):
            arguments = [v.clone() if isinstance(v, torch.Tensor) else v for v in values]
            interpret(stage, arguments, known)
            found.append(arguments)
    return found


def numbers(*shape: int) -> torch.Tensor:
    """1, 2, … in row-major order."""
    return torch.arange(1.0, 1.0 + torch.Size(shape).numel()).reshape(shape)


def elements(*tensors: Tensor) -> tuple[Tensor, ...]:
    """Outermost levels of the tensors' own shapes, over blocks of no dims."""
    found: list[Tensor] = []
    for tensor in tensors:
        tensor = tensor.tile((1,) * tensor.ndim)
        assert isinstance(tensor.dtype, Tensor)
        tensor.dtype = tensor.dtype.squeeze(tuple(range(tensor.ndim)))
        found.append(tensor)
    return tuple(found)


def blocks(*tensors: Tensor) -> tuple[Tensor, ...]:
    """Blocks of 4."""
    return tuple(tensor.tile((4,)) for tensor in tensors)


SHAPES = [
    ((2, 3, 4), (24,)),
    ((24,), (2, 3, 4)),
    ((6, 4), (2, 3, 4)),
    ((4, 6), (2, 3, 4)),
    ((1, 24), (24, 1)),
    ((3, 5), (5, 3)),
    ((1,), (1, 1, 1)),
    ((0, 3), (7, 0)),
    ((0,), (2, 0, 3)),
]


@pytest.mark.parametrize(("grid", "own"), SHAPES, ids=str)
@pytest.mark.parametrize("agreement", CLASSES)
def test_equal_counts_agree_whatever_the_dims(
    grid: tuple[int, ...], own: tuple[int, ...], agreement: Agreement
) -> None:
    if agreement == "shapes" and len(grid) == len(own):
        pytest.skip("the class of equal shapes does not take these")

    def application(x, y):
        x = y + 1

    kernel = made(elements, application, Tensor(len(grid)), Tensor(len(own)))
    for x, _ in run(kernel, agreement, torch.zeros(grid), numbers(*own)):
        assert torch.equal(x.flatten(), numbers(*own).flatten() + 1)


@pytest.mark.parametrize("agreement", CLASSES)
def test_blocks_with_partial_last_ones(agreement: Agreement) -> None:
    """Runs of dims with equal products are reshaped apart; tails are masked as ever."""

    def application(x, y):
        y = x

    kernel = made(
        lambda x, y: (squeezed(x.tile((1, 1, 4)), 0, 1), squeezed(y.tile((1, 4)), 0)),
        application,
        Tensor(shape=(2, 3, 7)),
        Tensor(shape=(6, 7)),
    )
    for x, y in run(kernel, agreement, numbers(2, 3, 7), torch.zeros(6, 7)):
        assert torch.equal(x.reshape(6, 7), y)


def squeezed(tensor: Tensor, *dims: int) -> Tensor:
    """``tensor`` with dims of its blocks removed."""
    assert isinstance(tensor.dtype, Tensor)
    tensor.dtype = tensor.dtype.squeeze(dims)
    return tensor


def test_counts_that_a_call_shows_to_differ() -> None:
    def application(x, y):
        x = y

    kernel = made(elements, application, Tensor(1), Tensor(2))
    for agreement in ("shapes", "counts"):
        with pytest.raises(ArgumentError) as error:
            run(kernel, agreement, torch.zeros(7), numbers(2, 3))
        assert error.value.message == (
            "the outermost levels of x and y must have equally many elements, one a program: they "
            "have (7,) and (6,)"
        )


@pytest.mark.parametrize("count", [0, 1, 3, 4, 5, 8, 9, 12, 13, 20])
def test_reads_of_programs_without_an_element(count: int) -> None:
    """0 is a value of a reduction there; lanes outside a block that exists are none, as ever."""

    def application(output, x):
        output = ntl.max(x, axis=0)

    kernel = made(
        lambda output, x: (*elements(output), *blocks(x)), application, Tensor(1), Tensor(1)
    )
    data = -numbers(count)
    expected = torch.tensor(
        [max([*data[4 * p : 4 * p + 4].tolist()], default=0.0) for p in range(3)]
    )
    for output, _ in run(kernel, "any", torch.full((3,), 7.0), data):
        assert torch.equal(output, expected)


@pytest.mark.parametrize("count", [0, 1, 3, 6, 8, 13])
def test_other_of_programs_without_an_element(count: int) -> None:
    def application(output, x):
        output = ntl.sum(x, axis=0)

    kernel = made(
        lambda output, x: (*elements(output), *blocks(x)),
        application,
        Tensor(1),
        Tensor(1, other=5.0),
    )
    data = numbers(count)
    padded = torch.cat([data, torch.full((100,), 5.0)])
    for output, _ in run(kernel, "any", torch.zeros(3), data):
        assert torch.equal(output, padded[:12].reshape(3, 4).sum(1))


@pytest.mark.parametrize(
    "own", [(0,), (1,), (5,), (6,), (7,), (2, 2), (2, 3), (4, 4), (1, 1, 1), (3, 0)]
)
def test_loops_over_levels_between(own: tuple[int, ...]) -> None:
    """Also where an index of a level between is read."""

    def arrangement(output: Tensor, x: Tensor) -> tuple[Tensor, ...]:
        inner = x.tile((1,) * (x.ndim - 1) + (2,)).tile((1,) * (x.ndim - 1) + (2,))
        outer = squeezed(inner, *range(x.ndim - 1)) if x.ndim > 1 else inner
        assert isinstance(outer.dtype, Tensor)
        if x.ndim > 1:
            assert isinstance(outer.dtype.dtype, Tensor)
            outer.dtype.dtype = outer.dtype.dtype.squeeze(tuple(range(x.ndim - 1)))
        return (*elements(output), outer)

    def application(output, x):
        total = 0.0
        for k in range(x.shape[0]):
            total += ntl.sum(x[k], axis=0)
        output = total

    kernel = made(arrangement, application, Tensor(1), Tensor(len(own)))
    data = numbers(*own)
    last = own[-1]
    width = (last + 3) // 4
    wide = torch.zeros(*own[:-1], width * 4)
    wide[..., :last] = data
    sums = torch.cat([wide.reshape(-1, 4).sum(1), torch.zeros(6)])[:6]
    for output, _ in run(kernel, "any", torch.zeros(6), data):
        assert torch.equal(output, sums)


@pytest.mark.parametrize("own", [(0,), (1,), (6,), (2, 3), (1, 4), (1, 1)])
def test_writes_of_programs_without_an_element(own: tuple[int, ...]) -> None:
    def application(x, output):
        output = x + 1

    kernel = made(elements, application, Tensor(1), Tensor(len(own)))
    for x, output in run(kernel, "any", numbers(6), torch.zeros(own)):
        assert torch.equal(output.flatten(), x[: output.numel()] + 1)


def test_updates_of_programs_without_an_element() -> None:
    """A read behind a write is of what was written, and 0 where nothing was."""

    def application(x, output, copy):
        output = x + 1
        copy = output

    kernel = made(elements, application, Tensor(1), Tensor(1), Tensor(1))
    values = (numbers(6), torch.zeros(4), torch.full((6,), 9.0))
    for x, output, copy in run(kernel, "any", *values):
        assert torch.equal(output, x[:4] + 1)
        assert torch.equal(copy, torch.tensor([2.0, 3, 4, 5, 0, 0]))


def test_an_element_of_no_dims() -> None:
    """A level of no dims has one element, which the first program is given."""

    def arrangement(output: Tensor, x: Tensor) -> tuple[Tensor, ...]:
        return (*elements(output), x.tile((-1,)).squeeze(0))

    def application(output, x):
        output = ntl.sum(x, axis=0)

    kernel = made(arrangement, application, Tensor(1), Tensor(1))
    for output, _ in run(kernel, "any", torch.full((3,), 9.0), numbers(4)):
        assert torch.equal(output, torch.tensor([10.0, 0, 0]))


def test_a_grid_of_no_dims() -> None:
    def arrangement(x: Tensor, output: Tensor) -> tuple[Tensor, ...]:
        return (x.tile((-1,)).squeeze(0), *elements(output))

    def application(x, output):
        output = ntl.sum(x, axis=0)

    kernel = made(arrangement, application, Tensor(1), Tensor(1))
    for agreement in CLASSES:
        for _, output in run(kernel, agreement, numbers(4), torch.zeros(1)):
            assert output.item() == 10


def test_gather_and_scatter_inside_blocks() -> None:
    """``nt.address`` has the guard of the program, too."""

    def application(x, y, output):
        lanes = 3 - ntl.arange(0, 4)
        output[lanes] = y[lanes] - x

    kernel = made(blocks, application, Tensor(1), Tensor(1), Tensor(1))
    y, before = numbers(8), torch.full((8,), 100.0)
    for x, _, output in run(kernel, "any", numbers(12), y, before):
        lanes = torch.tensor([3, 2, 1, 0, 7, 6, 5, 4])
        expected = torch.empty(8)
        expected[lanes] = y[lanes] - x[:8]
        assert torch.equal(output, expected)


def test_gather_of_a_program_without_an_element_is_0() -> None:
    def application(output, x):
        output = ntl.max(x[ntl.arange(0, 4)], axis=0)

    kernel = made(
        lambda output, x: (*elements(output), *blocks(x)), application, Tensor(1), Tensor(1)
    )
    for output, _ in run(kernel, "any", torch.ones(3), -numbers(7)):
        assert torch.equal(output, torch.tensor([-1.0, -5, 0]))


def test_more_elements_that_are_read() -> None:
    def application(output, x):
        output = x

    kernel = made(elements, application, Tensor(1), Tensor(2))
    for output, x in run(kernel, "any", torch.zeros(5), numbers(2, 4)):
        assert torch.equal(output, x.flatten()[:5])


def test_more_elements_that_are_written() -> None:
    def application(x, output):
        output = x

    kernel = made(elements, application, Tensor(1), Tensor(1))
    with pytest.raises(ArgumentError) as error:
        run(kernel, "any", torch.zeros(5), torch.zeros(6))
    assert error.value.message == (
        "output is written, so its outermost level must have no more elements than there are "
        "programs, one an element of x: they are (6,) and (5,)"
    )


@pytest.mark.parametrize("agreement", CLASSES)
def test_what_is_not_accessed_imposes_nothing(agreement: Agreement) -> None:
    """Unused, only asked, read through its pointer, and not arranged and only indexed."""

    def application(x, unused, asked, pointed, indexed, output):
        scale = asked.source.shape[0] + asked.source.stride(0)
        first = ntl.load(pointed.data_ptr())
        output = x * scale + first + indexed[2]

    def arrangement(x, unused, asked, pointed, indexed, output):
        x, unused, asked, pointed, output = elements(x, unused, asked, pointed, output)
        return x, unused, asked, pointed, indexed, output

    kernel = made(arrangement, application, *map(Tensor, (1, 2, 1, 3, 1, 1)))
    values = (
        *(numbers(6), numbers(3, 3), numbers(7), numbers(1, 2, 3), numbers(4)),
        torch.zeros(6),
    )
    for x, *_, output in run(kernel, agreement, *values):
        assert torch.equal(output, x * 8 + 1 + 3)


@pytest.mark.parametrize("agreement", CLASSES)
def test_offsets_impose_nothing_and_are_right(agreement: Agreement) -> None:
    def application(x, y, output):
        output = ntl.load(y.data_ptr() + y.offsets()) + x

    kernel = made(elements, application, Tensor(1), Tensor(2), Tensor(1))
    y = numbers(4, 5)[:, 1:4]
    for x, _, output in run(kernel, agreement, numbers(12), y, torch.zeros(12)):
        assert torch.equal(output, x + y.flatten())


def test_the_first_tensor_gives_the_grid_even_if_unused() -> None:
    def application(x, y, output):
        output = y

    kernel = made(elements, application, Tensor(1), Tensor(1), Tensor(1))
    values = (numbers(3), numbers(5), torch.zeros(5))
    with pytest.raises(ArgumentError, match="the outermost shapes of x and y must be equal"):
        run(kernel, "shapes", *values)
    with pytest.raises(ArgumentError, match="output is written, so its outermost level must have"):
        run(kernel, "any", *values)


def _add(x, y, output):
    output = x + y


def test_a_warning_a_tensor() -> None:
    with pytest.warns(AgreementWarning) as found:
        ninetoothed.make(
            blocks, _add, (Tensor(shape=(16,)), Tensor(shape=(8,)), Tensor(shape=(16,)))
        )
    (warning,) = (one.message for one in found)
    assert isinstance(warning, AgreementWarning)
    assert warning.message == (
        "the outermost level of y has fewer elements than there are programs, one an element of x: "
        "their outermost shapes are (2,) and (4,); programs without an element read 0; tile, "
        "expand or squeeze until they are equal"
    )
    assert warning.loc is not None
    assert warning.loc.file == __file__


def test_a_class_of_any_counts_warns_once() -> None:
    kernel = ninetoothed.make(blocks, _add, (Tensor(1), Tensor(1, other=1.0), Tensor(1)))
    values = (numbers(16), numbers(8), numbers(16))
    signature = bind(kernel.definition.interface, values, {}).signature
    with pytest.warns(AgreementWarning) as found:
        kernel.composed(replace(signature, agreement="any"))
    (text,) = (str(one.message).partition("\n")[0] for one in found)
    assert text == (
        "a call gives the outermost level of y or output another number of elements than there are "
        "programs, one an element of x: the outermost shapes are (-(-y_size_0 // 4),) of y, "
        "(-(-output_size_0 // 4),) of output and (-(-x_size_0 // 4),) of x; programs without an "
        "element read other and write nothing, elements without a program are not reached; tile, "
        "expand or squeeze until they are equal"
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        kernel.composed(replace(signature, agreement="any", index_bits=64))


def test_a_strict_kernel_has_no_class_of_any_counts() -> None:
    kernel = ninetoothed.make(blocks, _add, (Tensor(1), Tensor(1), Tensor(1)), strict=True)
    signature = bind(kernel.definition.interface, [numbers(8)] * 3, {}).signature
    kernel.composed(replace(signature, agreement="counts"))
    with pytest.raises(
        ArrangementError, match="a call gives the outermost level of y or output another number"
    ):
        kernel.composed(replace(signature, agreement="any"))


def test_equal_tensors_are_not_renumbered() -> None:
    """The code of a kernel whose shapes are proved equal is one for all classes."""
    kernel = ninetoothed.make(blocks, _add, tuple(Tensor(shape=(16,)) for _ in range(3)))
    signature = bind(kernel.definition.interface, [numbers(16)] * 3, {}).signature
    texts = {str(kernel.composed(replace(signature, agreement=one))) for one in CLASSES}
    assert len(texts) == 1


@pytest.mark.parametrize("agreement", ["counts", "any"])
def test_every_pass_behind_the_numbering_touches_the_same(agreement: Agreement) -> None:
    def application(output, x):
        output = ntl.max(x, axis=0)

    kernel = made(
        lambda output, x: (*elements(output), squeezed(x.tile((1, 4)), 0)),
        application,
        Tensor(1),
        Tensor(2),
    )
    values = (torch.zeros(6), numbers(2, 9))
    signature = bind(kernel.definition.interface, values, {}).signature
    signature = replace(signature, agreement=agreement)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AgreementWarning)
        module = kernel.composed(signature)
    config = by_block_sizes(module, signature)[0]
    report = validate(kernel.definition, signature, config)
    assert report.cases > 3


def _verdict(kernel: Kernel, question: str, subject: str) -> tuple[str, str]:
    found = kernel.report().of(question, subject)
    return found.answer, str(found)


def test_report() -> None:
    def application(x, y, unused, output, sums):
        output = x + y
        sums = sums + x

    kernel = made(
        elements,
        application,
        Tensor(shape=(2, 3)),
        Tensor(shape=(6,)),
        Tensor(1),
        Tensor(shape=(4,)),
        Tensor(shape=(5,)),
    )
    assert _verdict(kernel, "agreement", "x, y") == (
        "proved",
        "as many elements: (6,) for programs (2, 3)",
    )
    assert _verdict(kernel, "agreement", "x, unused") == (
        "proved",
        "nothing to agree on: no element is read or written",
    )
    assert _verdict(kernel, "agreement", "x, output") == (
        "disproved",
        "(4,) for programs (2, 3): programs without an element write nothing",
    )
    assert _verdict(kernel, "agreement", "x, sums") == (
        "disproved",
        "(5,) for programs (2, 3): programs without an element read other or 0 and write nothing",
    )
    assert _verdict(kernel, "coverage", "output")[0] == "proved"
    assert _verdict(kernel, "races", "output")[0] == "proved"
    assert _verdict(kernel, "in bounds", "output")[0] == "proved"
    assert _verdict(kernel, "in bounds", "y") == (
        "proved",
        "every lane is an element, without a guard",
    )


def test_report_of_counts_that_a_call_decides() -> None:
    def application(x, output):
        output = x

    kernel = made(elements, application, Tensor(1), Tensor(2))
    assert _verdict(kernel, "agreement", "x, output") == (
        "checked",
        "x_size_0 = output_size_0 * output_size_1",
    )
    for question in ("coverage", "races", "in bounds"):
        assert _verdict(kernel, question, "output")[0] == "proved"
