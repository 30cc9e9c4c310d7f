"""Mutations of IR text: what people, editors and broken disks do to files, from a seed.

:func:`mutated` gives the same bytes for the same text and seed, in every process.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass

_NUMBER = re.compile(r"(?<![\w%#!.@])-?\d+(?![\w.])")
_DIM = re.compile(r"(?<![\w.])\d+(?=x)")
_TYPE = re.compile(r"tensor<[^<>]*>|!tt\.ptr<\w+>|(?<![\w.%@])(?:[su]?i\d+|bf16|f\d+|index)\b")
_VALUE = re.compile(r"%[\w$.-]+")
_OP = re.compile(r"(?<![\w%@\"#!.])(?:nt|tt|arith|scf|math|builtin)\.\w+")
_STRING = re.compile(r'"[^"\n]*"')
_ATTRIBUTE = re.compile(r"[\w.]+ = [^,{}\n]+,?")
_TERMINATOR = re.compile(r"^.*(?:yield|return|nt\.arranged|scf\.condition).*\n", re.MULTILINE)
_WORD = re.compile(r"(?<= )[a-z_]+(?= )")
_TOKEN = re.compile(r"\w+|[^\w\s]")
_SYMBOL = re.compile(r"(?<=[\[<( ])[a-zA-Z_]\w*(?=[\], ])")

_WRONG_TYPES = (
    *("i1", "i32", "i64", "ui32", "si8", "i7", "i0", "i99999999999", "f16", "f64", "bf16", "index"),
    *("tf32", "f80", "none", "tensor<4xf32>", "tensor<0xf32>", "tensor<?xi32>", "tensor<3x5xf32>"),
    *("tensor<*xf32>", "tensor<f32>", "!tt.ptr<f32>", "!tt.ptr<!tt.ptr<i8>>", "!tt.ptr<index>"),
    *("tensor<4x!tt.ptr<f32>>", "!nt.tensor<[4] x f32>", "!nt.tensor<[] x f32>", "memref<4xf32>"),
    *("!nt.tensor<[-4] x f32>", "!nt.tensor<[n] x !nt.tensor<[4] x f16>>", "vector<4xf32>"),
    *("(i32) -> i32", "complex<f32>", "!nt.none", "!no.such", "tuple<i32>"),
)
_STRINGS = ("", "sum", "max", "add", "no_such", "\\00", "\\F0", "\\", "x" * 5000, "{left", "%")
_LARGE = (
    *("0", "-1", "1", "7", "31", "-2147483648", "2147483647", "2147483648", "4294967296"),
    *("9223372036854775807", "9223372036854775808", "18446744073709551616", "-9223372036854775809"),
    *("1073741824", "1" + "0" * 30, "1" + "0" * 5000, "0x7FFFFFFFFFFFFFFFF", "1e400", "0.5"),
)
_OPERATORS = ("floordiv", "ceildiv", "mod", "*", "+", "-")
_BAD_BYTES = (
    b"\xff",
    b"\xc3(",
    b"\x00",
    b"\xed\xa0\x80",
    b"\xef\xbb\xbf",
    b"\r",
    b"\x0b",
    "½é漢".encode(),
)


@dataclass(frozen=True)
class Mutation:
    """What was done to a text, and what became of it."""

    kinds: tuple[str, ...]
    data: bytes


def mutated(text: str, seed: str) -> Mutation:
    """One to three mutations of ``text``, or of its bytes."""
    chooser = random.Random(seed)
    kinds: list[str] = []
    names = list(_KINDS)
    for _ in range(chooser.choice((1, 1, 1, 2, 3))):
        name = chooser.choice(names)
        kinds.append(name)
        text = _KINDS[name](text, chooser)
    data = text.encode(errors="replace")
    if chooser.random() < 0.04:
        kinds.append("encoding")
        data = _encoding(data, chooser)
    return Mutation(tuple(kinds), data)


def _encoding(data: bytes, chooser: random.Random) -> bytes:
    if chooser.random() < 0.2:
        return data.decode(errors="replace").encode("utf-16")
    place = chooser.randrange(len(data) + 1)
    return data[:place] + chooser.choice(_BAD_BYTES) + data[place:]


def _sub(
    text: str, pattern: re.Pattern[str], chooser: random.Random, new: Callable[[str], str]
) -> str:
    """``text`` with one match of ``pattern``, if there is any, replaced."""
    matches = list(pattern.finditer(text))
    if not matches:
        return text
    match = chooser.choice(matches)
    return text[: match.start()] + new(match[0]) + text[match.end() :]


def _other(text: str, pattern: re.Pattern[str], chooser: random.Random) -> str:
    """``text`` with one match of ``pattern`` replaced by another."""
    words = sorted(set(pattern.findall(text)))
    return _sub(text, pattern, chooser, lambda _: chooser.choice(words))


def _delete_line(text: str, chooser: random.Random) -> str:
    lines = text.splitlines(keepends=True)
    del lines[chooser.randrange(len(lines))]
    return "".join(lines) or "\n"


def _duplicate_line(text: str, chooser: random.Random) -> str:
    lines = text.splitlines(keepends=True)
    line = chooser.choice(lines)
    lines.insert(chooser.randrange(len(lines) + 1), line)
    return "".join(lines)


def _repeat_line(text: str, chooser: random.Random) -> str:
    lines = text.splitlines(keepends=True)
    place = chooser.randrange(len(lines))
    lines[place] *= chooser.choice((2, 50))
    return "".join(lines)


def _swap_lines(text: str, chooser: random.Random) -> str:
    lines = text.splitlines(keepends=True)
    one, two = chooser.randrange(len(lines)), chooser.randrange(len(lines))
    lines[one], lines[two] = lines[two], lines[one]
    return "".join(lines)


def _truncate(text: str, chooser: random.Random) -> str:
    return text[: chooser.randrange(1, len(text) + 1)]


def _cut(text: str, chooser: random.Random) -> str:
    start = chooser.randrange(len(text))
    return text[:start] + text[start + chooser.randrange(1, 60) :] or "\n"


def _delete_token(text: str, chooser: random.Random) -> str:
    return _sub(text, _TOKEN, chooser, lambda _: "") or "\n"


def _double_token(text: str, chooser: random.Random) -> str:
    return _sub(text, _TOKEN, chooser, lambda token: f"{token} {token}")


def _other_token(text: str, chooser: random.Random) -> str:
    return _other(text, _TOKEN, chooser)


def _wrong_type(text: str, chooser: random.Random) -> str:
    return _sub(text, _TYPE, chooser, lambda _: chooser.choice(_WRONG_TYPES))


def _other_type(text: str, chooser: random.Random) -> str:
    return _other(text, _TYPE, chooser)


def _wrong_type_everywhere(text: str, chooser: random.Random) -> str:
    found = sorted(set(_TYPE.findall(text)))
    return text.replace(chooser.choice(found), chooser.choice(_WRONG_TYPES)) if found else text


def _number(text: str, chooser: random.Random) -> str:
    return _sub(text, _NUMBER, chooser, lambda _: chooser.choice(_LARGE))


def _number_everywhere(text: str, chooser: random.Random) -> str:
    found = sorted(set(_NUMBER.findall(text)))
    if not found:
        return text
    old, new = chooser.choice(found), chooser.choice(_LARGE)
    return re.sub(rf"(?<![\w%#!.@-]){re.escape(old)}(?![\w.])", new, text)


def _dim(text: str, chooser: random.Random) -> str:
    return _sub(text, _DIM, chooser, lambda _: chooser.choice(_LARGE[:14]))


def _dim_everywhere(text: str, chooser: random.Random) -> str:
    found = sorted(set(_DIM.findall(text)))
    if not found:
        return text
    old, new = chooser.choice(found), chooser.choice(("0", "3", "128", "1073741824"))
    return re.sub(rf"(?<![\w.]){old}x", f"{new}x", text)


def _other_value(text: str, chooser: random.Random) -> str:
    return _other(text, _VALUE, chooser)


def _undefined_value(text: str, chooser: random.Random) -> str:
    return _sub(text, _VALUE, chooser, lambda _: chooser.choice(("%no", "%0#7", "%", "%1.5")))


def _earlier_value(text: str, chooser: random.Random) -> str:
    """Replace a use by a value of the lines before, which may well have the same type."""
    matches = list(_VALUE.finditer(text))
    if not matches:
        return text
    place = chooser.randrange(len(matches))
    match, other = matches[place], matches[max(0, place - chooser.randrange(1, 12))]
    return text[: match.start()] + other[0] + text[match.end() :]


def _swapped_values(text: str, chooser: random.Random) -> str:
    lines = text.splitlines(keepends=True)
    places = [place for place, line in enumerate(lines) if len(_VALUE.findall(line)) > 2]
    if not places:
        return text
    place = chooser.choice(places)
    one, two = chooser.sample(list(_VALUE.finditer(lines[place])), 2)
    one, two = sorted((one, two), key=lambda match: match.start())
    line = lines[place]
    lines[place] = (
        line[: one.start()] + two[0] + line[one.end() : two.start()] + one[0] + line[two.end() :]
    )
    return "".join(lines)


def _word(text: str, chooser: random.Random) -> str:
    return _other(text, _WORD, chooser)


def _swap_neighbours(text: str, chooser: random.Random) -> str:
    lines = text.splitlines(keepends=True)
    place = chooser.randrange(len(lines))
    lines[place : place + 2] = lines[place : place + 2][::-1]
    return "".join(lines)


def _type_and_uses(text: str, chooser: random.Random) -> str:
    """Another scalar or number in all types of one line's shape."""
    found = sorted(set(re.findall(r"tensor<[^<>]*>", text)))
    if len(found) < 2:
        return text
    one, two = chooser.sample(found, 2)
    return text.replace(one, two)


