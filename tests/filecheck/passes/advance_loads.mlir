// RUN: nt-opt %s -p 'nt-advance-loads{advanced=1}' | filecheck %s
// RUN: nt-opt %s -p 'nt-advance-loads{advanced=1}' | nt-opt | filecheck %s
// RUN: nt-opt %s -p nt-advance-loads | filecheck %s --check-prefix=OFF
// RUN: nt-opt %s --remarks -p 'nt-advance-loads{advanced=1}' 2>&1 | filecheck %s --check-prefix=REMARK
// RUN: nt-opt %s --remarks -p nt-advance-loads 2>&1 | filecheck %s --check-prefix=POSSIBLE

// REMARK: remark: load of `w` made in front of nt.reduce [nt-advance-loads, passed]
// REMARK: remark: load of `w` kept: `w` may share memory with `y` [nt-advance-loads, missed]
// REMARK: remark: load of `w` kept: by nt.pointer_load a program may wait for another [nt-advance-loads, missed]
// REMARK: remark: load of `w` made in front of nt.scan [nt-advance-loads, passed]
// POSSIBLE: remark: load of `w` kept: early_loads is 0, and may be 1 [nt-advance-loads, analysis]

!block = !nt.tensor<[64] x f32>
!tile = !nt.tensor<[4] x !block>

// OFF-LABEL: nt.kernel @norm
// OFF: nt.reduce
// OFF: nt.load %ws[]
// CHECK-LABEL: nt.kernel @norm
// CHECK: %v = nt.load %xs[]
// CHECK-NEXT: nt.load %ws[]
// CHECK-NEXT: nt.reduce
nt.kernel @norm grid #nt.expr<4> arrange {
  %x = nt.source "x" "tensor" strides [64, 1] aligned false : !nt.tensor<[4, 64] x f32>
  %w = nt.source "w" "tensor" strides [1] aligned false : !block
  %y = nt.source "y" "tensor" strides [64, 1] aligned false : !nt.tensor<[4, 64] x f32>
  %x0 = nt.access %x <[[4], [64]] -> [g0, b0]> : !nt.tensor<[4, 64] x f32> -> !tile
  %w0 = nt.access %w <[[4], [64]] -> [b0]> : !block -> !tile
  %y0 = nt.access %y <[[4], [64]] -> [g0, b0]> : !nt.tensor<[4, 64] x f32> -> !tile
  nt.arranged %x0, %w0, %y0 : !tile, !tile, !tile
} apply {
^bb0(%xs : !block, %ws : !block, %ys : !block):
  %v = nt.load %xs[] : !block[] -> !block
  %s = nt.reduce "sum" %v axis 0 : !block -> f32
  %t = nt.full %s : f32 -> !block
  %w = nt.load %ws[] : !block[] -> !block
  %r = nt.elementwise "mul"(%w, %t) : (!block, !block) -> !block
  nt.store %r, %ys[] : !block, !block[]
  nt.return
}

// What is stored in between may be what is read.
// CHECK-LABEL: nt.kernel @shared
// CHECK: nt.store
// CHECK: nt.load %ws[]
nt.kernel @shared grid #nt.expr<4> arrange {
  %x = nt.source "x" "tensor" strides [64, 1] aligned false : !nt.tensor<[4, 64] x f32>
  %w = nt.source "w" "tensor" strides [1] memory "y" aligned false : !block
  %y = nt.source "y" "tensor" strides [64, 1] memory "y" aligned false : !nt.tensor<[4, 64] x f32>
  %x0 = nt.access %x <[[4], [64]] -> [g0, b0]> : !nt.tensor<[4, 64] x f32> -> !tile
  %w0 = nt.access %w <[[4], [64]] -> [b0]> : !block -> !tile
  %y0 = nt.access %y <[[4], [64]] -> [g0, b0]> : !nt.tensor<[4, 64] x f32> -> !tile
  nt.arranged %x0, %w0, %y0 : !tile, !tile, !tile
} apply {
^bb0(%xs : !block, %ws : !block, %ys : !block):
  %v = nt.load %xs[] : !block[] -> !block
  %s = nt.reduce "sum" %v axis 0 : !block -> f32
  %t = nt.full %s : f32 -> !block
  nt.store %t, %ys[] : !block, !block[]
  %w = nt.load %ws[] : !block[] -> !block
  %r = nt.elementwise "mul"(%w, %t) : (!block, !block) -> !block
  nt.store %r, %ys[] : !block, !block[]
  nt.return
}

