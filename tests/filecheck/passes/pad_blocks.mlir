// RUN: nt-opt %s --print-local-scope -p nt-pad-blocks | filecheck %s

// Blocks of 48 become blocks of 64; the lanes added are outside the guard.
// CHECK-LABEL: nt.kernel @rounded
// CHECK: %x0 = nt.access %x <{{\[\[}}n ceildiv 48], [64]] -> [b0 + g0 * 48] if {{\[\[}}b0 + g0 * 48, n], [b0, 48]]> : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 48] x !nt.tensor<[64] x f32>>
// CHECK: %v = nt.load %xs[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
// CHECK-NEXT: nt.store %v, %xs[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
nt.kernel @rounded symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x0 = nt.access %x <[[n ceildiv 48], [48]] -> [g0 * 48 + b0] if [[g0 * 48 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 48] x !nt.tensor<[48] x f32>>
  nt.arranged %x0
      : !nt.tensor<[n ceildiv 48] x !nt.tensor<[48] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[48] x f32>):
  %v = nt.load %xs[] : !nt.tensor<[48] x f32>[] -> !nt.tensor<[48] x f32>
  nt.store %v, %xs[] : !nt.tensor<[48] x f32>, !nt.tensor<[48] x f32>[]
  nt.return
}

// A power of two stays.
// CHECK-LABEL: nt.kernel @a_power_already
// CHECK: %x0 = nt.access %x <{{\[\[}}n ceildiv 64], [64]] -> [b0 + g0 * 64] if {{\[\[}}b0 + g0 * 64, n]]>
// CHECK: %v = nt.load %xs[]
// CHECK-NOT: [b0, 64]
nt.kernel @a_power_already symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x0 = nt.access %x <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %x0
      : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[64] x f32>):
  %v = nt.load %xs[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  nt.return
}

// A size that only a call knows is padded to the kernel's `padded_sizes`.
// CHECK-LABEL: nt.kernel @padded_sizes
// CHECK: %x0 = nt.access %x <{{\[\[}}m, 1], [1, 1024]] -> [g0, b1] if {{\[\[}}b1, n]]> : !nt.tensor<[m, n] x f32> -> !nt.tensor<[m, 1] x !nt.tensor<[1, 1024] x f32>>
// CHECK: %v = nt.load %xs[] : !nt.tensor<[1, 1024] x f32>[] -> !nt.tensor<[1, 1024] x f32>
nt.kernel @padded_sizes symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>] padded_sizes [#nt.exprs[n, 1024]] arrange {
  %x = nt.source "x" "tensor" strides [n, 1] aligned false : !nt.tensor<[m, n] x f32>
  %x0 = nt.access %x <[[m, 1], [1, n]] -> [g0, b1]>
      : !nt.tensor<[m, n] x f32> -> !nt.tensor<[m, 1] x !nt.tensor<[1, n] x f32>>
  nt.arranged %x0
      : !nt.tensor<[m, 1] x !nt.tensor<[1, n] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[1, n] x f32>):
  %v = nt.load %xs[] : !nt.tensor<[1, n] x f32>[] -> !nt.tensor<[1, n] x f32>
  nt.return
}

// Added lanes of a load read the identity of a reduction.
// CHECK-LABEL: nt.kernel @reduction
// CHECK: %x0 = nt.access %x <{{\[\[}}n ceildiv 48], [64]] -> [b0 + g0 * 48] if {{\[\[}}b0 + g0 * 48, n], [b0, 48]]>
// CHECK: %v = nt.load %xs[] other 0.000000e+00 : f32 : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
// CHECK-NEXT: %s = nt.reduce "sum" %v axis 0
nt.kernel @reduction symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x0 = nt.access %x <[[n ceildiv 48], [48]] -> [g0 * 48 + b0] if [[g0 * 48 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 48] x !nt.tensor<[48] x f32>>
  nt.arranged %x0
      : !nt.tensor<[n ceildiv 48] x !nt.tensor<[48] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[48] x f32>):
  %v = nt.load %xs[] : !nt.tensor<[48] x f32>[] -> !nt.tensor<[48] x f32>
  %s = nt.reduce "sum" %v axis 0 : !nt.tensor<[48] x f32> -> f32
  nt.return
}

