// RUN: nt-opt %s --print-local-scope -p nt-lower-to-tt | filecheck %s

// Pointers and numbers in launch order, then the sizes that are used: m is not. Alignment to 16
// bytes, and multiples of 16, are attributes of the arguments.
// CHECK-LABEL: tt.func @arguments(%x: !tt.ptr<f32> {nt.param = "x", tt.divisibility = 16 : i32}, %s: f32 {nt.param = "s"}, %n: i32 {nt.symbol = "n", tt.divisibility = 16 : i32}) attributes {nt.params = [#nt.param<"x" tensor [n] [1]>, #nt.param<"s" scalar [] []>], nt.grid = #nt.expr<n ceildiv 64>, nt.checks = [], nt.symbols = [#nt.symbol<n size 0 to ? div 16>]} {
// CHECK: %q = tt.addptr %x, %n : !tt.ptr<f32>, i32
// CHECK-NEXT: tt.store %q, %s : !tt.ptr<f32>
// CHECK-NEXT: tt.return
nt.kernel @arguments symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ? div 16>] grid #nt.expr<n ceildiv 64> arrange {
  %x = nt.source "x" "tensor" strides [1] aligned true : !nt.tensor<[n] x f32>
  %x0 = nt.access %x <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  %s = nt.source "s" "scalar" strides [] aligned false : !nt.tensor<[] x f32>
  nt.arranged %x0, %s
      : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>, !nt.tensor<[] x f32>
} apply {
^bb0(%xs : !nt.tensor<[64] x f32>, %ss : !nt.tensor<[] x f32>):
  %p = nt.pointer %xs : !nt.tensor<[64] x f32> -> !tt.ptr<f32>
  %n = nt.size <n> : i32
  %q = tt.addptr %p, %n : !tt.ptr<f32>, i32
  %v = nt.load %ss[] : !nt.tensor<[] x f32>[] -> f32
  tt.store %q, %v : !tt.ptr<f32>
  nt.return
}

// A constexpr parameter is no argument: its value is baked in. Scalars are computed as scalars.
// CHECK-LABEL: tt.func @constexpr() attributes {nt.params = [#nt.param<"c" constexpr [] []>], nt.grid = #nt.expr<n ceildiv 64>, nt.checks = []} {
// CHECK: %v = arith.constant 2.000000e+00 : f32
// CHECK-NEXT: %w = math.exp %v : f32
nt.kernel @constexpr grid #nt.expr<n ceildiv 64> arrange {
  %c = nt.source "c" "constexpr" strides [] value 2.0 : f32 aligned false : !nt.tensor<[] x f32>
  nt.arranged %c
      : !nt.tensor<[] x f32>
} apply {
^bb0(%cs : !nt.tensor<[] x f32>):
  %v = nt.load %cs[] : !nt.tensor<[] x f32>[] -> f32
  %w = nt.elementwise "exp"(%v) : (f32) -> f32
  nt.return
}

// A pointer to bits is one to bytes.
// CHECK-LABEL: tt.func @memory(%x: !tt.ptr<i8> {nt.param = "x", nt.element_type = i1}) attributes {nt.params = [#nt.param<"x" tensor [n] [1]>], nt.grid = #nt.expr<n ceildiv 64>, nt.checks = []} {
nt.kernel @memory symbols [#nt.symbol<n size 0 to ?>] grid #nt.expr<n ceildiv 64> arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x i1>
  %x0 = nt.access %x <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x i1> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x i1>>
  nt.arranged %x0
      : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x i1>>
} apply {
^bb0(%xs : !nt.tensor<[64] x i1>):
  %p = nt.pointer %xs : !nt.tensor<[64] x i1> -> !tt.ptr<i8>
  nt.return
}