def _other_op(text: str, chooser: random.Random) -> str:
    return _other(text, _OP, chooser)


def _unknown_op(text: str, chooser: random.Random) -> str:
    return _sub(text, _OP, chooser, lambda op: op + chooser.choice(("x", ".y", "", " ")))


def _string(text: str, chooser: random.Random) -> str:
    words = (
        "",
        "sum",
        "max",
        "add",
        "no_such",
        "\\00",
        "\\F0",
        "\\",
        "é",
        "x" * 5000,
        "{left",
        "%",
    )
    return _sub(text, _STRING, chooser, lambda _: f'"{chooser.choice(words)}"')


def _other_string(text: str, chooser: random.Random) -> str:
    return _other(text, _STRING, chooser)


def _unclosed_string(text: str, chooser: random.Random) -> str:
    return _sub(text, _STRING, chooser, lambda found: found[:-1] + "a" * chooser.choice((0, 40)))


def _quote(text: str, chooser: random.Random) -> str:
    place = chooser.randrange(len(text))
    return f'{text[:place]}"{text[place:]}'


def _delete_attribute(text: str, chooser: random.Random) -> str:
    return _sub(text, _ATTRIBUTE, chooser, lambda _: "") or "\n"


def _double_attribute(text: str, chooser: random.Random) -> str:
    return _sub(text, _ATTRIBUTE, chooser, lambda found: f"{found.rstrip(',')}, {found}")


