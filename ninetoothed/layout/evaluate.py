"""Evaluation of arranged tensors for given sizes: ``Tensor.subs`` and ``Tensor.eval``."""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, cast

from ninetoothed.errors import ArrangementError, SymbolError, caller_loc, counted, shown
from ninetoothed.layout.access import compose, index_names
from ninetoothed.layout.chain import MOST_DIMS, Chain, Source, sequence
from ninetoothed.layout.meta_op import AtMostOne, Convert, Levels, MetaOp, Requirement, shape_text
from ninetoothed.symbol import Symbol, as_integer
from ninetoothed.symbolic.expr import IndexExpr, const, evaluate, substitute, symbol_names
from ninetoothed.symbolic.normal_form import normalize
from ninetoothed.symbolic.sympy_exchange import is_sympy

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


_MOST = 1 << 31


@dataclass(frozen=True)
class Binding:
    """Values of symbols by name, and lengths of jagged tensors by the name of their symbol."""

    values: Mapping[str, IndexExpr] = field(default_factory=dict[str, IndexExpr])
    lengths: Mapping[str, tuple[int, ...]] = field(default_factory=dict[str, tuple[int, ...]])

    def symbol(self, key: object, value: object) -> Binding:
        """Add the value of a symbol.

        Raises:
            SymbolError: the key is no plain name, or the value no integer.
        """
        expr = as_integer(key) if isinstance(key, Symbol) or is_sympy(key) else None
        if expr is None or expr.op != "sym":
            raise SymbolError(
                f"{shown(key)} is no tensor and no plain name; give numbers to the names in it",
                caller_loc(),
            )
        return self._with(expr, _size(value, f"the value of {key}"))

    def tensor(self, source: Source, value: object) -> Binding:
        """Add the sizes of a tensor: ``{"shape": …}``, or anything that has a ``shape``.

        Raises:
            ArrangementError: the sizes do not fit.
        """
        given = _shape(source, value)
        found = self
        for dim, (size, entry) in enumerate(zip(source.shape, given, strict=True)):
            if dim == source.jagged_dim and isinstance(entry, tuple | list):
                found = found._sequences(source, size, cast("Sequence[object]", entry))
                continue
            number = _size(entry, f"size {dim} of {source.name}")
            if number.value is not None and number.value < 0:
                raise ArrangementError(
                    f"size {dim} of {source.name} is {number}; sizes are at least 0", caller_loc()
                )
            if size.op == "sym":
                found = found._with(size, number)
            elif normalize(substitute(size, found.values) - number).value not in (0, None):
                raise ArrangementError(
                    f"size {dim} of {source.name} is {size}, not {number}; leave it as it is",
                    caller_loc(),
                )
        return found

    def _sequences(self, source: Source, size: IndexExpr, lengths: Sequence[object]) -> Binding:
        numbers = tuple(length for length in lengths if type(length) is int and length >= 0)
        if len(numbers) != len(lengths):
            raise ArrangementError(
                f"the lengths of {source.name} are {tuple(lengths)}; lengths are integers of at "
                "least 0",
                caller_loc(),
            )
        assert source.length is not None
        found = self._with(size, const(max(numbers, default=0)))
        name = source.length.args[0]
        return Binding(found.values, {**found.lengths, name: numbers})

    def _with(self, symbol: IndexExpr, value: IndexExpr) -> Binding:
        name = symbol.args[0]
        before = self.values.get(name)
        if before is not None and before != value:
            raise ArrangementError(
                f"{name} is given {before} and {value}; one symbol has one value", caller_loc()
            )
        return Binding({**self.values, name: value}, self.lengths)


def _size(value: object, what: str) -> IndexExpr:
    if isinstance(value, Symbol) or is_sympy(value):
        return _known(value)
    if not isinstance(value, bool):
        with suppress(TypeError, RuntimeError):
            # Of a class and of some tensors, the method has no result.
            return _known(operator.index(cast("Any", value)))
    raise SymbolError(f"{what} must be an integer, not {shown(value)}", caller_loc())


def _known(value: object) -> IndexExpr:
    expr = as_integer(value)
    assert expr is not None
    return expr


def _mapping(value: object) -> Mapping[object, object] | None:
    return cast("Mapping[object, object]", value) if isinstance(value, Mapping) else None


def _shape(source: Source, value: object) -> tuple[object, ...]:
    row = _mapping(value)
    shape: object = getattr(value, "shape", None)
    if row is not None:
        shape = row["shape"] if set(row) == {"shape"} else None
    # A tensor or an array of no dims has the method, and no items.
    if not hasattr(shape, "__iter__") or getattr(shape, "ndim", 1) == 0:
        raise ArrangementError(
            f'{source.name} is given {shown(value)}; write {{"shape": (4, 8)}}, or a tensor of '
            "that shape",
            caller_loc(),
        )
    sizes = sequence(shape, "the shape", caller_loc())
    if len(sizes) != len(source.shape):
        raise ArrangementError(
            f"{source.name} has {counted(len(source.shape), 'dim')}, and is given the shape "
            f"{shape_text(sizes)}; give one size a dim",
            caller_loc(),
        )
    return sizes


