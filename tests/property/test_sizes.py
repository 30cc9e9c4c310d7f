"""Kernels of symbols against ``Tensor.eval`` and NumPy, at sizes of 0 and 1 above all.

A kernel counts its programs and lanes by expressions over symbols, and ``eval`` puts the numbers in
first: both must come to the same, or neither.
"""

from __future__ import annotations

import itertools
import warnings
from typing import Any

import numpy as np
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import ninetoothed
import ninetoothed.language as ntl
from ninetoothed import NineToothedError, Symbol, Tensor
from ninetoothed.symbolic.expr import symbol_names
from ninetoothed.testing.random_arrangements import arrange, arrangements
from tests.property.inverses import Written
from tests.support.profiles import cases as count


def sums(x: Any, out: Any) -> None:
    """The sum of what a program sees, which counts the lanes, too."""
    out = ntl.sum(x + 2)  # pyright: ignore[reportUnusedVariable]


def elements(x: Any, out: Any) -> None:
    """As :func:`sums`, where a program sees one element, which is no block to sum."""
    out = x + 2  # pyright: ignore[reportUnusedVariable]


_serial = itertools.count()


@given(st.data())
@settings(max_examples=count(200, 2_000))
def test_kernels_of_symbols_see_what_numbers_show(data: st.DataObject) -> None:
    case = data.draw(arrangements(exact=True, most=3))
    # Answers about a symbol that is asked outside of an arrangement hold for all of its name.
    written = Written(data.draw, f"s{next(_serial)}_")
    x = Tensor(len(case.shape), other=-1, name="x")
    t = arrange(case, x, written.number)
    size = st.sampled_from([0, 0, 1, 1, 2, 3, 9])
    for shape in (case.shape, tuple(data.draw(size) for _ in case.shape)):
        _compare(x, t, shape, written.values, case.model.offsets if shape == case.shape else None)


def _compare(
    x: Tensor, t: Tensor, shape: tuple[int, ...], values: dict[str, int], model: Any
) -> None:
    given: dict[Any, Any] = {x: {"shape": shape}}
    given |= {Symbol(name): value for name, value in values.items()}
    below = t.dtype
    if isinstance(below, Tensor):
        t.dtype = below.ravel()
    flat = t.flatten() if t.ndim else t.unsqueeze(0)
    blocks = isinstance(flat.dtype, Tensor) and flat.dtype.ndim > 0
    used = symbol_names(*flat.chain.expressions)
    try:
        seen = t.eval(given)
    except NineToothedError:
        seen = None
    if model is not None:
        assert seen is not None
        assert seen.tolist() == model.tolist()
    programs = 1 if seen is None else int(np.prod(seen.shape[: t.ndim]))
    out = torch.full((programs,), -9.0)
    source = torch.arange(float(np.prod(shape))).reshape(shape)
    kernel = ninetoothed.make(
        lambda x, out: (flat, out.tile((1,)) if blocks else out),  # pyright: ignore
        sums if blocks else elements,
        (x, Tensor(1, name="out")),
    )
    try:
        with warnings.catch_warnings():
            # Other numbers of programs than the tensor has elements.
            warnings.simplefilter("error")
            kernel(source, out, **{name: values[name] for name in used if name in values})
    except NineToothedError:
        assert seen is None
        return
    assert seen is not None
    lanes = seen.reshape(programs, -1) if seen.size else np.zeros((programs, 0))
    assert out.tolist() == (lanes + 2).sum(axis=1).tolist()
