import triton
import triton.language as tl


@triton.jit
def add_kernel(lhs, rhs, output, output_size_0):
    # add.py:22: output = lhs + rhs
    b0 = tl.arange(0, 256)
    v = tl.program_id(0) * 256
    v_1 = v + b0
    mask = v_1 < output_size_0
    lhs_1 = tl.load(lhs + v + b0, mask=mask)
    rhs_1 = tl.load(rhs + v + b0, mask=mask)
    tl.store(output + v + b0, lhs_1 + rhs_1, mask=v_1 <= output_size_0 - 1)
