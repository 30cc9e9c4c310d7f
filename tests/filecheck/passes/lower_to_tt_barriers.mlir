// RUN: nt-opt %s -p nt-lower-to-tt | filecheck %s

// A barrier is that of MLIR's dialect gpu, and stays between its accesses.
// CHECK-LABEL: tt.func @waits
// CHECK: %v = tt.load %x
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: tt.store %x, %v
nt.kernel @waits grid #nt.expr<1> arrange {
  %x = nt.source "x" "tensor" strides [] aligned false : !nt.tensor<[] x f32>
  %0 = nt.access %x <[[]] -> []> : !nt.tensor<[] x f32> -> !nt.tensor<[] x f32>
  nt.arranged %0 : !nt.tensor<[] x f32>
} apply {
^bb0(%a : !nt.tensor<[] x f32>):
  %p = nt.pointer %a : !nt.tensor<[] x f32> -> !tt.ptr<f32>
  %v = nt.pointer_load %p : !tt.ptr<f32> -> f32
  nt.barrier
  nt.pointer_store %v, %p : f32, !tt.ptr<f32>
  nt.return
}
