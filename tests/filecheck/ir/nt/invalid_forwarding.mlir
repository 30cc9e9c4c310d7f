// RUN: nt-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK: nt.stored: 0 indices for 1 dims of the levels above the block
nt.kernel @k arrange {
  %x = nt.source "x" "scalar" strides [] aligned false : !nt.tensor<[] x f32>
  nt.arranged %x : !nt.tensor<[] x f32>
} apply {
^bb0(%r : !nt.tensor<[n] x !nt.tensor<[64] x f32>>):
  %one = arith.constant 1.0 : f32
  %v = nt.full %one : f32 -> !nt.tensor<[64] x f32>
  %w = nt.stored %v at %r[] : !nt.tensor<[n] x !nt.tensor<[64] x f32>>[] -> !nt.tensor<[64] x f32>
  nt.return
}

// -----

// CHECK: nt.stored: the result must have type !nt.tensor<[64] x f32>, not f32
nt.kernel @k arrange {
  %x = nt.source "x" "scalar" strides [] aligned false : !nt.tensor<[] x f32>
  nt.arranged %x : !nt.tensor<[] x f32>
} apply {
^bb0(%r : !nt.tensor<[64] x f32>):
  %one = arith.constant 1.0 : f32
  %w = nt.stored %one at %r[] : !nt.tensor<[64] x f32>[] -> f32
  nt.return
}
