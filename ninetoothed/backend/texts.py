"""What values are called while a function is written: each is a text that got a name in a
statement, or that waits to stand in the one op that uses it.
"""

from __future__ import annotations

import linecache

from xdsl.dialects.builtin import CallSiteLoc, FileLineColLoc
from xdsl.ir import Attribute, Operation, OpResult, SSAValue

from ninetoothed.backend.expression import ATOM, Expr, typed
from ninetoothed.backend.layout import comment, lines_of
from ninetoothed.backend.names import NameTable
from ninetoothed.errors import Loc
from ninetoothed.ir import tt

_FIT = 80
_NAMES = {
    "tt.get_program_id": "pid",
    "tt.make_range": "lanes",
    "tt.addptr": "ptrs",
    "tt.load": "value",
    "tt.atomic_rmw": "before",
    "tt.atomic_cas": "before",
    "tt.dot": "product",
    "tt.reduce": "total",
    "tt.scan": "running",
    "tt.histogram": "counts",
    "arith.cmpi": "mask",
    "arith.cmpf": "mask",
}


class Texts:
    """The texts of one function's values, and the statements that name them."""

    def __init__(self, names: NameTable) -> None:
        self.lines: list[str] = []
        self._names = names
        self._indent = "    "
        self._exprs: dict[SSAValue, Expr] = {}
        # Values whose texts are no names yet, in the order of their ops.
        self._waiting: dict[SSAValue, None] = {}
        # What the texts of the statement or value at hand have taken from the waiting ones.
        self._taken: dict[SSAValue, None] = {}
        self._place: tuple[str, int] | None = None

    def bind(self, value: SSAValue, name: str) -> None:
        """``value`` is called ``name``."""
        shape, scalar = tt.shape_of(value.type), tt.scalar_of(value.type)
        self._exprs[value] = Expr(name, ATOM, shape, scalar)

    # The operands of a spelling.

    def expr(self, value: SSAValue) -> Expr:
        """The text of ``value``."""
        if value in self._waiting:
            self._taken[value] = None
        return self._exprs[value]

    def atom(self, value: SSAValue) -> Expr:
        """A name or a number that is ``value``."""
        if self._exprs[value].literal is None and value in self._waiting:
            self._name_waiting(value)
        return self._exprs[value]

    def _may_wait(self, value: OpResult) -> bool:
        """Whether ``value`` is used once, and in its own block."""
        uses = list(value.uses)
        return len(uses) == 1 and uses[0].operation.parent is value.op.parent

    def _take(self) -> None:
        for value in self._taken:
            self._waiting.pop(value, None)
        self._taken = {}

    def _name_waiting(self, value: SSAValue) -> None:
        taken, self._taken = self._taken, {}
        name = self._unique(value)
        expr = typed(self._exprs[value])
        self._statement(f"{name} = ", expr.text, _op_of(value))
        self._waiting.pop(value)
        self._exprs[value] = Expr(name, ATOM, expr.shape, expr.scalar)
        self._taken = {one: None for one in taken if one != value}

    def _shorten(self, line: str) -> bool:
        """Gives a name to the longest text taken, if ``line`` is too long; whether it did."""
        if len(self._indent) + len(line) < _FIT or not self._taken:
            return False
        longest = max(self._taken, key=lambda value: len(self._exprs[value].text))
        self._name_waiting(longest)
        return True

    def _unique(self, value: SSAValue) -> str:
        hint = value.name_hint
        if hint is None:
            owner = value.owner
            hint = _NAMES.get(owner.name, "v") if isinstance(owner, Operation) else "v"
        return self._names.unique(hint)

    def _statement(self, prefix: str, text: str, op: Operation | None, suffix: str = "") -> None:
        loc = None if op is None else _user_loc(op.location)
        if loc is not None and (loc.file, loc.line) != self._place:
            self._place = (loc.file, loc.line)
            source = linecache.getline(loc.file, loc.line).strip()
            self.lines.append(comment(self._indent, loc, source))
        self.lines.extend(lines_of(self._indent, prefix, text, suffix))


def _op_of(value: SSAValue) -> Operation | None:
    owner = value.owner
    return owner if isinstance(owner, Operation) else None


def _user_loc(location: Attribute) -> Loc | None:
    """The user's line: of an inlined function, its own."""
    while isinstance(location, CallSiteLoc):
        location = location.callee
    if isinstance(location, FileLineColLoc):
        return Loc(location.filename.data, location.line.data, location.column.data)
    return None
