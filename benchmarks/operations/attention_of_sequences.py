"""Attention over sequences of different lengths: packed in one tensor, or in pages of a cache."""

from __future__ import annotations

import torch
import torch.nn.functional as F

from benchmarks.operation import Operation, Work, by_hand, bytes_of
from benchmarks.operations.products import UNITS
from examples import paged_attention, varlen_attention
from examples.runner import Draw

VARLEN_SIZES = {
    "small": (8, 8, 128, 64),
    "medium": (16, 32, 1024, 64),
    "large": (16, 16, 8192, 128),
    "ragged": (7, 7, 1999, 64),
}
"""The sequences, heads, the length of the longest and the dim of a head."""

PAGED_SIZES = {
    "small": (8, 8, 2, 512, 64, 16),
    "medium": (32, 32, 8, 2048, 128, 16),
    "large": (64, 32, 8, 8192, 128, 16),
    "ragged": (7, 14, 7, 1999, 64, 16),
}
"""The sequences, heads, key heads, the length of the longest, the dim of a head, and the size of a
page.
"""


def _packed_inputs(
    draw: Draw, sequences: int, heads: int, longest: int, dim: int
) -> tuple[torch.Tensor | int | bool, ...]:
    """Sequences of any length up to the longest, each as likely."""
    lengths = draw.integers(longest + 1, sequences, low=1)
    lengths[0] = longest
    offsets = F.pad(lengths.cumsum(0), (1, 0)).int()
    total = int(offsets[-1])
    return *(draw(total, heads, dim) for _ in range(3)), offsets, offsets, longest, True


def _sequences(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    query_offsets: torch.Tensor,
    key_offsets: torch.Tensor,
    max_length: int,
    is_causal: bool,
) -> torch.Tensor:
    """Sequence by sequence."""
    offsets = (query_offsets, key_offsets, key_offsets)
    parts = (
        tensor.transpose(0, 1).split(places.diff().tolist(), dim=1)
        for tensor, places in zip((query, key, value), offsets, strict=True)
    )
    outputs = [
        F.scaled_dot_product_attention(*one, is_causal=is_causal, enable_gqa=True)
        for one in zip(*parts, strict=True)
    ]
    return torch.cat(outputs, dim=1).transpose(0, 1)


def _nested(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    query_offsets: torch.Tensor,
    key_offsets: torch.Tensor,
    max_length: int,
    is_causal: bool,
) -> torch.Tensor:
    """As jagged tensors, whose sequences have one position or more."""
    heads = (
        torch.nested.nested_tensor_from_jagged(
            tensor, offsets, min_seqlen=1, max_seqlen=max_length
        ).transpose(1, 2)
        for tensor, offsets in ((query, query_offsets), (key, key_offsets), (value, key_offsets))
    )
    output = F.scaled_dot_product_attention(*heads, is_causal=is_causal)
    return output.transpose(1, 2).values()


def _varlen_work(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    query_offsets: torch.Tensor,
    key_offsets: torch.Tensor,
    max_length: int,
    is_causal: bool,
) -> Work:
    """Two products for each query and each key of its sequence that it sees."""
    pairs = int((query_offsets.diff().long() * key_offsets.diff().long()).sum())
    operations = 2 * pairs * query.shape[1] * (query.shape[2] + value.shape[2])
    moved = bytes_of(query, key, value, query_offsets, key_offsets, query)
    return Work(moved, operations // (2 if is_causal else 1), UNITS[query.dtype])


def _paged_inputs(
    draw: Draw,
    sequences: int,
    heads: int,
    key_heads: int,
    longest: int,
    dim: int,
    page_size: int,
) -> tuple[torch.Tensor, ...]:
    """Sequences of any length up to the longest, each as likely, with pages in any order."""
    each = -(-longest // page_size)
    order = torch.randperm(sequences * each, generator=torch.Generator().manual_seed(0))
    block_table = order.to(draw.device, torch.int32).view(sequences, each)
    lengths = draw.integers(longest + 1, sequences, low=1, dtype=torch.int32)
    cache = (draw(sequences * each, page_size, key_heads, dim) for _ in range(2))
    return draw(sequences, heads, dim), *cache, block_table, lengths


def _gathered(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    block_table: torch.Tensor,
    lengths: torch.Tensor,
) -> torch.Tensor:
    """All pages of all sequences, gathered; what lies behind a sequence's end is masked."""
    key, value = (cache[block_table].flatten(1, 2).transpose(1, 2) for cache in (key, value))
    positions = torch.arange(key.shape[2], device=key.device)
    seen = positions < lengths[:, None, None, None]
    output = F.scaled_dot_product_attention(query[:, :, None], key, value, seen, enable_gqa=True)
    return output.squeeze(2)


def _paged_work(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    block_table: torch.Tensor,
    lengths: torch.Tensor,
) -> Work:
    """Keys and values of the sequences' positions are read, whatever else the cache has."""
    positions = int(lengths.sum())
    read = positions * key.shape[2] * (key.shape[3] + value.shape[3]) * key.element_size()
    operations = 2 * positions * query.shape[1] * (key.shape[3] + value.shape[3])
    return Work(read + bytes_of(query, lengths, query), operations, UNITS[query.dtype])


OPERATIONS = (
    Operation(
        name="paged_attention",
        sizes=PAGED_SIZES,
        inputs=_paged_inputs,
        reference=_gathered,
        work=_paged_work,
        ours=paged_attention.paged_attention,
        triton=by_hand("attention_paged", "paged_attention"),
        torch=_gathered,
    ),
    Operation(
        name="varlen_attention",
        sizes=VARLEN_SIZES,
        inputs=_packed_inputs,
        reference=_sequences,
        work=_varlen_work,
        ours=varlen_attention.varlen_attention,
        triton=by_hand("attention_varlen", "varlen_attention"),
        torch=_nested,
    ),
)
