"""Operators on DTensors: the rules of a kernel, registered with DTensor's engine.

DTensor asks for the placements that are legal along one dim of a mesh, and chooses what costs the
least to redistribute.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import torch
from torch._guards import detect_fake_mode
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.distributed.tensor import DTensor
from torch.distributed.tensor.experimental import register_sharding
from torch.distributed.tensor.placement_types import Placement
from torch.fx.experimental.proxy_tensor import disable_proxy_modes_tracing

from ninetoothed.pytorch.placement_rules import WHOLE, Rule, Rules, Shapes, combinable

CallRules = Callable[[Mapping[str, Any], Shapes], Rules]
"""The rules of a call's class, from the element types of its tensors and the values of its numbers,
by name, and from the shapes.
"""


Sizes = Mapping[str, Sequence[tuple[str, int] | None]]
"""Of each dim of an output the input and its dim that have the same size; None where that is not
told.
"""


class Operator(Protocol):
    """An operator that allocates and returns ``outputs``. Arguments and results have the names of
    the kernel's parameters.
    """

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]

    @property
    def sizes_from(self) -> Sizes:
        """Where sizes of outputs come from."""
        ...

    def completed(self, given: Sequence[Any]) -> Sequence[Any]:
        """The inputs, with the defaults that torch leaves out."""
        ...

    def check(self, *given: Any) -> Any:
        """The operator on tensors without data."""
        ...


def register(overload: Any, operator: Operator, rules: CallRules) -> None:
    """Register the rules of an operator."""

    def placements(*given: Any) -> list[tuple[list[Placement], list[Placement | None]]]:
        return _acceptable(operator, rules, operator.completed(given))

    register_sharding(overload)(placements)
    # What DTensor chose is kept by tensors' placements and shapes, and by those arguments that are
    # known to matter: all numbers, and not from the first int on.
    known = DTensor._op_dispatcher.sharding_propagator.op_to_schema_info  # pyright: ignore[reportPrivateUsage]
    known[overload].static_argnum = 0


def _acceptable(
    operator: Operator, rules: CallRules, given: Sequence[Any]
) -> list[tuple[list[Placement], list[Placement | None]]]:
    """The placements of results and of inputs that are legal along a dim of the mesh."""
    inputs = dict(zip(operator.inputs, given, strict=True))
    specs = {name: one for name, one in inputs.items() if hasattr(one, "tensor_meta")}
    dtypes = {name: one.tensor_meta.dtype for name, one in specs.items()}
    mesh = next(iter(specs.values())).mesh

    def results(shapes: Shapes) -> dict[str, torch.Tensor]:
        # What is allocated here is no part of a graph that is traced.
        with detect_fake_mode() or FakeTensorMode(), disable_proxy_modes_tracing():
            tensors = {
                name: torch.empty(shapes[name], dtype=dtype, device=mesh.device_type)
                for name, dtype in dtypes.items()
            }
            returned = operator.check(*{**inputs, **tensors}.values())
        found: tuple[torch.Tensor, ...] = returned if len(operator.outputs) > 1 else (returned,)
        return dict(zip(operator.outputs, found, strict=True))

    def allocated(shapes: Shapes) -> Shapes:
        return {name: tuple(one.shape) for name, one in results(shapes).items()}

    shapes = {name: tuple(one.shape) for name, one in specs.items()}
    outputs = results(shapes)
    shapes |= {name: tuple(one.shape) for name, one in outputs.items()}
    known = {**inputs, **dtypes, **{name: one.dtype for name, one in outputs.items()}}
    found = [
        rule
        for rule in rules(known, shapes).each
        if rule.holds(shapes) and not any(rule[name].is_partial() for name in specs)
    ]
    if all(None not in row for row in operator.sizes_from.values()):
        found = [WHOLE, *(rule for rule in found if _agrees(rule, operator.sizes_from))]
    else:
        # Functions tell shapes. Sizes for which symbols stand become constants of the graph.
        shapes = {name: tuple(map(int, shape)) for name, shape in shapes.items()}
        found = combinable(found, shapes, mesh.shape, allocated)
    return [
        (
            [rule[name] for name in operator.outputs],
            [rule[name] if name in specs else None for name in operator.inputs],
        )
        for rule in found
    ]


def _agrees(rule: Rule, sizes_from: Sizes) -> bool:
    """True if ranks allocate the parts of outputs that a rule gives them."""
    return all(
        (rule.split.get(output) == place) == (rule.split.get(one[0]) == one[1])
        for output, row in sizes_from.items()
        for place, one in enumerate(row)
        if one is not None
    )
