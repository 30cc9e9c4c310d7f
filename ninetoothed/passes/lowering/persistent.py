"""Lowering of persistent programs: a loop around what a program does."""

from __future__ import annotations

from xdsl.dialects import scf
from xdsl.dialects.builtin import UnitAttr, i32
from xdsl.ir import Region
from xdsl.rewriter import InsertPoint

from ninetoothed.errors import CompilerError
from ninetoothed.ir import tt
from ninetoothed.ir.diagnostics import fail
from ninetoothed.ir.rewriting import Inserter
from ninetoothed.ir.scf import FLATTEN, OVER_PROGRAMS
from ninetoothed.passes.lowering.branches import moved
from ninetoothed.passes.lowering.index import Arithmetic
from ninetoothed.passes.lowering.tile_accesses import KernelAccesses


def go_through_programs(accesses: KernelAccesses, own: tt.GetProgramIdOp) -> None:
    """Let a program do the work of others behind its own: of each program whose number is its own,
    ``own``, and a multiple of how many there are, up to the end of the grid.

    The numbers have 32 bits, as a launch makes sure.

    Raises:
        CompilerError: the kernel has no grid.
    """
    kernel = accesses.kernel
    if kernel.grid is None:
        raise fail(kernel, "persistent programs need the kernel's grid", CompilerError)
    end = kernel.apply.block.last_op
    assert end is not None
    ops = list(kernel.apply.block.ops)
    body = moved(ops[ops.index(own) + 1 : -1])
    number = body.insert_arg(i32, 0)
    number.name_hint = own.result.name_hint
    own.result.replace_all_uses_with(number)
    own.result.name_hint = "first"
    here = Arithmetic(Inserter(InsertPoint.before(end), own), accesses.type)
    grid = accesses.scalars(here, accesses.assumptions).lower(kernel.grid.data).value
    programs = Arithmetic(here.inserter, i32).resized(grid)
    step = here.inserter.add(tt.GetNumProgramsOp(0))
    Inserter(InsertPoint.at_end(body), own).insert(scf.YieldOp())
    loop = scf.ForOp(own.result, programs, step, [], Region(body))
    loop.attributes |= {OVER_PROGRAMS: UnitAttr(), FLATTEN: UnitAttr()}
    here.inserter.insert(loop)
