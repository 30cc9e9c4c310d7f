"""Where compiled kernels and results of tuning are kept.

>>> from ninetoothed.generation import CACHE_DIR

``python -m ninetoothed cache info`` says what the folder holds.
"""

from __future__ import annotations

from pathlib import Path

from ninetoothed import config

CACHE_DIR: Path
"""The cache folder: ``NINETOOTHED_CACHE_DIR``, by default ``~/.cache/ninetoothed``.

The setting is read whenever the name is looked up. The folder is created when something is stored.
"""


def __getattr__(name: str) -> Path:
    if name == "CACHE_DIR":
        return config.cache_dir()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
