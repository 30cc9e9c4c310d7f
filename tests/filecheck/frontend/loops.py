# RUN: nt-opt %s | filecheck %s
"""Loops of every direction count up, and unrolled ones are gone."""

import ninetoothed
import ninetoothed.language as ntl
from ninetoothed import Tensor


def application(
    x: Tensor(2, shape=(8, 256), dtype="i32").tile((1, 64)).tile((1, -1)),
    y: Tensor(2, shape=(8, 64), dtype="i32").tile((1, 64)),
):
    total = ntl.zeros(y.shape, ntl.int32)
    # From the last block to the first: as many steps as blocks, each from the last one down.
    # CHECK: [[last:%.*]] = arith.constant 3 : i32
    # CHECK-NEXT: [[zero:%.*]] = arith.constant 0 : i32
    # CHECK-NEXT: [[four:%.*]] = arith.constant 4 : i32
    # CHECK-NEXT: [[one:%.*]] = arith.constant 1 : i32
    # CHECK-NEXT: scf.for [[count:%.*]] = [[zero]] to [[four]] step [[one]]
    # CHECK-NEXT: %i = nt.elementwise "sub"([[last]], [[count]]) : (i32, i32) -> i32
    # CHECK-NEXT: {{%.*}} = arith.constant 0 : i32
    # CHECK-NEXT: nt.load {{%.*}}[{{%.*}}, %i]
    for i in range(x.shape[1] - 1, -1, -1):
        total += x[0, i]
    # A hint stays at its loop.
    # CHECK: scf.for %j =
    # CHECK: } {tt.num_stages = 2 : i32, tt.flatten}
    for j in ntl.range(4, num_stages=2, flatten=True):
        total += j
    # CHECK-NOT: scf.for
    # CHECK: arith.constant 12 : i32
    # CHECK: arith.constant 10 : i32
    # CHECK-NOT: scf.for
    for k in ntl.static_range(12, 8, -2):
        total += k
    y = total


kernel = ninetoothed.jit(application)
