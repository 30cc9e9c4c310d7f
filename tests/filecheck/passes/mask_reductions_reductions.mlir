// RUN: nt-opt %s --print-local-scope -p nt-mask-reductions | filecheck %s

// A scan by name reads its identity.
// CHECK-LABEL: nt.kernel @named
// CHECK: %v = nt.load %xs[] other 1.000000e+00 : f32
// CHECK-NEXT: %s = nt.scan "cumprod" %v axis 0 reverse false
nt.kernel @named symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x0 = nt.access %x <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %x0
      : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[64] x f32>):
  %v = nt.load %xs[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  %s = nt.scan "cumprod" %v axis 0 reverse false : !nt.tensor<[64] x f32>
  nt.return
}

// Lanes that are not valid go behind the largest. As many leading lanes are valid as were before.
// CHECK-LABEL: nt.kernel @sorts
// CHECK: %v = nt.load %xs[] other 2147483647 : i32
// CHECK-NEXT: [[g:%.*]] = nt.guard %xs[]
// CHECK-NEXT: %s = nt.sort %v axis 0 descending false
// CHECK-NEXT: [[b:%.*]] = nt.cast [[g]] : !nt.tensor<[64] x i1> -> !nt.tensor<[64] x i32>
// CHECK-NEXT: [[c:%.*]] = nt.reduce "sum" [[b]] axis 0
// CHECK-NEXT: [[e:%.*]] = nt.expand_dims [[c]] axis 0
// CHECK-NEXT: [[f:%.*]] = nt.broadcast [[e]]
// CHECK-NEXT: [[i:%.*]] = nt.arange <0>
// CHECK-NEXT: [[r:%.*]] = nt.elementwise "lt"([[i]], [[f]])
// CHECK: [[w:%.*]] = nt.elementwise "where"([[r]], %s, {{.*}})
// CHECK-NEXT: %t = nt.reduce "sum" [[w]] axis 0
nt.kernel @sorts symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x i32>
  %x0 = nt.access %x <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x i32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x i32>>
  nt.arranged %x0
      : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x i32>>
} apply {
^bb0(%xs : !nt.tensor<[64] x i32>):
  %v = nt.load %xs[] : !nt.tensor<[64] x i32>[] -> !nt.tensor<[64] x i32>
  %s = nt.sort %v axis 0 descending false : !nt.tensor<[64] x i32> -> !nt.tensor<[64] x i32>
  %t = nt.reduce "sum" %s axis 0 : !nt.tensor<[64] x i32> -> i32
  nt.return
}

// Descending, behind the smallest.
// CHECK-LABEL: nt.kernel @falling
// CHECK: %v = nt.load %xs[] other -2147483648 : i32
// CHECK-NEXT: %s = nt.sort %v axis 0 descending true
nt.kernel @falling symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x i32>
  %x0 = nt.access %x <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x i32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x i32>>
  nt.arranged %x0
      : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x i32>>
} apply {
^bb0(%xs : !nt.tensor<[64] x i32>):
  %v = nt.load %xs[] : !nt.tensor<[64] x i32>[] -> !nt.tensor<[64] x i32>
  %s = nt.sort %v axis 0 descending true : !nt.tensor<[64] x i32> -> !nt.tensor<[64] x i32>
  nt.return
}

// A combination that knows no identity is told which lanes take part.
// CHECK-LABEL: nt.kernel @lifted
// CHECK: %v = nt.load %xs[] : !nt.tensor<[64] x f32>[]
// CHECK-NEXT: [[g:%.*]] = nt.guard %xs[]
// CHECK-NEXT: %i = nt.arange <0>
// CHECK-NEXT: %m, %j, {{%.*}} = nt.reduce_by %v, %i valid [[g]] : !nt.tensor<[64] x i1> axis 0 {
// CHECK-NEXT: ^bb0(%a: f32, %k: i32, %b: f32, %l: i32):
// CHECK: } : !nt.tensor<[64] x f32>, !nt.tensor<[64] x i32> -> f32, i32, i1
nt.kernel @lifted symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x0 = nt.access %x <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %x0
      : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[64] x f32>):
  %v = nt.load %xs[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  %i = nt.arange <0> : !nt.tensor<[64] x i32>
  %m, %j = nt.reduce_by %v, %i axis 0 {
  ^bb0(%a : f32, %k : i32, %b : f32, %l : i32):
    %c = nt.elementwise "gt"(%a, %b) : (f32, f32) -> i1
    %d = nt.elementwise "where"(%c, %a, %b) : (i1, f32, f32) -> f32
    %e = nt.elementwise "where"(%c, %k, %l) : (i1, i32, i32) -> i32
    nt.yield %d, %e : f32, i32
  } : !nt.tensor<[64] x f32>, !nt.tensor<[64] x i32> -> f32, i32
  nt.return
}

// Where all lanes are valid nothing is added.
// CHECK-LABEL: nt.kernel @all_real
// CHECK: %m = nt.reduce_by %i axis 0 {
// CHECK-NOT: nt.guard
nt.kernel @all_real symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x0 = nt.access %x <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %x0
      : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[64] x f32>):
  %v = nt.load %xs[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  %i = nt.arange <0> : !nt.tensor<[64] x i32>
  %m = nt.reduce_by %i axis 0 {
  ^bb0(%a : i32, %b : i32):
    nt.yield %a : i32
  } : !nt.tensor<[64] x i32> -> i32
  nt.return
}

