"""Counts of NVIDIA machine code (SASS), by the disassembler that Triton brings along."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ninetoothed.runtime.toolchain.triton.nvidia_tools import (
    disassembly,
    instruction,
    is_spill,
    registers,
)

_LABEL = re.compile(r"(\.L_x_\d+):")
_BRANCH = re.compile(r"\bBRA\b.*?(\.L_x_\d+)")


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
        DeviceError: the disassembler is not there, or it is no binary for NVIDIA's GPUs.
    """
    return MachineCode(*counts_of(disassembly(code)), registers(code))


def counts_of(listing: str) -> tuple[int, int, int]:
    """Instructions, those of the longest innermost loop, and spills of a disassembly."""
    instructions = spills = 0
    labels: dict[str, int] = {}
    loops: list[tuple[int, int]] = []
    for line in listing.splitlines():
        if label := _LABEL.match(line):
            labels[label[1]] = instructions
        elif (found := instruction(line)) is not None:
            instructions += 1
            spills += is_spill(found)
            branch = _BRANCH.search(found)
            # The last one of a kernel branches to itself.
            if branch and labels.get(branch[1], instructions) < instructions - 1:
                loops.append((labels[branch[1]], instructions))
    innermost = [
        (start, end)
        for start, end in loops
        if not any(start <= one and other <= end for one, other in {*loops} - {(start, end)})
    ]
    return instructions, max((end - start for start, end in innermost), default=0), spills
