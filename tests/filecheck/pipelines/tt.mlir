// RUN: nt-opt %s --print-local-scope -p 'nt-specialize{values="B=48"},nt-pad-blocks,nt-schedule-programs,nt-lower-accesses,nt-hoist-invariants,cse,nt-lower-to-tt,canonicalize,cse,dce' | filecheck %s

// One configuration of a sum, from stage composed to stage tt: 48 lanes are padded to 64, masked
// twice, and read zeros. Dead code is gone.
// CHECK: tt.func @total(%x: !tt.ptr<f32> {nt.param = "x"}, %y: !tt.ptr<f32> {nt.param = "y"}, %n: i32 {nt.symbol = "n"})
// CHECK-NEXT: %pid = tt.get_program_id 0 : i32
// CHECK-NEXT: %b0 = tt.make_range 0 : i32 64 : i32
// CHECK-NEXT: [[B:%.*]] = arith.constant 48 : i32
// CHECK-NEXT: [[start:%.*]] = arith.muli %pid, [[B]]
// CHECK-NEXT: [[p:%.*]] = tt.addptr %x, [[start]]
// CHECK-NEXT: [[ps:%.*]] = tt.splat [[p]]
// CHECK-NEXT: [[lanes:%.*]] = tt.addptr [[ps]], %b0
// CHECK: arith.cmpi slt
// CHECK: arith.cmpi slt, %b0
// CHECK-NEXT: [[mask:%.*]] = arith.andi
// CHECK: %v = tt.load [[lanes]], [[mask]], {{%.*}} : tensor<64x!tt.ptr<f32>>
// CHECK-NEXT: %s = "tt.reduce"(%v) <{axis = 0 : i32}> ({
// CHECK: [[out:%.*]] = tt.addptr %y, %pid
// CHECK-NEXT: tt.store [[out]], %s : !tt.ptr<f32>
// CHECK-NEXT: tt.return
nt.kernel @total symbols [#nt.symbol<n size 0 to ?>, #nt.symbol<B meta 32 to 1024>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %0 = nt.access %x <[[n ceildiv B], [B]] -> [g0 * B + b0] if [[g0 * B + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv B] x !nt.tensor<[B] x f32>>
  %y = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[n ceildiv B] x f32>
  %1 = nt.access %y <[[n ceildiv B]] -> [g0]> : !nt.tensor<[n ceildiv B] x f32> -> !nt.tensor<[n ceildiv B] x f32>
  nt.arranged %0, %1 : !nt.tensor<[n ceildiv B] x !nt.tensor<[B] x f32>>, !nt.tensor<[n ceildiv B] x f32>
} apply {
^bb0(%a : !nt.tensor<[B] x f32>, %b : !nt.tensor<[] x f32>):
  %v = nt.load %a[] other 0.0 : f32 : !nt.tensor<[B] x f32>[] -> !nt.tensor<[B] x f32>
  %s = nt.reduce "sum" %v axis 0 : !nt.tensor<[B] x f32> -> f32
  nt.store %s, %b[] : f32, !nt.tensor<[] x f32>[]
  nt.return
}
