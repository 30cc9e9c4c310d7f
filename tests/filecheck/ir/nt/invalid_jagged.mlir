// RUN: nt-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK: nt.source: the jagged dim is behind the batch, not 0
nt.kernel @k arrange {
  %x = nt.source "x" "tensor" strides [0, 1] jagged <0 length l start s offsets o i64> aligned false : !nt.tensor<[b, n] x f32>
  nt.arranged
} apply {
  nt.return
}

// -----

// CHECK: nt.source: the jagged dim is behind the batch, not 2
nt.kernel @k arrange {
  %x = nt.source "x" "tensor" strides [0, 1] jagged <2 length l start s offsets o i64> aligned false : !nt.tensor<[b, n] x f32>
  nt.arranged
} apply {
  nt.return
}

// -----

// CHECK: nt.source: the batch of a jagged tensor has no stride; write 0
nt.kernel @k arrange {
  %x = nt.source "x" "tensor" strides [n, 1] jagged <1 length l start s offsets o i64> aligned false : !nt.tensor<[b, n] x f32>
  nt.arranged
} apply {
  nt.return
}

// -----

// CHECK: nt.source: offsets are i32 or i64
nt.kernel @k arrange {
  %x = nt.source "x" "tensor" strides [0, 1] jagged <1 length l start s offsets o i16> aligned false : !nt.tensor<[b, n] x f32>
  nt.arranged
} apply {
  nt.return
}

// -----

// CHECK: nt.sequences: offsets are integers
nt.kernel @k arrange {
  %x = nt.source "x" "tensor" strides [0, 1] jagged <1 length l start s offsets o i64> aligned false : !nt.tensor<[b, n] x f32>
  nt.arranged %x : !nt.tensor<[b, n] x f32>
} apply {
^bb0(%a : !nt.tensor<[] x f32>):
  %p = nt.sequences %a : !nt.tensor<[] x f32> -> !tt.ptr<f32>
  nt.return
}
