"""Reading IR text: the guards before parsing, the places of errors, and their exact words."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import BytesAttr, ModuleOp, StringAttr, SymbolRefAttr
from xdsl.parser import Parser

from ninetoothed.errors import InvalidIRError, Loc
from ninetoothed.ir.diagnostics import fail
from ninetoothed.ir.dialects import context
from ninetoothed.ir.locations import loc_of
from ninetoothed.ir.parsing import parse_module
from ninetoothed.ir.printing import text_of


def error_of(text: str | bytes, first_line: int = 1) -> str:
    """The error of a text that is no module."""
    with pytest.raises(InvalidIRError) as caught:
        parse_module(text, "wrong.mlir", first_line=first_line)
    return str(caught.value)


def test_unclosed_string() -> None:
    # xDSL's lexer takes 2**60 steps for this.
    assert error_of(f'module {{\n  "{"a" * 60}\n}}') == (
        "the string is not closed on its line\n"
        '  File "wrong.mlir", line 2, column 3\n'
        f'    "{"a" * 60}\n'
        f"    {'^' * 61}"
    )


def test_unknown_escape() -> None:
    assert error_of('"te\\qst"() : () -> ()') == (
        'there is no escape \\q in a string; write \\n, \\t, \\", \\\\ or two hexadecimal digits\n'
        '  File "wrong.mlir", line 1, column 4\n'
        '    "te\\qst"() : () -> ()\n'
        "       ^^"
    )


def test_deep_brackets() -> None:
    found = error_of(f"{'[' * 101}\n")
    assert found.startswith(
        'brackets are nested more than 100 deep\n  File "wrong.mlir", line 1, column 101\n'
    )


def test_brackets_in_strings_and_comments_are_none() -> None:
    text = f'// {"[" * 200}\n"builtin.module"() ({{^a:}}) {{a = "{"[" * 200}"}} : () -> ()'
    assert isinstance(parse_module(text), ModuleOp)


def test_long_integers() -> None:
    assert error_of("%0 = arith.constant 123456789012345678901 : i64") == (
        "an integer of 21 digits does not fit 64 bits\n"
        '  File "wrong.mlir", line 1, column 21\n'
        "    %0 = arith.constant 123456789012345678901 : i64\n"
        "                        ^^^^^^^^^^^^^^^^^^^^^"
    )


def test_names_and_fractions_may_have_many_digits() -> None:
    parse_module(f"%v{'1' * 30} = arith.constant 0.{'1' * 30} : f64")


def test_names_and_strings_may_have_any_letters() -> None:
    """Symbols are named after the user's parameters."""
    text = """builtin.module attributes {a = #nt.expr<größe_0 + 五>, b = "größe", c = @größe} {
}"""
    module = parse_module(text)
    assert module.attributes["b"] == StringAttr("größe")
    assert isinstance(module.attributes["c"], SymbolRefAttr)
    printed = text_of(module)
    assert "#nt.expr<größe_0 + 五>" in printed
    assert r'b = "gr\C3\B6\C3\9Fe"' in printed
    assert text_of(parse_module(printed)) == printed
    assert parse_module(printed).attributes == module.attributes
    # What is no text stays what it is.
    (found,) = parse_module(r'builtin.module attributes {a = "\FF"} {}').attributes.values()
    assert isinstance(found, BytesAttr)


def test_wide_integer_types() -> None:
    assert error_of("%0 = arith.constant 1 : i99999999999") == (
        "an integer type has at most 65536 bits\n"
        '  File "wrong.mlir", line 1, column 25\n'
        "    %0 = arith.constant 1 : i99999999999\n"
        "                            ^^^^^^^^^^^^"
    )


def test_values_out_of_range() -> None:
    assert error_of("%0 = arith.constant 500 : i8") == (
        "Integer value 500 is out of range for type i8 which supports values in the range "
        "[-128, 256)\n"
        '  File "wrong.mlir", line 1, column 21\n'
        "    %0 = arith.constant 500 : i8\n"
        "                        ^^^"
    )


def test_large_dense_constants() -> None:
    assert error_of("%0 = arith.constant dense<0> : tensor<1024x1048576xi32>") == (
        "a dense constant of 1073741824 elements is too large; the largest has 1048576\n"
        '  File "wrong.mlir", line 1, column 32\n'
        "    %0 = arith.constant dense<0> : tensor<1024x1048576xi32>\n"
        "                                   ^^^^^^"
    )


@pytest.mark.parametrize(
    "constant",
    [
        *("dense<-3> : tensor<2x4xi32>", "dense<1.500000e+00> : tensor<4xf8E5M2>"),
        *("dense<true> : tensor<2xi1>", "dense<[1, 2]> : tensor<2xi8>", "dense<7> : tensor<i32>"),
        *("dense<0x7F800000> : tensor<2xf32>", "dense<> : tensor<0xi32>"),
    ],
)
def test_dense_constants(constant: str) -> None:
    text = f"%0 = arith.constant {constant}"
    (op,) = parse_module(text).body.ops
    (expected,) = Parser(context(), text).parse_module().body.ops
    assert op.properties == expected.properties


def test_many_large_dense_constants() -> None:
    text = "".join(
        f"%{index} = arith.constant dense<0> : tensor<1048576xi8>\n" for index in range(5)
    )
    assert error_of(text).startswith(
        "the dense constants up to here have 5242880 elements, and 4194304 is the most\n"
        '  File "wrong.mlir", line 5, column 32\n'
    )


