// RUN: nt-opt %s --print-local-scope -p nt-lower-accesses | filecheck %s

// Each access computes its address at its own place, and what its mask has in common with it once.
// The pointer moves by the program's scalars; lanes are added along their dim.
// CHECK-LABEL: nt.kernel @masked_copy
// CHECK: %n = nt.size <n>
// CHECK-NEXT: %pid = tt.get_program_id 0
// CHECK-NEXT: %b0 = tt.make_range 0 : i32 64 : i32
// CHECK-NEXT: [[x:%.*]] = nt.pointer %xs
// CHECK-NEXT: [[v0:%.*]] = arith.constant 64 : i32
// CHECK-NEXT: [[v1:%.*]] = arith.muli %pid, [[v0]]
// CHECK-NEXT: [[v2:%.*]] = tt.addptr [[x]], [[v1]]
// CHECK-NEXT: [[v3:%.*]] = tt.splat [[v2]]
// CHECK-NEXT: [[v4:%.*]] = tt.addptr [[v3]], %b0
// CHECK-NEXT: [[v7:%.*]] = tt.splat [[v1]]
// CHECK-NEXT: [[v8:%.*]] = arith.addi [[v7]], %b0
// CHECK-NEXT: [[v9:%.*]] = tt.splat %n
// CHECK-NEXT: [[v10:%.*]] = arith.cmpi slt, [[v8]], [[v9]]
// CHECK-NEXT: %v = tt.load [[v4]], [[v10]]
// CHECK: [[b0:%.*]] = tt.make_range 0 : i32 64 : i32
// CHECK-NEXT: [[y:%.*]] = nt.pointer %ys
// CHECK: [[v11:%.*]] = tt.addptr [[y]], {{%.*}}
// CHECK-NEXT: [[v12:%.*]] = tt.splat [[v11]]
// CHECK-NEXT: [[v13:%.*]] = tt.addptr [[v12]], [[b0]]
// CHECK: [[v14:%.*]] = arith.cmpi sle
// CHECK: tt.store [[v13]], {{%.*}}, [[v14]]
// CHECK-NOT: nt.store
nt.kernel @masked_copy symbols [#nt.symbol<n size 0 to ?>] grid #nt.expr<n ceildiv 64> arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x0 = nt.access %x <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  %y = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %y0 = nt.access %y <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %x0, %y0
      : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>, !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[64] x f32>, %ys : !nt.tensor<[64] x f32>):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [n ceildiv 64] : index
  %v = nt.load %xs[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  nt.store %v, %ys[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  nt.return
}

// Lanes outside the guard read `other`.
// CHECK-LABEL: nt.kernel @other
// CHECK: [[v9:%.*]] = arith.constant 0xff800000 : f32
// CHECK-NEXT: [[v10:%.*]] = tt.splat [[v9]]
// CHECK-NEXT: %v = tt.load {{%.*}}, {{%.*}}, [[v10]]
nt.kernel @other symbols [#nt.symbol<n size 0 to ?>] grid #nt.expr<n ceildiv 64> arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x0 = nt.access %x <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %x0
      : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[64] x f32>):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [n ceildiv 64] : index
  %v = nt.load %xs[] other 0xFF800000 : f32 : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  nt.return
}

// A guard that the ranges of program and lane prove: no mask.
// CHECK-LABEL: nt.kernel @always_inside
// CHECK: %v = tt.load {{%.*}}
// CHECK-NOT: cmpi
nt.kernel @always_inside symbols [#nt.symbol<n size 0 to ?>] grid #nt.expr<n> arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n * 64] x f32>
  %x0 = nt.access %x <[[n], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n * 64]]>
      : !nt.tensor<[n * 64] x f32> -> !nt.tensor<[n] x !nt.tensor<[64] x f32>>
  nt.arranged %x0
      : !nt.tensor<[n] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[64] x f32>):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [n] : index
  %v = nt.load %xs[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  nt.return
}

