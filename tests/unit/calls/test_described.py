"""Calls as texts: what they say, and exact messages where they say nothing."""

from __future__ import annotations

import pytest

from ninetoothed.calls.described import DescribedTensor, contiguous, described_call
from ninetoothed.errors import ArgumentError


def tensor(text: str) -> tuple[object, ...]:
    found = described_call(f"x={text}")["x"]
    assert isinstance(found, DescribedTensor)
    return found.dtype, found.shape, found.stride()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("fp16[4096, 64]", ("fp16", (4096, 64), (64, 1))),
        ("float16[4096,64]", ("fp16", (4096, 64), (64, 1))),
        ("torch.bfloat16 [ 4096 , 64 ]", ("bf16", (4096, 64), (64, 1))),
        ("fp32[4096, 64][1, 4096]", ("fp32", (4096, 64), (1, 4096))),
        ("fp32[4096, 64] [0, 1]", ("fp32", (4096, 64), (0, 1))),
        ("i64[7]", ("i64", (7,), (1,))),
        ("fp32[]", ("fp32", (), ())),
        ("fp32[2, 0, 3]", ("fp32", (2, 0, 3), (3, 3, 1))),
    ],
)
def test_tensors(text: str, expected: tuple[object, ...]) -> None:
    assert tensor(text) == expected


def test_what_binding_reads() -> None:
    found = described_call("x=fp16[3, 5]")["x"]
    assert (found.dim(), found.numel(), found.element_size(), found.stride(0)) == (2, 15, 2, 5)
    assert (found.data_ptr(), found.is_neg(), found.device.type) == (0, False, "meta")


def test_strides_are_torchs() -> None:
    torch = pytest.importorskip("torch")
    for shape in ((), (3,), (2, 3, 4), (2, 0, 4), (1, 5, 1)):
        assert contiguous(shape) == torch.empty(shape, device="meta").stride()


def test_numbers() -> None:
    found = described_call(" eps=1e-6, BLOCK = 64,n=-1 ,causal=True, other=False,scale=0.5")
    assert found == {
        "eps": 1e-6,
        "BLOCK": 64,
        "n": -1,
        "causal": True,
        "other": False,
        "scale": 0.5,
    }
    assert [type(value) for value in found.values()] == [float, int, int, bool, bool, float]


def test_order_is_kept() -> None:
    assert [*described_call("y=fp16[4, 4], x=fp16[4, 4][1, 4], a=1")] == ["y", "x", "a"]


EXAMPLE = "as in x=fp16[4096, 4096], eps=1e-6"
SEPARATED = f"write NAME=VALUE, with commas between them, {EXAMPLE}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", f"a call has arguments, {EXAMPLE}"),
        (" ", f"a call has arguments, {EXAMPLE}"),
        ("x", f"'x' is no argument; {SEPARATED}"),
        ("fp16[4, 4]", f"'fp16[4, 4]' is no argument; {SEPARATED}"),
        ("x=", f"'x=' is no argument; {SEPARATED}"),
        ("x=1,", f"'' is no argument; {SEPARATED}"),
        ("2x=1", f"'2x=1' is no argument; {SEPARATED}"),
        ("x: fp16[4]", f"'x: fp16[4]' is no argument; {SEPARATED}"),
        ("x=1, x=2", "x is given twice"),
        (
            "x=fp16",
            "x=fp16 has no sizes; write for example x=fp16[4096, 4096], and x=fp16[] for a tensor "
            "of no dims",
        ),
        (
            "x=wide",
            "x=wide is neither a tensor, as fp16[4096, 4096], nor a number, as 64, 1e-6 or True",
        ),
        (
            "x=fp16[4, 4",
            "x=fp16[4 is neither a tensor, as fp16[4096, 4096], nor a number, as 64, 1e-6 or True",
        ),
        ("x=bf166[4]", "x: bf166 is no element type; did you mean bf16?"),
        ("x=half_float[4]", "x: half_float is no element type; write for example fp16 or fp32"),
        (
            "x=fp16[4, -1]",
            "x: [4, -1] are no sizes; write integers with commas between them, as in [4096, 4096]",
        ),
        (
            "x=fp16[4, n]",
            "x: [4, n] are no sizes; write integers with commas between them, as in [4096, 4096]",
        ),
        (
            "x=fp16[4][1.5]",
            "x: [1.5] are no strides; write integers with commas between them, as in [4096, 4096]",
        ),
        (
            "x=fp16[4, 4][1]",
            "x has 2 sizes and 1 strides; give a stride for each size, or none for a contiguous "
            "tensor",
        ),
    ],
)
def test_messages(text: str, message: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        described_call(text)
    assert caught.value.message == message