// A scan gives valid lanes where its operand has them; what no iteration changes, a loop need not carry.
// CHECK-LABEL: nt.kernel @in_a_loop
// CHECK: [[g:%.*]] = nt.guard %xs[]
// CHECK: %w = scf.for {{.*}} iter_args(%c = %v)
// CHECK-NEXT: %s, {{%.*}} = nt.scan_by %c valid [[g]] : !nt.tensor<[64] x i1> axis 0 reverse false {
// CHECK: scf.yield %s :
// CHECK: {{%.*}} = nt.elementwise "where"([[g]], %w, {{%.*}})
nt.kernel @in_a_loop symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x0 = nt.access %x <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %x0
      : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[64] x f32>):
  %v = nt.load %xs[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %ten = arith.constant 10 : i32
  %w = scf.for %i = %zero to %ten step %one iter_args(%c = %v) -> (!nt.tensor<[64] x f32>) : i32 {
    %s = nt.scan_by %c axis 0 reverse false {
    ^bb0(%a : f32, %b : f32):
      %d = nt.elementwise "mul"(%a, %b) : (f32, f32) -> f32
      nt.yield %d : f32
    } : !nt.tensor<[64] x f32> -> !nt.tensor<[64] x f32>
    scf.yield %s : !nt.tensor<[64] x f32>
  }
  %t = nt.reduce "sum" %w axis 0 : !nt.tensor<[64] x f32> -> f32
  nt.return
}

// A histogram counts lanes that are valid, and where its mask is set.
// CHECK-LABEL: nt.kernel @counted
// CHECK: [[g:%.*]] = nt.guard %xs[]
// CHECK: [[a:%.*]] = nt.elementwise "and"(%m, [[g]])
// CHECK-NEXT: [[b:%.*]] = nt.elementwise "and"([[a]], [[g]])
// CHECK-NEXT: %h = nt.histogram %i mask [[b]]
nt.kernel @counted symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x0 = nt.access %x <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %x0
      : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[64] x f32>):
  %v = nt.load %xs[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  %i = nt.cast %v : !nt.tensor<[64] x f32> -> !nt.tensor<[64] x i32>
  %z = arith.constant 0.0 : f32
  %zs = nt.full %z : f32 -> !nt.tensor<[64] x f32>
  %m = nt.elementwise "gt"(%v, %zs) : (!nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>) -> !nt.tensor<[64] x i1>
  %h = nt.histogram %i mask %m : !nt.tensor<[64] x i1> : !nt.tensor<[64] x i32> -> !nt.tensor<[10] x i32>
  nt.return
}

// Rows without a valid lane are in no further reduction. What is broadcast back to the lanes that it
// was reduced from is valid where they are.
// CHECK-LABEL: nt.kernel @rows
// CHECK: [[g:%.*]] = nt.guard %xs[]
// CHECK: %s = nt.reduce "sum"
// CHECK-NEXT: [[c:%.*]] = nt.cast [[g]]
// CHECK-NEXT: [[o:%.*]] = nt.reduce "reduce_or" [[c]] axis 1
// CHECK-NEXT: [[r:%.*]] = nt.cast [[o]]
// CHECK: {{%.*}} = nt.elementwise "where"([[r]], %s, {{%.*}})
// CHECK-NEXT: %m = nt.reduce "max"
// CHECK: %d = nt.elementwise "sub"
// CHECK-NOT: nt.elementwise "and"
// CHECK: {{%.*}} = nt.elementwise "where"([[g]], %d, {{%.*}})
// CHECK-NEXT: %t = nt.reduce "max"
nt.kernel @rows symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [n, 1] aligned false : !nt.tensor<[m, n] x f32>
  %x0 = nt.access %x <[[m ceildiv 4, n ceildiv 8], [4, 8]] -> [g0 * 4 + b0, g1 * 8 + b1]
      if [[g0 * 4 + b0, m], [g1 * 8 + b1, n]]>
      : !nt.tensor<[m, n] x f32> -> !nt.tensor<[m ceildiv 4, n ceildiv 8] x !nt.tensor<[4, 8] x f32>>
  nt.arranged %x0 : !nt.tensor<[m ceildiv 4, n ceildiv 8] x !nt.tensor<[4, 8] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[4, 8] x f32>):
  %v = nt.load %xs[] : !nt.tensor<[4, 8] x f32>[] -> !nt.tensor<[4, 8] x f32>
  %s = nt.reduce "sum" %v axis 1 : !nt.tensor<[4, 8] x f32> -> !nt.tensor<[4] x f32>
  %m = nt.reduce "max" %s axis 0 : !nt.tensor<[4] x f32> -> f32
  %e = nt.expand_dims %s axis 1 : !nt.tensor<[4] x f32> -> !nt.tensor<[4, 1] x f32>
  %b = nt.broadcast %e : !nt.tensor<[4, 1] x f32> -> !nt.tensor<[4, 8] x f32>
  %d = nt.elementwise "sub"(%v, %b) : (!nt.tensor<[4, 8] x f32>, !nt.tensor<[4, 8] x f32>) -> !nt.tensor<[4, 8] x f32>
  %t = nt.reduce "max" %d axis 1 : !nt.tensor<[4, 8] x f32> -> !nt.tensor<[4] x f32>
  nt.return
}
