"""Definedness of random kernels against brute force over programs and lanes.

Tensors are arranged alike, but for an operation before, and their sizes differ. What is proved
holds at several sizes, a check that fails is about a lane that is stored and not defined whatever
the data, and where a verdict is checked, such a lane fails a check.
"""

from __future__ import annotations

import functools
import itertools
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import assume, event, given
from hypothesis import strategies as st

import ninetoothed.language as ntl
from ninetoothed import NineToothedError, Tensor
from ninetoothed.artifacts.signature import Agreement
from ninetoothed.compiler.compile import context
from ninetoothed.compiler.defaults import assumed_signature, for_all_sizes, plain_values
from ninetoothed.definition.define import define
from ninetoothed.definition.definition import Definition
from ninetoothed.errors import collect_warnings
from ninetoothed.frontend.build import build_module
from ninetoothed.ir import nt
from ninetoothed.layout.access import index_names
from ninetoothed.layout.chain import Chain
from ninetoothed.passes.check_definedness import _check
from ninetoothed.passes.pipeline import SYMBOLIC, Step, run, steps
from ninetoothed.symbolic.expr import evaluate, substitution, symbol_names
from ninetoothed.verification.stored_lanes import PASS, StoredLanes
from tests.property.inverses import Brute, Placed, placed
from tests.property.stored import Author, Program, Seen
from tests.support.profiles import examples

# Applications assign to their parameters, which is a store.
# pyright: reportUnusedVariable=false
# pyright: reportPrivateUsage=false


class _Built:
    """A kernel's checks, and the verdict on its output."""

    def __init__(
        self,
        definition: Definition,
        output: str = "y",
        agreement: Agreement = "shapes",
        empty: frozenset[int] = frozenset(),
    ) -> None:
        signature = assumed_signature(definition, {}, plain_values(definition))
        params = [
            replace(param, empty=position in empty)
            for position, param in enumerate(signature.params)
        ]
        signature = replace(signature, params=tuple(params), agreement=agreement)
        lanes = StoredLanes()
        with collect_warnings():
            unsized = for_all_sizes(definition, signature, {})
            module = build_module(definition, unsized, {})
            run(context(), module, _before_definedness(agreement))
        lanes(PASS, module)
        kernel = nt.kernel_of(module)
        self.others = [check.data for check in kernel.checks]
        # What no call with elements passes is a check, too.
        self.defined = [
            _check(kernel, stored, finding, condition)
            for stored in lanes._stored
            for finding, condition in stored.conditions
        ]
        names = [parameter.name for parameter in definition.parameters]
        self.answer = lanes.of([names.index(output)])[0]

    def passes(self, checks: Sequence[nt.Check], env: dict[str, int]) -> bool:
        """True if checks hold of these sizes."""
        return all(
            evaluate(left, env) == evaluate(right, env)
            for check in checks
            for left, right in zip(check.left, check.right, strict=True)
        )


def _before_definedness(agreement: Agreement) -> list[Step]:
    """The passes before the one that asks for definedness: those behind it cost more."""
    rule = {"agreement": agreement}
    options = {"nt-check-arrangement": rule, "nt-number-programs": rule}
    pipeline = steps(SYMBOLIC, options)
    names = [step.pass_.name for step in pipeline]
    return pipeline[: names.index(PASS)]


@dataclass
class _Case:
    """A kernel: its parameters' arrangements, and its application."""

    placed: dict[str, Placed]
    values: frozenset[str]
    program: Program
    agreement: Agreement

    def __post_init__(self) -> None:
        tensors = [*(self.placed.get(name) for name in self.program.names)]
        arranged = [Tensor(0) if one is None else one.arranged for one in tensors]
        self.definition = define(None, arranged, self.program.application(), decisions=())
        self._built: dict[frozenset[int], _Built] = {}

    def built(self, env: dict[str, int]) -> _Built:
        """The class of calls of some sizes."""
        interface = self.definition.interface
        empties = zip(interface.empties, interface.emptinesses, strict=True)
        empty = frozenset(one.position for one, is_empty in empties if is_empty(env))
        if empty not in self._built:
            self._built[empty] = _Built(self.definition, "y", self.agreement, empty)
        return self._built[empty]

    def seen(self, sizes: Mapping[str, dict[str, int]]) -> dict[str, Seen]:
        """The parameters of a call."""
        return {
            name: Seen(name, one, Brute(one, sizes[name]), name in self.values)
            for name, one in self.placed.items()
        }

    def __repr__(self) -> str:
        return f"{self.program.text} {self.placed} {sorted(self.values)} {self.agreement}"


