// RUN: nt-opt %s | nt-opt --print-local-scope | filecheck %s
// RUN: nt-opt %s --print-op-generic | nt-opt --print-local-scope | filecheck %s

// CHECK-LABEL: nt.kernel @ops
// CHECK: %v = nt.load %xs[] : !nt.tensor<[B] x f32>[] -> !nt.tensor<[B] x f32>
// CHECK-NEXT: %m = nt.elementwise "lt"(%v, %v) : (!nt.tensor<[B] x f32>, !nt.tensor<[B] x f32>) -> !nt.tensor<[B] x i1>
// CHECK-NEXT: %t = nt.elementwise "libdevice.tanh"(%v) : (!nt.tensor<[B] x f32>) -> !nt.tensor<[B] x f32>
// CHECK-NEXT: %h = nt.hint "constancy" [4] %t : !nt.tensor<[B] x f32>
// CHECK-NEXT: %one, %two = nt.inline_asm "mov.b32 $0, $2;" "=r,=r,r" pure true pack 1 : i32(%h) : (!nt.tensor<[B] x f32>) -> (!nt.tensor<[B] x i32>, !nt.tensor<[B] x ui32>)
// CHECK-NEXT: %number = nt.program_number : i32
// CHECK-NEXT: %count = nt.program_count : i32
// CHECK-NEXT: nt.print "x" hex false(%v, %number) : !nt.tensor<[B] x f32>, i32
// CHECK-NEXT: nt.print "nothing" hex true()
// CHECK-NEXT: nt.assert %m, "it holds" mask %m : !nt.tensor<[B] x i1>
// CHECK-NEXT: nt.assert %m, "" : !nt.tensor<[B] x i1>
// CHECK-NEXT: %b = arith.constant true
// CHECK-NEXT: nt.assume %b : i1
nt.kernel @ops arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x0 = nt.tile %x [B] strides [B] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv B] x !nt.tensor<[B] x f32>>
  nt.arranged %x0 : !nt.tensor<[n ceildiv B] x !nt.tensor<[B] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[B] x f32>):
  %v = nt.load %xs[] : !nt.tensor<[B] x f32>[] -> !nt.tensor<[B] x f32>
  %m = nt.elementwise "lt"(%v, %v) : (!nt.tensor<[B] x f32>, !nt.tensor<[B] x f32>) -> !nt.tensor<[B] x i1>
  %t = nt.elementwise "libdevice.tanh"(%v) : (!nt.tensor<[B] x f32>) -> !nt.tensor<[B] x f32>
  %h = nt.hint "constancy" [4] %t : !nt.tensor<[B] x f32>
  %one, %two = nt.inline_asm "mov.b32 $0, $2;" "=r,=r,r" pure true pack 1 : i32(%h) : (!nt.tensor<[B] x f32>) -> (!nt.tensor<[B] x i32>, !nt.tensor<[B] x ui32>)
  %number = nt.program_number : i32
  %count = nt.program_count : i32
  nt.print "x" hex false(%v, %number) : !nt.tensor<[B] x f32>, i32
  nt.print "nothing" hex true()
  nt.assert %m, "it holds" mask %m : !nt.tensor<[B] x i1>
  nt.assert %m, "" : !nt.tensor<[B] x i1>
  %b = arith.constant true
  nt.assume %b : i1
  nt.return
}
