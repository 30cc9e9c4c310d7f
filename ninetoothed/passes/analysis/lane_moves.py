"""Lane moves: ops that compute nothing; each lane of their results is a lane of an operand. And
ops that combine lanes.
"""

from __future__ import annotations

from typing import get_args

from xdsl.dialects.builtin import UnrealizedConversionCastOp

from ninetoothed.ir import nt

OneToOne = nt.BroadcastOp | nt.ExpandDimsOp | nt.TransOp | nt.FlipOp | nt.ReshapeOp
"""Moves of one block, ``value``, to one block: types and dims tell which lane goes where."""
Spread = OneToOne | nt.FullOp
"""Those, and the splat of a scalar."""
MOVES = (*get_args(OneToOne), nt.SplitOp, nt.JoinOp, nt.GatherOp, UnrealizedConversionCastOp)
"""Moves of blocks, those of several and by an index among them."""
COMBINING = (
    nt.ReduceOp
    | nt.ScanOp
    | nt.Combination
    | nt.SortOp
    | nt.HistogramOp
    | nt.GatherOp
    | nt.AnyDotOp
)
"""Ops that combine lanes, where threads wait for one another."""
