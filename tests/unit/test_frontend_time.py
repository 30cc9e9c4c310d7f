"""How the frontend's time grows with the application."""

from __future__ import annotations

import gc
import time

from benchmarks.long_application import long_kernel, text
from ninetoothed.assumptions import assumed_signature
from ninetoothed.definition.definition import Definition
from ninetoothed.frontend.build import build_module


def _seconds(definition: Definition) -> float:
    """In time of the processor, without that of collections of garbage: they go through all objects
    of the process, which are those of other tests, too, and come more often than lines do.
    """
    signature = assumed_signature(definition, {}, {})
    gc.collect()
    gc.disable()
    try:
        start = time.process_time()
        build_module(definition, signature)
        return time.process_time() - start
    finally:
        gc.enable()


def test_time_grows_linearly() -> None:
    short, long = (long_kernel(lines).definition for lines in (500, 1000))
    best = [float("inf"), float("inf")]
    # The best of several is what it costs; the rest is what else the machine was doing.
    for _ in range(15):
        best = [min(best[0], _seconds(short)), min(best[1], _seconds(long))]
        if best[1] < 2.5 * best[0]:
            break
    assert best[1] < 3 * best[0], best


def test_the_application_has_as_many_lines() -> None:
    for lines in (500, 1000):
        assert abs(text(lines).count("\n") - lines) < 20
