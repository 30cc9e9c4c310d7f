// RUN: nt-opt %s --print-local-scope -p 'nt-lower-accesses,cse,nt-lower-to-tt,cse,dce' | filecheck %s

// The start and the length of a program's sequence are read once, also for a second tensor whose
// offsets a check holds equal; the batch has no stride.
// CHECK-LABEL: tt.func @double
// CHECK-SAME: %x: !tt.ptr<f32> {nt.param = "x"}, %xo: !tt.ptr<i64> {nt.symbol = "xo"}, %y: !tt.ptr<f32> {nt.param = "y"}, %n: i32
// CHECK-SAME: nt.params = [#nt.param<"x" tensor [b, n] [0, 1] offsets xo along 1>, #nt.param<"y" tensor [b, m] [0, 1] offsets yo along 1>]
// CHECK: [[first:%.*]] = tt.addptr %xo, %g0
// CHECK: [[behind:%.*]] = tt.addptr [[first]], {{%.*}}
// CHECK-NEXT: [[start:%.*]] = tt.load [[first]] : !tt.ptr<i64>
// CHECK-NEXT: %xs = arith.trunci [[start]] : i64 to i32
// CHECK-NEXT: [[end:%.*]] = tt.load [[behind]] : !tt.ptr<i64>
// CHECK-NEXT: [[narrow:%.*]] = arith.trunci [[end]] : i64 to i32
// CHECK-NEXT: %xl = arith.subi [[narrow]], %xs : i32
// CHECK: tt.splat %xl
// CHECK-NOT: tt.load {{.*}} : !tt.ptr<i64>
// CHECK: tt.store
nt.kernel @double symbols [#nt.symbol<b size 0 to ?>, #nt.symbol<n size 0 to ?>, #nt.symbol<m size 0 to ?>, #nt.symbol<xl length 0 to ?>, #nt.symbol<xs start 0 to ?>, #nt.symbol<yl length 0 to ?>, #nt.symbol<ys start 0 to ?>]
    checks [#nt.check<[xo] = [yo], "offsets">] grid #nt.expr<b * (n ceildiv 64)> arrange {
  %x = nt.source "x" "tensor" strides [0, 1] jagged <1 length xl start xs offsets xo i64> aligned false : !nt.tensor<[b, n] x f32>
  %0 = nt.access %x <[[b, n ceildiv 64], [1, 64]] -> [g0, b1 + g1 * 64] if [[b1 + g1 * 64, xl]]>
      : !nt.tensor<[b, n] x f32> -> !nt.tensor<[b, n ceildiv 64] x !nt.tensor<[1, 64] x f32>>
  %y = nt.source "y" "tensor" strides [0, 1] jagged <1 length yl start ys offsets yo i64> aligned false : !nt.tensor<[b, m] x f32>
  %1 = nt.access %y <[[b, m ceildiv 64], [1, 64]] -> [g0, b1 + g1 * 64] if [[b1 + g1 * 64, yl]]>
      : !nt.tensor<[b, m] x f32> -> !nt.tensor<[b, m ceildiv 64] x !nt.tensor<[1, 64] x f32>>
  nt.arranged %0, %1 : !nt.tensor<[b, n ceildiv 64] x !nt.tensor<[1, 64] x f32>>, !nt.tensor<[b, m ceildiv 64] x !nt.tensor<[1, 64] x f32>>
} apply {
^bb0(%a : !nt.tensor<[1, 64] x f32>, %c : !nt.tensor<[1, 64] x f32>):
  %pid = nt.program_id : index
  %g0, %g1 = nt.program_index %pid [b, n ceildiv 64] : index, index
  %v = nt.load %a[] : !nt.tensor<[1, 64] x f32>[] -> !nt.tensor<[1, 64] x f32>
  nt.store %v, %c[] : !nt.tensor<[1, 64] x f32>, !nt.tensor<[1, 64] x f32>[]
  nt.return
}

// Another batch index is another sequence, of equal offsets too,
// CHECK-LABEL: tt.func @turned
// CHECK-COUNT-4: tt.load {{.*}} : !tt.ptr<i64>
// CHECK: tt.store
nt.kernel @turned symbols [#nt.symbol<b size 0 to ?>, #nt.symbol<n size 0 to ?>, #nt.symbol<m size 0 to ?>, #nt.symbol<xl length 0 to ?>, #nt.symbol<xs start 0 to ?>, #nt.symbol<yl length 0 to ?>, #nt.symbol<ys start 0 to ?>]
    checks [#nt.check<[xo] = [yo], "offsets">] grid #nt.expr<b * (n ceildiv 64)> arrange {
  %x = nt.source "x" "tensor" strides [0, 1] jagged <1 length xl start xs offsets xo i64> aligned false : !nt.tensor<[b, n] x f32>
  %0 = nt.access %x <[[b, n ceildiv 64], [1, 64]] -> [g0, b1 + g1 * 64] if [[b1 + g1 * 64, xl]]>
      : !nt.tensor<[b, n] x f32> -> !nt.tensor<[b, n ceildiv 64] x !nt.tensor<[1, 64] x f32>>
  %y = nt.source "y" "tensor" strides [0, 1] jagged <1 length yl start ys offsets yo i64> aligned false : !nt.tensor<[b, m] x f32>
  %1 = nt.access %y <[[b, m ceildiv 64], [1, 64]] -> [b - g0 - 1, b1 + g1 * 64] if [[b1 + g1 * 64, yl]]>
      : !nt.tensor<[b, m] x f32> -> !nt.tensor<[b, m ceildiv 64] x !nt.tensor<[1, 64] x f32>>
  nt.arranged %0, %1 : !nt.tensor<[b, n ceildiv 64] x !nt.tensor<[1, 64] x f32>>, !nt.tensor<[b, m ceildiv 64] x !nt.tensor<[1, 64] x f32>>
} apply {
^bb0(%a : !nt.tensor<[1, 64] x f32>, %c : !nt.tensor<[1, 64] x f32>):
  %pid = nt.program_id : index
  %g0, %g1 = nt.program_index %pid [b, n ceildiv 64] : index, index
  %v = nt.load %a[] : !nt.tensor<[1, 64] x f32>[] -> !nt.tensor<[1, 64] x f32>
  nt.store %v, %c[] : !nt.tensor<[1, 64] x f32>, !nt.tensor<[1, 64] x f32>[]
  nt.return
}

// and so is one of offsets that may be others.
// CHECK-LABEL: tt.func @unequal
// CHECK: tt.addptr %xo, %g0
// CHECK-COUNT-2: tt.load {{.*}} : !tt.ptr<i64>
// CHECK: tt.addptr %yo, %g0
// CHECK-COUNT-2: tt.load {{.*}} : !tt.ptr<i64>
// CHECK: tt.store
nt.kernel @unequal symbols [#nt.symbol<b size 0 to ?>, #nt.symbol<n size 0 to ?>, #nt.symbol<m size 0 to ?>, #nt.symbol<xl length 0 to ?>, #nt.symbol<xs start 0 to ?>, #nt.symbol<yl length 0 to ?>, #nt.symbol<ys start 0 to ?>]
    grid #nt.expr<b * (n ceildiv 64)> arrange {
  %x = nt.source "x" "tensor" strides [0, 1] jagged <1 length xl start xs offsets xo i64> aligned false : !nt.tensor<[b, n] x f32>
  %0 = nt.access %x <[[b, n ceildiv 64], [1, 64]] -> [g0, b1 + g1 * 64] if [[b1 + g1 * 64, xl]]>
      : !nt.tensor<[b, n] x f32> -> !nt.tensor<[b, n ceildiv 64] x !nt.tensor<[1, 64] x f32>>
  %y = nt.source "y" "tensor" strides [0, 1] jagged <1 length yl start ys offsets yo i64> aligned false : !nt.tensor<[b, m] x f32>
  %1 = nt.access %y <[[b, m ceildiv 64], [1, 64]] -> [g0, b1 + g1 * 64] if [[b1 + g1 * 64, yl]]>
      : !nt.tensor<[b, m] x f32> -> !nt.tensor<[b, m ceildiv 64] x !nt.tensor<[1, 64] x f32>>
  nt.arranged %0, %1 : !nt.tensor<[b, n ceildiv 64] x !nt.tensor<[1, 64] x f32>>, !nt.tensor<[b, m ceildiv 64] x !nt.tensor<[1, 64] x f32>>
} apply {
^bb0(%a : !nt.tensor<[1, 64] x f32>, %c : !nt.tensor<[1, 64] x f32>):
  %pid = nt.program_id : index
  %g0, %g1 = nt.program_index %pid [b, n ceildiv 64] : index, index
  %v = nt.load %a[] : !nt.tensor<[1, 64] x f32>[] -> !nt.tensor<[1, 64] x f32>
  nt.store %v, %c[] : !nt.tensor<[1, 64] x f32>, !nt.tensor<[1, 64] x f32>[]
  nt.return
}

// A batch index that may lie outside: no sequence there.
// CHECK-LABEL: tt.func @before
// CHECK-SAME: %xo: !tt.ptr<i32> {nt.symbol = "xo"}
// CHECK: [[below:%.*]] = arith.cmpi slt
// CHECK: [[above:%.*]] = arith.cmpi sge
// CHECK: [[inside:%.*]] = arith.andi [[below]], [[above]] : i1
// CHECK: %xs = tt.load {{%.*}}, [[inside]], {{%.*}} : !tt.ptr<i32>
// CHECK: tt.load {{%.*}}, [[inside]], {{%.*}} : !tt.ptr<i32>
nt.kernel @before symbols [#nt.symbol<b size 0 to ?>, #nt.symbol<n size 0 to ?>, #nt.symbol<xl length 0 to ?>, #nt.symbol<xs start 0 to ?>] grid #nt.expr<b> arrange {
  %x = nt.source "x" "tensor" strides [0, 1] jagged <1 length xl start xs offsets xo i32> aligned false : !nt.tensor<[b, n] x f32>
  %0 = nt.access %x <[[b], [64]] -> [g0 - 1, b0] if [[g0 - 1, b], [b0, xl]]>
      : !nt.tensor<[b, n] x f32> -> !nt.tensor<[b] x !nt.tensor<[64] x f32>>
  nt.arranged %0 : !nt.tensor<[b] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%a : !nt.tensor<[64] x f32>):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [b] : index
  %v = nt.load %a[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  nt.store %v, %a[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  nt.return
}
