"""Slices of arranged tensors: which dims of the parameters a rule splits, and how programs, loops
and lanes are about them.

An element of a split dim has a *place* along it. On a rank, all split tensors begin at the same
place, wherever that is: also in the middle of what was a block. So a rule holds where the index of
each split dim is that of a program, of a loop's iteration or of a lane, ``S*g + b``, and nothing
else of the arrangement depends on it or on the dim's size.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from ninetoothed.ir import nt
from ninetoothed.layout.access import Access, index_names
from ninetoothed.passes.analysis.program_numbering import use_of
from ninetoothed.symbolic.expr import IndexExpr, binary, const, ir_text, substitute, sym
from ninetoothed.symbolic.expr import symbol_names as names_of
from ninetoothed.symbolic.normal_form import equal, normalize

_SIZE = "$n"
"""The common size of all dims that a rule splits; no user's symbol has such a name."""

Dim = tuple[int, int]
"""The number of a parameter, and a dim of its source."""


class RefusedError(Exception):
    """There is no proof that a rule holds, for a ``reason``."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class JoinError(Exception):
    """A rule can hold only if it splits more ``dims``."""

    def __init__(self, dims: Iterable[Dim]) -> None:
        super().__init__()
        self.dims = frozenset(dims)


@dataclass(frozen=True)
class Sliced:
    """A tensor's dim that a rule splits.

    ``block``: how many elements of it a program or an iteration has. ``lane``: the block's dim that
    they are; None where that is a single one. ``loop``: which of the indices in the levels between
    is the block's number; None where that is the program's, or there is one block of all.
    """

    dim: int
    block: IndexExpr
    lane: int | None
    loop: int | None


class Tensors:
    """The parameters of a kernel in stage ``arranged``, with their accesses; ``fixed`` are the
    symbols of the sizes that it is compiled for.
    """

    def __init__(self, kernel: nt.KernelOp, origins: Sequence[str], fixed: Collection[str]) -> None:
        self.kernel = kernel
        self._fixed = fixed
        self.sources = kernel.sources
        self.origins = origins
        self.names = [source.param.data for source in self.sources]
        self.accesses: dict[int, Access] = {}
        """Of the tensors that the application accesses as they are arranged, by their number; and
        of the first, which says what programs there are.
        """
        for number, (argument, value) in enumerate(
            zip(kernel.apply.block.args, kernel.arranged.values, strict=True)
        ):
            if self.is_tensor(number) and (not self.accesses or use_of(argument) != "none"):
                self.accesses[number] = nt.access_of(value, kernel.assumptions)[1].data

    def is_tensor(self, number: int) -> bool:
        """True if a parameter is no number."""
        return self.sources[number].kind.data == "tensor"

    def is_written(self, number: int) -> bool:
        """True if the application stores to a parameter's tiles."""
        return use_of(self.kernel.apply.block.args[number]) in ("write", "update")

    def require_plain(self) -> None:
        """Refuse kernels of which nothing can be said.

        Raises:
            RefusedError: a tensor is jagged, or its programs are not those of its outermost level.
        """
        for source in self.sources:
            if source.jagged is not None:
                raise RefusedError(f"{source.param.data} is jagged")
        for number in self.accesses:
            value = self.kernel.arranged.values[number]
            _, chain = nt.chain(value)
            same = len(self.accesses[number].levels[0]) == len(self.kernel.program_shape)
            if not same or any(op.name == "nt.renumber" for op in chain):
                raise RefusedError(
                    f"the outermost level of {self.names[number]} has not the shape of the programs"
                )

    def size(self, dim: Dim) -> str:
        """The symbol of a dim's size.

        Raises:
            RefusedError: it has none, or the kernel is compiled for its value.
        """
        expr = self.sources[dim[0]].sizes[dim[1]]
        if expr.op != "sym":
            raise RefusedError(f"the size of {self.text(dim)} is {ir_text(expr)}, and no symbol")
        if expr.args[0] in self._fixed:
            raise RefusedError(f"the kernel is compiled for the size of {self.text(dim)}")
        return expr.args[0]

    def dims_of_size(self, names: Collection[str]) -> list[Dim]:
        """The dims whose sizes are symbols among ``names``."""
        return [
            (number, dim)
            for number in self.accesses
            for dim, size in enumerate(self.sources[number].sizes)
            if size.op == "sym" and size.args[0] in names
        ]

    def text(self, dim: Dim) -> str:
        """A dim in words."""
        return f"dim {dim[1]} of {self.names[dim[0]]}"

    def dims_of(self, number: int, variable: str) -> list[Dim]:
        """The dims of a parameter whose index depends on an index variable."""
        indices = self.accesses[number].indices
        return [(number, dim) for dim, index in enumerate(indices) if variable in names_of(index)]

    def loop_variables(self, number: int) -> list[str]:
        """The index variables of the levels between the programs and the block."""
        levels = self.accesses[number].levels
        return [name for row in index_names(levels)[1:-1] for name in row]

    def lane_variables(self, number: int) -> tuple[str, ...]:
        """The index variables of the block."""
        rows = index_names(self.accesses[number].levels)
        return rows[-1] if len(rows) > 1 else ()


