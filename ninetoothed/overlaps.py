"""Arguments of one call that share memory."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from ninetoothed import dtype as dtypes
from ninetoothed.artifact import ParamSignature, Signature
from ninetoothed.jagged import Jagged


def sharing(params: Sequence[ParamSignature], values: Sequence[Any]) -> tuple[ParamSignature, ...]:
    """The signature's parameters, with which of them may share memory with which."""
    spans = [_span(param, value) for param, value in zip(params, values, strict=True)]
    # Nearly every call: where those that follow one another in memory are apart, all are.
    known = sorted(span for span in spans if span is not None)
    if all(one[1] <= two[0] for one, two in pairwise(known)):
        return tuple(params)
    firsts = list(range(len(spans)))
    for later, one in enumerate(spans):
        for earlier, two in enumerate(spans[:later]):
            if one is not None and two is not None and one[0] < two[1] and two[0] < one[1]:
                first, other = sorted((firsts[earlier], firsts[later]))
                firsts = [first if found == other else found for found in firsts]
    return tuple(
        param if first == place else replace(param, memory=params[first].name)
        for place, (param, first) in enumerate(zip(params, firsts, strict=True))
    )


def _span(param: ParamSignature, value: Any) -> tuple[int, int] | None:
    """The first byte of a tensor's elements and the one behind the last; None without elements."""
    if param.kind != "tensor" or value.numel() == 0 or value.device.type == "meta":
        return None
    elements = value.elements if isinstance(value, Jagged) else value
    low = high = 0
    for size, stride in zip(elements.shape, elements.stride(), strict=True):
        reach = max(size - 1, 0) * stride
        if reach < 0:
            low += reach
        else:
            high += reach
    width = max(dtypes.DTYPES[param.dtype].bits // 8, 1)
    start: int = elements.data_ptr()
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
