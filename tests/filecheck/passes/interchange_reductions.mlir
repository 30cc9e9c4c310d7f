// RUN: nt-opt %s --print-local-scope -p 'nt-interchange-reductions{interchanged=1}' | filecheck %s
// RUN: nt-opt %s --print-local-scope -p 'nt-interchange-reductions{interchanged=1}' | nt-opt --print-local-scope | filecheck %s
// RUN: nt-opt %s --print-local-scope -p nt-interchange-reductions | filecheck %s --check-prefix=OFF
// RUN: nt-opt %s --remarks -p 'nt-interchange-reductions{interchanged=1}' 2>&1 | filecheck %s --check-prefix=REMARK
// RUN: nt-opt %s --remarks -p nt-interchange-reductions 2>&1 | filecheck %s --check-prefix=POSSIBLE

// REMARK: remark: reduction interchanged: a block is of one of 3 [nt-interchange-reductions, passed]
// REMARK-NEXT: remark: reduction kept: its lanes outside are not 0 [nt-interchange-reductions, missed]
// REMARK-NEXT: remark: reduction kept: sums of fp16 would be rounded otherwise [nt-interchange-reductions, missed]
// REMARK-NEXT: remark: reduction kept: the loop does more than add up products [nt-interchange-reductions, missed]
// REMARK-NEXT: remark: reduction kept: the loop does more than add up products [nt-interchange-reductions, missed]
// REMARK-NEXT: remark: reduction kept: its tiles leave out what does not fill one [nt-interchange-reductions, missed]
// REMARK-NEXT: remark: reduction kept: the loop does not go through all tiles [nt-interchange-reductions, missed]
// REMARK-NEXT: remark: reduction kept: its tiles are not those of the iterations alone [nt-interchange-reductions, missed]
// REMARK-NOT: remark:

// POSSIBLE: remark: blocks are of all of 3: interchanged_reductions is 0, and may be 1 [nt-interchange-reductions, analysis]

// A block has channels of one tap, which the iteration tells.
// CHECK-LABEL: nt.kernel @taps
// CHECK: nt.access %x <{{.*}}[c ceildiv 16 * 3], [16, 16]] -> [b1 + k1_0 floordiv 3 * 16, b0 + g0 * 16 + k1_0 mod 3]
// CHECK-SAME: if {{\[\[}}b0 + g0 * 16 + k1_0 mod 3, w], [b1 + k1_0 floordiv 3 * 16, c]]
// CHECK: nt.access %f <{{.*}} -> [b1 + g1 * 16, b0 + k1_0 floordiv 3 * 16, k1_0 mod 3]
// CHECK: %[[COUNT:.*]] = nt.size <c ceildiv 16 * 3> : i32
// CHECK-NEXT: %sum = scf.for %i = %c0 to %[[COUNT]] step %c1
// OFF-LABEL: nt.kernel @taps
// OFF: nt.size <c * 3 ceildiv 16> : i32
!rows = !nt.tensor<[c, w] x f16>
!filters = !nt.tensor<[n, c, 3] x f16>
!tiles = !nt.tensor<[c * 3 ceildiv 16] x !nt.tensor<[16, 16] x f16>>
!fewer = !nt.tensor<[c * 3 floordiv 16] x !nt.tensor<[16, 16] x f16>>
nt.kernel @taps symbols [#nt.symbol<c size 0 to ?>, #nt.symbol<w size 0 to ?>, #nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [w, 1] aligned true : !rows
  %f = nt.source "f" "tensor" strides [c * 3, 3, 1] aligned true : !filters
  %0 = nt.access %x <[[w ceildiv 16, n ceildiv 16], [c * 3 ceildiv 16], [16, 16]]
      -> [(b1 + k1_0 * 16) floordiv 3, b0 + g0 * 16 + (b1 + k1_0) mod 3]
      if [[b1 + k1_0 * 16, c * 3], [b0 + g0 * 16 + (b1 + k1_0) mod 3, w]]>
      : !rows -> !nt.tensor<[w ceildiv 16, n ceildiv 16] x !tiles>
  %1 = nt.access %f <[[w ceildiv 16, n ceildiv 16], [c * 3 ceildiv 16], [16, 16]]
      -> [b1 + g1 * 16, (b0 + k1_0 * 16) floordiv 3, (b0 + k1_0) mod 3]
      if [[b0 + k1_0 * 16, c * 3], [b1 + g1 * 16, n]]>
      : !filters -> !nt.tensor<[w ceildiv 16, n ceildiv 16] x !tiles>
  nt.arranged %0, %1 : !nt.tensor<[w ceildiv 16, n ceildiv 16] x !tiles>, !nt.tensor<[w ceildiv 16, n ceildiv 16] x !tiles>
} apply {
^bb0(%a : !tiles, %b : !tiles):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %count = nt.size <c * 3 ceildiv 16> : i32
  %0 = arith.constant 0.0 : f32
  %zero = nt.full %0 : f32 -> !nt.tensor<[16, 16] x f32>
  %sum = scf.for %i = %c0 to %count step %c1 iter_args(%acc = %zero) -> (!nt.tensor<[16, 16] x f32>) : i32 {
    %1 = nt.load %a[%i] other 0.0 : f16 : !tiles[i32] -> !nt.tensor<[16, 16] x f16>
    %2 = nt.load %b[%i] other 0.0 : f16 : !tiles[i32] -> !nt.tensor<[16, 16] x f16>
    %3 = nt.dot %1, %2, %acc : !nt.tensor<[16, 16] x f16>, !nt.tensor<[16, 16] x f16> -> !nt.tensor<[16, 16] x f32>
    scf.yield %3 : !nt.tensor<[16, 16] x f32>
  }
  nt.return
}

