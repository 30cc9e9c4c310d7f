"""Operators of torch that stand for a kernel's calls.

A call that torch traces becomes a call of an operator, which mutates what the kernel writes, and
returns nothing. It is registered when it is first needed.

Passes of torch may change what shares memory: Inductor may find that ``y = x.clone()`` before
``kernel(y, x)`` is not needed. So the operator knows which arguments were one tensor when the call
was traced; others that share memory with one that is written are copied before the kernel runs.
"""

from __future__ import annotations

import functools
import hashlib
import itertools
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from ninetoothed.artifacts.interface import Interface
from ninetoothed.calls.aliasing import alias_sets, is_tensor, span
from ninetoothed.calls.arguments import check_tensor, checked_order, checked_tensor, different
from ninetoothed.calls.positions import CallOrder
from ninetoothed.calls.sequences import Jagged, elements_of
from ninetoothed.errors import ArgumentError, NineToothedError
from ninetoothed.pytorch.constant_results import constant_result
from ninetoothed.pytorch.forms import Form

Written = Callable[[Mapping[str, Any], Mapping[str, Any]], frozenset[str]]
"""Names of the parameters that are written, from element types and constants by name."""

NUMBERS = {"i": "i32", "f": "fp32", "b": "i1"}
"""The element types of numbers, by their letters in a form."""
_unnamed = itertools.count()


class Order(NamedTuple):
    """Order of an operator's arguments, with their ``names``: their positions among those of a
    call, the values of its keywords, and ``defaults``.

    ``constants``: positions of the arguments that are compiled in. ``repeats``: pairs of positions
    that must have the same value, and the message where they have not.
    """

    names: tuple[str, ...]
    places: tuple[int, ...]
    defaults: tuple[Any, ...]
    constants: tuple[int, ...]
    repeats: tuple[tuple[int, int, str], ...]


def operator_name(kernel: str, identity: str | None, kind: str = "") -> str:
    """The name of a kernel's operators of a kind: the same in any process for the same
    ``identity``, and without one for nobody else.
    """
    name = (kernel if kernel.isascii() else "kernel") + kind
    if identity is None:
        return f"{name}_{next(_unnamed)}"
    return f"{name}_{hashlib.sha256(identity.encode()).hexdigest()[:16]}"


