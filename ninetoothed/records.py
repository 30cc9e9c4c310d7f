"""What ``make`` and the first call of a signature found out, on disk for other processes.

A record is kept under the digest of all that the kernel depends on (see ``fingerprint``). Mistakes
are not kept: who makes them is told each time.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from ninetoothed.artifact import Signature
from ninetoothed.errors import RaceWarning, caller_loc
from ninetoothed.runtime import artifact_cache

_T = TypeVar("_T")


class Record(NamedTuple):
    """A kernel that was made, and so has no mistake that is found without a call.

    ``races``: the warnings of programs that write one element; None: element types decide.
    """

    races: tuple[str, ...] | None


class Facts(NamedTuple):
    """What is known of one signature: the parameters that may be written to, and the warnings."""

    written: frozenset[str]
    races: tuple[str, ...]


def load(key: str) -> Record | None:
    """The record of a kernel, or None."""
    return _loaded(key, _record)


def store(key: str, record: Record) -> None:
    """Keeps a record."""
    artifact_cache.store_record(key, json.dumps({"races": record.races}))


def load_facts(key: str, signature: Signature) -> Facts | None:
    """What is known of a signature, or None."""
    return _loaded(f"{key} {signature}", _facts)


def store_facts(key: str, signature: Signature, facts: Facts) -> None:
    """Keeps what is known of a signature."""
    fields = {"written": sorted(facts.written), "races": facts.races}
    artifact_cache.store_record(f"{key} {signature}", json.dumps(fields))


def warn_of_races(texts: tuple[str, ...]) -> None:
    """Warns at the user's line."""
    place = caller_loc() if texts else None
    file, line = ("<unknown>", 0) if place is None else (place.file, place.line)
    for text in texts:
        warnings.warn_explicit(text, RaceWarning, file, line)


def _loaded(key: str, parse: Callable[[dict[str, Any]], _T]) -> _T | None:
    text = artifact_cache.load_record(key)
    if text is None:
        return None
    try:
        return parse(json.loads(text))
    except (ValueError, KeyError, TypeError):
        return None


def _record(fields: dict[str, Any]) -> Record:
    races = fields["races"]
    return Record(None if races is None else tuple(races))


def _facts(fields: dict[str, Any]) -> Facts:
    return Facts(frozenset(fields["written"]), tuple(fields["races"]))
