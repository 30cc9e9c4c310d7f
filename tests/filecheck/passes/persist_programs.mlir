// RUN: nt-opt %s --print-local-scope -p 'nt-persist-programs{persistent=1}' | filecheck %s
// RUN: nt-opt %s --print-local-scope -p nt-persist-programs | filecheck %s --check-prefix=NONE
// RUN: nt-opt %s --remarks -p 'nt-persist-programs{persistent=1}' 2>&1 | filecheck %s --check-prefix=REMARK
// RUN: nt-opt %s --remarks -p nt-persist-programs 2>&1 | filecheck %s --check-prefix=POSSIBLE

// By default, a program does its own work.
// NONE-NOT: persistent

// The id is marked, in any order of programs; all else stays.
// CHECK-LABEL: nt.kernel @product
// CHECK: %pid = nt.program_id persistent last <m ceildiv 16 - 1> : index
// CHECK-NEXT: %g0 = nt.program_index %pid [m ceildiv 16] : index
// REMARK: remark: programs persist: each loads for its next work while it ends one [nt-persist-programs, passed]
// POSSIBLE: remark: programs end with their own work: persistent_programs is 0, and may be 1 [nt-persist-programs, analysis]
!block = !nt.tensor<[16, 16] x f16>
!blocks = !nt.tensor<[k ceildiv 16] x !block>
!operand = !nt.tensor<[m ceildiv 16] x !blocks>
!sum = !nt.tensor<[16, 16] x f32>
!result = !nt.tensor<[m ceildiv 16] x !sum>
nt.kernel @product symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<k size 0 to ?>] grid #nt.expr<m ceildiv 16> arrange {
  %x = nt.source "x" "tensor" strides [k, 1] aligned false : !nt.tensor<[m, k] x f16>
  %0 = nt.access %x <[[m ceildiv 16], [k ceildiv 16], [16, 16]] -> [g0 * 16 + b0, k1_0 * 16 + b1]
      if [[g0 * 16 + b0, m], [k1_0 * 16 + b1, k]]> : !nt.tensor<[m, k] x f16> -> !operand
  %y = nt.source "y" "tensor" strides [16, 1] aligned false : !nt.tensor<[m, 16] x f32>
  %1 = nt.access %y <[[m ceildiv 16], [16, 16]] -> [g0 * 16 + b0, b1] if [[g0 * 16 + b0, m]]>
      : !nt.tensor<[m, 16] x f32> -> !result
  nt.arranged %0, %1 : !operand, !result
} apply {
^bb0(%a : !blocks, %b : !sum):
  %pid = nt.program_id last <m ceildiv 16 - 1> : index
  %g0 = nt.program_index %pid [m ceildiv 16] : index
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %n = nt.size <k ceildiv 16> : i32
  %2 = arith.constant 0.0 : f32
  %zero = nt.full %2 : f32 -> !sum
  %total = scf.for %i = %c0 to %n step %c1 iter_args(%t = %zero) -> (!sum) : i32 {
    %tile = nt.load %a[%i] other 0.0 : f16 : !blocks[i32] -> !block
    %next = nt.dot %tile, %tile, %t : !block, !block -> !sum
    scf.yield %next : !sum
  }
  // What it says of its own work, it may say later.
  nt.print "total" hex false(%total) : !sum
  nt.store %total, %b[] : !sum, !sum[]
  nt.return
}

