"""Isolation of launches that are timed: they leave no trace in the caller's data.

What a kernel writes is replaced by copies of the same strides and alignment while it is timed.
Where memory does not suffice for them, the caller's own tensors are used, kept on the host
meanwhile, and put back. What is read as well as written starts from the caller's values in every
launch: values that drift could change the work.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator, Sequence
from typing import Any

from ninetoothed.calls.aliasing import alias_sets, is_tensor, span
from ninetoothed.calls.sequences import Jagged
from ninetoothed.runtime.launch import device
from ninetoothed.runtime.launch.loaded import Trial

# A copy starts where its original does, modulo this: the lines of the caches, and any vector
# access.
_ALIGNMENT = 256


class StuckError(Exception):
    """A launch did not end in time: the device takes no more work of this process."""

    def __init__(self, position: int) -> None:
        super().__init__(position)
        self.position = position


@contextlib.contextmanager
def isolated(
    trials: Sequence[Trial], values: tuple[Any, ...]
) -> Generator[tuple[tuple[Any, ...], Callable[[], None]], None, None]:
    """The values to launch with, and what is to be called before each launch.

    The values given are as they were when it is left, whatever the launches did to theirs.
    """
    # What is written of a jagged tensor is its elements.
    data = tuple(value.elements if isinstance(value, Jagged) else value for value in values)
    written = _tensors({name for trial in trials for name in trial.writes}, trials, data)
    read = _tensors({name for trial in trials for name in trial.reads}, trials, data)
    unstable = [
        position
        for position in written
        if any(_may_alias(data[position], data[other]) for other in read)
    ]
    originals = {position: _storage(data[position]) for position in written}
    copies = _device_copies(data, originals)
    if copies is not None:
        arguments = tuple(
            _replaced(value, copies[position]) if position in copies else value
            for position, value in enumerate(values)
        )

        def refill() -> None:
            for position in unstable:
                _copy(copies[position], originals[position])

        yield arguments, refill
        return

    saved = {position: original.to("cpu", copy=True) for position, original in originals.items()}

    def restore(positions: Sequence[int]) -> None:
        for position in positions:
            originals[position].copy_(saved[position])

    try:
        yield values, lambda: restore(unstable)
    except StuckError:
        # Whatever is asked of the device now would wait for ever.
        raise
    except BaseException:
        # After a lost context nothing can be put back, and the first error says why.
        with contextlib.suppress(RuntimeError):
            restore(written)
        raise
    restore(written)


def _replaced(value: Any, copy: Any) -> Any:
    """The argument with its elements in ``copy``."""
    return value.with_elements(copy) if isinstance(value, Jagged) else copy


def _tensors(names: set[str], trials: Sequence[Trial], values: tuple[Any, ...]) -> list[int]:
    """The positions of the tensors among ``names`` that have elements."""
    params = trials[0].params if trials else ()
    return [
        position
        for position, (name, value) in enumerate(zip(params, values, strict=True))
        if name in names and is_tensor(value) and value.numel() > 0
    ]


def _storage(tensor: Any) -> Any:
    """All memory from the first to the last element, as one dense vector."""
    strides = zip(tensor.shape, tensor.stride(), strict=True)
    count = 1 + sum((size - 1) * stride for size, stride in strides)
    return tensor.detach().as_strided((count,), (1,), tensor.storage_offset())


def _may_alias(first: Any, second: Any) -> bool:
    return alias_sets([span(first), span(second)]) == (0, 0)


def _device_copies(values: tuple[Any, ...], originals: dict[int, Any]) -> dict[int, Any] | None:
    """Copies of the tensors at these positions, or None where memory does not suffice."""
    if not originals:
        return {}
    needed = sum(
        original.numel() * original.element_size() + 2 * _ALIGNMENT
        for original in originals.values()
    )
    index = next(iter(originals.values())).device.index
    if needed > device.free_memory(0 if index is None else int(index)):
        return None
    try:
        return {
            position: _device_copy(values[position], original)
            for position, original in originals.items()
        }
    except device.module().OutOfMemoryError:
        return None


def _device_copy(tensor: Any, original: Any) -> Any:
    """A copy with the strides and the alignment of ``tensor``, whose memory is ``original``."""
    size = tensor.element_size()
    spare = _ALIGNMENT // size
    room = original.new_empty(original.numel() + spare)
    skip = (tensor.data_ptr() - room.data_ptr()) % _ALIGNMENT // size
    copy = room.as_strided(tuple(tensor.shape), tuple(tensor.stride()), skip)
    _copy(copy, original)
    return copy


def _copy(copy: Any, original: Any) -> None:
    _storage(copy).copy_(original)
