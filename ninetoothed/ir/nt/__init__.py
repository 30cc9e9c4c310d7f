"""The dialect ``nt``: what the user wrote.

``attributes``: hierarchical tensor types over the index algebra. ``arrange``: kernels,
sources and accesses. ``jagged``: sources of sequences. ``meta``: the meta-operations. ``blocks`` and ``shapes``: the application's ops. ``programs``: what scheduling
adds. A kernel in stage ``arranged``:

```mlir
nt.kernel @double symbols [#nt.symbol<n size 0 to ?>, #nt.symbol<B meta 32 to 1024>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f16>
  %0 = nt.tile %x [B] strides [B] dilation [1] floor false level 0
      : !nt.tensor<[n] x f16> -> !nt.tensor<[n ceildiv B] x !nt.tensor<[B] x f16>>
  nt.arranged %0 : !nt.tensor<[n ceildiv B] x !nt.tensor<[B] x f16>>
} apply {
^bb0(%a : !nt.tensor<[B] x f16>):
  %1 = nt.load %a[] : !nt.tensor<[B] x f16>[] -> !nt.tensor<[B] x f16>
  %2 = nt.map "add"(%1, %1)
      : (!nt.tensor<[B] x f16>, !nt.tensor<[B] x f16>) -> !nt.tensor<[B] x f16>
  nt.store %2, %a[] : !nt.tensor<[B] x f16>, !nt.tensor<[B] x f16>[]
  nt.finish
}
```
"""

from xdsl.ir import Dialect

from ninetoothed.ir.nt.arrange import (
    AccessOp,
    ArrangedOp,
    KernelOp,
    SourceOp,
    access_of,
    chain,
)
from ninetoothed.ir.nt.attributes import (
    AccessAttr,
    Check,
    CheckAttr,
    ExprAttr,
    ExprsAttr,
    Param,
    ParamAttr,
    SymbolAttr,
    SymbolDecl,
    TensorType,
    dtype_of,
    scalar_type,
)
from ninetoothed.ir.nt.blocks import (
    ArangeOp,
    CastOp,
    DotOp,
    FinishOp,
    FullOp,
    GuardOp,
    LoadOp,
    MapOp,
    ReduceOp,
    SizeOp,
    StoreOp,
)
from ninetoothed.ir.nt.jagged import Jagged, JaggedAttr, SequencesOp, batch_index, offset
from ninetoothed.ir.nt.memory import (
    ATOMICS,
    AddPtrOp,
    AtomicCasOp,
    AtomicOp,
    OffsetsOp,
    PointerAccess,
    PointerLoadOp,
    PointerStoreOp,
    is_pointer,
    pointee_of,
)
from ninetoothed.ir.nt.meta import META_OPERATIONS, MetaOperation
from ninetoothed.ir.nt.programs import PointerOp, ProgramIdOp, ProgramIndexOp
from ninetoothed.ir.nt.shapes import BroadcastOp, ExpandDimsOp, FlipOp, GatherOp, TransOp
from ninetoothed.ir.nt.types import block_type, number, scalar_of, shape_of, share_type, with_scalar

NT = Dialect(
    "nt",
    [
        KernelOp,
        SourceOp,
        *META_OPERATIONS.values(),
        AccessOp,
        ArrangedOp,
        LoadOp,
        GuardOp,
        StoreOp,
        SizeOp,
        FullOp,
        ArangeOp,
        MapOp,
        CastOp,
        BroadcastOp,
        ExpandDimsOp,
        TransOp,
        FlipOp,
        GatherOp,
        ReduceOp,
        DotOp,
        OffsetsOp,
        AddPtrOp,
        PointerLoadOp,
        PointerStoreOp,
        AtomicOp,
        AtomicCasOp,
        ProgramIdOp,
        ProgramIndexOp,
        PointerOp,
        SequencesOp,
        FinishOp,
    ],
    [ExprAttr, ExprsAttr, TensorType, SymbolAttr, CheckAttr, AccessAttr, ParamAttr, JaggedAttr],
)

__all__ = [
    "ATOMICS",
    "NT",
    "AccessAttr",
    "AccessOp",
    "AddPtrOp",
    "ArangeOp",
    "ArrangedOp",
    "AtomicCasOp",
    "AtomicOp",
    "BroadcastOp",
    "CastOp",
    "Check",
    "CheckAttr",
    "DotOp",
    "ExpandDimsOp",
    "ExprAttr",
    "ExprsAttr",
    "FinishOp",
    "FlipOp",
    "FullOp",
    "GatherOp",
    "GuardOp",
    "Jagged",
    "JaggedAttr",
    "KernelOp",
    "LoadOp",
    "MapOp",
    "MetaOperation",
    "OffsetsOp",
    "Param",
    "ParamAttr",
    "PointerAccess",
    "PointerLoadOp",
    "PointerOp",
    "PointerStoreOp",
    "ProgramIdOp",
    "ProgramIndexOp",
    "ReduceOp",
    "SequencesOp",
    "SizeOp",
    "SourceOp",
    "StoreOp",
    "SymbolAttr",
    "SymbolDecl",
    "TensorType",
    "TransOp",
    "access_of",
    "batch_index",
    "block_type",
    "chain",
    "dtype_of",
    "is_pointer",
    "number",
    "offset",
    "pointee_of",
    "scalar_of",
    "scalar_type",
    "shape_of",
    "share_type",
    "with_scalar",
]