// Blocks change shape; a scalar of one dim is a splat; a range that starts elsewhere is one from 0, moved.
// CHECK-LABEL: tt.func @shapes(%p: f32 {nt.param = "p"}, %q: f32 {nt.param = "q"}) attributes {nt.params = [#nt.param<"p" scalar [] []>, #nt.param<"q" scalar [] []>], nt.grid = #nt.expr<n ceildiv 64>, nt.checks = []} {
// CHECK: %x = tt.splat %p : f32 -> tensor<64xf32>
// CHECK-NEXT: %y = tt.splat %q : f32 -> tensor<64xf32>
// CHECK-NEXT: %e = tt.expand_dims %x 1 : i32 : tensor<64xf32> -> tensor<64x1xf32>
// CHECK-NEXT: %g = tt.broadcast %e : tensor<64x1xf32> -> tensor<64x32xf32>
// CHECK-NEXT: %t = tt.trans %g array<i32: 1, 0> : tensor<64x32xf32> -> tensor<32x64xf32>
// CHECK-NEXT: %o = tt.splat %p : f32 -> tensor<1xf32>
// CHECK-NEXT: [[v0:%.*]] = tt.make_range 0 : i32 8 : i32 -> tensor<8xi32>
// CHECK-NEXT: [[v1:%.*]] = arith.constant dense<3> : tensor<8xi32>
// CHECK-NEXT: %r = arith.addi [[v0]], [[v1]] : tensor<8xi32>
// CHECK: %d = arith.constant dense<0.000000e+00> : tensor<64xf32>
// CHECK-NEXT: tt.return
nt.kernel @shapes grid #nt.expr<n ceildiv 64> arrange {
  %p = nt.source "p" "scalar" strides [] aligned false : !nt.tensor<[] x f32>
  %q = nt.source "q" "scalar" strides [] aligned false : !nt.tensor<[] x f32>
  nt.arranged %p, %q
      : !nt.tensor<[] x f32>, !nt.tensor<[] x f32>
} apply {
^bb0(%ps : !nt.tensor<[] x f32>, %qs : !nt.tensor<[] x f32>):
  %a = nt.load %ps[] : !nt.tensor<[] x f32>[] -> f32
  %b = nt.load %qs[] : !nt.tensor<[] x f32>[] -> f32
  %x = nt.full %a : f32 -> !nt.tensor<[64] x f32>
  %y = nt.full %b : f32 -> !nt.tensor<[64] x f32>
  %e = nt.expand_dims %x axis 1 : !nt.tensor<[64] x f32> -> !nt.tensor<[64, 1] x f32>
  %g = nt.broadcast %e : !nt.tensor<[64, 1] x f32> -> !nt.tensor<[64, 32] x f32>
  %t = nt.trans %g order [1, 0] : !nt.tensor<[64, 32] x f32> -> !nt.tensor<[32, 64] x f32>
  %o = nt.expand_dims %a axis 0 : f32 -> !nt.tensor<[1] x f32>
  %r = nt.arange <3> : !nt.tensor<[8] x i32>
  %z = arith.constant 0.0 : f32
  %d = nt.full %z : f32 -> !nt.tensor<[64] x f32>
  nt.return
}

// A reduction combines two lanes in its region.
// CHECK-LABEL: tt.func @reductions
// CHECK: %x = tt.splat %p : f32 -> tensor<64xf32>
// CHECK-NEXT: %y = tt.splat %q : f32 -> tensor<64xf32>
// CHECK-NEXT: %m = "tt.reduce"(%x) <{axis = 0 : i32}> ({
// CHECK-NEXT: ^bb0([[v0:%.*]]: f32, [[v1:%.*]]: f32):
// CHECK-NEXT: [[v2:%.*]] = arith.maxnumf [[v0]], [[v1]] : f32
// CHECK-NEXT: tt.reduce.return [[v2]] : f32
// CHECK-NEXT: }) : (tensor<64xf32>) -> f32
// CHECK-NEXT: %s = "tt.reduce"(%x) <{axis = 0 : i32}> ({
// CHECK-NEXT: ^bb0([[v3:%.*]]: f32, [[v4:%.*]]: f32):
// CHECK-NEXT: [[v5:%.*]] = arith.addf [[v3]], [[v4]] : f32
// CHECK-NEXT: tt.reduce.return [[v5]] : f32
// CHECK-NEXT: }) : (tensor<64xf32>) -> f32
nt.kernel @reductions grid #nt.expr<n ceildiv 64> arrange {
  %p = nt.source "p" "scalar" strides [] aligned false : !nt.tensor<[] x f32>
  %q = nt.source "q" "scalar" strides [] aligned false : !nt.tensor<[] x f32>
  nt.arranged %p, %q
      : !nt.tensor<[] x f32>, !nt.tensor<[] x f32>
} apply {
^bb0(%ps : !nt.tensor<[] x f32>, %qs : !nt.tensor<[] x f32>):
  %a = nt.load %ps[] : !nt.tensor<[] x f32>[] -> f32
  %b = nt.load %qs[] : !nt.tensor<[] x f32>[] -> f32
  %x = nt.full %a : f32 -> !nt.tensor<[64] x f32>
  %y = nt.full %b : f32 -> !nt.tensor<[64] x f32>
  %m = nt.reduce "max" %x axis 0 : !nt.tensor<[64] x f32> -> f32
  %s = nt.reduce "sum" %x axis 0 : !nt.tensor<[64] x f32> -> f32
  nt.return
}

// The precision by its number.
// CHECK-LABEL: tt.func @dot
// CHECK: %d = tt.dot %a, %b, %c 2 : i32 0 : i32 : tensor<16x32xf16> * tensor<32x16xf16> -> tensor<16x16xf32>
nt.kernel @dot grid #nt.expr<n ceildiv 64> arrange {
  %p = nt.source "p" "scalar" strides [] aligned false : !nt.tensor<[] x f32>
  nt.arranged %p
      : !nt.tensor<[] x f32>
} apply {
^bb0(%ps : !nt.tensor<[] x f32>):
  %h = arith.constant 1.0 : f16
  %f = arith.constant 0.0 : f32
  %a = nt.full %h : f16 -> !nt.tensor<[16, 32] x f16>
  %b = nt.full %h : f16 -> !nt.tensor<[32, 16] x f16>
  %c = nt.full %f : f32 -> !nt.tensor<[16, 16] x f32>
  %d = nt.dot %a, %b, %c "ieee" : !nt.tensor<[16, 32] x f16>, !nt.tensor<[32, 16] x f16> -> !nt.tensor<[16, 16] x f32>
  nt.return
}

