// RUN: nt-opt %s | nt-opt --print-local-scope | filecheck %s
// RUN: nt-opt %s --print-op-generic | nt-opt --print-local-scope | filecheck %s

// CHECK-LABEL: nt.kernel @folds
nt.kernel @folds symbols [#nt.symbol<B meta 32 to 1024>] arrange {
  nt.arranged
} apply {
  %zero = arith.constant 0.0 : f32
  %v = nt.full %zero : f32 -> !nt.tensor<[B, 10] x f32>
  %lanes = nt.arange <0> : !nt.tensor<[B] x i32>
  %n = nt.cast %lanes : !nt.tensor<[B] x i32> -> !nt.tensor<[B] x ui8>
  %m = nt.cast %lanes : !nt.tensor<[B] x i32> -> !nt.tensor<[B] x i1>
  // CHECK: %sum = nt.reduce "sum" %v axis 1 : !nt.tensor<[B, 10] x f32> -> !nt.tensor<[B] x f32>
  %sum = nt.reduce "sum" %v axis 1 : !nt.tensor<[B, 10] x f32> -> !nt.tensor<[B] x f32>
  // CHECK-NEXT: %running = nt.scan "cumprod" %v axis 0 reverse true : !nt.tensor<[B, 10] x f32>
  %running = nt.scan "cumprod" %v axis 0 reverse true : !nt.tensor<[B, 10] x f32>
  // CHECK-NEXT: %all = nt.reduce_by %n axis 0 {
  // CHECK-NEXT: ^bb0(%a: ui8, %b: ui8):
  // CHECK-NEXT:   %c = nt.elementwise "or"(%a, %b) : (ui8, ui8) -> ui8
  // CHECK-NEXT:   nt.yield %c : ui8
  // CHECK-NEXT: } : !nt.tensor<[B] x ui8> -> ui8
  %all = nt.reduce_by %n axis 0 {
  ^bb0(%a : ui8, %b : ui8):
    %c = nt.elementwise "or"(%a, %b) : (ui8, ui8) -> ui8
    nt.yield %c : ui8
  } : !nt.tensor<[B] x ui8> -> ui8
  // CHECK-NEXT: %l, %r, %some = nt.reduce_by %n, %sum valid %m : !nt.tensor<[B] x i1> axis 0 {
  // CHECK-NEXT: ^bb0(%a1: ui8, %a2: f32, %b1: ui8, %b2: f32):
  // CHECK-NEXT:   nt.yield %a1, %b2 : ui8, f32
  // CHECK-NEXT: } : !nt.tensor<[B] x ui8>, !nt.tensor<[B] x f32> -> ui8, f32, i1
  %l, %r, %some = nt.reduce_by %n, %sum valid %m : !nt.tensor<[B] x i1> axis 0 {
  ^bb0(%a1 : ui8, %a2 : f32, %b1 : ui8, %b2 : f32):
    nt.yield %a1, %b2 : ui8, f32
  } : !nt.tensor<[B] x ui8>, !nt.tensor<[B] x f32> -> ui8, f32, i1
  // CHECK-NEXT: %s, %so_far = nt.scan_by %n valid %m : !nt.tensor<[B] x i1> axis 0 reverse false {
  // CHECK-NEXT: ^bb0(%a3: ui8, %b3: ui8):
  // CHECK-NEXT:   nt.yield %a3 : ui8
  // CHECK-NEXT: } : !nt.tensor<[B] x ui8> -> !nt.tensor<[B] x ui8>, !nt.tensor<[B] x i1>
  %s, %so_far = nt.scan_by %n valid %m : !nt.tensor<[B] x i1> axis 0 reverse false {
  ^bb0(%a3 : ui8, %b3 : ui8):
    nt.yield %a3 : ui8
  } : !nt.tensor<[B] x ui8> -> !nt.tensor<[B] x ui8>, !nt.tensor<[B] x i1>
  // CHECK-NEXT: %sorted = nt.sort %n axis 0 descending true : !nt.tensor<[B] x ui8> -> !nt.tensor<[B] x ui8>
  %sorted = nt.sort %n axis 0 descending true : !nt.tensor<[B] x ui8> -> !nt.tensor<[B] x ui8>
  // CHECK-NEXT: %top = nt.sort %n axis 0 descending false reversed : !nt.tensor<[B] x ui8> -> !nt.tensor<[4] x ui8>
  %top = nt.sort %n axis 0 descending false reversed : !nt.tensor<[B] x ui8> -> !nt.tensor<[4] x ui8>
  // CHECK-NEXT: %merged = nt.sort bitonic %top axis 0 descending true : !nt.tensor<[4] x ui8> -> !nt.tensor<[2] x ui8>
  %merged = nt.sort bitonic %top axis 0 descending true : !nt.tensor<[4] x ui8> -> !nt.tensor<[2] x ui8>
  // CHECK-NEXT: %h = nt.histogram %n : !nt.tensor<[B] x ui8> -> !nt.tensor<[10] x i32>
  %h = nt.histogram %n : !nt.tensor<[B] x ui8> -> !nt.tensor<[10] x i32>
  // CHECK-NEXT: %masked = nt.histogram %n mask %m : !nt.tensor<[B] x i1> : !nt.tensor<[B] x ui8> -> !nt.tensor<[10] x i32>
  %masked = nt.histogram %n mask %m : !nt.tensor<[B] x i1> : !nt.tensor<[B] x ui8> -> !nt.tensor<[10] x i32>
  nt.return
}
