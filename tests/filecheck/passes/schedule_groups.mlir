// RUN: nt-opt %s -p 'nt-schedule-programs{grouped=8}' | filecheck %s
// RUN: nt-opt %s -p 'nt-schedule-programs{grouped=8}' | nt-opt | filecheck %s
// RUN: nt-opt %s -p 'nt-schedule-programs{grouped=8},nt-lower-accesses' | filecheck %s --check-prefix=LOWERED
// RUN: nt-opt %s -p nt-schedule-programs | filecheck %s --check-prefix=OFF
// RUN: nt-opt %s --remarks -p 'nt-schedule-programs{grouped=8}' 2>&1 | filecheck %s --check-prefix=REMARK
// RUN: nt-opt %s --remarks -p nt-schedule-programs 2>&1 | filecheck %s --check-prefix=POSSIBLE

// REMARK: remark: programs go down groups of 8 rows, which share it [nt-schedule-programs, passed]
// REMARK: remark: programs kept in order: one may wait for another by nt.atomic [nt-schedule-programs, missed]
// POSSIBLE: remark: programs kept in rows: grouped_programs is 1, and may be 8 or 16 [nt-schedule-programs, analysis]

// OFF-NOT: grouped

!row = !nt.tensor<[k] x !nt.tensor<[16] x f32>>
!tile = !nt.tensor<[16] x f32>
!rows = !nt.tensor<[b, m, n] x !row>

// A row of programs shares the blocks of x, a column those of y.
// CHECK-LABEL: nt.kernel @product
// CHECK: nt.program_index %pid [b, m, n] grouped 8 : index, index, index
// LOWERED-LABEL: nt.kernel @product
// LOWERED: %[[HEIGHT:.*]] = arith.minsi
// LOWERED: arith.remsi %[[IN_GROUP:.*]], %[[HEIGHT]] : i32
// LOWERED: arith.divsi %[[IN_GROUP]], %[[HEIGHT]] : i32
nt.kernel @product symbols [#nt.symbol<b size 0 to ?>, #nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>, #nt.symbol<k size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [m * k * 16, k * 16, 16, 1] aligned false : !nt.tensor<[b, m, k, 16] x f32>
  %y = nt.source "y" "tensor" strides [n * k * 16, k * 16, 16, 1] aligned false : !nt.tensor<[b, n, k, 16] x f32>
  %z = nt.source "z" "tensor" strides [m * n * 16, n * 16, 16, 1] aligned false : !nt.tensor<[b, m, n, 16] x f32>
  %x0 = nt.access %x <[[b, m, n], [k], [16]] -> [g0, g1, k1_0, b0] if [[k1_0, k]]> : !nt.tensor<[b, m, k, 16] x f32> -> !rows
  %y0 = nt.access %y <[[b, m, n], [k], [16]] -> [g0, g2, k1_0, b0] if [[k1_0, k]]> : !nt.tensor<[b, n, k, 16] x f32> -> !rows
  %z0 = nt.access %z <[[b, m, n], [16]] -> [g0, g1, g2, b0]> : !nt.tensor<[b, m, n, 16] x f32> -> !nt.tensor<[b, m, n] x !tile>
  nt.arranged %x0, %y0, %z0 : !rows, !rows, !nt.tensor<[b, m, n] x !tile>
} apply {
^bb0(%xs : !row, %ys : !row, %zs : !tile):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %count = nt.size <k> : i32
  %zero = arith.constant 0.0 : f32
  %start = nt.full %zero : f32 -> !tile
  %sum = scf.for %i = %c0 to %count step %c1 iter_args(%acc = %start) -> (!tile) : i32 {
    %v = nt.load %xs[%i] other 0.0 : f32 : !row[i32] -> !tile
    %w = nt.load %ys[%i] other 0.0 : f32 : !row[i32] -> !tile
    %p = nt.elementwise "mul"(%v, %w) : (!tile, !tile) -> !tile
    %next = nt.elementwise "add"(%acc, %p) : (!tile, !tile) -> !tile
    scf.yield %next : !tile
  }
  nt.store %sum, %zs[] : !tile, !tile[]
  nt.return
}

