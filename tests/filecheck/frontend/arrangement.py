# RUN: nt-opt %s --print-local-scope --set BLOCK_SIZE=64 | filecheck %s
# RUN: nt-opt %s --print-local-scope --kernel add_kernel --dtype lhs=fp16 \
# RUN:   | filecheck %s --check-prefix=HALF
"""What an arrangement becomes: sources with their symbols, and a chain of meta-operations each."""

import ninetoothed
from ninetoothed import Symbol, Tensor

BLOCK_SIZE = Symbol("BLOCK_SIZE", meta=True)


def arrangement(lhs, output):
    lhs_arranged = lhs.tile((1, BLOCK_SIZE))
    lhs_arranged.dtype = lhs_arranged.dtype.squeeze(0)
    return lhs_arranged.permute((1, 0)), output.tile((BLOCK_SIZE,)).unsqueeze(1)


def application(lhs, output):
    output = lhs


# CHECK-LABEL: nt.kernel @add_kernel symbols [#nt.symbol<lhs_size_0 size 0 to ?>
# CHECK-SAME: #nt.symbol<BLOCK_SIZE meta 32 to 1024>] arrange {
# CHECK: %lhs = nt.source "lhs" "tensor" strides [lhs_stride_0, lhs_stride_1]
# CHECK-NEXT: [[t:%.*]] = nt.tile %lhs [1, BLOCK_SIZE]
# CHECK-NEXT: [[s:%.*]] = nt.squeeze [[t]] [0] level 1
# CHECK-NEXT: [[p:%.*]] = nt.permute [[s]] [1, 0] level 0
# CHECK-NEXT: %output = nt.source "output" "tensor" strides [output_stride_0]
# CHECK-NEXT: [[o:%.*]] = nt.tile %output [BLOCK_SIZE]
# CHECK-NEXT: [[u:%.*]] = nt.unsqueeze [[o]] dim 1 level 0
# CHECK-NEXT: nt.arranged [[p]], [[u]]
# HALF: nt.source "lhs" "tensor"{{.*}} : !nt.tensor<[lhs_size_0, lhs_size_1] x f16>
# HALF: nt.source "output" "tensor"{{.*}} : !nt.tensor<[output_size_0] x f32>
add_kernel = ninetoothed.make(
    arrangement, application, (Tensor(2), Tensor(1)), kernel_name="add_kernel"
)
