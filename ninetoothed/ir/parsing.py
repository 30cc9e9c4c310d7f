"""IR text to modules: what everybody reads ``.mlir`` files with.

xDSL's parser trusts its input: an unterminated string takes exponential time, deep nesting ends in
a ``RecursionError``, a dense constant takes all memory that its type asks for, and attributes are
built before anybody has looked at their values. Here the text is scanned once, in linear time,
before it is parsed, and every error has a file, a line and a column. An op that has no location in
the text keeps its place in it, so that errors of passes point at a line, too.
"""

from __future__ import annotations

import bisect
import codecs
import contextlib
import linecache
import math
import re
from collections.abc import Callable
from typing import Any, NoReturn, TypeVar

from xdsl.context import Context
from xdsl.dialects.builtin import (
    AnyFloat,
    BytesAttr,
    DenseIntOrFPElementsAttr,
    ModuleOp,
    TensorType,
    UnknownLoc,
    i1,
)
from xdsl.ir import Attribute, AttributeInvT, Operation, SSAValue, TypeAttribute
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.parser.generic_parser import ParserState
from xdsl.utils.exceptions import MultipleSpansParseError, ParseError, VerifyException
from xdsl.utils.lexer import Input, Span, Token
from xdsl.utils.mlir_lexer import MLIRLexer, MLIRToken, MLIRTokenKind, StringLiteral

from ninetoothed.errors import InvalidIRError, Loc, did_you_mean
from ninetoothed.ir.diagnostics import invalid
from ninetoothed.ir.dialects import context
from ninetoothed.ir.locations import text_location

_T = TypeVar("_T")

# What valid modules stay far below, and every later phase bears.
_DEEPEST = 100
_MOST_DIGITS = 20
_WIDEST = 1 << 16
_MOST_ELEMENTS = 1 << 20
_MOST_ELEMENTS_IN_ALL = 1 << 22
# Of floats of eight bits, each of which xDSL converts by itself.
_MOST_BYTES = 1 << 17
_LONGEST_ALIAS = 1 << 16
# Types can be long.
_LONGEST_MESSAGE = 400

_TOKEN = re.compile(
    r"""
      //[^\n]*+
    | (?P<string> "(?:[^"\\\n\v\f]|\\(?:["nt\\]|[0-9A-Fa-f]{2}))*+ (?P<closed> ")?+ )
    | [%^@#!]? [A-Za-z_$] (?u:[\w$.])*+
    | ->
    | (?P<open> [(<\[{])
    | (?P<close> [)>\]}])
    | (?P<block> \^\d )
    | (?P<foreign> [^\x00-\x7F]) (?u:[\w$.])*+
    | (?P<integer> 0x[0-9a-fA-F]++ | \d++ ) (?: \. \d*+ )?+
    """,
    re.VERBOSE | re.ASCII,
)
# Of xDSL's messages, those that do not say what is expected.
_CLEARER = {
    "Could not parse entire input!": "an op is expected here",
    "Expected suffix identifier after {first_char}": "a name is expected behind this character",
    "in block definition": "an op is expected here, or the end of the region",
}
_INTEGER_TYPE = re.compile(r"[su]?i(\d+)", re.ASCII)
_SPLAT = re.compile(r"<\s*[\w.+-]+\s*>\s*:", re.ASCII)
_ALIAS = re.compile(r"[#!][\w$-]++(?!\.)", re.ASCII)


def parse_module(
    text: str | bytes,
    name: str = "<ir>",
    *,
    ctx: Context | None = None,
    first_line: int = 1,
    verifying: bool = True,
    implicit_module: bool = True,
) -> ModuleOp:
    """The module of IR text in MLIR's syntax, verified.

    ``name``: the file that errors name. ``first_line``: the line of the file with which the text
    begins. ``ctx``: the dialects, by default the compiler's. ``verifying``: False takes a module
    that does not verify, too. ``implicit_module``: False refuses ops outside of a ``builtin.module``.

    Raises:
        InvalidIRError: the text is no module, or the module does not verify; at the place.
    """
    source = _Source(decoded(text, name), name, first_line)
    _scan(source)
    try:
        parser = _Parser(context() if ctx is None else ctx, source)
        module = parser.parse_module(implicit_module)
    except ParseError as error:
        message = _CLEARER.get(error.msg.strip(), error.msg)
        if isinstance(error, MultipleSpansParseError):
            line, _ = source.place(error.refs[0][0].start)
            message = f"{message}; {error.ref_text} line {line}"
        source.fail(message, error.span.start, error.span.end)
    found = invalid(module) if verifying else None
    if found is not None:
        op, message = found
        start = parser.starts.get(op, 0)
        source.fail(message, start, start)
    return module


