// RUN: nt-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK: nt.constant: the type must be unsigned; use arith.constant
nt.kernel @k arrange {
  nt.arranged
} apply {
  %c = nt.constant 3 : i32
  nt.return
}

// -----

// CHECK: nt.constant: the result must have the number's type
nt.kernel @k arrange {
  nt.arranged
} apply {
  %c = "nt.constant"() <{value = 3 : ui32}> : () -> ui8
  nt.return
}

// -----

// CHECK: nt.cast: the shapes must be equal
nt.kernel @k arrange {
  nt.arranged
} apply {
  %x0 = arith.constant 1.0 : f32
  %x = nt.full %x0 : f32 -> !nt.tensor<[64] x f32>
  %c = nt.cast %x : !nt.tensor<[64] x f32> -> !nt.tensor<[32] x f16>
  nt.return
}

// -----

// CHECK: nt.cast: there is no rounding up
nt.kernel @k arrange {
  nt.arranged
} apply {
  %x0 = arith.constant 1.0 : f32
  %x = nt.full %x0 : f32 -> !nt.tensor<[64] x f32>
  %c = nt.cast %x rounding "up" : !nt.tensor<[64] x f32> -> !nt.tensor<[64] x f16>
  nt.return
}

// -----

// CHECK: nt.cast: only a float in fewer bits is rounded
nt.kernel @k arrange {
  nt.arranged
} apply {
  %x0 = arith.constant 1.0 : f16
  %x = nt.full %x0 : f16 -> !nt.tensor<[64] x f16>
  %c = nt.cast %x rounding "rtz" : !nt.tensor<[64] x f16> -> !nt.tensor<[64] x f32>
  nt.return
}

// -----

// CHECK: nt.bitcast: the shapes must be equal
nt.kernel @k arrange {
  nt.arranged
} apply {
  %x0 = arith.constant 1.0 : f32
  %x = nt.full %x0 : f32 -> !nt.tensor<[64] x f32>
  %c = nt.bitcast %x : !nt.tensor<[64] x f32> -> !nt.tensor<[32] x i32>
  nt.return
}

// -----

// CHECK: nt.bitcast: 32 bits are not 16 bits
nt.kernel @k arrange {
  nt.arranged
} apply {
  %x0 = arith.constant 1.0 : f32
  %x = nt.full %x0 : f32 -> !nt.tensor<[64] x f32>
  %c = nt.bitcast %x : !nt.tensor<[64] x f32> -> !nt.tensor<[64] x i16>
  nt.return
}
