// RUN: nt-opt %s -p nt-clamp-guards | filecheck %s
// RUN: nt-opt %s -p nt-clamp-guards | nt-opt | filecheck %s
// RUN: nt-opt %s -p 'nt-clamp-guards{enabled=false}' | filecheck %s --check-prefix=OFF
// RUN: nt-opt %s -p nt-clamp-guards,nt-lower-accesses | filecheck %s --check-prefix=LOWERED

// OFF-NOT: clamped

!xs = !nt.tensor<[k ceildiv 16] x !nt.tensor<[16, 16] x f16>>
!ys = !nt.tensor<[k ceildiv 16] x !nt.tensor<[16, 32] x f16>>
!z = !nt.tensor<[16, 32] x f32>

// Rows of the one operand and columns of the other, which reach only lanes that are not stored. K is
// summed, and keeps its guard.
// CHECK-LABEL: nt.kernel @product
// CHECK: nt.load %xs[%i] guards {{\[\[}}b1 + k1_0 * 16, k]] clamped {{\[\[}}b0 + g0 * 16, m]] other
// CHECK: nt.load %ys[%i] guards {{\[\[}}b0 + k1_0 * 16, k]] clamped {{\[\[}}b1 + g1 * 32, n]] other
// LOWERED-LABEL: nt.kernel @product
// LOWERED: [[least:%.*]] = arith.minsi
// LOWERED: arith.muli [[least]]
nt.kernel @product symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>, #nt.symbol<k size 0 to ?>, #nt.symbol<s stride ? to ?>, #nt.symbol<t stride ? to ?>] grid #nt.expr<(m ceildiv 16) * (n ceildiv 32)> arrange {
  %x = nt.source "x" "tensor" strides [s, 1] aligned true : !nt.tensor<[m, k] x f16>
  %y = nt.source "y" "tensor" strides [t, 1] aligned true : !nt.tensor<[k, n] x f16>
  %z = nt.source "z" "tensor" strides [n, 1] aligned true : !nt.tensor<[m, n] x f32>
  %x0 = nt.access %x <[[m ceildiv 16, n ceildiv 32], [k ceildiv 16], [16, 16]] -> [g0 * 16 + b0, k1_0 * 16 + b1] if [[g0 * 16 + b0, m], [k1_0 * 16 + b1, k]]>
      : !nt.tensor<[m, k] x f16> -> !nt.tensor<[m ceildiv 16, n ceildiv 32] x !xs>
  %y0 = nt.access %y <[[m ceildiv 16, n ceildiv 32], [k ceildiv 16], [16, 32]] -> [k1_0 * 16 + b0, g1 * 32 + b1] if [[k1_0 * 16 + b0, k], [g1 * 32 + b1, n]]>
      : !nt.tensor<[k, n] x f16> -> !nt.tensor<[m ceildiv 16, n ceildiv 32] x !ys>
  %z0 = nt.access %z <[[m ceildiv 16, n ceildiv 32], [16, 32]] -> [g0 * 16 + b0, g1 * 32 + b1] if [[g0 * 16 + b0, m], [g1 * 32 + b1, n]]>
      : !nt.tensor<[m, n] x f32> -> !nt.tensor<[m ceildiv 16, n ceildiv 32] x !z>
  nt.arranged %x0, %y0, %z0 : !nt.tensor<[m ceildiv 16, n ceildiv 32] x !xs>, !nt.tensor<[m ceildiv 16, n ceildiv 32] x !ys>, !nt.tensor<[m ceildiv 16, n ceildiv 32] x !z>
} apply {
^bb0(%xs : !xs, %ys : !ys, %zs : !z):
  %pid = nt.program_id : index
  %g0, %g1 = nt.program_index %pid [m ceildiv 16, n ceildiv 32] : index, index
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %count = nt.size <k ceildiv 16> : i32
  %zero = arith.constant 0.0 : f32
  %start = nt.full %zero : f32 -> !z
  %sum = scf.for %i = %c0 to %count step %c1 iter_args(%acc = %start) -> (!z) : i32 {
    %v = nt.load %xs[%i] other 0.0 : f16 : !xs[i32] -> !nt.tensor<[16, 16] x f16>
    %w = nt.load %ys[%i] other 0.0 : f16 : !ys[i32] -> !nt.tensor<[16, 32] x f16>
    %next = nt.dot %v, %w, %acc : !nt.tensor<[16, 16] x f16>, !nt.tensor<[16, 32] x f16> -> !z
    scf.yield %next : !z
  }
  nt.store %sum, %zs[] : !z, !z[]
  nt.return
}