// What is computed is selected by its true size.
// CHECK-LABEL: nt.kernel @reduction_of_computed
// CHECK: %x0 = nt.access %x <{{\[\[}}n ceildiv 48], [64]] -> [b0 + g0 * 48] if {{\[\[}}b0 + g0 * 48, n], [b0, 48]]>
// CHECK: %v = nt.load %xs[]
// CHECK-NEXT: %e = nt.elementwise "cos"(%v)
// CHECK-NEXT: [[v0:%.*]] = nt.arange <0>
// CHECK-NEXT: [[v1:%.*]] = nt.size <48>
// CHECK-NEXT: [[v2:%.*]] = nt.full [[v1]]
// CHECK-NEXT: [[v3:%.*]] = nt.elementwise "lt"([[v0]], [[v2]])
// CHECK: [[v5:%.*]] = nt.full {{%.*}}
// CHECK-NEXT: [[v6:%.*]] = nt.elementwise "where"([[v3]], %e, [[v5]])
// CHECK-NEXT: %s = nt.reduce "sum" [[v6]] axis 0
nt.kernel @reduction_of_computed symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x0 = nt.access %x <[[n ceildiv 48], [48]] -> [g0 * 48 + b0] if [[g0 * 48 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 48] x !nt.tensor<[48] x f32>>
  nt.arranged %x0
      : !nt.tensor<[n ceildiv 48] x !nt.tensor<[48] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[48] x f32>):
  %v = nt.load %xs[] : !nt.tensor<[48] x f32>[] -> !nt.tensor<[48] x f32>
  %e = nt.elementwise "cos"(%v) : (!nt.tensor<[48] x f32>) -> !nt.tensor<[48] x f32>
  %s = nt.reduce "sum" %e axis 0 : !nt.tensor<[48] x f32> -> f32
  nt.return
}

// Unless the lanes that are padded can be made to hold the identity.
// CHECK-LABEL: nt.kernel @reduction_of_powers
// CHECK: %v = nt.load %xs[] other 0xff800000 : f32
// CHECK-NEXT: %e = nt.elementwise "exp"(%v)
// CHECK-NEXT: %s = nt.reduce "sum" %e axis 0
nt.kernel @reduction_of_powers symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x0 = nt.access %x <[[n ceildiv 48], [48]] -> [g0 * 48 + b0] if [[g0 * 48 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 48] x !nt.tensor<[48] x f32>>
  nt.arranged %x0
      : !nt.tensor<[n ceildiv 48] x !nt.tensor<[48] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[48] x f32>):
  %v = nt.load %xs[] : !nt.tensor<[48] x f32>[] -> !nt.tensor<[48] x f32>
  %e = nt.elementwise "exp"(%v) : (!nt.tensor<[48] x f32>) -> !nt.tensor<[48] x f32>
  %s = nt.reduce "sum" %e axis 0 : !nt.tensor<[48] x f32> -> f32
  nt.return
}

// Only the dim that is combined is masked: along dim 0, of size 4, there is nothing to mask.
// CHECK-LABEL: nt.kernel @one_dim_of_two
// CHECK: %x0 = nt.access %x <{{\[\[}}n ceildiv 4], [4, 64]] -> [b0 + g0 * 4, b1] if {{\[\[}}b0 + g0 * 4, n], [b1, 48]]>
// CHECK: %v = nt.load %xs[]
// CHECK-NEXT: %e = nt.elementwise "exp"(%v)
// CHECK-NEXT: [[v0:%.*]] = nt.arange <0>
// CHECK-NEXT: [[v1:%.*]] = nt.size <48>
// CHECK-NEXT: [[v2:%.*]] = nt.full [[v1]]
// CHECK-NEXT: [[v3:%.*]] = nt.elementwise "lt"([[v0]], [[v2]])
// CHECK-NEXT: [[v4:%.*]] = nt.expand_dims [[v3]] axis 0
// CHECK-NEXT: [[v5:%.*]] = nt.broadcast [[v4]]
// CHECK: [[v7:%.*]] = nt.full {{%.*}}
// CHECK-NEXT: [[v8:%.*]] = nt.elementwise "where"([[v5]], %e, [[v7]])
// CHECK-NEXT: %m = nt.reduce "max" [[v8]] axis 1
// CHECK-NEXT: %s = nt.reduce "sum" %e axis 0
nt.kernel @one_dim_of_two symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [48, 1] aligned false : !nt.tensor<[n, 48] x f32>
  %x0 = nt.access %x <[[n ceildiv 4], [4, 48]] -> [g0 * 4 + b0, b1] if [[g0 * 4 + b0, n]]>
      : !nt.tensor<[n, 48] x f32> -> !nt.tensor<[n ceildiv 4] x !nt.tensor<[4, 48] x f32>>
  nt.arranged %x0
      : !nt.tensor<[n ceildiv 4] x !nt.tensor<[4, 48] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[4, 48] x f32>):
  %v = nt.load %xs[] : !nt.tensor<[4, 48] x f32>[] -> !nt.tensor<[4, 48] x f32>
  %e = nt.elementwise "exp"(%v) : (!nt.tensor<[4, 48] x f32>) -> !nt.tensor<[4, 48] x f32>
  %m = nt.reduce "max" %e axis 1 : !nt.tensor<[4, 48] x f32> -> !nt.tensor<[4] x f32>
  %s = nt.reduce "sum" %e axis 0 : !nt.tensor<[4, 48] x f32> -> !nt.tensor<[48] x f32>
  nt.return
}

