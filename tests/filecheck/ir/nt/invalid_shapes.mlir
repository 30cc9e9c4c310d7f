// RUN: nt-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK: nt.reshape: !nt.tensor<[8, 2] x f32> cannot become !nt.tensor<[4, 3] x f32>
nt.kernel @k symbols [#nt.symbol<n size 0 to ?>, #nt.symbol<m size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [m, 1] aligned false : !nt.tensor<[n, m] x f32>
  %0 = nt.tile %x [8, 2] strides [8, 2] dilation [1, 1] floor false level 0
      : !nt.tensor<[n, m] x f32> -> !nt.tensor<[n ceildiv 8, m ceildiv 2] x !nt.tensor<[8, 2] x f32>>
  nt.arranged %0 : !nt.tensor<[n ceildiv 8, m ceildiv 2] x !nt.tensor<[8, 2] x f32>>
} apply {
^bb0(%a : !nt.tensor<[8, 2] x f32>):
  %v = nt.load %a[] : !nt.tensor<[8, 2] x f32>[] -> !nt.tensor<[8, 2] x f32>
  %i = nt.arange <0> : !nt.tensor<[4] x i32>
  %j = nt.arange <0> : !nt.tensor<[8] x i32>
  %r = nt.reshape %v : !nt.tensor<[8, 2] x f32> -> !nt.tensor<[4, 3] x f32>
  nt.return
}

// -----

// CHECK: nt.reshape: !nt.tensor<[8, 2] x f32> cannot become !nt.tensor<[16] x i32>
nt.kernel @k symbols [#nt.symbol<n size 0 to ?>, #nt.symbol<m size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [m, 1] aligned false : !nt.tensor<[n, m] x f32>
  %0 = nt.tile %x [8, 2] strides [8, 2] dilation [1, 1] floor false level 0
      : !nt.tensor<[n, m] x f32> -> !nt.tensor<[n ceildiv 8, m ceildiv 2] x !nt.tensor<[8, 2] x f32>>
  nt.arranged %0 : !nt.tensor<[n ceildiv 8, m ceildiv 2] x !nt.tensor<[8, 2] x f32>>
} apply {
^bb0(%a : !nt.tensor<[8, 2] x f32>):
  %v = nt.load %a[] : !nt.tensor<[8, 2] x f32>[] -> !nt.tensor<[8, 2] x f32>
  %i = nt.arange <0> : !nt.tensor<[4] x i32>
  %j = nt.arange <0> : !nt.tensor<[8] x i32>
  %r = nt.reshape %v : !nt.tensor<[8, 2] x f32> -> !nt.tensor<[16] x i32>
  nt.return
}

// -----

// CHECK: nt.join: the result must have type !nt.tensor<[4, 2] x i32>
nt.kernel @k symbols [#nt.symbol<n size 0 to ?>, #nt.symbol<m size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [m, 1] aligned false : !nt.tensor<[n, m] x f32>
  %0 = nt.tile %x [8, 2] strides [8, 2] dilation [1, 1] floor false level 0
      : !nt.tensor<[n, m] x f32> -> !nt.tensor<[n ceildiv 8, m ceildiv 2] x !nt.tensor<[8, 2] x f32>>
  nt.arranged %0 : !nt.tensor<[n ceildiv 8, m ceildiv 2] x !nt.tensor<[8, 2] x f32>>
} apply {
^bb0(%a : !nt.tensor<[8, 2] x f32>):
  %v = nt.load %a[] : !nt.tensor<[8, 2] x f32>[] -> !nt.tensor<[8, 2] x f32>
  %i = nt.arange <0> : !nt.tensor<[4] x i32>
  %j = nt.arange <0> : !nt.tensor<[8] x i32>
  %r = nt.join %i, %i : !nt.tensor<[4] x i32> -> !nt.tensor<[2, 4] x i32>
  nt.return
}

// -----

