"""Operators under ``torch.func.vmap``: one call for the whole batch, of an operator of its own.

Each operator has one, whose first argument tells which tensors have the dim of the batch, in front:
``"x,y"``; of nested batches, the innermost first, ``"x,y;x"``. It launches one kernel, that of one
call lifted behind a new dim of programs. Where that is not proved to do the same, it calls the
kernel for each index, and warns.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, NamedTuple

import torch

from ninetoothed.calls.aliasing import alias_sets, span
from ninetoothed.calls.arguments import TOO_WIDE, index_bits
from ninetoothed.errors import (
    ArgumentError,
    ArrangementError,
    ConfigurationError,
    Loc,
    NineToothedWarning,
    ShapeError,
    SymbolError,
    TypeMismatchError,
    UnsupportedSyntaxError,
    VmapWarning,
    warn,
)
from ninetoothed.pytorch.dtensors import are_sharded
from ninetoothed.pytorch.named_operators import NamedOperator, several

Lift = Callable[[Sequence[Sequence[str]]], NamedOperator]
"""The operator of a batch, or of nested ones, from the names of the tensors that have the dim of
each, the innermost batch first.
"""

_functorch: Any = getattr(torch._C, "_functorch")  # noqa: B009  # pyright: ignore[reportPrivateUsage]

_REFUSALS = (
    ArgumentError,
    ArrangementError,
    ConfigurationError,
    ShapeError,
    SymbolError,
    TypeMismatchError,
    UnsupportedSyntaxError,
)
"""What is raised before a kernel runs. What programs raise, they raise again one by one."""

_MOST_REFUSED = 256
"""Classes of calls that are remembered to be refused."""


class Refusal(NamedTuple):
    """Why calls are made one by one, and the place in the user's source that is the reason."""

    reason: str
    loc: Loc | None = None


