// RUN: nt-opt %s --print-local-scope -p nt-lower-accesses | filecheck %s
// RUN: nt-opt %s -p 'nt-lower-accesses{alignment_facts=false}' | filecheck %s --check-prefix=OFF

// A flat index behind a pad of 16 may be negative. Rows are multiples of 16 long: of each 16 lanes the
// row is one, and the columns are neighbours from a multiple of 16 on. Of the division itself, which
// rounds to zero, nothing is known, be the facts of alignment left out or not.
// CHECK-LABEL: nt.kernel @flat
// CHECK: arith.divsi {{%.*}}, {{%.*}} {tt.constancy = dense<1> : tensor<1xi32>} : tensor<64xi32>
// CHECK-NEXT: arith.addi {{%.*}}, {{%.*}} {tt.constancy = dense<16> : tensor<1xi32>} : tensor<64xi32>
// CHECK: [[rest:%.*]] = arith.remsi {{%.*}}, {{%.*}} {tt.contiguity = dense<1> : tensor<1xi32>, tt.divisibility = dense<1> : tensor<1xi32>} : tensor<64xi32>
// CHECK: arith.addi [[rest]], {{%.*}} {tt.divisibility = dense<16> : tensor<1xi32>, tt.contiguity = dense<16> : tensor<1xi32>} : tensor<64xi32>
// OFF-LABEL: nt.kernel @flat
// OFF-NOT: dense<16>
// OFF: arith.divsi {{%.*}}, {{%.*}} {tt.constancy = dense<1> : tensor<1xi32>} : tensor<64xi32>
// OFF-NOT: dense<16>
// OFF-LABEL: nt.kernel @odd
nt.kernel @flat symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ? div 16>, #nt.symbol<s stride ? to ?>]
    grid #nt.expr<(m * n + 16) ceildiv 64> arrange {
  %x = nt.source "x" "tensor" strides [s, 1] aligned true : !nt.tensor<[m, n] x f32>
  %x0 = nt.access %x <[[(m * n + 16) ceildiv 64], [64]] -> [(g0 * 64 + b0 - 16) floordiv n, (g0 * 64 + b0 - 16) mod n]
          if [[g0 * 64 + b0 - 16, m * n]]>
      : !nt.tensor<[m, n] x f32> -> !nt.tensor<[(m * n + 16) ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %x0 : !nt.tensor<[(m * n + 16) ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%a : !nt.tensor<[64] x f32>):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [(m * n + 16) ceildiv 64] : index
  %v = nt.load %a[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  nt.return
}

// Of rows of any length, nothing is known.
// CHECK-LABEL: nt.kernel @odd
// CHECK-NOT: dense<{{[02-9]|[0-9][0-9]+}}> : tensor<1xi32>
// CHECK: nt.return
nt.kernel @odd symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>, #nt.symbol<s stride ? to ?>]
    grid #nt.expr<(m * n + 16) ceildiv 64> arrange {
  %x = nt.source "x" "tensor" strides [s, 1] aligned true : !nt.tensor<[m, n] x f32>
  %x0 = nt.access %x <[[(m * n + 16) ceildiv 64], [64]] -> [(g0 * 64 + b0 - 16) floordiv n, (g0 * 64 + b0 - 16) mod n]
          if [[g0 * 64 + b0 - 16, m * n]]>
      : !nt.tensor<[m, n] x f32> -> !nt.tensor<[(m * n + 16) ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %x0 : !nt.tensor<[(m * n + 16) ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%a : !nt.tensor<[64] x f32>):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [(m * n + 16) ceildiv 64] : index
  %v = nt.load %a[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  nt.return
}
