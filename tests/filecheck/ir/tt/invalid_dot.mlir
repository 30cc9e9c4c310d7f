// RUN: nt-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK: tt.dot: there is no precision 5
tt.func @f(%a: tensor<16x16xf16>, %c: tensor<16x16xf32>) {
  %d = tt.dot %a, %a, %c 5 : i32 0 : i32 : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
  tt.return
}

// -----

// CHECK: tt.dot: shapes (4, 16, 16), (2, 16, 16) and (4, 16, 16) do not multiply
tt.func @f(%a: tensor<4x16x16xf16>, %b: tensor<2x16x16xf16>, %c: tensor<4x16x16xf32>) {
  %d = tt.dot %a, %b, %c 0 : i32 0 : i32 : tensor<4x16x16xf16> * tensor<2x16x16xf16> -> tensor<4x16x16xf32>
  tt.return
}

// -----

// CHECK: tt.dot_scaled: there is no format 2
tt.func @f(%a: tensor<16x16xi8>, %b: tensor<32x16xf8E4M3FN>, %c: tensor<16x16xf32>, %s: tensor<16x1xi8>) {
  %d = "tt.dot_scaled"(%a, %b, %c, %s) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 1>, a_elem_type = 2 : i32, b_elem_type = 0 : i32, fastMath = false, lhs_k_pack = true, rhs_k_pack = true}> : (tensor<16x16xi8>, tensor<32x16xf8E4M3FN>, tensor<16x16xf32>, tensor<16x1xi8>) -> tensor<16x16xf32>
  tt.return
}

// -----

// CHECK: tt.dot_scaled: elements of shapes (16, 32), (16, 16) and (16, 16) do not multiply
tt.func @f(%a: tensor<16x16xi8>, %b: tensor<16x16xf8E4M3FN>, %c: tensor<16x16xf32>, %s: tensor<16x1xi8>) {
  %d = "tt.dot_scaled"(%a, %b, %c, %s) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 1>, a_elem_type = 4 : i32, b_elem_type = 0 : i32, fastMath = false, lhs_k_pack = true, rhs_k_pack = true}> : (tensor<16x16xi8>, tensor<16x16xf8E4M3FN>, tensor<16x16xf32>, tensor<16x1xi8>) -> tensor<16x16xf32>
  tt.return
}

// -----

// CHECK: tt.dot_scaled: a scale must have the shape (16, 1)
tt.func @f(%a: tensor<16x16xi8>, %b: tensor<32x16xf8E4M3FN>, %c: tensor<16x16xf32>, %s: tensor<1x16xi8>) {
  %d = "tt.dot_scaled"(%a, %b, %c, %s) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 1>, a_elem_type = 4 : i32, b_elem_type = 0 : i32, fastMath = false, lhs_k_pack = true, rhs_k_pack = true}> : (tensor<16x16xi8>, tensor<32x16xf8E4M3FN>, tensor<16x16xf32>, tensor<1x16xi8>) -> tensor<16x16xf32>
  tt.return
}

// -----

// CHECK: tt.fp_to_fp: the shapes must be equal
tt.func @f(%a: tensor<64xf8E5M2>) {
  %d = tt.fp_to_fp %a : tensor<64xf8E5M2> -> tensor<32xf16>
  tt.return
}
