// RUN: nt-opt %s --print-local-scope -p nt-lower-to-tt | filecheck %s
// RUN: nt-opt %s -p nt-lower-to-tt | nt-opt --print-local-scope | filecheck %s

// Two arguments a divisor, which the host computes; what is known of a quotient is of its last op.
// CHECK-LABEL: tt.func @quotients(
// CHECK-SAME: %multiplier: i32 {nt.reciprocal = "multiplier", nt.divisor = #nt.expr<n>},
// CHECK-SAME: %shift: i32 {nt.reciprocal = "shift", nt.divisor = #nt.expr<n>},
// CHECK-SAME: %multiplier_1: i32 {nt.reciprocal = "multiplier", nt.divisor = #nt.expr<n ceildiv 2>},
// CHECK-SAME: %shift_1: i32 {nt.reciprocal = "shift", nt.divisor = #nt.expr<n ceildiv 2>})
// CHECK: [[high:%.*]] = tt.mulhiui %pid, %multiplier : i32
// CHECK-NEXT: [[sum:%.*]] = arith.addi [[high]], %pid : i32
// CHECK-NEXT: %one = arith.shrui [[sum]], %shift : i32
// CHECK: [[factor:%.*]] = tt.splat %multiplier : i32 -> tensor<64xi32>
// CHECK-NEXT: [[bits:%.*]] = tt.splat %shift : i32 -> tensor<64xi32>
// CHECK-NEXT: [[highs:%.*]] = tt.mulhiui %lanes, [[factor]] : tensor<64xi32>
// CHECK-NEXT: [[sums:%.*]] = arith.addi [[highs]], %lanes : tensor<64xi32>
// CHECK-NEXT: %two = arith.shrui [[sums]], [[bits]] {tt.constancy = dense<16> : tensor<1xi32>} : tensor<64xi32>
// CHECK: %three = arith.shrui {{%.*}}, %shift_1 : i32
nt.kernel @quotients symbols [#nt.symbol<n size 0 to ?>] grid #nt.expr<n> arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x0 = nt.access %x <[[n]] -> [g0]> : !nt.tensor<[n] x f32> -> !nt.tensor<[n] x f32>
  nt.arranged %x0 : !nt.tensor<[n] x f32>
} apply {
^bb0(%xs : !nt.tensor<[] x f32>):
  %pid = tt.get_program_id 0 : i32
  %one = nt.quotient %pid by <n> : i32
  %lanes = tt.make_range 0 : i32 64 : i32 -> tensor<64xi32>
  %two = nt.quotient %lanes by <n> {tt.constancy = dense<16> : tensor<1xi32>} : tensor<64xi32>
  %three = nt.quotient %pid by <n ceildiv 2> : i32
  nt.return
}
