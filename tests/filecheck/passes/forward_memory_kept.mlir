// RUN: nt-opt %s -p nt-forward-memory | filecheck %s
// RUN: nt-opt %s --print-local-scope --remarks -p nt-forward-memory | filecheck %s --check-prefix=REMARK

// Loads with other values behind the end are two.
// CHECK-LABEL: nt.kernel @others
// CHECK: %a = nt.load %x[] other 0.000000e+00 : f32
// CHECK-NEXT: %b = nt.load %x[] other 1.000000e+00 : f32
// CHECK-NEXT: nt.elementwise "add"(%a, %b)
// REMARK: nt.kernel @others {{.*}}[#nt.remark<missed "nt-forward-memory" "load of `x` kept: lanes that are not valid have another value">
nt.kernel @others symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x0 = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x1 = nt.tile %x0 [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %x1
      : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%x : !nt.tensor<[64] x f32>):
  %a = nt.load %x[] other 0.0 : f32 : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  %b = nt.load %x[] other 1.0 : f32 : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  %c = nt.elementwise "add"(%a, %b) : (!nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
  nt.store %c, %x[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  nt.return
}

// So are loads under other masks.
// CHECK-LABEL: nt.kernel @masks
// CHECK: %a = nt.pointer_load %q mask %m
// CHECK-NEXT: %b = nt.pointer_load %q mask %l
// CHECK-NEXT: nt.elementwise "add"(%a, %b)
nt.kernel @masks symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x0 = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x1 = nt.tile %x0 [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %x1
      : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%x : !nt.tensor<[64] x f32>):
  %zero = arith.constant 0.0 : f32
  %v = nt.full %zero : f32 -> !nt.tensor<[64] x f32>
  %p = nt.pointer %x : !nt.tensor<[64] x f32> -> !tt.ptr<f32>
  %q = nt.full %p : !tt.ptr<f32> -> !nt.tensor<[64] x !tt.ptr<f32>>
  %m = nt.elementwise "lt"(%v, %v) : (!nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>) -> !nt.tensor<[64] x i1>
  %l = nt.elementwise "eq"(%v, %v) : (!nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>) -> !nt.tensor<[64] x i1>
  %a = nt.pointer_load %q mask %m : !nt.tensor<[64] x i1> : !nt.tensor<[64] x !tt.ptr<f32>> -> !nt.tensor<[64] x f32>
  %b = nt.pointer_load %q mask %l : !nt.tensor<[64] x i1> : !nt.tensor<[64] x !tt.ptr<f32>> -> !nt.tensor<[64] x f32>
  %c = nt.elementwise "add"(%a, %b) : (!nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
  nt.store %c, %x[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  nt.return
}

// A store stays that a pointer,
// CHECK-LABEL: nt.kernel @read_by_a_pointer
// CHECK: nt.store %v, %x[]
// CHECK-NEXT: %a = nt.pointer_load %p
// CHECK-NEXT: nt.store %v, %x[]
nt.kernel @read_by_a_pointer symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x0 = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x1 = nt.tile %x0 [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %x1
      : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%x : !nt.tensor<[64] x f32>):
  %zero = arith.constant 0.0 : f32
  %v = nt.full %zero : f32 -> !nt.tensor<[64] x f32>
  %p = nt.pointer %x : !nt.tensor<[64] x f32> -> !tt.ptr<f32>
  nt.store %v, %x[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  %a = nt.pointer_load %p : !tt.ptr<f32> -> f32
  nt.store %v, %x[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  nt.return
}

// an atomic,
// CHECK-LABEL: nt.kernel @read_by_an_atomic
// CHECK: nt.store %v, %x[]
// CHECK-NEXT: %a = nt.atomic "add" %p, %zero
// CHECK-NEXT: nt.store %v, %x[]
nt.kernel @read_by_an_atomic symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x0 = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x1 = nt.tile %x0 [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %x1
      : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%x : !nt.tensor<[64] x f32>):
  %zero = arith.constant 0.0 : f32
  %v = nt.full %zero : f32 -> !nt.tensor<[64] x f32>
  %p = nt.pointer %x : !nt.tensor<[64] x f32> -> !tt.ptr<f32>
  nt.store %v, %x[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  %a = nt.atomic "add" %p, %zero "relaxed" "gpu" : !tt.ptr<f32>, f32
  nt.store %v, %x[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  nt.return
}

// or a branch reads.
// CHECK-LABEL: nt.kernel @read_in_a_branch
// CHECK: nt.store %v, %x[]
// CHECK-NEXT: scf.if %yes {
// CHECK-NEXT: %a = nt.pointer_load %p
// CHECK: nt.store %v, %x[]
nt.kernel @read_in_a_branch symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x0 = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x1 = nt.tile %x0 [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %x1
      : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%x : !nt.tensor<[64] x f32>):
  %zero = arith.constant 0.0 : f32
  %v = nt.full %zero : f32 -> !nt.tensor<[64] x f32>
  %p = nt.pointer %x : !nt.tensor<[64] x f32> -> !tt.ptr<f32>
  %yes = arith.constant true
  nt.store %v, %x[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  scf.if %yes {
    %a = nt.pointer_load %p : !tt.ptr<f32> -> f32
  }
  nt.store %v, %x[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  nt.return
}

// An index of fewer bits may be another one,
// CHECK-LABEL: nt.kernel @narrower
// CHECK: %a = nt.load %x[%k]
// CHECK-NEXT: %b = nt.load %x[%l]
nt.kernel @narrower symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x0 = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x1 = nt.tile %x0 [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  %x2 = nt.tile %x1 [4] strides [4] dilation [1] floor false level 0
      : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>> -> !nt.tensor<[n ceildiv 64 ceildiv 4] x !nt.tensor<[4] x !nt.tensor<[64] x f32>>>
  nt.arranged %x2 : !nt.tensor<[n ceildiv 64 ceildiv 4] x !nt.tensor<[4] x !nt.tensor<[64] x f32>>>
} apply {
^bb0(%x : !nt.tensor<[4] x !nt.tensor<[64] x f32>>):
  %k = nt.program_number : i32
  %s = nt.cast %k : i32 -> i8
  %l = nt.cast %s : i8 -> i32
  %a = nt.load %x[%k] : !nt.tensor<[4] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x f32>
  %b = nt.load %x[%l] : !nt.tensor<[4] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x f32>
  %c = nt.elementwise "add"(%a, %b) : (!nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
  nt.store %c, %x[%k] : !nt.tensor<[64] x f32>, !nt.tensor<[4] x !nt.tensor<[64] x f32>>[i32]
  nt.return
}

// and so may an offset.
// CHECK-LABEL: nt.kernel @offsets_of_two_types
// CHECK: %a = nt.pointer_load %q
// CHECK: %b = nt.pointer_load %r
nt.kernel @offsets_of_two_types symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x0 = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x1 = nt.tile %x0 [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  %x2 = nt.tile %x1 [4] strides [4] dilation [1] floor false level 0
      : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>> -> !nt.tensor<[n ceildiv 64 ceildiv 4] x !nt.tensor<[4] x !nt.tensor<[64] x f32>>>
  nt.arranged %x2 : !nt.tensor<[n ceildiv 64 ceildiv 4] x !nt.tensor<[4] x !nt.tensor<[64] x f32>>>
} apply {
^bb0(%x : !nt.tensor<[4] x !nt.tensor<[64] x f32>>):
  %k = nt.program_number : i32
  %s = nt.cast %k : i32 -> i8
  %l = nt.cast %k : i32 -> i64
  %p = nt.pointer %x : !nt.tensor<[4] x !nt.tensor<[64] x f32>> -> !tt.ptr<f32>
  %q = nt.addptr %p, %s : !tt.ptr<f32>, i8
  %r = nt.addptr %p, %l : !tt.ptr<f32>, i64
  %a = nt.pointer_load %q : !tt.ptr<f32> -> f32
  %b = nt.pointer_load %r : !tt.ptr<f32> -> f32
  %c = nt.elementwise "add"(%a, %b) : (f32, f32) -> f32
  nt.pointer_store %c, %q : f32, !tt.ptr<f32>
  nt.return
}
