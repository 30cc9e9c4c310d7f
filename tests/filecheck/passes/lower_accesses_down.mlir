// RUN: nt-opt %s -p nt-lower-accesses | filecheck %s

// A loop that counts down: the index is a difference, and its range is known, so only the last block
// is masked, from above.
// CHECK-LABEL: nt.kernel @down
// CHECK: scf.for %t = %c0 to %n step %c1
// CHECK-NEXT: %i = nt.elementwise "sub"(%last, %t)
// CHECK: arith.cmpi slt
// CHECK-NOT: arith.cmpi
// CHECK: %v = tt.load {{%.*}}, {{%.*}}
nt.kernel @down symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<k size 0 to ?>] grid #nt.expr<m> arrange {
  %x = nt.source "x" "tensor" strides [k, 1] aligned false : !nt.tensor<[m, k] x f32>
  %x0 = nt.access %x <[[m], [k ceildiv 64], [64]] -> [g0, k1_0 * 64 + b0] if [[k1_0 * 64 + b0, k]]>
      : !nt.tensor<[m, k] x f32> -> !nt.tensor<[m] x !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f32>>>
  nt.arranged %x0
      : !nt.tensor<[m] x !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f32>>>
} apply {
^bb0(%xs : !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f32>>):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [m] : index
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %n = nt.size <k ceildiv 64> : i32
  %last = nt.size <k ceildiv 64 - 1> : i32
  scf.for %t = %c0 to %n step %c1 : i32 {
    %i = nt.elementwise "sub"(%last, %t) : (i32, i32) -> i32
    %v = nt.load %xs[%i] : !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x f32>
    scf.yield
  }
  nt.return
}

// Where the index is proved to be inside, there is no mask.
// CHECK-LABEL: nt.kernel @inside
// CHECK: %v = tt.load
// CHECK-NOT: cmpi
nt.kernel @inside symbols [#nt.symbol<m size 0 to ?>] grid #nt.expr<m> arrange {
  %x = nt.source "x" "tensor" strides [256, 1] aligned false : !nt.tensor<[m, 256] x f32>
  %x0 = nt.access %x <[[m], [4], [64]] -> [g0, k1_0 * 64 + b0] if [[k1_0 * 64 + b0, 256]]>
      : !nt.tensor<[m, 256] x f32> -> !nt.tensor<[m] x !nt.tensor<[4] x !nt.tensor<[64] x f32>>>
  nt.arranged %x0 : !nt.tensor<[m] x !nt.tensor<[4] x !nt.tensor<[64] x f32>>>
} apply {
^bb0(%xs : !nt.tensor<[4] x !nt.tensor<[64] x f32>>):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [m] : index
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %c4 = arith.constant 4 : i32
  scf.for %t = %c0 to %c4 step %c1 : i32 {
    %i = nt.elementwise "sub"(%c3, %t) : (i32, i32) -> i32
    %v = nt.load %xs[%i] : !nt.tensor<[4] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x f32>
    scf.yield
  }
  nt.return
}

// A difference that may be below zero is compared as an unsigned number.
// CHECK-LABEL: nt.kernel @below_zero
// CHECK: arith.cmpi ult
// CHECK: %v = tt.load
nt.kernel @below_zero symbols [#nt.symbol<m size 0 to ?>] grid #nt.expr<m> arrange {
  %x = nt.source "x" "tensor" strides [256, 1] aligned false : !nt.tensor<[m, 256] x f32>
  %x0 = nt.access %x <[[m], [4], [64]] -> [g0, k1_0 * 64 + b0] if [[k1_0 * 64 + b0, 256]]>
      : !nt.tensor<[m, 256] x f32> -> !nt.tensor<[m] x !nt.tensor<[4] x !nt.tensor<[64] x f32>>>
  nt.arranged %x0 : !nt.tensor<[m] x !nt.tensor<[4] x !nt.tensor<[64] x f32>>>
} apply {
^bb0(%xs : !nt.tensor<[4] x !nt.tensor<[64] x f32>>):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [m] : index
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %c5 = arith.constant 5 : i32
  scf.for %t = %c0 to %c5 step %c1 : i32 {
    %i = nt.elementwise "sub"(%c3, %t) : (i32, i32) -> i32
    %v = nt.load %xs[%i] : !nt.tensor<[4] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x f32>
    scf.yield
  }
  nt.return
}

