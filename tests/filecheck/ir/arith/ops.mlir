// RUN: nt-opt %s | nt-opt | filecheck %s
// RUN: nt-opt %s --print-op-generic | nt-opt | filecheck %s

// The ops of `arith` that xDSL has for scalars only, on whole blocks.
// CHECK-LABEL: tt.func @blocks
tt.func @blocks(%i: tensor<64xi32>, %f: tensor<64xf32>, %s: i32, %b: i1) {
  // CHECK: %lt = arith.cmpi slt, %i, %i : tensor<64xi32>
  %lt = arith.cmpi slt, %i, %i : tensor<64xi32>
  // CHECK-NEXT: %one = arith.cmpi uge, %s, %s : i32
  %one = arith.cmpi uge, %s, %s : i32
  // CHECK-NEXT: %ne = arith.cmpf une, %f, %f : tensor<64xf32>
  %ne = arith.cmpf une, %f, %f : tensor<64xf32>
  // CHECK-NEXT: %lanes = arith.select %lt, %f, %f : tensor<64xi1>, tensor<64xf32>
  %lanes = arith.select %lt, %f, %f : tensor<64xi1>, tensor<64xf32>
  // CHECK-NEXT: %whole = arith.select %b, %f, %f : tensor<64xf32>
  %whole = arith.select %b, %f, %f : tensor<64xf32>
  // CHECK-NEXT: %rem = arith.remf %f, %f : tensor<64xf32>
  %rem = arith.remf %f, %f : tensor<64xf32>
  // CHECK-NEXT: %c = arith.extsi %i : tensor<64xi32> to tensor<64xi64>
  %c = arith.extsi %i : tensor<64xi32> to tensor<64xi64>
  // CHECK-NEXT: %d = arith.extui %lt : tensor<64xi1> to tensor<64xi8>
  %d = arith.extui %lt : tensor<64xi1> to tensor<64xi8>
  // CHECK-NEXT: %e = arith.trunci %s : i32 to i8
  %e = arith.trunci %s : i32 to i8
  // CHECK-NEXT: %g = arith.sitofp %i : tensor<64xi32> to tensor<64xf32>
  %g = arith.sitofp %i : tensor<64xi32> to tensor<64xf32>
  // CHECK-NEXT: %h = arith.uitofp %i : tensor<64xi32> to tensor<64xf32>
  %h = arith.uitofp %i : tensor<64xi32> to tensor<64xf32>
  // CHECK-NEXT: %j = arith.fptosi %f : tensor<64xf32> to tensor<64xi32>
  %j = arith.fptosi %f : tensor<64xf32> to tensor<64xi32>
  // CHECK-NEXT: %k = arith.fptoui %f : tensor<64xf32> to tensor<64xi32>
  %k = arith.fptoui %f : tensor<64xf32> to tensor<64xi32>
  tt.return
}
