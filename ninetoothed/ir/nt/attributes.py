"""Types and attributes of the dialect ``nt``, which wrap the index algebra in normal form."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import (
    AnyFloat,
    BFloat16Type,
    Float8E4M3FNType,
    Float8E4M3FNUZType,
    Float8E5M2FNUZType,
    Float8E5M2Type,
    Float16Type,
    Float32Type,
    Float64Type,
    IntegerType,
    Signedness,
)
from xdsl.ir import Attribute, Data, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from ninetoothed.ir.tt.types import PointerType
from ninetoothed.layout.access import Access, index_names
from ninetoothed.layout.meta_op import Guard
from ninetoothed.symbolic.expr import (
    DIVISIONS,
    INFIX,
    IndexExpr,
    as_expr,
    binary,
    const,
    ir_text,
    sym,
)
from ninetoothed.symbolic.intervals import Range
from ninetoothed.symbolic.normal_form import normalize

ScalarType = IntegerType | AnyFloat

_FUNCTIONS = ("min", "max")
_WORD = re.compile(r"\s*\S+\s*|\s+")
_MOST_CHARACTERS = 108


def parse_expr(parser: AttrParser) -> IndexExpr:
    """Parse an index expression: symbols, integers, ``+ - * floordiv ceildiv mod``, ``lt le eq ne
    gt ge``, ``and``, ``min``, ``max``.
    """
    return _parse_binary(parser, 0)


def _parse_operator(parser: AttrParser, least: int) -> tuple[str, int] | None:
    for op, (_, spelling, precedence) in INFIX.items():
        if precedence < least:
            continue
        found = (
            parser.parse_optional_keyword(spelling)
            if spelling.isalpha()
            else parser.parse_optional_characters(spelling)
        )
        if found is not None:
            return op, precedence
    return None


def _parse_binary(parser: AttrParser, least: int) -> IndexExpr:
    left = _parse_operand(parser)
    while (found := _parse_operator(parser, least)) is not None:
        op, precedence = found
        left = binary(op, left, _parse_binary(parser, precedence + 1))
    return left


def _parse_operand(parser: AttrParser) -> IndexExpr:
    if parser.parse_optional_punctuation("(") is not None:
        inner = parse_expr(parser)
        parser.parse_punctuation(")")
        return inner
    if parser.parse_optional_punctuation("-") is not None:
        return -_parse_operand(parser)
    number = parser.parse_optional_integer(allow_boolean=False, allow_negative=False)
    if number is not None:
        return const(number)
    name = parser.parse_identifier(" of a symbol")
    if name in _FUNCTIONS and parser.parse_optional_punctuation("(") is not None:
        left = parse_expr(parser)
        parser.parse_punctuation(",")
        right = parse_expr(parser)
        parser.parse_punctuation(")")
        return binary(name, left, right)
    return sym(name)


def _parse_normal(parser: AttrParser) -> IndexExpr:
    """Parse an index expression to its normal form."""
    start = parser.pos
    try:
        found = normalize(parse_expr(parser))
    except ZeroDivisionError as error:
        parser.raise_error(str(error), start, parser.pos)
    pending = [found]
    while pending:
        expr = pending.pop()
        if expr.op in DIVISIONS and expr.args[1].value == 0:
            parser.raise_error(f"{ir_text(expr.args[0])} is divided by zero", start, parser.pos)
        if expr.op not in ("const", "sym"):
            pending.extend(expr.args)
    return found


def parse_exprs(parser: AttrParser) -> tuple[IndexExpr, ...]:
    """Parse ``[m, n ceildiv BN]``."""
    return tuple(
        parser.parse_comma_separated_list(parser.Delimiter.SQUARE, lambda: _parse_normal(parser))
    )


def print_exprs(exprs: Iterable[IndexExpr]) -> str:
    """The text that :func:`parse_exprs` reads."""
    return f"[{', '.join(ir_text(expr) for expr in exprs)}]"


def parse_text(parser: AttrParser) -> str:
    """Parse text in one string literal or in several, one behind the other."""
    pieces = [parser.parse_str_literal()]
    while (piece := parser.parse_optional_str_literal()) is not None:
        pieces.append(piece)
    return "".join(pieces)


def print_text(printer: Printer, text: str) -> None:
    """Print text that :func:`parse_text` reads, long text in several literals: a line may end only
    between them.
    """
    pieces = [""]
    for word in _WORD.findall(text):
        if pieces[-1] and len((pieces[-1] + word).encode()) > _MOST_CHARACTERS:
            pieces.append("")
        pieces[-1] += word
    printer.print_list(pieces, printer.print_string_literal, " ")


@irdl_attr_definition
class ExprAttr(Data[IndexExpr]):
    """One index expression: ``#nt.expr<m ceildiv BM>``."""

    name = "nt.expr"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> IndexExpr:
        with parser.in_angle_brackets():
            return _parse_normal(parser)

    def print_parameter(self, printer: Printer) -> None:
        printer.print_string(f"<{ir_text(self.data)}>")


