// RUN: nt-opt %s -p nt-mask-reductions | filecheck %s

// What lanes that are not valid read may be chosen so that what is computed of it is the identity.

// CHECK-LABEL: nt.kernel @squares
// CHECK: %v = nt.load %a[%c0] other 0.000000e+00 : f32
// CHECK-NEXT: %q = nt.elementwise "mul"(%v, %v)
// CHECK-NEXT: %s = nt.reduce "sum" %q axis 0
nt.kernel @squares symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %0 = nt.access %x <[[1], [n ceildiv 64], [64]] -> [k1_0 * 64 + b0] if [[k1_0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[1] x !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>>
  nt.arranged %0 : !nt.tensor<[1] x !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>>
} apply {
^bb0(%a : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>):
  %c0 = arith.constant 0 : i32
  %v = nt.load %a[%c0] : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x f32>
  %q = nt.elementwise "mul"(%v, %v) : (!nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
  %s = nt.reduce "sum" %q axis 0 : !nt.tensor<[64] x f32> -> f32
  nt.return
}

// As an online softmax does it: the maximum begins with a finite number.
// CHECK-LABEL: nt.kernel @online
// CHECK: %total, %largest = scf.for
// CHECK: %w = nt.load %a[%i] other 0xfc00 : f16
// CHECK-NOT: where
// CHECK: %s = nt.reduce "sum" %e axis 0
nt.kernel @online symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f16>
  %0 = nt.access %x <[[1], [n ceildiv 64], [64]] -> [k1_0 * 64 + b0] if [[k1_0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f16> -> !nt.tensor<[1] x !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f16>>>
  nt.arranged %0 : !nt.tensor<[1] x !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f16>>>
} apply {
^bb0(%a : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f16>>):
  %c0 = arith.constant 0 : i32
  %v = nt.load %a[%c0] : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f16>>[i32] -> !nt.tensor<[64] x f16>
  %c1 = arith.constant 1 : i32
  %n = nt.size <n ceildiv 64> : i32
  %least = arith.constant -3.40282347e+38 : f32
  %zero = arith.constant 0.0 : f32
  %total, %largest = scf.for %i = %c0 to %n step %c1 iter_args(%t = %zero, %l = %least) -> (f32, f32) : i32 {
    %w = nt.load %a[%i] : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f16>>[i32] -> !nt.tensor<[64] x f16>
    %x0 = nt.cast %w : !nt.tensor<[64] x f16> -> !nt.tensor<[64] x f32>
    %m = nt.reduce "max" %x0 axis 0 : !nt.tensor<[64] x f32> -> f32
    %larger = nt.elementwise "maximum"(%l, %m) : (f32, f32) -> f32
    %f = nt.full %larger : f32 -> !nt.tensor<[64] x f32>
    %d = nt.elementwise "sub"(%x0, %f) : (!nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
    %e = nt.elementwise "exp"(%d) : (!nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
    %s = nt.reduce "sum" %e axis 0 : !nt.tensor<[64] x f32> -> f32
    %u = nt.elementwise "add"(%t, %s) : (f32, f32) -> f32
    scf.yield %u, %larger : f32, f32
  }
  nt.return
}

// The maximum of a block may be -inf, and -inf - -inf is NaN.
// CHECK-LABEL: nt.kernel @maximum_of_a_block
// CHECK: %e = nt.elementwise "exp"
// CHECK: [[e:%.*]] = nt.elementwise "where"({{%.*}}, %e, {{%.*}})
// CHECK: %s = nt.reduce "sum" [[e]] axis 0
nt.kernel @maximum_of_a_block symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %0 = nt.access %x <[[1], [n ceildiv 64], [64]] -> [k1_0 * 64 + b0] if [[k1_0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[1] x !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>>
  nt.arranged %0 : !nt.tensor<[1] x !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>>
} apply {
^bb0(%a : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>):
  %c0 = arith.constant 0 : i32
  %v = nt.load %a[%c0] : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x f32>
  %m = nt.reduce "max" %v axis 0 : !nt.tensor<[64] x f32> -> f32
  %f = nt.full %m : f32 -> !nt.tensor<[64] x f32>
  %d = nt.elementwise "sub"(%v, %f) : (!nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
  %e = nt.elementwise "exp"(%d) : (!nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
  %s = nt.reduce "sum" %e axis 0 : !nt.tensor<[64] x f32> -> f32
  nt.return
}

// A maximum that keeps a NaN may be one.
// CHECK-LABEL: nt.kernel @maximum_that_is_nan
// CHECK: %e = nt.elementwise "exp"
// CHECK: [[e:%.*]] = nt.elementwise "where"({{%.*}}, %e, {{%.*}})
// CHECK: %s = nt.reduce "sum" [[e]] axis 0
nt.kernel @maximum_that_is_nan symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %0 = nt.access %x <[[1], [n ceildiv 64], [64]] -> [k1_0 * 64 + b0] if [[k1_0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[1] x !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>>
  nt.arranged %0 : !nt.tensor<[1] x !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>>
} apply {
^bb0(%a : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>):
  %c0 = arith.constant 0 : i32
  %v = nt.load %a[%c0] : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x f32>
  %m = nt.reduce "max" %v axis 0 : !nt.tensor<[64] x f32> -> f32
  %least = arith.constant -1.0 : f32
  %larger = nt.elementwise "maximum_nan"(%least, %m) : (f32, f32) -> f32
  %f = nt.full %larger : f32 -> !nt.tensor<[64] x f32>
  %d = nt.elementwise "sub"(%v, %f) : (!nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
  %e = nt.elementwise "exp"(%d) : (!nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
  %s = nt.reduce "sum" %e axis 0 : !nt.tensor<[64] x f32> -> f32
  nt.return
}

// A factor may be infinite, and 0 times that is NaN.
// CHECK-LABEL: nt.kernel @products
// CHECK: %q = nt.elementwise "mul"(%v, %w)
// CHECK: [[q:%.*]] = nt.elementwise "where"({{%.*}}, %q, {{%.*}})
// CHECK: %s = nt.reduce "sum" [[q]] axis 0
nt.kernel @products symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %0 = nt.access %x <[[1], [n ceildiv 64], [64]] -> [k1_0 * 64 + b0] if [[k1_0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[1] x !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>>
  nt.arranged %0 : !nt.tensor<[1] x !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>>
} apply {
^bb0(%a : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>):
  %c0 = arith.constant 0 : i32
  %v = nt.load %a[%c0] : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x f32>
  %w = nt.elementwise "exp"(%v) : (!nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
  %q = nt.elementwise "mul"(%v, %w) : (!nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
  %s = nt.reduce "sum" %q axis 0 : !nt.tensor<[64] x f32> -> f32
  nt.return
}

// The load cannot be two numbers: the first reduction chooses.
// CHECK-LABEL: nt.kernel @squares_behind_a_maximum
// CHECK: %v = nt.load %a[%c0] other 0xff800000 : f32
// CHECK: %q = nt.elementwise "mul"(%v, %v)
// CHECK: [[q:%.*]] = nt.elementwise "where"({{%.*}}, %q, {{%.*}})
// CHECK: %s = nt.reduce "sum" [[q]] axis 0
nt.kernel @squares_behind_a_maximum symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %0 = nt.access %x <[[1], [n ceildiv 64], [64]] -> [k1_0 * 64 + b0] if [[k1_0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[1] x !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>>
  nt.arranged %0 : !nt.tensor<[1] x !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>>
} apply {
^bb0(%a : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>):
  %c0 = arith.constant 0 : i32
  %v = nt.load %a[%c0] : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x f32>
  %m = nt.reduce "max" %v axis 0 : !nt.tensor<[64] x f32> -> f32
  %q = nt.elementwise "mul"(%v, %v) : (!nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
  %s = nt.reduce "sum" %q axis 0 : !nt.tensor<[64] x f32> -> f32
  nt.return
}

// CHECK-LABEL: nt.kernel @squares_of_integers
// CHECK: %v = nt.load %a[%c0] other 0 : i32
// CHECK-NEXT: %q = nt.elementwise "mul"(%v, %v)
// CHECK-NEXT: %s = nt.reduce "sum" %q axis 0
nt.kernel @squares_of_integers symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x i32>
  %0 = nt.access %x <[[1], [n ceildiv 64], [64]] -> [k1_0 * 64 + b0] if [[k1_0 * 64 + b0, n]]>
      : !nt.tensor<[n] x i32> -> !nt.tensor<[1] x !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x i32>>>
  nt.arranged %0 : !nt.tensor<[1] x !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x i32>>>
} apply {
^bb0(%a : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x i32>>):
  %c0 = arith.constant 0 : i32
  %v = nt.load %a[%c0] : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x i32>>[i32] -> !nt.tensor<[64] x i32>
  %q = nt.elementwise "mul"(%v, %v) : (!nt.tensor<[64] x i32>, !nt.tensor<[64] x i32>) -> !nt.tensor<[64] x i32>
  %s = nt.reduce "sum" %q axis 0 : !nt.tensor<[64] x i32> -> i32
  nt.return
}