def _delete_terminator(text: str, chooser: random.Random) -> str:
    return _sub(text, _TERMINATOR, chooser, lambda _: "") or "\n"


def _delete_region(text: str, chooser: random.Random) -> str:
    """Delete what stands between a brace and the one that closes it."""
    opening = [match.start() for match in re.finditer(r"\{\n", text)]
    if not opening:
        return text
    start = chooser.choice(opening)
    depth = 0
    for place in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[place], 0)
        if depth == 0:
            return f"{text[:start]}{{\n{text[place:]}"
    return text


def _empty_brackets(text: str, chooser: random.Random) -> str:
    return _sub(text, re.compile(r"\[[^\[\]]*\]"), chooser, lambda _: "[]")


def _longer_list(text: str, chooser: random.Random) -> str:
    return _sub(
        text, re.compile(r"\[[^\[\]]+\]"), chooser, lambda found: f"{found[:-1]}, {found[1:-1]}]"
    )


def _deep(text: str, chooser: random.Random) -> str:
    depth = chooser.choice((10, 90, 300, 5000, 100_000))
    opening, closing = chooser.choice(("()", "[]", "{}", "<>", ("- ", ""), ("tensor<4x", ">")))
    return _sub(text, _TOKEN, chooser, lambda token: opening * depth + token + closing * depth)