// Loops and branches keep their form; their values have Triton's types.
// CHECK-LABEL: tt.func @control
// CHECK: %r = scf.for %i = %c0 to %c9 step %c1 iter_args(%acc = %x) -> (tensor<64xf32>) : i32 {
// CHECK-NEXT: %n = arith.addf %acc, %y : tensor<64xf32>
// CHECK-NEXT: scf.yield %n : tensor<64xf32>
// CHECK: %w = scf.if %c -> (tensor<64xf32>) {
// CHECK-NEXT: scf.yield %r : tensor<64xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %x : tensor<64xf32>
nt.kernel @control grid #nt.expr<n ceildiv 64> arrange {
  %p = nt.source "p" "scalar" strides [] aligned false : !nt.tensor<[] x f32>
  %q = nt.source "q" "scalar" strides [] aligned false : !nt.tensor<[] x f32>
  nt.arranged %p, %q
      : !nt.tensor<[] x f32>, !nt.tensor<[] x f32>
} apply {
^bb0(%ps : !nt.tensor<[] x f32>, %qs : !nt.tensor<[] x f32>):
  %a = nt.load %ps[] : !nt.tensor<[] x f32>[] -> f32
  %b = nt.load %qs[] : !nt.tensor<[] x f32>[] -> f32
  %x = nt.full %a : f32 -> !nt.tensor<[64] x f32>
  %y = nt.full %b : f32 -> !nt.tensor<[64] x f32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c9 = arith.constant 9 : i32
  %r = scf.for %i = %c0 to %c9 step %c1 iter_args(%acc = %x) -> (!nt.tensor<[64] x f32>) : i32 {
    %n = nt.elementwise "add"(%acc, %y) : (!nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
    scf.yield %n : !nt.tensor<[64] x f32>
  }
  %c = nt.elementwise "lt"(%a, %b) : (f32, f32) -> i1
  %w = scf.if %c -> (!nt.tensor<[64] x f32>) {
    scf.yield %r : !nt.tensor<[64] x f32>
  } else {
    scf.yield %x : !nt.tensor<[64] x f32>
  }
  nt.return
}

// Gathers; a loop keeps its hints.
// CHECK-LABEL: tt.func @order
// CHECK: %g = tt.gather %x[%r] 0 : i32 : tensor<64xi32>[tensor<8xi32>] -> tensor<8xi32>
// CHECK-NEXT: %h = tt.mulhiui %g, %r : tensor<8xi32>
// CHECK-NEXT: %s = "tt.reduce"(%h) <{axis = 0 : i32}> ({
// CHECK-NEXT: ^bb0([[a:%.*]]: i32, [[b:%.*]]: i32):
// CHECK-NEXT: [[c:%.*]] = arith.xori [[a]], [[b]] : i32
// CHECK: scf.for
// CHECK: } {tt.num_stages = 2 : i32}
nt.kernel @order grid #nt.expr<n ceildiv 64> arrange {
  %p = nt.source "p" "scalar" strides [] aligned false : !nt.tensor<[] x i32>
  nt.arranged %p : !nt.tensor<[] x i32>
} apply {
^bb0(%ps : !nt.tensor<[] x i32>):
  %a = nt.load %ps[] : !nt.tensor<[] x i32>[] -> i32
  %x = nt.full %a : i32 -> !nt.tensor<[64] x i32>
  %r = nt.arange <0> : !nt.tensor<[8] x i32>
  %g = nt.gather %x[%r] axis 0
      : !nt.tensor<[64] x i32>[!nt.tensor<[8] x i32>] -> !nt.tensor<[8] x i32>
  %h = nt.elementwise "umulhi"(%g, %r) : (!nt.tensor<[8] x i32>, !nt.tensor<[8] x i32>) -> !nt.tensor<[8] x i32>
  %s = nt.reduce "xor_sum" %h axis 0 : !nt.tensor<[8] x i32> -> i32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %a step %c1 : i32 {
    scf.yield
  } {tt.num_stages = 2 : i32}
  nt.return
}

// An unsigned number says that it is one: a launch passes numbers with signs.
// CHECK-LABEL: tt.func @unsigned_argument(%p: i32 {nt.param = "p", nt.unsigned})
nt.kernel @unsigned_argument grid #nt.expr<n ceildiv 64> arrange {
  %p = nt.source "p" "scalar" strides [] aligned false : !nt.tensor<[] x ui32>
  nt.arranged %p : !nt.tensor<[] x ui32>
} apply {
^bb0(%ps : !nt.tensor<[] x ui32>):
  nt.return
}
