"""Specialize a kernel for one signature and one configuration: block sizes, unit strides,
multiples of 16.

Why here: everything before works on symbols and serves all configurations; everything after may
count lanes. It requires stage ``composed`` and leaves no symbol whose value was given, stage
``specialized``.

Before:

```mlir
// nt-opt -p 'nt-specialize{values="B=64","s=1" multiples="n" aligned="x"}'
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

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, cast

from xdsl.dialects.builtin import ArrayAttr, BoolAttr
from xdsl.ir import Attribute
from xdsl.utils.exceptions import PassFailedException

from ninetoothed.errors import ShapeError
from ninetoothed.ir import nt
from ninetoothed.ir.diagnostics import fail
from ninetoothed.ir.kernel_pass import KernelPass
from ninetoothed.ir.rewriting import retype
from ninetoothed.layout.access import dynamic_sizes
from ninetoothed.layout.meta_op import shape_text
from ninetoothed.symbolic.expr import IndexExpr, const, substitute
from ninetoothed.symbolic.normal_form import normalize


class _Substitution:
    """Substitution of values for symbols in attributes."""

    def __init__(self, values: Mapping[str, int]) -> None:
        self.values: dict[str, IndexExpr | int] = dict(values)

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


@dataclass(frozen=True)
class SpecializePass(KernelPass):
    """Substitute the values of symbols, alignment and the padded sizes of blocks."""

    name: ClassVar[str] = "nt-specialize"

    values: tuple[str, ...] = ()
    """``"NAME=NUMBER"``: the symbol has this value."""

    multiples: tuple[str, ...] = ()
    """The symbols that are multiples of 16."""

    indivisible: tuple[str, ...] = ()
    """The symbols that are no multiples of 16."""

    aligned: tuple[str, ...] = ()
    """The parameters whose data starts at a multiple of 16 bytes."""

    padded_sizes: tuple[int, ...] = ()
    """The padded sizes of the blocks whose sizes only a call knows (``dynamic_block_sizes``)."""

    def apply_to(self, kernel: nt.KernelOp) -> None:
        pairs = (text.partition("=") for text in self.values)
        values = {name: int(number) for name, _, number in pairs}
        dynamic = dynamic_block_sizes(kernel)
        if self.padded_sizes and len(self.padded_sizes) != len(dynamic):
            raise PassFailedException(
                f"nt-specialize: {len(self.padded_sizes)} padded_sizes for {len(dynamic)} "
                "block sizes"
            )
        for name, built in kernel.specialized.items():
            if values.get(name, built) != built:
                raise PassFailedException(
                    f"nt-specialize: {name} is {values[name]}, and the application was built for "
                    f"{built}"
                )
        known = _Substitution(values)
        retype(kernel.arrange, known.attribute)
        retype(kernel.apply, known.attribute)
        kernel.symbols = ArrayAttr(
            nt.SymbolAttr(self._declared(decl))
            for decl in kernel.declarations
            if decl.name not in values
        )
        pairs = zip(dynamic, self.padded_sizes, strict=False)
        padded_sizes = {known.expr(size): padded_size for size, padded_size in pairs}
        kernel.padded_sizes = ArrayAttr(
            nt.ExprsAttr.of((size, const(padded_size)))
            for size, padded_size in padded_sizes.items()
            if size.value is None
        )
        checks = [known.attribute(check) for check in kernel.checks]
        kernel.checks = ArrayAttr(
            check
            for check in dict.fromkeys(checks)
            if isinstance(check, nt.CheckAttr) and not _always_holds(kernel, check)
        )
        for source in kernel.sources:
            if source.param.data in self.aligned:
                source.aligned = BoolAttr.from_bool(True)

    def _declared(self, decl: nt.SymbolDecl) -> nt.SymbolDecl:
        if decl.name in self.multiples:
            return replace(decl, divisor=16)
        return replace(decl, indivisible=True) if decl.name in self.indivisible else decl
