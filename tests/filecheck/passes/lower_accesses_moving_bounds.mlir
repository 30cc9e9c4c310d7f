// RUN: nt-opt %s -p 'nt-lower-accesses{moving_bounds=1}' | filecheck %s

// What a loop adds to the index of all lanes is taken from the size, once an iteration.
// CHECK-LABEL: nt.kernel @in_a_loop
// CHECK: scf.for %i = %c0 to %n step %c1
// CHECK-NEXT: %b0 = tt.make_range 0 : i32 64 : i32
// CHECK: [[moved:%.*]] = arith.muli %i, {{%.*}} : i32
// CHECK: [[left:%.*]] = arith.subi %k, [[moved]] : i32
// CHECK-NEXT: [[bound:%.*]] = tt.splat [[left]]
// CHECK-NEXT: [[mask:%.*]] = arith.cmpi slt, %b0, [[bound]]
// CHECK-NEXT: tt.load {{%.*}}, [[mask]]
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

// Outside of a loop, nothing moves.
// CHECK-LABEL: nt.kernel @by_programs
// CHECK: [[size:%.*]] = tt.splat %n
// CHECK-NEXT: arith.cmpi slt, {{%.*}}, [[size]]
nt.kernel @by_programs symbols [#nt.symbol<n size 0 to ?>] grid #nt.expr<n ceildiv 64> arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %0 = nt.access %x <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %0 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%a : !nt.tensor<[64] x f32>):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [n ceildiv 64] : index
  %v = nt.load %a[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  nt.return
}

// Where the index may be negative, it is compared as an unsigned number.
// CHECK-LABEL: nt.kernel @shifted
// CHECK: scf.for %i = %c0 to %n step %c1
// CHECK: [[size:%.*]] = tt.splat %k
// CHECK-NEXT: arith.cmpi ult, {{%.*}}, [[size]]
nt.kernel @shifted symbols [#nt.symbol<k size 0 to ?>] grid #nt.expr<1> arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[k] x f32>
  %0 = nt.access %x <[[1], [k ceildiv 64], [64]] -> [k1_0 * 64 + b0 - 1] if [[k1_0 * 64 + b0 - 1, k]]>
      : !nt.tensor<[k] x f32> -> !nt.tensor<[1] x !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f32>>>
  nt.arranged %0 : !nt.tensor<[1] x !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f32>>>
} apply {
^bb0(%xs : !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f32>>):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [1] : index
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %n = nt.size <k ceildiv 64> : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %v = nt.load %xs[%i] : !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x f32>
    scf.yield
  }
  nt.return
}
