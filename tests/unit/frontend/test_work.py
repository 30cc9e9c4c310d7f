"""Complexity of the frontend in the application's size."""

from __future__ import annotations

from benchmarks.long_application import long_kernel, text
from ninetoothed.compiler.defaults import assumed_signature
from ninetoothed.frontend.build import build_module
from tests.support import counting


def _lines(length: int) -> int:
    """The lines of Python that building the module of a long application executes."""
    definition = long_kernel(length).definition
    signature = assumed_signature(definition, {}, {})
    return counting.lines(lambda: build_module(definition, signature))


def test_work_grows_linearly() -> None:
    short, long = _lines(200), _lines(400)
    assert long < 2.2 * short


def test_the_application_has_as_many_lines() -> None:
    for lines in (200, 400, 1000):
        assert abs(text(lines).count("\n") - lines) < 20
