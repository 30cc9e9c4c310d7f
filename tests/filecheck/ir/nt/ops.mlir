// RUN: nt-opt %s | nt-opt --print-local-scope | filecheck %s
// RUN: nt-opt %s --print-op-generic | nt-opt --print-local-scope | filecheck %s
// RUN: nt-opt %s --print-debuginfo | nt-opt --print-local-scope | filecheck %s

// Every meta-operation, and a kernel's symbols, checks and padded sizes.
// CHECK-LABEL: nt.kernel @arranged symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ? div 16>, #nt.symbol<s stride ? to ? div 4 not div 16>, #nt.symbol<B meta 32 to 1024>, #nt.symbol<c constexpr -1 to 3>] checks [#nt.check<[m] = [n], "{left} and {right}">] padded_sizes [#nt.exprs[n, 1024]] grid #nt.expr<m ceildiv B>
nt.kernel @arranged symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ? div 16>, #nt.symbol<s stride ? to ? div 4 not div 16>,
    #nt.symbol<B meta 32 to 1024>, #nt.symbol<c constexpr -1 to 3>]
    checks [#nt.check<[m] = [n], "{left} and {right}">] padded_sizes [#nt.exprs[n, 1024]]
    grid #nt.expr<m ceildiv B> arrange {
  // CHECK-NEXT: %x = nt.source "x" "tensor" strides [s, 1] other 0.000000e+00 : f32 aligned true : !nt.tensor<[m, n] x f32>
  %x = nt.source "x" "tensor" strides [s, 1] other 0.0 : f32 aligned true : !nt.tensor<[m, n] x f32>
  // CHECK-NEXT: %scalar = nt.source "scalar" "scalar" strides [] aligned false : !nt.tensor<[] x i32>
  %scalar = nt.source "scalar" "scalar" strides [] aligned false : !nt.tensor<[] x i32>
  // CHECK-NEXT: %fixed = nt.source "fixed" "constexpr" strides [] value 3 : ui8 aligned false : !nt.tensor<[] x ui8>
  %fixed = nt.source "fixed" "constexpr" strides [] value 3 : ui8 aligned false : !nt.tensor<[] x ui8>
  // CHECK-NEXT: %t = nt.tile %x [1, n] strides [1, n] dilation [1, 1] floor false level 0 : !nt.tensor<[m, n] x f32> -> !nt.tensor<[m, 1] x !nt.tensor<[1, n] x f32>>
  %t = nt.tile %x [1, n] strides [1, n] dilation [1, 1] floor false level 0
      : !nt.tensor<[m, n] x f32> -> !nt.tensor<[m, 1] x !nt.tensor<[1, n] x f32>>
  // CHECK-NEXT: %q = nt.squeeze %t [0] level 1 : !nt.tensor<[m, 1] x !nt.tensor<[1, n] x f32>> -> !nt.tensor<[m, 1] x !nt.tensor<[n] x f32>>
  %q = nt.squeeze %t [0] level 1
      : !nt.tensor<[m, 1] x !nt.tensor<[1, n] x f32>> -> !nt.tensor<[m, 1] x !nt.tensor<[n] x f32>>
  // CHECK-NEXT: %u = nt.unsqueeze %q dim 1 level 1 : !nt.tensor<[m, 1] x !nt.tensor<[n] x f32>> -> !nt.tensor<[m, 1] x !nt.tensor<[n, 1] x f32>>
  %u = nt.unsqueeze %q dim 1 level 1
      : !nt.tensor<[m, 1] x !nt.tensor<[n] x f32>> -> !nt.tensor<[m, 1] x !nt.tensor<[n, 1] x f32>>
  // CHECK-NEXT: %e = nt.expand %u [-1, B] level 1 : !nt.tensor<[m, 1] x !nt.tensor<[n, 1] x f32>> -> !nt.tensor<[m, 1] x !nt.tensor<[n, B] x f32>>
  %e = nt.expand %u [-1, B] level 1
      : !nt.tensor<[m, 1] x !nt.tensor<[n, 1] x f32>> -> !nt.tensor<[m, 1] x !nt.tensor<[n, B] x f32>>
  // CHECK-NEXT: %p = nt.permute %e [1, 0] level 1 : !nt.tensor<[m, 1] x !nt.tensor<[n, B] x f32>> -> !nt.tensor<[m, 1] x !nt.tensor<[B, n] x f32>>
  %p = nt.permute %e [1, 0] level 1
      : !nt.tensor<[m, 1] x !nt.tensor<[n, B] x f32>> -> !nt.tensor<[m, 1] x !nt.tensor<[B, n] x f32>>
  // CHECK-NEXT: %f = nt.flatten %p [0, 2] level 1 : !nt.tensor<[m, 1] x !nt.tensor<[B, n] x f32>> -> !nt.tensor<[m, 1] x !nt.tensor<[B * n] x f32>>
  %f = nt.flatten %p [0, 2] level 1
      : !nt.tensor<[m, 1] x !nt.tensor<[B, n] x f32>> -> !nt.tensor<[m, 1] x !nt.tensor<[B * n] x f32>>
  // CHECK-NEXT: %none = nt.expand %x [3, -1] empty level 0 : !nt.tensor<[m, n] x f32> -> !nt.tensor<[3, n] x f32>
  %none = nt.expand %x [3, -1] empty level 0 : !nt.tensor<[m, n] x f32> -> !nt.tensor<[3, n] x f32>
  // CHECK-NEXT: %row = nt.squeeze %x [0] empty level 0 : !nt.tensor<[m, n] x f32> -> !nt.tensor<[n] x f32>
  %row = nt.squeeze %x [0] empty level 0 : !nt.tensor<[m, n] x f32> -> !nt.tensor<[n] x f32>
  // CHECK-NEXT: %r = nt.renumber %f [n, 2] count "any" level 0 : !nt.tensor<[m, 1] x !nt.tensor<[B * n] x f32>> -> !nt.tensor<[n, 2] x !nt.tensor<[B * n] x f32>>
  %r = nt.renumber %f [n, 2] count "any" level 0
      : !nt.tensor<[m, 1] x !nt.tensor<[B * n] x f32>> -> !nt.tensor<[n, 2] x !nt.tensor<[B * n] x f32>>
  // CHECK-NEXT: nt.arranged %f, %scalar, %fixed : !nt.tensor<[m, 1] x !nt.tensor<[B * n] x f32>>, !nt.tensor<[] x i32>, !nt.tensor<[] x ui8>
  nt.arranged %f, %scalar, %fixed
      : !nt.tensor<[m, 1] x !nt.tensor<[B * n] x f32>>, !nt.tensor<[] x i32>, !nt.tensor<[] x ui8>
} apply {
^bb0(%a : !nt.tensor<[B * n] x f32>, %b : !nt.tensor<[] x i32>, %c : !nt.tensor<[] x ui8>):
  // CHECK: nt.return
  nt.return
}

