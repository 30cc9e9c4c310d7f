"""The k largest numbers of each row and where they are, of rows of any length.

input    [ tile 0 | tile 1 | tile 2 ]      one program a row, which goes through its tiles and keeps
         [ tile 0 | tile 1 | tile 2 ]      the k best so far; most tiles have none that is better
values   [ k ]      indices  [ k ]         one block of k elements a program
         [ k ]               [ k ]

What is sorted are keys: above, a number's bits, changed so that they are in the order of the
numbers, and below, its index, which comes along. Numbers of 16 bits whose indices have no more have
keys of 32, others of 64.

Where rows are long and so few that most of a GPU would have nothing to do, they are cut into
chunks, each of which has a program. It keeps the keys of its k best:

input    [ tile 0 | tile 1 ] [ tile 2 | tile 3 ] [ tile 4 ]      one program a chunk
keys     [ k               ] [ k               ] [ k      ]

A second kernel finds the best of the chunks' keys, which one program a row holds in one block.
"""

import functools

import torch

import ninetoothed
import ninetoothed.language as ntl
from examples.checks import check_floats, check_ndim
from examples.cumsum import rows_in_tiles
from ninetoothed import Tensor, block_size

# Rows are cut for so many programs a multiprocessor.
PROGRAMS = 16
# The length of a chunk is a multiple, so that few kernels are compiled; every tile divides it.
STEP = 2048
# A row has at most one chunk for so many columns,
SHORTEST = 4096
# and no more than one program can sort the keys of.
MOST_KEYS = 1024


def tile_size(lanes):
    return block_size(lower_bound=max(128, lanes), upper_bound=max(512, lanes))


def rows_in_blocks(tensor, size):
    """For each program a row, as a block of ``size`` elements."""
    arranged = tensor.tile((1, size)).squeeze(1)
    arranged.dtype = arranged.dtype.squeeze(0)
    return arranged


def arrangement(input, values, indices, lanes):
    outputs_arranged = (rows_in_blocks(tensor, lanes) for tensor in (values, indices))
    return rows_in_tiles(input, tile_size(lanes)), *outputs_arranged


def chunks_arrangement(input, keys, lanes, chunk):
    input_arranged = input.tile((1, chunk))
    input_arranged.dtype = input_arranged.dtype.squeeze(0).tile((tile_size(lanes),))

    keys_arranged = keys.tile((1, lanes))
    keys_arranged.dtype = keys_arranged.dtype.squeeze(0)

    return input_arranged, keys_arranged


def merge_arrangement(input, keys, values, indices, lanes):
    # Each program has its whole row, and reads no more of it than the numbers that keys name.
    input_arranged = rows_in_tiles(input, 1)
    outputs_arranged = (rows_in_blocks(tensor, lanes) for tensor in (values, indices))
    return input_arranged, rows_in_blocks(keys, -1), *outputs_arranged


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


def indices_of(keys, is_narrow):
    return LAST_NARROW - (keys & 0xFFFF) if is_narrow else LAST - (keys & 0xFFFFFFFF)


def best_keys(tiles, lanes, is_narrow):
    """The ``lanes`` largest keys of all tiles, in their order."""
    no_key = NO_KEY_NARROW if is_narrow else NO_KEY
    best = ntl.full((lanes,), no_key, dtype=ntl.int32 if is_narrow else ntl.int64)

    for i in range(tiles.shape[0]):
        keys = narrow_keys_of(tiles[i]) if is_narrow else keys_of(tiles[i])
        if ntl.max(keys) > ntl.min(best):
            best = ntl.topk(ntl.cat(best, ntl.topk(keys, lanes)), lanes)

    return best


def keys_tensor(is_narrow):
    if is_narrow:
        return Tensor(2, dtype=ninetoothed.int32, other=NO_KEY_NARROW)
    return Tensor(2, dtype=ninetoothed.int64, other=NO_KEY)


