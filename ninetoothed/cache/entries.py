"""Cache entries of kernels and signature info of calls, on disk for other processes.

The key is the digest of all that the kernel depends on (see ``fingerprint``). Mistakes are not
stored: they are reported each time.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from ninetoothed.artifacts.signature import Signature
from ninetoothed.cache import artifact_store
from ninetoothed.errors import RaceWarning, caller_loc

_T = TypeVar("_T")


class CacheEntry(NamedTuple):
    """Cache entry of a kernel without mistakes that are found before a call.

    ``races``: the race warnings; None: they depend on element types.
    """

    races: tuple[str, ...] | None


class SignatureInfo(NamedTuple):
    """Signature info: the parameters that may be written to, and the warnings."""

    written: frozenset[str]
    races: tuple[str, ...]


def load(key: str) -> CacheEntry | None:
    """Load the cache entry of a kernel, or None."""
    return _loaded(key, _entry)


def store(key: str, entry: CacheEntry) -> None:
    """Store a cache entry."""
    artifact_store.store_entry(key, json.dumps({"races": entry.races}))


def load_signature_info(key: str, signature: Signature) -> SignatureInfo | None:
    """Load the info of a signature, or None."""
    return _loaded(f"{key} {signature}", _signature_info)


def store_signature_info(key: str, signature: Signature, info: SignatureInfo) -> None:
    """Store the info of a signature."""
    fields = {"written": sorted(info.written), "races": info.races}
    artifact_store.store_entry(f"{key} {signature}", json.dumps(fields))


def warn_of_races(texts: tuple[str, ...]) -> None:
    """Issue race warnings at the user's line."""
    place = caller_loc() if texts else None
    file, line = ("<unknown>", 0) if place is None else (place.file, place.line)
    for text in texts:
        warnings.warn_explicit(text, RaceWarning, file, line)


def _loaded(key: str, parse: Callable[[dict[str, Any]], _T]) -> _T | None:
    text = artifact_store.load_entry(key)
    if text is None:
        return None
    try:
        return parse(json.loads(text))
    except (ValueError, KeyError, TypeError):
        return None


def _entry(fields: dict[str, Any]) -> CacheEntry:
    races = fields["races"]
    return CacheEntry(None if races is None else tuple(races))


def _signature_info(fields: dict[str, Any]) -> SignatureInfo:
    return SignatureInfo(frozenset(fields["written"]), tuple(fields["races"]))
