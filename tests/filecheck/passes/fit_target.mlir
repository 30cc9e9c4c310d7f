// RUN: nt-opt %s --print-local-scope -p 'nt-fit-target{target="sm_90"}' | filecheck %s
// RUN: nt-opt %s -p 'nt-fit-target{target="gfx90a"}' | filecheck %s --check-prefix=AMD
// RUN: nt-opt %s --print-local-scope -p nt-fit-target | filecheck %s --check-prefix=CPU

// The target's default precision; where it has no tf32, another. A precision that is given stays.
// CHECK-LABEL: nt.kernel @defaults
// CHECK: %d = nt.dot %a, %b, %c "tf32" imprecise 0 : i32
// CHECK-NEXT: %e = nt.dot %a, %b, %d "bf16x3" imprecise 0 : i32
// AMD-LABEL: nt.kernel @defaults
// AMD: %d = nt.dot %a, %b, %c "ieee" imprecise 0 : i32
// CPU-LABEL: nt.kernel @defaults
// CPU: %d = nt.dot %a, %b, %c : !nt.tensor<[16, 16] x f32>
nt.kernel @defaults arrange {
  nt.arranged
} apply {
  %zero = arith.constant 0.0 : f32
  %a = nt.full %zero : f32 -> !nt.tensor<[16, 16] x f32>
  %b = nt.full %zero : f32 -> !nt.tensor<[16, 16] x f32>
  %c = nt.full %zero : f32 -> !nt.tensor<[16, 16] x f32>
  %d = nt.dot %a, %b, %c : !nt.tensor<[16, 16] x f32>, !nt.tensor<[16, 16] x f32> -> !nt.tensor<[16, 16] x f32>
  %e = nt.dot %a, %b, %d "bf16x3" : !nt.tensor<[16, 16] x f32>, !nt.tensor<[16, 16] x f32> -> !nt.tensor<[16, 16] x f32>
  nt.return
}

// Floats of eight bits are summed as Hopper does it.
// CHECK-LABEL: nt.kernel @eight
// CHECK: %d = nt.dot %a, %b, %c "tf32" imprecise 1073741824 : i32
// AMD-LABEL: nt.kernel @eight
// AMD: %d = nt.dot %a, %b, %c "ieee" imprecise 0 : i32
nt.kernel @eight arrange {
  nt.arranged
} apply {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f8E5M2
  %a = nt.full %one : f8E5M2 -> !nt.tensor<[16, 32] x f8E5M2>
  %b = nt.full %one : f8E5M2 -> !nt.tensor<[32, 16] x f8E5M2>
  %c = nt.full %zero : f32 -> !nt.tensor<[16, 16] x f32>
  %d = nt.dot %a, %b, %c : !nt.tensor<[16, 32] x f8E5M2>, !nt.tensor<[32, 16] x f8E5M2> -> !nt.tensor<[16, 16] x f32>
  nt.return
}

// K too small for a matrix unit: 4 of 16 lanes are the user's, of each batch.
// CHECK-LABEL: nt.kernel @deepened
// CHECK: [[a:%.*]] = nt.expand_dims %a axis 3 : !nt.tensor<[2, 16, 4] x f16> -> !nt.tensor<[2, 16, 4, 1] x f16>
// CHECK-NEXT: [[wide:%.*]] = nt.broadcast [[a]] : !nt.tensor<[2, 16, 4, 1] x f16> -> !nt.tensor<[2, 16, 4, 4] x f16>
// CHECK: [[lanes:%.*]] = nt.arange <0> : !nt.tensor<[4] x i32>
// CHECK-NEXT: [[one:%.*]] = nt.size <1> : i32
// CHECK-NEXT: [[first:%.*]] = nt.full [[one]] : i32 -> !nt.tensor<[4] x i32>
// CHECK-NEXT: nt.elementwise "lt"([[lanes]], [[first]])
// CHECK: [[chosen:%.*]] = nt.elementwise "where"({{.*}}, [[wide]], {{.*}})
// CHECK-NEXT: [[left:%.*]] = nt.reshape [[chosen]] : !nt.tensor<[2, 16, 4, 4] x f16> -> !nt.tensor<[2, 16, 16] x f16>
// CHECK: [[b:%.*]] = nt.expand_dims %b axis 2 : !nt.tensor<[2, 4, 16] x f16> -> !nt.tensor<[2, 4, 1, 16] x f16>
// CHECK: [[right:%.*]] = nt.reshape {{.*}} : !nt.tensor<[2, 4, 4, 16] x f16> -> !nt.tensor<[2, 16, 16] x f16>
// CHECK-NEXT: %d = nt.dot [[left]], [[right]], %c "tf32" imprecise 0 : i32
// AMD-LABEL: nt.kernel @deepened
// AMD: %d = nt.dot %a, %b, %c "ieee"
nt.kernel @deepened arrange {
  nt.arranged
} apply {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f16
  %a = nt.full %one : f16 -> !nt.tensor<[2, 16, 4] x f16>
  %b = nt.full %one : f16 -> !nt.tensor<[2, 4, 16] x f16>
  %c = nt.full %zero : f32 -> !nt.tensor<[2, 16, 16] x f32>
  %d = nt.dot %a, %b, %c : !nt.tensor<[2, 16, 4] x f16>, !nt.tensor<[2, 4, 16] x f16> -> !nt.tensor<[2, 16, 16] x f32>
  nt.return
}
