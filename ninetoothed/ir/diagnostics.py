"""Diagnostics: errors at the locations of ops."""

from __future__ import annotations

from typing import TypeVar

from xdsl.dialects.builtin import CallSiteLoc, FileLineColLoc, ModuleOp, NameLoc
from xdsl.ir import Attribute, Operation
from xdsl.utils.exceptions import VerifyException

from ninetoothed.errors import CompilerError, Loc, NineToothedError
from ninetoothed.language.registry import Registry

_Handler = TypeVar("_Handler")


def loc_of(location: Attribute) -> Loc | None:
    """The source location of a location attribute, with the chain of its callers."""
    if isinstance(location, FileLineColLoc):
        return Loc(location.filename.data, location.line.data, max(location.column.data - 1, 0))
    if isinstance(location, CallSiteLoc):
        callee, caller = loc_of(location.callee), loc_of(location.caller)
        if callee is None:
            return caller
        return Loc(callee.file, callee.line, callee.col, caller=caller)
    if isinstance(location, NameLoc):
        return loc_of(location.location)
    return None


def fail(
    op: Operation, message: str, error: type[NineToothedError] = NineToothedError
) -> NineToothedError:
    """An error at the location of ``op``, to be raised."""
    return error(message, loc_of(op.location))


def handler_of(table: Registry[type[Operation], _Handler], op: Operation) -> _Handler:
    """The handler of an op in ``table``, by its class.

    Raises:
        CompilerError: there is none; with the op's location.
    """
    try:
        return table[type(op)]
    except CompilerError as error:
        error.loc = loc_of(op.location)
        raise


def verify(module: ModuleOp, after: str) -> None:
    """Verify a module; ``after`` names the pass that made it.

    Raises:
        CompilerError: it is not valid, which is a bug of the compiler.
    """
    try:
        module.verify()
    except VerifyException as error:
        raise CompilerError(f"after {after} the IR is not valid: {error}") from error