nt.kernel @other symbols [#nt.symbol<c size 0 to ?>, #nt.symbol<w size 0 to ?>, #nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [w, 1] aligned true : !rows
  %f = nt.source "f" "tensor" strides [c * 3, 3, 1] aligned true : !filters
  %0 = nt.access %x <[[w ceildiv 16, n ceildiv 16], [c * 3 ceildiv 16], [16, 16]]
      -> [(b1 + k1_0 * 16) floordiv 3, b0 + g0 * 16 + (b1 + k1_0) mod 3]
      if [[b1 + k1_0 * 16, c * 3], [b0 + g0 * 16 + (b1 + k1_0) mod 3, w]]>
      : !rows -> !nt.tensor<[w ceildiv 16, n ceildiv 16] x !tiles>
  %1 = nt.access %f <[[w ceildiv 16, n ceildiv 16], [c * 3 ceildiv 16], [16, 16]]
      -> [b1 + g1 * 16, (b0 + k1_0 * 16) floordiv 3, (b0 + k1_0) mod 3]
      if [[b0 + k1_0 * 16, c * 3], [b1 + g1 * 16, n]]>
      : !filters -> !nt.tensor<[w ceildiv 16, n ceildiv 16] x !tiles>
  nt.arranged %0, %1 : !nt.tensor<[w ceildiv 16, n ceildiv 16] x !tiles>, !nt.tensor<[w ceildiv 16, n ceildiv 16] x !tiles>
} apply {
^bb0(%a : !tiles, %b : !tiles):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %count = nt.size <c * 3 ceildiv 16> : i32
  %0 = arith.constant 0.0 : f32
  %zero = nt.full %0 : f32 -> !nt.tensor<[16, 16] x f32>
  %sum = scf.for %i = %c0 to %count step %c1 iter_args(%acc = %zero) -> (!nt.tensor<[16, 16] x f32>) : i32 {
    %1 = nt.load %a[%i] other 0.0 : f16 : !tiles[i32] -> !nt.tensor<[16, 16] x f16>
    %2 = nt.load %b[%i] other 1.0 : f16 : !tiles[i32] -> !nt.tensor<[16, 16] x f16>
    %3 = nt.dot %1, %2, %acc : !nt.tensor<[16, 16] x f16>, !nt.tensor<[16, 16] x f16> -> !nt.tensor<[16, 16] x f32>
    scf.yield %3 : !nt.tensor<[16, 16] x f32>
  }
  nt.return
}

