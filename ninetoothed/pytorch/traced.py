"""A kernel's call while torch traces: a call of its operator.

torch's compiler traces :func:`call`, so that it is written in what the compiler knows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch

from ninetoothed.errors import ArgumentError
from ninetoothed.pytorch.forms import letter_of, parts
from ninetoothed.pytorch.operators import Order


def call(
    order_of: Callable[[int, tuple[str, ...]], Order],
    overload_of: Callable[[str, tuple[Any, ...], tuple[Any, ...]], Any],
    args: Sequence[Any],
    keywords: Mapping[str, Any],
) -> None:
    """Call the operator of a call's form. ``order_of`` and ``overload_of`` are those of the
    kernel's operators.

    Raises:
        ArgumentError: the arguments do not fit the kernel.
    """
    names, places, defaults, constants, repeats = order_of(len(args), tuple(keywords))
    given = (*args, *keywords.values(), *defaults)
    for one, two in repeats:
        if given[one] is not given[two]:
            raise ArgumentError(
                f"arguments {one + 1} and {two + 1} are one tensor, arranged in two ways, but are "
                "different ones; pass it once, or the same one twice"
            )
    values = [given[place] for place in places]
    letters = "".join([letter_of(name, value) for name, value in zip(names, values, strict=True)])
    dtypes = [value.dtype if letter in "rj" else None for letter, value in zip(letters, values, strict=True)]
    known = [values[place] if letters[place] in "ifb" else None for place in constants]
    name, overload = overload_of(letters, tuple(dtypes), tuple(known))
    operator = getattr(getattr(torch.ops.ninetoothed, name), overload)
    same = [[one is value for one in values].index(True) for value in values]
    operator(*parts(letters, values), same=same)
