"""What the compiler hands to the runtime: frozen, hashable, made of text and numbers only.

Nothing here is an IR object, so that a warm start finds its artifact on disk and imports neither
xDSL nor the frontend.
"""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import importlib
import json
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from ninetoothed.errors import DeviceError

Language: TypeAlias = str
"""The language of an artifact's text: one of a back end's (see :func:`languages`)."""


@dataclass(frozen=True)
class BackEnd:
    """A back end: ``ninetoothed/backend/NAME`` says what its targets can do, and emits;
    ``ninetoothed/runtime/toolchain/NAME`` compiles and loads.

    ``targets``: the values of ``Target.backend`` that it serves. ``languages``: what it emits, the
    default first. ``device``: torch's name for the devices.
    """

    name: str
    targets: tuple[str, ...]
    languages: tuple[Language, ...]
    device: str


BACK_ENDS = [
    BackEnd("triton", ("cuda", "hip"), ("ttir", "triton-python"), device="cuda"),
]
"""All back ends; a further one is its two folders, and a line here."""

DEFAULT_TARGET = "sm_90"
"""What is compiled for where nobody says."""


def languages() -> tuple[Language, ...]:
    """The languages of all back ends."""
    return tuple(language for row in BACK_ENDS for language in row.languages)


@dataclass(frozen=True, order=True)
class Target:
    """What is compiled for: ``backend`` is a kind of devices, as ``"cuda"``, and ``arch`` one of
    its architectures, as ``"sm_90"``.
    """

    backend: str
    arch: str
    warp_size: int

    @property
    def back_end(self) -> BackEnd:
        """The back end that serves it."""
        return next(row for row in BACK_ENDS if self.backend in row.targets)

    @staticmethod
    def parse(text: str) -> Target:
        """The target of a name, as ``"sm_90"`` or ``"gfx942"``.

        Raises:
            DeviceError: the text names no target.
        """
        for row in BACK_ENDS:
            targets = importlib.import_module(f"ninetoothed.backend.{row.name}.targets")
            found: Target | None = targets.parse(text)
            if found is not None:
                return found
        raise DeviceError(f"unknown target {text!r}; write for example 'sm_90' or 'gfx942'")

    def __str__(self) -> str:
        return self.arch


@dataclass(frozen=True)
class ParamSignature:
    """What compiled code may know of one argument.

    ``kind``: ``"tensor"``, ``"scalar"`` (passed by value) or ``"constexpr"`` (``value`` is baked
    in). ``unit_strides`` and the ``*_by_16`` flags have one entry per dim: the stride is 1; the
    size, or the stride, is a multiple of 16. ``pointer_by_16``: the data starts at a multiple of 16
    bytes. ``offsets``: of a jagged tensor, the type of where its sequences begin. ``repeated``:
    several of its indices are one place in memory. ``memory``: the first parameter whose memory
    it may share, if that is another.
    """

    name: str
    kind: str
    dtype: str
    ndim: int = 0
    unit_strides: tuple[bool, ...] = ()
    sizes_by_16: tuple[bool, ...] = ()
    strides_by_16: tuple[bool, ...] = ()
    pointer_by_16: bool = False
    value: bool | int | float | None = field(default=None, compare=False)
    offsets: str | None = None
    repeated: bool = False
    memory: str | None = None
    # Zeros of either sign are equal, and not the same.
    _value_text: str = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_value_text", repr(self.value))


@dataclass(frozen=True)
class Signature:
    """One class of calls that share a kernel.

    ``constants``: symbols that the call fixed (constexpr symbols and constexpr sizes). ``extents``:
    for each block size that only the call knows, its expression and the power of two it is rounded
    up to. ``index_bits``: 32 where every size, stride and offset fits 31 bits, else
    64.
    """

    params: tuple[ParamSignature, ...]
    constants: tuple[tuple[str, int], ...] = ()
    extents: tuple[tuple[str, int], ...] = ()
    index_bits: int = 32


