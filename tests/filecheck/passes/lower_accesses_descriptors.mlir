// RUN: nt-opt %s --print-local-scope -p nt-lower-accesses | filecheck %s
// RUN: nt-opt %s --print-local-scope -p nt-lower-accesses,nt-hoist-invariants,cse | filecheck %s --check-prefix=ONCE

// A descriptor begins at the only index of the dims that it has not; its sizes are those of the
// guards. A box of one index along a dim loses that, a transposed one is transposed.
// CHECK-LABEL: nt.kernel @boxes
// CHECK: scf.for %i
// CHECK: [[x:%.*]] = nt.pointer %xs
// CHECK-NEXT: [[x1:%.*]] = arith.muli %pid, %s
// CHECK-NEXT: [[base:%.*]] = tt.addptr [[x]], [[x1]]
// CHECK-NEXT: [[stride:%.*]] = arith.extsi %s
// CHECK-NEXT: [[one:%.*]] = arith.constant 1 : i64
// CHECK-NEXT: %x_desc = tt.make_tensor_descriptor [[base]], [%n, %m], {{\[}}[[stride]], [[one]]] : !tt.ptr<f16>, !tt.tensordesc<tensor<32x64xf16>>
// CHECK: [[row:%.*]] = arith.muli %i, {{%.*}} : i32
// CHECK-NEXT: [[v:%.*]] = tt.descriptor_load %x_desc[{{%.*}}, [[row]]] : !tt.tensordesc<tensor<32x64xf16>> -> tensor<32x64xf16>
// CHECK-NEXT: %v = tt.trans [[v]] array<i32: 1, 0> : tensor<32x64xf16> -> tensor<64x32xf16>
// CHECK: %y_desc = tt.make_tensor_descriptor {{%.*}}, [%h, %m, %n]
// CHECK: [[w:%.*]] = tt.descriptor_load %y_desc[%i, {{%.*}}, {{%.*}}] : !tt.tensordesc<tensor<1x64x32xf16>> -> tensor<1x64x32xf16>
// CHECK-NEXT: %w = tt.reshape [[w]] : tensor<1x64x32xf16> -> tensor<64x32xf16>
// CHECK-NOT: tt.load
// CHECK: [[z:%.*]] = tt.reshape {{%.*}} : tensor<1x64x64xf16> -> tensor<64x64xf16>
// CHECK-NEXT: [[t:%.*]] = tt.trans [[z]] array<i32: 1, 0> : tensor<64x64xf16> -> tensor<64x64xf16>
// CHECK-NOT: tt.store
// CHECK: tt.descriptor_store %z_desc[{{%.*}}, {{%.*}}], [[t]] : !tt.tensordesc<tensor<64x64xf16>>, tensor<64x64xf16>

// Two loads of one box share a descriptor in front of the loop.
// ONCE-LABEL: nt.kernel @boxes
// ONCE-COUNT-2: tt.make_tensor_descriptor
// ONCE: scf.for %i
// ONCE-NOT: tt.make_tensor_descriptor
// ONCE: scf.yield
!x = !nt.tensor<[h, m, n] x f16>
!tile = !nt.tensor<[64, 32] x f16>
!tiles = !nt.tensor<[m ceildiv 64] x !tile>
!out = !nt.tensor<[1, 64, 64] x f16>
nt.kernel @boxes symbols [#nt.symbol<h size 0 to ?>, #nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ? div 16>, #nt.symbol<s stride ? to ? div 16>]
    grid #nt.expr<h> arrange {
  %x = nt.source "x" "tensor" strides [s, 1, s] aligned true : !x
  %x0 = nt.access %x <[[h], [m ceildiv 64], [64, 32]] -> [g0, b0 + k1_0 * 64, b1] if [[b0 + k1_0 * 64, m], [b1, n]]>
      : !x -> !nt.tensor<[h] x !tiles>
  %y = nt.source "y" "tensor" strides [s, s, 1] aligned true : !x
  %y0 = nt.access %y <[[h], [m ceildiv 64], [64, 32]] -> [k1_0, b0, b1] if [[k1_0, h], [b0, m], [b1, n]]>
      : !x -> !nt.tensor<[h] x !tiles>
  %z = nt.source "z" "tensor" strides [s, 1, s] aligned true : !x
  %z0 = nt.access %z <[[h], [1, 64, 64]] -> [g0, b1, b2] if [[b1, n], [b2, n]]> : !x -> !nt.tensor<[h] x !out>
  nt.arranged %x0, %y0, %z0 : !nt.tensor<[h] x !tiles>, !nt.tensor<[h] x !tiles>, !nt.tensor<[h] x !out>
} apply {
^bb0(%xs : !tiles, %ys : !tiles, %zs : !out):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [h] : index
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %n = nt.size <m ceildiv 64> : i32
  %zero = arith.constant 0.0 : f16
  %start = nt.full %zero : f16 -> !nt.tensor<[64, 64] x f16>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %start) -> (!nt.tensor<[64, 64] x f16>) : i32 {
    %v = nt.load %xs[%i] descriptor [2, 1] : !tiles[i32] -> !tile
    %again = nt.load %xs[%i] descriptor [2, 1] : !tiles[i32] -> !tile
    %w = nt.load %ys[%i] descriptor [0, 1, 2] : !tiles[i32] -> !tile
    %t = nt.trans %w order [1, 0] : !tile -> !nt.tensor<[32, 64] x f16>
    %d = nt.dot %v, %t, %acc : !tile, !nt.tensor<[32, 64] x f16> -> !nt.tensor<[64, 64] x f16>
    scf.yield %d : !nt.tensor<[64, 64] x f16>
  }
  %all = nt.expand_dims %sum axis 0 : !nt.tensor<[64, 64] x f16> -> !out
  nt.store %all, %zs[] descriptor [2, 1] : !out, !out[]
  nt.return
}

