"""Progress bar of a search: on a terminal, after a while, and nowhere else."""

from __future__ import annotations

import io
import os
import pty
from types import SimpleNamespace
from typing import cast

import pytest

from ninetoothed.runtime.tuning import progress
from ninetoothed.runtime.tuning.progress import Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """A clock that shows the last number."""
    times = [0.0]
    monkeypatch.setattr(progress, "time", SimpleNamespace(monotonic=lambda: times[-1]))
    monkeypatch.setenv("COLUMNS", "60")
    return times


def test_a_quick_search_shows_nothing(clock: list[float]) -> None:
    terminal = Terminal()
    with Progress("tuning add", terminal) as bar:
        clock.append(1.9)
        bar.update("compiled", 3, 4)
    assert terminal.getvalue() == ""


def test_a_long_one_shows_a_line_that_goes(clock: list[float]) -> None:
    terminal = Terminal()
    with Progress("tuning add", terminal) as bar:
        clock.append(2.0)
        bar.update("compiled", 1, 4)
        clock.append(3.4)
        bar.update("settled", 4, 4)
    assert terminal.getvalue() == (
        "\r[######------------------] tuning add: compiled 1/4, 2 s\x1b[K"
        "\r[########################] tuning add: settled 4/4, 3 s\x1b[K"
        "\r\x1b[K"
    )


def test_a_line_is_as_wide_as_the_terminal(clock: list[float]) -> None:
    terminal = Terminal()
    with Progress("tuning a_kernel_with_a_long_name", terminal) as bar:
        clock.append(9.0)
        bar.update("compiled", 0, 0)
        assert len(terminal.getvalue()) == 59 + len("\r\x1b[K")


def test_no_terminal_gets_nothing(clock: list[float]) -> None:
    stream = io.StringIO()
    with Progress("tuning add", stream) as bar:
        clock.append(9.0)
        bar.update("compiled", 1, 4)
    assert stream.getvalue() == ""


def test_no_stderr(clock: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "sys", SimpleNamespace(stderr=None))
    with Progress("tuning add") as bar:
        clock.append(9.0)
        bar.update("compiled", 1, 4)


@pytest.mark.parametrize("is_closed", [False, True])
def test_what_is_no_stream_at_all(clock: list[float], is_closed: bool) -> None:
    closed = io.StringIO()
    closed.close()
    with Progress("tuning add", closed if is_closed else cast("io.StringIO", object())) as bar:
        clock.append(9.0)
        bar.update("compiled", 1, 4)


def test_a_terminal_that_has_gone(clock: list[float]) -> None:
    class Gone(Terminal):
        def write(self, text: str) -> int:
            raise OSError("input/output error")

    with Progress("tuning add", Gone()) as bar:
        clock.append(9.0)
        bar.update("compiled", 1, 4)


def test_a_real_terminal(clock: list[float]) -> None:
    leader, follower = pty.openpty()
    with os.fdopen(follower, "w") as stream:
        with Progress("tuning add", stream) as bar:
            clock.append(5.0)
            bar.update("compiled", 2, 4)
        shown = ""
        while not shown.endswith("\r\x1b[K"):
            shown += os.read(leader, 1000).decode()
    os.close(leader)
    assert shown.startswith("\r[############------------] tuning add: compiled 2/4, 5 s")
