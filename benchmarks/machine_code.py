"""Counts of NVIDIA machine code (SASS), by the disassembler that Triton brings along."""

from __future__ import annotations

import importlib
import re
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

_LABEL = re.compile(r"(\.L_x_\d+):")
_INSTRUCTION = re.compile(r"/\*[0-9a-f]{4,}\*/\s+(.*?);")
_BRANCH = re.compile(r"\bBRA\b.*?(\.L_x_\d+)")
_SPILL = re.compile(r"\b(STL|LDL)\b")


@dataclass(frozen=True)
class MachineCode:
    """Counts of one kernel. ``loop``: instructions of its longest innermost loop; ``spills``: those
    that move registers to and from local memory; ``registers``: of a thread.
    """

    instructions: int
    loop: int
    spills: int
    registers: int


def counted(code: bytes) -> MachineCode:
    """Counts of a binary.

    Raises:
        OSError: Triton, or its disassembler, is not there.
        CalledProcessError: it is no binary for NVIDIA's GPUs.
    """
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(code)
        file.flush()
        listing = _output("nvdisasm", "-c", file.name)
        resources = _output("cuobjdump", "--dump-resource-usage", file.name)
    instructions, loop, spills = counts_of(listing)
    found = re.search(r"REG:(\d+)", resources)
    return MachineCode(instructions, loop, spills, int(found[1]) if found else 0)


def counts_of(listing: str) -> tuple[int, int, int]:
    """Instructions, those of the longest innermost loop, and spills of a disassembly."""
    instructions = spills = 0
    labels: dict[str, int] = {}
    loops: list[tuple[int, int]] = []
    for line in listing.splitlines():
        if label := _LABEL.match(line):
            labels[label[1]] = instructions
        elif instruction := _INSTRUCTION.search(line):
            instructions += 1
            spills += bool(_SPILL.search(instruction[1]))
            branch = _BRANCH.search(instruction[1])
            # The last one of a kernel branches to itself.
            if branch and labels.get(branch[1], instructions) < instructions - 1:
                loops.append((labels[branch[1]], instructions))
    innermost = [
        (start, end)
        for start, end in loops
        if not any(start <= one and other <= end for one, other in {*loops} - {(start, end)})
    ]
    return instructions, max((end - start for start, end in innermost), default=0), spills


def _output(tool: str, *arguments: str) -> str:
    try:
        nvidia = importlib.import_module("triton.backends.nvidia")
    except ImportError as error:
        raise OSError("Triton, which brings the disassembler along, is not installed") from error
    path = Path(str(nvidia.__file__)).parent / "bin" / tool
    done = subprocess.run([path, *arguments], capture_output=True, text=True, check=True)
    return done.stdout
