"""Every stage of a random program prints, parses and prints as before, with locations and without."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser
from xdsl.printer import Printer

from ninetoothed.compiler import context
from tests.property.programs import Program, programs
from tests.property.stages import Road
from tests.support.profiles import examples


def text_of(module: ModuleOp, locations: bool, generic: bool) -> str:
    """The module's text."""
    stream = io.StringIO()
    Printer(stream, print_debuginfo=locations, print_generic_format=generic).print_op(module)
    return stream.getvalue()


@pytest.mark.parametrize("locations", [False, True], ids=["plain", "locations"])
@examples(60)
@given(program=programs())
def test_text_is_a_fixpoint(locations: bool, program: Program) -> None:
    seen: set[str] = set()
    for name, module in Road(program).modules:
        for generic in (False, True):
            text = text_of(module, locations, generic)
            if text in seen:
                continue
            seen.add(text)
            parsed = Parser(context(), text).parse_module()
            parsed.verify()
            assert text_of(parsed, locations, generic) == text, name
            assert parsed.is_structurally_equivalent(module), name
