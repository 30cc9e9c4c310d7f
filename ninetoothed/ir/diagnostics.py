"""Diagnostics: errors at the locations of ops."""

from __future__ import annotations

from typing import TypeVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.traits import NoTerminator
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
        for region in op.regions:
            if len(region.blocks) == 1 and not region.block.ops and not op.has_trait(NoTerminator):
                return op, f"{op.name}: a region is empty, and needs a terminator"
        try:
            op.verify(verify_nested_ops=False)
            _verify_arms(op)
        except VerifyException as error:
            return error.op if isinstance(error, InvalidOpError) else op, str(error)
        except Exception as error:
            return _outer_cause(op, error)
    return None


def _verify_arms(op: Operation) -> None:
    """Verify that the arms of an ``scf.if`` yield its results, which xDSL does not ask.

    Raises:
        VerifyException: an arm is missing, or yields others.
    """
    # By name: modules without one do not import the dialect.
    if op.name != "scf.if":
        return
    results = tuple(op.result_types)
    for name, region in zip(("then", "else"), op.regions, strict=True):
        last = region.block.last_op if region.blocks else None
        yielded = () if last is None else tuple(last.operand_types)
        if yielded != results:
            raise VerifyException(
                f"scf.if: the {name} arm yields {len(yielded)} values, which are not of the number "
                f"and the types of the {len(results)} results"
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
