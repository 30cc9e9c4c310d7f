// RUN: nt-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK: nt.kernel: symbol n is declared twice
nt.kernel @k symbols [#nt.symbol<n size 0 to ?>, #nt.symbol<n size 0 to ?>] arrange {
  nt.arranged
} apply {
  nt.return
}

// -----

// CHECK: nt.kernel: the arrangement must end in nt.arranged
nt.kernel @k arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
} apply {
  nt.return
}

// -----

// CHECK: nt.kernel: 0 tensors are arranged, the application takes 1
nt.kernel @k arrange {
  nt.arranged
} apply {
^bb0(%a : f32):
  nt.return
}

// -----

// CHECK: nt.source: there is no kind array
nt.kernel @k arrange {
  %x = nt.source "x" "array" strides [1] aligned false : !nt.tensor<[n] x f32>
  nt.arranged
} apply {
  nt.return
}

// -----

// CHECK: nt.source: a constexpr, and nothing else, has a value
nt.kernel @k arrange {
  %x = nt.source "x" "constexpr" strides [] aligned false : !nt.tensor<[] x f32>
  nt.arranged
} apply {
  nt.return
}

// -----

// CHECK: nt.source: a constexpr, and nothing else, has a value
nt.kernel @k arrange {
  %x = nt.source "x" "scalar" strides [] value 1 : i32 aligned false : !nt.tensor<[] x f32>
  nt.arranged
} apply {
  nt.return
}

// -----

// CHECK: nt.source: the type must have one level
nt.kernel @k arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x !nt.tensor<[4] x f32>>
  nt.arranged
} apply {
  nt.return
}

// -----

// CHECK: nt.source: 2 strides for 1 dims
nt.kernel @k arrange {
  %x = nt.source "x" "tensor" strides [1, 1] aligned false : !nt.tensor<[n] x f32>
  nt.arranged
} apply {
  nt.return
}

// -----

// CHECK: nt.source: 2 packed strides for 1 dims
nt.kernel @k arrange {
  %x = nt.source "x" "tensor" strides [1] packed [1, 1] aligned false : !nt.tensor<[n] x f32>
  nt.arranged
} apply {
  nt.return
}

// -----

// CHECK: nt.source: only a tensor is packed, without sequences and computed strides
nt.kernel @k arrange {
  %x = nt.source "x" "tensor" strides [1] computed [1] packed [1] aligned false : !nt.tensor<[n] x f32>
  nt.arranged
} apply {
  nt.return
}

// -----

// CHECK: nt.squeeze: there is no level 1
nt.kernel @k arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[1] x f32>
  %0 = nt.squeeze %x [0] level 1 : !nt.tensor<[1] x f32> -> !nt.tensor<[] x f32>
  nt.arranged
} apply {
  nt.return
}

// -----

// CHECK: nt.permute: the result must have type !nt.tensor<[n, m] x f32>, not !nt.tensor<[m, n] x f32>
nt.kernel @k arrange {
  %x = nt.source "x" "tensor" strides [n, 1] aligned false : !nt.tensor<[m, n] x f32>
  %0 = nt.permute %x [1, 0] level 0 : !nt.tensor<[m, n] x f32> -> !nt.tensor<[m, n] x f32>
  nt.arranged
} apply {
  nt.return
}

// -----

// CHECK: nt.renumber: there is no count most
nt.kernel @k arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[m] x f32>
  %0 = nt.renumber %x [n] count "most" level 0 : !nt.tensor<[m] x f32> -> !nt.tensor<[n] x f32>
  nt.arranged
} apply {
  nt.return
}

// -----

// CHECK: nt.renumber: renumber: programs are given elements of the outermost level, which has a dim
nt.kernel @k arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[1] x f32>
  %0 = nt.squeeze %x [0] level 0 : !nt.tensor<[1] x f32> -> !nt.tensor<[] x f32>
  %1 = nt.renumber %0 [n] count "any" level 0 : !nt.tensor<[] x f32> -> !nt.tensor<[n] x f32>
  nt.arranged
} apply {
  nt.return
}

// -----

// CHECK: nt.expand: expand: dim 0 of (4,) has size 4
nt.kernel @k arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[4] x f32>
  %0 = nt.expand %x [8] level 0 : !nt.tensor<[4] x f32> -> !nt.tensor<[8] x f32>
  nt.arranged
} apply {
  nt.return
}

// -----