class _Source:
    """A text, and where its characters lie in the file."""

    def __init__(self, text: str, name: str, first_line: int) -> None:
        self.text = text
        self.name = name
        self.first_line = first_line
        self._starts = [0, *(match.end() for match in re.finditer("\n", text))]
        # Messages show lines as they were read: there may be no file, and in one other characters
        # may end lines, too.
        lines = [*["\n"] * (first_line - 1), *(f"{line}\n" for line in text.split("\n"))]
        linecache.cache[name] = (len(text), None, lines, name)

    def place(self, start: int) -> tuple[int, int]:
        """The line of the file and the index in that line of a character."""
        row = bisect.bisect_right(self._starts, start) - 1
        return row + self.first_line, start - self._starts[row]

    def loc(self, start: int, end: int) -> Loc:
        """The location of characters; of the text's end, behind its last one that is no space."""
        if start >= len(self.text.rstrip()):
            start = end = len(self.text.rstrip())
        line, index = self.place(start)
        end = min(end, len(self.text), *self._starts[line - self.first_line + 1 :][:1])
        # Columns count bytes, as in Python's `ast`.
        column = len(self.text[start - index : start].encode(errors="replace"))
        width = len(self.text[start:end].encode(errors="replace"))
        return Loc(self.name, line, column, column + width if width > 1 else None)

    def fail(self, message: str, start: int, end: int) -> NoReturn:
        """Raise an error at characters."""
        message = " ".join(message.split())
        if len(message) > _LONGEST_MESSAGE:
            message = f"{message[:_LONGEST_MESSAGE]}…"
        raise InvalidIRError(message, self.loc(start, end))


def decoded(text: str | bytes, name: str) -> str:
    """Text that may be bytes in UTF-8.

    Raises:
        InvalidIRError: they are not; at the byte.
    """
    if isinstance(text, str):
        return text
    # Some editors put a mark in front.
    text = text.removeprefix(codecs.BOM_UTF8)
    try:
        return text.decode("utf-8")
    except UnicodeDecodeError as error:
        start = len(text[: error.start].decode("utf-8"))
        source = _Source(text.decode("utf-8", errors="replace"), name, 1)
        source.fail(f"the text is not UTF-8: byte 0x{text[error.start]:02x}", start, start + 1)


def _scan(source: _Source) -> None:
    """Check what the parser fails on without a place, or takes too long for."""
    depth = 0
    for match in _TOKEN.finditer(source.text):
        match match.lastgroup:
            case "open":
                depth += 1
                if depth > _DEEPEST:
                    message = f"brackets are nested more than {_DEEPEST} deep"
                    source.fail(message, match.start(), match.end())
            case "close":
                depth = max(depth - 1, 0)
            case "string" if match["closed"] is None:
                _fail_string(source, match)
            case "integer" if len(match["integer"]) > _MOST_DIGITS:
                message = f"an integer of {len(match['integer'])} digits does not fit 64 bits"
                source.fail(message, match.start(), match.end())
            case "block":
                message = "the name of a block begins with a letter"
                source.fail(message, match.start(), match.end())
            case "foreign" if match["foreign"].isnumeric() and not match["foreign"].isalpha():
                # xDSL takes it to begin a number.
                message = f"Unexpected character: {match['foreign']}"
                source.fail(message, match.start(), match.end())
            case _:
                pass


def _fail_string(source: _Source, match: re.Match[str]) -> NoReturn:
    """Raise the error of a string literal that stops before its closing quote."""
    end = match.end()
    if source.text[end : end + 1] == "\\":
        escape = source.text[end : end + 2]
        message = f'there is no escape {escape} in a string; write \\n, \\t, \\", \\\\ or two hexadecimal digits'
        source.fail(message, end, end + 2)
    source.fail("the string is not closed on its line", match.start(), end)


class _Lexer(MLIRLexer):
    """xDSL's lexer, that takes any letters: names of symbols are those of the user's."""

    bare_identifier_suffix_regex = re.compile(r"[\w$.]*")

    def _lex_string_literal(self, start_pos: int) -> MLIRToken:
        token = super()._lex_string_literal(start_pos)
        if token.kind == MLIRTokenKind.BYTES_LIT:
            # Letters, that the printer has escaped.
            with contextlib.suppress(UnicodeDecodeError):
                StringLiteral.from_span(token.span).bytes_contents.decode()
                return Token(MLIRTokenKind.STRING_LIT, token.span)
        return token


