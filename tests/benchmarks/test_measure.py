"""One case in this process: what is checked, what is timed, and what becomes of failures."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest
import torch

from benchmarks import measure
from benchmarks.correctness import WrongResultError, checked, compare, poison
from benchmarks.measure import ContextLostError, Measurer
from benchmarks.operation import OURS, TORCH, TRITON, Operation, Work
from benchmarks.records import Record
from benchmarks.timing import Times
from tests.benchmarks.fake import OPERATION, FakeClock, double

SMALL = {"operation": "double", "size": "small", "dtype": "fp32", "layout": "contiguous"}


def measurer(operation: Operation = OPERATION, size: str = "small", **options: Any) -> Measurer:
    """Of ours, Triton and torch on the CPU."""
    return Measurer(operation, {**SMALL, "size": size}, (OURS, TRITON, TORCH), "cpu", **options)


def measured(operation: Operation = OPERATION, **options: Any) -> dict[str, Record]:
    """The records, by provider."""
    return {one["provider"]: one for one in measurer(operation, **options).measure()}


def failures(found: dict[str, Record]) -> dict[str, str]:
    return {name: one["failure"] for name, one in found.items() if "failure" in one}


def failing(function: Callable[..., Any]) -> Operation:
    """The operation with another function of ours."""
    return dataclasses.replace(OPERATION, ours=function)


def test_a_case() -> None:
    heard: list[tuple[str, str]] = []

    def tell(provider: str, what: str) -> None:
        heard.append((provider, what))

    found = measured(clock=FakeClock(), tell=tell)
    assert list(found) == [OURS, TRITON, TORCH]
    ours = found[OURS]
    assert ours.pop("error") < 1e-6
    assert ours.pop("check_seconds") >= 0
    assert ours == {
        "kind": "kernel", **SMALL, "shape": "3 × 4", "provider": OURS,
        "bytes": 2 * 3 * 4 * 4, "operations": 0, "unit": "fp16",
        "gpu_us": 4.0, "gpu_us_low": 4.0, "gpu_us_high": 4.0, "samples": 10,
        "host_us": 7.0, "graph_us": 2.0,
    }  # fmt: skip
    assert heard[:3] == [("", "inputs"), ("", "reference"), (OURS, "check")]


def test_check_times_nothing() -> None:
    for one in measured().values():
        assert one.keys() & {"gpu_us", "host_us", "graph_us", "failure"} == set()
        assert one["error"] < 1e-6


def test_graphs_are_of_small_cases_only() -> None:
    assert "graph_us" not in measured(size="large", clock=FakeClock())[OURS]


def test_samples_are_asked_for() -> None:
    assert measured(clock=FakeClock(), samples=33)[OURS]["samples"] == 33


def raise_error(input: torch.Tensor) -> torch.Tensor:
    raise RuntimeError("no such thing\nat all\nnever")


def triple(input: torch.Tensor) -> torch.Tensor:
    return input * 3


def first_row(input: torch.Tensor) -> torch.Tensor:
    return input[:1]


def twice(input: torch.Tensor) -> tuple[torch.Tensor, ...]:
    return input, input


def fill_half(input: torch.Tensor) -> torch.Tensor:
    """Leaves half of its result as it finds it: what was left there shows."""
    if not LEFT:
        LEFT.append(torch.empty_like(input))
    LEFT[0][:1] = input[:1] * 2
    return LEFT[0]


LEFT: list[torch.Tensor] = []


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (raise_error, "RuntimeError: no such thing | at all"),
        (triple, "the result differs from torch in float64: error 5.0e-01, "),
        (first_row, "the result: the result's shape is (1, 4), not (3, 4)"),
        (twice, "2 results, not 1"),
        (fill_half, "the result differs from torch in float64: error nan, at most "),
    ],
)
def test_failures_are_noted_and_the_run_goes_on(function: Callable[..., Any], message: str) -> None:
    found = measured(failing(function), clock=FakeClock())
    assert list(failures(found)) == [OURS]
    assert found[OURS]["failure"].startswith(message)
    assert "gpu_us" not in found[OURS]
    assert found[TORCH]["gpu_us"] == 4.0


def test_memory_that_holds_the_result_of_another_call_is_poisoned_too() -> None:
    expected = torch.ones(4)
    blocks = [expected.clone(), expected.clone()]

    def call() -> torch.Tensor:
        """Writes half of one of two blocks, each in turn, as an allocator may give them out."""
        blocks.reverse()
        blocks[0][:2] = 1
        return blocks[0]

    with pytest.raises(WrongResultError, match="error nan"):
        checked(call, (), expected.double(), 1.0)


def test_known_failures_are_not_run() -> None:
    found = measured(failing(raise_error), clock=FakeClock(), failed={OURS: "died"})
    assert failures(found) == {OURS: "died"}
    assert found[TORCH]["gpu_us"] == 4.0


def test_no_inputs() -> None:
    operation = dataclasses.replace(OPERATION, inputs=raise_error)
    found = failures(measured(operation))
    assert set(found) == {OURS, TRITON, TORCH}
    assert found[OURS].startswith("no inputs or reference: ")


def test_what_cannot_be_captured_is_measured_all_the_same() -> None:
    clock = FakeClock(graph_error=RuntimeError("it waits"))
    ours = measured(clock=clock)[OURS]
    assert ours["graph_failure"] == "RuntimeError: it waits"
    assert ours["gpu_us"] == 4.0
    assert ours.keys() & {"graph_us", "failure"} == set()


def test_what_loses_the_device_in_a_graph_is_the_last(monkeypatch: pytest.MonkeyPatch) -> None:
    def lost(error: Exception, device: str) -> None:
        raise ContextLostError("gone")

    monkeypatch.setattr(measure, "recover", lost)
    one = measurer(clock=FakeClock(graph_error=RuntimeError("it waits")))
    ours, _, torchs = one.measure()
    assert one.is_spent
    assert ours["graph_failure"] == "RuntimeError: it waits"
    assert torchs["gpu_us"] == 4.0


def test_a_lost_device_ends_the_measuring(monkeypatch: pytest.MonkeyPatch) -> None:
    def lost(error: Exception, device: str) -> None:
        raise ContextLostError("gone")

    monkeypatch.setattr(measure, "recover", lost)
    with pytest.raises(ContextLostError, match="gone"):
        measurer(failing(raise_error)).measure()


def test_gradients() -> None:
    def inputs(draw: Any, rows: int, columns: int) -> tuple[torch.Tensor, ...]:
        return draw(rows, columns), draw(rows, columns)

    def work(*inputs: torch.Tensor) -> Work:
        return Work(1)

    forward: list[torch.Tensor] = []

    def ours(input: torch.Tensor) -> torch.Tensor:
        forward.append(input)
        return double(input)

    class Clock(FakeClock):
        def gpu_us(self, *args: Any, **options: Any) -> dict[str, Times]:
            before = len(forward)
            times = super().gpu_us(*args, **options)
            assert len(forward) == before, "the forward pass is timed, too"
            return times

    operation = dataclasses.replace(
        OPERATION, inputs=inputs, ours=ours, is_gradient=True, work=work
    )
    found = measured(operation, clock=Clock())
    assert forward
    assert not failures(found)
    assert found[OURS]["gpu_us"] == 4.0


def test_inputs_are_not_poisoned() -> None:
    def same(input: torch.Tensor) -> torch.Tensor:
        return input

    operation = dataclasses.replace(
        OPERATION, reference=same, ours=same, triton=lambda: same, torch=same
    )
    assert not failures(measured(operation))


@pytest.mark.parametrize(
    "dtype",
    [torch.float32, torch.bfloat16, torch.float8_e4m3fn, torch.int64, torch.int8, torch.bool],
)
def test_poison(dtype: torch.dtype) -> None:
    whole = torch.zeros(4, 6).to(dtype)
    # The memory between a view's elements is filled, too.
    poison(whole[:, ::2], ())
    if dtype.is_floating_point:
        assert bool(whole.float().isnan().all())
    else:
        assert bool((whole == (True if dtype is torch.bool else torch.iinfo(dtype).max)).all())


def test_numbers_that_do_not_round_are_equal() -> None:
    assert compare(torch.tensor([1, 2]), torch.tensor([1, 2]), 1.0) == 0.0
    with pytest.raises(WrongResultError, match=r"error 4\.5e-01, at most 0\.0e\+00"):
        compare(torch.tensor([1, 3]), torch.tensor([1, 2]), 100.0)


def test_jagged_results() -> None:
    def jagged(*lengths: int, value: float = 1.0) -> torch.Tensor:
        rows = [torch.full((length, 2), value) for length in lengths]
        return torch.nested.nested_tensor(rows, layout=torch.jagged)

    assert compare(jagged(2, 3), jagged(2, 3).double(), 1.0) == 0.0
    with pytest.raises(WrongResultError, match="its sequences have other lengths"):
        compare(jagged(3, 2), jagged(2, 3), 1.0)
    with pytest.raises(WrongResultError, match=r"error 1\.0e\+00"):
        compare(jagged(2, 3, value=2.0), jagged(2, 3), 1.0)
    with pytest.raises(WrongResultError, match="it is no nested tensor"):
        compare(torch.ones(5, 2), jagged(2, 3), 1.0)


def test_the_operation_is_its_own_reference() -> None:
    inputs = OPERATION.draw("small", "fp32", "strided", "cpu")
    assert not inputs[0].is_contiguous()
    assert compare(double(*inputs), OPERATION.expected(inputs), OPERATION.tolerance) < 1e-6
