"""Tuning leaves no trace in the caller's tensors, whatever the kernels do to theirs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from ninetoothed.runtime.launch import device
from ninetoothed.runtime.launch.loaded import Trial
from ninetoothed.runtime.tuning import isolation

torch: Any = pytest.importorskip("torch")

# What launches are given: one entry a launch.
Seen = list[tuple[Any, ...]]


def memory(free: int) -> Callable[[int], int]:
    """A device with ``free`` bytes."""

    def free_memory(index: int) -> int:
        return free

    return free_memory


@pytest.fixture(autouse=True)
def enough_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device, "free_memory", memory(1 << 40))


def launch_twice(trials: Sequence[Trial], values: tuple[Any, ...]) -> None:
    """Launch as the tuner does, without a clock."""
    with isolation.isolated(trials, values) as (arguments, prepare):
        for trial in trials:
            for _ in range(2):
                prepare()
                trial.launch(arguments)


@pytest.fixture(params=["copies", "saved"])
def mode(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "saved":
        monkeypatch.setattr(device, "free_memory", memory(0))
    return request.param


def trial(
    launch: Callable[[tuple[Any, ...]], None],
    reads: tuple[str, ...] = ("x", "y"),
    writes: tuple[str, ...] = ("out",),
) -> Trial:
    return Trial(("x", "y", "out", "n"), reads, writes, launch)


def test_other_errors_are_not_swallowed(mode: str) -> None:
    out = torch.ones(3)

    def broken(values: tuple[Any, ...]) -> None:
        values[2].fill_(5)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        launch_twice([trial(broken)], (torch.ones(3), torch.ones(3), out, 3))
    assert torch.equal(out, torch.ones(3))


def test_outputs_stay(mode: str) -> None:
    base = torch.arange(60.0)
    x, y = torch.ones(3, 4), torch.ones(3, 4)
    out = base[5:].as_strided((3, 4), (17, 2))
    seen: Seen = []

    def launch(values: tuple[Any, ...]) -> None:
        seen.append(values)
        assert values[0] is x
        assert values[3] == 12
        assert values[2].shape == out.shape
        assert values[2].stride() == out.stride()
        assert values[2].data_ptr() % 256 == out.data_ptr() % 256
        values[2].copy_(x + y)

    before = base.clone()
    launch_twice([trial(launch), trial(launch)], (x, y, out, 12))
    assert len(seen) == 4
    assert torch.equal(base, before)
    assert (seen[0][2].data_ptr() == out.data_ptr()) == (mode == "saved")


@pytest.mark.parametrize("dtype", ["float32", "float16", "int8", "int64", "bool"])
@pytest.mark.parametrize("offset", [0, 1, 3])
def test_alignment_of_copies(dtype: str, offset: int) -> None:
    out = torch.zeros(600, dtype=getattr(torch, dtype))[offset:]

    def launch(values: tuple[Any, ...]) -> None:
        assert values[2].data_ptr() != out.data_ptr()
        assert values[2].data_ptr() % 256 == out.data_ptr() % 256

    launch_twice([trial(launch)], (out, out, out, 0))


def test_what_is_read_and_written_starts_anew(mode: str) -> None:
    out = torch.arange(4.0)
    before = out.clone()

    def accumulate(values: tuple[Any, ...]) -> None:
        assert torch.equal(values[2], before)
        values[2].add_(1)

    trials = [trial(accumulate, reads=("out",))] * 2
    launch_twice(trials, (out, out, out, 4))
    assert torch.equal(out, before)


def test_an_output_that_overlaps_an_input_starts_anew(mode: str) -> None:
    base = torch.arange(10.0)
    x, out = base[:6], base[4:]

    def launch(values: tuple[Any, ...]) -> None:
        assert torch.equal(values[0], torch.arange(6.0))
        assert torch.equal(values[2], torch.arange(4.0, 10.0))
        values[2].fill_(-1)

    launch_twice([trial(launch, reads=("x",))], (x, torch.ones(1), out, 6))
    assert torch.equal(base, torch.arange(10.0))


def test_expanded_and_empty_outputs(mode: str) -> None:
    one = torch.ones(1)
    expanded = one.expand(4)

    def launch(values: tuple[Any, ...]) -> None:
        assert values[2].stride() == (0,)
        values[2].as_strided((1,), (1,)).fill_(3)

    launch_twice([trial(launch)], (one, one, expanded, 4))
    assert one.item() == 1
    empty = torch.ones(0, 3)
    launch_twice([trial(lambda _: None)], (empty, empty, empty, 0))


def test_gradients_are_no_hindrance(mode: str) -> None:
    out = torch.ones(3, requires_grad=True)

    def launch(values: tuple[Any, ...]) -> None:
        values[2].detach().fill_(3)

    launch_twice([trial(launch)], (out, out, out, 3))
    assert torch.equal(out.detach(), torch.ones(3))


def test_allocation_that_fails_after_all(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise torch.cuda.OutOfMemoryError

    monkeypatch.setattr(isolation, "_device_copy", fail)
    out = torch.ones(3)
    launch_twice([trial(lambda values: values[2].fill_(2))], (out, out, out, 3))
    assert torch.equal(out, torch.ones(3))


def test_what_is_stuck_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device, "free_memory", memory(0))
    out = torch.ones(3)

    def stuck(values: tuple[Any, ...]) -> None:
        values[2].fill_(5)
        raise isolation.StuckError(0)

    with pytest.raises(isolation.StuckError):
        launch_twice([trial(stuck)], (out, out, out, 3))
    # A copy to a device that hangs would hang.
    assert torch.equal(out, torch.full((3,), 5.0))


def test_the_first_error_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device, "free_memory", memory(0))
    out = torch.ones(3)

    def lost(values: tuple[Any, ...]) -> None:
        # What is to be put back no longer fits: as if the device took no copies.
        values[2].resize_(5)
        raise RuntimeError("an illegal memory access was encountered")

    with pytest.raises(RuntimeError, match="illegal memory access"):
        launch_twice([trial(lost)], (out, out, out, 3))
