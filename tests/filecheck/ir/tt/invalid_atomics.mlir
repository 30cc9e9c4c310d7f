// RUN: nt-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK: tt.atomic_rmw: the value must be what the pointers point to
tt.func @f(%p: !tt.ptr<f32>, %v: i32, %m: i1) {
  %a = tt.atomic_rmw 4 : i32 %p, %v, %m 4 : i32 1 : i32 : !tt.ptr<f32>, i32, i1
  tt.return
}

// -----

// CHECK: tt.atomic_rmw: one bit of mask a pointer
tt.func @f(%p: !tt.ptr<f32>, %v: f32, %m: tensor<2xi1>) {
  %a = tt.atomic_rmw 5 : i32 %p, %v, %m 4 : i32 1 : i32 : !tt.ptr<f32>, f32, tensor<2xi1>
  tt.return
}

// -----

// CHECK: tt.atomic_rmw: max does not take f32
tt.func @f(%p: !tt.ptr<f32>, %v: f32, %m: i1) {
  %a = tt.atomic_rmw 6 : i32 %p, %v, %m 4 : i32 1 : i32 : !tt.ptr<f32>, f32, i1
  tt.return
}

// -----

// CHECK: tt.atomic_rmw: fadd does not take i32
tt.func @f(%p: !tt.ptr<i32>, %v: i32, %m: i1) {
  %a = tt.atomic_rmw 5 : i32 %p, %v, %m 4 : i32 1 : i32 : !tt.ptr<i32>, i32, i1
  tt.return
}

// -----

// CHECK: 11 is none of 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
tt.func @f(%p: !tt.ptr<i32>, %v: i32, %m: i1) {
  %a = tt.atomic_rmw 11 : i32 %p, %v, %m 4 : i32 1 : i32 : !tt.ptr<i32>, i32, i1
  tt.return
}

// -----

// CHECK: 5 is none of 1, 2, 3, 4
tt.func @f(%p: !tt.ptr<i32>, %v: i32) {
  %a = tt.atomic_cas %p, %v, %v 5 : i32 1 : i32 : !tt.ptr<i32>, i32
  tt.return
}

// -----

// CHECK: tt.atomic_cas: the value must be what the pointers point to
tt.func @f(%p: !tt.ptr<f32>, %v: i32) {
  %a = tt.atomic_cas %p, %v, %v 4 : i32 1 : i32 : !tt.ptr<f32>, i32
  tt.return
}

// -----

// CHECK: tt.bitcast: !tt.ptr<f32> cannot become !tt.ptr<i64>
tt.func @f(%p: !tt.ptr<f32>) {
  %a = tt.bitcast %p : !tt.ptr<f32> -> !tt.ptr<i64>
  tt.return
}

// -----

// CHECK: tt.bitcast: !tt.ptr<index> cannot become !tt.ptr<f32>
tt.func @f(%x: !tt.ptr<index>) {
  %y = tt.bitcast %x : !tt.ptr<index> -> !tt.ptr<f32>
  tt.return
}

// -----

// CHECK: tt.bitcast: !tt.ptr<f32> cannot become i64
tt.func @f(%p: !tt.ptr<f32>) {
  %a = tt.bitcast %p : !tt.ptr<f32> -> i64
  tt.return
}

// -----

// CHECK: tt.bitcast: the shapes must be equal
tt.func @f(%p: tensor<2xf32>) {
  %a = tt.bitcast %p : tensor<2xf32> -> tensor<4xi32>
  tt.return
}
