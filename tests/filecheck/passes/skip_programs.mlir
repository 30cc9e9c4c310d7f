// RUN: nt-opt %s -p nt-skip-programs | filecheck %s
// RUN: nt-opt %s -p nt-skip-programs | nt-opt | filecheck %s
// RUN: nt-opt %s -p 'nt-skip-programs{enabled=false}' | filecheck %s --check-prefix=OFF
// RUN: nt-opt %s -p nt-skip-programs,nt-lower-accesses,nt-hoist-invariants,cse | filecheck %s --check-prefix=LOWERED
// RUN: nt-opt %s --remarks -p nt-skip-programs 2>&1 | filecheck %s --check-prefix=REMARK

// REMARK: remark: empty programs skipped: this stores only where `g1 * 64 < length` [nt-skip-programs, passed]
// REMARK: remark: empty programs kept: nt.atomic has an effect beside the stores [nt-skip-programs, missed]

// OFF-NOT: nt.holds

// Programs behind the end of a sequence do nothing. Loads and loops are theirs alone.
// CHECK-LABEL: nt.kernel @sums
// CHECK: nt.program_index
// CHECK-NEXT: %stores = nt.holds [{{\[}}g1 * 64, length]] : i1
// CHECK-NEXT: scf.if %stores {
// CHECK: scf.for
// CHECK: nt.store
// CHECK-NEXT: } else {
// CHECK-NEXT: }
// CHECK-NEXT: nt.return
// LOWERED-LABEL: nt.kernel @sums
// LOWERED: %stores = arith.cmpi slt, %{{.*}}, %length : i32
// LOWERED-NEXT: scf.if %stores
nt.kernel @sums symbols [#nt.symbol<b size 0 to ?>, #nt.symbol<s size 0 to ?>, #nt.symbol<k size 0 to ?>, #nt.symbol<length length 0 to ?>, #nt.symbol<start start 0 to ?>] grid #nt.expr<b * (s ceildiv 64)> arrange {
  %x = nt.source "x" "tensor" strides [s, 3] aligned false : !nt.tensor<[k, s] x f32>
  %y = nt.source "y" "tensor" strides [0, 3] jagged <1 length length start start offsets offsets i64> aligned false : !nt.tensor<[b, s] x f32>
  %x0 = nt.access %x <[[b, s ceildiv 64], [k], [64]] -> [k1_0, b0 + g1 * 64] if [[b0 + g1 * 64, s]]>
      : !nt.tensor<[k, s] x f32> -> !nt.tensor<[b, s ceildiv 64] x !nt.tensor<[k] x !nt.tensor<[64] x f32>>>
  %y0 = nt.access %y <[[b, s ceildiv 64], [64]] -> [g0, b0 + g1 * 64] if [[b0 + g1 * 64, length]]>
      : !nt.tensor<[b, s] x f32> -> !nt.tensor<[b, s ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %x0, %y0 : !nt.tensor<[b, s ceildiv 64] x !nt.tensor<[k] x !nt.tensor<[64] x f32>>>, !nt.tensor<[b, s ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%a : !nt.tensor<[k] x !nt.tensor<[64] x f32>>, %c : !nt.tensor<[64] x f32>):
  %pid = nt.program_id : index
  %g0, %g1 = nt.program_index %pid [b, s ceildiv 64] : index, index
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

// Two outputs, of which one has fewer elements than there are programs: a program is empty where it
// has a lane of neither.
// CHECK-LABEL: nt.kernel @either
// CHECK: %[[ONE:.*]] = nt.holds [{{\[}}g1 * 64, length]] : i1
// CHECK-NEXT: %[[TWO:.*]] = nt.holds [{{\[}}g1, few]] : i1
// CHECK-NEXT: %stores = nt.elementwise "or"(%[[ONE]], %[[TWO]]) : (i1, i1) -> i1
// CHECK-NEXT: scf.if %stores
nt.kernel @either symbols [#nt.symbol<b size 0 to ?>, #nt.symbol<s size 0 to ?>, #nt.symbol<few size 0 to ?>, #nt.symbol<length length 0 to ?>, #nt.symbol<start start 0 to ?>] grid #nt.expr<b * (s ceildiv 64)> arrange {
  %y = nt.source "y" "tensor" strides [0, 3] jagged <1 length length start start offsets offsets i64> aligned false : !nt.tensor<[b, s] x f32>
  %z = nt.source "z" "tensor" strides [1] aligned false : !nt.tensor<[few] x f32>
  %y0 = nt.access %y <[[b, s ceildiv 64], [64]] -> [g0, b0 + g1 * 64] if [[b0 + g1 * 64, length]]>
      : !nt.tensor<[b, s] x f32> -> !nt.tensor<[b, s ceildiv 64] x !nt.tensor<[64] x f32>>
  %z0 = nt.access %z <[[b, s ceildiv 64], []] -> [g1] if [[g1, few]]>
      : !nt.tensor<[few] x f32> -> !nt.tensor<[b, s ceildiv 64] x !nt.tensor<[] x f32>>
  nt.arranged %y0, %z0 : !nt.tensor<[b, s ceildiv 64] x !nt.tensor<[64] x f32>>, !nt.tensor<[b, s ceildiv 64] x !nt.tensor<[] x f32>>
} apply {
^bb0(%c : !nt.tensor<[64] x f32>, %d : !nt.tensor<[] x f32>):
  %pid = nt.program_id : index
  %g0, %g1 = nt.program_index %pid [b, s ceildiv 64] : index, index
  %v = nt.load %c[] other 0.0 : f32 : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  %w = nt.elementwise "exp"(%v) : (!nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
  nt.store %w, %c[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  %sum = nt.reduce "sum" %v axis 0 : !nt.tensor<[64] x f32> -> f32
  nt.store %sum, %d[] : f32, !nt.tensor<[] x f32>[]
  nt.return
}

// Every program of a dense output has a lane of it.
// CHECK-LABEL: nt.kernel @dense
// CHECK-NOT: nt.holds
nt.kernel @dense symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>] grid #nt.expr<(m ceildiv 16) * (n ceildiv 64)> arrange {
  %x = nt.source "x" "tensor" strides [n, 1] aligned false : !nt.tensor<[m, n] x f32>
  %x0 = nt.access %x <[[m ceildiv 16, n ceildiv 64], [16, 64]] -> [b0 + g0 * 16, b1 + g1 * 64] if [[b0 + g0 * 16, m], [b1 + g1 * 64, n]]>
      : !nt.tensor<[m, n] x f32> -> !nt.tensor<[m ceildiv 16, n ceildiv 64] x !nt.tensor<[16, 64] x f32>>
  nt.arranged %x0 : !nt.tensor<[m ceildiv 16, n ceildiv 64] x !nt.tensor<[16, 64] x f32>>
} apply {
^bb0(%a : !nt.tensor<[16, 64] x f32>):
  %pid = nt.program_id : index
  %g0, %g1 = nt.program_index %pid [m ceildiv 16, n ceildiv 64] : index, index
  %1 = nt.load %a[] : !nt.tensor<[16, 64] x f32>[] -> !nt.tensor<[16, 64] x f32>
  nt.store %1, %a[] : !nt.tensor<[16, 64] x f32>, !nt.tensor<[16, 64] x f32>[]
  nt.return
}

// An atomic is seen, whatever is stored beside it.
// CHECK-LABEL: nt.kernel @counted
// CHECK-NOT: nt.holds
nt.kernel @counted symbols [#nt.symbol<b size 0 to ?>, #nt.symbol<s size 0 to ?>, #nt.symbol<length length 0 to ?>, #nt.symbol<start start 0 to ?>] grid #nt.expr<b * (s ceildiv 64)> arrange {
  %y = nt.source "y" "tensor" strides [0, 3] jagged <1 length length start start offsets offsets i64> aligned false : !nt.tensor<[b, s] x f32>
  %y0 = nt.access %y <[[b, s ceildiv 64], [64]] -> [g0, b0 + g1 * 64] if [[b0 + g1 * 64, length]]>
      : !nt.tensor<[b, s] x f32> -> !nt.tensor<[b, s ceildiv 64] x !nt.tensor<[64] x f32>>
  %z = nt.source "z" "tensor" strides [1] aligned false : !nt.tensor<[1] x i32>
  %z0 = nt.access %z <[[b, s ceildiv 64], [1]] -> [b0]>
      : !nt.tensor<[1] x i32> -> !nt.tensor<[b, s ceildiv 64] x !nt.tensor<[1] x i32>>
  nt.arranged %y0, %z0 : !nt.tensor<[b, s ceildiv 64] x !nt.tensor<[64] x f32>>, !nt.tensor<[b, s ceildiv 64] x !nt.tensor<[1] x i32>>
} apply {
^bb0(%c : !nt.tensor<[64] x f32>, %d : !nt.tensor<[1] x i32>):
  %pid = nt.program_id : index
  %g0, %g1 = nt.program_index %pid [b, s ceildiv 64] : index, index
  %p = nt.pointer %d : !nt.tensor<[1] x i32> -> !tt.ptr<i32>
  %one = arith.constant 1 : i32
  %old = nt.atomic "add" %p, %one "relaxed" "gpu" : !tt.ptr<i32>, i32
  %v = nt.load %c[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  nt.store %v, %c[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  nt.return
}

// A condition of the user's holds all the work already.
// CHECK-LABEL: nt.kernel @conditional
// CHECK-NOT: nt.holds
nt.kernel @conditional symbols [#nt.symbol<b size 0 to ?>, #nt.symbol<s size 0 to ?>, #nt.symbol<length length 0 to ?>, #nt.symbol<start start 0 to ?>] grid #nt.expr<b * (s ceildiv 64)> arrange {
  %y = nt.source "y" "tensor" strides [0, 3] jagged <1 length length start start offsets offsets i64> aligned false : !nt.tensor<[b, s] x f32>
  %y0 = nt.access %y <[[b, s ceildiv 64], [64]] -> [g0, b0 + g1 * 64] if [[b0 + g1 * 64, length]]>
      : !nt.tensor<[b, s] x f32> -> !nt.tensor<[b, s ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %y0 : !nt.tensor<[b, s ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%c : !nt.tensor<[64] x f32>):
  %pid = nt.program_id : index
  %g0, %g1 = nt.program_index %pid [b, s ceildiv 64] : index, index
  %first = nt.offsets %c[] dim 1 along [] : !nt.tensor<[64] x f32>[] -> i32
  %length = nt.size <length> : i32
  %some = nt.elementwise "lt"(%first, %length) : (i32, i32) -> i1
  scf.if %some {
    %v = nt.load %c[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
    nt.store %v, %c[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  } else {
  }
  nt.return
}