// An index that may be negative is compared as an unsigned number.
// CHECK-LABEL: nt.kernel @below_zero
// CHECK: [[v11:%.*]] = arith.cmpi ult, {{%.*}}, {{%.*}}
// CHECK-NEXT: %v = tt.load {{%.*}}, [[v11]]
nt.kernel @below_zero symbols [#nt.symbol<n size 0 to ?>] grid #nt.expr<n ceildiv 64> arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x0 = nt.access %x <[[n ceildiv 64], [64]] -> [g0 * 64 + b0 - 1] if [[g0 * 64 + b0 - 1, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %x0
      : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[64] x f32>):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [n ceildiv 64] : index
  %v = nt.load %xs[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  nt.return
}

// Where the size may be negative, too, it is compared with both.
// CHECK-LABEL: nt.kernel @size_below_zero
// CHECK: [[v11:%.*]] = arith.cmpi slt, [[v9:%.*]], {{%.*}}
// CHECK: [[v14:%.*]] = arith.cmpi sge, [[v9]], {{%.*}}
// CHECK-NEXT: [[v15:%.*]] = arith.andi [[v11]], [[v14]]
// CHECK-NEXT: %v = tt.load {{%.*}}, [[v15]]
nt.kernel @size_below_zero symbols [#nt.symbol<n size 0 to ?>] grid #nt.expr<n ceildiv 64> arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x0 = nt.access %x <[[n ceildiv 64], [64]] -> [g0 * 64 + b0 - 1] if [[g0 * 64 + b0 - 1, n - 3]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %x0
      : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[64] x f32>):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [n ceildiv 64] : index
  %v = nt.load %xs[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  nt.return
}

