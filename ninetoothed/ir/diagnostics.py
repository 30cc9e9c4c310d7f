"""Diagnostics: errors at the locations of ops."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

from xdsl.dialects.builtin import ModuleOp, UnregisteredOp
from xdsl.ir import Operation, SSAValue
from xdsl.traits import IsTerminator, NoTerminator
from xdsl.utils.exceptions import VerifyException

from ninetoothed.errors import CompilerError, NineToothedError
from ninetoothed.ir.definitions import InvalidOpError
from ninetoothed.ir.locations import place_of
from ninetoothed.language.registry import Registry

_Handler = TypeVar("_Handler")


def fail(
    op: Operation, message: str, error: type[NineToothedError] = NineToothedError
) -> NineToothedError:
    """An error at the location of ``op``, to be raised."""
    return error(message, place_of(op.location))


def handler_of(table: Registry[type[Operation], _Handler], op: Operation) -> _Handler:
    """The handler of an op in ``table``, by its class.

    Raises:
        CompilerError: there is none; with the op's location.
    """
    try:
        return table[type(op)]
    except CompilerError as error:
        error.loc = place_of(op.location)
        raise


def verify(module: ModuleOp, after: str) -> None:
    """Verify a module; ``after`` names the pass that made it.

    Raises:
        CompilerError: it is not valid, which is a bug of the compiler; at the op that is not.
    """
    found = invalid(module)
    if found is not None:
        op, message = found
        raise fail(op, f"after {after} the IR is not valid: {message}", CompilerError)


def invalid(module: ModuleOp) -> tuple[Operation, str] | None:
    """The first op of a module that is not valid, inner ones first, and why; None: all are.

    Other than for xDSL, what an op uses must be defined before it.
    """
    found = _used_too_early(module, set())
    if found is not None:
        return found
    for op in module.walk(region_first=True):
        reason = _misplaced(op) or _empty_region(op)
        if reason is not None:
            return op, reason
        try:
            op.verify(verify_nested_ops=False)
            _verify_flow(op)
        except VerifyException as error:
            return error.op if isinstance(error, InvalidOpError) else op, str(error)
        except Exception as error:
            return _outer_cause(op, error)
    return None


# By name: modules without them do not import these dialects.
_ENDS: Mapping[str, Sequence[tuple[str, str]]] = {
    "nt.kernel": (("the arrangement", "nt.arranged"), ("the application", "nt.return")),
    "nt.reduce_by": (("the region", "nt.yield"),),
    "nt.scan_by": (("the region", "nt.yield"),),
    "scf.for": (("the body", "scf.yield"),),
    "scf.if": (("the then arm", "scf.yield"), ("the else arm", "scf.yield")),
    "scf.while": (("the condition", "scf.condition"), ("the body", "scf.yield")),
    "tt.func": (("the body", "tt.return"),),
    "tt.reduce": (("the region", "tt.reduce.return"),),
    "tt.scan": (("the region", "tt.scan.return"),),
}
"""What each region is called, and the terminator that it must end in."""
_OUTERMOST = ("nt.kernel", "tt.func")


def _misplaced(op: Operation) -> str | None:
    """Why an op may not stand where it does: xDSL points at the op around it, or allows it."""
    parent, region = op.parent_op(), op.parent_region()
    if parent is None or region is None:
        return None
    if parent.name not in _ENDS:
        # Of an unregistered op nothing is known; xDSL says that it has every trait.
        is_known = not isinstance(op, UnregisteredOp)
        if is_known and parent.has_trait(NoTerminator) and op.has_trait(IsTerminator):
            return f"{op.name} ends a region, and may not stand in {parent.name}"
        return None
    if op.name in _OUTERMOST:
        return f"{op.name} may not stand in {parent.name}; it stands in the module alone"
    found = _end(parent, parent.regions.index(region))
    if found is not None and op.next_op is None and op.name != found[1]:
        what, end = found
        return f"{parent.name}: {what} must end in {end}, not in {op.name}"
    return None


def _empty_region(op: Operation) -> str | None:
    """Why the regions of an op are not valid: one has no ops."""
    for index, region in enumerate(op.regions):
        if len(region.blocks) != 1 or region.block.ops:
            continue
        if (found := _end(op, index)) is not None:
            what, end = found
            return f"{op.name}: {what} is empty, and must end in {end}"
        if not op.has_trait(NoTerminator):
            return f"{op.name}: a region is empty, and needs a terminator"
    return None


def _end(op: Operation, index: int) -> tuple[str, str] | None:
    """The name of a region of an op and its terminator; None of regions that are not known."""
    ends = _ENDS.get(op.name, ())
    return ends[index] if index < len(ends) else None


def _verify_flow(op: Operation) -> None:
    """Verify the values that the regions of ``scf.if`` and ``scf.while`` hand on, which xDSL does
    not ask.

    Raises:
        VerifyException: a region is missing, or hands on others.
    """
    if op.name == "scf.if":
        results = tuple(op.result_types)
        for name, region in zip(("then", "else"), op.regions, strict=True):
            last = region.block.last_op if region.blocks else None
            yielded = () if last is None else tuple(last.operand_types)
            if yielded != results:
                raise VerifyException(
                    f"scf.if: the {name} arm yields {len(yielded)} values, which are not of the "
                    f"number and the types of the {len(results)} results"
                )
    if op.name == "scf.while":
        before, after = (region.block for region in op.regions)
        condition, end = before.last_op, after.last_op
        assert condition is not None
        assert end is not None
        passed = tuple(condition.operand_types[1:])
        if not passed == tuple(after.arg_types) == tuple(op.result_types):
            raise InvalidOpError(
                condition,
                f"scf.while: the condition passes on {len(passed)} values, which are not of the "
                f"number and the types of the {len(after.args)} arguments of the body and of the "
                f"{len(op.results)} results",
            )
        if tuple(end.operand_types) != tuple(before.arg_types):
            raise InvalidOpError(
                end,
                f"scf.while: the body yields {len(end.operands)} values, which are not of the "
                f"number and the types of the {len(before.args)} arguments of the condition",
            )


def _outer_cause(op: Operation, error: Exception) -> tuple[Operation, str]:
    """Why ``op`` cannot be verified: ``error`` is none of a verifier's."""
    # xDSL prints the whole module into a note of a verifier's, and what is not valid may not print.
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, VerifyException):
            return op, str(cause)
        cause = cause.__context__
    # Verifiers may rely on the ops around them.
    parent = op.parent_op()
    while parent is not None:
        found = _own_mistake(parent)
        if found is not None:
            return found
        parent = parent.parent_op()
    return op, f"{op.name} cannot be verified: {type(error).__name__}: {error}"


def _own_mistake(op: Operation) -> tuple[Operation, str] | None:
    try:
        op.verify(verify_nested_ops=False)
    except VerifyException as error:
        return error.op if isinstance(error, InvalidOpError) else op, str(error)
    except Exception:
        # The op itself relies on those around it.
        return None
    return None


def _used_too_early(op: Operation, defined: set[SSAValue]) -> tuple[Operation, str] | None:
    """The first op below ``op`` that uses a value which is not among ``defined`` or before it."""
    for region in op.regions:
        inside: list[SSAValue] = []
        for block in region.blocks:
            inside.extend(block.args)
        defined.update(inside)
        for block in region.blocks:
            for inner in block.ops:
                for index, value in enumerate(inner.operands):
                    if value not in defined:
                        hint = f", %{value.name_hint}," if value.name_hint else ""
                        return (
                            inner,
                            f"{inner.name}: operand {index}{hint} is not defined before it",
                        )
                found = _used_too_early(inner, defined)
                if found is not None:
                    return found
                inside.extend(inner.results)
                defined.update(inner.results)
        # No other region sees what is defined in this one.
        defined.difference_update(inside)
    return None
