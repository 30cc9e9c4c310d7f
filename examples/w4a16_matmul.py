"""Matrix multiplication by a weight of four bits a number, dequantized in the loop (W4A16).

                     input       [ x0 y0 x1 y1 … ]ᵀ        blocks of half a group × BLOCK_SIZE_M
scale   weight       output
[ s0 ]  [ w0 w1 … ]              [ (low(w0)·x0 + high(w0)·y0) * s0 + … ]ᵀ

A row of the weight has a scale for each group of 128 numbers, which lie in 64 bytes: byte j holds
number j of the group in its low bits, and number 64 + j in its high ones, each plus 8. So what is
unpacked from a block of bytes are two blocks of numbers that lie together, and nothing is
interleaved: each is multiplied by a half of the group's input.

Matrix units take their first operand from registers, where the weight is dequantized. So the output
is computed transposed, as weight · inputᵀ; this suits few rows of the input, too, since the second
operand's blocks can be narrower than the first's. Scales are those of sums, not of each number.

An iteration goes over two groups, 128 bytes of a row of the weight: memory is read in lines of so
many. What products read is loaded iterations ahead; scales are not, and so they are loaded first.
"""

import torch

import ninetoothed
import ninetoothed.language as ntl
from examples.checks import check_floats, check_ndim
from ninetoothed import Tensor, block_size

GROUP_SIZE = 128
BLOCK_SIZE_M = block_size(lower_bound=16)
BLOCK_SIZE_N = block_size()


