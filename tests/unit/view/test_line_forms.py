"""Lines as forms and numbers: nothing is lost."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ninetoothed.view.line_forms import LineForms, decoded

LINE = st.lists(
    st.sampled_from(
        ["%r", "R", "0x", "0", "7", "12", "007", "9" * 20, ".", "-", "f", " ", "é", "a"]
    )
).map("".join)


@given(st.lists(LINE, max_size=8))
def test_decoding_is_the_inverse(lines: list[str]) -> None:
    table = LineForms()
    encoded = table.encoded(lines)
    assert decoded(table.forms, *encoded) == lines


def test_lines_that_differ_in_numbers_have_one_form() -> None:
    table = LineForms()
    forms, differences = table.encoded(["add %r12, %r9, 0x1f;", "add %r13, %r8, 0x20;", "ret;"])
    assert table.forms == ["add %r\0, %r\0, \1;", "ret;"]
    assert forms == [0, 0, 1]
    assert differences == [12, 9, 31, 1, -1, 1]


def test_texts_share_forms_and_no_differences() -> None:
    table = LineForms()
    assert table.encoded(["mov %r5;"]) == ([0], [5])
    assert table.encoded(["mov %r6;"]) == ([0], [6])


def test_numbers_that_are_not_exact_in_javascript_stay_in_the_form() -> None:
    table = LineForms()
    table.encoded([f"x {2**53 + 1} 0xfffffffffffff 0.5 007"])
    assert table.forms == [f"x {2**53 + 1} 0xfffffffffffff 0.5 007"]
