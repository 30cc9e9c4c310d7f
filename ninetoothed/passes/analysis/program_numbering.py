"""Program numbering of a kernel's parameters, by what the application does with them."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from ninetoothed.artifacts.signature import Agreement
from ninetoothed.ir import nt
from ninetoothed.layout.meta_op import Sizes
from ninetoothed.layout.numbering import Numbering, Use, numbering

_READS = (nt.LoadOp, nt.StoredOp, nt.GuardOp)


def use_of(argument: SSAValue) -> Use:
    """What the application does with a parameter's elements through its arrangement."""
    found: set[Use] = set()
    for use in argument.uses:
        match use.operation:
            case nt.StoreOp():
                found.add("write")
            case nt.AddressOp() as op:
                pointers = [use.operation for use in op.pointers.uses]
                found.update(
                    "read" if isinstance(one, nt.PointerLoadOp) else "write" for one in pointers
                )
            case nt.OffsetsOp():
                found.add("offsets")
            case op if isinstance(op, _READS):
                found.add("read")
            case _:
                pass
    if {"read", "write"} <= found:
        return "update"
    strongest: tuple[Use, ...] = ("write", "read", "offsets")
    for use in strongest:
        if use in found:
            return use
    return "none"


def numberings(
    kernel: nt.KernelOp, shapes: Sequence[Sizes], agreement: Agreement
) -> list[Numbering | None]:
    """The numberings of a kernel's parameters, whose outermost levels have ``shapes``; None for
    numbers, for the first tensor, and where jagged tensors ask for equal shapes.
    """
    found: list[Numbering | None] = []
    first: tuple[nt.SourceOp, Sizes] | None = None
    for argument, source, shape in zip(
        kernel.apply.block.args, kernel.sources, shapes, strict=True
    ):
        known: Numbering | None = None
        if source.kind.data == "tensor":
            if first is None:
                first = source, shape
            elif source.jagged is None:
                use = use_of(argument)
                # By programs of a jagged tensor, only what is not accessed may have another shape.
                if first[0].jagged is None or use == "none":
                    known = numbering(first[1], shape, use, agreement, kernel.assumptions)
        found.append(known)
    return found


def arranged_shapes(kernel: nt.KernelOp) -> list[Sizes]:
    """The shapes of the outermost levels as they are arranged."""
    return [nt.shape_of(value.type) for value in kernel.arranged.values]
