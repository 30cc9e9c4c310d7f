// RUN: nt-opt %s --print-local-scope -p nt-mask-reductions | filecheck %s

// A loop with a condition carries the guard of what it carries through both of its regions. The
// condition combines lanes, too.
// CHECK-LABEL: nt.kernel @carried
// CHECK: [[all:%.*]] = nt.full {{%.*}} : i1 -> !nt.tensor<[64] x i1>
// CHECK: %r, [[result:%.*]] = scf.while (%a = %init, [[before:%.*]] = [[all]]) : (!nt.tensor<[64] x f32>, !nt.tensor<[64] x i1>) -> (!nt.tensor<[64] x f32>, !nt.tensor<[64] x i1>) {
// CHECK: [[chosen:%.*]] = nt.elementwise "where"([[before]], %a, {{%.*}})
// CHECK-NEXT: %m = nt.reduce "max" [[chosen]] axis 0
// CHECK: scf.condition(%go) %a, [[before]] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x i1>
// CHECK-NEXT: } do {
// CHECK-NEXT: (%b: !nt.tensor<[64] x f32>, [[after:%.*]]: !nt.tensor<[64] x i1>):
// CHECK: [[guard:%.*]] = nt.guard %xs[]
// CHECK-NEXT: %next = nt.elementwise "add"(%b, %v)
// CHECK-NEXT: [[both:%.*]] = nt.elementwise "and"([[after]], [[guard]])
// CHECK-NEXT: scf.yield %next, [[both]]
// CHECK: [[selected:%.*]] = nt.elementwise "where"([[result]], %r, {{%.*}})
// CHECK-NEXT: %s = nt.reduce "sum" [[selected]] axis 0
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
  %r = scf.while (%a = %init) : (!nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32> {
    %m = nt.reduce "max" %a axis 0 : !nt.tensor<[64] x f32> -> f32
    %go = nt.elementwise "lt"(%m, %zero) : (f32, f32) -> i1
    scf.condition(%go) %a : !nt.tensor<[64] x f32>
  } do {
  ^bb1(%b : !nt.tensor<[64] x f32>):
    %v = nt.load %xs[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
    %next = nt.elementwise "add"(%b, %v) : (!nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
    scf.yield %next : !nt.tensor<[64] x f32>
  }
  %s = nt.reduce "sum" %r axis 0 : !nt.tensor<[64] x f32> -> f32
  nt.return
}

// Blocks of which all lanes are valid need no guard, whatever carries them.
// CHECK-LABEL: nt.kernel @valid
// CHECK: %r = scf.while (%a = %init)
// CHECK-NOT: where
nt.kernel @valid symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x0 = nt.access %x <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %x0
      : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[64] x f32>):
  %zero = arith.constant 0.0 : f32
  %init = nt.full %zero : f32 -> !nt.tensor<[64] x f32>
  %r = scf.while (%a = %init) : (!nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32> {
    %m = nt.reduce "max" %a axis 0 : !nt.tensor<[64] x f32> -> f32
    %go = nt.elementwise "lt"(%m, %zero) : (f32, f32) -> i1
    scf.condition(%go) %a : !nt.tensor<[64] x f32>
  } do {
  ^bb1(%b : !nt.tensor<[64] x f32>):
    %next = nt.elementwise "add"(%b, %b) : (!nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
    scf.yield %next : !nt.tensor<[64] x f32>
  }
  %s = nt.reduce "sum" %r axis 0 : !nt.tensor<[64] x f32> -> f32
  nt.return
}
