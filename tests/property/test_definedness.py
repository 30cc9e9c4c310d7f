"""Definedness of random kernels against brute force over programs and lanes.

Two tensors are arranged alike, but their sizes differ. What is proved holds at several sizes, a
check that fails is about a lane that is stored and was never read, and where a verdict is checked,
such a lane fails a check.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import assume, event, given
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp

import ninetoothed.language as ntl
from ninetoothed import NineToothedError, Tensor
from ninetoothed.compiler.compile import build
from ninetoothed.compiler.defaults import assumed_signature, for_all_sizes, plain_values
from ninetoothed.definition.define import define
from ninetoothed.errors import collect_warnings
from ninetoothed.ir import nt
from ninetoothed.layout.chain import Chain
from ninetoothed.symbolic.expr import evaluate, substitution
from ninetoothed.verification.stored_lanes import StoredLanes
from tests.property.inverses import Brute, Placed, placed
from tests.support.profiles import examples

# Applications assign to their parameters, which is a store.
# pyright: reportUnusedVariable=false
# pyright: reportPrivateUsage=false


def whole(x: Any, y: Any) -> None:
    """One block a program."""
    y = x


def each(x: Any, y: Any) -> None:
    """All blocks of a program."""
    for i in range(y.shape[0]):
        y[i] = x[i]


def first(x: Any, y: Any) -> None:
    """The first block of a program."""
    y[0] = x[0]


def pairs(x: Any, y: Any) -> None:
    """All blocks of two dims."""
    for i in range(y.shape[0]):
        for j in range(y.shape[1]):
            y[i, j] = x[i, j]


APPLICATIONS = {0: (whole,), 1: (each, first), 2: (pairs,)}


class _Built:
    """A kernel's checks, and the verdict on its output."""

    def __init__(self, arranged: Sequence[Tensor], application: Any, output: int = 1) -> None:
        definition = define(None, list(arranged), application, decisions=())
        signature = assumed_signature(definition, {}, plain_values(definition))
        lanes = StoredLanes()
        modules: list[ModuleOp] = []
        with collect_warnings():
            unsized = for_all_sizes(definition, signature, {})
            modules.append(build(definition, unsized, [lanes]))
        checks = [check.data for check in nt.kernel_of(modules[0]).checks]
        self.defined = [check for check in checks if check.defined]
        self.others = [check for check in checks if not check.defined]
        self.answer = lanes.of([output])[0]

    def passes(self, checks: Sequence[nt.Check], env: dict[str, int]) -> bool:
        """True if checks hold of these sizes."""
        return all(
            evaluate(left, env) == evaluate(right, env)
            for check in checks
            for left, right in zip(check.left, check.right, strict=True)
        )


@examples(1000)
@given(st.data())
@pytest.mark.filterwarnings("ignore:divide by zero")
def test_definedness(data: st.DataObject) -> None:
    case = data.draw(placed)
    twin = _twin(case)
    assume(twin is not None)
    assert twin is not None
    between = sum(map(len, case.arranged.chain.levels[1:-1]))
    assume(between in APPLICATIONS)
    application = data.draw(st.sampled_from(APPLICATIONS[between]))
    try:
        built = _Built([twin.arranged, case.arranged], application)
    except NineToothedError:
        assume(False)
        raise
    for _ in range(4):
        sizes = [_sizes(data, one) for one in (twin, case)]
        try:
            x, y = (Brute(one, given) for one, given in zip((twin, case), sizes, strict=True))
            env = {**_env("x", x, twin), **_env("y", y, case)}
            if x.offsets.shape != y.offsets.shape or not built.passes(built.others, env):
                continue
            passes = built.passes(built.defined, env)
        except (NineToothedError, ZeroDivisionError, OverflowError, KeyError):
            continue
        stored = y.offsets >= 0
        if application is first:
            inner = (slice(None),) * y.ranks[0]
            if not y.offsets.shape[y.ranks[0]]:
                continue
            stored, read = stored[(*inner, 0)], x.offsets[(*inner, 0)]
        else:
            read = x.offsets
        lacks = bool(np.any(stored & (read < 0)))
        event(f"{built.answer}, {'passes' if passes else 'is refused'}")
        if built.answer == "proved":
            assert not lacks, (case, twin, env)
        if not passes:
            assert lacks, (case, twin, env)
        elif built.answer == "checked":
            assert not lacks, (case, twin, env)


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
    built = _Built(_factors(form), application, 2)
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


def _twin(case: Placed) -> Placed | None:
    """The same arrangement of a tensor of other sizes."""
    chain = case.arranged.chain
    if any(size.op != "sym" for size in chain.source.shape):
        return None
    other = Tensor(len(chain.source.shape))
    sizes = zip(chain.source.shape, other.chain.source.shape, strict=True)
    renamed = substitution({str(old): new for old, new in sizes})
    arranged = functools.reduce(Chain.then, [op.map(renamed) for op in chain.ops], other.chain)
    twin = other.unsqueeze(0)
    twin._cell.chain = arranged
    return Placed(other, twin, case.text, case.shape, case.values)


def _sizes(data: st.DataObject, case: Placed) -> dict[str, int]:
    """Sizes around those of the arrangement."""
    return {
        name: max(0, size + data.draw(st.integers(-2, 3)))
        for name, size in zip(case.size_names, case.shape, strict=True)
        if name is not None
    }


def _env(name: str, brute: Brute, case: Placed) -> dict[str, int]:
    """The values of symbols as the kernel calls them."""
    found = dict(brute.env)
    for dim, symbol in enumerate(case.size_names):
        if symbol is not None:
            found[f"{name}_size_{dim}"] = brute.env[symbol]
    return found