nt.kernel @halves symbols [#nt.symbol<c size 0 to ?>, #nt.symbol<w size 0 to ?>, #nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [w, 1] aligned true : !rows
  %f = nt.source "f" "tensor" strides [c * 3, 3, 1] aligned true : !filters
  %0 = nt.access %x <[[w ceildiv 16, n ceildiv 16], [c * 3 ceildiv 16], [16, 16]]
      -> [(b1 + k1_0 * 16) floordiv 3, b0 + g0 * 16 + (b1 + k1_0) mod 3]
      if [[b1 + k1_0 * 16, c * 3], [b0 + g0 * 16 + (b1 + k1_0) mod 3, w]]>
      : !rows -> !nt.tensor<[w ceildiv 16, n ceildiv 16] x !tiles>
  %1 = nt.access %f <[[w ceildiv 16, n ceildiv 16], [c * 3 ceildiv 16], [16, 16]]
      -> [b1 + g1 * 16, (b0 + k1_0 * 16) floordiv 3, (b0 + k1_0) mod 3]
      if [[b0 + k1_0 * 16, c * 3], [b1 + g1 * 16, n]]>
      : !filters -> !nt.tensor<[w ceildiv 16, n ceildiv 16] x !tiles>
  nt.arranged %0, %1 : !nt.tensor<[w ceildiv 16, n ceildiv 16] x !tiles>, !nt.tensor<[w ceildiv 16, n ceildiv 16] x !tiles>
} apply {
^bb0(%a : !tiles, %b : !tiles):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %count = nt.size <c * 3 ceildiv 16> : i32
  %0 = arith.constant 0.0 : f16
  %zero = nt.full %0 : f16 -> !nt.tensor<[16, 16] x f16>
  %sum = scf.for %i = %c0 to %count step %c1 iter_args(%acc = %zero) -> (!nt.tensor<[16, 16] x f16>) : i32 {
    %1 = nt.load %a[%i] other 0.0 : f16 : !tiles[i32] -> !nt.tensor<[16, 16] x f16>
    %2 = nt.load %b[%i] other 0.0 : f16 : !tiles[i32] -> !nt.tensor<[16, 16] x f16>
    %3 = nt.dot %1, %2, %acc : !nt.tensor<[16, 16] x f16>, !nt.tensor<[16, 16] x f16> -> !nt.tensor<[16, 16] x f16>
    scf.yield %3 : !nt.tensor<[16, 16] x f16>
  }
  nt.return
}

