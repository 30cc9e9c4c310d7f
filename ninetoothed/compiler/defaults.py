"""Default signatures and configurations where there is no call: for ``make``, ``kernel.ir`` and
``nt-opt``.

Undeclared element types are fp32, or integers where fp32 does not fit (:func:`fitted`), sizes are
unknown, and block sizes that only a call knows are padded to 1024, or less where blocks of that
many lanes would be large. Constexpr sizes are 16, clamped to their bounds.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar, cast

from xdsl.dialects.builtin import ModuleOp

from ninetoothed.artifacts.configuration import Config
from ninetoothed.artifacts.interface import Bounds
from ninetoothed.artifacts.signature import ParamSignature, Signature
from ninetoothed.calls.arguments import constant_values, element_type, value_within
from ninetoothed.calls.numbers import member_value
from ninetoothed.compiler.compile import build
from ninetoothed.compiler.space import MAX_BLOCK, largest_block, space
from ninetoothed.definition.definition import ArrangedParameter, Definition
from ninetoothed.errors import (
    ArgumentError,
    AssertionFailedError,
    ConfigurationError,
    NineToothedError,
    TypeMismatchError,
    collect_warnings,
    shown,
    warn,
)
from ninetoothed.frontend.arrangement import declarations
from ninetoothed.ir.nt import kernel_of
from ninetoothed.layout.emptiness import empty_where, unknown_sizes
from ninetoothed.symbolic.choices import choices_between
from ninetoothed.symbolic.expr import SymbolInfo
from ninetoothed.symbolic.intervals import Assumptions
from ninetoothed.symbolic.normal_form import always_less

_DTYPE = "fp32"
_PADDED_SIZE = 1024
_LEAST_PADDED_SIZE = 4
_CONSTEXPR = 64
# Small, since an application may be unrolled over such sizes.
_CONSTEXPR_SIZE = 16
# To the language's rules, every element type behaves like one of these or fp32.
_OTHER_DTYPES = (
    *("fp16", "bf16", "fp64", "i32", "i64", "i8", "u8", "i1"),
    # What asks for them by name.
    *("i16", "u16", "u32", "u64"),
)
# Of so many parameters, each choice of some is tried as integers.
_MOST_COMBINED = 4
_Built = TypeVar("_Built")


def require_names(dtypes: object, values: object) -> None:
    """Check that ``dtypes`` and ``values`` are given by name.

    Raises:
        ArgumentError: one is not.
    """
    for what, given in (("dtypes", dtypes), ("values", values)):
        if not _is_by_name(given):
            raise ArgumentError(
                f"{what} must be a dict by name of parameter or symbol, not {shown(given)}"
            )


def _is_by_name(given: object) -> bool:
    return isinstance(given, Mapping) and all(
        isinstance(name, str) for name in cast("Mapping[object, object]", given)
    )


def assumed_signature(
    definition: Definition,
    dtypes: Mapping[str, Any],
    values: Mapping[str, Any],
    default: str = _DTYPE,
) -> Signature:
    """Default signature; ``dtypes`` and ``values`` override the defaults.

    Raises:
        ArgumentError: a name that the kernel does not have, or a constexpr without a value.
    """
    require_names(dtypes, values)
    sizes = definition.constexpr_sizes
    names = [parameter.name for parameter in definition.parameters]
    for name in dtypes:
        if name not in names:
            raise ArgumentError(f"there is no parameter {name}; parameters are {', '.join(names)}")
    for parameter in _without_value(definition):
        if values.get(parameter.name) is None:
            raise ArgumentError(
                f"{definition.name} needs a value for {parameter.name}, by which it is compiled; "
                f"give one in values, as in {{{parameter.name!r}: True}}, or to nt-opt with --set "
                f"{parameter.name}=True"
            )
    params = tuple(
        _param(arranged, element_type(dtypes.get(parameter.name), parameter, default), values)
        for arranged, parameter in zip(
            definition.parameters, definition.interface.parameters, strict=True
        )
    )
    others = {name: value for name, value in values.items() if name not in (*names, *sizes)}
    constants = (
        *constant_values(definition.interface, others),
        *(
            (
                name,
                value_within(name, values.get(name, _within(info, _CONSTEXPR_SIZE)), _bounds(info)),
            )
            for name, info in sizes.items()
        ),
    )
    padded_size = _PADDED_SIZE
    if sizes:
        # Whole dims of other tensors mostly agree with them.
        largest = max(value for name, value in constants if name in sizes)
        padded_size = 1 << max(largest - 1, 0).bit_length()
    padded_sizes = tuple((str(size), padded_size) for size in definition.dynamic)
    ranges = {decl.name: decl.range for decl in declarations(definition, dict(constants))}
    params = tuple(
        replace(param, empty=_is_empty(definition, arranged, ranges))
        for param, arranged in zip(params, definition.parameters, strict=True)
    )
    return Signature(params, constants, padded_sizes)


def _is_empty(definition: Definition, parameter: ArrangedParameter, ranges: Assumptions) -> bool:
    """True if a dim that is expanded or squeezed has no elements in any call."""
    sizes = [empty_where(size, definition.meta) for size in unknown_sizes(parameter.ops)]
    return any(size is not None and always_less(size, 1, ranges) for size in sizes)


def fitted(
    definition: Definition,
    dtypes: Mapping[str, Any],
    values: Mapping[str, Any],
    built: Callable[[Signature], _Built],
) -> _Built:
    """The result of ``built`` for the first default signature whose element types the application
    takes: integers are tried where fp32 does not fit, for scalars first.

    Raises:
        NineToothedError: it takes none of them; the error is that of fp32, and names what was
            assumed, unless no type gets further.
    """
    signature = assumed_signature(definition, dtypes, values)
    try:
        return built(signature)
    except (TypeMismatchError, AssertionFailedError) as error:
        assumed = describe_types(definition, signature, dtypes)
        if not assumed:
            raise
        first = error
    free = [row for row in definition.parameters if row.name not in dtypes and _undeclared(row)]
    # An assertion may ask for types that are not tried.
    depends = isinstance(first, AssertionFailedError)
    for others in _other_types(free):
        try:
            with collect_warnings() as found:
                result = built(assumed_signature(definition, {**dtypes, **others}, values))
        except NineToothedError as error:
            depends = depends or error.loc != first.loc
            continue
        # Those of a failed attempt say nothing.
        for warning in found:
            warn(warning)
        return result
    if not depends:
        raise first
    name = min(free, key=lambda row: len(row.source.shape)).name
    first.message += (
        f"; {assumed}, for no call gives them: where another fits, give it, as in "
        f'dtypes={{"{name}": "i32"}}, or to nt-opt with --dtype {name}=i32'
    )
    raise first


def _other_types(free: Sequence[ArrangedParameter]) -> Iterator[dict[str, str]]:
    """Element types other than fp32 to try for parameters, likely ones first."""
    scalars = [row.name for row in free if not row.source.shape]
    names = [*scalars, *(row.name for row in free if row.source.shape)]
    for group in (scalars, names):
        if len(group) <= _MOST_COMBINED:
            for count in range(1, len(group)):
                for some in itertools.combinations(group, count):
                    yield dict.fromkeys(some, "i32")
        else:
            yield from ({name: "i32"} for name in group)
        if group:
            yield dict.fromkeys(group, "i32")
    for dtype in _OTHER_DTYPES:
        yield dict.fromkeys(names, dtype)


def for_all_sizes(
    definition: Definition, signature: Signature, values: Mapping[str, Any]
) -> Signature:
    """The signature without assumed constexpr sizes, for proofs that hold for all sizes.

    An application that is specialized on such a size cannot be built for it.
    """
    assumed = definition.constexpr_sizes.keys() - values.keys()
    constants = tuple(pair for pair in signature.constants if pair[0] not in assumed)
    return replace(signature, constants=constants)


def for_fewest_sizes(
    definition: Definition,
    signature: Signature,
    values: Mapping[str, Any],
    built: Callable[[Signature], _Built],
) -> tuple[Signature, _Built]:
    """The result of ``built`` for as few assumed constexpr sizes as possible, with the signature:
    not ``signature`` itself where it holds for all sizes. What it warns of is dropped.

    Raises:
        NineToothedError: as ``built`` for ``signature``.
    """
    unsized = for_all_sizes(definition, signature, values)
    with collect_warnings():
        try:
            return unsized, built(unsized)
        except NineToothedError:
            return signature, built(signature)


def _without_value(definition: Definition) -> list[ArrangedParameter]:
    """Compile-time numbers that only a call knows."""
    return [
        parameter
        for parameter in definition.parameters
        if parameter.kind == "constexpr" and parameter.source.value is None
    ]


def _param(parameter: ArrangedParameter, dtype: str, values: Mapping[str, Any]) -> ParamSignature:
    ndim = len(parameter.source.shape)
    constant = parameter.kind == "constexpr"
    return ParamSignature(
        parameter.name,
        parameter.kind,
        dtype,
        ndim,
        tuple(dim == ndim - 1 for dim in range(ndim)),
        (1,) * ndim,
        (1,) * ndim,
        parameter.kind == "tensor",
        member_value(values.get(parameter.name, parameter.source.value)) if constant else None,
        None if parameter.jagged is None else "i64",
    )


def describe_assumptions(
    definition: Definition, signature: Signature, config: Config, dtypes: Mapping[str, Any]
) -> str:
    """Comment that lists the assumptions."""
    types = describe_types(definition, signature, dtypes)
    lines = [f"// {types}"] if types else []
    if sizes := describe_sizes(definition, signature):
        lines.append(f"// {sizes}")
    if config.values:
        lines.append(f"// configuration: {config}")
    for text, padded_size in signature.padded_sizes:
        lines.append(f"// block size {text} assumed to be rounded up to {padded_size}")
    return "".join(f"{line}\n" for line in lines)


def describe_assumed(
    definition: Definition, signature: Signature, dtypes: Mapping[str, Any]
) -> str:
    """Text of the element types and sizes that were assumed, if any."""
    notes = (describe_types(definition, signature, dtypes), describe_sizes(definition, signature))
    return "; ".join(note for note in notes if note)


def describe_types(definition: Definition, signature: Signature, dtypes: Mapping[str, Any]) -> str:
    """Text of the element types that were assumed, if any."""
    assumed = [
        f"{param.name}: {param.dtype}"
        for param, parameter in zip(signature.params, definition.parameters, strict=True)
        if param.name not in dtypes and _undeclared(parameter)
    ]
    if not assumed:
        return ""
    text = f"element types assumed: {', '.join(assumed)}"
    if all(row.endswith(f": {_DTYPE}") for row in assumed):
        return text
    return f"{text}, for {_DTYPE} does not fit; give others with dtypes"


def describe_sizes(definition: Definition, signature: Signature) -> str:
    """Text of the constexpr sizes that a kernel is compiled for, if any."""
    sizes = [
        f"{name}={value}"
        for name, value in signature.constants
        if name in definition.constexpr_sizes
    ]
    return f"constexpr sizes: {', '.join(sizes)}" if sizes else ""


def _undeclared(parameter: ArrangedParameter) -> bool:
    return parameter.source.dtype is None and parameter.kind != "constexpr"


def pick(
    definition: Definition,
    module: ModuleOp,
    signature: Signature,
    values: Mapping[str, Any],
    num_warps: Sequence[int] | None = None,
) -> tuple[Signature, Config]:
    """Pick the first configuration, with the meta symbols in ``values`` set, and the signature with
    the largest assumed block sizes for which there is one.

    Raises:
        ArgumentError: a value is no integer within its symbol's bounds.
        ConfigurationError: no configuration fits.
    """
    while True:
        smaller = tuple((text, padded_size // 4) for text, padded_size in signature.padded_sizes)
        is_least = not smaller or smaller[0][1] < _LEAST_PADDED_SIZE
        try:
            first = space(module, signature, num_warps, pipeline=definition.pipeline).configs[0]
        except ConfigurationError:
            if is_least:
                raise
        else:
            # A call may have larger blocks; Triton takes minutes for them.
            if is_least or largest_block(module, signature, first) <= MAX_BLOCK:
                break
        signature = replace(signature, padded_sizes=smaller)
    chosen = tuple(
        (
            name,
            value_within(name, values[name], _bounds(definition.meta[name]))
            if name in values
            else value,
        )
        for name, value in first.values
    )
    return signature, Config(chosen, first.num_warps, first.num_stages)


def check_application(definition: Definition) -> ModuleOp | None:
    """Check for mistakes that do not depend on the call, by building the application for assumed
    types and constants.

    A mistake that another element type might not have is left to the call. A kernel whose
    compile-time numbers are not known is not checked: it is specialized on them.

    Returns:
        The module that was built, in stage ``composed``; None where the call is left to decide.

    Raises:
        NineToothedError: the arrangement or the application is wrong; at its place.
    """
    if _without_value(definition):
        return None
    values = plain_values(definition)
    found = _attempt(definition, values, _DTYPE)
    if not isinstance(found, NineToothedError):
        return found
    error = found
    if definition.constexpr_sizes:
        # The application may need constexpr sizes, and other ones than assumed.
        found = _attempt(definition, values, _DTYPE, is_sized=True)
        if not isinstance(found, NineToothedError):
            return found
        if not _is_same(error, found):
            return None
    stays = True
    if any(_undeclared(parameter) for parameter in definition.parameters):
        for dtype in _OTHER_DTYPES:
            other = _attempt(definition, values, dtype)
            if not isinstance(other, NineToothedError):
                return other
            stays = stays and _stays(error, other, dtype)
    if stays:
        raise error
    return None


def plain_values(definition: Definition) -> dict[str, int]:
    """Default value of each constexpr symbol, by the user's names."""
    return {
        definition.keywords[name]: _within(info, _CONSTEXPR)
        for name, info in definition.constexprs.items()
    }


