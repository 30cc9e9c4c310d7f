"""Passes of other packages that are wrong: their errors name them, with a line and a diff."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from xdsl.rewriter import Rewriter

from ninetoothed.compiler.compile import context
from ninetoothed.errors import PluginError
from ninetoothed.ir import nt, tt
from ninetoothed.passes import KernelPass, pass_names, register
from ninetoothed.passes.pipeline import SYMBOLIC, Step, run, step_of, steps
from ninetoothed.plugins.edited_pipeline import bound
from ninetoothed.testing import assert_preserves_meaning
from tests.support.outside import own_registry
from tests.unit.passes.test_pipeline import module


@dataclass(frozen=True)
class WrongPass(KernelPass):
    """Goes wrong, in one way or another."""

    name = "my-wrong"

    how: str = ""

    def apply_to(self, kernel: nt.KernelOp) -> None:
        source = next(op for op in kernel.walk() if isinstance(op, nt.SourceOp))
        match self.how:
            case "removed":
                kernel.detach()
            case "beside":
                block = kernel.parent_block()
                assert block is not None
                block.add_op(tt.GetProgramIdOp(0))
            case "unprintable":
                source.properties["sym_name"] = "x"  # pyright: ignore[reportArgumentType]
                source.properties["strides"] = 3  # pyright: ignore[reportArgumentType]
            case "deep":
                Rewriter.erase_op(source)
            case "policy":
                tt.CachePolicy(modifier="cg")
            case "stopped":
                raise KeyboardInterrupt
            case _:
                raise NotImplementedError


@pytest.fixture(autouse=True)
def registry() -> Iterator[None]:
    with own_registry():
        register(WrongPass, after="nt-check-arrangement")
        yield


def failed(how: str) -> PluginError:
    pipeline = bound(f"my-wrong{{how={how}}}", pass_names())
    with pytest.raises(PluginError) as caught:
        run(context(), module(), steps(SYMBOLIC, pipeline=pipeline))
    assert caught.value.message.startswith(f"pass my-wrong ({__name__}.WrongPass): ")
    return caught.value


def line(error: PluginError) -> str:
    """The line that an error points at."""
    assert error.loc is not None
    with open(error.loc.file, encoding="utf-8") as file:
        return file.read().splitlines()[error.loc.line - 1].strip()


def test_what_raises_has_its_line() -> None:
    found = failed("unfinished")
    # There is nothing behind a colon where the error says nothing.
    assert "it failed with NotImplementedError; reproduce it with nt-opt " in found.message
    assert found.message.endswith("; it changed nothing")
    assert line(found) == "raise NotImplementedError"


def test_what_raises_in_a_library_has_the_line_of_the_pass() -> None:
    assert line(failed("deep")) == "Rewriter.erase_op(source)"
    found = failed("policy")
    assert line(found) == 'tt.CachePolicy(modifier="cg")'
    assert (
        "it failed with ValueError: there is no cache modifier 'cg'; there are '', '.ca', '.cg', "
        "'.wb', '.cs', '.wt', '.cv'; reproduce it with "
    ) in found.message


@pytest.mark.parametrize(("how", "count"), [("removed", "0 ops"), ("beside", "2 ops")])
def test_a_kernel_stays_one(how: str, count: str) -> None:
    assert (
        f"the module's body has {count} behind it instead of 1; a pass keeps every kernel, and "
        "puts nothing beside them; reproduce it with nt-opt "
    ) in failed(how).message


def test_what_is_invalid_has_the_line_of_the_kernel() -> None:
    found = failed("unprintable")
    assert found.message.endswith("; what it left cannot be printed")
    assert found.loc is not None
    assert found.loc.file == "user.py"


def test_a_pass_that_is_stopped_is_named() -> None:
    with pytest.raises(KeyboardInterrupt) as caught:
        run(context(), module(), [step_of(WrongPass("stopped"))])
    assert caught.value.__notes__ == ["pass my-wrong was running"]


def test_a_test_of_its_meaning_names_it_too() -> None:
    with pytest.raises(PluginError) as caught:
        assert_preserves_meaning(WrongPass(), count=1)
    assert "WrongPass): it failed with NotImplementedError; reproduce " in caught.value.message
    # Hypothesis has nothing to say: its strategy is not of the caller's.
    assert not hasattr(caught.value, "__notes__")


def test_a_class_that_is_not_registered_is_no_outside_pass() -> None:
    @dataclass(frozen=True)
    class OtherPass(KernelPass):
        name = "my-wrong"

        def apply_to(self, kernel: nt.KernelOp) -> None:
            pass

    assert step_of(OtherPass()) == Step(OtherPass())
    assert step_of(WrongPass()).outside is not None
