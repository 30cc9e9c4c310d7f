// RUN: nt-opt %s -p nt-lower-to-tt | filecheck %s

// Elementwise functions of floats. An ordered comparison is false with a NaN, but `!=` is true.
// CHECK-LABEL: tt.func @floats
// CHECK: %add = arith.addf %x, %y : tensor<64xf32>
// CHECK-NEXT: %sub = arith.subf %x, %y : tensor<64xf32>
// CHECK-NEXT: %mul = arith.mulf %x, %y : tensor<64xf32>
// CHECK-NEXT: %truediv = arith.divf %x, %y : tensor<64xf32>
// CHECK-NEXT: %mod = arith.remf %x, %y : tensor<64xf32>
// CHECK-NEXT: %maximum = arith.maxnumf %x, %y : tensor<64xf32>
// CHECK-NEXT: %minimum = arith.minnumf %x, %y : tensor<64xf32>
// CHECK-NEXT: %lt = arith.cmpf olt, %x, %y : tensor<64xf32>
// CHECK-NEXT: %le = arith.cmpf ole, %x, %y : tensor<64xf32>
// CHECK-NEXT: %gt = arith.cmpf ogt, %x, %y : tensor<64xf32>
// CHECK-NEXT: %ge = arith.cmpf oge, %x, %y : tensor<64xf32>
// CHECK-NEXT: %eq = arith.cmpf oeq, %x, %y : tensor<64xf32>
// CHECK-NEXT: %ne = arith.cmpf une, %x, %y : tensor<64xf32>
// CHECK-NEXT: [[v0:%.*]] = arith.constant dense<-1.000000e+00> : tensor<64xf32>
// CHECK-NEXT: %neg = arith.mulf %x, [[v0]] : tensor<64xf32>
// CHECK-NEXT: %abs = math.absf %x : tensor<64xf32>
// CHECK-NEXT: %exp = math.exp %x : tensor<64xf32>
// CHECK-NEXT: %exp2 = math.exp2 %x : tensor<64xf32>
// CHECK-NEXT: %log = math.log %x : tensor<64xf32>
// CHECK-NEXT: %log2 = math.log2 %x : tensor<64xf32>
// CHECK-NEXT: %sqrt = math.sqrt %x : tensor<64xf32>
// CHECK-NEXT: %rsqrt = math.rsqrt %x : tensor<64xf32>
// CHECK-NEXT: %sin = math.sin %x : tensor<64xf32>
// CHECK-NEXT: %cos = math.cos %x : tensor<64xf32>
// CHECK-NEXT: %erf = math.erf %x : tensor<64xf32>
// CHECK-NEXT: %floor = math.floor %x : tensor<64xf32>
// CHECK-NEXT: %ceil = math.ceil %x : tensor<64xf32>
nt.kernel @floats grid #nt.expr<n ceildiv 64> arrange {
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
  %add = nt.elementwise "add"(%x, %y) : (!nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
  %sub = nt.elementwise "sub"(%x, %y) : (!nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
  %mul = nt.elementwise "mul"(%x, %y) : (!nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
  %truediv = nt.elementwise "truediv"(%x, %y) : (!nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
  %mod = nt.elementwise "mod"(%x, %y) : (!nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
  %maximum = nt.elementwise "maximum"(%x, %y) : (!nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
  %minimum = nt.elementwise "minimum"(%x, %y) : (!nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
  %lt = nt.elementwise "lt"(%x, %y) : (!nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>) -> !nt.tensor<[64] x i1>
  %le = nt.elementwise "le"(%x, %y) : (!nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>) -> !nt.tensor<[64] x i1>
  %gt = nt.elementwise "gt"(%x, %y) : (!nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>) -> !nt.tensor<[64] x i1>
  %ge = nt.elementwise "ge"(%x, %y) : (!nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>) -> !nt.tensor<[64] x i1>
  %eq = nt.elementwise "eq"(%x, %y) : (!nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>) -> !nt.tensor<[64] x i1>
  %ne = nt.elementwise "ne"(%x, %y) : (!nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>) -> !nt.tensor<[64] x i1>
  %neg = nt.elementwise "neg"(%x) : (!nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
  %abs = nt.elementwise "abs"(%x) : (!nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
  %exp = nt.elementwise "exp"(%x) : (!nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
  %exp2 = nt.elementwise "exp2"(%x) : (!nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
  %log = nt.elementwise "log"(%x) : (!nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
  %log2 = nt.elementwise "log2"(%x) : (!nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
  %sqrt = nt.elementwise "sqrt"(%x) : (!nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
  %rsqrt = nt.elementwise "rsqrt"(%x) : (!nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
  %sin = nt.elementwise "sin"(%x) : (!nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
  %cos = nt.elementwise "cos"(%x) : (!nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
  %erf = nt.elementwise "erf"(%x) : (!nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
  %floor = nt.elementwise "floor"(%x) : (!nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
  %ceil = nt.elementwise "ceil"(%x) : (!nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
  nt.return
}

// The same of signed integers: division rounds to zero, shifts keep the sign.
// CHECK-LABEL: tt.func @signed
// CHECK: %add = arith.addi %x, %y : tensor<64xi32>
// CHECK-NEXT: %sub = arith.subi %x, %y : tensor<64xi32>
// CHECK-NEXT: %mul = arith.muli %x, %y : tensor<64xi32>
// CHECK-NEXT: %floordiv = arith.divsi %x, %y : tensor<64xi32>
// CHECK-NEXT: %mod = arith.remsi %x, %y : tensor<64xi32>
// CHECK-NEXT: %and = arith.andi %x, %y : tensor<64xi32>
// CHECK-NEXT: %or = arith.ori %x, %y : tensor<64xi32>
// CHECK-NEXT: %xor = arith.xori %x, %y : tensor<64xi32>
// CHECK-NEXT: %shl = arith.shli %x, %y : tensor<64xi32>
// CHECK-NEXT: %shr = arith.shrsi %x, %y : tensor<64xi32>
// CHECK-NEXT: %maximum = arith.maxsi %x, %y : tensor<64xi32>
// CHECK-NEXT: %minimum = arith.minsi %x, %y : tensor<64xi32>
// CHECK-NEXT: %lt = arith.cmpi slt, %x, %y : tensor<64xi32>
// CHECK-NEXT: %le = arith.cmpi sle, %x, %y : tensor<64xi32>
// CHECK-NEXT: %gt = arith.cmpi sgt, %x, %y : tensor<64xi32>
// CHECK-NEXT: %ge = arith.cmpi sge, %x, %y : tensor<64xi32>
// CHECK-NEXT: %eq = arith.cmpi eq, %x, %y : tensor<64xi32>
// CHECK-NEXT: %ne = arith.cmpi ne, %x, %y : tensor<64xi32>
// CHECK-NEXT: [[v0:%.*]] = arith.constant dense<0> : tensor<64xi32>
// CHECK-NEXT: %neg = arith.subi [[v0]], %x : tensor<64xi32>
// CHECK-NEXT: [[v1:%.*]] = arith.constant dense<-1> : tensor<64xi32>
// CHECK-NEXT: %invert = arith.xori %x, [[v1]] : tensor<64xi32>
// CHECK-NEXT: %abs = math.absi %x : tensor<64xi32>
nt.kernel @signed grid #nt.expr<n ceildiv 64> arrange {
  %p = nt.source "p" "scalar" strides [] aligned false : !nt.tensor<[] x i32>
  %q = nt.source "q" "scalar" strides [] aligned false : !nt.tensor<[] x i32>
  nt.arranged %p, %q
      : !nt.tensor<[] x i32>, !nt.tensor<[] x i32>
} apply {
^bb0(%ps : !nt.tensor<[] x i32>, %qs : !nt.tensor<[] x i32>):
  %a = nt.load %ps[] : !nt.tensor<[] x i32>[] -> i32
  %b = nt.load %qs[] : !nt.tensor<[] x i32>[] -> i32
  %x = nt.full %a : i32 -> !nt.tensor<[64] x i32>
  %y = nt.full %b : i32 -> !nt.tensor<[64] x i32>
  %add = nt.elementwise "add"(%x, %y) : (!nt.tensor<[64] x i32>, !nt.tensor<[64] x i32>) -> !nt.tensor<[64] x i32>
  %sub = nt.elementwise "sub"(%x, %y) : (!nt.tensor<[64] x i32>, !nt.tensor<[64] x i32>) -> !nt.tensor<[64] x i32>
  %mul = nt.elementwise "mul"(%x, %y) : (!nt.tensor<[64] x i32>, !nt.tensor<[64] x i32>) -> !nt.tensor<[64] x i32>
  %floordiv = nt.elementwise "floordiv"(%x, %y) : (!nt.tensor<[64] x i32>, !nt.tensor<[64] x i32>) -> !nt.tensor<[64] x i32>
  %mod = nt.elementwise "mod"(%x, %y) : (!nt.tensor<[64] x i32>, !nt.tensor<[64] x i32>) -> !nt.tensor<[64] x i32>
  %and = nt.elementwise "and"(%x, %y) : (!nt.tensor<[64] x i32>, !nt.tensor<[64] x i32>) -> !nt.tensor<[64] x i32>
  %or = nt.elementwise "or"(%x, %y) : (!nt.tensor<[64] x i32>, !nt.tensor<[64] x i32>) -> !nt.tensor<[64] x i32>
  %xor = nt.elementwise "xor"(%x, %y) : (!nt.tensor<[64] x i32>, !nt.tensor<[64] x i32>) -> !nt.tensor<[64] x i32>
  %shl = nt.elementwise "shl"(%x, %y) : (!nt.tensor<[64] x i32>, !nt.tensor<[64] x i32>) -> !nt.tensor<[64] x i32>
  %shr = nt.elementwise "shr"(%x, %y) : (!nt.tensor<[64] x i32>, !nt.tensor<[64] x i32>) -> !nt.tensor<[64] x i32>
  %maximum = nt.elementwise "maximum"(%x, %y) : (!nt.tensor<[64] x i32>, !nt.tensor<[64] x i32>) -> !nt.tensor<[64] x i32>
  %minimum = nt.elementwise "minimum"(%x, %y) : (!nt.tensor<[64] x i32>, !nt.tensor<[64] x i32>) -> !nt.tensor<[64] x i32>
  %lt = nt.elementwise "lt"(%x, %y) : (!nt.tensor<[64] x i32>, !nt.tensor<[64] x i32>) -> !nt.tensor<[64] x i1>
  %le = nt.elementwise "le"(%x, %y) : (!nt.tensor<[64] x i32>, !nt.tensor<[64] x i32>) -> !nt.tensor<[64] x i1>
  %gt = nt.elementwise "gt"(%x, %y) : (!nt.tensor<[64] x i32>, !nt.tensor<[64] x i32>) -> !nt.tensor<[64] x i1>
  %ge = nt.elementwise "ge"(%x, %y) : (!nt.tensor<[64] x i32>, !nt.tensor<[64] x i32>) -> !nt.tensor<[64] x i1>
  %eq = nt.elementwise "eq"(%x, %y) : (!nt.tensor<[64] x i32>, !nt.tensor<[64] x i32>) -> !nt.tensor<[64] x i1>
  %ne = nt.elementwise "ne"(%x, %y) : (!nt.tensor<[64] x i32>, !nt.tensor<[64] x i32>) -> !nt.tensor<[64] x i1>
  %neg = nt.elementwise "neg"(%x) : (!nt.tensor<[64] x i32>) -> !nt.tensor<[64] x i32>
  %invert = nt.elementwise "invert"(%x) : (!nt.tensor<[64] x i32>) -> !nt.tensor<[64] x i32>
  %abs = nt.elementwise "abs"(%x) : (!nt.tensor<[64] x i32>) -> !nt.tensor<[64] x i32>
  nt.return
}

// Of unsigned ones: the ops differ where the sign matters, the magnitude is the value itself.
// CHECK-LABEL: tt.func @unsigned
// CHECK: %add = arith.addi %x, %y : tensor<64xi32>
// CHECK-NEXT: %sub = arith.subi %x, %y : tensor<64xi32>
// CHECK-NEXT: %mul = arith.muli %x, %y : tensor<64xi32>
// CHECK-NEXT: %floordiv = arith.divui %x, %y : tensor<64xi32>
// CHECK-NEXT: %mod = arith.remui %x, %y : tensor<64xi32>
// CHECK-NEXT: %and = arith.andi %x, %y : tensor<64xi32>
// CHECK-NEXT: %or = arith.ori %x, %y : tensor<64xi32>
// CHECK-NEXT: %xor = arith.xori %x, %y : tensor<64xi32>
// CHECK-NEXT: %shl = arith.shli %x, %y : tensor<64xi32>
// CHECK-NEXT: %shr = arith.shrui %x, %y : tensor<64xi32>
// CHECK-NEXT: %maximum = arith.maxui %x, %y : tensor<64xi32>
// CHECK-NEXT: %minimum = arith.minui %x, %y : tensor<64xi32>
// CHECK-NEXT: %lt = arith.cmpi ult, %x, %y : tensor<64xi32>
// CHECK-NEXT: %le = arith.cmpi ule, %x, %y : tensor<64xi32>
// CHECK-NEXT: %gt = arith.cmpi ugt, %x, %y : tensor<64xi32>
// CHECK-NEXT: %ge = arith.cmpi uge, %x, %y : tensor<64xi32>
// CHECK-NEXT: %eq = arith.cmpi eq, %x, %y : tensor<64xi32>
// CHECK-NEXT: %ne = arith.cmpi ne, %x, %y : tensor<64xi32>
// CHECK-NEXT: [[v0:%.*]] = arith.constant dense<0> : tensor<64xi32>
// CHECK-NEXT: %neg = arith.subi [[v0]], %x : tensor<64xi32>
// CHECK-NEXT: [[v1:%.*]] = arith.constant dense<-1> : tensor<64xi32>
// CHECK-NEXT: %invert = arith.xori %x, [[v1]] : tensor<64xi32>
// CHECK-NEXT: tt.return
nt.kernel @unsigned grid #nt.expr<n ceildiv 64> arrange {
  %p = nt.source "p" "scalar" strides [] aligned false : !nt.tensor<[] x ui32>
  %q = nt.source "q" "scalar" strides [] aligned false : !nt.tensor<[] x ui32>
  nt.arranged %p, %q
      : !nt.tensor<[] x ui32>, !nt.tensor<[] x ui32>
} apply {
^bb0(%ps : !nt.tensor<[] x ui32>, %qs : !nt.tensor<[] x ui32>):
  %a = nt.load %ps[] : !nt.tensor<[] x ui32>[] -> ui32
  %b = nt.load %qs[] : !nt.tensor<[] x ui32>[] -> ui32
  %x = nt.full %a : ui32 -> !nt.tensor<[64] x ui32>
  %y = nt.full %b : ui32 -> !nt.tensor<[64] x ui32>
  %add = nt.elementwise "add"(%x, %y) : (!nt.tensor<[64] x ui32>, !nt.tensor<[64] x ui32>) -> !nt.tensor<[64] x ui32>
  %sub = nt.elementwise "sub"(%x, %y) : (!nt.tensor<[64] x ui32>, !nt.tensor<[64] x ui32>) -> !nt.tensor<[64] x ui32>
  %mul = nt.elementwise "mul"(%x, %y) : (!nt.tensor<[64] x ui32>, !nt.tensor<[64] x ui32>) -> !nt.tensor<[64] x ui32>
  %floordiv = nt.elementwise "floordiv"(%x, %y) : (!nt.tensor<[64] x ui32>, !nt.tensor<[64] x ui32>) -> !nt.tensor<[64] x ui32>
  %mod = nt.elementwise "mod"(%x, %y) : (!nt.tensor<[64] x ui32>, !nt.tensor<[64] x ui32>) -> !nt.tensor<[64] x ui32>
  %and = nt.elementwise "and"(%x, %y) : (!nt.tensor<[64] x ui32>, !nt.tensor<[64] x ui32>) -> !nt.tensor<[64] x ui32>
  %or = nt.elementwise "or"(%x, %y) : (!nt.tensor<[64] x ui32>, !nt.tensor<[64] x ui32>) -> !nt.tensor<[64] x ui32>
  %xor = nt.elementwise "xor"(%x, %y) : (!nt.tensor<[64] x ui32>, !nt.tensor<[64] x ui32>) -> !nt.tensor<[64] x ui32>
  %shl = nt.elementwise "shl"(%x, %y) : (!nt.tensor<[64] x ui32>, !nt.tensor<[64] x ui32>) -> !nt.tensor<[64] x ui32>
  %shr = nt.elementwise "shr"(%x, %y) : (!nt.tensor<[64] x ui32>, !nt.tensor<[64] x ui32>) -> !nt.tensor<[64] x ui32>
  %maximum = nt.elementwise "maximum"(%x, %y) : (!nt.tensor<[64] x ui32>, !nt.tensor<[64] x ui32>) -> !nt.tensor<[64] x ui32>
  %minimum = nt.elementwise "minimum"(%x, %y) : (!nt.tensor<[64] x ui32>, !nt.tensor<[64] x ui32>) -> !nt.tensor<[64] x ui32>
  %lt = nt.elementwise "lt"(%x, %y) : (!nt.tensor<[64] x ui32>, !nt.tensor<[64] x ui32>) -> !nt.tensor<[64] x i1>
  %le = nt.elementwise "le"(%x, %y) : (!nt.tensor<[64] x ui32>, !nt.tensor<[64] x ui32>) -> !nt.tensor<[64] x i1>
  %gt = nt.elementwise "gt"(%x, %y) : (!nt.tensor<[64] x ui32>, !nt.tensor<[64] x ui32>) -> !nt.tensor<[64] x i1>
  %ge = nt.elementwise "ge"(%x, %y) : (!nt.tensor<[64] x ui32>, !nt.tensor<[64] x ui32>) -> !nt.tensor<[64] x i1>
  %eq = nt.elementwise "eq"(%x, %y) : (!nt.tensor<[64] x ui32>, !nt.tensor<[64] x ui32>) -> !nt.tensor<[64] x i1>
  %ne = nt.elementwise "ne"(%x, %y) : (!nt.tensor<[64] x ui32>, !nt.tensor<[64] x ui32>) -> !nt.tensor<[64] x i1>
  %neg = nt.elementwise "neg"(%x) : (!nt.tensor<[64] x ui32>) -> !nt.tensor<[64] x ui32>
  %invert = nt.elementwise "invert"(%x) : (!nt.tensor<[64] x ui32>) -> !nt.tensor<[64] x ui32>
  %abs = nt.elementwise "abs"(%x) : (!nt.tensor<[64] x ui32>) -> !nt.tensor<[64] x ui32>
  nt.return
}

// A selection.
// CHECK-LABEL: tt.func @where
// CHECK: %w = arith.select %c, %x, %y : tensor<64xi1>, tensor<64xf32>
nt.kernel @where grid #nt.expr<n ceildiv 64> arrange {
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
  %c = nt.elementwise "lt"(%x, %y) : (!nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>) -> !nt.tensor<[64] x i1>
  %w = nt.elementwise "where"(%c, %x, %y) : (!nt.tensor<[64] x i1>, !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
  nt.return
}