// One of the host's begins where its tensor does, so that an index that only programs change is one
// of the box's, too. Equal ones are one, without a loop.
// CHECK-LABEL: nt.kernel @of_host
// CHECK: scf.for %i
// CHECK: %x_desc = nt.host_descriptor %xs [h, n, m] strides [s, s, 1] : {{.*}} -> !tt.tensordesc<tensor<1x32x64xf16>>
// CHECK: [[v:%.*]] = tt.descriptor_load %x_desc[%pid, {{%.*}}, {{%.*}}] : !tt.tensordesc<tensor<1x32x64xf16>> -> tensor<1x32x64xf16>
// CHECK-NEXT: [[w:%.*]] = tt.reshape [[v]] : tensor<1x32x64xf16> -> tensor<32x64xf16>
// CHECK-NEXT: %v = tt.trans [[w]] array<i32: 1, 0> : tensor<32x64xf16> -> tensor<64x32xf16>
// CHECK-NOT: nt.pointer
// CHECK: %z_desc = nt.host_descriptor %zs [h, n, n] strides [s, s, 1]
// CHECK: tt.descriptor_store %z_desc[%pid, {{%.*}}, {{%.*}}], {{%.*}} : !tt.tensordesc<tensor<1x64x64xf16>>, tensor<1x64x64xf16>
// ONCE-LABEL: nt.kernel @of_host
// ONCE: nt.host_descriptor %xs
// ONCE-NOT: nt.host_descriptor
// ONCE: scf.for %i
// ONCE-NOT: nt.host_descriptor
// ONCE: scf.yield
nt.kernel @of_host symbols [#nt.symbol<h size 0 to ?>, #nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ? div 16>, #nt.symbol<s stride ? to ? div 16>]
    grid #nt.expr<h> arrange {
  %x = nt.source "x" "tensor" strides [s, 1, s] aligned true : !x
  %x0 = nt.access %x <[[h], [m ceildiv 64], [64, 32]] -> [g0, b0 + k1_0 * 64, b1] if [[b0 + k1_0 * 64, m], [b1, n]]>
      : !x -> !nt.tensor<[h] x !tiles>
  %z = nt.source "z" "tensor" strides [s, 1, s] aligned true : !x
  %z0 = nt.access %z <[[h], [1, 64, 64]] -> [g0, b1, b2] if [[b1, n], [b2, n]]> : !x -> !nt.tensor<[h] x !out>
  nt.arranged %x0, %z0 : !nt.tensor<[h] x !tiles>, !nt.tensor<[h] x !out>
} apply {
^bb0(%xs : !tiles, %zs : !out):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [h] : index
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %n = nt.size <m ceildiv 64> : i32
  %zero = arith.constant 0.0 : f16
  %start = nt.full %zero : f16 -> !nt.tensor<[64, 64] x f16>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %start) -> (!nt.tensor<[64, 64] x f16>) : i32 {
    %v = nt.load %xs[%i] descriptor [0, 2, 1] by_host : !tiles[i32] -> !tile
    %again = nt.load %xs[%i] descriptor [0, 2, 1] by_host : !tiles[i32] -> !tile
    %t = nt.trans %again order [1, 0] : !tile -> !nt.tensor<[32, 64] x f16>
    %d = nt.dot %v, %t, %acc : !tile, !nt.tensor<[32, 64] x f16> -> !nt.tensor<[64, 64] x f16>
    scf.yield %d : !nt.tensor<[64, 64] x f16>
  }
  %all = nt.expand_dims %sum axis 0 : !nt.tensor<[64, 64] x f16> -> !out
  nt.store %all, %zs[] descriptor [0, 2, 1] by_host : !out, !out[]
  nt.return
}
