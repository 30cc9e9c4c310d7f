// RUN: nt-opt %s -p nt-guard-loads | filecheck %s
// RUN: nt-opt %s -p nt-guard-loads | nt-opt | filecheck %s
// RUN: nt-opt %s -p 'nt-guard-loads{enabled=false}' | filecheck %s --check-prefix=OFF

// OFF-NOT: guards

// Dense rows that are copied to sequences: what lies behind a sequence's end is not read. Columns
// keep their own guard, since nothing says which tensor has fewer.
// CHECK-LABEL: nt.kernel @unpad
// CHECK: nt.load %a[] guards [{{\[}}b0 + g1 * 2, length], [b1 + g2 * 64, f]]
nt.kernel @unpad symbols [#nt.symbol<b size 0 to ?>, #nt.symbol<s size 0 to ?>, #nt.symbol<f size 0 to ?>, #nt.symbol<e size 0 to ?>, #nt.symbol<length length 0 to ?>, #nt.symbol<start start 0 to ?>] grid #nt.expr<b * (s ceildiv 2) * (f ceildiv 64)> arrange {
  %x = nt.source "x" "tensor" strides [s * f, f, 1] aligned false : !nt.tensor<[b, s, f] x f32>
  %y = nt.source "y" "tensor" strides [0, e, 1] jagged <1 length length start start offsets offsets i64> aligned false : !nt.tensor<[b, s, e] x f32>
  %x0 = nt.access %x <[[b, s ceildiv 2, f ceildiv 64], [2, 64]] -> [g0, b0 + g1 * 2, b1 + g2 * 64] if [[b0 + g1 * 2, s], [b1 + g2 * 64, f]]>
      : !nt.tensor<[b, s, f] x f32> -> !nt.tensor<[b, s ceildiv 2, f ceildiv 64] x !nt.tensor<[2, 64] x f32>>
  %y0 = nt.access %y <[[b, s ceildiv 2, e ceildiv 64], [2, 64]] -> [g0, b0 + g1 * 2, b1 + g2 * 64] if [[b0 + g1 * 2, length], [b1 + g2 * 64, e]]>
      : !nt.tensor<[b, s, e] x f32> -> !nt.tensor<[b, s ceildiv 2, e ceildiv 64] x !nt.tensor<[2, 64] x f32>>
  nt.arranged %x0, %y0 : !nt.tensor<[b, s ceildiv 2, f ceildiv 64] x !nt.tensor<[2, 64] x f32>>, !nt.tensor<[b, s ceildiv 2, e ceildiv 64] x !nt.tensor<[2, 64] x f32>>
} apply {
^bb0(%a : !nt.tensor<[2, 64] x f32>, %c : !nt.tensor<[2, 64] x f32>):
  %pid = nt.program_id : index
  %g0, %g1, %g2 = nt.program_index %pid [b, s ceildiv 2, f ceildiv 64] : index, index, index
  %v = nt.load %a[] other 0.0 : f32 : !nt.tensor<[2, 64] x f32>[] -> !nt.tensor<[2, 64] x f32>
  %w = nt.elementwise "exp"(%v) : (!nt.tensor<[2, 64] x f32>) -> !nt.tensor<[2, 64] x f32>
  nt.store %w, %c[] : !nt.tensor<[2, 64] x f32>, !nt.tensor<[2, 64] x f32>[]
  nt.return
}

