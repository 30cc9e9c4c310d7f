"""Options of ``make`` and ``jit``, checked."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from keyword import iskeyword
from typing import Literal, NamedTuple, cast

from ninetoothed import config as settings
from ninetoothed import dtype as dtypes
from ninetoothed.artifacts.target import languages
from ninetoothed.errors import ArgumentError, OptionWarning, did_you_mean, shown, warn


class Options(NamedTuple):
    """Options of a kernel; None: the compiler's choice."""

    name: str | None = None
    num_warps: tuple[int, ...] | None = None
    num_stages: tuple[int, ...] | None = None
    max_num_configs: int | None = None
    backend: str | None = None
    strict: bool = False
    tune: Literal["off", "quick", "full"] | None = None

    @property
    def is_strict(self) -> bool:
        """True if races are an error."""
        return self.strict or settings.strict()

    @property
    def key(self) -> tuple[object, ...]:
        """Cache key of the options: all but how to tune."""
        return self._replace(strict=self.is_strict, tune=None)


def options(
    caller: str = "torch",
    kernel_name: str | None = None,
    output_dir: str | None = None,
    num_warps: int | Iterable[int] | None = None,
    num_stages: int | Iterable[int] | None = None,
    max_num_configs: int | None = None,
    backend: str | None = None,
    strict: bool = False,
    tune: Literal["off", "quick", "full"] | None = None,
) -> Options:
    """The options, as :func:`ninetoothed.make` takes them.

    Raises:
        ArgumentError: one has no such value.

    Warns:
        OptionWarning: one has no effect.
    """
    if not isinstance(cast("object", caller), str) or caller != "torch":
        raise ArgumentError(
            f"kernels are made for Python, with caller='torch'; caller={shown(caller)} would be a "
            "library that is built ahead of time, which is not part of this version; leave caller "
            "out"
        )
    if output_dir is not None:
        warn(
            OptionWarning(
                "output_dir has no effect, for with caller='torch' no library is built; leave it "
                "out, and see ninetoothed.generation.CACHE_DIR for where compiled kernels are kept"
            )
        )
    if kernel_name is not None and not _is_name(kernel_name):
        raise ArgumentError(
            f"kernel_name must be a name as Python has them, not {shown(kernel_name)}"
        )
    if max_num_configs is not None and (type(max_num_configs) is not int or max_num_configs < 1):
        raise ArgumentError(
            f"max_num_configs must be a positive integer, not {shown(max_num_configs)}"
        )
    _check_backend(backend)
    if tune is not None and (
        not isinstance(cast("object", tune), str) or tune not in ("off", "quick", "full")
    ):
        raise ArgumentError(f'tune must be "off", "quick" or "full", not {shown(tune)}')
    return Options(
        kernel_name,
        _warps(num_warps),
        _numbers(num_stages, "num_stages"),
        max_num_configs,
        backend,
        _flag(strict, "strict"),
        tune,
    )


def _check_backend(backend: object) -> None:
    named = backend if isinstance(backend, str) and backend != "interpret" else None
    backends = (*languages(named), "interpret")
    if backend is not None and (not isinstance(backend, str) or backend not in backends):
        known = f"backends are {', '.join(backends)}"
        near = "" if named is None else did_you_mean(named, backends)
        raise ArgumentError(f"there is no backend {shown(backend)}; {near or known}")


def _flag(value: object, name: str) -> bool:
    try:
        return bool(dtypes.flag(value))
    except TypeError:
        raise ArgumentError(f"{name} must be True or False, not {shown(value)}") from None


def _is_name(value: object) -> bool:
    return isinstance(value, str) and value.isidentifier() and not iskeyword(value)


_MOST_NUMBERS = 64


def _numbers(value: int | Iterable[int] | None, name: str) -> tuple[int, ...] | None:
    if value is None:
        return None
    try:
        # More than are tried say as little as none.
        items = tuple(itertools.islice(cast("Iterable[int]", value), _MOST_NUMBERS + 1))
    except TypeError:
        items = (cast("int", value),)
    if not 0 < len(items) <= _MOST_NUMBERS or any(
        type(item) is not int or item < 1 for item in items
    ):
        raise ArgumentError(f"{name} must be a positive integer or several, not {shown(value)}")
    return items


def _warps(value: int | Iterable[int] | None) -> tuple[int, ...] | None:
    items = _numbers(value, "num_warps")
    for item in items or ():
        if item & (item - 1):
            raise ArgumentError(f"num_warps must be a power of two, not {item}; write 4 or 8")
    return items
