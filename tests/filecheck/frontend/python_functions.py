# RUN: nt-opt %s --print-local-scope | filecheck %s
"""Python's functions and operators: chains of ours, or numbers; a loop that is unrolled."""

import math

import ninetoothed
import ninetoothed.language as ntl
from ninetoothed import Tensor


def application(
    x: Tensor(1, dtype="fp32").tile((16,)),
    row: Tensor(1, dtype="i32").tile((1,)),
    y: Tensor(1, dtype="fp32").tile((16,)),
):
    # From left to right.
    # CHECK: [[half:%.*]] = arith.constant 5.000000e-01 : f32
    # CHECK: [[first:%.*]] = nt.elementwise "maximum"({{%.*}}, {{%.*}})
    # CHECK: [[two:%.*]] = arith.constant 2.000000e+00 : f32
    # CHECK: %largest = nt.elementwise "maximum"([[first]],
    largest = max(x, 0.5, 2)
    # Of sizes it is a size.
    # CHECK: nt.size <max(2, x_size_0)>
    largest += max(x.source.shape[0], 2)
    # Both sides are evaluated, and an operand that is known is none.
    # CHECK: [[low:%.*]] = nt.elementwise "gt"
    # CHECK: [[high:%.*]] = nt.elementwise "lt"
    # CHECK-NOT: scf.if
    # CHECK: nt.elementwise "and"([[low]], [[high]])
    # CHECK-NOT: nt.elementwise "and"
    largest = ntl.where(True and x > 0 and x < 1, largest, x)
    # CHECK: arith.constant 1.4142135
    # CHECK-NOT: nt.elementwise "sqrt"
    largest *= math.sqrt(2.0)
    # A block of one index is a number, which picks an element and not a block of one.
    # CHECK: [[index:%.*]] = nt.reshape {{%.*}} : !nt.tensor<[1] x i32> -> i32
    # CHECK: nt.pointer_load {{.*}} -> f32
    largest += x[row]
    # CHECK-NOT: scf.while
    # CHECK: nt.reshape {{%.*}} : !nt.tensor<[16] x f32> -> !nt.tensor<[4, 2, 2] x f32>
    # CHECK: nt.reshape {{%.*}} : !nt.tensor<[16] x f32> -> !nt.tensor<[8, 2, 1] x f32>
    # CHECK-NOT: scf.while
    step = 2
    while step > 0:
        pairs = ntl.reshape(largest, (8 // step, 2, step))
        largest = ntl.reshape(ntl.flip(pairs, 1), (16,))
        step >>= 1
    y = largest


kernel = ninetoothed.jit(application)
