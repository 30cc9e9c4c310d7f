// RUN: nt-opt %s | nt-opt | filecheck %s
// RUN: nt-opt %s --print-op-generic | nt-opt | filecheck %s

// CHECK-LABEL: tt.func @ops
tt.func @ops(%x: !tt.ptr<f32>, %m: i1) attributes {} {
  %v = tt.load %x : !tt.ptr<f32>
  // CHECK: %a = tt.atomic_rmw 5 : i32 %x, %v, %m 1 : i32 2 : i32 : !tt.ptr<f32>, f32, i1
  %a = tt.atomic_rmw 5 : i32 %x, %v, %m 1 : i32 2 : i32 : !tt.ptr<f32>, f32, i1
  // CHECK-NEXT: %p = tt.bitcast %x : !tt.ptr<f32> -> !tt.ptr<i32>
  %p = tt.bitcast %x : !tt.ptr<f32> -> !tt.ptr<i32>
  // CHECK-NEXT: %b = tt.bitcast %a : f32 -> i32
  %b = tt.bitcast %a : f32 -> i32
  // CHECK-NEXT: %c = tt.atomic_cas %p, %b, %b 4 : i32 3 : i32 : !tt.ptr<i32>, i32
  %c = tt.atomic_cas %p, %b, %b 4 : i32 3 : i32 : !tt.ptr<i32>, i32
  tt.return
}
