"""Functions that make kernels, called from programs that torch compiles."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from ninetoothed.kernel import tracing
from ninetoothed.pytorch.constant_results import Made, constant_result

_P = ParamSpec("_P")
_R = TypeVar("_R")


def factory(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Decorate a function that makes a kernel from numbers and other hashable arguments: it is
    called once for the same ones, as under ``functools.cache``, and what it returns is kept.

    Under ``torch.compile`` it is called while the program is traced. Functions under
    ``functools.cache`` are traced themselves, and no kernel can be made so.

    Raises:
        TypeError: an argument cannot be hashed.

    Example:
        >>> @ninetoothed.factory
        ... def scaled(factor):
        ...     def arrangement(x, y, size=block_size()):
        ...         return x.tile((size,)), y.tile((size,))
        ...     def application(x, y):
        ...         y = factor * x
        ...     return ninetoothed.make(arrangement, application, (Tensor(1), Tensor(1)))
        >>> scaled(3) is scaled(3)
        True
    """
    cached = functools.lru_cache(None, typed=True)(function)
    made = _Made(cached)

    @functools.wraps(function)
    def call(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        if tracing.is_compiling():
            from ninetoothed.pytorch.traced import constant

            given = {name: constant(value) for name, value in kwargs.items()}
            return getattr(made, made.name(*constant(args), **given))
        return cached(*args, **kwargs)

    return call


class _Made(Made):
    """What a function made while torch traced."""

    def __init__(self, function: Callable[..., object]) -> None:
        self._function = function

    @constant_result
    def name(self, *args: Any, **kwargs: Any) -> str:
        """The name of the attribute that the function makes of these arguments."""
        return self.keep(self._function(*args, **kwargs))
