"""Operators that stand for calls of kernels that allocate their outputs: they return those.

A call with DTensors becomes a call of one, whose rules DTensor knows. On each rank it calls the
kernel with the rank's own tensors.
"""

from __future__ import annotations

import functools
import hashlib
import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ninetoothed.artifacts.interface import Interface
from ninetoothed.calls.arguments import checked_tensor
from ninetoothed.errors import ArgumentError, NineToothedError
from ninetoothed.pytorch.allocation import Allocation
from ninetoothed.pytorch.constant_results import constant_result
from ninetoothed.pytorch.forms import Form
from ninetoothed.pytorch.kernel_operators import NUMBERS, Written

if TYPE_CHECKING:
    from ninetoothed.pytorch.sharded_operators import CallRules

_unnamed = itertools.count()


class FunctionalOperators:
    """The operators of one kernel with outputs.

    ``kernel`` is called without them, and returns them, as ``allocate`` does, which does not run
    it. ``identity`` tells a text that is equal for kernels that do the same, in any process; None:
    of this process alone.
    """

    def __init__(
        self,
        kernel: Callable[..., Any],
        interface: Interface,
        allocation: Allocation,
        allocate: Callable[[Sequence[Any], Mapping[str, Any]], Any],
        written: Written,
        rules: CallRules,
        warn_of_gradients: Callable[[Sequence[str]], None],
        identity: Callable[[], str | None],
    ) -> None:
        self._kernel = kernel
        self._interface = interface
        self.inputs = tuple(name for name, _ in allocation.inputs)
        self.outputs = allocation.names
        self.sizes_from = allocation.sizes_from
        self._allocate = allocate
        self._written = written
        self._rules = rules
        self._warn_of_gradients = warn_of_gradients
        self._identity = identity
        count = len(self.inputs) - len(interface.keywords)
        self._count = count
        self._parameters = [
            interface.parameters[first]
            for first in interface.firsts
            if interface.names[first] not in self.outputs
        ]
        self._overloads: dict[Any, tuple[str, str]] = {}
        self.constants = [
            place for place, (_, kind) in enumerate(allocation.inputs) if kind == "constexpr"
        ]

    @constant_result
    def overload(
        self, letters: str, dtypes: tuple[Any, ...], constants: tuple[Any, ...]
    ) -> tuple[str, str] | str:
        """The names of the operator and its overload, of calls of a form: ``letters`` as in the
        form; the tensors' element types, and what is compiled in. A text, what is wrong with them.
        """
        key = (letters, dtypes, repr(constants))
        try:
            if key not in self._overloads:
                self._check_written(letters, dtypes, constants)
                self._overloads[key] = self._registered(letters)
            return self._overloads[key]
        except NineToothedError as error:
            return error.message

    @constant_result
    def warn_of_gradients(self, names: tuple[str, ...]) -> None:
        """Warn of gradients that are lost, as a call does."""
        self._warn_of_gradients(names)

    def completed(self, given: Sequence[Any]) -> Sequence[Any]:
        """The inputs of the operator, all of which are given."""
        return given

    def check(self, *given: Any) -> Any:
        """The operator on tensors without data.

        Raises:
            ArgumentError: one does not fit.
        """
        self.check_inputs(given)
        return self._allocate(*self._arguments(given))

    def check_inputs(self, given: Sequence[Any]) -> None:
        """Check the tensors among the inputs.

        Raises:
            ArgumentError: one does not fit.
        """
        for parameter, value in zip(self._parameters, given, strict=False):
            if parameter.kind == "tensor":
                checked_tensor(parameter, value)

    def _run(self, *given: Any) -> Any:
        args, keywords = self._arguments(given)
        return self._kernel(*args, **keywords)

    def _arguments(self, given: Sequence[Any]) -> tuple[Sequence[Any], dict[str, Any]]:
        keywords = zip(self._interface.keywords, given[self._count :], strict=True)
        return given[: self._count], dict(keywords)

    def _check_written(
        self, letters: str, dtypes: tuple[Any, ...], constants: tuple[Any, ...]
    ) -> None:
        """Check that all that calls write is returned.

        Raises:
            ArgumentError: an input is written.
        """
        interface = self._interface
        places = {name: place for place, name in enumerate(self.inputs)}
        types: dict[str, Any] = {}
        for parameter in interface.parameters:
            place = places.get(interface.names[parameter.first])
            if place is not None and parameter.kind != "constexpr":
                own = parameter.dtype or NUMBERS.get(letters[place])
                types[parameter.name] = dtypes[place] or own
        values = {
            self.inputs[place]: value
            for place, value in zip(self.constants, constants, strict=True)
        }
        stored = self._written(types, values)
        names = [interface.names[one.first] for one in interface.parameters if one.name in stored]
        others = sorted({*names} - {*self.outputs})
        if others:
            listed = " and ".join(others)
            raise ArgumentError(
                f"a call with DTensors returns all that it writes, and this one writes {listed}, "
                f"too; name {listed} in outputs, or write into DTensors that are placed as the "
                "kernel needs them, with out="
            )

    def _registered(self, letters: str) -> tuple[str, str]:
        """The names of the operator and its overload of calls of a form."""
        import torch

        from ninetoothed.pytorch import library, sharded_operators

        count = len(letters)
        form = Form(letters, self.inputs, (None,) * count, tuple(range(count)), len(self.outputs))
        name = f"{self._name}.{letters}"
        if library.register(name, form.schema, self._run, self.check):
            packet = getattr(torch.ops.ninetoothed, self._name)
            sharded_operators.register(getattr(packet, letters), self, self._rules)
        return self._name, letters

    @functools.cached_property
    def _name(self) -> str:
        name = self._interface.name if self._interface.name.isascii() else "kernel"
        identity = self._identity()
        if identity is None:
            return f"{name}_functional_{next(_unnamed)}"
        return f"{name}_functional_{hashlib.sha256(identity.encode()).hexdigest()[:16]}"
