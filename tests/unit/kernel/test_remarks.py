"""Remarks: what passes did to a kernel and where they refused, at the user's lines."""

from __future__ import annotations

from typing import Any

import pytest
import torch

import ninetoothed
import ninetoothed.language as ntl
from examples.matmul import matmul_kernel
from ninetoothed import Symbol, Tensor
from ninetoothed.artifacts.configuration import Config
from ninetoothed.errors import AgreementWarning, ArgumentError
from ninetoothed.kernel.kernel import Kernel

BLOCK = Symbol("BLOCK", meta=True)


def blocks(weight: Tensor, output: Tensor) -> tuple[Tensor, Tensor]:
    return weight.tile((BLOCK,)).tile((-1,)), output.tile((BLOCK,)).tile((-1,))


def scaled(weight: Any, output: Any) -> None:
    for i in range(weight.shape[0]):
        output[i] = weight[i] * 2


def make(application: Any) -> Kernel:
    return ninetoothed.make(blocks, application, (Tensor(1), Tensor(1)))


def line_of(application: Any, line: int) -> str:
    """The place of the first word in a line of an application, counted from its head."""
    return f"{__file__}:{application.__code__.co_firstlineno + line}:5"


def staged(kernel: Kernel, *tensors: torch.Tensor, config: Config | None = None) -> list[str]:
    """The texts of what nt-stage-loops remarks on."""
    found = kernel.remarks(*tensors, config=config).remarks
    return [str(one) for one in found if one.pass_name == "nt-stage-loops"]


def test_tensors_of_a_call_decide() -> None:
    kernel = make(scaled)
    place = line_of(scaled, 1)
    memory = torch.ones(300)
    assert staged(kernel, memory[:200], memory[100:]) == [
        f"{place}: remark: loop kept: `weight` may share memory with `output` "
        "[nt-stage-loops, missed]"
    ]
    assert staged(kernel, memory, torch.empty(300)) == [
        f"{place}: remark: loop kept: loop_stages is 1, and may be more where the buffers fit "
        "shared memory [nt-stage-loops, analysis]"
    ]


def test_a_configuration_may_be_given() -> None:
    kernel = make(scaled)
    x, y = torch.ones(300), torch.empty(300)
    plain = kernel.remarks(x, y)
    assert plain.config in kernel.configs
    config = Config((("BLOCK", 64),), choices=(("loop_stages", 2),))
    found = kernel.remarks(x, output=y, config=config)
    assert found.config == config
    assert str(found).splitlines()[0] == (
        "kernel 'scaled': BLOCK=64, num_warps=4, num_stages=3, loop_stages=2"
    )
    assert (
        f"{line_of(scaled, 1)}: remark: loop staged: 2 iterations are at work at once "
        "[nt-stage-loops, passed]"
    ) in str(found).splitlines()
    assert {one.kind for one in found.of("passed")} == {"passed"}
    assert set(found.of("passed")) <= set(found.remarks)


@pytest.mark.parametrize(
    "config",
    [
        Config(()),
        Config((("SIZE", 64),)),
        Config((("BLOCK", 64),), choices=(("group", 8),)),
    ],
)
def test_a_configuration_of_another_kernel_is_refused(config: Config) -> None:
    with pytest.raises(ArgumentError, match=r"is not one of this kernel's, as BLOCK="):
        make(scaled).remarks(torch.ones(300), torch.empty(300), config=config)


def test_a_configuration_that_fits_the_call_is_taken() -> None:
    """Sizes that must be multiples of the block have few blocks that fit."""

    def arrangement(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        # One program more or less for x than for y, unless the block is small.
        return x.tile((BLOCK,)), y.tile((BLOCK,), floor_mode=True)

    def application(x: Any, y: Any) -> None:
        y = x + 1  # pyright: ignore[reportUnusedVariable]

    kernel = ninetoothed.make(arrangement, application, (Tensor(1), Tensor(1)))
    x, y = torch.ones(96), torch.empty(96)
    assert 96 % dict(kernel.remarks(x, y).config.values)["BLOCK"] == 0


def test_the_sizes_of_a_call_decide_which_guards_hold() -> None:
    kernel = make(scaled)
    config = Config((("BLOCK", 64),))

    def masks(size: int) -> list[str]:
        found = kernel.remarks(torch.ones(size), torch.empty(size), config=config)
        assert found.full == (size == 256)
        assert (", all guards hold" in str(found).splitlines()[0]) == (size == 256)
        return [one.message for one in found.remarks if "mask" in one.message]

    assert masks(256) == []
    assert masks(300)[0] == "mask of `weight` kept: `b0 + k1_0 * 64 < weight_size_0` is not proved"


def test_sizes_that_do_not_fit() -> None:
    with pytest.raises(ArgumentError, match="other ends before input"):
        matmul_kernel.remarks(torch.ones(4, 500), torch.ones(6, 7), torch.ones(4, 7))


def test_a_laxer_class_takes_the_call() -> None:
    def arrangement(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        return x.tile((64,)), y.tile((64,))

    def application(x: Any, y: Any) -> None:
        y = x  # pyright: ignore[reportUnusedVariable]

    kernel = ninetoothed.make(arrangement, application, (Tensor(1), Tensor(1)))
    with pytest.warns(AgreementWarning):
        found = kernel.remarks(torch.ones(300), torch.empty(64))
    assert "nt-lower-accesses" in {one.pass_name for one in found.remarks}


def test_copies_of_a_line_say_it_once() -> None:
    def application(weight: Any, output: Any) -> None:
        for _ in ntl.static_range(3):
            for i in range(weight.shape[0]):
                output[i] = weight[i] + output[i]

    found = staged(make(application), torch.ones(300), torch.empty(300))
    assert [text.partition("remark: ")[2] for text in found] == [
        "loop kept: accesses of `output` may overlap [nt-stage-loops, missed]"
    ]


def test_a_call_of_a_function_is_named() -> None:
    def twice(weight: Any, output: Any) -> None:
        for i in range(weight.shape[0]):
            output[i] = weight[i] * 2

    def application(weight: Any, output: Any) -> None:
        twice(weight, output)

    (text,) = staged(make(application), torch.ones(300), torch.empty(300))
    first, second = text.splitlines()
    line = twice.__code__.co_firstlineno
    assert first.startswith(f"{__file__}:{line + 1}:9: remark: loop kept: ")
    assert second == f"{__file__}:{line + 5}:9: note: called from here"


def test_dims_that_are_one() -> None:
    def flat(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        return x.flatten().tile((BLOCK,)), y.flatten().tile((BLOCK,))

    def application(x: Any, y: Any) -> None:
        y = x + 1  # pyright: ignore[reportUnusedVariable]

    kernel = ninetoothed.make(flat, application, (Tensor(2), Tensor(2)))
    x, y = torch.ones(9, 5)[:, :4], torch.empty(9, 4)
    found = [one.message for one in kernel.remarks(x, y).remarks]
    assert "size 0 of `y` merged: it equals `x_size_0`" in found
    assert "dims of `y` addressed as one: its strides are products of its sizes" in found
    assert (
        "offsets of `x` need divisions: its strides are not known to be products of its sizes, as "
        "a contiguous tensor's"
    ) in found
