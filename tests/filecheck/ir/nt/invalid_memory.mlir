// RUN: nt-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK: nt.offsets: along must name dims of the block, ascending
nt.kernel @k symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %0 = nt.tile %x [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %0 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%a : !nt.tensor<[64] x f32>):
  %o = nt.offsets %a[] dim 0 along [1] : !nt.tensor<[64] x f32>[] -> i32
  nt.return
}

// -----

// CHECK: nt.offsets: the result must hold integers
nt.kernel @k symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %0 = nt.tile %x [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %0 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%a : !nt.tensor<[64] x f32>):
  %o = nt.offsets %a[] dim 0 along [0] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  nt.return
}

// -----

// CHECK: nt.offsets: the result must have type !nt.tensor<[64] x i32>, not i32
nt.kernel @k symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %0 = nt.tile %x [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %0 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%a : !nt.tensor<[64] x f32>):
  %o = nt.offsets %a[] dim 0 along [0] : !nt.tensor<[64] x f32>[] -> i32
  nt.return
}

// -----

// CHECK: nt.offsets: the source has no dim 1
nt.kernel @k symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %0 = nt.tile %x [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %0 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%a : !nt.tensor<[64] x f32>):
  %o = nt.offsets %a[] dim 1 along [0] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x i32>
  nt.return
}

// -----

// CHECK: nt.addptr: pointers are moved by integers
nt.kernel @k symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %0 = nt.tile %x [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %0 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%a : !nt.tensor<[64] x f32>):
  %s = nt.pointer %a : !nt.tensor<[64] x f32> -> !tt.ptr<f32>
  %p = nt.full %s : !tt.ptr<f32> -> !nt.tensor<[64] x !tt.ptr<f32>>
  %o = nt.load %a[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  %q = nt.addptr %p, %o : !nt.tensor<[64] x !tt.ptr<f32>>, !nt.tensor<[64] x f32>
  nt.return
}

// -----

// CHECK: nt.addptr: one offset a pointer
nt.kernel @k symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %0 = nt.tile %x [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %0 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%a : !nt.tensor<[64] x f32>):
  %s = nt.pointer %a : !nt.tensor<[64] x f32> -> !tt.ptr<f32>
  %p = nt.full %s : !tt.ptr<f32> -> !nt.tensor<[64] x !tt.ptr<f32>>
  %o = arith.constant 0 : i32
  %q = nt.addptr %p, %o : !nt.tensor<[64] x !tt.ptr<f32>>, i32
  nt.return
}

// -----

// CHECK: nt.pointer_load: i32 is no pointer
nt.kernel @k symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %0 = nt.tile %x [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %0 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%a : !nt.tensor<[64] x f32>):
  %p = arith.constant 0 : i32
  %q = nt.pointer_load %p : i32 -> i32
  nt.return
}

// -----

// CHECK: nt.pointer_load: !nt.tensor<[64] x !tt.ptr<f32>> does not point to f32
nt.kernel @k symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %0 = nt.tile %x [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %0 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%a : !nt.tensor<[64] x f32>):
  %s = nt.pointer %a : !nt.tensor<[64] x f32> -> !tt.ptr<f32>
  %p = nt.full %s : !tt.ptr<f32> -> !nt.tensor<[64] x !tt.ptr<f32>>
  %q = nt.pointer_load %p : !nt.tensor<[64] x !tt.ptr<f32>> -> f32
  nt.return
}

// -----

// CHECK: nt.pointer_load: one bit of mask a pointer
nt.kernel @k symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %0 = nt.tile %x [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %0 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%a : !nt.tensor<[64] x f32>):
  %s = nt.pointer %a : !nt.tensor<[64] x f32> -> !tt.ptr<f32>
  %p = nt.full %s : !tt.ptr<f32> -> !nt.tensor<[64] x !tt.ptr<f32>>
  %m = arith.constant true
  %q = nt.pointer_load %p mask %m : i1 : !nt.tensor<[64] x !tt.ptr<f32>> -> !nt.tensor<[64] x f32>
  nt.return
}

// -----

// CHECK: nt.pointer_load: other needs a mask, and the result's type
nt.kernel @k symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %0 = nt.tile %x [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %0 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%a : !nt.tensor<[64] x f32>):
  %s = nt.pointer %a : !nt.tensor<[64] x f32> -> !tt.ptr<f32>
  %p = nt.full %s : !tt.ptr<f32> -> !nt.tensor<[64] x !tt.ptr<f32>>
  %o = nt.load %a[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  %q = nt.pointer_load %p other %o : !nt.tensor<[64] x f32> : !nt.tensor<[64] x !tt.ptr<f32>> -> !nt.tensor<[64] x f32>
  nt.return
}

// -----

