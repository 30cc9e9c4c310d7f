"""Kernels that allocate their outputs and return them."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ninetoothed.artifacts.options import Options
from ninetoothed.calls.arguments import Arguments
from ninetoothed.definition.outputs import OutputsLike, resolve
from ninetoothed.errors import NineToothedError, reported
from ninetoothed.kernel import tracing
from ninetoothed.kernel.kernel import Compilation, Kernel
from ninetoothed.kernel.recipe import Recipe
from ninetoothed.pytorch.allocation import Allocation


class AllocatingKernel(Kernel):
    """A kernel that was made with ``outputs=``: ``z = kernel(x, y)`` allocates z and returns it.

    Outputs are left out of all calls, of those of ``remarks`` and ``tuning_report``, too. ``out=``
    takes tensors to write into instead: one, or a tuple where there are several outputs.
    """

    def __init__(self, options: Options, compilation: Compilation, recipe: Recipe) -> None:
        super().__init__(options, compilation, recipe)
        resolved = functools.partial(resolve, compilation.definition, recipe.outputs)
        self._allocation = Allocation(
            self.interface,
            resolved(compilation.equal_sizes),
            resolved,
            compilation.output_facts,
            tracing.are_traced,
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if tracing.is_compiling():
            from ninetoothed.pytorch.traced import complete

            values, keywords, result = complete(self._allocation, args, kwargs)
        else:
            try:
                values, keywords, result = self._allocation.completed(args, kwargs)
            except NineToothedError as error:
                raise reported(error) from None
        super().__call__(*values, **keywords)
        return result

    __call__.__doc__ = Kernel.__call__.__doc__

    @staticmethod
    def of(kernel: Kernel, given: OutputsLike) -> AllocatingKernel:
        """A kernel with these outputs, of one without.

        Raises:
            ArgumentError: they name no tensor, or nothing decides a shape.
        """
        recipe = replace(kernel._recipe, outputs=given)
        return AllocatingKernel(recipe.options, kernel._compilation, recipe)

    @property
    def outputs(self) -> tuple[str, ...]:
        """Names of the outputs, in order."""
        return self._allocation.names

    def allocated(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """What a call allocates, before the kernel runs."""
        return self._allocation.completed(args, dict(kwargs))[2]

    def _arguments(self, args: Sequence[Any], kwargs: dict[str, Any]) -> Arguments:
        values, keywords, _ = self._allocation.completed(args, kwargs)
        return self._bind(values, keywords)