def substituted(chain: Chain, binding: Binding) -> Chain:
    """``chain`` with values substituted for symbols.

    Raises:
        ArrangementError: an operation is impossible with them.
    """

    def put(expr: IndexExpr) -> IndexExpr:
        return substitute(expr, binding.values)

    source = replace(chain.source, shape=tuple(put(size) for size in chain.source.shape))
    ops: list[MetaOp] = []
    states: list[Levels] = [(chain.source.shape,)]
    levels: Levels = (source.shape,)
    for op in chain.ops:
        ops.append(op.substitute(put, states[-1], levels))
        states.append(op.result(states[-1]))
        levels = ops[-1].result(levels)
    _check_possible(chain.ops, states, put)
    return Chain(source, tuple(ops), levels)


def _check_possible(ops: Sequence[MetaOp], states: Sequence[Levels], put: Convert) -> None:
    """Check that a call may have the numbers: a stride that is written as 0 repeats a window, and
    one that a call makes 0 is refused. ``states`` are the levels before each operation.

    Raises:
        ArrangementError: it may not.
    """
    for op, levels in zip(ops, states, strict=False):
        for needed in op.requirements(levels):
            # A size of 0 makes another class of calls.
            relation = "<=" if isinstance(op, AtMostOne) else needed.relation
            left, right = (normalize(put(side)) for side in (needed.left, needed.right))
            if Requirement(left, relation, right).decide({}) is False:
                raise op.fail(
                    f"needs {needed.left} {relation} {needed.right}, but they are "
                    f"{shape_text((left, right))}"
                )


def offsets(
    chain: Chain, binding: Binding, corner: Sequence[int] | None = None
) -> npt.NDArray[np.int64]:
    """Source offsets at all indices, as ``Tensor.eval`` returns them; or at those that lie below
    ``corner``, which has a number for each dim of all levels.

    Raises:
        ArrangementError: a symbol has no number, or an operation is impossible with the numbers.
    """
    import numpy as np

    from ninetoothed.layout.grids import ARRAYS, axis, existing

    # Guards distinguish the longest sequence from the program's own: its symbol stays until then.
    jagged = chain.source.jagged
    known = dict(binding.values)
    longest = None if jagged is None else known.pop(jagged[0], None)
    chain = substituted(chain, Binding(known))
    values: dict[str, Any] = {}
    if jagged is not None and longest is not None and longest.value is not None:
        values[jagged[0]] = longest.value
    source = chain.source
    check_known(chain, values)
    access = compose(source.shape, chain.ops, {}, jagged)
    shape = [max(evaluate(size, values), 0) for level in access.levels for size in level]
    if corner is not None:
        shape = [min(size, end) for size, end in zip(shape, corner, strict=True)]
    if len(shape) > MOST_DIMS:
        raise ArrangementError(
            f"eval: the levels have {len(shape)} dims, and arrays at most {MOST_DIMS}; squeeze "
            "some",
            caller_loc(),
        )
    count = math.prod(shape)
    if count > _MOST:
        raise ArrangementError(
            f"eval: {count} offsets are too many to show; give smaller sizes", caller_loc()
        )
    names = [name for row in index_names(access.levels) for name in row]
    for dim, (name, size) in enumerate(zip(names, shape, strict=True)):
        values[name] = axis(0, size, dim, len(shape))
    indices = [evaluate(index, values, ARRAYS) for index in access.indices]
    total = _linear(source, indices, binding, values)
    found = np.where(existing(access, values), total, -1).astype(np.int64)
    return np.broadcast_to(found, shape).copy()


def _linear(
    source: Source, indices: Sequence[Any], binding: Binding, values: dict[str, Any]
) -> Any:
    """Row-major offset in the source; of a jagged one, in its concatenated sequences."""
    import numpy as np

    sizes: list[int] = [evaluate(size, values) for size in source.shape]
    parts = list(indices)
    if source.jagged_dim is not None and source.length is not None:
        name = source.length.args[0]
        lengths = np.asarray(binding.lengths.get(name, (sizes[source.jagged_dim],) * sizes[0]))
        if len(lengths) != sizes[0]:
            raise ArrangementError(
                f"{source.name} has {counted(sizes[0], 'sequence')}, and is given "
                f"{counted(len(lengths), 'length')}; give one a sequence",
                caller_loc(),
            )
        starts = np.concatenate([[0], np.cumsum(lengths)])
        batch = np.clip(parts[0], 0, max(len(lengths) - 1, 0))
        values[name] = lengths[batch] if len(lengths) else 0
        parts[source.jagged_dim] = parts[source.jagged_dim] + starts[batch]
        sizes[source.jagged_dim] = int(starts[-1])
        del parts[0], sizes[0]
    total: Any = 0
    for dim, index in enumerate(parts):
        total = total + index * math.prod(sizes[dim + 1 :])
    return total


def check_known(chain: Chain, values: Mapping[str, Any], method: str = "eval") -> None:
    """Check that every symbol has a value; ``method`` of a tensor is given them.

    Raises:
        ArrangementError: one has none.
    """
    left = [name for name in symbol_names(*chain.expressions) if name not in values]
    if left:
        raise ArrangementError(
            f"{method}: {', '.join(left)} {'has' if len(left) == 1 else 'have'} no value; give "
            f"{'it one' if len(left) == 1 else 'them one each'} in subs, as in "
            f'{method}({{x: {{"shape": (4, 8)}}, B: 2}})',
            caller_loc(),
        )
