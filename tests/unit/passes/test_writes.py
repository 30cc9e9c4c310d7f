"""Analysis of writes: the sites of stores, and the programs that their values depend on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import ninetoothed.language as ntl
from ninetoothed import Symbol, Tensor
from ninetoothed.compiler.compile import build
from ninetoothed.compiler.defaults import assumed_signature, plain_values
from ninetoothed.definition.define import define, run_arrangement
from ninetoothed.ir import nt
from ninetoothed.passes.analysis.writes import Write, writes
from ninetoothed.symbolic.expr import const, ir_text
from ninetoothed.symbolic.normal_form import normalize

# Applications assign to their parameters, which is a store.
# pyright: reportUnusedVariable=false

B = Symbol("B", constexpr=True)


def rows(*tensors: Tensor) -> tuple[Tensor, ...]:
    """Each program sees the blocks of one row: one level between, of one dim."""
    return tuple(_row(tensor) for tensor in tensors)


def _row(tensor: Tensor) -> Tensor:
    tiled = tensor.tile((1, B)).tile((1, -1))
    below = tiled.dtype
    assert isinstance(below, Tensor)
    tiled.dtype = below.squeeze(0)
    return tiled


def grids(*tensors: Tensor) -> tuple[Tensor, ...]:
    """One level between, of two dims."""
    return tuple(tensor.tile((1, B)).tile((3, -1)) for tensor in tensors)


def found(
    application: Callable[..., Any],
    arrangement: Callable[..., Any] = rows,
    tensors: tuple[Tensor, ...] = (Tensor(2), Tensor(2)),
) -> list[Write]:
    """The writes of an application, by default of two matrices by rows of blocks."""
    definition = define(None, run_arrangement(arrangement, tensors).tensors, application)
    module = build(definition, assumed_signature(definition, {}, plain_values(definition)))
    (kernel,) = module.body.ops
    assert isinstance(kernel, nt.KernelOp)
    return writes(kernel)


def shown(write: Write) -> str:
    """A site as text: its indices, its loops and whether it is conditional."""
    indices = ", ".join("?" if index is None else ir_text(index) for index in write.site.between)
    loops = "".join(
        f" for {name} in {range_.lower}..{ir_text(normalize(range_.upper or const(0)))}"
        for name, range_ in write.site.loops.items()
    )
    return f"{write.param}[{indices}]{loops}{' if' if write.site.conditional else ''}"


def constant(x: Any, y: Any) -> None:
    y[0] = x[0]


def three(x: Any, y: Any) -> None:
    y[0] = x[0]
    y[1] = x[1]
    x[2] = y[0]


def every_block(x: Any, y: Any) -> None:
    for i in range(x.shape[0]):
        y[i] = x[i]


def reversed_blocks(x: Any, y: Any) -> None:
    for i in range(x.shape[0] - 1, -1, -1):
        y[i] = x[i]


def every_third(x: Any, y: Any) -> None:
    for i in range(1, x.shape[0], 3):
        y[i] = x[i]


def shifted(x: Any, y: Any) -> None:
    for i in range(4):
        y[i + 1] = x[i]


def squares(x: Any, y: Any) -> None:
    for i in range(4):
        y[i * i] = x[i]


def halves(x: Any, y: Any) -> None:
    for i in range(4):
        y[i // 2] = x[i]


def in_a_loop(x: Any, y: Any) -> None:
    for i in range(3):
        y[0] = x[i]


def in_a_loop_of_any_length(x: Any, y: Any) -> None:
    for i in range(x.shape[0]):
        y[0] = x[i]


def conditional(x: Any, y: Any) -> None:
    for i in range(x.shape[0]):
        if i > 2:
            y[i] = x[i]


def both_branches(x: Any, y: Any) -> None:
    for i in range(x.shape[0]):
        if i > 2:
            y[i] = x[i]
        else:
            y[i] = x[i] + 1


def loop_to_data(x: Any, y: Any) -> None:
    for i in range(ntl.max(x[0]).to(ntl.int32)):
        y[i] = x[i]


def data_dependent(x: Any, y: Any) -> None:
    i = ntl.max(x[0]).to(ntl.int32)
    y[i] = x[0]


def narrowed(x: Any, y: Any) -> None:
    i: Any
    for i in range(4):
        y[(i * 64).to(ntl.int8)] = x[i]


def widened(x: Any, y: Any) -> None:
    i: Any
    for i in range(4):
        y[i.to(ntl.int64) + 1] = x[i]


SITES: list[tuple[Callable[..., Any], list[str]]] = [
    (constant, ["1[0]"]),
    (three, ["1[0]", "1[1]", "0[2]"]),
    (every_block, ["1[$l0] for $l0 in 0..x_size_1 ceildiv B - 1"]),
    (
        reversed_blocks,
        ["1[x_size_1 ceildiv B - $l0 - 1] for $l0 in 0..x_size_1 ceildiv B - 1"],
    ),
    (every_third, ["1[$l0 * 3 + 1] for $l0 in 0..(B * 2 + x_size_1) ceildiv (B * 3) - 2"]),
    (shifted, ["1[$l0 + 1] for $l0 in 0..3"]),
    (squares, ["1[$l0 * $l0] for $l0 in 0..3"]),
    (halves, ["1[?]"]),
    (narrowed, ["1[?]"]),
    (widened, ["1[$l0 + 1] for $l0 in 0..3"]),
    (in_a_loop, ["1[0]"]),
    (in_a_loop_of_any_length, ["1[0] if"]),
    (conditional, ["1[$l0] for $l0 in 0..x_size_1 ceildiv B - 1 if"]),
    (
        both_branches,
        ["1[$l0] for $l0 in 0..x_size_1 ceildiv B - 1 if"] * 2,
    ),
    (loop_to_data, ["1[?] if"]),
    (data_dependent, ["1[?]"]),
]


@pytest.mark.parametrize(("application", "expected"), SITES, ids=[a.__name__ for a, _ in SITES])
def test_sites(application: Callable[..., Any], expected: list[str]) -> None:
    assert list(map(shown, found(application))) == expected


def test_sites_know_their_line() -> None:
    (write,) = found(constant)
    assert write.site.loc is not None
    assert write.site.loc.line == constant.__code__.co_firstlineno + 1


def triangle(x: Any, y: Any) -> None:
    for i in range(3):
        for j in range(i + 1):
            y[i, j] = x[i, j]


def lower_part(x: Any, y: Any) -> None:
    for i in range(3):
        for j in range(i + 1):
            y[0, j] = x[i, j]


def test_loops_in_loops() -> None:
    assert [shown(w) for w in found(triangle, grids)] == [
        "1[$l0, $l1] for $l0 in 0..2 for $l1 in 0..$l0"
    ]
    # The trip count of the inner loop depends on the outer one.
    assert [shown(w) for w in found(lower_part, grids)] == [
        "1[0, $l1] for $l0 in 0..2 for $l1 in 0..$l0"
    ]


def blocks(*tensors: Tensor) -> tuple[Tensor, ...]:
    """Each program sees one block of a vector, or a number."""
    return tuple(tensor.tile((B,)) if tensor.ndim else tensor for tensor in tensors)


def by_pointer(x: Any, y: Any) -> None:
    ntl.store(y.source.data_ptr() + y.offsets(), x)


def by_pointer_of_a_loop(x: Any, y: Any) -> None:
    pointer = y.source.data_ptr() + y.offsets()
    for _ in range(3):
        ntl.store(pointer, x)
        pointer += 1


def by_coordinates(x: Any, y: Any) -> None:
    y.source[x.to(ntl.int32)] = x


def atomic(x: Any, y: Any) -> None:
    ntl.atomic_add(y.source.data_ptr() + x.offsets(), x)


def exchange(x: Any, y: Any) -> None:
    ntl.atomic_cas(y.source.data_ptr(), 0.0, 1.0)


KINDS = [
    (by_pointer, (1, True, False)),
    (by_pointer_of_a_loop, (1, True, False)),
    (by_coordinates, (1, True, False)),
    (atomic, (1, True, True)),
    (exchange, (1, True, True)),
]


@pytest.mark.parametrize(("application", "kind"), KINDS, ids=[a.__name__ for a, _ in KINDS])
def test_pointers_and_atomics(
    application: Callable[..., Any], kind: tuple[int, bool, bool]
) -> None:
    (write,) = found(application, blocks, (Tensor(1), Tensor(1)))
    assert (write.param, write.pointer, write.atomic) == kind


# What a stored value depends on. Programs are (g0, g1); x has one row a g0, y one block a program,
# and z is the same for all.


def spread(x: Tensor, y: Tensor, z: Tensor) -> tuple[Tensor, ...]:
    """Parameters that depend on some program indices each."""
    x, z = x.tile((1, -1)).expand((-1, y.shape[1])), z.tile((-1, -1))
    below = x.dtype
    assert isinstance(below, Tensor)
    x.dtype = below.squeeze(0)
    return x, y.tile((1, 1)), z.expand((y.shape[0], y.shape[1]))


def plain(x: Any, y: Any, z: Any) -> None:
    y = 1.0


def by_row(x: Any, y: Any, z: Any) -> None:
    y = ntl.sum(x)


def of_all(x: Any, y: Any, z: Any) -> None:
    y = ntl.sum(z)


def own(x: Any, y: Any, z: Any) -> None:
    y = y + 1


def coordinates(x: Any, y: Any, z: Any) -> None:
    y = y.offsets(0)


def rows_of_all(x: Any, y: Any, z: Any) -> None:
    y = ntl.sum(z) + ntl.sum(x)


def carried(x: Any, y: Any, z: Any) -> None:
    t = 0.0
    s = 0.0
    for _ in range(4):
        s = t
        t = ntl.sum(x)
    y = s


def branched(x: Any, y: Any, z: Any) -> None:
    t = 0.0
    if ntl.sum(x) > 0:
        t = 1.0
    y = t


def reached(x: Any, y: Any, z: Any) -> None:
    if ntl.sum(x) > 0:
        y = 1.0


def written_by_others(x: Any, y: Any, z: Any) -> None:
    if ntl.sum(x) > 0:
        z = ntl.zeros(z.shape, dtype=ntl.float32)
    y = ntl.sum(z)


def written_before(x: Any, y: Any, z: Any) -> None:
    z = ntl.zeros(z.shape, dtype=ntl.float32)
    y = ntl.sum(z)


def carried_and_stored(x: Any, y: Any, z: Any) -> None:
    s = 0.0
    for _ in range(4):
        y = s
        s = ntl.sum(x)


def through_a_pointer(x: Any, y: Any, z: Any) -> None:
    y = ntl.load(z.source.data_ptr())
    z = ntl.zeros(z.shape, dtype=ntl.float32)


def counted(x: Any, y: Any, z: Any) -> None:
    before = ntl.atomic_add(z.source.data_ptr(), 1.0)
    y = before


NAMES: list[tuple[Callable[..., Any], set[str]]] = [
    (plain, set()),
    (by_row, {"g0"}),
    (of_all, set()),
    (own, {"g0", "g1"}),
    (coordinates, {"g0"}),
    (rows_of_all, {"g0"}),
    (carried, {"g0"}),
    (carried_and_stored, {"g0"}),
    (branched, {"g0"}),
    (reached, {"g0"}),
    (written_by_others, {"g0", "g1"}),
    (written_before, set()),
    (through_a_pointer, {"g0", "g1"}),
    (counted, {"g0", "g1"}),
]


@pytest.mark.parametrize(("application", "names"), NAMES, ids=[a.__name__ for a, _ in NAMES])
def test_dependence(application: Callable[..., Any], names: set[str]) -> None:
    writes_ = found(application, spread, (Tensor(2), Tensor(2), Tensor(2)))
    write = [write for write in writes_ if write.param == 1][-1]
    assert write.depends == names


def in_the_first_program(x: Tensor, y: Tensor) -> tuple[Tensor, ...]:
    """All of ``x`` in program (0, 0), and nothing in others."""
    one = x.tile((-1,)).unsqueeze(0)
    return one.pad(((0, y.shape[0] - 1), (0, y.shape[1] - 1))), y.tile((1, 1))


def of_one(x: Any, y: Any) -> None:
    y = ntl.sum(x)


def test_dependence_on_what_exists() -> None:
    (write,) = found(of_one, in_the_first_program, (Tensor(1), Tensor(2)))
    assert write.depends == {"g0", "g1"}
