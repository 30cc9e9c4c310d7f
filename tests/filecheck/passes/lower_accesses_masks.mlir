// RUN: nt-opt %s --print-local-scope -p nt-lower-accesses | filecheck %s
// RUN: nt-opt %s -p 'nt-lower-accesses{recomputed_masks=false}' | filecheck %s --check-prefix=OFF

// OFF-NOT: cmpi sle

// A load's index is compared with the size. That of a store, and of a load behind a reduction, is compared
// with the last index, so that nobody keeps the bits from there to here.
// CHECK-LABEL: nt.kernel @rows
// CHECK: %v = tt.load
// CHECK: nt.reduce
// CHECK: [[one:%.*]] = arith.constant 1 : i32
// CHECK-NEXT: [[last:%.*]] = arith.subi %n, [[one]] : i32
// CHECK-NEXT: [[block:%.*]] = tt.splat [[last]] : i32 -> tensor<64xi32>
// CHECK-NEXT: [[mask:%.*]] = arith.cmpi sle, {{%.*}}, [[block]] : tensor<64xi32>
// CHECK-NEXT: %w = tt.load {{%.*}}, [[mask]]
// CHECK: [[mask:%.*]] = arith.cmpi sle, {{%.*}}, {{%.*}} : tensor<64xi32>
// CHECK: tt.store {{%.*}}, {{%.*}}, [[mask]]
nt.kernel @rows symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>] grid #nt.expr<m> arrange {
  %x = nt.source "x" "tensor" strides [n, 1] aligned false : !nt.tensor<[m, n] x f32>
  %x0 = nt.access %x <[[m], [64]] -> [g0, b0] if [[b0, n]]>
      : !nt.tensor<[m, n] x f32> -> !nt.tensor<[m] x !nt.tensor<[64] x f32>>
  %y = nt.source "y" "tensor" strides [n, 1] aligned false : !nt.tensor<[m, n] x f32>
  %y0 = nt.access %y <[[m], [64]] -> [g0, b0] if [[b0, n]]>
      : !nt.tensor<[m, n] x f32> -> !nt.tensor<[m] x !nt.tensor<[64] x f32>>
  nt.arranged %x0, %y0 : !nt.tensor<[m] x !nt.tensor<[64] x f32>>, !nt.tensor<[m] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[64] x f32>, %ys : !nt.tensor<[64] x f32>):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [m] : index
  %v = nt.load %xs[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  %total = nt.reduce "sum" %v axis 0 : !nt.tensor<[64] x f32> -> f32
  %w = nt.load %ys[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  nt.store %w, %xs[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  nt.return
}

// Sizes that are multiples of 16: groups of lanes have one bit, which Triton finds out of the size.
// CHECK-LABEL: nt.kernel @groups
// CHECK-NOT: cmpi sle
// CHECK: tt.store
nt.kernel @groups symbols [#nt.symbol<n size 0 to ? div 16>] grid #nt.expr<n ceildiv 64> arrange {
  %x = nt.source "x" "tensor" strides [1] aligned true : !nt.tensor<[n] x f32>
  %x0 = nt.access %x <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %x0 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[64] x f32>):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [n ceildiv 64] : index
  %v = nt.load %xs[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  nt.store %v, %xs[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  nt.return
}

// A loop keeps the bits that none of its iterations changes: the store behind it takes them.
// CHECK-LABEL: nt.kernel @kept
// CHECK: scf.for
// CHECK: arith.cmpi slt, {{%.*}}, {{%.*}} : tensor<64xi32>
// CHECK: scf.yield
// CHECK: arith.cmpi slt, {{%.*}}, {{%.*}} : tensor<64xi32>
// CHECK: tt.store
nt.kernel @kept symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>] grid #nt.expr<n ceildiv 64> arrange {
  %x = nt.source "x" "tensor" strides [n, 1] aligned false : !nt.tensor<[m, n] x f32>
  %x0 = nt.access %x <[[n ceildiv 64], [m], [64]] -> [k1_0, g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[m, n] x f32>
      -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[m] x !nt.tensor<[64] x f32>>>
  %y = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %y0 = nt.access %y <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %x0, %y0
      : !nt.tensor<[n ceildiv 64] x !nt.tensor<[m] x !nt.tensor<[64] x f32>>>,
        !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[m] x !nt.tensor<[64] x f32>>, %ys : !nt.tensor<[64] x f32>):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [n ceildiv 64] : index
  %none = arith.constant 0.0 : f32
  %zero = nt.full %none : f32 -> !nt.tensor<[64] x f32>
  %start = arith.constant 0 : i32
  %step = arith.constant 1 : i32
  %count = nt.size <m> : i32
  %sum = scf.for %i = %start to %count step %step iter_args(%so_far = %zero) -> (!nt.tensor<[64] x f32>) : i32 {
    %v = nt.load %xs[%i] : !nt.tensor<[m] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x f32>
    %next = nt.elementwise "add"(%so_far, %v) : (!nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
    scf.yield %next : !nt.tensor<[64] x f32>
  }
  nt.store %sum, %ys[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  nt.return
}
