// RUN: nt-opt %s -p nt-widen-products | filecheck %s
// RUN: nt-opt %s -p nt-widen-products | nt-opt | filecheck %s
// RUN: nt-opt %s -p 'nt-widen-products{enabled=false}' | filecheck %s --check-prefix=OFF

// OFF-NOT: arith.extui

// Both halves, of which the lower one may come first, and the operands in any order.
// CHECK-LABEL: tt.func @halves
// CHECK-NEXT: %[[X:.*]] = arith.extui %x : tensor<64xi32> to tensor<64xi64>
// CHECK-NEXT: %[[Y:.*]] = arith.extui %y : tensor<64xi32> to tensor<64xi64>
// CHECK-NEXT: %[[WIDE:.*]] = arith.muli %[[X]], %[[Y]] : tensor<64xi64>
// CHECK-NEXT: %[[BITS:.*]] = arith.constant dense<32> : tensor<64xi64>
// CHECK-NEXT: %[[UPPER:.*]] = arith.shrui %[[WIDE]], %[[BITS]] : tensor<64xi64>
// CHECK-NEXT: %low = arith.trunci %[[WIDE]] : tensor<64xi64> to tensor<64xi32>
// CHECK-NEXT: %high = arith.trunci %[[UPPER]] : tensor<64xi64> to tensor<64xi32>
// CHECK-NEXT: tt.print "halves" %high, %low
// CHECK-NEXT: tt.return
tt.func @halves(%x: tensor<64xi32>, %y: tensor<64xi32>) {
  %low = arith.muli %y, %x : tensor<64xi32>
  %high = tt.mulhiui %x, %y : tensor<64xi32>
  tt.print "halves" %high, %low {hex = false, isSigned = array<i32: 0, 0>} : tensor<64xi32>, tensor<64xi32>
  tt.return
}

// Scalars, and a square.
// CHECK-LABEL: tt.func @square
// CHECK-NEXT: %[[ONE:.*]] = arith.extui %x : i32 to i64
// CHECK-NEXT: %[[TWO:.*]] = arith.extui %x : i32 to i64
// CHECK-NEXT: %[[WIDE:.*]] = arith.muli %[[ONE]], %[[TWO]] : i64
// CHECK-NOT: tt.mulhiui
tt.func @square(%x: i32) {
  %high = tt.mulhiui %x, %x : i32
  %low = arith.muli %x, %x : i32
  tt.print "halves" %high, %low {hex = false, isSigned = array<i32: 0, 0>} : i32, i32
  tt.return
}

// One half alone, other operands, and integers of 64 bits stay.
// CHECK-LABEL: tt.func @kept
// CHECK-NOT: arith.extui
// CHECK: tt.return
tt.func @kept(%x: i32, %y: i32, %a: i64, %b: i64) {
  %high = tt.mulhiui %x, %y : i32
  %low = arith.muli %x, %x : i32
  %wide = tt.mulhiui %a, %b : i64
  %narrow = arith.muli %a, %b : i64
  tt.print "halves" %high, %low, %wide, %narrow {hex = false, isSigned = array<i32: 0, 0, 0, 0>} : i32, i32, i64, i64
  tt.return
}

// Halves of different blocks stay: that of the branch is not computed elsewhere.
// CHECK-LABEL: tt.func @apart
// CHECK-NOT: arith.extui
// CHECK: tt.return
tt.func @apart(%x: i32, %y: i32, %c: i1) {
  %high = tt.mulhiui %x, %y : i32
  scf.if %c {
    %low = arith.muli %x, %y : i32
    tt.print "low" %low {hex = false, isSigned = array<i32: 0>} : i32
  }
  tt.print "high" %high {hex = false, isSigned = array<i32: 0>} : i32
  tt.return
}
