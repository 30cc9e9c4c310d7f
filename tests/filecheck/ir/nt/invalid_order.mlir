// RUN: nt-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK: nt.flip: there is no dim 2
nt.kernel @k arrange {
  %x0 = nt.source "x0" "scalar" strides [] aligned false : !nt.tensor<[] x f32>
  nt.arranged %x0 : !nt.tensor<[] x f32>
} apply {
^bb0(%v : !nt.tensor<[4, 8] x f32>):
  %f = nt.flip %v axis 2 : !nt.tensor<[4, 8] x f32>
  nt.return
}

// -----

// CHECK: nt.gather: !nt.tensor<[4, 8] x f32> cannot be indexed by !nt.tensor<[4] x i32> along 0
nt.kernel @k arrange {
  %x0 = nt.source "x0" "scalar" strides [] aligned false : !nt.tensor<[] x f32>
  nt.arranged %x0 : !nt.tensor<[] x f32>
} apply {
^bb0(%v : !nt.tensor<[4, 8] x f32>, %i : !nt.tensor<[4] x i32>):
  %f = nt.gather %v[%i] axis 0
      : !nt.tensor<[4, 8] x f32>[!nt.tensor<[4] x i32>] -> !nt.tensor<[4] x f32>
  nt.return
}

// -----

// CHECK: nt.gather: !nt.tensor<[4, 8] x f32> cannot be indexed by !nt.tensor<[4, 2] x i32> along 2
nt.kernel @k arrange {
  %x0 = nt.source "x0" "scalar" strides [] aligned false : !nt.tensor<[] x f32>
  nt.arranged %x0 : !nt.tensor<[] x f32>
} apply {
^bb0(%v : !nt.tensor<[4, 8] x f32>, %i : !nt.tensor<[4, 2] x i32>):
  %f = nt.gather %v[%i] axis 2
      : !nt.tensor<[4, 8] x f32>[!nt.tensor<[4, 2] x i32>] -> !nt.tensor<[4, 2] x f32>
  nt.return
}

// -----

// CHECK: nt.gather: the indices must be integers
nt.kernel @k arrange {
  %x0 = nt.source "x0" "scalar" strides [] aligned false : !nt.tensor<[] x f32>
  nt.arranged %x0 : !nt.tensor<[] x f32>
} apply {
^bb0(%v : !nt.tensor<[4, 8] x f32>):
  %f = nt.gather %v[%v] axis 1
      : !nt.tensor<[4, 8] x f32>[!nt.tensor<[4, 8] x f32>] -> !nt.tensor<[4, 8] x f32>
  nt.return
}

// -----

// CHECK: nt.gather: the other dims must be those of the indices
nt.kernel @k arrange {
  %x0 = nt.source "x0" "scalar" strides [] aligned false : !nt.tensor<[] x f32>
  nt.arranged %x0 : !nt.tensor<[] x f32>
} apply {
^bb0(%v : !nt.tensor<[4, 8] x f32>, %i : !nt.tensor<[4, 2] x i32>):
  %f = nt.gather %v[%i] axis 0
      : !nt.tensor<[4, 8] x f32>[!nt.tensor<[4, 2] x i32>] -> !nt.tensor<[4, 2] x f32>
  nt.return
}

// -----

// CHECK: nt.gather: the result must have type !nt.tensor<[4, 2] x f32>
nt.kernel @k arrange {
  %x0 = nt.source "x0" "scalar" strides [] aligned false : !nt.tensor<[] x f32>
  nt.arranged %x0 : !nt.tensor<[] x f32>
} apply {
^bb0(%v : !nt.tensor<[4, 8] x f32>, %i : !nt.tensor<[4, 2] x i32>):
  %f = nt.gather %v[%i] axis 1
      : !nt.tensor<[4, 8] x f32>[!nt.tensor<[4, 2] x i32>] -> !nt.tensor<[4, 2] x f16>
  nt.return
}
