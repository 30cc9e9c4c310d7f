"""Attention of one query a sequence to keys and values that lie in pages of a cache: decoding.

block_table   [ 4 1 . ]     key, value   [ p0 ]     sequence 0, of 5 positions, has pages 4 and 1,
              [ 0 5 3 ]                  [ p1 ]     and sequence 1, of 9, has pages 0, 5 and 3
lengths       [ 5 9 ]                    [ …  ]     (pages of 4 positions)
                                         [ p5 ]

query         [ h0 ]       the query heads that share a key head are the rows of a program, which
              [ h1 ]       goes over the pages of its sequence by their numbers; there are fewer
              [ …  ]       than a dot has, and rows behind them are empty
"""

import torch

import ninetoothed
import ninetoothed.language as ntl
from examples import attention
from examples.checks import check_floats, check_ndim
from ninetoothed import Tensor


def arrangement(query, key, value, block_table, lengths, scale, output):
    # Heads of a group stand where attention has the positions of a head.
    query_arranged = attention.queries(query[:, :, None])
    batch, _, _, blocks, _ = query_arranged.shape

    def pages(tensor):
        """All pages of a key head."""
        tensor = tensor.permute((0, 2, 1, 3))[:, :, None]
        arranged = tensor.tile((1, 1, 1, -1, -1)).tile((-1, 1, 1, 1, 1))
        arranged = arranged.expand((batch, -1, -1, blocks, -1))
        arranged.dtype = arranged.dtype.squeeze((1, 2, 3, 4))
        arranged.dtype.dtype = arranged.dtype.dtype.squeeze((0, 1, 2))
        return arranged

    def numbers_of_sequences(tensor):
        """All numbers of a sequence, one by one."""
        arranged = tensor.tile((1, 1)).tile((1, -1))[:, :, None, None, None]
        arranged = arranged.expand((-1, query.shape[1], -1, blocks, -1))
        arranged.dtype = arranged.dtype.squeeze(0)
        arranged.dtype.dtype = arranged.dtype.dtype.squeeze((0, 1))
        return arranged

    return (
        query_arranged,
        pages(key),
        pages(value),
        numbers_of_sequences(block_table),
        numbers_of_sequences(lengths[:, None]),
        scale,
        attention.queries(output[:, :, None]),
    )


def is_page(number, pages):
    return (number >= 0) & (number < pages.shape[0])


def application(query, key, value, block_table, lengths, scale, output):
    queries = ntl.cast(query, query.dtype)  # Read once, not in each iteration.
    factor = scale * attention.LOG2_E
    length, size = lengths[0], key.dtype.shape[0]

    def step(i, is_masked, accumulator, largest, total):
        page = block_table[i]
        scores = attention.dot(queries, ntl.trans(key[page])) * factor
        values = value[page]
        seen = key[page].offsets(1) < (length - i * size if is_masked else size)
        scores = ntl.where(seen[None, :], scores, float("-inf"))
        if is_masked:
            # What no sequence has written yet may be no number.
            values = ntl.where(seen[:, None], values, 0.0)
        return attention.add_block(scores, values, accumulator, largest, total)

    fits = length >= 0
    accumulator, largest, total = attention.no_sums(query, value)
    whole = length // size
    for i in range(whole):
        fits = fits & is_page(block_table[i], key)
        accumulator, largest, total = step(i, False, accumulator, largest, total)
    for i in range(whole, ntl.cdiv(length, size)):
        fits = fits & is_page(block_table[i], key)
        accumulator, largest, total = step(i, True, accumulator, largest, total)

    # Not in the loop: one that may stop loads nothing ahead.
    ntl.device_assert(fits, "a sequence needs a page that is none of the cache")
    output, _ = attention.mean_of(accumulator, largest, total)


query = Tensor(4, shape_options=(None, None, None, {"constexpr": True}), other=0)
value = Tensor(4, shape_options=(None, {"constexpr": True}, None, {"constexpr": True}), other=0)
key = Tensor(shape=(*value.shape[:-1], query.shape[-1]), other=0)
block_table = Tensor(2, dtype="i32", other=-1)
block_table.shape = (query.shape[0], block_table.shape[1])
lengths = Tensor(shape=query.shape[:1], dtype="i32")
output = Tensor(shape=(*query.shape[:-1], value.shape[-1]))

paged_attention_kernel = ninetoothed.make(
    arrangement,
    application,
    (query, key, value, block_table, lengths, Tensor(0), output),
    kernel_name="paged_attention_kernel",
)


def paged_attention(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    block_table: torch.Tensor,
    lengths: torch.Tensor,
    scale: float | None = None,
) -> torch.Tensor:
    """Attention of one query a sequence to all keys of the sequence, without gradients.

    ``query`` is (batch, heads, dim), ``key`` and ``value`` are (pages, page size, key heads, dim);
    key heads divide heads, and the query heads of a group share one. ``block_table``, (batch, most
    pages), has the numbers of each sequence's pages in order, and ``lengths``, (batch,), how many
    positions each has. Both are int32; what a table has beyond a sequence's length is not read. A
    page that a sequence needs and the cache or the table does not have stops the program. The
    output of a sequence of length 0 is 0; the scale is 1 / sqrt(dim) where none is given.
    """
    check_floats(one_dtype=True, query=query, key=key, value=value)
    check_ndim(3, query=query)
    check_ndim(4, key=key, value=value)
    attention.check_groups(query.shape[1], key.shape[2])
    for name, numbers in (("block_table", block_table), ("lengths", lengths)):
        if numbers.dtype != torch.int32:
            raise ValueError(f"{name} must be int32, not {numbers.dtype}")
    check_ndim(2, block_table=block_table)
    check_ndim(1, lengths=lengths)
    if scale is None:
        scale = query.shape[-1] ** -0.5
    query = attention.grouped(query, key.shape[2])
    output = query.new_empty((*query.shape[:-1], value.shape[-1]))
    paged_attention_kernel(query, key, value, block_table, lengths, scale, output)
    return output.flatten(1, 2)


if __name__ == "__main__":
    from examples.runner import run

    def reference(query, key, value, block_table, lengths):
        outputs = []
        for one, pages, length in zip(query, block_table.long(), lengths.tolist(), strict=True):
            # Heads, positions and dims of the sequence.
            own = (cache[pages].flatten(0, 1)[:length].transpose(0, 1) for cache in (key, value))
            outputs.append(
                torch.nn.functional.scaled_dot_product_attention(
                    one[:, None], *own, enable_gqa=True
                )
            )
        return torch.stack(outputs).squeeze(2)

    def inputs(draw, batch, heads, key_heads, longest, dim, page_size):
        pages = batch * longest // page_size
        order = torch.randperm(pages, generator=torch.Generator().manual_seed(0))
        block_table = order.to(draw.device, torch.int32).view(batch, -1)
        cache = (draw(pages, page_size, key_heads, dim) for _ in range(2))
        lengths = draw.integers(longest + 1, batch, low=1, dtype=torch.int32)
        return draw(batch, heads, dim), *cache, block_table, lengths

    run(
        paged_attention,
        reference,
        inputs,
        small=(5, 8, 2, 96, 32, 16),
        large=(64, 32, 8, 8192, 128, 16),
    )
