// RUN: nt-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK: nt.dot: !nt.tensor<[4, 16, 32] x f16> and !nt.tensor<[2, 32, 16] x f16> do not multiply
nt.kernel @k arrange {
  nt.arranged
} apply {
  %a0 = arith.constant 1.0 : f16
  %a = nt.full %a0 : f16 -> !nt.tensor<[4, 16, 32] x f16>
  %b0 = arith.constant 1.0 : f16
  %b = nt.full %b0 : f16 -> !nt.tensor<[2, 32, 16] x f16>
  %c0 = arith.constant 1.0 : f32
  %c = nt.full %c0 : f32 -> !nt.tensor<[4, 16, 16] x f32>
  %d = nt.dot %a, %b, %c : !nt.tensor<[4, 16, 32] x f16>, !nt.tensor<[2, 32, 16] x f16> -> !nt.tensor<[4, 16, 16] x f32>
  nt.return
}

// -----

// CHECK: nt.dot: there is no precision fp8
nt.kernel @k arrange {
  nt.arranged
} apply {
  %a0 = arith.constant 1.0 : f16
  %a = nt.full %a0 : f16 -> !nt.tensor<[16, 32] x f16>
  %b0 = arith.constant 1.0 : f16
  %b = nt.full %b0 : f16 -> !nt.tensor<[32, 16] x f16>
  %c0 = arith.constant 1.0 : f32
  %c = nt.full %c0 : f32 -> !nt.tensor<[16, 16] x f32>
  %d = nt.dot %a, %b, %c "fp8" : !nt.tensor<[16, 32] x f16>, !nt.tensor<[32, 16] x f16> -> !nt.tensor<[16, 16] x f32>
  nt.return
}

// -----

// CHECK: nt.dot: a product of fp16 and fp16 is no fp64
nt.kernel @k arrange {
  nt.arranged
} apply {
  %a0 = arith.constant 1.0 : f16
  %a = nt.full %a0 : f16 -> !nt.tensor<[16, 32] x f16>
  %b0 = arith.constant 1.0 : f16
  %b = nt.full %b0 : f16 -> !nt.tensor<[32, 16] x f16>
  %c0 = arith.constant 1.0 : f64
  %c = nt.full %c0 : f64 -> !nt.tensor<[16, 16] x f64>
  %d = nt.dot %a, %b, %c : !nt.tensor<[16, 32] x f16>, !nt.tensor<[32, 16] x f16> -> !nt.tensor<[16, 16] x f64>
  nt.return
}

// -----

// CHECK: nt.dot_scaled: there is no format e3m2
nt.kernel @k arrange {
  nt.arranged
} apply {
  %a0 = nt.constant 1 : ui8
  %a = nt.full %a0 : ui8 -> !nt.tensor<[16, 16] x ui8>
  %b0 = arith.constant 1.0 : f8E4M3FN
  %b = nt.full %b0 : f8E4M3FN -> !nt.tensor<[32, 16] x f8E4M3FN>
  %c0 = arith.constant 1.0 : f32
  %c = nt.full %c0 : f32 -> !nt.tensor<[16, 16] x f32>
  %d = "nt.dot_scaled"(%a, %b, %c) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>, a_format = "e3m2", b_format = "e4m3", a_k_pack = true, b_k_pack = true, fast_math = false}> : (!nt.tensor<[16, 16] x ui8>, !nt.tensor<[32, 16] x f8E4M3FN>, !nt.tensor<[16, 16] x f32>) -> !nt.tensor<[16, 16] x f32>
  nt.return
}

// -----

// CHECK: nt.dot_scaled: !nt.tensor<[16, 32] x ui8> and !nt.tensor<[32, 16] x f8E4M3FN> do not multiply to !nt.tensor<[16, 16] x f32>
nt.kernel @k arrange {
  nt.arranged
} apply {
  %a0 = nt.constant 1 : ui8
  %a = nt.full %a0 : ui8 -> !nt.tensor<[16, 32] x ui8>
  %b0 = arith.constant 1.0 : f8E4M3FN
  %b = nt.full %b0 : f8E4M3FN -> !nt.tensor<[32, 16] x f8E4M3FN>
  %c0 = arith.constant 1.0 : f32
  %c = nt.full %c0 : f32 -> !nt.tensor<[16, 16] x f32>
  %d = "nt.dot_scaled"(%a, %b, %c) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>, a_format = "e2m1", b_format = "e4m3", a_k_pack = true, b_k_pack = true, fast_math = false}> : (!nt.tensor<[16, 32] x ui8>, !nt.tensor<[32, 16] x f8E4M3FN>, !nt.tensor<[16, 16] x f32>) -> !nt.tensor<[16, 16] x f32>
  nt.return
}

// -----

// CHECK: nt.dot_scaled: e4m3 lies in fp8e4nv
nt.kernel @k arrange {
  nt.arranged
} apply {
  %a0 = nt.constant 1 : ui8
  %a = nt.full %a0 : ui8 -> !nt.tensor<[16, 16] x ui8>
  %b0 = arith.constant 1.0 : f8E5M2
  %b = nt.full %b0 : f8E5M2 -> !nt.tensor<[32, 16] x f8E5M2>
  %c0 = arith.constant 1.0 : f32
  %c = nt.full %c0 : f32 -> !nt.tensor<[16, 16] x f32>
  %d = "nt.dot_scaled"(%a, %b, %c) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>, a_format = "e2m1", b_format = "e4m3", a_k_pack = true, b_k_pack = true, fast_math = false}> : (!nt.tensor<[16, 16] x ui8>, !nt.tensor<[32, 16] x f8E5M2>, !nt.tensor<[16, 16] x f32>) -> !nt.tensor<[16, 16] x f32>
  nt.return
}

// -----

// CHECK: nt.dot_scaled: a scale must be !nt.tensor<[16, 1] x ui8>
nt.kernel @k arrange {
  nt.arranged
} apply {
  %a0 = nt.constant 1 : ui8
  %a = nt.full %a0 : ui8 -> !nt.tensor<[16, 16] x ui8>
  %b0 = arith.constant 1.0 : f8E4M3FN
  %b = nt.full %b0 : f8E4M3FN -> !nt.tensor<[32, 16] x f8E4M3FN>
  %c0 = arith.constant 1.0 : f32
  %c = nt.full %c0 : f32 -> !nt.tensor<[16, 16] x f32>
  %t0 = nt.constant 1 : ui8
  %t = nt.full %t0 : ui8 -> !nt.tensor<[1, 16] x ui8>
  %d = "nt.dot_scaled"(%a, %b, %c, %t) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 1>, a_format = "e2m1", b_format = "e4m3", a_k_pack = true, b_k_pack = true, fast_math = false}> : (!nt.tensor<[16, 16] x ui8>, !nt.tensor<[32, 16] x f8E4M3FN>, !nt.tensor<[16, 16] x f32>, !nt.tensor<[1, 16] x ui8>) -> !nt.tensor<[16, 16] x f32>
  nt.return
}
