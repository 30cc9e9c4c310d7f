"""Vectorized evaluation of an access: each index variable is an axis of NumPy arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ninetoothed.layout.access import Access
from ninetoothed.symbolic.expr import Arithmetic, evaluate

ARRAYS = Arithmetic(np.minimum, np.maximum, np.logical_and)
"""Operations of :func:`~ninetoothed.symbolic.expr.evaluate` on arrays."""


def axis(first: int, count: int, dim: int, ndim: int) -> npt.NDArray[np.int64]:
    """``count`` numbers from ``first`` on, along ``dim`` of ``ndim`` dims."""
    shape = [1] * ndim
    shape[dim] = count
    return (first + np.arange(count, dtype=np.int64)).reshape(shape)


def existing(access: Access, values: Mapping[str, Any]) -> Any:
    """Mask of the lanes where every guard holds; broadcasts to the grid of the variables'
    ``values``.
    """
    found: Any = True
    for guard in access.guards:
        index = evaluate(guard.index, values, ARRAYS)
        found = found & (index >= 0) & (index < evaluate(guard.size, values, ARRAYS))
    return found
