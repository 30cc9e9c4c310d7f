// RUN: nt-opt %s --print-local-scope -p nt-mask-reductions | filecheck %s
// RUN: nt-opt %s --print-local-scope --remarks -p nt-mask-reductions | filecheck %s --check-prefix=REMARK

// The lanes of a load outside its guard are free: they become the identity.
// REMARK: nt.kernel @fills {{.*}}nt.remarks = []
// CHECK-LABEL: nt.kernel @fills
// CHECK: %v = nt.load %xs[] other 0xff800000 : f32 : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
// CHECK-NEXT: %m = nt.reduce "max" %v axis 0
// CHECK-NOT: nt.guard
nt.kernel @fills symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x0 = nt.access %x <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %x0
      : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[64] x f32>):
  %v = nt.load %xs[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  %m = nt.reduce "max" %v axis 0 : !nt.tensor<[64] x f32> -> f32
  nt.return
}

// A conversion of floats keeps an infinity, so the load may lie behind one.
// CHECK-LABEL: nt.kernel @fills_behind_a_cast
// CHECK: %h = nt.load %xs[] other 0x7c00 : f16 : !nt.tensor<[64] x f16>[] -> !nt.tensor<[64] x f16>
// CHECK-NEXT: %v = nt.cast %h
// CHECK-NEXT: %m = nt.reduce "min" %v axis 0
// CHECK-NOT: nt.guard
nt.kernel @fills_behind_a_cast symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f16>
  %x0 = nt.access %x <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f16> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f16>>
  nt.arranged %x0
      : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f16>>
} apply {
^bb0(%xs : !nt.tensor<[64] x f16>):
  %h = nt.load %xs[] : !nt.tensor<[64] x f16>[] -> !nt.tensor<[64] x f16>
  %v = nt.cast %h : !nt.tensor<[64] x f16> -> !nt.tensor<[64] x f32>
  %m = nt.reduce "min" %v axis 0 : !nt.tensor<[64] x f32> -> f32
  nt.return
}

// A float of eight bits may have no infinity: what is cast from one is selected.
// REMARK: nt.kernel @eight_bits {{.*}}[#nt.remark<missed "nt-mask-reductions" "lanes that are not valid are set to the identity: no load gives them that value">]
// CHECK-LABEL: nt.kernel @eight_bits
// CHECK: %h = nt.load %xs[] : !nt.tensor<[64] x f8E4M3FN>[]
// CHECK: [[v:%.*]] = nt.elementwise "where"({{%.*}}, %v, {{%.*}})
// CHECK-NEXT: %m = nt.reduce "max" [[v]] axis 0
nt.kernel @eight_bits symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f8E4M3FN>
  %x0 = nt.access %x <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f8E4M3FN> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f8E4M3FN>>
  nt.arranged %x0
      : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f8E4M3FN>>
} apply {
^bb0(%xs : !nt.tensor<[64] x f8E4M3FN>):
  %h = nt.load %xs[] : !nt.tensor<[64] x f8E4M3FN>[] -> !nt.tensor<[64] x f8E4M3FN>
  %v = nt.cast %h : !nt.tensor<[64] x f8E4M3FN> -> !nt.tensor<[64] x f32>
  %m = nt.reduce "max" %v axis 0 : !nt.tensor<[64] x f32> -> f32
  nt.return
}

