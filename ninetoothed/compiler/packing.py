"""Packing: the kernels that make packed copies of parameters (see ``nt-pack-operands``).

Each is derived of the kernel that reads the copy: it has the parameter's sizes and strides, and a
program copies a tile, whose rows are filled up with zeros. It moves bits, whatever the elements
are, and goes through the passes as any other kernel.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.dialects.builtin import IntegerType, LocationAttr, ModuleOp
from xdsl.ir import Block, Region

from ninetoothed.artifacts.configuration import Config
from ninetoothed.artifacts.target import Target
from ninetoothed.backend.device_function import PackedParameter, declarations
from ninetoothed.ir import nt
from ninetoothed.ir.name_hints import hint
from ninetoothed.ir.tt import FuncOp
from ninetoothed.layout.access import Access
from ninetoothed.layout.meta_op import Guard
from ninetoothed.passes.pipeline import SPECIALIZED, Step, steps
from ninetoothed.symbolic.expr import IndexExpr, binary, const, sym, symbol_names
from ninetoothed.symbolic.normal_form import normalize

COPY_CONFIG = Config((), num_warps=4, num_stages=1)
_ROWS, _COLUMNS = 16, 128
"""The tile of a program: each of its threads moves 16 elements."""
_TURNED_ROWS, _TURNED_COLUMNS = 32, 64
"""The same where the parameter's rows are the copy's columns, and lie along memory."""


@dataclass(frozen=True)
class Copied:
    """What the kernel that makes a packed copy depends on: ``name`` is its own, ``symbols`` are
    those of the parameter, with what passes may rely on.
    """

    name: str
    packed: PackedParameter
    symbols: tuple[nt.SymbolDecl, ...]
    location: LocationAttr

    @staticmethod
    def of(packed: PackedParameter, function: FuncOp) -> Copied:
        """Of the packed copy that ``function`` reads."""
        name = f"{function.sym_name.data}_pack_{packed.decl.name}"
        return Copied(name, packed, tuple(_symbols(packed, function)), function.location)


def copy_module(copied: Copied) -> ModuleOp:
    """The kernel that makes a packed copy, in stage ``composed``."""
    packed = copied.packed
    decl, inner, row = packed.decl, packed.inner, packed.row
    names = (decl.name, f"{decl.name}_packed")
    type = IntegerType(packed.bits)
    rows, columns = _ROWS, _COLUMNS
    if decl.strides[inner].value != 1 and decl.strides[row].value == 1:
        rows, columns = _TURNED_ROWS, _TURNED_COLUMNS
    tile = {row: rows, inner: columns}
    programs: list[IndexExpr] = []
    indices: list[IndexExpr] = []
    for dim, size in enumerate(packed.sizes):
        index = sym(f"g{dim}")
        if dim in tile:
            size = binary("ceildiv", size, tile[dim])
            index = index * tile[dim] + sym(f"b{sorted(tile).index(dim)}")
        programs.append(normalize(size))
        indices.append(normalize(index))
    block = tuple(const(tile[dim]) for dim in sorted(tile))
    arrangement, entry = Block(), Block()
    arranged: list[nt.AccessOp] = []
    arguments = zip(names, (decl.sizes, packed.sizes), (decl.strides, packed.strides), strict=True)
    for name, sizes, strides in arguments:
        guards = tuple(Guard(indices[dim], sizes[dim]) for dim in sorted(tile))
        access = Access((tuple(programs), block), tuple(indices), guards)
        # The allocator gives memory at multiples of 16 bytes.
        is_copy = name != decl.name
        tensor = nt.TensorType.of(sizes, type)
        source = nt.SourceOp(name, "tensor", tensor, strides, aligned=is_copy)
        arranged.append(nt.AccessOp(source, nt.AccessAttr(access)))
        hint(entry.insert_arg(nt.TensorType.of(block, type), len(entry.args)), name)
        arrangement.add_ops([source, arranged[-1]])
    arrangement.add_op(nt.ArrangedOp(arranged))
    load = nt.LoadOp(entry.args[0], other=nt.number(0, type))
    entry.add_ops([load, nt.StoreOp(load.result, entry.args[1]), nt.ReturnOp()])
    kernel = nt.KernelOp(
        copied.name,
        copied.symbols,
        Region(arrangement),
        Region(entry),
    )
    for op in kernel.walk():
        op.location = copied.location
    return ModuleOp([kernel])


def copy_steps(index_bits: int, target: Target | None) -> list[Step]:
    """The steps from there to stage ``tt``; ``index_bits``: the width of the parameter's offsets.
    ``target``: None for the CPU.
    """
    named = {"target": "" if target is None else str(target)}
    return steps(
        SPECIALIZED,
        {
            **{name: {"index_bits": index_bits} for name in ("nt-specialize", "nt-lower-accesses")},
            **{name: named for name in ("nt-fit-target", "nt-lower-to-tt")},
        },
    )


def _symbols(packed: PackedParameter, function: FuncOp) -> Iterator[nt.SymbolDecl]:
    """The symbols of a parameter, with what passes may rely on."""
    known = {one.name: one for one in declarations(function)}
    for kind, exprs in (("size", packed.decl.sizes), ("stride", packed.decl.strides)):
        for name in symbol_names(*exprs):
            lower = 0 if kind == "size" else None
            yield known.get(name, nt.SymbolDecl(name, kind, lower))
