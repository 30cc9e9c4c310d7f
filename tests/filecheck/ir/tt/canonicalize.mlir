// RUN: nt-opt %s -p canonicalize | filecheck %s

// What changes nothing is its operand.
// CHECK-LABEL: tt.func @nothing
// CHECK-NEXT: tt.store %p, %a : tensor<4x4x!tt.ptr<f32>>
// CHECK-NEXT: tt.store %p, %a
// CHECK-NEXT: tt.store %p, %a
// CHECK-NEXT: tt.store %p, %a
// CHECK-NEXT: tt.return
tt.func @nothing(%p: tensor<4x4x!tt.ptr<f32>>, %a: tensor<4x4xf32>) {
  %0 = tt.broadcast %a : tensor<4x4xf32> -> tensor<4x4xf32>
  tt.store %p, %0 : tensor<4x4x!tt.ptr<f32>>
  %1 = tt.reshape %a : tensor<4x4xf32> -> tensor<4x4xf32>
  tt.store %p, %1 : tensor<4x4x!tt.ptr<f32>>
  %2 = tt.bitcast %a : tensor<4x4xf32> -> tensor<4x4xf32>
  tt.store %p, %2 : tensor<4x4x!tt.ptr<f32>>
  %3 = tt.trans %a array<i32: 0, 1> : tensor<4x4xf32> -> tensor<4x4xf32>
  tt.store %p, %3 : tensor<4x4x!tt.ptr<f32>>
  tt.return
}

// Dims of one size that change places, and types that do change, are something.
// CHECK-LABEL: tt.func @something
// CHECK-NEXT: [[a:%.*]] = tt.trans %a array<i32: 1, 0>
// CHECK-NEXT: [[b:%.*]] = tt.bitcast [[a]] : tensor<4x4xi32> -> tensor<4x4xf32>
// CHECK-NEXT: tt.store %p, [[b]]
tt.func @something(%p: tensor<4x4x!tt.ptr<f32>>, %a: tensor<4x4xi32>) {
  %0 = tt.trans %a array<i32: 1, 0> : tensor<4x4xi32> -> tensor<4x4xi32>
  %1 = tt.bitcast %0 : tensor<4x4xi32> -> tensor<4x4xf32>
  tt.store %p, %1 : tensor<4x4x!tt.ptr<f32>>
  tt.return
}

// Of several shapes, or types of the same bits, the last counts.
// CHECK-LABEL: tt.func @several
// CHECK-NEXT: [[a:%.*]] = tt.reshape %a : tensor<8x1xf32> -> tensor<1x8xf32>
// CHECK-NEXT: [[b:%.*]] = tt.broadcast [[a]] : tensor<1x8xf32> -> tensor<4x8xf32>
// CHECK-NEXT: tt.store %p, [[b]]
tt.func @several(%p: tensor<4x8x!tt.ptr<f32>>, %a: tensor<8x1xf32>) {
  %0 = tt.reshape %a : tensor<8x1xf32> -> tensor<8xf32>
  %1 = tt.reshape %0 : tensor<8xf32> -> tensor<1x8xf32>
  %2 = tt.bitcast %1 : tensor<1x8xf32> -> tensor<1x8xi32>
  %3 = tt.bitcast %2 : tensor<1x8xi32> -> tensor<1x8xf32>
  %4 = tt.broadcast %3 : tensor<1x8xf32> -> tensor<4x8xf32>
  tt.store %p, %4 : tensor<4x8x!tt.ptr<f32>>
  tt.return
}

// Two broadcasts are one.
// CHECK-LABEL: tt.func @twice
// CHECK-NEXT: [[a:%.*]] = tt.broadcast %a : tensor<1x1xf32> -> tensor<4x8xf32>
// CHECK-NEXT: tt.store %p, [[a]]
tt.func @twice(%p: tensor<4x8x!tt.ptr<f32>>, %a: tensor<1x1xf32>) {
  %0 = tt.broadcast %a : tensor<1x1xf32> -> tensor<4x1xf32>
  %1 = tt.broadcast %0 : tensor<4x1xf32> -> tensor<4x8xf32>
  tt.store %p, %1 : tensor<4x8x!tt.ptr<f32>>
  tt.return
}

// Two orders are one, and one that puts the dims back is none.
// CHECK-LABEL: tt.func @orders
// CHECK-NEXT: [[a:%.*]] = tt.trans %a array<i32: 2, 0, 1> : tensor<2x4x8xf32> -> tensor<8x2x4xf32>
// CHECK-NEXT: tt.store %p, [[a]]
// CHECK-NEXT: tt.store %q, %a
tt.func @orders(%p: tensor<8x2x4x!tt.ptr<f32>>, %q: tensor<2x4x8x!tt.ptr<f32>>, %a: tensor<2x4x8xf32>) {
  %0 = tt.trans %a array<i32: 1, 2, 0> : tensor<2x4x8xf32> -> tensor<4x8x2xf32>
  %1 = tt.trans %0 array<i32: 1, 2, 0> : tensor<4x8x2xf32> -> tensor<8x2x4xf32>
  tt.store %p, %1 : tensor<8x2x4x!tt.ptr<f32>>
  %2 = tt.trans %0 array<i32: 2, 0, 1> : tensor<4x8x2xf32> -> tensor<2x4x8xf32>
  tt.store %q, %2 : tensor<2x4x8x!tt.ptr<f32>>
  tt.return
}
