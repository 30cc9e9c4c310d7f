"""Calls on several ranks, one after the other, by the placements of a sharding rule."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import torch

from ninetoothed.verification.sharding_rules import Partial, Placement, Rule, Shard

Tensors = Mapping[str, torch.Tensor]


def parts(tensor: torch.Tensor, placement: Placement, ranks: int) -> list[torch.Tensor]:
    """The tensors of the ranks, as DTensor would have them: ``torch.chunk``, and empty ones."""
    match placement:
        case Shard(dim):
            found = list(tensor.chunk(ranks, dim))
            empty = tensor.narrow(dim, tensor.shape[dim], 0)
            found += [empty] * (ranks - len(found))
            return [part.clone() for part in found]
        case Partial():
            return [tensor.clone(), *(torch.zeros_like(tensor) for _ in range(ranks - 1))]
        case _:
            return [tensor.clone() for _ in range(ranks)]


def fits(rule: Rule, tensors: Tensors) -> bool:
    """True if the dims that a rule splits have one size."""
    split = {
        tensors[name].shape[placement.dim]
        for name, placement in rule.placements.items()
        if isinstance(placement, Shard)
    }
    return len(split) == 1


def check_rule(
    rule: Rule,
    ranks: int,
    before: Tensors,
    after: Tensors,
    run: Callable[[Tensors], None],
    close: Callable[[torch.Tensor, torch.Tensor], None],
) -> None:
    """Check a rule: the tensors ``before`` a call, run on each rank, become those ``after`` it.

    ``run`` calls the kernel in place; ``close`` compares.
    """
    split = {name: parts(before[name], place, ranks) for name, place in rule.placements.items()}
    for rank in range(ranks):
        run({name: found[rank] for name, found in split.items()})
    for name, placement in rule.placements.items():
        match placement:
            case Shard(dim):
                close(torch.cat(split[name], dim), after[name])
            case Partial():
                whole = torch.stack([part.double() for part in split[name]]).sum(0)
                close(whole.to(after[name].dtype), after[name])
            case _:
                for part in split[name]:
                    close(part, after[name])
