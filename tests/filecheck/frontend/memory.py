# RUN: nt-opt %s --print-local-scope | filecheck %s
"""What coordinates, sources and pointers become."""

import ninetoothed
import ninetoothed.language as ntl
from ninetoothed import Tensor


def application(
    x: Tensor(2, dtype="fp16").tile((16, 64)).squeeze(1),
    count: Tensor(1, dtype="i32"),
):
    # A coordinate has the dims that it varies along.
    # CHECK: %rows = nt.offsets %x{{.*}}[] dim 0 along [0] {{.*}} -> !nt.tensor<[16] x i32>
    rows = x.offsets(0)
    # CHECK-NEXT: %columns = nt.offsets %x{{.*}}[] dim 1 along [1] {{.*}} -> !nt.tensor<[64]
    columns = x.offsets(-1)
    # The first of them is arithmetic, no lane that is picked.
    # CHECK: nt.offsets %x{{.*}}[] dim 0 along [] {{.*}} -> i32
    first_row = rows[0]
    # CHECK: nt.offsets %x{{.*}}[] along [0, 1] {{.*}} -> !nt.tensor<[16, 64] x i32>
    place = x.source.data_ptr() + x.offsets()
    # CHECK: [[pointers:%.*]] = nt.addptr {{%.*}} : !nt.tensor<[16, 64] x !tt.ptr<f16>>
    # CHECK: nt.elementwise "lt"(%rows,
    tail = (rows < x.source.shape[0])[:, None]
    # CHECK: [[mask:%.*]] = nt.broadcast
    # CHECK: nt.pointer_load [[pointers]] mask [[mask]]
    value = ntl.load(place, mask=tail)
    # Coordinates of a source are held to its sizes.
    # CHECK: nt.elementwise "lt"(%columns,
    # CHECK: nt.elementwise "ge"(%columns,
    # CHECK: [[inside:%.*]] = nt.elementwise "and"({{.*}} -> !nt.tensor<[64] x i1>
    # CHECK: nt.pointer_load {{%.*}} mask {{%.*}} : !nt.tensor<[64] x i1>
    first = x.source[0, columns]
    # CHECK: nt.atomic "add" {{%.*}}, {{%.*}} "relaxed" "gpu" : !tt.ptr<i32>, i32
    ntl.atomic_add(count.source.data_ptr(), 1, sem="relaxed")


kernel = ninetoothed.jit(application)
