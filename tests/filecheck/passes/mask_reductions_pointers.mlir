// RUN: nt-opt %s --print-local-scope -p nt-mask-reductions | filecheck %s

// A mask is false where it is not valid itself. What it masks is not valid in the loaded block, so
// that a sum selects by it.
// CHECK-LABEL: nt.kernel @masked
// CHECK: %i = nt.load %a[]
// CHECK-NEXT: [[guard:%.*]] = nt.guard %a[]
// CHECK: %m = nt.elementwise "lt"(%i, %limit)
// CHECK: [[known:%.*]] = nt.elementwise "and"(%m, {{%.*}})
// CHECK: %v = nt.pointer_load %q mask [[known]]
// CHECK: [[chosen:%.*]] = nt.elementwise "where"([[known]], %v, {{%.*}})
// CHECK-NEXT: %s = nt.reduce "sum" [[chosen]] axis 0
// CHECK: nt.pointer_store %i, %q mask {{%.*}} : !nt.tensor<[64] x i1>
// CHECK-NEXT: nt.pointer_store %i, %q : !nt.tensor<[64] x i32>
nt.kernel @masked symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x i32>
  %0 = nt.access %x <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x i32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x i32>>
  nt.arranged %0 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x i32>>
} apply {
^bb0(%a : !nt.tensor<[64] x i32>):
  %i = nt.load %a[] : !nt.tensor<[64] x i32>[] -> !nt.tensor<[64] x i32>
  %n = nt.size <n> : i32
  %limit = nt.full %n : i32 -> !nt.tensor<[64] x i32>
  %m = nt.elementwise "lt"(%i, %limit) : (!nt.tensor<[64] x i32>, !nt.tensor<[64] x i32>) -> !nt.tensor<[64] x i1>
  %p = nt.pointer %a : !nt.tensor<[64] x i32> -> !tt.ptr<i32>
  %f = nt.full %p : !tt.ptr<i32> -> !nt.tensor<[64] x !tt.ptr<i32>>
  %q = nt.addptr %f, %i : !nt.tensor<[64] x !tt.ptr<i32>>, !nt.tensor<[64] x i32>
  %v = nt.pointer_load %q mask %m : !nt.tensor<[64] x i1> : !nt.tensor<[64] x !tt.ptr<i32>> -> !nt.tensor<[64] x i32>
  %s = nt.reduce "sum" %v axis 0 : !nt.tensor<[64] x i32> -> i32
  nt.pointer_store %i, %q mask %m : !nt.tensor<[64] x i1> : !nt.tensor<[64] x i32>, !nt.tensor<[64] x !tt.ptr<i32>>
  nt.pointer_store %i, %q : !nt.tensor<[64] x i32>, !nt.tensor<[64] x !tt.ptr<i32>>
  nt.return
}

// So it is with what an atomic gives: where its mask is false, nothing.
// CHECK-LABEL: nt.kernel @masked_atomic
// CHECK: %v = nt.atomic "add" %q, %i mask %m : 
// CHECK: [[chosen:%.*]] = nt.elementwise "where"(%m, %v, {{%.*}})
// CHECK-NEXT: %s = nt.reduce "sum" [[chosen]] axis 0
nt.kernel @masked_atomic symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x i32>
  %0 = nt.access %x <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x i32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x i32>>
  nt.arranged %0 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x i32>>
} apply {
^bb0(%a : !nt.tensor<[64] x i32>):
  %i = nt.arange <0> : !nt.tensor<[64] x i32>
  %n = nt.size <n> : i32
  %limit = nt.full %n : i32 -> !nt.tensor<[64] x i32>
  %m = nt.elementwise "lt"(%i, %limit) : (!nt.tensor<[64] x i32>, !nt.tensor<[64] x i32>) -> !nt.tensor<[64] x i1>
  %p = nt.pointer %a : !nt.tensor<[64] x i32> -> !tt.ptr<i32>
  %f = nt.full %p : !tt.ptr<i32> -> !nt.tensor<[64] x !tt.ptr<i32>>
  %q = nt.addptr %f, %i : !nt.tensor<[64] x !tt.ptr<i32>>, !nt.tensor<[64] x i32>
  %v = nt.atomic "add" %q, %i mask %m : !nt.tensor<[64] x i1> "relaxed" "gpu" : !nt.tensor<[64] x !tt.ptr<i32>>, !nt.tensor<[64] x i32>
  %s = nt.reduce "sum" %v axis 0 : !nt.tensor<[64] x i32> -> i32
  nt.return
}
