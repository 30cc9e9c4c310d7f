"""Jagged arguments, taken apart, and the host's side of their launch."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from ninetoothed.backend.launch_source import launch_source
from ninetoothed.calls.sequences import Jagged, Offsets, taken_apart
from ninetoothed.errors import DeviceError
from ninetoothed.ir import nt
from ninetoothed.layout.access import Access
from ninetoothed.symbolic.expr import const, sym
from tests.support.tt_modules import parse


def nested(lengths: list[int], *rest: int, dtype: torch.dtype = torch.int64) -> torch.Tensor:
    offsets = torch.tensor([0, *lengths]).cumsum(0).to(dtype)
    return torch.nested.nested_tensor_from_jagged(torch.ones(sum(lengths), *rest), offsets)


def test_a_jagged_tensor_looks_like_one() -> None:
    found = taken_apart("x", 3, 1, nested([2, 0, 5], 4))
    assert (found.shape, found.stride()) == ((3, 5, 4), (0, 4, 1))
    assert (found.dim(), found.numel()) == (3, 28)
    assert [found.stride(dim) for dim in range(3)] == [0, 4, 1]
    assert (found.dtype, found.device, found.offsets_dtype) == (
        torch.float32,
        torch.device("cpu"),
        "i64",
    )


def test_another_ragged_dim() -> None:
    found = taken_apart("x", 3, 2, nested([2, 0, 5], 4).transpose(1, 2))
    assert (found.shape, found.stride()) == ((3, 4, 5), (0, 1, 4))


def test_the_elements_can_lie_elsewhere() -> None:
    found = taken_apart("x", 2, 1, nested([2, 3]))
    moved = found.with_elements(torch.zeros(5))
    assert moved.shape == found.shape
    assert moved.offsets is found.offsets
    assert moved.data_ptr() == moved.elements.data_ptr() != found.data_ptr()


def test_no_sequences() -> None:
    assert taken_apart("x", 2, 1, nested([])).shape == (0, 0)


def test_a_gradient_is_no_matter() -> None:
    values = torch.ones(5, requires_grad=True)
    found = taken_apart(
        "x", 2, 1, torch.nested.nested_tensor_from_jagged(values, torch.tensor([0, 5]))
    )
    assert not found.elements.requires_grad
    assert found.data_ptr() == values.data_ptr()


lengths = st.lists(st.integers(0, 3), max_size=3)


@given(lengths, lengths)
def test_offsets_are_equal_where_lengths_are(one: list[int], two: list[int]) -> None:
    left, right = (taken_apart("x", 2, 1, nested(value)).offsets for value in (one, two))
    assert (left == right) == (one == two)
    assert (left != right) == (one != two)


def test_offsets_of_other_types_and_places() -> None:
    tensor = torch.tensor([0, 2, 5])
    strided = torch.tensor([0, 9, 2, 9, 5])[::2]
    assert Offsets(tensor) == Offsets(tensor)
    assert Offsets(tensor) == Offsets(tensor.to(torch.int32))
    assert Offsets(tensor) == Offsets(strided)
    assert Offsets(strided).tensor.tolist() == [0, 2, 5]
    assert Offsets(strided).tensor.is_contiguous()
    # They begin at one address, and one of them is shorter.
    assert Offsets(tensor) != Offsets(tensor[:2])
    assert Offsets(tensor) != "offsets"


@pytest.fixture
def capturing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A graph is captured of the CPU."""
    monkeypatch.setattr(torch.accelerator, "current_accelerator", lambda: torch.device("cpu"))
    monkeypatch.setattr(torch.cpu, "is_current_stream_capturing", lambda: True, raising=False)


