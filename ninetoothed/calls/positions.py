"""Argument order: the parameters' values from a call's arguments and keywords."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ninetoothed.artifacts.interface import Interface

MOST_ORDERS = 256
"""Ways to write a call that are kept of one kernel."""


class CallOrder:
    """Callable that puts the arguments of right calls in order, as ``arguments.bind`` does."""

    def __init__(self, interface: Interface) -> None:
        self._interface = interface
        self._orders: dict[tuple[int, tuple[str, ...]], Order] = {}

    def __call__(
        self, args: Sequence[Any], keywords: Mapping[str, Any]
    ) -> tuple[Sequence[Any], Hashable]:
        """The parameters' values, and the other keywords: names, classes and values.

        Raises:
            KeyError, ValueError: the call is wrong.
        """
        if not keywords and len(args) == len(self._interface.parameters):
            return args, None
        # The order of keywords is that of their values.
        order = self.order(len(args), tuple(keywords))
        given = (*args, *keywords.values(), *order.defaults)
        values = [given[place] for place in order.parameters]
        if not order.others:
            return values, None
        # A keyword's value may be a bool, which is equal to a number.
        others = ((name, given[place]) for name, place in order.others)
        return values, tuple((name, value.__class__, value) for name, value in others)

    def order(self, count: int, keywords: tuple[str, ...]) -> Order:
        """Order of calls with ``count`` arguments and these keywords.

        Raises:
            KeyError, ValueError: the call is wrong.
        """
        order = self._orders.get((count, keywords))
        if order is None:
            order = _order(self._interface, count, keywords)
            if len(self._orders) < MOST_ORDERS:
                self._orders[count, keywords] = order
        return order


@dataclass(frozen=True)
class Order:
    """Positions of the parameters' values among arguments, keywords' values and defaults."""

    parameters: tuple[int, ...]
    defaults: tuple[Any, ...]
    others: tuple[tuple[str, int], ...]


def _order(interface: Interface, count: int, keywords: tuple[str, ...]) -> Order:
    names = interface.names
    positional = names
    if interface.repeats and count == len(interface.firsts):
        positional = tuple(names[first] for first in interface.firsts)
    found = dict(zip(positional[:count], range(count), strict=True))
    others: list[tuple[str, int]] = []
    for place, name in enumerate(keywords, count):
        if name not in names:
            others.append((name, place))
        elif found.setdefault(name, place) != place:
            raise ValueError(f"{name} is given twice")
    defaults: list[Any] = []
    for parameter in interface.parameters:
        if parameter.kind != "constexpr" or parameter.value is None or parameter.name in found:
            continue
        found[parameter.name] = count + len(keywords) + len(defaults)
        defaults.append(parameter.value)
    for first, later in interface.repeats:
        found.setdefault(names[later], found[names[first]])
    return Order(tuple(found[name] for name in names), tuple(defaults), tuple(others))
