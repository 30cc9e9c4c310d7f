// RUN: nt-opt %s -p nt-lower-accesses | filecheck %s
// RUN: nt-opt %s -p 'nt-lower-accesses{reciprocals=false}' | filecheck %s --check-prefix=OFF
// RUN: nt-opt %s -p 'nt-lower-accesses{index_bits=64}' | filecheck %s --check-prefix=OFF

// OFF-NOT: nt.quotient

// Lanes and programs are divided by what the host knows. A remainder is what the quotient leaves, and
// Triton is told how both are aligned: it does not look through products.
// CHECK-LABEL: nt.kernel @flattened
// CHECK: [[g0:%.*]] = nt.quotient %pid by <c ceildiv 64> : i32
// CHECK: [[row:%.*]] = nt.quotient [[lane:%.*]] by <n> {tt.constancy = dense<16> : tensor<1xi32>} : tensor<64xi32>
// CHECK: arith.muli [[row]], {{%.*}} : tensor<64xi32>
// CHECK: arith.subi [[lane]], {{%.*}} {tt.divisibility = dense<16> : tensor<1xi32>, tt.contiguity = dense<16> : tensor<1xi32>}
// OFF-LABEL: nt.kernel @flattened
// OFF: arith.divsi
nt.kernel @flattened symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 1 to ? div 16>, #nt.symbol<c size 0 to ?>, #nt.symbol<s stride ? to ?>, #nt.symbol<t stride ? to ?>] grid #nt.expr<m * (c ceildiv 64)> arrange {
  %x = nt.source "x" "tensor" strides [t, s, 1] aligned false : !nt.tensor<[m, c, n] x f32>
  %x0 = nt.access %x <[[m, c ceildiv 64], [64]] -> [g0, (g1 * 64 + b0) floordiv n, (g1 * 64 + b0) mod n] if [[g1 * 64 + b0, c]]>
      : !nt.tensor<[m, c, n] x f32> -> !nt.tensor<[m, c ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %x0 : !nt.tensor<[m, c ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[64] x f32>):
  %pid = nt.program_id : index
  %g0, %g1 = nt.program_index %pid [m, c ceildiv 64] : index, index
  %v = nt.load %xs[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  nt.return
}

// What may be negative is rounded down otherwise, and a constant is multiplied by anyway.
// CHECK-LABEL: nt.kernel @others
// CHECK-NOT: nt.quotient
nt.kernel @others symbols [#nt.symbol<n size 0 to ?>, #nt.symbol<s stride ? to ?>] grid #nt.expr<n ceildiv 64> arrange {
  %x = nt.source "x" "tensor" strides [s, 1] aligned false : !nt.tensor<[n, n] x f32>
  %x0 = nt.access %x <[[n ceildiv 64], [64]] -> [(g0 * 64 + b0 - 5) floordiv n, (g0 * 64 + b0) floordiv 3] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n, n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %x0 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[64] x f32>):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [n ceildiv 64] : index
  %v = nt.load %xs[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  nt.return
}