// CHECK: nt.squeeze: squeeze: dim 0 of (4,) has size 4
nt.kernel @k arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[4] x f32>
  %0 = nt.squeeze %x [0] level 0 : !nt.tensor<[4] x f32> -> !nt.tensor<[] x f32>
  nt.arranged
} apply {
  nt.return
}

// -----

// CHECK: nt.access: 2 indices for 1 dims
nt.kernel @k arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %0 = nt.access %x <[[n]] -> [g0, 0]> : !nt.tensor<[n] x f32> -> !nt.tensor<[n] x f32>
  nt.arranged
} apply {
  nt.return
}

// -----

// CHECK: nt.access: the result must have type !nt.tensor<[n] x f32>, not !nt.tensor<[m] x f32>
nt.kernel @k arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %0 = nt.access %x <[[n]] -> [g0]> : !nt.tensor<[n] x f32> -> !nt.tensor<[m] x f32>
  nt.arranged
} apply {
  nt.return
}

// -----

// CHECK: nt.tensor: size -4 is negative
nt.kernel @k arrange {
  %x0 = nt.source "x0" "scalar" strides [] aligned false : !nt.tensor<[] x f32>
  nt.arranged %x0 : !nt.tensor<[] x f32>
} apply {
^bb0(%a : !nt.tensor<[-4] x f32>):
  nt.return
}

// -----

// CHECK: nt.tensor: elements are tensors or scalars, not index
nt.kernel @k arrange {
  %x0 = nt.source "x0" "scalar" strides [] aligned false : !nt.tensor<[] x f32>
  nt.arranged %x0 : !nt.tensor<[] x f32>
} apply {
^bb0(%a : !nt.tensor<[4] x index>):
  nt.return
}

// -----

// CHECK: nt.load: 0 indices for 1 dims of the levels above the block
nt.kernel @k arrange {
  %x0 = nt.source "x0" "scalar" strides [] aligned false : !nt.tensor<[] x f32>
  nt.arranged %x0 : !nt.tensor<[] x f32>
} apply {
^bb0(%r : !nt.tensor<[n] x !nt.tensor<[64] x f32>>):
  %v = nt.load %r[] : !nt.tensor<[n] x !nt.tensor<[64] x f32>>[] -> !nt.tensor<[64] x f32>
  nt.return
}

// -----

// CHECK: nt.load: the result must have type !nt.tensor<[64] x f32>, not f32
nt.kernel @k arrange {
  %x0 = nt.source "x0" "scalar" strides [] aligned false : !nt.tensor<[] x f32>
  nt.arranged %x0 : !nt.tensor<[] x f32>
} apply {
^bb0(%r : !nt.tensor<[64] x f32>):
  %v = nt.load %r[] : !nt.tensor<[64] x f32>[] -> f32
  nt.return
}

// -----

