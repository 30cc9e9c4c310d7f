"""Source files of modules of other packages, which are part of the keys of what they compile.

They are found without importing anything, so that a warm start need not load a pass to know that it
is the same as before.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec

from ninetoothed.version import Files, files_of, watch

_MOST_BYTES = 4 << 20
"""A package of more is told by the sizes and times of its files, as reading them takes longer."""


def source_digest(module: str) -> str | None:
    """Digest of the source of a module, and of the whole package that it is of.

    None where there is no file, as for what is typed into an interpreter.
    """
    root = package_of(module)
    if root is None:
        return None
    try:
        files = files_of(root)
        digest = _digest(root, files)
    except OSError:
        return None
    watch(root, files)
    return digest


def _digest(root: str, files: Files) -> str:
    digest = hashlib.sha256()
    folder = os.path.dirname(root)
    is_small = sum(size for _, size, _ in files) <= _MOST_BYTES
    for path, size, time in files:
        digest.update(f"{os.path.relpath(path, folder)} {size} ".encode())
        if is_small:
            with open(path, "rb") as file:
                digest.update(file.read())
        else:
            digest.update(f"{time} ".encode())
    return digest.hexdigest()


def package_of(module: str) -> str | None:
    """The folder of the outermost package that a module is of, which has a file of its own; of a
    module of none, its file; None where there is neither.
    """
    loaded = sys.modules.get(module)
    spec = getattr(loaded, "__spec__", None)
    if loaded is not None:
        file = getattr(loaded, "__file__", None)
        if spec is None or not _is_found(spec.name):
            # A script, or a file that was loaded by its path.
            return file if isinstance(file, str) and os.path.isfile(file) else None
        module = spec.name
    path: Sequence[str] | None = None
    parts = module.split(".")
    for count in range(1, len(parts) + 1):
        spec = _spec(".".join(parts[:count]), path)
        if spec is None:
            return None
        path = spec.submodule_search_locations
        if path is not None and spec.has_location and spec.origin is not None:
            return os.path.dirname(spec.origin)
    assert spec is not None
    return spec.origin if spec.has_location else None


def _is_found(name: str) -> bool:
    """True if the module is one by itself, or of a package that was imported."""
    return "." not in name or name.partition(".")[0] in sys.modules


def _spec(name: str, path: Sequence[str] | None) -> ModuleSpec | None:
    """The specification of a module. ``importlib.util.find_spec`` imports the packages around."""
    known = sys.modules.get(name)
    if known is not None and known.__spec__ is not None:
        return known.__spec__
    found = (finder.find_spec(name, path) for finder in sys.meta_path)
    return next((spec for spec in found if spec is not None), None)
