"""The dialect ``nt``: what the user wrote.

``attributes``: hierarchical tensor types over the index algebra. ``arrange``: kernels and meta-operations.
``blocks`` and ``shapes``: the application's ops. ``programs``: what scheduling adds. A kernel in stage ``arranged``:

```mlir
nt.kernel @add symbols [#nt.symbol<x_size_0 size 0 to ?>, #nt.symbol<B meta 32 to 1024>] arrange {
  %0 = nt.source "x" … : !nt.tensor<[x_size_0] x f16>
  %1 = nt.tile %0 [B] strides [B] dilation [1] floor false level 0 : …
  nt.arranged %1 : !nt.tensor<[x_size_0 ceildiv B] x !nt.tensor<[B] x f16>>
} apply {
^bb0(%x : !nt.tensor<[B] x f16>):
  %2 = nt.load %x[] : …
  nt.store %2, %x[] : …
  nt.finish
}
```
"""

from xdsl.ir import Dialect

from ninetoothed.ir.nt.arrange import (
    META_OPERATIONS,
    AccessOp,
    ArrangedOp,
    KernelOp,
    MetaOperation,
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
from ninetoothed.ir.nt.programs import PointerOp, ProgramIdOp, ProgramIndexOp
from ninetoothed.ir.nt.shapes import BroadcastOp, ExpandDimsOp, TransOp
from ninetoothed.ir.nt.types import block_type, scalar_of, shape_of, share_type, with_scalar

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
        ReduceOp,
        DotOp,
        ProgramIdOp,
        ProgramIndexOp,
        PointerOp,
        FinishOp,
    ],
    [ExprAttr, ExprsAttr, TensorType, SymbolAttr, CheckAttr, AccessAttr, ParamAttr],
)

__all__ = [
    "NT",
    "AccessAttr",
    "AccessOp",
    "ArangeOp",
    "ArrangedOp",
    "BroadcastOp",
    "CastOp",
    "Check",
    "CheckAttr",
    "DotOp",
    "ExpandDimsOp",
    "ExprAttr",
    "ExprsAttr",
    "FinishOp",
    "FullOp",
    "GuardOp",
    "KernelOp",
    "LoadOp",
    "MapOp",
    "MetaOperation",
    "Param",
    "ParamAttr",
    "PointerOp",
    "ProgramIdOp",
    "ProgramIndexOp",
    "ReduceOp",
    "SizeOp",
    "SourceOp",
    "StoreOp",
    "SymbolAttr",
    "SymbolDecl",
    "TensorType",
    "TransOp",
    "access_of",
    "block_type",
    "chain",
    "dtype_of",
    "scalar_of",
    "scalar_type",
    "shape_of",
    "share_type",
    "with_scalar",
]
