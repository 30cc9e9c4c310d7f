"""Calls of kernels with DTensors.

A kernel that writes into tensors runs on the ranks' own ones, where they are placed by its rules. A
call that allocates outputs is one of an operator, for which DTensor redistributes the inputs.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, cast

import torch
from torch.autograd.graph import increment_version
from torch.distributed.tensor import DTensor, Partial
from torch.distributed.tensor.placement_types import Placement

from ninetoothed.calls.numbers import PLAIN
from ninetoothed.errors import NineToothedError, PlacementError
from ninetoothed.pytorch.allocation import MOST_CLASSES, Allocation, Plan
from ninetoothed.pytorch.functional_operators import FunctionalOperators
from ninetoothed.pytorch.kernel_operators import KernelOperators
from ninetoothed.pytorch.placement_rules import misfit, shown
from ninetoothed.pytorch.sharded_operators import CallRules
from ninetoothed.pytorch.traced import functional_operator, letter_of


class ShardedCalls:
    """Calls, with DTensors, of one kernel that allocates its outputs; several threads may make them
    at once.
    """

    def __init__(self, operators: FunctionalOperators, allocation: Allocation) -> None:
        self._operators = operators
        count = len(operators.inputs)
        plan = allocation.plan(count, ())
        self._are_arguments = isinstance(plan, Plan) and plan.inputs == tuple(range(count))
        # By what tells a call's class, whose arguments fit; None is never a key.
        self._known: dict[Hashable, Callable[..., Any]] = {}

    def known(self, args: Sequence[Any]) -> Callable[..., Any] | None:
        """What takes these arguments, without keywords, and returns the outputs, if there was a
        call like this one.
        """
        return self._known.get(self._class_of(args)) if self._are_arguments else None

    def __call__(self, values: Sequence[Any]) -> Any:
        """The outputs of a call with these inputs, which DTensor places.

        Raises:
            NineToothedError: the arguments do not fit the kernel.
        """
        key = self._class_of(values)
        known = self._known.get(key)
        if known is not None:
            return known(*values)
        given = dict(zip(self._operators.inputs, values, strict=True))
        self._operators.mutating.check(given)
        _mesh_of(given)
        operator, numbered = functional_operator(self._operators, values)
        with torch.no_grad():
            result = _called(operator, *numbered)
        if key is not None:
            if len(self._known) >= MOST_CLASSES:
                self._known.clear()
            self._known[key] = functools.partial(_called, operator)
        return result

    def _class_of(self, values: Sequence[Any]) -> Hashable:
        """What tells the class of a call; None for one that is looked at each time: of tensors on
        several meshes, or not all of them DTensors; with a gradient that is lost; with numbers of
        other classes than Python's. How many dims tensors have, DTensor has rules checked.
        """
        are_constants = self._operators.are_constants
        if len(values) != len(are_constants):
            return None
        key: list[Hashable] = []
        mesh = None
        has_gradients = torch.is_grad_enabled()
        for value, is_constant in zip(values, are_constants, strict=True):
            kind = value.__class__
            if kind is DTensor:
                if has_gradients and value.requires_grad:
                    return None
                if mesh is None:
                    mesh = value.device_mesh
                elif value.device_mesh is not mesh:
                    return None
                key.append(value.dtype)
            elif kind in PLAIN:
                # Zeros of either sign are equal, and are not the same.
                key += (kind, repr(value)) if is_constant else (kind,)
            else:
                return None
        return None if mesh is None else tuple(key)


def _called(operator: Callable[..., Any], *values: Any) -> Any:
    """The results of an operator on DTensors.

    Raises:
        NineToothedError: its rules raise it.
    """
    try:
        return operator(*values)
    except RuntimeError as error:
        # DTensor wraps what its rules raise.
        if isinstance(error.__cause__, NineToothedError):
            raise error.__cause__ from None
        raise


def _call_mutating(
    operators: KernelOperators, rules: CallRules, args: Sequence[Any], keywords: Mapping[str, Any]
) -> None:
    """Call a kernel with the ranks' own tensors.

    Raises:
        PlacementError: they are not placed by one of its rules.
        NineToothedError: the arguments do not fit the kernel.
    """
    values = operators.arguments(args, keywords)
    mesh = _mesh_of(values)
    operators.check(values)
    tensors = {name: one for name, one in values.items() if isinstance(one, torch.Tensor)}
    sharded = {name: one for name, one in tensors.items() if isinstance(one, DTensor)}
    placed = {name: one.placements for name, one in sharded.items()}
    shapes = {name: tuple(one.shape) for name, one in tensors.items()}
    known = rules({**values, **{name: one.dtype for name, one in tensors.items()}}, shapes)
    found = misfit(known, placed, shapes, _dims_of(mesh))
    if found is not None:
        ways = " and ".join(
            _redistributed(name, placed[name], needed) for name, needed in found.needed.items()
        )
        raise PlacementError(f"{found.text}; write {ways}")
    if torch.is_grad_enabled():
        requiring = tuple(name for name, one in tensors.items() if one.requires_grad)
        if requiring:
            operators.warn_of_gradients(requiring)
    if mesh.get_coordinate() is None:
        # This rank has no part of the tensors.
        return
    with torch.no_grad():
        local: dict[int, Any] = {id(one): one.to_local() for one in sharded.values()}
    operators.kernel(
        *(local.get(id(one), one) for one in args),
        **{name: local.get(id(one), one) for name, one in keywords.items()},
    )
    letters = "".join(map(letter_of, values.values()))
    dtypes = tuple(tensors[name].dtype if name in tensors else None for name in values)
    given = [*values.values()]
    constants = tuple(given[place] for place in operators.constants)
    for name in operators.stored(letters, dtypes, constants):
        increment_version(tensors[name])


# torch's compiler runs it outside of its graphs.
_disable = cast("Callable[..., Any]", torch.compiler.disable)
call_mutating: Callable[..., None] = _disable(
    _call_mutating,
    reason="kernels that write into DTensors are not traced; have the kernel allocate what it "
    "writes, as in make(..., outputs=('output',))",
)


def _mesh_of(values: Mapping[str, Any]) -> Any:
    """The mesh of the tensors among a call's arguments.

    Raises:
        PlacementError: not all of them are on one.
    """
    placed = {name: one for name, one in values.items() if isinstance(one, DTensor)}
    first, tensor = next(iter(placed.items()))
    mesh = tensor.device_mesh
    for name, one in values.items():
        if isinstance(one, DTensor):
            if one.device_mesh != mesh:
                raise PlacementError(
                    f"{first} and {name} are on several meshes, {mesh} and {one.device_mesh}; "
                    "place all tensors of a call on one"
                )
        elif isinstance(one, torch.Tensor) and one.numel() != 1:
            whole = ", ".join(["Replicate()"] * mesh.ndim)
            raise PlacementError(
                f"{first} is a DTensor, and {name} is none; where each rank has all of {name}, "
                f"write {name} = DTensor.from_local({name}, {first}.device_mesh, [{whole}])"
            )
    return mesh


def _dims_of(mesh: Any) -> list[str]:
    """The dims of a mesh, as messages name them."""
    names = mesh.mesh_dim_names
    if names is None:
        return [f"dim {place} of the mesh" for place in range(mesh.ndim)]
    return [f"dim {name!r} of the mesh" for name in names]


def _redistributed(name: str, placed: Sequence[Placement], needed: Sequence[Placement]) -> str:
    """Code that places a tensor otherwise."""
    listed = f"[{', '.join(map(shown, needed))}]"
    if not any(
        isinstance(new, Partial) and new != old for new, old in zip(needed, placed, strict=True)
    ):
        return f"{name} = {name}.redistribute(placements={listed})"
    # DTensor makes no parts of sums of a tensor.
    return (
        f"{name} = DTensor.from_local(torch.zeros_like({name}.to_local()), {name}.device_mesh, "
        f"{listed}, shape={name}.shape, stride={name}.stride())"
    )
