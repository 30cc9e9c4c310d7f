"""Scaled dot-product attention and its gradients, causal, of grouped heads, or in a window."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch.utils.checkpoint import checkpoint

from benchmarks.operation import LENGTHS, Operation, Work, by_hand, bytes_of
from benchmarks.operations.products import UNITS
from examples import attention, sliding_window_attention
from examples.runner import Draw

SIZES = {
    "small": (1, 8, 8, 512, 64),
    "medium": (4, 32, 32, 2048, 64),
    "large": (1, 16, 16, 8192, 128),
    "ragged": (3, 7, 7, 1999, 64),
}
"""The batch, heads, key heads, the length and the dim of a head."""

GROUPED_SIZES = {
    "small": (1, 32, 8, 512, 128),
    "medium": (2, 32, 8, 2048, 128),
    "large": (1, 32, 8, 8192, 128),
    "ragged": (1, 32, 8, 1999, 128),
}

DECODING_SIZES = {
    "small": (1, 8, 2, 512, 64),
    "medium": (1, 16, 2, 32768, 128),
    "large": (1, 16, 16, 32768, 128),
    "ragged": (3, 14, 7, 4999, 64),
}
"""The same, but for one query a head: the length is that of the keys."""

WINDOW_SIZES = {
    "small": (1, 8, 512, 64, 128),
    "medium": (2, 32, 4096, 64, 512),
    "large": (1, 16, 16384, 128, 4096),
    "ragged": (3, 7, 1999, 64, 301),
}
"""The batch, heads, the length, the dim of a head, and the window."""


def _torch(
    query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, is_causal: bool
) -> torch.Tensor:
    grouped = query.shape[1] != key.shape[1]
    return F.scaled_dot_product_attention(
        query, key, value, is_causal=is_causal, enable_gqa=grouped
    )


def _head(
    query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, is_causal: bool
) -> torch.Tensor:
    return _torch(query[None, None], key[None, None], value[None, None], is_causal)[0, 0]


def _reference(
    query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, is_causal: bool
) -> torch.Tensor:
    """Head by head, and backward computed again: the scores of all would not fit."""
    group = query.shape[1] // key.shape[1]
    repeated = (query, *(x.repeat_interleave(group, dim=1) for x in (key, value)))
    heads = zip(*(x.flatten(0, 1).unbind() for x in repeated), strict=True)
    outputs = [checkpoint(_head, *head, is_causal, use_reentrant=False) for head in heads]
    return torch.stack(outputs).unflatten(0, query.shape[:2])


def _operations(
    query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, is_causal: bool
) -> int:
    """Those of two products for each query and each key that it sees."""
    pairs = query.shape[:-1].numel() * key.shape[2]
    return 2 * pairs * (query.shape[-1] + value.shape[-1]) // (2 if is_causal else 1)


def _work(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, is_causal: bool) -> Work:
    operations = _operations(query, key, value, is_causal)
    return Work(bytes_of(query, key, value, query), operations, UNITS[query.dtype])


def _gradient_work(
    gradient: torch.Tensor,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    is_causal: bool,
) -> Work:
    """Five products for the two of the forward pass, whose output is read."""
    operations = _operations(query, key, value, is_causal) * 5 // 2
    read, written = (gradient, query, key, value, gradient), (query, key, value)
    return Work(bytes_of(*read, *written), operations, UNITS[query.dtype])


def _operation(
    name: str,
    is_causal: bool,
    sizes: dict[str, tuple[int, ...]] = SIZES,
    is_gradient: bool = False,
) -> Operation:
    def inputs(
        draw: Draw, batch: int, heads: int, key_heads: int, length: int, dim: int
    ) -> tuple[torch.Tensor | bool, ...]:
        query_heads = [heads, heads] if is_gradient else [heads]
        tensors = [
            draw(batch, count, length, dim) for count in (*query_heads, key_heads, key_heads)
        ]
        return *tensors, is_causal

    return Operation(
        name=name,
        sizes=sizes,
        inputs=inputs,
        reference=_reference,
        work=_gradient_work if is_gradient else _work,
        ours=attention.attention,
        triton=by_hand("attention"),
        torch=_torch,
        is_gradient=is_gradient,
    )


def _decoding_inputs(
    draw: Draw, batch: int, heads: int, key_heads: int, length: int, dim: int
) -> tuple[torch.Tensor, ...]:
    keys = (draw(batch, key_heads, length, dim) for _ in range(2))
    return draw(batch, heads, 1, dim), *keys


def _decoded(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
    return _torch(query, key, value, is_causal=False)


def _decoding_work(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor) -> Work:
    return _work(query, key, value, is_causal=False)


def _window_inputs(
    draw: Draw, batch: int, heads: int, length: int, dim: int, window: int
) -> tuple[torch.Tensor | int, ...]:
    return *(draw(batch, heads, length, dim) for _ in range(3)), window


def _windowed(
    query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, window: int
) -> torch.Tensor:
    """By a mask, which torch has no other way to tell a window by."""
    shape = (query.shape[-2], key.shape[-2])
    seen = torch.ones(shape, dtype=torch.bool, device=query.device).tril().triu(1 - window)
    grouped = query.shape[1] != key.shape[1]
    return F.scaled_dot_product_attention(query, key, value, seen, enable_gqa=grouped)


def _window_reference(
    query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, window: int
) -> torch.Tensor:
    """Key head by key head: the scores of all would not fit."""
    group = query.shape[1] // key.shape[1]
    heads = zip(query.split(group, dim=1), key.split(1, dim=1), value.split(1, dim=1), strict=True)
    return torch.cat([_windowed(*head, window) for head in heads], dim=1)


def _window_work(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, window: int) -> Work:
    """Query i sees as many as i + 1 keys, and no more than there are in a window."""
    length = query.shape[2]
    first = min(window, length)
    pairs = first * (first + 1) // 2 + (length - first) * window
    operations = 4 * query.shape[0] * query.shape[1] * pairs * query.shape[-1]
    return Work(bytes_of(query, key, value, query), operations, UNITS[query.dtype])


OPERATIONS = (
    _operation("attention", is_causal=False, sizes={**SIZES, **LENGTHS}),
    _operation("attention_causal", is_causal=True, sizes={**SIZES, **LENGTHS}),
    _operation("attention_grouped", is_causal=True, sizes=GROUPED_SIZES),
    _operation("attention_backward", is_causal=False, is_gradient=True),
    _operation("attention_causal_backward", is_causal=True, is_gradient=True),
    Operation(
        name="attention_decoding",
        sizes=DECODING_SIZES,
        inputs=_decoding_inputs,
        reference=_decoded,
        work=_decoding_work,
        ours=attention.attention,
        triton=by_hand("attention_decoding"),
        torch=_decoded,
    ),
    Operation(
        name="sliding_window_attention",
        sizes=WINDOW_SIZES,
        inputs=_window_inputs,
        reference=_window_reference,
        work=_window_work,
        ours=sliding_window_attention.sliding_window_attention,
        triton=by_hand("attention_window", "sliding_window_attention"),
        torch=_windowed,
    ),
)
