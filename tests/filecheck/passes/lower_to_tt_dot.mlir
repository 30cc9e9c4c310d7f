// RUN: nt-opt %s --print-local-scope -p nt-lower-to-tt | filecheck %s

// Without a precision tf32; batches as matrices.
// CHECK-LABEL: tt.func @dots
// CHECK: %d = tt.dot %a, %b, %c 0 : i32 0 : i32 : tensor<4x16x32xf16> * tensor<4x32x16xf16> -> tensor<4x16x16xf32>
// CHECK-NEXT: %e = tt.dot %a, %b, %d 4 : i32 32 : i32 : tensor<4x16x32xf16> * tensor<4x32x16xf16> -> tensor<4x16x16xf32>
nt.kernel @dots grid #nt.expr<n ceildiv 64> arrange {
  nt.arranged
} apply {
  %one = arith.constant 1.0 : f16
  %zero = arith.constant 0.0 : f32
  %a = nt.full %one : f16 -> !nt.tensor<[4, 16, 32] x f16>
  %b = nt.full %one : f16 -> !nt.tensor<[4, 32, 16] x f16>
  %c = nt.full %zero : f32 -> !nt.tensor<[4, 16, 16] x f32>
  %d = nt.dot %a, %b, %c : !nt.tensor<[4, 16, 32] x f16>, !nt.tensor<[4, 32, 16] x f16> -> !nt.tensor<[4, 16, 16] x f32>
  %e = nt.dot %a, %b, %d "bf16x6" imprecise 32 : i32 : !nt.tensor<[4, 16, 32] x f16>, !nt.tensor<[4, 32, 16] x f16> -> !nt.tensor<[4, 16, 16] x f32>
  nt.return
}

// Formats by their numbers.
// CHECK-LABEL: tt.func @scaled
// CHECK: %d = "tt.dot_scaled"(%a, %b, %c, %s) <{a_elem_type = 4 : i32, b_elem_type = 0 : i32, fastMath = true, lhs_k_pack = true, rhs_k_pack = true, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>}>
// CHECK-SAME: : (tensor<16x32xi8>, tensor<64x16xf8E4M3FN>, tensor<16x16xf32>, tensor<16x2xi8>) -> tensor<16x16xf32>
nt.kernel @scaled grid #nt.expr<n ceildiv 64> arrange {
  nt.arranged
} apply {
  %bits = nt.constant 34 : ui8
  %one = arith.constant 1.0 : f8E4M3FN
  %zero = arith.constant 0.0 : f32
  %a = nt.full %bits : ui8 -> !nt.tensor<[16, 32] x ui8>
  %b = nt.full %one : f8E4M3FN -> !nt.tensor<[64, 16] x f8E4M3FN>
  %c = nt.full %zero : f32 -> !nt.tensor<[16, 16] x f32>
  %s = nt.full %bits : ui8 -> !nt.tensor<[16, 2] x ui8>
  %d = "nt.dot_scaled"(%a, %b, %c, %s) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>, a_format = "e2m1", b_format = "e4m3", a_k_pack = true, b_k_pack = true, fast_math = true}>
      : (!nt.tensor<[16, 32] x ui8>, !nt.tensor<[64, 16] x f8E4M3FN>, !nt.tensor<[16, 16] x f32>, !nt.tensor<[16, 2] x ui8>) -> !nt.tensor<[16, 16] x f32>
  nt.return
}