// CHECK: nt.split: the last dim of !nt.tensor<[4] x i32> must be 2
nt.kernel @k symbols [#nt.symbol<n size 0 to ?>, #nt.symbol<m size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [m, 1] aligned false : !nt.tensor<[n, m] x f32>
  %0 = nt.tile %x [8, 2] strides [8, 2] dilation [1, 1] floor false level 0
      : !nt.tensor<[n, m] x f32> -> !nt.tensor<[n ceildiv 8, m ceildiv 2] x !nt.tensor<[8, 2] x f32>>
  nt.arranged %0 : !nt.tensor<[n ceildiv 8, m ceildiv 2] x !nt.tensor<[8, 2] x f32>>
} apply {
^bb0(%a : !nt.tensor<[8, 2] x f32>):
  %v = nt.load %a[] : !nt.tensor<[8, 2] x f32>[] -> !nt.tensor<[8, 2] x f32>
  %i = nt.arange <0> : !nt.tensor<[4] x i32>
  %j = nt.arange <0> : !nt.tensor<[8] x i32>
  %r, %s = nt.split %i : !nt.tensor<[4] x i32> -> i32
  nt.return
}

// -----

// CHECK: nt.split: the halves must have type !nt.tensor<[8] x f32>
nt.kernel @k symbols [#nt.symbol<n size 0 to ?>, #nt.symbol<m size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [m, 1] aligned false : !nt.tensor<[n, m] x f32>
  %0 = nt.tile %x [8, 2] strides [8, 2] dilation [1, 1] floor false level 0
      : !nt.tensor<[n, m] x f32> -> !nt.tensor<[n ceildiv 8, m ceildiv 2] x !nt.tensor<[8, 2] x f32>>
  nt.arranged %0 : !nt.tensor<[n ceildiv 8, m ceildiv 2] x !nt.tensor<[8, 2] x f32>>
} apply {
^bb0(%a : !nt.tensor<[8, 2] x f32>):
  %v = nt.load %a[] : !nt.tensor<[8, 2] x f32>[] -> !nt.tensor<[8, 2] x f32>
  %i = nt.arange <0> : !nt.tensor<[4] x i32>
  %j = nt.arange <0> : !nt.tensor<[8] x i32>
  %r, %s = nt.split %v : !nt.tensor<[8, 2] x f32> -> !nt.tensor<[4] x f32>
  nt.return
}

// -----

// CHECK: nt.address: 1 coordinates in a block of type !nt.tensor<[8, 2] x f32>
nt.kernel @k symbols [#nt.symbol<n size 0 to ?>, #nt.symbol<m size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [m, 1] aligned false : !nt.tensor<[n, m] x f32>
  %0 = nt.tile %x [8, 2] strides [8, 2] dilation [1, 1] floor false level 0
      : !nt.tensor<[n, m] x f32> -> !nt.tensor<[n ceildiv 8, m ceildiv 2] x !nt.tensor<[8, 2] x f32>>
  nt.arranged %0 : !nt.tensor<[n ceildiv 8, m ceildiv 2] x !nt.tensor<[8, 2] x f32>>
} apply {
^bb0(%a : !nt.tensor<[8, 2] x f32>):
  %v = nt.load %a[] : !nt.tensor<[8, 2] x f32>[] -> !nt.tensor<[8, 2] x f32>
  %i = nt.arange <0> : !nt.tensor<[4] x i32>
  %j = nt.arange <0> : !nt.tensor<[8] x i32>
  %r, %s = nt.address %a[] [%i] : !nt.tensor<[8, 2] x f32>[] [!nt.tensor<[4] x i32>] -> !nt.tensor<[4] x !tt.ptr<f32>>, !nt.tensor<[4] x i1>
  nt.return
}

// -----

// CHECK: nt.address: 1 indices for 0 dims of the levels above the block
nt.kernel @k symbols [#nt.symbol<n size 0 to ?>, #nt.symbol<m size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [m, 1] aligned false : !nt.tensor<[n, m] x f32>
  %0 = nt.tile %x [8, 2] strides [8, 2] dilation [1, 1] floor false level 0
      : !nt.tensor<[n, m] x f32> -> !nt.tensor<[n ceildiv 8, m ceildiv 2] x !nt.tensor<[8, 2] x f32>>
  nt.arranged %0 : !nt.tensor<[n ceildiv 8, m ceildiv 2] x !nt.tensor<[8, 2] x f32>>
} apply {
^bb0(%a : !nt.tensor<[8, 2] x f32>):
  %v = nt.load %a[] : !nt.tensor<[8, 2] x f32>[] -> !nt.tensor<[8, 2] x f32>
  %i = nt.arange <0> : !nt.tensor<[4] x i32>
  %j = nt.arange <0> : !nt.tensor<[8] x i32>
  %c = arith.constant 0 : i32
  %r, %s = nt.address %a[%c] [%i, %i] : !nt.tensor<[8, 2] x f32>[i32] [!nt.tensor<[4] x i32>, !nt.tensor<[4] x i32>] -> !nt.tensor<[4] x !tt.ptr<f32>>, !nt.tensor<[4] x i1>
  nt.return
}