// CHECK-LABEL: nt.kernel @volatile
// CHECK: nt.pointer_load
// CHECK: nt.load %ws[]
nt.kernel @volatile grid #nt.expr<4> arrange {
  %x = nt.source "x" "tensor" strides [64, 1] aligned false : !nt.tensor<[4, 64] x f32>
  %w = nt.source "w" "tensor" strides [1] aligned false : !block
  %x0 = nt.access %x <[[4], [64]] -> [g0, b0]> : !nt.tensor<[4, 64] x f32> -> !tile
  %w0 = nt.access %w <[[4], [64]] -> [b0]> : !block -> !tile
  nt.arranged %x0, %w0 : !tile, !tile
} apply {
^bb0(%xs : !block, %ws : !block):
  %v = nt.load %xs[] : !block[] -> !block
  %s = nt.reduce "sum" %v axis 0 : !block -> f32
  %p = nt.pointer %xs : !block -> !tt.ptr<f32>
  %flag = nt.pointer_load %p volatile : !tt.ptr<f32> -> f32
  %w = nt.load %ws[] : !block[] -> !block
  %r = nt.elementwise "mul"(%w, %v) : (!block, !block) -> !block
  nt.store %r, %xs[] : !block, !block[]
  nt.return
}

// In a loop's body; what comes from the reduction stays, and so do loads beside dots.
// CHECK-LABEL: nt.kernel @loop
// CHECK: scf.for
// CHECK-NEXT: %v = nt.load %xs[]
// CHECK-NEXT: nt.load %ws[]
// CHECK-NEXT: nt.scan
// CHECK: nt.load %rows[%k]
nt.kernel @loop grid #nt.expr<4> arrange {
  %x = nt.source "x" "tensor" strides [64, 1] aligned false : !nt.tensor<[4, 64] x f32>
  %w = nt.source "w" "tensor" strides [1] aligned false : !block
  %r = nt.source "r" "tensor" strides [64, 1] aligned false : !nt.tensor<[4, 64] x f32>
  %x0 = nt.access %x <[[4], [64]] -> [g0, b0]> : !nt.tensor<[4, 64] x f32> -> !tile
  %w0 = nt.access %w <[[4], [64]] -> [b0]> : !block -> !tile
  %r0 = nt.access %r <[[4], [4], [64]] -> [k1_0, b0] if [[k1_0, 4]]> : !nt.tensor<[4, 64] x f32> -> !nt.tensor<[4] x !tile>
  nt.arranged %x0, %w0, %r0 : !tile, !tile, !nt.tensor<[4] x !tile>
} apply {
^bb0(%xs : !block, %ws : !block, %rows : !tile):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  scf.for %i = %c0 to %c4 step %c1 : i32 {
    %v = nt.load %xs[] : !block[] -> !block
    %s = nt.scan "cumsum" %v axis 0 reverse false : !block
    %w = nt.load %ws[] : !block[] -> !block
    %r = nt.elementwise "mul"(%w, %s) : (!block, !block) -> !block
    %t = nt.reduce "sum" %r axis 0 : !block -> f32
    %k = nt.cast %t : f32 -> i32
    %row = nt.load %rows[%k] : !tile[i32] -> !block
    nt.store %row, %xs[] : !block, !block[]
  }
  nt.return
}
