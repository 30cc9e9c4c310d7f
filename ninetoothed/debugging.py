"""What every program of an arrangement sees, as torch tensors.

    sources, targets = simulate_arrangement(arrangement, (Tensor(shape=(5,)), Tensor(shape=(5,))))

``pip install ninetoothed[debugging]`` installs what this module needs beside the package: torch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from ninetoothed.definition.simulation import simulate
from ninetoothed.errors import DependencyError, user_facing

if TYPE_CHECKING:
    import torch


@user_facing
def simulate_arrangement(
    arrangement: Callable[..., object],
    tensors: Iterable[object],
    device: torch.device | str | int | None = None,
) -> tuple[tuple[torch.Tensor, ...], tuple[torch.Tensor, ...]]:
    """Simulate an arrangement: number the elements of its tensors, and show every program's.

    Programs are numbered as they are launched: those of the first arranged tensor, row-major, and
    program p sees element p, row-major, of the outermost level of every tensor. No kernel is made,
    and no GPU is needed.

    Args:
        arrangement: What ``make`` takes.
        tensors: Symbolic tensors of concrete sizes (``Tensor(shape=(4, 8))``), and anything else
            that the arrangement takes. Block sizes are numbers, too.
        device: Where the returned tensors are; default: the CPU.

    Returns:
        Two tuples of int64 tensors, ``sources`` and ``targets``. A source is for each symbolic
        tensor that the arrangement takes and has its shape; its elements are their own row-major
        numbers. A target is for each tensor that the arrangement returns, and has the shape
        ``(programs, *inner)``, where ``inner`` are the sizes of all levels below the outermost,
        side by side. It holds the numbers of the elements that a program sees, and -1 where there
        is none: outside of the tensor, and for programs behind the last outermost element. All
        programs see a number, a tensor of no dims that is not arranged, as element 0.

    Raises:
        ArgumentError: ``tensors`` is not several objects, or holds tensors of data.
        ArrangementError: a size or a block size has no number; a tensor is jagged; or the
            arrangement is impossible.
        DependencyError: torch is not installed.
    """
    try:
        import torch
    except ModuleNotFoundError:
        raise DependencyError(
            "simulate_arrangement returns torch tensors, and torch is not installed; "
            "pip install ninetoothed[debugging]"
        ) from None

    found = simulate(arrangement, tensors)
    sources: list[torch.Tensor] = []
    for tensor in found.sources:
        shape = [int(size) for size in tensor.source.shape]
        sources.append(torch.arange(torch.Size(shape).numel(), device=device).reshape(shape))
    targets = [torch.from_numpy(target).to(device) for target in found.targets]
    return tuple(sources), tuple(targets)
