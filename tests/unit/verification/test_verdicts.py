"""Reports: what each says of the examples and of kernels that race, leave gaps, or stay open."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

import pytest

import ninetoothed
import ninetoothed.language as ntl
from examples.add import add_kernel
from examples.matmul import matmul_kernel
from examples.softmax import softmax_kernel
from ninetoothed import NineToothedError, Symbol, Tensor, check, make
from ninetoothed.errors import RaceError
from ninetoothed.verification.verdicts import BENIGN, DISPROVED, PROVED, UNDECIDED, Report
from tests.support.golden import Golden

# Applications assign to their parameters, which is a store.
# pyright: reportUnusedVariable=false

B = Symbol("B", meta=True)
EXAMPLES = {"add": add_kernel, "matmul": matmul_kernel, "softmax": softmax_kernel}


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples(name: str, golden: Golden) -> None:
    golden(f"{name}.report", str(EXAMPLES[name].report()))


def test_a_report_says_what_it_assumes() -> None:
    assert (
        add_kernel.report().assumed == "element types assumed: lhs: fp32, rhs: fp32, output: fp32"
    )
    given = {"lhs": "fp16", "rhs": "fp16", "output": "fp16"}
    assert add_kernel.report(given).assumed == ""
    with pytest.raises(NineToothedError, match="there is no parameter z"):
        add_kernel.report({"z": "fp16"})


def overlapping(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    """Blocks of 4 elements, each 2 behind the one before."""
    return x.tile((4,), strides=(2,)), y.tile((4,), strides=(2,))


def copy(x: Any, y: Any) -> None:
    """One element a lane."""
    y = x


RACING = """
copy
  agreement    x, y  checked    (x_size_0 ceildiv 2 - 1,) = (y_size_0 ceildiv 2 - 1,)
  in bounds    x     proved     where b0 + g0 * 2 < x_size_0
  in bounds    y     proved     where b0 + g0 * 2 < y_size_0
  coverage     y     disproved  an element is never written: element (0,), where y_size_0 = 1
  races        y     disproved  two programs write one element: element (2,), by programs (0,) and \
(1,), where y_size_0 = 5
  defined      y     undecided  no proof was found
  index width  x     proved     at most x_size_0 * x_stride_0 - x_stride_0; 32 bits where that of \
every tensor is below 2**31 - 2**20, else 64
  index width  y     proved     at most y_size_0 * y_stride_0 - y_stride_0; 32 bits where that of \