nt.kernel @scaled symbols [#nt.symbol<c size 0 to ?>, #nt.symbol<w size 0 to ?>, #nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [w, 1] aligned true : !rows
  %f = nt.source "f" "tensor" strides [c * 3, 3, 1] aligned true : !filters
  %0 = nt.access %x <[[w ceildiv 16, n ceildiv 16], [c * 3 ceildiv 16], [16, 16]]
      -> [(b1 + k1_0 * 16) floordiv 3, b0 + g0 * 16 + (b1 + k1_0) mod 3]
      if [[b1 + k1_0 * 16, c * 3], [b0 + g0 * 16 + (b1 + k1_0) mod 3, w]]>
      : !rows -> !nt.tensor<[w ceildiv 16, n ceildiv 16] x !tiles>
  %1 = nt.access %f <[[w ceildiv 16, n ceildiv 16], [c * 3 ceildiv 16], [16, 16]]
      -> [b1 + g1 * 16, (b0 + k1_0 * 16) floordiv 3, (b0 + k1_0) mod 3]
      if [[b0 + k1_0 * 16, c * 3], [b1 + g1 * 16, n]]>
      : !filters -> !nt.tensor<[w ceildiv 16, n ceildiv 16] x !tiles>
  nt.arranged %0, %1 : !nt.tensor<[w ceildiv 16, n ceildiv 16] x !tiles>, !nt.tensor<[w ceildiv 16, n ceildiv 16] x !tiles>
} apply {
^bb0(%a : !tiles, %b : !tiles):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %count = nt.size <c * 3 ceildiv 16> : i32
  %0 = arith.constant 0.0 : f32
  %zero = nt.full %0 : f32 -> !nt.tensor<[16, 16] x f32>
  %sum = scf.for %i = %c0 to %count step %c1 iter_args(%acc = %zero) -> (!nt.tensor<[16, 16] x f32>) : i32 {
    %1 = nt.load %a[%i] other 0.0 : f16 : !tiles[i32] -> !nt.tensor<[16, 16] x f16>
    %2 = nt.load %b[%i] other 0.0 : f16 : !tiles[i32] -> !nt.tensor<[16, 16] x f16>
    %3 = nt.dot %1, %2, %acc : !nt.tensor<[16, 16] x f16>, !nt.tensor<[16, 16] x f16> -> !nt.tensor<[16, 16] x f32>
    %4 = nt.elementwise "mul"(%3, %3) : (!nt.tensor<[16, 16] x f32>, !nt.tensor<[16, 16] x f32>) -> !nt.tensor<[16, 16] x f32>
    scf.yield %4 : !nt.tensor<[16, 16] x f32>
  }
  nt.return
}

nt.kernel @shifted symbols [#nt.symbol<c size 0 to ?>, #nt.symbol<w size 0 to ?>, #nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [w, 1] aligned true : !rows
  %f = nt.source "f" "tensor" strides [c * 3, 3, 1] aligned true : !filters
  %0 = nt.access %x <[[w ceildiv 16, n ceildiv 16], [c * 3 ceildiv 16], [16, 16]]
      -> [(b1 + k1_0 * 16) floordiv 3, b0 + g0 * 16 + (b1 + k1_0) mod 3]
      if [[b1 + k1_0 * 16, c * 3], [b0 + g0 * 16 + (b1 + k1_0) mod 3, w]]>
      : !rows -> !nt.tensor<[w ceildiv 16, n ceildiv 16] x !tiles>
  %1 = nt.access %f <[[w ceildiv 16, n ceildiv 16], [c * 3 ceildiv 16], [16, 16]]
      -> [b1 + g1 * 16, (b0 + k1_0 * 16) floordiv 3, (b0 + k1_0) mod 3]
      if [[b0 + k1_0 * 16, c * 3], [b1 + g1 * 16, n]]>
      : !filters -> !nt.tensor<[w ceildiv 16, n ceildiv 16] x !tiles>
  nt.arranged %0, %1 : !nt.tensor<[w ceildiv 16, n ceildiv 16] x !tiles>, !nt.tensor<[w ceildiv 16, n ceildiv 16] x !tiles>
} apply {
^bb0(%a : !tiles, %b : !tiles):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %count = nt.size <c * 3 ceildiv 16> : i32
  %0 = arith.constant 0.0 : f32
  %zero = nt.full %0 : f32 -> !nt.tensor<[16, 16] x f32>
  %sum = scf.for %i = %c0 to %count step %c1 iter_args(%acc = %zero) -> (!nt.tensor<[16, 16] x f32>) : i32 {
    %1 = nt.load %a[%i] other 0.0 : f16 : !tiles[i32] -> !nt.tensor<[16, 16] x f16>
    %2 = nt.load %b[%i] other 0.0 : f16 : !tiles[i32] -> !nt.tensor<[16, 16] x f16>
    %3 = nt.dot %1, %2, %zero : !nt.tensor<[16, 16] x f16>, !nt.tensor<[16, 16] x f16> -> !nt.tensor<[16, 16] x f32>
    %4 = nt.elementwise "add"(%3, %zero) : (!nt.tensor<[16, 16] x f32>, !nt.tensor<[16, 16] x f32>) -> !nt.tensor<[16, 16] x f32>
    %5 = nt.elementwise "add"(%acc, %4) : (!nt.tensor<[16, 16] x f32>, !nt.tensor<[16, 16] x f32>) -> !nt.tensor<[16, 16] x f32>
    scf.yield %5 : !nt.tensor<[16, 16] x f32>
  }
  nt.return
}

