"""Names of the user's files in generated texts.

Assemblers read quotes, backslashes and letters beyond ASCII in such names each in a way of its own,
or fail: ``ptxas`` at a quote, ``nvdisasm`` prints a backslash as a slash. So from TTIR on a name
has neither: they are percent-encoded, as in an URL.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from urllib.parse import quote

_SAFE = "".join(char for char in map(chr, range(0x20, 0x7F)) if char not in '%"\\')
_FILE = re.compile(r'^\s*\.file\s+(\d+)\s+"([^"]*)"(?:\s+"([^"]*)")?', re.MULTILINE)


def encoded(name: str) -> str:
    """The name of a file as generated texts have it, in ASCII; no two names are encoded alike."""
    return quote(name, safe=_SAFE, errors="surrogatepass")


def decoder(names: Iterable[str]) -> dict[str, str]:
    """Files by their names in generated texts."""
    return {encoded(name): name for name in names}


def file_table(assembly: str) -> dict[str, str]:
    """The encoded names of files by their numbers in an assembly's directives ``.file 1 "dir"
    "kernel.py"``, of which the directory may be left out.
    """
    return {
        number: os.path.join(*filter(None, names))
        for number, *names in _FILE.findall(assembly)
        if any(names)
    }
