"""Sizes that a page begins with: shapes by parameter, block sizes and constants by name; and the
kernel's module for them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from xdsl.dialects.builtin import ModuleOp

from ninetoothed.artifacts.configuration import Config
from ninetoothed.artifacts.interface import Bounds
from ninetoothed.artifacts.signature import Signature
from ninetoothed.calls.arguments import value_within
from ninetoothed.compiler.compile import build
from ninetoothed.compiler.defaults import describe_types, fitted, for_fewest_sizes
from ninetoothed.definition.definition import Definition
from ninetoothed.dtype import number
from ninetoothed.errors import ArgumentError, collect_warnings, did_you_mean, shown
from ninetoothed.ir import nt
from ninetoothed.layout.solved_sizes import solved_sizes
from ninetoothed.symbolic.expr import IndexExpr, evaluate, symbol_names

_SIZE_BITS = 31
"""What a page computes is exact for tensors of sizes below this power of two."""


@dataclass(frozen=True)
class Given:
    """What a page begins with.

    ``shapes`` by parameter, ``blocks`` by symbol. ``constants``: values of constexpr symbols, by
    their names in the IR; ``fixed``: sizes that the kernel is compiled for. ``notes``: what else
    the accesses are right for.
    """

    shapes: Mapping[str, tuple[int, ...]]
    blocks: Mapping[str, int]
    constants: Mapping[str, int]
    fixed: Mapping[str, int]
    notes: tuple[str, ...]


def given_sizes(
    definition: Definition, dtypes: Mapping[str, Any], given: Mapping[str, Any]
) -> tuple[Given, ModuleOp]:
    """What is given for a kernel's parameters and symbols by name, and the kernel's module in stage
    ``composed`` with verdicts: of the strictest class of calls whose outermost levels agree for
    these sizes.

    A block size that is not given is the least one.

    Raises:
        ArgumentError: a name or a value does not fit the kernel, or one is missing.
        NineToothedError: the application is wrong for these element types.
    """
    _check_names(definition, given)
    constexprs = [one.name for one in definition.parameters if one.kind == "constexpr"]
    wanted = (*constexprs, *definition.keywords.values())
    values = {name: given[name] for name in wanted if name in given}
    for parameter in definition.parameters:
        has_value = parameter.kind != "constexpr" or parameter.source.value is not None
        if not has_value and parameter.name not in values:
            raise ArgumentError(
                f"{definition.name} needs a value for {parameter.name}, by which it is compiled; "
                f"give it, as in {parameter.name}=True"
            )
    blocks = {
        name: value_within(name, given[name], Bounds(info.lower, info.upper))
        if name in given
        else max(info.lower or 1, 1)
        for name, info in definition.meta.items()
    }
    symbols = {
        name: given[keyword]
        for name, keyword in definition.keywords.items()
        if isinstance(given.get(keyword), int)
    }
    shapes, sizes = _shapes(definition, given, {**blocks, **symbols})
    config = Config(tuple(blocks.items()))
    assumed = {name: sizes[name] for name in definition.constexpr_sizes if name in sizes}

    def of_class(signature: Signature) -> tuple[Signature, ModuleOp]:
        found = None
        for one in (signature, *signature.laxer):
            # Those who read verdicts are observers.
            found = for_fewest_sizes(
                definition, one, {}, lambda sized: build(definition, sized, [_ignore], config)
            )
            if _agree(nt.kernel_of(found[1]), {**sizes, **dict(one.constants), **blocks}):
                break
        # Sizes that no class takes are refused by the laxest.
        assert found is not None
        return found

    with collect_warnings():
        signature, module = fitted(definition, dtypes, {**values, **assumed}, of_class)
    constants = dict(signature.constants)
    return Given(
        shapes,
        blocks,
        {name: constants[name] for name in definition.constexprs},
        {name: constants[name] for name in definition.constexpr_sizes if name in constants},
        tuple(_notes(definition, signature, dtypes)),
    ), module


def _ignore(name: str, module: ModuleOp) -> None:
    """An observer that keeps nothing."""


def _notes(
    definition: Definition, signature: Signature, dtypes: Mapping[str, Any]
) -> Iterator[str]:
    if types := describe_types(definition, signature, dtypes):
        yield types
    constants = dict(signature.constants)
    for name, keyword in definition.keywords.items():
        yield f"{keyword} = {constants[name]}"
    for param in signature.params:
        if param.kind == "constexpr":
            yield f"{param.name} = {param.value}"
    if signature.agreement != "shapes":
        yield "the outermost levels have other shapes than that of the first tensor"


def _check_names(definition: Definition, given: Mapping[str, Any]) -> None:
    """Check that what is given are tensors, block sizes and constants.

    Raises:
        ArgumentError: a name is another.
    """
    kinds = {one.name: one.kind for one in definition.parameters}
    known = [
        *(name for name, kind in kinds.items() if kind != "scalar"),
        *definition.keywords.values(),
        *definition.meta,
    ]
    for name in given:
        if kinds.get(name) == "scalar":
            raise ArgumentError(
                f"{name} is a number that a call gives, and no access depends on it; leave it out"
            )
        if name not in known:
            hint = did_you_mean(name, known) or f"it takes {', '.join(known)}"
            raise ArgumentError(f"{definition.name} has no tensor or symbol {name}; {hint}")


def _shapes(
    definition: Definition, given: Mapping[str, Any], known: Mapping[str, int]
) -> tuple[dict[str, tuple[int, ...]], dict[str, int]]:
    """The shape of each tensor, and the values of sizes by symbol.

    Raises:
        ArgumentError: a shape is none of the tensor's, or is missing.
    """
    tensors = [one for one in definition.parameters if one.kind == "tensor"]
    sizes: dict[str, int] = dict(known)
    found: dict[str, tuple[int, ...]] = {}
    for tensor in tensors:
        if tensor.name in given:
            shape = _shape(tensor.name, given[tensor.name], len(tensor.source.shape))
            found[tensor.name] = shape
            for size, value in zip(tensor.source.shape, shape, strict=True):
                if size.op == "sym":
                    sizes.setdefault(size.args[0], value)
    # As outputs that a call allocates have them.
    missing = (size for one in tensors if one.name not in found for size in one.source.shape)
    unknown = set(symbol_names(*missing)) - sizes.keys()
    solved = solved_sizes([one.levels[0] for one in tensors], unknown, sizes.keys())
    sizes.update((name, evaluate(size, sizes)) for name, size in solved.items())
    for tensor in tensors:
        if tensor.name not in found:
            shape = _derived(tensor.source.shape, sizes)
            if shape is None:
                text = _example(len(tensor.source.shape))
                raise ArgumentError(
                    f"the shape of {tensor.name} does not follow from others; give it, as in "
                    f"{tensor.name}={text}"
                )
            found[tensor.name] = shape
    return {tensor.name: found[tensor.name] for tensor in tensors}, sizes


def _derived(sizes: tuple[IndexExpr, ...], known: Mapping[str, int]) -> tuple[int, ...] | None:
    """A shape that follows from known sizes; None: it does not."""
    try:
        return tuple(evaluate(size, known) for size in sizes)
    except (KeyError, ZeroDivisionError):
        return None


def _shape(name: str, given: object, ndim: int) -> tuple[int, ...]:
    """A shape of ``ndim`` sizes.

    Raises:
        ArgumentError: ``given`` is none.
    """
    sizes = _entries(given)
    if sizes is None or len(sizes) != ndim:
        raise ArgumentError(
            f"{name} is a tensor of {ndim} dims; give its shape, as in {name}={_example(ndim)}, "
            f"not {shown(given)}"
        )
    found: list[int] = []
    for size in sizes:
        value = number(size)
        if type(value) is not int or not 0 <= value < 1 << _SIZE_BITS:
            raise ArgumentError(
                f"{name} has sizes from 0 to 2**{_SIZE_BITS} - 1; {shown(size)} is none of them"
            )
        found.append(value)
    return tuple(found)


def _entries(given: object) -> tuple[object, ...] | None:
    """The entries of a tuple or a list; None: it is neither."""
    if not isinstance(given, tuple | list):
        return None
    return tuple(cast("tuple[object, ...] | list[object]", given))


def _example(ndim: int) -> str:
    return f"({', '.join(['16'] * ndim)}{',' if ndim == 1 else ''})"


def _agree(kernel: nt.KernelOp, values: Mapping[str, int]) -> bool:
    """True if no check of a kernel's outermost levels fails."""
    for check in (one.data for one in kernel.checks):
        if not check.agreement:
            continue
        try:
            left, right = (
                tuple(evaluate(one, values) for one in side) for side in (check.left, check.right)
            )
        except (KeyError, ZeroDivisionError):
            # Lengths are data; and another message tells of a division.
            continue
        if left != right:
            return False
    return True