// Blocks of two indices have two guards.
// CHECK-LABEL: nt.kernel @two_blocks
// CHECK: [[g:%.*]] = nt.guard %xs[%c0]
// CHECK: [[h:%.*]] = nt.guard %xs[%c1]
// CHECK: nt.elementwise "and"([[g]], [[h]])
nt.kernel @two_blocks symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x0 = nt.access %x <[[n ceildiv 256], [4], [64]] -> [g0 * 256 + k1_0 * 64 + b0] if [[g0 * 256 + k1_0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 256] x !nt.tensor<[4] x !nt.tensor<[64] x f32>>>
  nt.arranged %x0 : !nt.tensor<[n ceildiv 256] x !nt.tensor<[4] x !nt.tensor<[64] x f32>>>
} apply {
^bb0(%xs : !nt.tensor<[4] x !nt.tensor<[64] x f32>>):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %v = nt.load %xs[%c0] : !nt.tensor<[4] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x f32>
  %w = nt.load %xs[%c1] : !nt.tensor<[4] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x f32>
  %p = nt.elementwise "mul"(%v, %w) : (!nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
  %s = nt.reduce "sum" %p axis 0 : !nt.tensor<[64] x f32> -> f32
  nt.return
}

// One load, two reductions: the first has its identity in the load, the second selects.
// CHECK-LABEL: nt.kernel @two_identities
// CHECK: %v = nt.load %xs[] other 0xff800000 : f32 : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
// CHECK-NEXT: [[v0:%.*]] = nt.guard %xs[]
// CHECK-NEXT: %m = nt.reduce "max" %v axis 0
// CHECK-NEXT: {{%.*}} = arith.constant 0.000000e+00 : f32
// CHECK: [[v3:%.*]] = nt.elementwise "where"([[v0]], %v, {{%.*}})
// CHECK-NEXT: %s = nt.reduce "sum" [[v3]] axis 0
nt.kernel @two_identities symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x0 = nt.access %x <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %x0
      : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[64] x f32>):
  %v = nt.load %xs[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  %m = nt.reduce "max" %v axis 0 : !nt.tensor<[64] x f32> -> f32
  %s = nt.reduce "sum" %v axis 0 : !nt.tensor<[64] x f32> -> f32
  nt.return
}

// The maximum's identity in the load is none of the sum's: what is computed from it is selected.
// CHECK-LABEL: nt.kernel @identity_spoilt
// CHECK: %v = nt.load %xs[] other 0xff800000 : f32 : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
// CHECK-NEXT: [[v0:%.*]] = nt.guard %xs[]
// CHECK-NEXT: %m = nt.reduce "max" %v axis 0
// CHECK: %d = nt.elementwise "sub"(%v, %f)
// CHECK-NEXT: {{%.*}} = arith.constant 0.000000e+00 : f32
// CHECK: [[v6:%.*]] = nt.elementwise "where"([[v0]], %d, {{%.*}})
// CHECK-NEXT: %s = nt.reduce "sum" [[v6]] axis 0
nt.kernel @identity_spoilt symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x0 = nt.access %x <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %x0
      : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[64] x f32>):
  %v = nt.load %xs[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  %m = nt.reduce "max" %v axis 0 : !nt.tensor<[64] x f32> -> f32
  %f = nt.full %m : f32 -> !nt.tensor<[64] x f32>
  %d = nt.elementwise "sub"(%v, %f) : (!nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
  %s = nt.reduce "sum" %d axis 0 : !nt.tensor<[64] x f32> -> f32
  nt.return
}

// Lanes that read the user's `other` are valid.
// CHECK-LABEL: nt.kernel @chosen_by_the_user
// CHECK: %v = nt.load %xs[] other 1.000000e+00 : f32 : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
// CHECK-NEXT: %s = nt.reduce "sum" %v axis 0
// CHECK-NOT: where
nt.kernel @chosen_by_the_user symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x0 = nt.access %x <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %x0
      : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[64] x f32>):
  %v = nt.load %xs[] other 1.0 : f32 : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  %s = nt.reduce "sum" %v axis 0 : !nt.tensor<[64] x f32> -> f32
  nt.return
}