def test_aliases_that_double() -> None:
    rows = [f"#a{index} = [#a{index - 1}, #a{index - 1}]\n" for index in range(1, 40)]
    assert error_of("#a0 = [1, 2]\n" + "".join(rows) + "module {}") == (
        "this alias stands for more than 65536 characters\n"
        '  File "wrong.mlir", line 13, column 1\n'
        "    #a12 = [#a11, #a11]\n"
        "    ^^^^"
    )


def test_bytes_of_another_encoding() -> None:
    assert error_of(b"module {\n  \xff\n}") == (
        "the text is not UTF-8: byte 0xff\n"
        '  File "wrong.mlir", line 2, column 3\n'
        "    \N{REPLACEMENT CHARACTER}\n"
        "    ^"
    )


def test_a_mark_in_front_of_the_text() -> None:
    assert isinstance(parse_module("\N{BYTE ORDER MARK}builtin.module {}".encode()), ModuleOp)


@pytest.mark.parametrize(
    ("text", "message", "line", "column"),
    [
        ("", "an op is expected here", 1, 1),
        (
            "\n \N{VULGAR FRACTION ONE HALF}",
            "Unexpected character: \N{VULGAR FRACTION ONE HALF}",
            2,
            2,
        ),
        (
            "module attributes {a = #nt.expr<n floordiv (m - m)>} {}",
            "n is divided by zero",
            1,
            33,
        ),
        ("module attributes {a = #nt.expr<n mod 0>} {}", "n is divided by zero", 1, 33),
        (
            f"module attributes {{a = #nt.expr<n {'+ n ' * 10000}>}} {{}}",
            "this is nested too deeply",
            1,
            24,
        ),
        (
            "%0 = arith.constant dense<0.0> : tensor<131073xf8E5M2>",
            "a dense constant of 131073 elements is too large; the largest has 131072",
            1,
            34,
        ),
        (
            '%0 = arith.constant dense<"0x00"> : tensor<0xf32>',
            "a dense constant of no elements holds bytes",
            1,
            26,
        ),
        (
            "tt.func @f(%a: !tt.ptr) {\n  tt.return\n}",
            "'<' expected",
            1,
            23,
        ),
        (
            '%0 = nt.constant "xor"\n%1 = arith.constant 1 : i32',
            "nt.constant takes an integer with its type",
            2,
            1,
        ),
        (
            '"builtin.module"() ({\n^00:\n}) : () -> ()',
            "the name of a block begins with a letter",
            2,
            1,
        ),
        (
            "builtin.module {\n\n",
            "an op is expected here, or the end of the region",
            1,
            17,
        ),
        ("\n arith.add", "there is no op arith.add; did you mean arith.addi?", 2, 2),
        (
            "%0 = arith.constant 1 : i32\n%1 = arith.addi %0, %no : i32\n",
            "%no is used, but not defined",
            2,
            21,
        ),
        (
            "%0 = arith.addi %1, %1 : i32\n%1 = arith.constant 1 : i32\n",
            "arith.addi: operand 0 is not defined before it",
            1,
            1,
        ),
        (
            "%0 = arith.constant true\n%1 = scf.if %0 -> (i1) {\n  scf.yield %0 : i1\n} else {\n"
            "  scf.yield\n}",
            "scf.if: the else arm yields 0 values, which are not of the number and the types of "
            "the 1 results",
            2,
            1,
        ),
        (
            '"builtin.module"() ({\n^a:\n  %0 = arith.constant 1 : i32\n^a:\n}) : () -> ()',
            "re-declaration of block 'a'; originally declared here: line 2",
            4,
            1,
        ),
    ],
)
def test_places(text: str, message: str, line: int, column: int) -> None:
    found = error_of(text).splitlines()
    assert found[0] == message
    assert found[1] == f'  File "wrong.mlir", line {line}, column {column}'


def test_what_is_defined_in_a_region_is_not_used_outside() -> None:
    text = """
    %c = arith.constant true
    scf.if %c {
      %x = arith.constant 1 : i32
    }
    %y = arith.addi %x, %x : i32
    """
    assert error_of(text).startswith("%x is used, but not defined\n")


def test_parts_of_a_file_have_its_lines() -> None:
    assert "line 11, column 2\n    what\n    ^^^^" in error_of("\n what", first_line=10)


def test_ops_keep_their_places() -> None:
    module = parse_module("\n %0 = arith.constant 1 : i32", "some.mlir")
    (op,) = module.body.ops
    error = fail(op, "message")
    assert error.loc == Loc("some.mlir", 2, 1)
    # No text is generated from it.
    assert loc_of(op.location) is None


def test_given_locations_stay() -> None:
    (op,) = parse_module('%0 = arith.constant 1 : i32 loc("user.py":3:5)').body.ops
    assert loc_of(op.location) == Loc("user.py", 3, 4)


def test_terminators_that_the_text_leaves_out_are_where_their_op_is() -> None:
    text = """
    %c = arith.constant true
    scf.if %c {
      %0 = arith.constant 1 : i32
    } else {
      %1 = arith.constant 1 : i32
      scf.yield loc("user.py":7:1)
    } loc("user.py":3:5)
    """
    found = [op.location for op in parse_module(text).walk() if op.name == "scf.yield"]
    assert [loc_of(location) for location in found] == [Loc("user.py", 3, 4), Loc("user.py", 7)]


def test_modules_that_do_not_verify_may_be_wanted() -> None:
    text = '"scf.yield"() : () -> ()'
    with pytest.raises(InvalidIRError):
        parse_module(text)
    assert isinstance(parse_module(text, verifying=False), ModuleOp)
