// RUN: nt-opt %s -p nt-mask-reductions | filecheck %s

// A forwarded value has the guard of its access: the other lanes are free, like a load's.
// CHECK-LABEL: nt.kernel @fills
// CHECK: %w = nt.stored %v at %ys[] other 0xff800000 : f32 : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
// CHECK-NEXT: %m = nt.reduce "max" %w axis 0
// CHECK-NOT: nt.guard
nt.kernel @fills symbols [#nt.symbol<n size 0 to ?>, #nt.symbol<m size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x0 = nt.access %x <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  %y = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[m] x f32>
  %y0 = nt.access %y <[[m ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, m]]>
      : !nt.tensor<[m] x f32> -> !nt.tensor<[m ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %x0, %y0 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>,
      !nt.tensor<[m ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[64] x f32>, %ys : !nt.tensor<[64] x f32>):
  %v = nt.load %xs[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  nt.store %v, %ys[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  %w = nt.stored %v at %ys[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  %m = nt.reduce "max" %w axis 0 : !nt.tensor<[64] x f32> -> f32
  nt.return
}

// The guard is not that of the value: of %v it would be the one of %xs.
// CHECK-LABEL: nt.kernel @selects
// CHECK: %w = nt.stored %v at %ys[]
// CHECK-NEXT: [[g:%.*]] = nt.guard %ys[]
// CHECK-NEXT: %e = nt.elementwise "neg"(%w)
// CHECK: nt.elementwise "where"([[g]], %e, {{%.*}})
nt.kernel @selects symbols [#nt.symbol<n size 0 to ?>, #nt.symbol<m size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x0 = nt.access %x <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  %y = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[m] x f32>
  %y0 = nt.access %y <[[m ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, m]]>
      : !nt.tensor<[m] x f32> -> !nt.tensor<[m ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %x0, %y0 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>,
      !nt.tensor<[m ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[64] x f32>, %ys : !nt.tensor<[64] x f32>):
  %v = nt.load %xs[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  %w = nt.stored %v at %ys[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  %e = nt.elementwise "neg"(%w) : (!nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
  %m = nt.reduce "sum" %e axis 0 : !nt.tensor<[64] x f32> -> f32
  nt.return
}
