"""Pages taken apart again."""

from __future__ import annotations

import base64
import json
import re
import zlib
from typing import Any

from ninetoothed.view.line_forms import decoded


def data_of(page: str) -> dict[str, Any]:
    """The data that a page holds, with the lines of its texts."""
    found = re.search(r'<script id="data" type="text/plain">([A-Za-z0-9+/=]*)</script>', page)
    assert found is not None
    data: dict[str, Any] = json.loads(zlib.decompress(base64.b64decode(found[1])))
    for text in data["texts"]:
        text["lines"] = decoded(data["forms"], text["forms"], text["numbers"])
    return data


def places_of(data: dict[str, Any], text: int, line: int) -> set[tuple[str, int]]:
    """The places of a line of a text, by name of the file."""
    number = data["texts"][text]["sets"][line]
    flat: list[int] = data["places"][number] if number >= 0 else []
    names: list[str] = [file["name"] for file in data["files"]]
    return {(names[file], at) for file, at in zip(flat[::2], flat[1::2], strict=True)}
