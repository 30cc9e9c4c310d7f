"""Printing modules for a reader: lines of at most 120 characters, types and locations by aliases.

As in MLIR, a dialect's type that is long and occurs several times is defined above the module, and
where locations are printed each of them is::

    !input = !nt.tensor<[k ceildiv BLOCK_SIZE_K] x !nt.tensor<[BLOCK_SIZE_M, BLOCK_SIZE_K] x f16>>
    #loc = loc("matmul.py":7:9)
    builtin.module {

A type that one parameter has is named after it; one that several have is a ``block``, or a ``tile``
where it has several levels. Any other is named after the first value that has it. What parses
modules parses this text, and prints it again alike.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from typing import IO, cast

from xdsl.dialects.builtin import LocationAttr, ModuleOp, UnknownLoc
from xdsl.ir import Attribute, BuiltinAttribute, Operation, SSAValue, TypeAttribute
from xdsl.printer import Printer

from ninetoothed.ir.line_wrapping import break_line
from ninetoothed.ir.nt.arrange import SourceOp
from ninetoothed.ir.nt.attributes import TensorType

_CAST = "builtin.unrealized_conversion_cast"
_SHORT = 24
"""Characters of types that need no alias."""


def text_of(module: ModuleOp, debug_info: bool = False, local_scope: bool = False) -> str:
    """Text of a module, without a newline at its end.

    ``debug_info``: with locations. ``local_scope``: an op a line and no aliases, for what
    matches lines.
    """
    if not local_scope:
        return "\n".join(line for line, _ in lines_of(module, debug_info))
    printer = _AliasPrinter(debug_info, local_scope)
    printer.print_op(module)
    return "".join(map(str, printer.parts))


def lines_of(module: ModuleOp, debug_info: bool = False) -> list[tuple[str, Operation | None]]:
    """The lines of :func:`text_of`, each with the innermost op that it is a part of; that of an alias
    is of none.
    """
    printer = _AliasPrinter(debug_info, local_scope=False)
    printer.print_op(module)
    aliased = {key: entry for key, entry in printer.entries.items() if entry.deserves_alias}
    _name_aliases(module, aliased)
    # A type in another one's text stays before it.
    ordered = sorted(aliased.values(), key=lambda entry: entry.is_location)
    found: list[tuple[str, Operation | None]] = [
        (line, None)
        for entry in ordered
        for line in break_line(f"{entry.alias} = {entry.definition}")
    ]
    for number, line in enumerate("".join(map(str, printer.parts)).split("\n")):
        found += ((part, printer.ops[number]) for part in break_line(line))
    return found


@dataclass
class _Entry:
    """Text of a type or a location, in whose place its alias is printed, if it has one."""

    parts: _Parts
    is_location: bool
    uses: int = 0
    alias: str = ""

    @property
    def deserves_alias(self) -> bool:
        return self.is_location or (self.uses > 1 and self.length > _SHORT)

    @property
    def length(self) -> int:
        """Characters without aliases."""
        return sum(part.length if isinstance(part, _Entry) else len(part) for part in self.parts)

    @property
    def definition(self) -> str:
        return "".join(map(str, self.parts))

    def __str__(self) -> str:
        if not self.alias:
            return self.definition
        return f"loc({self.alias})" if self.is_location else self.alias


class _Parts(list["str | _Entry"]):
    """Stream of a printer; entries are written where an alias may stand."""

    def write(self, text: str) -> None:
        """Write a piece of text."""
        self.append(text)


class _AliasPrinter(Printer):
    """Printer of text that leaves open what has an alias.

    ``entries`` are in the order of definitions: what another one has in it comes before. ``ops`` are
    the innermost ops that are printed on each line or a part of it.
    """

    def __init__(self, debug_info: bool, local_scope: bool) -> None:
        super().__init__(print_debuginfo=debug_info)
        self._local_scope = local_scope
        self.entries: dict[Attribute, _Entry] = {}
        self.ops: dict[int, Operation] = {}
        self.parts = _Parts()
        self._record(self.parts)

    def _record(self, parts: _Parts) -> _Parts:
        """Print to ``parts`` from now on; returns those until now."""
        before, self.parts = self.parts, parts
        self.stream = cast("IO[str]", parts)
        return before

    def print_string(self, text: str, *, indent: int | None = None) -> None:
        # Nearly all text; xDSL's takes longer.
        if "\n" in text:
            super().print_string(text, indent=indent)
        else:
            self.parts.append(text)

    def print_op(self, op: Operation) -> None:
        first = self._current_line
        super().print_op(op)
        # Ops inside of it are there already.
        for line in range(first, self._current_line + 1):
            self.ops.setdefault(line, op)

    def print_attribute(self, attribute: Attribute) -> None:
        if self._local_scope or not self._may_have_alias(attribute):
            super().print_attribute(attribute)
            return
        entry = self.entries.get(attribute)
        if entry is None:
            outer = self._record(_Parts())
            super().print_attribute(attribute)
            entry = _Entry(self._record(outer), isinstance(attribute, LocationAttr))
            self.entries[attribute] = entry
        entry.uses += 1
        self.parts.append(entry)

    def _may_have_alias(self, attribute: Attribute) -> bool:
        if not isinstance(attribute, BuiltinAttribute):
            return isinstance(attribute, TypeAttribute)
        # A location within another has no `loc` around it.
        return (
            isinstance(attribute, LocationAttr)
            and self.print_debuginfo
            and not self.printing_location
            and not isinstance(attribute, UnknownLoc)
        )


def _name_aliases(module: ModuleOp, entries: dict[Attribute, _Entry]) -> None:
    """Give entries aliases, no two alike.

    They are made of values' names and of the order of the text, which parsing keeps.
    """
    parameters, values = _parameters(module), _first_values(module)
    names = _Names()
    # First, so that no other type has the name of a parameter.
    for attribute, hints in parameters.items():
        if attribute in entries:
            hint = hints[0] if len(hints) == 1 else _kind(attribute)
            entries[attribute].alias = f"!{names.take(hint)}"
    for attribute, entry in entries.items():
        if not entry.alias and not entry.is_location:
            entry.alias = f"!{names.take(*values.get(attribute, [_kind(attribute)]))}"
    locations = (entry for entry in entries.values() if entry.is_location)
    for number, entry in enumerate(locations):
        entry.alias = f"#loc{number or ''}"


class _Names:
    """Names that are taken."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def take(self, *wanted: str) -> str:
        """The first of ``wanted`` that is free, or else the last with a number."""
        names = [re.sub(r"\W", "_", name) for name in wanted]
        # `x1_1`, lest it read as eleven.
        separator = "_" if names[-1][-1].isdigit() else ""
        numbered = (f"{names[-1]}{separator}{number}" for number in itertools.count(1))
        candidates = itertools.chain(names, numbered)
        name = next(name for name in candidates if name not in self._taken)
        self._taken.add(name)
        return name


