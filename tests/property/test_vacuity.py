"""The host's word that all guards hold, beside all guards in all programs, iterations and lanes."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser

from ninetoothed.backend.launch_source import launch_source
from ninetoothed.calls.generated import defined
from ninetoothed.compiler.compile import context
from ninetoothed.ir import nt
from ninetoothed.layout.meta_op import Guard
from ninetoothed.passes import find_pass
from ninetoothed.passes.fold_guards import FoldGuardsPass
from ninetoothed.symbolic.expr import (
    Arithmetic,
    IndexExpr,
    binary,
    const,
    evaluate,
    ir_text,
    sym,
)
from tests.support.profiles import examples

CALLS = 20
"""Calls that each kernel is asked about."""

N, M, G, K, B = (sym(name) for name in ("n", "m", "g0", "k1_0", "b0"))


@dataclass(frozen=True)
class Case:
    """A kernel of one load in a loop, and a comparison of its offsets with a size.

    ``grid``, ``trips``: of programs, and of the loop, which begins at ``first``.
    """

    grid: IndexExpr
    first: int
    trips: IndexExpr
    step: int
    block: int
    guards: tuple[tuple[IndexExpr, IndexExpr], ...]
    predicate: str
    size: IndexExpr

    @property
    def text(self) -> str:
        levels = f"[{ir_text(self.grid)}], [{ir_text(self.trips)}], [{self.block}]"
        guards = ", ".join(f"[{ir_text(one)}, {ir_text(two)}]" for one, two in self.guards)
        source, lanes = "!nt.tensor<[n, m] x f32>", f"!nt.tensor<[{self.block}] x f32>"
        tile = f"!nt.tensor<[{ir_text(self.trips)}] x {lanes}>"
        numbers, bits = (lanes.replace("f32", scalar) for scalar in ("i32", "i1"))
        offset = ir_text(self.guards[0][0])
        return f"""
        nt.kernel @k symbols [#nt.symbol<n size 0 to ?>, #nt.symbol<m size 0 to ?>]
            grid #nt.expr<{ir_text(self.grid)}> arrange {{
          %x = nt.source "x" "tensor" strides [m, 1] aligned false : {source}
          %x0 = nt.access %x <[{levels}] -> [0, {offset}] if [{guards}]>
              : {source} -> !nt.tensor<[{ir_text(self.grid)}] x {tile}>
          nt.arranged %x0 : !nt.tensor<[{ir_text(self.grid)}] x {tile}>
        }} apply {{
        ^bb0(%a : {tile}):
          %pid = nt.program_id : index
          %g0 = nt.program_index %pid [{ir_text(self.grid)}] : index
          %first = arith.constant {self.first} : i32
          %end = nt.size <{ir_text(self.trips)}> : i32
          %step = arith.constant {self.step} : i32
          scf.for %i = %first to %end step %step : i32 {{
            %v = nt.load %a[%i] other 0.0 : f32 : {tile}[i32] -> {lanes}
            %o = nt.offsets %a[%i] dim 1 along [0] : {tile}[i32] -> {numbers}
            %s = nt.size <{ir_text(self.size)}> : i32
            %t = nt.full %s : i32 -> {numbers}
            %c = nt.elementwise "{self.predicate}"(%o, %t) : ({numbers}, {numbers}) -> {bits}
            %zero = arith.constant 0.0 : f32
            %z = nt.full %zero : f32 -> {lanes}
            %w = nt.elementwise "where"(%c, %v, %z) : ({bits}, {lanes}, {lanes}) -> {lanes}
            nt.store %w, %a[%i] : {lanes}, {tile}[i32]
          }}
          nt.return
        }}"""

    def lowered(self, full: bool) -> tuple[ModuleOp, ModuleOp]:
        """The module behind the pass, and in stage ``tt``."""
        module = Parser(context(), self.text).parse_module()
        FoldGuardsPass(full=full).apply(context(), module)
        folded = module.clone()
        for name in ("nt-lower-accesses", "nt-lower-to-tt"):
            find_pass(name)().apply(context(), module)
        return folded, module

    def values(self, sizes: dict[str, int]) -> dict[str, Any]:
        """The values of all variables in programs, iterations and lanes, as arrays."""
        grid, trips = (evaluate(expr, sizes) for expr in (self.grid, self.trips))
        iterations = range(self.first, trips, self.step)
        places = np.meshgrid(range(grid), iterations, range(self.block), indexing="ij")
        arrays = (place.reshape(-1).astype(np.int64) for place in places)
        return {**sizes, **dict(zip(("g0", "k1_0", "b0"), arrays, strict=True))}


def indices() -> st.SearchStrategy[IndexExpr]:
    """Random indices: sums, products, quotients, remainders and minima of variables and sizes."""
    leaves = st.sampled_from([G, K, B, G, K, B, N, M]) | st.integers(-3, 4).map(const)
    small = st.sampled_from([const(2), const(3), const(4), M])

    def larger(inner: st.SearchStrategy[IndexExpr]) -> st.SearchStrategy[IndexExpr]:
        divided = st.sampled_from(["floordiv", "mod", "ceildiv"])
        joined = st.sampled_from(["add", "add", "add", "sub", "mul", "min", "max"])
        return st.builds(binary, divided, inner, small) | st.builds(binary, joined, inner, inner)

    tiles = st.builds(tile, st.integers(0, 8), st.integers(0, 8))
    return tiles | st.recursive(leaves, larger, max_leaves=6)


def tile(programs: int, blocks: int) -> IndexExpr:
    """The index of a lane in tiles of tiles."""
    return G * programs + K * blocks + B


COUNTS = st.sampled_from(
    [N, M, const(1), const(3), *(binary("ceildiv", N, const(block)) for block in (2, 4, 8))]
)
BOUNDS = st.sampled_from([N, M, N * M, N + M, const(4), const(8), N * 2])
CASES = st.builds(
    Case,
    grid=COUNTS,
    first=st.integers(0, 2),
    trips=COUNTS,
    step=st.integers(1, 3),
    block=st.sampled_from([1, 2, 4, 8]),
    guards=st.lists(st.tuples(indices(), BOUNDS), min_size=1, max_size=3).map(tuple),
    predicate=st.sampled_from(["lt", "le", "gt", "ge"]),
    size=BOUNDS,
)
ARRAYS = Arithmetic(np.minimum, np.maximum, np.logical_and)
SHAPES = st.tuples(st.integers(0, 17), st.integers(0, 9))
OPERATORS = {"lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge}


def guards(module: ModuleOp) -> set[Guard]:
    """The guards of the kernel's access."""
    _, attribute = nt.access_of(nt.kernel_of(module).arranged.values[0], {})
    return set(attribute.data.guards)


