"""The class of a call is what binding says of it, for random interfaces and calls."""

from __future__ import annotations

from typing import Any

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from ninetoothed.artifacts.interface import Equals, Extent, Interface, Parameter
from ninetoothed.calls import arguments
from ninetoothed.calls.binder import Binder
from tests.support import profiles

_SIZES = (0, 1, 1, 2, 3, 3, 4, 8, 16, 24, 32)
_DTYPES = (torch.int8, torch.float16, torch.float32, torch.float64)


@st.composite
def _interfaces(draw: st.DrawFn) -> Interface:
    ndims = draw(st.lists(st.integers(0, 3), min_size=2, max_size=3))
    parameters = tuple(
        Parameter(f"x{place}", "tensor", ndim, None, None, None, place)
        for place, ndim in enumerate(ndims)
    )
    sizes = [
        Extent(f"x{place}_{dim}{is_stride}", place, dim, is_stride)
        for place, ndim in enumerate(ndims)
        for dim in range(ndim)
        for is_stride in (False, True)
    ]
    facts: list[Equals] = []
    if len(sizes) > 1:
        pairs = st.tuples(st.sampled_from(sizes), st.sampled_from(sizes))
        facts = draw(st.lists(st.lists(pairs, min_size=1, max_size=2).map(tuple), max_size=3))
    flattened = draw(st.lists(st.integers(0, len(ndims) - 1), unique=True))
    return Interface(
        "k",
        parameters,
        (),
        (),
        (),
        (),
        (),
        (),
        find_equals=lambda: tuple(facts),
        flattened=tuple(flattened),
    )


@st.composite
def _tensors(draw: st.DrawFn, ndim: int) -> torch.Tensor:
    shape = draw(st.lists(st.sampled_from(_SIZES), min_size=ndim, max_size=ndim))
    layout = draw(st.sampled_from(["plain", "plain", "strided", "expanded", "permuted", "shifted"]))
    dtype = draw(st.sampled_from(_DTYPES))
    if layout == "strided":
        whole = torch.empty([2 * size for size in shape], dtype=dtype)
        return whole[tuple([slice(None, None, 2)] * ndim)]
    if layout == "expanded":
        return torch.empty([1] * ndim, dtype=dtype).expand(shape)
    if layout == "permuted":
        return torch.empty(shape[::-1], dtype=dtype).permute(tuple(reversed(range(ndim))))
    if layout == "shifted":
        count = torch.Size(shape).numel()
        return torch.empty(count + 1, dtype=dtype)[1:].view(shape)
    return torch.empty(shape, dtype=dtype)


def _number(x: torch.Tensor, extent: Extent) -> int:
    return (x.stride() if extent.is_stride else x.shape)[extent.dim]


@settings(max_examples=profiles.cases(400, 20_000))
@given(st.data())
def test_classes_are_as_bound(data: st.DataObject) -> None:
    interface = data.draw(_interfaces())
    binder = Binder(interface, lambda signature: signature)
    for _ in range(6):
        call: list[Any] = [data.draw(_tensors(one.ndim)) for one in interface.parameters]
        wanted = arguments.bind(interface, call, {}).signature
        # The second time a known class is found.
        for _ in range(2):
            assert binder(call, {}).signature == wanted
        for x, param in zip(call, wanted.params, strict=True):
            told = ((x.shape, param.size_divisors), (x.stride(), param.stride_divisors))
            for numbers, divisors in told:
                assert not any(
                    number % divisor for number, divisor in zip(numbers, divisors, strict=True)
                )
        for place in interface.flattened:
            x, dim = call[place], wanted.params[place].contiguous
            for first in range(x.ndim - 1):
                behind = [torch.Size(x.shape[dim + 1 :]).numel() for dim in range(first, x.ndim)]
                holds = list(x.stride()[first:]) == behind
                assert holds == (dim is not None and dim <= first)
        for fact in interface.equals:
            pairs = [(one.name, two.name) for one, two in fact]
            holds = all(
                _number(call[one.position], one) == _number(call[two.position], two)
                for one, two in fact
            )
            assert holds <= ({*pairs} <= {*wanted.equal})
