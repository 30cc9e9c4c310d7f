"""Kernels as users write them, with calls and references: every idiom of the language, once.

``IDIOMS`` holds them all; tests run them everywhere, compile them and prove things of them. A
module holds those of one kind: ways to arrange (``windows``, ``strides``, ``numbering``, …), to
write an application (``procedures``, ``numbers``, ``python``, …), and the kernels that most people
write (``activations``, ``norms``, ``losses``, ``optimizers``, …).
"""

from __future__ import annotations

from tests.support.idioms import (
    activations,
    attention,
    empty,
    forms,
    gathers,
    images,
    losses,
    matrices,
    memory,
    norms,
    numbering,
    numbers,
    optimizers,
    procedures,
    products,
    python,
    reductions,
    scores,
    statistics,
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
    *statistics.IDIOMS,
    *losses.IDIOMS,
    *images.IDIOMS,
    *gathers.IDIOMS,
    *matrices.IDIOMS,
    *scores.IDIOMS,
    *numbering.IDIOMS,
    *procedures.IDIOMS,
    *numbers.IDIOMS,
    *python.IDIOMS,
    *empty.IDIOMS,
)
