"""The dialect ``nt``: kernels as the user wrote them.

``attributes``: hierarchical tensor types over the index algebra. ``arrange``: kernels, sources and
accesses. ``jagged``: sources of sequences. ``meta``: the meta-operations. ``blocks``, ``casts``,
``dot``, ``reductions``, ``shapes``, ``memory`` and ``debug``: the application's ops. ``addresses``:
elements by coordinates. ``forwarding``: forwarded stores and barriers. ``programs``: program ids,
scratch memory. ``remarks``: remarks of passes. ``__all__`` are the stable names (`docs/ir.md`).
A kernel in stage ``arranged``:

```mlir
nt.kernel @double symbols [#nt.symbol<n size 0 to ?>, #nt.symbol<B meta 32 to 1024>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f16>
  %0 = nt.tile %x [B] strides [B] dilation [1] floor false level 0
      : !nt.tensor<[n] x f16> -> !nt.tensor<[n ceildiv B] x !nt.tensor<[B] x f16>>
  nt.arranged %0 : !nt.tensor<[n ceildiv B] x !nt.tensor<[B] x f16>>
} apply {
^bb0(%a : !nt.tensor<[B] x f16>):
  %1 = nt.load %a[] : !nt.tensor<[B] x f16>[] -> !nt.tensor<[B] x f16>
  %2 = nt.elementwise "add"(%1, %1)
      : (!nt.tensor<[B] x f16>, !nt.tensor<[B] x f16>) -> !nt.tensor<[B] x f16>
  nt.store %2, %a[] : !nt.tensor<[B] x f16>, !nt.tensor<[B] x f16>[]
  nt.return
}
```
"""

# pyright: reportUnusedImport=false

from xdsl.ir import Dialect

from ninetoothed.ir.definitions import attributes_of, ops_of
from ninetoothed.ir.nt.addresses import AddressOp, HostDescriptorOp, TileOp
from ninetoothed.ir.nt.arrange import (
    AccessOp,
    ArrangedOp,
    KernelOp,
    SourceOp,
    access_of,
    chain,
    kernel_of,
)
from ninetoothed.ir.nt.attributes import (
    AccessAttr,
    Check,
    CheckAttr,
    ExprAttr,
    ExprsAttr,
    GuardsAttr,
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
    ElementwiseOp,
    FullOp,
    GuardOp,
    LoadOp,
    ReturnOp,
    SizeOp,
    StoreOp,
)
from ninetoothed.ir.nt.casts import ROUNDINGS, BitcastOp, CastOp, ConstantOp, constant
from ninetoothed.ir.nt.debug import AssertOp, AssumeOp, HintOp, InlineAsmOp, PrintOp
from ninetoothed.ir.nt.dot import AnyDotOp, DotOp, DotScaledOp, has_dot
from ninetoothed.ir.nt.forwarding import BarrierOp, StoredOp, TileRead
from ninetoothed.ir.nt.jagged import Jagged, JaggedAttr, SequencesOp, batch_index, offset
from ninetoothed.ir.nt.memory import (
    ATOMICS,
    LOAD_MODIFIERS,
    STORE_MODIFIERS,
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
from ninetoothed.ir.nt.programs import (
    HoldsOp,
    PointerOp,
    ProgramCountOp,
    ProgramIdOp,
    ProgramIndexOp,
    ProgramNumberOp,
    QuotientOp,
    ScratchOp,
)
from ninetoothed.ir.nt.reductions import (
    Combination,
    HistogramOp,
    ReduceByOp,
    ReduceOp,
    ScanByOp,
    ScanOp,
    SortOp,
    YieldOp,
)
from ninetoothed.ir.nt.remarks import (
    REMARKS,
    Remark,
    RemarkAttr,
    RemarkEmitter,
    RemarkKind,
    collect_remarks,
    remarks_of,
)
from ninetoothed.ir.nt.shapes import (
    BroadcastOp,
    ExpandDimsOp,
    FlipOp,
    GatherOp,
    JoinOp,
    ReshapeOp,
    SplitOp,
    TransOp,
)
from ninetoothed.ir.nt.types import (
    block_type,
    loaded_type,
    number,
    scalar_of,
    shape_of,
    with_scalar,
    without_dim,
)
from ninetoothed.layout.access import Access
from ninetoothed.layout.meta_op import Guard

NT = Dialect("nt", [*ops_of(__name__)], attributes_of(__name__))

__all__ = [
    "Access",
    "AccessAttr",
    "AccessOp",
    "AddPtrOp",
    "ArangeOp",
    "ArrangedOp",
    "AtomicOp",
    "BitcastOp",
    "BroadcastOp",
    "CastOp",
    "ConstantOp",
    "DotOp",
    "ElementwiseOp",
    "ExpandDimsOp",
    "ExprAttr",
    "ExprsAttr",
    "FullOp",
    "Guard",
    "GuardOp",
    "GuardsAttr",
    "KernelOp",
    "LoadOp",
    "OffsetsOp",
    "PointerLoadOp",
    "PointerOp",
    "PointerStoreOp",
    "ProgramIdOp",
    "ProgramIndexOp",
    "ReduceOp",
    "Remark",
    "RemarkEmitter",
    "ReshapeOp",
    "ReturnOp",
    "ScanOp",
    "SizeOp",
    "SourceOp",
    "StoreOp",
    "SymbolAttr",
    "SymbolDecl",
    "TensorType",
    "TransOp",
    "access_of",
    "block_type",
    "collect_remarks",
    "constant",
    "dtype_of",
    "kernel_of",
    "loaded_type",
    "number",
    "remarks_of",
    "scalar_of",
    "scalar_type",
    "shape_of",
    "with_scalar",
]
