// RUN: nt-opt %s --print-local-scope | filecheck %s
// RUN: nt-opt %s | nt-opt --print-local-scope | filecheck %s

// CHECK: nt.kernel @casts
nt.kernel @casts arrange {
  nt.arranged
} apply {
  // CHECK: %c = nt.constant 4294967295 : ui32
  %c = nt.constant 4294967295 : ui32
  // CHECK-NEXT: %x = nt.full %c : ui32 -> !nt.tensor<[64] x ui32>
  %x = nt.full %c : ui32 -> !nt.tensor<[64] x ui32>
  // CHECK-NEXT: %f = nt.bitcast %x : !nt.tensor<[64] x ui32> -> !nt.tensor<[64] x f32>
  %f = nt.bitcast %x : !nt.tensor<[64] x ui32> -> !nt.tensor<[64] x f32>
  // CHECK-NEXT: %h = nt.cast %f rounding "rtz" : !nt.tensor<[64] x f32> -> !nt.tensor<[64] x f16>
  %h = nt.cast %f rounding "rtz" : !nt.tensor<[64] x f32> -> !nt.tensor<[64] x f16>
  // CHECK-NEXT: %a = nt.reshape %h : !nt.tensor<[64] x f16> -> !nt.tensor<[8, 8] x f16>
  %a = nt.reshape %h : !nt.tensor<[64] x f16> -> !nt.tensor<[8, 8] x f16>
  // CHECK-NEXT: %d = nt.dot %a, %a, %a imprecise 8 : i32 : !nt.tensor<[8, 8] x f16>, !nt.tensor<[8, 8] x f16> -> !nt.tensor<[8, 8] x f16>
  %d = nt.dot %a, %a, %a imprecise 8 : i32 : !nt.tensor<[8, 8] x f16>, !nt.tensor<[8, 8] x f16> -> !nt.tensor<[8, 8] x f16>
  nt.return
}