every tensor is below 2**31 - 2**20, else 64
"""


def test_a_racing_kernel() -> None:
    report = check(overlapping, copy, (Tensor(1), Tensor(1)))
    assert str(report) == RACING.strip("\n")
    verdict = report.of("races", "y")
    assert verdict.loc is not None
    assert verdict.loc.line == copy.__code__.co_firstlineno + 2
    assert verdict.example is not None
    assert verdict.example.sizes == {"y_size_0": 5}
    assert (verdict.example.element, verdict.example.programs) == ((2,), ((0,), (1,)))
    with pytest.raises(KeyError, match="races of x"):
        report.of("races", "x")


def tiled(*tensors: Tensor) -> tuple[Tensor, ...]:
    """Blocks of B elements."""
    return tuple(tensor.tile((B,)) for tensor in tensors)


def rows(*tensors: Tensor) -> tuple[Tensor, ...]:
    """The blocks of a row."""
    return tuple(_row(tensor) for tensor in tensors)


def _row(tensor: Tensor) -> Tensor:
    result = tensor.tile((1, B)).tile((1, -1))
    below = result.dtype
    assert isinstance(below, Tensor)
    result.dtype = below.squeeze(0)
    return result


def sums(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    """Programs by blocks; the output is one block for all."""
    return x.tile((B,)), y.tile((-1,)).expand((x.tile((B,)).shape[0],))


def whole(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    """All of both, for as many programs as y has elements."""
    count = y.shape[0]
    return x.tile((-1,)).expand((count,)), y.tile((-1,)).expand((count,))


def each(x: Any, y: Any) -> None:
    """All blocks of a row."""
    for i in range(y.shape[0]):
        y[i] = x[i]


def backwards(x: Any, y: Any) -> None:
    """All blocks of a row, the last one first."""
    for i in range(y.shape[0] - 1, -1, -1):
        y[i] = x[i]


def first(x: Any, y: Any) -> None:
    """One block of a row."""
    y[0] = x[0]


def squares(x: Any, y: Any) -> None:
    """Blocks 0, 1, 4, …"""
    for i in range(y.shape[0]):
        y[i * i] = x[i * i]


def as_many_as_the_other(x: Any, y: Any) -> None:
    """As many blocks as x has."""
    for i in range(x.shape[0]):
        y[i] = x[i]


def positive(x: Any, y: Any) -> None:
    """Some blocks of a row."""
    for i in range(y.shape[0]):
        if ntl.sum(x[i]) > 0:
            y[i] = x[i]


def largest(x: Any, y: Any) -> None:
    """The block that another names."""
    y[ntl.max(x[0]).to(ntl.int32)] = x[0]


def zeros(x: Any, y: Any) -> None:
    """The same for all programs."""
    y = 0.0


def total(x: Any, y: Any) -> None:
    """One number a program."""
    y = ntl.zeros(y.shape, dtype=ntl.float32) + ntl.sum(x)


def places(x: Any, y: Any) -> None:
    """A number for each place."""
    y = y.offsets(0)


def added(x: Any, y: Any) -> None:
    """Added atomically."""
    ntl.atomic_add(y.source.data_ptr() + y.offsets(), ntl.sum(x))


def pointed(x: Any, y: Any) -> None:
    """Through pointers."""
    ntl.store(y.source.data_ptr() + x.offsets(), x)


def twice(x: Any, y: Any) -> None:
    """The same, two times: what is overwritten is not written."""
    y = 0.0
    y = 1.0


ANSWERS: list[tuple[str, Callable[..., Any], Callable[..., Any], int, str, str]] = [
    # name, arrangement, application, ndim, coverage, races
    ("tiles", tiled, copy, 1, PROVED, PROVED),
    ("rows", rows, each, 2, PROVED, PROVED),
    ("rows backwards", rows, backwards, 2, PROVED, PROVED),
    ("the first block", rows, first, 2, DISPROVED, PROVED),
    ("squares", rows, squares, 2, DISPROVED, PROVED),
    ("as many as the other", rows, as_many_as_the_other, 2, DISPROVED, PROVED),
    ("conditional", rows, positive, 2, UNDECIDED, PROVED),
    ("data-dependent", rows, largest, 2, UNDECIDED, PROVED),
    ("atomics", sums, added, 1, UNDECIDED, PROVED),
    ("pointers", sums, pointed, 1, UNDECIDED, UNDECIDED),
    ("zeros", sums, zeros, 1, UNDECIDED, BENIGN),
    ("places", sums, places, 1, UNDECIDED, BENIGN),
    ("each its own sum", sums, total, 1, UNDECIDED, DISPROVED),
    ("twice", sums, twice, 1, UNDECIDED, BENIGN),
    ("whole copies", whole, copy, 1, PROVED, BENIGN),
    ("overlapping", overlapping, copy, 1, DISPROVED, DISPROVED),
]


@pytest.mark.parametrize("row", ANSWERS, ids=[row[0] for row in ANSWERS])
def test_answers(row: tuple[Any, ...]) -> None:
    _, arrangement, application, ndim, coverage, races = row
    report = check(arrangement, application, (Tensor(ndim), Tensor(ndim)))
    assert report.of("coverage", "y").answer == coverage, report
    assert report.of("races", "y").answer == races, report
    assert all(report.of("in bounds", name).answer == PROVED for name in "xy")


def text(report: Report, question: str) -> str:
    """Verdicts on y."""
    return str(report.of(question, "y"))


def test_why_verdicts_are_open() -> None:
    def of(application: Callable[..., Any], arrangement: Any = rows, ndim: int = 2) -> Report:
        return check(arrangement, application, (Tensor(ndim), Tensor(ndim)))

    assert text(of(positive), "coverage") == "whether a store is executed is known at run time only"
    assert text(of(largest), "coverage") == "an index is known at run time only"
    assert text(of(pointed, sums, 1), "races") == "some addresses are computed"
    assert text(of(added, sums, 1), "races") == "only atomics write"
    assert text(of(zeros, sums, 1), "races") == (
        "programs that differ in dim 0 write the same value: element (0,), by programs (0,) and "
        "(1,), where y_size_0 = 33, x_size_0 = 33, B = 32"
    )


def test_sizes_of_examples_are_those_of_a_call() -> None:
    # One program reads x, so a call has one program, and y's blocks do not race.
    def arrangement(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        return x.tile((-1,)), y.tile((-1,)).expand((x.shape[0],))

    report = check(arrangement, copy, (Tensor(1), Tensor(1)))
    assert report.of("races", "y").answer == UNDECIDED

    # Only a y of 9 elements has four programs, as x has.
    def fixed(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        return x.tile((2,)), y.tile((2,), floor_mode=True)

    report = check(fixed, copy, (Tensor(shape=(8,)), Tensor(1)))
    assert report.of("coverage", "y").answer == UNDECIDED
    report = check(fixed, copy, (Tensor(shape=(4,)), Tensor(1)))
    assert text(report, "coverage") == (
        "an element is never written: element (4,), where y_size_0 = 5"
    )


def test_dims_that_are_expanded_and_empty_in_every_call() -> None:
    # The second slice has (step - 2) // (step - 1) elements, which is 0.
    step = Symbol("step", lower_bound=2)

    def arrangement(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        return x, y[2:-1:2, 1 : 1 : step - 1].expand((1, 1))

    report = check(arrangement, copy, (Tensor(2), Tensor(2)))
    assert str(report.of("in bounds", "y")) == "no element exists: never 0 < 0"
    assert text(report, "coverage") == (
        "an element is never written: element (0, 0), where y_size_0 = 2, y_size_1 = 2, step = 2"
    )
    assert report.of("races", "y").answer == PROVED


def test_guards_that_never_hold() -> None:
    def arrangement(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        return x.pad(((4, 0),))[:4].tile((4,)), y.tile((1,))

    report = check(arrangement, total, (Tensor(1), Tensor(1)))
    assert str(report.of("in bounds", "x")) == "no element exists: never b0 - 4 < x_size_0"


def test_jagged_tensors() -> None:
    def arrangement(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        return x.tile((1, B)), y.tile((1, B))

    def shifted(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        return x.tile((1, B)), y.pad(((0, 0), (1, -1))).tile((1, B))

    tensors = (Tensor(2, jagged_dim=1), Tensor(2, jagged_dim=1))
    report = check(arrangement, copy, tensors)
    assert text(report, "coverage") == "every element is written"
    assert text(report, "races") == "no two programs write one element"
    report = check(shifted, copy, tensors)
    assert text(report, "coverage") == (
        "an element is never written: element (0, 0), where y_size_0 = 1, y_size_1 = 1, B = 32"
    )


def made(arrangement: Any, application: Any, *tensors: Tensor, **options: Any) -> list[str]:
    """The warnings of ``make``."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        make(arrangement, application, tensors, **options)
    return [str(one.message) for one in caught]


