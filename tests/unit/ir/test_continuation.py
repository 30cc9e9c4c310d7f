"""The first line of a dumped module: it says what is to come, and is read back."""

from __future__ import annotations

import pytest

from ninetoothed.errors import ArgumentError
from ninetoothed.ir.continuation import Continuation

LONG = ",".join(f'nt-pass-{number}{{values="A=1","B={number}" full=true}}' for number in range(30))


@pytest.mark.parametrize(
    "continuation",
    [
        Continuation("cse"),
        Continuation('nt-check-stage{stage="tt"},cse', "sm_90", 4, 3),
        Continuation(LONG, "gfx942"),
        Continuation(num_warps=8),
        Continuation("my-pass,cse", "sm_90", loads=("my.passes", "/a folder/own.py")),
        Continuation('it\'s{a="b c"}'),
    ],
)
def test_it_is_read_back(continuation: Continuation) -> None:
    text = str(continuation)
    assert Continuation.read(f"{text}\nbuiltin.module {{\n}}\n") == continuation
    assert Continuation.read(f"\n{text}\r\n") == continuation
    assert all(len(line) <= 120 for line in text.splitlines())
    assert all(line.startswith("//") for line in text.splitlines())


def test_what_is_not_said_is_no_comment() -> None:
    assert str(Continuation()) == ""


def test_its_text() -> None:
    found = str(Continuation("nt-pad-blocks,cse", "sm_90", 4, 3))
    assert found == "// nt-opt: --arch=sm_90 --num-warps=4 --num-stages=3 -p nt-pad-blocks,cse"


@pytest.mark.parametrize("text", ["", "builtin.module {\n}", "// RUN: nt-opt %s", "\n// nt-opt"])
def test_other_texts_say_nothing(text: str) -> None:
    assert Continuation.read(text) is None


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            "--kernel=a -p cse",
            "the first line, // nt-opt: …, holds --kernel; it takes --arch=, --num-warps=, "
            "--num-stages=, --load= and -p",
        ),
        (
            "--num-warps=many",
            "the first line, // nt-opt: …, holds --num-warps; it takes --arch=, --num-warps=, "
            "--num-stages=, --load= and -p",
        ),
        (
            f"--num-stages={'1' * 5000}",
            "the first line, // nt-opt: …, holds --num-stages; it takes --arch=, --num-warps=, "
            "--num-stages=, --load= and -p",
        ),
        (
            "-p",
            "the first line, // nt-opt: …, holds -p; it takes --arch=, --num-warps=, "
            "--num-stages=, --load= and -p",
        ),
        ("--num-warps=3", "the first line, // nt-opt: …, holds 3 warps, no power of two"),
        (
            "--load my.passes",
            "the first line, // nt-opt: …, holds --load; it takes --arch=, --num-warps=, "
            "--num-stages=, --load= and -p",
        ),
        (
            f"-p '{'x' * (1 << 15)}'",
            "the first line, // nt-opt: …, has 32773 characters; 32768 is the most",
        ),
        ("-p 'cse", "the first line, // nt-opt: …, is broken: No closing quotation"),
    ],
)
def test_broken_lines(line: str, message: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        Continuation.read(f"// nt-opt: {line}\n")
    assert str(caught.value) == message
