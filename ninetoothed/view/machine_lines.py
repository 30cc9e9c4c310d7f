"""Lines of the texts that a target's compiler makes, with their places in the user's source.

Each text tells its places in a way of its own, which a reader of the page does not need: it is left
out of the listing. A text of another kind is a listing without places.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator

from ninetoothed.artifacts.source_names import decoder, file_table
from ninetoothed.view.listing import Listing, Place, Places, listing

_Rows = Iterator[tuple[str, Places | None]]

_STRING = r'"([^"]*)"'


def machine_listing(name: str, text: str, files: Iterable[str] = ()) -> Listing:
    """The listing of the text of a stage, ``name``; ``files``: those that it may tell of, whose
    names are encoded there.
    """
    known = decoder(files)
    return listing(
        (line, places and tuple((known.get(file, file), number) for file, number in places))
        for line, places in _READERS.get(name, _plain)(text)
    )


def _plain(text: str) -> _Rows:
    return ((line, None) for line in text.splitlines())


# MLIR: `%1 = tt.load %0 : … loc(#loc7)`, and `#loc7 = loc("kernel.py":21:11)`.

_ALIAS = re.compile(r"^(#loc\d*) = loc\((.*)\)$")
_LOCATION = re.compile(rf" loc\((#loc\d*|unknown|{_STRING}(?::\d+:\d+)?(?:\(#loc\d*\))?)\)")
_PART = re.compile(rf"{_STRING}:(\d+):\d+|(#loc\d*)")
_OPENS = re.compile(r"\{$")
_NO_OP = re.compile(r"[#!]\w+ = |\{-#|\s*$")


def _mlir(text: str) -> _Rows:
    lines = text.splitlines()
    aliases = {found[1]: found[2] for found in map(_ALIAS.match, lines) if found}
    kept = [line for line in lines if not _ALIAS.match(line)]
    places: list[Places | None] = [None] * len(kept)
    open_lines: list[list[int]] = []
    for index, line in enumerate(kept):
        if _NO_OP.match(line):
            continue
        # An op with regions has its location behind the last brace.
        owned = open_lines.pop() if line.lstrip().startswith("}") and open_lines else []
        bare = _LOCATION.sub("", line)
        if _OPENS.search(bare):
            open_lines.append([*owned, index])
        elif bare.lstrip().startswith("^") and open_lines:
            open_lines[-1].append(index)
        else:
            *_, location = ["", *(found[1] for found in _LOCATION.finditer(line))]
            found = _mlir_places(location, aliases)
            for one in (*owned, index):
                places[one] = found
    for line, found in zip(kept, places, strict=True):
        yield _LOCATION.sub("", line), found


def _mlir_places(location: str, aliases: dict[str, str]) -> Places:
    found: dict[Place, None] = {}
    for part in _PART.finditer(location):
        file, line, alias = part.groups()
        if alias is None:
            found[file, int(line)] = None
        else:
            found.update(dict.fromkeys(_mlir_places(aliases.get(alias, ""), aliases)))
    return tuple(found)


# LLVM: `%1 = add i32 …, !dbg !7`, and `!7 = !DILocation(line: 21, …, scope: !6, inlinedAt: !5)`.

_METADATA = re.compile(r"^(!\d+) = (?:distinct )?!(DI\w+)\((.*)\)$")
_FIELD = re.compile(rf"(\w+): (?:{_STRING}|(!?\w+))")
_DEBUG = re.compile(r",? !dbg (!\d+)")


def _llvm(text: str) -> _Rows:
    nodes: dict[str, dict[str, str]] = {}
    for found in filter(None, map(_METADATA.match, text.splitlines())):
        fields = {key: value or bare for key, value, bare in _FIELD.findall(found[3])}
        nodes[found[1]] = fields
    inside = False
    for line in text.splitlines():
        if line.startswith("!") and "!" in line[1:]:
            continue
        function = line.startswith("define")
        instruction = inside and line.startswith("  ")
        inside = function or (inside and line != "}")
        debug = _DEBUG.search(line)
        places = _llvm_places(debug[1], nodes) if debug else ()
        counted = instruction or function
        yield _DEBUG.sub("", line), places if counted else None


def _llvm_places(name: str, nodes: dict[str, dict[str, str]]) -> Places:
    found: dict[Place, None] = {}
    node = nodes.get(name)
    while node is not None:
        file, line = _llvm_file(node, nodes), int(node.get("line", 0))
        if file and line:
            found[file, line] = None
        node = nodes.get(node.get("inlinedAt", ""))
    return tuple(found)


def _llvm_file(node: dict[str, str], nodes: dict[str, dict[str, str]]) -> str | None:
    while "filename" not in node:
        following = nodes.get(node.get("file", "")) or nodes.get(node.get("scope", ""))
        if following is None:
            return None
        node = following
    return os.path.join(node.get("directory", ""), node["filename"])


# Assembly: `.loc 1 21 11` holds for the instructions up to the next one; file 1 is in a table,
# which may stand at the end.

_LOC = re.compile(r"\s*\.loc\s+(\d+) (\d+) \d+")
_INLINED = re.compile(r"inlined_at (\d+) (\d+)")
_SECTION = re.compile(r"\s*\.(?:section\s+\"?(\.?\w+)|text\b)")
_NOISE = re.compile(r"\s*\.(?:file|loc|cfi_\w+)\b|(?:\$L__|\.L)(?:tmp|func_\w+)\d+:")
_INSTRUCTION = re.compile(r"\s+[@%{}\w]")


def _assembly(text: str) -> _Rows:
    files = file_table(text)
    current: Places = ()
    # The sections that hold debug information.
    hidden = False
    for line in text.splitlines():
        if section := _SECTION.match(line):
            hidden = (section[1] or "").startswith(".debug")
        found = _LOC.match(line)
        if found:
            marks = [found.groups(), *(mark.groups() for mark in _INLINED.finditer(line))]
            current = tuple(
                dict.fromkeys(
                    (files[file], int(number))
                    for file, number in marks
                    if file in files and int(number)
                )
            )
        if hidden or _NOISE.match(line):
            continue
        yield line, current if _INSTRUCTION.match(line) else None


# Machine code: a line `//## File "kernel.py", line 21`, with ` inlined at "kernel.py", line 7`
# where it is of a function, holds for the instructions up to the next one.

_MARK = re.compile(rf"\s*//## File {_STRING}, line (\d+)")
_CALLER = re.compile(rf"inlined at {_STRING}, line (\d+)")
# Addresses say nothing: branches name labels.
_CODE = re.compile(r"\s*/\*[0-9a-f]{4,}\*/( .*?)\s*;?$")


def _machine_code(text: str) -> _Rows:
    current: list[Place] = []
    continued = False
    for line in text.splitlines():
        mark = _MARK.match(line)
        if mark is None:
            continued = False
            code = _CODE.match(line)
            yield (code[1], tuple(dict.fromkeys(current))) if code else (line, None)
            continue
        marks = [mark.groups(), *(found.groups() for found in _CALLER.finditer(line))]
        places = [(file, int(number)) for file, number in marks]
        # Marks that follow one another are one chain of calls.
        current = [*current, *places] if continued else places
        continued = True


_READERS: dict[str, Callable[[str], _Rows]] = {
    "ttir": _mlir,
    "ttgir": _mlir,
    "llir": _llvm,
    "ptx": _assembly,
    "amdgcn": _assembly,
    "sass": _machine_code,
}