def _kind(attribute: Attribute) -> str:
    """A name for a type of any value."""
    if isinstance(attribute, TensorType):
        return "tile" if isinstance(attribute.element_type, TensorType) else "block"
    return _mnemonic(attribute.name)


def _mnemonic(name: str) -> str:
    """The name of an op or an attribute in its dialect."""
    return "cast" if name == _CAST else name.partition(".")[2]


def _parameters(module: ModuleOp) -> dict[Attribute, list[str]]:
    """The names of kernels' parameters, by type."""
    found: dict[Attribute, list[str]] = {}
    for op in module.ops:
        for region in op.regions:
            for argument in () if region.blocks.first is None else region.blocks.first.args:
                names = found.setdefault(argument.type, [])
                if argument.name_hint is not None and argument.name_hint not in names:
                    names.append(argument.name_hint)
    return {type: names for type, names in found.items() if names}


def _first_values(module: ModuleOp) -> dict[Attribute, list[str]]:
    """Names of the first value of each type, best first: of the first one that has a name, if one
    has.
    """
    named: dict[Attribute, list[str]] = {}
    unnamed: dict[Attribute, list[str]] = {}
    for op in module.walk():
        kind = _mnemonic(op.name)
        blocks = (block for region in op.regions for block in region.blocks)
        for value in (*op.results, *(argument for block in blocks for argument in block.args)):
            if value.name_hint is not None:
                names = [value.name_hint, f"{value.name_hint}_{kind}"]
                # Its tile's type has the parameter's name alone.
                named.setdefault(value.type, names[isinstance(op, SourceOp) :])
            elif value.type not in unnamed:
                origin = _nearest_name(value)
                unnamed[value.type] = [kind if origin is None else f"{origin}_{kind}"]
    return unnamed | named


def _nearest_name(value: SSAValue) -> str | None:
    """The name of what a value is made of, first operand by first operand."""
    seen: set[SSAValue] = set()
    # IR that is wrong may have an op among its own operands.
    while value.name_hint is None and value not in seen:
        seen.add(value)
        owner = value.owner
        if not isinstance(owner, Operation) or not owner.operands:
            return None
        value = owner.operands[0]
    return value.name_hint
