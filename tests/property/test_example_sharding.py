"""Every sharding rule of every example kernel against brute force, on the calls of the examples."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
import torch

from ninetoothed.kernel.distribution import sharding
from ninetoothed.kernel.kernel import Kernel
from tests.support.example_calls import CALLS, ExampleCall
from tests.support.ranks import Tensors, check_rule, fits


@dataclass(frozen=True)
class Call:
    """A call of a kernel, with copies of its arguments."""

    kernel: Kernel
    arguments: tuple[Any, ...]
    keywords: dict[str, Any]

    @property
    def named(self) -> list[tuple[str, Any]]:
        """The arguments by parameter."""
        interface = self.kernel.definition.interface
        names = [row.name for place, row in enumerate(interface.parameters) if row.first == place]
        return list(zip(names, self.arguments, strict=True))

    @property
    def tensors(self) -> dict[str, torch.Tensor]:
        """The tensors by parameter."""
        return {name: one for name, one in self.named if isinstance(one, torch.Tensor)}

    def run(self, tensors: Tensors) -> None:
        """Call the kernel with other tensors."""
        self.kernel(*(tensors.get(name, one) for name, one in self.named), **self.keywords)


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Call]]:
    """The calls of kernels, as they happen."""
    found: list[Call] = []
    called = Kernel.__call__

    def record(kernel: Kernel, *args: Any, **kwargs: Any) -> None:
        copies = (one.clone() if isinstance(one, torch.Tensor) else one for one in args)
        found.append(Call(kernel, tuple(copies), kwargs))
        called(kernel, *args, **kwargs)

    with monkeypatch.context() as patched:
        patched.setattr(Kernel, "__call__", record)
        yield found


def close(found: torch.Tensor, expected: torch.Tensor) -> None:
    """Equal, but for the order of sums."""
    if found.dtype == torch.float8_e4m3fn:
        found, expected = found.float(), expected.float()
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-4, equal_nan=True)


def differentiated(call: ExampleCall) -> None:
    """Call a function and, where it has one, its backward pass."""
    arguments = call.arguments("cpu", 1)
    floats = (torch.float32, torch.float64)
    leaves = [
        one.requires_grad_() if isinstance(one, torch.Tensor) and one.dtype in floats else one
        for one in arguments
    ]
    try:
        result = call.called(*leaves)
    except ValueError:
        # The example is not differentiable, and says so.
        call.called(*call.arguments("cpu", 1))
        return
    if isinstance(result, torch.Tensor) and result.requires_grad and not result.is_nested:
        result.square().sum().backward()


def check_call(call: Call) -> None:
    """Check all rules of a kernel on a call of it."""
    rows = call.kernel.definition.parameters
    names = {row.name for row in rows if row.kind == "constexpr"}
    constexprs = {name: value for name, value in call.named if name in names}
    before = call.tensors
    after = {name: tensor.clone() for name, tensor in before.items()}
    call.run(after)
    for rule in sharding(call.kernel, values=constexprs).rules:
        assert fits(rule, before)
        # Of five ranks, most have sizes of their own, and some nothing.
        for ranks in (2, 3, 5):
            check_rule(rule, ranks, before, after, call.run, close)


@pytest.mark.filterwarnings("ignore::ninetoothed.GradientWarning")
@pytest.mark.parametrize("call", CALLS, ids=str)
def test_rules_of_examples(call: ExampleCall, calls: list[Call]) -> None:
    differentiated(call)
    recorded = [*calls]
    assert recorded
    for one in recorded:
        check_call(one)
