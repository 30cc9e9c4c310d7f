"""Every idiom of arranging tensors, with numbers: interpreted at `nt` and at `tt`, on a GPU by both
backends, and compiled offline.
"""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator
from typing import Any

import pytest
import torch
from xdsl.dialects.builtin import ModuleOp

import ninetoothed
from ninetoothed.artifacts.configuration import Config
from ninetoothed.artifacts.signature import Signature
from ninetoothed.artifacts.target import Target
from ninetoothed.calls.arguments import Arguments, bind
from ninetoothed.compiler.compile import compile_kernel, lower
from ninetoothed.errors import CheckError
from ninetoothed.interpreters import interpret
from ninetoothed.kernel.kernel import Kernel
from ninetoothed.runtime.launch.loaded import Host
from ninetoothed.runtime.toolchain.triton import compat
from tests.support import profiles
from tests.support.idioms import IDIOMS, Call, Idiom
from tests.support.spaces import by_block_sizes
from tests.support.targets import CHOSEN, FEW_TARGETS

# One language each, in turn, unless what is costly is asked for.
each_compiled = pytest.mark.parametrize(
    ("idiom", "language"), profiles.pairs(IDIOMS, ("ttir", "triton-python"), CHOSEN), ids=str
)
each_idiom = pytest.mark.parametrize("idiom", IDIOMS, ids=str)


def made(idiom: Idiom, **options: Any) -> Kernel:
    tensors = idiom.symbolic_tensors
    return ninetoothed.make(idiom.arrangement, idiom.application, tensors, **options)


def copied(value: Any, device: str) -> Any:
    """A tensor of the same strides, in memory of its own, what lies in its gaps included."""
    if not isinstance(value, torch.Tensor) or value.device.type == "meta":
        return value
    memory = torch.empty(0, dtype=value.dtype).set_(value.untyped_storage()).clone().to(device)
    return memory.as_strided(value.shape, value.stride(), value.storage_offset())


def memory_of(value: torch.Tensor) -> torch.Tensor:
    """The tensor's storage around it."""
    around = torch.empty(0, dtype=value.dtype, device=value.device).set_(value.untyped_storage())
    around = around.clone()
    around.as_strided(value.shape, value.stride(), value.storage_offset()).zero_()
    return around.cpu()


def check(idiom: Idiom, before: Call, after: Call) -> None:
    """The outputs are as the reference has them, and nothing else was written."""
    expected = idiom.reference(*before)
    if isinstance(expected, torch.Tensor):
        expected = (expected,)
    for position, result in zip(idiom.outputs, expected, strict=True):
        torch.testing.assert_close(
            after[position].cpu().double(),
            result.double(),
            rtol=idiom.tolerance,
            atol=idiom.tolerance,
        )
        torch.testing.assert_close(
            memory_of(after[position]), memory_of(before[position]), rtol=0, atol=0, equal_nan=True
        )
    outputs = {position % len(before) for position in idiom.outputs}
    for position, value in enumerate(before):
        is_input = isinstance(value, torch.Tensor) and position not in outputs
        if is_input and value.device.type != "meta":
            torch.testing.assert_close(after[position].cpu(), value, rtol=0, atol=0, equal_nan=True)


def calls(idiom: Idiom, device: str) -> Iterator[tuple[Call, Call]]:
    """Each call of the idiom, and a copy of it on the device."""
    for call in idiom.arguments():
        copies = {id(value): copied(value, device) for value in call}
        yield call, tuple(copies[id(value)] for value in call)


@contextlib.contextmanager
def warned(idiom: Idiom) -> Iterator[None]:
    """What runs within gives the idiom's warning, never the same one twice, and no other."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        yield
    kinds = {type(one.message).__name__ for one in found}
    assert kinds == ({idiom.warns} if idiom.warns else set())
    assert len({str(one.message) for one in found}) == len(found)


def variants(
    kernel: Kernel, bound: Arguments, smallest: bool = False
) -> Iterator[tuple[ModuleOp, Signature, Config]]:
    """The classes of signatures that may take a call, the strictest first, each with all choices of
    block sizes, the best guess first, or the smallest.
    """
    for signature in (bound.signature, *bound.signature.laxer):
        configs = by_block_sizes(kernel.composed(signature), signature)
        for config in reversed(configs) if smallest else configs:
            yield kernel.composed(signature, config), signature, config


@each_idiom
def test_at_nt(idiom: Idiom) -> None:
    with warned(idiom):
        kernel = made(idiom)
        for before, after in calls(idiom, "cpu"):
            kernel(*after, **idiom.keywords)
            check(idiom, before, after)


@each_idiom
@pytest.mark.filterwarnings("ignore::ninetoothed.errors.NineToothedWarning")
def test_at_tt(idiom: Idiom) -> None:
    kernel = made(idiom)
    for before, after in calls(idiom, "cpu"):
        bound = bind(kernel.definition.interface, after, idiom.keywords)
        for module, signature, config in variants(kernel, bound):
            with contextlib.suppress(CheckError):
                interpret(lower(module, signature, config), bound.values)
                break
        else:
            pytest.fail("no variant takes this call")
        check(idiom, before, after)


@pytest.mark.gpu
@pytest.mark.parametrize("backend", ["ttir", "triton-python"])
@each_idiom
def test_on_a_gpu(idiom: Idiom, backend: str) -> None:
    with warned(idiom):
        kernel = made(idiom, backend=backend, max_num_configs=2)
        for before, after in calls(idiom, "cuda"):
            kernel(*after, **idiom.keywords)
            check(idiom, before, after)


@pytest.mark.skipif(not compat.available(), reason="Triton is not installed")
@pytest.mark.parametrize("target", FEW_TARGETS)
@each_compiled
@pytest.mark.filterwarnings("ignore::ninetoothed.errors.NineToothedWarning")
def test_compiles(idiom: Idiom, language: str, target: str) -> None:
    kernel = made(idiom)
    call = next(iter(idiom.arguments()))
    bound = bind(kernel.definition.interface, call, idiom.keywords)
    # The smallest blocks compile the fastest.
    for module, signature, config in variants(kernel, bound, smallest=True):
        artifact = compile_kernel(module, signature, config, Target.parse(target), language)
        with contextlib.suppress(CheckError):
            Host(artifact).checked(bound.values)
            break
    else:
        pytest.fail("no variant takes this call")
    assert compat.compile_binary(artifact).code