// Rows and columns are computed apart and meet once.
// CHECK-LABEL: nt.kernel @two_dims
// CHECK: %m = nt.size <m>
// CHECK-NEXT: %n = nt.size <n>
// CHECK-NEXT: %s = nt.size <s>
// CHECK-NEXT: %pid = tt.get_program_id 0
// CHECK: %g0 = nt.quotient %pid by <n ceildiv 32> : i32
// CHECK: %g1 = arith.subi %pid, {{%.*}}
// CHECK-NEXT: %b0 = tt.make_range 0 : i32 16 : i32
// CHECK-NEXT: %b1 = tt.make_range 0 : i32 32 : i32
// CHECK-NEXT: [[x:%.*]] = nt.pointer %xs
// CHECK-NEXT: [[v5:%.*]] = arith.muli %g0, %s
// CHECK-NEXT: [[v6:%.*]] = arith.constant 16 : i32
// CHECK-NEXT: [[v7:%.*]] = arith.muli [[v5]], [[v6]]
// CHECK-NEXT: [[v0:%.*]] = arith.constant 32 : i32
// CHECK-NEXT: [[v8:%.*]] = arith.muli %g1, [[v0]]
// CHECK-NEXT: [[v9:%.*]] = arith.addi [[v7]], [[v8]]
// CHECK-NEXT: [[v10:%.*]] = tt.addptr [[x]], [[v9]]
// CHECK-NEXT: [[v11:%.*]] = tt.splat [[v10]]
// CHECK-NEXT: [[v12:%.*]] = tt.splat %s
// CHECK-NEXT: [[v13:%.*]] = arith.muli %b0, [[v12]]
// CHECK-NEXT: [[v14:%.*]] = tt.expand_dims [[v13]] 1
// CHECK-NEXT: [[v15:%.*]] = tt.broadcast [[v14]]
// CHECK-NEXT: [[v16:%.*]] = tt.expand_dims %b1 0
// CHECK-NEXT: [[v17:%.*]] = tt.broadcast [[v16]]
// CHECK-NEXT: [[v18:%.*]] = arith.addi [[v15]], [[v17]]
// CHECK-NEXT: [[v19:%.*]] = tt.addptr [[v11]], [[v18]]
// CHECK-NEXT: [[v20:%.*]] = arith.muli %g0, [[v6]]
// CHECK-NEXT: [[v21:%.*]] = tt.splat [[v20]]
// CHECK-NEXT: [[v22:%.*]] = arith.addi [[v21]], %b0
// CHECK-NEXT: [[v23:%.*]] = tt.splat %m
// CHECK-NEXT: [[v24:%.*]] = arith.cmpi slt, [[v22]], [[v23]]
// CHECK-NEXT: [[v25:%.*]] = tt.splat [[v8]]
// CHECK-NEXT: [[v26:%.*]] = arith.addi [[v25]], %b1
// CHECK-NEXT: [[v27:%.*]] = tt.splat %n
// CHECK-NEXT: [[v28:%.*]] = arith.cmpi slt, [[v26]], [[v27]]
// CHECK-NEXT: [[v29:%.*]] = tt.expand_dims [[v24]] 1
// CHECK-NEXT: [[v30:%.*]] = tt.broadcast [[v29]]
// CHECK-NEXT: [[v31:%.*]] = tt.expand_dims [[v28]] 0
// CHECK-NEXT: [[v32:%.*]] = tt.broadcast [[v31]]
// CHECK-NEXT: [[v33:%.*]] = arith.andi [[v30]], [[v32]]
// CHECK-NEXT: %v = tt.load [[v19]], [[v33]]
nt.kernel @two_dims symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>, #nt.symbol<s stride ? to ?>] grid #nt.expr<(m ceildiv 16) * (n ceildiv 32)> arrange {
  %x = nt.source "x" "tensor" strides [s, 1] aligned false : !nt.tensor<[m, n] x f32>
  %x0 = nt.access %x <[[m ceildiv 16, n ceildiv 32], [16, 32]] -> [g0 * 16 + b0, g1 * 32 + b1] if [[g0 * 16 + b0, m], [g1 * 32 + b1, n]]>
      : !nt.tensor<[m, n] x f32> -> !nt.tensor<[m ceildiv 16, n ceildiv 32] x !nt.tensor<[16, 32] x f32>>
  nt.arranged %x0
      : !nt.tensor<[m ceildiv 16, n ceildiv 32] x !nt.tensor<[16, 32] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[16, 32] x f32>):
  %pid = nt.program_id : index
  %g0, %g1 = nt.program_index %pid [m ceildiv 16, n ceildiv 32] : index, index
  %v = nt.load %xs[] : !nt.tensor<[16, 32] x f32>[] -> !nt.tensor<[16, 32] x f32>
  nt.return
}

// A loop over the middle level: the range of its induction variable is known, so no lower bound is
// checked. Invariant terms are added first.
// CHECK-LABEL: nt.kernel @in_a_loop
// CHECK: scf.for %i = %c0 to %n step %c1
// CHECK: [[v0:%.*]] = arith.muli %pid, %k
// CHECK-NEXT: [[v1:%.*]] = tt.addptr {{%.*}}, [[v0]]
// CHECK: [[v6:%.*]] = arith.muli %i, {{%.*}}
// CHECK-NEXT: {{%.*}} = tt.addptr [[v1]], [[v6]]
// CHECK: [[v9:%.*]] = tt.addptr {{%.*}}, %b0
// CHECK-NEXT: {{%.*}} = tt.splat [[v6]]
// CHECK: [[v14:%.*]] = arith.cmpi slt, {{%.*}}, {{%.*}}
// CHECK-NEXT: %v = tt.load [[v9]], [[v14]]
nt.kernel @in_a_loop symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<k size 0 to ?>] grid #nt.expr<m> arrange {
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
  scf.for %i = %c0 to %n step %c1 : i32 {
    %v = nt.load %xs[%i] : !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x f32>
    scf.yield
  }
  nt.return
}