// Forty-eight ones make 48, not 64.
// CHECK-LABEL: nt.kernel @reduction_of_a_fill
// CHECK: %x0 = nt.access %x <{{\[\[}}n ceildiv 48], [64]] -> [b0 + g0 * 48] if {{\[\[}}b0 + g0 * 48, n], [b0, 48]]>
// CHECK: %f = nt.full %one
// CHECK-NEXT: [[v0:%.*]] = nt.arange <0>
// CHECK-NEXT: [[v1:%.*]] = nt.size <48>
// CHECK-NEXT: [[v2:%.*]] = nt.full [[v1]]
// CHECK-NEXT: [[v3:%.*]] = nt.elementwise "lt"([[v0]], [[v2]])
// CHECK: [[v5:%.*]] = nt.full {{%.*}}
// CHECK-NEXT: [[v6:%.*]] = nt.elementwise "where"([[v3]], %f, [[v5]])
// CHECK-NEXT: %s = nt.reduce "sum" [[v6]] axis 0
nt.kernel @reduction_of_a_fill symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x0 = nt.access %x <[[n ceildiv 48], [48]] -> [g0 * 48 + b0] if [[g0 * 48 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 48] x !nt.tensor<[48] x f32>>
  nt.arranged %x0
      : !nt.tensor<[n ceildiv 48] x !nt.tensor<[48] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[48] x f32>):
  %one = arith.constant 1.0 : f32
  %f = nt.full %one : f32 -> !nt.tensor<[48] x f32>
  %s = nt.reduce "sum" %f axis 0 : !nt.tensor<[48] x f32> -> f32
  nt.return
}

// K is rounded up: both sides read zeros there.
// CHECK-LABEL: nt.kernel @dot
// CHECK: %x0 = nt.access %x <{{\[\[}}m ceildiv 16, 1], [16, 32]] -> [b0 + g0 * 16, b1] if {{\[\[}}b0 + g0 * 16, m], [b1, 24]]>
// CHECK: %y0 = nt.access %y <{{\[\[}}m ceildiv 16, 1], [32, 16]] -> [b0, b1] if {{\[\[}}b0, 24]]>
// CHECK: %a = nt.load %xs[] other 0.000000e+00 : f16 : !nt.tensor<[16, 32] x f16>[] -> !nt.tensor<[16, 32] x f16>
// CHECK-NEXT: %b = nt.load %ys[]
// CHECK-NEXT: %n = nt.elementwise "neg"(%b)
// CHECK: %acc = nt.full %zero
// CHECK-NEXT: [[v0:%.*]] = nt.arange <0>
// CHECK-NEXT: [[v1:%.*]] = nt.size <24>
// CHECK-NEXT: [[v2:%.*]] = nt.full [[v1]]
// CHECK-NEXT: [[v3:%.*]] = nt.elementwise "lt"([[v0]], [[v2]])
// CHECK-NEXT: [[v4:%.*]] = nt.expand_dims [[v3]] axis 1
// CHECK-NEXT: [[v5:%.*]] = nt.broadcast [[v4]]
// CHECK: [[v7:%.*]] = nt.full {{%.*}}
// CHECK-NEXT: [[v8:%.*]] = nt.elementwise "where"([[v5]], %n, [[v7]])
// CHECK-NEXT: %d = nt.dot %a, [[v8]], %acc "tf32"
nt.kernel @dot symbols [#nt.symbol<m size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [24, 1] aligned false : !nt.tensor<[m, 24] x f16>
  %x0 = nt.access %x <[[m ceildiv 16, 1], [16, 24]] -> [g0 * 16 + b0, b1] if [[g0 * 16 + b0, m]]>
      : !nt.tensor<[m, 24] x f16> -> !nt.tensor<[m ceildiv 16, 1] x !nt.tensor<[16, 24] x f16>>
  %y = nt.source "y" "tensor" strides [16, 1] aligned false : !nt.tensor<[24, 16] x f16>
  %y0 = nt.access %y <[[m ceildiv 16, 1], [24, 16]] -> [b0, b1]>
      : !nt.tensor<[24, 16] x f16> -> !nt.tensor<[m ceildiv 16, 1] x !nt.tensor<[24, 16] x f16>>
  nt.arranged %x0, %y0
      : !nt.tensor<[m ceildiv 16, 1] x !nt.tensor<[16, 24] x f16>>, !nt.tensor<[m ceildiv 16, 1] x !nt.tensor<[24, 16] x f16>>
} apply {
^bb0(%xs : !nt.tensor<[16, 24] x f16>, %ys : !nt.tensor<[24, 16] x f16>):
  %a = nt.load %xs[] : !nt.tensor<[16, 24] x f16>[] -> !nt.tensor<[16, 24] x f16>
  %b = nt.load %ys[] : !nt.tensor<[24, 16] x f16>[] -> !nt.tensor<[24, 16] x f16>
  %n = nt.elementwise "neg"(%b) : (!nt.tensor<[24, 16] x f16>) -> !nt.tensor<[24, 16] x f16>
  %zero = arith.constant 0.0 : f32
  %acc = nt.full %zero : f32 -> !nt.tensor<[16, 16] x f32>
  %d = nt.dot %a, %n, %acc "tf32" : !nt.tensor<[16, 24] x f16>, !nt.tensor<[24, 16] x f16> -> !nt.tensor<[16, 16] x f32>
  nt.return
}

