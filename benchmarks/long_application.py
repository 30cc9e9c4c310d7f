"""Applications of any number of lines, to measure how the frontend's time grows."""

from __future__ import annotations

import importlib.util
import tempfile
from pathlib import Path

import ninetoothed
from ninetoothed import Tensor
from ninetoothed.kernel.kernel import Kernel

_HEAD = '''"""A long application."""

import ninetoothed.language as ntl


def squashed(value, scale=1.0):
    half = value * 0.5
    return ntl.where(half > scale, half, value * scale)


def application(x, y, output):
'''
_VARIABLES = 20
_LOOP = 3 * _VARIABLES // 2 + 2
"""The lines of a loop."""


def text(lines: int) -> str:
    """The source: ``application`` has so many lines, or a few less."""
    names = [f"v{index}" for index in range(_VARIABLES)]
    body = [f"    {name} = x * {index}" for index, name in enumerate(names)]
    while len(body) + 3 * _LOOP < lines - 1:
        place = len(body)
        # Arithmetic and calls, and a loop that carries all variables.
        for index, name in enumerate(names):
            other, third = (names[(index + step) % _VARIABLES] for step in (1, 7))
            body.append(f"    {name} = {other} * {place} + ntl.exp({third} - y) * ({name} + 1)")
            body.append(f"    {name} = squashed({name}, scale={index}.5)")
        body.append(f"    for i{place} in range(x.shape[0]):")
        for index, name in enumerate(names):
            body.append(f"        {name} = {name} + {names[index - 1]} * i{place}")
            body += [f"        {name} -= y"] * (index % 2)
        if len(body) + 12 < lines:
            # A branch that changes some of them.
            body.append(f"    if ntl.sum({names[place % _VARIABLES]}) > {place}:")
            body += [f"        {name} = {name} * 2" for name in names[:5]]
            body += ["    else:", *(f"        {name} = {name} - y" for name in names[3:7])]
    while len(body) < lines - 1:
        body.append(f"    {names[len(body) % _VARIABLES]} += y * {len(body)}")
    body.append(f"    output = {' + '.join(names)}")
    return _HEAD + "\n".join(body) + "\n"


def long_kernel(lines: int) -> Kernel:
    """The kernel of an application of so many lines."""
    folder = Path(tempfile.mkdtemp(prefix="ninetoothed-long-"))
    path = folder / f"application_{lines}.py"
    path.write_text(text(lines), encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)

    def arrangement(*tensors: Tensor) -> tuple[Tensor, ...]:
        return tuple(tensor.tile((64,)) for tensor in tensors)

    return ninetoothed.make(arrangement, module.application, tuple(Tensor(1) for _ in range(3)))