@ninetoothed.factory
def topk_kernel(lanes: int, is_narrow: bool = False) -> ninetoothed.Kernel:
    """The kernel for a k of at most ``lanes``, a power of two. ``is_narrow``: for rows of at most
    2 ** 16 numbers of 16 bits.
    """

    def application(input, values, indices):
        index = indices_of(best_keys(input, lanes, is_narrow), is_narrow)
        values = input.source[values.offsets(0), index]
        indices = index

    return ninetoothed.make(
        functools.partial(arrangement, lanes=lanes),
        application,
        (Tensor(2, other=float("-inf")), Tensor(2), Tensor(2, dtype=ninetoothed.int64)),
        kernel_name="topk_kernel",
    )


@ninetoothed.factory
def chunks_kernel(lanes: int, chunk: int, is_narrow: bool = False) -> ninetoothed.Kernel:
    """The kernel that finds the ``lanes`` best keys of each ``chunk`` columns. ``is_narrow``: for
    chunks of numbers of 16 bits, of which the last one ends at most at 2 ** 16.
    """

    def application(input, keys):
        keys = best_keys(input, lanes, is_narrow)

    return ninetoothed.make(
        functools.partial(chunks_arrangement, lanes=lanes, chunk=chunk),
        application,
        (Tensor(2, other=float("-inf")), keys_tensor(is_narrow)),
        kernel_name="topk_chunks_kernel",
    )


@ninetoothed.factory
def merge_kernel(lanes: int, is_narrow: bool = False) -> ninetoothed.Kernel:
    """The kernel that finds the ``lanes`` best of a row's keys that ``chunks_kernel`` found."""

    def application(input, keys, values, indices):
        index = indices_of(ntl.topk(keys, lanes), is_narrow)
        values = input.source[values.offsets(0), index]
        indices = index

    return ninetoothed.make(
        functools.partial(merge_arrangement, lanes=lanes),
        application,
        (
            *(Tensor(2, other=float("-inf")), keys_tensor(is_narrow)),
            *(Tensor(2), Tensor(2, dtype=ninetoothed.int64)),
        ),
        kernel_name="topk_merge_kernel",
    )


def chunk_length(input: torch.Tensor, lanes: int) -> int:
    """How many columns of a row one program searches; as many as there are, or more: all."""
    rows, columns = input.shape
    programs = PROGRAMS
    if input.is_cuda:
        programs *= torch.cuda.get_device_properties(input.device).multi_processor_count
    chunks = min(programs // max(rows, 1), columns // SHORTEST, MOST_KEYS // lanes)
    return -(-columns // (max(chunks, 1) * STEP)) * STEP


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
    if k == 0:
        return values, indices

    lanes = 1 << (k - 1).bit_length()
    chunk = chunk_length(input, lanes)
    chunks = -(-columns // chunk)
    # Behind the end of a row are indices, too: a key's low half holds those of whole chunks.
    is_narrow = input.element_size() == 2 and chunks * chunk <= 2**16
    if chunks == 1:
        topk_kernel(lanes, is_narrow)(input, values, indices)
        return values, indices

    dtype = torch.int32 if is_narrow else torch.int64
    keys = input.new_empty((rows, chunks * lanes), dtype=dtype)
    chunks_kernel(lanes, chunk, is_narrow)(input, keys)
    merge_kernel(lanes, is_narrow)(input, keys, values, indices)
    return values, indices


if __name__ == "__main__":
    from examples.runner import run

    def best_8(input):
        values, indices = topk(input, 8)
        return values, input.gather(1, indices)

    def reference(input):
        values = torch.topk(input, 8, dim=-1).values
        return values, values

    # The second sizes are of rows in chunks.
    for sizes in (
        {"small": (129, 5000), "large": (4096, 32768)},
        {"small": (3, 20000), "large": (256, 131072)},
    ):
        run(best_8, reference, lambda draw, rows, columns: (draw(rows, columns),), **sizes)