nt.kernel @floored symbols [#nt.symbol<c size 0 to ?>, #nt.symbol<w size 0 to ?>, #nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [w, 1] aligned true : !rows
  %f = nt.source "f" "tensor" strides [c * 3, 3, 1] aligned true : !filters
  %0 = nt.access %x <[[w ceildiv 16, n ceildiv 16], [c * 3 floordiv 16], [16, 16]]
      -> [(b1 + k1_0 * 16) floordiv 3, b0 + g0 * 16 + (b1 + k1_0) mod 3]
      if [[b1 + k1_0 * 16, c * 3], [b0 + g0 * 16 + (b1 + k1_0) mod 3, w]]>
      : !rows -> !nt.tensor<[w ceildiv 16, n ceildiv 16] x !fewer>
  %1 = nt.access %f <[[w ceildiv 16, n ceildiv 16], [c * 3 floordiv 16], [16, 16]]
      -> [b1 + g1 * 16, (b0 + k1_0 * 16) floordiv 3, (b0 + k1_0) mod 3]
      if [[b0 + k1_0 * 16, c * 3], [b1 + g1 * 16, n]]>
      : !filters -> !nt.tensor<[w ceildiv 16, n ceildiv 16] x !fewer>
  nt.arranged %0, %1 : !nt.tensor<[w ceildiv 16, n ceildiv 16] x !fewer>, !nt.tensor<[w ceildiv 16, n ceildiv 16] x !fewer>
} apply {
^bb0(%a : !fewer, %b : !fewer):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %count = nt.size <c * 3 floordiv 16> : i32
  %0 = arith.constant 0.0 : f32
  %zero = nt.full %0 : f32 -> !nt.tensor<[16, 16] x f32>
  %sum = scf.for %i = %c0 to %count step %c1 iter_args(%acc = %zero) -> (!nt.tensor<[16, 16] x f32>) : i32 {
    %1 = nt.load %a[%i] other 0.0 : f16 : !fewer[i32] -> !nt.tensor<[16, 16] x f16>
    %2 = nt.load %b[%i] other 0.0 : f16 : !fewer[i32] -> !nt.tensor<[16, 16] x f16>
    %3 = nt.dot %1, %2, %acc : !nt.tensor<[16, 16] x f16>, !nt.tensor<[16, 16] x f16> -> !nt.tensor<[16, 16] x f32>
    scf.yield %3 : !nt.tensor<[16, 16] x f32>
  }
  nt.return
}