// CHECK: nt.guard: the result must have type !nt.tensor<[64] x i1>, not !nt.tensor<[64] x f32>
nt.kernel @k arrange {
  %x0 = nt.source "x0" "scalar" strides [] aligned false : !nt.tensor<[] x f32>
  nt.arranged %x0 : !nt.tensor<[] x f32>
} apply {
^bb0(%r : !nt.tensor<[64] x f32>):
  %v = nt.guard %r[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  nt.return
}

// -----

// CHECK: nt.guard: 0 indices for 1 dims
nt.kernel @k arrange {
  %x0 = nt.source "x0" "scalar" strides [] aligned false : !nt.tensor<[] x f32>
  nt.arranged %x0 : !nt.tensor<[] x f32>
} apply {
^bb0(%r : !nt.tensor<[n] x !nt.tensor<[64] x f32>>):
  %v = nt.guard %r[] : !nt.tensor<[n] x !nt.tensor<[64] x f32>>[] -> !nt.tensor<[64] x i1>
  nt.return
}

// -----

// CHECK: nt.store: the value must have type !nt.tensor<[64] x f32>, not f32
nt.kernel @k arrange {
  %x0 = nt.source "x0" "scalar" strides [] aligned false : !nt.tensor<[] x f32>
  %x1 = nt.source "x1" "scalar" strides [] aligned false : !nt.tensor<[] x f32>
  nt.arranged %x0, %x1 : !nt.tensor<[] x f32>, !nt.tensor<[] x f32>
} apply {
^bb0(%r : !nt.tensor<[64] x f32>, %v : f32):
  nt.store %v, %r[] : f32, !nt.tensor<[64] x f32>[]
  nt.return
}

// -----

// CHECK: nt.store: 0 indices for 1 dims
nt.kernel @k arrange {
  %x0 = nt.source "x0" "scalar" strides [] aligned false : !nt.tensor<[] x f32>
  %x1 = nt.source "x1" "scalar" strides [] aligned false : !nt.tensor<[] x f32>
  nt.arranged %x0, %x1 : !nt.tensor<[] x f32>, !nt.tensor<[] x f32>
} apply {
^bb0(%r : !nt.tensor<[n] x !nt.tensor<[64] x f32>>, %v : !nt.tensor<[64] x f32>):
  nt.store %v, %r[] : !nt.tensor<[64] x f32>, !nt.tensor<[n] x !nt.tensor<[64] x f32>>[]
  nt.return
}

// -----

// CHECK: nt.full: a block of f32 cannot hold i32
nt.kernel @k arrange {
  %x0 = nt.source "x0" "scalar" strides [] aligned false : !nt.tensor<[] x f32>
  nt.arranged %x0 : !nt.tensor<[] x f32>
} apply {
^bb0(%v : i32):
  %f = nt.full %v : i32 -> !nt.tensor<[64] x f32>
  nt.return
}

// -----

// CHECK: nt.arange: the result must have one dim
nt.kernel @k arrange {
  %x0 = nt.source "x0" "scalar" strides [] aligned false : !nt.tensor<[] x f32>
  nt.arranged %x0 : !nt.tensor<[] x f32>
} apply {
^bb0(%v : i32):
  %f = nt.arange <0> : !nt.tensor<[4, 4] x i32>
  nt.return
}

// -----

// CHECK: nt.elementwise: the language has no function negate
nt.kernel @k arrange {
  %x0 = nt.source "x0" "scalar" strides [] aligned false : !nt.tensor<[] x f32>
  nt.arranged %x0 : !nt.tensor<[] x f32>
} apply {
^bb0(%v : f32):
  %f = nt.elementwise "negate"(%v) : (f32) -> f32
  nt.return
}

// -----

// CHECK: nt.reduce: the language has no reduction total
nt.kernel @k arrange {
  %x0 = nt.source "x0" "scalar" strides [] aligned false : !nt.tensor<[] x f32>
  nt.arranged %x0 : !nt.tensor<[] x f32>
} apply {
^bb0(%v : !nt.tensor<[32] x f32>):
  %f = nt.reduce "total" %v axis 0 : !nt.tensor<[32] x f32> -> f32
  nt.return
}

// -----

// CHECK: nt.elementwise neg: 0 arguments for 1
nt.kernel @k arrange {
  %x0 = nt.source "x0" "scalar" strides [] aligned false : !nt.tensor<[] x f32>
  nt.arranged %x0 : !nt.tensor<[] x f32>
} apply {
^bb0(%v : i32):
  %f = nt.elementwise "neg"() : () -> f32
  nt.return
}

// -----

// CHECK: nt.elementwise add: an argument of type !nt.tensor<[32] x f32> for a result of type !nt.tensor<[64] x f32>; the shapes must be equal
nt.kernel @k arrange {
  %x0 = nt.source "x0" "scalar" strides [] aligned false : !nt.tensor<[] x f32>
  nt.arranged %x0 : !nt.tensor<[] x f32>
} apply {
^bb0(%v : !nt.tensor<[32] x f32>):
  %f = nt.elementwise "add"(%v, %v) : (!nt.tensor<[32] x f32>, !nt.tensor<[32] x f32>) -> !nt.tensor<[64] x f32>
  nt.return
}

// -----

// CHECK: nt.cast: the shapes must be equal
nt.kernel @k arrange {
  %x0 = nt.source "x0" "scalar" strides [] aligned false : !nt.tensor<[] x f32>
  nt.arranged %x0 : !nt.tensor<[] x f32>
} apply {
^bb0(%v : !nt.tensor<[32] x f16>):
  %f = nt.cast %v : !nt.tensor<[32] x f16> -> !nt.tensor<[64] x f32>
  nt.return
}

// -----

// CHECK: nt.reduce: there is no dim 1
nt.kernel @k arrange {
  %x0 = nt.source "x0" "scalar" strides [] aligned false : !nt.tensor<[] x f32>
  nt.arranged %x0 : !nt.tensor<[] x f32>
} apply {
^bb0(%v : !nt.tensor<[64] x f32>):
  %f = nt.reduce "sum" %v axis 1 : !nt.tensor<[64] x f32> -> f32
  nt.return
}

// -----

// CHECK: nt.reduce: !nt.tensor<[64] x f32> along 0 cannot be i32
nt.kernel @k arrange {
  %x0 = nt.source "x0" "scalar" strides [] aligned false : !nt.tensor<[] x f32>
  nt.arranged %x0 : !nt.tensor<[] x f32>
} apply {
^bb0(%v : !nt.tensor<[64] x f32>):
  %f = nt.reduce "sum" %v axis 0 : !nt.tensor<[64] x f32> -> i32
  nt.return
}

// -----

// CHECK: nt.dot: !nt.tensor<[16, 32] x f16> and !nt.tensor<[16, 32] x f16> do not multiply
nt.kernel @k arrange {
  %x0 = nt.source "x0" "scalar" strides [] aligned false : !nt.tensor<[] x f32>
  %x1 = nt.source "x1" "scalar" strides [] aligned false : !nt.tensor<[] x f32>
  nt.arranged %x0, %x1 : !nt.tensor<[] x f32>, !nt.tensor<[] x f32>
} apply {
^bb0(%a : !nt.tensor<[16, 32] x f16>, %c : !nt.tensor<[16, 16] x f32>):
  %f = nt.dot %a, %a, %c "ieee" : !nt.tensor<[16, 32] x f16>, !nt.tensor<[16, 32] x f16> -> !nt.tensor<[16, 16] x f32>
  nt.return
}

// -----

// CHECK: nt.dot: the accumulator cannot be !nt.tensor<[8, 16] x f32>
nt.kernel @k arrange {
  %x0 = nt.source "x0" "scalar" strides [] aligned false : !nt.tensor<[] x f32>
  %x1 = nt.source "x1" "scalar" strides [] aligned false : !nt.tensor<[] x f32>
  nt.arranged %x0, %x1 : !nt.tensor<[] x f32>, !nt.tensor<[] x f32>
} apply {
^bb0(%a : !nt.tensor<[16, 16] x f16>, %c : !nt.tensor<[8, 16] x f32>):
  %f = nt.dot %a, %a, %c "ieee" : !nt.tensor<[16, 16] x f16>, !nt.tensor<[16, 16] x f16> -> !nt.tensor<[8, 16] x f32>
  nt.return
}

// -----

// CHECK: nt.dot: it takes two blocks of one element type, not fp16 and fp32
nt.kernel @k arrange {
  %x0 = nt.source "x0" "scalar" strides [] aligned false : !nt.tensor<[] x f32>
  %x1 = nt.source "x1" "scalar" strides [] aligned false : !nt.tensor<[] x f32>
  nt.arranged %x0, %x1 : !nt.tensor<[] x f32>, !nt.tensor<[] x f32>
} apply {
^bb0(%a : !nt.tensor<[16, 16] x f16>, %b : !nt.tensor<[16, 16] x f32>):
  %f = nt.dot %a, %b, %b "ieee" : !nt.tensor<[16, 16] x f16>, !nt.tensor<[16, 16] x f32> -> !nt.tensor<[16, 16] x f32>
  nt.return
}

// -----

// CHECK: nt.broadcast: !nt.tensor<[32] x f32> cannot become !nt.tensor<[64] x f32>
nt.kernel @k arrange {
  %x0 = nt.source "x0" "scalar" strides [] aligned false : !nt.tensor<[] x f32>
  nt.arranged %x0 : !nt.tensor<[] x f32>
} apply {
^bb0(%v : !nt.tensor<[32] x f32>):
  %f = nt.broadcast %v : !nt.tensor<[32] x f32> -> !nt.tensor<[64] x f32>
  nt.return
}

// -----

// CHECK: nt.broadcast: !nt.tensor<[1] x f16> cannot become !nt.tensor<[64] x f32>
nt.kernel @k arrange {
  %x0 = nt.source "x0" "scalar" strides [] aligned false : !nt.tensor<[] x f32>
  nt.arranged %x0 : !nt.tensor<[] x f32>
} apply {
^bb0(%v : !nt.tensor<[1] x f16>):
  %f = nt.broadcast %v : !nt.tensor<[1] x f16> -> !nt.tensor<[64] x f32>
  nt.return
}

// -----

// CHECK: nt.expand_dims: dim 1 of the result must be 1
nt.kernel @k arrange {
  %x0 = nt.source "x0" "scalar" strides [] aligned false : !nt.tensor<[] x f32>
  nt.arranged %x0 : !nt.tensor<[] x f32>
} apply {
^bb0(%v : !nt.tensor<[64] x f32>):
  %f = nt.expand_dims %v axis 1 : !nt.tensor<[64] x f32> -> !nt.tensor<[64, 2] x f32>
  nt.return
}

// -----

// CHECK: nt.expand_dims: the other dims must be those of the operand
nt.kernel @k arrange {
  %x0 = nt.source "x0" "scalar" strides [] aligned false : !nt.tensor<[] x f32>
  nt.arranged %x0 : !nt.tensor<[] x f32>
} apply {
^bb0(%v : !nt.tensor<[64] x f32>):
  %f = nt.expand_dims %v axis 1 : !nt.tensor<[64] x f32> -> !nt.tensor<[32, 1] x f32>
  nt.return
}

// -----

// CHECK: nt.trans: order must name each dim once
nt.kernel @k arrange {
  %x0 = nt.source "x0" "scalar" strides [] aligned false : !nt.tensor<[] x f32>
  nt.arranged %x0 : !nt.tensor<[] x f32>
} apply {
^bb0(%v : !nt.tensor<[4, 8] x f32>):
  %f = nt.trans %v order [0, 0] : !nt.tensor<[4, 8] x f32> -> !nt.tensor<[4, 8] x f32>
  nt.return
}

// -----

// CHECK: nt.trans: the result's sizes must be the operand's, reordered
nt.kernel @k arrange {
  %x0 = nt.source "x0" "scalar" strides [] aligned false : !nt.tensor<[] x f32>
  nt.arranged %x0 : !nt.tensor<[] x f32>
} apply {
^bb0(%v : !nt.tensor<[4, 8] x f32>):
  %f = nt.trans %v order [1, 0] : !nt.tensor<[4, 8] x f32> -> !nt.tensor<[4, 8] x f32>
  nt.return
}

// -----

// CHECK: nt.program_index: one result a size
nt.kernel @k arrange {
  %x0 = nt.source "x0" "scalar" strides [] aligned false : !nt.tensor<[] x f32>
  nt.arranged %x0 : !nt.tensor<[] x f32>
} apply {
^bb0(%v : f32):
  %p = nt.program_id : index
  %g = nt.program_index %p [m, n] : index
  nt.return
}

// -----

// CHECK: nt.program_index: groups have 2 rows or more, of two dims
nt.kernel @k symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x0 = nt.source "x0" "scalar" strides [] aligned false : !nt.tensor<[] x f32>
  nt.arranged %x0 : !nt.tensor<[] x f32>
} apply {
^bb0(%v : f32):
  %p = nt.program_id : index
  %g = nt.program_index %p [n] grouped 8 : index
  nt.return
}