// What is stored may be read before, but not in a later iteration or behind it: loads are made
// ahead.
// CHECK-LABEL: nt.kernel @in_place
// CHECK: %pid = nt.program_id persistent : index
// REMARK-NEXT: remark: programs persist: each loads for its next work while it ends one [nt-persist-programs, passed]
nt.kernel @in_place symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<k size 0 to ?>] grid #nt.expr<m ceildiv 16> arrange {
  %x = nt.source "x" "tensor" strides [k, 1] aligned false : !nt.tensor<[m, k] x f16>
  %0 = nt.access %x <[[m ceildiv 16], [k ceildiv 16], [16, 16]] -> [g0 * 16 + b0, k1_0 * 16 + b1]
      if [[g0 * 16 + b0, m], [k1_0 * 16 + b1, k]]> : !nt.tensor<[m, k] x f16> -> !operand
  %y = nt.source "y" "tensor" strides [16, 1] aligned false : !nt.tensor<[m, 16] x f32>
  %1 = nt.access %y <[[m ceildiv 16], [16, 16]] -> [g0 * 16 + b0, b1] if [[g0 * 16 + b0, m]]>
      : !nt.tensor<[m, 16] x f32> -> !result
  nt.arranged %0, %1 : !operand, !result
} apply {
^bb0(%a : !blocks, %b : !sum):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [m ceildiv 16] : index
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %n = nt.size <k ceildiv 16> : i32
  %before = nt.load %b[] : !sum[] -> !sum
  %total = scf.for %i = %c0 to %n step %c1 iter_args(%t = %before) -> (!sum) : i32 {
    %tile = nt.load %a[%i] other 0.0 : f16 : !blocks[i32] -> !block
    %next = nt.dot %tile, %tile, %t : !block, !block -> !sum
    scf.yield %next : !sum
  }
  nt.store %total, %b[] : !sum, !sum[]
  nt.return
}

// CHECK-LABEL: nt.kernel @written_before
// CHECK: %pid = nt.program_id : index
// REMARK-NEXT: remark: programs end with their own work: accesses of `x` may overlap [nt-persist-programs, missed]
nt.kernel @written_before symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<k size 0 to ?>] grid #nt.expr<m ceildiv 16> arrange {
  %x = nt.source "x" "tensor" strides [k, 1] aligned false : !nt.tensor<[m, k] x f16>
  %0 = nt.access %x <[[m ceildiv 16], [k ceildiv 16], [16, 16]] -> [g0 * 16 + b0, k1_0 * 16 + b1]
      if [[g0 * 16 + b0, m], [k1_0 * 16 + b1, k]]> : !nt.tensor<[m, k] x f16> -> !operand
  nt.arranged %0 : !operand
} apply {
^bb0(%a : !blocks):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [m ceildiv 16] : index
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %n = nt.size <k ceildiv 16> : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %tile = nt.load %a[%i] other 0.0 : f16 : !blocks[i32] -> !block
    %2 = arith.constant 0.0 : f16
    %zero = nt.full %2 : f16 -> !block
    %next = nt.dot %tile, %tile, %zero : !block, !block -> !block
    nt.store %next, %a[%i] : !block, !blocks[i32]
    scf.yield
  }
  nt.return
}

// A program's number is its own.
// CHECK-LABEL: nt.kernel @numbered
// CHECK-NOT: persistent
// REMARK-NEXT: remark: programs end with their own work: a program asks for its number, or for how many there are [nt-persist-programs, missed]
nt.kernel @numbered symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<k size 0 to ?>] grid #nt.expr<m ceildiv 16> arrange {
  %x = nt.source "x" "tensor" strides [k, 1] aligned false : !nt.tensor<[m, k] x f16>
  %0 = nt.access %x <[[m ceildiv 16], [k ceildiv 16], [16, 16]] -> [g0 * 16 + b0, k1_0 * 16 + b1]
      if [[g0 * 16 + b0, m], [k1_0 * 16 + b1, k]]> : !nt.tensor<[m, k] x f16> -> !operand
  nt.arranged %0 : !operand
} apply {
^bb0(%a : !blocks):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [m ceildiv 16] : index
  %number = nt.program_id : i32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %number step %c1 : i32 {
    %tile = nt.load %a[%i] other 0.0 : f16 : !blocks[i32] -> !block
    %2 = arith.constant 0.0 : f16
    %zero = nt.full %2 : f16 -> !block
    %next = nt.dot %tile, %tile, %zero : !block, !block -> !block
    scf.yield
  }
  nt.return
}

// Without a dot there is nothing to overlap.
// CHECK-LABEL: nt.kernel @copy
// CHECK-NOT: persistent
// REMARK-NOT: remark:
nt.kernel @copy symbols [#nt.symbol<n size 0 to ?>] grid #nt.expr<n ceildiv 64> arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %0 = nt.access %x <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %0 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%a : !nt.tensor<[64] x f32>):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [n ceildiv 64] : index
  nt.return
}
