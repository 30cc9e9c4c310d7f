// RUN: nt-opt %s --print-local-scope -p nt-pad-blocks | filecheck %s

// Up to a lane no lane was added: a scan needs nothing.
// CHECK-LABEL: nt.kernel @forward
// CHECK: %v = nt.load %xs[] : !nt.tensor<[64] x f32>[]
// CHECK-NEXT: %s = nt.scan "cumsum" %v axis 0 reverse false : !nt.tensor<[64] x f32>
// CHECK-NEXT: %t = nt.scan_by %v axis 0 reverse false {
nt.kernel @forward symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x0 = nt.access %x <[[n ceildiv 48], [48]] -> [g0 * 48 + b0] if [[g0 * 48 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 48] x !nt.tensor<[48] x f32>>
  nt.arranged %x0
      : !nt.tensor<[n ceildiv 48] x !nt.tensor<[48] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[48] x f32>):
  %v = nt.load %xs[] : !nt.tensor<[48] x f32>[] -> !nt.tensor<[48] x f32>
  %s = nt.scan "cumsum" %v axis 0 reverse false : !nt.tensor<[48] x f32>
  %t = nt.scan_by %v axis 0 reverse false {
  ^bb0(%a : f32, %b : f32):
    nt.yield %b : f32
  } : !nt.tensor<[48] x f32> -> !nt.tensor<[48] x f32>
  nt.return
}

// From the end on, those behind the true size come first.
// CHECK-LABEL: nt.kernel @backward
// CHECK: %v = nt.load %xs[] other 0.000000e+00 : f32 : !nt.tensor<[64] x f32>[]
// CHECK-NEXT: %s = nt.scan "cumsum" %v axis 0 reverse true : !nt.tensor<[64] x f32>
// CHECK-NEXT: [[i:%.*]] = nt.arange <0> : !nt.tensor<[64] x i32>
// CHECK-NEXT: [[n:%.*]] = nt.size <48> : i32
// CHECK-NEXT: [[f:%.*]] = nt.full [[n]]
// CHECK-NEXT: [[b:%.*]] = nt.elementwise "lt"([[i]], [[f]])
// CHECK-NEXT: %t, {{%.*}} = nt.scan_by %v valid [[b]] : !nt.tensor<[64] x i1> axis 0 reverse true {
nt.kernel @backward symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x0 = nt.access %x <[[n ceildiv 48], [48]] -> [g0 * 48 + b0] if [[g0 * 48 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 48] x !nt.tensor<[48] x f32>>
  nt.arranged %x0
      : !nt.tensor<[n ceildiv 48] x !nt.tensor<[48] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[48] x f32>):
  %v = nt.load %xs[] : !nt.tensor<[48] x f32>[] -> !nt.tensor<[48] x f32>
  %s = nt.scan "cumsum" %v axis 0 reverse true : !nt.tensor<[48] x f32>
  %t = nt.scan_by %v axis 0 reverse true {
  ^bb0(%a : f32, %b : f32):
    nt.yield %b : f32
  } : !nt.tensor<[48] x f32> -> !nt.tensor<[48] x f32>
  nt.return
}

// Lanes that take part already are fewer.
// CHECK-LABEL: nt.kernel @fewer
// CHECK: %g = nt.guard %xs[]
// CHECK: [[b:%.*]] = nt.elementwise "lt"
// CHECK-NEXT: [[a:%.*]] = nt.elementwise "and"(%g, [[b]])
// CHECK-NEXT: %m, %some = nt.reduce_by %v valid [[a]] : !nt.tensor<[64] x i1> axis 0 {
// CHECK: } : !nt.tensor<[64] x f32> -> f32, i1
nt.kernel @fewer symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x0 = nt.access %x <[[n ceildiv 48], [48]] -> [g0 * 48 + b0] if [[g0 * 48 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 48] x !nt.tensor<[48] x f32>>
  nt.arranged %x0
      : !nt.tensor<[n ceildiv 48] x !nt.tensor<[48] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[48] x f32>):
  %v = nt.load %xs[] : !nt.tensor<[48] x f32>[] -> !nt.tensor<[48] x f32>
  %g = nt.guard %xs[] : !nt.tensor<[48] x f32>[] -> !nt.tensor<[48] x i1>
  %m, %some = nt.reduce_by %v valid %g : !nt.tensor<[48] x i1> axis 0 {
  ^bb0(%a : f32, %b : f32):
    %c = nt.elementwise "mul"(%a, %b) : (f32, f32) -> f32
    nt.yield %c : f32
  } : !nt.tensor<[48] x f32> -> f32, i1
  nt.return
}

// A dim that is not combined may be padded.
// CHECK-LABEL: nt.kernel @across
// CHECK: %m = nt.reduce_by %e axis 0 {
nt.kernel @across symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x0 = nt.access %x <[[n ceildiv 48], [48]] -> [g0 * 48 + b0] if [[g0 * 48 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 48] x !nt.tensor<[48] x f32>>
  nt.arranged %x0
      : !nt.tensor<[n ceildiv 48] x !nt.tensor<[48] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[48] x f32>):
  %v = nt.load %xs[] : !nt.tensor<[48] x f32>[] -> !nt.tensor<[48] x f32>
  %e = nt.expand_dims %v axis 0 : !nt.tensor<[48] x f32> -> !nt.tensor<[1, 48] x f32>
  %m = nt.reduce_by %e axis 0 {
  ^bb0(%a : f32, %b : f32):
    nt.yield %a : f32
  } : !nt.tensor<[1, 48] x f32> -> !nt.tensor<[48] x f32>
  nt.return
}

// Added lanes are sorted behind all others, and not counted.
// CHECK-LABEL: nt.kernel @sorts
// CHECK: [[most:%.*]] = arith.constant 2147483647 : i32
// CHECK-NEXT: [[last:%.*]] = nt.full [[most]]
// CHECK-NEXT: [[e:%.*]] = nt.elementwise "where"({{%.*}}, %d, [[last]])
// CHECK-NEXT: %s = nt.sort [[e]] axis 0 descending false : !nt.tensor<[64] x i32> -> !nt.tensor<[64] x i32>
// CHECK: [[b:%.*]] = nt.elementwise "lt"
// CHECK-NEXT: %h = nt.histogram %s mask [[b]] : !nt.tensor<[64] x i1> : !nt.tensor<[64] x i32> -> !nt.tensor<[16] x i32>
nt.kernel @sorts symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x0 = nt.access %x <[[n ceildiv 48], [48]] -> [g0 * 48 + b0] if [[g0 * 48 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 48] x !nt.tensor<[48] x f32>>
  nt.arranged %x0
      : !nt.tensor<[n ceildiv 48] x !nt.tensor<[48] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[48] x f32>):
  %v = nt.load %xs[] : !nt.tensor<[48] x f32>[] -> !nt.tensor<[48] x f32>
  %d = nt.cast %v : !nt.tensor<[48] x f32> -> !nt.tensor<[48] x i32>
  %s = nt.sort %d axis 0 descending false : !nt.tensor<[48] x i32> -> !nt.tensor<[48] x i32>
  %h = nt.histogram %s : !nt.tensor<[48] x i32> -> !nt.tensor<[10] x i32>
  nt.return
}
