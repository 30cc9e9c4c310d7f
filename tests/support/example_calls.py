"""A call of each example's functions, with small tensors."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch


@dataclass(frozen=True)
class ExampleCall:
    """A call of ``function`` of ``examples/FILE.py``; ``arguments(device)`` makes its arguments,
    for sizes that grow with ``scale``.
    """

    file: str
    function: str
    arguments: Callable[[str, int], tuple[Any, ...]]

    def __str__(self) -> str:
        return self.function if self.file == self.function else f"{self.file}-{self.function}"

    @property
    def called(self) -> Callable[..., Any]:
        """The function."""
        return getattr(importlib.import_module(f"examples.{self.file}"), self.function)


def _call(
    name: str, arguments: Callable[[str, int], tuple[Any, ...]], file: str | None = None
) -> ExampleCall:
    return ExampleCall(file or name, name, arguments)


def _draw(*sizes: int, device: str, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    generator = torch.Generator().manual_seed(sum(sizes))
    return torch.randn(sizes, generator=generator).to(device, dtype)


def _integers(
    high: int, *sizes: int, device: str, dtype: torch.dtype = torch.int64
) -> torch.Tensor:
    generator = torch.Generator().manual_seed(sum(sizes))
    return torch.randint(high, sizes, generator=generator).to(device, dtype)


def _offsets(device: str, scale: int) -> torch.Tensor:
    return torch.tensor([0, 3 * scale, 3 * scale + 1, 8 * scale + 1], device=device)


def _nested(
    device: str, scale: int, *sizes: int, offsets: torch.Tensor | None = None
) -> torch.Tensor:
    values = _draw(8 * scale + 1, *sizes, device=device)
    offsets = _offsets(device, scale) if offsets is None else offsets
    return torch.nested.nested_tensor_from_jagged(
        values, offsets, max_seqlen=5 * scale, min_seqlen=1
    )


def _nested_alike(
    device: str, scale: int, heads: tuple[int, ...], size: int
) -> tuple[torch.Tensor, ...]:
    """Sequences of one tensor of offsets."""
    offsets = _offsets(device, scale)
    return tuple(_nested(device, scale, count, size, offsets=offsets) for count in heads)


def _packed(
    device: str, scale: int, heads: tuple[int, ...], *sizes: int
) -> tuple[torch.Tensor, ...]:
    """Sequences of each number of heads, and the offsets of their queries and keys."""
    offsets = torch.tensor([0, 3, 4, 9], dtype=torch.int32).mul(scale).to(device)
    return *(_draw(9 * scale, count, *sizes, device=device) for count in heads), offsets, offsets


CALLS = (
    _call("add", lambda d, n: (_draw(100 * n, device=d), _draw(100 * n, device=d))),
    _call("silu", lambda d, n: (_draw(10 * n, 7, device=d),)),
    _call("swiglu", lambda d, n: (_draw(10 * n, 7, device=d), _draw(10 * n, 7, device=d))),
    _call("dropout", lambda d, n: (_draw(10 * n, 7, device=d), 0.3, 17)),
    _call("softmax", lambda d, n: (_draw(5 * n, 33, device=d),)),
    _call("argmax", lambda d, n: (_draw(5 * n, 33, device=d),)),
    _call("cumsum", lambda d, n: (_draw(5 * n, 33, device=d),)),
    _call("topk", lambda d, n: (_draw(5 * n, 33, device=d), 4)),
    # Of so long rows, each is cut into chunks.
    _call("topk", lambda d, n: (_draw(n, 8200, device=d), 4)),
    _call("rms_norm", lambda d, n: (_draw(5 * n, 32, device=d), _draw(32, device=d))),
    _call(
        "add_rms_norm",
        lambda d, n: (_draw(5 * n, 32, device=d), _draw(5 * n, 32, device=d), _draw(32, device=d)),
        "rms_norm",
    ),
    _call(
        "layer_norm",
        lambda d, n: (_draw(5 * n, 32, device=d), _draw(32, device=d), _draw(32, device=d)),
    ),
    _call(
        "cross_entropy", lambda d, n: (_draw(5 * n, 33, device=d), _integers(33, 5 * n, device=d))
    ),
    _call("embedding", lambda d, n: (_integers(50, 5 * n, device=d), _draw(50, 16, device=d))),
    _call("matmul", lambda d, n: (_draw(11 * n, 24, device=d), _draw(24, 40, device=d))),
    _call("bmm", lambda d, n: (_draw(2, 11 * n, 24, device=d), _draw(2, 24, 40, device=d))),
    _call(
        "addmm",
        lambda d, n: (
            _draw(11 * n, 40, device=d),
            _draw(11 * n, 24, device=d),
            _draw(24, 40, device=d),
        ),
    ),
    _call(
        "fused_linear",
        lambda d, n: (
            _draw(11 * n, 24, device=d),
            _draw(40, 24, device=d),
            _draw(40, device=d),
            _draw(11 * n, 40, device=d),
        ),
    ),
    _call(
        "w4a16_matmul",
        lambda d, n: (
            _draw(11 * n, 256, device=d, dtype=torch.float16),
            _integers(256, 40, 128, device=d, dtype=torch.uint8),
            _draw(2, 40, device=d, dtype=torch.float16),
        ),
    ),
    _call(
        "int8_matmul",
        lambda d, n: (
            _integers(100, 11 * n, 32, device=d, dtype=torch.int8),
            _integers(100, 32, 48, device=d, dtype=torch.int8),
        ),
    ),
    _call(
        "fp8_matmul",
        lambda d, n: (
            _draw(11 * n, 32, device=d, dtype=torch.float8_e4m3fn),
            _draw(48, 32, device=d, dtype=torch.float8_e4m3fn).T,
            _draw(11 * n, device=d),
            _draw(48, device=d),
        ),
    ),
    _call("grouped_matmul", lambda d, n: (_nested(d, n, 24), _draw(3, 24, 40, device=d))),
    _call(
        "rotary_embedding",
        lambda d, n: (
            _draw(2, 5 * n, 3, 16, device=d),
            _draw(5 * n, 8, device=d),
            _draw(5 * n, 8, device=d),
        ),
    ),
    _call(
        "attention",
        lambda d, n: (*(_draw(2, heads, 20 * n, 16, device=d) for heads in (4, 2, 2)), True),
    ),
    _call(
        "sliding_window_attention",
        lambda d, n: (*(_draw(2, heads, 20 * n, 16, device=d) for heads in (4, 2, 2)), 7, 20.0),
    ),
    _call(
        "jagged_attention",
        lambda d, n: (*_nested_alike(d, n, (4, 2, 2), 16), True),
    ),
    _call("varlen_attention", lambda d, n: (*_packed(d, n, (4, 2, 2), 16), 5 * n, True)),
    _call(
        "paged_attention",
        lambda d, n: (
            _draw(3, 4, 16, device=d),
            *(_draw(12, 4 * n, 2, 16, device=d) for _ in range(2)),
            torch.arange(12, dtype=torch.int32).flip(0).view(3, 4).to(d),
            torch.tensor([3, 0, 15], dtype=torch.int32).mul(n).to(d),
        ),
    ),
    _call("pad", lambda d, n: (_nested(d, n, 16), 6 * n), "jagged_padding"),
    _call(
        "unpad", lambda d, n: (_draw(3, 6 * n, 16, device=d), _nested(d, n, 16)), "jagged_padding"
    ),
    _call(
        "conv2d", lambda d, n: (_draw(2, 4, 9 * n, 11, device=d), _draw(6, 4, 3, 3, device=d), 2, 1)
    ),
    _call(
        "depthwise_conv2d",
        lambda d, n: (_draw(2, 4, 9 * n, 11, device=d), _draw(4, 1, 3, 3, device=d), 2, 1),
    ),
    _call(
        "causal_conv1d",
        lambda d, n: (_draw(2, 4, 90 * n, device=d), _draw(4, 4, device=d), _draw(4, device=d)),
    ),
    _call("max_pool2d", lambda d, n: (_draw(2, 4, 9 * n, 11, device=d), 3, 2, 1)),
    _call("avg_pool2d", lambda d, n: (_draw(2, 4, 9 * n, 11, device=d), 3, 2, 1)),
)
"""One of each function of the examples."""
