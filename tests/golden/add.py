import triton
import triton.language as tl


@triton.jit
def add_kernel(lhs, rhs, output, output_size_0):
    # add.py:21: def application(lhs, rhs, output):
    v = tl.program_id(0) * 256
    if v + 255 < output_size_0:
        # add.py:22: output = lhs + rhs
        b0 = tl.arange(0, 256)
        lhs_1 = tl.load(lhs + v + b0)
        rhs_1 = tl.load(rhs + v + b0)
        tl.store(output + v + b0, lhs_1 + rhs_1)
    else:
        b0_1 = tl.arange(0, 256)
        v_1 = v + b0_1
        mask = v_1 < output_size_0
        lhs_2 = tl.load(lhs + v + b0_1, mask=mask)
        rhs_2 = tl.load(rhs + v + b0_1, mask=mask)
        tl.store(output + v + b0_1, lhs_2 + rhs_2, mask=v_1 <= output_size_0 - 1)
