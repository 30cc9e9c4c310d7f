"""Attention over sequences that are packed in one tensor, with offsets of where each begins.

query, output   [ 0 0 0 | 1 1 1 1 1 | 2 ]     (total, heads, dim): the sequences one behind another
offsets         [ 0      3           8  9 ]   on the device, one more than there are sequences
programs        [ m0 m1 | m0 m1 m2  | m0 ]    blocks of queries of a sequence, for each head

Where a sequence begins is known at run time only, so that its blocks are none of a fixed tiling: a
tensor is tiled with a stride of one position, and a program takes the blocks that it needs, by the
position in the packed tensor at which they begin. There are programs for ``max_length`` queries of
each sequence; those beyond the end of a shorter one have nothing to do.

`examples.jagged_attention` has the same sequences as torch.nested tensors, which keep their offsets
themselves.
"""

import torch

import ninetoothed
import ninetoothed.language as ntl
from examples import attention
from examples.checks import check_floats
from ninetoothed import Tensor


def arrangement(query, key, value, positions, query_offsets, key_offsets, is_causal, scale, output):
    key_heads, group = query.shape[1:3]
    blocks = positions.tile((1, attention.BLOCK_SIZE_M))
    programs = (key_heads, group, *blocks.shape)

    def from_each_position(tensor, size):
        """Blocks of a head, by the position at which they begin."""
        tensor = tensor.permute((1, 2, 0, 3)).pad(((0, 0), (0, 0), (0, size - 1), (0, 0)))
        arranged = tensor.tile((1, 1, size, -1), strides=(1, 1, 1, -1)).tile((1, 1, -1, 1))
        arranged = arranged.expand((-1, *programs[1:]))
        arranged.dtype = arranged.dtype.squeeze((0, 1, 3))
        arranged.dtype.dtype = arranged.dtype.dtype.squeeze((0, 1))
        return arranged

    def numbers_of_sequences(numbers):
        arranged = numbers.tile((1,))[None, None, :, None]
        arranged = arranged.expand((*programs[:2], -1, programs[3]))
        arranged.dtype = arranged.dtype.squeeze(0)
        return arranged

    positions_arranged = blocks[None, None].expand(programs)
    positions_arranged.dtype = positions_arranged.dtype.squeeze(0)

    return (
        from_each_position(query, attention.BLOCK_SIZE_M),
        from_each_position(key[:, :, None], attention.BLOCK_SIZE_N),
        from_each_position(value[:, :, None], attention.BLOCK_SIZE_N),
        positions_arranged,
        numbers_of_sequences(query_offsets[:-1]),
        numbers_of_sequences(query_offsets[1:]),
        numbers_of_sequences(key_offsets[:-1]),
        numbers_of_sequences(key_offsets[1:]),
        is_causal,
        scale,
        from_each_position(output, attention.BLOCK_SIZE_M),
    )


def check_offsets(start, end, total):
    fits = (start >= 0) & (start <= end) & (end <= total)
    ntl.device_assert(fits, "offsets do not rise from 0 to the number of positions")


def store_rows(output, row, rows):
    """Store rows of a head; a block of ``output`` may go on into the next sequence."""
    key_head, head, column = output[0].offsets(1), output[0].offsets(2), output[0].offsets(3)
    output.source[row[:, None], key_head, head, column[None, :]] = rows


def application(
    query,
    key,
    value,
    positions,
    query_start,
    query_end,
    key_start,
    key_end,
    is_causal,
    scale,
    output,
):
    position = positions.offsets(1)
    first = position[0]
    length = key_end - key_start
    rows, size = query.dtype.shape[0], key.dtype.shape[0]
    factor = scale * attention.LOG2_E
    check_offsets(query_start, query_end, query.source.shape[0])
    check_offsets(key_start, key_end, key.source.shape[0])
    is_within = query_end - query_start <= positions.source.shape[1]
    ntl.device_assert(is_within, "a sequence has more than max_length queries")

    def step(i, is_masked, queries, accumulator, largest, total):
        start = key_start + i * size
        scores = attention.dot(queries, ntl.trans(key[start])) * factor
        values = value[start]
        if is_masked:
            key_position = i * size + ntl.arange(0, size)
            seen = attention.seen_keys(position, key_position, length, is_causal)
            scores = ntl.where(seen, scores, float("-inf"))
            # Values of the next sequence have no weight, but infinite ones would count.
            values = ntl.where((key_position < length)[:, None], values, 0.0)
        return attention.add_block(scores, values, accumulator, largest, total)

    if first < query_end - query_start:
        queries = query[query_start + first]
        accumulator, largest, total = attention.no_sums(queries, value)
        whole, some = attention.blocks_within(first, rows, length, size, is_causal)
        for i in range(whole):
            accumulator, largest, total = step(i, False, queries, accumulator, largest, total)
        for i in range(whole, some):
            accumulator, largest, total = step(i, True, queries, accumulator, largest, total)
        result, _ = attention.mean_of(accumulator, largest, total)
        row = query_start + position
        # There is no row -1, and nothing is stored there.
        store_rows(output, ntl.where(row < query_end, row, -1), result)