// A thread reads several neighbours of a column at once, which a clamped index would tear apart.
// CHECK-LABEL: nt.kernel @aligned
// CHECK: nt.load %xs[%i] guards {{\[\[}}b1 + k1_0 * 16, k]] clamped {{\[\[}}b0 + g0 * 16, m]] other
// CHECK: nt.load %ys[%i] other
nt.kernel @aligned symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ? div 16>, #nt.symbol<k size 0 to ?>, #nt.symbol<s stride ? to ? div 16>, #nt.symbol<t stride ? to ? div 16>] grid #nt.expr<(m ceildiv 16) * (n ceildiv 32)> arrange {
  %x = nt.source "x" "tensor" strides [s, 1] aligned true : !nt.tensor<[m, k] x f16>
  %y = nt.source "y" "tensor" strides [t, 1] aligned true : !nt.tensor<[k, n] x f16>
  %z = nt.source "z" "tensor" strides [n, 1] aligned true : !nt.tensor<[m, n] x f32>
  %x0 = nt.access %x <[[m ceildiv 16, n ceildiv 32], [k ceildiv 16], [16, 16]] -> [g0 * 16 + b0, k1_0 * 16 + b1] if [[g0 * 16 + b0, m], [k1_0 * 16 + b1, k]]>
      : !nt.tensor<[m, k] x f16> -> !nt.tensor<[m ceildiv 16, n ceildiv 32] x !xs>
  %y0 = nt.access %y <[[m ceildiv 16, n ceildiv 32], [k ceildiv 16], [16, 32]] -> [k1_0 * 16 + b0, g1 * 32 + b1] if [[k1_0 * 16 + b0, k], [g1 * 32 + b1, n]]>
      : !nt.tensor<[k, n] x f16> -> !nt.tensor<[m ceildiv 16, n ceildiv 32] x !ys>
  %z0 = nt.access %z <[[m ceildiv 16, n ceildiv 32], [16, 32]] -> [g0 * 16 + b0, g1 * 32 + b1] if [[g0 * 16 + b0, m], [g1 * 32 + b1, n]]>
      : !nt.tensor<[m, n] x f32> -> !nt.tensor<[m ceildiv 16, n ceildiv 32] x !z>
  nt.arranged %x0, %y0, %z0 : !nt.tensor<[m ceildiv 16, n ceildiv 32] x !xs>, !nt.tensor<[m ceildiv 16, n ceildiv 32] x !ys>, !nt.tensor<[m ceildiv 16, n ceildiv 32] x !z>
} apply {
^bb0(%xs : !xs, %ys : !ys, %zs : !z):
  %pid = nt.program_id : index
  %g0, %g1 = nt.program_index %pid [m ceildiv 16, n ceildiv 32] : index, index
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %count = nt.size <k ceildiv 16> : i32
  %zero = arith.constant 0.0 : f32
  %start = nt.full %zero : f32 -> !z
  %sum = scf.for %i = %c0 to %count step %c1 iter_args(%acc = %start) -> (!z) : i32 {
    %v = nt.load %xs[%i] other 0.0 : f16 : !xs[i32] -> !nt.tensor<[16, 16] x f16>
    %w = nt.load %ys[%i] other 0.0 : f16 : !ys[i32] -> !nt.tensor<[16, 32] x f16>
    %next = nt.dot %v, %w, %acc : !nt.tensor<[16, 16] x f16>, !nt.tensor<[16, 32] x f16> -> !z
    scf.yield %next : !z
  }
  nt.store %sum, %zs[] : !z, !z[]
  nt.return
}

