"""The interpreter's state: values of the IR for a chunk of programs, and blocks run op by op."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.ir import Block as IRBlock
from xdsl.traits import IsTerminator

from ninetoothed.errors import CompilerError
from ninetoothed.interpreters.jagged import TENSORS, Number, Sequences, own_sizes
from ninetoothed.interpreters.memory import Memory, View
from ninetoothed.interpreters.memory_effects import Effects
from ninetoothed.interpreters.trace import Trace
from ninetoothed.ir import nt, tt
from ninetoothed.ir.diagnostics import handler_of
from ninetoothed.language.registry import Registry
from ninetoothed.symbolic.expr import IndexExpr, evaluate


@dataclass(frozen=True)
class Block:
    """The data of a block or scalar, and its guard: which lanes are valid; None: all.

    The first dim counts programs, the others are the block's. A dim of size 1 is broadcast where
    the values are uniform along it; so is the guard.
    """

    data: torch.Tensor
    guard: torch.Tensor | None = None


@dataclass(frozen=True)
class Pointer:
    """Pointers into one tensor: offsets in elements, shaped as a block's data."""

    memory: Memory
    offsets: torch.Tensor


Value = Block | Pointer


@dataclass(frozen=True)
class Descriptor:
    """A tensor descriptor: where the tensor begins, its shape and its strides in elements."""

    base: Pointer
    shape: Sequence[torch.Tensor]
    strides: Sequence[torch.Tensor]


def moved(value: Value, move: Callable[[torch.Tensor], torch.Tensor]) -> Value:
    """The value with its lanes rearranged."""
    if isinstance(value, Pointer):
        return Pointer(value.memory, move(value.offsets))
    return Block(move(value.data), None if value.guard is None else move(value.guard))


def by_program(data: torch.Tensor, like: torch.Tensor) -> torch.Tensor:
    """One entry for each program, broadcastable with a block's data."""
    return data.reshape(data.shape[0], *[1] * (like.dim() - 1))


def both(left: torch.Tensor | None, right: torch.Tensor | None) -> torch.Tensor | None:
    """The conjunction of two guards or masks, where None is always true."""
    if left is None:
        return right
    return left if right is None else left & right


def meet(blocks: Sequence[Block]) -> torch.Tensor | None:
    """The guard of an elementwise result."""
    guard: torch.Tensor | None = None
    for block in blocks:
        guard = both(guard, block.guard)
    return guard


def choose(condition: torch.Tensor, left: Value, right: Value) -> Value:
    """``left`` in the programs where the condition, one bit a program, holds, else ``right``."""
    if isinstance(left, Pointer) or isinstance(right, Pointer):
        if not (isinstance(left, Pointer) and isinstance(right, Pointer)):
            raise CompilerError("a pointer and a number cannot be one value")
        if left.memory is not right.memory:
            raise CompilerError(
                "programs that disagree on the tensor of a pointer are not interpreted"
            )
        picked = by_program(condition, left.offsets)
        return Pointer(left.memory, torch.where(picked, left.offsets, right.offsets))
    return select(by_program(condition, left.data), left, right)


def select(condition: torch.Tensor, left: Block, right: Block) -> Block:
    """``left`` in the lanes where the condition holds, else ``right``; guards too."""
    data = torch.where(condition, left.data, right.data)
    if left.guard is None and right.guard is None:
        return Block(data)
    true = torch.ones([1] * data.dim(), dtype=torch.bool)
    first, second = (true if block.guard is None else block.guard for block in (left, right))
    return Block(data, torch.where(condition, first, second))


Handler = Callable[["Machine", Any], None]
HANDLERS: Registry[type[Operation], Handler] = Registry("the interpreter")
"""By op class; the modules that ``run`` imports fill it."""


@dataclass(frozen=True)
class Plan:
    """A block's ops, each with its handler and the values dead after it, and the terminator."""

    steps: list[tuple[Operation, Handler, list[SSAValue]]]
    terminator: Operation | None


class Planner:
    """Plans of blocks, cached."""

    def __init__(self) -> None:
        self._plans: dict[IRBlock, Plan] = {}

    def plan(self, block: IRBlock) -> Plan:
        """The plan of ``block``.

        Raises:
            CompilerError: there is no handler for one of its ops.
        """
        found = self._plans.get(block)
        if found is None:
            found = self._plans[block] = self._make(block)
        return found

    def _make(self, block: IRBlock) -> Plan:
        ops = list(block.ops)
        terminator = ops.pop() if ops and ops[-1].has_trait(IsTerminator) else None
        places = {op: place for place, op in enumerate(ops)}
        dead: list[list[SSAValue]] = [[] for _ in ops]
        values = [(value, -1) for value in block.args]
        values += [(value, place) for place, op in enumerate(ops) for value in op.results]
        for value, born in values:
            users = [block.find_ancestor_op_in_block(use.operation) for use in value.uses]
            last = max(
                (places.get(user, len(ops)) for user in users if user is not None), default=born
            )
            if 0 <= last < len(ops):
                dead[last].append(value)
        steps = [(op, handler_of(HANDLERS, op), gone) for op, gone in zip(ops, dead, strict=True)]
        return Plan(steps, terminator)


