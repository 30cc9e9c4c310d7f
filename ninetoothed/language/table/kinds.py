"""What rows of one op have in common, said once for their documentation.

A row's own text wins: a paragraph of its ``doc`` that begins with the heading of a section
(``"Shapes: …"``) takes the place of what is said here.
"""

from __future__ import annotations

from dataclasses import dataclass

from ninetoothed.language import rules

SECTIONS = ("Shapes", "Element types", "Raises", "Example")
"""The headings behind a row's text, in their order."""

_TYPES = "TypeMismatchError: "
_SHAPES = "ShapeError: "
_ARGUMENTS = "ArgumentError: "
_NO_BROADCAST = f"{_SHAPES}the blocks do not broadcast."
_NO_TYPES = f"{_TYPES}the element types do not fit."
_NO_AXIS = f"{_SHAPES}there is no such axis."
_COMBINES = "``combine_fn`` does not give a scalar of each block's type."
_ONLY_COMBINES = (
    "UnsupportedSyntaxError: ``combine_fn`` reads, writes or loops, or uses a value from outside."
)
_NO_POINTER = f"{_TYPES}the first is no pointer."
_NO_UPDATE = (
    _NO_POINTER,
    f"{_TYPES}the device does not update this type in one step.",
    f"{_ARGUMENTS}there is no such ``sem`` or ``scope``.",
)
_UPDATED = "The values and the mask are broadcast to the pointers, whose shape the result has."
_BY_DEVICE = "The values are converted to what the pointers point to."
_ONE_TYPE = f"{_TYPES}the element types differ."


@dataclass(frozen=True)
class Kind:
    """The sections of an op: ``dtypes`` where its rows have no type rule. An ``example`` is over
    the row's ``{name}``; without one it is made of the row's parameters.
    """

    shapes: str
    raises: tuple[str, ...] = ()
    dtypes: str = ""
    example: str = ""


_LANES = "Blocks are broadcast to one shape, which the result has; scalars fit any."