// Sizes that a check holds equal are padded alike; the cast between them is gone.
// CHECK-LABEL: nt.kernel @equalities
// CHECK: %v = nt.load %xs[] : !nt.tensor<[256] x f32>[] -> !nt.tensor<[256] x f32>
// CHECK-NEXT: nt.store %v, %ys[] : !nt.tensor<[256] x f32>, !nt.tensor<[256] x f32>[]
// CHECK-NOT: unrealized
nt.kernel @equalities symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>] padded_sizes [#nt.exprs[m, 256], #nt.exprs[n, 256]] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[m] x f32>
  %x0 = nt.access %x <[[1], [m]] -> [b0]>
      : !nt.tensor<[m] x f32> -> !nt.tensor<[1] x !nt.tensor<[m] x f32>>
  %y = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %y0 = nt.access %y <[[1], [n]] -> [b0]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[1] x !nt.tensor<[n] x f32>>
  nt.arranged %x0, %y0
      : !nt.tensor<[1] x !nt.tensor<[m] x f32>>, !nt.tensor<[1] x !nt.tensor<[n] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[m] x f32>, %ys : !nt.tensor<[n] x f32>):
  %v = nt.load %xs[] : !nt.tensor<[m] x f32>[] -> !nt.tensor<[m] x f32>
  %c = builtin.unrealized_conversion_cast %v : !nt.tensor<[m] x f32> to !nt.tensor<[n] x f32>
  nt.store %c, %ys[] : !nt.tensor<[n] x f32>, !nt.tensor<[n] x f32>[]
  nt.return
}

// A product that a check holds equal to another size is no longer than that, and padded alike.
// CHECK-LABEL: nt.kernel @equal_product
// CHECK: %v = nt.load %xs[] : !nt.tensor<[16] x f32>[] -> !nt.tensor<[16] x f32>
// CHECK-NEXT: nt.store %v, %ys[] : !nt.tensor<[16] x f32>, !nt.tensor<[16] x f32>[]
nt.kernel @equal_product symbols [#nt.symbol<k size 0 to ?>, #nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>] padded_sizes [#nt.exprs[k, 16], #nt.exprs[m, 4], #nt.exprs[n, 8]] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[m * n] x f32>
  %x0 = nt.access %x <[[1], [m * n]] -> [b0]>
      : !nt.tensor<[m * n] x f32> -> !nt.tensor<[1] x !nt.tensor<[m * n] x f32>>
  %y = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[k] x f32>
  %y0 = nt.access %y <[[1], [k]] -> [b0]>
      : !nt.tensor<[k] x f32> -> !nt.tensor<[1] x !nt.tensor<[k] x f32>>
  nt.arranged %x0, %y0
      : !nt.tensor<[1] x !nt.tensor<[m * n] x f32>>, !nt.tensor<[1] x !nt.tensor<[k] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[m * n] x f32>, %ys : !nt.tensor<[k] x f32>):
  %v = nt.load %xs[] : !nt.tensor<[m * n] x f32>[] -> !nt.tensor<[m * n] x f32>
  %c = builtin.unrealized_conversion_cast %v : !nt.tensor<[m * n] x f32> to !nt.tensor<[k] x f32>
  nt.store %c, %ys[] : !nt.tensor<[k] x f32>, !nt.tensor<[k] x f32>[]
  nt.return
}