@dataclass
class Machine:
    """The state of a chunk of programs.

    ``programs``: their numbers, of ``count`` in all. ``active``: the active programs where control
    flow diverges; None: all. ``outer``: the outermost index of each program, a tensor a dim.
    ``views``: the application's arguments, ``sequences`` those of them that are jagged. ``trace``
    records accesses, and so does each of ``effects``. ``descriptors``: those that ops have made.
    ``scratch``: the launch's scratch memory, by name.
    """

    planner: Planner
    symbols: Mapping[str, int]
    programs: torch.Tensor
    outer: list[torch.Tensor] = field(default_factory=list[torch.Tensor])
    views: Mapping[SSAValue, View] = field(default_factory=dict[SSAValue, View])
    active: torch.Tensor | None = None
    values: dict[SSAValue, Value] = field(default_factory=dict[SSAValue, Value])
    descriptors: dict[SSAValue, Descriptor] = field(default_factory=dict[SSAValue, Descriptor])
    trace: Trace | None = None
    effects: list[Effects] = field(default_factory=list[Effects])
    count: int = 0
    sequences: Mapping[SSAValue, Sequences] = field(default_factory=dict[SSAValue, Sequences])
    scratch: dict[str, Memory] = field(default_factory=dict[str, Memory])
    _own: tuple[object, dict[str, torch.Tensor]] | None = None

    @property
    def own(self) -> Mapping[str, torch.Tensor]:
        """Values of symbols that differ by program."""
        if not self.sequences:
            return {}
        if self._own is None or self._own[0] is not self.outer:
            found: dict[str, torch.Tensor] = {}
            for sequences in self.sequences.values():
                found.update(sequences.own(self.outer, self.symbols))
            self._own = (self.outer, found)
        return self._own[1]

    def number(self, expr: IndexExpr) -> Number:
        """The value of an expression; one for each program if it differs by program."""
        return evaluate(expr, {**self.symbols, **self.own}, TENSORS)

    def sizes(self, type: Attribute) -> list[int]:
        """The sizes of a block of ``nt`` or ``tt``; of a scalar, none."""
        if isinstance(type, nt.TensorType):
            return [evaluate(size, self.symbols) for size in type.sizes]
        return [*tt.shape_of(type)]

    def inside(self, type: Attribute) -> torch.Tensor | None:
        """The lanes of a block that lie within the programs' own sequences; None: all."""
        mask: torch.Tensor | None = None
        own = own_sizes(type, self.own)
        for dim, size in own:
            ones = [1] * len(nt.shape_of(type))
            ends = torch.as_tensor(self.number(size)).reshape(-1, *ones)
            ones[dim] = evaluate(size, self.symbols)
            mask = both(mask, torch.arange(ones[dim]).reshape(1, *ones) < ends)
        return mask

    def value(self, value: SSAValue) -> Value:
        """The value of the IR's ``value``."""
        return self.values[value]

    def block(self, value: SSAValue) -> Block:
        """The value of the IR's ``value``, which is no pointer."""
        found = self.values[value]
        if not isinstance(found, Block):
            raise CompilerError("arithmetic on a pointer is not interpreted; use tt.addptr")
        return found

    def data(self, value: SSAValue) -> torch.Tensor:
        """The data of the IR's ``value``, which is no pointer."""
        return self.block(value).data

    def valid(self, value: SSAValue) -> torch.Tensor | None:
        """The valid lanes of the IR's ``value``; None: all."""
        return both(self.block(value).guard, self.inside(value.type))

    def filled(self, value: SSAValue, identity: torch.Tensor) -> torch.Tensor:
        """The data of the IR's ``value``, with ``identity`` in lanes that are not valid."""
        valid, data = self.valid(value), self.data(value)
        return data if valid is None else torch.where(valid, data, identity)

    def put(self, value: SSAValue, data: torch.Tensor, guard: torch.Tensor | None = None) -> None:
        """Set the IR's ``value`` to a block."""
        self.values[value] = Block(data, guard)

    @property
    def is_observed(self) -> bool:
        """True if accesses are recorded."""
        return self.trace is not None or bool(self.effects)

    def touch(
        self,
        kind: str,
        memory: Memory,
        offsets: torch.Tensor,
        mask: torch.Tensor | None,
        shape: Sequence[int],
    ) -> None:
        """Record an access of a block of ``shape`` that is about to happen."""
        if self.trace is not None and not memory.hidden:
            places, there = memory.traced(offsets, mask)
            self.trace.touch(kind, memory.name, self.programs, places, there, shape)
        for effects in self.effects:
            effects.touch(kind, memory, offsets, mask)

    def run(self, block: IRBlock, arguments: Sequence[Value] = ()) -> list[Value]:
        """Run a block; the operands of its terminator."""
        self.values.update(zip(block.args, arguments, strict=False))
        plan = self.planner.plan(block)
        for op, handler, dead in plan.steps:
            handler(self, op)
            for value in dead:
                self.values.pop(value, None)
        return [] if plan.terminator is None else [self.value(v) for v in plan.terminator.operands]