// -----

// CHECK: nt.quotient: the number must be an integer of 32 bits
nt.kernel @k symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x0 = nt.source "x0" "scalar" strides [] aligned false : !nt.tensor<[] x f32>
  nt.arranged %x0 : !nt.tensor<[] x f32>
} apply {
^bb0(%v : f32):
  %c = arith.constant 7 : i64
  %q = nt.quotient %c by <n> : i64
  nt.return
}

// -----

// Bits are no numbers of a float.
// CHECK: nt.elementwise: or has no form of these types
nt.kernel @k arrange {
  %x0 = nt.source "x0" "scalar" strides [] aligned false : !nt.tensor<[] x f32>
  nt.arranged %x0 : !nt.tensor<[] x f32>
} apply {
^bb0(%v : f32):
  %f = nt.elementwise "or"(%v, %v) : (f32, f32) -> f32
  nt.return
}

// -----

// CHECK: nt.elementwise: gt has no form of these types
nt.kernel @k arrange {
  %x0 = nt.source "x0" "scalar" strides [] aligned false : !nt.tensor<[] x f32>
  nt.arranged %x0 : !nt.tensor<[] x f32>
} apply {
^bb0(%v : f32):
  %f = nt.elementwise "gt"(%v, %v) : (f32, f32) -> !tt.ptr<f32>
  nt.return
}

// -----

// Operands have been promoted.
// CHECK: nt.elementwise: add has no form of these types
nt.kernel @k arrange {
  %x0 = nt.source "x0" "scalar" strides [] aligned false : !nt.tensor<[] x f32>
  nt.arranged %x0 : !nt.tensor<[] x f32>
} apply {
^bb0(%v : f32, %w : f16):
  %f = nt.elementwise "add"(%v, %w) : (f32, f16) -> f32
  nt.return
}

// -----

// CHECK: nt.elementwise: where has no form of these types
nt.kernel @k arrange {
  %x0 = nt.source "x0" "scalar" strides [] aligned false : !nt.tensor<[] x f32>
  nt.arranged %x0 : !nt.tensor<[] x f32>
} apply {
^bb0(%v : f32):
  %f = nt.elementwise "where"(%v, %v, %v) : (f32, f32, f32) -> f32
  nt.return
}
