"""Call interface of a kernel: its parameters and symbols, without its arrangement.

Frozen, and made of text and numbers, but for what only a call asks for.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple


class Parameter(NamedTuple):
    """Parameter of a kernel, as a call sees it.

    ``kind``: ``"tensor"``, ``"scalar"`` (passed by value) or ``"constexpr"`` (``value`` is what it
    is where the call gives none). ``dtype`` is declared, or None. ``first`` is the position of the
    first parameter that is the same argument, arranged in another way; mostly its own.
    """

    name: str
    kind: str
    ndim: int
    dtype: str | None
    value: bool | int | float | None
    jagged_dim: int | None
    first: int


class Bounds(NamedTuple):
    """Inclusive bounds of a symbol's value; None is no bound. ``given``: of the lower and the upper
    one, whether the user gave it.
    """

    lower: int | None
    upper: int | None
    given: tuple[bool, bool] = (False, False)

    def exceeded(self, value: int) -> tuple[bool, bool]:
        """True where ``value`` is below the lower bound, and above the upper one."""
        return (
            self.lower is not None and value < self.lower,
            self.upper is not None and value > self.upper,
        )


class Emptiness(NamedTuple):
    """Condition under which no element of an arranged tensor exists.

    The parameter's ``position``, and Python ``source`` over the names of ``sizes`` and of constexpr
    symbols, which is below 1 then. ``sizes``: each with the parameter's position and the dim.
    ``needs_zero``: it is only so where one of these sizes is 0.
    """

    position: int
    source: str
    sizes: tuple[Size, ...]
    needs_zero: bool


Size = tuple[str, int, int]
"""Size of a parameter: its symbol, the parameter's position, and the dim."""


class Extent(NamedTuple):
    """Size or stride of a parameter: its symbol, the parameter's position, and the dim."""

    name: str
    position: int
    dim: int
    is_stride: bool = False


Equals = tuple[tuple[Extent, Extent], ...]
"""Pairs of sizes or strides. That all of them are equal is one fact of a call."""


@dataclass(frozen=True)
class Interface:
    """Parameters and symbols that a kernel's calls are bound by.

    ``meta`` names the symbols that the compiler chooses. ``constexprs`` are those that the caller
    gives, by their names in the IR, with the keyword of the call; ``constexpr_sizes`` names sizes
    that are constants when compiling. ``dynamic`` are the block sizes that only a call knows: their
    text, and Python source over the symbols' names. ``sizes``: the sizes that these depend on, each
    with the parameter's position and the dim. ``empties``: when an expanded or squeezed dim has the
    size 0. ``find_equals`` finds ``equals`` when the first call asks. ``flattened``: the positions
    of the parameters whose contiguity is part of a signature, since dims of theirs are made one.
    """

    name: str
    parameters: tuple[Parameter, ...]
    meta: tuple[str, ...]
    constexprs: tuple[tuple[str, str, Bounds], ...]
    constexpr_sizes: tuple[str, ...]
    dynamic: tuple[tuple[str, str], ...]
    sizes: tuple[Size, ...]
    empties: tuple[Emptiness, ...] = ()
    find_equals: Callable[[], tuple[Equals, ...]] = field(default=tuple, compare=False, repr=False)
    flattened: tuple[int, ...] = ()

    @cached_property
    def equals(self) -> tuple[Equals, ...]:
        """The facts about equal sizes and strides that are part of a signature."""
        return self.find_equals()

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The parameters' names."""
        return tuple(parameter.name for parameter in self.parameters)

    @cached_property
    def keywords(self) -> tuple[str, ...]:
        """Keywords by which a call gives the values of symbols."""
        return tuple(keyword for _, keyword, _ in self.constexprs)

    def widened(self, constants: Iterable[tuple[str, int]]) -> bool:
        """True if one of these values of symbols is outside its declared bounds."""
        if not self.constexprs:
            return False
        values = dict(constants)
        return any(
            any(bounds.exceeded(values[name]))
            for name, _, bounds in self.constexprs
            if name in values
        )

    @cached_property
    def firsts(self) -> tuple[int, ...]:
        """Position of the first parameter of each argument."""
        return tuple(dict.fromkeys(parameter.first for parameter in self.parameters))

    @cached_property
    def arguments(self) -> tuple[Parameter, ...]:
        """The first parameter of each argument."""
        return tuple(self.parameters[first] for first in self.firsts)

    def arguments_of(self, parameters: Container[str]) -> frozenset[str]:
        """The names of the arguments that parameters are: those of their first ones."""
        return frozenset(self.names[one.first] for one in self.parameters if one.name in parameters)

    @cached_property
    def repeats(self) -> tuple[tuple[int, int], ...]:
        """Pairs of positions of parameters that are one argument: the first, and each later one."""
        pairs = ((parameter.first, place) for place, parameter in enumerate(self.parameters))
        return tuple((first, later) for first, later in pairs if first != later)

    @cached_property
    def _block_sizes(self) -> Callable[..., tuple[int, ...]]:
        names = dict.fromkeys([name for name, *_ in (*self.sizes, *self.constexprs)])
        values = "".join(f"{source}, " for _, source in self.dynamic)
        source = f"lambda {', '.join(names)}: ({values})"
        return eval(compile(source, "<ninetoothed sizes>", "eval"))

    def padded_sizes(self, values: Mapping[str, int]) -> tuple[tuple[str, int], ...]:
        """Block sizes that only a call knows, padded to powers of two.

        Raises:
            ZeroDivisionError: one divides by a size that is 0.
        """
        if not self.dynamic:
            return ()
        found = zip(self.dynamic, self._block_sizes(**values), strict=True)
        return tuple((text, 1 << max(size - 1, 0).bit_length()) for (text, _), size in found)

    @cached_property
    def emptinesses(self) -> tuple[Callable[[Mapping[str, int]], bool], ...]:
        """The conditions of ``empties`` as functions of the symbols' values."""
        return tuple(_condition(one.source) for one in self.empties)


def _condition(source: str) -> Callable[[Mapping[str, int]], bool]:
    code = compile(source, "<ninetoothed sizes>", "eval")

    def condition(values: Mapping[str, int]) -> bool:
        try:
            return eval(code, {}, values) < 1
        except ZeroDivisionError:
            # The size of a block that divides is checked to be at least 1 with the call's sizes.
            return False

    return condition
