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


NARROW = (torch.float8_e4m3fn, torch.float8_e5m2)
UTILS = (
    "test_schema",
    "test_autograd_registration",
    "test_faketensor",
    "test_aot_dispatch_dynamic",
)
"""All that ``opcheck`` tests."""


class Checked(torch.fx.Interpreter):
    """Runs a graph, and has torch check each call of an operator of ours first, on copies."""

    checked = 0

    def call_function(self, target: Any, args: Any, kwargs: Any) -> Any:
        if str(target).startswith("ninetoothed."):
            copies = tuple(one.clone() if isinstance(one, torch.Tensor) else one for one in args)
            # torch compares by products, which it has none of for eight bits.
            is_narrow = any(getattr(one, "dtype", None) in NARROW for one in args)
            torch.library.opcheck(target, copies, kwargs, test_utils=UTILS[is_narrow:])
            self.checked += 1
        return super().call_function(target, args, kwargs)


def checked(module: torch.fx.GraphModule, _: list[torch.Tensor]) -> Callable[..., Any]:
    """A backend of torch's compiler whose graphs are checked."""

    def run(*inputs: Any) -> Any:
        interpreter = Checked(module)
        results = interpreter.run(*inputs)
        assert interpreter.checked > 0
        return results

    return run


@pytest.mark.parametrize("call", CALLS, ids=str)
def test_operators(call: ExampleCall, device: str) -> None:
    with torch.no_grad():
        check(torch.compile(call.called, fullgraph=True, backend=checked), call, device, (1,))


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