def test_who_is_warned() -> None:
    assert len(made(overlapping, copy, Tensor(1), Tensor(1))) == 1
    assert made(overlapping, copy, Tensor(1), Tensor(1, allow_races=True)) == []
    assert made(sums, zeros, Tensor(1), Tensor(1)) == []
    assert made(sums, places, Tensor(1), Tensor(1)) == []
    assert made(sums, added, Tensor(1), Tensor(1)) == []
    assert made(sums, pointed, Tensor(1), Tensor(1)) == []
    assert made(rows, largest, Tensor(2), Tensor(2)) == []


def test_the_warning_stands_at_the_call_of_make() -> None:
    with pytest.warns(ninetoothed.RaceWarning) as caught:
        make(overlapping, copy, (Tensor(1), Tensor(1)))
    line = test_the_warning_stands_at_the_call_of_make.__code__.co_firstlineno + 2
    (one,) = caught
    assert (one.filename, one.lineno) == (__file__, line)
    assert str(one.message) == (
        "two programs write one element of y: element (2,), by programs (0,) and (1,), where "
        "y_size_0 = 5; give each its own elements, add with ntl.atomic_add, or declare "
        "Tensor(..., allow_races=True)\n"
        f'  File "{__file__}", line {copy.__code__.co_firstlineno + 2}, column 5, in copy\n'
        "    y = x\n"
        "    ^"
    )


def test_strict_is_silent_where_nothing_races(monkeypatch: pytest.MonkeyPatch) -> None:
    assert made(tiled, copy, Tensor(1), Tensor(1), strict=True) == []
    assert made(sums, zeros, Tensor(1), Tensor(1), strict=True) == []
    monkeypatch.setenv("NINETOOTHED_STRICT", "1")
    assert made(overlapping, copy, Tensor(1), Tensor(1, allow_races=True)) == []


def halves(x: Tensor, overlap: int = 0) -> tuple[Tensor, Tensor]:
    half = x.shape[0] // 2
    return x[:half].tile((32,)), x[half - overlap : 2 * half - overlap].tile((32,))


def swap(front: Any, back: Any) -> None:
    kept = back + 0
    back = front
    front = kept  # pyright: ignore[reportUnusedVariable]