// A block of a row, which is expanded: a column is read where any of its rows is stored, and no call
// has checked that there are fewer columns of y. Programs without rows are left to nt-skip-programs.
// CHECK-LABEL: nt.kernel @expanded
// CHECK-NOT: guards
nt.kernel @expanded symbols [#nt.symbol<b size 0 to ?>, #nt.symbol<s size 0 to ?>, #nt.symbol<w size 0 to ?>, #nt.symbol<e size 0 to ?>, #nt.symbol<length length 0 to ?>, #nt.symbol<start start 0 to ?>] grid #nt.expr<b * (s ceildiv 2)> arrange {
  %x = nt.source "x" "tensor" strides [3] aligned false : !nt.tensor<[w] x f32>
  %y = nt.source "y" "tensor" strides [0, e, 1] jagged <1 length length start start offsets offsets i64> aligned false : !nt.tensor<[b, s, e] x f32>
  %x0 = nt.access %x <[[b, s ceildiv 2], [64]] -> [b0 * 3] if [[b0 * 3, w]]>
      : !nt.tensor<[w] x f32> -> !nt.tensor<[b, s ceildiv 2] x !nt.tensor<[64] x f32>>
  %y0 = nt.access %y <[[b, s ceildiv 2], [2, 64]] -> [g0, b0 + g1 * 2, b1] if [[b0 + g1 * 2, length], [b1, e]]>
      : !nt.tensor<[b, s, e] x f32> -> !nt.tensor<[b, s ceildiv 2] x !nt.tensor<[2, 64] x f32>>
  nt.arranged %x0, %y0 : !nt.tensor<[b, s ceildiv 2] x !nt.tensor<[64] x f32>>, !nt.tensor<[b, s ceildiv 2] x !nt.tensor<[2, 64] x f32>>
} apply {
^bb0(%a : !nt.tensor<[64] x f32>, %c : !nt.tensor<[2, 64] x f32>):
  %v = nt.load %a[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  %u = nt.expand_dims %v axis 0 : !nt.tensor<[64] x f32> -> !nt.tensor<[1, 64] x f32>
  %w = nt.broadcast %u : !nt.tensor<[1, 64] x f32> -> !nt.tensor<[2, 64] x f32>
  nt.store %w, %c[] : !nt.tensor<[2, 64] x f32>, !nt.tensor<[2, 64] x f32>[]
  nt.return
}

// Expanded the other way, and transposed: the end of the sequence is that of the rows.
// CHECK-LABEL: nt.kernel @transposed
// CHECK: nt.load %a[] guards [{{\[}}b0 + g1 * 2, length]]
nt.kernel @transposed symbols [#nt.symbol<b size 0 to ?>, #nt.symbol<s size 0 to ?>, #nt.symbol<e size 0 to ?>, #nt.symbol<length length 0 to ?>, #nt.symbol<start start 0 to ?>] grid #nt.expr<b * (s ceildiv 2)> arrange {
  %x = nt.source "x" "tensor" strides [3] aligned false : !nt.tensor<[s] x f32>
  %y = nt.source "y" "tensor" strides [0, e, 1] jagged <1 length length start start offsets offsets i64> aligned false : !nt.tensor<[b, s, e] x f32>
  %x0 = nt.access %x <[[b, s ceildiv 2], [2]] -> [b0 + g1 * 2] if [[b0 + g1 * 2, s]]>
      : !nt.tensor<[s] x f32> -> !nt.tensor<[b, s ceildiv 2] x !nt.tensor<[2] x f32>>
  %y0 = nt.access %y <[[b, s ceildiv 2], [2, 64]] -> [g0, b0 + g1 * 2, b1] if [[b0 + g1 * 2, length], [b1, e]]>
      : !nt.tensor<[b, s, e] x f32> -> !nt.tensor<[b, s ceildiv 2] x !nt.tensor<[2, 64] x f32>>
  nt.arranged %x0, %y0 : !nt.tensor<[b, s ceildiv 2] x !nt.tensor<[2] x f32>>, !nt.tensor<[b, s ceildiv 2] x !nt.tensor<[2, 64] x f32>>
} apply {
^bb0(%a : !nt.tensor<[2] x f32>, %c : !nt.tensor<[2, 64] x f32>):
  %v = nt.load %a[] : !nt.tensor<[2] x f32>[] -> !nt.tensor<[2] x f32>
  %u = nt.expand_dims %v axis 0 : !nt.tensor<[2] x f32> -> !nt.tensor<[1, 2] x f32>
  %w = nt.broadcast %u : !nt.tensor<[1, 2] x f32> -> !nt.tensor<[64, 2] x f32>
  %t = nt.trans %w order [1, 0] : !nt.tensor<[64, 2] x f32> -> !nt.tensor<[2, 64] x f32>
  nt.store %t, %c[] : !nt.tensor<[2, 64] x f32>, !nt.tensor<[2, 64] x f32>[]
  nt.return
}

// One load of two is reduced: the other is not told apart from it.
// CHECK-LABEL: nt.kernel @reduced
// CHECK-NOT: guards
nt.kernel @reduced symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>] checks [#nt.check<defined [n, m] = [min(n, m), m], "">] grid #nt.expr<n ceildiv 64> arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[m] x f32>
  %y = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x0 = nt.access %x <[[m ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, m]]>
      : !nt.tensor<[m] x f32> -> !nt.tensor<[m ceildiv 64] x !nt.tensor<[64] x f32>>
  %y0 = nt.access %y <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %x0, %y0 : !nt.tensor<[m ceildiv 64] x !nt.tensor<[64] x f32>>, !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%a : !nt.tensor<[64] x f32>, %b : !nt.tensor<[64] x f32>):
  %1 = nt.load %a[] other 0.0 : f32 : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  %2 = nt.load %a[] other 0.0 : f32 : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  %3 = nt.reduce "sum" %2 axis 0 : !nt.tensor<[64] x f32> -> f32
  %4 = nt.full %3 : f32 -> !nt.tensor<[64] x f32>
  %5 = nt.elementwise "add"(%1, %4) : (!nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
  nt.store %5, %b[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  nt.return
}

// A multiple of 16 elements is read 4 at a time. The end of y may lie within 4.
// CHECK-LABEL: nt.kernel @vectors
// CHECK-NOT: guards
nt.kernel @vectors symbols [#nt.symbol<m size 0 to ? div 16>, #nt.symbol<n size 0 to ?>] checks [#nt.check<defined [n, m] = [min(n, m), m], "">] grid #nt.expr<n ceildiv 64> arrange {
  %x = nt.source "x" "tensor" strides [1] aligned true : !nt.tensor<[m] x f32>
  %y = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x0 = nt.access %x <[[m ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, m]]>
      : !nt.tensor<[m] x f32> -> !nt.tensor<[m ceildiv 64] x !nt.tensor<[64] x f32>>
  %y0 = nt.access %y <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %x0, %y0 : !nt.tensor<[m ceildiv 64] x !nt.tensor<[64] x f32>>, !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%a : !nt.tensor<[64] x f32>, %b : !nt.tensor<[64] x f32>):
  %1 = nt.load %a[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  nt.store %1, %b[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  nt.return
}

// A sum over a loop is stored: what it begins with and each of its terms are demanded where it is.
// CHECK-LABEL: nt.kernel @accumulated
// CHECK: scf.for
// CHECK: nt.load %a[%i] guards [{{\[}}b0 + g1 * 64, length]]
nt.kernel @accumulated symbols [#nt.symbol<b size 0 to ?>, #nt.symbol<s size 0 to ?>, #nt.symbol<k size 0 to ?>, #nt.symbol<length length 0 to ?>, #nt.symbol<start start 0 to ?>] grid #nt.expr<b * (s ceildiv 64)> arrange {
  %x = nt.source "x" "tensor" strides [s, 3] aligned false : !nt.tensor<[k, s] x f32>
  %y = nt.source "y" "tensor" strides [0, 3] jagged <1 length length start start offsets offsets i64> aligned false : !nt.tensor<[b, s] x f32>
  %x0 = nt.access %x <[[b, s ceildiv 64], [k], [64]] -> [k1_0, b0 + g1 * 64] if [[b0 + g1 * 64, s]]>
      : !nt.tensor<[k, s] x f32> -> !nt.tensor<[b, s ceildiv 64] x !nt.tensor<[k] x !nt.tensor<[64] x f32>>>
  %y0 = nt.access %y <[[b, s ceildiv 64], [64]] -> [g0, b0 + g1 * 64] if [[b0 + g1 * 64, length]]>
      : !nt.tensor<[b, s] x f32> -> !nt.tensor<[b, s ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %x0, %y0 : !nt.tensor<[b, s ceildiv 64] x !nt.tensor<[k] x !nt.tensor<[64] x f32>>>, !nt.tensor<[b, s ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%a : !nt.tensor<[k] x !nt.tensor<[64] x f32>>, %c : !nt.tensor<[64] x f32>):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %n = nt.size <k> : i32
  %zero = arith.constant 0.0 : f32
  %init = nt.full %zero : f32 -> !nt.tensor<[64] x f32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init) -> (!nt.tensor<[64] x f32>) : i32 {
    %v = nt.load %a[%i] : !nt.tensor<[k] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x f32>
    %next = nt.elementwise "add"(%acc, %v) : (!nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
    scf.yield %next : !nt.tensor<[64] x f32>
  }
  nt.store %sum, %c[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  nt.return
}
