"""Remarks of a whole compilation: what the passes did to a kernel, and where they refused."""

from __future__ import annotations

from dataclasses import dataclass

from ninetoothed.artifacts.configuration import Config
from ninetoothed.artifacts.signature import Signature
from ninetoothed.artifacts.target import Target
from ninetoothed.compiler.compile import build, lower
from ninetoothed.definition.definition import Definition
from ninetoothed.errors import collect_warnings
from ninetoothed.ir import nt


@dataclass(frozen=True)
class RemarkReport:
    """The passes' remarks on one kernel, compiled for ``config``. ``str(report)`` has a line for
    each, as compilers print them. ``full``: it is the one for calls in which all guards hold.
    """

    kernel: str
    config: Config
    remarks: tuple[nt.Remark, ...]
    full: bool = False

    def of(self, kind: nt.RemarkKind) -> tuple[nt.Remark, ...]:
        """The remarks of one kind: ``"passed"``, ``"missed"`` or ``"analysis"``."""
        return tuple(remark for remark in self.remarks if remark.kind == kind)

    def __str__(self) -> str:
        full = ", all guards hold" if self.full else ""
        return "\n".join([f"kernel {self.kernel!r}: {self.config}{full}", *map(str, self.remarks)])


def remark_report(
    definition: Definition,
    signature: Signature,
    config: Config,
    target: Target,
    full: bool = False,
) -> RemarkReport:
    """The remarks of a compilation for one signature, configuration and target; ``full``: for the
    calls in which all guards hold.

    Raises:
        NineToothedError: the kernel is wrong for this configuration.
    """
    # The kernel has warned of what there is to warn of.
    with collect_warnings():
        module = build(definition, signature, config=config, remarks=True)
    pipeline = definition.pipeline
    lowered = lower(module, signature, config, target=target, full=full, pipeline=pipeline)
    return RemarkReport(definition.name, config, tuple(nt.remarks_of(lowered)), full)
