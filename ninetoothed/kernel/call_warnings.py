"""Warnings of a call's tensors: of what they share and of gradients, each once a kernel."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

from ninetoothed.artifacts.options import Options
from ninetoothed.artifacts.signature import Signature
from ninetoothed.calls.aliasing import alias_sets, span
from ninetoothed.calls.arguments import Arguments
from ninetoothed.calls.autograd import requiring_gradients
from ninetoothed.calls.overlaps import Layout, meets_other_elements
from ninetoothed.calls.positions import CallOrder
from ninetoothed.definition.definition import Definition
from ninetoothed.errors import ArgumentError, GradientWarning, NineToothedWarning, OverlapWarning
from ninetoothed.kernel.issued_warnings import IssuedWarnings


class CallWarnings:
    """Warnings of the calls of one kernel; where it is strict, they are errors.

    ``written(signature)`` names the parameters that may be written, and ``stored(signature)``,
    which may take long, those that are with some block sizes.
    """

    def __init__(
        self,
        definition: Definition,
        options: Options,
        issued: IssuedWarnings,
        written: Callable[[Signature], frozenset[str]],
        stored: Callable[[Signature], frozenset[str]],
    ) -> None:
        self._definition = definition
        self._options = options
        self._issued = issued
        self._written = written
        self._stored = stored
        self._ordered = CallOrder(definition.interface)
        self.asks_of_gradients = True

    def check(self, args: Sequence[Any], keywords: Mapping[str, Any], bound: Arguments) -> None:
        """Warn of a call's tensors.

        Raises:
            ArgumentError: there is something to warn of, and the kernel is strict.

        Warns:
            GradientWarning: one requires gradients, and autograd records.
            OverlapWarning: one is written, and shares memory with other elements of another.
        """
        if self.asks_of_gradients:
            self._check_gradients(args, keywords)
        # Where nothing is written, the signature has no alias sets.
        if any(param.alias_set for param in bound.signature.params):
            self._check_overlaps(bound)

    def _check_gradients(self, args: Sequence[Any], keywords: Mapping[str, Any]) -> None:
        if not requiring_gradients((*args, *keywords.values())):
            return
        values, _ = self._ordered(args, keywords)
        names = self._definition.interface.names
        self.warn_of_gradients([names[place] for place in requiring_gradients(values)])

    def warn_of_gradients(self, found: Sequence[str]) -> None:
        """Warn once that no gradients flow to the arguments of these names.

        Raises:
            ArgumentError: the kernel is strict.

        Warns:
            GradientWarning: else.
        """
        if not self.asks_of_gradients:
            return
        needs = "requires" if len(found) == 1 else "require"
        text = (
            f"{' and '.join(found)} {needs} gradients, and none flow through a kernel; call it in "
            "the forward of a torch.autograd.Function, whose backward computes them, or under "
            f"torch.no_grad(), or pass {found[0]}.detach()"
        )
        self._tell(GradientWarning(text, about=""))
        self.asks_of_gradients = False

    def _check_overlaps(self, bound: Arguments) -> None:
        found = list(self._overlaps(bound))
        stored = self._stored(bound.signature) if found else frozenset[str]()
        for pair in found:
            # The first one that is written, and the other one.
            for written, other in (pair, pair[::-1]):
                if written in stored:
                    text = (
                        f"{written} is written, and other elements of {other} lie in the same "
                        "memory: which of them a program still finds there is left to chance; give "
                        f"each memory of its own, for example by {other}.clone(), or declare "
                        "Tensor(..., allow_races=True)"
                    )
                    self._tell(OverlapWarning(text))
                    break

    def _overlaps(self, bound: Arguments) -> Iterator[tuple[str, str]]:
        """Names of two parameters of which one may be written, and whose memory meets at different
        elements; those that allow races left out.
        """
        params = bound.signature.params
        written = self._written(bound.signature)
        spans = [
            None if param.kind != "tensor" or declared.source.allow_races else span(value)
            for param, declared, value in zip(
                params, self._definition.parameters, bound.values, strict=True
            )
        ]
        sets = alias_sets(spans)
        for one, two in combinations(range(len(params)), 2):
            names = params[one].name, params[two].name
            if (
                sets[one] == sets[two]
                and not written.isdisjoint(names)
                and meets_other_elements(Layout.of(bound.values[one]), Layout.of(bound.values[two]))
            ):
                yield names

    def _tell(self, warning: NineToothedWarning) -> None:
        if self._options.is_strict:
            raise ArgumentError(warning.message)
        self._issued.issue([warning])
