"""How each op that gives a value is spelled in Triton-Python.

A spelling takes the texts of the operands and gives the op's. It must mean what the op means in
TTIR: Triton's rules (promotion, signs, how NaNs compare) are written down here and nowhere else.
"""

from __future__ import annotations

from xdsl.ir import Operation

from ninetoothed.backend.expression import Expr
from ninetoothed.backend.spelling import arithmetic, blocks, debug, extern, folds, products, shapes
from ninetoothed.backend.spelling.operands import Operands, Spelling
from ninetoothed.errors import CompilerError

SPELLINGS: dict[str, Spelling] = {
    **arithmetic.SPELLINGS,
    **blocks.SPELLINGS,
    **debug.SPELLINGS,
    **extern.SPELLINGS,
    **folds.SPELLINGS,
    **products.SPELLINGS,
    **shapes.SPELLINGS,
}
"""By the op's name. ``tt.reduce`` is not here: its combination may be a function of its own."""


def spell(operands: Operands, op: Operation) -> Expr:
    """The text of an op that gives a value.

    Raises:
        CompilerError: the op has no spelling.
    """
    spelling = SPELLINGS.get(op.name)
    if spelling is None:
        raise CompilerError(f"{op.name} has no spelling in Triton-Python")
    return debug.hinted(op, spelling(operands, op))