_BEFORE: dict[str, Callable[[Tensor], Tensor]] = {
    "": lambda t: t,
    "[1:]": lambda t: t[1:],
    "[:-1]": lambda t: t[:-1],
    "[::-1]": lambda t: t[::-1],
    "[::2]": lambda t: t[::2],
    "pad(1)": lambda t: t.pad([(1, 1)] * t.ndim),
    "pad(-1)": lambda t: t.pad([(-1, 0)] * t.ndim),
}


@st.composite
def kernels(draw: st.DrawFn) -> _Case:
    """One to three tensors arranged alike, but for an operation before, and an application."""
    case = draw(placed)
    levels = case.arranged.chain.levels
    between = sum(map(len, levels[1:-1]))
    rank = len(levels[-1]) if len(levels) > 1 else 0
    assume(between <= 2 and len(levels) <= 3)
    names = ("x", "z")[: draw(st.integers(1, 2))]
    found = {"y": case}
    values: set[str] = set()
    for name in names:
        other = draw(st.sampled_from([None, None, None, 0.0]))
        if other is not None:
            values.add(name)
        before = draw(st.sampled_from(["", "", "", "", *_BEFORE]))
        twin = _twin(case, before, other)
        assume(twin is not None)
        assert twin is not None
        found[name] = twin
    dims = {name: _varying(one) for name, one in found.items()}
    agreement: Agreement = draw(st.sampled_from(["shapes", "shapes", "counts", "any"]))
    if agreement == "any":
        # Where a program without an element would lie is said nowhere.
        dims = {"y": dims["y"]}
    program = Author(draw, names, between, rank, dims, len(case.shape)).program()
    try:
        return _Case(found, frozenset(values), program, agreement)
    except NineToothedError:
        assume(False)
        raise


def _varying(case: Placed) -> list[list[int]]:
    """For each coordinate of the source, the dims of the block along which it varies."""
    access = case.placement.access
    rows = index_names(access.levels)
    block = rows[-1] if len(rows) > 1 else ()
    return [
        [dim for dim, name in enumerate(block) if name in symbol_names(index)]
        for index in access.indices
    ]


@examples(100)
@given(kernels(), st.integers(0, 1 << 32))
@pytest.mark.filterwarnings("ignore:divide by zero", "ignore:invalid value")
def test_definedness(case: _Case, seed: int) -> None:
    compared: list[dict[str, int]] = []
    for sizes in _sizes(case, random.Random(seed)):
        if len(compared) == 6:
            break
        env = dict[str, int]()
        try:
            for name, one in case.placed.items():
                env |= _env(name, sizes[name], one)
            built = case.built(env)
            if not built.passes(built.others, env):
                continue
            passes = built.passes(built.defined, env)
            seen = case.seen(sizes)
            may, must = case.program.lacking(seen, seen[case.program.names[0]].count)
        except (NineToothedError, ArithmeticError, IndexError):
            # No call has such sizes.
            continue
        compared.append(env)
        event(f"{built.answer}, {'passes' if passes else 'is refused'}")
        if built.answer == "proved" or (built.answer == "checked" and passes):
            assert not may, (case, env)
        if not passes:
            assert must, (case, env)
    assume(compared)


def products(x: Any, z: Any, y: Any) -> None:
    """Dots along all blocks of a row."""
    total = ntl.zeros(y.shape, dtype=ntl.float32)
    for k in range(x.shape[0]):
        total += ntl.dot(x[k], z[k])
    y = total


def moved(x: Any, z: Any, y: Any) -> None:
    """The same by sums of lanes that are moved."""
    total = ntl.zeros(y.shape, dtype=ntl.float32)
    for k in range(x.shape[0]):
        right = ntl.flip(ntl.flip(ntl.trans(z[k])[None, :, :], 2), 2)
        total += ntl.sum(x[k][:, None, :] * right, axis=2)
    y = total


