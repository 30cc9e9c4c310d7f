"""The examples under torch's compiler: whole graphs, of any size, with equal results."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import pytest
import torch
import torch._dynamo.testing

from tests.support.example_calls import CALLS, ExampleCall


def tensors(result: Any) -> list[torch.Tensor]:
    """The tensors of a result; of jagged ones, the elements."""
    found = cast("tuple[Any, ...]", result) if isinstance(result, tuple) else (result,)
    return [one.values() if one.is_nested else one for one in found]


def check(
    compiled: Callable[..., Any], call: ExampleCall, device: str, scales: tuple[int, ...]
) -> None:
    """Compare the results of a compiled function with those of the plain one."""
    for scale in scales:
        expected = call.called(*call.arguments(device, scale))
        results = compiled(*call.arguments(device, scale))
        for one, other in zip(tensors(results), tensors(expected), strict=True):
            # The same kernel on the same numbers.
            assert torch.equal(one, other)


@pytest.mark.parametrize("call", CALLS, ids=str)
def test_whole_graphs(call: ExampleCall, device: str) -> None:
    compiled = torch.compile(call.called, fullgraph=True, backend="aot_eager")
    check(compiled, call, device, (1, 2))


# Of three jagged tensors torch may lose a symbol, whatever is done with them: the order of hashes
# decides.
@pytest.mark.parametrize(
    "call", [call for call in CALLS if call.function != "jagged_attention"], ids=str
)
def test_any_size(call: ExampleCall, device: str) -> None:
    counted = torch._dynamo.testing.CompileCounterWithBackend("aot_eager")
    compiled = torch.compile(call.called, fullgraph=True, backend=counted, dynamic=True)
    check(compiled, call, device, (2,))
    compilations = counted.frame_count
    check(compiled, call, device, (3, 5))
    assert counted.frame_count == compilations
