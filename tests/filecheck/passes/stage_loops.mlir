// RUN: nt-opt %s -p 'nt-stage-loops{stages=3}' | filecheck %s
// RUN: nt-opt %s -p nt-stage-loops | filecheck %s --check-prefix=ONE
// RUN: nt-opt %s --print-local-scope --remarks -p 'nt-stage-loops{stages=3}' 2>&1 | filecheck %s --check-prefix=REMARK
// RUN: nt-opt %s --remarks -p nt-stage-loops 2>&1 | filecheck %s --check-prefix=POSSIBLE

// By default, an iteration's loads are waited for.
// ONE-NOT: tt.num_stages = 3

// Every loop that loads blocks is remarked on, at its line.
// REMARK: copied.py:1:5: remark: loop kept: only innermost loops are staged [nt-stage-loops, analysis]
// REMARK-NEXT: copied.py:2:9: remark: loop staged: 3 iterations are at work at once [nt-stage-loops, passed]
// REMARK-NEXT: remark: loop kept: its number of stages is given [nt-stage-loops, analysis]
// REMARK-NEXT: carried.py:1:5: remark: loop kept: `x` may share memory with `y` [nt-stage-loops, missed]
// REMARK-NEXT: carried.py:2:5: remark: loop kept: accesses of `x` may overlap [nt-stage-loops, missed]
// REMARK-NEXT: remark: loop kept: it has a dot, whose operands Triton loads ahead by itself [nt-stage-loops, analysis]
// REMARK-NEXT: {{^}}builtin.module
// REMARK-NEXT: nt.kernel @copied {{.*}} attributes {nt.remarks = [#nt.remark<analysis "nt-stage-loops" "loop kept: only innermost loops are staged" loc("copied.py":1:5)>, #nt.remark<passed
// POSSIBLE: copied.py:2:9: remark: loop kept: loop_stages is 1, and may be more where the buffers fit shared memory [nt-stage-loops, analysis]

// Loads of an innermost loop are overlapped with its earlier iterations, stores of other memory too.
// CHECK-LABEL: nt.kernel @copied
// CHECK: scf.for %i
// CHECK-NOT: tt.num_stages
// CHECK: scf.for %j
// CHECK: } {tt.num_stages = 3 : i32}
// CHECK-NEXT: }
// CHECK-NEXT: nt.return
nt.kernel @copied symbols [#nt.symbol<k size 0 to ?>] grid #nt.expr<1> arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[k] x f32>
  %x0 = nt.access %x <[[1], [k ceildiv 64], [64]] -> [k1_0 * 64 + b0] if [[k1_0 * 64 + b0, k]]>
      : !nt.tensor<[k] x f32> -> !nt.tensor<[1] x !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f32>>>
  %y = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[k] x f32>
  %y0 = nt.access %y <[[1], [k ceildiv 64], [64]] -> [k1_0 * 64 + b0] if [[k1_0 * 64 + b0, k]]>
      : !nt.tensor<[k] x f32> -> !nt.tensor<[1] x !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f32>>>
  nt.arranged %x0, %y0
      : !nt.tensor<[1] x !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f32>>>, !nt.tensor<[1] x !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f32>>>
} apply {
^bb0(%xs : !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f32>>, %ys : !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f32>>):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %n = nt.size <k ceildiv 64> : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %a = nt.load %xs[%i] : !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x f32>
    scf.for %j = %c0 to %n step %c1 : i32 {
      %v = nt.load %xs[%j] : !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x f32>
      nt.store %v, %ys[%j] : !nt.tensor<[64] x f32>, !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f32>>[i32]
    } loc("copied.py":2:9)
  } loc("copied.py":1:5)
  nt.return
}

// What the user has written stays.
// CHECK-LABEL: nt.kernel @fixed
// CHECK: } {tt.num_stages = 2 : i32}
nt.kernel @fixed symbols [#nt.symbol<k size 0 to ?>] grid #nt.expr<1> arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[k] x f32>
  %x0 = nt.access %x <[[1], [k ceildiv 64], [64]] -> [k1_0 * 64 + b0] if [[k1_0 * 64 + b0, k]]>
      : !nt.tensor<[k] x f32> -> !nt.tensor<[1] x !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f32>>>
  nt.arranged %x0 : !nt.tensor<[1] x !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f32>>>
} apply {
^bb0(%xs : !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f32>>):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %n = nt.size <k ceildiv 64> : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %v = nt.load %xs[%i] : !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x f32>
  } {"tt.num_stages" = 2 : i32}
  nt.return
}

