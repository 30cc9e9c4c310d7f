// RUN: nt-opt %s --print-local-scope -p nt-schedule-programs | filecheck %s

// One dim: the program's number is its index.
// CHECK-LABEL: nt.kernel @one_dim symbols [#nt.symbol<n size 0 to ?>] grid #nt.expr<n ceildiv 64> arrange {
// CHECK: %pid = nt.program_id : index
// CHECK-NEXT: %g0 = nt.program_index %pid [n ceildiv 64] : index
nt.kernel @one_dim symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x0 = nt.access %x <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %x0
      : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[64] x f32>):
  nt.return
}

// Row-major: the last dim moves fastest.
// CHECK-LABEL: nt.kernel @two_dims symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>] grid #nt.expr<m ceildiv 16 * (n ceildiv 32)> arrange {
// CHECK: %pid = nt.program_id : index
// CHECK-NEXT: %g0, %g1 = nt.program_index %pid [m ceildiv 16, n ceildiv 32] : index, index
nt.kernel @two_dims symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [n, 1] aligned false : !nt.tensor<[m, n] x f32>
  %x0 = nt.access %x <[[m ceildiv 16, n ceildiv 32], [16, 32]] -> [g0 * 16 + b0, g1 * 32 + b1] if [[g0 * 16 + b0, m], [g1 * 32 + b1, n]]>
      : !nt.tensor<[m, n] x f32> -> !nt.tensor<[m ceildiv 16, n ceildiv 32] x !nt.tensor<[16, 32] x f32>>
  nt.arranged %x0
      : !nt.tensor<[m ceildiv 16, n ceildiv 32] x !nt.tensor<[16, 32] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[16, 32] x f32>):
  nt.return
}

// A kernel of numbers only runs once.
// CHECK-LABEL: nt.kernel @scalar_only symbols [#nt.symbol<k scalar 0 to ?>] grid #nt.expr<1> arrange {
// CHECK: %pid = nt.program_id : index
// CHECK-NEXT: nt.program_index %pid []
nt.kernel @scalar_only symbols [#nt.symbol<k scalar 0 to ?>] arrange {
  %v = nt.source "v" "scalar" strides [] aligned false : !nt.tensor<[] x f32>
  nt.arranged %v
      : !nt.tensor<[] x f32>
} apply {
^bb0(%vs : !nt.tensor<[] x f32>):
  nt.return
}

// The program's number, which the application reads, is its id.
// CHECK-LABEL: nt.kernel @numbered
// CHECK: %pid = nt.program_id : index
// CHECK-NEXT: %g0 = nt.program_index %pid [n ceildiv 64] : index
// CHECK-NEXT: %number = nt.program_id : i32
// CHECK-NEXT: %count = nt.program_count : i32
nt.kernel @numbered symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x0 = nt.access %x <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %x0
      : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[64] x f32>):
  %number = nt.program_number : i32
  %count = nt.program_count : i32
  nt.return
}
