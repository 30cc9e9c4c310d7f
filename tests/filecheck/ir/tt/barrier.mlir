// RUN: nt-opt %s | nt-opt | filecheck %s
// RUN: nt-opt %s --print-op-generic | nt-opt | filecheck %s

// Loads before and behind a barrier are not merged.
// RUN: nt-opt %s -p cse,canonicalize,dce | filecheck %s --check-prefix=KEPT

// CHECK-LABEL: tt.func @ops
// KEPT-LABEL: tt.func @ops
tt.func @ops(%x: !tt.ptr<f32> {nt.param = "x"}) {
  // KEPT: tt.load
  %v = tt.load %x : !tt.ptr<f32>
  // CHECK: gpu.barrier
  // KEPT-NEXT: gpu.barrier
  gpu.barrier
  // KEPT-NEXT: tt.load
  %w = tt.load %x : !tt.ptr<f32>
  %s = arith.addf %v, %w : f32
  tt.store %x, %s : !tt.ptr<f32>
  tt.return
}