// A kernel of nothing: no symbols, no parameters.
// CHECK-LABEL: nt.kernel @nothing arrange {
// CHECK-NEXT: nt.arranged
nt.kernel @nothing arrange {
  nt.arranged
} apply {
  nt.return
}

// Every expression: precedence, and normal form.
// CHECK-LABEL: nt.kernel @expressions
nt.kernel @expressions arrange {
  nt.arranged
} apply {
  // CHECK: %a = nt.size <b * c + a> : i32
  %a = nt.size <a + (b * c)> : i32
  // CHECK-NEXT: %b = nt.size <(a + b) floordiv c> : i64
  %b = nt.size <(a + b) floordiv c> : i64
  // CHECK-NEXT: %c = nt.size <a mod 4 - b ceildiv 2> : index
  %c = nt.size <a mod 4 - b ceildiv 2> : index
  // CHECK-NEXT: %truth = nt.size <(a ceildiv 2 - 2 ge 0) * min(1, b)> : index
  %truth = nt.size <((a - 3) floordiv 2 ge 0) * min(1, b)> : index
  // CHECK-NEXT: %truths = nt.size <((a lt b) eq (a le 3)) * 2 + (a eq 4 and b ne 5)> : index
  %truths = nt.size <((a lt b) eq (a le 3)) * 2 + (a eq 4 and b ne 5)> : index
  // CHECK-NEXT: %d = nt.size <max(0, min(8, a))> : i32
  %d = nt.size <max(0, min(a, 8))> : i32
  // CHECK-NEXT: %e = nt.size <-a> : i32
  %e = nt.size <-a> : i32
  // CHECK-NEXT: %f = nt.size <7> : i32
  %f = nt.size <3 + 4> : i32
  nt.return
}

