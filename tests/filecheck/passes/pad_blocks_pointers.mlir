// RUN: nt-opt %s -p nt-pad-blocks --split-input-file --verify-diagnostics | filecheck %s

// The lanes that are added address nothing.
// CHECK-LABEL: nt.kernel @masked
// CHECK: %lanes = nt.arange <0> : !nt.tensor<[64] x i32>
// CHECK: %q = nt.addptr
// CHECK: [[size:%.*]] = nt.size <48> : i32
// CHECK-NEXT: [[limit:%.*]] = nt.full [[size]] : i32 -> !nt.tensor<[64] x i32>
// CHECK-NEXT: [[below:%.*]] = nt.elementwise "lt"({{%.*}}, [[limit]])
// CHECK-NEXT: %v = nt.pointer_load %q mask [[below]]
// CHECK: nt.elementwise "lt"(%lanes, %lanes)
// CHECK: [[both:%.*]] = nt.elementwise "and"(%m, {{%.*}})
// CHECK-NEXT: %old = nt.atomic "add" %q, %v mask [[both]] : !nt.tensor<[64] x i1> "relaxed" "gpu"
nt.kernel @masked symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %0 = nt.access %x <[[n]] -> [g0]> : !nt.tensor<[n] x f32> -> !nt.tensor<[n] x f32>
  nt.arranged %0 : !nt.tensor<[n] x f32>
} apply {
^bb0(%a : !nt.tensor<[] x f32>):
  %lanes = nt.arange <0> : !nt.tensor<[48] x i32>
  %p = nt.pointer %a : !nt.tensor<[] x f32> -> !tt.ptr<f32>
  %f = nt.full %p : !tt.ptr<f32> -> !nt.tensor<[48] x !tt.ptr<f32>>
  %q = nt.addptr %f, %lanes : !nt.tensor<[48] x !tt.ptr<f32>>, !nt.tensor<[48] x i32>
  %v = nt.pointer_load %q : !nt.tensor<[48] x !tt.ptr<f32>> -> !nt.tensor<[48] x f32>
  %m = nt.elementwise "lt"(%lanes, %lanes) : (!nt.tensor<[48] x i32>, !nt.tensor<[48] x i32>) -> !nt.tensor<[48] x i1>
  %old = nt.atomic "add" %q, %v mask %m : !nt.tensor<[48] x i1> "relaxed" "gpu"
      : !nt.tensor<[48] x !tt.ptr<f32>>, !nt.tensor<[48] x f32>
  nt.return
}

// -----

// Triton's compare-and-swap has no mask.
// CHECK: ShapeError: ntl.atomic_cas has no mask, and its block has the size 48; give it a size that is a power of two
nt.kernel @unmasked symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x i32>
  %0 = nt.access %x <[[n]] -> [g0]> : !nt.tensor<[n] x i32> -> !nt.tensor<[n] x i32>
  nt.arranged %0 : !nt.tensor<[n] x i32>
} apply {
^bb0(%a : !nt.tensor<[] x i32>):
  %lanes = nt.arange <0> : !nt.tensor<[48] x i32>
  %p = nt.pointer %a : !nt.tensor<[] x i32> -> !tt.ptr<i32>
  %f = nt.full %p : !tt.ptr<i32> -> !nt.tensor<[48] x !tt.ptr<i32>>
  %old = nt.atomic_cas %f, %lanes, %lanes "acq_rel" "gpu" : !nt.tensor<[48] x !tt.ptr<i32>>, !nt.tensor<[48] x i32>
  nt.return
}
