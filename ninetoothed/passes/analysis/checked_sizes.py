"""Checked sizes: what the checks of a call say of sizes, as equalities and as inequalities.

A call for which a check does not hold is refused, or is one of a laxer class, whose kernel has other
checks.
"""

from __future__ import annotations

from collections.abc import Iterator

from ninetoothed.ir import nt
from ninetoothed.symbolic.expr import IndexExpr, has_extremes, sym, symbol_names
from ninetoothed.symbolic.normal_form import always_nonnegative, normalize


def checked_sizes(kernel: nt.KernelOp, defined: bool = True) -> tuple[IndexExpr, ...]:
    """What a call has checked, as expressions over sizes and lengths of sequences that are at least
    0. Without ``defined``, less what ``nt-check-definedness`` has added.
    """
    return tuple(dict.fromkeys(_facts(kernel, defined)))


def checked_equalities(kernel: nt.KernelOp) -> Iterator[tuple[str, str]]:
    """Pairs of names of sizes that are equal in every call, but for those of jagged tensors, whose
    offsets are read by their own.
    """
    return _checked_pairs(kernel, agreement=True)


def sizes_of_every_call(kernel: nt.KernelOp) -> tuple[tuple[str, str], ...]:
    """Pairs of names of sizes that are equal in every call that is taken, whatever the block sizes
    and outermost levels: another one is refused.
    """
    if kernel.specialized:
        # With other block sizes, the application may check others.
        return ()
    return tuple(_checked_pairs(kernel, agreement=False))


def _checked_pairs(kernel: nt.KernelOp, agreement: bool) -> Iterator[tuple[str, str]]:
    sizes = {decl.name for decl in kernel.declarations if decl.kind == "size"}
    for source in kernel.sources:
        if source.jagged is not None:
            sizes.difference_update(symbol_names(*source.sizes))
    for left, right in _equalities(kernel, defined=True, agreement=agreement):
        if left.op != "sym" or right.op != "sym" or left is right:
            continue
        if sizes >= {left.args[0], right.args[0]}:
            yield left.args[0], right.args[0]


def _facts(kernel: nt.KernelOp, defined: bool) -> Iterator[IndexExpr]:
    for left, right in _equalities(kernel, defined):
        if left.op == "min" and right in left.args:
            yield _above(right, left)
        elif right.op == "min" and left in right.args:
            yield _above(left, right)
        else:
            yield normalize(left - right)
            yield normalize(right - left)
    for length, longest in kernel.longest.items():
        yield longest - sym(length)


def _equalities(
    kernel: nt.KernelOp, defined: bool, agreement: bool = True
) -> Iterator[tuple[IndexExpr, IndexExpr]]:
    """What the checks compare, with lengths of a program's sequences for their offsets."""
    lengths = _lengths(kernel)
    for attribute in kernel.checks:
        check = attribute.data
        if (check.defined and not defined) or (check.agreement and not agreement):
            continue
        for left, right in zip(check.left, check.right, strict=True):
            if left in lengths and right in lengths:
                # Sequences of equal offsets are equally long, those of other programs are not.
                (left, one), (right, two) = lengths[left], lengths[right]
                if one != two:
                    continue
            yield left, right


def _lengths(kernel: nt.KernelOp) -> dict[IndexExpr, tuple[IndexExpr, IndexExpr]]:
    """The length of a program's sequence and its batch index, by the tensor's offsets."""
    found: dict[IndexExpr, tuple[IndexExpr, IndexExpr]] = {}
    for source, value in zip(kernel.sources, kernel.arranged.values, strict=True):
        if source.jagged is not None:
            jagged = source.jagged.data
            access = nt.access_of(value, kernel.assumptions)[1].data
            found[sym(jagged.offsets)] = sym(jagged.length), nt.batch_index(access)
    return found


def _above(small: IndexExpr, least: IndexExpr) -> IndexExpr:
    """How far the other operand of a minimum is above ``small``, which it is equal to."""
    other = least.args[0] if least.args[1] == small else least.args[1]
    return normalize(other - small)


def is_at_most(kernel: nt.KernelOp, small: IndexExpr, large: IndexExpr) -> bool:
    """True if ``small <= large`` in every call."""
    names = {*symbol_names(small, large)}
    facts = [
        fact
        for fact in checked_sizes(kernel)
        if not names.isdisjoint(symbol_names(fact)) and not has_extremes(fact)
    ]
    return always_nonnegative(large - small, kernel.assumptions, facts)
