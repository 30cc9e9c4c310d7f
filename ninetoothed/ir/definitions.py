"""Definitions of dialects: base classes of ops, and the ops and attributes of modules."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TypeVar, cast

from xdsl.dialects.builtin import BoolAttr, IntegerAttr
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import IRDLOperation, prop_def, traits_def, var_operand_def
from xdsl.traits import EffectInstance, IsTerminator, MemoryEffect, MemoryEffectKind, Pure
from xdsl.utils.exceptions import VerifyException

_T = TypeVar("_T")


class InvalidOpError(VerifyException):
    """An op below the one that is verified is not valid; errors point at it."""

    def __init__(self, op: Operation, message: str) -> None:
        super().__init__(message)
        self.op = op


class PureOp(IRDLOperation):
    """Base class of ops without effects on memory."""

    traits = traits_def(Pure())


class CombineTerminator(IRDLOperation):
    """Base class of the terminators of combine regions."""

    values = var_operand_def()

    traits = traits_def(IsTerminator(), Pure())

    assembly_format = "$values attr-dict `:` type($values)"

    def __init__(self, values: Sequence[SSAValue | Operation]) -> None:
        super().__init__(operands=[values])


class _EffectsUnlessPure(MemoryEffect):
    """Memory effects: reads and writes, unless the op's property ``pure`` is set."""

    @classmethod
    def get_effects(cls, op: Operation) -> set[EffectInstance]:
        if bool(cast("BoolAttr", op.properties["pure"])):
            return set()
        return {EffectInstance(MemoryEffectKind.READ), EffectInstance(MemoryEffectKind.WRITE)}


class EffectsOfLoad(MemoryEffect):
    """Memory effects of a load: it reads. One that is volatile counts as a write, too, as Triton has
    it: each stays, in its place.
    """

    @classmethod
    def get_effects(cls, op: Operation) -> set[EffectInstance]:
        # A flag of one dialect, a bool of the other.
        volatile = op.properties.get("volatile") or op.properties.get("isVolatile")
        if volatile is None or (isinstance(volatile, IntegerAttr) and not volatile.value.data):
            return {EffectInstance(MemoryEffectKind.READ)}
        return {EffectInstance(MemoryEffectKind.READ), EffectInstance(MemoryEffectKind.WRITE)}


class InlineAssembly(IRDLOperation):
    """Base class of inline assembly, which says itself if it is pure."""

    pure = prop_def(BoolAttr)

    traits = traits_def(_EffectsUnlessPure())


def ops_of(package: str) -> list[type[IRDLOperation]]:
    """The op classes of a module, or of the imported modules of a package."""
    return _defined(IRDLOperation, package)


def attributes_of(package: str) -> list[type[Attribute]]:
    """The attribute classes, likewise."""
    return _defined(Attribute, package)


def _defined(base: type[_T], package: str) -> list[type[_T]]:
    modules = [m for name, m in sys.modules.items() if f"{name}.".startswith(f"{package}.")]
    return [
        value
        for module in modules
        for value in vars(module).values()
        # Not `issubclass`, which asks all classes that derive from the base, where it is abstract.
        if isinstance(value, type) and base in value.__mro__
        # Base classes have no name.
        if value.__module__ == module.__name__ and hasattr(value, "name")
    ]
