"""Passes of other packages in the pipeline: where they run, and what goes wrong there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.passes import ModulePass

from ninetoothed.compiler.compile import context
from ninetoothed.errors import ArgumentError, CompilerError, NineToothedError, PluginError
from ninetoothed.ir import nt, tt
from ninetoothed.ir.optimization import Choice
from ninetoothed.ir.parsing import parse_module
from ninetoothed.passes import FunctionPass, KernelPass, Pipeline, pass_names, register
from ninetoothed.passes.pipeline import (
    OPTIONAL,
    SPECIALIZED,
    SYMBOLIC,
    parse_steps,
    pipeline_text,
    run,
    steps,
)
from ninetoothed.plugins.edited_pipeline import BoundPipeline, PipelineLike, bound
from ninetoothed.tools.nt_opt import main as nt_opt
from tests.support.outside import own_registry
from tests.unit.passes.test_pipeline import module

EVERY = (*SYMBOLIC, *SPECIALIZED)


@pytest.fixture(autouse=True)
def registry() -> Iterator[None]:
    with own_registry():
        yield


def kind(name: str, **attributes: Any) -> type[KernelPass]:
    """A pass that does nothing."""

    def apply_to(self: KernelPass, kernel: nt.KernelOp) -> None:
        return None

    given = {"name": name, "apply_to": apply_to, "__annotations__": {"factor": int}, "factor": 1}
    found = type("SomePass", (KernelPass,), {**given, **attributes, "__module__": __name__})
    found.__qualname__ = name
    return dataclass(frozen=True)(found)


def made(pipeline: PipelineLike) -> BoundPipeline | None:
    return bound(pipeline, pass_names())


def names(pipeline: PipelineLike) -> list[str]:
    """The passes around those of others; a stage behind the one that completes it."""
    row: list[str] = []
    for step in steps(EVERY, pipeline=made(pipeline)):
        row += [step.pass_.name, *([step.stage] if step.stage else [])]
    places = [index for index, name in enumerate(row) if name.startswith("my-")]
    return row[places[0] - 2 : places[-1] + 3]


def wrong(pipeline: PipelineLike, error: type[NineToothedError] = ArgumentError) -> str:
    with pytest.raises(error) as caught:
        steps(EVERY, pipeline=made(pipeline))
    return caught.value.message


@pytest.mark.parametrize(
    ("place", "around"),
    [
        (
            {"after": "nt-pad-blocks"},
            ["specialized", "nt-pad-blocks", "my-one", "nt-fit-target", "padded"],
        ),
        (
            {"before": "nt-pad-blocks"},
            ["nt-coarsen-programs", "specialized", "my-one", "nt-pad-blocks", "nt-fit-target"],
        ),
        # The stage is complete behind it.
        (
            {"after": "specialized"},
            [
                "nt-split-reductions",
                "nt-coarsen-programs",
                "my-one",
                "specialized",
                "nt-pad-blocks",
            ],
        ),
        (
            {"before": "specialized"},
            [
                *("nt-mask-reductions", "composed", "my-one", "nt-specialize"),
                "nt-interchange-reductions",
            ],
        ),
    ],
)
def test_places(place: dict[str, str], around: list[str]) -> None:
    register(kind("my-one"), **place)
    assert names("my-one") == around
    # A pipeline says it otherwise.
    assert names(Pipeline().insert("my-one", after="nt-fit-target"))[2:4] == ["my-one", "padded"]


def test_passes_in_one_place_run_in_order() -> None:
    for name in ("my-one", "my-two", "my-three"):
        register(kind(name), after="nt-specialize")
    assert names(("my-two", "my-one", "my-three"))[2:5] == ["my-two", "my-one", "my-three"]
    register(kind("my-four"), before="nt-pad-blocks")
    register(kind("my-five"), before="nt-pad-blocks")
    found = [step.pass_.name for step in steps(EVERY, pipeline=made(("my-four", "my-five")))]
    place = found.index("my-four")
    assert found[place : place + 3] == ["my-four", "my-five", "nt-pad-blocks"]


def test_a_pass_beside_another_of_others() -> None:
    register(kind("my-two"), after="nt-specialize")
    register(kind("my-one"), before="my-two")
    assert names(("my-one", "my-two"))[2:4] == ["my-one", "my-two"]
    assert wrong("my-one") == (
        "pass my-one runs before my-two, which the pipeline does not have; insert that, too"
    )


def test_passes_that_are_placed_by_one_another() -> None:
    register(kind("my-one"), after="tt")
    register(kind("my-two"), after="tt")
    pipeline = Pipeline().insert("my-two", after="my-one").insert("my-one", after="my-two")
    assert wrong(pipeline) == (
        "passes my-one and my-two are placed by one another; place one of them by a pass or a "
        "stage of the compiler"
    )


def test_the_steps_of_some_stages() -> None:
    register(kind("my-one"), after="composed")
    register(kind("my-two"), before="specialized")
    pipeline = made(("my-one", "my-two"))
    assert steps(SYMBOLIC, pipeline=pipeline)[-1].pass_.name == "my-one"
    assert steps(SPECIALIZED, pipeline=pipeline)[0].pass_.name == "my-two"
    assert len(steps(EVERY, pipeline=pipeline)) == len(steps(EVERY)) + 2


def test_options() -> None:
    register(kind("my-one"), after="composed")
    (one,) = (
        step
        for step in steps(EVERY, {"my-one": {"factor": 2}}, made("my-one{factor=3}"))
        if step.outside
    )
    assert str(one.pass_) == "my-one{factor=3}"
    assert wrong("my-one{fctor=3}") == "my-one has no option fctor; did you mean factor?"
    assert wrong("my-one{x=3}") == "my-one has no option x; its options are factor"
    assert wrong("my-one{factor=x}") == "option factor of my-one is of type int, not x"
    assert wrong("my-one{factor}") == "option factor of my-one is of type int, not nothing"
    assert wrong("my-one{factor=1},cse") == (
        "the pipeline has 'my-one{factor=1},cse'; give passes one by one, in a tuple"
    )
    assert wrong("my-one{factor") == (
        "the pipeline has 'my-one{factor', which is not of the form 'my-one{option=value}'"
    )


def test_unknown_and_ambiguous_places() -> None:
    register(kind("my-one"), after="composed")
    assert wrong(Pipeline().insert("my-one", after="nt-pad-block")) == (
        "there is no pass or stage 'nt-pad-block' in the pipeline; did you mean nt-pad-blocks?"
    )
    assert wrong(Pipeline().insert("my-one", after="frontend")) == (
        "there is no pass or stage 'frontend' in the pipeline; stages are arranged, composed, "
        "specialized, padded, scheduled, addressed, tt, and nt-opt --list-passes lists the passes"
    )
    assert wrong(Pipeline().insert("my-one", after="cse")) == (
        "pass my-one runs after cse, which runs in the stages addressed and tt; name another pass, "
        "or a stage"
    )


def test_choices_are_made_per_configuration() -> None:
    choice = Choice("my_factor", "my-one", "factor", "", lambda kernel: None)
    register(kind("my-one", optimizations=(choice,)), after="composed")
    assert wrong("my-one") == (
        "pass my-one has the choice my_factor, which is made once a configuration, and "
        "after='composed' is run once a signature; place it before='specialized' or later"
    )
    names(Pipeline().insert("my-one", before="specialized"))
    # The user has made it.
    names("my-one{factor=2}")


def test_stages_that_a_pass_takes() -> None:
    register(kind("my-one", required_stages=("composed", "specialized")), after="nt-pad-blocks")
    assert wrong("my-one") == (
        "pass my-one takes modules of stage composed or specialized, and those after nt-pad-blocks "
        "are of stage padded; place it after='specialized'"
    )
    assert wrong(Pipeline().insert("my-one", after="tt")) == (
        "pass my-one takes modules of stage composed or specialized, and those after tt are of "
        "stage tt; place it after='specialized'"
    )
    for place in ("composed", "specialized", "nt-specialize"):
        names(Pipeline().insert("my-one", after=place))
    names(Pipeline().insert("my-one", before="nt-pad-blocks"))


@dataclass(frozen=True)
class RenamePass(FunctionPass):
    """Rename device functions."""

    name = "my-rename"

    def apply_to(self, function: tt.FuncOp) -> None:
        function.properties["sym_name"] = StringAttr("renamed")
        nt.RemarkEmitter(function, self.name).passed(function, "function renamed")


def test_passes_over_kernels_and_over_device_functions() -> None:
    register(kind("my-one"), after="nt-lower-to-tt")
    assert wrong("my-one") == (
        "pass my-one is a KernelPass, and after nt-lower-to-tt there are no kernels but device "
        "functions; derive it from FunctionPass, or place it before='nt-lower-to-tt'"
    )
    names(Pipeline().insert("my-one", before="nt-lower-to-tt"))
    register(RenamePass, before="nt-lower-to-tt")
    assert wrong("my-rename") == (
        "pass my-rename takes modules of stage tt, and those before nt-lower-to-tt are of stage "
        "addressed; place it after='tt'"
    )
    assert names(Pipeline().insert("my-rename", after="tt"))[-2:] == ["my-rename", "tt"]


def test_a_pass_over_device_functions() -> None:
    lowered = parse_module("tt.func @one() {\n  tt.return\n}")
    nt.collect_remarks(lowered)
    RenamePass().apply(context(), lowered)
    (function,) = lowered.ops
    assert isinstance(function, tt.FuncOp)
    assert function.sym_name.data == "renamed"
    assert [str(one) for one in nt.remarks_of(lowered)] == [
        "remark: function renamed [my-rename, passed]"
    ]


def test_passes_may_be_left_out() -> None:
    for name in OPTIONAL:
        found = [step.pass_.name for step in steps(EVERY, pipeline=made(Pipeline().without(name)))]
        assert len(found) == len(steps(EVERY)) - 1
        assert name not in found
    can = (
        "nt-interchange-reductions, nt-pack-operands, nt-sink-scales, nt-unroll-reductions, "
        "nt-defer-reductions, nt-split-reductions, nt-coarsen-programs, nt-merge-sorted, "
        "nt-hoist-loads, nt-advance-loads, nt-fold-guards, nt-split-loops, nt-guard-loads, "
        "nt-clamp-guards, nt-skip-programs, nt-split-boundaries, nt-stage-loops, "
        "nt-use-descriptors, nt-reread-rows, nt-persist-programs, nt-hoist-invariants or "
        "nt-widen-products"
    )
    assert wrong(Pipeline().without("nt-pad-blocks")) == (
        f"pass nt-pad-blocks cannot be left out, for later ones need what it does; {can} can"
    )
    assert wrong(Pipeline().without("nt-hoist-load")) == (
        "there is no pass 'nt-hoist-load' to leave out; did you mean nt-hoist-loads?"
    )
    assert wrong(Pipeline().without("elsewhere")) == (
        f"there is no pass 'elsewhere' to leave out; {can} can be"
    )


def test_a_pass_takes_the_place_of_another() -> None:
    register(kind("my-one"), after="nt-hoist-loads")
    found = names(Pipeline().insert("my-one").without("nt-hoist-loads"))
    assert found[1:4] == ["nt-merge-sorted", "my-one", "nt-advance-loads"]


def test_a_class_that_was_registered_anew() -> None:
    register(kind("my-one"), after="composed")
    pipeline = made("my-one")
    register(kind("my-one"), after="tt")
    with pytest.raises(PluginError) as caught:
        steps(EVERY, pipeline=pipeline)
    assert caught.value.message == (
        "pass my-one was registered anew since the kernel was made; make the kernel again"
    )


def test_texts_of_pipelines() -> None:
    register(kind("my-one"), after="composed")
    row = steps(EVERY, pipeline=made("my-one{factor=3}"))
    text = pipeline_text(row)
    assert "nt-mask-reductions,my-one{factor=3},nt-check-stage" in text
    again = parse_steps(text)
    assert [step.pass_ for step in again] == [step.pass_ for step in row]
    assert [step.outside for step in again] == [step.outside for step in row]


@dataclass(frozen=True)
class WrongPass(ModulePass):
    """Goes wrong, in one way or another."""

    name = "my-wrong"

    how: str = "raises"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        (kernel,) = (inner for inner in op.walk() if isinstance(inner, nt.KernelOp))
        if self.how == "verify":
            (source,) = (inner for inner in op.walk() if isinstance(inner, nt.SourceOp))
            del source.properties["strides"]
            return
        kernel.attributes["my.mark"] = StringAttr(self.how)
        if self.how == "raises":
            raise ValueError("no such thing")
        if self.how == "user":
            raise ArgumentError("the user's mistake")
        block = kernel.apply.block
        for _ in range(100 if self.how == "many" else 1):
            block.insert_op_before(tt.GetProgramIdOp(0), next(iter(block.ops)))


def failed(how: str, after: str = "nt-check-arrangement") -> str:
    register(WrongPass, after=after)
    with pytest.raises(PluginError) as caught:
        run(context(), module(), steps(EVERY, pipeline=made(f"my-wrong{{how={how}}}")))
    return caught.value.message


def test_a_pass_that_raises() -> None:
    first, *diff = failed("raises").splitlines()
    found = re.fullmatch(
        rf"pass my-wrong \({__name__}\.WrongPass\): it failed with ValueError: no such thing; "
        rf"reproduce it with nt-opt \S+ --load {__name__} -p 'my-wrong'; it changed",
        first,
    )
    assert found is not None
    assert diff[:2] == ["--- before my-wrong", "+++ after my-wrong"]
    (added,) = (line for line in diff[2:] if line.startswith("+"))
    assert "my.mark" in added


def test_the_file_of_an_error_reproduces_it(capsys: pytest.CaptureFixture[str]) -> None:
    text = failed("verify").splitlines()[0]
    command = re.search(r"nt-opt (\S+) --load (\S+) -p '(.*)'; it changed", text)
    assert command is not None
    # This process has the pass already.
    assert nt_opt([command[1], "-p", command[3]]) == 1
    assert f"pass my-wrong ({__name__}.WrongPass): after my-wrong" in capsys.readouterr().err


def test_a_pass_whose_module_does_not_verify() -> None:
    first, *diff = failed("verify").splitlines()
    assert first.startswith(
        f"pass my-wrong ({__name__}.WrongPass): after my-wrong the IR is not valid: property "
        "'strides' expected in operation 'nt.source'; reproduce it with nt-opt "
    )
    assert diff[:2] == ["--- before my-wrong", "+++ after my-wrong"]
    (removed,) = (line for line in diff[2:] if line.startswith("-"))
    assert "strides [1]" in removed


def test_a_pass_that_leaves_what_its_stage_may_not_hold() -> None:
    assert failed("stage", after="nt-specialize").startswith(
        f"pass my-wrong ({__name__}.WrongPass): tt.get_program_id may not appear in stage "
        "specialized; "
    )


def test_what_the_compilers_passes_leave_is_not_anothers_fault() -> None:
    """The stage is checked in front of the pass, too."""
    register(kind("my-one"), after="specialized")
    until = steps(SPECIALIZED, pipeline=made("my-one"))[:8]
    with pytest.raises(CompilerError, match=r"pass nt-coarsen-programs: nt\.tile may not appear"):
        run(context(), module(), until)


def test_a_long_diff_is_cut() -> None:
    text = failed("many")
    assert len(text.splitlines()) == 62
    assert text.splitlines()[-1].endswith(" lines more")
    assert "my-wrong left" not in text


def test_an_error_of_the_users_program_is_one() -> None:
    register(WrongPass, after="nt-check-arrangement")
    with pytest.raises(ArgumentError, match=r"^the user's mistake$"):
        run(context(), module(), steps(EVERY, pipeline=made("my-wrong{how=user}")))
