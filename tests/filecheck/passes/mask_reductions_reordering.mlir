// RUN: nt-opt %s -p nt-mask-reductions | filecheck %s

// Guards go where the lanes go.
// CHECK-LABEL: nt.kernel @moved
// CHECK: [[g:%.*]] = nt.guard %xs[]
// CHECK: [[r:%.*]] = nt.reshape [[g]] : !nt.tensor<[64] x i1> -> !nt.tensor<[32, 2] x i1>
// CHECK: [[a:%.*]], [[b:%.*]] = nt.split [[r]] : !nt.tensor<[32, 2] x i1> -> !nt.tensor<[32] x i1>
// CHECK: [[j:%.*]] = nt.join [[b]], [[a]] : !nt.tensor<[32] x i1> -> !nt.tensor<[32, 2] x i1>
// CHECK: [[w:%.*]] = nt.elementwise "where"([[j]], %j, {{.*}})
// CHECK-NEXT: %s = nt.reduce "sum" [[w]] axis 0
nt.kernel @moved symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x0 = nt.access %x <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %x0 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[64] x f32>):
  %v = nt.load %xs[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  %r = nt.reshape %v : !nt.tensor<[64] x f32> -> !nt.tensor<[32, 2] x f32>
  %a, %b = nt.split %r : !nt.tensor<[32, 2] x f32> -> !nt.tensor<[32] x f32>
  %j = nt.join %b, %a : !nt.tensor<[32] x f32> -> !nt.tensor<[32, 2] x f32>
  %s = nt.reduce "sum" %j axis 0 : !nt.tensor<[32, 2] x f32> -> !nt.tensor<[2] x f32>
  nt.return
}

// A gathered lane is valid where it is in the operand, and where its index is.
// CHECK-LABEL: nt.kernel @picked
// CHECK: [[g:%.*]] = nt.guard %xs[]
// CHECK: [[p:%.*]] = nt.gather [[g]][%v] axis 0
// CHECK-NEXT: [[b:%.*]] = nt.elementwise "and"([[p]], [[g]])
// CHECK: [[w:%.*]] = nt.elementwise "where"([[b]], %g, {{.*}})
nt.kernel @picked symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x i32>
  %x0 = nt.access %x <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x i32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x i32>>
  nt.arranged %x0 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x i32>>
} apply {
^bb0(%xs : !nt.tensor<[64] x i32>):
  %v = nt.load %xs[] : !nt.tensor<[64] x i32>[] -> !nt.tensor<[64] x i32>
  %g = nt.gather %v[%v] axis 0
      : !nt.tensor<[64] x i32>[!nt.tensor<[64] x i32>] -> !nt.tensor<[64] x i32>
  %s = nt.reduce "sum" %g axis 0 : !nt.tensor<[64] x i32> -> i32
  nt.return
}

// An element at a coordinate that is not valid is not read.
// CHECK-LABEL: nt.kernel @elements
// CHECK: [[g:%.*]] = nt.guard %xs[]
// CHECK: %p, %m = nt.address %xs[] [%v]
// CHECK-NEXT: [[b:%.*]] = nt.elementwise "and"(%m, [[g]])
// CHECK-NEXT: %e = nt.pointer_load %p mask [[b]]
// CHECK: [[w:%.*]] = nt.elementwise "where"([[b]], %e, {{.*}})
nt.kernel @elements symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x i32>
  %x0 = nt.access %x <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x i32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x i32>>
  nt.arranged %x0 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x i32>>
} apply {
^bb0(%xs : !nt.tensor<[64] x i32>):
  %v = nt.load %xs[] : !nt.tensor<[64] x i32>[] -> !nt.tensor<[64] x i32>
  %p, %m = nt.address %xs[] [%v] : !nt.tensor<[64] x i32>[] [!nt.tensor<[64] x i32>]
      -> !nt.tensor<[64] x !tt.ptr<i32>>, !nt.tensor<[64] x i1>
  %e = nt.pointer_load %p mask %m : !nt.tensor<[64] x i1>
      : !nt.tensor<[64] x !tt.ptr<i32>> -> !nt.tensor<[64] x i32>
  %s = nt.reduce "sum" %e axis 0 : !nt.tensor<[64] x i32> -> i32
  nt.return
}

// A cast between sizes that a check holds equal moves no lane.
// CHECK-LABEL: nt.kernel @equal
// CHECK: [[g:%.*]] = nt.guard %xs[]
// CHECK: [[c:%.*]] = builtin.unrealized_conversion_cast [[g]] : !nt.tensor<[m] x i1> to !nt.tensor<[k] x i1>
// CHECK: nt.elementwise "where"([[c]], %e, {{.*}})
nt.kernel @equal symbols [#nt.symbol<n size 0 to ?>, #nt.symbol<m size 0 to ?>, #nt.symbol<k size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x0 = nt.access %x <[[n ceildiv m], [m]] -> [g0 * m + b0] if [[g0 * m + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv m] x !nt.tensor<[m] x f32>>
  nt.arranged %x0 : !nt.tensor<[n ceildiv m] x !nt.tensor<[m] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[m] x f32>):
  %v = nt.load %xs[] : !nt.tensor<[m] x f32>[] -> !nt.tensor<[m] x f32>
  %e = builtin.unrealized_conversion_cast %v : !nt.tensor<[m] x f32> to !nt.tensor<[k] x f32>
  %s = nt.reduce "max" %e axis 0 : !nt.tensor<[k] x f32> -> f32
  nt.return
}
