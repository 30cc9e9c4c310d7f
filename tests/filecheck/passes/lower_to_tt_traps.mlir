// RUN: nt-opt %s --print-local-scope -p 'nt-lower-to-tt{target="sm_90"}' | filecheck %s
// RUN: nt-opt %s --print-local-scope -p 'nt-lower-to-tt{target="sm_90" trapped_assertions=false}' | filecheck %s --check-prefix=SAID
// RUN: nt-opt %s --print-local-scope -p 'nt-lower-to-tt{target="sm_80"}' | filecheck %s --check-prefix=SAID
// RUN: nt-opt %s --print-local-scope -p 'nt-lower-to-tt{target="sm_100"}' | filecheck %s --check-prefix=SAID
// RUN: nt-opt %s --print-local-scope -p nt-lower-to-tt | filecheck %s --check-prefix=SAID

// Beside a dot of warp groups, a call would make products wait: the assertion traps, and its message is a comment of one line.
// CHECK-LABEL: tt.func @warp_groups
// CHECK: [[lanes:%.*]] = arith.extui %m : tensor<64x16xi1> to tensor<64x16xi32>
// CHECK-NEXT: %{{.*}} = tt.elementwise_inline_asm "{ .reg .pred p; setp.eq.u32 p, $1, 0; @p trap; mov.u32 $0, $1; } // 5 $$ (\\n \\xe9) {x}" [[lanes]] {constraints = "=r,r", pure = false, packed_element = 1 : i32} : (tensor<64x16xi32>) -> tensor<64x16xi32>
// CHECK: tt.dot
// CHECK-NOT: tt.assert
// SAID-LABEL: tt.func @warp_groups
// SAID: tt.assert %m
// SAID-NOT: tt.elementwise_inline_asm
nt.kernel @warp_groups grid #nt.expr<1> arrange {
  nt.arranged
} apply {
  %zero = arith.constant 0.0 : f16
  %none = arith.constant 0.0 : f32
  %a = nt.full %zero : f16 -> !nt.tensor<[64, 16] x f16>
  %b = nt.full %zero : f16 -> !nt.tensor<[16, 16] x f16>
  %c = nt.full %none : f32 -> !nt.tensor<[64, 16] x f32>
  %m = nt.elementwise "eq"(%a, %a) : (!nt.tensor<[64, 16] x f16>, !nt.tensor<[64, 16] x f16>) -> !nt.tensor<[64, 16] x i1>
  nt.assert %m, "5 $ (\n é) {x}" : !nt.tensor<[64, 16] x i1>
  %d = nt.dot %a, %b, %c "tf32" imprecise 0 : i32 : !nt.tensor<[64, 16] x f16>, !nt.tensor<[16, 16] x f16> -> !nt.tensor<[64, 16] x f32>
  nt.return
}

// Too few rows for a warp group: it says what it has to say.
// CHECK-LABEL: tt.func @few_rows
// CHECK: tt.assert %m, "it holds" : i1
nt.kernel @few_rows grid #nt.expr<1> arrange {
  nt.arranged
} apply {
  %zero = arith.constant 0.0 : f16
  %none = arith.constant 0.0 : f32
  %a = nt.full %zero : f16 -> !nt.tensor<[32, 16] x f16>
  %b = nt.full %zero : f16 -> !nt.tensor<[16, 16] x f16>
  %c = nt.full %none : f32 -> !nt.tensor<[32, 16] x f32>
  %m = arith.constant true
  nt.assert %m, "it holds" : i1
  %d = nt.dot %a, %b, %c "tf32" imprecise 0 : i32 : !nt.tensor<[32, 16] x f16>, !nt.tensor<[16, 16] x f16> -> !nt.tensor<[32, 16] x f32>
  nt.return
}

// Nor is one beside no dot.
// CHECK-LABEL: tt.func @no_dot
// CHECK: tt.assert %m, "it holds" : i1
nt.kernel @no_dot grid #nt.expr<1> arrange {
  nt.arranged
} apply {
  %m = arith.constant true
  nt.assert %m, "it holds" : i1
  nt.return
}
