"""JavaScript of an explored kernel: one object, whose functions are its index expressions.

A function takes an object ``v`` with the values of all symbols; all else is what the page shows.
Names of dims, loops and lanes are those of the IR.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence

from ninetoothed.artifacts.interface import Bounds
from ninetoothed.calls.arguments import outside_bounds
from ninetoothed.ir import nt
from ninetoothed.symbolic.expr import IndexExpr, divisors, javascript_text
from ninetoothed.view.exploration.explored_kernel import ExploredKernel, ExploredTensor, Part, Use
from ninetoothed.view.exploration.given_sizes import Given

_SCOPE = "v"


def kernel_script(kernel: ExploredKernel, given: Given) -> str:
    """JavaScript that defines ``KERNEL``, the object that ``core.js`` computes with."""
    blocks = [decl for decl in kernel.symbols if decl.kind == "meta"]
    # Divisors that no call makes 0.
    positive = {decl.name for decl in blocks if (decl.lower or 0) >= 1}
    bound: set[str] = set()
    fields = {
        "name": _json(kernel.name),
        "values": _json([*given.constants.items()]),
        "fixed": _json([*given.fixed.items()]),
        "notes": _json(given.notes),
        "blocks": _list(_block(decl, given.blocks[decl.name]) for decl in blocks),
        "tensors": _list(_tensor(one, given, bound, positive) for one in kernel.tensors),
        "grid": _functions(kernel.grid),
        "count": "null" if kernel.count is None else _function(kernel.count),
        "divisors": _divisors((*kernel.grid, kernel.count), positive),
        "checks": _list(_check(check, positive) for check in kernel.checks),
        "undecided": _json(kernel.other_checks),
    }
    return f"const KERNEL = {_object(fields)};\n"


def _json(value: object) -> str:
    # What would end the script is no part of it.
    return json.dumps(value, separators=(",", ":")).replace("<", "\\u003c")


def _object(fields: Mapping[str, str]) -> str:
    return f"{{{','.join(f'{name}:{text}' for name, text in fields.items())}}}"


def _list(texts: Iterable[str]) -> str:
    return f"[{','.join(texts)}]"


def _source(expr: IndexExpr) -> str:
    return javascript_text(expr, _SCOPE)


def _function(expr: IndexExpr) -> str:
    return f"{_SCOPE}=>{_source(expr)}"


def _functions(exprs: Iterable[IndexExpr]) -> str:
    return f"{_SCOPE}=>{_list(map(_source, exprs))}"


def _divisors(exprs: Iterable[IndexExpr | None], positive: Collection[str]) -> str:
    """The divisors that a call may make 0, each with the expression that it divides."""
    found = {
        (divisor, expr): None
        for expr in exprs
        if expr is not None
        for divisor in divisors(expr)
        if divisor.value is None and not (divisor.op == "sym" and divisor.args[0] in positive)
    }
    return _list(f"[{_function(one)},{_json(str(expr))}]" for one, expr in found)


def _block(decl: nt.SymbolDecl, value: int) -> str:
    fixed = decl.specialized is not None
    bounds = Bounds(decl.lower, decl.upper)
    return _json(
        {
            "name": decl.name,
            "value": value,
            "lower": decl.specialized if fixed else decl.lower,
            "upper": decl.specialized if fixed else decl.upper,
            "outside": (
                f"the application is specialized on {decl.name}={decl.specialized}; write another "
                "page for {value}"
                if fixed
                else outside_bounds(decl.name, "{value}", bounds)
            ),
        }
    )


def _tensor(
    tensor: ExploredTensor, given: Given, bound: set[str], positive: Collection[str]
) -> str:
    """``bound``: the symbols whose values are sizes of earlier tensors; its own are added."""
    binds: list[str] = []
    for size in tensor.sizes:
        if size.op == "sym" and size.args[0] not in bound:
            bound.add(size.args[0])
            binds.append(_json(size.args[0]))
        else:
            binds.append(
                _list((_function(size), _json(None if size.value is not None else str(size))))
            )
    strides = [stride.args[0] if stride.op == "sym" else None for stride in tensor.strides]
    return _object(
        {
            "name": _json(tensor.name),
            "shape": _json(given.shapes[tensor.name]),
            "sizes": _list(binds),
            "strides": _json(strides),
            "divisors": _divisors(tensor.block, positive),
            "verdicts": _json(tensor.verdicts),
            "left_out": _json(tensor.left_out),
            "uses": _list(map(_use, tensor.uses)),
        }
    )


def _use(use: Use) -> str:
    return _object(
        {
            "kind": _json(use.kind),
            "conditional": _json(use.conditional),
            "parts": _list(map(_part, use.parts)),
        }
    )


def _part(part: Part) -> str:
    """Each expression stands behind the number of loops and lanes that it waits for."""
    names = [name for name, _ in part.ranges]
    rows = {
        "dims": [(place, index) for place, index in part.dims],
        "steps": [(place, index) for place, index in part.steps],
    }
    return _object(
        {
            "programs": _json(part.programs),
            "ranges": _list(f"[{_json(name)},{_function(size)}]" for name, size in part.ranges),
            **{
                key: _list(
                    f"[{place},{_depth(names, index)},{_function(index)}]" for place, index in row
                )
                for key, row in rows.items()
            },
            "guards": _list(
                f"[{_depth(names, index, size)},{_function(index)},{_function(size)}]"
                for index, size in ((guard.index, guard.size) for guard in part.guards)
            ),
        }
    )


def _depth(names: Sequence[str], *exprs: IndexExpr) -> int:
    """How many of the loops and lanes have a value when the expressions have one."""
    used = {symbol.args[0] for expr in exprs for symbol in expr.symbols}
    return max((place + 1 for place, name in enumerate(names) if name in used), default=0)


def _check(check: nt.Check, positive: Collection[str]) -> str:
    exprs = (*check.left, *check.right)
    return _object(
        {
            "agreement": _json(check.agreement),
            "message": _json(check.message),
            "left": _functions(check.left),
            "right": _functions(check.right),
            "divisors": _divisors(exprs, positive),
        }
    )
