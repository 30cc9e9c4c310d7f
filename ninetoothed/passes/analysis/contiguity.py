"""Contiguity of a block's lanes in memory, and proofs of vectorized access.

Memory moves in pieces of 32 bytes, and a thread moves up to 16 bytes at once where it can be proved
that they lie together, at a multiple of 16, and that all or none of them exist.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from ninetoothed.artifacts.signature import ParamSignature, Signature
from ninetoothed.ir import nt
from ninetoothed.layout.access import Access, index_names
from ninetoothed.passes.analysis.vectorization import vector_lanes
from ninetoothed.symbolic.divisibility import MULTIPLE, known_divisor
from ninetoothed.symbolic.expr import (
    IndexExpr,
    const,
    divisions,
    evaluate,
    product,
    substitute,
    symbol_names,
)
from ninetoothed.symbolic.normal_form import normalize

_REACH = 7
"""The distance in lanes over which contiguity is tested."""


@dataclass(frozen=True)
class Contiguity:
    """Contiguity of a block: ``dim`` is the dim along which lanes are contiguous, if any.
    ``is_wide``: 16 bytes of them are proved to be movable at once.
    """

    dim: int | None = None
    is_wide: bool = False


def contiguity(kernel: nt.KernelOp, signature: Signature) -> list[Contiguity]:
    """Contiguity of each parameter's blocks."""
    # Block sizes count as multiples of 16.
    divisors = {decl.name: MULTIPLE for decl in kernel.declarations if decl.kind == "meta"}
    for param, source in zip(signature.params, kernel.sources, strict=True):
        rows = (
            (source.decl.sizes, param.size_divisors),
            (source.decl.strides, param.stride_divisors),
        )
        for exprs, told in rows:
            for expr, divisor in zip(exprs, told, strict=False):
                if expr.op == "sym":
                    divisors[expr.args[0]] = max(divisor, divisors.get(expr.args[0], 1))
    fixed = {name: const(value) for name, value in signature.constants}
    found: list[Contiguity] = []
    for value, param in zip(kernel.arranged.values, signature.params, strict=True):
        if param.kind != "tensor":
            found.append(Contiguity())
            continue
        source, attribute = nt.access_of(value, kernel.assumptions)
        access = _collapsed(source, attribute.data, param.contiguous).substitute(fixed)
        found.append(_contiguity(access, param, divisors))
    return found


def _collapsed(source: nt.SourceOp, access: Access, first: int | None) -> Access:
    """The access with the dims from ``first`` on as one, the last, if that spares quotients."""
    if first is None:
        return access
    products = [product(source.sizes[dim + 1 :]) for dim in range(first, len(source.sizes))]
    index = normalize(nt.offset(access.indices[first:], products, None))
    if divisions(index):
        return access
    zeros = [const(0)] * (len(products) - 1)
    return replace(access, indices=(*access.indices[:first], *zeros, index))


def _contiguity(access: Access, param: ParamSignature, divisors: Mapping[str, int]) -> Contiguity:
    if len(access.levels) < 2:
        return Contiguity()
    rows = index_names(access.levels)
    sizes = access.levels[-1]
    for dim, (name, size) in reversed(list(enumerate(zip(rows[-1], sizes, strict=True)))):
        lane = _REACH if size.value is None else min(_REACH, size.value - 1)
        if lane and any(_is_reached(access, param, name, lane, step) for step in (1, -1)):
            is_proved = not any(_is_divided(index, name) for index in access.indices)
            if not is_proved and any(size.value != 1 for size in sizes[dim + 1 :]):
                # Without such a proof, Triton gives a thread lanes of the last dim.
                continue
            is_wide = is_proved and _is_wide(access, dim, name, param, divisors)
            return Contiguity(dim, is_wide)
    return Contiguity()


def _is_reached(access: Access, param: ParamSignature, name: str, lane: int, order: int) -> bool:
    """True if stepping ``lane`` lanes steps as many elements in memory."""
    variables = {name for row in index_names(access.levels) for name in row}
    symbols = [name for name in symbol_names(*access.indices) if name not in variables]
    # Arbitrary numbers, far apart, show how indices move. In one of the two orders, no difference
    # and no quotient is zero that is not zero for the sizes of a call.
    probe = {name: 1009 << number for number, name in enumerate(symbols[::order])}
    first = probe | dict.fromkeys(variables, 0)
    try:
        steps = [
            evaluate(index, first | {name: lane}) - evaluate(index, first)
            for index in access.indices
        ]
    except ZeroDivisionError:
        return False
    pairs = list(zip(steps, param.unit_strides, strict=True))
    moved = [step for step, is_unit in pairs if is_unit and step]
    return moved == [lane] and not any(step for step, is_unit in pairs if not is_unit)


def _is_wide(
    access: Access,
    dim: int,
    name: str,
    param: ParamSignature,
    divisors: Mapping[str, int],
) -> bool:
    count = vector_lanes(param.dtype)
    if not param.aligned or known_divisor(access.levels[-1][dim], divisors) < count:
        return False
    rows = index_names(access.levels)
    first = dict.fromkeys((other for row in rows for other in row), 0)
    for index, is_unit, divisor in zip(
        access.indices, param.unit_strides, param.stride_divisors, strict=True
    ):
        start = normalize(substitute(index, first))
        if is_unit and known_divisor(start, divisors) < count:
            return False
        if not is_unit and divisor < count and index.value != 0:
            return False
    return all(
        known_divisor(guard.size, divisors) >= count and not _is_divided(guard.index, name)
        for guard in access.guards
        if name in symbol_names(guard.index)
    )


def _is_divided(expr: IndexExpr, name: str) -> bool:
    """True if a quotient or remainder of ``name`` occurs in an expression."""
    return any(name in symbol_names(one) for one in divisions(expr))
