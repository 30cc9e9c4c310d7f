// RUN: nt-opt %s -p nt-compose-arrangement | filecheck %s

// Guards end where the program's sequence does; indices and sizes know the longest.
// CHECK-LABEL: nt.kernel @blocks
// CHECK: nt.access %x <{{\[\[}}b, n ceildiv 64], [1, 64]] -> [g0, b1 + g1 * 64] if {{\[\[}}b1 + g1 * 64, length]]>
nt.kernel @blocks symbols [#nt.symbol<b size 0 to ?>, #nt.symbol<n size 0 to ?>, #nt.symbol<length length 0 to ?>, #nt.symbol<start start 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [0, 1] jagged <1 length length start start offsets offsets i64> aligned false : !nt.tensor<[b, n] x f32>
  %0 = nt.tile %x [1, 64] strides [1, 64] dilation [1, 1] floor false level 0
      : !nt.tensor<[b, n] x f32> -> !nt.tensor<[b, n ceildiv 64] x !nt.tensor<[1, 64] x f32>>
  nt.arranged %0 : !nt.tensor<[b, n ceildiv 64] x !nt.tensor<[1, 64] x f32>>
} apply {
^bb0(%a : !nt.tensor<[1, 64] x f32>):
  nt.return
}

// A whole sequence as one block.
// CHECK-LABEL: nt.kernel @whole
// CHECK: nt.access %x <{{\[\[}}b, 1], [1, n]] -> [g0, b1] if {{\[\[}}b1, length]]>
nt.kernel @whole symbols [#nt.symbol<b size 0 to ?>, #nt.symbol<n size 0 to ?>, #nt.symbol<length length 0 to ?>, #nt.symbol<start start 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [0, 1] jagged <1 length length start start offsets offsets i64> aligned false : !nt.tensor<[b, n] x f32>
  %0 = nt.tile %x [1, n] strides [1, n] dilation [1, 1] floor false level 0
      : !nt.tensor<[b, n] x f32> -> !nt.tensor<[b, n ceildiv n] x !nt.tensor<[1, n] x f32>>
  nt.arranged %0 : !nt.tensor<[b, n ceildiv n] x !nt.tensor<[1, n] x f32>>
} apply {
^bb0(%a : !nt.tensor<[1, length] x f32>):
  nt.return
}