// Programs of a row share nothing that those of a column do not read apart.
// CHECK-LABEL: nt.kernel @rows
// CHECK: nt.program_index %pid [b, m, n] : index, index, index
nt.kernel @rows symbols [#nt.symbol<b size 0 to ?>, #nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>, #nt.symbol<k size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [m * k * 16, k * 16, 16, 1] aligned false : !nt.tensor<[b, m, k, 16] x f32>
  %z = nt.source "z" "tensor" strides [m * n * 16, n * 16, 16, 1] aligned false : !nt.tensor<[b, m, n, 16] x f32>
  %x0 = nt.access %x <[[b, m, n], [k], [16]] -> [g0, g1, k1_0, b0] if [[k1_0, k]]> : !nt.tensor<[b, m, k, 16] x f32> -> !rows
  %z0 = nt.access %z <[[b, m, n], [16]] -> [g0, g1, g2, b0]> : !nt.tensor<[b, m, n, 16] x f32> -> !nt.tensor<[b, m, n] x !tile>
  nt.arranged %x0, %z0 : !rows, !nt.tensor<[b, m, n] x !tile>
} apply {
^bb0(%xs : !row, %zs : !tile):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %count = nt.size <k> : i32
  %zero = arith.constant 0.0 : f32
  %start = nt.full %zero : f32 -> !tile
  %sum = scf.for %i = %c0 to %count step %c1 iter_args(%acc = %start) -> (!tile) : i32 {
    %v = nt.load %xs[%i] other 0.0 : f32 : !row[i32] -> !tile
    %next = nt.elementwise "add"(%acc, %v) : (!tile, !tile) -> !tile
    scf.yield %next : !tile
  }
  nt.store %sum, %zs[] : !tile, !tile[]
  nt.return
}

// A program that may wait for another one starts behind it.
// CHECK-LABEL: nt.kernel @atomic
// CHECK: nt.program_index %pid [b, m, n] : index, index, index
nt.kernel @atomic symbols [#nt.symbol<b size 0 to ?>, #nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>, #nt.symbol<k size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [m * k * 16, k * 16, 16, 1] aligned false : !nt.tensor<[b, m, k, 16] x f32>
  %y = nt.source "y" "tensor" strides [n * k * 16, k * 16, 16, 1] aligned false : !nt.tensor<[b, n, k, 16] x f32>
  %x0 = nt.access %x <[[b, m, n], [k], [16]] -> [g0, g1, k1_0, b0] if [[k1_0, k]]> : !nt.tensor<[b, m, k, 16] x f32> -> !rows
  %y0 = nt.access %y <[[b, m, n], [k], [16]] -> [g0, g2, k1_0, b0] if [[k1_0, k]]> : !nt.tensor<[b, n, k, 16] x f32> -> !rows
  nt.arranged %x0, %y0 : !rows, !rows
} apply {
^bb0(%xs : !row, %ys : !row):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %count = nt.size <k> : i32
  %zero = arith.constant 0.0 : f32
  %start = nt.full %zero : f32 -> !tile
  %sum = scf.for %i = %c0 to %count step %c1 iter_args(%acc = %start) -> (!tile) : i32 {
    %v = nt.load %xs[%i] other 0.0 : f32 : !row[i32] -> !tile
    %w = nt.load %ys[%i] other 0.0 : f32 : !row[i32] -> !tile
    %p = nt.elementwise "mul"(%v, %w) : (!tile, !tile) -> !tile
    %next = nt.elementwise "add"(%acc, %p) : (!tile, !tile) -> !tile
    scf.yield %next : !tile
  }
  %to = nt.pointer %xs : !row -> !tt.ptr<f32>
  %old = nt.atomic "add" %to, %zero "acq_rel" "gpu" : !tt.ptr<f32>, f32
  nt.return
}
