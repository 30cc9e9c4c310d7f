"""The dialect ``tt``: what Triton can say, under Triton's own names.

In MLIR's generic form a module of this dialect is TTIR. Blocks are ``tensor<128xf32>``; integers
are signless. Properties have the names and the encodings of Triton's ODS definitions, since the
generic form prints them.

``types``: pointers. ``functions``, ``memory``, ``atomics``, ``blocks``: the ops. ``arith``: comparisons,
selections and conversions of whole blocks.
"""

from xdsl.ir import Dialect

from ninetoothed.ir.tt.arith import (
    BLOCK_ARITH,
    CmpfOp,
    CmpiOp,
    ExtSIOp,
    ExtUIOp,
    FPToSIOp,
    FPToUIOp,
    RemfOp,
    SelectOp,
    SIToFPOp,
    TruncIOp,
    UIToFPOp,
    bits_like,
)
from ninetoothed.ir.tt.atomics import (
    ATOMIC_FUNCTIONS,
    AtomicCASOp,
    AtomicRMWOp,
    BitcastOp,
)
from ninetoothed.ir.tt.blocks import (
    PRECISIONS,
    BroadcastOp,
    DotOp,
    ExpandDimsOp,
    FpToFpOp,
    GatherOp,
    MakeRangeOp,
    MulhiuiOp,
    ReduceOp,
    ReduceReturnOp,
    SplatOp,
    TransOp,
)
from ninetoothed.ir.tt.functions import FuncOp, GetProgramIdOp, ReturnOp
from ninetoothed.ir.tt.memory import AddPtrOp, LoadOp, StoreOp
from ninetoothed.ir.tt.types import (
    PointerType,
    block_of,
    pointee_of,
    scalar_of,
    shape_of,
    tensor_of,
)

TT = Dialect(
    "tt",
    [
        FuncOp,
        ReturnOp,
        GetProgramIdOp,
        MakeRangeOp,
        SplatOp,
        ExpandDimsOp,
        BroadcastOp,
        TransOp,
        GatherOp,
        MulhiuiOp,
        AddPtrOp,
        LoadOp,
        StoreOp,
        AtomicRMWOp,
        AtomicCASOp,
        BitcastOp,
        DotOp,
        ReduceOp,
        ReduceReturnOp,
        FpToFpOp,
    ],
    [PointerType],
)

__all__ = [
    "ATOMIC_FUNCTIONS",
    "BLOCK_ARITH",
    "PRECISIONS",
    "TT",
    "AddPtrOp",
    "AtomicCASOp",
    "AtomicRMWOp",
    "BitcastOp",
    "BroadcastOp",
    "CmpfOp",
    "CmpiOp",
    "DotOp",
    "ExpandDimsOp",
    "ExtSIOp",
    "ExtUIOp",
    "FPToSIOp",
    "FPToUIOp",
    "FpToFpOp",
    "FuncOp",
    "GatherOp",
    "GetProgramIdOp",
    "LoadOp",
    "MakeRangeOp",
    "MulhiuiOp",
    "PointerType",
    "ReduceOp",
    "ReduceReturnOp",
    "RemfOp",
    "ReturnOp",
    "SIToFPOp",
    "SelectOp",
    "SplatOp",
    "StoreOp",
    "TransOp",
    "TruncIOp",
    "UIToFPOp",
    "bits_like",
    "block_of",
    "pointee_of",
    "scalar_of",
    "shape_of",
    "tensor_of",
]
