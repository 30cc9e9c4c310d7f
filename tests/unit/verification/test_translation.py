"""Validation of addresses: it passes what is right, and names the pass that is not."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, ModuleOp
from xdsl.rewriter import Rewriter

import ninetoothed
import ninetoothed.language as ntl
from examples import add, layer_norm, matmul, softmax
from ninetoothed import Tensor
from ninetoothed.artifacts.configuration import Config
from ninetoothed.compiler.compile import build, pass_options
from ninetoothed.compiler.defaults import assumed_signature
from ninetoothed.compiler.space import space
from ninetoothed.errors import CompilerError
from ninetoothed.interpreters import interpret
from ninetoothed.interpreters.trace import Touch, Trace, difference
from ninetoothed.ir import nt, tt
from ninetoothed.layout.access import Access
from ninetoothed.layout.meta_op import Guard
from ninetoothed.passes import find_pass
from ninetoothed.passes.analysis.scalars import constant_value
from ninetoothed.passes.analysis.vacuity import Excesses, Vacuity
from ninetoothed.symbolic.expr import const, sym
from ninetoothed.tools.nt_opt import main as nt_opt
from ninetoothed.verification.translation import Report, validate
from ninetoothed.verification.translation.views import LAYOUTS, Backward, tensor

KERNELS = {
    "add": add.add_kernel,
    "matmul": matmul.matmul_kernel,
    "softmax": softmax.softmax_kernel,
}


@pytest.fixture(autouse=True)
def reproducers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The files that reproduce a pass are written to the test's own folder."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


def validated(kernel: ninetoothed.Kernel) -> Report:
    definition = kernel.definition
    signature = assumed_signature(definition, {}, {})
    config = space(build(definition, signature), signature).configs[0]
    return validate(definition, signature, config)


@pytest.mark.parametrize("name", KERNELS)
def test_the_examples_pass(name: str) -> None:
    report = validated(KERNELS[name])
    # Eight calls, and those that fill the blocks, or all but those of one size.
    assert report.cases == {"add": 11, "matmul": 13, "softmax": 11}[name]
    assert report.skipped == 0
    assert report.touches > 1000
    assert report.full >= 3
    assert report.proved["nt-specialize"] == report.cases
    assert report.evaluated["nt-lower-accesses"] == report.cases + report.full
    lines = str(report).splitlines()
    assert lines[0] == f"{report.cases} cases, 0 skipped, {report.touches} elements touched"
    assert lines[1] == f"{report.full} cases of the kernel without guards"


def windows_arrangement(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    x = x.tile((3,), strides=(2,), dilation=(2,), floor_mode=True)
    return x, y.tile((3,))


def copy_arrangement(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    size = ninetoothed.block_size(lower_bound=1)
    return x.tile((size, size)), y.tile((size, size))


def windows_application(x: Any, y: Any) -> None:
    y = x  # pyright: ignore[reportUnusedVariable]


def test_sizes_that_checks_reject_are_counted() -> None:
    kernel = ninetoothed.make(windows_arrangement, windows_application, (Tensor(1), Tensor(1)))
    report = validated(kernel)
    assert report.cases > 0
    assert report.cases + report.skipped >= 8


def one_program_arrangement(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    return x.tile((4,)), y.unsqueeze(0).tile((1,))


def pairs_arrangement(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    return x.tile((2,)), y.tile((2,))


def sum_application(x: Any, y: Any) -> None:
    y = ntl.sum(x)  # pyright: ignore[reportUnusedVariable]


def test_kernels_without_open_sizes_pass() -> None:
    tensors = (Tensor(shape=(4,)), Tensor(shape=(4,)))
    kernel = ninetoothed.make(pairs_arrangement, windows_application, tensors)
    report = validated(kernel)
    assert (report.cases, report.skipped) == (8, 0)


def test_arranged_tensors_of_no_dims_pass() -> None:
    kernel = ninetoothed.make(one_program_arrangement, sum_application, (Tensor(1), Tensor(0)))
    report = validated(kernel)
    assert report.cases > 0
    assert report.cases + report.skipped >= 8


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts_of_no_dims(layout: str) -> None:
    assert tensor((), "fp32", layout, 3).shape == ()


def tamper(monkeypatch: pytest.MonkeyPatch, name: str, edit: Callable[[ModuleOp], None]) -> None:
    """Let the pass do ``edit`` behind its own work."""
    found = find_pass(name)
    original = found.apply

    def apply(self: Any, ctx: Context, op: ModuleOp) -> None:
        original(self, ctx, op)
        edit(op)

    monkeypatch.setattr(found, "apply", apply)


def accesses(change: Callable[[Access], Access]) -> Callable[[ModuleOp], None]:
    def edit(module: ModuleOp) -> None:
        for op in module.walk():
            if isinstance(op, nt.AccessOp):
                op.properties["access"] = nt.AccessAttr(change(op.access.data))

    return edit


def masks_dropped(module: ModuleOp) -> None:
    for op in list(module.walk()):
        if isinstance(op, tt.LoadOp) and op.mask is not None:
            Rewriter.replace_op(op, tt.LoadOp(op.ptr))


def masks_widened(module: ModuleOp) -> None:
    for op in module.walk():
        if isinstance(op, arith.CmpiOp | tt.CmpiOp) and op.predicate.value.data == 2:
            op.predicate = IntegerAttr(3, 64)  # slt becomes sle


def constants_moved(module: ModuleOp) -> None:
    """The first block size that an index is multiplied by, one larger."""
    for op in module.walk():
        if isinstance(op, arith.MuliOp) and isinstance(op.rhs.owner, arith.ConstantOp):
            number = constant_value(op.rhs)
            if isinstance(number, int) and number >= 16:
                op.rhs.owner.properties["value"] = nt.number(number + 1, op.rhs.type)
                return


def strides_swapped(module: ModuleOp) -> None:
    for op in module.walk():
        if isinstance(op, nt.SourceOp):
            op.strides = nt.ExprsAttr(op.strides.data[::-1])


def programs_transposed(module: ModuleOp) -> None:
    for op in module.walk():
        if isinstance(op, nt.ProgramIndexOp):
            op.sizes = nt.ExprsAttr(op.sizes.data[::-1])


def one_further(access: Access) -> Access:
    return replace(access, indices=(access.indices[0] + 1, *access.indices[1:]))


def without_guards(access: Access) -> Access:
    return replace(access, guards=())


def with_late_guards(access: Access) -> Access:
    return replace(
        access, guards=tuple(Guard(guard.index, guard.size + 1) for guard in access.guards)
    )


def lanes_turned(access: Access) -> Access:
    """The same elements, each in the lane of another."""
    size = access.levels[-1][0]
    flipped = {"b0": size - 1 - sym("b0")}
    levels = access.levels
    return replace(access.substitute(flipped), levels=levels)


MISTAKES: dict[str, tuple[str, str, Callable[[ModuleOp], None]]] = {
    "composed without guards": ("matmul", "nt-compose-arrangement", accesses(without_guards)),
    "composed one further": ("add", "nt-compose-arrangement", accesses(one_further)),
    "composed with lanes turned": ("add", "nt-compose-arrangement", accesses(lanes_turned)),
    "specialized with strides swapped": ("matmul", "nt-specialize", strides_swapped),
    "specialized with < as <=": ("add", "nt-specialize", accesses(with_late_guards)),
    "padded without guards": ("softmax", "nt-pad-blocks", accesses(without_guards)),
    "scheduled column-major": ("matmul", "nt-schedule-programs", programs_transposed),
    "hoisted without guards": ("layer norm", "nt-hoist-loads", accesses(without_guards)),
    "lowered without masks": ("add", "nt-lower-accesses", masks_dropped),
    "lowered with < as <=": ("matmul", "nt-lower-accesses", masks_widened),
    "lowered with a wrong block size": ("matmul", "nt-lower-accesses", constants_moved),
    "canonicalized to a wrong number": ("add", "canonicalize", constants_moved),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_broken_pass_is_named(mistake: str, monkeypatch: pytest.MonkeyPatch) -> None:
    name, broken, edit = MISTAKES[mistake]
    kernel = {**KERNELS, "layer norm": layer_norm.layer_norm_backward_kernel}[name]
    tamper(monkeypatch, broken, edit)
    with pytest.raises(CompilerError) as caught:
        validated(kernel)
    message = str(caught.value)
    assert message.startswith(f"{broken} changes which elements {kernel.__name__} touches: ")
    assert message.endswith("; this is a bug of the compiler")
    parameters = "|".join(parameter.name for parameter in kernel.definition.parameters)
    assert re.search(rf"\(({parameters}): size \(.*\) stride \(", message)


def test_a_pass_that_fails_for_some_calls_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(module: ModuleOp) -> None:
        # What is chosen small is no multiple of 16.
        if any(decl.indivisible for decl in nt.kernel_of(module).declarations):
            raise ValueError("sizes must be multiples of 16")

    tamper(monkeypatch, "nt-specialize", fail)
    with pytest.raises(CompilerError) as caught:
        validated(add.add_kernel)
    assert caught.value.message == (
        "pass nt-specialize failed with ValueError: sizes must be multiples of 16; set "
        "NINETOOTHED_VERIFY_IR=1 for a file that reproduces it; this is a bug of the compiler "
        "(in a call with lhs: size (33,) stride (1,); rhs: size (33,) stride (1,); output: size "
        "(33,) stride (1,); block sizes BLOCK_SIZE_0=32)"
    )


def test_a_pass_that_leaves_what_its_stage_may_not_hold_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def store(module: ModuleOp) -> None:
        kernel = nt.kernel_of(module)
        end = kernel.apply.block.last_op
        assert end is not None
        kernel.apply.block.insert_op_before(nt.ProgramNumberOp(), end)

    tamper(monkeypatch, "nt-persist-programs", store)
    message = (
        r"^pass nt-persist-programs: nt\.program_number may not appear in stage scheduled; .* "
        r"\(in a call with lhs: size"
    )
    with pytest.raises(CompilerError, match=message):
        validated(add.add_kernel)


def test_a_guard_that_may_fail_is_left_out_of_the_second_kernel(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Calls are taken for such in which all guards hold, though the first is not asked for."""
    excesses = Vacuity.excesses.fget
    assert excesses is not None

    def others(self: Vacuity) -> Excesses:
        found = excesses(self)
        return (const(0), *found[1:]) if found else ()

    monkeypatch.setattr(Vacuity, "excesses", property(others))
    message = (
        r"^nt-fold-guards changes which elements matmul_kernel touches: .*"
        r"happens after the pass only, .* -p 'nt-fold-guards\{[^}]*full=true"
    )
    with pytest.raises(CompilerError, match=message):
        validated(matmul.matmul_kernel)


