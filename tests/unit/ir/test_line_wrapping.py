"""Line breaks of the IR's text."""

from __future__ import annotations

import re
from inspect import cleandoc

import pytest

from ninetoothed.ir.line_wrapping import WIDTH, break_line

LONG = "a" * 60


def check(line: str, expected: str) -> None:
    """Check where a line is broken; all but spaces stays."""
    broken = break_line(line)
    assert "\n".join(broken) == cleandoc(expected)
    assert re.sub(r"\s", "", "".join(broken)) == re.sub(r"\s", "", line)
    assert all(len(part) <= WIDTH for part in broken)


def test_a_line_that_fits_stays() -> None:
    line = f'%0 = "{"x" * (WIDTH - 7)}"'
    assert len(line) == WIDTH
    assert break_line(line) == [line]


def test_types_go_to_the_next_line() -> None:
    check(
        f"%sum = nt.dot %{LONG}, %b, %c : !{LONG}, !b -> !c loc(#loc)",
        f"""
        %sum = nt.dot %{LONG}, %b, %c
            : !{LONG}, !b -> !c loc(#loc)
        """,
    )


def test_keywords_stay_with_what_follows() -> None:
    check(
        f"%t = nt.tile %x [{LONG}] strides [{LONG}] level 0 : !x -> !t",
        f"""
        %t = nt.tile %x [{LONG}]
            strides [{LONG}] level 0 : !x -> !t
        """,
    )


def test_a_list_has_an_entry_a_line() -> None:
    check(
        f"nt.kernel @k symbols [#nt.symbol<{LONG} size>, #nt.symbol<{LONG[1:]} size>] arrange {{",
        f"""
        nt.kernel @k symbols [
          #nt.symbol<{LONG} size>,
          #nt.symbol<{LONG[1:]} size>
        ] arrange {{
        """,
    )


def test_two_long_lists_of_one_line() -> None:
    check(
        f"tt.func @f(%a: {LONG}, %b: {LONG}) attributes {{x = [{LONG}, {LONG}], y = []}} {{",
        f"""
        tt.func @f(
          %a: {LONG},
          %b: {LONG}
        ) attributes {{
          x = [
            {LONG},
            {LONG}
          ],
          y = []
        }} {{
        """,
    )


def test_the_head_of_a_region_has_no_line_but_of_lists() -> None:
    check(
        f"%a = scf.for %i = %b to %c step %d iter_args(%e = %{LONG}) -> (!{LONG}) : i32 {{",
        f"""
        %a = scf.for %i = %b to %c step %d iter_args(
          %e = %{LONG}
        ) -> (!{LONG}) : i32 {{
        """,
    )


def test_the_end_of_a_region() -> None:
    check(
        f"}} {{x = [{LONG}, {LONG}]}} loc(#loc1)",
        f"""
        }} {{
          x = [
            {LONG},
            {LONG}
          ]
        }} loc(#loc1)
        """,
    )


def test_expressions_are_broken_before_operators() -> None:
    check(
        f"nt.size <{LONG} * {LONG[:40]} ceildiv 2 + min({LONG[:30]}, {LONG[:20]})> : i32",
        f"""
        nt.size <
          {LONG} * {LONG[:40]} ceildiv 2
              + min({LONG[:30]}, {LONG[:20]})
        > : i32
        """,
    )


def test_definitions_stay_with_their_names() -> None:
    check(
        f"!input = !nt.tensor<[{LONG}, {LONG[:30]}] x !input_block>",
        f"""
        !input = !nt.tensor<
          [{LONG}, {LONG[:30]}] x !input_block
        >
        """,
    )


def test_text_of_several_literals_has_a_line_each() -> None:
    check(
        f'%0 = foo #nt.check<[a] = [b], "{LONG} " "b" "c">',
        f"""
        %0 = foo #nt.check<[a] = [b], "{LONG} " "b" "c">
        """,
    )
    check(
        f'%0 = foo #nt.check<[a] = [b], "{LONG} {LONG[:40]} " "b" "c">',
        f"""
        %0 = foo #nt.check<
          [a] = [b],
          "{LONG} {LONG[:40]} "
          "b"
          "c"
        >
        """,
    )


@pytest.mark.parametrize(
    "line",
    [
        f'foo "{LONG} {LONG} , ( \\" {LONG}"',
        f"{LONG}{LONG}{LONG}",
        # Not balanced, which no printer writes.
        f"foo [{LONG}, {LONG}",
        f"foo {LONG}], {LONG}",
        f"foo [{LONG}, {LONG})",
    ],
)
def test_what_has_no_place_for_a_break_stays(line: str) -> None:
    assert break_line(line) == [line]
