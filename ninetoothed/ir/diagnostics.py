"""Diagnostics: errors at the locations of ops."""

from __future__ import annotations

from typing import TypeVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.utils.exceptions import VerifyException

from ninetoothed.errors import CompilerError, NineToothedError
from ninetoothed.ir.locations import loc_of
from ninetoothed.language.registry import Registry

_Handler = TypeVar("_Handler")


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
