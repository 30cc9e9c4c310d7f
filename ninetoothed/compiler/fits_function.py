"""Functions of block sizes as Python source. ``fits``: which block sizes pass the checks of a call.

Sizes that fit one another with some block sizes may not with others: a tensor that has one element
for each block of another one agrees with it for blocks of one size only. Those who choose block
sizes, the runtime and the interpreter, choose among those that pass.

And ``counts``: how many elements the levels above the blocks have, which is how many programs there
are, and how often they loop.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from xdsl.dialects.builtin import ModuleOp

from ninetoothed.artifacts.signature import Signature
from ninetoothed.backend.launch_source import Binding
from ninetoothed.calls.generated import defined
from ninetoothed.compiler.cost_function import placeholders
from ninetoothed.errors import CompilerError
from ninetoothed.ir import nt
from ninetoothed.symbolic.expr import (
    IndexExpr,
    const,
    python_text,
    substitute,
    sym,
    symbol_names,
    symbols,
)

_Sizes = tuple[IndexExpr, ...]


def fits_source(module: ModuleOp, signature: Signature) -> str:
    """Source of ``fits`` (see ``artifacts.configuration.Space``), for a module in stage
    ``composed``; empty where no check of a call depends on block sizes, or on sizes that no
    argument of a call gives.
    """
    try:
        return _Functions(nt.kernel_of(module), signature).fits()
    except CompilerError:
        return ""


def fits_function(
    module: ModuleOp, signature: Signature
) -> Callable[..., Callable[..., bool]] | None:
    """The function ``fits`` of a module in stage ``composed``; None where all block sizes pass."""
    source = fits_source(module, signature)
    return defined(("fits",), source, {})[0] if source else None


def counts_function(
    module: ModuleOp, signature: Signature
) -> Callable[..., Callable[..., tuple[int, ...] | None]] | None:
    """A function that takes a call's arguments, and returns one of the block sizes: the sizes that
    depend on them, of all levels above the blocks; None where that divides by zero.

    None where there are no such sizes, or no argument of a call gives them.
    """
    try:
        source = _Functions(nt.kernel_of(module), signature).counts()
    except CompilerError:
        return None
    return defined(("counts",), source, {})[0] if source else None


class _Functions:
    """Generator of ``fits`` and ``counts``."""

    def __init__(self, kernel: nt.KernelOp, signature: Signature) -> None:
        self._kernel = kernel
        self._metas = placeholders(kernel)
        self._constants = {name: const(value) for name, value in signature.constants}
        self._params = [source.decl for source in kernel.sources]
        # A size that is declared to be a block size gives no value to it.
        known = [
            replace(param, sizes=tuple(const(0) if self._varies([s]) else s for s in param.sizes))
            for param in self._params
        ]
        self._binding = Binding(known, ("choice", *self._metas.values()))
        self._used: dict[IndexExpr, None] = {}

    def fits(self) -> str:
        conditions = [
            f"{self._tuple(left)} == {self._tuple(right)}" for left, right in self._checks()
        ]
        for param, name in zip(self._params, self._binding.names, strict=True):
            for dim, size in enumerate(param.sizes):
                if self._varies([size]):
                    conditions.append(f"{name}.shape[{dim}] == {self._spelled(size)}")
        if not conditions:
            return ""
        return self._source("fits", " and ".join(dict.fromkeys(conditions)), "False")

    def counts(self) -> str:
        levels: dict[IndexExpr, None] = {}
        for value in self._kernel.arranged.values:
            assert isinstance(value.type, nt.TensorType)
            for level in value.type.levels[:-1]:
                levels.update(dict.fromkeys(self._known(level.sizes)))
        sizes = [size for size in levels if self._varies([size])]
        return self._source("counts", self._tuple(sizes), "None") if sizes else ""

    def _source(self, name: str, result: str, otherwise: str) -> str:
        """A function of a call's arguments that returns one of the block sizes."""
        lines = [
            f"def {name}({', '.join(self._binding.names)}):",
            *(f"    {line}" for line in self._binding.bind(self._used)),
            f"    def choice({', '.join(self._metas.values())}):",
            "        try:",
            f"            return {result}",
            "        except ZeroDivisionError:",
            f"            return {otherwise}",
            "    return choice",
        ]
        return "".join(f"{line}\n" for line in lines)

    def _checks(self) -> list[tuple[_Sizes, _Sizes]]:
        """Both sides of the checks that depend on block sizes.

        An application that is specialized on block sizes may have other ones with others: then
        those of the arrangement alone count.
        """
        is_specialized = bool(self._kernel.specialized)
        checks = [attribute.data for attribute in self._kernel.checks]
        sides = [
            (self._known(check.left), self._known(check.right))
            for check in checks
            if check.agreement or not is_specialized
        ]
        return [(left, right) for left, right in sides if self._varies((*left, *right))]

    def _known(self, exprs: _Sizes) -> _Sizes:
        return tuple(substitute(expr, self._constants) for expr in exprs)

    def _varies(self, exprs: Iterable[IndexExpr]) -> bool:
        """True if block sizes change a value."""
        return not self._metas.keys().isdisjoint(symbol_names(*exprs))

    def _tuple(self, exprs: Sequence[IndexExpr]) -> str:
        return f"({', '.join(map(self._spelled, exprs))},)"

    def _spelled(self, expr: IndexExpr) -> str:
        names: dict[str, IndexExpr | int] = {}
        for symbol in symbols(expr):
            name = symbol.args[0]
            if name in self._metas:
                names[name] = sym(self._metas[name])
            else:
                self._used[symbol] = None
                names[name] = self._binding.spelled(symbol)
        return python_text(substitute(expr, names))
