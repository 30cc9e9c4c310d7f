"""Tuning results by kernel, device and bucket of sizes: on disk, and as an exported file.

A *bucket* holds the calls whose sizes are alike: each size is rounded on a logarithmic scale, so
that a new shape rarely means anything new. A result is found again by its :func:`key`, which holds
no path and no source text: the same kernel of another checkout or machine has the same key. A key
that is the same for two kernels by chance costs speed, never correctness, since a result only
names one of the configurations that a kernel has anyway.

Each result is a file of its own. So two processes that tune at once lose nothing of each other's,
without a lock.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ninetoothed import config as settings
from ninetoothed.artifacts.configuration import Config, Space
from ninetoothed.artifacts.signature import Signature
from ninetoothed.artifacts.target import Target
from ninetoothed.cache import artifact_store
from ninetoothed.cache.atomic import write_atomically
from ninetoothed.calls.aliasing import is_tensor
from ninetoothed.errors import ConfigurationError
from ninetoothed.version import __version__

# What broken text leads to: brackets nested without end, and infinite numbers, too.
_NO_RESULT = (ValueError, KeyError, TypeError, OverflowError, RecursionError)

Bucket = tuple[int, ...]
Shapes = tuple[tuple[int, ...], ...]
Slot = tuple[str, Bucket]
"""What a choice is for: the key of its results, and the bucket."""

# Of the exported file; to be raised with every change to Result or Row.
_FORMAT = 2
# Sizes in units of half an octave: 1 is 0. Small ones have steps of their own, since blocks are cut
# to them; a size of 0 is far from all others.
_FAR = -1000
_SMALL = (_FAR, 0, 2, 3, 4, 5, 5, 6, 6, 6, 7, 7, 7, 7, 8, 8, 8)
_ROUNDED = {_FAR: 0, 0: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8, 7: 12}
_OCTAVE = 2
_NEAR_OCTAVES = 1.0
# By the name of its file, which has no other: a service meets new buckets all the time, and does
# not read all results for each of them.
_buckets: dict[str, Bucket] = {}

agreed: dict[Slot, Config] = {}
"""Configurations that ranks of a process group have agreed upon (see ``runtime.synchronization``),
for calls that are yet to come.
"""


@dataclass(frozen=True)
class Row:
    """One configuration that was tried: how long it took, or why it cannot run.

    ``samples``: how often it was timed; few mean that it was soon seen to be slow.
    """

    config: Config
    milliseconds: float | None
    samples: int = 0
    reason: str | None = None


@dataclass(frozen=True)
class Result:
    """Tuning result of one bucket. ``rows``: the chosen configuration first.

    ``shapes`` are the sizes that it was timed with; ``mode``: ``"quick"`` or ``"full"``;
    ``ninetoothed`` and ``triton``: the versions that timed it.
    """

    key: str
    kernel: str
    device: str
    bucket: Bucket
    shapes: Shapes
    mode: str
    rows: tuple[Row, ...]
    ninetoothed: str
    triton: str
    imported: bool = False

    @property
    def ranked(self) -> list[Config]:
        """The configurations that ran, the chosen one first."""
        return [row.config for row in self.rows if row.milliseconds is not None]


def key(
    name: str, signature: Signature, target: Target, space: Space, device: str, triton: str
) -> str:
    """Key of the results of a kernel for one signature on one product."""
    configs = [(one.values, one.num_warps, one.num_stages, one.choices) for one in space.listed]
    versions = [__version__, triton, settings.optimizations()]
    named = [name, str(signature), str(target), device, *versions]
    found = [*named, configs, space.legal, space.cost]
    if space.passes:
        found.append(space.passes)
    return hashlib.sha256(json.dumps(found).encode()).hexdigest()


def shapes_of(values: Iterable[Any]) -> Shapes:
    """The shapes of the tensors among a call's arguments."""
    tensors = filter(is_tensor, values)
    return tuple(tuple(int(size) for size in tensor.shape) for tensor in tensors)


def bucket_of(values: Iterable[Any]) -> Bucket:
    """The bucket of a call. It runs for every call with a new shape."""
    rounded: list[int] = [
        # The square's bit length is twice the logarithm, which rounds to the nearest octave.
        _SMALL[size] if size <= 16 else (size * size).bit_length() & ~1
        for value in values
        if is_tensor(value)
        for size in value.shape
    ]
    return tuple(rounded)


def rounded(values: Iterable[Any]) -> Shapes:
    """The sizes that stand for the bucket of a call, as :func:`shapes_of` has them."""
    return tuple(
        tuple(
            _ROUNDED[step] if step in _ROUNDED else 1 << step // _OCTAVE
            for step in bucket_of([value])
        )
        for value in values
        if is_tensor(value)
    )


def distance(one: Bucket, other: Bucket, tensors: int) -> float:
    """How many octaves lie between the sizes of two buckets, a tensor on average; infinitely many
    where one size is farther off than what is near: a few rows want other blocks than four times as
    many, however many tensors have none of them.
    """
    apart = [abs(first - second) / _OCTAVE for first, second in zip(one, other, strict=True)]
    if any(octaves > _NEAR_OCTAVES for octaves in apart):
        return math.inf
    return sum(apart) / max(tensors, 1)