// Of an index that is no loop variable nothing is known: it may be negative.
// CHECK-LABEL: nt.kernel @any_index
// CHECK: [[v0:%.*]] = arith.muli %pid, %k
// CHECK-NEXT: [[v1:%.*]] = tt.addptr {{%.*}}, [[v0]]
// CHECK: [[v4:%.*]] = arith.muli %j, {{%.*}}
// CHECK-NEXT: {{%.*}} = tt.addptr [[v1]], [[v4]]
// CHECK: [[v7:%.*]] = tt.addptr {{%.*}}, %b0
// CHECK-NEXT: {{%.*}} = tt.splat [[v4]]
// CHECK: [[v12:%.*]] = arith.cmpi ult, {{%.*}}, {{%.*}}
// CHECK-NEXT: %v = tt.load [[v7]], [[v12]]
nt.kernel @any_index symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<k size 0 to ?>] grid #nt.expr<m> arrange {
  %x = nt.source "x" "tensor" strides [k, 1] aligned false : !nt.tensor<[m, k] x f32>
  %x0 = nt.access %x <[[m], [k ceildiv 64], [64]] -> [g0, k1_0 * 64 + b0] if [[k1_0 * 64 + b0, k]]>
      : !nt.tensor<[m, k] x f32> -> !nt.tensor<[m] x !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f32>>>
  %i = nt.source "i" "scalar" strides [] aligned false : !nt.tensor<[] x i32>
  nt.arranged %x0, %i
      : !nt.tensor<[m] x !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f32>>>, !nt.tensor<[] x i32>
} apply {
^bb0(%xs : !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f32>>, %is : !nt.tensor<[] x i32>):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [m] : index
  %j = nt.load %is[] : !nt.tensor<[] x i32>[] -> i32
  %v = nt.load %xs[%j] : !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x f32>
  nt.return
}

// A constant index is substituted. A constant is added to a block of pointers last, where it is a
// part of the machine's load, and accesses that differ in nothing else share the rest.
// CHECK-LABEL: nt.kernel @constant_index
// CHECK: [[v4:%.*]] = tt.addptr {{%.*}}, %b0
// CHECK-NEXT: [[far:%.*]] = arith.constant dense<128> : tensor<64xi32>
// CHECK-NEXT: [[v5:%.*]] = tt.addptr [[v4]], [[far]]
// CHECK: [[v9:%.*]] = arith.cmpi slt, {{%.*}}, {{%.*}}
// CHECK-NEXT: %v = tt.load [[v5]], [[v9]]
nt.kernel @constant_index symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<k size 0 to ?>] grid #nt.expr<m> arrange {
  %x = nt.source "x" "tensor" strides [k, 1] aligned false : !nt.tensor<[m, k] x f32>
  %x0 = nt.access %x <[[m], [k ceildiv 64], [64]] -> [g0, k1_0 * 64 + b0] if [[k1_0 * 64 + b0, k]]>
      : !nt.tensor<[m, k] x f32> -> !nt.tensor<[m] x !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f32>>>
  nt.arranged %x0
      : !nt.tensor<[m] x !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f32>>>
} apply {
^bb0(%xs : !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f32>>):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [m] : index
  %j = arith.constant 2 : i32
  %v = nt.load %xs[%j] : !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x f32>
  nt.return
}

