"""Scaled dot-product attention and its gradients, causal or not, heads grouped or not."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch.utils.checkpoint import checkpoint

from benchmarks.operation import Operation, Work, by_hand, bytes_of
from benchmarks.operations.products import UNITS
from examples import attention
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


OPERATIONS = (
    _operation("attention", is_causal=False),
    _operation("attention_causal", is_causal=True),
    _operation("attention_grouped", is_causal=True, sizes=GROUPED_SIZES),
    _operation("attention_backward", is_causal=False, is_gradient=True),
    _operation("attention_causal_backward", is_causal=True, is_gradient=True),
)