// `nt.size` keeps the true size.
// CHECK-LABEL: nt.kernel @true_size_stays
// CHECK: %s = nt.size <48> : i32
nt.kernel @true_size_stays symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x0 = nt.access %x <[[n ceildiv 48], [48]] -> [g0 * 48 + b0] if [[g0 * 48 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 48] x !nt.tensor<[48] x f32>>
  nt.arranged %x0
      : !nt.tensor<[n ceildiv 48] x !nt.tensor<[48] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[48] x f32>):
  %s = nt.size <48> : i32
  nt.return
}

// Lanes are reversed within the true size: a gather, whose indices behind that size stay behind it.
// CHECK-LABEL: nt.kernel @flip
// CHECK: [[last:%.*]] = nt.size <47> : i32
// CHECK-NEXT: [[lasts:%.*]] = nt.full [[last]] : i32 -> !nt.tensor<[64] x i32>
// CHECK-NEXT: [[lanes:%.*]] = nt.arange <0> : !nt.tensor<[64] x i32>
// CHECK-NEXT: [[back:%.*]] = nt.elementwise "sub"([[lasts]], [[lanes]])
// CHECK-NEXT: [[bits:%.*]] = arith.constant 63 : i32
// CHECK-NEXT: [[ones:%.*]] = nt.full [[bits]] : i32 -> !nt.tensor<[64] x i32>
// CHECK-NEXT: [[within:%.*]] = nt.elementwise "and"([[back]], [[ones]])
// CHECK-NEXT: [[row:%.*]] = nt.expand_dims [[within]] axis 0
// CHECK-NEXT: [[index:%.*]] = nt.broadcast [[row]] : !nt.tensor<[1, 64] x i32> -> !nt.tensor<[16, 64] x i32>
// CHECK-NEXT: %f = nt.gather %v[[[index]]] axis 1
// A size that is a power of two needs no such care, and one lane no gather.
// CHECK-NEXT: [[last:%.*]] = nt.size <15> : i32
// CHECK-NEXT: [[lasts:%.*]] = nt.full [[last]] : i32 -> !nt.tensor<[16] x i32>
// CHECK-NEXT: [[lanes:%.*]] = nt.arange <0> : !nt.tensor<[16] x i32>
// CHECK-NEXT: [[back:%.*]] = nt.elementwise "sub"([[lasts]], [[lanes]])
// CHECK-NEXT: [[column:%.*]] = nt.expand_dims [[back]] axis 1
// CHECK-NEXT: [[index:%.*]] = nt.broadcast [[column]]
// CHECK-NEXT: %g = nt.gather %f[[[index]]] axis 0
// CHECK-NEXT: %o = nt.expand_dims %g axis 0
// CHECK-NEXT: nt.return
nt.kernel @flip symbols [#nt.symbol<m size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [48, 1] aligned false : !nt.tensor<[m, 48] x f32>
  %x0 = nt.access %x <[[m ceildiv 16, 1], [16, 48]] -> [g0 * 16 + b0, b1] if [[g0 * 16 + b0, m]]>
      : !nt.tensor<[m, 48] x f32> -> !nt.tensor<[m ceildiv 16, 1] x !nt.tensor<[16, 48] x f32>>
  nt.arranged %x0 : !nt.tensor<[m ceildiv 16, 1] x !nt.tensor<[16, 48] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[16, 48] x f32>):
  %v = nt.load %xs[] : !nt.tensor<[16, 48] x f32>[] -> !nt.tensor<[16, 48] x f32>
  %f = nt.flip %v axis 1 : !nt.tensor<[16, 48] x f32>
  %g = nt.flip %f axis 0 : !nt.tensor<[16, 48] x f32>
  %o = nt.expand_dims %g axis 0 : !nt.tensor<[16, 48] x f32> -> !nt.tensor<[1, 16, 48] x f32>
  %p = nt.flip %o axis 0 : !nt.tensor<[1, 16, 48] x f32>
  nt.return
}
