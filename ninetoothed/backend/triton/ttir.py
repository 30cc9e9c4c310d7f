"""TTIR emitter: MLIR's generic form with locations, which every Triton reads.

Every op and argument gets a location, since MLIR would give one without the place in the temporary
file that Triton parses. The text is written directly: attributes repeat, so each is printed once.
"""

from __future__ import annotations

import functools
import io
from collections.abc import Iterable, Mapping
from math import prod
from typing import Any, cast

from xdsl.dialects import scf
from xdsl.dialects.builtin import (
    UNKNOWN_LOC,
    ArrayAttr,
    CallSiteLoc,
    DenseIntOrFPElementsAttr,
    DictionaryAttr,
    FileLineColLoc,
    LocationAttr,
    ModuleOp,
    StringAttr,
    UnitAttr,
    UnknownLoc,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.printer import Printer

from ninetoothed.artifacts.source_names import encoded
from ninetoothed.backend.device_function import function_name
from ninetoothed.ir.attribute_memo import AttributeMemo
from ninetoothed.ir.locations import plain
from ninetoothed.ir.tt import FuncOp


def emit_ttir(module: ModuleOp) -> str:
    """``module`` without its ``nt.*`` attributes, as TTIR."""
    writer = _Writer()
    writer.operation(module, "")
    return "".join(writer.parts)


def _is_triton(name: str) -> bool:
    return not name.startswith("nt.")


class _Writer:
    def __init__(self) -> None:
        self.parts: list[str] = []
        self._stream = io.StringIO()
        self._printer = Printer(self._stream)
        self._attribute = AttributeMemo(self._text)
        self._location = AttributeMemo(lambda one: f"loc({self._place(plain(one))})")
        self._values: dict[SSAValue, str] = {}
        self._hints: dict[str, int] = {}
        self._unnamed = 0

    def operation(self, op: Operation, indent: str) -> None:
        parts = self.parts
        parts.append(indent)
        if op.results:
            parts.append(", ".join([self._define(result) for result in op.results]))
            parts.append(" = ")
        operands = ", ".join([self._values[operand] for operand in op.operands])
        parts.append(f'"{op.name}"({operands})')
        attributes: Mapping[str, Attribute] = op.attributes
        properties: Mapping[str, Attribute] = op.properties
        if isinstance(op, FuncOp | scf.ForOp):
            attributes = {key: attr for key, attr in attributes.items() if _is_triton(key)}
        if isinstance(op, FuncOp):
            properties = _for_triton(op)
        if properties:
            parts.append(f" <{self._dictionary(properties)}>")
        if op.regions:
            parts.append(" (")
            for index, region in enumerate(op.regions):
                parts.append(", " if index else "")
                self._region(region, indent)
            parts.append(")")
        if attributes:
            parts.append(f" {self._dictionary(attributes)}")
        location = op.location
        if isinstance(op, FuncOp) and isinstance(plain(location), UnknownLoc):
            location = _first_location(op)
        inputs = self._types(op.operands)
        results = self._types(op.results)
        if len(op.results) != 1:
            results = f"({results})"
        parts.append(f" : ({inputs}) -> {results} {self._location(location)}\n")

    def _region(self, region: Region, indent: str) -> None:
        self.parts.append("{\n")
        for index, block in enumerate(region.blocks):
            self._block(block, index, indent)
        self.parts.append(f"{indent}}}")

    def _block(self, block: Block, index: int, indent: str) -> None:
        if block.args:
            arguments: list[str] = []
            for argument in block.args:
                name = self._define(argument)
                location = self._location(argument.location)
                if argument.name_hint:
                    location = f'loc("{argument.name_hint}"({location[4:-1]}))'
                arguments.append(f"{name}: {self._attribute(argument.type)} {location}")
            self.parts.append(f"{indent}^bb{index}({', '.join(arguments)}):\n")
        inner = indent + "  "
        for op in block.ops:
            self.operation(op, inner)

    def _define(self, value: SSAValue) -> str:
        if hint := value.name_hint:
            # A hint never ends in a number after an underscore, so the names are distinct.
            count = self._hints.get(hint, 0)
            self._hints[hint] = count + 1
            name = f"%{hint}_{count}" if count else f"%{hint}"
        else:
            name = f"%{self._unnamed}"
            self._unnamed += 1
        self._values[value] = name
        return name

    def _types(self, values: Iterable[SSAValue]) -> str:
        return ", ".join([self._attribute(value.type) for value in values])

    def _dictionary(self, attributes: Mapping[str, Attribute]) -> str:
        entries = [
            key if isinstance(attr, UnitAttr) else f"{key} = {self._attribute(attr)}"
            for key, attr in attributes.items()
        ]
        return f"{{{', '.join(entries)}}}"

    def _text(self, attr: Attribute) -> str:
        return self._splat(attr) or self._print(attr)

    def _splat(self, attr: Attribute) -> str | None:
        """A block of equal values, of which xDSL would unpack every one."""
        value = splat_value(attr)
        if value is None:
            return None
        dense: Any = attr
        element = dense.get_element_type()
        self._start()
        if isinstance(value, int):
            self._printer.print_int(value, element)
        else:
            self._printer.print_float(value, element)
        return f"dense<{self._stream.getvalue()}> : {self._attribute(dense.get_type())}"

    def _place(self, location: Attribute) -> str:
        """What stands between the parentheses of ``loc(…)``; file names are encoded."""
        match location:
            case CallSiteLoc():
                return f"callsite({self._place(location.callee)} at {self._place(location.caller)})"
            case FileLineColLoc():
                line, column = location.line.data, location.column.data
                return f"{_quoted(location.filename.data)}:{line}:{column}"
            case _:
                return self._print(location)[4:-1]

    def _print(self, attr: Attribute) -> str:
        self._start()
        self._printer.print_attribute(attr)
        return self._stream.getvalue()

    def _start(self) -> None:
        self._stream.seek(0)
        self._stream.truncate()


@functools.lru_cache(maxsize=256)
def _quoted(name: str) -> str:
    """A file's name, encoded, as a string literal."""
    stream = io.StringIO()
    Printer(stream).print_string_literal(encoded(name))
    return stream.getvalue()


def _first_location(function: FuncOp) -> LocationAttr:
    """The first known place in ``function``, whose file debuggers take to be the function's."""
    for op in function.walk():
        location = plain(op.location)
        while isinstance(location, CallSiteLoc):
            location = location.caller
        if isinstance(location, FileLineColLoc):
            return location
    return UNKNOWN_LOC


def splat_value(attr: Attribute) -> int | float | None:
    """The value that every element of a block has, or None where they differ or it is no block."""
    if not isinstance(attr, DenseIntOrFPElementsAttr):
        return None
    # Generic over its elements, whose type is not known here.
    dense = cast(Any, attr)
    data: bytes = dense.data.data
    width = len(data) // prod(dense.get_shape())
    if data != data[:width] * (len(data) // width):
        return None
    return dense.get_element_type().unpack(data[:width], 1)[0]


def _for_triton(function: FuncOp) -> dict[str, Attribute]:
    """The function's properties, with its name in generated code, and of its arguments' attributes
    those that Triton knows.
    """
    found = dict(function.properties)
    found["sym_name"] = StringAttr(function_name(function))
    if function.arg_attrs is not None:
        found["arg_attrs"] = ArrayAttr(
            DictionaryAttr({key: attr for key, attr in entry.data.items() if _is_triton(key)})
            for entry in function.arg_attrs
        )
    return found
