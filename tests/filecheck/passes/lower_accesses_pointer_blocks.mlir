// RUN: nt-opt %s -p 'nt-lower-accesses{pointer_blocks=1}' | filecheck %s

// Of a loop over the middle level, invariant terms are added first, the lanes' among them: the block of
// pointers can be made in front of it.
// CHECK-LABEL: nt.kernel @in_a_loop
// CHECK: scf.for %i = %c0 to %n step %c1
// CHECK: [[v0:%.*]] = arith.muli %pid, %k
// CHECK-NEXT: [[v1:%.*]] = tt.addptr {{%.*}}, [[v0]]
// CHECK-NEXT: [[v2:%.*]] = tt.splat [[v1]]
// CHECK-NEXT: [[v3:%.*]] = tt.addptr [[v2]], %b0
// CHECK: [[v6:%.*]] = arith.muli %i, {{%.*}}
// CHECK-NEXT: [[v7:%.*]] = tt.splat [[v6]]
// CHECK-NEXT: [[v9:%.*]] = tt.addptr [[v3]], [[v7]]
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

// So many pointers would not stay in registers over a loop, if each serves one lane: the first one is
// moved, by 16 lanes of whole rows.
// CHECK-LABEL: nt.kernel @many_pointers
// CHECK: scf.for %i = %c0 to %n step %c1
// CHECK: [[x:%.*]] = nt.pointer %xs
// CHECK: [[v6:%.*]] = arith.muli %i, {{%.*}}
// CHECK-NEXT: [[v7:%.*]] = tt.addptr [[x]], [[v6]]
// CHECK-NEXT: tt.splat [[v7]]
// CHECK: [[y:%.*]] = nt.pointer %ys
// CHECK-NEXT: tt.splat [[y]]
// CHECK: [[w6:%.*]] = arith.muli %i, {{%.*}}
// CHECK-NEXT: [[w7:%.*]] = tt.splat [[w6]]
// CHECK-NEXT: tt.addptr {{%.*}}, [[w7]]
nt.kernel @many_pointers symbols [#nt.symbol<k size 0 to ?>, #nt.symbol<s stride ? to ?>, #nt.symbol<t stride ? to ? div 16>] grid #nt.expr<1> arrange {
  %x = nt.source "x" "tensor" strides [s, 1] aligned false : !nt.tensor<[128, k] x i8>
  %x0 = nt.access %x <[[1], [k floordiv 128], [128, 128]] -> [b0, k1_0 * 128 + b1] if []>
      : !nt.tensor<[128, k] x i8> -> !nt.tensor<[1] x !nt.tensor<[k floordiv 128] x !nt.tensor<[128, 128] x i8>>>
  %y = nt.source "y" "tensor" strides [t, 1] aligned false : !nt.tensor<[128, k] x i8>
  %y0 = nt.access %y <[[1], [k floordiv 128], [128, 128]] -> [b0, k1_0 * 128 + b1] if []>
      : !nt.tensor<[128, k] x i8> -> !nt.tensor<[1] x !nt.tensor<[k floordiv 128] x !nt.tensor<[128, 128] x i8>>>
  nt.arranged %x0, %y0
      : !nt.tensor<[1] x !nt.tensor<[k floordiv 128] x !nt.tensor<[128, 128] x i8>>>, !nt.tensor<[1] x !nt.tensor<[k floordiv 128] x !nt.tensor<[128, 128] x i8>>>
} apply {
^bb0(%xs : !nt.tensor<[k floordiv 128] x !nt.tensor<[128, 128] x i8>>, %ys : !nt.tensor<[k floordiv 128] x !nt.tensor<[128, 128] x i8>>):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [1] : index
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %n = nt.size <k floordiv 128> : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %v = nt.load %xs[%i] : !nt.tensor<[k floordiv 128] x !nt.tensor<[128, 128] x i8>>[i32] -> !nt.tensor<[128, 128] x i8>
    %w = nt.load %ys[%i] : !nt.tensor<[k floordiv 128] x !nt.tensor<[128, 128] x i8>>[i32] -> !nt.tensor<[128, 128] x i8>
    scf.yield
  }
  nt.return
}
