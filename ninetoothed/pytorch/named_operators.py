"""Operators of torch with names that a program gives, each for one kernel.

The schema has the names of the kernel's parameters, and is registered at once: a saved program
that calls the operator is loaded where the module was imported that names it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import torch

from ninetoothed.artifacts.interface import Interface, Parameter
from ninetoothed.calls.arguments import check_tensor
from ninetoothed.errors import ArgumentError
from ninetoothed.pytorch.forms import Form
from ninetoothed.pytorch.kernel_operators import apart
from ninetoothed.pytorch.operator_results import results

_OF_VALUES = {bool: "bool", int: "int", float: "float"}


class Effects(NamedTuple):
    """Parameters that a call ``writes``, and those of which it writes every element and reads
    none, whatever the sizes.
    """

    writes: frozenset[str]
    fills: frozenset[str]


class NamedOperator:
    """The operator of a kernel.

    ``outputs``: the parameters that are its results, each with the input that it is like, or a
    function that returns its shape. Without any it mutates the parameters named by ``mutated``.
    ``effects`` tells what a call of the kernel writes.

    Raises:
        ArgumentError: the outputs do not fit the kernel.
    """

    def __init__(
        self,
        name: str,
        kernel: Callable[..., None],
        interface: Interface,
        outputs: Mapping[str, Any],
        mutated: frozenset[str],
        effects: Callable[[Sequence[Any], Mapping[str, Any]], Effects],
    ) -> None:
        self._name = name
        self._kernel = kernel
        self._effects = effects
        self._mutated = mutated
        self._keywords = interface.keywords
        parameters = {
            interface.names[first]: interface.parameters[first] for first in interface.firsts
        }
        self._parameters = parameters
        given = [one for one in parameters.values() if one.name not in outputs]
        # What may be left out comes last, as torch wants it.
        optional = [one for one in given if _is_optional(one)]
        required = [one.name for one in given if not _is_optional(one)]
        self._defaults = tuple(one.value for one in optional)
        self.inputs = (*required, *interface.keywords, *(one.name for one in optional))
        tensors = {one.name: one for one in parameters.values() if one.kind == "tensor"}
        self._results = results(name, outputs, tensors, self.inputs) if outputs else ()
        self._tensors = [place for place, one in enumerate(self.inputs) if one in tensors]
        self._constants = [
            place
            for place, one in enumerate(self.inputs)
            if one in interface.keywords or parameters[one].kind == "constexpr"
        ]
        places = {one: place for place, one in enumerate((*self.inputs, *outputs))}
        self._order = [places[one] for one in (*parameters, *interface.keywords)]
        self._is_in_order = self._order == sorted(self._order) and not interface.keywords
        self._depends_on_sizes = bool(interface.constexpr_sizes)
        count = range(len(self.inputs))
        letters = ["w" if one in mutated else "r" if one in tensors else "i" for one in self.inputs]
        self._form = Form("".join(letters), self.inputs, tuple(None for _ in count), tuple(count))
        self._filled: dict[tuple[Any, ...], frozenset[str]] = {}

    @property
    def schema(self) -> str:
        """Parameters and results of the operator, as torch writes them."""
        texts = [f"{self._type(one)} {one}" for one in self.inputs]
        for place, value in enumerate(self._defaults, len(texts) - len(self._defaults)):
            texts[place] += f"={value}"
        returned = ", ".join(["Tensor"] * len(self._results))
        return f"({', '.join(texts)}) -> {returned if len(self._results) == 1 else f'({returned})'}"

    @property
    def has_results(self) -> bool:
        """True if it returns tensors, and mutates none."""
        return bool(self._results)

    @property
    def mutated(self) -> list[int]:
        """Positions of the inputs that it mutates."""
        return sorted(self._form.written)

    def completed(self, given: Sequence[Any]) -> Sequence[Any]:
        """The inputs, with the defaults that torch leaves out."""
        missing = len(self.inputs) - len(given)
        return (*given, *self._defaults[-missing:]) if missing else given

    def run(self, *given: Any) -> Any:
        """Run the kernel: the operator on tensors with data."""
        inputs = self.completed(given)
        key = self._key(inputs)
        filled = self._filled.get(key)
        if filled is None:
            # A call like this one tells; it is examined with results of zeros.
            filled = self._examined(inputs, self.allocated(inputs, frozenset()))
            self._filled[key] = filled
        if not self._results:
            self._call(apart(self._form, self._tensors, inputs))
            return None
        outputs = self.allocated(inputs, filled)
        self._call((*inputs, *outputs))
        return outputs[0] if len(outputs) == 1 else tuple(outputs)

    def check(self, *given: Any) -> Any:
        """Check the tensors: the operator on tensors without data.

        Raises:
            ArgumentError: one does not fit.
        """
        inputs = self.completed(given)
        for place in self._tensors:
            check_tensor(self._parameters[self.inputs[place]], inputs[place])
        outputs = self.allocated(inputs, frozenset(one.name for one in self._results))
        for one, output in zip(self._results, outputs, strict=True):
            check_tensor(self._parameters[one.name], output)
        if not outputs:
            return None
        return outputs[0] if len(outputs) == 1 else tuple(outputs)

    def allocated(self, inputs: Sequence[Any], filled: frozenset[str]) -> list[torch.Tensor]:
        """The results of a call, of zeros where the kernel does not fill them.

        Raises:
            ArgumentError: the function of one returns no shape.
        """
        return [one.allocate(inputs, one.name in filled) for one in self._results]

    def _type(self, name: str) -> str:
        """The type of an input, as torch writes it."""
        if name in self._keywords:
            return "int"
        parameter = self._parameters[name]
        if parameter.kind == "tensor":
            return f"Tensor({name}!)" if name in self._mutated else "Tensor"
        if parameter.value is not None:
            return _OF_VALUES[parameter.value.__class__]
        if parameter.dtype is None:
            return "Scalar"
        if parameter.dtype == "i1":
            return "bool"
        return "SymInt" if parameter.dtype[0] in "iu" else "float"

    def _key(self, inputs: Sequence[Any]) -> tuple[Any, ...]:
        """What decides which parameters a call writes."""
        key = tuple([inputs[place].dtype for place in self._tensors])
        if self._constants:
            values = [inputs[place] for place in self._constants]
            # True is equal to 1.
            key += tuple([(value.__class__, value) for value in values])
        if self._depends_on_sizes:
            key += tuple([inputs[place].shape for place in self._tensors])
        return key

    def _examined(self, inputs: Sequence[Any], outputs: Sequence[Any]) -> frozenset[str]:
        """The results that calls like this one fill.

        Raises:
            ArgumentError: it writes what the schema does not tell.
        """
        found = self._effects(*self._arguments((*inputs, *outputs)))
        others = sorted(found.writes - self._mutated - {one.name for one in self._results})
        if not others:
            return found.fills
        names = " and ".join(others)
        remedy = (
            f"name {names} in outputs, too"
            if self._results
            else f"name {names} in mutates_args, too"
        )
        raise ArgumentError(
            f"this call of {self._name} writes {names}, which its schema does not tell; {remedy}"
        )

    def _arguments(self, values: Sequence[Any]) -> tuple[list[Any], dict[str, Any]]:
        """The arguments and keywords of the kernel's call, from inputs and results."""
        ordered = [values[place] for place in self._order]
        count = len(self._parameters)
        return ordered[:count], dict(zip(self._keywords, ordered[count:], strict=True))

    def _call(self, values: Sequence[Any]) -> None:
        if self._is_in_order:
            self._kernel(*values)
            return
        args, keywords = self._arguments(values)
        self._kernel(*args, **keywords)


def _is_optional(parameter: Parameter) -> bool:
    return parameter.kind == "constexpr" and parameter.value is not None