// Without a guard there is nothing to do.
// CHECK-LABEL: nt.kernel @no_guard
// CHECK: %v = nt.load %xs[]
// CHECK-NEXT: %e = nt.elementwise "exp"(%v)
// CHECK-NEXT: %s = nt.reduce "sum" %e axis 0
// CHECK-NOT: where
nt.kernel @no_guard symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n * 64] x f32>
  %x0 = nt.access %x <[[n], [64]] -> [g0 * 64 + b0]>
      : !nt.tensor<[n * 64] x f32> -> !nt.tensor<[n] x !nt.tensor<[64] x f32>>
  nt.arranged %x0
      : !nt.tensor<[n] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[64] x f32>):
  %v = nt.load %xs[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  %e = nt.elementwise "exp"(%v) : (!nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
  %s = nt.reduce "sum" %e axis 0 : !nt.tensor<[64] x f32> -> f32
  nt.return
}

// Elementwise: the conjunction. What has no guard adds nothing.
// CHECK-LABEL: nt.kernel @conjunction
// CHECK: [[v0:%.*]] = nt.guard %xs[]
// CHECK: [[v1:%.*]] = nt.guard %ys[]
// CHECK: %p = nt.elementwise "mul"(%a, %b)
// CHECK-NEXT: [[v4:%.*]] = nt.elementwise "and"([[v0]], [[v1]])
// CHECK-NEXT: %q = nt.elementwise "add"(%p, %c)
// CHECK: [[v8:%.*]] = nt.elementwise "where"([[v4]], %q, {{%.*}})
// CHECK-NEXT: %s = nt.reduce "sum" [[v8]] axis 0
nt.kernel @conjunction symbols [#nt.symbol<n size 0 to ?>, #nt.symbol<m size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x0 = nt.access %x <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  %y = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[m] x f32>
  %y0 = nt.access %y <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, m]]>
      : !nt.tensor<[m] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  %z = nt.source "z" "tensor" strides [1] aligned false : !nt.tensor<[n * 64] x f32>
  %z0 = nt.access %z <[[n ceildiv 64], [64]] -> [g0 * 64 + b0]>
      : !nt.tensor<[n * 64] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %x0, %y0, %z0
      : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>, !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>, !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[64] x f32>, %ys : !nt.tensor<[64] x f32>, %zs : !nt.tensor<[64] x f32>):
  %a = nt.load %xs[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  %b = nt.load %ys[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  %c = nt.load %zs[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  %p = nt.elementwise "mul"(%a, %b) : (!nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
  %q = nt.elementwise "add"(%p, %c) : (!nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
  %s = nt.reduce "sum" %q axis 0 : !nt.tensor<[64] x f32> -> f32
  nt.return
}

// `where`: the guard of the chosen side.
// CHECK-LABEL: nt.kernel @chosen
// CHECK: [[v0:%.*]] = nt.guard %xs[]
// CHECK: %c = nt.elementwise "lt"(%b, %b)
// CHECK: %w = nt.elementwise "where"(%c, %a, %b)
// CHECK-NEXT: [[v5:%.*]] = nt.elementwise "where"(%c, [[v0]], {{%.*}})
// CHECK-NEXT: [[v6:%.*]] = nt.elementwise "and"({{%.*}}, [[v5]])
// CHECK: [[v9:%.*]] = nt.elementwise "where"([[v6]], %w, {{%.*}})
// CHECK-NEXT: %s = nt.reduce "sum" [[v9]] axis 0
nt.kernel @chosen symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x0 = nt.access %x <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  %y = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[n * 64] x f32>
  %y0 = nt.access %y <[[n], [64]] -> [g0 * 64 + b0]>
      : !nt.tensor<[n * 64] x f32> -> !nt.tensor<[n] x !nt.tensor<[64] x f32>>
  nt.arranged %x0, %y0
      : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>, !nt.tensor<[n] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[64] x f32>, %ys : !nt.tensor<[64] x f32>):
  %a = nt.load %xs[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  %b = nt.load %ys[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  %c = nt.elementwise "lt"(%b, %b) : (!nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>) -> !nt.tensor<[64] x i1>
  %w = nt.elementwise "where"(%c, %a, %b) : (!nt.tensor<[64] x i1>, !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
  %s = nt.reduce "sum" %w axis 0 : !nt.tensor<[64] x f32> -> f32
  nt.return
}

// Guards move as the lanes do.
// CHECK-LABEL: nt.kernel @moved
// CHECK: [[v0:%.*]] = nt.guard %xs[]
// CHECK-NEXT: %e = nt.expand_dims %v axis 0
// CHECK-NEXT: [[v1:%.*]] = nt.expand_dims [[v0]] axis 0
// CHECK-NEXT: %b = nt.broadcast %e
// CHECK-NEXT: [[v2:%.*]] = nt.broadcast [[v1]]
// CHECK-NEXT: %t = nt.trans %b order [1, 0]
// CHECK-NEXT: [[v3:%.*]] = nt.trans [[v2]] order [1, 0]
// CHECK: [[v6:%.*]] = nt.elementwise "where"([[v3]], %t, {{%.*}})
// CHECK-NEXT: %s = nt.reduce "sum" [[v6]] axis 0
nt.kernel @moved symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x0 = nt.access %x <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %x0
      : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[64] x f32>):
  %v = nt.load %xs[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  %e = nt.expand_dims %v axis 0 : !nt.tensor<[64] x f32> -> !nt.tensor<[1, 64] x f32>
  %b = nt.broadcast %e : !nt.tensor<[1, 64] x f32> -> !nt.tensor<[8, 64] x f32>
  %t = nt.trans %b order [1, 0] : !nt.tensor<[8, 64] x f32> -> !nt.tensor<[64, 8] x f32>
  %s = nt.reduce "sum" %t axis 0 : !nt.tensor<[64, 8] x f32> -> !nt.tensor<[8] x f32>
  nt.return
}

// A loop carries the guard of what it carries; it starts as true.
// CHECK-LABEL: nt.kernel @carried
// CHECK: {{%.*}} = arith.constant true
// CHECK: %r, [[v2:%.*]] = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init, [[v3:%.*]] = {{%.*}}) -> (!nt.tensor<[64] x f32>, !nt.tensor<[64] x i1>)
// CHECK: [[v4:%.*]] = nt.guard %xs[]
// CHECK-NEXT: %next = nt.elementwise "add"(%acc, %v)
// CHECK-NEXT: [[v5:%.*]] = nt.elementwise "and"([[v3]], [[v4]])
// CHECK-NEXT: scf.yield %next, [[v5]]
// CHECK: [[v8:%.*]] = nt.elementwise "where"([[v2]], %r, {{%.*}})
// CHECK-NEXT: %s = nt.reduce "sum" [[v8]] axis 0
nt.kernel @carried symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x0 = nt.access %x <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %x0
      : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[64] x f32>):
  %zero = arith.constant 0.0 : f32
  %init = nt.full %zero : f32 -> !nt.tensor<[64] x f32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %n = nt.size <n> : i32
  %r = scf.for %i = %c0 to %n step %c1
      iter_args(%acc = %init) -> (!nt.tensor<[64] x f32>) : i32 {
    %v = nt.load %xs[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
    %next = nt.elementwise "add"(%acc, %v) : (!nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
    scf.yield %next : !nt.tensor<[64] x f32>
  }
  %s = nt.reduce "sum" %r axis 0 : !nt.tensor<[64] x f32> -> f32
  nt.return
}

// Carried values that change places: their guards do too. The reduction reads the loop's new result.
// CHECK-LABEL: nt.kernel @exchanged
// CHECK: [[v0:%.*]] = nt.guard %xs[]
// CHECK: %p, %q, [[v3:%.*]], {{%.*}} = scf.for %i = %c0 to %n step %c1 iter_args(%a = %init, %b = %v, [[v5:%.*]] = {{%.*}}, [[v6:%.*]] = [[v0]]) -> (!nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>, !nt.tensor<[64] x i1>, !nt.tensor<[64] x i1>)
// CHECK-NEXT: scf.yield %b, %a, [[v6]], [[v5]]
// CHECK: [[v9:%.*]] = nt.elementwise "where"([[v3]], %p, {{%.*}})
// CHECK-NEXT: %s = nt.reduce "sum" [[v9]] axis 0
nt.kernel @exchanged symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x0 = nt.access %x <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %x0
      : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[64] x f32>):
  %v = nt.load %xs[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  %zero = arith.constant 0.0 : f32
  %init = nt.full %zero : f32 -> !nt.tensor<[64] x f32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %n = nt.size <n> : i32
  %p, %q = scf.for %i = %c0 to %n step %c1
      iter_args(%a = %init, %b = %v) -> (!nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>) : i32 {
    scf.yield %b, %a : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>
  }
  %s = nt.reduce "sum" %p axis 0 : !nt.tensor<[64] x f32> -> f32
  nt.return
}

// A guard through two loops.
// CHECK-LABEL: nt.kernel @nested
// CHECK: %r, [[v2:%.*]] = scf.for %i = %c0 to %n step %c1 iter_args(%a = %init, [[v3:%.*]] = {{%.*}}) -> (!nt.tensor<[64] x f32>, !nt.tensor<[64] x i1>)
// CHECK-NEXT: %in, [[v4:%.*]] = scf.for %j = %c0 to %n step %c1 iter_args(%b = %a, [[v5:%.*]] = [[v3]]) -> (!nt.tensor<[64] x f32>, !nt.tensor<[64] x i1>)
// CHECK: [[v6:%.*]] = nt.guard %xs[]
// CHECK: [[v7:%.*]] = nt.elementwise "and"([[v5]], [[v6]])
// CHECK-NEXT: scf.yield %m, [[v7]]
// CHECK: scf.yield %in, [[v4]]
// CHECK: [[v10:%.*]] = nt.elementwise "where"([[v2]], %r, {{%.*}})
// CHECK-NEXT: %s = nt.reduce "sum" [[v10]] axis 0
nt.kernel @nested symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x0 = nt.access %x <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %x0
      : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[64] x f32>):
  %zero = arith.constant 0.0 : f32
  %init = nt.full %zero : f32 -> !nt.tensor<[64] x f32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %n = nt.size <n> : i32
  %r = scf.for %i = %c0 to %n step %c1
      iter_args(%a = %init) -> (!nt.tensor<[64] x f32>) : i32 {
    %in = scf.for %j = %c0 to %n step %c1 iter_args(%b = %a) -> (!nt.tensor<[64] x f32>) : i32 {
      %v = nt.load %xs[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
      %m = nt.elementwise "maximum"(%b, %v) : (!nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
      scf.yield %m : !nt.tensor<[64] x f32>
    }
    scf.yield %in : !nt.tensor<[64] x f32>
  }
  %s = nt.reduce "sum" %r axis 0 : !nt.tensor<[64] x f32> -> f32
  nt.return
}

// A branch yields its sides' guards.
// CHECK-LABEL: nt.kernel @branch
// CHECK: %init = nt.full %zero
// CHECK: [[v1:%.*]] = nt.full {{%.*}}
// CHECK: %r, [[v2:%.*]] = scf.if %c -> (!nt.tensor<[64] x f32>, !nt.tensor<[64] x i1>) {
// CHECK: [[v3:%.*]] = nt.guard %xs[]
// CHECK-NEXT: scf.yield %v, [[v3]]
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %init, [[v1]]
// CHECK: [[v5:%.*]] = nt.full {{%.*}}
// CHECK-NEXT: [[v6:%.*]] = nt.elementwise "where"([[v2]], %r, [[v5]])
// CHECK-NEXT: %s = nt.reduce "sum" [[v6]] axis 0
nt.kernel @branch symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x0 = nt.access %x <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %x0
      : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[64] x f32>):
  %zero = arith.constant 0.0 : f32
  %init = nt.full %zero : f32 -> !nt.tensor<[64] x f32>
  %n = nt.size <n> : i32
  %c = arith.constant true
  %r = scf.if %c -> (!nt.tensor<[64] x f32>) {
    %v = nt.load %xs[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
    scf.yield %v : !nt.tensor<[64] x f32>
  } else {
    scf.yield %init : !nt.tensor<[64] x f32>
  }
  %s = nt.reduce "sum" %r axis 0 : !nt.tensor<[64] x f32> -> f32
  nt.return
}

// A dot reads zeros along K, on both sides.
// CHECK-LABEL: nt.kernel @dot
// CHECK: %a = nt.load %xs[] other 0.000000e+00 : f16 : !nt.tensor<[16, 32] x f16>[] -> !nt.tensor<[16, 32] x f16>
// CHECK-NEXT: %b = nt.load %ys[]
// CHECK-NEXT: [[v0:%.*]] = nt.guard %ys[]
// CHECK: [[v3:%.*]] = nt.elementwise "where"([[v0]], %e, {{%.*}})
// CHECK-NEXT: %d = nt.dot %a, [[v3]], %acc "tf32"
nt.kernel @dot symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<k size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [k, 1] aligned false : !nt.tensor<[m, k] x f16>
  %x0 = nt.access %x <[[m ceildiv 16, 1], [16, 32]] -> [g0 * 16 + b0, b1] if [[g0 * 16 + b0, m], [b1, k]]>
      : !nt.tensor<[m, k] x f16> -> !nt.tensor<[m ceildiv 16, 1] x !nt.tensor<[16, 32] x f16>>
  %y = nt.source "y" "tensor" strides [16, 1] aligned false : !nt.tensor<[k, 16] x f16>
  %y0 = nt.access %y <[[m ceildiv 16, 1], [32, 16]] -> [b0, b1] if [[b0, k]]>
      : !nt.tensor<[k, 16] x f16> -> !nt.tensor<[m ceildiv 16, 1] x !nt.tensor<[32, 16] x f16>>
  nt.arranged %x0, %y0
      : !nt.tensor<[m ceildiv 16, 1] x !nt.tensor<[16, 32] x f16>>, !nt.tensor<[m ceildiv 16, 1] x !nt.tensor<[32, 16] x f16>>
} apply {
^bb0(%xs : !nt.tensor<[16, 32] x f16>, %ys : !nt.tensor<[32, 16] x f16>):
  %a = nt.load %xs[] : !nt.tensor<[16, 32] x f16>[] -> !nt.tensor<[16, 32] x f16>
  %b = nt.load %ys[] : !nt.tensor<[32, 16] x f16>[] -> !nt.tensor<[32, 16] x f16>
  %e = nt.elementwise "neg"(%b) : (!nt.tensor<[32, 16] x f16>) -> !nt.tensor<[32, 16] x f16>
  %zero = arith.constant 0.0 : f32
  %acc = nt.full %zero : f32 -> !nt.tensor<[16, 16] x f32>
  %d = nt.dot %a, %e, %acc "tf32" : !nt.tensor<[16, 32] x f16>, !nt.tensor<[32, 16] x f16> -> !nt.tensor<[16, 16] x f32>
  nt.return
}

// Lanes in reverse have their guards in reverse.
// CHECK-LABEL: nt.kernel @flip
// CHECK: [[g:%.*]] = nt.guard %xs[]
// CHECK-NEXT: %f = nt.flip %v axis 0
// CHECK-NEXT: [[r:%.*]] = nt.flip [[g]] axis 0 : !nt.tensor<[64] x i1>
// CHECK: [[w:%.*]] = nt.elementwise "where"([[r]], %f, {{%.*}})
// CHECK-NEXT: %s = nt.reduce "xor_sum" [[w]] axis 0
nt.kernel @flip symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x i32>
  %x0 = nt.access %x <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x i32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x i32>>
  nt.arranged %x0 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x i32>>
} apply {
^bb0(%xs : !nt.tensor<[64] x i32>):
  %v = nt.load %xs[] : !nt.tensor<[64] x i32>[] -> !nt.tensor<[64] x i32>
  %f = nt.flip %v axis 0 : !nt.tensor<[64] x i32>
  %s = nt.reduce "xor_sum" %f axis 0 : !nt.tensor<[64] x i32> -> i32
  nt.return
}
