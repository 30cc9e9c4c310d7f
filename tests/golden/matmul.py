import triton
import triton.language as tl


@triton.jit
def matmul_kernel(
    input,
    other,
    output,
    input_size_0,
    input_size_1,
    input_stride_0,
    other_size_0,
    other_size_1,
    other_stride_0,
    output_size_0,
    output_size_1,
    output_stride_0,
    multiplier,
    shift,
):
    # matmul.py:37: def application(input, other, output):
    pid = tl.program_id(0)
    v = tl.umulhi(
        pid.to(tl.uint32, bitcast=True),
        multiplier.to(tl.uint32, bitcast=True),
    ).to(tl.int32, bitcast=True)
    g0 = (
        (v + pid).to(tl.uint32, bitcast=True) >> shift.to(tl.uint32, bitcast=True)
    ).to(tl.int32, bitcast=True)
    # matmul.py:41: accumulator += ntl.dot(input[k], other[k])
    b0 = tl.arange(0, 64)
    b1 = tl.arange(0, 32)
    ptrs = input + g0 * input_stride_0 * 64
    v_1 = (b0 * input_stride_0)[:, None] + b1[None, :]
    v_2 = g0 * 64 + b0
    v_3 = (v_2 < input_size_0)[:, None]
    b1_1 = tl.arange(0, 128)
    v_4 = (pid - g0 * ((output_size_1 + 127) // 128)) * 128
    ptrs_1 = other + v_4
    v_5 = b1_1[None, :]
    v_6 = (b1 * other_stride_0)[:, None] + v_5
    v_7 = v_4 + b1_1
    v_8 = (v_7 < other_size_1)[None, :]
    # matmul.py:40: for k in range(input.shape[0]):
    accumulator = tl.zeros((64, 128), tl.float32)
    for k in range((input_size_1 + 31) // 32):
        # matmul.py:41: accumulator += ntl.dot(input[k], other[k])
        v_9 = k * 32
        v_10 = v_9 + b1
        input_1 = tl.load(ptrs + v_9 + v_1, mask=v_3 & (v_10 < input_size_1)[None, :], other=0.0)
        other_1 = tl.load(
            ptrs_1 + k * other_stride_0 * 32 + v_6,
            mask=(v_10 < other_size_0)[:, None] & v_8,
            other=0.0,
        )
        accumulator = accumulator + tl.dot(input_1, other_1)
    # matmul.py:43: output = accumulator
    ptrs_2 = output + (g0 * output_stride_0 * 64 + v_4) + ((b0 * output_stride_0)[:, None] + v_5)
    v_11 = (v_2 < output_size_0)[:, None] & (v_7 < output_size_1)[None, :]
    tl.store(ptrs_2, accumulator.to(tl.float16), mask=v_11)
