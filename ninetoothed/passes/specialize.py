"""Specialize a kernel for one signature and one configuration: block sizes, unit strides,
divisors, equal sizes.

Of sizes that are equal one stands for all, so that guards, arguments and arithmetic merge: those that
the signature says are equal, and those that the kernel's own checks say are (``[n] = [m]``), without
which nothing is launched. Sources keep their own sizes, by which a launch binds and checks them.

Why here: everything before works on symbols and serves all configurations; everything after may
count lanes. It requires stage ``composed`` and leaves no symbol whose value was given, stage
``specialized``.

Before:

```mlir
// nt-opt -p 'nt-specialize{values="B=64","s=1" divisors="n=16" aligned="x"}'
nt.kernel @k symbols [#nt.symbol<n size 0 to ?>, #nt.symbol<s stride ? to ?>, #nt.symbol<B meta 32 to 1024>] arrange {
  %x = nt.source "x" "tensor" strides [s] aligned false : !nt.tensor<[n] x f16>
  %0 = nt.access %x <[[n ceildiv B], [B]] -> [B * g0 + b0] if [[B * g0 + b0, n]]>
      : !nt.tensor<[n] x f16> -> !nt.tensor<[n ceildiv B] x !nt.tensor<[B] x f16>>
  nt.arranged %0 : !nt.tensor<[n ceildiv B] x !nt.tensor<[B] x f16>>
} apply {
^bb0(%a : !nt.tensor<[B] x f16>):
  nt.return
}
```

After:

```mlir
nt.kernel @k symbols [#nt.symbol<n size 0 to ? div 16>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned true : !nt.tensor<[n] x f16>
  %0 = nt.access %x <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f16> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f16>>
  nt.arranged %0 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f16>>
} apply {
^bb0(%a : !nt.tensor<[64] x f16>):
  nt.return
}
```
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, cast

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, BoolAttr, ModuleOp
from xdsl.ir import Attribute
from xdsl.utils.exceptions import PassFailedException

from ninetoothed.errors import ArgumentError, ShapeError, counted, did_you_mean, shown
from ninetoothed.ir import nt
from ninetoothed.ir.diagnostics import fail
from ninetoothed.ir.kernel_pass import KernelPass
from ninetoothed.ir.rewriting import retype, set_type
from ninetoothed.layout.access import dynamic_sizes
from ninetoothed.layout.meta_op import shape_text
from ninetoothed.passes.analysis.checked_sizes import checked_equalities
from ninetoothed.passes.analysis.equalities import Equalities
from ninetoothed.passes.analysis.index_width import width_checks
from ninetoothed.passes.option_values import WIDTHS, require_among
from ninetoothed.symbolic.divisibility import MULTIPLE
from ninetoothed.symbolic.expr import IndexExpr, const, product, substitute
from ninetoothed.symbolic.normal_form import normalize

_NUMBER = re.compile(r"([^=]+)=(-?[0-9]{1,20})")
_NAMES = re.compile(r"([^=]+)=([^=]+)")


class _Substitution:
    """Substitution of values for symbols in attributes."""

    def __init__(self, values: Mapping[str, IndexExpr | int]) -> None:
        self.values = dict(values)

    def expr(self, expr: IndexExpr) -> IndexExpr:
        return normalize(substitute(expr, self.values))

    def exprs(self, exprs: tuple[IndexExpr, ...]) -> tuple[IndexExpr, ...]:
        return tuple(self.expr(expr) for expr in exprs)

    def attribute(self, attribute: Attribute) -> Attribute:
        if isinstance(attribute, nt.TensorType):
            return nt.TensorType(
                nt.ExprsAttr(self.exprs(attribute.sizes)), self.attribute(attribute.element_type)
            )
        if isinstance(attribute, nt.ExprAttr):
            return nt.ExprAttr(self.expr(attribute.data))
        if isinstance(attribute, nt.ExprsAttr):
            return nt.ExprsAttr(self.exprs(attribute.data))
        if isinstance(attribute, nt.AccessAttr):
            return nt.AccessAttr(attribute.data.substitute(self.values))
        if isinstance(attribute, nt.CheckAttr):
            check = attribute.data
            return nt.CheckAttr(
                replace(check, left=self.exprs(check.left), right=self.exprs(check.right))
            )
        return attribute


def _always_holds(kernel: nt.KernelOp, attribute: nt.CheckAttr) -> bool:
    """True if a check holds in every call.

    Raises:
        ShapeError: it fails in every call, and no class of signatures does without it.
    """
    check = attribute.data
    for left, right in zip(check.left, check.right, strict=True):
        if left != right:
            # The call with other outermost levels is one of another class of signatures.
            if left.value is None or right.value is None or check.agreement:
                return False
            message = check.message.format(
                left=shape_text(check.left), right=shape_text(check.right)
            )
            raise fail(kernel, message, ShapeError)
    return True


def dynamic_block_sizes(kernel: nt.KernelOp) -> tuple[IndexExpr, ...]:
    """The block sizes that only a call knows, which ``padded_sizes`` pads."""
    chosen = [decl.name for decl in kernel.declarations if decl.kind in ("meta", "constexpr")]
    types = [cast("nt.TensorType", value.type) for value in kernel.arranged.values]
    return dynamic_sizes((tuple(level.sizes for level in type.levels) for type in types), chosen)


def _numbers(option: str, texts: Sequence[str]) -> dict[str, int]:
    """The numbers by name of ``"NAME=NUMBER"``.

    Raises:
        ArgumentError: one is written in another way.
    """
    found: dict[str, int] = {}
    for text in texts:
        match = _NUMBER.fullmatch(text)
        if match is None:
            raise ArgumentError(f"nt-specialize: {option} holds NAME=NUMBER, not {shown(text)}")
        found[match[1]] = int(match[2])
    return found


def _names(option: str, texts: Sequence[str]) -> list[tuple[str, str]]:
    """The names of ``"NAME=NAME"``.

    Raises:
        ArgumentError: one is written in another way.
    """
    found: list[tuple[str, str]] = []
    for text in texts:
        match = _NAMES.fullmatch(text)
        if match is None:
            raise ArgumentError(f"nt-specialize: {option} holds NAME=NAME, not {shown(text)}")
        found.append((match[1], match[2]))
    return found


def _require_powers_of_two(option: str, numbers: Iterable[int]) -> None:
    """Check the numbers of an option.

    Raises:
        ArgumentError: one is no power of two.
    """
    for number in numbers:
        if number < 1 or number.bit_count() > 1:
            raise ArgumentError(f"nt-specialize: {option} are powers of two, not {number}")


def _require_known(option: str, what: str, names: Iterable[str], known: Sequence[str]) -> None:
    """Check that an option names what the kernel has.

    Raises:
        PassFailedException: it names something else.
    """
    for name in names:
        if name not in known:
            near = did_you_mean(name, known) or f"it has {', '.join(known) or 'none'}"
            raise PassFailedException(
                f"{option} names {name}, which is no {what} of the kernel; {near}"
            )


@dataclass(frozen=True)
class SpecializePass(KernelPass):
    """Substitute the values of symbols, alignment and the padded sizes of blocks."""

    name: ClassVar[str] = "nt-specialize"

    values: tuple[str, ...] = ()
    """``"NAME=NUMBER"``: the symbol has this value."""

    divisors: tuple[str, ...] = ()
    """``"NAME=NUMBER"``: the symbol is a multiple of this power of two, at most 16."""

    indivisible: tuple[str, ...] = ()
    """The symbols that are no multiples of 16."""

    aligned: tuple[str, ...] = ()
    """The parameters whose data starts at a multiple of 16 bytes."""

    padded_sizes: tuple[int, ...] = ()
    """The padded sizes of the blocks whose sizes only a call knows (``dynamic_block_sizes``)."""

    contiguous: tuple[str, ...] = ()
    """``"NAME=DIM"``: the parameter's strides from this dim on are the products of the sizes behind."""

    equal: tuple[str, ...] = ()
    """``"NAME=NAME"``: sizes, or strides, that are equal."""

    merges_equal: bool = True
    """One of the sizes in ``equal`` stands for all."""

    merges_checked: bool = True
    """So does one of those that checks say are equal."""

    merges_strides: bool = True
    """One of the strides in ``equal`` stands for all."""

    collapses: bool = True
    """Strides are computed with as products of sizes where they are."""

    index_bits: int = 32
    """The width of address arithmetic, 32 or 64."""

    def __post_init__(self) -> None:
        # Texts of pipelines are read before any module is.
        _numbers("values", self.values)
        divisors = _numbers("divisors", self.divisors)
        _require_powers_of_two("divisors", divisors.values())
        for divisor in divisors.values():
            if divisor > MULTIPLE:
                raise ArgumentError(
                    f"nt-specialize: divisors are at most {MULTIPLE}, not {divisor}"
                )
        _numbers("contiguous", self.contiguous)
        _names("equal", self.equal)
        _require_powers_of_two("padded_sizes", self.padded_sizes)
        require_among(self.name, "index_bits", self.index_bits, WIDTHS)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        # Several kernels, as files of tests have them, share the options.
        self._check_names([one for one in op.body.ops if isinstance(one, nt.KernelOp)])
        super().apply(ctx, op)

    def apply_to(self, kernel: nt.KernelOp) -> None:
        values = _numbers("values", self.values)
        dynamic = dynamic_block_sizes(kernel)
        if self.padded_sizes and len(self.padded_sizes) != len(dynamic):
            raise PassFailedException(
                f"there are {counted(len(self.padded_sizes), 'padded size')} for "
                f"{counted(len(dynamic), 'block size')} that only a call knows"
            )
        for name, built in kernel.specialized.items():
            if values.get(name, built) != built:
                raise PassFailedException(
                    f"{name} is {values[name]}, and the application was built for {built}"
                )
        equal = Equalities(decl.name for decl in kernel.declarations if decl.name not in values)
        strides = {decl.name for decl in kernel.declarations if decl.kind == "stride"}
        for one, two in _names("equal", self.equal):
            if self.merges_strides if one in strides else self.merges_equal:
                equal.join(one, two)
        # What the signature says needs no check, and what a check says needs that one.
        known = _Substitution({**values, **equal.merged})
        checks = [known.attribute(check) for check in kernel.checks]
        if self.merges_checked:
            for one, two in checked_equalities(kernel):
                equal.join(one, two)
        own = _Substitution(values)
        rows = [
            (own.attribute(source.result.type), own.exprs(source.strides.data))
            for source in kernel.sources
        ]
        known = _Substitution({**values, **equal.merged})
        computed = [known.exprs(strides) for strides in self._computed(kernel)]
        sizes = [known.exprs(source.sizes) for source in kernel.sources]
        retype(kernel.arrange, known.attribute)
        retype(kernel.apply, known.attribute)
        for source, (type, own_strides), strides in zip(
            kernel.sources, rows, computed, strict=True
        ):
            set_type(source.result, type)
            source.strides = nt.ExprsAttr(own_strides)
            if strides != own_strides:
                source.computed = nt.ExprsAttr(strides)
        self._remark(kernel, equal)
        left = (decl for decl in kernel.declarations if decl.name not in values)
        kernel.symbols = ArrayAttr(map(nt.SymbolAttr, self._declared(left, equal)))
        pairs = zip(dynamic, self.padded_sizes, strict=False)
        padded_sizes = {known.expr(size): padded_size for size, padded_size in pairs}
        kernel.padded_sizes = ArrayAttr(
            nt.ExprsAttr.of((size, const(padded_size)))
            for size, padded_size in padded_sizes.items()
            if size.value is None
        )
        kernel.checks = ArrayAttr(
            check
            for check in dict.fromkeys(checks)
            if isinstance(check, nt.CheckAttr) and not _always_holds(kernel, check)
        )
        wide = map(nt.CheckAttr, width_checks(kernel, self.index_bits, sizes))
        if wide := [check for check in wide if not _always_holds(kernel, check)]:
            kernel.checks = ArrayAttr(dict.fromkeys((*kernel.checks, *wide)))
        for source in kernel.sources:
            if source.param.data in self.aligned:
                source.aligned = BoolAttr.from_bool(True)

    def _check_names(self, kernels: Sequence[nt.KernelOp]) -> None:
        """Check that the options name symbols and parameters of some kernel.

        Raises:
            PassFailedException: one names something else, so that what it says would be lost.
        """
        symbols = [decl.name for kernel in kernels for decl in kernel.declarations]
        for option, names in (
            ("values", _numbers("values", self.values)),
            ("divisors", _numbers("divisors", self.divisors)),
            ("indivisible", self.indivisible),
            ("equal", [name for pair in _names("equal", self.equal) for name in pair]),
        ):
            _require_known(option, "symbol", names, symbols)
        ranks: dict[str, int] = {}
        for source in (source for kernel in kernels for source in kernel.sources):
            name = source.param.data
            ranks[name] = max(ranks.get(name, 0), len(source.sizes))
        firsts = _numbers("contiguous", self.contiguous)
        _require_known("aligned", "parameter", self.aligned, [*ranks])
        _require_known("contiguous", "parameter", firsts, [*ranks])
        for name, first in firsts.items():
            if not 0 <= first <= ranks[name]:
                raise PassFailedException(
                    f"contiguous says dim {first} of {name}, which has {counted(ranks[name], 'dim')}"
                )

    def _declared(
        self, declarations: Iterable[nt.SymbolDecl], equal: Equalities
    ) -> Iterator[nt.SymbolDecl]:
        """The symbols with what is told of them, and of those that are equal."""
        divisors: dict[str, int] = {}
        for name, divisor in _numbers("divisors", self.divisors).items():
            first = equal.first(name)
            divisors[first] = max(divisor, divisors.get(first, 1))
        indivisible = {equal.first(name) for name in self.indivisible}
        for decl in declarations:
            first = equal.first(decl.name)
            divisor = max(decl.divisor, divisors.get(first, 1))
            is_none = decl.indivisible or first in indivisible
            yield replace(decl, divisor=divisor, indivisible=is_none and divisor < MULTIPLE)

    def _computed(self, kernel: nt.KernelOp) -> Iterator[tuple[IndexExpr, ...]]:
        """The strides of each source, as products of sizes where they are known to be."""
        firsts = _numbers("contiguous", self.contiguous) if self.collapses else {}
        for source in kernel.sources:
            strides, sizes = source.strides.data, source.sizes
            first = firsts.get(source.param.data, len(sizes))
            products = [product(sizes[dim + 1 :]) for dim in range(first, len(sizes))]
            yield (*strides[:first], *products)

    def _remark(self, kernel: nt.KernelOp, equal: Equalities) -> None:
        remarks = nt.RemarkEmitter(kernel, self.name)
        for source in kernel.sources if remarks else ():
            for dim, size in enumerate(source.sizes):
                if size.op == "sym" and (first := equal.first(size.args[0])) != size.args[0]:
                    name = source.param.data
                    remarks.passed(source, f"size {dim} of `{name}` merged: it equals `{first}`")
