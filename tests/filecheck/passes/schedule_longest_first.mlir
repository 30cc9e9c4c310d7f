// RUN: nt-opt %s -p nt-schedule-programs | filecheck %s
// RUN: nt-opt %s -p nt-schedule-programs | nt-opt | filecheck %s
// RUN: nt-opt %s -p nt-schedule-programs,nt-lower-accesses | filecheck %s --check-prefix=LOWERED
// RUN: nt-opt %s -p 'nt-schedule-programs{longest_first=false}' | filecheck %s --check-prefix=OFF
// RUN: nt-opt %s --remarks -p nt-schedule-programs 2>&1 | filecheck %s --check-prefix=REMARK

// REMARK: remark: programs reversed: the last ones iterate most, and start first [nt-schedule-programs, passed]
// REMARK: remark: programs kept in order: one may wait for another by nt.atomic [nt-schedule-programs, missed]

// OFF-NOT: nt.program_id last

// Two loops, of which one begins where the other ends: rows of a triangle, in blocks. The number of a
// program stays what it is.
// CHECK-LABEL: nt.kernel @triangle
// CHECK: %pid = nt.program_id last <n ceildiv 64 * m - 1> : index
// CHECK-NEXT: nt.program_index %pid [m, n ceildiv 64]
// CHECK: nt.program_id last <n ceildiv 64 * m - 1> : i32
// LOWERED-LABEL: nt.kernel @triangle
// LOWERED: %pid = tt.get_program_id 0 : i32
// LOWERED: %[[NUMBER:.*]] = arith.subi %{{.*}}, %pid : i32
// LOWERED: %[[KNOWN:.*]] = arith.maxsi %[[NUMBER]], %{{.*}} : i32
// LOWERED: %g0 = nt.quotient %[[KNOWN]] by <n ceildiv 64>
nt.kernel @triangle symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [n, 1] aligned false : !nt.tensor<[m, n] x i32>
  %x0 = nt.access %x <[[m, n ceildiv 64], [n ceildiv 64], [64]] -> [g0, k1_0 * 64 + b0] if [[k1_0 * 64 + b0, n]]>
      : !nt.tensor<[m, n] x i32> -> !nt.tensor<[m, n ceildiv 64] x !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x i32>>>
  %y = nt.source "y" "tensor" strides [n, 1] aligned false : !nt.tensor<[m, n] x i32>
  %y0 = nt.access %y <[[m, n ceildiv 64], [64]] -> [g0, g1 * 64 + b0] if [[g1 * 64 + b0, n]]>
      : !nt.tensor<[m, n] x i32> -> !nt.tensor<[m, n ceildiv 64] x !nt.tensor<[64] x i32>>
  nt.arranged %x0, %y0 : !nt.tensor<[m, n ceildiv 64] x !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x i32>>>, !nt.tensor<[m, n ceildiv 64] x !nt.tensor<[64] x i32>>
} apply {
^bb0(%a : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x i32>>, %c : !nt.tensor<[64] x i32>):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %first = nt.offsets %c[] dim 1 along [] : !nt.tensor<[64] x i32>[] -> i32
  %whole = nt.elementwise "floordiv"(%first, %c64) : (i32, i32) -> i32
  %last = nt.elementwise "add"(%first, %c64) : (i32, i32) -> i32
  %all = nt.elementwise "floordiv"(%last, %c64) : (i32, i32) -> i32
  %n = nt.size <n ceildiv 64> : i32
  %some = nt.elementwise "minimum"(%all, %n) : (i32, i32) -> i32
  %number = nt.program_number : i32
  %init = nt.full %number : i32 -> !nt.tensor<[64] x i32>
  %one = scf.for %i = %c0 to %whole step %c1 iter_args(%acc = %init) -> (!nt.tensor<[64] x i32>) : i32 {
    %v = nt.load %a[%i] : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x i32>>[i32] -> !nt.tensor<[64] x i32>
    %next = nt.elementwise "add"(%acc, %v) : (!nt.tensor<[64] x i32>, !nt.tensor<[64] x i32>) -> !nt.tensor<[64] x i32>
    scf.yield %next : !nt.tensor<[64] x i32>
  }
  %two = scf.for %i = %whole to %some step %c1 iter_args(%acc = %one) -> (!nt.tensor<[64] x i32>) : i32 {
    %v = nt.load %a[%i] : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x i32>>[i32] -> !nt.tensor<[64] x i32>
    %next = nt.elementwise "sub"(%acc, %v) : (!nt.tensor<[64] x i32>, !nt.tensor<[64] x i32>) -> !nt.tensor<[64] x i32>
    scf.yield %next : !nt.tensor<[64] x i32>
  }
  nt.store %two, %c[] : !nt.tensor<[64] x i32>, !nt.tensor<[64] x i32>[]
  nt.return
}

// From the diagonal to the end: the first ones are the longest already.
// CHECK-LABEL: nt.kernel @rest
// CHECK: %pid = nt.program_id : index
nt.kernel @rest symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x i32>
  %x0 = nt.access %x <[[n], [n], []] -> [k1_0] if [[k1_0, n]]>
      : !nt.tensor<[n] x i32> -> !nt.tensor<[n] x !nt.tensor<[n] x !nt.tensor<[] x i32>>>
  %y = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[n] x i32>
  nt.arranged %x0, %y : !nt.tensor<[n] x !nt.tensor<[n] x !nt.tensor<[] x i32>>>, !nt.tensor<[n] x i32>
} apply {
^bb0(%a : !nt.tensor<[n] x !nt.tensor<[] x i32>>, %c : !nt.tensor<[] x i32>):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %number = nt.program_number : i32
  %n = nt.size <n> : i32
  %sum = scf.for %i = %number to %n step %c1 iter_args(%acc = %c0) -> (i32) : i32 {
    %v = nt.load %a[%i] : !nt.tensor<[n] x !nt.tensor<[] x i32>>[i32] -> i32
    %next = nt.elementwise "add"(%acc, %v) : (i32, i32) -> i32
    scf.yield %next : i32
  }
  nt.store %sum, %c[] : i32, !nt.tensor<[] x i32>[]
  nt.return
}

// By an atomic, a program may wait for one before it.
// CHECK-LABEL: nt.kernel @waiting
// CHECK: %pid = nt.program_id : index
nt.kernel @waiting symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x i32>
  %x0 = nt.access %x <[[n], [n], []] -> [k1_0] if [[k1_0, n]]>
      : !nt.tensor<[n] x i32> -> !nt.tensor<[n] x !nt.tensor<[n] x !nt.tensor<[] x i32>>>
  %y = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[n] x i32>
  nt.arranged %x0, %y : !nt.tensor<[n] x !nt.tensor<[n] x !nt.tensor<[] x i32>>>, !nt.tensor<[n] x i32>
} apply {
^bb0(%a : !nt.tensor<[n] x !nt.tensor<[] x i32>>, %c : !nt.tensor<[] x i32>):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %number = nt.program_number : i32
  %sum = scf.for %i = %c0 to %number step %c1 iter_args(%acc = %c0) -> (i32) : i32 {
    %v = nt.load %a[%i] : !nt.tensor<[n] x !nt.tensor<[] x i32>>[i32] -> i32
    %next = nt.elementwise "add"(%acc, %v) : (i32, i32) -> i32
    scf.yield %next : i32
  }
  %p = nt.pointer %c : !nt.tensor<[] x i32> -> !tt.ptr<i32>
  %old = nt.atomic "add" %p, %sum "acq_rel" "gpu" : !tt.ptr<i32>, i32
  nt.return
}