// Quotient and remainder of what is at least 0 are one quotient.
// CHECK-LABEL: nt.kernel @flattened
// CHECK: %x0 = nt.access %x <{{\[\[}}m * n ceildiv 64], [64]] -> [(b0 + g0 * 64) floordiv n, (b0 + g0 * 64) mod n] if {{\[\[}}b0 + g0 * 64, m * n]]>
// CHECK: {{%.*}} = arith.muli %pid, {{%.*}}
// CHECK: [[v6:%.*]] = nt.quotient {{%.*}} by <n> : tensor<64xi32>
// CHECK: {{%.*}} = arith.muli [[v6]], {{%.*}}
// CHECK: {{%.*}} = arith.muli [[v6]], {{%.*}}
// CHECK-NEXT: {{%.*}} = arith.subi {{%.*}}, {{%.*}}
// CHECK: {{%.*}} = arith.muli %m, %n
// CHECK: %v = tt.load {{%.*}}, {{%.*}}
nt.kernel @flattened symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 1 to ?>, #nt.symbol<s stride ? to ?>] grid #nt.expr<m * n ceildiv 64> arrange {
  %x = nt.source "x" "tensor" strides [s, 1] aligned false : !nt.tensor<[m, n] x f32>
  %x0 = nt.access %x <[[m * n ceildiv 64], [64]] -> [(g0 * 64 + b0) floordiv n, (g0 * 64 + b0) mod n] if [[g0 * 64 + b0, m * n]]>
      : !nt.tensor<[m, n] x f32> -> !nt.tensor<[m * n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %x0
      : !nt.tensor<[m * n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[64] x f32>):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [m * n ceildiv 64] : index
  %v = nt.load %xs[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  nt.return
}

// Where the source is contiguous, both are gone.
// CHECK-LABEL: nt.kernel @contiguous
// CHECK-NOT: arith.divsi
// CHECK-NOT: arith.remsi
// CHECK: %v = tt.load {{%.*}}, {{%.*}}
nt.kernel @contiguous symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 1 to ?>] grid #nt.expr<m * n ceildiv 64> arrange {
  %x = nt.source "x" "tensor" strides [n, 1] aligned false : !nt.tensor<[m, n] x f32>
  %x0 = nt.access %x <[[m * n ceildiv 64], [64]] -> [(g0 * 64 + b0) floordiv n, (g0 * 64 + b0) mod n] if [[g0 * 64 + b0, m * n]]>
      : !nt.tensor<[m, n] x f32> -> !nt.tensor<[m * n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %x0
      : !nt.tensor<[m * n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[64] x f32>):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [m * n ceildiv 64] : index
  %v = nt.load %xs[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  nt.return
}

// A dividend that may be negative is rounded down: one less where the remainder is negative.
// CHECK-LABEL: nt.kernel @floor_of_negative
// CHECK: [[v8:%.*]] = arith.remsi [[v6:%.*]], {{%.*}}
// CHECK: {{%.*}} = arith.shrsi [[v8]], {{%.*}}
// CHECK: {{%.*}} = arith.divsi [[v6]], {{%.*}}
// CHECK: %v = tt.load {{%.*}}
nt.kernel @floor_of_negative symbols [#nt.symbol<n size 0 to ?>] grid #nt.expr<n ceildiv 64> arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x0 = nt.access %x <[[n ceildiv 64], [64]] -> [(g0 * 64 + b0 - 5) floordiv n]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %x0
      : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[64] x f32>):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [n ceildiv 64] : index
  %v = nt.load %xs[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  nt.return
}

// Bits are bytes in memory.
// CHECK-LABEL: nt.kernel @bits
// CHECK: {{%.*}} = nt.pointer %xs : !nt.tensor<[64] x i1> -> !tt.ptr<i8>
// CHECK: [[v14:%.*]] = tt.load {{%.*}}, {{%.*}} : tensor<64x!tt.ptr<i8>>
// CHECK: %v = arith.cmpi ne, [[v14]], {{%.*}} : tensor<64xi8>
// CHECK: {{%.*}} = nt.pointer %ys : !nt.tensor<[64] x i1> -> !tt.ptr<i8>
// CHECK: [[v17:%.*]] = arith.extui {{%.*}} : tensor<64xi1> to tensor<64xi8>
// CHECK-NEXT: tt.store {{%.*}}, [[v17]], {{%.*}} : tensor<64x!tt.ptr<i8>>
nt.kernel @bits symbols [#nt.symbol<n size 0 to ?>] grid #nt.expr<n ceildiv 64> arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x i1>
  %x0 = nt.access %x <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x i1> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x i1>>
  %y = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[n] x i1>
  %y0 = nt.access %y <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x i1> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x i1>>
  nt.arranged %x0, %y0
      : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x i1>>, !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x i1>>
} apply {
^bb0(%xs : !nt.tensor<[64] x i1>, %ys : !nt.tensor<[64] x i1>):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [n ceildiv 64] : index
  %v = nt.load %xs[] : !nt.tensor<[64] x i1>[] -> !nt.tensor<[64] x i1>
  nt.store %v, %ys[] : !nt.tensor<[64] x i1>, !nt.tensor<[64] x i1>[]
  nt.return
}

// Memory has no signs.
// CHECK-LABEL: nt.kernel @unsigned
// CHECK: {{%.*}} = nt.pointer %xs : !nt.tensor<[64] x ui8> -> !tt.ptr<i8>
// CHECK: %v = tt.load {{%.*}}, {{%.*}} : tensor<64x!tt.ptr<i8>>
// CHECK: {{%.*}} = nt.pointer %ys : !nt.tensor<[64] x ui8> -> !tt.ptr<i8>
// CHECK: tt.store {{%.*}}, {{%.*}}, {{%.*}} : tensor<64x!tt.ptr<i8>>
nt.kernel @unsigned symbols [#nt.symbol<n size 0 to ?>] grid #nt.expr<n ceildiv 64> arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x ui8>
  %x0 = nt.access %x <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x ui8> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x ui8>>
  %y = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[n] x ui8>
  %y0 = nt.access %y <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x ui8> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x ui8>>
  nt.arranged %x0, %y0
      : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x ui8>>, !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x ui8>>
} apply {
^bb0(%xs : !nt.tensor<[64] x ui8>, %ys : !nt.tensor<[64] x ui8>):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [n ceildiv 64] : index
  %v = nt.load %xs[] : !nt.tensor<[64] x ui8>[] -> !nt.tensor<[64] x ui8>
  nt.store %v, %ys[] : !nt.tensor<[64] x ui8>, !nt.tensor<[64] x ui8>[]
  nt.return
}

// A tile of no dims is one element.
// CHECK-LABEL: nt.kernel @no_dims
// CHECK: [[v0:%.*]] = tt.addptr {{%.*}}, %pid : !tt.ptr<f32>, i32
// CHECK-NEXT: %v = tt.load [[v0]] : !tt.ptr<f32>
// CHECK: [[v1:%.*]] = tt.addptr {{%.*}}, %pid : !tt.ptr<f32>, i32
// CHECK-NEXT: tt.store [[v1]], %v : !tt.ptr<f32>
nt.kernel @no_dims symbols [#nt.symbol<n size 0 to ?>] grid #nt.expr<n> arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x0 = nt.access %x <[[n]] -> [g0]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n] x f32>
  nt.arranged %x0
      : !nt.tensor<[n] x f32>
} apply {
^bb0(%xs : !nt.tensor<[] x f32>):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [n] : index
  %v = nt.load %xs[] : !nt.tensor<[] x f32>[] -> f32
  nt.store %v, %xs[] : f32, !nt.tensor<[] x f32>[]
  nt.return
}

// A guard is the mask.
// CHECK-LABEL: nt.kernel @guard
// CHECK: [[v5:%.*]] = arith.cmpi slt, {{%.*}}, {{%.*}}
// CHECK-NEXT: %b = builtin.unrealized_conversion_cast [[v5]]
// CHECK-NOT: nt.guard
nt.kernel @guard symbols [#nt.symbol<n size 0 to ?>] grid #nt.expr<n ceildiv 64> arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x0 = nt.access %x <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %x0
      : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[64] x f32>):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [n ceildiv 64] : index
  %b = nt.guard %xs[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x i1>
  nt.return
}

// A guard that always holds.
// CHECK-LABEL: nt.kernel @true_guard
// CHECK: [[v0:%.*]] = arith.constant dense<true> : tensor<64xi1>
// CHECK-NEXT: %b = builtin.unrealized_conversion_cast [[v0]] : tensor<64xi1> to !nt.tensor<[64] x i1>
nt.kernel @true_guard symbols [#nt.symbol<n size 0 to ?>] grid #nt.expr<n> arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n * 64] x f32>
  %x0 = nt.access %x <[[n], [64]] -> [g0 * 64 + b0]>
      : !nt.tensor<[n * 64] x f32> -> !nt.tensor<[n] x !nt.tensor<[64] x f32>>
  nt.arranged %x0
      : !nt.tensor<[n] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[64] x f32>):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [n] : index
  %b = nt.guard %xs[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x i1>
  nt.return
}

// Compound sizes are computed from single ones.
// CHECK-LABEL: nt.kernel @compound_size
// CHECK: %n = nt.size <n>
// CHECK: [[v0:%.*]] = arith.constant 64 : i32
// CHECK-NEXT: [[v1:%.*]] = arith.constant 1 : i32
// CHECK-NEXT: [[v2:%.*]] = arith.subi [[v0]], [[v1]]
// CHECK-NEXT: [[v3:%.*]] = arith.addi %n, [[v2]]
// CHECK-NEXT: %s = arith.divsi [[v3]], [[v0]]
// CHECK-NEXT: nt.return
nt.kernel @compound_size symbols [#nt.symbol<n size 0 to ?>] grid #nt.expr<n ceildiv 64> arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x0 = nt.access %x <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %x0
      : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[64] x f32>):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [n ceildiv 64] : index
  %s = nt.size <n ceildiv 64> : i32
  %w = nt.size <n> : i32
  nt.return
}

