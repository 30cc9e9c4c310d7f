// RUN: nt-opt %s -p nt-lower-accesses | filecheck %s
// RUN: nt-opt %s -p 'nt-lower-accesses{broadcast_loads=false}' | filecheck %s --check-prefix=OFF

// OFF-NOT: tt.load {{.*}} tensor<1x64

// All rows are one place in memory, since the stride is 0: one is loaded.
// CHECK-LABEL: nt.kernel @expanded
// CHECK: [[row:%.*]] = tt.load {{%.*}} : tensor<1x64x!tt.ptr<f32>>
// CHECK: tt.broadcast [[row]] : tensor<1x64xf32> -> tensor<32x64xf32>
// OFF-LABEL: nt.kernel @expanded
// OFF: tt.load {{%.*}} : tensor<32x64x!tt.ptr<f32>>
nt.kernel @expanded symbols [] grid #nt.expr<1> arrange {
  %x = nt.source "x" "tensor" strides [0, 1] aligned false : !nt.tensor<[32, 64] x f32>
  %x0 = nt.access %x <[[1], [32, 64]] -> [b0, b1]>
      : !nt.tensor<[32, 64] x f32> -> !nt.tensor<[1] x !nt.tensor<[32, 64] x f32>>
  nt.arranged %x0 : !nt.tensor<[1] x !nt.tensor<[32, 64] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[32, 64] x f32>):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [1] : index
  %v = nt.load %xs[] : !nt.tensor<[32, 64] x f32>[] -> !nt.tensor<[32, 64] x f32>
  nt.return
}

// An index that a dim does not change is the same; bits are loaded as bytes.
// CHECK-LABEL: nt.kernel @bits
// CHECK: [[byte:%.*]] = tt.load {{%.*}} : tensor<1x64x!tt.ptr<i8>>
// CHECK: [[bit:%.*]] = arith.cmpi ne, [[byte]], {{%.*}} : tensor<1x64xi8>
// CHECK: tt.broadcast [[bit]] : tensor<1x64xi1> -> tensor<32x64xi1>
nt.kernel @bits symbols [] grid #nt.expr<1> arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[64] x i1>
  %x0 = nt.access %x <[[1], [32, 64]] -> [b1]>
      : !nt.tensor<[64] x i1> -> !nt.tensor<[1] x !nt.tensor<[32, 64] x i1>>
  nt.arranged %x0 : !nt.tensor<[1] x !nt.tensor<[32, 64] x i1>>
} apply {
^bb0(%xs : !nt.tensor<[32, 64] x i1>):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [1] : index
  %v = nt.load %xs[] : !nt.tensor<[32, 64] x i1>[] -> !nt.tensor<[32, 64] x i1>
  nt.return
}

// The guard of the columns is the same for all rows. One of the rows is not, and other values stand
// where it does not hold.
// CHECK-LABEL: nt.kernel @guarded
// CHECK: tt.load {{%.*}}, {{%.*}}, {{%.*}} : tensor<1x64x!tt.ptr<f32>>
// CHECK: tt.load {{%.*}}, {{%.*}}, {{%.*}} : tensor<32x64x!tt.ptr<f32>>
nt.kernel @guarded symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>] grid #nt.expr<1> arrange {
  %x = nt.source "x" "tensor" strides [0, 1] aligned false : !nt.tensor<[m, n] x f32>
  %x0 = nt.access %x <[[1], [32, 64]] -> [b0, b1] if [[b1, n]]>
      : !nt.tensor<[m, n] x f32> -> !nt.tensor<[1] x !nt.tensor<[32, 64] x f32>>
  %y = nt.source "y" "tensor" strides [0, 1] aligned false : !nt.tensor<[m, n] x f32>
  %y0 = nt.access %y <[[1], [32, 64]] -> [b0, b1] if [[b0, m], [b1, n]]>
      : !nt.tensor<[m, n] x f32> -> !nt.tensor<[1] x !nt.tensor<[32, 64] x f32>>
  nt.arranged %x0, %y0 : !nt.tensor<[1] x !nt.tensor<[32, 64] x f32>>, !nt.tensor<[1] x !nt.tensor<[32, 64] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[32, 64] x f32>, %ys : !nt.tensor<[32, 64] x f32>):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [1] : index
  %v = nt.load %xs[] other 1.0 : f32 : !nt.tensor<[32, 64] x f32>[] -> !nt.tensor<[32, 64] x f32>
  %w = nt.load %ys[] other 1.0 : f32 : !nt.tensor<[32, 64] x f32>[] -> !nt.tensor<[32, 64] x f32>
  nt.return
}

// What a loop's dot multiplies is copied ahead only as it is loaded.
// CHECK-LABEL: nt.kernel @multiplied
// CHECK: scf.for
// CHECK: tt.load {{%.*}} : tensor<32x32x!tt.ptr<f32>>
// CHECK-NOT: tt.load {{.*}} tensor<1x
nt.kernel @multiplied symbols [] grid #nt.expr<1> arrange {
  %x = nt.source "x" "tensor" strides [0, 1] aligned false : !nt.tensor<[32, 128] x f32>
  %x0 = nt.access %x <[[1], [4], [32, 32]] -> [b0, k1_0 * 32 + b1]>
      : !nt.tensor<[32, 128] x f32> -> !nt.tensor<[1] x !nt.tensor<[4] x !nt.tensor<[32, 32] x f32>>>
  nt.arranged %x0 : !nt.tensor<[1] x !nt.tensor<[4] x !nt.tensor<[32, 32] x f32>>>
} apply {
^bb0(%xs : !nt.tensor<[4] x !nt.tensor<[32, 32] x f32>>):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [1] : index
  %zero = arith.constant 0.0 : f32
  %sum = nt.full %zero : f32 -> !nt.tensor<[32, 32] x f32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %total = scf.for %k = %c0 to %c4 step %c1 iter_args(%acc = %sum) -> (!nt.tensor<[32, 32] x f32>) : i32 {
    %v = nt.load %xs[%k] : !nt.tensor<[4] x !nt.tensor<[32, 32] x f32>>[i32] -> !nt.tensor<[32, 32] x f32>
    %next = nt.dot %v, %v, %acc : !nt.tensor<[32, 32] x f32>, !nt.tensor<[32, 32] x f32> -> !nt.tensor<[32, 32] x f32>
    scf.yield %next : !nt.tensor<[32, 32] x f32>
  }
  nt.return
}