@pytest.mark.usefixtures("capturing")
def test_offsets_are_not_compared_while_a_graph_is_captured() -> None:
    tensor = torch.tensor([0, 2, 5])
    assert Offsets(tensor) == Offsets(tensor)
    assert Offsets(tensor) != Offsets(tensor[:2].clone())
    with pytest.raises(DeviceError) as error:
        _ = Offsets(tensor) == Offsets(tensor.clone())
    assert error.value.message == (
        "two jagged tensors have offsets of their own, and to compare them is to wait for the "
        "device, which nothing may do while a CUDA graph is captured; give all jagged tensors of "
        "the call one offsets tensor"
    )


@pytest.mark.usefixtures("capturing")
def test_the_longest_length_is_not_looked_for_while_a_graph_is_captured() -> None:
    known = torch.nested.nested_tensor_from_jagged(
        torch.ones(5), torch.tensor([0, 2, 5]), min_seqlen=2, max_seqlen=3
    )
    assert taken_apart("x", 2, 1, known).shape == (2, 3)
    # Nothing is looked for where there are no sequences.
    assert taken_apart("x", 2, 1, nested([])).shape == (0, 0)
    with pytest.raises(DeviceError) as error:
        taken_apart("x", 2, 1, nested([2, 3]))
    assert error.value.message == (
        "torch does not know the longest length of x, and to look for it is to wait for the "
        "device, which nothing may do while a CUDA graph is captured; make it with max_seqlen="
    )


MODULE = """
tt.func @k(
    %x: !tt.ptr<f32> {nt.param = "x"}, %xo: !tt.ptr<i64> {nt.symbol = "xo"},
    %n: i32 {nt.symbol = "n"}
) attributes {
    nt.params = [#nt.param<"x" tensor [b, n] [0, s] offsets xo along 1>,
                 #nt.param<"y" tensor [b, n] [0, s] offsets yo along 1>],
    nt.grid = #nt.expr<b>, nt.checks = [#nt.check<[xo] = [yo], "the offsets differ">]
} {
  %v = tt.load %xo : !tt.ptr<i64>
  %w = arith.constant 0.0 : f32
  tt.store %x, %w : !tt.ptr<f32>
  tt.return
}
"""


def test_the_launch_passes_and_compares_offsets() -> None:
    scope: dict[str, Any] = {}
    exec(launch_source(parse(MODULE)), scope)
    one, two = (taken_apart(name, 2, 1, nested([2, 3])) for name in "xy")
    other = taken_apart("y", 2, 1, nested([3, 2]))
    launch = scope["launch"]
    assert launch(one, two) == (None, 2, (one.data_ptr(), one.offsets.data_ptr(), 3))
    assert launch(one, other) == ("the offsets differ", 0, ())
    longer = taken_apart("y", 2, 1, nested([1, 4]))
    assert launch(one, longer) == ("y.shape[1] is 4, but must be 3", 0, ())


def test_a_dim_of_one_element_names_no_other_sequence() -> None:
    levels = ((sym("b"), sym("n")), (const(1), sym("m")), (const(1), const(16)))
    access = Access(levels, (sym("g0") + sym("k1_0") + sym("b0"), sym("b1")), ())
    assert nt.batch_index(access) == sym("g0")


def test_the_tuner_gets_copies_of_the_elements(monkeypatch: pytest.MonkeyPatch) -> None:
    from ninetoothed.runtime.launch import device
    from ninetoothed.runtime.launch.loaded import Trial
    from ninetoothed.runtime.tuning import isolation

    def free_memory(index: int) -> int:
        return 1 << 30

    monkeypatch.setattr(device, "free_memory", free_memory)
    jagged = taken_apart("x", 2, 1, nested([2, 3]))
    seen: list[Jagged] = []

    def launch(values: tuple[Jagged]) -> None:
        seen.append(values[0])
        values[0].elements.fill_(7)

    trial = Trial(("x",), ("x",), ("x",), launch)
    with isolation.isolated([trial], (jagged,)) as (arguments, _):
        trial.launch(arguments)
    assert seen[0].offsets is jagged.offsets
    assert seen[0].elements.tolist() == [7.0] * 5
    assert jagged.elements.tolist() == [1.0] * 5
