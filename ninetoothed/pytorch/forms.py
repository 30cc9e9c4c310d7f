"""Forms of a kernel's calls: what is a tensor, what is a number, and what is written.

A kernel's operator has an overload for each form of calls. Its name says it, a letter an argument,
in order.

    r, w     a tensor that is read, or written
    j, k     a jagged tensor that is read, or written: its elements, offsets and longest length
    i, f, b  an integer, a float, a bool
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import torch

from ninetoothed.calls.numbers import member_value, shown_value
from ninetoothed.calls.sequences import Jagged, Offsets
from ninetoothed.dtype import number
from ninetoothed.errors import ArgumentError

_WRITTEN = {"r": "w", "j": "k"}
_TYPES = {
    "r": "Tensor {name}",
    "w": "Tensor({name}!) {name}",
    "j": "Tensor {name}, Tensor {name}_offsets, SymInt? {name}_longest",
    "k": "Tensor({name}!) {name}, Tensor {name}_offsets, SymInt? {name}_longest",
    "i": "SymInt {name}",
    "f": "float {name}",
    "b": "bool {name}",
}


class Form(NamedTuple):
    """Form of calls: the letters of the arguments, and their names."""

    letters: str
    names: tuple[str, ...]

    @property
    def schema(self) -> str:
        """Parameters and results of the operator, as torch writes them.

        ``same``: of each argument, the position of the first one that is the same tensor.
        """
        texts = [
            # torch takes no other letters than those of ASCII.
            _TYPES[letter].format(name=name if name.isascii() else f"argument{place}")
            for place, (letter, name) in enumerate(zip(self.letters, self.names, strict=True))
        ]
        return f"({', '.join([*texts, '*', 'int[]? same=None'])}) -> ()"

    @property
    def written(self) -> list[int]:
        """Positions of the arguments that are written."""
        return [place for place, letter in enumerate(self.letters) if letter in "wk"]


def letter_of(name: str, value: Any) -> str:
    """The letter of an argument, if it is only read.

    Raises:
        ArgumentError: it is neither a tensor nor a number.
    """
    if isinstance(value, Jagged):
        return "j"
    if isinstance(value, torch.Tensor):
        return "j" if value.is_nested else "r"
    value = member_value(value)
    if isinstance(value, bool):
        return "b"
    if isinstance(value, int | torch.SymInt):
        return "i"
    if isinstance(value, float | torch.SymFloat):
        return "f"
    value = number(value)
    if isinstance(value, bool | int | float):
        return letter_of(name, value)
    raise ArgumentError(f"{name} must be a tensor or a number, not {shown_value(value)}")


def letters_of_written(letters: str, names: Sequence[str], written: frozenset[str]) -> str:
    """The letters of arguments of which those with these names are written."""
    pairs = zip(letters, names, strict=True)
    return "".join(
        _WRITTEN.get(letter, letter) if name in written else letter for letter, name in pairs
    )


def parts(letters: str, values: Sequence[Any]) -> list[Any]:
    """A call's arguments as the operator takes them."""
    found: list[Any] = []
    for letter, value in zip(letters, values, strict=True):
        if letter == "r":
            found.append(value)
        elif letter != "j":
            found.append(number(member_value(value)))
        elif isinstance(value, Jagged):
            found += [value.elements, value.offsets.tensor, value.shape[value.jagged_dim]]
        else:
            cached = value._max_seqlen_tensor
            # It is kept as the size of a tensor, for which a symbol may stand.
            longest = None if cached is None else cached.shape[0]
            found += [value._values, value._offsets, longest]
    return found


def joined(
    letters: str, given: Sequence[Any], jagged_dims: Sequence[int | None]
) -> list[Any]:
    """A call's arguments, from those that the operator took."""
    remaining: Iterator[Any] = iter(given)
    values: list[Any] = []
    for letter, dim in zip(letters, jagged_dims, strict=True):
        value = next(remaining)
        if letter in "jk":
            assert dim is not None
            offsets, longest = next(remaining), next(remaining)
            value = Jagged(value, Offsets(offsets), dim, _longest(offsets, longest))
        values.append(value)
    return values


def _longest(offsets: torch.Tensor, longest: int | None) -> int:
    """The longest sequence's length; the device is asked for it where torch has not kept it."""
    if longest is not None:
        return longest
    return int(offsets.diff().max()) if len(offsets) > 1 else 0
