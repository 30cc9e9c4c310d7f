import triton
import triton.language as tl


@triton.jit
def softmax_kernel(input, output, input_size_1, input_stride_0, output_stride_0):
    # softmax.py:20: def application(input, output):
    pid = tl.program_id(0)
    # softmax.py:21: row = ntl.cast(input, ntl.float32)
    b1 = tl.arange(0, 1024)
    v = b1[None, :]
    v_1 = (b1 < input_size_1)[None, :]
    input_1 = tl.load(input + pid * input_stride_0 + v, mask=v_1, other=float("-inf"))
    row = input_1.to(tl.float32)
    # softmax.py:22: numerator = ntl.exp(row - ntl.max(row, axis=1, keep_dims=True))
    numerator = tl.exp(row - tl.max(row, axis=1)[:, None])
    # softmax.py:23: output = numerator / ntl.sum(numerator, axis=1, keep_dims=True)
    v_2 = numerator / tl.sum(tl.where(v_1, numerator, 0.0), axis=1)[:, None]
    tl.store(
        output + pid * output_stride_0 + v,
        v_2.to(tl.float16),
        mask=(b1 <= input_size_1 - 1)[None, :],
    )