KINDS: dict[str, Kind] = {
    "map": Kind(_LANES, (_NO_TYPES, _NO_BROADCAST)),
    "device_print": Kind(
        "Any; each is printed in its own.",
        (
            f"{_TYPES}the prefix is no string, or a value no number.",
            f"{_ARGUMENTS}the prefix is not ASCII.",
        ),
        "Numbers and bits.",
        'ntl.{name}("x", x)',
    ),
    "device_assert": Kind(
        _LANES.partition(",")[0] + ".",
        (f"{_TYPES}``msg`` is no string.", _NO_BROADCAST),
        "Bits; a number holds where it is not 0.",
        'ntl.{name}(x > 0, "x must be positive")',
    ),
    "static_print": Kind("Any.", (), "Any.", "ntl.{name}(x.shape)"),
    "assume": Kind(
        "One bit.",
        (f"{_SHAPES}it is a block.",),
        "Bits; a number holds where it is not 0.",
        "ntl.{name}(n > 0)",
    ),
    "hint": Kind(
        "Any; the result has the same. A scalar has ``multiple_of`` only, with one value.",
        (
            f"{_TYPES}a value is not known when compiling.",
            f"{_SHAPES}there are more or fewer values than dims.",
            f"{_ARGUMENTS}a value is below 1.",
        ),
        "Any, pointers too.",
        "ntl.{name}(i, 16)",
    ),
    "debug_barrier": Kind("None.", (), "None.", "ntl.{name}()"),
    "program_id": Kind(
        "A scalar.", (f"{_ARGUMENTS}there is no such axis.",), "i32.", "ntl.{name}(0)"
    ),
    "num_programs": Kind(
        "A scalar.", (f"{_ARGUMENTS}there is no such axis.",), "i32.", "ntl.{name}(0)"
    ),
    "inline_asm": Kind(
        _LANES,
        (
            f"{_TYPES}an option is not known when compiling, or ``dtype`` is none.",
            f"{_ARGUMENTS}there is no result, or ``pack`` is below 1.",
            _NO_BROADCAST,
            "DeviceError: the tensors are on the CPU.",
        ),
        "Any.",
        'ntl.{name}("add.f32 $0, $1, 1.0;", "=f,f", [x], ntl.float32, True, 1)',
    ),
    "where": Kind(_LANES, (_NO_TYPES, _NO_BROADCAST)),
    "propagating": Kind(
        _LANES,
        (_NO_TYPES, _NO_BROADCAST, f"{_ARGUMENTS}``propagate_nan`` is no ``ntl.PropagateNan``."),
    ),
    "fdiv": Kind(_LANES, (_NO_TYPES, _NO_BROADCAST)),
    "extern": Kind(_LANES, (_NO_TYPES, _NO_BROADCAST)),
    "cast": Kind(
        "Any; the result has the same.",
        (
            f"{_TYPES}``dtype`` is none, or has another width than the bits.",
            f"{_ARGUMENTS}there is no such rounding.",
        ),
        "Any; floats of eight bits become floats only, and only floats become them.",
    ),
    "reduce": Kind(
        "Any but a scalar; ``axis`` goes, or is left with size 1 with ``keep_dims``. Without "
        "``axis``, a scalar.",
        (_NO_TYPES, _NO_AXIS),
    ),
    "index": Kind(
        "Any but a scalar; ``axis`` goes, or is left with size 1 with ``keep_dims``. Without "
        "``axis``, a scalar.",
        (_NO_AXIS,),
        "Any; the result is i32.",
        "ntl.{name}(x, 0)",
    ),
    "reduce_by": Kind(
        "Any but a scalar, broadcast to one; ``axis`` goes, or is left with size 1 with "
        "``keep_dims``. With None, scalars.",
        (f"{_TYPES}{_COMBINES}", _NO_AXIS, _ONLY_COMBINES),
        "Any; each result has its block's.",
        "ntl.{name}(x, 0, ntl.maximum)",
    ),
    "scan": Kind("Any but a scalar; the result has the same.", (_NO_TYPES, _NO_AXIS)),
    "scan_by": Kind(
        "Any but a scalar, broadcast to one, which the results have.",
        (f"{_TYPES}{_COMBINES}", _NO_AXIS, _ONLY_COMBINES),
        "Any; each result has its block's.",
        "ntl.{name}(x, 0, ntl.maximum)",
    ),
    "sort": Kind(
        "Any but a scalar; the result has the same.", (_NO_AXIS,), "Any.", "ntl.{name}(x)"
    ),
    "topk": Kind(
        "Any but a scalar; ``dim`` is left with size ``k``.",
        (
            f"{_TYPES}``k`` is not known when compiling.",
            f"{_SHAPES}``k`` is below 1, or there are fewer lanes; or there is no such dim.",
        ),
        "Any.",
        "ntl.{name}(x, 4)",
    ),
    "histogram": Kind(
        "One dim; ``num_bins`` lanes. The mask is broadcast to the block.",
        (
            f"{_TYPES}``num_bins`` is not known when compiling, or floats are counted.",
            f"{_SHAPES}``num_bins`` is below 1, or the block has several dims.",
        ),
        "Integers and bits; the result is i32.",
        "ntl.{name}(i, 10)",
    ),
    "dot": Kind(
        "(M, K) and (K, N) give (M, N); (B, M, K) and (B, K, N) give (B, M, N).",
        (
            f"{_TYPES}the element types cannot be multiplied.",
            f"{_SHAPES}the inner sizes differ, or a block is no matrix.",
            f"{_ARGUMENTS}there is no such ``input_precision``.",
        ),
        "Floats of one type, any two floats of eight bits, or i8.",
        "ntl.{name}(a, b)",
    ),
    "dot_scaled": Kind(
        "Elements of (M, K) and (K, N), scales of (M, K // 32) and (N, K // 32) give (M, N); a "
        "first dim counts matrices.",
        (
            f"{_TYPES}the element types are not those of the formats.",
            f"{_SHAPES}the sizes differ, or K is no multiple of 32.",
            f"{_ARGUMENTS}there is no such format.",
        ),
        "Those of the formats.",
        'ntl.{name}(a, None, "fp16", b, None, "fp16")',
    ),
    "full": Kind(
        "``shape``, of sizes that are known when compiling.",
        (f"{_SHAPES}a size is not known when compiling.", f"{_TYPES}``dtype`` is none."),
        "Any.",
    ),
    "arange": Kind(
        "One dim of ``end - start`` lanes.",
        (f"{_TYPES}an end is not known when compiling.", f"{_SHAPES}there is no lane."),
        "i32.",
        "ntl.{name}(0, 16)",
    ),
    "load": Kind(
        "The mask and ``other`` are broadcast to the pointers.",
        (_NO_POINTER, f"{_ARGUMENTS}``other`` without a mask.", _NO_BROADCAST),
        "What the pointers point to.",
        "ntl.load(p, mask=x > 0, other=0)",
    ),
    "store": Kind(
        "The value and the mask are broadcast to the pointers.",
        (_NO_POINTER, _NO_BROADCAST),
        "The value is converted to what the pointers point to.",
        "ntl.store(p, x, mask=x > 0)",
    ),
    "atomic": Kind(
        _UPDATED,
        (*_NO_UPDATE, _NO_BROADCAST),
        _BY_DEVICE,
        "ntl.{name}(q, i, mask=i > 0)",
    ),
    "atomic_cas": Kind(
        f"{_UPDATED} On a GPU, sizes that are powers of two, since there is no mask.",
        (*_NO_UPDATE, _NO_BROADCAST),
        _BY_DEVICE,
        "ntl.{name}(q, 0, i)",
    ),
    "reshape": Kind(
        "``shape`` holds as many lanes.",
        (f"{_SHAPES}it holds more or fewer lanes, or a size is not known when compiling.",),
        "Any.",
        "ntl.{name}(x, 4, 4)",
    ),
    "permute": Kind(
        "The sizes go with the dims.",
        (f"{_SHAPES}a dim does not exist, or is not named once.",),
        "Any.",
        "ntl.{name}(a, 1, 0)",
    ),
    "expand_dims": Kind("One dim of size 1 more for each axis.", (_NO_AXIS,), "Any."),
    "unsqueeze": Kind("One dim of size 1 more.", (_NO_AXIS,), "Any."),
    "squeeze": Kind(
        "One dim of size 1 fewer.",
        (f"{_SHAPES}there is no such dim, or it has another size.",),
        "Any.",
        "ntl.{name}(x[None, :], 0)",
    ),
    "broadcast_to": Kind(
        "``shape``, to which the block broadcasts.",
        (f"{_SHAPES}it does not, or a size is not known when compiling.",),
        "Any.",
        "ntl.{name}(x, (4, 16))",
    ),
    "broadcast": Kind(
        "Those that broadcast; both results have the one shape.",
        (_NO_BROADCAST,),
        "Any.",
        "ntl.{name}(x[:, None], y[None, :])",
    ),
    "join": Kind(
        "Those that broadcast; a last dim of size 2 more.", (_ONE_TYPE, _NO_BROADCAST), "Any."
    ),
    "cat": Kind(
        "Two of one shape; ``dim`` becomes twice as large.",
        (_ONE_TYPE, f"{_SHAPES}the shapes differ."),
        "Any.",
    ),
    "split": Kind(
        "A last dim of size 2, which the results do not have.",
        (f"{_SHAPES}the last dim has another size.",),
        "Any.",
        "ntl.{name}(ntl.join(x, y))",
    ),
    "flip": Kind("Any but a scalar; the result has the same.", (_NO_AXIS,), "Any."),
    "gather": Kind(
        "Two that are alike but for ``axis``; the result has the shape of ``index``.",
        (f"{_TYPES}``index`` holds no integers.", f"{_SHAPES}the others of the sizes differ."),
        "Any; ``index`` holds integers.",
        "ntl.{name}(x, i, 0)",
    ),
    "range": Kind(
        "Scalars.",
        (f"{_ARGUMENTS}the step is 0.", "UnsupportedSyntaxError: it stands outside of a loop."),
        "Integers.",
        "for k in ntl.{name}(4): out = x * k",
    ),
    "static_range": Kind(
        "Numbers that are known when compiling.",
        (
            f"{_TYPES}a bound is not known when compiling.",
            "UnsupportedSyntaxError: it stands outside of a loop.",
        ),
        "Integers.",
        "for k in ntl.{name}(4): out = x * k",
    ),
    "constexpr": Kind(
        "None.", (f"{_TYPES}the value is not known when compiling.",), "Any.", "ntl.{name}(16)"
    ),
    "static_assert": Kind(
        "None.",
        (
            "AssertionFailedError: the condition does not hold.",
            f"{_TYPES}the condition or the message is not known when compiling.",
        ),
        "Bits.",
        "ntl.{name}(x.shape[0] == 16, 'blocks of 16')",
    ),
}
"""The kinds, by the rows' ``op``."""

_ON_INTEGERS = (rules.bitwise, rules.high_product, rules.integer_division)
_OPERANDS = {
    "input": "x",
    "other": "y",
    "a": "x",
    "b": "y",
    "condition": "x > 0",
    "axis": "0",
    "dim": "0",
    "shape": "(16,)",
    "dtype": "ntl.float32",
    "value": "1",
    "pointer": "p",
    "val": "x",
    "min": "0",
    "max": "1",
}
"""What stands for a parameter in an example: ``x``, ``y`` and ``z`` are blocks of 16 fp32, ``i``
and ``j`` of i32, ``u`` of u32, ``a`` and ``b`` matrices of 32 by 32 fp16, ``p`` and ``q`` 16
pointers to fp32 and to i32, and ``n`` is an i32.
"""


def example_operands(parameters: tuple[str, ...], rule: object) -> list[str]:
    """What stands in an example for the parameters that must be given."""
    needed = [parameter for parameter in parameters if "=" not in parameter]
    integers = {"x": "i", "y": "j", "input": "i"} if rule in _ON_INTEGERS else {}
    letters = {**_OPERANDS, **integers}
    return [letters.get(parameter.lstrip("*"), parameter) for parameter in needed]