class BatchedOperator:
    """The operator ``NAME_vmap`` of the calls of one whose name is ``name``."""

    def __init__(self, name: str, named: NamedOperator, lift: Lift) -> None:
        self.named = named
        self._name = name
        self._lift = lift
        self._lifted: dict[str, NamedOperator | Refusal] = {}
        self._refused: dict[Hashable, Refusal] = {}
        self._warned: set[NineToothedWarning] = set()
        self._levels_of: dict[str, list[list[str]]] = {}
        self._first = "batched"
        while self._first in named.inputs:
            self._first += "_"

    @property
    def schema(self) -> str:
        """Parameters and results of the operator, as torch writes them."""
        return f"(str {self._first}, {self.named.schema[1:]}"

    def run(self, batched: str, *given: Any) -> Any:
        """Run the kernels: the operator on tensors with data."""
        inputs = self.named.completed(given)
        if self._size(self._levels(batched)[-1], inputs) == 0:
            return self.check(batched, *inputs)
        refusal = self._refusal(batched, inputs)
        if refusal is None:
            try:
                return self._of(batched).run(*inputs)
            except _REFUSALS as error:
                # The error itself would keep the tensors alive.
                refusal = Refusal(error.message, error.loc)
            self._refuse(batched, inputs, refusal)
        self.warn(refusal)
        return self.looped(batched, inputs, self.named.run, self.run)

    def check(self, batched: str, *given: Any) -> Any:
        """Check the tensors: the operator on tensors without data.

        Raises:
            ArgumentError: one does not fit.
        """
        inputs = self.named.completed(given)
        sizes: list[Any] = []
        for names in reversed(self._levels(batched)):
            sizes.append(self._size(names, inputs))
            pairs = zip(self.named.inputs, inputs, strict=True)
            inputs = [_behind(one) if name in names else one for name, one in pairs]
        returned = self.named.check(*inputs)
        if not self.named.has_results:
            return None
        found = [one.new_empty((*sizes, *one.shape)) for one in several(returned)]
        return found[0] if len(found) == 1 else tuple(found)

    def looped(
        self,
        batched: str,
        inputs: Sequence[Any],
        call: Callable[..., Any],
        call_batched: Callable[..., Any],
    ) -> Any:
        """Make a call for each index of the outermost batch: of one element each, or of those
        batches that are left.
        """
        inner, _, _ = batched.rpartition(";")
        names = self._levels(batched)[-1]
        one_call = functools.partial(call_batched, inner) if inner else call
        calls: list[Any] = []
        for index in range(self._size(names, inputs)):
            pairs = zip(self.named.inputs, inputs, strict=True)
            calls.append(one_call(*[one[index] if name in names else one for name, one in pairs]))
        if not self.named.has_results:
            return None
        found = [torch.stack(one) for one in zip(*map(several, calls), strict=True)]
        return found[0] if len(found) == 1 else tuple(found)

    def warn(self, refusal: Refusal) -> None:
        """Warn that calls are made one by one, once for each reason."""
        warning = VmapWarning(
            f"torch.func.vmap calls {self._name} for each index of the batch, and not once: "
            f"{refusal.reason}",
            refusal.loc,
        )
        if warning not in self._warned:
            self._warned.add(warning)
            warn(warning)

    def rule(self, operator: Callable[..., Any], batched_operator: Callable[..., Any]) -> Any:
        """The rule that ``torch.library.register_vmap`` takes for ``operator``."""

        def call(info: Any, in_dims: tuple[int | None, ...], *given: Any) -> Any:
            return self._mapped("", in_dims, given, operator, batched_operator)

        return call

    def nested_rule(self, operator: Any, batched_operator: Callable[..., Any]) -> Any:
        """The rule for this operator itself, ``batched_operator``."""

        def call(info: Any, in_dims: tuple[int | None, ...], batched: str, *given: Any) -> Any:
            dims = in_dims[1:]
            return self._mapped(f"{batched};", dims, given, operator, batched_operator)

        return call

    def _mapped(
        self,
        prefix: str,
        in_dims: Sequence[int | None],
        given: Sequence[Any],
        operator: Callable[..., Any],
        batched_operator: Callable[..., Any],
    ) -> Any:
        args = self.named.completed(given)
        dims = (*in_dims, *[None] * (len(args) - len(in_dims)))
        for place in self.named.mutated:
            if dims[place] is None:
                raise ArgumentError(
                    f"{self._name} writes {self.named.inputs[place]}, which torch.func.vmap does "
                    "not map over, so that all calls would write one memory; map over it, too"
                )
        pairs = zip(args, dims, strict=True)
        moved = [one if dim is None else one.movedim(dim, 0) for one, dim in pairs]
        pairs = zip(self.named.inputs, dims, strict=True)
        batched = prefix + ",".join([name for name, dim in pairs if dim is not None])
        if are_sharded(map(_unwrapped, args)):
            self.warn(Refusal("DTensors are distributed call by call"))
            found = self.looped(batched, moved, operator, batched_operator)
        else:
            found = batched_operator(batched, *moved)
        if found is None:
            return None, None
        return found, 0 if isinstance(found, torch.Tensor) else (0,) * len(found)

    def _levels(self, batched: str) -> list[list[str]]:
        """The names of the tensors that have the dim of each batch, the innermost first.

        Raises:
            ArgumentError: the text tells no such names.
        """
        found = self._levels_of.get(batched)
        if found is None:
            found = [level.split(",") for level in batched.split(";")]
            for name in itertools.chain(*found):
                if name not in self.named.tensors:
                    raise ArgumentError(
                        f"{batched_name(self._name)}: {self._first} is {batched!r}, and {name!r} "
                        f"is none of the tensors {', '.join(self.named.tensors)}; give the names "
                        "of those that are mapped over, as in 'x,y', and of nested batches the "
                        "innermost first, as in 'x,y;x'"
                    )
            self._levels_of[batched] = found
        return found

    def _size(self, names: Sequence[str], inputs: Sequence[Any]) -> Any:
        """The size of the batch of which tensors of these names have the first dim.

        Raises:
            ArgumentError: one has none, or another one.
        """
        shapes = [inputs[self.named.inputs.index(name)].shape for name in names]
        for name, shape in zip(names, shapes, strict=True):
            if not shape or shape[0] != shapes[0][0]:
                raise ArgumentError(
                    f"{batched_name(self._name)}: the first dims of {' and '.join(names)} are that "
                    f"of the batch, and {name} has the shape {tuple(shape)}, where {names[0]} has "
                    f"{tuple(shapes[0])}"
                )
        return shapes[0][0]

    def _refusal(self, batched: str, inputs: Sequence[Any]) -> Refusal | None:
        """Why calls like this one are made one by one; None if nothing is known against one."""
        lifted = self._lifted.get(batched)
        if isinstance(lifted, Refusal):
            return lifted
        pairs = zip(self.named.inputs, inputs, strict=True)
        tensors = {name: one for name, one in pairs if isinstance(one, torch.Tensor)}
        shared = self._shared(batched, tensors) if self.named.mutated else None
        if shared is not None:
            return Refusal("{} is written, and shares memory with {}".format(*shared))
        if index_bits([*tensors.values()]) == 64:
            return Refusal(TOO_WIDE)
        return self._refused.get((batched, *map(_class, inputs))) if self._refused else None

    def _shared(self, batched: str, tensors: Mapping[str, torch.Tensor]) -> tuple[str, str] | None:
        """A tensor that is written and another one of which calls may see what others wrote."""
        levels = self._levels(batched)
        sets = dict(zip(tensors, alias_sets([*map(span, tensors.values())]), strict=True))
        for name in [self.named.inputs[place] for place in self.named.mutated]:
            for other in tensors:
                if other == name or sets[other] != sets[name]:
                    continue
                # Where each call has the same part of both, none sees what another one wrote.
                alike = all((name in level) == (other in level) for level in levels)
                if not alike or _layout(tensors[other]) != _layout(tensors[name]):
                    return name, other
        return None

    def _refuse(self, batched: str, inputs: Sequence[Any], refusal: Refusal) -> None:
        """Remember that calls like this one are made one by one."""
        if batched not in self._lifted:
            self._lifted[batched] = refusal
            return
        if len(self._refused) >= _MOST_REFUSED:
            self._refused.clear()
        self._refused[batched, *map(_class, inputs)] = refusal

    def _of(self, batched: str) -> NamedOperator:
        """The operator of a batch that is not refused.

        Raises:
            NineToothedError: there is none.
        """
        found = self._lifted.get(batched)
        if not isinstance(found, NamedOperator):
            found = self._lifted[batched] = self._lift(self._levels(batched))
        return found