@irdl_attr_definition
class ExprsAttr(Data[tuple[IndexExpr, ...]]):
    """A list of index expressions: ``#nt.exprs[m ceildiv BM, 4]``."""

    name = "nt.exprs"

    @classmethod
    def of(cls, exprs: Iterable[IndexExpr | int]) -> ExprsAttr:
        """The attribute of expressions in normal form."""
        return cls(tuple(normalize(as_expr(expr)) for expr in exprs))

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> tuple[IndexExpr, ...]:
        return parse_exprs(parser)

    def print_parameter(self, printer: Printer) -> None:
        printer.print_string(print_exprs(self.data))


@irdl_attr_definition
class TensorType(ParametrizedAttribute, TypeAttribute):
    """A level of a hierarchical tensor: its sizes and its element type.

    ``!nt.tensor<[m ceildiv BM] x !nt.tensor<[BM] x f16>>``. The elements are tensors, scalars, or
    pointers to scalars; of the integers, ``i32`` is signed and ``ui32`` is not. A *block* has
    scalar elements or pointers.
    """

    name = "nt.tensor"

    shape: ExprsAttr
    element_type: Attribute

    @staticmethod
    def of(sizes: Iterable[IndexExpr | int], element_type: Attribute) -> TensorType:
        """The type with its sizes in normal form."""
        return TensorType(ExprsAttr.of(sizes), element_type)

    @staticmethod
    def nested(levels: Sequence[Iterable[IndexExpr | int]], scalar: Attribute) -> TensorType:
        """A tensor of several levels, outermost first; of no levels: a block of no dims."""
        if not levels:
            return TensorType.of((), scalar)
        element = scalar
        for sizes in reversed(levels):
            element = TensorType.of(sizes, element)
        assert isinstance(element, TensorType)
        return element

    @property
    def sizes(self) -> tuple[IndexExpr, ...]:
        """The sizes of this level."""
        return self.shape.data

    @property
    def levels(self) -> list[TensorType]:
        """This level and those below."""
        found: list[TensorType] = [self]
        while isinstance(element := found[-1].element_type, TensorType):
            found.append(element)
        return found

    @property
    def scalar(self) -> Attribute:
        """The scalar type of the innermost level."""
        return self.levels[-1].element_type

    def verify(self) -> None:
        element = self.element_type
        if not isinstance(element, TensorType | IntegerType | AnyFloat | PointerType):
            raise VerifyException(f"nt.tensor: elements are tensors or scalars, not {element}")
        for size in self.sizes:
            if size.value is not None and size.value < 0:
                raise VerifyException(f"nt.tensor: size {size} is negative")

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            sizes = parse_exprs(parser)
            parser.parse_keyword("x")
            return [ExprsAttr(sizes), parser.parse_type()]

    def print_parameters(self, printer: Printer) -> None:
        printer.print_string(f"<{print_exprs(self.sizes)} x ")
        printer.print_attribute(self.element_type)
        printer.print_string(">")


@dataclass(frozen=True)
class SymbolDecl:
    """A symbol of a kernel.

    ``kind``: ``"size"``, ``"stride"``, ``"scalar"`` (run-time values), ``"meta"``,
    ``"constexpr"``, or ``"length"`` and ``"start"`` of a program's sequence. Bounds are inclusive.
    ``divisor``: a power of two, at most 16, that the value is a multiple of. ``indivisible``: it is
    no multiple of 16. ``specialized``: the value that the application was specialized on when it
    was built, so that the kernel is right for this value only.
    """

    name: str
    kind: str
    lower: int | None = None
    upper: int | None = None
    divisor: int = 1
    specialized: int | None = None
    indivisible: bool = False

    @functools.cached_property
    def range(self) -> Range:
        """The bounds as an assumption."""
        return Range.of(self.lower, self.upper)


