// RUN: nt-opt %s -p nt-hoist-loads | filecheck %s
// RUN: nt-opt %s --print-local-scope --remarks -p nt-hoist-loads | filecheck %s --check-prefix=REMARK
// RUN: nt-opt %s -p 'nt-hoist-loads{num_warps=8}' | filecheck %s --check-prefix=WARPS
// RUN: nt-opt %s -p 'nt-hoist-loads{enabled=false}' | filecheck %s --check-prefix=OFF

// A load goes in front of the outermost loop that does not change it, with its indices; what depends
// on a counter stays.
// CHECK-LABEL: nt.kernel @nested
// CHECK: %n = nt.size
// CHECK-NEXT: %c2 = arith.constant 2
// CHECK-NEXT: %v = nt.load %ws[%c2]
// CHECK-NEXT: scf.for %i
// CHECK-NEXT: %w_1 = nt.load %ws[%i]
// CHECK-NEXT: scf.for %j
// CHECK-NEXT: %u = nt.load %ws[%j]
// CHECK-NEXT: nt.store %v, %ys[%j]
// OFF-LABEL: nt.kernel @nested
// OFF: scf.for %j
// OFF-NEXT: %c2 = arith.constant 2
// OFF-NEXT: %v = nt.load %ws[%c2]
// REMARK: nt.kernel @nested {{.*}}[#nt.remark<passed "nt-hoist-loads" "load of `w` moved in front of the loop">]
nt.kernel @nested symbols [#nt.symbol<k size 0 to ?>] grid #nt.expr<1> arrange {
  %w = nt.source "w" "tensor" strides [1] aligned false : !nt.tensor<[k] x f32>
  %w0 = nt.access %w <[[1], [k ceildiv 64], [64]] -> [k1_0 * 64 + b0] if [[k1_0 * 64 + b0, k]]>
      : !nt.tensor<[k] x f32> -> !nt.tensor<[1] x !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f32>>>
  %y = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[k] x f32>
  %y0 = nt.access %y <[[1], [k ceildiv 64], [64]] -> [k1_0 * 64 + b0] if [[k1_0 * 64 + b0, k]]>
      : !nt.tensor<[k] x f32> -> !nt.tensor<[1] x !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f32>>>
  nt.arranged %w0, %y0
      : !nt.tensor<[1] x !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f32>>>, !nt.tensor<[1] x !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f32>>>
} apply {
^bb0(%ws : !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f32>>, %ys : !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f32>>):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %n = nt.size <k ceildiv 64> : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    scf.for %j = %c0 to %n step %c1 : i32 {
      %c2 = arith.constant 2 : i32
      %v = nt.load %ws[%c2] : !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x f32>
      %w = nt.load %ws[%i] : !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x f32>
      %u = nt.load %ws[%j] : !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x f32>
      nt.store %v, %ys[%j] : !nt.tensor<[64] x f32>, !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f32>>[i32]
    }
  }
  nt.return
}

// Both regions of a while loop repeat.
// CHECK-LABEL: nt.kernel @while
// CHECK: %v = nt.load %ws[]
// CHECK-NEXT: {{.*}}scf.while
nt.kernel @while symbols [#nt.symbol<k size 0 to ?>] grid #nt.expr<1> arrange {
  %w = nt.source "w" "tensor" strides [1] aligned false : !nt.tensor<[k] x i32>
  %w0 = nt.access %w <[[1], []] -> [0] if [[0, k]]>
      : !nt.tensor<[k] x i32> -> !nt.tensor<[1] x !nt.tensor<[] x i32>>
  nt.arranged %w0 : !nt.tensor<[1] x !nt.tensor<[] x i32>>
} apply {
^bb0(%ws : !nt.tensor<[] x i32>):
  %c0 = arith.constant 0 : i32
  %end = scf.while (%t = %c0) : (i32) -> i32 {
    %v = nt.load %ws[] : !nt.tensor<[] x i32>[] -> i32
    %more = nt.elementwise "lt"(%t, %v) : (i32, i32) -> i1
    scf.condition(%more) %t : i32
  } do {
  ^bb0(%i : i32):
    scf.yield %i : i32
  }
  nt.return
}

// What the loop may write stays: its own parameter, and one that shares memory with that.
// CHECK-LABEL: nt.kernel @written
// CHECK: scf.for
// CHECK-NEXT: %v = nt.load %ws[%c0]
// CHECK-NEXT: %u = nt.load %xs[%c0]
// REMARK: nt.kernel @written {{.*}}[#nt.remark<missed "nt-hoist-loads" "load of `w` kept in the loop: accesses of `w` may overlap">
// REMARK-SAME: #nt.remark<missed "nt-hoist-loads" "load of `x` kept in the loop: `x` may share memory with `w`">]
nt.kernel @written symbols [#nt.symbol<k size 0 to ?>] grid #nt.expr<1> arrange {
  %w = nt.source "w" "tensor" strides [1] aligned false : !nt.tensor<[k] x f32>
  %w0 = nt.access %w <[[1], [k ceildiv 64], [64]] -> [k1_0 * 64 + b0] if [[k1_0 * 64 + b0, k]]>
      : !nt.tensor<[k] x f32> -> !nt.tensor<[1] x !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f32>>>
  %x = nt.source "x" "tensor" strides [1] memory "w" aligned false : !nt.tensor<[k] x f32>
  %x0 = nt.access %x <[[1], [k ceildiv 64], [64]] -> [k1_0 * 64 + b0] if [[k1_0 * 64 + b0, k]]>
      : !nt.tensor<[k] x f32> -> !nt.tensor<[1] x !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f32>>>
  nt.arranged %w0, %x0
      : !nt.tensor<[1] x !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f32>>>, !nt.tensor<[1] x !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f32>>>
} apply {
^bb0(%ws : !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f32>>, %xs : !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f32>>):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %n = nt.size <k ceildiv 64> : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %v = nt.load %ws[%c0] : !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x f32>
    %u = nt.load %xs[%c0] : !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x f32>
    nt.store %u, %ws[%i] : !nt.tensor<[64] x f32>, !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f32>>[i32]
  }
  nt.return
}

