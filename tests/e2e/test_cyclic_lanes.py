"""Windows whose lanes are dealt out to threads one by one: what they give is what others give."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
import torch
from torch.nn import functional

from examples import add, avg_pool2d, conv2d, max_pool2d
from ninetoothed.artifacts.configuration import Config
from ninetoothed.artifacts.target import Language, Target
from ninetoothed.calls.arguments import bind
from ninetoothed.compiler.compile import compile_kernel
from ninetoothed.compiler.space import space
from ninetoothed.kernel.kernel import Kernel
from ninetoothed.runtime.toolchain.inspection import inspect
from ninetoothed.runtime.toolchain.triton import compat
from ninetoothed.testing import check_kernel
from tests.support.offline import LANGUAGES

CHOICE = "cyclic_lanes"
LEVELS = {"cpu": ("nt", "tt"), "cuda": "nt"}
WINDOW = ((3, 3), (2, 2), (1, 1))
KERNELS = {
    "avg": avg_pool2d.make_kernel(*WINDOW, False, True),
    "max": max_pool2d.make_kernel(*WINDOW, False),
}


def images(height: int, width: int, device: str) -> torch.Tensor:
    return torch.randn(2, 3, height, width, device=device)


def expected_of(name: str, images: torch.Tensor) -> torch.Tensor:
    pool = functional.avg_pool2d if name == "avg" else functional.max_pool2d
    return pool(images, 3, 2, 1)


def legal(kernel: Kernel, *arguments: Any) -> set[tuple[int, ...]]:
    """The values of the choice, in each configuration."""
    signature = bind(kernel.interface, arguments, {}).signature
    return {dict(row).get(CHOICE, ()) for row in space(kernel.composed(signature), signature).legal}


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("size", [(1, 1), (32, 32), (17, 33), (31, 64)])
def test_pools(device: str, name: str, size: Sequence[int]) -> None:
    given = images(size[0], size[1], device)
    expected = expected_of(name, given)
    output = torch.empty_like(expected)
    ran = check_kernel(
        KERNELS[name],
        (given, output),
        {"output": expected},
        levels=LEVELS[device],
        configs=6,
        rtol=1e-5,
        atol=1e-5,
    )
    assert {dict(config.choices).get(CHOICE, 0) for config in ran} == {0, 1}


def test_only_windows_are_dealt_out() -> None:
    given = images(32, 32, "meta")
    assert legal(KERNELS["max"], given, expected_of("max", given)) == {(1,)}
    assert legal(add.add_kernel, *(torch.empty(512, device="meta") for _ in range(3))) <= {()}
    # Threads share what they load for a product.
    convolution = conv2d.make_kernel((1, 1), (1, 1), (1, 1))
    weight, output = (torch.empty(4, n, 3, 3, device="meta") for n in (3, 4))
    assert legal(convolution, given, weight, output.new_empty(2, 4, 32, 32)) == {()}


@pytest.mark.parametrize("lanes", [0, 1])
@pytest.mark.parametrize("target", ["sm_80", "sm_90", "gfx942"])
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.skipif(not compat.available(), reason="needs Triton")
def test_threads_have_neighbours_or_one_lane(target: str, language: Language, lanes: int) -> None:
    """As Triton's layouts say, of lanes that could be stored several at once."""
    kernel, given = KERNELS["max"], images(32, 32, "meta").half()
    signature = kernel.signature((given, expected_of("max", given)), {})
    parsed, config = Target.parse(target), Config((("BLOCK_SIZE_0", 512),)).choosing(CHOICE, lanes)
    artifact = compile_kernel(kernel.composed(signature), signature, config, parsed, language)
    layouts = inspect(artifact, ["ttgir"]).texts["ttgir"]
    assert ("sizePerThread = [1]" in layouts) is bool(lanes)
