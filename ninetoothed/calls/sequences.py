"""Jagged tensors at a launch: concatenated sequences of different lengths.

``bind`` converts a ``torch.nested`` tensor to a :class:`Jagged`, which has the part of a tensor's
interface that a launch uses: sizes (of the jagged dim, the longest sequence's), strides, a pointer.
"""

from __future__ import annotations

from typing import Any

from ninetoothed.errors import ArgumentError, DeviceError

_OFFSETS = {"torch.int32": "i32", "torch.int64": "i64"}


class Offsets:
    """Start of each sequence, and the end of the last one.

    Two are equal where their sequences have equal lengths at equal places. Comparing the contents
    of two tensors waits for the device; tensors that share their offsets do without.

    Raises:
        DeviceError: they are to be compared while a CUDA graph is captured.
    """

    __slots__ = ("tensor",)

    def __init__(self, tensor: Any) -> None:
        self.tensor = tensor if tensor.stride(0) == 1 else tensor.contiguous()

    def data_ptr(self) -> int:
        """Address of the first offset."""
        return self.tensor.data_ptr()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Offsets):
            return NotImplemented
        one, two = self.tensor, other.tensor
        if one is two or (one.data_ptr() == two.data_ptr() and one.dtype == two.dtype):
            return one.shape == two.shape
        if one.shape != two.shape:
            return False
        _check_may_wait(
            one,
            "two jagged tensors have offsets of their own, and to compare them",
            "give all jagged tensors of the call one offsets tensor",
        )
        return bool((one == two).all())

    __hash__ = None  # pyright: ignore[reportAssignmentType]


class Jagged:
    """Jagged tensor: a batch of sequences, ``elements``, without the dim of the batch.

    ``shape`` has the batch first, and the longest sequence's length at ``jagged_dim``. The batch
    has no stride: ``offsets`` has the start of each sequence. ``nested``: the tensor that was taken
    apart, if one was.
    """

    __slots__ = ("elements", "jagged_dim", "nested", "offsets", "shape")

    def __init__(
        self, elements: Any, offsets: Offsets, jagged_dim: int, longest: int, nested: Any = None
    ) -> None:
        self.nested = nested
        self.elements = elements
        self.offsets = offsets
        self.jagged_dim = jagged_dim
        sizes = list(elements.shape)
        sizes[jagged_dim - 1] = longest
        self.shape: tuple[int, ...] = (offsets.tensor.shape[0] - 1, *sizes)

    def with_elements(self, elements: Any) -> Jagged:
        """The same sequences with other elements."""
        longest = self.shape[self.jagged_dim]
        return Jagged(elements, self.offsets, self.jagged_dim, longest)

    @property
    def dtype(self) -> Any:
        """The elements' torch dtype."""
        return self.elements.dtype

    @property
    def device(self) -> Any:
        """The elements' device."""
        return self.elements.device

    @property
    def offsets_dtype(self) -> str:
        """The offsets' element type."""
        return _OFFSETS[str(self.offsets.tensor.dtype)]

    def dim(self) -> int:
        """The number of dims."""
        return len(self.shape)

    def numel(self) -> int:
        """The number of elements, of all sequences together."""
        return self.elements.numel()

    def stride(self, dim: int | None = None) -> Any:
        """The strides, 0 for the batch."""
        if dim is None:
            return (0, *self.elements.stride())
        return self.elements.stride(dim - 1) if dim else 0

    def data_ptr(self) -> int:
        """Address of the first element."""
        return self.elements.data_ptr()


def elements_of(value: Any) -> Any:
    """The tensor that holds the elements of a bound argument."""
    return value.elements if isinstance(value, Jagged) else value


def is_nested(value: Any) -> bool:
    """True if ``value`` is a ``torch.nested`` tensor, of any layout."""
    return bool(getattr(value, "is_nested", False))


def taken_apart(name: str, ndim: int, jagged_dim: int, value: Any) -> Jagged:
    """Convert the nested tensor of parameter ``name``, declared jagged, to a :class:`Jagged`.

    Raises:
        ArgumentError: it is no nested tensor that is jagged along ``jagged_dim``.
        DeviceError: its longest length is unknown, and a CUDA graph is captured.
    """
    check_jagged(name, ndim, jagged_dim, value)
    offsets = value._offsets
    longest = 0
    # torch caches the longest length; without sequences it has none.
    if offsets.shape[0] > 1:
        if value._max_seqlen_tensor is None:
            _check_may_wait(
                offsets,
                f"torch does not know the longest length of {name}, and to look for it",
                "make it with max_seqlen=",
            )
        longest = int(value._get_max_seqlen())
    return Jagged(value._values.detach(), Offsets(offsets), jagged_dim, longest, value)


def _check_may_wait(tensor: Any, what: str, remedy: str) -> None:
    """Refuse what waits for the device of ``tensor`` while a CUDA graph is captured.

    torch would refuse it, too, but the capture would be lost, and its random numbers with it.
    """
    import torch

    accelerator = torch.accelerator.current_accelerator()
    if accelerator is None or tensor.device.type != accelerator.type:
        return
    if torch.get_device_module(accelerator).is_current_stream_capturing():
        raise DeviceError(
            f"{what} is to wait for the device, which nothing may do while a CUDA graph is "
            f"captured; {remedy}"
        )


def check_jagged(name: str, ndim: int, jagged_dim: int, value: Any) -> None:
    """Check that an argument for parameter ``name`` is a nested tensor as it is declared.

    Raises:
        ArgumentError: it is no nested tensor that is jagged along ``jagged_dim``.
    """
    wanted = f"{name} must be a nested tensor that is jagged along dim {jagged_dim}"
    moved = "" if jagged_dim == 1 else f".transpose(1, {jagged_dim})"
    if not is_nested(value):
        raise ArgumentError(
            f"{wanted}, not a dense tensor of shape {tuple(value.shape)}; convert it with "
            f"torch.nested.as_nested_tensor({name}{moved}, layout=torch.jagged){moved}, or leave "
            "jagged_dim out"
        )
    if str(value.layout) != "torch.jagged":
        raise ArgumentError(
            f"{wanted}, and its layout is {value.layout}; convert it with "
            f"torch.nested.as_nested_tensor({name}{moved}.unbind(), layout=torch.jagged){moved}"
        )
    if value.dim() != ndim:
        raise ArgumentError(f"{name} must have {ndim} dims, but it has {value.dim()}")
    ragged = value._ragged_idx
    if ragged != jagged_dim:
        raise ArgumentError(
            f"{wanted}, and it is jagged along dim {ragged}; pass "
            f"{name}.transpose({min(ragged, jagged_dim)}, {max(ragged, jagged_dim)})"
        )
    if value._lengths is not None:
        raise ArgumentError(
            f"{name} has gaps between its sequences, as torch.nested.narrow leaves them; pass "
            f"{name}.contiguous()"
        )
    offsets = value._offsets
    if str(offsets.dtype) not in _OFFSETS:
        raise ArgumentError(
            f"the offsets of {name} are of {offsets.dtype}; make them torch.int32 or torch.int64"
        )
