"""Export and import of tuning results as one file, so that production never tunes.

    ninetoothed.tuning.export("tuned.json")  # where kernels were tuned
    ninetoothed.tuning.load("tuned.json")    # where they are used, before their first calls

A result is for one kernel, its types and alignments, sizes alike, one GPU product, and one version
of ninetoothed and of Triton. It is taken with every setting of ``NINETOOTHED_TUNE``, ``off`` too.
"""

from __future__ import annotations

import os
from pathlib import Path

from ninetoothed.cache import artifact_store
from ninetoothed.runtime.tuning import results


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
