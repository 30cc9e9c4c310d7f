"""Refusal of wrong calls that torch's compiler traces."""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn, cast

import torch

from ninetoothed.errors import ArgumentError


def _raise(message: str) -> NoReturn:
    raise ArgumentError(message)


# torch's compiler does not know how an error is made; that of 2.11 fails where it resumes with one.
_raise_untraced = cast("Callable[[str], NoReturn]", torch.compiler.disable(_raise))


def refuse(message: str) -> NoReturn:
    """Refuse a wrong call. torch's compiler leaves it to be run as it is, or shows ``message``
    where it must leave nothing.

    Raises:
        ArgumentError: always.
    """
    torch._dynamo.graph_break(msg=message)  # pyright: ignore[reportPrivateUsage]
    _raise_untraced(message)