query = Tensor(4, shape_options=(None, None, None, {"constexpr": True}), other=0)
value = Tensor(3, shape_options=(None, None, {"constexpr": True}), other=0)
key = Tensor(shape=(*value.shape[:-1], query.shape[-1]), other=0)
output = Tensor(shape=(*query.shape[:-1], value.shape[-1]))
offsets = (Tensor(1, dtype="i32") for _ in range(2))

varlen_attention_kernel = ninetoothed.make(
    arrangement,
    application,
    (query, key, value, Tensor(2), *offsets, Tensor(0, constexpr=True), Tensor(0), output),
    kernel_name="varlen_attention_kernel",
)


def check_vector_of_offsets(**tensors: torch.Tensor) -> None:
    """Raise a ValueError where a tensor does not have what offsets have."""
    for name, offsets in tensors.items():
        if offsets.dtype != torch.int32 or offsets.ndim != 1 or not offsets.shape[0]:
            raise ValueError(
                f"{name} must be int32, (sequences + 1,), not {offsets.dtype}, "
                f"{tuple(offsets.shape)}"
            )


def varlen_attention(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    query_offsets: torch.Tensor,
    key_offsets: torch.Tensor,
    max_length: int,
    is_causal: bool = False,
    scale: float | None = None,
) -> torch.Tensor:
    """Attention of the queries of each sequence to its keys, without gradients.

    ``query`` is (total, heads, dim), ``key`` and ``value`` are (key total, key heads, dim); key
    heads divide heads, and the query heads of a group share one. The offsets are int32, on the
    tensors' device: those of queries rise from 0 to total, those of keys from 0 to key total, and
    sequence i goes from element i to element i + 1. None has more than ``max_length`` queries.
    Offsets that do not fit stop the program. ``is_causal``: query i of a sequence sees its keys 0
    to i. The output of a query that sees no key is 0; the scale is 1 / sqrt(dim) where none is
    given.
    """
    check_floats(one_dtype=True, query=query, key=key, value=value)
    attention.check_heads(1, query, key, value, ndim=3)
    check_vector_of_offsets(query_offsets=query_offsets, key_offsets=key_offsets)
    if query_offsets.shape != key_offsets.shape:
        raise ValueError(
            f"query_offsets are of {len(query_offsets) - 1} sequences, and key_offsets of "
            f"{len(key_offsets) - 1}"
        )
    if max_length < 0:
        raise ValueError(f"max_length must be at least 0, not {max_length}")
    if scale is None:
        scale = query.shape[-1] ** -0.5
    query = attention.grouped(query, key.shape[1])
    output = query.new_empty((*query.shape[:-1], value.shape[-1]))
    # Nothing is read of them: they say how many programs there are.
    positions = query_offsets[1:, None].expand(-1, max_length)
    varlen_attention_kernel(
        query, key, value, positions, query_offsets, key_offsets, is_causal, scale, output
    )
    return output.flatten(1, 2)


if __name__ == "__main__":
    from examples.runner import run

    def reference(query, key, value, query_offsets, key_offsets, max_length):
        lengths = (query_offsets.diff().tolist(), key_offsets.diff().tolist())
        sequences = (query.split(lengths[0]), key.split(lengths[1]), value.split(lengths[1]))
        outputs = [
            torch.nn.functional.scaled_dot_product_attention(
                *(part.transpose(0, 1) for part in parts), is_causal=True, enable_gqa=True
            ).transpose(0, 1)
            for parts in zip(*sequences, strict=True)
        ]
        return torch.cat(outputs)

    def causal_attention(*arguments):
        return varlen_attention(*arguments, is_causal=True)

    def inputs(draw, batch, heads, key_heads, longest, dim):
        lengths = draw.integers(longest + 1, batch, dtype=torch.int32)
        offsets = torch.nn.functional.pad(lengths.cumsum(0, dtype=torch.int32), (1, 0))
        total = int(offsets[-1])
        tensors = (draw(total, count, dim) for count in (heads, key_heads, key_heads))
        return *tensors, offsets, offsets, longest

    run(causal_attention, reference, inputs, small=(5, 4, 2, 100, 32), large=(16, 32, 8, 4096, 128))