def test_a_pass_that_is_wrong_on_the_second_kernel_only(monkeypatch: pytest.MonkeyPatch) -> None:
    def moved(module: ModuleOp) -> None:
        # What the first kernel says of calls, the second does not.
        if next(iter(module.body.ops)).attributes.get("nt.vacuous") is None:
            constants_moved(module)

    tamper(monkeypatch, "nt-lower-to-tt", moved)
    with pytest.raises(CompilerError, match=r"^nt-lower-to-tt changes which elements add_kernel"):
        validated(add.add_kernel)


def test_a_read_that_reaches_a_store_may_not_be_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def one_fewer(module: ModuleOp) -> None:
        for op in module.walk():
            if isinstance(op, nt.LoadOp) and op.guards is not None:
                guards = (Guard(guard.index + 1, guard.size) for guard in op.guards.data)
                op.guards = nt.GuardsAttr(tuple(guards))

    # Else the load's own guard is the store's.
    monkeypatch.setenv("NINETOOTHED_DISABLE_OPTIMIZATIONS", "equal_sizes")
    tamper(monkeypatch, "nt-guard-loads", one_fewer)
    message = r"^nt-guard-loads changes what add_kernel stores in output \(lhs: size .*compiler$"
    with pytest.raises(CompilerError, match=message):
        validated(add.add_kernel)


