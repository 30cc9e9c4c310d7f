// RUN: nt-opt %s -p 'nt-lower-accesses{index_bits=64}' | filecheck %s
// RUN: nt-opt %s -p 'nt-lower-accesses{index_bits=64 narrow_indices=false}' | filecheck %s --check-prefix=OFF

// Program number, loop variable and lanes are widened; sizes are arguments of 64 bits. The loop itself
// stays narrow, and so does the comparison of lanes with what is left of the size.
// OFF: arith.cmpi slt, {{%.*}}, {{%.*}} : tensor<64xi64>
// CHECK-LABEL: nt.kernel @wide
// CHECK: %k = nt.size <k> : i64
// CHECK-NEXT: %pid = tt.get_program_id 0 : i32
// CHECK-NEXT: %g0 = arith.extsi %pid : i32 to i64
// CHECK: [[n:%.*]] = arith.trunci {{%.*}} : i64 to i32
// CHECK-NEXT: scf.for %i = %c0 to [[n]] step %c1 : i32 {
// CHECK-NEXT: {{%.*}} = arith.extsi %i : i32 to i64
// CHECK-NEXT: %b0 = tt.make_range 0 : i32 64 : i32 -> tensor<64xi32>
// CHECK-NEXT: [[v3:%.*]] = arith.extsi %b0 : tensor<64xi32> to tensor<64xi64>
// CHECK: [[v1:%.*]] = tt.addptr {{%.*}}, {{%.*}} : !tt.ptr<f32>, i64
// CHECK: {{%.*}} = tt.addptr [[v1]], {{%.*}} : !tt.ptr<f32>, i64
// CHECK: {{%.*}} = tt.addptr {{%.*}}, [[v3]] : tensor<64x!tt.ptr<f32>>, tensor<64xi64>
// CHECK-NEXT: [[rest:%.*]] = arith.subi %k, {{%.*}} : i64
// CHECK: [[least:%.*]] = arith.minsi [[rest]], {{%.*}} : i64
// CHECK-NEXT: [[left:%.*]] = arith.trunci [[least]] : i64 to i32
// CHECK-NEXT: [[ends:%.*]] = tt.splat [[left]] : i32 -> tensor<64xi32>
// CHECK-NEXT: {{%.*}} = arith.cmpi slt, %b0, [[ends]] : tensor<64xi32>
nt.kernel @wide symbols [#nt.symbol<n size 0 to ?>, #nt.symbol<k size 0 to ?>] grid #nt.expr<n> arrange {
  %x = nt.source "x" "tensor" strides [k, 1] aligned false : !nt.tensor<[n, k] x f32>
  %x0 = nt.access %x <[[n], [k ceildiv 64], [64]] -> [g0, k1_0 * 64 + b0] if [[k1_0 * 64 + b0, k]]>
      : !nt.tensor<[n, k] x f32> -> !nt.tensor<[n] x !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f32>>>
  nt.arranged %x0
      : !nt.tensor<[n] x !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f32>>>
} apply {
^bb0(%xs : !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f32>>):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [n] : index
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %n = nt.size <k ceildiv 64> : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %v = nt.load %xs[%i] : !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x f32>
    scf.yield
  }
  nt.return
}

// A program's indices are quotients and remainders of 32 bits, for a program that runs is one of less
// than 2^31.
// CHECK-LABEL: nt.kernel @grid
// CHECK: [[n:%.*]] = arith.trunci %n : i64 to i32
// CHECK-NEXT: [[row:%.*]] = arith.divsi %pid, [[n]] : i32
// CHECK-NEXT: {{%.*}} = arith.extsi [[row]] : i32 to i64
// CHECK: [[column:%.*]] = arith.remsi %pid, {{%.*}} : i32
// CHECK-NEXT: {{%.*}} = arith.extsi [[column]] : i32 to i64
nt.kernel @grid symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>] grid #nt.expr<m * n> arrange {
  %x = nt.source "x" "tensor" strides [n, 1] aligned false : !nt.tensor<[m, n] x f32>
  %x0 = nt.access %x <[[m, n], []] -> [g0, g1]> : !nt.tensor<[m, n] x f32> -> !nt.tensor<[m, n] x !nt.tensor<[] x f32>>
  nt.arranged %x0 : !nt.tensor<[m, n] x !nt.tensor<[] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[] x f32>):
  %pid = nt.program_id : index
  %g0, %g1 = nt.program_index %pid [m, n] : index, index
  %v = nt.load %xs[] : !nt.tensor<[] x f32>[] -> f32
  nt.return
}
