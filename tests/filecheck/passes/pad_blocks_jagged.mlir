// RUN: nt-opt %s --print-local-scope -p nt-pad-blocks | filecheck %s

// A block of a whole sequence has room for the longest, and its lanes end where the sequence does.
// CHECK-LABEL: nt.kernel @sum
// CHECK: nt.access %x <{{\[\[}}b, 1], [1, 128]] -> [g0, b1] if {{\[\[}}b1, length]]>
// CHECK: [[ones:%.*]] = nt.full {{%.*}} : f32 -> !nt.tensor<[1, 128] x f32>
// CHECK: [[limit:%.*]] = nt.size <length> : i32
// CHECK: nt.full [[limit]]
// CHECK: [[valid:%.*]] = nt.elementwise "where"({{%.*}}, [[ones]], {{%.*}})
// CHECK: nt.reduce "sum" [[valid]]
nt.kernel @sum symbols [#nt.symbol<b size 0 to ?>, #nt.symbol<n size 0 to ?>, #nt.symbol<length length 0 to ?>, #nt.symbol<start start 0 to ?>] padded_sizes [#nt.exprs[n, 128]] arrange {
  %x = nt.source "x" "tensor" strides [0, 1] jagged <1 length length start start offsets offsets i64> aligned false : !nt.tensor<[b, n] x f32>
  %0 = nt.access %x <[[b, 1], [1, n]] -> [g0, b1] if [[b1, length]]>
      : !nt.tensor<[b, n] x f32> -> !nt.tensor<[b, 1] x !nt.tensor<[1, n] x f32>>
  nt.arranged %0 : !nt.tensor<[b, 1] x !nt.tensor<[1, n] x f32>>
} apply {
^bb0(%a : !nt.tensor<[1, length] x f32>):
  %one = arith.constant 1.0 : f32
  %ones = nt.full %one : f32 -> !nt.tensor<[1, length] x f32>
  %sum = nt.reduce "sum" %ones axis 1 : !nt.tensor<[1, length] x f32> -> !nt.tensor<[1] x f32>
  %row = nt.expand_dims %sum axis 1 : !nt.tensor<[1] x f32> -> !nt.tensor<[1, 1] x f32>
  %all = nt.broadcast %row : !nt.tensor<[1, 1] x f32> -> !nt.tensor<[1, length] x f32>
  nt.store %all, %a[] : !nt.tensor<[1, length] x f32>, !nt.tensor<[1, length] x f32>[]
  nt.return
}
