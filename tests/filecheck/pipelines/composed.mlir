// RUN: nt-opt %s --print-local-scope -p nt-check-arrangement,nt-number-programs,nt-compose-arrangement,nt-mask-reductions | filecheck %s

// The symbolic stages of one signature serve every configuration. The maximum is taken over valid
// lanes only: the load reads its identity.
// CHECK-LABEL: nt.kernel @top symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>, #nt.symbol<B meta 32 to 1024>]
// CHECK-SAME: checks [#nt.check<agreement [n ceildiv B] = [m], "the outermost shapes of x and y must be equal, one program an element: they are {left} and {right}">]
// CHECK: nt.access %x <{{\[\[}}n ceildiv B], [B]] -> [B * g0 + b0] if {{\[\[}}B * g0 + b0, n]]>
// CHECK-NEXT: nt.access %y <{{\[\[}}m]] -> [g0]>
// CHECK: %v = nt.load %a[] other 0xff800000 : f32
// CHECK-NEXT: %t = nt.reduce "max" %v axis 0
// CHECK-NEXT: nt.store %t, %b[]
nt.kernel @top symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>, #nt.symbol<B meta 32 to 1024>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %0 = nt.tile %x [B] strides [B] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv B] x !nt.tensor<[B] x f32>>
  %y = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[m] x f32>
  nt.arranged %0, %y : !nt.tensor<[n ceildiv B] x !nt.tensor<[B] x f32>>, !nt.tensor<[m] x f32>
} apply {
^bb0(%a : !nt.tensor<[B] x f32>, %b : !nt.tensor<[] x f32>):
  %v = nt.load %a[] : !nt.tensor<[B] x f32>[] -> !nt.tensor<[B] x f32>
  %t = nt.reduce "max" %v axis 0 : !nt.tensor<[B] x f32> -> f32
  nt.store %t, %b[] : f32, !nt.tensor<[] x f32>[]
  nt.return
}
