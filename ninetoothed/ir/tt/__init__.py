"""The dialect ``tt``: what Triton can say, under Triton's own names.

In MLIR's generic form a module of this dialect is TTIR. Blocks are ``tensor<128xf32>``; integers
are signless. Properties have the names and the encodings of Triton's ODS definitions, since the
generic form prints them.

``types``: pointers. ``functions``, ``memory``, ``atomics``, ``blocks``, ``casts``, ``products``, ``folds``, ``shapes``: the ops. ``math``, ``extern``, ``debug``: Triton's
own arithmetic, what others wrote, and what a device says. ``arith``: comparisons, selections and
conversions of whole blocks.
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
from ninetoothed.ir.tt.blocks import MakeRangeOp, MulhiuiOp
from ninetoothed.ir.tt.casts import FpToFpOp
from ninetoothed.ir.tt.debug import AssertOp, AssumeOp, PrintOp, print_prefix
from ninetoothed.ir.tt.extern import ElementwiseInlineAsmOp, ExternElementwiseOp
from ninetoothed.ir.tt.folds import (
    HistogramOp,
    ReduceOp,
    ReduceReturnOp,
    ScanOp,
    ScanReturnOp,
)
from ninetoothed.ir.tt.functions import FuncOp, GetNumProgramsOp, GetProgramIdOp, ReturnOp
from ninetoothed.ir.tt.math import ClampfOp, PreciseDivfOp, PreciseSqrtOp
from ninetoothed.ir.tt.memory import (
    AddPtrOp,
    BarrierOp,
    CachePolicy,
    LoadOp,
    StoreOp,
)
from ninetoothed.ir.tt.products import DotOp, DotScaledOp
from ninetoothed.ir.tt.shapes import (
    BroadcastOp,
    ExpandDimsOp,
    GatherOp,
    JoinOp,
    ReshapeOp,
    SplatOp,
    SplitOp,
    TransOp,
    UnsplatOp,
)
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
        GetNumProgramsOp,
        MakeRangeOp,
        SplatOp,
        ExpandDimsOp,
        BroadcastOp,
        TransOp,
        GatherOp,
        ReshapeOp,
        UnsplatOp,
        JoinOp,
        SplitOp,
        MulhiuiOp,
        ClampfOp,
        PreciseSqrtOp,
        PreciseDivfOp,
        ExternElementwiseOp,
        ElementwiseInlineAsmOp,
        PrintOp,
        AssertOp,
        AssumeOp,
        AddPtrOp,
        LoadOp,
        StoreOp,
        BarrierOp,
        AtomicRMWOp,
        AtomicCASOp,
        BitcastOp,
        DotOp,
        DotScaledOp,
        ReduceOp,
        ReduceReturnOp,
        ScanOp,
        ScanReturnOp,
        HistogramOp,
        FpToFpOp,
    ],
    [PointerType],
)

__all__ = [
    "ATOMIC_FUNCTIONS",
    "BLOCK_ARITH",
    "TT",
    "AddPtrOp",
    "AssertOp",
    "AssumeOp",
    "AtomicCASOp",
    "AtomicRMWOp",
    "BarrierOp",
    "BitcastOp",
    "BroadcastOp",
    "CachePolicy",
    "ClampfOp",
    "CmpfOp",
    "CmpiOp",
    "DotOp",
    "DotScaledOp",
    "ElementwiseInlineAsmOp",
    "ExpandDimsOp",
    "ExtSIOp",
    "ExtUIOp",
    "ExternElementwiseOp",
    "FPToSIOp",
    "FPToUIOp",
    "FpToFpOp",
    "FuncOp",
    "GatherOp",
    "GetNumProgramsOp",
    "GetProgramIdOp",
    "HistogramOp",
    "JoinOp",
    "LoadOp",
    "MakeRangeOp",
    "MulhiuiOp",
    "PointerType",
    "PreciseDivfOp",
    "PreciseSqrtOp",
    "PrintOp",
    "ReduceOp",
    "ReduceReturnOp",
    "RemfOp",
    "ReshapeOp",
    "ReturnOp",
    "SIToFPOp",
    "ScanOp",
    "ScanReturnOp",
    "SelectOp",
    "SplatOp",
    "SplitOp",
    "StoreOp",
    "TransOp",
    "TruncIOp",
    "UIToFPOp",
    "UnsplatOp",
    "bits_like",
    "block_of",
    "pointee_of",
    "print_prefix",
    "scalar_of",
    "shape_of",
    "tensor_of",
]
