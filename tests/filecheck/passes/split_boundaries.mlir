// RUN: nt-opt %s -p nt-split-boundaries | filecheck %s
// RUN: nt-opt %s -p nt-split-boundaries | nt-opt | filecheck %s
// RUN: nt-opt %s -p 'nt-split-boundaries{enabled=false}' | filecheck %s --check-prefix=OFF
// RUN: nt-opt %s -p nt-split-boundaries,nt-lower-accesses,nt-hoist-invariants,cse | filecheck %s --check-prefix=LOWERED
// RUN: nt-opt %s --remarks -p nt-split-boundaries 2>&1 | filecheck %s --check-prefix=REMARK

// REMARK: remark: programs with `g0 * 64 + 63 < n` run a copy without guards [nt-split-boundaries, passed]
// REMARK: remark: guards kept in programs whose lanes all exist: the kernel has scf.for [nt-split-boundaries, missed]

// OFF-NOT: %whole

// Loads and stores of the copy have no masks.
// CHECK-LABEL: nt.kernel @copied
// CHECK: nt.program_index
// CHECK-NEXT: %whole = nt.holds [{{\[}}g0 * 64 + 63, n]] : i1
// CHECK-NEXT: scf.if %whole {
// CHECK-NEXT: %v = nt.load %a[] guards [] :
// CHECK-NEXT: nt.store %v, %b[] guards [] :
// CHECK-NEXT: } else {
// CHECK-NEXT: %v_1 = nt.load %a[] :
// CHECK-NEXT: nt.store %v_1, %b[] :
// CHECK-NEXT: }
// CHECK-NEXT: nt.return
// LOWERED-LABEL: nt.kernel @copied
// LOWERED: scf.if %whole {
// LOWERED-NOT: arith.cmpi
// LOWERED: tt.load %{{[^,]*}} :
// LOWERED: tt.store %{{[^,]*}}, %{{[^,]*}} :
// LOWERED: } else {
// LOWERED: arith.cmpi slt
nt.kernel @copied symbols [#nt.symbol<n size 0 to ?>] grid #nt.expr<n ceildiv 64> arrange {
  %x = nt.source "x" "tensor" strides [1] aligned true : !nt.tensor<[n] x f32>
  %y = nt.source "y" "tensor" strides [1] aligned true : !nt.tensor<[n] x f32>
  %x0 = nt.access %x <[[n ceildiv 64], [64]] -> [b0 + g0 * 64] if [[b0 + g0 * 64, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  %y0 = nt.access %y <[[n ceildiv 64], [64]] -> [b0 + g0 * 64] if [[b0 + g0 * 64, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %x0, %y0 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>, !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%a : !nt.tensor<[64] x f32>, %b : !nt.tensor<[64] x f32>):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [n ceildiv 64] : index
  %v = nt.load %a[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  nt.store %v, %b[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  nt.return
}

// What empty programs skip is split inside.
// CHECK-LABEL: nt.kernel @skipped
// CHECK: scf.if %stores {
// CHECK-NEXT: %whole = nt.holds
// CHECK-NEXT: scf.if %whole {
// CHECK: guards []
// CHECK: } else {
// CHECK: } else {
nt.kernel @skipped symbols [#nt.symbol<n size 0 to ?>] grid #nt.expr<n ceildiv 64> arrange {
  %x = nt.source "x" "tensor" strides [1] aligned true : !nt.tensor<[n] x f32>
  %y = nt.source "y" "tensor" strides [1] aligned true : !nt.tensor<[n] x f32>
  %x0 = nt.access %x <[[n ceildiv 64], [64]] -> [b0 + g0 * 64] if [[b0 + g0 * 64, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  %y0 = nt.access %y <[[n ceildiv 64], [64]] -> [b0 + g0 * 64] if [[b0 + g0 * 64, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %x0, %y0 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>, !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%a : !nt.tensor<[64] x f32>, %b : !nt.tensor<[64] x f32>):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [n ceildiv 64] : index
  %stores = nt.holds [[g0, n]] : i1
  scf.if %stores {
  %v = nt.load %a[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  nt.store %v, %b[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
    scf.yield
  } else {
    scf.yield
  }
  nt.return
}

// Guards that end where vectors do are in nobody's way.
// CHECK-LABEL: nt.kernel @divisible
// CHECK-NOT: nt.holds
// CHECK: nt.return
nt.kernel @divisible symbols [#nt.symbol<n size 0 to ? div 16>] grid #nt.expr<n ceildiv 64> arrange {
  %x = nt.source "x" "tensor" strides [1] aligned true : !nt.tensor<[n] x f32>
  %y = nt.source "y" "tensor" strides [1] aligned true : !nt.tensor<[n] x f32>
  %x0 = nt.access %x <[[n ceildiv 64], [64]] -> [b0 + g0 * 64] if [[b0 + g0 * 64, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  %y0 = nt.access %y <[[n ceildiv 64], [64]] -> [b0 + g0 * 64] if [[b0 + g0 * 64, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %x0, %y0 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>, !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%a : !nt.tensor<[64] x f32>, %b : !nt.tensor<[64] x f32>):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [n ceildiv 64] : index
  %v = nt.load %a[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  nt.store %v, %b[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  nt.return
}

// CHECK-LABEL: nt.kernel @loop
// CHECK-NOT: nt.holds
// CHECK: nt.return
nt.kernel @loop symbols [#nt.symbol<n size 0 to ?>] grid #nt.expr<n ceildiv 64> arrange {
  %x = nt.source "x" "tensor" strides [1] aligned true : !nt.tensor<[n] x f32>
  %y = nt.source "y" "tensor" strides [1] aligned true : !nt.tensor<[n] x f32>
  %x0 = nt.access %x <[[n ceildiv 64], [64]] -> [b0 + g0 * 64] if [[b0 + g0 * 64, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  %y0 = nt.access %y <[[n ceildiv 64], [64]] -> [b0 + g0 * 64] if [[b0 + g0 * 64, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %x0, %y0 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>, !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%a : !nt.tensor<[64] x f32>, %b : !nt.tensor<[64] x f32>):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [n ceildiv 64] : index
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c9 = arith.constant 9 : i32
  %zero = arith.constant 0.0 : f32
  %init = nt.full %zero : f32 -> !nt.tensor<[64] x f32>
  %v = scf.for %i = %c0 to %c9 step %c1 iter_args(%acc = %init) -> (!nt.tensor<[64] x f32>) : i32 {
    %w = nt.load %a[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
    scf.yield %w : !nt.tensor<[64] x f32>
  }
  nt.store %v, %b[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  nt.return
}

// The guard of a row's end is the same in all programs, and stays in the way.
// CHECK-LABEL: nt.kernel @rows
// CHECK-NOT: nt.holds
// CHECK: nt.return
nt.kernel @rows symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>, #nt.symbol<s stride ? to ? div 16>] grid #nt.expr<m ceildiv 4> arrange {
  %x = nt.source "x" "tensor" strides [s, 1] aligned true : !nt.tensor<[m, n] x f32>
  %x0 = nt.access %x <[[m ceildiv 4], [4, 64]] -> [b0 + g0 * 4, b1] if [[b0 + g0 * 4, m], [b1, n]]>
      : !nt.tensor<[m, n] x f32> -> !nt.tensor<[m ceildiv 4] x !nt.tensor<[4, 64] x f32>>
  nt.arranged %x0 : !nt.tensor<[m ceildiv 4] x !nt.tensor<[4, 64] x f32>>
} apply {
^bb0(%a : !nt.tensor<[4, 64] x f32>):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [m ceildiv 4] : index
  %v = nt.load %a[] : !nt.tensor<[4, 64] x f32>[] -> !nt.tensor<[4, 64] x f32>
  nt.store %v, %a[] : !nt.tensor<[4, 64] x f32>, !nt.tensor<[4, 64] x f32>[]
  nt.return
}
