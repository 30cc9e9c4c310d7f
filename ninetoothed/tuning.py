"""Export and import of tuning results as one file, so that production never tunes; and the same
choices on all ranks of a process group.

    ninetoothed.tuning.export("tuned.json")  # where kernels were tuned
    ninetoothed.tuning.load("tuned.json")    # where they are used, before their first calls

    ninetoothed.tuning.synchronize()                          # all ranks, after their first calls
    ninetoothed.tuning.synchronize(warm_up=lambda: model(x))  # or each rank timing a share

A result is for one kernel, its types and alignments, sizes alike, one GPU product, and one version
of ninetoothed and of Triton. It is taken with every setting of ``NINETOOTHED_TUNE``, ``off`` too.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ninetoothed.cache import artifact_store
from ninetoothed.errors import ArgumentError, DependencyError, shown, user_facing
from ninetoothed.runtime.tuning import results

if TYPE_CHECKING:
    from torch.distributed import ProcessGroup


def export(path: str | os.PathLike[str]) -> int:
    """Write all results of the cache folder to the file ``path``; returns their number.

    Raises:
        ConfigurationError: the file cannot be written, or others can write to the folder of
            ``NINETOOTHED_CACHE_DIR``.
    """
    artifact_store.check_folder()
    return results.export(Path(path))


def load(path: str | os.PathLike[str]) -> int:
    """Load the results of a file that :func:`export` wrote into the cache folder, replacing those
    that are there; returns their number.

    Raises:
        ConfigurationError: the file cannot be read, or is no such file; or others can write to the
            folder of ``NINETOOTHED_CACHE_DIR``. Nothing is loaded then.
    """
    artifact_store.check_folder()
    found = results.imported(Path(path))
    for result in found:
        results.store(result)
    return len(found)


@user_facing
def synchronize(
    group: ProcessGroup | None = None, warm_up: Callable[[], object] | None = None
) -> int:
    """Make all ranks of a process group use the same configurations, from their next calls on.

    A collective: all ranks of ``group`` call it, in the same order among their collectives, while
    no other thread of theirs calls kernels. It is the only function here that communicates: calls
    of kernels never do.

    Of each kernel and sizes alike, what any rank has chosen becomes the choice of all, also of
    those that have not called it: what was loaded from a file, else what ``full`` has timed, else
    what was timed, with the largest sizes, and the fastest; else the choice of the first rank that
    has one. It is kept in memory, and what was timed in each rank's cache folder. What is called
    for the first time later is chosen by each rank for itself, until the next ``synchronize``.

    Args:
        group: Default: all ranks. With NCCL each has its GPU (``torch.cuda.set_device``).
        warm_up: Makes the first calls, of kernels or of a model. Nothing is timed while it runs:
            its calls take known choices, or the model's. What is to be tuned is tuned afterwards
            by all ranks that have called it, each timing its share of the candidates. The tensors
            of these calls are held until then, and timed as they are then.

    Returns:
        The number of choices that the ranks have in common.

    Raises:
        ArgumentError: there is no such group, or this process is not of it.
        DependencyError: torch has no ``torch.distributed``.
        SynchronizationError: the ranks have other GPUs, versions or kernels than one another, or
            another rank has failed. No rank has changed its choices then.
        Exception: whatever has failed on this rank, of ``warm_up`` above all.
    """
    from ninetoothed.runtime import synchronization

    return synchronization.synchronize(_Group(group), warm_up)


class _Group:
    """A process group of torch's, ``place`` being this process's in it."""

    def __init__(self, group: Any) -> None:
        try:
            self._torch: Any = importlib.import_module("torch.distributed")
        except ImportError:
            self._torch = None
        if self._torch is None or not self._torch.is_available():
            raise DependencyError(
                "ninetoothed.tuning.synchronize needs torch.distributed, which this installation "
                "of torch does not have; install torch from pytorch.org"
            )
        if not self._torch.is_initialized():
            raise ArgumentError(
                "ninetoothed.tuning.synchronize needs a process group; call "
                "torch.distributed.init_process_group() before, in processes that torchrun starts"
            )
        self._group = group
        if group == self._torch.GroupMember.NON_GROUP_MEMBER:
            raise ArgumentError(
                "this process is not of the group; call ninetoothed.tuning.synchronize on the "
                "ranks of the group alone"
            )
        if not isinstance(group, self._torch.ProcessGroup | None):
            raise ArgumentError(
                f"group must be a process group or None, not {shown(group)}; a DeviceMesh has one "
                "for each dim, mesh.get_group(dim)"
            )
        self.ranks: list[int] = self._torch.get_process_group_ranks(group)
        self.place = int(self._torch.get_rank(group))

    def gather(self, message: object) -> list[Any]:
        """The messages of all ranks."""
        found: list[Any] = [None] * len(self.ranks)
        self._torch.all_gather_object(found, message, self._group)
        return found
