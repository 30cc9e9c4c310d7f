// RUN: nt-opt %s -p 'nt-lower-accesses{cyclic_lanes=1}' | filecheck %s
// RUN: nt-opt %s -p nt-lower-accesses | filecheck %s --check-prefix=OFF

// No pointers of a block are said to be contiguous: not those of windows, and not those of what is stored.
// CHECK-LABEL: nt.kernel @windows
// CHECK: [[x:%.*]] = tt.addptr {{%.*}}, {{%.*}} {tt.contiguity = dense<1> : tensor<1xi32>}
// CHECK: tt.load [[x]]
// CHECK: [[y:%.*]] = tt.addptr {{%.*}}, {{%.*}} {tt.contiguity = dense<1> : tensor<1xi32>}
// CHECK: tt.store [[y]]
// OFF-NOT: tt.contiguity
nt.kernel @windows symbols [#nt.symbol<n size 0 to ? div 16>] grid #nt.expr<n ceildiv 64> arrange {
  %x = nt.source "x" "tensor" strides [1] aligned true : !nt.tensor<[n * 2] x f16>
  %y = nt.source "y" "tensor" strides [1] aligned true : !nt.tensor<[n] x f16>
  %0 = nt.access %x <[[n ceildiv 64], [64]] -> [(g0 * 64 + b0) * 2] if [[(g0 * 64 + b0) * 2, n * 2]]>
      : !nt.tensor<[n * 2] x f16> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f16>>
  %1 = nt.access %y <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f16> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f16>>
  nt.arranged %0, %1
      : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f16>>, !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f16>>
} apply {
^bb0(%a : !nt.tensor<[64] x f16>, %b : !nt.tensor<[64] x f16>):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [n ceildiv 64] : index
  %v = nt.load %a[] : !nt.tensor<[64] x f16>[] -> !nt.tensor<[64] x f16>
  nt.store %v, %b[] : !nt.tensor<[64] x f16>, !nt.tensor<[64] x f16>[]
  nt.return
}
