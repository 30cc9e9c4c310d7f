"""Dumps: modules as files, each of which says which passes are still to come."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp

from ninetoothed.cache.atomic import write_atomically
from ninetoothed.ir.continuation import Continuation
from ninetoothed.ir.printing import text_of
from ninetoothed.passes.pipeline import Observer, Step, continuation


def dump_to(
    folder: Path,
    start: int = 0,
    pipeline: Sequence[Step] = (),
    settings: Continuation | None = None,
    text: Callable[[ModuleOp], str] = text_of,
) -> Observer:
    """Observer that writes modules to ``folder``, as ``03-nt-pad-blocks.mlir``, counting from
    ``start``. ``pipeline`` are the steps behind the first of them, of which each further one is the
    result of one; ``settings`` is what they do not say. ``text`` prints a module.
    """
    folder.mkdir(parents=True, exist_ok=True)
    count = 0

    def observe(name: str, module: ModuleOp) -> None:
        nonlocal count
        path = folder / f"{start + count:02d}-{re.sub(r'[^a-z0-9-]', '-', name)}.mlir"
        head = str(continuation(pipeline[count:], settings))
        write_atomically(path, "\n".join([*([head] if head else []), text(module), ""]))
        count += 1

    return observe
