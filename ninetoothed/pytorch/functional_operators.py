"""Operators that stand for calls of kernels that allocate their outputs: they return those.

A call with DTensors becomes a call of one, whose rules DTensor knows. On each rank it calls the
kernel with the rank's own tensors.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ninetoothed.errors import ArgumentError, NineToothedError
from ninetoothed.pytorch.allocation import Allocation
from ninetoothed.pytorch.constant_results import constant_result
from ninetoothed.pytorch.forms import Form
from ninetoothed.pytorch.kernel_operators import KernelOperators, operator_name

if TYPE_CHECKING:
    from ninetoothed.pytorch.sharded_operators import CallRules


class FunctionalOperators:
    """The operators of one kernel with outputs, beside ``mutating`` ones, which take them.

    ``kernel`` is called without outputs, and returns them, as ``allocate`` does, which does not run
    it. ``identity`` tells a text that is equal for kernels that do the same, in any process; None:
    of this process alone.
    """

    def __init__(
        self,
        kernel: Callable[..., Any],
        mutating: KernelOperators,
        allocation: Allocation,
        allocate: Callable[[Sequence[Any], Mapping[str, Any]], Any],
        rules: CallRules,
        identity: Callable[[], str | None],
    ) -> None:
        self._kernel = kernel
        self.mutating = mutating
        self.inputs = tuple(name for name, _ in allocation.inputs)
        self.outputs = allocation.names
        self.sizes_from = allocation.sizes_from
        self.are_constants = tuple(kind == "constexpr" for _, kind in allocation.inputs)
        self.constants = [place for place, one in enumerate(self.are_constants) if one]
        self._allocate = allocate
        self._rules = rules
        self._identity = identity
        self._overloads: dict[Hashable, tuple[str, str]] = {}
        self._keywords = mutating.interface.keywords
        self._count = len(self.inputs) - len(self._keywords)

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

    def completed(self, given: Sequence[Any]) -> Sequence[Any]:
        """The inputs of the operator, all of which are given."""
        return given

    def check(self, *given: Any) -> Any:
        """The operator on tensors without data.

        Raises:
            ArgumentError: one does not fit.
        """
        self.mutating.check(dict(zip(self.inputs, given, strict=True)))
        return self._allocate(*self._arguments(given))

    def _run(self, *given: Any) -> Any:
        args, keywords = self._arguments(given)
        return self._kernel(*args, **keywords)

    def _arguments(self, given: Sequence[Any]) -> tuple[Sequence[Any], dict[str, Any]]:
        keywords = zip(self._keywords, given[self._count :], strict=True)
        return given[: self._count], dict(keywords)

    def _check_written(
        self, letters: str, dtypes: tuple[Any, ...], constants: tuple[Any, ...]
    ) -> None:
        """Check that all that calls write is returned.

        Raises:
            ArgumentError: an input is written.
        """
        names = self.mutating.names
        places = [self.inputs.index(name) if name in self.inputs else None for name in names]
        stored = self.mutating.stored(
            "".join("r" if place is None else letters[place] for place in places),
            tuple(None if place is None else dtypes[place] for place in places),
            constants,
        )
        others = sorted(stored - {*self.outputs})
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
        run = self._run if self._keywords else self._kernel
        if library.register(name, form.schema, run, self.check):
            packet = getattr(torch.ops.ninetoothed, self._name)
            sharded_operators.register(getattr(packet, letters), self, self._rules)
        return self._name, letters

    @functools.cached_property
    def _name(self) -> str:
        return operator_name(self.mutating.interface.name, self._identity(), "_functional")
