// RUN: nt-opt %s -p nt-lower-to-tt | filecheck %s

// A loop with a condition keeps its regions; loop-carried values get Triton's types.
// CHECK-LABEL: tt.func @loop(
// CHECK: %r, %e = scf.while (%a = %x, %i = %zero) : (tensor<64xi32>, i32) -> (tensor<64xi32>, i32) {
// CHECK-NEXT: %go = arith.cmpi ult, %i, %s : i32
// CHECK-NEXT: scf.condition(%go) %a, %i : tensor<64xi32>, i32
// CHECK-NEXT: } do {
// CHECK-NEXT: (%b: tensor<64xi32>, %j: i32):
// CHECK-NEXT: %c = arith.addi %b, %b : tensor<64xi32>
// CHECK-NEXT: %k = arith.addi %j, %one : i32
// CHECK-NEXT: scf.yield %c, %k : tensor<64xi32>, i32
nt.kernel @loop grid #nt.expr<1> arrange {
  %s = nt.source "s" "scalar" strides [] aligned false : !nt.tensor<[] x ui32>
  nt.arranged %s : !nt.tensor<[] x ui32>
} apply {
^bb0(%ss : !nt.tensor<[] x ui32>):
  %n = nt.load %ss[] : !nt.tensor<[] x ui32>[] -> ui32
  %zero = nt.constant 0 : ui32
  %one = nt.constant 1 : ui32
  %x = nt.full %n : ui32 -> !nt.tensor<[64] x ui32>
  %r, %e = scf.while (%a = %x, %i = %zero) : (!nt.tensor<[64] x ui32>, ui32) -> (!nt.tensor<[64] x ui32>, ui32) {
    %go = nt.elementwise "lt"(%i, %n) : (ui32, ui32) -> i1
    scf.condition(%go) %a, %i : !nt.tensor<[64] x ui32>, ui32
  } do {
  ^bb1(%b : !nt.tensor<[64] x ui32>, %j : ui32):
    %c = nt.elementwise "add"(%b, %b) : (!nt.tensor<[64] x ui32>, !nt.tensor<[64] x ui32>) -> !nt.tensor<[64] x ui32>
    %k = nt.elementwise "add"(%j, %one) : (ui32, ui32) -> ui32
    scf.yield %c, %k : !nt.tensor<[64] x ui32>, ui32
  }
  nt.return
}
