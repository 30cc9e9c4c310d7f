"""Cache entries of kernels and signature info of calls, on disk for other processes.

The key is the digest of all that the kernel depends on (see ``fingerprint``). Mistakes are not
stored: they are reported each time.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import asdict, replace
from typing import Any, NamedTuple, TypeVar

from ninetoothed import errors
from ninetoothed.artifacts.signature import Signature
from ninetoothed.cache import artifact_store
from ninetoothed.errors import Loc, NineToothedWarning

_T = TypeVar("_T")

EqualSizes = tuple[tuple[str, str], ...]
"""Pairs of names of sizes."""


class CacheEntry(NamedTuple):
    """Cache entry of a kernel without mistakes that are found before a call.

    ``warnings`` are those that do not depend on a call. ``has_races``: the races are among them;
    else they depend on element types. ``equal_sizes``: names of sizes that are equal in every call,
    with assumed element types and constants; None where constants cannot be assumed. ``scales``:
    the numbers that compiled code gains by where they are moderate; None as before.
    """

    warnings: tuple[NineToothedWarning, ...]
    has_races: bool
    equal_sizes: EqualSizes | None = ()
    scales: tuple[str, ...] | None = ()


class SignatureInfo(NamedTuple):
    """Signature info: the parameters that may be written to, the warnings, and the parameters that
    are written to with some block sizes, or None where nobody asked for them yet.
    """

    written: frozenset[str]
    warnings: tuple[NineToothedWarning, ...]
    stored: frozenset[str] | None = None


class OutputFacts(NamedTuple):
    """What is known of outputs: names of the parameters that are written, of those of which every
    element is written and none is read, and of sizes that are equal in every call.
    """

    written: frozenset[str]
    full: frozenset[str]
    equal_sizes: EqualSizes


def load(key: str) -> CacheEntry | None:
    """Load the cache entry of a kernel, or None."""
    return _loaded(key, _entry)


def store(key: str, entry: CacheEntry) -> None:
    """Store a cache entry."""
    fields = {**entry._asdict(), "warnings": _fields(entry.warnings)}
    artifact_store.store_entry(key, json.dumps(fields))


def load_signature_info(key: str, signature: Signature) -> SignatureInfo | None:
    """Load the info of a signature, or None."""
    return _loaded(f"{key} {signature}", _signature_info)


def store_signature_info(key: str, signature: Signature, info: SignatureInfo) -> None:
    """Store the info of a signature."""
    fields = {
        "written": sorted(info.written),
        "warnings": _fields(info.warnings),
        "stored": None if info.stored is None else sorted(info.stored),
    }
    artifact_store.store_entry(f"{key} {signature}", json.dumps(fields))


def load_output_facts(key: str) -> OutputFacts | None:
    """Load what is known of outputs, or None."""
    return _loaded(key, _output_facts)


def store_output_facts(key: str, facts: OutputFacts) -> None:
    """Store what is known of outputs."""
    fields = [sorted(facts.written), sorted(facts.full), facts.equal_sizes]
    artifact_store.store_entry(key, json.dumps(fields))


def _output_facts(fields: Any) -> OutputFacts:
    written, full, equal_sizes = fields
    return OutputFacts(frozenset(written), frozenset(full), _equal_sizes(equal_sizes))


def _equal_sizes(rows: list[list[str]]) -> EqualSizes:
    return tuple((one, other) for one, other in rows)


def _loaded(key: str, parse: Callable[[Any], _T]) -> _T | None:
    text = artifact_store.load_entry(key)
    if text is None:
        return None
    try:
        return parse(json.loads(text))
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def _fields(warnings: Iterable[NineToothedWarning]) -> list[dict[str, Any]]:
    return [
        {
            "category": type(one).__name__,
            "message": one.message,
            "loc": None if one.loc is None else asdict(one.loc),
        }
        for one in warnings
    ]


def _warnings(rows: list[dict[str, Any]]) -> tuple[NineToothedWarning, ...]:
    return tuple(_category(row["category"])(row["message"], _loc(row["loc"])) for row in rows)


def _category(name: str) -> type[NineToothedWarning]:
    """The warning of that name, and nothing else that the module has."""
    found = getattr(errors, name)
    if not (isinstance(found, type) and issubclass(found, NineToothedWarning)):
        raise TypeError(f"{name} is no warning")
    return found


def _loc(fields: dict[str, Any] | None) -> Loc | None:
    if fields is None:
        return None
    return replace(Loc(**fields), caller=_loc(fields["caller"]))


def _entry(fields: dict[str, Any]) -> CacheEntry:
    rows = fields["equal_sizes"]
    equal_sizes = None if rows is None else _equal_sizes(rows)
    names = fields["scales"]
    scales = None if names is None else tuple(map(str, names))
    return CacheEntry(_warnings(fields["warnings"]), bool(fields["has_races"]), equal_sizes, scales)


def _signature_info(fields: dict[str, Any]) -> SignatureInfo:
    written, stored = frozenset(fields["written"]), fields["stored"]
    stored = None if stored is None else frozenset(stored)
    return SignatureInfo(written, _warnings(fields["warnings"]), stored)
