"""Remarks: what optimising passes did and where they refused, kept at the kernel.

A kernel whose attribute ``nt.remarks`` is there, empty at first, collects them; any other does not,
and costs nothing. They go along through clones, texts and reproducers, to the device function, and
no back end emits them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, cast, get_args

from xdsl.dialects.builtin import ArrayAttr, ModuleOp
from xdsl.ir import Data, Operation
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer

from ninetoothed.errors import Loc
from ninetoothed.ir.locations import loc_of, location, plain
from ninetoothed.ir.nt.arrange import KernelOp
from ninetoothed.ir.nt.attributes import parse_text, print_text
from ninetoothed.ir.tt.functions import FuncOp

RemarkKind = Literal["passed", "missed", "analysis"]
"""As in LLVM: a pass changed something; it refused, for want of a fact; a fact that it found."""

REMARKS = "nt.remarks"
"""The attribute of kernels and device functions."""


@dataclass(frozen=True)
class Remark:
    """A remark of a pass, of the place ``loc`` of the user's; None: of the whole kernel.

    Its text is that of a compiler's diagnostic::

        kernel.py:7:9: remark: loop kept: `x` may share memory with `y` [nt-stage-loops, missed]
    """

    kind: RemarkKind
    pass_name: str
    message: str
    loc: Loc | None = None

    def __str__(self) -> str:
        lines = [f"{_place(self.loc)}remark: {self.message} [{self.pass_name}, {self.kind}]"]
        caller = None if self.loc is None else self.loc.caller
        while caller is not None:
            lines.append(f"{_place(caller)}note: called from here")
            caller = caller.caller
        return "\n".join(lines)


def _place(loc: Loc | None) -> str:
    return "" if loc is None else f"{loc.file}:{loc.line}:{loc.col + 1}: "


@irdl_attr_definition
class RemarkAttr(Data[Remark]):
    """``#nt.remark<missed "nt-stage-loops" "loop kept: …" loc("kernel.py":7:9)>``."""

    name = "nt.remark"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> Remark:
        with parser.in_angle_brackets():
            kind = parser.parse_identifier(" of a remark")
            if kind not in get_args(RemarkKind):
                parser.raise_error(
                    f"a remark is one of {', '.join(get_args(RemarkKind))}, not {kind}"
                )
            pass_name, message = parser.parse_str_literal(), parse_text(parser)
            place = parser.parse_optional_location()
        return Remark(
            cast("RemarkKind", kind), pass_name, message, None if place is None else loc_of(place)
        )

    def print_parameter(self, printer: Printer) -> None:
        remark = self.data
        printer.print_string(f"<{remark.kind} ")
        printer.print_string_literal(remark.pass_name)
        printer.print_string(" ")
        print_text(printer, remark.message)
        if remark.loc is not None:
            printer.print_string(" ")
            printer.print_attribute(location(remark.loc))
        printer.print_string(">")


class RemarkEmitter:
    """Emitter of one pass's remarks on a kernel or a device function; false where that does not
    collect any.

    A message that takes time to build is built under ``if remarks:``. It begins with what was done
    or kept, then says why, or which fact was missing; names of the user's stand in backticks::

        remarks = nt.RemarkEmitter(kernel, self.name)
        remarks.passed(loop, "loop staged: 3 iterations are at work at once")
        remarks.missed(loop, "loop kept: `weight` may share memory with `output`")
    """

    def __init__(self, kernel: Operation, pass_name: str) -> None:
        self._kernel = kernel
        self._pass_name = pass_name
        self._collects = REMARKS in kernel.attributes

    def __bool__(self) -> bool:
        return self._collects

    def passed(self, op: Operation, message: str) -> None:
        """Emit what the pass did at ``op``."""
        self._emit("passed", op, message)

    def missed(self, op: Operation, message: str) -> None:
        """Emit what the pass did not do at ``op``, and the fact that was missing."""
        self._emit("missed", op, message)

    def analysis(self, op: Operation, message: str) -> None:
        """Emit a fact that the pass found at ``op``, which is for or against nothing."""
        self._emit("analysis", op, message)

    def _emit(self, kind: RemarkKind, op: Operation, message: str) -> None:
        if not self._collects:
            return
        new = RemarkAttr(Remark(kind, self._pass_name, message, loc_of(plain(op.location))))
        known = _attributes(self._kernel)
        # Copies of an op, as in unrolled loops, say the same.
        if new not in known:
            self._kernel.attributes[REMARKS] = ArrayAttr([*known, new])


def collect_remarks(module: ModuleOp) -> None:
    """Let each kernel and each device function of ``module`` collect remarks from now on, behind
    those that it has.
    """
    for op in module.ops:
        if isinstance(op, KernelOp | FuncOp):
            op.attributes.setdefault(REMARKS, ArrayAttr[RemarkAttr]([]))


def remarks_of(module: ModuleOp) -> list[Remark]:
    """The remarks on the kernels of ``module``, in any stage: pass by pass, and of each pass in the
    order in which it came upon them.
    """
    return [attribute.data for op in module.ops for attribute in _attributes(op)]


def _attributes(op: Operation) -> tuple[RemarkAttr, ...]:
    found = op.attributes.get(REMARKS)
    return () if found is None else cast("ArrayAttr[RemarkAttr]", found).data