// CHECK: nt.atomic: there is no function cas
nt.kernel @k symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %0 = nt.tile %x [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %0 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%a : !nt.tensor<[64] x f32>):
  %s = nt.pointer %a : !nt.tensor<[64] x f32> -> !tt.ptr<f32>
  %p = nt.full %s : !tt.ptr<f32> -> !nt.tensor<[64] x !tt.ptr<f32>>
  %o = nt.load %a[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  %q = nt.atomic "cas" %p, %o "acq_rel" "gpu" : !nt.tensor<[64] x !tt.ptr<f32>>, !nt.tensor<[64] x f32>
  nt.return
}

// -----

// CHECK: nt.atomic: and takes no fp32
nt.kernel @k symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %0 = nt.tile %x [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %0 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%a : !nt.tensor<[64] x f32>):
  %s = nt.pointer %a : !nt.tensor<[64] x f32> -> !tt.ptr<f32>
  %p = nt.full %s : !tt.ptr<f32> -> !nt.tensor<[64] x !tt.ptr<f32>>
  %o = nt.load %a[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  %q = nt.atomic "and" %p, %o "acq_rel" "gpu" : !nt.tensor<[64] x !tt.ptr<f32>>, !nt.tensor<[64] x f32>
  nt.return
}

// -----

// CHECK: nt.atomic_cas: there is no order 'seq_cst' of scope 'gpu'
nt.kernel @k symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %0 = nt.tile %x [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %0 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%a : !nt.tensor<[64] x f32>):
  %s = nt.pointer %a : !nt.tensor<[64] x f32> -> !tt.ptr<f32>
  %p = nt.full %s : !tt.ptr<f32> -> !nt.tensor<[64] x !tt.ptr<f32>>
  %o = nt.load %a[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  %q = nt.atomic_cas %p, %o, %o "seq_cst" "gpu" : !nt.tensor<[64] x !tt.ptr<f32>>, !nt.tensor<[64] x f32>
  nt.return
}

// -----

// CHECK: nt.load: a descriptor is of 2 to 5 dims of the source, each once
nt.kernel @k symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %0 = nt.tile %x [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %0 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%a : !nt.tensor<[64] x f32>):
  %v = nt.load %a[] descriptor [0] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  nt.return
}

// -----

// CHECK: nt.store: a descriptor is of 2 to 5 dims of the source, each once
nt.kernel @k symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %0 = nt.tile %x [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %0 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%a : !nt.tensor<[64] x f32>):
  %v = nt.load %a[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  nt.store %v, %a[] descriptor [1, 1] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  nt.return
}

// -----

// CHECK: nt.load: the host makes no descriptor where there is none
nt.kernel @k symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %0 = nt.tile %x [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %0 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%a : !nt.tensor<[64] x f32>):
  %v = nt.load %a[] by_host : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  nt.return
}

// -----

// CHECK: nt.host_descriptor: 1 sizes for a box tensor<8x64xf16>
nt.kernel @k symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [n, 1] aligned true : !nt.tensor<[n, n] x f16>
  nt.arranged %x : !nt.tensor<[n, n] x f16>
} apply {
^bb0(%a : !nt.tensor<[] x f16>):
  %d = nt.host_descriptor %a [n] strides [n, 1] : !nt.tensor<[] x f16> -> !tt.tensordesc<tensor<8x64xf16>>
  nt.return
}

// -----

// CHECK: nt.host_descriptor: 3 strides for a box tensor<8x64xf16>
nt.kernel @k symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [n, 1] aligned true : !nt.tensor<[n, n] x f16>
  nt.arranged %x : !nt.tensor<[n, n] x f16>
} apply {
^bb0(%a : !nt.tensor<[] x f16>):
  %d = nt.host_descriptor %a [n, n] strides [n, n, 1] : !nt.tensor<[] x f16> -> !tt.tensordesc<tensor<8x64xf16>>
  nt.return
}

// -----

// CHECK: nt.host_descriptor: the last stride is 1
nt.kernel @k symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [n, 1] aligned true : !nt.tensor<[n, n] x f16>
  nt.arranged %x : !nt.tensor<[n, n] x f16>
} apply {
^bb0(%a : !nt.tensor<[] x f16>):
  %d = nt.host_descriptor %a [n, n] strides [1, n] : !nt.tensor<[] x f16> -> !tt.tensordesc<tensor<8x64xf16>>
  nt.return
}

// -----

// CHECK: nt.load: indices of boxes are not clamped
nt.kernel @k symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %0 = nt.tile %x [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %0 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%a : !nt.tensor<[64] x f32>):
  %v = nt.load %a[] guards [] clamped [[b0, n]] descriptor [0, 1] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  nt.return
}

// -----

// CHECK: nt.scratch: a program has at least one element
nt.kernel @k symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  nt.arranged %x : !nt.tensor<[n] x f32>
} apply {
^bb0(%a : !nt.tensor<[] x f32>):
  %p = nt.scratch "partials" 0 : !tt.ptr<f32>
  nt.return
}