@irdl_attr_definition
class SymbolAttr(Data[SymbolDecl]):
    """``#nt.symbol<BLOCK_SIZE meta 32 to 1024>``, ``#nt.symbol<x_size_0 size 0 to ? div 16>``,
    ``#nt.symbol<x_size_0 size 0 to ? div 8 not div 16>``, ``#nt.symbol<B meta 32 to 1024 specialized 64>``.
    """

    name = "nt.symbol"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> SymbolDecl:
        def bound() -> int | None:
            if parser.parse_optional_punctuation("?") is not None:
                return None
            return parser.parse_integer(allow_boolean=False)

        with parser.in_angle_brackets():
            name = parser.parse_identifier()
            kind = parser.parse_identifier()
            lower = bound()
            parser.parse_keyword("to")
            upper = bound()
            divisor = 1
            if parser.parse_optional_keyword("div") is not None:
                divisor = parser.parse_integer()
                if divisor not in (1, 2, 4, 8, 16):
                    parser.raise_error("div is a power of two, at most 16")
            indivisible = parser.parse_optional_keyword("not") is not None
            if indivisible:
                parser.parse_keyword("div")
                if parser.parse_integer() != 16 or divisor % 16 == 0:
                    parser.raise_error("not div names 16, of which div is no multiple")
            specialized = None
            if parser.parse_optional_keyword("specialized") is not None:
                specialized = parser.parse_integer()
        return SymbolDecl(name, kind, lower, upper, divisor, specialized, indivisible)

    def print_parameter(self, printer: Printer) -> None:
        decl = self.data
        lower = "?" if decl.lower is None else decl.lower
        upper = "?" if decl.upper is None else decl.upper
        divisor = "" if decl.divisor == 1 else f" div {decl.divisor}"
        if decl.indivisible:
            divisor += " not div 16"
        specialized = "" if decl.specialized is None else f" specialized {decl.specialized}"
        printer.print_string(f"<{decl.name} {decl.kind} {lower} to {upper}{divisor}{specialized}>")


@dataclass(frozen=True)
class Param:
    """A parameter of a kernel, as a launch binds it.

    ``kind``: ``"tensor"``, ``"scalar"`` (by value) or ``"constexpr"`` (baked, no argument of the
    device function). A size or stride that is a symbol no earlier parameter has binds that symbol;
    any other must be equal. ``offsets``: the symbol of a jagged tensor's offsets, of sequences
    along ``jagged_dim``.
    """

    name: str
    kind: str
    sizes: tuple[IndexExpr, ...] = ()
    strides: tuple[IndexExpr, ...] = ()
    offsets: str | None = None
    jagged_dim: int | None = None


@irdl_attr_definition
class ParamAttr(Data[Param]):
    """``#nt.param<"x" tensor [x_size_0] [x_stride_0]>``, and jagged
    ``#nt.param<"x" tensor [x_size_0, x_size_1] [0, 1] offsets x_offsets along 1>``.
    """

    name = "nt.param"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> Param:
        with parser.in_angle_brackets():
            name = parser.parse_str_literal()
            kind = parser.parse_identifier()
            sizes, strides = parse_exprs(parser), parse_exprs(parser)
            jagged = parser.parse_optional_keyword("offsets") is not None
            offsets = parser.parse_identifier() if jagged else None
            dim = None
            if jagged:
                parser.parse_keyword("along")
                dim = parser.parse_integer(allow_boolean=False, allow_negative=False)
                if not 0 < dim < len(sizes):
                    parser.raise_error(f"{name} has no dim {dim} of sequences")
        return Param(name, kind, sizes, strides, offsets, dim)

    def print_parameter(self, printer: Printer) -> None:
        param = self.data
        printer.print_string("<")
        printer.print_string_literal(param.name)
        sizes, strides = print_exprs(param.sizes), print_exprs(param.strides)
        offsets = ""
        if param.offsets is not None:
            offsets = f" offsets {param.offsets} along {param.jagged_dim}"
        printer.print_string(f" {param.kind} {sizes} {strides}{offsets}>")


@dataclass(frozen=True)
class Check:
    """A condition on calls: ``left == right`` entry by entry, else an error with ``message``.

    ``agreement``: it is about outermost levels, and a laxer class of signatures
    (``Signature.agreement``) does without it. ``defined``: lanes are stored that have no value
    where it fails; ``left`` are two numbers of which the first is at most the second, and ``right``
    are the smaller of them and the second.
    """

    left: tuple[IndexExpr, ...]
    right: tuple[IndexExpr, ...]
    message: str
    agreement: bool = False
    defined: bool = False