// Sizes are so much less than 2^31 that their negatives do not wrap.
// CHECK-LABEL: nt.kernel @never_wraps
// CHECK-NOT: arith.cmpi
// CHECK: tt.load
// CHECK: %v = tt.broadcast
nt.kernel @never_wraps symbols [#nt.symbol<m size 0 to ?>] grid #nt.expr<1> arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[m] x f32>
  %x0 = nt.access %x <[[1], [m], [64]] -> [k1_0 + m + 2] if [[k1_0 + m + 2, m]]>
      : !nt.tensor<[m] x f32> -> !nt.tensor<[1] x !nt.tensor<[m] x !nt.tensor<[64] x f32>>>
  nt.arranged %x0 : !nt.tensor<[1] x !nt.tensor<[m] x !nt.tensor<[64] x f32>>>
} apply {
^bb0(%xs : !nt.tensor<[m] x !nt.tensor<[64] x f32>>):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [1] : index
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant -3 : i32
  %m = nt.size <m> : i32
  scf.for %t = %c0 to %m step %c1 : i32 {
    %i = nt.elementwise "sub"(%c3, %t) : (i32, i32) -> i32
    %v = nt.load %xs[%i] : !nt.tensor<[m] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x f32>
    scf.yield
  }
  nt.return
}

// One that is below zero may also wrap, and then none of its bounds holds: it is compared as an unsigned number.
// CHECK-LABEL: nt.kernel @may_wrap
// CHECK: arith.cmpi ult
// CHECK: tt.load
// CHECK: %v = tt.broadcast
nt.kernel @may_wrap symbols [#nt.symbol<m size 0 to ?>] grid #nt.expr<1> arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[m] x f32>
  %x0 = nt.access %x <[[1], [m], [64]] -> [k1_0 + m + 2] if [[k1_0 + m + 2, m]]>
      : !nt.tensor<[m] x f32> -> !nt.tensor<[1] x !nt.tensor<[m] x !nt.tensor<[64] x f32>>>
  nt.arranged %x0 : !nt.tensor<[1] x !nt.tensor<[m] x !nt.tensor<[64] x f32>>>
} apply {
^bb0(%xs : !nt.tensor<[m] x !nt.tensor<[64] x f32>>):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [1] : index
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant -3 : i32
  %m = nt.size <m> : i32
  scf.for %t = %c0 to %m step %c1 : i32 {
    %t2 = nt.elementwise "add"(%t, %t) : (i32, i32) -> i32
    %i = nt.elementwise "sub"(%c3, %t2) : (i32, i32) -> i32
    %v = nt.load %xs[%i] : !nt.tensor<[m] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x f32>
    scf.yield
  }
  nt.return
}

// What a loop carries has not the range of its counter.
// CHECK-LABEL: nt.kernel @carried
// CHECK: arith.cmpi ult
// CHECK: %v = tt.load
nt.kernel @carried symbols [#nt.symbol<m size 0 to ?>] grid #nt.expr<m> arrange {
  %x = nt.source "x" "tensor" strides [256, 1] aligned false : !nt.tensor<[m, 256] x f32>
  %x0 = nt.access %x <[[m], [4], [64]] -> [g0, k1_0 * 64 + b0] if [[k1_0 * 64 + b0, 256]]>
      : !nt.tensor<[m, 256] x f32> -> !nt.tensor<[m] x !nt.tensor<[4] x !nt.tensor<[64] x f32>>>
  nt.arranged %x0 : !nt.tensor<[m] x !nt.tensor<[4] x !nt.tensor<[64] x f32>>>
} apply {
^bb0(%xs : !nt.tensor<[4] x !nt.tensor<[64] x f32>>):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [m] : index
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %c5 = arith.constant 5 : i32
  %r = scf.for %t = %c0 to %c3 step %c1 iter_args(%i = %c5) -> (i32) : i32 {
    %v = nt.load %xs[%i] : !nt.tensor<[4] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x f32>
    %j = nt.elementwise "mul"(%i, %c5) : (i32, i32) -> i32
    scf.yield %j : i32
  }
  nt.return
}
