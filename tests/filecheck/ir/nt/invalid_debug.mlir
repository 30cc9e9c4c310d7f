// RUN: nt-opt %s --split-input-file --verify-diagnostics | filecheck %s

// Only bits hold or do not.
// CHECK: nt.assert: the condition must hold bits
nt.kernel @k arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x0 = nt.tile %x [B] strides [B] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv B] x !nt.tensor<[B] x f32>>
  nt.arranged %x0 : !nt.tensor<[n ceildiv B] x !nt.tensor<[B] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[B] x f32>):
  %v = nt.load %xs[] : !nt.tensor<[B] x f32>[] -> !nt.tensor<[B] x f32>
  nt.assert %v, "" : !nt.tensor<[B] x f32>
  nt.return
}

// -----

// A word that is no hint.
// CHECK: nt.hint: there is no hint parity
nt.kernel @k arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x0 = nt.tile %x [B] strides [B] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv B] x !nt.tensor<[B] x f32>>
  nt.arranged %x0 : !nt.tensor<[n ceildiv B] x !nt.tensor<[B] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[B] x f32>):
  %v = nt.load %xs[] : !nt.tensor<[B] x f32>[] -> !nt.tensor<[B] x f32>
  %h = nt.hint "parity" [2] %v : !nt.tensor<[B] x f32>
  nt.return
}

// -----

// A number a dim.
// CHECK: nt.hint: one number a dim
nt.kernel @k arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x0 = nt.tile %x [B] strides [B] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv B] x !nt.tensor<[B] x f32>>
  nt.arranged %x0 : !nt.tensor<[n ceildiv B] x !nt.tensor<[B] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[B] x f32>):
  %v = nt.load %xs[] : !nt.tensor<[B] x f32>[] -> !nt.tensor<[B] x f32>
  %h = nt.hint "constancy" [2, 2] %v : !nt.tensor<[B] x f32>
  nt.return
}

// -----

// Assembly without a result.
// CHECK: nt.inline_asm: assembly must give a result
nt.kernel @k arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x0 = nt.tile %x [B] strides [B] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv B] x !nt.tensor<[B] x f32>>
  nt.arranged %x0 : !nt.tensor<[n ceildiv B] x !nt.tensor<[B] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[B] x f32>):
  %v = nt.load %xs[] : !nt.tensor<[B] x f32>[] -> !nt.tensor<[B] x f32>
  "nt.inline_asm"(%v) <{asm = "", constraints = "", pure = true, pack = 1 : i32}> : (!nt.tensor<[B] x f32>) -> ()
  nt.return
}

// -----

// Assembly is elementwise.
// CHECK: nt.inline_asm: the arguments and results must have one shape
nt.kernel @k arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x0 = nt.tile %x [B] strides [B] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv B] x !nt.tensor<[B] x f32>>
  nt.arranged %x0 : !nt.tensor<[n ceildiv B] x !nt.tensor<[B] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[B] x f32>):
  %v = nt.load %xs[] : !nt.tensor<[B] x f32>[] -> !nt.tensor<[B] x f32>
  %y = nt.inline_asm "" "" pure true pack 1 : i32(%v) : (!nt.tensor<[B] x f32>) -> f32
  nt.return
}

// -----

// A function of the device libraries that takes no such element types.
// CHECK: nt.elementwise: libdevice.popc has no form of these types
nt.kernel @k arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x0 = nt.tile %x [B] strides [B] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv B] x !nt.tensor<[B] x f32>>
  nt.arranged %x0 : !nt.tensor<[n ceildiv B] x !nt.tensor<[B] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[B] x f32>):
  %v = nt.load %xs[] : !nt.tensor<[B] x f32>[] -> !nt.tensor<[B] x f32>
  %y = nt.elementwise "libdevice.popc"(%v) : (!nt.tensor<[B] x f32>) -> !nt.tensor<[B] x i32>
  nt.return
}

// -----

// One that gives another element type.
// CHECK: nt.elementwise: libdevice.isnan has no form of these types
nt.kernel @k arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x0 = nt.tile %x [B] strides [B] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv B] x !nt.tensor<[B] x f32>>
  nt.arranged %x0 : !nt.tensor<[n ceildiv B] x !nt.tensor<[B] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[B] x f32>):
  %v = nt.load %xs[] : !nt.tensor<[B] x f32>[] -> !nt.tensor<[B] x f32>
  %y = nt.elementwise "libdevice.isnan"(%v) : (!nt.tensor<[B] x f32>) -> !nt.tensor<[B] x f32>
  nt.return
}

// -----

// A cache modifier of stores on a load.
// CHECK: nt.pointer_load: there is no CachePolicy
nt.kernel @k arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x0 = nt.tile %x [B] strides [B] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv B] x !nt.tensor<[B] x f32>>
  nt.arranged %x0 : !nt.tensor<[n ceildiv B] x !nt.tensor<[B] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[B] x f32>):
  %v = nt.load %xs[] : !nt.tensor<[B] x f32>[] -> !nt.tensor<[B] x f32>
  %p = nt.pointer %xs : !nt.tensor<[B] x f32> -> !tt.ptr<f32>
  %y = nt.pointer_load %p cache ".wt" : !tt.ptr<f32> -> f32
  nt.return
}

// -----

// An eviction policy that there is not.
// CHECK: nt.pointer_store: there is no eviction policy 'evict_soon'
nt.kernel @k arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x0 = nt.tile %x [B] strides [B] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv B] x !nt.tensor<[B] x f32>>
  nt.arranged %x0 : !nt.tensor<[n ceildiv B] x !nt.tensor<[B] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[B] x f32>):
  %v = nt.load %xs[] : !nt.tensor<[B] x f32>[] -> !nt.tensor<[B] x f32>
  %p = nt.pointer %xs : !nt.tensor<[B] x f32> -> !tt.ptr<f32>
  %y = arith.constant 1.0 : f32
  nt.pointer_store %y, %p evict "evict_soon" : f32, !tt.ptr<f32>
  nt.return
}
