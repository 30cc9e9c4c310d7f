// RUN: nt-opt %s --print-local-scope -p nt-lower-accesses | filecheck %s
// RUN: nt-opt %s --print-local-scope -p nt-lower-accesses,nt-lower-to-tt | filecheck %s --check-prefix=TT

// Divisions of blocks that may be negative round to zero: nothing is constant or consecutive in groups.
// CHECK-LABEL: nt.kernel @negative
// CHECK: %q = nt.elementwise "floordiv"
// CHECK-NEXT: %q{{.*}} = nt.hint "constancy" [1] %q
// CHECK-NEXT: %r = nt.elementwise "mod"
// CHECK-NEXT: [[r:%.*]] = nt.hint "contiguity" [1] %r
// CHECK-NEXT: [[hinted:%.*]] = nt.hint "divisibility" [1] [[r]]
// CHECK-NEXT: nt.elementwise "add"({{%.*}}, [[hinted]])
// TT-LABEL: tt.func @negative
// TT: arith.divsi {{.*}} {tt.constancy = dense<1> : tensor<1xi32>} : tensor<64xi32>
// TT-NEXT: arith.remsi {{.*}} {tt.contiguity = dense<1> : tensor<1xi32>, tt.divisibility = dense<1> : tensor<1xi32>} : tensor<64xi32>
nt.kernel @negative symbols [#nt.symbol<n size 0 to ?>] grid #nt.expr<n ceildiv 64> arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x i32>
  %x0 = nt.access %x <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x i32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x i32>>
  nt.arranged %x0 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x i32>>
} apply {
^bb0(%a : !nt.tensor<[64] x i32>):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [n ceildiv 64] : index
  %c = arith.constant 64 : i32
  %d = nt.full %c : i32 -> !nt.tensor<[64] x i32>
  %lanes = nt.arange <-64> : !nt.tensor<[64] x i32>
  %q = nt.elementwise "floordiv"(%lanes, %d) : (!nt.tensor<[64] x i32>, !nt.tensor<[64] x i32>) -> !nt.tensor<[64] x i32>
  %r = nt.elementwise "mod"(%lanes, %d) : (!nt.tensor<[64] x i32>, !nt.tensor<[64] x i32>) -> !nt.tensor<[64] x i32>
  %s = nt.elementwise "add"(%q, %r) : (!nt.tensor<[64] x i32>, !nt.tensor<[64] x i32>) -> !nt.tensor<[64] x i32>
  nt.store %s, %a[] : !nt.tensor<[64] x i32>, !nt.tensor<[64] x i32>[]
  nt.return
}

// An index of the tensor is not negative, nor is a remainder of it; what was read has no groups.
// CHECK-LABEL: nt.kernel @kept
// CHECK-NOT: nt.hint
// TT-LABEL: tt.func @kept
// TT-NOT: dense<1> : tensor<1xi32>
// TT: arith.divsi {{.*}} : tensor<64xi32>
// TT-NOT: dense<1> : tensor<1xi32>
nt.kernel @kept symbols [#nt.symbol<n size 0 to ?>] grid #nt.expr<n ceildiv 64> arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x i32>
  %x0 = nt.access %x <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x i32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x i32>>
  nt.arranged %x0 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x i32>>
} apply {
^bb0(%a : !nt.tensor<[64] x i32>):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [n ceildiv 64] : index
  %c = arith.constant 64 : i32
  %d = nt.full %c : i32 -> !nt.tensor<[64] x i32>
  %index = nt.offsets %a[] dim 0 along [0] : !nt.tensor<[64] x i32>[] -> !nt.tensor<[64] x i32>
  %q = nt.elementwise "floordiv"(%index, %d) : (!nt.tensor<[64] x i32>, !nt.tensor<[64] x i32>) -> !nt.tensor<[64] x i32>
  %r = nt.elementwise "mod"(%index, %d) : (!nt.tensor<[64] x i32>, !nt.tensor<[64] x i32>) -> !nt.tensor<[64] x i32>
  %t = nt.elementwise "floordiv"(%r, %d) : (!nt.tensor<[64] x i32>, !nt.tensor<[64] x i32>) -> !nt.tensor<[64] x i32>
  %v = nt.load %a[] : !nt.tensor<[64] x i32>[] -> !nt.tensor<[64] x i32>
  %w = nt.elementwise "floordiv"(%v, %d) : (!nt.tensor<[64] x i32>, !nt.tensor<[64] x i32>) -> !nt.tensor<[64] x i32>
  %s = nt.elementwise "add"(%q, %t) : (!nt.tensor<[64] x i32>, !nt.tensor<[64] x i32>) -> !nt.tensor<[64] x i32>
  %u = nt.elementwise "add"(%s, %w) : (!nt.tensor<[64] x i32>, !nt.tensor<[64] x i32>) -> !nt.tensor<[64] x i32>
  nt.store %u, %a[] : !nt.tensor<[64] x i32>, !nt.tensor<[64] x i32>[]
  nt.return
}
