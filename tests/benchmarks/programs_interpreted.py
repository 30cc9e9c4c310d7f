"""Compares the kernels of ``benchmarks.programs``, ours and Triton's, with torch, interpreted.

Run as a script, in a process of its own: what Triton's kernels are is decided when they are made.
"""

from __future__ import annotations

import importlib
from typing import Any

import torch

from examples.runner import Draw, relative_error, tolerance_of


def _check(kernel: Any, operands: list[torch.Tensor], expected: torch.Tensor) -> None:
    output = torch.full(expected.shape, torch.nan)
    kernel(*operands, output)
    assert relative_error(output, expected) <= tolerance_of(output), kernel


def main() -> None:
    """Compare, and say so."""
    draw = Draw("cpu", torch.float32)
    terms = [draw(1027) for _ in range(7)]
    input, other = draw(130, 70), draw(70, 140)
    for whose in ("ours", "triton"):
        add, pointwise, matmul = (
            importlib.import_module(f"benchmarks.programs.{whose}_{name}")
            for name in ("add", "pointwise", "matmul")
        )
        _check(add.fixed(), terms[:2], terms[0] + terms[1])
        # Our kernels have to be made first.
        made = whose == "ours"
        _check(pointwise.total() if made else pointwise.total, terms, sum(terms, torch.tensor(0.0)))
        _check(matmul.fixed(), [input, other], input.double() @ other.double())
        values = terms[0].clone()
        (pointwise.scale() if made else pointwise.scale)(values)
        assert torch.equal(values, terms[0] * 2)
    ours = importlib.import_module("benchmarks.programs.ours_matmul").tuned()
    _check(ours, [input, other], input.double() @ other.double())
    print("results agree")


if __name__ == "__main__":
    main()
