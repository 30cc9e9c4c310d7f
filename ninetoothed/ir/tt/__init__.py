"""The dialect ``tt``: Triton's ops, under Triton's own names.

In MLIR's generic form a module of this dialect is TTIR. Blocks are ``tensor<128xf32>``; integers
are signless. Properties have the names and the encodings of Triton's ODS definitions, since the
generic form prints them.

``types``: pointers. ``functions``, ``memory``, ``descriptors``, ``atomics``, ``blocks``, ``casts``,
``dot``, ``reductions``, ``shapes``: the ops. ``math``: Triton's own arithmetic. ``extern``: device libraries
and inline assembly. ``debug``: prints and assertions. ``arith``: comparisons, selections and casts
of whole blocks. ``__all__`` are the stable names (`docs/ir.md`).
"""

# pyright: reportUnusedImport=false

from xdsl.ir import Dialect

from ninetoothed.ir.definitions import attributes_of, ops_of
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
from ninetoothed.ir.tt.atomics import ATOMIC_FUNCTIONS, AtomicCASOp, AtomicRMWOp, BitcastOp
from ninetoothed.ir.tt.blocks import MakeRangeOp, MulhiuiOp
from ninetoothed.ir.tt.casts import FpToFpOp
from ninetoothed.ir.tt.debug import AssertOp, AssumeOp, PrintOp, print_prefix
from ninetoothed.ir.tt.descriptors import (
    LEAST_BYTES,
    MOST_DIMS,
    DescriptorLoadOp,
    DescriptorStoreOp,
    MakeTensorDescOp,
    TensorDescType,
    box_of,
)
from ninetoothed.ir.tt.dot import DotOp, DotScaledOp
from ninetoothed.ir.tt.extern import (
    ElementwiseInlineAsmOp,
    ExternElementwiseOp,
    trap_message,
    trap_unless,
)
from ninetoothed.ir.tt.functions import FuncOp, GetNumProgramsOp, GetProgramIdOp, ReturnOp
from ninetoothed.ir.tt.math import ClampfOp, PreciseDivfOp, PreciseSqrtOp
from ninetoothed.ir.tt.memory import AddPtrOp, BarrierOp, CachePolicy, LoadOp, StoreOp
from ninetoothed.ir.tt.reductions import HistogramOp, ReduceOp, ReduceReturnOp, ScanOp, ScanReturnOp
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
    MAX_LANES,
    PointerType,
    block_of,
    hint_of,
    integer_bits,
    pointee_of,
    scalar_of,
    shape_of,
    tensor_of,
)

_ARITH = frozenset(BLOCK_ARITH.operations)

TT = Dialect("tt", [op for op in ops_of(__name__) if op not in _ARITH], attributes_of(__name__))

__all__ = [
    "AddPtrOp",
    "AtomicCASOp",
    "AtomicRMWOp",
    "BroadcastOp",
    "CachePolicy",
    "CmpfOp",
    "CmpiOp",
    "DotOp",
    "ExpandDimsOp",
    "FuncOp",
    "GetNumProgramsOp",
    "GetProgramIdOp",
    "LoadOp",
    "MakeRangeOp",
    "PointerType",
    "ReduceOp",
    "ReduceReturnOp",
    "ReshapeOp",
    "ReturnOp",
    "ScanOp",
    "ScanReturnOp",
    "SelectOp",
    "SplatOp",
    "StoreOp",
    "TransOp",
    "block_of",
    "pointee_of",
    "scalar_of",
    "shape_of",
    "tensor_of",
]
