"""Matrix multiplication."""

import triton
import triton.language as tl

# 24 at most are tried of ours, so there are 24 here.
CONFIGS = [
    triton.Config({"BLOCK_M": m, "BLOCK_N": n, "BLOCK_K": k}, num_warps=warps, num_stages=stages)
    for m, n, warps in (
        (128, 256, 8),
        (256, 128, 8),
        (128, 128, 8),
        (128, 128, 4),
        (128, 64, 4),
        (64, 64, 4),
    )
    for k in (32, 64)
    for stages in (3, 4)
]


@triton.jit
def matmul_kernel(
    input,
    other,
    output,
    m,
    n,
    k,
    input_stride_m,
    input_stride_k,
    other_stride_k,
    other_stride_n,
    output_stride_m,
    output_stride_n,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
):
    columns = tl.cdiv(n, BLOCK_N)
    row = tl.program_id(0) // columns * BLOCK_M + tl.arange(0, BLOCK_M)
    column = tl.program_id(0) % columns * BLOCK_N + tl.arange(0, BLOCK_N)
    inner = tl.arange(0, BLOCK_K)
    input += row[:, None] * input_stride_m + inner[None, :] * input_stride_k
    other += inner[:, None] * other_stride_k + column[None, :] * other_stride_n
    accumulator = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for start in range(0, k, BLOCK_K):
        left = inner < k - start
        lhs = tl.load(input, (row < m)[:, None] & left[None, :], other=0.0)
        rhs = tl.load(other, left[:, None] & (column < n)[None, :], other=0.0)
        accumulator = tl.dot(lhs, rhs, accumulator)
        input += BLOCK_K * input_stride_k
        other += BLOCK_K * other_stride_k
    output += row[:, None] * output_stride_m + column[None, :] * output_stride_n
    tl.store(output, accumulator, (row < m)[:, None] & (column < n)[None, :])


# What is chosen is kept on disk, as ours is.
tuned_kernel = triton.autotune(CONFIGS, key=["m", "n", "k"], cache_results=True)(matmul_kernel)


def matmul(input, other, output):
    """``output = input @ other`` with one choice of blocks; returns the compiled kernel."""
    (m, k), n = input.shape, other.shape[1]
    return matmul_kernel[(triton.cdiv(m, 128) * triton.cdiv(n, 128),)](
        input,
        other,
        output,
        m,
        n,
        k,
        *input.stride(),
        *other.stride(),
        *output.stride(),
        BLOCK_M=128,
        BLOCK_N=128,
        BLOCK_K=64,
        num_warps=8,
        num_stages=3,
    )


def tuned_matmul(input, other, output):
    """The same, whose blocks Triton's tuner chooses."""
    (m, k), n = input.shape, other.shape[1]

    def grid(values):
        return (triton.cdiv(m, values["BLOCK_M"]) * triton.cdiv(n, values["BLOCK_N"]),)

    tuned_kernel[grid](
        input, other, output, m, n, k, *input.stride(), *other.stride(), *output.stride()
    )


def fixed():
    """The first function above."""
    return matmul


def tuned():
    """The second function above."""
    return tuned_matmul
