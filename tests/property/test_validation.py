"""No pass changes which elements a random program touches."""

from __future__ import annotations

from hypothesis import given

from ninetoothed.testing.program_runs import PassTrace
from ninetoothed.testing.program_writer import Program
from ninetoothed.testing.random_programs import programs
from ninetoothed.verification.translation import validate
from tests.support.profiles import tried


@tried(14)
@given(programs())
def test_no_pass_changes_an_address(program: Program) -> None:
    pass_trace = PassTrace(program)
    report = validate(pass_trace.definition, pass_trace.signature, pass_trace.config)
    assert report.cases > 0, f"{report}\n{program.source}"
