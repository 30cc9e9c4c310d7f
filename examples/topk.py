"""The k largest numbers of each row and where they are, of rows of any length.

input    [ tile 0 | tile 1 | tile 2 ]      one program a row, which goes through its tiles and keeps
         [ tile 0 | tile 1 | tile 2 ]      the k best so far; most tiles have none that is better
values   [ k ]      indices  [ k ]         one block of k elements a program
         [ k ]               [ k ]

What is sorted are keys: above, a number's bits, changed so that they are in the order of the
numbers, and below, its index, which comes along. Numbers of 16 bits whose indices have no more have
keys of 32, others of 64.
"""

import functools

import torch

import ninetoothed
import ninetoothed.language as ntl
from examples.checks import check_floats, check_ndim
from examples.cumsum import rows_in_tiles
from ninetoothed import Tensor, block_size


def arrangement(input, values, indices, lanes):
    tile = block_size(lower_bound=max(128, lanes), upper_bound=max(512, lanes))
    outputs_arranged = [tensor.tile((1, lanes)).squeeze(1) for tensor in (values, indices)]
    for arranged in outputs_arranged:
        arranged.dtype = arranged.dtype.squeeze(0)

    return rows_in_tiles(input, tile), *outputs_arranged


# Counted down, the first of equal numbers has the largest key.
LAST, LAST_NARROW = 2**31 - 1, 2**16 - 1
NO_KEY, NO_KEY_NARROW = -(2**63), -(2**31)


def ordered(tile, bits, most):
    """Integers in the order of numbers with these bits, of which ``most`` is the largest."""
    # Of negative numbers, the larger one has the smaller bits.
    found = ntl.where(bits < 0, bits ^ most, bits)
    # A NaN of either sign is larger than every number, as in torch.
    return ntl.where(tile != tile, most, found)


def keys_of(tile):
    bits = ntl.cast(ntl.cast(tile, ntl.float32), ntl.int32, bitcast=True)
    return (ntl.cast(ordered(tile, bits, 0x7FFFFFFF), ntl.int64) << 32) | (LAST - tile.offsets(1))


def narrow_keys_of(tile):
    bits = ntl.cast(ntl.cast(tile, ntl.int16, bitcast=True), ntl.int32)
    return (ordered(tile, bits, 0x7FFF) << 16) | (LAST_NARROW - tile.offsets(1))


@ninetoothed.factory
def topk_kernel(lanes: int, is_narrow: bool = False) -> ninetoothed.Kernel:
    """The kernel for a k of at most ``lanes``, a power of two. ``is_narrow``: for rows of at most
    2 ** 16 numbers of 16 bits.
    """
    make_keys = narrow_keys_of if is_narrow else keys_of
    no_key = NO_KEY_NARROW if is_narrow else NO_KEY
    dtype = ntl.int32 if is_narrow else ntl.int64

    def application(input, values, indices):
        best = ntl.full((lanes,), no_key, dtype=dtype)

        for i in range(input.shape[0]):
            keys = make_keys(input[i])
            if ntl.max(keys) > ntl.min(best):
                best = ntl.topk(ntl.cat(best, ntl.topk(keys, lanes)), lanes)

        index = LAST_NARROW - (best & 0xFFFF) if is_narrow else LAST - (best & 0xFFFFFFFF)
        values = input.source[values.offsets(0), index]
        indices = index

    return ninetoothed.make(
        functools.partial(arrangement, lanes=lanes),
        application,
        (Tensor(2, other=float("-inf")), Tensor(2), Tensor(2, dtype=ninetoothed.int64)),
        kernel_name="topk_kernel",
    )


def topk(input: torch.Tensor, k: int) -> tuple[torch.Tensor, torch.Tensor]:
    """The ``k`` largest numbers of each row of a matrix, the largest first, and their indices.

    Of equal numbers the first ones are taken, in their order, but 0 before -0; a NaN is larger than
    every number.

    Raises:
        ValueError: a row has fewer than ``k`` numbers, a program cannot hold as many (more than
            1024), or float32 does not hold them.
    """
    check_floats(input=input)
    check_ndim(2, input=input)
    rows, columns = input.shape
    if not 0 <= k <= min(columns, 1024):
        raise ValueError(f"k is {k}, and must be between 0 and {min(columns, 1024)}")
    values = input.new_empty(rows, k)
    indices = input.new_empty((rows, k), dtype=torch.int64)
    if k > 0:
        is_narrow = input.element_size() == 2 and columns <= 2**16
        topk_kernel(1 << (k - 1).bit_length(), is_narrow)(input, values, indices)
    return values, indices


if __name__ == "__main__":
    from examples.runner import run

    def best_8(input):
        values, indices = topk(input, 8)
        return values, input.gather(1, indices)

    def reference(input):
        values = torch.topk(input, 8, dim=-1).values
        return values, values

    run(
        best_8,
        reference,
        lambda draw, rows, columns: (draw(rows, columns),),
        small=(129, 5000),
        large=(4096, 32768),
    )
