"""Rules of placements: the parts that ranks have, and the rules that may be combined."""

from __future__ import annotations

import itertools

import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.distributed.tensor import Partial, Replicate, Shard

from ninetoothed.pytorch.placement_rules import (
    WHOLE,
    Rule,
    Rules,
    Shapes,
    combinable,
    misfit,
    shown,
)

ROWS = Rule("g0", {"x": Shard(0), "y": Replicate(), "z": Shard(0)})
COLUMNS = Rule("g1", {"x": Replicate(), "y": Shard(1), "z": Shard(1)})
SUM = Rule("sum", {"x": Shard(1), "y": Shard(0), "z": Partial()})
RULES = Rules("matmul", (ROWS, COLUMNS, SUM), {}, "no rule is about it")
SHAPES = {"x": (6, 4), "y": (4, 5), "z": (6, 5)}


@given(size=st.integers(0, 40), ranks=st.integers(1, 9))
def test_parts_are_those_of_chunk(size: int, ranks: int) -> None:
    rule = Rule("g0", {"x": Shard(0)})
    found = [part["x"][0] for part in rule.parts({"x": (size, 3)}, ranks)]
    sizes = [len(one) for one in torch.arange(size).chunk(ranks)]
    assert {*found} == {*sizes, *([0] if len(sizes) < ranks else [])}
    assert len({*found}) == len(found)


def test_a_rule_holds_for_dims_of_one_size() -> None:
    assert SUM.holds(SHAPES)
    assert not SUM.holds({**SHAPES, "y": (3, 5)})
    assert WHOLE.holds(SHAPES)


def test_rules_are_combined_where_ranks_allocate_what_they_should() -> None:
    def product(shapes: Shapes) -> Shapes:
        return {"z": (shapes["x"][0], shapes["y"][1])}

    def constant(shapes: Shapes) -> Shapes:
        return {"z": (6, shapes["y"][1])}

    def of_small_rows(shapes: Shapes) -> Shapes:
        # Of 6 rows, 4 ranks have 2, but 4 × 4 have 1.
        return {"z": (max(shapes["x"][0], 2), shapes["y"][1])}

    for mesh in ((2,), (4,), (3, 2)):
        assert combinable(RULES.each, SHAPES, mesh, product) == [WHOLE, ROWS, COLUMNS, SUM]
        assert combinable(RULES.each, SHAPES, mesh, constant) == [WHOLE, COLUMNS, SUM]
    assert ROWS in combinable(RULES.each, SHAPES, (3,), of_small_rows)
    assert ROWS not in combinable(RULES.each, SHAPES, (3, 2), of_small_rows)


def test_every_combination_of_rules_fits() -> None:
    names = ["dim 0", "dim 1"]
    for rows in itertools.product((*RULES.each, WHOLE), repeat=2):
        placed = {name: [rule[name] for rule in rows] for name in SHAPES}
        assert misfit(RULES, placed, SHAPES, names) is None


def test_what_is_needed_fits() -> None:
    """Of whatever placements, those that are asked for are legal."""
    choices = (Replicate(), Shard(0), Shard(1), Partial(), Partial("max"))
    for placements in itertools.product(choices, repeat=3):
        placed = {name: (one,) for name, one in zip(SHAPES, placements, strict=True)}
        found = misfit(RULES, placed, SHAPES, ["the dim"])
        if found is not None:
            assert found.needed
            assert misfit(RULES, {**placed, **found.needed}, SHAPES, ["the dim"]) is None
            # Parts of sums are only made of whole tensors.
            for name, (needed,) in found.needed.items():
                assert not isinstance(needed, Partial) or placed[name] == (Replicate(),)


def test_shown() -> None:
    found = [shown(one) for one in (Replicate(), Shard(2), Partial(), Partial("max"))]
    assert found == ["Replicate()", "Shard(2)", "Partial()", "Partial('max')"]
