"""Runs a case in every way that a device has, and compares."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pytest
import torch
from xdsl.dialects.builtin import ModuleOp

import ninetoothed
from ninetoothed.artifacts.artifact import Artifact
from ninetoothed.artifacts.configuration import Config
from ninetoothed.artifacts.signature import Signature
from ninetoothed.artifacts.target import Language, Target
from ninetoothed.backend.emit import emit
from ninetoothed.calls.arguments import bind
from ninetoothed.compiler.compile import lower
from ninetoothed.compiler.space import space
from ninetoothed.interpreters import interpret
from ninetoothed.kernel.kernel import Kernel
from tests.rows.case import Array, Case, Layout, plain
from tests.support import profiles

BACKENDS: tuple[Language, ...] = ("ttir", "triton-python")
Run = Callable[[Sequence[Any]], None]


class Lowered:
    """A kernel, interpreted behind the last pass; lowered once a signature."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._modules: dict[Signature, tuple[ModuleOp, ModuleOp, Config]] = {}

    def __call__(self, values: Sequence[Any]) -> None:
        """Run it."""
        arguments = bind(self._kernel.definition.interface, values, {})
        signature = arguments.signature
        if signature not in self._modules:
            composed = self._kernel.composed(signature)
            config = space(composed, signature).configs[0]
            self._modules[signature] = composed, lower(composed, signature, config), config
        interpret(self._modules[signature][1], arguments.values)

    def artifacts(self, target: str) -> Iterator[Artifact]:
        """The text that each emitter makes of the first call that was run."""
        signature, (composed, _, config) = next(iter(self._modules.items()))
        parsed = Target.parse(target)
        module = lower(composed, signature, config, target=parsed)
        for language in BACKENDS:
            yield emit(module, language, parsed, config)


@functools.lru_cache(maxsize=8)
def _kernel(case: Case, layout: Layout, backend: str | None = None) -> Kernel:
    tensors = case.tensors(layout)
    return ninetoothed.make(layout.arrange, case.application, tensors, backend=backend)


def each(cases: Iterable[Case]) -> pytest.MarkDecorator:
    """Parametrises a test by ``case`` and ``dtype``: every case in each of its element types."""
    return pytest.mark.parametrize(
        ("case", "dtype"),
        [
            pytest.param(case, dtype, id=f"{case.name}-{dtype}")
            for case in cases
            for dtype in case.dtypes
        ],
    )


def dtypes(case: Case) -> tuple[str, ...]:
    """The element types that are tried on the CPU: four of the case's, or all where all is."""
    step = 1 if profiles.full() else -(-len(case.dtypes) // 4)
    return case.dtypes[::step]


def layouts(case: Case, dtype: str) -> tuple[Layout, ...]:
    """The layouts that are tried: all for the case's first element type, for the others only the
    first, unless everything is tried.
    """
    return case.layouts if profiles.full() or dtype == case.dtypes[0] else case.layouts[:1]


def run_on_cpu(case: Case, dtype: str) -> list[Lowered]:
    """Run every layout and call of a case at ``nt`` and at ``tt``: the latter, of each layout."""
    result: list[Lowered] = []
    for layout in layouts(case, dtype):
        kernel = _kernel(case, layout)
        result.append(Lowered(kernel))
        _compare(case, layout, dtype, {"nt": _called(kernel), "tt": result[-1]}, "cpu")
    return result


def run_on_gpu(case: Case, dtype: str) -> None:
    """Run every layout and call of a case through both backends."""
    for layout in layouts(case, dtype):
        ways = {backend: _called(_kernel(case, layout, backend)) for backend in BACKENDS}
        _compare(case, layout, dtype, ways, "cuda")


def _called(kernel: Kernel) -> Run:
    return lambda values: kernel(*values)


def _compare(case: Case, layout: Layout, dtype: str, ways: Mapping[str, Run], device: str) -> None:
    for call in layout.calls:
        shapes = layout.shapes(call, case.count)
        operands = case.operands(dtype, shapes)
        expected = case.expected(operands)
        for way, function in ways.items():
            outputs = [output.to(device) for output in case.outputs(dtype, shapes)]
            function([*(operand.to(device) for operand in operands), *outputs])
            for index, output in enumerate(outputs):
                wrong = difference(output, *expected[index], case.tolerance(dtype))
                assert wrong is None, (
                    f"{case.name} of {dtype}, {layout.name} of {shapes}, {way}, output {index} "
                    f"{_example(wrong, operands, output, expected[index][0])}"
                )


def difference(
    output: torch.Tensor, expected: Array, magnitude: Array, ulps: float
) -> tuple[int, ...] | None:
    """The index of an element that is not as expected, or None.

    Integers are equal to the bit. A NaN is a NaN. What is too large for the type is infinite, and
    numbers below the smallest normal one may be flushed to zero.
    """
    found = plain(output)
    if not output.is_floating_point():
        same = found == expected.astype(found.dtype).reshape(found.shape)
        return _first(~same)
    limits = torch.finfo(output.dtype)
    with np.errstate(all="ignore"):
        wanted = expected.astype(np.float64).reshape(found.shape)
        rounded = plain(torch.from_numpy(wanted).to(output.dtype))
        room = ulps * limits.eps * magnitude.reshape(found.shape) + limits.tiny
        near = np.isfinite(found) & np.isfinite(wanted) & (np.abs(found - wanted) <= room)
        # The rounded value may be infinite where the exact one is not, and the other way round.
        edge = np.isinf(found) & (np.abs(wanted) >= limits.max * (1 - ulps * limits.eps))
        same = near | (found == rounded) | (edge & (np.sign(found) == np.sign(wanted)))
        same |= np.isnan(found) & np.isnan(wanted)
    return _first(~same)


def _first(wrong: Array) -> tuple[int, ...] | None:
    places = np.argwhere(wrong)
    return tuple(int(index) for index in places[0]) if len(places) else None


def _example(
    index: tuple[int, ...],
    operands: Sequence[torch.Tensor],
    output: torch.Tensor,
    expected: Array,
) -> str:
    given = [str(x[index].item()) for x in operands if x.shape == output.shape]
    wanted = expected.reshape(output.shape)[index]
    return f"at {list(index)}: {output[index].item()}, not {wanted}; operands {', '.join(given)}"
