"""Collection of all texts of one kernel's compilation, from the frontend to machine code."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute

from ninetoothed.artifacts.artifact import Artifact
from ninetoothed.artifacts.configuration import Config
from ninetoothed.artifacts.signature import Signature
from ninetoothed.artifacts.target import Target
from ninetoothed.backend.emit import emit
from ninetoothed.compiler.compile import build, lower, symbolic_steps
from ninetoothed.definition.definition import Definition
from ninetoothed.errors import ConfigurationError, DeviceError, collect_warnings
from ninetoothed.ir import nt
from ninetoothed.passes.pipeline import SPECIALIZED, Step, steps
from ninetoothed.runtime.toolchain.inspection import inspect
from ninetoothed.view.listing import Listing
from ninetoothed.view.machine_lines import machine_listing
from ninetoothed.view.module_lines import module_listing


@dataclass(frozen=True)
class Snapshot:
    """The IR behind a pass, or the frontend's, before any, and the ``milliseconds`` that it took;
    ``stage``: the one that it completes.
    """

    pass_name: str
    stage: str | None
    listing: Listing
    milliseconds: float


@dataclass(frozen=True)
class Compilation:
    """The compilation of a kernel for a target and a configuration.

    ``assumed``: lines on what no call has fixed. ``full``: it is the kernel for calls in which all
    guards hold. ``machine``: listings of the stages of the target's compiler, by name, and
    ``texts`` as it made them; ``missing``: why there are none. ``registers`` of a thread,
    ``spills``, and bytes of ``shared`` memory are None where they are not known.
    """

    artifact: Artifact
    signature: Signature
    assumed: tuple[str, ...]
    full: bool
    snapshots: tuple[Snapshot, ...]
    remarks: tuple[nt.Remark, ...]
    machine: Mapping[str, Listing] = field(default_factory=dict[str, Listing])
    texts: Mapping[str, str] = field(default_factory=dict[str, str])
    missing: str = ""
    registers: int | None = None
    spills: int | None = None
    shared: int | None = None

    @property
    def listings(self) -> Iterator[tuple[str, Listing]]:
        """All listings, by the names of passes and of stages of the target's compiler."""
        yield from ((snapshot.pass_name, snapshot.listing) for snapshot in self.snapshots)
        yield from self.machine.items()


def collect(
    definition: Definition,
    signature: Signature,
    config: Config,
    target: Target,
    full: bool = False,
    assumed: str = "",
) -> Compilation:
    """Compile a kernel and keep all texts; ``full``: for the calls in which all guards hold;
    ``assumed``: a comment on what no call has fixed.

    Raises:
        NineToothedError: the kernel is wrong for this configuration.
    """
    pipeline = definition.pipeline
    rows = (*symbolic_steps(signature, pipeline=pipeline), *steps(SPECIALIZED, None, pipeline))
    watch = _Watch(rows)
    # The kernel has warned of what there is to warn of.
    with collect_warnings():
        module = build(definition, signature, [watch.observe], config, remarks=True)
    lowered = lower(module, signature, config, [watch.observe], target, full, pipeline)
    remarks = tuple(nt.remarks_of(lowered))
    artifact = emit(lowered, target.back_end.languages[0], target, config, full)
    lines = tuple(line.removeprefix("// ") for line in assumed.splitlines())
    found = (artifact, signature, lines, full, tuple(watch.snapshots), remarks)
    try:
        made = inspect(artifact, target.stages)
    except (ConfigurationError, DeviceError) as error:
        return Compilation(*found, missing=error.message)
    files = dict.fromkeys(
        file
        for snapshot in watch.snapshots
        for places in snapshot.listing.places
        for file, _ in places or ()
    )
    machine = {name: machine_listing(name, text, files) for name, text in made.texts.items()}
    return Compilation(*found, machine, made.texts, "", made.registers, made.spills, made.shared)


class _Watch:
    """Keeps a snapshot of what the frontend made, and behind each step of the pipeline."""

    def __init__(self, pipeline: Sequence[Step]) -> None:
        self.snapshots: list[Snapshot] = []
        self._stages: Iterator[str | None] = iter([None, *(step.stage for step in pipeline)])
        self._start = time.perf_counter()

    def observe(self, name: str, module: ModuleOp) -> None:
        milliseconds = (time.perf_counter() - self._start) * 1000
        remarks = _taken_remarks(module)
        found = Snapshot(name, next(self._stages), module_listing(module), milliseconds)
        self.snapshots.append(found)
        for op, attribute in zip(module.ops, remarks, strict=True):
            if attribute is not None:
                op.attributes[nt.REMARKS] = attribute
        self._start = time.perf_counter()


def _taken_remarks(module: ModuleOp) -> list[Attribute | None]:
    """The remarks of each op of a module, taken from it: the page shows them elsewhere."""
    return [op.attributes.pop(nt.REMARKS, None) for op in module.ops]
