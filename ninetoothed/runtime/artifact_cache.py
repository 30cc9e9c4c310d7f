"""Artifacts and tuning results on disk, safe for several threads and processes.

One file an entry under ``config.cache_dir()``, in a room for each kind; ``sources/`` has the texts
that Triton reads from files. A file is written beside its place and moved there in one step,
and it carries its key and a digest; a file that is cut off, edited, or of another format counts as
absent. Where the disk takes no files, the process remembers the entries itself and says so once.

A read notes that the entry was used, once an hour at most. Writes hold the folder to
``config.cache_size()``: the first write of a process looks at the folder, and then one each time
that another sixteenth of the bound, or what is left of it, has been written. Each process counts
only its own bytes in between, so several may exceed the bound by as many sixteenths for a while.
``cache_folder`` says what goes.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import json
import os
import tempfile
import threading
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from ninetoothed import config
from ninetoothed.artifact import Artifact, Binary, Config, Space
from ninetoothed.runtime import cache_folder

_T = TypeVar("_T")

# To be raised with every change to the fields of Artifact or Config, or to the files below.
_FORMAT = 1

_lock = threading.Lock()
_memory: dict[str, str] = {}
_warned = False
# How much may be written before the folder is looked at again, by folder and bound.
_unseen: dict[tuple[Path, int], int] = {}


def write_atomically(path: Path, text: str) -> None:
    """Puts ``text`` at ``path`` so that no reader ever sees a part of it.

    Raises:
        OSError: the folder cannot be made or written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(
        prefix=cache_folder.TEMPORARY_PREFIX, suffix=path.suffix, dir=path.parent
    )
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def load(key: str) -> Artifact | None:
    """The artifact that was stored under ``key``, or None."""
    return _parsed("artifacts", key, Artifact.from_json)


def store(key: str, artifact: Artifact) -> None:
    """Keeps ``artifact`` under ``key``."""
    _write("artifacts", key, artifact.to_json())


def load_binary(key: str) -> Binary | None:
    """The binary that was stored under ``key``, or None."""
    return _parsed("binaries", key, Binary.from_json)


def store_binary(key: str, binary: Binary) -> None:
    """Keeps ``binary`` under ``key``."""
    _write("binaries", key, binary.to_json())


def load_space(key: str) -> Space | None:
    """The space that was stored under ``key``, or None."""
    return _parsed("spaces", key, Space.from_json)


def store_space(key: str, space: Space) -> None:
    """Keeps ``space`` under ``key``."""
    _write("spaces", key, space.to_json())


def load_choice(key: str) -> Config | None:
    """The configuration that tuning chose under ``key``, or None."""
    return _parsed("tuning", key, lambda text: Config.of(json.loads(text)))


def store_choice(key: str, choice: Config) -> None:
    """Keeps ``choice``, the result of tuning, under ``key``."""
    _write("tuning", key, json.dumps(dataclasses.asdict(choice), sort_keys=True))


def keep_source(name: str, text: str) -> Path:
    """A file ``name`` that holds ``text``, for Triton, which reads it back soon.

    Raises:
        OSError: the disk takes no files.
    """
    path = config.cache_dir() / "sources" / name
    # Eviction spares what has just been used.
    with contextlib.suppress(OSError, UnicodeDecodeError):
        if path.read_text(encoding="utf-8") == text:
            cache_folder.touch(path)
            return path
    write_atomically(path, text)
    _bound_folder(path, len(text.encode()))
    return path


def _path(room: str, key: str) -> Path:
    return config.cache_dir() / room / f"{_digest(key)}.json"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _parsed(room: str, key: str, parse: Callable[[str], _T]) -> _T | None:
    """The entry of a room, or None where there is none that this version can read."""
    text = _read(room, key)
    if text is None:
        return None
    try:
        return parse(text)
    except (ValueError, KeyError, TypeError):
        return None


def _read(room: str, key: str) -> str | None:
    path = _path(room, key)
    try:
        with path.open(encoding="utf-8") as file:
            used = os.fstat(file.fileno()).st_mtime
            entry = json.load(file)
        content = entry["content"]
        if (
            entry["format"] == _FORMAT
            and entry["key"] == key
            and isinstance(content, str)
            and entry["digest"] == _digest(content)
        ):
            cache_folder.refresh(path, used)
            return content
    # RecursionError: brackets nested without end are one of the ways in which a file can be broken.
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        pass
    with _lock:
        return _memory.get(str(path))


def _write(room: str, key: str, content: str) -> None:
    path = _path(room, key)
    entry = {"format": _FORMAT, "key": key, "digest": _digest(content), "content": content}
    text = json.dumps(entry, sort_keys=True)
    try:
        write_atomically(path, text)
    except OSError as error:
        with _lock:
            _memory[str(path)] = content
        _warn_once(error)
    else:
        _bound_folder(path, len(text))


def _bound_folder(written: Path, size: int) -> None:
    """Counts an entry of ``size`` bytes that was written, and looks at the folder if it is time."""
    folder, bound = config.cache_dir(), config.cache_size()
    with _lock:
        left = _unseen.get((folder, bound), 0) - size
        # One thread looks; what the others write meanwhile is counted on.
        _unseen[folder, bound] = left if left >= 0 else cache_folder.share(bound)
    if left >= 0:
        return
    left = cache_folder.trim(folder, bound, written)
    with _lock:
        _unseen[folder, bound] = left


def _warn_once(error: OSError) -> None:
    global _warned
    with _lock:
        if _warned:
            return
        _warned = True
    warnings.warn(
        f"compiled kernels are not kept on disk: {config.cache_dir()} cannot be written ({error}); "
        "set NINETOOTHED_CACHE_DIR to a folder that can",
        RuntimeWarning,
        stacklevel=4,
    )
