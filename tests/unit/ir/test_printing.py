"""The text of modules: aliases and their names."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser

from ninetoothed.ir.dialects import context
from ninetoothed.ir.printing import lines_of, text_of

BLOCK = "!nt.tensor<[BLOCK_M, BLOCK_N] x f32>"
OTHER = "!nt.tensor<[BLOCK_N, BLOCK_M] x f32>"
TILE = f"!nt.tensor<[k ceildiv BLOCK_N] x {BLOCK}>"


def parsed(text: str) -> ModuleOp:
    """The module of a text, which prints alike when its own text is parsed."""
    module = Parser(context(), text).parse_module()
    for debug_info in (False, True):
        for local_scope in (False, True):
            printed = text_of(module, debug_info, local_scope)
            again = Parser(context(), printed).parse_module()
            assert text_of(again, debug_info, local_scope) == printed
            assert again.is_structurally_equivalent(module)
    return module


def aliases(text: str, debug_info: bool = False) -> dict[str, str]:
    """The aliases that the text of a module defines, in their order."""
    lines = text_of(parsed(text), debug_info).splitlines()
    return dict(line.split(" = ", 1) for line in lines[: lines.index("builtin.module {")])


def kernel(*ops: str, **parameters: str) -> str:
    """A kernel of these ops, with parameters of these types."""
    arguments = ", ".join(f"%{name}: {type}" for name, type in parameters.items())
    body = "\n".join(ops)
    return f"nt.kernel @k arrange {{ nt.arranged }} apply {{\n^bb0({arguments}):\n{body}\n}}"


def load(result: str, source: str, type: str = BLOCK) -> str:
    """The load of a block."""
    return f"%{result} = nt.load %{source}[] : {type}[] -> {type}"


def test_a_parameters_type_has_its_name() -> None:
    assert aliases(kernel(load("a", "x"), load("b", "y", OTHER), x=BLOCK, y=OTHER)) == {
        "!x": BLOCK,
        "!y": OTHER,
    }


def test_a_type_of_several_parameters_is_a_block_or_a_tile() -> None:
    assert aliases(kernel(load("a", "x"), x=BLOCK, y=BLOCK, p=TILE, q=TILE)) == {
        "!block": BLOCK,
        "!tile": TILE.replace(BLOCK, "!block"),
    }


def test_two_parameters_of_one_name() -> None:
    first, second = kernel(load("a", "x"), x=BLOCK), kernel(load("a", "x", OTHER), x=OTHER)
    assert aliases(f"{first}\n{second}") == {"!x": BLOCK, "!x1": OTHER}


def test_other_types_have_the_name_of_the_first_value() -> None:
    cast = f"nt.cast %a : {BLOCK} -> !nt.tensor<[BLOCK_M, BLOCK_N] x f64>"
    double = "!nt.tensor<[BLOCK_M, BLOCK_N] x f64>"
    add = f'nt.elementwise "add"(%0, %0) : ({double}, {double}) -> {double}'
    unnamed = kernel(load("a", "x"), f"%0 = {cast}", f"%1 = {add}", x=BLOCK)
    named = kernel(load("a", "x"), f"%0 = {cast}", f"%total = {add}", x=BLOCK)
    taken = kernel(load("a", "x"), f"%0 = {cast}", f"%x_1 = {add}", x=BLOCK)
    assert aliases(unnamed) == {"!x": BLOCK, "!a_cast": double}
    assert aliases(named) == {"!x": BLOCK, "!total": double}
    assert aliases(taken) == {"!x": BLOCK, "!x_elementwise": double}


def test_numbers_behind_digits_are_told_from_them() -> None:
    double = "!nt.tensor<[BLOCK_M, BLOCK_N] x f64>"
    first = kernel(load("a", "x1"), x1=BLOCK)
    second = kernel(load("a", "x1", double), x1=double)
    assert list(aliases(f"{first}\n{second}")) == ["!x1", "!x1_1"]


def test_names_that_an_alias_cannot_have() -> None:
    # With a dot it would be a type of a dialect.
    text = kernel("%b = nt.load %a.b[] : T[] -> T", **{"a.b": "T"}).replace("T", BLOCK)
    assert list(aliases(text)) == ["!a_b"]


def test_short_types_and_those_that_occur_once_have_none() -> None:
    short = "!nt.tensor<[64] x f32>"
    assert aliases(kernel(load("a", "x", short), x=short, y=BLOCK)) == {}


def test_types_in_types_are_defined_first() -> None:
    again = f"%0 = builtin.unrealized_conversion_cast %y : {TILE} to {TILE}"
    text = kernel(load("a", "x"), again, y=TILE, x=BLOCK)
    assert list(aliases(text)) == ["!x", "!y"]


def test_an_op_among_its_own_operands() -> None:
    cycle = f"%0 = builtin.unrealized_conversion_cast %0 : {BLOCK} to {BLOCK}"
    module = Parser(context(), f"builtin.module {{\n{cycle}\n}}").parse_module()
    assert text_of(module).splitlines() == [
        f"!cast = {BLOCK}",
        "builtin.module {",
        "  %0 = builtin.unrealized_conversion_cast %0 : !cast to !cast",
        "}",
    ]


def test_locations_are_behind_types_and_have_one_alias_each() -> None:
    one, two = 'loc("k.py":1:2)', 'loc("f"("k.py":3:4))'
    text = kernel(f"{load('a', 'x')} {one}", f"{load('b', 'x')} {two}", "nt.return", x=BLOCK)
    assert aliases(text) == {"!x": BLOCK}
    assert aliases(text, debug_info=True) == {"!x": BLOCK, "#loc": one, "#loc1": two}
    printed = text_of(parsed(text), debug_info=True)
    assert "%a = nt.load %x[] : !x[] -> !x loc(#loc)\n" in printed
    assert "nt.return loc(unknown)\n" in printed


def test_local_scope() -> None:
    text = kernel(f'{load("a", "x")} loc("k.py":1:2)', x=BLOCK)
    assert text_of(parsed(text), debug_info=True, local_scope=True).splitlines() == [
        "builtin.module {",
        "  nt.kernel @k arrange {",
        "    nt.arranged loc(unknown)",
        "  } apply {",
        f"  ^bb0(%x: {BLOCK} loc(unknown)):",
        f'    %a = nt.load %x[] : {BLOCK}[] -> {BLOCK} loc("k.py":1:2)',
        "  } loc(unknown)",
        "} loc(unknown)",
    ]
    module = parsed(text)
    assert text_of(module, local_scope=True) == str(module)


def test_lines_belong_to_the_innermost_op() -> None:
    symbols = ", ".join(f"#nt.symbol<{name * 9} size 0 to ?>" for name in "abcd")
    text = kernel("nt.return", x=BLOCK).replace("@k", f"@k symbols [{symbols}]")
    text = text.replace("nt.return", f"{load('a', 'x')}\nnt.return")
    module = parsed(text)
    lines = lines_of(module)
    assert "\n".join(line for line, _ in lines) == text_of(module)
    names = [(line.split()[0], None if op is None else op.name) for line, op in lines]
    assert names == [
        ("!x", None),
        ("builtin.module", "builtin.module"),
        ("nt.kernel", "nt.kernel"),
        *[("#nt.symbol<" + name * 9, "nt.kernel") for name in "abcd"],
        ("]", "nt.kernel"),
        ("nt.arranged", "nt.arranged"),
        ("}", "nt.kernel"),
        ("^bb0(%x:", "nt.kernel"),
        ("%a", "nt.load"),
        ("nt.return", "nt.return"),
        ("}", "nt.kernel"),
        ("}", "builtin.module"),
    ]
