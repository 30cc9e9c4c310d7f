"""A matrix product in TileLang (written for ``tilelang`` 0.1.15), as its documentation writes it.

The blocks are the documentation's, and not tuned. TileLang compiles with nvcc, when a shape is
called first. Its kernel takes contiguous matrices: others are copied, which counts.
"""

import tilelang
import tilelang.language as T
import torch

_DTYPES = {torch.float16: "float16", torch.bfloat16: "bfloat16"}


@tilelang.jit
def _matmul(A, B, dtype, block_M=128, block_N=128, block_K=32):
    M, N, K = T.const("M, N, K")
    A: T.Tensor((M, K), dtype)
    B: T.Tensor((K, N), dtype)
    C = T.empty((M, N), dtype)

    with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=128) as (bx, by):
        A_shared = T.alloc_shared((block_M, block_K), dtype)
        B_shared = T.alloc_shared((block_K, block_N), dtype)
        C_local = T.alloc_fragment((block_M, block_N), T.float32)

        T.clear(C_local)
        for k in T.Pipelined(T.ceildiv(K, block_K), num_stages=3):
            T.copy(A[by * block_M, k * block_K], A_shared)
            T.copy(B[k * block_K, bx * block_N], B_shared)
            T.gemm(A_shared, B_shared, C_local)

        T.copy(C_local, C[by * block_M, bx * block_N])

    return C


def matmul(input, other):
    """``input @ other`` of two matrices, in fp16 or bf16."""
    return _matmul(input.contiguous(), other.contiguous(), _DTYPES[input.dtype])


FUNCTIONS = {"matmul": matmul}
