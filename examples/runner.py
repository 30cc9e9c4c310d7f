"""Runs an example as a script: on the best device, checked against torch in float64."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch


def best_device() -> str:
    """``"cuda"`` where torch finds a GPU, else ``"cpu"``."""
    return "cuda" if torch.cuda.is_available() else "cpu"


def run(
    function: Callable[..., torch.Tensor],
    reference: Callable[..., torch.Tensor],
    shapes: Sequence[tuple[int, ...]],
) -> None:
    """Call ``function`` on random tensors of ``shapes``; print its error against ``reference``."""
    device = best_device()
    dtype = torch.float16 if device == "cuda" else torch.float32
    tensors = [torch.randn(shape, dtype=dtype, device=device) for shape in shapes]
    result = function(*tensors).double()
    expected = reference(*(tensor.double() for tensor in tensors))
    error = ((result - expected).norm() / expected.norm()).item()
    sizes = ", ".join("×".join(map(str, shape)) for shape in shapes)
    print(f"{function.__name__} of {sizes}, {dtype}, on {device}: relative error {error:.1e}")
