"""Arrangements of the idioms at the sizes of their calls: ``Tensor.eval`` against NumPy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
import torch

from ninetoothed import Symbol, Tensor
from ninetoothed.symbolic.expr import symbol_names
from tests.property.twins import Twin
from tests.support.idioms import IDIOMS, Call, Idiom

BLOCK_SIZE = 16


def returned(idiom: Idiom, tensors: list[Any]) -> list[Any]:
    """What the arrangement makes of the tensors, one a parameter."""
    found: Any = idiom.arrangement(*tensors)
    return [*found] if type(found) in (tuple, list) else [found]


def shapes(tensors: list[Any], arranged: list[Any], call: Call) -> dict[str, tuple[int, ...]]:
    """Sizes of the sources by name, as the call's arguments have them; of a dropped one, ones."""
    found = {t.name: (1,) * t.ndim for t in tensors if isinstance(t, Tensor)}
    for tensor, value in zip(arranged, call, strict=False):
        if isinstance(value, torch.Tensor):
            found[tensor.source.name] = tuple(value.shape)
    return found


def block_sizes(idiom: Idiom, arranged: list[Any]) -> Mapping[str, int]:
    """Values of the symbols that are no sizes of sources."""
    sources = [tensor.source for tensor in arranged]
    sizes = {name for source in sources for name in symbol_names(*source.chain.expressions)}
    names = {name for tensor in arranged for name in symbol_names(*tensor.chain.expressions)}
    return {name: idiom.keywords.get(name, BLOCK_SIZE) for name in names - sizes}


@pytest.mark.parametrize("idiom", IDIOMS, ids=str)
@pytest.mark.filterwarnings("ignore::ninetoothed.errors.NineToothedWarning")
def test_offsets_of_all_parameters(idiom: Idiom) -> None:
    seen: set[tuple[tuple[int, ...], ...]] = set()
    for call in idiom.arguments():
        tensors = list(idiom.symbolic_tensors)
        arranged = returned(idiom, tensors)
        sizes = shapes(tensors, arranged, call)
        if tuple(sizes.values()) in seen:
            continue
        seen.add(tuple(sizes.values()))
        values = block_sizes(idiom, arranged)
        subs: dict[Any, Any] = {Symbol(name): value for name, value in values.items()}
        subs |= {t: {"shape": sizes[t.name]} for t in tensors if isinstance(t, Tensor)}
        twins = returned(
            idiom,
            [Twin.of(sizes[t.name], values) if isinstance(t, Tensor) else t for t in tensors],
        )
        for tensor, twin in zip(arranged, twins, strict=True):
            assert isinstance(twin, Twin)
            np.testing.assert_array_equal(tensor.eval(subs), twin.offsets, strict=True)