// A later iteration may read what this one stores: to the same parameter, or to one that shares its
// memory.
// CHECK-LABEL: nt.kernel @carried
// CHECK-NOT: tt.num_stages
nt.kernel @carried symbols [#nt.symbol<k size 0 to ?>] grid #nt.expr<1> arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[k] x f32>
  %x0 = nt.access %x <[[1], [k ceildiv 64], [64]] -> [k1_0 * 64 + b0] if [[k1_0 * 64 + b0, k]]>
      : !nt.tensor<[k] x f32> -> !nt.tensor<[1] x !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f32>>>
  %y = nt.source "y" "tensor" strides [1] memory "x" aligned false : !nt.tensor<[k] x f32>
  %y0 = nt.access %y <[[1], [k ceildiv 64], [64]] -> [k1_0 * 64 + b0] if [[k1_0 * 64 + b0, k]]>
      : !nt.tensor<[k] x f32> -> !nt.tensor<[1] x !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f32>>>
  nt.arranged %x0, %y0
      : !nt.tensor<[1] x !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f32>>>, !nt.tensor<[1] x !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f32>>>
} apply {
^bb0(%xs : !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f32>>, %ys : !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f32>>):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %n = nt.size <k ceildiv 64> : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %v = nt.load %xs[%i] : !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x f32>
    nt.store %v, %ys[%i] : !nt.tensor<[64] x f32>, !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f32>>[i32]
  } loc("carried.py":1:5)
  scf.for %j = %c0 to %n step %c1 : i32 {
    %v = nt.load %xs[%j] : !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x f32>
    nt.store %v, %xs[%j] : !nt.tensor<[64] x f32>, !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f32>>[i32]
  } loc("carried.py":2:5)
  nt.return
}

// Triton pipelines the operands of a dot by itself; and nothing is to be overlapped without a block.
// CHECK-LABEL: nt.kernel @others
// CHECK-NOT: tt.num_stages
nt.kernel @others symbols [#nt.symbol<k size 0 to ?>] grid #nt.expr<1> arrange {
  %x = nt.source "x" "tensor" strides [16, 1] aligned false : !nt.tensor<[k, 16] x f32>
  %x0 = nt.access %x <[[1], [k floordiv 16], [16, 16]] -> [k1_0 * 16 + b0, b1] if []>
      : !nt.tensor<[k, 16] x f32> -> !nt.tensor<[1] x !nt.tensor<[k floordiv 16] x !nt.tensor<[16, 16] x f32>>>
  %y = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[k] x f32>
  %y0 = nt.access %y <[[1], [k], []] -> [k1_0] if []>
      : !nt.tensor<[k] x f32> -> !nt.tensor<[1] x !nt.tensor<[k] x !nt.tensor<[] x f32>>>
  nt.arranged %x0, %y0
      : !nt.tensor<[1] x !nt.tensor<[k floordiv 16] x !nt.tensor<[16, 16] x f32>>>, !nt.tensor<[1] x !nt.tensor<[k] x !nt.tensor<[] x f32>>>
} apply {
^bb0(%xs : !nt.tensor<[k floordiv 16] x !nt.tensor<[16, 16] x f32>>, %ys : !nt.tensor<[k] x !nt.tensor<[] x f32>>):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  %start = nt.full %zero : f32 -> !nt.tensor<[16, 16] x f32>
  %n = nt.size <k floordiv 16> : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %v = nt.load %xs[%i] : !nt.tensor<[k floordiv 16] x !nt.tensor<[16, 16] x f32>>[i32] -> !nt.tensor<[16, 16] x f32>
    %w = nt.dot %v, %v, %start : !nt.tensor<[16, 16] x f32>, !nt.tensor<[16, 16] x f32> -> !nt.tensor<[16, 16] x f32>
  }
  scf.for %j = %c0 to %n step %c1 : i32 {
    %s = nt.load %ys[%j] : !nt.tensor<[k] x !nt.tensor<[] x f32>>[i32] -> f32
  }
  nt.return
}
