"""The sources of a configuration space are the same in every process."""

from __future__ import annotations

import os
import subprocess
import sys

from tests.support.imports import ROOT

PROGRAM = """
import torch
from examples.attention import attention_kernel
from examples.conv2d import make_kernel
from ninetoothed.calls.arguments import bind
from ninetoothed.compiler.space import space

def meta(*shape, dtype=torch.float16):
    return torch.empty(shape, dtype=dtype, device="meta")

heads = [meta(1, 2, 1, 64, 32), meta(1, 2, 64, 32), meta(1, 2, 64, 32)]
rest = [True, 0.1, meta(1, 2, 1, 64, 32), meta(1, 2, 1, 64, dtype=torch.float32)]
images = [meta(1, 8, 9, 9), meta(4, 8, 3, 3), meta(1, 4, 7, 7)]
for kernel, values in (
    (attention_kernel, [*heads, *rest]),
    (make_kernel((1, 1), (0, 0), (1, 1)), images),
):
    signature = bind(kernel.definition.interface, values, {}).signature
    print(space(kernel.composed(signature), signature).to_json())
"""


def test_the_same_text_in_every_process() -> None:
    texts = {
        subprocess.run(
            [sys.executable, "-c", PROGRAM],
            check=True,
            capture_output=True,
            text=True,
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
        ).stdout
        for seed in ("0", "1")
    }
    (text,) = texts
    assert text.count("def cost(") == 2
    assert text.count("def fits(") == 2
