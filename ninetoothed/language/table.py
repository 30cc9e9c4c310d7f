"""The language as data: one row a primitive.

A row says what a primitive is; what it does lies in handler tables keyed by the row's name: type
checking and building in ``frontend/``, lowering in ``passes/``, spelling in ``backend/``, torch
semantics in ``interpreters/``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NoReturn

from ninetoothed.errors import NineToothedError, caller_loc, user_facing
from ninetoothed.language import rules
from ninetoothed.language.rules import Operand


@dataclass(frozen=True)
class Primitive:
    """A function of the language. It has a meaning inside an application only.

    ``op`` is the ``nt`` op that it becomes: ``"map"`` (elementwise), ``"reduce"``, or one of its
    own. ``parameters`` are names, with their defaults where they have one. ``rule`` gives, from the
    operands' element types, the type that they are brought to and the result's. ``identity`` is
    what lanes that are not real read in a reduction, from the element type. ``triton`` is Triton's
    spelling over ``{0}``, ``{1}``, …. ``symbol`` is Python's operator, for rows that have one; rows
    without ``public`` are operators only.
    """

    name: str
    op: str
    parameters: tuple[str, ...]
    doc: str
    rule: Callable[..., tuple[str, str]] | None = None
    triton: str = ""
    identity: Callable[[str], float | int] | None = None
    public: bool = True

    @property
    def __doc__(self) -> str:  # pyright: ignore[reportIncompatibleVariableOverride]
        """The signature and the documentation, for ``help``."""
        return f"{self.name}({', '.join(self.parameters)})\n\n{self.doc}"

    @user_facing
    def __call__(self, *args: object, **kwargs: object) -> NoReturn:
        raise NineToothedError(
            f"ntl.{self.name} has a meaning inside an application only; call a kernel that uses it",
            caller_loc(),
        )


def _operator(name: str, rule: Callable[..., tuple[str, str]], triton: str, doc: str) -> Primitive:
    arity = triton.count("{")
    return Primitive(name, "map", ("x", "y")[:arity], doc, rule, triton, public=False)


def _unary(name: str, doc: str, rule: Callable[..., tuple[str, str]] = rules.real) -> Primitive:
    return Primitive(name, "map", ("x",), doc, rule, f"tl.{name}({{0}})")


def _atomic(name: str, *operands: str, doc: str) -> Primitive:
    op = "atomic_cas" if name == "cas" else "atomic"
    text = (
        f"{doc} where the pointers point, in one step that no other program sees half of; gives "
        "what was there before. ``sem`` is 'relaxed', 'acquire', 'release' or 'acq_rel' (default), "
        "``scope`` 'gpu' (default), 'cta' or 'sys'."
    )
    parameters = ("pointer", *operands, "sem=None", "scope=None")
    return Primitive(f"atomic_{name}", op, parameters, text)


_ROWS = (
    _operator("add", rules.arithmetic, "{0} + {1}", "The sum."),
    _operator("sub", rules.arithmetic, "{0} - {1}", "The difference."),
    _operator("mul", rules.arithmetic, "{0} * {1}", "The product."),
    _operator("truediv", rules.true_division, "{0} / {1}", "The quotient, a float."),
    _operator("floordiv", rules.integer_division, "{0} // {1}", "The quotient, rounded to zero."),
    _operator("mod", rules.modulo, "{0} % {1}", "The remainder, of the dividend's sign."),
    _operator("neg", rules.arithmetic, "-{0}", "The negative."),
    _operator("and", rules.bitwise, "{0} & {1}", "The bits that both have."),
    _operator("or", rules.bitwise, "{0} | {1}", "The bits that either has."),
    _operator("xor", rules.bitwise, "{0} ^ {1}", "The bits that one of the two has."),
    _operator("invert", rules.bitwise, "~{0}", "The bits that are not set."),
    _operator("shl", rules.bitwise, "{0} << {1}", "The bits moved up."),
    _operator(
        "shr", rules.bitwise, "{0} >> {1}", "The bits moved down; signed integers keep their sign."
    ),
    _operator("lt", rules.comparison, "{0} < {1}", "Whether the first is smaller."),
    _operator("le", rules.comparison, "{0} <= {1}", "Whether the first is no larger."),
    _operator("gt", rules.comparison, "{0} > {1}", "Whether the first is larger."),
    _operator("ge", rules.comparison, "{0} >= {1}", "Whether the first is no smaller."),
    _operator("eq", rules.comparison, "{0} == {1}", "Whether the two are equal."),
    _operator("ne", rules.comparison, "{0} != {1}", "Whether the two differ."),
    _unary("exp", "e to the power of ``x``; fp32 or fp64."),
    _unary("exp2", "2 to the power of ``x``; fp32 or fp64."),
    _unary("log", "The natural logarithm; fp32 or fp64."),
    _unary("log2", "The logarithm to base 2; fp32 or fp64."),
    _unary("sqrt", "The square root, fast; fp32 or fp64."),
    _unary("rsqrt", "One over the square root; fp32 or fp64."),
    _unary("sin", "The sine of radians; fp32 or fp64."),
    _unary("cos", "The cosine of radians; fp32 or fp64."),
    _unary("erf", "The error function; fp32 or fp64."),
    _unary("floor", "The largest whole number that is no larger; fp32 or fp64."),
    _unary("ceil", "The smallest whole number that is no smaller; fp32 or fp64."),
    _unary("abs", "The magnitude, in the type of ``x``.", rules.arithmetic),
    Primitive(
        "maximum",
        "map",
        ("x", "y"),
        "The larger of the two, lane by lane; of a number and a NaN, the number.",
        rules.arithmetic,
        "tl.maximum({0}, {1})",
    ),
    Primitive(
        "minimum",
        "map",
        ("x", "y"),
        "The smaller of the two, lane by lane; of a number and a NaN, the number.",
        rules.arithmetic,
        "tl.minimum({0}, {1})",
    ),
    Primitive(
        "umulhi",
        "map",
        ("x", "y"),
        "The upper half of the product of two integers of 32 or 64 bits, their bits taken without "
        "a sign.",
        rules.high_product,
        "tl.umulhi({0}, {1})",
    ),
    Primitive(
        "where",
        "where",
        ("condition", "x", "y"),
        "``x`` where the condition holds, else ``y``. Both are evaluated.",
        rules.arithmetic,
        "tl.where({0}, {1}, {2})",
    ),
    Primitive(
        "sum",
        "reduce",
        ("input", "axis=None", "keep_dims=False"),
        "The sum along ``axis``, or of all lanes. Integers of fewer than 32 bits are summed in 32.",
        rules.summation,
        "tl.sum({0}, axis={axis})",
        identity=lambda dtype: 0,
    ),
    Primitive(
        "max",
        "reduce",
        ("input", "axis=None", "keep_dims=False"),
        "The largest along ``axis``, or of all lanes. Types of fewer than 32 bits give 32.",
        rules.extremum,
        "tl.max({0}, axis={axis})",
        identity=rules.lowest,
    ),
    Primitive(
        "min",
        "reduce",
        ("input", "axis=None", "keep_dims=False"),
        "The smallest along ``axis``, or of all lanes. Types of fewer than 32 bits give 32.",
        rules.extremum,
        "tl.min({0}, axis={axis})",
        identity=rules.highest,
    ),
    Primitive(
        "xor_sum",
        "reduce",
        ("input", "axis=None", "keep_dims=False"),
        "The bits that an odd number of lanes along ``axis``, or of all lanes, have; integers.",
        rules.bitwise,
        "tl.xor_sum({0}, axis={axis})",
        identity=lambda dtype: 0,
    ),
    Primitive(
        "dot",
        "dot",
        ("input", "other", "acc=None", "input_precision=None"),
        "The product of two matrices, ``acc + input @ other``: (M, K) and (K, N) give (M, N).\n\n"
        "fp16, bf16 and fp32 accumulate in fp32, fp64 in fp64, i8 in i32. ``input_precision`` says "
        "how products of fp32 are formed: 'tf32' (default), 'tf32x3' or 'ieee'.",
        triton="tl.dot({0}, {1}, acc={2}, input_precision={precision})",
    ),
    Primitive("zeros", "full", ("shape", "dtype"), "A block of zeros."),
    Primitive(
        "full", "full", ("shape", "value", "dtype"), "A block whose lanes all hold ``value``."
    ),
    Primitive(
        "arange",
        "arange",
        ("start", "end"),
        "``start, start + 1, …, end - 1`` as i32; both are known when compiling.",
    ),
    Primitive(
        "cast",
        "cast",
        ("input", "dtype"),
        "The values in another element type; also the method ``x.to(dtype)``.",
    ),
    Primitive("trans", "trans", ("input",), "The last two dims swapped; also ``x.T``."),
    Primitive(
        "expand_dims", "expand_dims", ("input", "axis"), "A dim of size 1 inserted at ``axis``."
    ),
    Primitive(
        "broadcast_to", "broadcast_to", ("input", "shape"), "Dims of size 1 repeated to ``shape``."
    ),
    Primitive(
        "flip",
        "flip",
        ("x", "dim=None"),
        "The lanes along ``dim``, or along the last dim, in reverse order. Blocks of any size.",
    ),
    Primitive(
        "range",
        "range",
        (
            *("start", "stop=None", "step=1", "num_stages=None", "loop_unroll_factor=None"),
            *("disallow_acc_multi_buffer=False", "flatten=False", "warp_specialize=False"),
        ),
        "What a loop goes over, as Python's ``range``. The keywords tell Triton how to schedule "
        "the loop.",
    ),
    Primitive(
        "static_range",
        "static_range",
        ("start", "stop=None", "step=1"),
        "What a loop goes over that is unrolled when compiling; the index is a number there.",
    ),
    Primitive(
        "load",
        "load",
        ("pointer", "mask=None", "other=None"),
        "What a pointer, or a block of them, points to, where the mask holds; elsewhere ``other``. "
        "Pointers come from ``x.source.data_ptr()`` and are moved by ``+``.",
    ),
    Primitive(
        "store",
        "store",
        ("pointer", "value", "mask=None"),
        "Writes to where a pointer, or a block of them, points, where the mask holds.",
    ),
    _atomic("add", "val", "mask=None", doc="Adds ``val`` to what is"),
    _atomic("max", "val", "mask=None", doc="Leaves the larger of ``val`` and what is"),
    _atomic("min", "val", "mask=None", doc="Leaves the smaller of ``val`` and what is"),
    _atomic("and", "val", "mask=None", doc="Keeps the bits of ``val`` of what is"),
    _atomic("or", "val", "mask=None", doc="Sets the bits of ``val`` in what is"),
    _atomic("xor", "val", "mask=None", doc="Turns the bits of ``val`` in what is"),
    _atomic("xchg", "val", "mask=None", doc="Puts ``val`` in the place of what is"),
    _atomic("cas", "cmp", "val", doc="Puts ``val``, where the bits are those of ``cmp``,"),
    Primitive(
        "static_assert",
        "static_assert",
        ("condition", "message=''"),
        "An error with the message where the condition, known when compiling, does not hold.",
    ),
)

TABLE: dict[str, Primitive] = {row.name: row for row in _ROWS}
MAPS: dict[str, Primitive] = {
    name: row for name, row in TABLE.items() if row.op in ("map", "where")
}
REDUCTIONS: dict[str, Primitive] = {name: row for name, row in TABLE.items() if row.op == "reduce"}

__all__ = ["MAPS", "REDUCTIONS", "TABLE", "Operand", "Primitive"]
