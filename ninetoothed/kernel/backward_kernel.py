"""Kernels as the backward of others: gradients are allocated like inputs of the forward kernel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ninetoothed.artifacts.interface import Interface
from ninetoothed.cache.entries import OutputFacts
from ninetoothed.definition.outputs import resolve_like
from ninetoothed.errors import ArgumentError
from ninetoothed.kernel import tracing
from ninetoothed.kernel.allocating_kernel import KernelWithOutputs
from ninetoothed.kernel.kernel import Kernel
from ninetoothed.pytorch.allocation import Allocation
from ninetoothed.pytorch.gradient_names import Roles

if TYPE_CHECKING:
    from ninetoothed.pytorch.placement_rules import Rules


class BackwardKernel(KernelWithOutputs):
    """A kernel whose calls allocate the gradients that it computes, and return them.

    Behind its own arguments, ``taken`` has those inputs of the forward kernel that gradients are
    like, and that it does not take itself: tensors of which only shape and element type count.
    """

    def __init__(self, kernel: Kernel, roles: Roles, forward: Interface) -> None:
        # What it allocates otherwise, it is given here.
        recipe = replace(kernel._recipe, outputs=None)
        super().__init__(recipe.options, kernel._compilation, recipe)
        own = self.interface
        self._count = len(own.parameters)
        self.roles = roles
        behind = [
            forward.parameters[forward.names.index(one)]._replace(dtype=None, first=place)
            for place, one in enumerate(roles.shapes, self._count)
        ]
        self._taken = replace(own, parameters=(*own.parameters, *behind))
        names = self._taken.names
        likes = {one: names.index(owner) for one, owner in roles.computed.items()}
        outputs = resolve_like(self.definition, likes)
        self._allocation = Allocation(
            self._taken,
            outputs,
            # Inputs tell the sizes, and no equal ones.
            lambda _: outputs,
            self._facts,
            tracing.are_traced,
        )

    @property
    def taken(self) -> Interface:
        return self._taken

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        values, keywords, result = self._allocation.completed(args, kwargs)
        super().__call__(*values[: self._count], **keywords)
        return result

    def call_rules(self, given: Mapping[str, Any], shapes: Mapping[str, tuple[int, ...]]) -> Rules:
        from torch.distributed.tensor import Shard

        from ninetoothed.pytorch.placement_rules import Rule

        found = super().call_rules(given, shapes)
        each: list[Rule] = []
        for rule in found.each:
            # Where a gradient is split, so is what it is like.
            likes = {
                owner: rule[one]
                for one, owner in self.roles.computed.items()
                if owner in self.roles.shapes and isinstance(rule[one], Shard)
            }
            each.append(Rule(rule.name, {**rule.placements, **likes}))
        return replace(found, each=tuple(each))

    def stored_by_call(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> frozenset[str]:
        """The names of what a call writes.

        Raises:
            ArgumentError: they are others than those of gradients that it computes.
        """
        stored = self.stored(self.signature(args, kwargs))
        self._check_alone(stored)
        return frozenset(self.roles.computed)

    def _check_alone(self, stored: frozenset[str]) -> None:
        """Check that nothing but gradients is written.

        Raises:
            ArgumentError: something else is.
        """
        others = sorted(self.interface.arguments_of(stored) - self.roles.computed.keys())
        if others:
            raise ArgumentError(
                f"{self.__name__} is a backward kernel, and writes {' and '.join(others)}, which "
                f"others may read, too; let it write {' and '.join(self.roles.computed)} alone"
            )

    def _facts(self, dtypes: Mapping[str, Any], values: Mapping[str, Any]) -> OutputFacts:
        """What ``Allocation`` asks.

        Raises:
            ArgumentError: a gradient is not written.
        """
        names = self.interface.names
        own = {name: dtype for name, dtype in dtypes.items() if name in names}
        facts = self._compilation.output_facts(own, values)
        for one, owner in self.roles.computed.items():
            if one not in facts.written:
                raise ArgumentError(
                    f"{one} is the gradient of {owner} by its name, and {self.__name__} does not "
                    f"write it in calls like this one; write it, or leave {one} out"
                )
        if facts.written - self.roles.computed.keys():
            # They may be written, for some sizes; a call's own are asked for later.
            self._check_alone(self.stored_by(own, values))
        return facts
