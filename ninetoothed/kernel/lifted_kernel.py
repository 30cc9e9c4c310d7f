"""Kernels for a whole batch of calls, made of the kernel of one: its arrangement is lifted behind a
new dim of programs.

The result is a kernel of its own, compiled and proved as others are. It is strict: where elements
and programs do not agree, programs of one index would be given elements of another.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any, cast

from ninetoothed.artifacts.interface import Interface
from ninetoothed.cache.entries import EqualSizes, OutputFacts
from ninetoothed.calls.arguments import TOO_WIDE, index_bits
from ninetoothed.definition.lifted_definition import lifted_outputs, lifted_tensors
from ninetoothed.definition.outputs import Outputs
from ninetoothed.errors import ArgumentError, collect_warnings
from ninetoothed.kernel import tracing
from ninetoothed.kernel.allocating_kernel import KernelWithOutputs
from ninetoothed.kernel.kernel import Kernel
from ninetoothed.pytorch.allocation import Allocation


class LiftedKernel(KernelWithOutputs):
    """A kernel for a batch of calls of one that allocates outputs, which it allocates, too; they
    are returned row-major.

    ``kernel``: of a whole batch, with its outputs among its arguments. ``one``: of one call.
    ``batched`` names the inputs that have the dim of the batch.
    """

    def __init__(self, kernel: Kernel, one: KernelWithOutputs, batched: Collection[str]) -> None:
        super().__init__(kernel._recipe.options, kernel._compilation, kernel._recipe)
        self._one = one
        self._count = len(self.interface.parameters)
        behind = [
            parameter._replace(ndim=parameter.ndim + (parameter.name in batched))
            for parameter in one.taken.parameters[self._count :]
        ]
        self._taken = replace(self.interface, parameters=(*self.interface.parameters, *behind))
        names = self._taken.names
        places = [place for place in self._taken.firsts if names[place] in batched]

        def of_batch(outputs: Outputs) -> Outputs:
            return lifted_outputs(outputs, places, names)

        def resolved(equal_sizes: EqualSizes) -> Outputs:
            return of_batch(one._allocation.resolved(equal_sizes))

        outputs = of_batch(one._allocation.outputs)
        self._allocation = Allocation(
            self._taken, outputs, resolved, self._facts, tracing.are_traced
        )

    @property
    def taken(self) -> Interface:
        return self._taken

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        values, keywords, result = self._allocation.completed(args, kwargs)
        if index_bits(values) == 64:
            raise ArgumentError(TOO_WIDE)
        super().__call__(*values[: self._count], **keywords)
        # The kernel may ask how its outputs lie in memory, which is as in single calls.
        if isinstance(result, tuple):
            return tuple([one.contiguous() for one in cast("tuple[Any, ...]", result)])
        return result.contiguous()

    def _facts(self, dtypes: Mapping[str, Any], values: Mapping[str, Any]) -> OutputFacts:
        """What ``Allocation`` asks: what is proved of one call and of a batch, too."""
        one = self._one._allocation.facts(dtypes, values)
        own = {name: dtype for name, dtype in dtypes.items() if name in self.interface.names}
        batch = self._compilation.output_facts(own, values)
        return OutputFacts(batch.written, one.full & batch.full, one.equal_sizes)

    @staticmethod
    def of(kernel: Kernel, batched: Collection[str]) -> Kernel:
        """The kernel of a batch of calls: the inputs that ``batched`` names have one more dim, the
        first, and so do all outputs.

        Raises:
            NineToothedError: the arrangement cannot be lifted, or what is proved of the result does
                not suffice.
        """
        recipe, definition = kernel._recipe, kernel.definition
        outputs = kernel.outputs if isinstance(kernel, KernelWithOutputs) else ()
        origins = [one.origin for one in definition.parameters if one.name in {*batched, *outputs}]
        options = recipe.options._replace(name=f"{kernel.__name__}_vmap", strict=True)
        arranged = lifted_tensors(recipe.arranged, origins)
        given = replace(recipe, options=options, arranged=arranged, arrangement=None, outputs=None)
        # What is wrong with one call, its kernel has warned of.
        with collect_warnings():
            found: Kernel = recipe.make(given)
        if isinstance(kernel, KernelWithOutputs):
            return LiftedKernel(found, kernel, batched)
        return found