class _Parser(Parser):
    """xDSL's parser, that knows a place for every failure, and stamps it on ops."""

    def __init__(self, ctx: Context, source: _Source) -> None:
        super().__init__(ctx, source.text, source.name)
        self._parser_state = ParserState(_Lexer(Input(source.text, source.name)))
        self._source = source
        self._op_start = self._current_token.span
        self._first_uses: dict[str, Span] = {}
        self._elements = 0
        # While a dense constant of equal elements is parsed: its type, at last.
        self._splat: Any = None
        self._aliases: dict[str, int] = {}
        self.starts: dict[Operation, int] = {}
        """Where each op begins."""

    def parse_module(self, allow_implicit_module: bool = True) -> ModuleOp:
        try:
            module = super().parse_module(allow_implicit_module)
        except ParseError:
            if self._current_token.kind == MLIRTokenKind.EOF and self.forward_ssa_references:
                name = next(iter(self.forward_ssa_references))
                self.raise_error(f"%{name} is used, but not defined", self._first_uses[name])
            raise
        if isinstance(module.location, UnknownLoc):
            # Nobody wrote it: it begins where its ops do.
            module.location = text_location(Loc(self._source.name, self._source.first_line))
        return module

    def resolve_operand(
        self, operand: UnresolvedOperand, type: AttributeInvT
    ) -> SSAValue[AttributeInvT]:
        self._first_uses.setdefault(operand.operand_name, operand.span)
        return super().resolve_operand(operand, type)

    def _get_op_by_name(self, name: str) -> type[Operation]:
        try:
            return super()._get_op_by_name(name)
        except ParseError:
            hint = did_you_mean(name, (op.name for op in self.ctx.loaded_ops))
            message = f"there is no op {name}{hint and f'; {hint}'}"
            self.raise_error(message, self._op_start)

    def parse_operation(self) -> Operation:
        self._op_start = start = self._current_token.span
        op = self._placed(start, super().parse_operation)
        self.starts[op] = start.start
        if isinstance(op.location, UnknownLoc):
            line, index = self._source.place(start.start)
            op.location = text_location(Loc(self._source.name, line, index))
        self._place_implicit_terminators(op)
        return op

    def _place_implicit_terminators(self, op: Operation) -> None:
        """Give terminators that the text leaves out, as that of an arm of ``scf.if`` without results,
        the location of the op that they are in, as in MLIR.
        """
        for region in op.regions:
            last = None if region.blocks.last is None else region.blocks.last.last_op
            if last is not None and last not in self.starts:
                last.location = op.location

    def parse_optional_attribute(self) -> Attribute | None:
        return self._placed(self._current_token.span, super().parse_optional_attribute)

    def parse_optional_type(self) -> TypeAttribute | None:
        return self._placed(self._current_token.span, super().parse_optional_type)

    def _placed(self, start: Span, parse: Callable[[], _T]) -> _T:
        """``parse()``; what it raises for the text's mistakes without a place is raised at
        ``start``.
        """
        try:
            return parse()
        except ParseError:
            raise
        except VerifyException as error:
            self.raise_error(str(error), start)
        except RecursionError:
            self.raise_error("this is nested too deeply", start)
        except Exception as error:
            # xDSL builds attributes before it has looked at their values.
            self.raise_error(f"this cannot be read: {type(error).__name__}: {error}", start)

    def _parse_optional_integer_or_float_type(self) -> TypeAttribute | None:
        word = _INTEGER_TYPE.fullmatch(self._current_token.text)
        if word is not None and (len(word[1]) > 9 or int(word[1]) > _WIDEST):
            self.raise_error(f"an integer type has at most {_WIDEST} bits")
        return super()._parse_optional_integer_or_float_type()

    def _parse_dense_literal_type(self) -> Any:
        start = self._current_token.span
        type = super()._parse_dense_literal_type()
        self._count_elements(type, start)
        if self._splat is None:
            return type
        self._splat = type
        return TensorType(type.element_type, [1])

    def parse_dense_int_or_fp_elements_attr(self, type: Any) -> DenseIntOrFPElementsAttr:
        if type is not None:
            self._count_elements(type, self._current_token.span)
        elif _SPLAT.match(self._source.text, self.pos) is not None:
            # xDSL converts each of the equal elements: here, it does one.
            self._splat = TensorType(i1, [1])
            one = super().parse_dense_int_or_fp_elements_attr(None)
            data = one.data.data * math.prod(self._splat.get_shape())
            found = DenseIntOrFPElementsAttr(self._splat, BytesAttr(data))
            self._splat = None
            return found
        start = self._current_token.span
        found = super().parse_dense_int_or_fp_elements_attr(type)
        if found.data.data and not len(found):
            # Of no elements, xDSL does not count the bytes.
            self.raise_error("a dense constant of no elements holds bytes", start)
        return found

    def _count_elements(self, type: Any, start: Span) -> None:
        """Check the number of elements of a dense constant."""
        count = math.prod(type.get_shape())
        self._elements += count
        scalar = type.get_element_type()
        is_byte = isinstance(scalar, AnyFloat) and scalar.bitwidth <= 8
        most = _MOST_BYTES if is_byte else _MOST_ELEMENTS
        if count > most:
            self.raise_error(
                f"a dense constant of {count} elements is too large; the largest has {most}", start
            )
        if self._elements > _MOST_ELEMENTS_IN_ALL:
            self.raise_error(
                f"the dense constants up to here have {self._elements} elements, "
                f"and {_MOST_ELEMENTS_IN_ALL} is the most",
                start,
            )

    def _parse_alias_def(self) -> None:
        start = self._current_token.span
        super()._parse_alias_def()
        name, *used = _ALIAS.findall(self._source.text, start.start, self.pos)
        # What it stands for when the aliases in it are written out: each may double it.
        size = self.pos - start.start + sum(self._aliases.get(alias, 0) for alias in used)
        if size > _LONGEST_ALIAS:
            self.raise_error(f"this alias stands for more than {_LONGEST_ALIAS} characters", start)
        self._aliases[name] = size
