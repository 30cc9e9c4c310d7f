"""Artifacts and binaries: what the compiler passes to the runtime, frozen and hashable.

Nothing here is an IR object, so that a warm start finds its artifact on disk and imports neither
xDSL nor the frontend.
"""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import json
from dataclasses import dataclass
from typing import Any

from ninetoothed.artifacts.configuration import Config
from ninetoothed.artifacts.target import Language, Target


@dataclass(frozen=True)
class Argument:
    """Argument of the device function; ``type`` as in Triton's signatures, as ``"*fp16"``;
    ``divisor``: a power of two that divides the number, or the address in bytes.

    A tensor descriptor, as ``"tensordesc<fp16[128, 64]>"``, is given as the pointer to where its
    tensor begins; the sizes and strides of that, in elements, are the arguments behind it.
    """

    name: str
    type: str
    divisor: int = 1


def dims_of_descriptor(type: str) -> int:
    """The dims of a descriptor among the types of arguments; 0 of any other type."""
    return type.count(",") + 1 if type.startswith("tensordesc<") else 0


@dataclass(frozen=True)
class Scratch:
    """Scratch memory of a launch: ``bytes`` for each program; ``zeroed``: they are 0 at first."""

    bytes: int
    zeroed: bool = False


@dataclass(frozen=True)
class Packing:
    """A packed copy of a parameter, which a kernel reads in its place: ``copy`` is the kernel that
    makes it, of the parameter and its copy, and ``places`` are the arguments that point to it.
    """

    param: str
    places: tuple[int, ...]
    copy: Artifact


@dataclass(frozen=True)
class Artifact:
    """Compiled kernel, up to the text that a toolchain takes.

    ``launch``: Python source that defines, over the kernel's parameters (torch tensors and numbers,
    in launch order),

    - ``launch(...)``: None, the number of programs, and the device function's arguments in order,
      without ``scratch``, pointers as integers; of sizes that do not fit, an error message about
      them, 0 and ();
    - ``agrees(...)``, where ``launch`` checks outermost levels: True if they agree, or something
      else fails, too. Where they do not, a laxer class of signatures may take the call (see
      ``Signature.agreement``);
    - ``is_undefined(...)``, where there is ``agrees`` and ``launch`` checks lanes that are stored
      without a value: True if no other check of ``nt.checks`` fails. No class takes such a call;
    - ``is_full(...)``, where guards can be left out: True if all of these hold in each program,
      lane and iteration of a call, so that the kernel without them may run in this one's place,
    - ``packed(...)``, where there is a ``prologue``: the shape and strides of each packed copy.

    ``full``: the kernel is for calls in which all guards hold, and has none of them; both kernels
    of its configuration have ``is_full``.

    ``reads`` and ``writes`` name the parameters that a program loads and stores. ``scratch``: the
    memory that the last ``arguments`` are pointers to, which a launch allocates. ``prologue``: the
    packed copies that the kernel reads in the place of parameters, which a launch makes before.

    ``persistent``: any number of programs does the work of as many as ``launch`` says, so that a
    launch starts no more than the device runs at once; it must be possible to add the two numbers
    in 32 bits.
    """

    name: str
    language: Language
    text: str
    params: tuple[str, ...]
    arguments: tuple[Argument, ...]
    launch: str
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    target: Target
    config: Config
    full: bool = False
    scratch: tuple[Scratch, ...] = ()
    prologue: tuple[Packing, ...] = ()
    persistent: bool = False

    def to_json(self) -> str:
        """Serialize to JSON, the same in every process."""
        return json.dumps(dataclasses.asdict(self), indent=1, sort_keys=True)

    @staticmethod
    def from_json(text: str) -> Artifact:
        """The inverse of :meth:`to_json`.

        Raises:
            ValueError, KeyError, TypeError: the text is no artifact of this version.
        """
        return Artifact._of(json.loads(text))

    @staticmethod
    def _of(fields: dict[str, Any]) -> Artifact:
        fields["config"] = Config.of(fields["config"])
        fields["target"] = Target(**fields["target"])
        fields["arguments"] = tuple(Argument(**argument) for argument in fields["arguments"])
        fields["scratch"] = tuple(Scratch(**one) for one in fields["scratch"])
        fields["prologue"] = tuple(
            Packing(one["param"], tuple(one["places"]), Artifact._of(one["copy"]))
            for one in fields["prologue"]
        )
        for name in ("params", "reads", "writes"):
            fields[name] = tuple(fields[name])
        return Artifact(**fields)

    @property
    def given(self) -> tuple[Argument, ...]:
        """The arguments that a call gives: all but scratch memory."""
        return self.arguments[: len(self.arguments) - len(self.scratch)]

    @property
    def written(self) -> tuple[int, ...]:
        """Positions of the parameters that a program stores to."""
        return tuple(place for place, name in enumerate(self.params) if name in self.writes)

    @property
    def hash(self) -> str:
        """Digest of all fields."""
        return hashlib.sha256(self.to_json().encode()).hexdigest()


@dataclass(frozen=True)
class DescriptorLayout:
    """How the boxes of a tensor descriptor lie in shared memory, as the driver is told:
    ``element_type`` and ``swizzle`` are its numbers. ``box``: what is copied at once.
    """

    element_type: int
    element_bytes: int
    swizzle: int
    box: tuple[int, ...]


@dataclass(frozen=True)
class Binary:
    """Compiled device code of an artifact, with its launch requirements.

    ``code``: what the driver loads; ``entry``: the function's name in it;
    ``shared``: bytes of shared memory; ``threads``: of a program; ``scratch``: bytes of device
    memory that each program is given beside its arguments, aligned to ``scratch_alignment``;
    ``descriptors``: the layouts of its arguments that are tensor descriptors, in order.
    """

    code: bytes
    entry: str
    shared: int
    threads: int
    scratch: int = 0
    scratch_alignment: int = 1
    descriptors: tuple[DescriptorLayout, ...] = ()

    def to_json(self) -> str:
        """Serialize to JSON, the code in base 64."""
        fields = {**dataclasses.asdict(self), "code": base64.b64encode(self.code).decode()}
        return json.dumps(fields, sort_keys=True)

    @staticmethod
    def from_json(text: str) -> Binary:
        """The inverse of :meth:`to_json`.

        Raises:
            ValueError, KeyError, TypeError: the text is no binary of this version.
        """
        fields: dict[str, Any] = json.loads(text)
        fields["code"] = base64.b64decode(fields["code"], validate=True)
        rows: list[dict[str, Any]] = fields.get("descriptors", [])
        for row in rows:
            row["box"] = tuple(row["box"])
        fields["descriptors"] = tuple(DescriptorLayout(**row) for row in rows)
        return Binary(**fields)
