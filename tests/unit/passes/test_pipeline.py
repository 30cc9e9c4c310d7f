"""The registry of passes and the pipeline's runner: reports of failures, locations kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException, VerifyException

from ninetoothed.compiler.compile import context
from ninetoothed.errors import CompilerError, Loc
from ninetoothed.ir.locations import loc_of
from ninetoothed.ir.stages import STAGES
from ninetoothed.passes import available_passes, find_pass, pass_names
from ninetoothed.passes.pipeline import ANNOTATED, SPECIALIZED, SYMBOLIC, Step, run, steps

KERNEL = """
nt.kernel @k symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32> loc("user.py":1:1)
  %0 = nt.tile %x [48] strides [48] dilation [1] floor false level 0 : !nt.tensor<[n] x f32>
      -> !nt.tensor<[n ceildiv 48] x !nt.tensor<[48] x f32>> loc("user.py":2:1)
  nt.arranged %0 : !nt.tensor<[n ceildiv 48] x !nt.tensor<[48] x f32>> loc("user.py":3:1)
} apply {
^bb0(%a : !nt.tensor<[48] x f32>):
  %v = nt.load %a[] : !nt.tensor<[48] x f32>[] -> !nt.tensor<[48] x f32> loc("user.py":4:1)
  %e = nt.elementwise "exp"(%v)
      : (!nt.tensor<[48] x f32>) -> !nt.tensor<[48] x f32> loc("user.py":5:1)
  %s = nt.reduce "sum" %e axis 0 : !nt.tensor<[48] x f32> -> f32 loc("user.py":6:1)
  %f = nt.full %s : f32 -> !nt.tensor<[48] x f32> loc("user.py":7:1)
  nt.store %f, %a[] : !nt.tensor<[48] x f32>, !nt.tensor<[48] x f32>[] loc("user.py":8:1)
  nt.return loc("user.py":9:1)
} loc("user.py":10:1)
"""


def module() -> ModuleOp:
    return Parser(context(), KERNEL).parse_module()


@dataclass(frozen=True)
class BreakingPass(ModulePass):
    """Leaves a module that does not verify: the load has no type that fits."""

    name: ClassVar[str] = "nt-breaking"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for inner in op.walk():
            if inner.name == "nt.source":
                del inner.properties["strides"]


def test_every_name_has_its_pass() -> None:
    for name, factory in available_passes().items():
        assert factory().name == name
        assert find_pass(name) is factory()


def test_an_unknown_pass_is_a_key_error() -> None:
    with pytest.raises(KeyError, match="nt-nope"):
        find_pass("nt-nope")


def test_the_pipeline_goes_through_the_stages_in_order() -> None:
    stages = [stage for stage, _ in (*SYMBOLIC, *SPECIALIZED)]
    assert stages == list(STAGES)
    used = {name for _, names in (*ANNOTATED, *SPECIALIZED) for name in names}
    # In text, a check stands behind each stage.
    assert used | {"nt-check-stage"} == set(pass_names())


def test_stages_are_held() -> None:
    (pad,) = (step for step in steps(SPECIALIZED) if step.stage == "padded")
    with pytest.raises(CompilerError, match=r"nt\.tile may not appear in stage padded"):
        run(context(), module(), [pad])


def test_invalid_modules_are_found_where_they_are_made() -> None:
    with pytest.raises(
        CompilerError, match="pass nt-breaking: after nt-breaking the IR is not valid"
    ):
        run(context(), module(), [Step(BreakingPass())], verifying=True)


def test_without_verification_the_message_says_how_to_get_a_reproducer() -> None:
    lower = Step(find_pass("nt-lower-to-tt")())
    with pytest.raises(CompilerError, match="set NINETOOTHED_VERIFY_IR=1"):
        run(context(), module(), [lower])


@dataclass(frozen=True)
class RaisingPass(ModulePass):
    """Raises what Python and xDSL raise."""

    name: ClassVar[str] = "nt-raising"

    kind: str

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        kinds: dict[str, Exception] = {
            "failed": PassFailedException("there are two kernels"),
            "verify": VerifyException("nt.tensor: size -1 is negative"),
            "recursion": RecursionError("maximum recursion depth exceeded"),
            "key": KeyError("n"),
        }
        raise kinds[self.kind]


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("failed", "pass nt-raising: there are two kernels{where}"),
        ("verify", "pass nt-raising: nt.tensor: size -1 is negative{where}"),
        (
            "recursion",
            "pass nt-raising: the module, or an expression in it, is nested too deeply{where}",
        ),
        (
            "key",
            # A pass that is none of ours is no bug of the compiler.
            "pass nt-raising failed with KeyError: 'n'{where}",
        ),
    ],
)
def test_what_passes_raise_has_a_place(kind: str, message: str) -> None:
    with pytest.raises(CompilerError) as caught:
        run(context(), module(), [Step(RaisingPass(kind))])
    where = "; set NINETOOTHED_VERIFY_IR=1 for a file that reproduces it"
    assert caught.value.message == message.format(where=where)
    assert caught.value.loc == Loc("user.py", 10, 0)


def test_a_pass_that_fails_in_a_wrong_stage_names_the_op() -> None:
    # The kernel's meta-operations are composed before anything is scheduled.
    with pytest.raises(CompilerError) as caught:
        run(context(), module(), [Step(RaisingPass("key"), "scheduled")])
    assert caught.value.message.startswith(
        "pass nt-raising cannot take nt.tile, which appears nowhere before scheduled; set"
    )
    assert caught.value.loc is not None
    assert caught.value.loc.line == 2


def test_every_pass_keeps_the_users_locations() -> None:
    seen: dict[str, int] = {}

    def observe(name: str, now: ModuleOp) -> None:
        (kernel,) = now.body.ops
        lost = [op.name for op in kernel.walk() if loc_of(op.location) is None]
        assert not lost, f"after {name}"
        seen[name] = len(list(kernel.walk()))

    pipeline = [*steps(SYMBOLIC), *steps(SPECIALIZED)]
    run(context(), module(), pipeline, [observe], verifying=True)
    assert set(seen) == {step.pass_.name for step in pipeline}


def test_passes_give_one_text_for_one_module() -> None:
    first, second = module(), module()
    for one in (first, second):
        run(context(), one, [*steps(SYMBOLIC), *steps(SPECIALIZED)])
    assert str(first) == str(second)