def _factors(form: str) -> tuple[Tensor, Tensor, Tensor]:
    """Blocks of 2 rows, 4 lanes along K and 2 columns; ``form`` says what K begins with."""
    x: Any = Tensor(2)
    z: Any = Tensor(2)
    y = Tensor(2).tile((2, 2))
    left: Any = {"plain": x, "sliced": x[:, 1:], "reversed": x[:, ::-1]}[form]
    left = left.tile((2, 4)).tile((1, -1)).expand((-1, y.shape[1]))
    left.dtype = left.dtype.squeeze(0)
    right: Any = z.tile((4, 2)).tile((-1, 1)).expand((y.shape[0], -1))
    right.dtype = right.dtype.squeeze(1)
    return left, right, y


def _along(form: str, size: int, blocks: int | None) -> npt.NDArray[np.bool_]:
    """Which lanes of blocks of 4 exist; of as many blocks as there are where they are not given."""
    lanes = [True] * (max(size - 1, 0) if form == "sliced" else size)
    count = -(-len(lanes) // 4) if blocks is None else blocks
    found = (lanes + [False] * (4 * count))[: 4 * count]
    if form == "reversed":
        # The elements are the other way round, the lanes that exist are the same.
        assert sum(found) == min(size, 4 * count)
    return np.array(found, dtype=np.bool_)


@pytest.mark.parametrize("form", ["plain", "sliced", "reversed"])
@pytest.mark.parametrize("application", [products, moved])
def test_definedness_of_products(application: Any, form: str) -> None:
    """Along K, neither factor ends first; rows and columns that are stored exist in both."""
    built = _Built(define(None, [*_factors(form)], application, decisions=()))
    accepted = refused = 0
    rows = range(4)
    for m, k, other, n, height, width in itertools.product(
        rows, range(7), range(7), rows, rows, rows
    ):
        sizes = [("x", (m, k)), ("z", (other, n)), ("y", (height, width))]
        env = {
            f"{name}_size_{dim}": size for name, shape in sizes for dim, size in enumerate(shape)
        }
        left = _along(form, k, None)
        if not built.passes(built.others, env):
            continue
        passes = built.passes(built.defined, env)
        right = _along("plain", other, len(left) // 4)
        is_stored = bool(height and width)
        # Without a lane along K, all is an empty sum.
        lacks = is_stored and (
            (height > m and bool(np.any(left)))
            or (width > n and bool(np.any(right)))
            or (m > 0 and bool(np.any(left & ~right)))
            or (n > 0 and bool(np.any(right & ~left)))
        )
        accepted += passes
        refused += not passes
        if not passes:
            assert lacks, env
        elif built.answer in ("proved", "checked"):
            assert not lacks, env
    assert accepted
    assert refused


def _twin(case: Placed, before: str, other: float | None) -> Placed | None:
    """The same arrangement of a tensor of other sizes, behind an operation."""
    chain = case.arranged.chain
    if any(size.op != "sym" for size in chain.source.shape):
        return None
    source = Tensor(len(chain.source.shape), other=other)
    first = _BEFORE[before](source).chain
    sizes = zip(chain.source.shape, first.levels[0], strict=True)
    renamed = substitution({str(old): new for old, new in sizes})
    twin = source.unsqueeze(0)
    try:
        arranged = functools.reduce(Chain.then, [op.map(renamed) for op in chain.ops], first)
    except NineToothedError:
        return None
    twin._cell.chain = arranged
    return Placed(source, twin, [before, *case.text], case.shape, case.values)


def _sizes(case: _Case, rng: random.Random) -> Iterator[dict[str, dict[str, int]]]:
    """Sizes around those of the arrangement, and values of symbols, for each parameter."""
    target = case.placed["y"]
    for number in range(24):
        # The same ones, or near ones.
        shape = [max(0, size + rng.choice([0, 0, 1, -1, 2, -2, 3, 5])) for size in target.shape]
        values = dict(target.values)
        if number % 4 == 3:
            values = {name: rng.randint(1, 5) for name in values}
        found: dict[str, dict[str, int]] = {}
        for name, one in case.placed.items():
            sizes = (max(0, size + rng.choice([0, 0, 0, 0, 1, 1, -1, -1, 2, -2])) for size in shape)
            names = (str(size) for size in one.size_names)
            found[name] = {**values, **dict(zip(names, sizes, strict=True))}
        yield found


def _env(name: str, sizes: Mapping[str, int], case: Placed) -> dict[str, int]:
    """The values of symbols as the kernel calls them."""
    found = dict(sizes)
    for dim, symbol in enumerate(case.size_names):
        if symbol is not None:
            found[f"{name}_size_{dim}"] = sizes[symbol]
    return found
