"""A small transformer whose norm, attention and gated activation are kernels, trained eagerly and
under ``torch.compile``.

``python examples/transformer.py`` trains it on a sequence that it can learn, both ways and with
torch's own functions, and prints the losses, which differ by rounding, and tokens a second.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import nn

from examples.attention import attention
from examples.rms_norm import rms_norm
from examples.swiglu import swiglu

STEPS = 10


@dataclass(frozen=True)
class Functions:
    """The parts of a transformer that have kernels: norm of rows, causal attention of heads
    (batch, heads, length, dim), and gated activation.
    """

    norm: Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
    attention: Callable[[torch.Tensor, torch.Tensor, torch.Tensor], torch.Tensor]
    gate: Callable[[torch.Tensor, torch.Tensor], torch.Tensor]


OURS = Functions(
    lambda input, weight: rms_norm(input.flatten(0, -2), weight).view(input.shape),
    lambda query, key, value: attention(query, key, value, is_causal=True),
    swiglu,
)
TORCHS = Functions(
    lambda input, weight: nn.functional.rms_norm(input, weight.shape, weight, 1e-6),
    lambda query, key, value: nn.functional.scaled_dot_product_attention(
        query, key, value, is_causal=True
    ),
    lambda gate, up: nn.functional.silu(gate) * up,
)


class RMSNorm(nn.Module):
    """``torch.nn.RMSNorm`` of the last dim, by a kernel."""

    def __init__(self, dim: int, functions: Functions = OURS) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))
        self.functions = functions

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        return self.functions.norm(input, self.weight)


class Block(nn.Module):
    """Attention and a gated MLP, each behind a norm, over inputs (batch, length, dim)."""

    def __init__(self, dim: int, heads: int, functions: Functions = OURS) -> None:
        super().__init__()
        self.heads, self.functions = heads, functions
        self.norms = nn.ModuleList(RMSNorm(dim, functions) for _ in range(2))
        self.heads_in = nn.Linear(dim, 3 * dim, bias=False)
        self.heads_out = nn.Linear(dim, dim, bias=False)
        self.gates = nn.Linear(dim, 8 * dim, bias=False)
        self.down = nn.Linear(4 * dim, dim, bias=False)

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        heads = self.heads_in(self.norms[0](input)).unflatten(-1, (3, self.heads, -1))
        query, key, value = heads.transpose(1, 3).unbind(2)
        attended = self.functions.attention(query, key, value)
        input = input + self.heads_out(attended.transpose(1, 2).flatten(2))
        gate, up = self.gates(self.norms[1](input)).chunk(2, dim=-1)
        return input + self.down(self.functions.gate(gate, up))


class Transformer(nn.Module):
    """Tokens (batch, length) to the logits of the next ones (batch, length, tokens)."""

    def __init__(
        self, tokens: int, dim: int, heads: int, blocks: int, functions: Functions = OURS
    ) -> None:
        super().__init__()
        self.embedding = nn.Embedding(tokens, dim)
        self.blocks = nn.Sequential(*(Block(dim, heads, functions) for _ in range(blocks)))
        self.norm = RMSNorm(dim, functions)
        self.logits = nn.Linear(dim, tokens, bias=False)

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        return self.logits(self.norm(self.blocks(self.embedding(input))))


@dataclass(frozen=True)
class Size:
    """Sizes of a transformer and of what it is trained on."""

    tokens: int
    dim: int
    heads: int
    blocks: int
    batch: int
    length: int


SMALL = Size(tokens=11, dim=32, heads=2, blocks=1, batch=2, length=24)
LARGE = Size(tokens=256, dim=1024, heads=16, blocks=4, batch=8, length=2048)


def train(
    size: Size, functions: Functions, device: str, dtype: torch.dtype, is_compiled: bool
) -> tuple[list[float], float]:
    """The losses of some steps from one beginning, and seconds a step, the first ones left out."""
    torch.manual_seed(0)
    model = Transformer(size.tokens, size.dim, size.heads, size.blocks, functions)
    model.to(device, dtype)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    # A sequence that repeats itself.
    places = torch.arange(size.length + 1, device=device)
    sequences = (places + torch.arange(size.batch, device=device)[:, None]) % size.tokens
    inputs, targets = sequences[:, :-1], sequences[:, 1:]

    def loss() -> torch.Tensor:
        logits = model(inputs).flatten(0, 1).float()
        return nn.functional.cross_entropy(logits, targets.flatten())

    step = torch.compile(loss, fullgraph=True) if is_compiled else loss
    losses: list[float] = []
    seconds: list[float] = []
    for _ in range(STEPS):
        start = time.perf_counter()
        optimizer.zero_grad()
        result = step()
        result.backward()
        optimizer.step()
        losses.append(result.item())
        seconds.append(time.perf_counter() - start)
    return losses, min(seconds[STEPS // 2 :])


def main() -> None:
    """Print losses and tokens a second."""
    on_gpu = torch.cuda.is_available()
    size, device = (LARGE, "cuda") if on_gpu else (SMALL, "cpu")
    dtype = torch.bfloat16 if on_gpu else torch.float32
    print(f"{size}, {dtype}, on {device}")
    for name, functions in (("kernels", OURS), ("torch", TORCHS)):
        for is_compiled in (False, True):
            losses, seconds = train(size, functions, device, dtype, is_compiled)
            way = "compiled" if is_compiled else "eager"
            tokens = size.batch * size.length / seconds
            print(
                f"{name:8} {way:9} loss {losses[0]:.4f} to {losses[-1]:.4f}, {tokens:,.0f} tokens/s"
            )


if __name__ == "__main__":
    main()
