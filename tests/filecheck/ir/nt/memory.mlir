// RUN: nt-opt %s | nt-opt --print-local-scope | filecheck %s
// RUN: nt-opt %s --print-op-generic | nt-opt --print-local-scope | filecheck %s

// CHECK-LABEL: nt.kernel @ops
nt.kernel @ops symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [n, 1] aligned false : !nt.tensor<[m, n] x ui32>
  %0 = nt.tile %x [16, 64] strides [16, 64] dilation [1, 1] floor false level 0
      : !nt.tensor<[m, n] x ui32> -> !nt.tensor<[m ceildiv 16, n ceildiv 64] x !nt.tensor<[16, 64] x ui32>>
  nt.arranged %0 : !nt.tensor<[m ceildiv 16, n ceildiv 64] x !nt.tensor<[16, 64] x ui32>>
} apply {
^bb0(%a : !nt.tensor<[16, 64] x ui32>):
  // CHECK: %rows = nt.offsets %a[] dim 0 along [0] : !nt.tensor<[16, 64] x ui32>[] -> !nt.tensor<[16] x i32>
  %rows = nt.offsets %a[] dim 0 along [0] : !nt.tensor<[16, 64] x ui32>[] -> !nt.tensor<[16] x i32>
  // CHECK-NEXT: %all = nt.offsets %a[] along [0, 1] : !nt.tensor<[16, 64] x ui32>[] -> !nt.tensor<[16, 64] x i64>
  %all = nt.offsets %a[] along [0, 1] : !nt.tensor<[16, 64] x ui32>[] -> !nt.tensor<[16, 64] x i64>
  // CHECK-NEXT: %scratch = nt.scratch "partials" 64 : !tt.ptr<ui32>
  %scratch = nt.scratch "partials" 64 : !tt.ptr<ui32>
  // CHECK-NEXT: %counter = nt.scratch "arrivals" 1 zeroed : !tt.ptr<i32>
  %counter = nt.scratch "arrivals" 1 zeroed : !tt.ptr<i32>
  // CHECK-NEXT: %p = nt.pointer %a : !nt.tensor<[16, 64] x ui32> -> !tt.ptr<ui32>
  %p = nt.pointer %a : !nt.tensor<[16, 64] x ui32> -> !tt.ptr<ui32>
  // CHECK-NEXT: %f = nt.full %p : !tt.ptr<ui32> -> !nt.tensor<[16] x !tt.ptr<ui32>>
  %f = nt.full %p : !tt.ptr<ui32> -> !nt.tensor<[16] x !tt.ptr<ui32>>
  // CHECK-NEXT: %q = nt.addptr %f, %rows : !nt.tensor<[16] x !tt.ptr<ui32>>, !nt.tensor<[16] x i32>
  %q = nt.addptr %f, %rows : !nt.tensor<[16] x !tt.ptr<ui32>>, !nt.tensor<[16] x i32>
  %bit = arith.constant true
  // CHECK: %m = nt.full %bit : i1 -> !nt.tensor<[16] x i1>
  %m = nt.full %bit : i1 -> !nt.tensor<[16] x i1>
  // CHECK-NEXT: %v = nt.pointer_load %q : !nt.tensor<[16] x !tt.ptr<ui32>> -> !nt.tensor<[16] x ui32>
  %v = nt.pointer_load %q : !nt.tensor<[16] x !tt.ptr<ui32>> -> !nt.tensor<[16] x ui32>
  // CHECK-NEXT: %w = nt.pointer_load %q mask %m : !nt.tensor<[16] x i1> : !nt.tensor<[16] x !tt.ptr<ui32>> -> !nt.tensor<[16] x ui32>
  %w = nt.pointer_load %q mask %m : !nt.tensor<[16] x i1> : !nt.tensor<[16] x !tt.ptr<ui32>> -> !nt.tensor<[16] x ui32>
  // CHECK-NEXT: %u = nt.pointer_load %q mask %m : !nt.tensor<[16] x i1> other %v : !nt.tensor<[16] x ui32> : !nt.tensor<[16] x !tt.ptr<ui32>> -> !nt.tensor<[16] x ui32>
  %u = nt.pointer_load %q mask %m : !nt.tensor<[16] x i1> other %v : !nt.tensor<[16] x ui32>
      : !nt.tensor<[16] x !tt.ptr<ui32>> -> !nt.tensor<[16] x ui32>
  // CHECK-NEXT: nt.pointer_store %u, %q : !nt.tensor<[16] x ui32>, !nt.tensor<[16] x !tt.ptr<ui32>>
  nt.pointer_store %u, %q : !nt.tensor<[16] x ui32>, !nt.tensor<[16] x !tt.ptr<ui32>>
  // CHECK-NEXT: nt.pointer_store %u, %q mask %m : !nt.tensor<[16] x i1> : !nt.tensor<[16] x ui32>, !nt.tensor<[16] x !tt.ptr<ui32>>
  nt.pointer_store %u, %q mask %m : !nt.tensor<[16] x i1> : !nt.tensor<[16] x ui32>, !nt.tensor<[16] x !tt.ptr<ui32>>
  // CHECK-NEXT: %old = nt.atomic "add" %q, %u "acq_rel" "gpu" : !nt.tensor<[16] x !tt.ptr<ui32>>, !nt.tensor<[16] x ui32>
  %old = nt.atomic "add" %q, %u "acq_rel" "gpu" : !nt.tensor<[16] x !tt.ptr<ui32>>, !nt.tensor<[16] x ui32>
  // CHECK-NEXT: %older = nt.atomic "xchg" %q, %u mask %m : !nt.tensor<[16] x i1> "relaxed" "sys" : !nt.tensor<[16] x !tt.ptr<ui32>>, !nt.tensor<[16] x ui32>
  %older = nt.atomic "xchg" %q, %u mask %m : !nt.tensor<[16] x i1> "relaxed" "sys"
      : !nt.tensor<[16] x !tt.ptr<ui32>>, !nt.tensor<[16] x ui32>
  // CHECK-NEXT: %c = nt.atomic_cas %q, %u, %v "acquire" "cta" : !nt.tensor<[16] x !tt.ptr<ui32>>, !nt.tensor<[16] x ui32>
  %c = nt.atomic_cas %q, %u, %v "acquire" "cta" : !nt.tensor<[16] x !tt.ptr<ui32>>, !nt.tensor<[16] x ui32>
  nt.return
}
