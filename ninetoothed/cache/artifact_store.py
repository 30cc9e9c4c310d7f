"""On-disk store of artifacts, binaries, spaces and tuning results, safe for threads and processes.

One file an entry under ``config.cache_dir()``, in a folder for each kind; ``sources/`` has those
that Triton reads. A file is written atomically, with its key and a digest; one that is cut off,
edited, or of another format counts as absent. Where the disk takes no files, the process keeps the
entries in memory and warns once; and silently where this package's files have changed since it was
imported, so that modules of two versions may have made an entry.

A read notes that the entry was used, once an hour at most. Writes keep the folder within
``config.cache_size()`` (see ``eviction``). What is not there is looked for in a second folder,
which is only read (see ``read_only``).

An entry is code that is run: it counts only where nobody but this user and root could have written
it (see ``folder``). A cache folder that others can write is not used, as one that takes no files.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import threading
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from ninetoothed import config
from ninetoothed.artifacts.artifact import Artifact, Binary
from ninetoothed.artifacts.configuration import Space
from ninetoothed.cache import eviction
from ninetoothed.cache.atomic import write_in
from ninetoothed.cache.folder import UnsafeFolderError, check, opened, read
from ninetoothed.errors import ConfigurationError
from ninetoothed.version import is_as_imported

if TYPE_CHECKING:
    from ninetoothed.cache.read_only import ReadOnlyFolder

_T = TypeVar("_T")

# Raise it with every change to the stored fields or to the files.
_FORMAT = 5

_lock = threading.Lock()
_memory: dict[str, str] = {}
_warned = False


def check_folder() -> None:
    """Check that nobody else can change the cache, before anything is expected of it.

    The default folder is done without where they can, with a warning; so is the second folder,
    whatever is wrong with it.

    Raises:
        ConfigurationError: they can, and the user has named the folder.
    """
    try:
        check(config.cache_dir(), eviction.KINDS)
    except UnsafeFolderError as error:
        if config.names_cache_dir():
            raise ConfigurationError(str(error)) from None
        _warn_once(error)
    except OSError:
        # It is not there yet; or the first write warns.
        pass
    _second()


def check_writable() -> None:
    """Check that the folder takes entries, where nothing but that is wanted of it.

    Raises:
        ConfigurationError: it does not.
    """
    folder, name = config.cache_dir(), f"{eviction.TEMPORARY_PREFIX}check.json"
    try:
        for kind in eviction.KINDS:
            with opened(folder, kind, make=True) as room:
                write_in(room, name, "")
                # Another process that checks may be quicker.
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(name, dir_fd=room)
    except UnsafeFolderError as error:
        raise ConfigurationError(str(error)) from None
    except OSError as error:
        raise ConfigurationError(f"{folder} cannot be written ({error})") from None


def load(key: str) -> Artifact | None:
    """Load the artifact of ``key``, or None."""
    return _parsed("artifacts", key, Artifact.from_json)


def store(key: str, artifact: Artifact) -> None:
    """Store ``artifact`` under ``key``."""
    _write("artifacts", key, artifact.to_json())


def load_binary(key: str) -> Binary | None:
    """Load the binary of ``key``, or None."""
    return _parsed("binaries", key, Binary.from_json)


def store_binary(key: str, binary: Binary) -> None:
    """Store ``binary`` under ``key``."""
    _write("binaries", key, binary.to_json())


def load_space(key: str) -> Space | None:
    """Load the space of ``key``, or None."""
    return _parsed("spaces", key, Space.from_json)


def store_space(key: str, space: Space) -> None:
    """Store ``space`` under ``key``."""
    _write("spaces", key, space.to_json())


def load_entry(key: str) -> str | None:
    """Load the text of a kernel's cache entry, or None."""
    return _read("kernels", key)


def store_entry(key: str, text: str) -> None:
    """Store ``text``, a kernel's cache entry, under ``key``."""
    _write("kernels", key, text)


def load_result(group: str, member: str) -> str | None:
    """Load the result of ``member`` of a group of tuning results, or None."""
    return _read("tuning", json.dumps([group, member]), _result_name(group, member))


def store_result(group: str, member: str, text: str) -> None:
    """Store ``text`` for ``member`` of a group of tuning results."""
    _write("tuning", json.dumps([group, member]), text, _result_name(group, member))


def result_names(group: str | None = None) -> list[str]:
    """File names of a group's members, or of all groups'. A name stands for one member of one
    group, whatever the folder.
    """
    start = "" if group is None else _digest(group)[:32]
    folder = config.cache_dir()
    with _lock:
        names = {path.name for path in map(Path, _memory) if path.parent == folder / "tuning"}
    # A folder that cannot be read has none.
    with contextlib.suppress(OSError), opened(folder, "tuning") as room:
        names.update(os.listdir(room))
    second = _second()
    if second is not None:
        with contextlib.suppress(OSError), second.room("tuning") as room:
            names.update(os.listdir(room))
    return sorted(
        name for name in names if name.startswith(start) and re.fullmatch(r"\w+\.json", name)
    )


