"""Kernels that allocate their outputs and return them."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ninetoothed.artifacts.options import Options
from ninetoothed.calls.arguments import Arguments
from ninetoothed.definition.outputs import Outputs, OutputsLike, resolve
from ninetoothed.errors import NineToothedError, reported
from ninetoothed.fingerprint.digest import examine
from ninetoothed.kernel import tracing
from ninetoothed.kernel.kernel import Kernel
from ninetoothed.kernel.lazy_compilation import Compilation
from ninetoothed.kernel.recipe import Recipe
from ninetoothed.pytorch.allocation import Allocation, ShardedError
from ninetoothed.pytorch.functional_operators import FunctionalOperators

if TYPE_CHECKING:
    from ninetoothed.pytorch.sharded_calls import ShardedCalls


class KernelWithOutputs(Kernel):
    """A kernel whose calls leave out what is allocated for them, and return it."""

    _allocation: Allocation

    @property
    def outputs(self) -> tuple[str, ...]:
        """Names of the outputs, in order."""
        return self._allocation.names

    @property
    def sizes_from(self) -> Mapping[str, Sequence[tuple[str, int] | None]]:
        """Of each dim of an output, the input and its dim that have the same size, where it is
        told.
        """
        return self._allocation.sizes_from

    def allocated(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """What a call allocates, before the kernel runs."""
        return self._allocation.completed(args, dict(kwargs))[2]

    def _arguments(self, args: Sequence[Any], kwargs: dict[str, Any]) -> Arguments:
        values, keywords, _ = self._allocation.completed(args, kwargs)
        # Behind the kernel's own, there may be others that only tell how to allocate.
        return self._bind(values[: len(self.interface.parameters)], keywords)


class AllocatingKernel(KernelWithOutputs):
    """A kernel that was made with ``outputs=``: ``z = kernel(x, y)`` allocates z and returns it.

    Outputs are left out of all calls, of those of ``remarks`` and ``tuning_report``, too. ``out=``
    takes tensors to write into instead: one, or a tuple where there are several outputs.
    """

    def __init__(self, options: Options, compilation: Compilation, recipe: Recipe) -> None:
        super().__init__(options, compilation, recipe)
        resolved = functools.partial(resolve, compilation.definition, recipe.outputs)
        outputs = resolved(compilation.equal_sizes)
        self._allocation = Allocation(
            self.interface,
            outputs,
            resolved,
            compilation.output_facts,
            tracing.are_traced,
        )
        self._functional = FunctionalOperators(
            self,
            self._operators,
            self._allocation,
            self.allocated,
            self.call_rules,
            functools.partial(_identity, compilation.digest, options, outputs),
        )
        # Of kernels that are called with DTensors.
        self._sharded: ShardedCalls | None = None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if tracing.is_compiling():
            from ninetoothed.pytorch.traced import complete

            values, keywords, result = complete(self._allocation, self._functional, args, kwargs)
            if values is not None and keywords is not None:
                super().__call__(*values, **keywords)
            return result
        inputs = args
        known = None if self._sharded is None or kwargs else self._sharded.known(args)
        if known is None:
            try:
                values, keywords, result = self._allocation.completed(args, kwargs)
            except ShardedError as call:
                inputs = call.values
                known = self._call_sharded
            except NineToothedError as error:
                raise reported(error) from None
            else:
                super().__call__(*values, **keywords)
                return result
        try:
            return known(*inputs)
        except NineToothedError as error:
            raise reported(error) from None

    __call__.__doc__ = Kernel.__call__.__doc__

    def _call_sharded(self, *inputs: Any) -> Any:
        """The outputs of a call with DTensors."""
        if self._sharded is None:
            from ninetoothed.pytorch.sharded_calls import ShardedCalls

            self._sharded = ShardedCalls(self._functional, self._allocation)
        return self._sharded(inputs)

    @staticmethod
    def of(kernel: Kernel, given: OutputsLike) -> AllocatingKernel:
        """A kernel with these outputs, of one without.

        Raises:
            ArgumentError: they name no tensor, or nothing decides a shape.
        """
        recipe = replace(kernel._recipe, outputs=given)
        return AllocatingKernel(recipe.options, kernel._compilation, recipe)


def _identity(digest: str | None, options: Options, outputs: Outputs) -> str | None:
    """Text that is equal for kernels that do the same and allocate the same, in any process; None
    where what they read has no digest.
    """
    functions = [one.function for one in outputs.each if one.function is not None]
    parts = [digest, *(examine(one).key() for one in functions)]
    if None in parts:
        return None
    each = [replace(one, function=None) for one in outputs.each]
    return f"{parts} {options.tune} {replace(outputs, each=tuple(each))}"
