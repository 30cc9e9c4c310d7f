// RUN: nt-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK: nt.squeeze: a dim is a number, not n
nt.kernel @k arrange {
  %x = nt.source "x" "tensor" strides [0] aligned false : !nt.tensor<[1] x f32>
  %0 = nt.squeeze %x [n] level 0 : !nt.tensor<[1] x f32> -> !nt.tensor<[] x f32>
  nt.arranged %0 : !nt.tensor<[] x f32>
} apply {
^bb0(%v : !nt.tensor<[] x f32>):
  nt.return
}

// -----

// CHECK: nt.squeeze: the dims must ascend, counted from 0
nt.kernel @k arrange {
  %x = nt.source "x" "tensor" strides [0] aligned false : !nt.tensor<[1] x f32>
  %0 = nt.squeeze %x [0, 0] level 0 : !nt.tensor<[1] x f32> -> !nt.tensor<[] x f32>
  nt.arranged %0 : !nt.tensor<[] x f32>
} apply {
^bb0(%v : !nt.tensor<[] x f32>):
  nt.return
}

// -----

// CHECK: nt.unsqueeze: there is no dim 7
nt.kernel @k arrange {
  %x = nt.source "x" "tensor" strides [0] aligned false : !nt.tensor<[1] x f32>
  %0 = nt.unsqueeze %x dim 7 level 0 : !nt.tensor<[1] x f32> -> !nt.tensor<[1, 1] x f32>
  nt.arranged %0 : !nt.tensor<[1, 1] x f32>
} apply {
^bb0(%v : !nt.tensor<[1, 1] x f32>):
  nt.return
}

// -----

// CHECK: nt.flatten: two dims say where the merged ones begin and end
nt.kernel @k arrange {
  %x = nt.source "x" "tensor" strides [0] aligned false : !nt.tensor<[1] x f32>
  %0 = nt.flatten %x [] level 0 : !nt.tensor<[1] x f32> -> !nt.tensor<[1] x f32>
  nt.arranged %0 : !nt.tensor<[1] x f32>
} apply {
^bb0(%v : !nt.tensor<[1] x f32>):
  nt.return
}

// -----

// Levels count from the outermost.
// CHECK: nt.flatten: there is no level -1
nt.kernel @k arrange {
  %x = nt.source "x" "tensor" strides [0] aligned false : !nt.tensor<[1] x f32>
  %0 = nt.flatten %x [0, 1] level -1 : !nt.tensor<[1] x f32> -> !nt.tensor<[1] x f32>
  nt.arranged %0 : !nt.tensor<[1] x f32>
} apply {
^bb0(%v : !nt.tensor<[1] x f32>):
  nt.return
}
