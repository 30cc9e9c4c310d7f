"""Wrong programs, and the whole text that each ends with: message, place, line and caret."""

from __future__ import annotations

import inspect
import linecache
import textwrap
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch

import ninetoothed
import ninetoothed.language as ntl
from ninetoothed import NineToothedError, Symbol, Tensor, block_size, jit, make

PACKAGE = Path(ninetoothed.__file__).parent


@dataclass(frozen=True)
class Case:
    """A program, and the class and text of the error that it ends with. Its file is ``kernel.py``.

    The program finds ``make``, ``jit``, ``Tensor``, ``Symbol``, ``block_size``, ``ninetoothed``,
    ``ntl``, ``torch``, :func:`blocks`, :func:`vectors` and :func:`matrices` without importing them,
    so that its first line is line 1.
    """

    name: str
    source: str
    message: str


def blocks(*tensors: Tensor) -> tuple[Tensor, ...]:
    """An arrangement: blocks of 64 elements of vectors."""
    return tuple(tensor.tile((64,)) for tensor in tensors)


def vectors(application: Callable[..., Any], *dtypes: str | None, **options: Any) -> Any:
    """A kernel whose programs see blocks of 64 elements of each parameter, a vector."""
    return _made(application, dtypes, 1, (64,), options)


def matrices(application: Callable[..., Any], *dtypes: str | None, **options: Any) -> Any:
    """A kernel whose programs see blocks of 16 by 32 elements of each parameter, a matrix."""
    return _made(application, dtypes, 2, (16, 32), options)


def _made(
    application: Callable[..., Any],
    dtypes: tuple[str | None, ...],
    ndim: int,
    tile: tuple[int, ...],
    options: dict[str, Any],
) -> Any:
    count = len(inspect.signature(application).parameters)
    given = [*dtypes, *[None] * (count - len(dtypes))]

    def arrangement(*tensors: Tensor) -> tuple[Tensor, ...]:
        return tuple(tensor.tile(tile) for tensor in tensors)

    tensors = tuple(Tensor(ndim, dtype=dtype) for dtype in given)
    return make(arrangement, application, tensors, **options)


def run(source: str, folder: Path, **names: Any) -> NineToothedError:
    """Run a program, a file in ``folder``; the error that it ends with."""
    text = textwrap.dedent(source).strip("\n") + "\n"
    path = folder / "kernel.py"
    path.write_text(text, encoding="utf-8")
    linecache.checkcache(str(path))
    namespace: dict[str, Any] = {
        "__name__": "kernel",
        "Symbol": Symbol,
        "Tensor": Tensor,
        "block_size": block_size,
        "blocks": blocks,
        "jit": jit,
        "make": make,
        "matrices": matrices,
        "ninetoothed": ninetoothed,
        "ntl": ntl,
        "torch": torch,
        "vectors": vectors,
        **names,
    }
    with pytest.raises(NineToothedError) as caught:
        exec(compile(text, str(path), "exec"), namespace)
    return caught.value


def check(case: Case, folder: Path, **names: Any) -> None:
    """Compare the error of ``case``, and its traceback's end, which is the user's line."""
    error = run(case.source, folder, **names)
    found = f"{type(error).__name__}: {error}".replace(f"{folder}/", "")
    assert found == textwrap.dedent(case.message).strip("\n"), found
    check_frames(error)


def check_frames(error: NineToothedError) -> None:
    """The last frame is where the message points, and no frame of ours lies below a user's."""
    frames = traceback.extract_tb(error.__traceback__)
    assert error.loc is not None
    assert (frames[-1].filename, frames[-1].lineno) == (error.loc.file, error.loc.line)
    ours = [PACKAGE in Path(frame.filename).parents for frame in frames]
    # The frame that raises anew is ours, and a symbol's operator above it; behind are the user's.
    assert sum(ours) <= 2, frames
    assert not any(ours[ours.index(True) + sum(ours) :]), frames
    assert error.__suppress_context__ or error.__context__ is None


def each(*cases: Case) -> pytest.MarkDecorator:
    """A test a case."""
    return pytest.mark.parametrize("case", cases, ids=[case.name for case in cases])