def batched_name(name: str) -> str:
    """The name of the operator of the batches of another one's calls."""
    return f"{name}_vmap"


def batched_inputs(named: NamedOperator) -> Callable[[Sequence[Any]], Sequence[Any]]:
    """What appends the defaults that torch leaves out to the arguments of the operator of the
    batches of an operator.
    """
    return lambda given: (given[0], *named.completed(given[1:]))


def _behind(tensor: torch.Tensor) -> torch.Tensor:
    """A tensor like that of one call of a batch, whose values nothing is known of."""
    return tensor.new_empty_strided(tensor.shape[1:], tensor.stride()[1:])


def _class(value: Any) -> Hashable:
    """What decides whether a call is refused."""
    if isinstance(value, torch.Tensor):
        has_gradient = value.requires_grad and torch.is_grad_enabled()
        return value.dtype, value.shape, value.stride(), has_gradient
    return value.__class__, value


def _layout(tensor: torch.Tensor) -> Hashable:
    """Where its elements lie."""
    return tensor.data_ptr(), tensor.shape, tensor.stride(), tensor.element_size()


def _unwrapped(value: Any) -> Any:
    """The tensor inside of those that levels of ``torch.func`` wrap around it."""
    while isinstance(value, torch.Tensor) and _functorch.is_functorch_wrapped_tensor(value):
        value = _functorch.get_unwrapped(value)
    return value
