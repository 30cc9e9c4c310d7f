"""Alias sets of a call's arguments, from the memory that they span."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from ninetoothed.artifacts.signature import ParamSignature, Signature
from ninetoothed.calls.sequences import elements_of

Span = tuple[int, int]
"""Addresses of a tensor's elements: the first byte, and the end, exclusive."""


def aliased(params: Sequence[ParamSignature], values: Sequence[Any]) -> tuple[ParamSignature, ...]:
    """The parameters with their alias sets, from the arguments' memory."""
    spans = [
        span(value) if param.kind == "tensor" else None
        for param, value in zip(params, values, strict=True)
    ]
    found = alias_sets(spans)
    return tuple(
        param if first == place else replace(param, alias_set=params[first].name)
        for place, (param, first) in enumerate(zip(params, found, strict=True))
    )


def alias_sets(spans: Sequence[Span | None]) -> tuple[int, ...]:
    """Alias set of each span of bytes, named by the position of its first member: spans that
    overlap, also through others between them, are in one set.
    """
    found = list(range(len(spans)))
    # Nearly every call: where successive spans are disjoint, all are.
    known = sorted(one for one in spans if one is not None)
    if all(one[1] <= two[0] for one, two in pairwise(known)):
        return tuple(found)
    for later, one in enumerate(spans):
        for earlier, two in enumerate(spans[:later]):
            if one is not None and two is not None and one[0] < two[1] and two[0] < one[1]:
                first, other = sorted((found[earlier], found[later]))
                found = [first if place == other else place for place in found]
    return tuple(found)


def is_tensor(value: Any) -> bool:
    """True for a bound argument that is a tensor, False for a number."""
    return hasattr(value, "data_ptr")


def span(tensor: Any) -> Span | None:
    """Address range of a tensor's elements; None without elements, and on the meta device."""
    elements = elements_of(tensor)
    if elements.numel() == 0 or elements.device.type == "meta":
        return None
    start: int = elements.data_ptr()
    low = high = 0
    for size, stride in zip(elements.shape, elements.stride(), strict=True):
        reach = max(size - 1, 0) * stride
        if reach < 0:
            low += reach
        else:
            high += reach
    width: int = elements.element_size()
    return start + width * low, start + width * (high + 1)


def without_aliasing(signature: Signature) -> Signature:
    """The signature without aliasing, and of tensors that do not overlap themselves."""
    if not any(param.alias_set or param.repeated for param in signature.params):
        return signature
    params = tuple(replace(param, alias_set=None, repeated=False) for param in signature.params)
    return replace(signature, params=params)


def narrowed(signature: Signature, written: Collection[str]) -> Signature:
    """The signature without alias sets that nothing writes to, and without overlaps of a tensor
    with itself that is not written: how what is only read lies in memory matters to no kernel.
    """
    changed = {param.alias_set or param.name for param in signature.params if param.name in written}
    params = tuple(
        replace(
            param,
            alias_set=param.alias_set if param.alias_set in changed else None,
            repeated=param.repeated and param.name in written,
        )
        for param in signature.params
    )
    return replace(signature, params=params)
