"""What torch's compiler takes for constants while it traces; without torch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

_F = TypeVar("_F", bound=Callable[..., Any])


def constant_result(method: _F) -> _F:
    """Decorate a method that torch's compiler calls while it traces, and does not trace: its result
    is a constant, as with ``torch.compiler.assume_constant_result``.
    """
    method._dynamo_marked_constant = True  # pyright: ignore[reportFunctionMemberAccess]
    return method


class Made:
    """Objects that are made while torch traces, each an attribute: its compiler reads those anew,
    and a list once.
    """

    def keep(self, made: object) -> str:
        """Keep an object; the name of its attribute."""
        name = f"made_{id(made)}"
        setattr(self, name, made)
        return name
