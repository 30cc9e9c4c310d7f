"""Passes keep the meaning of random programs, which is that of Python."""

from __future__ import annotations

from hypothesis import given

from ninetoothed.passes.pipeline import ANNOTATED, SPECIALIZED
from ninetoothed.testing.program_runs import PassTrace, arguments
from ninetoothed.testing.program_writer import Program
from ninetoothed.testing.random_programs import programs
from tests.property import reference
from tests.property.agreement import agree
from tests.support.profiles import tried


@tried(70)
@given(programs())
def test_every_pass_keeps_the_meaning(program: Program) -> None:
    pass_trace = PassTrace(program)
    passes = [name for _, names in (*ANNOTATED, *SPECIALIZED) for name in names]
    assert [name for name, _ in pass_trace.modules] == ["frontend", *passes]
    last = pass_trace.modules[0][1]
    before = pass_trace.run(last)
    for name, module in pass_trace.modules[1:]:
        # What a pass left as it was need not be run again.
        if module is last:
            continue
        last = module
        after = pass_trace.run(module)
        agree(program, before, after, f"{name} changes the meaning")
        before = after


@tried(60)
@given(programs("whole"))
def test_a_program_on_a_whole_tensor_is_its_body(program: Program) -> None:
    pass_trace = PassTrace(program)
    buffers, values = arguments(program)
    reference.run(program, values)
    agree(
        program,
        buffers,
        pass_trace.run(pass_trace.modules[0][1]),
        "the frontend differs from Python",
    )
    agree(
        program,
        buffers,
        pass_trace.run(pass_trace.final),
        "the compiled kernel differs from Python",
    )


@tried(70)
@given(programs())
def test_guards_that_hold_make_no_difference(program: Program) -> None:
    pass_trace = PassTrace(program)
    if (full := pass_trace.full) is not None:
        general = pass_trace.run(pass_trace.final)
        agree(program, general, pass_trace.run(full), "leaving out guards changes the meaning")


@tried(15)
@given(programs())
def test_compiling_twice_gives_the_same_text(program: Program) -> None:
    one, two = PassTrace(program), PassTrace(program)
    for (name, left), (_, right) in zip(one.modules, two.modules, strict=True):
        assert str(left) == str(right), name
