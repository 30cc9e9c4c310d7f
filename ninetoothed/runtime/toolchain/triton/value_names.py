"""Names of the user's values in what Triton makes of TTIR.

In Triton's IR a value has the name of its location: ``loc("acc"("kernel.py":4:5))``. Such locations
are added for a reader alone (:func:`located`), not to what a launch runs: an artifact's text is its
key, and what tells places in LLVM's IR would change. There, names end; in assembly, comments behind
the lines that tell a place list the values that are defined there (:func:`annotated`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from ninetoothed.artifacts.artifact import Artifact
from ninetoothed.artifacts.source_names import file_table

# In our generic form an op is a line; of one with regions, the last line has the location.
_OP = re.compile(r'\s*(?:(%[\w$.-]+(?:, %[\w$.-]+)*) = )?"')
_NUMBER = re.compile(r"_\d+$")
_STRING = r'"([^"]*)"'
_LOCATION = re.compile(rf" loc\((unknown|callsite\(.*\)|{_STRING}:\d+:\d+)\)$")
_PLACE = re.compile(rf"{_STRING}:(\d+):\d+")

# Of assembly: the places of the lines behind, and parameters.
_LOC = re.compile(r"\s*\.loc\s+(\d+)\s+(\d+)\s.*(?://|;) ")
_PARAM = re.compile(r"\s*\.param .*_param_(\d+),?$")
_SASS_PLACE = re.compile(rf"\s*//## File {_STRING}, line (\d+)")

Place = tuple[str, int]
"""A file, by its encoded name, and a line."""


def located(artifact: Artifact) -> Artifact:
    """``artifact`` with names in its locations, if it is TTIR."""
    if artifact.language != "ttir":
        return artifact
    lines = artifact.text.split("\n")
    for index, names, location in _named_ops(lines):
        # Of several results, Triton would number one name.
        if len(names) == 1:
            start = location.start()
            lines[index] = f'{lines[index][:start]} loc("{names[0]}"({location[1]}))'
    return replace(artifact, text="\n".join(lines))


def annotated(artifact: Artifact, texts: Mapping[str, str]) -> dict[str, str]:
    """Stages' texts, assembly with comments that list the names of values."""
    names = _names_by_place(artifact.text) if artifact.language == "ttir" else {}
    found = dict(texts)
    for stage in ("ptx", "amdgcn"):
        if stage in texts:
            found[stage] = _assembly(texts[stage], names, artifact)
    if "sass" in texts:
        found["sass"] = _listing(texts["sass"], names)
    return found


def _named_ops(lines: Sequence[str]) -> Iterator[tuple[int, tuple[str, ...], re.Match[str]]]:
    """The ops whose results all have names: the line of their location, the names, the location."""
    opened: list[tuple[str, ...]] = []
    for index, line in enumerate(lines):
        if op := _OP.match(line):
            hints = (op[1] or "").split(", ")
            names = tuple(_NUMBER.sub("", hint[1:]) for hint in hints)
            if any(not name or name.isdigit() for name in names):
                names = ()
            if line.endswith("({"):
                opened.append(names)
                continue
        elif line.lstrip().startswith("})") and opened:
            names = opened.pop()
        else:
            continue
        location = _LOCATION.search(line)
        if names and location:
            yield index, names, location


def _names_by_place(ttir: str) -> dict[Place, list[str]]:
    """The names of the values that are defined in each line of the user's, in order."""
    found: dict[Place, dict[str, None]] = {}
    for _, names, location in _named_ops(ttir.split("\n")):
        place = _PLACE.search(location[1])
        if place is not None:
            found.setdefault((place[1], int(place[2])), {}).update(dict.fromkeys(names))
    return {place: list(names) for place, names in found.items()}


def _assembly(text: str, names: Mapping[Place, Sequence[str]], artifact: Artifact) -> str:
    """PTX or AMD's assembly with names behind the lines that tell a place."""
    files = file_table(text)
    lines = text.split("\n")
    for index, line in enumerate(lines):
        if place := _LOC.match(line):
            known = names.get((files.get(place[1], ""), int(place[2])))
            if known:
                lines[index] = f"{line} ({', '.join(known)})"
        elif (param := _PARAM.match(line)) and int(param[1]) < len(artifact.arguments):
            lines[index] = f"{line} // {artifact.arguments[int(param[1])].name}"
    return "\n".join(lines)


def _listing(text: str, names: Mapping[Place, Sequence[str]]) -> str:
    """Machine code with names behind the lines that tell a place."""
    lines = text.split("\n")
    for index, line in enumerate(lines):
        if place := _SASS_PLACE.match(line):
            known = names.get((place[1], int(place[2])))
            if known:
                lines[index] = f"{line} ({', '.join(known)})"
    return "\n".join(lines)
