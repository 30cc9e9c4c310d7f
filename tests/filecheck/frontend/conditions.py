# RUN: nt-opt %s | filecheck %s
"""What is evaluated only if it is needed, and loops with a condition."""

import ninetoothed
import ninetoothed.language as ntl
from ninetoothed import Tensor


def application(
    x: Tensor(1, shape=(64,), dtype="i32").tile((1,)).tile((-1,)),
    y: Tensor(1, shape=(64,), dtype="i32").tile((64,)),
):
    # Numbers that the loop changes are values.
    # CHECK: [[zero:%.*]] = arith.constant 0 : i32
    i = 0
    # CHECK: %i = scf.while ([[before:%.*]] = [[zero]]) : (i32) -> i32 {
    # CHECK: [[first:%.*]] = nt.elementwise "lt"([[before]], {{%.*}}) : (i32, i32) -> i1
    # Reads of memory stay in order.
    # CHECK-NEXT: [[both:%.*]] = scf.if [[first]] -> (i1) {
    # CHECK: nt.pointer_load
    # CHECK: } else {
    # CHECK-NEXT: [[no:%.*]] = arith.constant false
    # CHECK-NEXT: scf.yield [[no]] : i1
    # CHECK: scf.condition([[both]]) [[before]] : i32
    while i < 64 and x[i][0] > 0:
        # CHECK: } do {
        # CHECK: [[next:%.*]] = nt.elementwise "add"(
        # CHECK-NEXT: scf.yield [[next]] : i32
        i += 1
    # Arms without effect are both computed.
    # CHECK: [[large:%.*]] = nt.elementwise "gt"(%i,
    # CHECK-NOT: scf.if
    # CHECK: %size = nt.elementwise "where"([[large]],
    size = i + 1 if i > 8 else i * 2
    # One that divides is not: its divisor may be zero.
    # CHECK: %part = scf.if
    # CHECK: nt.elementwise "floordiv"
    # CHECK: } else {
    # CHECK: scf.yield
    part = size // i if i != 0 else -1
    y = ntl.zeros((64,), ntl.int32) + part


kernel = ninetoothed.jit(application)
