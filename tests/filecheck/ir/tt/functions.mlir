// RUN: nt-opt %s | nt-opt --print-local-scope | filecheck %s
// RUN: nt-opt %s --print-op-generic | nt-opt --print-local-scope | filecheck %s

// CHECK-LABEL: tt.func @ops
// CHECK: %clamp = tt.clampf %x, %x, %x {propagateNan = 65535 : i32} : tensor<64xf32>
// CHECK-NEXT: %root = tt.precise_sqrt %x : tensor<64xf32>
// CHECK-NEXT: %quotient = tt.precise_divf %x, %root : tensor<64xf32>
// CHECK-NEXT: %tanh = tt.extern_elementwise %x {libname = "", libpath = "", symbol = "__nv_tanhf", pure = true} : (tensor<64xf32>) -> tensor<64xf32>
// CHECK-NEXT: %one, %two = tt.elementwise_inline_asm "mov.b32 $0, $2;\0Amov.b32 $1, $2;" %x {constraints = "=r,=r,r", pure = false, packed_element = 2 : i32} : (tensor<64xf32>) -> (tensor<64xi32>, tensor<64xi32>)
// CHECK-NEXT: %count = tt.get_num_programs 0 : i32
// CHECK-NEXT: tt.print " x: " %x, %n {hex = true, isSigned = array<i32: 0, 1>} : tensor<64xf32>, i32
// CHECK-NEXT: tt.print " nothing" {hex = false, isSigned = array<i32>}
// CHECK-NEXT: tt.assert %b, "kernel.py:3: it holds" : i1
// CHECK-NEXT: llvm.intr.assume %b {op_bundle_sizes = array<i32>} : i1
// CHECK-NEXT: %v = tt.load %p, %b cacheModifier = cg evictionPolicy = evict_last volatile {tt.divisibility = dense<16> : tensor<1xi32>} : !tt.ptr<f32>
// CHECK-NEXT: %w = tt.load %p evictionPolicy = evict_first : !tt.ptr<f32>
// CHECK-NEXT: tt.store %p, %v, %b cacheModifier = wt : !tt.ptr<f32>
// CHECK-NEXT: tt.store %p, %w : !tt.ptr<f32>
tt.func @ops(%x: tensor<64xf32>, %n: i32, %b: i1, %p: !tt.ptr<f32>) attributes {} {
  %clamp = tt.clampf %x, %x, %x {propagateNan = 65535 : i32} : tensor<64xf32>
  %root = tt.precise_sqrt %x : tensor<64xf32>
  %quotient = tt.precise_divf %x, %root : tensor<64xf32>
  %tanh = tt.extern_elementwise %x {libname = "", libpath = "", symbol = "__nv_tanhf", pure = true} : (tensor<64xf32>) -> tensor<64xf32>
  %one, %two = tt.elementwise_inline_asm "mov.b32 $0, $2;\nmov.b32 $1, $2;" %x {constraints = "=r,=r,r", pure = false, packed_element = 2 : i32} : (tensor<64xf32>) -> (tensor<64xi32>, tensor<64xi32>)
  %count = tt.get_num_programs 0 : i32
  tt.print " x: " %x, %n {hex = true, isSigned = array<i32: 0, 1>} : tensor<64xf32>, i32
  tt.print " nothing" {hex = false, isSigned = array<i32>}
  tt.assert %b, "kernel.py:3: it holds" : i1
  llvm.intr.assume %b {op_bundle_sizes = array<i32>} : i1
  %v = tt.load %p, %b cacheModifier = cg evictionPolicy = evict_last volatile {tt.divisibility = dense<16> : tensor<1xi32>} : !tt.ptr<f32>
  %w = tt.load %p evictionPolicy = evict_first : !tt.ptr<f32>
  tt.store %p, %v, %b cacheModifier = wt : !tt.ptr<f32>
  tt.store %p, %w : !tt.ptr<f32>
  tt.return
}