def folded_to(module: ModuleOp) -> bool | None:
    """The value of the comparison by what is stored; None: it is not folded."""
    (store,) = (op for op in module.walk() if isinstance(op, nt.StoreOp))
    if isinstance(store.value.owner, nt.ElementwiseOp):
        return None
    return isinstance(store.value.owner, nt.LoadOp)


def is_full(module: ModuleOp, sizes: dict[str, int]) -> bool:
    """The generated function's answer."""
    source = launch_source(module)
    if "def is_full" not in source:
        return False
    (function,) = defined(("is_full",), source, {})
    try:
        return function(SimpleNamespace(shape=(sizes["n"], sizes["m"])))
    except ZeroDivisionError:
        return False


def check(case: Case, calls: list[tuple[int, int]]) -> list[bool]:
    """Assert that what the function promises of calls of these sizes holds; its answers."""
    general, lowered = case.lowered(full=False)
    full, _ = case.lowered(full=True)
    dropped, folded = guards(general) - guards(full), folded_to(full)
    answers: list[bool] = []
    for n, m in calls:
        sizes = {"n": n, "m": m}
        answers.append(is_full(lowered, sizes))
        if m == 0:
            # A quotient by the size of an empty tensor means nothing.
            continue
        values = case.values(sizes)
        truth = OPERATORS[case.predicate](
            _array(case.guards[0][0], values), _array(case.size, values)
        )
        always = folded_to(general)
        assert always is None or np.all(truth == always), (case, sizes)
        if not answers[-1]:
            continue
        assert folded is None or np.all(truth == folded), (case, sizes)
        for guard in dropped:
            index = _array(guard.index, values)
            assert np.all((index >= 0) & (index < _array(guard.size, values))), (guard, sizes)
    return answers


def _array(expr: IndexExpr, values: dict[str, Any]) -> Any:
    shape = values["g0"].shape
    return np.broadcast_to(evaluate(expr, values, ARRAYS), shape)


@examples(50)
@given(CASES, st.lists(SHAPES, min_size=CALLS, max_size=CALLS))
def test_promises_are_kept(case: Case, calls: list[tuple[int, int]]) -> None:
    check(case, calls)


def test_promises_are_made() -> None:
    tile = (K * 8 + B, N)
    case = Case(M, 0, binary("ceildiv", N, const(8)), 1, 8, (tile, (G, M)), "lt", N)
    assert check(case, [(16, 3), (17, 3), (8, 1), (0, 2)]) == [True, False, True, True]
    full, _ = case.lowered(full=True)
    assert guards(full) == set()
    assert folded_to(full) is True