// The ops of an application, and those that scheduling adds.
// CHECK-LABEL: nt.kernel @blocks
nt.kernel @blocks symbols [#nt.symbol<n size 0 to ?>, #nt.symbol<k size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [k, 1] aligned false : !nt.tensor<[n, k] x f16>
  // CHECK: %0 = nt.access %x <{{\[\[}}n], [k ceildiv 64], [64]] -> [g0, b0 + k1_0 * 64] if {{\[\[}}b0 + k1_0 * 64, k]]> : !nt.tensor<[n, k] x f16> -> !nt.tensor<[n] x !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f16>>>
  %0 = nt.access %x <[[n], [k ceildiv 64], [64]] -> [g0, k1_0 * 64 + b0] if [[k1_0 * 64 + b0, k]]>
      : !nt.tensor<[n, k] x f16> -> !nt.tensor<[n] x !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f16>>>
  nt.arranged %0 : !nt.tensor<[n] x !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f16>>>
} apply {
^bb0(%a : !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f16>>):
  // CHECK: %pid = nt.program_id : index
  %pid = nt.program_id : index
  // CHECK-NEXT: %g0 = nt.program_index %pid [n] : index
  %g0 = nt.program_index %pid [n] : index
  // CHECK-NEXT: %g1, %g2 = nt.program_index %pid [n, k] grouped 8 : index, index
  %g1, %g2 = nt.program_index %pid [n, k] grouped 8 : index, index
  // CHECK-NEXT: nt.program_index %pid []
  nt.program_index %pid []
  // CHECK-NEXT: %p = nt.pointer %a : !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f16>> -> !tt.ptr<f16>
  %p = nt.pointer %a : !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f16>> -> !tt.ptr<f16>
  // CHECK-NEXT: %desc = nt.host_descriptor %a [n, k] strides [k, 1] : !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f16>> -> !tt.tensordesc<tensor<8x64xf16>>
  %desc = nt.host_descriptor %a [n, k] strides [k, 1]
      : !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f16>> -> !tt.tensordesc<tensor<8x64xf16>>
  %i = arith.constant 0 : i32
  // CHECK: %q = nt.quotient %i by <n ceildiv 2> : i32
  %q = nt.quotient %i by <n ceildiv 2> : i32
  // CHECK: %v = nt.load %a[%i] : !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f16>>[i32] -> !nt.tensor<[64] x f16>
  %v = nt.load %a[%i] : !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f16>>[i32] -> !nt.tensor<[64] x f16>
  // CHECK-NEXT: %w = nt.load %a[%i] other 0xfc00 : f16 : !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f16>>[i32] -> !nt.tensor<[64] x f16>
  %w = nt.load %a[%i] other 0xFC00 : f16
      : !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f16>>[i32] -> !nt.tensor<[64] x f16>
  // CHECK-NEXT: %u = nt.load %a[%i] other 0xfc00 : f16 evict "evict_last" : !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f16>>[i32] -> !nt.tensor<[64] x f16>
  %u = nt.load %a[%i] other 0xFC00 : f16 evict "evict_last"
      : !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f16>>[i32] -> !nt.tensor<[64] x f16>
  // CHECK-NEXT: %g = nt.guard %a[%i] : !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f16>>[i32] -> !nt.tensor<[64] x i1>
  %g = nt.guard %a[%i] : !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f16>>[i32] -> !nt.tensor<[64] x i1>
  // CHECK-NEXT: %s = nt.elementwise "where"(%g, %v, %w) : (!nt.tensor<[64] x i1>, !nt.tensor<[64] x f16>, !nt.tensor<[64] x f16>) -> !nt.tensor<[64] x f16>
  %s = nt.elementwise "where"(%g, %v, %w)
      : (!nt.tensor<[64] x i1>, !nt.tensor<[64] x f16>, !nt.tensor<[64] x f16>) -> !nt.tensor<[64] x f16>
  // CHECK-NEXT: nt.store %s, %a[%i] : !nt.tensor<[64] x f16>, !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f16>>[i32]
  nt.store %s, %a[%i] : !nt.tensor<[64] x f16>, !nt.tensor<[k ceildiv 64] x !nt.tensor<[64] x f16>>[i32]
  // CHECK-NEXT: %r = nt.arange <4> : !nt.tensor<[64] x i32>
  %r = nt.arange <4> : !nt.tensor<[64] x i32>
  // CHECK-NEXT: %c = nt.cast %v : !nt.tensor<[64] x f16> -> !nt.tensor<[64] x f32>
  %c = nt.cast %v : !nt.tensor<[64] x f16> -> !nt.tensor<[64] x f32>
  // CHECK-NEXT: %e = nt.expand_dims %v axis 1 : !nt.tensor<[64] x f16> -> !nt.tensor<[64, 1] x f16>
  %e = nt.expand_dims %v axis 1 : !nt.tensor<[64] x f16> -> !nt.tensor<[64, 1] x f16>
  // CHECK-NEXT: %b = nt.broadcast %e : !nt.tensor<[64, 1] x f16> -> !nt.tensor<[64, 32] x f16>
  %b = nt.broadcast %e : !nt.tensor<[64, 1] x f16> -> !nt.tensor<[64, 32] x f16>
  // CHECK-NEXT: %t = nt.trans %b order [1, 0] : !nt.tensor<[64, 32] x f16> -> !nt.tensor<[32, 64] x f16>
  %t = nt.trans %b order [1, 0] : !nt.tensor<[64, 32] x f16> -> !nt.tensor<[32, 64] x f16>
  // CHECK-NEXT: %flip = nt.flip %b axis 1 : !nt.tensor<[64, 32] x f16>
  %flip = nt.flip %b axis 1 : !nt.tensor<[64, 32] x f16>
  // CHECK-NEXT: %picked = nt.gather %v[%r] axis 0 : !nt.tensor<[64] x f16>[!nt.tensor<[64] x i32>] -> !nt.tensor<[64] x f16>
  %picked = nt.gather %v[%r] axis 0
      : !nt.tensor<[64] x f16>[!nt.tensor<[64] x i32>] -> !nt.tensor<[64] x f16>
  // CHECK-NEXT: %high = nt.elementwise "umulhi"(%r, %r) : (!nt.tensor<[64] x i32>, !nt.tensor<[64] x i32>) -> !nt.tensor<[64] x i32>
  %high = nt.elementwise "umulhi"(%r, %r)
      : (!nt.tensor<[64] x i32>, !nt.tensor<[64] x i32>) -> !nt.tensor<[64] x i32>
  %zero = arith.constant 0.0 : f32
  // CHECK: %acc = nt.full %zero : f32 -> !nt.tensor<[64, 64] x f32>
  %acc = nt.full %zero : f32 -> !nt.tensor<[64, 64] x f32>
  // CHECK-NEXT: %d = nt.dot %b, %t, %acc "tf32x3" : !nt.tensor<[64, 32] x f16>, !nt.tensor<[32, 64] x f16> -> !nt.tensor<[64, 64] x f32>
  %d = nt.dot %b, %t, %acc "tf32x3"
      : !nt.tensor<[64, 32] x f16>, !nt.tensor<[32, 64] x f16> -> !nt.tensor<[64, 64] x f32>
  // CHECK-NEXT: %rows = nt.reduce "sum" %d axis 1 : !nt.tensor<[64, 64] x f32> -> !nt.tensor<[64] x f32>
  %rows = nt.reduce "sum" %d axis 1 : !nt.tensor<[64, 64] x f32> -> !nt.tensor<[64] x f32>
  // CHECK-NEXT: %all = nt.reduce "max" %rows axis 0 : !nt.tensor<[64] x f32> -> f32
  %all = nt.reduce "max" %rows axis 0 : !nt.tensor<[64] x f32> -> f32
  nt.return
}