class Slices:
    """What a rule splits: ``of`` the parameters of these numbers one dim each.

    ``sizes``: the symbols of their sizes; ``local``: these, and the strides, which a rank has
    others of. ``program``: the dim of the programs that is split, None of a rule about loops and
    lanes.
    """

    def __init__(self, tensors: Tensors, dims: Iterable[Dim], program: int | None) -> None:
        self.tensors = tensors
        self.program = program
        self.dims = frozenset(dims)
        self.sizes = frozenset(map(tensors.size, self.dims))
        self.of: dict[int, Sliced] = {}
        for dim in sorted(self.dims):
            if dim[0] not in tensors.accesses:
                raise RefusedError(f"{tensors.names[dim[0]]} is not accessed as it is arranged")
            if dim[0] in self.of:
                raise RefusedError(
                    f"{tensors.text(dim)} and dim {self.of[dim[0]].dim} depend on each other"
                )
            self.of[dim[0]] = self._sliced(dim)
        self._require_one_form()
        self._require_one_placement()
        for number in range(len(tensors.sources)):
            self._require_other_sizes(number)
        for number in tensors.accesses:
            self._require_apart(number)
        self._require_checks()
        strides = (
            name for number in self.of for name in names_of(*tensors.sources[number].strides.data)
        )
        self.local = self.sizes.union(strides)

    @property
    def form(self) -> Sliced:
        """One of the slices: blocks of all of them are alike."""
        return next(iter(self.of.values()))

    def common(self, expr: IndexExpr) -> IndexExpr:
        """An expression in which all split dims have one size."""
        return normalize(substitute(expr, dict.fromkeys(self.sizes, sym(_SIZE))))

    @property
    def blocks(self) -> IndexExpr:
        """The number of blocks of a split dim."""
        return normalize(binary("ceildiv", sym(_SIZE), self.form.block))

    def _sliced(self, dim: Dim) -> Sliced:
        number, own = dim
        tensors = self.tensors
        access = tensors.accesses[number]
        index = normalize(access.indices[own])
        loops = tensors.loop_variables(number)
        if self.program is not None:
            return self._blocked(dim, f"g{self.program}", None)
        used = names_of(index)
        found = [name for name in loops if name in used]
        if not {*used}.isdisjoint(index_names(access.levels)[0]):
            raise RefusedError(f"the index of {tensors.text(dim)} depends on the program")
        if found:
            if len(found) > 1:
                raise RefusedError(f"the index of {tensors.text(dim)} is {ir_text(index)}")
            return self._blocked(dim, found[0], loops.index(found[0]))
        lanes = tensors.lane_variables(number)
        if index.op == "sym" and index.args[0] in lanes:
            lane = lanes.index(index.args[0])
            size = normalize(access.levels[-1][lane])
            if size == normalize(tensors.sources[number].sizes[own]):
                return Sliced(own, const(1), lane, None)
        raise RefusedError(f"the index of {tensors.text(dim)} is {ir_text(index)}")

    def _blocked(self, dim: Dim, variable: str, loop: int | None) -> Sliced:
        """The slice where blocks are numbered by an index variable."""
        number, own = dim
        access = self.tensors.accesses[number]
        index = normalize(access.indices[own])
        block = normalize(substitute(index, {variable: 1}) - substitute(index, {variable: 0}))
        rest = normalize(index - block * sym(variable))
        if block.value == 1 and rest.value == 0:
            return Sliced(own, block, None, loop)
        lanes = self.tensors.lane_variables(number)
        if rest.op == "sym" and rest.args[0] in lanes:
            lane = lanes.index(rest.args[0])
            if equal(access.levels[-1][lane], block):
                return Sliced(own, block, lane, loop)
        raise RefusedError(f"the index of {self.tensors.text(dim)} is {ir_text(index)}")

    def _require_one_form(self) -> None:
        first = self.form
        for number, one in self.of.items():
            alike = (one.lane is None) == (first.lane is None)
            alike = alike and (one.loop is None) == (first.loop is None)
            if not alike or not equal(one.block, first.block):
                start = min(self.of)
                raise RefusedError(
                    f"blocks of {self.tensors.text((number, one.dim))} and of "
                    f"{self.tensors.text((start, self.of[start].dim))} differ"
                )

    def _require_one_placement(self) -> None:
        """Refuse to split one argument in several ways."""
        placed: dict[str, int | None] = {}
        for number in filter(self.tensors.is_tensor, range(len(self.tensors.sources))):
            sliced = self.of.get(number)
            dim = None if sliced is None else sliced.dim
            if placed.setdefault(self.tensors.origins[number], dim) != dim:
                raise RefusedError(
                    f"{self.tensors.names[number]} is a tensor of several parameters, which need "
                    "several placements"
                )

    def _require_apart(self, number: int) -> None:
        """Refuse a tensor of which anything else depends on what is split."""
        tensors = self.tensors
        access, sliced = tensors.accesses[number], self.of.get(number)
        name = tensors.names[number]
        own = set(self.sizes)
        allowed: list[tuple[IndexExpr, IndexExpr]] = []
        if self.program is not None:
            own.add(f"g{self.program}")
        if sliced is not None:
            index, size = access.indices[sliced.dim], tensors.sources[number].sizes[sliced.dim]
            own.update(
                names_of(index) if sliced.loop is not None or sliced.lane is not None else ()
            )
            if sliced.loop is not None:
                variable = tensors.loop_variables(number)[sliced.loop]
                allowed.append((sym(variable), self.blocks))
            allowed.append((index, size))
        own -= {n for n in own if self._is_chosen(n)}
        for dim, index in enumerate(access.indices):
            if (sliced is None or dim != sliced.dim) and own.intersection(names_of(index)):
                raise RefusedError(f"the index of {tensors.text((number, dim))} depends on it, too")
        for guard in access.guards:
            pair = (normalize(guard.index), self.common(guard.size))
            if pair in [(normalize(index), self.common(size)) for index, size in allowed]:
                continue
            if own.intersection(names_of(guard.index, guard.size)):
                text = f"{ir_text(guard.index)} < {ir_text(guard.size)}"
                raise RefusedError(f"{name} has elements only where {text}")
        self._require_levels(number, sliced)

    def _require_other_sizes(self, number: int) -> None:
        """Require that dims which are as large as those that are split are split, too."""
        for dim, size in enumerate(self.tensors.sources[number].sizes):
            found = (number, dim)
            if found in self.dims or not self.sizes.intersection(names_of(size)):
                continue
            if self.program is None and number not in self.of:
                raise JoinError([found])
            raise RefusedError(
                f"{self.tensors.text(found)} has the size {ir_text(size)}, but is not split with it"
            )

    def _require_checks(self) -> None:
        """Require that what is checked of a call holds of each rank's, too."""
        tensors = self.tensors
        # Those of what is defined follow from what is proved of values.
        checks = (one.data for one in tensors.kernel.checks if not one.data.defined)
        for check in checks:
            for left, right in zip(check.left, check.right, strict=True):
                common = (self.common(left), self.common(right))
                if _SIZE not in names_of(*common) or equal(*common):
                    continue
                related = [name for name in names_of(left, right) if name not in self.sizes]
                dims = tensors.dims_of_size(related)
                if self.program is None and dims and {left.op, right.op} == {"sym"}:
                    raise JoinError(dims)
                split = [name for name in names_of(left, right) if name in self.sizes]
                other = f" and {', '.join(related)}" if related else ""
                raise RefusedError(f"a check of each call is about {', '.join(split)}{other}")

    def _is_chosen(self, name: str) -> bool:
        """True for a symbol that is no index and no size: a block size."""
        kinds = {decl.name: decl.kind for decl in self.tensors.kernel.declarations}
        return name in kinds and name not in self.sizes

    def _require_levels(self, number: int, sliced: Sliced | None) -> None:
        """Refuse sizes of levels that would not follow those of the slices, or must not."""
        access = self.tensors.accesses[number]
        rows = index_names(access.levels)
        loops = self.tensors.loop_variables(number)
        expected: Mapping[str, IndexExpr] = {}
        if self.program is not None:
            expected = {f"g{self.program}": self.blocks}
        if sliced is not None and sliced.loop is not None:
            expected = {**expected, loops[sliced.loop]: self.blocks}
        if sliced is not None and sliced.lane is not None and self.is_whole:
            expected = {**expected, rows[-1][sliced.lane]: sym(_SIZE)}
        for row, sizes in zip(rows, access.levels, strict=True):
            for name, size in zip(row, sizes, strict=True):
                if name in expected:
                    if not equal(self.common(size), expected[name]):
                        raise RefusedError(
                            f"{self.tensors.names[number]} is arranged in "
                            f"{ir_text(size)} along it, which need not follow the split dims"
                        )
                elif self.sizes.intersection(names_of(size)):
                    raise RefusedError(
                        f"{self.tensors.names[number]} is arranged in {ir_text(size)} along "
                        "another dim"
                    )

    @property
    def is_whole(self) -> bool:
        """True if one block has all elements along the split dims."""
        form = self.form
        return self.program is None and form.loop is None and form.lane is not None


def program_slices(tensors: Tensors, program: int) -> Slices:
    """What is split where a dim of the programs is.

    Raises:
        RefusedError: it cannot be.
    """
    dims: list[Dim] = []
    for number in tensors.accesses:
        found = tensors.dims_of(number, f"g{program}")
        if len(found) > 1:
            raise RefusedError(
                f"{len(found)} dims of {tensors.names[number]} depend on it: "
                f"{', '.join(str(dim) for _, dim in found)}"
            )
        dims += found
    if not dims:
        raise RefusedError("no tensor has a dim of its own that depends on it")
    return Slices(tensors, dims, program)
