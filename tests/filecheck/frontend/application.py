# RUN: nt-opt %s --print-local-scope | filecheck %s
"""What an application becomes: types are explicit, and names are the user's."""

import ninetoothed
import ninetoothed.language as ntl
from ninetoothed import Tensor


def twice(value):
    return value + value


def application(x: Tensor(1, dtype="fp16").tile((64,)), y: Tensor(1, dtype="fp32").tile((64,))):
    # A number takes its operand's type; a conversion is an op.
    # CHECK: [[x:%.*]] = nt.load %{{x.*}}[]
    # CHECK: %scaled = nt.elementwise "mul"([[x]], {{%.*}}) : (!nt.tensor<[64] x f16>
    scaled = x * 2
    # CHECK-NEXT: %wide = nt.cast %scaled : !nt.tensor<[64] x f16> -> !nt.tensor<[64] x f32>
    wide = ntl.cast(scaled, ntl.float32)
    # A helper's body takes the place of its call.
    # CHECK: %doubled = nt.elementwise "add"(%wide, %wide)
    doubled = twice(wide)
    # CHECK: %total = scf.for %i = {{.*}} iter_args([[carried:%.*]] = %doubled)
    total = doubled
    for i in range(3):  # noqa: B007
        # CHECK: [[next:%.*]] = nt.elementwise "add"([[carried]], %wide)
        # CHECK-NEXT: scf.yield [[next]]
        total += wide
    # CHECK: nt.store {{%.*}}, %{{y.*}}[] : !nt.tensor<[64] x f32>
    y = total


kernel = ninetoothed.jit(application)
