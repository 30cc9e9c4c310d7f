"""Number of cases of a property, chosen by ``NINETOOTHED_HYPOTHESIS_PROFILE``.

``ci`` (the default) draws 600 cases a property, the same ones every time; ``full`` draws 20,000,
other ones every time; ``quick`` draws 50 while one works on something.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypeVar

from hypothesis import HealthCheck, Phase, settings

_A = TypeVar("_A")
_B = TypeVar("_B")

_CASES = {"ci": 600, "full": 20_000, "quick": 50}


def load() -> None:
    """Register the profiles and load the one that the environment names."""
    for name, cases in _CASES.items():
        settings.register_profile(
            name,
            max_examples=cases,
            derandomize=name != "full",
            deadline=None,
            print_blob=True,
            # The machine may be shared, and some cases compile: slow is no failure.
            suppress_health_check=[HealthCheck.too_slow],
        )
    settings.load_profile(_profile())


def _profile() -> str:
    return os.environ.get("NINETOOTHED_HYPOTHESIS_PROFILE", "ci")


def cases(ci: int, full: int) -> int:
    """Number of cases of an expensive property: ``ci``, ``full``, or a few."""
    return {"ci": ci, "full": full, "quick": max(1, ci // 20)}[_profile()]


def full() -> bool:
    """True if all is tried, at whatever cost in time."""
    return _profile() == "full"


def pairs(first: Sequence[_A], second: Sequence[_B], every: bool) -> list[tuple[_A, _B]]:
    """Pairs of what is expensive: every one, or each of the first with one of the second, which
    take turns.
    """
    return [
        (one, other)
        for place, one in enumerate(first)
        for number, other in enumerate(second)
        if every or place % len(second) == number
    ]


def examples(count: int) -> settings:
    """Settings of an expensive property: of 1,000 cases, so many.

    Use it as a decorator: ``@examples(100)`` draws 60, 2,000 and 5 cases.
    """
    return settings(max_examples=max(1, count * _CASES[_profile()] // 1_000))


def tried(count: int) -> settings:
    """So many random programs; see :func:`examples`.

    A failing one is reported as it is: it is small, and to look for a smaller one takes minutes.
    """
    return settings(examples(count), phases=(Phase.explicit, Phase.reuse, Phase.generate))
