"""NVIDIA's disassembler, which Triton brings along."""

from __future__ import annotations

import importlib
import re
import subprocess
import tempfile
from pathlib import Path

from ninetoothed.errors import DeviceError

_INSTRUCTION = re.compile(r"/\*[0-9a-f]{4,}\*/\s+(.*?);")
_SPILL = re.compile(r"\b(STL|LDL)\b")
_REGISTERS = re.compile(r"\bREG:(\d+)")


def disassembly(cubin: bytes, locations: bool = False) -> str:
    """Listing of a binary's machine code (SASS).

    ``locations``: with lines of their own for the user's lines that the instructions behind are of.

    Raises:
        DeviceError: the disassembler is not there, or does not take the binary.
    """
    return _output("nvdisasm", cubin, "-c", *(("-gi",) if locations else ()))


def registers(cubin: bytes) -> int:
    """Registers of a thread.

    Raises:
        DeviceError: as :func:`disassembly`.
    """
    found = _REGISTERS.search(_output("cuobjdump", cubin, "--dump-resource-usage"))
    return int(found[1]) if found else 0


def instruction(line: str) -> str | None:
    """The instruction that a line of a listing holds, if any."""
    found = _INSTRUCTION.search(line)
    return found and found[1]


def is_spill(instruction: str) -> bool:
    """True if it moves registers to or from local memory."""
    return _SPILL.search(instruction) is not None


def spills(listing: str) -> int:
    """Instructions that move registers to and from local memory."""
    found = map(instruction, listing.splitlines())
    return sum(1 for one in found if one is not None and is_spill(one))


def _output(tool: str, cubin: bytes, *options: str) -> str:
    try:
        nvidia = importlib.import_module("triton.backends.nvidia")
    except ImportError as error:
        raise DeviceError(
            f"{tool}, which Triton brings along, is not there ({error}); `pip install triton`"
        ) from error
    path = Path(str(nvidia.__file__)).parent / "bin" / tool
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(cubin)
        file.flush()
        try:
            done = subprocess.run([path, *options, file.name], capture_output=True, text=True)
        except OSError as error:
            raise DeviceError(
                f"{tool}, which Triton brings along, cannot be run ({error}); install a Triton "
                "that has it"
            ) from error
    if done.returncode:
        raise DeviceError(f"{tool} failed: {(done.stderr or done.stdout).strip()}")
    return done.stdout
