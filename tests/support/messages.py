"""Wrong programs: what they find without importing it, and the error that each ends with."""

from __future__ import annotations

import inspect
import linecache
import textwrap
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

import ninetoothed
import ninetoothed.language as ntl
from ninetoothed import NineToothedError, Symbol, Tensor, block_size, jit, make
from ninetoothed.dtype import DTYPES
from ninetoothed.errors import user_facing
from tests.support import offline

PACKAGE = Path(ninetoothed.__file__).parent


class Fake:
    """A tensor on any device: what a kernel asks of it before it is launched."""

    def __init__(self, place: str) -> None:
        self.device = torch.device(place)
        self.dtype = torch.float32
        self.shape = (4,)

    def dim(self) -> int:
        return 1

    def stride(self, dim: int | None = None) -> Any:
        return (1,) if dim is None else 1

    def size(self, dim: int | None = None) -> Any:
        return self.shape if dim is None else self.shape[dim]

    def numel(self) -> int:
        return 4

    def element_size(self) -> int:
        return 4

    def data_ptr(self) -> int:
        return 4096

    def is_neg(self) -> bool:
        return False


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


@user_facing
def compiled(kernel: Any, target: str) -> None:
    """Call a kernel of two matrices on the CPU, where it runs, and compile it for ``target``."""
    dtype = getattr(torch, DTYPES[kernel.definition.parameters[0].source.dtype].torch)
    values = (torch.zeros((16, 32), dtype=dtype), torch.zeros(16, 32))
    kernel(*values)
    for _ in offline.artifacts(kernel, values, target):
        pass


PREAMBLE: dict[str, Any] = {
    "Fake": Fake,
    "Symbol": Symbol,
    "Tensor": Tensor,
    "block_size": block_size,
    "blocks": blocks,
    "compiled": compiled,
    "jit": jit,
    "make": make,
    "matrices": matrices,
    "ninetoothed": ninetoothed,
    "ntl": ntl,
    "torch": torch,
    "vectors": vectors,
}
"""Names that a program has without an import, so that its first line is line 1."""


def run(source: str, folder: Path, **names: Any) -> NineToothedError:
    """Run a program, the file ``kernel.py`` in ``folder``; the error that it ends with."""
    text = textwrap.dedent(source).strip("\n") + "\n"
    path = folder / "kernel.py"
    path.write_text(text, encoding="utf-8")
    linecache.checkcache(str(path))
    names = {**PREAMBLE, "__name__": "kernel", "__file__": str(path), **names}
    with pytest.raises(NineToothedError) as caught:
        exec(compile(text, str(path), "exec"), names)
    return caught.value


def message(error: NineToothedError, folder: Path) -> str:
    """The class and the whole text of the error of a program that ran in ``folder``."""
    return f"{type(error).__name__}: {error}".replace(f"{folder}/", "")


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
