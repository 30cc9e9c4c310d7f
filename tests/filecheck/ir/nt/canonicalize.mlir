// RUN: nt-opt %s --print-local-scope -p canonicalize | filecheck %s

// What changes nothing is its operand.
// CHECK-LABEL: nt.kernel @nothing
// CHECK: %a = nt.full
// CHECK-NEXT: nt.print "it" hex false(%a, %a, %a, %a, %a)
// CHECK-NEXT: nt.return
nt.kernel @nothing symbols [#nt.symbol<k size 0 to ?>, #nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>] arrange {
  nt.arranged
} apply {
  %zero = arith.constant 0.0 : f32
  %a = nt.full %zero : f32 -> !nt.tensor<[n, 4] x f32>
  %0 = nt.broadcast %a : !nt.tensor<[n, 4] x f32> -> !nt.tensor<[n, 4] x f32>
  %1 = nt.reshape %a : !nt.tensor<[n, 4] x f32> -> !nt.tensor<[n, 4] x f32>
  %2 = nt.bitcast %a : !nt.tensor<[n, 4] x f32> -> !nt.tensor<[n, 4] x f32>
  %3 = nt.cast %a : !nt.tensor<[n, 4] x f32> -> !nt.tensor<[n, 4] x f32>
  %4 = nt.trans %a order [0, 1] : !nt.tensor<[n, 4] x f32> -> !nt.tensor<[n, 4] x f32>
  nt.print "it" hex false(%0, %1, %2, %3, %4) : !nt.tensor<[n, 4] x f32>, !nt.tensor<[n, 4] x f32>, !nt.tensor<[n, 4] x f32>, !nt.tensor<[n, 4] x f32>, !nt.tensor<[n, 4] x f32>
  nt.return
}

// A conversion rounds, and dims of one size may change places.
// CHECK-LABEL: nt.kernel @something
// CHECK: %a = nt.full
// CHECK-NEXT: [[h:%.*]] = nt.cast %a : !nt.tensor<[n, n] x f32> -> !nt.tensor<[n, n] x f16>
// CHECK-NEXT: [[f:%.*]] = nt.cast [[h]] : !nt.tensor<[n, n] x f16> -> !nt.tensor<[n, n] x f32>
// CHECK-NEXT: [[t:%.*]] = nt.trans [[f]] order [1, 0]
// CHECK-NEXT: nt.print "it" hex false([[t]])
// CHECK-NEXT: nt.return
nt.kernel @something symbols [#nt.symbol<k size 0 to ?>, #nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>] arrange {
  nt.arranged
} apply {
  %zero = arith.constant 0.0 : f32
  %a = nt.full %zero : f32 -> !nt.tensor<[n, n] x f32>
  %0 = nt.cast %a : !nt.tensor<[n, n] x f32> -> !nt.tensor<[n, n] x f16>
  %1 = nt.cast %0 : !nt.tensor<[n, n] x f16> -> !nt.tensor<[n, n] x f32>
  %2 = nt.trans %1 order [1, 0] : !nt.tensor<[n, n] x f32> -> !nt.tensor<[n, n] x f32>
  nt.print "it" hex false(%2) : !nt.tensor<[n, n] x f32>
  nt.return
}

// Of several shapes, or types of the same bits, the last counts.
// CHECK-LABEL: nt.kernel @several
// CHECK: %a = nt.full
// CHECK-NEXT: [[r:%.*]] = nt.reshape %a : !nt.tensor<[n, 1] x f32> -> !nt.tensor<[1, n] x f32>
// CHECK-NEXT: [[b:%.*]] = nt.bitcast [[r]] : !nt.tensor<[1, n] x f32> -> !nt.tensor<[1, n] x i32>
// CHECK-NEXT: nt.print "it" hex false([[b]])
// CHECK-NEXT: nt.return
nt.kernel @several symbols [#nt.symbol<k size 0 to ?>, #nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>] arrange {
  nt.arranged
} apply {
  %zero = arith.constant 0.0 : f32
  %a = nt.full %zero : f32 -> !nt.tensor<[n, 1] x f32>
  %0 = nt.reshape %a : !nt.tensor<[n, 1] x f32> -> !nt.tensor<[n] x f32>
  %1 = nt.reshape %0 : !nt.tensor<[n] x f32> -> !nt.tensor<[1, n] x f32>
  %2 = nt.bitcast %1 : !nt.tensor<[1, n] x f32> -> !nt.tensor<[1, n] x ui32>
  %3 = nt.bitcast %2 : !nt.tensor<[1, n] x ui32> -> !nt.tensor<[1, n] x i32>
  nt.print "it" hex false(%3) : !nt.tensor<[1, n] x i32>
  nt.return
}

// Two broadcasts are one.
// CHECK-LABEL: nt.kernel @twice
// CHECK: %a = nt.full
// CHECK-NEXT: [[b:%.*]] = nt.broadcast %a : !nt.tensor<[1, 1] x f32> -> !nt.tensor<[m, n] x f32>
// CHECK-NEXT: nt.print "it" hex false([[b]])
// CHECK-NEXT: nt.return
nt.kernel @twice symbols [#nt.symbol<k size 0 to ?>, #nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>] arrange {
  nt.arranged
} apply {
  %zero = arith.constant 0.0 : f32
  %a = nt.full %zero : f32 -> !nt.tensor<[1, 1] x f32>
  %0 = nt.broadcast %a : !nt.tensor<[1, 1] x f32> -> !nt.tensor<[m, 1] x f32>
  %1 = nt.broadcast %0 : !nt.tensor<[m, 1] x f32> -> !nt.tensor<[m, n] x f32>
  nt.print "it" hex false(%1) : !nt.tensor<[m, n] x f32>
  nt.return
}

// Two orders are one, and one that puts the dims back is none.
// CHECK-LABEL: nt.kernel @orders
// CHECK: %a = nt.full
// CHECK-NEXT: [[t:%.*]] = nt.trans %a order [2, 0, 1] : !nt.tensor<[k, m, n] x f32> -> !nt.tensor<[n, k, m] x f32>
// CHECK-NEXT: nt.print "it" hex false([[t]], %a)
// CHECK-NEXT: nt.return
nt.kernel @orders symbols [#nt.symbol<k size 0 to ?>, #nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>] arrange {
  nt.arranged
} apply {
  %zero = arith.constant 0.0 : f32
  %a = nt.full %zero : f32 -> !nt.tensor<[k, m, n] x f32>
  %0 = nt.trans %a order [1, 2, 0] : !nt.tensor<[k, m, n] x f32> -> !nt.tensor<[m, n, k] x f32>
  %1 = nt.trans %0 order [1, 2, 0] : !nt.tensor<[m, n, k] x f32> -> !nt.tensor<[n, k, m] x f32>
  %2 = nt.trans %0 order [2, 0, 1] : !nt.tensor<[m, n, k] x f32> -> !nt.tensor<[k, m, n] x f32>
  nt.print "it" hex false(%1, %2) : !nt.tensor<[n, k, m] x f32>, !nt.tensor<[k, m, n] x f32>
  nt.return
}