def test_the_message_names_an_element_and_reproduces(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with monkeypatch.context() as broken:
        tamper(broken, "nt-specialize", accesses(with_late_guards))
        with pytest.raises(CompilerError) as caught:
            validated(add.add_kernel)
    match = re.fullmatch(
        r"nt-specialize changes which elements add_kernel touches: the read of element 33 of lhs "
        r"by lane \(1,\) of program 1 happens after the pass only, not before it "
        r"\(lhs: size \(33,\) stride \(1,\); rhs: size \(33,\) stride \(1,\); output: size \(33,\) "
        r"stride \(1,\); block sizes BLOCK_SIZE_0=32\); reproduce it with nt-opt (\S+) -p '(.*)'; "
        r"this is a bug of the compiler",
        str(caught.value),
    )
    assert match is not None, str(caught.value)
    path, pipeline = match.groups()
    assert pipeline.startswith("nt-specialize{")
    assert nt_opt([path, "-p", pipeline]) == 0
    assert "tt.func @add_kernel" in capsys.readouterr().out


def test_a_wrong_option_is_the_first_pass_that_uses_it(monkeypatch: pytest.MonkeyPatch) -> None:
    original = pass_options

    def options(*args: Any, **kwargs: Any) -> Any:
        found = original(*args, **kwargs)
        values = found["nt-specialize"]["values"]
        found["nt-specialize"]["values"] = (*values, "lhs_stride_0=1")
        return found

    for user in ("compiler.compile", "verification.translation.pass_trace"):
        monkeypatch.setattr(f"ninetoothed.{user}.pass_options", options)
    with pytest.raises(CompilerError, match=r"nt-specialize .* fails with .*stride 0 of lhs is"):
        validated(add.add_kernel)


def test_the_environment_switches_it_on(monkeypatch: pytest.MonkeyPatch) -> None:
    def call() -> torch.Tensor:
        # A kernel that was called before has been validated.
        kernel = ninetoothed.make(copy_arrangement, windows_application, (Tensor(2), Tensor(2)))
        result = torch.zeros(3, 5)
        kernel(torch.ones(3, 5), result)
        kernel(torch.ones(3, 5), result)
        return result

    found: list[Config] = []

    def spy(definition: Any, signature: Any, config: Config) -> Report:
        found.append(config)
        return validate(definition, signature, config)

    monkeypatch.setattr("ninetoothed.kernel.compilation.validate", spy)
    call()
    assert not found
    monkeypatch.setenv("NINETOOTHED_VALIDATE", "1")
    assert torch.equal(call(), torch.ones(3, 5))
    assert len(found) == 1
    tamper(monkeypatch, "nt-lower-accesses", masks_dropped)
    with pytest.raises(CompilerError, match="nt-lower-accesses changes which elements"):
        call()


def test_traces_are_sets() -> None:
    programs, offsets = torch.arange(2), torch.arange(8).reshape(2, 4)
    one, two = Trace(), Trace()
    one.touch("read", "x", programs, offsets, None, (4,))
    two.touch("read", "x", programs, offsets, offsets < 6, (4,))
    assert len(one) == 8
    assert difference(one, two) == (Touch("x", "read", 1, (2,), 6), False)
    assert difference(two, one) == (Touch("x", "read", 1, (2,), 6), True)
    assert difference(one, two, dropping=True) is None
    assert difference(two, one, dropping=True) == (Touch("x", "read", 1, (2,), 6), True)
    assert difference(one, two, adding=True) == (Touch("x", "read", 1, (2,), 6), False)
    assert difference(two, one, adding=True) is None
    two.touch("read", "x", programs, offsets, offsets >= 3, (4,))
    assert difference(one, two) is None
    two.touch("write", "x", programs, torch.zeros(1, 1, dtype=torch.int64), None, (1,))
    assert difference(one, two) == (Touch("x", "write", 0, (0,), 0), True)
    assert difference(one, two, adding=True) == (Touch("x", "write", 0, (0,), 0), True)


def test_lanes_that_are_joined() -> None:
    """One lane of a block of one dim reads what a row of lanes did."""
    rows, joined = Trace(), Trace()
    offsets = torch.arange(12).reshape(2, 3, 2)
    rows.touch("read", "x", torch.arange(2), offsets, None, (3, 2))
    rows.touch("write", "x", torch.arange(2), offsets, None, (3, 2))
    for column in range(2):
        joined.touch("read", "x", torch.arange(2), offsets[:, :, column], None, (3,))
    joined.touch("write", "x", torch.arange(2), offsets, None, (3, 2))
    assert difference(rows, joined) == (Touch("x", "read", 0, (0,), 0), True)
    assert difference(rows.joined([("x", 2, 1)]), joined.joined([("x", 2, 1)])) is None
    # Another dim, and another program's element.
    assert difference(rows.joined([("x", 2, 0)]), joined) is not None
    joined.touch("read", "x", torch.arange(1), torch.tensor([[7]]), None, (1,))
    found = difference(rows.joined([("x", 2, 1)]), joined)
    assert found == (Touch("x", "read", 0, (0,), 7), True)


def test_lanes_that_are_joined_along_two_dims() -> None:
    blocks, single = Trace(), Trace()
    programs = torch.arange(2)
    places = (7 + programs)[:, None, None]
    blocks.touch("read", "x", programs, places, None, (1, 4))
    single.touch("read", "x", programs, places[:, 0, 0], None, ())
    dims = [("x", 2, 0), ("x", 2, 1)]
    assert difference(blocks.joined(dims), single.joined(dims)) is None
    assert difference(blocks.joined(dims[:1]), single) is not None


def test_lanes_that_are_reordered() -> None:
    """A block that is read as its transpose; each program still reads the same elements."""
    rows, columns = Trace(), Trace()
    offsets = torch.arange(12).reshape(2, 3, 2)
    for kind in ("read", "write"):
        rows.touch(kind, "x", torch.arange(2), offsets, None, (3, 2))
    columns.touch("read", "x", torch.arange(2), offsets.transpose(1, 2), None, (2, 3))
    columns.touch("write", "x", torch.arange(2), offsets, None, (3, 2))
    assert difference(rows, columns) is not None
    reads, writes = [("x", "read")], [("x", "write"), ("y", "read")]
    assert difference(rows.without_lanes(reads), columns.without_lanes(reads)) is None
    assert difference(rows.without_lanes(writes), columns.without_lanes(writes)) is not None
    columns.touch("read", "x", torch.arange(1), torch.tensor([[7]]), None, (1,))
    found = difference(rows.without_lanes(reads), columns.without_lanes(reads))
    assert found == (Touch("x", "read", 0, (), 7), True)


def test_traces_of_far_elements() -> None:
    one, two = Trace(), Trace()
    far = torch.tensor([[[0, 1 << 40], [1 << 60, 5]]])
    one.touch("read", "x", torch.arange(1), far, None, (2, 2))
    two.touch("read", "x", torch.arange(1), far, None, (2, 2))
    assert difference(one, two) is None
    two.touch("read", "x", torch.arange(1), far + 1, far == 5, (2, 2))
    assert difference(one, two) == (Touch("x", "read", 0, (1, 1), 6), True)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts_are_seen_by_the_interpreter(layout: str) -> None:
    x = tensor((5, 7), "fp32", layout, 3)
    result = torch.zeros(5, 7)
    kernel = ninetoothed.make(copy_arrangement, windows_application, (Tensor(2), Tensor(2)))
    module = kernel.composed(assumed_signature(kernel.definition, {}, {}))
    trace = Trace()
    interpret(module, (x, result), {"BLOCK_SIZE_0": 4}, trace)
    # A tensor of torch cannot say that it runs backward.
    plain = torch.as_strided(x, (5, 7), (7, 1)) if isinstance(x, Backward) else x
    assert torch.equal(result, plain.flip(0, 1) if layout == "backward" else plain)
    offsets = trace.rows(("x", "read", 2))[-1]
    assert (offsets < 0).any() == (layout == "backward")
