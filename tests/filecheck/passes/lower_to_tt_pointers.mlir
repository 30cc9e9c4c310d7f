// RUN: nt-opt %s -p nt-lower-to-tt | filecheck %s

// Bits are bytes in memory.
// CHECK-LABEL: tt.func @bits
// CHECK: %q = tt.addptr %x, {{%.*}} : !tt.ptr<i8>, i32
// CHECK-NEXT: [[byte:%.*]] = tt.load %q : !tt.ptr<i8>
// CHECK-NEXT: [[zero:%.*]] = arith.constant 0 : i8
// CHECK-NEXT: %v = arith.cmpi ne, [[byte]], [[zero]] : i8
// CHECK-NEXT: [[wide:%.*]] = arith.extui %v : i1 to i8
// CHECK-NEXT: tt.store %q, [[wide]] : !tt.ptr<i8>
// CHECK: [[other:%.*]] = arith.extui %v : i1 to i8
// CHECK-NEXT: tt.load %q, %v, [[other]] : !tt.ptr<i8>
nt.kernel @bits grid #nt.expr<1> arrange {
  %x = nt.source "x" "tensor" strides [] aligned false : !nt.tensor<[] x i1>
  %0 = nt.access %x <[[]] -> []> : !nt.tensor<[] x i1> -> !nt.tensor<[] x i1>
  nt.arranged %0 : !nt.tensor<[] x i1>
} apply {
^bb0(%a : !nt.tensor<[] x i1>):
  %p = nt.pointer %a : !nt.tensor<[] x i1> -> !tt.ptr<i1>
  %c1 = arith.constant 1 : i32
  %q = nt.addptr %p, %c1 : !tt.ptr<i1>, i32
  %v = nt.pointer_load %q : !tt.ptr<i1> -> i1
  nt.pointer_store %v, %q : i1, !tt.ptr<i1>
  %w = nt.pointer_load %q mask %v : i1 other %v : i1 : !tt.ptr<i1> -> i1
  nt.return
}

// Triton's functions know signs and floats apart; its extrema of floats are those of their bits.
// CHECK-LABEL: tt.func @updates
// CHECK: [[all:%.*]] = arith.constant true
// CHECK-NEXT: {{%.*}} = tt.atomic_rmw 8 : i32 %u, %v, [[all]] 1 : i32 2 : i32
// CHECK: {{%.*}} = tt.atomic_rmw 10 : i32 %u, %v, {{%.*}} 4 : i32 1 : i32
// CHECK: {{%.*}} = tt.atomic_rmw 5 : i32 %x, %w, {{%.*}} 4 : i32 1 : i32
// CHECK: [[p:%.*]] = tt.bitcast %x : !tt.ptr<f32> -> !tt.ptr<i32>
// CHECK-NEXT: [[b:%.*]] = tt.bitcast %w : f32 -> i32
// CHECK: [[negative:%.*]] = arith.cmpi slt, [[b]]
// CHECK-NEXT: [[positive:%.*]] = arith.cmpi sge, [[b]]
// CHECK-NEXT: [[one:%.*]] = tt.atomic_rmw 6 : i32 [[p]], [[b]], [[positive]] 4 : i32 1 : i32
// CHECK-NEXT: [[two:%.*]] = tt.atomic_rmw 9 : i32 [[p]], [[b]], [[negative]] 4 : i32 1 : i32
// CHECK-NEXT: [[old:%.*]] = arith.select [[positive]], [[one]], [[two]]
// CHECK-NEXT: {{%.*}} = tt.bitcast [[old]] : i32 -> f32
// CHECK: {{%.*}} = tt.atomic_cas {{%.*}}, {{%.*}}, {{%.*}} 4 : i32 1 : i32 : !tt.ptr<i32>, i32
nt.kernel @updates grid #nt.expr<1> arrange {
  %u = nt.source "u" "tensor" strides [] aligned false : !nt.tensor<[] x ui32>
  %0 = nt.access %u <[[]] -> []> : !nt.tensor<[] x ui32> -> !nt.tensor<[] x ui32>
  %x = nt.source "x" "tensor" strides [] aligned false : !nt.tensor<[] x f32>
  %1 = nt.access %x <[[]] -> []> : !nt.tensor<[] x f32> -> !nt.tensor<[] x f32>
  nt.arranged %0, %1 : !nt.tensor<[] x ui32>, !nt.tensor<[] x f32>
} apply {
^bb0(%a : !nt.tensor<[] x ui32>, %b : !nt.tensor<[] x f32>):
  %p = nt.pointer %a : !nt.tensor<[] x ui32> -> !tt.ptr<ui32>
  %q = nt.pointer %b : !nt.tensor<[] x f32> -> !tt.ptr<f32>
  %v = nt.pointer_load %p : !tt.ptr<ui32> -> ui32
  %w = nt.pointer_load %q : !tt.ptr<f32> -> f32
  %2 = nt.atomic "max" %p, %v "relaxed" "cta" : !tt.ptr<ui32>, ui32
  %3 = nt.atomic "xchg" %p, %v "acq_rel" "gpu" : !tt.ptr<ui32>, ui32
  %4 = nt.atomic "add" %q, %w "acq_rel" "gpu" : !tt.ptr<f32>, f32
  %5 = nt.atomic "max" %q, %w "acq_rel" "gpu" : !tt.ptr<f32>, f32
  %6 = nt.atomic_cas %q, %w, %w "acq_rel" "gpu" : !tt.ptr<f32>, f32
  nt.return
}