nt.kernel @fewer symbols [#nt.symbol<c size 0 to ?>, #nt.symbol<w size 0 to ?>, #nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [w, 1] aligned true : !rows
  %f = nt.source "f" "tensor" strides [c * 3, 3, 1] aligned true : !filters
  %0 = nt.access %x <[[w ceildiv 16, n ceildiv 16], [c * 3 ceildiv 16], [16, 16]]
      -> [(b1 + k1_0 * 16) floordiv 3, b0 + g0 * 16 + (b1 + k1_0) mod 3]
      if [[b1 + k1_0 * 16, c * 3], [b0 + g0 * 16 + (b1 + k1_0) mod 3, w]]>
      : !rows -> !nt.tensor<[w ceildiv 16, n ceildiv 16] x !tiles>
  %1 = nt.access %f <[[w ceildiv 16, n ceildiv 16], [c * 3 ceildiv 16], [16, 16]]
      -> [b1 + g1 * 16, (b0 + k1_0 * 16) floordiv 3, (b0 + k1_0) mod 3]
      if [[b0 + k1_0 * 16, c * 3], [b1 + g1 * 16, n]]>
      : !filters -> !nt.tensor<[w ceildiv 16, n ceildiv 16] x !tiles>
  nt.arranged %0, %1 : !nt.tensor<[w ceildiv 16, n ceildiv 16] x !tiles>, !nt.tensor<[w ceildiv 16, n ceildiv 16] x !tiles>
} apply {
^bb0(%a : !tiles, %b : !tiles):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %count = nt.size <c * 3 ceildiv 16> : i32
  %0 = arith.constant 0.0 : f32
  %zero = nt.full %0 : f32 -> !nt.tensor<[16, 16] x f32>
  %sum = scf.for %i = %c1 to %count step %c1 iter_args(%acc = %zero) -> (!nt.tensor<[16, 16] x f32>) : i32 {
    %1 = nt.load %a[%i] other 0.0 : f16 : !tiles[i32] -> !nt.tensor<[16, 16] x f16>
    %2 = nt.load %b[%i] other 0.0 : f16 : !tiles[i32] -> !nt.tensor<[16, 16] x f16>
    %3 = nt.dot %1, %2, %acc : !nt.tensor<[16, 16] x f16>, !nt.tensor<[16, 16] x f16> -> !nt.tensor<[16, 16] x f32>
    scf.yield %3 : !nt.tensor<[16, 16] x f32>
  }
  nt.return
}

nt.kernel @read_twice symbols [#nt.symbol<c size 0 to ?>, #nt.symbol<w size 0 to ?>, #nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [w, 1] aligned true : !rows
  %f = nt.source "f" "tensor" strides [c * 3, 3, 1] aligned true : !filters
  %0 = nt.access %x <[[w ceildiv 16, n ceildiv 16], [c * 3 ceildiv 16], [16, 16]]
      -> [(b1 + k1_0 * 16) floordiv 3, b0 + g0 * 16 + (b1 + k1_0) mod 3]
      if [[b1 + k1_0 * 16, c * 3], [b0 + g0 * 16 + (b1 + k1_0) mod 3, w]]>
      : !rows -> !nt.tensor<[w ceildiv 16, n ceildiv 16] x !tiles>
  %1 = nt.access %f <[[w ceildiv 16, n ceildiv 16], [c * 3 ceildiv 16], [16, 16]]
      -> [b1 + g1 * 16, (b0 + k1_0 * 16) floordiv 3, (b0 + k1_0) mod 3]
      if [[b0 + k1_0 * 16, c * 3], [b1 + g1 * 16, n]]>
      : !filters -> !nt.tensor<[w ceildiv 16, n ceildiv 16] x !tiles>
  nt.arranged %0, %1 : !nt.tensor<[w ceildiv 16, n ceildiv 16] x !tiles>, !nt.tensor<[w ceildiv 16, n ceildiv 16] x !tiles>
} apply {
^bb0(%a : !tiles, %b : !tiles):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %count = nt.size <c * 3 ceildiv 16> : i32
  %0 = arith.constant 0.0 : f32
  %zero = nt.full %0 : f32 -> !nt.tensor<[16, 16] x f32>
  %sum = scf.for %i = %c0 to %count step %c1 iter_args(%acc = %zero) -> (!nt.tensor<[16, 16] x f32>) : i32 {
    %1 = nt.load %a[%i] other 0.0 : f16 : !tiles[i32] -> !nt.tensor<[16, 16] x f16>
    %2 = nt.load %b[%i] other 0.0 : f16 : !tiles[i32] -> !nt.tensor<[16, 16] x f16>
    %3 = nt.dot %1, %2, %acc : !nt.tensor<[16, 16] x f16>, !nt.tensor<[16, 16] x f16> -> !nt.tensor<[16, 16] x f32>
    scf.yield %3 : !nt.tensor<[16, 16] x f32>
  }
  %5 = nt.load %a[%c0] other 0.0 : f16 : !tiles[i32] -> !nt.tensor<[16, 16] x f16>
  nt.return
}
