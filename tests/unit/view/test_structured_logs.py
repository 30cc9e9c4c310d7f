"""The structured logs, beside what torch's own formatter writes."""

from __future__ import annotations

import hashlib
import json
import logging
from datetime import UTC, datetime
from pathlib import Path

from torch._logging._internal import TorchLogsFormatter

from examples.add import add_kernel
from ninetoothed.artifacts.target import Target
from ninetoothed.compiler.defaults import assumed_signature, pick
from ninetoothed.view.collection import Compilation, collect
from ninetoothed.view.structured_logs import Stamp, torch_trace, triton_trace, write_trace

STAMP = Stamp(datetime(2026, 5, 4, 3, 2, 1, 56789, tzinfo=UTC), 77)


def compilation() -> Compilation:
    definition = add_kernel.definition
    signature = assumed_signature(definition, {}, {})
    signature, config = pick(definition, add_kernel.composed(signature), signature, {})
    return collect(definition, signature, config, Target.parse("sm_90"))


def test_torch_s_log_is_as_its_formatter_writes_it() -> None:
    found = compilation()
    text = "\n".join(found.snapshots[0].listing.lines)
    record = logging.LogRecord(
        "x", logging.DEBUG, "ninetoothed/view/structured_logs.py", 1, "", (), None
    )
    record.created, record.msecs, record.process = STAMP.time.timestamp(), 56.789, 77
    digest = hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()
    record.metadata = {
        "artifact": {"name": "00-frontend", "encoding": "string"},
        "frame_id": 0,
        "frame_compile_id": 0,
        "attempt": 0,
        "has_payload": digest,
    }
    record.payload = text
    formatter = TorchLogsFormatter(trace=True)
    formatter.converter = lambda seconds: datetime.fromtimestamp(seconds or 0, UTC).timetuple()
    assert f"{formatter.format(record)}\n" in torch_trace(found, STAMP)


def test_triton_s_log_holds_the_texts_and_the_source(tmp_path: Path) -> None:
    found = compilation()
    triton, torch = write_trace(found, tmp_path, Stamp())
    assert torch.read_text(encoding="utf-8") == torch_trace(found, Stamp())
    text = triton.read_text(encoding="utf-8")
    assert text == triton_trace(found, Stamp())
    event = json.loads(text)
    assert event["event_type"] == "compilation"
    payload = event["payload"]
    contents = {f"add_kernel.{name}": text for name, text in found.texts.items()}
    assert payload["file_content"] == contents
    source = payload["python_source"]
    lines = source["code"].split("\n")
    assert lines[source["function_start_line"] - 1].startswith("def application")
    assert source["function_end_line"] > source["function_start_line"]
