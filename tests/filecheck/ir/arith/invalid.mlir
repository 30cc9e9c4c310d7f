// RUN: nt-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK: arith.cmpi: there is no predicate 12
tt.func @f(%a: i32) {
  %r = "arith.cmpi"(%a, %a) <{predicate = 12 : i64}> : (i32, i32) -> i1
  tt.return
}

// -----

// CHECK: arith.cmpi: comparing tensor<4xi32> gives tensor<4xi1>
tt.func @f(%a: tensor<4xi32>) {
  %r = "arith.cmpi"(%a, %a) <{predicate = 0 : i64}> : (tensor<4xi32>, tensor<4xi32>) -> i1
  tt.return
}

// -----

// CHECK: arith.select: the condition must have type tensor<4xi1>
tt.func @f(%c: tensor<8xi1>, %a: tensor<4xi32>) {
  %r = arith.select %c, %a, %a : tensor<8xi1>, tensor<4xi32>
  tt.return
}

// -----

// CHECK: arith.extsi: the shapes must be equal
tt.func @f(%a: tensor<4xi32>) {
  %r = arith.extsi %a : tensor<4xi32> to i64
  tt.return
}
