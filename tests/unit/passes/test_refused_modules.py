"""Modules that a pass cannot take: the exact messages, at the op."""

from __future__ import annotations

import re

import pytest

from ninetoothed.testing import nt_opt

MATRIX = "!nt.tensor<[16, 16] x f32>"
TILE = "!nt.tensor<[4] x f32>"
LOAD = f"%v = nt.load %a[] : {TILE}[] -> {TILE}"


def kernel(*body: str, access: str = "-> [b0]", symbols: str = "") -> str:
    """A kernel of one program and one tensor, whose body begins in line 7."""
    ops = "".join(f"  {op}\n" for op in (*body, "nt.return"))
    return (
        f"nt.kernel @k symbols [{symbols}] grid #nt.expr<1> arrange {{\n"
        f'  %x = nt.source "x" "tensor" strides [1] aligned false : {TILE}\n'
        f"  %0 = nt.access %x <[[1], [4]] {access}> : {TILE} -> !nt.tensor<[1] x {TILE}>\n"
        f"  nt.arranged %0 : !nt.tensor<[1] x {TILE}>\n"
        f"}} apply {{\n^bb0(%a: {TILE}):\n{ops}}}\n"
    )


WHILE = (
    "%c = arith.constant true",
    "%one = arith.constant 1 : i32",
    "%l = scf.while (%i = %one) : (i32) -> i32 {",
    "  %two = arith.constant 2 : i32",
    "  scf.condition(%c) %two : i32",
    "} do {",
    "^bb1(%j: i32):",
    "  scf.yield %j : i32",
    "}",
)


@pytest.mark.parametrize(
    ("pipeline", "text", "message", "line"),
    [
        (
            "nt-check-arrangement",
            kernel(),
            "an arrangement with nt.access is composed already; what follows its meta-operations "
            "comes before that",
            3,
        ),
        (
            "nt-mask-reductions",
            kernel(*WHILE),
            "scf.while forwards other values than it carries",
            9,
        ),
        (
            'nt-fit-target{target="sm_90"}',
            kernel("%i = arith.constant 1 : i48"),
            "arith.constant: i48 is no type of the language",
            7,
        ),
        (
            "nt-lower-to-tt",
            kernel("%i = nt.arange <0> : !nt.tensor<[6] x i32>"),
            "an arange of 6 lanes is no range of Triton's",
            7,
        ),
        (
            "nt-lower-accesses",
            kernel(LOAD, access="-> [b0 + q]"),
            "q is neither an index nor a symbol that the kernel declares",
            7,
        ),
        (
            "nt-lower-accesses",
            kernel(LOAD).replace("[4]", "[6]"),
            "dim 0 of the block has 6 lanes, no power of two below 2**31; nt-pad-blocks pads "
            "blocks",
            7,
        ),
        (
            "nt-skip-programs",
            kernel(
                LOAD,
                f"nt.store %v, %a[] : {TILE}, {TILE}[]",
                access="-> [b0] if [[g0, n]]",
                symbols="#nt.symbol<n size 0 to ?>",
            ),
            "the kernel does not say which program it is",
            1,
        ),
        (
            "nt-persist-programs{persistent=1}",
            kernel(
                "%f = arith.constant 0.0 : f32",
                "%c = arith.constant 1 : i32",
                "scf.for %i = %c to %c step %c : i32 {",
                "%x = nt.full %f : f32 -> !nt.tensor<[16, 16] x f32>",
                f"%y = nt.dot %x, %x, %x : {MATRIX}, {MATRIX} -> {MATRIX}",
                "}",
            ),
            "the kernel does not say which program it is",
            1,
        ),
        (
            "nt-lower-accesses",
            kernel(
                "%pid = nt.program_id persistent : index",
                "%g0 = nt.program_index %pid [1] : index",
            ).replace("grid #nt.expr<1> ", ""),
            "persistent programs need the kernel's grid",
            1,
        ),
    ],
)
def test_refused(pipeline: str, text: str, message: str, line: int) -> None:
    result = nt_opt(["-", "-p", pipeline], text)
    assert result.code == 1
    first, place, *_ = result.err.splitlines()
    name = pipeline.partition("{")[0]
    assert re.sub(r"; reproduce it with .*", "", first) == (
        f"nt-opt: CompilerError: pass {name}: {message}"
    )
    assert place.startswith(f'  File "stdin", line {line}, column ')


@pytest.mark.parametrize(
    ("text", "message", "place"),
    [
        (
            kernel().replace("strides [1]", "strides [1] computed [1, 2]"),
            "nt.source: 2 computed strides for 1 dims",
            "line 2, column 3",
        ),
        (
            kernel(symbols="#nt.symbol<n size 0 to ? not div 8>"),
            "not div names 16, of which div is no multiple",
            "line 1, column 57",
        ),
        (
            kernel(symbols="#nt.symbol<n size 0 to ? div 12>"),
            "div is a power of two, at most 16",
            "line 1, column 54",
        ),
        (
            kernel(access="-> [b0] if [[b0]]"),
            "a guard is a pair [index, size]",
            "line 3, column 49",
        ),
        (
            "tt.func @f(%a: i32) {\n  %c = arith.cmpi less, %a, %a : i32\n  tt.return\n}",
            "arith.cmpi has no predicate less",
            "line 2, column 23",
        ),
        (
            "tt.func @f(%a: f32) {\n  %c = tt.load %a : f32\n  tt.return\n}",
            "f32 is no pointer, nor a block of them",
            "line 2, column 3",
        ),
    ],
)
def test_texts_that_are_not_valid(text: str, message: str, place: str) -> None:
    result = nt_opt(["-"], text)
    assert result.err.splitlines()[:2] == [
        f"nt-opt: InvalidIRError: {message}",
        f'  File "stdin", {place}',
    ]