def arrangement(input, weight, scale, output):
    output_arranged = output.permute((1, 0)).tile((BLOCK_SIZE_N, BLOCK_SIZE_M))

    # A column of pairs of groups, of two halves each.
    input_arranged = input.permute((1, 0)).tile((GROUP_SIZE // 2, BLOCK_SIZE_M))
    input_arranged = input_arranged.tile((2, 1)).tile((2, 1)).tile((-1, 1))
    input_arranged = input_arranged.expand((output_arranged.shape[0], -1))
    input_arranged.dtype = input_arranged.dtype.squeeze(1)
    input_arranged.dtype.dtype = input_arranged.dtype.dtype.squeeze(1)
    input_arranged.dtype.dtype.dtype = input_arranged.dtype.dtype.dtype.squeeze(1)

    weight_arranged = weight.tile((BLOCK_SIZE_N, GROUP_SIZE // 2))
    weight_arranged = weight_arranged.tile((1, 2)).tile((1, -1))
    weight_arranged = weight_arranged.expand((-1, output_arranged.shape[1]))
    weight_arranged.dtype = weight_arranged.dtype.squeeze(0)
    weight_arranged.dtype.dtype = weight_arranged.dtype.dtype.squeeze(0)

    # Columns: they broadcast to the output's block.
    scale_arranged = scale.permute((1, 0)).tile((BLOCK_SIZE_N, 1))
    scale_arranged = scale_arranged.tile((1, 2)).tile((1, -1))
    scale_arranged = scale_arranged.expand((-1, output_arranged.shape[1]))
    scale_arranged.dtype = scale_arranged.dtype.squeeze(0)
    scale_arranged.dtype.dtype = scale_arranged.dtype.dtype.squeeze(0)

    return input_arranged, weight_arranged, scale_arranged, output_arranged


# Bits are not converted to numbers, which takes several times as long: they become a number's last
# ones. In float16 those alone count 2 ** -24, and there is room for the other four, which count
# sixteen times as much; at the end of 128 in bfloat16 they count ones.


def unit(dtype):
    # What one of the weight is when it is multiplied.
    return 2**-10 if dtype == ntl.float16 else 1


def low_numbers(bits, dtype):
    if dtype == ntl.float16:
        return (bits & 0xF).to(ntl.float16, bitcast=True) * 2**14 - 8 * 2**-10
    else:
        return (bits & 0xF | 0x4300).to(ntl.bfloat16, bitcast=True) - (128 + 8)


def high_numbers(bits, dtype):
    if dtype == ntl.float16:
        return (bits & 0xF0).to(ntl.float16, bitcast=True) * 2**10 - 8 * 2**-10
    else:
        return (bits >> 4 | 0x4300).to(ntl.bfloat16, bitcast=True) - (128 + 8)


def product(weight, low, high, dtype):
    bits = ntl.cast(weight, ntl.int16)
    found = ntl.dot(low_numbers(bits, dtype), low)
    return ntl.dot(high_numbers(bits, dtype), high, found)


def application(input, weight, scale, output):
    accumulator = ntl.zeros(output.shape, dtype=ntl.float32)

    for pair in range(weight.shape[0]):
        first, second = scale[pair, 0], scale[pair, 1]
        one = product(weight[pair, 0], input[pair, 0, 0], input[pair, 0, 1], output.dtype)
        accumulator += one * first
        other = product(weight[pair, 1], input[pair, 1, 0], input[pair, 1, 1], output.dtype)
        accumulator += other * second

    output = accumulator / unit(output.dtype)


# Behind the last group of an odd number, all is 0.
w4a16_matmul_kernel = ninetoothed.make(
    arrangement,
    application,
    (Tensor(2, other=0), Tensor(2, dtype="u8", other=0), Tensor(2, other=0), Tensor(2)),
    kernel_name="w4a16_matmul_kernel",
)


def quantize(weight: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """``weight`` and ``scale`` of :func:`w4a16_matmul` for a weight in floating point, (n, k)."""
    groups = weight.unflatten(1, (-1, GROUP_SIZE))
    scale = (groups.abs().amax(dim=2) / 7).clamp_min(torch.finfo(weight.dtype).tiny)
    numbers = (groups / scale[..., None]).round()
    low, high = (numbers + 8).to(torch.uint8).chunk(2, dim=2)
    return (low | high << 4).flatten(1), scale.T.contiguous()


def dequantize(weight: torch.Tensor, scale: torch.Tensor) -> torch.Tensor:
    """The weight in floating point, (n, k), for what :func:`quantize` returned."""
    groups = weight.unflatten(1, (-1, GROUP_SIZE // 2))
    numbers = torch.cat((groups & 0xF, groups >> 4), dim=2).to(scale.dtype) - 8
    return (numbers * scale.T[..., None]).flatten(1)


def w4a16_matmul(input: torch.Tensor, weight: torch.Tensor, scale: torch.Tensor) -> torch.Tensor:
    """``input @ dequantize(weight, scale).T`` in the element type of the input.

    Of a matrix in float16 or bfloat16, (m, k), a weight of four bits a number, packed in bytes,
    (n, k / 2), and its scales in the input's element type, (k / 128, n).
    """
    check_floats(one_dtype=True, input=input, scale=scale)
    if input.dtype not in (torch.float16, torch.bfloat16):
        raise ValueError(f"input must be float16 or bfloat16, not {input.dtype}")
    if weight.dtype != torch.uint8:
        raise ValueError(f"weight must be uint8, two numbers a byte, not {weight.dtype}")
    check_ndim(2, input=input, weight=weight, scale=scale)
    (m, k), n = input.shape, weight.shape[0]
    if k % GROUP_SIZE or weight.shape[1] != k // 2 or scale.shape != (k // GROUP_SIZE, n):
        raise ValueError(
            f"the shapes of input, weight and scale, {tuple(input.shape)}, {tuple(weight.shape)} "
            f"and {tuple(scale.shape)}, must be (m, k), (n, k / 2) and (k / {GROUP_SIZE}, n), "
            f"where {GROUP_SIZE} divides k"
        )
    output = input.new_empty(m, n)
    w4a16_matmul_kernel(input, weight, scale, output)
    return output


if __name__ == "__main__":
    from examples.runner import run

    def inputs(draw, m, n, k):
        # In float32 there are no such products.
        return (
            draw(m, k, dtype=torch.float16),
            *quantize(draw(n, k, dtype=torch.float16)),
        )

    run(
        w4a16_matmul,
        lambda input, weight, scale: input @ dequantize(weight, scale).T,
        inputs,
        small=(16, 640, 384),
        large=(16, 8192, 8192),
    )
