"""Generated functions: Python source compiled for one kernel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def defined(names: Sequence[str], source: str, known: Mapping[str, Any]) -> list[Any]:
    """Compile ``source`` over the names in ``known``, and return the functions ``names`` that it
    defines.
    """
    # The file's name keeps its frames out of users' tracebacks.
    namespace = dict(known)
    exec(compile(source, f"<ninetoothed {names[-1]}>", "exec"), namespace)
    return [namespace[name] for name in names]