class KernelOperators:
    """The operators of one kernel.

    ``kernel`` is called with a call's arguments. ``identity``: equal for kernels that do the same,
    in any process; None: of this process alone. ``warn_of_gradients`` takes the names of arguments
    whose gradients are lost.

    torch's compiler runs the methods that it takes for constants while it traces; what is wrong
    with a call, they return as a text.
    """

    def __init__(
        self,
        kernel: Callable[..., None],
        interface: Interface,
        written: Written,
        identity: str | None,
        warn_of_gradients: Callable[[Sequence[str]], None],
    ) -> None:
        self.kernel = kernel
        self.interface = interface
        self._written = written
        self._warn_of_gradients = warn_of_gradients
        self._ordered = CallOrder(interface)
        self._known: dict[Hashable, frozenset[str]] = {}
        self._identity = identity
        self._parameters = interface.arguments
        self.names = (*(one.name for one in self._parameters), *interface.keywords)
        self._dims = tuple(one.jagged_dim for one in self._parameters)
        self._dims += (None,) * len(interface.keywords)
        self.constants = tuple(
            place
            for place in range(len(self.names))
            if place >= len(self._parameters) or self._parameters[place].kind == "constexpr"
        )

    @constant_result
    def order(self, count: int, keywords: tuple[str, ...]) -> Order | str:
        """Order of the arguments of a call with ``count`` of them, and these keywords."""
        try:
            return self._order(count, keywords)
        except NineToothedError as error:
            return error.message

    @constant_result
    def overload(
        self,
        letters: str,
        same: tuple[int, ...],
        dtypes: tuple[Any, ...],
        constants: tuple[Any, ...],
        waits: bool,
    ) -> tuple[str, str] | str:
        """The names of the operator and its overload, of calls of a form: ``letters``, ``same`` and
        ``waits`` as in the form, but that nothing is written. ``dtypes`` are the tensors' element
        types, and ``constants`` what is compiled in.
        """
        try:
            form = Form(letters, self.names, self._dims, same, waits=waits)
            return self._registered(form.with_written(self.stored(letters, dtypes, constants)))
        except NineToothedError as error:
            return str(error)

    @constant_result
    def warn_of_gradients(self, names: tuple[str, ...]) -> None:
        """Warn of gradients that are lost, as a call does."""
        self._warn_of_gradients(names)

    def arguments(self, args: Sequence[Any], keywords: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments of a call by name, each once.

        Raises:
            ArgumentError: the kernel takes others.
        """
        names, places, defaults, _, repeats = self._order(len(args), tuple(keywords))
        given = (*args, *keywords.values(), *defaults)
        for one, two, message in repeats:
            if given[one] is not given[two]:
                raise ArgumentError(message)
        return {name: given[place] for name, place in zip(names, places, strict=True)}

    def check(self, values: Mapping[str, Any]) -> None:
        """Check the tensors among a call's arguments, or some of them.

        Raises:
            ArgumentError: one does not fit.
        """
        for parameter in self._parameters:
            if parameter.kind == "tensor" and parameter.name in values:
                checked_tensor(parameter, values[parameter.name])

    def _order(self, count: int, keywords: tuple[str, ...]) -> Order:
        """See :meth:`order`.

        Raises:
            ArgumentError: the kernel takes another number of arguments, or other keywords.
        """
        interface = self.interface
        order = checked_order(self._ordered, interface, count, keywords)
        others = dict(order.others)
        places = [order.parameters[first] for first in interface.firsts]
        places += [others[name] for name in interface.keywords]
        repeats = tuple(
            (order.parameters[first], order.parameters[later], different(interface, first, later))
            for first, later in interface.repeats
            if order.parameters[first] != order.parameters[later]
        )
        return Order(self.names, tuple(places), order.defaults, self.constants, repeats)

    def stored(
        self, letters: str, dtypes: tuple[Any, ...], constants: tuple[Any, ...]
    ) -> frozenset[str]:
        """Names of the arguments that calls of a form write (see :meth:`overload`).

        Raises:
            NineToothedError: the application is wrong for these element types.
        """
        key = (letters, dtypes, repr(constants))
        if key not in self._known:
            self._known[key] = self._stored(letters, dtypes, constants)
        return self._known[key]

    def _stored(
        self, letters: str, dtypes: tuple[Any, ...], constants: tuple[Any, ...]
    ) -> frozenset[str]:
        interface = self.interface
        place_of = {first: place for place, first in enumerate(interface.firsts)}
        types: dict[str, Any] = {}
        for parameter in interface.parameters:
            place = place_of[parameter.first]
            dtype = dtypes[place] or parameter.dtype or NUMBERS.get(letters[place])
            # What a call allocates has none yet.
            if parameter.kind != "constexpr" and dtype is not None:
                types[parameter.name] = dtype
        known = zip(self.constants, constants, strict=True)
        values = {self.names[place]: value for place, value in known if value is not None}
        return interface.arguments_of(self._written(types, values))

    def _registered(self, form: Form) -> tuple[str, str]:
        """The names of the operator and its overload of calls of a form."""
        from ninetoothed.pytorch.library import register

        name = f"{self._name}.{form.overload}"
        check = functools.partial(self._check, form)
        register(name, form.schema, self._runner(form), check, form.waits)
        return self._name, form.overload

    @cached_property
    def _name(self) -> str:
        return operator_name(self.interface.name, self._identity)

    def _runner(self, form: Form) -> Callable[..., None]:
        """The operator on tensors with data: it runs the kernel."""
        kernel, keywords = self.kernel, self.interface.keywords
        count, tensors = len(self._parameters), form.tensors
        is_plain = not {*form.letters} & {*"jk"}

        def run(*given: Any) -> None:
            values = given if is_plain else form.joined(given, _longest)
            values = apart(form, tensors, values)
            if keywords:
                kernel(*values[:count], **dict(zip(keywords, values[count:], strict=True)))
            else:
                kernel(*values)

        return run

    def _check(self, form: Form, *given: Any) -> None:
        """Check the tensors: the operator on tensors without data.

        Raises:
            ArgumentError: one does not fit.
        """
        # How long the sequences are is data.
        values = form.joined(given, lambda _: 1)
        for parameter, value in zip(self._parameters, values, strict=False):
            if parameter.kind == "tensor":
                check_tensor(parameter, value)


def _longest(offsets: Any) -> int:
    """The longest sequence's length; the device is asked for it."""
    return int(offsets.diff().max()) if len(offsets) > 1 else 0


def apart(form: Form, tensors: Sequence[int], values: Sequence[Any]) -> Sequence[Any]:
    """The arguments of a call of a form, of which those at ``tensors`` are tensors: copies, where
    they share memory with one that is written, and did not when the call was traced.

    Raises:
        ArgumentError: both are written.
    """
    storages = {elements_of(values[place]).untyped_storage().data_ptr() for place in tensors}
    return values if len(storages) == len(tensors) else _separated(form, values)


def _separated(form: Form, values: Sequence[Any]) -> list[Any]:
    """The arguments of a call in which only those share memory with one that is written that were
    the same tensor when the call was traced; of others, copies.

    Raises:
        ArgumentError: both are written.
    """
    found = list(values)
    sets = alias_sets([span(one) if is_tensor(one) else None for one in values])
    for place in form.written:
        for other in form.tensors:
            if other == place or sets[other] != sets[place]:
                continue
            if other in form.written:
                raise ArgumentError(
                    f"{form.names[place]} and {form.names[other]} are written, and share memory, "
                    "which no graph of torch can say; give each memory of its own, or pass one "
                    "tensor for both"
                )
            copy = _copy(values[other])
            pairs = zip(found, form.same, strict=True)
            found = [copy if first == other else one for one, first in pairs]
    return found


def _copy(value: Any) -> Any:
    if isinstance(value, Jagged):
        return value.with_elements(value.elements.clone())
    return value.clone()