def _bounds(info: SymbolInfo) -> Bounds:
    return Bounds(info.lower, info.upper)


def _within(info: SymbolInfo, value: int) -> int:
    """Clamp ``value`` to a symbol's bounds."""
    value = value if info.upper is None else min(value, info.upper)
    return value if info.lower is None else max(value, info.lower)


def _attempt(
    definition: Definition, values: Mapping[str, int], dtype: str, is_sized: bool = False
) -> ModuleOp | NineToothedError:
    """Build the module, or return the error; ``is_sized``: constexpr sizes are assumed, too."""
    try:
        signature = assumed_signature(definition, {}, values, dtype)
        if not is_sized:
            signature = for_all_sizes(definition, signature, values)
        with collect_warnings() as found:
            module = build(definition, signature)
        _check_other_blocks(definition, signature, module)
    except NineToothedError as error:
        return error
    # Those of a failed attempt say nothing.
    for warning in found:
        warn(warning)
    return module


def _check_other_blocks(definition: Definition, signature: Signature, module: ModuleOp) -> None:
    """Build the application for another value of each block size on which it is specialized: sizes
    that are equal by accident differ then.

    Raises:
        NineToothedError: it is wrong for one.
    """
    metas = {
        decl.name: choices_between(decl.lower, decl.upper)
        for decl in kernel_of(module).declarations
        if decl.kind == "meta"
    }
    pending = [({name: values[0] for name, values in metas.items()}, module, frozenset[str]())]
    # With another value the application may be specialized on more.
    while pending:
        values, built, known = pending.pop(0)
        names = kernel_of(built).specialized.keys()
        for name in names:
            if name in known or len(metas[name]) == 1:
                continue
            others = {**values, name: metas[name][1]}
            with collect_warnings():
                other = build(definition, signature, config=Config(tuple(others.items())))
            pending.append((others, other, known.union(names)))


def _stays(error: NineToothedError, other: NineToothedError, dtype: str) -> bool:
    """True if an error occurs whatever the element types, given that of parameters of ``dtype``.

    Where types do not fit, types that differ between parameters may.
    """
    if not isinstance(error, TypeMismatchError):
        return True
    if _is_same(error, other):
        return True
    # Beside tensors of fp64, Python numbers are of that type.
    as_double = error.message.replace(_DTYPE, "fp64")
    return dtype == "fp64" and _is_same(error, other, as_double)


def _is_same(error: NineToothedError, other: NineToothedError, message: str | None = None) -> bool:
    """True if two errors are the same, the first with another ``message`` if one is given."""
    message = error.message if message is None else message
    return type(other) is type(error) and (other.loc, other.message) == (error.loc, message)