// A loop that ends at the smaller of two numbers: what is known of one of them leaves out the mask.
// CHECK-LABEL: nt.kernel @up_to_the_smaller
// CHECK-NOT: arith.cmpi
// CHECK: %v = tt.load
nt.kernel @up_to_the_smaller symbols [#nt.symbol<k size 0 to ?>] grid #nt.expr<1> arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[k] x f32>
  %x0 = nt.access %x <[[1], [k ceildiv 64], [64]] -> [k1_0 * 64 + b0] if [[k1_0 * 64 + b0, k]]>
      : !nt.tensor<[k] x f32> -> !nt.tensor<[1] x !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f32>>>
  nt.arranged %x0
      : !nt.tensor<[1] x !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f32>>>
} apply {
^bb0(%xs : !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f32>>):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [1] : index
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %whole = nt.size <k floordiv 64> : i32
  %number = nt.elementwise "add"(%whole, %c1) : (i32, i32) -> i32
  %end = nt.elementwise "minimum"(%number, %whole) : (i32, i32) -> i32
  scf.for %i = %c0 to %end step %c1 : i32 {
    %v = nt.load %xs[%i] : !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x f32>
    scf.yield
  }
  nt.return
}

// A load keeps its eviction policy, by which cse tells it from others.
// CHECK-LABEL: nt.kernel @policies
// CHECK: %u = tt.load {{%.*}}, {{%.*}} evictionPolicy = evict_last :
// CHECK: %v = tt.load {{%.*}}, {{%.*}} :
// CHECK: %w = tt.load {{%.*}}, {{%.*}} evictionPolicy = evict_first :
nt.kernel @policies symbols [#nt.symbol<n size 0 to ?>] grid #nt.expr<n ceildiv 64> arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x0 = nt.access %x <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %x0 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%a : !nt.tensor<[64] x f32>):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [n ceildiv 64] : index
  %u = nt.load %a[] evict "evict_last" : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  %v = nt.load %a[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  %w = nt.load %a[] evict "evict_first" : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  nt.return
}
