"""Tuning leaves no trace in the caller's tensors, whatever the kernels do to theirs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ninetoothed.errors import ArgumentError, ConfigurationError
from ninetoothed.runtime import device, tuner

torch: Any = pytest.importorskip("torch")

# What launches are given: one entry a launch.
Seen = list[tuple[Any, ...]]


def memory(free: int) -> Callable[[int], int]:
    """A device with ``free`` bytes."""

    def free_memory(index: int) -> int:
        return free

    return free_memory


@pytest.fixture(autouse=True)
def no_device(monkeypatch: pytest.MonkeyPatch) -> None:
    """CPU tensors, a clock without a GPU, and memory enough."""
    ticks = iter(range(100, 0, -1))

    def time(launch: Callable[[], None], restore: Callable[[], None]) -> float:
        for _ in range(2):
            restore()
            launch()
        return float(next(ticks))

    monkeypatch.setattr(tuner, "_time", time)
    monkeypatch.setattr(device, "free_memory", memory(1 << 40))


@pytest.fixture(params=["copies", "saved"])
def mode(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "saved":
        monkeypatch.setattr(device, "free_memory", memory(0))
    return request.param


def trial(
    launch: Callable[[tuple[Any, ...]], None],
    reads: tuple[str, ...] = ("x", "y"),
    writes: tuple[str, ...] = ("out",),
) -> tuner.Trial:
    return tuner.Trial(("x", "y", "out", "n"), reads, writes, launch)


def test_results_in_order() -> None:
    def too_big(_: object) -> None:
        raise ConfigurationError("shared memory")

    def too_many(_: object) -> None:
        raise ArgumentError("programs")

    trials = [trial(lambda _: None), trial(too_big), trial(too_many), trial(lambda _: None)]
    values = (torch.ones(3), torch.ones(3), torch.ones(3), 3)
    assert tuner.time_trials(trials, values) == [100.0, "shared memory", "programs", 99.0]
    assert tuner.time_trials([], ()) == []


def test_other_errors_are_not_swallowed(mode: str) -> None:
    out = torch.ones(3)

    def broken(values: tuple[Any, ...]) -> None:
        values[2].fill_(5)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        tuner.time_trials([trial(broken)], (torch.ones(3), torch.ones(3), out, 3))
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
    tuner.time_trials([trial(launch), trial(launch)], (x, y, out, 12))
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

    (result,) = tuner.time_trials([trial(launch)], (out, out, out, 0))
    assert result == 100.0


def test_what_is_read_and_written_starts_anew(mode: str) -> None:
    out = torch.arange(4.0)
    before = out.clone()

    def accumulate(values: tuple[Any, ...]) -> None:
        assert torch.equal(values[2], before)
        values[2].add_(1)

    trials = [trial(accumulate, reads=("out",))] * 2
    assert tuner.time_trials(trials, (out, out, out, 4)) == [100.0, 99.0]
    assert torch.equal(out, before)


def test_an_output_that_overlaps_an_input_starts_anew(mode: str) -> None:
    base = torch.arange(10.0)
    x, out = base[:6], base[4:]

    def launch(values: tuple[Any, ...]) -> None:
        assert torch.equal(values[0], torch.arange(6.0))
        assert torch.equal(values[2], torch.arange(4.0, 10.0))
        values[2].fill_(-1)

    tuner.time_trials([trial(launch, reads=("x",))], (x, torch.ones(1), out, 6))
    assert torch.equal(base, torch.arange(10.0))


def test_expanded_and_empty_outputs(mode: str) -> None:
    one = torch.ones(1)
    expanded = one.expand(4)

    def launch(values: tuple[Any, ...]) -> None:
        assert values[2].stride() == (0,)
        values[2].as_strided((1,), (1,)).fill_(3)

    tuner.time_trials([trial(launch)], (one, one, expanded, 4))
    assert one.item() == 1
    empty = torch.ones(0, 3)
    tuner.time_trials([trial(lambda _: None)], (empty, empty, empty, 0))


def test_gradients_are_no_hindrance(mode: str) -> None:
    out = torch.ones(3, requires_grad=True)

    def launch(values: tuple[Any, ...]) -> None:
        values[2].detach().fill_(3)

    tuner.time_trials([trial(launch)], (out, out, out, 3))
    assert torch.equal(out.detach(), torch.ones(3))


def test_allocation_that_fails_after_all(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise torch.cuda.OutOfMemoryError

    monkeypatch.setattr(tuner, "_device_copy", fail)
    out = torch.ones(3)
    tuner.time_trials([trial(lambda values: values[2].fill_(2))], (out, out, out, 3))
    assert torch.equal(out, torch.ones(3))


@pytest.mark.gpu
def test_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    small = torch.zeros(1 << 10, device="cuda")
    large = torch.zeros(1 << 28, device="cuda")

    def fill(values: tuple[Any, ...]) -> None:
        values[0].fill_(1)

    def time(tensor: Any) -> float:
        (result,) = tuner.time_trials([tuner.Trial(("x",), (), ("x",), fill)], (tensor,))
        assert isinstance(result, float)
        return result

    # 1 GiB takes at least 0.1 ms at 10 TB/s.
    assert time(large) > max(time(small), 0.1)
    assert not bool(small.any())
    assert not bool(large.any())