// Lanes that are summed matter all, and no op behind a reduction says which do not.
// CHECK-LABEL: nt.kernel @summed
// CHECK-NOT: clamped
nt.kernel @summed symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>, #nt.symbol<k size 0 to ?>, #nt.symbol<s stride ? to ?>, #nt.symbol<t stride ? to ?>] grid #nt.expr<(m ceildiv 16) * (n ceildiv 32)> arrange {
  %x = nt.source "x" "tensor" strides [s, 1] aligned true : !nt.tensor<[m, k] x f16>
  %y = nt.source "y" "tensor" strides [t, 1] aligned true : !nt.tensor<[k, n] x f16>
  %z = nt.source "z" "tensor" strides [n, 1] aligned true : !nt.tensor<[m, n] x f32>
  %x0 = nt.access %x <[[m ceildiv 16, n ceildiv 32], [k ceildiv 16], [16, 16]] -> [g0 * 16 + b0, k1_0 * 16 + b1] if [[g0 * 16 + b0, m], [k1_0 * 16 + b1, k]]>
      : !nt.tensor<[m, k] x f16> -> !nt.tensor<[m ceildiv 16, n ceildiv 32] x !xs>
  %y0 = nt.access %y <[[m ceildiv 16, n ceildiv 32], [k ceildiv 16], [16, 32]] -> [k1_0 * 16 + b0, g1 * 32 + b1] if [[k1_0 * 16 + b0, k], [g1 * 32 + b1, n]]>
      : !nt.tensor<[k, n] x f16> -> !nt.tensor<[m ceildiv 16, n ceildiv 32] x !ys>
  %z0 = nt.access %z <[[m ceildiv 16, n ceildiv 32], [16, 32]] -> [g0 * 16 + b0, g1 * 32 + b1] if [[g0 * 16 + b0, m], [g1 * 32 + b1, n]]>
      : !nt.tensor<[m, n] x f32> -> !nt.tensor<[m ceildiv 16, n ceildiv 32] x !z>
  nt.arranged %x0, %y0, %z0 : !nt.tensor<[m ceildiv 16, n ceildiv 32] x !xs>, !nt.tensor<[m ceildiv 16, n ceildiv 32] x !ys>, !nt.tensor<[m ceildiv 16, n ceildiv 32] x !z>
} apply {
^bb0(%xs : !xs, %ys : !ys, %zs : !z):
  %pid = nt.program_id : index
  %g0, %g1 = nt.program_index %pid [m ceildiv 16, n ceildiv 32] : index, index
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %count = nt.size <k ceildiv 16> : i32
  %zero = arith.constant 0.0 : f32
  %start = nt.full %zero : f32 -> !z
  %sum = scf.for %i = %c0 to %count step %c1 iter_args(%acc = %start) -> (!z) : i32 {
    %v = nt.load %xs[%i] other 0.0 : f16 : !xs[i32] -> !nt.tensor<[16, 16] x f16>
    %w = nt.load %ys[%i] other 0.0 : f16 : !ys[i32] -> !nt.tensor<[16, 32] x f16>
    %next = nt.dot %v, %w, %acc : !nt.tensor<[16, 16] x f16>, !nt.tensor<[16, 32] x f16> -> !z
    scf.yield %next : !z
  }
  %all = nt.reduce "sum" %sum axis 0 : !z -> !nt.tensor<[32] x f32>
  %row = nt.expand_dims %all axis 0 : !nt.tensor<[32] x f32> -> !nt.tensor<[1, 32] x f32>
  %rows = nt.broadcast %row : !nt.tensor<[1, 32] x f32> -> !z
  nt.store %rows, %zs[] : !z, !z[]
  nt.return
}
