"""Operators of torch that stand for a kernel's calls.

A call that torch traces becomes a call of an operator, which mutates what the kernel writes, and
returns nothing. It is registered when it is first needed.

Passes of torch may change what shares memory: Inductor may find that ``y = x.clone(); kernel(y, x)``
can do without the copy. So a traced call tells the operator which arguments are one tensor; others
that share memory with one that is written are copied before the kernel runs.
"""

from __future__ import annotations

import hashlib
import itertools
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import torch

from ninetoothed.artifacts.interface import Interface, Parameter
from ninetoothed.calls.aliasing import alias_sets, is_tensor, span
from ninetoothed.calls.arguments import check_tensor, constant_values, positional
from ninetoothed.calls.positions import CallOrder
from ninetoothed.calls.sequences import check_jagged, elements_of
from ninetoothed.errors import ArgumentError
from ninetoothed.pytorch.forms import Form, joined, letters_of_written

Written = Callable[[Mapping[str, Any], Mapping[str, Any]], frozenset[str]]
"""Names of the parameters that are written, from element types and constants by name."""

NAMESPACE = "ninetoothed"

_DTYPES = {"i": "i32", "f": "fp32", "b": "i1"}
_lock = threading.Lock()
_library = torch.library.Library(NAMESPACE, "FRAGMENT")
_registered: set[str] = set()
_unnamed = itertools.count()


class Order(NamedTuple):
    """Order of an operator's arguments, with their ``names``: their positions among those of a
    call, the values of its keywords, and ``defaults``.

    ``constants``: positions of the arguments that are compiled in. ``repeats``: pairs of positions
    that must have the same value.
    """

    names: tuple[str, ...]
    places: tuple[int, ...]
    defaults: tuple[Any, ...]
    constants: tuple[int, ...]
    repeats: tuple[tuple[int, int], ...]


class Operators:
    """The operators of one kernel.

    ``kernel`` is called with a call's arguments; ``identity`` is equal for kernels that do the
    same, in any process, or None.
    """

    def __init__(
        self,
        kernel: Callable[..., None],
        interface: Interface,
        written: Written,
        identity: str | None,
    ) -> None:
        self._kernel = kernel
        self._interface = interface
        self._written = written
        self._ordered = CallOrder(interface)
        number = f"{next(_unnamed)}" if identity is None else _digest(identity)
        self._name = f"{interface.name}_{number}" if interface.name.isascii() else f"k_{number}"
        self._parameters = [interface.parameters[first] for first in interface.firsts]
        self._names = (*(one.name for one in self._parameters), *interface.keywords)
        self._dims = [one.jagged_dim for one in self._parameters]
        self._dims += [None] * len(interface.keywords)

    def order(self, count: int, keywords: tuple[str, ...]) -> Order:
        """Order of a call's arguments.

        Raises:
            ArgumentError: the kernel does not take so many, or these keywords.
        """
        interface = self._interface
        try:
            order = self._ordered.order(count, keywords)
        except (KeyError, ValueError):
            positional(interface, [None] * count, dict.fromkeys(keywords))
            raise
        others = dict(order.others)
        missing = [name for name in interface.keywords if name not in others]
        if missing or len(others) > len(interface.keywords):
            constant_values(interface, dict.fromkeys(others, 1), {})
        places = [order.parameters[first] for first in interface.firsts]
        places += [others[name] for name in interface.keywords]
        pairs = ((order.parameters[one], order.parameters[two]) for one, two in interface.repeats)
        repeats = tuple(pair for pair in pairs if pair[0] != pair[1])
        return Order(
            self._names, tuple(places), order.defaults, tuple(self._constants), repeats
        )

    @property
    def _constants(self) -> list[int]:
        """Positions of the arguments that are compiled in."""
        count = len(self._parameters)
        known = [n for n, one in enumerate(self._parameters) if one.kind == "constexpr"]
        return [*known, *range(count, len(self._names))]

    def overload(
        self, letters: str, dtypes: tuple[torch.dtype | None, ...], constants: tuple[Any, ...]
    ) -> tuple[str, str]:
        """The names of the operator and its overload for calls with these arguments: element types of tensors, and values of
        those that are compiled in.

        Raises:
            NineToothedError: the application is wrong for these element types.
        """
        types: dict[str, Any] = {}
        for parameter in self._interface.parameters:
            place = self._interface.firsts.index(parameter.first)
            if parameter.kind != "constexpr":
                own = parameter.dtype or _DTYPES.get(letters[place])
                types[parameter.name] = dtypes[place] or own
        values = {
            self._names[place]: value
            for place, value in zip(self._constants, constants, strict=True)
            if value is not None
        }
        stored = self._written(types, values)
        written = frozenset(
            self._parameters[self._interface.firsts.index(one.first)].name
            for one in self._interface.parameters
            if one.name in stored
        )
        form = Form(letters_of_written(letters, self._names, written), self._names)
        return self._registration(form)

    def _registration(self, form: Form) -> tuple[str, str]:
        name = f"{self._name}.{form.letters}"
        with _lock:
            if name not in _registered:
                tags = (torch.Tag.pt2_compliant_tag, torch.Tag.needs_exact_strides)
                _library.define(f"{name}{form.schema}", tags=tags)
                _library.impl(name, self._runner(form), "CompositeExplicitAutograd")
                torch.library.register_fake(f"{NAMESPACE}::{name}", self._checker(form), lib=_library)
                _registered.add(name)
        return self._name, form.letters

    def _runner(self, form: Form) -> Callable[..., None]:
        """The operator's implementation on tensors with data."""

        def run(*given: Any, same: Sequence[int] | None = None) -> None:
            values = joined(form.letters, given, self._dims)
            if same is not None:
                values = self._separated(form, values, same)
            count = len(self._parameters)
            keywords = dict(zip(self._interface.keywords, values[count:], strict=True))
            self._kernel(*values[:count], **keywords)

        return run

    def _separated(self, form: Form, values: Sequence[Any], same: Sequence[int]) -> list[Any]:
        """The arguments of a call in which only those are one tensor that were when it was traced.

        Raises:
            ArgumentError: two share memory, and both are written.
        """
        found = list(values)
        sets = alias_sets([span(one) if is_tensor(one) else None for one in values])
        written = {same[place] for place in form.written}
        for place in form.written:
            for other, first in enumerate(same):
                if sets[other] != sets[place] or first == same[place]:
                    continue
                if first in written:
                    names = f"{form.names[place]} and {form.names[other]}"
                    raise ArgumentError(
                        f"{names} are written and share memory, which a compiled graph cannot "
                        "express; give each memory of its own, or pass one tensor for both"
                    )
                if found[other] is values[other]:
                    copy = values[first].clone()
                    for one, number in enumerate(same):
                        if number == first:
                            found[one] = copy
        return found

    def _checker(self, form: Form) -> Callable[..., None]:
        """The operator's implementation on tensors without data: it checks them."""

        def check(*given: Any, same: Sequence[int] | None = None) -> None:
            values = joined(form.letters, given, self._dims)
            for parameter, letter, value in zip(
                self._parameters, form.letters, values[: len(self._parameters)], strict=True
            ):
                if parameter.kind == "tensor":
                    check_tensor(parameter, value)

        return check


def _digest(identity: str) -> str:
    return hashlib.sha256(identity.encode()).hexdigest()[:16]