// -----

// CHECK: nt.address: the coordinates must have one type
nt.kernel @k symbols [#nt.symbol<n size 0 to ?>, #nt.symbol<m size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [m, 1] aligned false : !nt.tensor<[n, m] x f32>
  %0 = nt.tile %x [8, 2] strides [8, 2] dilation [1, 1] floor false level 0
      : !nt.tensor<[n, m] x f32> -> !nt.tensor<[n ceildiv 8, m ceildiv 2] x !nt.tensor<[8, 2] x f32>>
  nt.arranged %0 : !nt.tensor<[n ceildiv 8, m ceildiv 2] x !nt.tensor<[8, 2] x f32>>
} apply {
^bb0(%a : !nt.tensor<[8, 2] x f32>):
  %v = nt.load %a[] : !nt.tensor<[8, 2] x f32>[] -> !nt.tensor<[8, 2] x f32>
  %i = nt.arange <0> : !nt.tensor<[4] x i32>
  %j = nt.arange <0> : !nt.tensor<[8] x i32>
  %r, %s = nt.address %a[] [%i, %j] : !nt.tensor<[8, 2] x f32>[] [!nt.tensor<[4] x i32>, !nt.tensor<[8] x i32>] -> !nt.tensor<[4] x !tt.ptr<f32>>, !nt.tensor<[4] x i1>
  nt.return
}

// -----

// CHECK: nt.address: coordinates are i32 or i64
nt.kernel @k symbols [#nt.symbol<n size 0 to ?>, #nt.symbol<m size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [m, 1] aligned false : !nt.tensor<[n, m] x f32>
  %0 = nt.tile %x [8, 2] strides [8, 2] dilation [1, 1] floor false level 0
      : !nt.tensor<[n, m] x f32> -> !nt.tensor<[n ceildiv 8, m ceildiv 2] x !nt.tensor<[8, 2] x f32>>
  nt.arranged %0 : !nt.tensor<[n ceildiv 8, m ceildiv 2] x !nt.tensor<[8, 2] x f32>>
} apply {
^bb0(%a : !nt.tensor<[8, 2] x f32>):
  %v = nt.load %a[] : !nt.tensor<[8, 2] x f32>[] -> !nt.tensor<[8, 2] x f32>
  %i = nt.arange <0> : !nt.tensor<[4] x i32>
  %j = nt.arange <0> : !nt.tensor<[8] x i32>
  %b = nt.cast %i : !nt.tensor<[4] x i32> -> !nt.tensor<[4] x i8>
  %r, %s = nt.address %a[] [%b, %b] : !nt.tensor<[8, 2] x f32>[] [!nt.tensor<[4] x i8>, !nt.tensor<[4] x i8>] -> !nt.tensor<[4] x !tt.ptr<f32>>, !nt.tensor<[4] x i1>
  nt.return
}

// -----

// CHECK: nt.address: the results must have the types !nt.tensor<[4] x !tt.ptr<f32>> and !nt.tensor<[4] x i1>
nt.kernel @k symbols [#nt.symbol<n size 0 to ?>, #nt.symbol<m size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [m, 1] aligned false : !nt.tensor<[n, m] x f32>
  %0 = nt.tile %x [8, 2] strides [8, 2] dilation [1, 1] floor false level 0
      : !nt.tensor<[n, m] x f32> -> !nt.tensor<[n ceildiv 8, m ceildiv 2] x !nt.tensor<[8, 2] x f32>>
  nt.arranged %0 : !nt.tensor<[n ceildiv 8, m ceildiv 2] x !nt.tensor<[8, 2] x f32>>
} apply {
^bb0(%a : !nt.tensor<[8, 2] x f32>):
  %v = nt.load %a[] : !nt.tensor<[8, 2] x f32>[] -> !nt.tensor<[8, 2] x f32>
  %i = nt.arange <0> : !nt.tensor<[4] x i32>
  %j = nt.arange <0> : !nt.tensor<[8] x i32>
  %r, %s = nt.address %a[] [%i, %i] : !nt.tensor<[8, 2] x f32>[] [!nt.tensor<[4] x i32>, !nt.tensor<[4] x i32>] -> !nt.tensor<[4] x !tt.ptr<i32>>, !nt.tensor<[4] x i1>
  nt.return
}
