// RUN: nt-opt %s -p nt-lower-accesses | filecheck %s

// Coordinates stand where the block's indices do; the block ends at its padded size and, by the
// access's guard, at its true one.
// CHECK-LABEL: nt.kernel @elements
// CHECK: %i = nt.elementwise "mul"
// CHECK: [[i:%.*]] = builtin.unrealized_conversion_cast %i
// CHECK: [[x:%.*]] = tt.addptr {{.*}}
// CHECK-NEXT: [[ps:%.*]] = tt.splat [[x]]
// CHECK-NEXT: [[s:%.*]] = tt.splat %s
// CHECK-NEXT: [[o:%.*]] = arith.muli [[i]], [[s]]
// CHECK-NEXT: [[p:%.*]] = tt.addptr [[ps]], [[o]]
// CHECK: arith.cmpi slt, {{.*}}, {{.*}} : tensor<16xi32>
// CHECK: arith.cmpi slt, [[i]], {{.*}} : tensor<16xi32>
// CHECK: [[zero:%.*]] = arith.constant dense<0> : tensor<16xi32>
// CHECK-NEXT: arith.cmpi sge, {{.*}}, [[zero]] : tensor<16xi32>
// CHECK: [[end:%.*]] = arith.constant dense<64> : tensor<16xi32>
// CHECK-NEXT: arith.cmpi slt, {{.*}}, [[end]] : tensor<16xi32>
// CHECK: %p = builtin.unrealized_conversion_cast [[p]]
// CHECK: %v = nt.pointer_load %p mask %m
nt.kernel @elements symbols [#nt.symbol<n size 0 to ?>, #nt.symbol<s stride ? to ?>] grid #nt.expr<n ceildiv 48> arrange {
  %x = nt.source "x" "tensor" strides [s] aligned false : !nt.tensor<[n] x f32>
  %x0 = nt.access %x <[[n ceildiv 48], [64]] -> [g0 * 48 + b0] if [[g0 * 48 + b0, n], [b0, 48]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 48] x !nt.tensor<[64] x f32>>
  nt.arranged %x0 : !nt.tensor<[n ceildiv 48] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[64] x f32>):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [n ceildiv 48] : index
  %lanes = nt.arange <5> : !nt.tensor<[16] x i32>
  %i = nt.elementwise "mul"(%lanes, %lanes)
      : (!nt.tensor<[16] x i32>, !nt.tensor<[16] x i32>) -> !nt.tensor<[16] x i32>
  %p, %m = nt.address %xs[] [%i] : !nt.tensor<[64] x f32>[] [!nt.tensor<[16] x i32>]
      -> !nt.tensor<[16] x !tt.ptr<f32>>, !nt.tensor<[16] x i1>
  %v = nt.pointer_load %p mask %m : !nt.tensor<[16] x i1>
      : !nt.tensor<[16] x !tt.ptr<f32>> -> !nt.tensor<[16] x f32>
  nt.return
}

// Lanes that are known lie inside: only the access's guard is left.
// CHECK-LABEL: nt.kernel @lanes
// CHECK: arith.cmpi slt, {{.*}}, {{.*}} : tensor<16xi32>
// CHECK-NOT: arith.cmpi
// CHECK: %v = nt.pointer_load %p mask %m
nt.kernel @lanes symbols [#nt.symbol<n size 0 to ?>] grid #nt.expr<n ceildiv 64> arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x0 = nt.access %x <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %x0 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[64] x f32>):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [n ceildiv 64] : index
  %i = nt.arange <5> : !nt.tensor<[16] x i32>
  %p, %m = nt.address %xs[] [%i] : !nt.tensor<[64] x f32>[] [!nt.tensor<[16] x i32>]
      -> !nt.tensor<[16] x !tt.ptr<f32>>, !nt.tensor<[16] x i1>
  %v = nt.pointer_load %p mask %m : !nt.tensor<[16] x i1>
      : !nt.tensor<[16] x !tt.ptr<f32>> -> !nt.tensor<[16] x f32>
  nt.return
}

// A coordinate that is known lies inside: only the access's guard is left.
// CHECK-LABEL: nt.kernel @one
// CHECK: %p = tt.addptr {{.*}}, {{.*}} : !tt.ptr<f32>, i32
// CHECK: %m = arith.cmpi slt, {{.*}}, %n : i32
// CHECK-NOT: arith.cmpi
// CHECK: %v = nt.pointer_load %p mask %m
nt.kernel @one symbols [#nt.symbol<n size 0 to ?>] grid #nt.expr<n ceildiv 64> arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x0 = nt.access %x <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %x0 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[64] x f32>):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [n ceildiv 64] : index
  %i = arith.constant 3 : i32
  %p, %m = nt.address %xs[] [%i] : !nt.tensor<[64] x f32>[] [i32] -> !tt.ptr<f32>, i1
  %v = nt.pointer_load %p mask %m : i1 : !tt.ptr<f32> -> f32
  nt.return
}

// Numbers of 64 bits are compared as they are: those of 32 bits would wrap.
// CHECK-LABEL: nt.kernel @wide
// CHECK: arith.cmpi sge, %i, {{.*}} : i64
// CHECK: arith.cmpi slt, %i, {{.*}} : i64
// CHECK-LABEL: nt.kernel @always
// CHECK: %m = arith.constant true
nt.kernel @wide symbols [#nt.symbol<n size 0 to ?>] grid #nt.expr<n ceildiv 64> arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x0 = nt.access %x <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %x0 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[64] x f32>):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [n ceildiv 64] : index
  %i = nt.size <n> : i64
  %p, %m = nt.address %xs[] [%i] : !nt.tensor<[64] x f32>[] [i64] -> !tt.ptr<f32>, i1
  %v = nt.pointer_load %p mask %m : i1 : !tt.ptr<f32> -> f32
  nt.return
}

nt.kernel @always symbols [#nt.symbol<n size 0 to ?>] grid #nt.expr<n> arrange {
  %x = nt.source "x" "tensor" strides [64, 1] aligned false : !nt.tensor<[n, 64] x f32>
  %x0 = nt.access %x <[[n], [64]] -> [g0, b0]>
      : !nt.tensor<[n, 64] x f32> -> !nt.tensor<[n] x !nt.tensor<[64] x f32>>
  nt.arranged %x0 : !nt.tensor<[n] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[64] x f32>):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [n] : index
  %i = arith.constant 3 : i32
  %p, %m = nt.address %xs[] [%i] : !nt.tensor<[64] x f32>[] [i32] -> !tt.ptr<f32>, i1
  %v = nt.pointer_load %p mask %m : i1 : !tt.ptr<f32> -> f32
  nt.return
}
