"""Texts of Triton's stages, for a reader.

``ttir`` is what goes into Triton's stages, in Triton's own form; ``ttgir``, ``llir``, ``ptx`` and
``amdgcn`` are what the stages of these names make, ``sass`` is the binary's machine code.
"""

from __future__ import annotations

import contextlib
import io
import re
from collections.abc import Generator, Sequence
from dataclasses import replace

from ninetoothed.artifacts.artifact import Artifact
from ninetoothed.errors import ConfigurationError, DeviceError, NineToothedError
from ninetoothed.runtime.toolchain.inspection import Inspection
from ninetoothed.runtime.toolchain.triton import compat, nvidia_tools, value_names

_MADE_BY = {"sass": "cubin"}
"""Triton's names of stages, where ours differ."""
_IR = ("ttir", "ttgir")
"""What has the names of values."""
_FIELD = r"\.{}:\s+(\d+)"


def inspect(artifact: Artifact, names: Sequence[str], locations: bool) -> Inspection:
    """Compiles ``artifact`` as far as ``names`` of its target's stages ask (see ``inspection``).

    Raises:
        ConfigurationError: Triton does not compile it; the text is the reason.
        DeviceError: Triton, or its disassembler, is not installed, or too old.
    """
    if not compat.available():
        raise DeviceError(
            f"Triton, which makes {names[0] if names else 'these texts'}, is not installed; "
            "`pip install triton`; without it there are triton-python, and ttir in MLIR's "
            "generic form (nt-opt --generic)"
        )
    compat.version()
    named = value_names.located(artifact)
    texts: dict[str, str] = {}
    found = Inspection(texts)
    # Where it fails Triton prints all it has; the error says why.
    with contextlib.redirect_stdout(io.StringIO()):
        if "ttir" in names:
            with _failing("ttir", artifact):
                texts["ttir"] = compat.pretty(named)
        if "ttgir" in names:
            found = _compiled(named, ["ttgir"], found)
        # From LLVM's IR on, of exactly what a launch runs.
        if behind := [name for name in names if name not in _IR]:
            found = _compiled(artifact, behind, found)
    texts = value_names.annotated(artifact, found.texts)
    if not locations:
        for name in texts.keys() & set(_IR):
            texts[name] = without_locations(texts[name])
    return replace(found, texts={name: texts[name] for name in names})


def _compiled(artifact: Artifact, wanted: Sequence[str], found: Inspection) -> Inspection:
    """``found``, and the texts that Triton makes in its stages up to the last that is wanted."""
    texts = dict(found.texts)
    made_by = {_MADE_BY.get(name, name): name for name in wanted}
    stages = compat.stages(artifact)
    for expected in artifact.target.stages:
        with _failing(expected, artifact):
            stage, made, metadata = next(stages)
        found = replace(found, shared=metadata.get("shared"))
        if stage == "cubin":
            text = nvidia_tools.disassembly(made, locations=True)
            registers, spills = nvidia_tools.registers(made), nvidia_tools.spills(text)
            found = replace(found, registers=registers, spills=spills)
            text = f"// {found.summary}\n{text}"
        else:
            text = str(made)
        if stage == "amdgcn":
            spills = _field(text, "vgpr_spill_count") + _field(text, "sgpr_spill_count")
            found = replace(found, registers=_field(text, "vgpr_count"), spills=spills)
            text = f"; {found.summary}\n{text}"
        if stage in made_by:
            texts[made_by.pop(stage)] = text
        if not made_by:
            break
    return replace(found, texts=texts)


@contextlib.contextmanager
def _failing(stage: str, artifact: Artifact) -> Generator[None]:
    """Tells in which stage Triton fails."""
    try:
        yield
    except NineToothedError:
        raise
    except Exception as error:
        # As in `compat.compile_binary`: Triton raises all kinds.
        reason = compat.reason(error)
        raise ConfigurationError(
            f"Triton makes no {stage} of {artifact.name} for {artifact.target}: {reason}"
        ) from error


def _field(text: str, name: str) -> int:
    """A number in the metadata at the end of AMD's assembly."""
    found = re.search(_FIELD.format(name), text)
    return int(found[1]) if found else 0


_STRING = r'"(?:[^"\\]|\\.)*"'
_LOCATION = re.compile(rf" loc\((?:#loc\d*|unknown|{_STRING})\)|({_STRING})")
_ALIAS = re.compile(r"^#loc\d* = loc\(.*\)\n", re.MULTILINE)


def without_locations(text: str) -> str:
    """IR in Triton's form without locations."""
    return _LOCATION.sub(lambda found: found[1] or "", _ALIAS.sub("", text))