@dataclass(frozen=True)
class Config:
    """Values for the meta symbols, in the kernel's order, and how a program runs on the device."""

    values: tuple[tuple[str, int], ...]
    num_warps: int = 4
    num_stages: int = 3

    def __str__(self) -> str:
        values = [f"{name}={value}" for name, value in self.values]
        return ", ".join([*values, f"num_warps={self.num_warps}", f"num_stages={self.num_stages}"])

    @staticmethod
    def of(fields: dict[str, Any]) -> Config:
        """The configuration whose fields JSON holds.

        Raises:
            KeyError, TypeError, ValueError: they are not a configuration's.
        """
        values = tuple((str(name), int(value)) for name, value in fields["values"])
        return Config(values, int(fields["num_warps"]), int(fields["num_stages"]))


@dataclass(frozen=True)
class Argument:
    """One argument of the device function: ``type`` as in Triton's signatures (``"*fp16"``,
    ``"i32"``).
    """

    name: str
    type: str
    divisible_by_16: bool = False


@dataclass(frozen=True)
class Artifact:
    """One compiled kernel, up to the text that a toolchain takes.

    ``launch``: Python source that defines, over
    the kernel's parameters (torch tensors and numbers, in launch order),

    - ``check(...)``: None, or what is wrong with the sizes of this call;
    - ``programs(...)``: the number of programs;
    - ``arguments(...)``: the device function's arguments in order, pointers as integers.

    ``reads`` and ``writes`` name the parameters that a program loads and stores.
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

    def to_json(self) -> str:
        """The artifact as text, stable across processes."""
        return json.dumps(dataclasses.asdict(self), indent=1, sort_keys=True)

    @staticmethod
    def from_json(text: str) -> Artifact:
        """The inverse of :meth:`to_json`.

        Raises:
            ValueError, KeyError, TypeError: the text is no artifact of this version.
        """
        fields: dict[str, Any] = json.loads(text)
        fields["config"] = Config.of(fields["config"])
        fields["target"] = Target(**fields["target"])
        fields["arguments"] = tuple(Argument(**argument) for argument in fields["arguments"])
        for name in ("params", "reads", "writes"):
            fields[name] = tuple(fields[name])
        return Artifact(**fields)

    @property
    def hash(self) -> str:
        """A digest of everything that decides what runs."""
        return hashlib.sha256(self.to_json().encode()).hexdigest()


@dataclass(frozen=True)
class Binary:
    """What a toolchain compiles an artifact to, and what launching it takes.

    ``code``: what the driver loads; ``entry``: the function's name in it;
    ``shared``: bytes of shared memory; ``threads``: of a program; ``scratch``: bytes of device
    memory that each program is given beside its arguments, aligned to ``scratch_alignment``.
    """

    code: bytes
    entry: str
    shared: int
    threads: int
    scratch: int = 0
    scratch_alignment: int = 1

    def to_json(self) -> str:
        """The binary as text."""
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
        return Binary(**fields)


@dataclass(frozen=True)
class Space:
    """What may be chosen for the calls of one signature.

    ``configs``: all that can run, the best guess without knowing sizes first. ``cost``: Python
    source of what a configuration costs on given arguments, which ``runtime.model`` runs.
    ``pruned``: why others were left out, each reason with how many.
    """

    configs: tuple[Config, ...]
    cost: str
    pruned: tuple[tuple[str, int], ...] = ()

    def to_json(self) -> str:
        """The space as text, stable across processes."""
        # Hundreds of configurations mostly name the same block sizes.
        rows = [(tuple(name for name, _ in config.values), config) for config in self.configs]
        names = list(dict.fromkeys(names for names, _ in rows))
        places = {names: place for place, names in enumerate(names)}
        configs = [
            [places[named], [value for _, value in one.values], one.num_warps, one.num_stages]
            for named, one in rows
        ]
        fields = {"configs": configs, "cost": self.cost, "names": names, "pruned": self.pruned}
        return json.dumps(fields, sort_keys=True)

    @staticmethod
    def from_json(text: str) -> Space:
        """The inverse of :meth:`to_json`.

        Raises:
            ValueError, KeyError, TypeError: the text is no space of this version.
        """
        fields: dict[str, Any] = json.loads(text)
        names = {
            place: [str(name) for name in names] for place, names in enumerate(fields["names"])
        }
        configs = tuple(
            Config(tuple(zip(names[place], map(int, values), strict=True)), int(warps), int(stages))
            for place, values, warps, stages in fields["configs"]
        )
        pruned = tuple((str(reason), int(count)) for reason, count in fields["pruned"])
        return Space(configs, str(fields["cost"]), pruned)
