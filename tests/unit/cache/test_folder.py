"""Descriptors of the cache folder: whatever raises at whatever step, none is left open."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from ninetoothed.cache import folder
from ninetoothed.cache.atomic import write_in


def interrupted_at(step: int, action: Callable[[], object]) -> bool:
    """Run ``action`` with an interrupt before its opcode number ``step``; True if it came so far.

    In the package's own frames, to which a descriptor is a number.
    """
    left = step

    def trace(frame: FrameType, event: str, _: object) -> Any:
        nonlocal left
        frame.f_trace_opcodes = True
        # One in a finalizer would be lost.
        names = [one.f_code.co_name for one in (frame, frame.f_back) if one is not None]
        if event == "opcode" and "__del__" not in names:
            left -= 1
            if left == 0:
                raise KeyboardInterrupt
        return trace

    def start(frame: FrameType, event: str, argument: object) -> Any:
        own = frame.f_code.co_filename == folder.__file__
        return trace(frame, event, argument) if own else None

    previous = sys.gettrace()
    sys.settrace(start)
    try:
        action()
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(previous)
    return False


def read(path: Path) -> None:
    with folder.opened(path, "artifacts") as room:
        folder.read(room, "file.json")


def write(path: Path) -> None:
    with folder.opened(path, "artifacts", make=True) as room:
        write_in(room, "other.json", "text")


@pytest.mark.parametrize("action", [read, write])
def test_an_interrupt_at_any_step_leaves_nothing_open(
    action: Callable[[Path], None], tmp_path: Path
) -> None:
    with folder.opened(tmp_path, "artifacts", make=True) as room:
        write_in(room, "file.json", "text")
    before = os.listdir("/proc/self/fd")
    step = 1
    while interrupted_at(step, lambda: action(tmp_path)):
        if os.listdir("/proc/self/fd") != before:
            # What a cycle holds is closed by its finalizer.
            gc.collect(0)
        assert os.listdir("/proc/self/fd") == before, step
        step += 1
    # There were steps between all that opens and closes.
    assert step > 100


def test_a_descriptor_is_closed_once(tmp_path: Path) -> None:
    descriptor = folder.Descriptor(tmp_path, os.O_RDONLY)
    number = descriptor.fileno()
    descriptor.close()
    again = os.dup(0)
    assert again == number
    descriptor.close()
    del descriptor
    os.fstat(again)
    os.close(again)
