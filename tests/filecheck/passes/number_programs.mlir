// RUN: nt-opt %s -p 'nt-number-programs{agreement=any}' | filecheck %s

// Equal shapes stay as they are.
// CHECK-LABEL: nt.kernel @same
// CHECK-NOT: nt.renumber
nt.kernel @same symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %y = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  nt.arranged %x, %y : !nt.tensor<[n] x f32>, !nt.tensor<[n] x f32>
} apply {
^bb0(%a0 : !nt.tensor<[] x f32>, %a1 : !nt.tensor<[] x f32>):
  %0 = nt.load %a1[] : !nt.tensor<[] x f32>[] -> f32
  nt.return
}

// Equal numbers of elements: every program has one.
// CHECK-LABEL: nt.kernel @counts
// CHECK: [[y:%.*]] = nt.source "y"
// CHECK-NEXT: [[new:%.*]] = nt.renumber [[y]] [m * n] count "equal" level 0
// CHECK-NEXT: nt.arranged %x, [[new]]
// CHECK: nt.load
// CHECK-NEXT: nt.return
nt.kernel @counts symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[m * n] x f32>
  %y = nt.source "y" "tensor" strides [n, 1] aligned false : !nt.tensor<[m, n] x f32>
  nt.arranged %x, %y : !nt.tensor<[m * n] x f32>, !nt.tensor<[m, n] x f32>
} apply {
^bb0(%a0 : !nt.tensor<[] x f32>, %a1 : !nt.tensor<[] x f32>):
  %0 = nt.load %a1[] : !nt.tensor<[] x f32>[] -> f32
  nt.return
}

// A program without an element reads 0, a value.
// CHECK-LABEL: nt.kernel @reads
// CHECK: nt.renumber %y [n] count "any" level 0
// CHECK: [[number:%.*]] = nt.program_number : i32
// CHECK-NEXT: [[wide:%.*]] = nt.cast [[number]] : i32 -> i64
// CHECK-NEXT: [[size:%.*]] = nt.size <m> : i64
// CHECK-NEXT: [[exists:%.*]] = nt.elementwise "lt"([[wide]], [[size]]) : (i64, i64) -> i1
// CHECK: [[value:%.*]] = nt.load
// CHECK-NEXT: [[zero:%.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: [[chosen:%.*]] = nt.elementwise "where"([[exists]], [[value]], [[zero]]) : (i1, f32, f32) -> f32
// CHECK-NEXT: nt.store [[chosen]]
nt.kernel @reads symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %y = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[m] x f32>
  nt.arranged %x, %y : !nt.tensor<[n] x f32>, !nt.tensor<[m] x f32>
} apply {
^bb0(%a0 : !nt.tensor<[] x f32>, %a1 : !nt.tensor<[] x f32>):
  %0 = nt.load %a1[] : !nt.tensor<[] x f32>[] -> f32
  nt.store %0, %a0[] : f32, !nt.tensor<[] x f32>[]
  nt.return
}

// With other, the load reads it by itself. A block is selected lane by lane.
// CHECK-LABEL: nt.kernel @blocks
// CHECK: nt.load %a1[] other
// CHECK-NEXT: [[value:%.*]] = nt.load %a2[]
// CHECK-NEXT: [[zero:%.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: [[lanes:%.*]] = nt.full %exists : i1 -> !nt.tensor<[64] x i1>
// CHECK-NEXT: [[zeros:%.*]] = nt.full [[zero]]
// CHECK-NEXT: nt.elementwise "where"([[lanes]], [[value]], [[zeros]])
nt.kernel @blocks symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %y = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[m] x f32>
  %y0 = nt.tile %y [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[m] x f32> -> !nt.tensor<[m ceildiv 64] x !nt.tensor<[64] x f32>>
  %z = nt.source "z" "tensor" strides [1] aligned false : !nt.tensor<[m] x f32>
  %z0 = nt.tile %z [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[m] x f32> -> !nt.tensor<[m ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %x, %y0, %z0 : !nt.tensor<[n] x f32>, !nt.tensor<[m ceildiv 64] x !nt.tensor<[64] x f32>>, !nt.tensor<[m ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%a0 : !nt.tensor<[] x f32>, %a1 : !nt.tensor<[64] x f32>, %a2 : !nt.tensor<[64] x f32>):
  %0 = nt.load %a1[] other 5.0 : f32 : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  %1 = nt.load %a2[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  nt.return
}

// What is written has no more elements than there are programs. A level of no dims has one.
// CHECK-LABEL: nt.kernel @writes
// CHECK: [[one:%.*]] = nt.unsqueeze %y0 dim 0 level 0
// CHECK-NEXT: nt.renumber [[one]] [n] count "fewer" level 0
nt.kernel @writes symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %y = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[1] x f32>
  %y0 = nt.squeeze %y [0] level 0 : !nt.tensor<[1] x f32> -> !nt.tensor<[] x f32>
  nt.arranged %x, %y0 : !nt.tensor<[n] x f32>, !nt.tensor<[] x f32>
} apply {
^bb0(%a0 : !nt.tensor<[] x f32>, %a1 : !nt.tensor<[] x f32>):
  %0 = nt.load %a0[] : !nt.tensor<[] x f32>[] -> f32
  nt.store %0, %a1[] : f32, !nt.tensor<[] x f32>[]
  nt.return
}

// What is not accessed is left as it is.
// CHECK-LABEL: nt.kernel @unused
// CHECK-NOT: nt.renumber
nt.kernel @unused symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %y = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[m] x f32>
  nt.arranged %x, %y : !nt.tensor<[n] x f32>, !nt.tensor<[m] x f32>
} apply {
^bb0(%a0 : !nt.tensor<[] x f32>, %a1 : !nt.tensor<[] x f32>):
  nt.return
}