def named_result(name: str) -> str | None:
    """Load the result of one of the :func:`result_names`."""
    return _content("tuning", name, None)


def _result_name(group: str, member: str) -> str:
    """File name of a result; those of one group have a common prefix."""
    return f"{_digest(group)[:32]}{_digest(member)[:32]}.json"


def keep_source(name: str, text: str) -> Path:
    """Write a source file ``name`` for Triton, which reads it back soon.

    Raises:
        OSError: the disk takes no files.
    """
    folder = config.cache_dir()
    with opened(folder, "sources", make=True) as room:
        # Eviction spares what has just been used.
        with contextlib.suppress(OSError, UnicodeDecodeError):
            if read(room, name)[0] == text:
                eviction.touch(room, name)
                return folder / "sources" / name
        write_in(room, name, text)
    path = folder / "sources" / name
    eviction.hold(folder, config.cache_size(), path, len(text.encode()))
    return path


def _name(key: str) -> str:
    return f"{_digest(key)}.json"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _parsed(kind: str, key: str, parse: Callable[[str], _T]) -> _T | None:
    """Load and parse an entry; None where there is none that this version can read."""
    text = _read(kind, key)
    if text is None:
        return None
    try:
        return parse(text)
    except (ValueError, KeyError, TypeError):
        return None


def _read(kind: str, key: str, name: str | None = None) -> str | None:
    return _content(kind, name or _name(key), key)


def _content(kind: str, name: str, key: str | None) -> str | None:
    """Content of a file for ``key``, or for any key; None where it is not whole."""
    folder = config.cache_dir()
    with contextlib.suppress(OSError), opened(folder, kind) as room:
        found = _whole(room, name, key)
        if found is not None:
            content, used = found
            eviction.refresh(room, name, used)
            return content
    with _lock:
        kept = _memory.get(str(folder / kind / name))
    second = _second() if kept is None else None
    if second is None:
        return kept
    with contextlib.suppress(OSError), second.room(kind) as room:
        found = _whole(room, name, key)
        return None if found is None else found[0]
    return None


def _second() -> ReadOnlyFolder | None:
    """The folder that is only read; None where there is none, as mostly, and nothing is loaded."""
    path = config.cache_read_only_dir()
    if path is None:
        return None
    from ninetoothed.cache.read_only import ReadOnlyFolder

    return ReadOnlyFolder.of(path)


def _whole(room: int, name: str, key: str | None) -> tuple[str, float] | None:
    """Content of a file of a room, and when it was used; None where it is not whole.

    Raises:
        OSError: it is not there, is not safe, or cannot be read.
    """
    # RecursionError: a broken file may have deeply nested brackets.
    with contextlib.suppress(ValueError, KeyError, TypeError, RecursionError):
        text, status = read(room, name)
        entry = json.loads(text)
        content = entry["content"]
        if (
            entry["format"] == _FORMAT
            and (key is None or entry["key"] == key)
            and isinstance(content, str)
            and entry["digest"] == _digest(content)
        ):
            return content, status.st_mtime
    return None


def _write(kind: str, key: str, content: str, name: str | None = None) -> None:
    folder, name = config.cache_dir(), name or _name(key)
    entry = {"format": _FORMAT, "key": key, "digest": _digest(content), "content": content}
    text = json.dumps(entry, sort_keys=True)
    if not is_as_imported():
        # What was imported since may be of the other version.
        with _lock:
            _memory[str(folder / kind / name)] = content
        return
    try:
        with opened(folder, kind, make=True) as room:
            write_in(room, name, text)
    except OSError as error:
        with _lock:
            _memory[str(folder / kind / name)] = content
        _warn_once(error)
    else:
        eviction.hold(folder, config.cache_size(), folder / kind / name, len(text))


def _warn_once(error: OSError) -> None:
    global _warned
    with _lock:
        if _warned:
            return
        _warned = True
    reason = (
        str(error)
        if isinstance(error, UnsafeFolderError)
        else f"{config.cache_dir()} cannot be written ({error}); set NINETOOTHED_CACHE_DIR to a "
        "folder that can"
    )
    warnings.warn(
        f"compiled kernels are not kept on disk: {reason}",
        RuntimeWarning,
        stacklevel=4,
    )


def _renew_lock() -> None:
    global _lock
    _lock = threading.Lock()


# In the parent, a thread that a forked process lacks may have held it.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_lock)
