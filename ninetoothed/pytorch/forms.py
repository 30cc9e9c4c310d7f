"""Forms of a kernel's calls: what is a tensor, what is a number, and what is written.

A kernel's operator has an overload for each form of calls. Its name says it, a letter an argument,
in order; behind them ``waits`` where a call waits for the device; and where arguments are one
tensor, the position of the first one that each is, as in ``rrw_0_0_2``.

    r, w     a tensor that is read, or written
    j, k     a jagged tensor that is read, or written: its elements, offsets and longest length
    i, f, b  an integer, a float, a bool
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ninetoothed.calls.sequences import Jagged, Offsets

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
    """Form of calls: of each argument the letter, the name, the dim that is jagged, and the
    position of the first one that is the same tensor, mostly its own; and how many tensors are
    returned. ``waits``: the host waits for the device, which a CUDA graph cannot hold.
    """

    letters: str
    names: tuple[str, ...]
    jagged_dims: tuple[int | None, ...]
    same: tuple[int, ...]
    results: int = 0
    waits: bool = False

    def with_written(self, written: frozenset[str]) -> Form:
        """The form of calls that write the arguments of these names."""
        pairs = zip(self.names, self.same, strict=True)
        # What is one tensor is written as a whole.
        places = {first for name, first in pairs if name in written}
        letters = [
            _WRITTEN.get(letter, letter) if first in places else letter
            for letter, first in zip(self.letters, self.same, strict=True)
        ]
        return self._replace(letters="".join(letters))

    @property
    def overload(self) -> str:
        """The name of the overload."""
        kind = f"{self.letters}_waits" if self.waits else self.letters
        if self.same == tuple(range(len(self.same))):
            return kind
        return "_".join([kind, *map(str, self.same)])

    @property
    def tensors(self) -> list[int]:
        """Positions of the arguments that are tensors, each tensor once."""
        places = enumerate(zip(self.letters, self.same, strict=True))
        return [place for place, (letter, first) in places if letter in "rwjk" and place == first]

    @property
    def written(self) -> set[int]:
        """Of those, the ones that are written."""
        pairs = zip(self.letters, self.same, strict=True)
        return {first for letter, first in pairs if letter in "wk"}

    @property
    def schema(self) -> str:
        """Parameters and results of the operator, as torch writes them."""
        texts = [
            # torch takes no other letters than those of ASCII.
            _TYPES[letter].format(name=name if name.isascii() else f"argument{place}")
            for place, (letter, name) in enumerate(zip(self.letters, self.names, strict=True))
        ]
        return f"({', '.join(texts)}) -> {returned(self.results)}"

    def joined(self, given: Sequence[Any], longest_of: Callable[[Any], int]) -> list[Any]:
        """A call's arguments, from those of its operator; ``longest_of`` finds the longest length
        in offsets, where it is not given.
        """
        remaining = iter(given)
        values: list[Any] = []
        for letter, dim in zip(self.letters, self.jagged_dims, strict=True):
            value = next(remaining)
            if letter in "jk":
                assert dim is not None
                offsets, longest = next(remaining), next(remaining)
                longest = longest_of(offsets) if longest is None else longest
                value = Jagged(value, Offsets(offsets), dim, longest)
            values.append(value)
        return values


def returned(count: int) -> str:
    """The results of an operator, so many tensors, as torch writes them."""
    texts = ", ".join(["Tensor"] * count)
    return texts if count == 1 else f"({texts})"
