"""Functions of another module, with globals of their own, for tests of inlined calls."""

from __future__ import annotations

import ninetoothed.language as ntl

SCALE = 3


def scaled(value):
    """By this module's constant."""
    return value * SCALE


def add_application(x, y, output):
    """An application that others call."""
    output = x + scaled(y)


class Steps:
    """A namespace of functions and constants."""

    offset = 5

    @staticmethod
    def shifted(value, by=offset):
        """Shifted by a constant of the class."""
        return value + by + Steps.offset


def clipped(value, low=-1, *, high=1):
    """Between two numbers, the second of which is given by keyword."""
    value = ntl.maximum(value, low)
    return ntl.minimum(value, high)
