"""Index width: numbers of an arrangement that integers of the width of addresses may not hold.

The sizes and strides of a call's tensors are held, since they decide the width, and so is what is
less: a quotient of one, or a product of sizes of one tensor, which are its elements. Other products
and sums are not: ``y.expand((n, n)).flatten()`` has ``n * n`` elements, of a tensor that has one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from ninetoothed.artifacts.signature import narrower_than
from ninetoothed.ir import nt
from ninetoothed.layout.access import Access
from ninetoothed.layout.meta_op import Sizes, shape_text
from ninetoothed.symbolic.expr import IndexExpr, const, has_extremes, minimum, product, symbol_names
from ninetoothed.symbolic.normal_form import always_nonnegative, normalize
from ninetoothed.symbolic.polynomials import Monomial, polynomial_of

_SPARE = 1 << 19
"""What is added at most to a number that is held; what is below the limit leaves more room."""


def width_checks(
    kernel: nt.KernelOp, index_bits: int, tensors: Sequence[Sizes]
) -> Iterator[nt.Check]:
    """Checks of a call that ``index_bits`` hold the numbers of the kernel's accesses; ``tensors``
    are the sizes of its tensors.
    """
    limit = const(narrower_than(index_bits) - 1)
    for expr, name in _missing(kernel, tensors).items():
        message = (
            f"the arrangement of {name} counts up to {shape_text((expr,))} = {{left}}, but tensors "
            f"of these sizes are addressed with {index_bits} bits, which hold {limit}; arrange it "
            "with fewer elements"
        )
        yield nt.Check((expr,), (normalize(minimum(expr, limit)),), message)


def _missing(kernel: nt.KernelOp, tensors: Sequence[Sizes]) -> dict[IndexExpr, str]:
    """What may not be held, with the first parameter of which it is one."""
    found: dict[IndexExpr, str] = {}
    counts = [Counter(sizes) for sizes in tensors]
    for source, value in zip(kernel.sources, kernel.arranged.values, strict=True):
        if source.kind.data == "tensor":
            access = nt.access_of(value, kernel.assumptions)[1].data
            for expr in dict.fromkeys(_numbers(access)):
                for part in _parts(expr, counts):
                    found.setdefault(part, source.param.data)
    return {expr: name for expr, name in found.items() if not _is_proved(kernel, expr, tensors)}


def _numbers(access: Access) -> Iterator[IndexExpr]:
    """The numbers that an access computes with, but for those of the block: Triton bounds it."""
    for sizes in access.levels[:-1]:
        yield from sizes
    for guard in access.guards:
        yield guard.size


def _parts(expr: IndexExpr, tensors: Sequence[Counter[IndexExpr]]) -> Iterator[IndexExpr]:
    """The parts of ``expr`` that are not seen to be held, and ``expr`` itself if it is not."""
    if expr.op in ("const", "sym"):
        return
    if expr.op in ("add", "sub", "mul", "neg"):
        terms = polynomial_of(expr)
        for atom in dict.fromkeys(atom for monomial in terms for atom in monomial):
            yield from _parts(atom, tensors)
        spare = abs(terms.pop((), 0))
        # Each side is held where it has one term.
        for sign in (1, -1):
            side = [(monomial, factor) for monomial, factor in terms.items() if factor * sign > 0]
            if spare > _SPARE or len(side) > 1 or not all(_is_held(*one, tensors) for one in side):
                yield expr
                return
        return
    for operand in expr.args:
        yield from _parts(operand, tensors)


def _is_held(monomial: Monomial, factor: int, tensors: Sequence[Counter[IndexExpr]]) -> bool:
    if len(monomial) == 1:
        (atom,) = monomial
        # (n ceildiv 64) * 64 is less than n + 64.
        divisor = atom.args[1].value if atom.op in ("floordiv", "ceildiv") else None
        return abs(factor) <= (1 if divisor is None else divisor)
    for atom in monomial:
        if atom.op == "floordiv" and atom.args[1] in monomial:
            # d * (n // d) is at most n.
            rest = Counter(monomial) - Counter((atom, atom.args[1]))
            monomial = (*rest.elements(), atom.args[0])
            return _is_held(monomial, factor, tensors)
    needed = Counter(monomial)
    return abs(factor) == 1 and any(needed <= sizes for sizes in tensors)


def _is_proved(kernel: nt.KernelOp, expr: IndexExpr, tensors: Sequence[Sizes]) -> bool:
    """True if ``expr`` is at most the elements of a tensor."""
    if has_extremes(expr):
        # To look for a proof takes longer than to check all calls.
        return False
    names = {*symbol_names(expr)}
    return any(
        always_nonnegative(product(sizes) - expr, kernel.assumptions)
        for sizes in tensors
        if names.issubset(symbol_names(*sizes))
    )
