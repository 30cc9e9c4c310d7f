"""Calls that are described by a text: their tensors have types, sizes and strides, and no memory.

A call is written as ``x=fp16[4096, 4096], y=fp16[4096, 4096][1, 4096], eps=1e-6, BLOCK=64``: of a
tensor the element type, the sizes, and the strides where it is not contiguous, as torch prints
those of its graphs; and numbers.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ninetoothed import dtype as dtypes
from ninetoothed.errors import ArgumentError, did_you_mean

_NAME = re.compile(r"[^\W\d]\w*")
_TENSOR = re.compile(r"([\w.]+)\s*\[([^\[\]]*)\]\s*(?:\[([^\[\]]*)\])?")
# Commas between arguments: those inside of brackets are followed by a closing one first.
_COMMA = re.compile(r",(?![^\[\]]*\])")
_EXAMPLE = "as in x=fp16[4096, 4096], eps=1e-6"


@dataclass(frozen=True)
class _Device:
    """torch's device of tensors that stand for no data."""

    type: str = "meta"
    index: int | None = None


class DescribedTensor:
    """Tensor of a call that is only described: what binding a call reads of one. Its data would
    start at a multiple of 16 bytes.
    """

    requires_grad = False
    is_nested = False
    device = _Device()

    def __init__(self, dtype: str, shape: tuple[int, ...], strides: tuple[int, ...]) -> None:
        self.dtype = dtype
        self.shape = shape
        self._strides = strides

    def dim(self) -> int:
        """Number of dims."""
        return len(self.shape)

    def stride(self, dim: int | None = None) -> Any:
        """Strides in elements, or that of a dim."""
        return self._strides if dim is None else self._strides[dim]

    def numel(self) -> int:
        """Number of elements."""
        return math.prod(self.shape)

    def element_size(self) -> int:
        """Bytes of an element."""
        return max(dtypes.DTYPES[self.dtype].bits // 8, 1)

    def data_ptr(self) -> int:
        """Address of the first element: it has none."""
        return 0

    def is_neg(self) -> bool:
        """True for a view of numbers that torch negates: never."""
        return False


def described_call(text: str) -> dict[str, Any]:
    """The arguments of a call by name: described tensors, and numbers.

    Raises:
        ArgumentError: the text describes none.
    """
    found: dict[str, Any] = {}
    if not text.strip():
        raise ArgumentError(f"a call has arguments, {_EXAMPLE}")
    for part in _COMMA.split(text):
        name, equals, value = (one.strip() for one in part.partition("="))
        if not equals or not value or _NAME.fullmatch(name) is None:
            raise ArgumentError(
                f"{part.strip()!r} is no argument; write NAME=VALUE, with commas between them, "
                f"{_EXAMPLE}"
            )
        if name in found:
            raise ArgumentError(f"{name} is given twice")
        found[name] = _value(name, value)
    return found


def _value(name: str, text: str) -> Any:
    tensor = _TENSOR.fullmatch(text)
    if tensor is not None:
        return _tensor(name, *tensor.groups())
    if text in ("True", "False"):
        return text == "True"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    if dtypes.lookup(text) is not None:
        raise ArgumentError(
            f"{name}={text} has no sizes; write for example {name}={text}[4096, 4096], and "
            f"{name}={text}[] for a tensor of no dims"
        )
    raise ArgumentError(
        f"{name}={text} is neither a tensor, as fp16[4096, 4096], nor a number, as 64, 1e-6 or True"
    )


def _tensor(name: str, spelling: str, sizes: str, strides: str | None) -> DescribedTensor:
    dtype = dtypes.lookup(spelling.removeprefix("torch."))
    if dtype is None:
        near = did_you_mean(spelling, dtypes.DTYPES) or "write for example fp16 or fp32"
        raise ArgumentError(f"{name}: {spelling} is no element type; {near}")
    shape = tuple(_numbers(name, "sizes", sizes))
    if strides is None:
        return DescribedTensor(dtype, shape, contiguous(shape))
    found = tuple(_numbers(name, "strides", strides))
    if len(found) != len(shape):
        raise ArgumentError(
            f"{name} has {len(shape)} sizes and {len(found)} strides; give a stride for each size, "
            "or none for a contiguous tensor"
        )
    return DescribedTensor(dtype, shape, found)


def _numbers(name: str, what: str, text: str) -> Iterator[int]:
    for part in text.split(",") if text.strip() else ():
        if re.fullmatch(r"[0-9]{1,18}", part.strip()) is None:
            raise ArgumentError(
                f"{name}: [{text}] are no {what}; write integers with commas between them, as in "
                "[4096, 4096]"
            )
        yield int(part)


def contiguous(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Strides of a contiguous tensor, as torch gives them: a size of 0 counts as 1."""
    strides: list[int] = []
    stride = 1
    for size in reversed(shape):
        strides.append(stride)
        stride *= max(size, 1)
    return tuple(reversed(strides))