def _deep_type(text: str, chooser: random.Random) -> str:
    depth = chooser.choice((3, 30, 300, 10_000))
    opening = chooser.choice(("!tt.ptr<", "!nt.tensor<[4] x ", "!nt.tensor<[n ceildiv 4, 2] x "))
    return _sub(text, _TYPE, chooser, lambda type: opening * depth + type + ">" * depth)


def _wide_type(text: str, chooser: random.Random) -> str:
    count = chooser.choice((3, 30, 3000))
    kind = chooser.choice(("tensor<{}f32>", "tensor<{}i1>"))
    return _sub(text, _TYPE, chooser, lambda _: kind.format("2x" * count))


def _expression(text: str, chooser: random.Random) -> str:
    operator = chooser.choice(_OPERATORS)
    operand = chooser.choice(("0", "-1", "3", "n", "(n - n)", "9223372036854775807", "2147483648"))
    return _sub(text, _SYMBOL, chooser, lambda name: f"{name} {operator} {operand}")


def _long_expression(text: str, chooser: random.Random) -> str:
    count = chooser.choice((5, 60, 1000, 20_000))
    operator = chooser.choice(_OPERATORS)
    kind = chooser.choice(("same", "constants", "nested", "min"))

    def longer(name: str) -> str:
        if kind == "same":
            return f" {operator} ".join([name] * count)
        if kind == "constants":
            return " ".join([name, *(f"{operator} {index}" for index in range(2, count + 2))])
        if kind == "nested":
            return "(" * count + name + f" {operator} 7)" * count
        return "min(" * count + name + ", 5)" * count

    return _sub(text, _SYMBOL, chooser, longer)


def _nested_loops(text: str, chooser: random.Random) -> str:
    """Put an op into many regions."""
    depth = chooser.choice((5, 40, 90, 500, 20_000))
    lines = text.splitlines(keepends=True)
    place = chooser.randrange(len(lines))
    head = "%deep = arith.constant true\n" + "scf.if %deep {\n" * depth
    lines[place] = head + lines[place] + "}\n" * depth
    return "".join(lines)


def _dense(text: str, chooser: random.Random) -> str:
    shape = chooser.choice(("1073741824", "65536x65536", "1048576", "0", "2x2"))
    value = chooser.choice(("0", "1.5", "[0, 1]", '"0x00"', "", '"zz"', "true", "[[1], [2, 3]]"))
    kind = chooser.choice(("i32", "f32", "i1", "f8E5M2", "index"))
    lines = text.splitlines(keepends=True)
    place = chooser.randrange(len(lines) + 1)
    lines.insert(place, f"%dense = arith.constant dense<{value}> : tensor<{shape}x{kind}>\n")
    return "".join(lines)


def _twice(text: str, chooser: random.Random) -> str:
    """The same kernel twice, or a part of it."""
    start = chooser.choice((0, chooser.randrange(len(text))))
    return f"{text}\n{text[start:]}"


def _characters(text: str, chooser: random.Random) -> str:
    found = list(text)
    for _ in range(chooser.choice((1, 1, 3, 20))):
        found[chooser.randrange(len(found))] = chooser.choice(
            "aZ09_%#!@^&~`'\"\\<>(){}[]=:,.*/+- \t\n?|;½"
        )
    return "".join(found)


_KINDS: dict[str, Callable[[str, random.Random], str]] = {
    function.__name__.strip("_"): function
    for function in (
        *(_delete_line, _duplicate_line, _repeat_line, _swap_lines, _truncate, _cut, _twice),
        *(_delete_token, _double_token, _other_token, _characters),
        *(_wrong_type, _other_type, _wrong_type_everywhere, _deep_type, _wide_type),
        *(_number, _number_everywhere, _dim, _dim_everywhere, _dense),
        *(_other_value, _undefined_value, _earlier_value, _swapped_values, _swap_neighbours),
        *(_other_op, _unknown_op, _word, _type_and_uses),
        *(_string, _other_string, _unclosed_string, _quote),
        *(_delete_attribute, _double_attribute, _empty_brackets, _longer_list),
        *(_delete_terminator, _delete_region, _nested_loops, _deep),
        *(_expression, _long_expression),
    )
}
KINDS = tuple(_KINDS)
"""The names of the mutations."""
