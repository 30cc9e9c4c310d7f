"""The first two kernels with ``ninetoothed.make``, their symbols made inside the arrangement."""

import ninetoothed
import ninetoothed.language as ntl
from ninetoothed import Symbol, Tensor


def add_arrangement(lhs, rhs, output):
    BLOCK_SIZE = Symbol("BLOCK_SIZE", meta=True)

    return lhs.tile((BLOCK_SIZE,)), rhs.tile((BLOCK_SIZE,)), output.tile((BLOCK_SIZE,))


def add_arrangement_by_keyword(lhs, rhs, output):
    BLOCK_SIZE = Symbol("BLOCK_SIZE", constexpr=True)

    return lhs.tile((BLOCK_SIZE,)), rhs.tile((BLOCK_SIZE,)), output.tile((BLOCK_SIZE,))


def add_application(lhs, rhs, output):
    output = lhs + rhs


tensors = (Tensor(1), Tensor(1), Tensor(1))
add_kernel = ninetoothed.make(add_arrangement, add_application, tensors)
add_kernel_by_keyword = ninetoothed.make(add_arrangement_by_keyword, add_application, tensors)


def arrangement(lhs, rhs, output):
    BLOCK_SIZE_M = Symbol("BLOCK_SIZE_M", meta=True)
    BLOCK_SIZE_N = Symbol("BLOCK_SIZE_N", meta=True)
    BLOCK_SIZE_K = Symbol("BLOCK_SIZE_K", meta=True)

    output_arranged = output.tile((BLOCK_SIZE_M, BLOCK_SIZE_N))

    lhs_arranged = lhs.tile((BLOCK_SIZE_M, BLOCK_SIZE_K))
    lhs_arranged = lhs_arranged.tile((1, -1))
    lhs_arranged = lhs_arranged.expand((-1, output_arranged.shape[1]))
    lhs_arranged.dtype = lhs_arranged.dtype.squeeze(0)

    rhs_arranged = rhs.tile((BLOCK_SIZE_K, BLOCK_SIZE_N))
    rhs_arranged = rhs_arranged.tile((-1, 1))
    rhs_arranged = rhs_arranged.expand((output_arranged.shape[0], -1))
    rhs_arranged.dtype = rhs_arranged.dtype.squeeze(1)

    return lhs_arranged, rhs_arranged, output_arranged


def application(lhs, rhs, output):
    accumulator = ntl.zeros(output.shape, dtype=ntl.float32)
    for k in range(lhs.shape[0]):
        accumulator += ntl.dot(lhs[k], rhs[k])
    output = accumulator.to(ntl.float16)


matmul_kernel = ninetoothed.make(arrangement, application, (Tensor(2), Tensor(2), Tensor(2)))
