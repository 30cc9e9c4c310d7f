"""Arguments of one call that share memory."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from ninetoothed.artifacts.signature import ParamSignature, Signature
from ninetoothed.calls.sequences import Jagged

Span = tuple[int, int]
"""The first byte of a tensor's elements and the one behind the last."""


def sharing(params: Sequence[ParamSignature], values: Sequence[Any]) -> tuple[ParamSignature, ...]:
    """The signature's parameters, with which of them may share memory with which."""
    spans = [
        span(value) if param.kind == "tensor" else None
        for param, value in zip(params, values, strict=True)
    ]
    found = firsts(spans)
    return tuple(
        param if first == place else replace(param, memory=params[first].name)
        for place, (param, first) in enumerate(zip(params, found, strict=True))
    )


def firsts(spans: Sequence[Span | None]) -> tuple[int, ...]:
    """Of each span of bytes, the position of the first one that it shares memory with, if only by
    others between them; its own where there is none.
    """
    found = list(range(len(spans)))
    # Nearly every call: where those that follow one another in memory are apart, all are.
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
    """Where a tensor's elements lie; None where there are none, and on the meta device."""
    elements = tensor.elements if isinstance(tensor, Jagged) else tensor
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


def apart(signature: Signature) -> Signature:
    """The signature of a call whose arguments share no memory."""
    if all(param.memory is None for param in signature.params):
        return signature
    params = tuple(replace(param, memory=None) for param in signature.params)
    return replace(signature, params=params)


def narrowed(signature: Signature, written: Collection[str]) -> Signature:
    """The signature without what does not matter: who shares memory that nobody writes to."""
    changed = {param.memory or param.name for param in signature.params if param.name in written}
    params = tuple(
        param if param.memory in changed else replace(param, memory=None)
        for param in signature.params
    )
    return replace(signature, params=params)