def test_a_tensor_that_is_written_in_two_halves() -> None:
    report = ninetoothed.check(halves, swap, (Tensor(shape=(256,)),))
    for name in ("front", "back"):
        # Neither half is all of the tensor, and together they are.
        assert report.of("coverage", name).answer == "proved"
        assert report.of("races", name).answer == "proved"
    report = ninetoothed.check(halves, swap, (Tensor(1),))
    coverage = report.of("coverage", "front")
    assert coverage.answer == "disproved"
    assert str(coverage.example) == "element (0,), where front_size_0 = 1"


def test_slices_of_every_other_element_are_proved_together() -> None:
    def arrangement(x: Tensor) -> tuple[Tensor, Tensor]:
        return x[..., ::2].tile((1, 32)), x[..., 1::2].tile((1, 32))

    report = ninetoothed.check(arrangement, swap, (Tensor(2),))
    for name in ("front", "back"):
        assert report.of("coverage", name).answer == "proved"
        assert report.of("races", name).answer == "proved"


def test_a_shuffle_of_pixels_covers_them() -> None:
    def arrangement(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        y = y.tile((1, 2, 2)).ravel().squeeze(3).permute((0, 3, 4, 1, 2)).flatten()
        return x.flatten().tile((32,)), y.tile((32,))

    report = ninetoothed.check(arrangement, copy, (Tensor(3), Tensor(3)))
    written = report.verdicts[-1].subject
    assert report.of("coverage", written).answer == "proved"
    assert report.of("races", written).answer == "proved"


def test_a_tensor_whose_two_parts_overlap() -> None:
    arrangement = functools.partial(halves, overlap=1)
    report = ninetoothed.check(arrangement, swap, (Tensor(shape=(256,)),))
    races = report.of("races", "back")
    assert races.answer == "disproved"
    assert str(races.example) == "element (127,), by programs (0,) and (3,)"


def shifted(x: Tensor, y: Tensor, by: Any) -> tuple[Tensor, Tensor]:
    return x.tile((4,)), y[by:].tile((4,))


def copied(x: Any, y: Any) -> None:
    y = x  # pyright: ignore[reportUnusedVariable]


@pytest.mark.parametrize("name", ["e0", "l0", "n0", "g0", "b0"])
def test_no_symbol_is_taken_for_an_index(name: str) -> None:
    arrangement = functools.partial(shifted, by=ninetoothed.Symbol(name, constexpr=True))
    coverage = ninetoothed.check(arrangement, copied, (Tensor(1), Tensor(1))).of("coverage", "y")
    assert coverage.answer == "disproved"


@pytest.mark.parametrize(("size", "stride"), [(128, 64), (1024, 512), (96, 64)])
def test_large_blocks_that_overlap(size: int, stride: int) -> None:
    def arrangement(y: Tensor) -> Tensor:
        return y.tile((size,), strides=(stride,))

    def application(y: Any) -> None:
        y = y + 1

    assert ninetoothed.check(arrangement, application, (Tensor(1),)).of("races", "y").example


def test_races_are_found_whatever_the_types() -> None:
    def arrangement(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        return x.tile((4,), strides=(2,)), y.tile((4,), strides=(2,))

    def application(x: Any, y: Any) -> None:
        y = x << 1  # pyright: ignore[reportUnusedVariable]

    with pytest.raises(RaceError):
        ninetoothed.make(arrangement, application, (Tensor(1), Tensor(1)), strict=True)


def test_a_value_read_from_the_same_tensor_depends_on_who_writes_it() -> None:
    def arrangement(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        count = x.tile((4,)).shape[0]
        one = y.tile((4,), strides=(0,)).expand((count,))
        return x.tile((4,)), one, y.tile((4,), strides=(0,)).expand((count,))

    def application(x: Any, one: Any, two: Any) -> None:
        one = two + 1  # pyright: ignore[reportUnusedVariable]

    races = ninetoothed.check(arrangement, application, (Tensor(1), Tensor(1))).of("races", "one")
    assert races.answer == "disproved"


def test_examples_of_huge_tensors_are_not_tried() -> None:
    def arrangement(y: Tensor) -> Tensor:
        return y.tile((1, 1, 1, 4), strides=(1, 1, 1, 2))

    def application(y: Any) -> None:
        y = y + 1

    sizes = (1 << 12, 1 << 12, 1 << 12, 1 << 12)
    report = ninetoothed.check(arrangement, application, (Tensor(shape=sizes),))
    assert report.of("races", "y").answer == "undecided"
