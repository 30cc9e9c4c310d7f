"""Every idiom of arranging tensors, once: kernels as users write them, with calls and references.

``IDIOMS`` holds them all; tests run them everywhere, compile them and prove things of them.
"""

from __future__ import annotations

from tests.support.idioms import (
    activations,
    attention,
    empty,
    forms,
    memory,
    norms,
    numbering,
    numbers,
    optimizers,
    procedures,
    products,
    python,
    reductions,
    strides,
    windows,
)
from tests.support.idioms.idiom import Call, Idiom

__all__ = ["IDIOMS", "Call", "Idiom"]

IDIOMS: tuple[Idiom, ...] = (
    *products.IDIOMS,
    *windows.IDIOMS,
    *reductions.IDIOMS,
    *strides.IDIOMS,
    *attention.IDIOMS,
    *memory.IDIOMS,
    *forms.IDIOMS,
    *activations.IDIOMS,
    *optimizers.IDIOMS,
    *norms.IDIOMS,
    *numbering.IDIOMS,
    *procedures.IDIOMS,
    *numbers.IDIOMS,
    *python.IDIOMS,
    *empty.IDIOMS,
)
