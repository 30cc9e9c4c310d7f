"""Sharding rules of calls with DTensors: derived once for each class of calls."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

from torch.distributed.tensor import Partial, Replicate, Shard
from torch.distributed.tensor.placement_types import Placement

from ninetoothed.calls.numbers import member_value
from ninetoothed.definition.definition import Definition
from ninetoothed.dtype import number
from ninetoothed.errors import collect_warnings
from ninetoothed.pytorch.kernel_operators import NUMBERS
from ninetoothed.pytorch.placement_rules import Rule, Rules, Shapes
from ninetoothed.verification import sharding_rules


class CallRules:
    """The rules of a kernel's calls."""

    def __init__(self, definition: Definition) -> None:
        self._definition = definition
        self._known: dict[Hashable, Rules] = {}

    def __call__(self, given: Mapping[str, Any], shapes: Shapes) -> Rules:
        """The rules of calls like one. ``given``: its arguments by name, tensors' element types in
        their stead.

        Raises:
            NineToothedError: the application is wrong for these element types.
        """
        interface = self._definition.interface
        types: dict[str, Any] = {}
        values: dict[str, Any] = {name: given[name] for name in interface.keywords}
        for parameter in interface.parameters:
            value = given[interface.names[parameter.first]]
            if parameter.kind == "constexpr":
                values[parameter.name] = value
            elif parameter.kind == "tensor":
                types[parameter.name] = value
            else:
                types[parameter.name] = parameter.dtype or _number_type(value)
        sizes = {
            name: int(shapes[interface.names[interface.parameters[place].first]][dim])
            for name, place, dim in interface.sizes
            if name in interface.constexpr_sizes
        }
        rows = (types, sizes, {name: repr(value) for name, value in values.items()})
        key = tuple(tuple(row.items()) for row in rows)
        if key not in self._known:
            self._known[key] = self._derived(types, values, sizes)
        return self._known[key]

    def _derived(
        self, types: Mapping[str, Any], values: Mapping[str, Any], sizes: Mapping[str, int]
    ) -> Rules:
        # The ranks' calls warn.
        with collect_warnings():
            found = sharding_rules.derive(self._definition, types, values)
            if not found.holds_for_all_sizes:
                found = sharding_rules.derive(self._definition, types, {**values, **sizes})
        rules: list[Rule] = []
        for one in found.rules:
            placements = {name: _placement(place) for name, place in one.placements.items()}
            rule = Rule(one.name, placements)
            if all(rule.split.items().isdisjoint(other.split.items()) for other in rules):
                rules.append(rule)
        refused = {dim: one.reason for one in reversed(found.refusals) for dim in one.dims}
        general = [one.reason for one in found.refusals if not one.dims]
        reason = general[0] if general else "no rule is about it"
        return Rules(found.kernel, tuple(rules), refused, reason)


def _number_type(value: Any) -> Any:
    """The element type of a number, or of a tensor that is one."""
    value = number(member_value(value))
    if isinstance(value, bool):
        return NUMBERS["b"]
    if isinstance(value, float):
        return NUMBERS["f"]
    return value if hasattr(value, "is_floating_point") else NUMBERS["i"]


def _placement(placement: sharding_rules.Placement) -> Placement:
    match placement:
        case sharding_rules.Shard(dim):
            return Shard(dim)
        case sharding_rules.Partial():
            return Partial()
        case _:
            return Replicate()
