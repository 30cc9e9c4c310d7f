"""Functions that make kernels, called from programs that torch compiles."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from ninetoothed.kernel import tracing

_P = ParamSpec("_P")
_R = TypeVar("_R")


def factory(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Decorate a function that makes a kernel from numbers and other hashable arguments: it is
    called once for the same ones, as under ``functools.cache``, and what it returns is kept.

    Under ``torch.compile`` it is called while the program is traced. Functions under
    ``functools.cache`` are traced themselves, and no kernel can be made so.

    Raises:
        TypeError: an argument cannot be hashed.
    """
    cached = functools.lru_cache(None, typed=True)(function)
    made = _Made(cached)

    @functools.wraps(function)
    def call(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        if tracing.is_compiling():
            from ninetoothed.pytorch.traced import constant

            given = {name: constant(value) for name, value in kwargs.items()}
            # An attribute, and no element: torch's compiler reads a list once.
            return getattr(made, made.name(*constant(args), **given))
        return cached(*args, **kwargs)

    return call


class _Made:
    """What a function made while torch traced, each an attribute."""

    def __init__(self, function: Callable[..., object]) -> None:
        self._function = function

    def name(self, *args: Any, **kwargs: Any) -> str:
        """The name of the attribute that the function makes of these arguments."""
        made = self._function(*args, **kwargs)
        name = f"made_{id(made)}"
        setattr(self, name, made)
        return name

    # torch's compiler calls it, and takes its result for a constant.
    name._dynamo_marked_constant = True  # pyright: ignore[reportFunctionMemberAccess]
