// RUN: nt-opt %s -p nt-lower-to-tt --split-input-file --verify-diagnostics | filecheck %s

// A size that the kernel does not declare.
// CHECK: CompilerError: pass nt-lower-to-tt: m is none of the symbols that kernel undeclared declares
nt.kernel @undeclared symbols [#nt.symbol<n size 0 to ?>] grid #nt.expr<n ceildiv 64> arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x0 = nt.access %x <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %x0
      : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[64] x f32>):
  %s = nt.size <m> : i32
  nt.return
}

// -----

// A compound size, which nt-lower-accesses computes.
// CHECK: CompilerError: pass nt-lower-to-tt: n + 1 is none of the symbols that kernel compound declares
nt.kernel @compound symbols [#nt.symbol<n size 0 to ?>] grid #nt.expr<n ceildiv 64> arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x0 = nt.access %x <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %x0
      : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[64] x f32>):
  %s = nt.size <n + 1> : i32
  nt.return
}

// -----

// An op that an earlier pass should have lowered.
// CHECK: CompilerError: pass nt-lower-to-tt: nt.store has no handler in the lowering to Triton
nt.kernel @stored symbols [#nt.symbol<n size 0 to ?>] grid #nt.expr<n ceildiv 64> arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x0 = nt.access %x <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %x0
      : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[64] x f32>):
  %z = arith.constant 0.0 : f32
  %f = nt.full %z : f32 -> !nt.tensor<[64] x f32>
  nt.store %f, %xs[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  nt.return
}

// -----

// More lanes than Triton takes, and than memory for one constant of them.
// CHECK: CompilerError: pass nt-lower-to-tt: a block of 2147483648 lanes; at most 1048576 can be one
nt.kernel @wide grid #nt.expr<1> arrange {
  %p = nt.source "p" "scalar" strides [] aligned false : !nt.tensor<[] x f32>
  nt.arranged %p : !nt.tensor<[] x f32>
} apply {
^bb0(%ps : !nt.tensor<[] x f32>):
  %z = arith.constant 0.0 : f32
  %f = nt.full %z : f32 -> !nt.tensor<[1073741824, 2] x f32>
  nt.return
}