// So does what is under a condition, and what is loaded through pointers.
// CHECK-LABEL: nt.kernel @uncertain
// CHECK: scf.for
// CHECK-NEXT: %v = nt.pointer_load %p
// CHECK-NEXT: scf.if
// CHECK-NEXT: %u = nt.load %xs[]
// CHECK: scf.if
// CHECK-NEXT: %u_1 = nt.load %xs[]
// REMARK: nt.kernel @uncertain {{.*}}[#nt.remark<missed "nt-hoist-loads" "load of `x` kept in the loop: it is under a condition">]
nt.kernel @uncertain symbols [#nt.symbol<k size 0 to ?>] grid #nt.expr<1> arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[k] x f32>
  %x0 = nt.access %x <[[1], [64]] -> [b0] if [[b0, k]]>
      : !nt.tensor<[k] x f32> -> !nt.tensor<[1] x !nt.tensor<[64] x f32>>
  nt.arranged %x0 : !nt.tensor<[1] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[64] x f32>):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %bit = arith.constant true
  %n = nt.size <k> : i32
  %p = nt.pointer %xs : !nt.tensor<[64] x f32> -> !tt.ptr<f32>
  scf.for %i = %c0 to %n step %c1 : i32 {
    %v = nt.pointer_load %p : !tt.ptr<f32> -> f32
    scf.if %bit {
      %u = nt.load %xs[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
    }
  }
  scf.if %bit {
    %u = nt.load %xs[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  }
  nt.return
}

// Each thread has 32 registers for what is hoisted out of a loop, the first loads come first, and 96
// with what the iterations carry. More warps have more threads.
// CHECK-LABEL: nt.kernel @registers
// CHECK: %v = nt.load %ws[]
// CHECK-NEXT: scf.for %i
// CHECK-NEXT: %u = nt.load %xs[]
// CHECK: scf.for %j
// CHECK-NEXT: !nt.tensor<[4096] x f64>,
// CHECK-NEXT: !nt.tensor<[4096] x f16>
// CHECK-NEXT: ) : i32 {
// CHECK-NEXT: %t = nt.load %ws[]
// WARPS-LABEL: nt.kernel @registers
// WARPS: %v = nt.load %ws[]
// WARPS-NEXT: %u = nt.load %xs[]
// WARPS-NEXT: scf.for %i
// WARPS: %t = nt.load %ws[]
// WARPS-NEXT: {{.*}}scf.for %j
// REMARK: nt.kernel @registers {{.*}}[#nt.remark<passed "nt-hoist-loads" "load of `w` moved in front of the loop">
// REMARK-SAME: #nt.remark<missed "nt-hoist-loads" "load of `x` kept in the loop: it and what the iterations carry would take 33 registers of a thread">
// REMARK-SAME: #nt.remark<missed "nt-hoist-loads" "load of `w` kept in the loop: it and what the iterations carry would take 128 registers of a thread">]
nt.kernel @registers symbols [#nt.symbol<k size 0 to ?>] grid #nt.expr<1> arrange {
  %w = nt.source "w" "tensor" strides [1] aligned false : !nt.tensor<[k] x f16>
  %w0 = nt.access %w <[[1], [4096]] -> [b0] if [[b0, k]]>
      : !nt.tensor<[k] x f16> -> !nt.tensor<[1] x !nt.tensor<[4096] x f16>>
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[k] x f16>
  %x0 = nt.access %x <[[1], []] -> [0] if [[0, k]]>
      : !nt.tensor<[k] x f16> -> !nt.tensor<[1] x !nt.tensor<[] x f16>>
  nt.arranged %w0, %x0
      : !nt.tensor<[1] x !nt.tensor<[4096] x f16>>, !nt.tensor<[1] x !nt.tensor<[] x f16>>
} apply {
^bb0(%ws : !nt.tensor<[4096] x f16>, %xs : !nt.tensor<[] x f16>):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %n = nt.size <k> : i32
  %zero = arith.constant 0.0 : f64
  %start = nt.full %zero : f64 -> !nt.tensor<[4096] x f64>
  scf.for %i = %c0 to %n step %c1 : i32 {
    %v = nt.load %ws[] : !nt.tensor<[4096] x f16>[] -> !nt.tensor<[4096] x f16>
    %u = nt.load %xs[] : !nt.tensor<[] x f16>[] -> f16
  }
  %half = arith.constant 0.0 : f16
  %begin = nt.full %half : f16 -> !nt.tensor<[4096] x f16>
  %sum:2 = scf.for %j = %c0 to %n step %c1 iter_args(%s = %start, %r = %begin)
      -> (!nt.tensor<[4096] x f64>, !nt.tensor<[4096] x f16>) : i32 {
    %t = nt.load %ws[] : !nt.tensor<[4096] x f16>[] -> !nt.tensor<[4096] x f16>
    scf.yield %s, %r : !nt.tensor<[4096] x f64>, !nt.tensor<[4096] x f16>
  }
  nt.return
}
