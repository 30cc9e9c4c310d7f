"""Structured logs of a compilation, which other tools read.

- Triton's, as tritonparse writes and reads it: a line of JSON, an event ``compilation`` with the
  texts of all stages, and the source.
- torch's (``TORCH_TRACE``), which tlparse reads: a line that begins as glog's do, with JSON behind,
  then the payload, indented by a tab. Each text is an artifact, one pass behind another.
"""

from __future__ import annotations

import ast
import hashlib
import json
import linecache
import os
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ninetoothed.cache.atomic import write_atomically
from ninetoothed.view.collection import Compilation


@dataclass(frozen=True)
class Stamp:
    """Time and process of a log; by default none, so that the same input gives the same bytes."""

    time: datetime = datetime(1970, 1, 1, tzinfo=UTC)
    process: int = 0

    @staticmethod
    def now() -> Stamp:
        """That of this process, now."""
        return Stamp(datetime.now(UTC), os.getpid())


def write_trace(compilation: Compilation, folder: Path, stamp: Stamp) -> tuple[Path, Path]:
    """Write both logs; their paths: Triton's, torch's.

    Raises:
        OSError: they cannot be written.
    """
    name = compilation.artifact.name
    paths = (
        folder / f"dedicated_log_triton_trace_{name}.ndjson",
        folder / f"dedicated_log_torch_trace_{name}.log",
    )
    write_atomically(paths[0], triton_trace(compilation, stamp))
    write_atomically(paths[1], torch_trace(compilation, stamp))
    return paths


def triton_trace(compilation: Compilation, stamp: Stamp) -> str:
    """Triton's log: one event."""
    artifact, texts = compilation.artifact, compilation.texts
    target, config = artifact.target, artifact.config
    names = {name: f"{artifact.name}.{name}" for name in texts}
    file, line = _kernel_place(compilation)
    event = {
        "event_type": "compilation",
        "pid": stamp.process,
        "timestamp": stamp.time.strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
        "stack": [{"line": line, "name": artifact.name, "filename": file, "loc": ""}],
        "payload": {
            "metadata": {
                "hash": hashlib.sha256(artifact.text.encode()).hexdigest(),
                "name": artifact.name,
                "backend_name": target.backend,
                "target": {
                    "backend": target.backend,
                    "arch": target.arch,
                    "warp_size": target.warp_size,
                },
                "num_warps": config.num_warps,
                "num_stages": config.num_stages,
                "num_ctas": 1,
                "shared": compilation.shared,
                "constants": dict(config.values),
                "cache_hit": False,
            },
            "file_path": {names[name]: names[name] for name in texts},
            "file_content": {names[name]: text for name, text in texts.items()},
            "python_source": _source(file, line),
        },
    }
    return f"{json.dumps(event)}\n"


def torch_trace(compilation: Compilation, stamp: Stamp) -> str:
    """torch's log: an artifact for each text, and one of the remarks."""
    file, line = _kernel_place(compilation)
    where = {"line": line, "name": compilation.artifact.name, "filename": 0, "loc": ""}
    # Files are numbered; the rest tells of one compilation, that of frame 0.
    rows = [
        _record({"str": [file, 0]}, None, stamp),
        _record({"dynamo_start": {"stack": [where]}, **_FRAME}, None, stamp),
    ]
    for name, encoding, text in _artifacts(compilation):
        metadata = {"artifact": {"name": name, "encoding": encoding}, **_FRAME}
        rows.append(_record(metadata, text, stamp))
    return "".join(rows)


_FRAME = {"frame_id": 0, "frame_compile_id": 0, "attempt": 0}


def _artifacts(compilation: Compilation) -> Iterator[tuple[str, str, str]]:
    """Names, encodings and texts."""
    for number, snapshot in enumerate(compilation.snapshots):
        yield f"{number:02d}-{snapshot.pass_name}", "string", "\n".join(snapshot.listing.lines)
    yield from ((name, "string", text) for name, text in compilation.texts.items())
    remarks = [str(remark) for remark in compilation.remarks]
    yield "remarks", "json", json.dumps(remarks, indent=0)


def _record(metadata: dict[str, Any], payload: str | None, stamp: Stamp) -> str:
    """A line of torch's log, and those of its payload."""
    time = stamp.time.strftime("%m%d %H:%M:%S.%f")
    prefix = f"V{time} {stamp.process} ninetoothed/view/structured_logs.py:1]"
    if payload is None:
        return f"{prefix} {json.dumps(metadata)}\n"
    digest = hashlib.md5(payload.encode(), usedforsecurity=False).hexdigest()
    lines = "".join(f"\n\t{line}" for line in payload.split("\n"))
    return f"{prefix} {json.dumps({**metadata, 'has_payload': digest})}{lines}\n"


def _kernel_place(compilation: Compilation) -> tuple[str, int]:
    """The place of the application, which the first line of all modules has."""
    places = compilation.snapshots[0].listing.places[0]
    return places[0] if places else ("", 1)


def _source(file: str, line: int) -> dict[str, Any]:
    lines = linecache.getlines(file)
    return {
        "file_path": file,
        "start_line": 1,
        "end_line": len(lines),
        "code": "".join(lines),
        "function_start_line": line,
        "function_end_line": _function_end("".join(lines), line),
    }


def _function_end(source: str, line: int) -> int:
    """The last line of the function that begins in a line."""
    try:
        nodes = ast.walk(ast.parse(source))
    except SyntaxError:  # a cell of a notebook with commands of its own
        return line
    ends = [
        node.end_lineno or line
        for node in nodes
        if isinstance(node, ast.FunctionDef | ast.Lambda) and node.lineno == line
    ]
    return max(ends, default=line)
