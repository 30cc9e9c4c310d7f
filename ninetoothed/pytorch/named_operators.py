"""Operators of torch with names that a program gives, each for one kernel.

The schema has the names of the kernel's parameters, and is registered at once: a saved program
that calls the operator is loaded where the module was imported that names it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, cast

from ninetoothed.artifacts.interface import Interface, Parameter
from ninetoothed.calls.arguments import check_tensor
from ninetoothed.errors import ArgumentError
from ninetoothed.pytorch.forms import Form, returned
from ninetoothed.pytorch.kernel_operators import apart

Call = Callable[[Sequence[Any], Mapping[str, Any]], Any]
"""A function of a call's arguments and keywords."""

_OF_VALUES = {bool: "bool", int: "int", float: "float"}


class NamedOperator:
    """The operator of a kernel.

    ``outputs``: names of the parameters that the kernel allocates and returns, and ``allocate``
    does so without running it; ``sizes_from`` as of an ``Allocation``. Without any, the operator
    mutates the parameters named by ``mutated``. ``written`` tells the names of those that a call
    writes.
    """

    def __init__(
        self,
        name: str,
        kernel: Callable[..., Any],
        interface: Interface,
        mutated: frozenset[str],
        written: Call,
        outputs: tuple[str, ...] = (),
        allocate: Call | None = None,
        sizes_from: Mapping[str, Sequence[tuple[str, int] | None]] = MappingProxyType({}),
    ) -> None:
        self._name = name
        self._kernel = kernel
        self._written = written
        self._allocate = allocate
        self._mutated = mutated
        self.outputs = outputs
        self.sizes_from = sizes_from
        self._keywords = interface.keywords
        parameters = {one.name: one for one in interface.arguments}
        self._parameters = parameters
        given = [one for one in parameters.values() if one.name not in outputs]
        # What may be left out comes last, as torch wants it.
        optional = [one for one in given if _is_optional(one)]
        required = [one.name for one in given if not _is_optional(one)]
        self._defaults = tuple(one.value for one in optional)
        self.inputs = (*required, *interface.keywords, *(one.name for one in optional))
        tensors = {one.name: one for one in given if one.kind == "tensor"}
        self._tensors = [place for place, one in enumerate(self.inputs) if one in tensors]
        self._constants = [
            place
            for place, one in enumerate(self.inputs)
            if one in interface.keywords or parameters[one].kind == "constexpr"
        ]
        places = {one: place for place, one in enumerate(self.inputs)}
        self._count = len(given)
        self._order = [places[one] for one in (*(one.name for one in given), *interface.keywords)]
        self._is_in_order = self._order == sorted(self._order) and not interface.keywords
        self._depends_on_sizes = bool(interface.constexpr_sizes)
        count = range(len(self.inputs))
        letters = ["w" if one in mutated else "r" if one in tensors else "i" for one in self.inputs]
        self._form = Form("".join(letters), self.inputs, tuple(None for _ in count), tuple(count))
        self._examined: set[tuple[Any, ...]] = set()

    @property
    def schema(self) -> str:
        """Parameters and results of the operator, as torch writes them."""
        texts = [f"{self._type(one)} {one}" for one in self.inputs]
        for place, value in enumerate(self._defaults, len(texts) - len(self._defaults)):
            texts[place] += f"={value}"
        return f"({', '.join(texts)}) -> {returned(len(self.outputs))}"

    @property
    def has_results(self) -> bool:
        """True if it returns tensors, and mutates none."""
        return bool(self.outputs)

    @property
    def tensors(self) -> list[str]:
        """Names of the inputs that are tensors."""
        return [self.inputs[place] for place in self._tensors]

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
        if key not in self._examined:
            self._examine(inputs)
            self._examined.add(key)
        if not self.outputs:
            inputs = apart(self._form, self._tensors, inputs)
        if self._is_in_order:
            return self._kernel(*inputs)
        args, keywords = self._arguments(inputs)
        return self._kernel(*args, **keywords)

    def check(self, *given: Any) -> Any:
        """Check the tensors: the operator on tensors without data.

        Raises:
            ArgumentError: one does not fit.
        """
        inputs = self.completed(given)
        for place in self._tensors:
            check_tensor(self._parameters[self.inputs[place]], inputs[place])
        return None if self._allocate is None else self._allocate(*self._arguments(inputs))

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

    def _examine(self, inputs: Sequence[Any]) -> None:
        """Check that the schema tells all that calls like this one write.

        Raises:
            ArgumentError: it does not.
        """
        found = self._written(*self._arguments(inputs))
        others = sorted(found - self._mutated - {*self.outputs})
        if others:
            names = " and ".join(others)
            option = "outputs" if self.outputs else "mutates_args"
            raise ArgumentError(
                f"this call of {self._name} writes {names}, which its schema does not tell; name "
                f"{names} in {option}, too"
            )

    def _arguments(self, inputs: Sequence[Any]) -> tuple[list[Any], dict[str, Any]]:
        """The arguments and keywords of the kernel's call."""
        ordered = [inputs[place] for place in self._order]
        args, values = ordered[: self._count], ordered[self._count :]
        return args, dict(zip(self._keywords, values, strict=True))


def _is_optional(parameter: Parameter) -> bool:
    return parameter.kind == "constexpr" and parameter.value is not None


def several(returned: Any) -> tuple[Any, ...]:
    """The results of a call, of which one is returned as it is."""
    if isinstance(returned, tuple | list):
        return tuple(cast("Sequence[Any]", returned))
    return (returned,)
