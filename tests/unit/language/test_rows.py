"""Comparison of results in the cases of ``tests/rows``."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from tests.rows.case import NUMBERS, Case, Result, Values, extremes, plain
from tests.rows.running import difference


def nothing(x: object, result: object) -> None:
    """No application is run here."""


EPS = 2.0**-23
LARGEST = torch.finfo(torch.float32).max


@pytest.mark.parametrize(
    ("found", "expected", "same"),
    [
        (1.0, 1.0, True),
        (1 + EPS, 1.0, True),
        (1 + 2 * EPS, 1.0, False),
        (math.nan, math.nan, True),
        (math.nan, 1.0, False),
        (1.0, math.nan, False),
        (math.inf, math.inf, True),
        (-math.inf, math.inf, False),
        (1.0, math.inf, False),
        (math.inf, 1e39, True),
        (math.inf, LARGEST, True),
        (math.inf, -LARGEST, False),
        (math.inf, 1e30, False),
        (0.0, 1e-39, True),
        (0.0, 1e-37, False),
    ],
)
def test_floats_are_compared_by_epsilons(found: float, expected: float, same: bool) -> None:
    wanted = np.array([0.0, expected])
    output = torch.tensor([0.0, found])
    wrong = difference(output, wanted, np.abs(wanted), ulps=1)
    assert wrong == (None if same else (1,))


def test_a_magnitude_widens_the_room() -> None:
    zero, hundred = np.zeros(1), np.full(1, 100.0)
    output = torch.tensor([50 * EPS])
    assert difference(output, zero, zero, ulps=1) == (0,)
    assert difference(output, zero, hundred, ulps=1) is None


def test_integers_are_compared_to_the_bit() -> None:
    output = torch.tensor([3, 255], dtype=torch.uint8)
    wanted = np.array([3, -1])
    assert difference(output, wanted, wanted, ulps=9) is None
    assert difference(output, wanted + 1, wanted, ulps=9) == (0,)


@pytest.mark.parametrize("dtype", ["i1", "u8", "u64", "i64", "bf16", "fp32"])
def test_operands_hold_every_pair_of_extremes(dtype: str) -> None:
    case = Case("", nothing, np.add, (NUMBERS, NUMBERS), (dtype,))
    one, two = (plain(x).tolist() for x in case.operands(dtype, [(781,)] * 3))
    pairs = {(str(a), str(b)) for a, b in zip(one, two, strict=True)}
    kind = int if dtype[0] in "iu" and dtype != "i1" else bool if dtype == "i1" else float
    ends = [str(kind(end)) for end in extremes(dtype)]
    if kind is float:
        ends = [str(float(plain(torch.tensor(e).to(_torch(dtype))))) for e in extremes(dtype)]
    assert {(a, b) for a in ends for b in ends} <= pairs


def _torch(dtype: str) -> torch.dtype:
    return {"bf16": torch.bfloat16, "fp32": torch.float32}[dtype]


def test_operands_stay_where_the_result_is_defined() -> None:
    case = Case("", nothing, np.add, (Values(0, 3, special=(0,)),), ("i32",), defined=np.sign)
    (x,) = case.operands("i32", [(100,)] * 2)
    assert x.min() == 1


def test_outputs_take_a_type_from_the_case() -> None:
    results = (Result(), Result("i1"), Result(lambda dtype: f"u{dtype[1:]}", start=3))
    case = Case("", nothing, np.add, (NUMBERS,), ("i32",), results=results)
    outputs = case.outputs("i32", [(2,)] * 4)
    assert [x.dtype for x in outputs] == [torch.int32, torch.bool, torch.uint32]
    assert outputs[2].tolist() == [3, 3]