def load(key: str, bucket: Bucket) -> Result | None:
    """The result of exactly this bucket, or None."""
    text = artifact_store.load_result(key, _member(bucket))
    return None if text is None else _parsed(text)


def nearest(key: str, bucket: Bucket, tensors: int) -> Result | None:
    """The result of the bucket nearest to this one, or None where none is near enough to serve."""
    found: list[tuple[float, Bucket]] = []
    for name in artifact_store.result_names(key):
        other = _bucket_in(name)
        if other is None or len(other) != len(bucket):
            continue
        octaves = distance(bucket, other, tensors)
        if octaves <= _NEAR_OCTAVES:
            found.append((octaves, other))
    loaded = (load(key, other) for _, other in sorted(found))
    return next((result for result in loaded if result is not None), None)


def store(result: Result) -> None:
    """Keeps a result, in the place of an older one of the same bucket."""
    text = json.dumps(dataclasses.asdict(result), sort_keys=True)
    member = _member(result.bucket)
    if artifact_store.load_result(result.key, member) != text:
        artifact_store.store_result(result.key, member, text)


def fault(key: str, config: Config) -> str | None:
    """Reason of an earlier process why ``config`` must not be launched, or None."""
    return artifact_store.load_result(key, f"fault {config}")


def store_fault(key: str, config: Config, reason: str) -> None:
    """Marks ``config`` as one whose launch ended badly for the whole process."""
    artifact_store.store_result(key, f"fault {config}", reason)


def export(path: Path) -> int:
    """Writes all results of the cache to one file; returns how many there are.

    Raises:
        ConfigurationError: the file cannot be written.
    """
    found = map(_named, artifact_store.result_names())
    results = [result for result in found if result is not None]
    results.sort(key=lambda result: (result.kernel, result.device, result.key, result.bucket))
    rows = [{**dataclasses.asdict(result), "imported": False} for result in results]
    document = {"format": _FORMAT, "results": rows}
    try:
        write_atomically(path, json.dumps(document, indent=1, sort_keys=True) + "\n")
    except OSError as error:
        raise ConfigurationError(f"tuning results cannot be written to {path}: {error}") from error
    return len(results)


def imported(path: Path) -> list[Result]:
    """The results of a file that :func:`export` wrote.

    Raises:
        ConfigurationError: the file cannot be read, or is no such file.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"tuning results cannot be read from {path}: {error}") from error
    try:
        document = json.loads(text)
        if document["format"] != _FORMAT:
            raise ConfigurationError(
                f"{path} holds tuning results of format {document['format']!r}, and this version "
                f"of ninetoothed ({__version__}) reads format {_FORMAT}; export them anew with it"
            )
        return [_result({**fields, "imported": True}) for fields in document["results"]]
    except _NO_RESULT as error:
        raise ConfigurationError(
            f"{path} holds no tuning results of ninetoothed.tuning.export "
            f"({type(error).__name__}: {error})"
        ) from error


def _named(name: str) -> Result | None:
    text = artifact_store.named_result(name)
    return None if text is None else _parsed(text)


def _bucket_in(name: str) -> Bucket | None:
    """The bucket of a file's result, if it holds one."""
    if name not in _buckets:
        result = _named(name)
        if result is None:
            return None
        _buckets[name] = result.bucket
    return _buckets[name]


def _member(bucket: Bucket) -> str:
    return f"bucket {bucket}"


def _parsed(text: str) -> Result | None:
    """A result as the cache holds it; None: it is something else, or of another version."""
    try:
        return _result(json.loads(text))
    except _NO_RESULT:
        return None


def _result(fields: dict[str, Any]) -> Result:
    """Result of the fields of :func:`store` and :func:`export`, each of which is checked.

    Raises:
        ValueError, KeyError, TypeError, OverflowError: the fields are not those of a result.
    """
    rows = tuple(_row(row) for row in fields["rows"])
    if not rows or rows[0].milliseconds is None:
        raise ValueError("a result whose first configuration did not run")
    texts = {
        name: _typed(fields[name], str)
        for name in ("key", "kernel", "device", "mode", "ninetoothed", "triton")
    }
    # Half of a surrogate pair can be no file's name.
    texts["key"].encode()
    return Result(
        **texts,
        bucket=_integers(fields["bucket"]),
        shapes=tuple(_integers(shape) for shape in _typed(fields["shapes"], list)),
        rows=rows,
        imported=_typed(fields["imported"], bool),
    )


def _row(fields: dict[str, Any]) -> Row:
    time, reason = fields["milliseconds"], fields["reason"]
    if (time is None) == (reason is None):
        raise ValueError("a configuration has either a time or a reason")
    return Row(
        Config.of(fields["config"]),
        None if time is None else _typed(time, float),
        _typed(fields["samples"], int),
        None if reason is None else _typed(reason, str),
    )


def _integers(values: Any) -> tuple[int, ...]:
    return tuple(_typed(value, int) for value in _typed(values, list))


def _typed(value: Any, type_: type) -> Any:
    if type(value) is not type_:
        raise TypeError(f"{value!r} is no {type_.__name__}")
    return value
