"""One class of calls that share a kernel."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class ParamSignature:
    """What compiled code may know of one argument.

    ``kind``: ``"tensor"``, ``"scalar"`` (passed by value) or ``"constexpr"`` (``value`` is baked
    in). ``unit_strides`` and the ``*_by_16`` flags have one entry per dim: the stride is 1; the
    size, or the stride, is a multiple of 16. ``pointer_by_16``: the data starts at a multiple of 16
    bytes. ``offsets``: of a jagged tensor, the type of where its sequences begin. ``repeated``:
    several of its indices are one place in memory. ``memory``: the first parameter whose memory
    it may share, if that is another.
    """

    name: str
    kind: str
    dtype: str
    ndim: int = 0
    unit_strides: tuple[bool, ...] = ()
    sizes_by_16: tuple[bool, ...] = ()
    strides_by_16: tuple[bool, ...] = ()
    pointer_by_16: bool = False
    value: bool | int | float | None = field(default=None, compare=False)
    offsets: str | None = None
    repeated: bool = False
    memory: str | None = None
    # Zeros of either sign are equal, and not the same.
    _value_text: str = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_value_text", repr(self.value))


@dataclass(frozen=True)
class Signature:
    """One class of calls that share a kernel.

    ``constants``: symbols that the call fixed (constexpr symbols and constexpr sizes). ``padded_sizes``:
    for each block size that only the call knows, its expression and the power of two it is rounded
    up to. ``index_bits``: 32 where every size, stride and offset fits 31 bits, else
    64.
    """

    params: tuple[ParamSignature, ...]
    constants: tuple[tuple[str, int], ...] = ()
    padded_sizes: tuple[tuple[str, int], ...] = ()
    index_bits: int = 32