@irdl_attr_definition
class CheckAttr(Data[Check]):
    """``#nt.check<[m] = [k], "the sizes are {left} and {right}">``,
    ``#nt.check<agreement [m] = [k], "…">``, ``#nt.check<defined [m, k] = [min(m, k), k], "…">``.
    A long message is several literals, ``"the sizes are " "{left}"``.
    """

    name = "nt.check"

    def verify(self) -> None:
        left, right = len(self.data.left), len(self.data.right)
        if left != right:
            raise VerifyException(f"nt.check: {left} numbers on the left, {right} on the right")

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> Check:
        with parser.in_angle_brackets():
            agreement = parser.parse_optional_keyword("agreement") is not None
            defined = parser.parse_optional_keyword("defined") is not None
            left = parse_exprs(parser)
            parser.parse_punctuation("=")
            right = parse_exprs(parser)
            parser.parse_punctuation(",")
            return Check(left, right, parse_text(parser), agreement, defined)

    def print_parameter(self, printer: Printer) -> None:
        check = self.data
        kind = "agreement " if check.agreement else "defined " if check.defined else ""
        printer.print_string(f"<{kind}{print_exprs(check.left)} = {print_exprs(check.right)}, ")
        print_text(printer, check.message)
        printer.print_string(">")


def _parse_guards(parser: AttrParser) -> tuple[Guard, ...]:
    """Parse ``[[g0 * 64 + b0, m]]``."""

    def guard() -> Guard:
        row = parse_exprs(parser)
        if len(row) != 2:
            parser.raise_error("a guard is a pair [index, size]")
        return Guard(*row)

    return tuple(parser.parse_comma_separated_list(parser.Delimiter.SQUARE, guard))


def _guards_text(guards: Iterable[Guard]) -> str:
    rows = ", ".join(print_exprs((guard.index, guard.size)) for guard in guards)
    return f"[{rows}]"


@irdl_attr_definition
class GuardsAttr(Data[tuple[Guard, ...]]):
    """``#nt.guards[[g0 * 64 + b0, m]]``: pairs of an index and its upper bound."""

    name = "nt.guards"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> tuple[Guard, ...]:
        return _parse_guards(parser)

    def print_parameter(self, printer: Printer) -> None:
        printer.print_string(_guards_text(self.data))


@irdl_attr_definition
class AccessAttr(Data[Access]):
    """``#nt.access<[[m ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, m]]>``.

    The sizes of the levels, the source's indices over ``g0 … k1_0 … b0 …``, and the guards: pairs
    of an index and its upper bound.
    """

    name = "nt.access"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> Access:
        def rows() -> list[tuple[IndexExpr, ...]]:
            return parser.parse_comma_separated_list(
                parser.Delimiter.SQUARE, lambda: parse_exprs(parser)
            )

        with parser.in_angle_brackets():
            levels = rows()
            parser.parse_punctuation("->")
            indices = parse_exprs(parser)
            guards: tuple[Guard, ...] = ()
            if parser.parse_optional_keyword("if") is not None:
                guards = _parse_guards(parser)
        return Access(tuple(levels), indices, guards)

    def print_parameter(self, printer: Printer) -> None:
        access = self.data
        levels = ", ".join(print_exprs(level) for level in access.levels)
        text = f"<[{levels}] -> {print_exprs(access.indices)}"
        if access.guards:
            text += f" if {_guards_text(access.guards)}"
        printer.print_string(text + ">")

    @property
    def names(self) -> tuple[tuple[str, ...], ...]:
        """The index variables."""
        return index_names(self.data.levels)


_FLOATS: dict[str, AnyFloat] = {
    "fp16": Float16Type(),
    "bf16": BFloat16Type(),
    "fp32": Float32Type(),
    "fp64": Float64Type(),
    "fp8e4nv": Float8E4M3FNType(),
    "fp8e5": Float8E5M2Type(),
    "fp8e4b8": Float8E4M3FNUZType(),
    "fp8e5b16": Float8E5M2FNUZType(),
}
_FLOAT_NAMES: dict[Attribute, str] = {value: name for name, value in _FLOATS.items()}
_INTEGERS: dict[str, IntegerType] = {
    "i1": IntegerType(1),
    **{f"i{bits}": IntegerType(bits) for bits in (8, 16, 32, 64)},
    **{f"u{bits}": IntegerType(bits, Signedness.UNSIGNED) for bits in (8, 16, 32, 64)},
}
_INTEGER_NAMES: dict[IntegerType, str] = {value: name for name, value in _INTEGERS.items()}


def scalar_type(dtype: str) -> ScalarType:
    """The IR's type of an element type of ``ninetoothed.dtype``."""
    found = _FLOATS.get(dtype)
    return _INTEGERS[dtype] if found is None else found


def dtype_of(value: Attribute) -> str:
    """The element type of a scalar, or of a tensor's innermost level.

    Raises:
        KeyError: it is no type of the language, ``index`` for example.
    """
    if isinstance(value, TensorType):
        value = value.scalar
    if isinstance(value, IntegerType):
        return _INTEGER_NAMES[value]
    return _FLOAT_NAMES[value]


def is_dtype(value: Attribute) -> bool:
    """True for a scalar type of the language."""
    return value in _INTEGER_NAMES or value in _FLOAT_NAMES
