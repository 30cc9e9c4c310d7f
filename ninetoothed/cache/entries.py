"""What ``make`` and the first call of a signature found out, on disk for other processes.

A record is kept under the digest of all that the kernel depends on (see ``fingerprint``). Mistakes
are not kept: who makes them is told each time.
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
    """A kernel that was made, and so has no mistake that is found without a call.

    ``races``: the warnings of programs that write one element; None: element types decide.
    """

    races: tuple[str, ...] | None


class SignatureInfo(NamedTuple):
    """What is known of one signature: the parameters that may be written to, and the warnings."""

    written: frozenset[str]
    races: tuple[str, ...]


def load(key: str) -> CacheEntry | None:
    """The record of a kernel, or None."""
    return _loaded(key, _record)


def store(key: str, record: CacheEntry) -> None:
    """Keeps a record."""
    artifact_store.store_entry(key, json.dumps({"races": record.races}))


def load_signature_info(key: str, signature: Signature) -> SignatureInfo | None:
    """What is known of a signature, or None."""
    return _loaded(f"{key} {signature}", _signature_infos)


def store_signature_info(key: str, signature: Signature, signature_info: SignatureInfo) -> None:
    """Keeps what is known of a signature."""
    fields = {"written": sorted(signature_info.written), "races": signature_info.races}
    artifact_store.store_entry(f"{key} {signature}", json.dumps(fields))


def warn_of_races(texts: tuple[str, ...]) -> None:
    """Warns at the user's line."""
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


def _record(fields: dict[str, Any]) -> CacheEntry:
    races = fields["races"]
    return CacheEntry(None if races is None else tuple(races))


def _signature_infos(fields: dict[str, Any]) -> SignatureInfo:
    return SignatureInfo(frozenset(fields["written"]), tuple(fields["races"]))
