"""Every stage of a random program prints, parses and prints alike, with locations and without."""

from __future__ import annotations

import io

from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser
from xdsl.printer import Printer

from ninetoothed.compiler.compile import context
from ninetoothed.testing.program_runs import PassTrace
from ninetoothed.testing.program_writer import Program
from ninetoothed.testing.random_programs import programs
from tests.support.profiles import tried


def text_of(module: ModuleOp, locations: bool, generic: bool) -> str:
    """The module's text."""
    stream = io.StringIO()
    Printer(stream, print_debuginfo=locations, print_generic_format=generic).print_op(module)
    return stream.getvalue()


@tried(14)
@given(programs(), st.booleans(), st.booleans())
def test_text_is_a_fixpoint(program: Program, locations: bool, generic: bool) -> None:
    seen: set[str] = set()
    for name, module in PassTrace(program).modules:
        text = text_of(module, locations, generic)
        if text in seen:
            continue
        seen.add(text)
        parsed = Parser(context(), text).parse_module()
        parsed.verify()
        assert text_of(parsed, locations, generic) == text, name
        assert parsed.is_structurally_equivalent(module), name
