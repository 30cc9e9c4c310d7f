"""The pictures of the pages on arrangements: what stands here is what the pages show."""

from __future__ import annotations

import contextlib
import copy
import io
import re
from collections.abc import Callable
from pathlib import Path

from meta_operations import OPERATIONS

from ninetoothed import Tensor
from ninetoothed.cache.atomic import write_atomically
from ninetoothed.pictures.svg import svg
from ninetoothed.visualization import arrangement_scene

CHAINS = Path(__file__).with_name("chains.md")

_STEP = re.compile(r"^```python\n(.*?)^```$|\]\(drawn/chain_(\w+)\.svg\)", re.M | re.S)
"""A block of a page's program, or the variable of a picture."""


def blocks(x, y):
    return x.tile((4,)), y.tile((4,))


def rows(x, y):
    return x.tile((1, -1)), y.tile((1, -1))


def row_sums(x, y):
    return x.tile((1, -1)), y.tile((1,))[:, None]


def product(lhs, rhs, output):
    output = output.tile((2, 2))
    lhs = lhs.tile((2, 2)).tile((1, -1)).expand((-1, output.shape[1]))
    rhs = rhs.tile((2, 2)).tile((-1, 1)).expand((output.shape[0], -1))
    lhs.dtype = lhs.dtype.squeeze(0)
    rhs.dtype = rhs.dtype.squeeze(1)
    return lhs, rhs, output


def windows(x, y):
    return x.tile((3,), strides=(1,)), y.tile((1,))


def columns(x, y):
    return x.permute((1, 0)).tile((1, -1)), y.permute((1, 0)).tile((1, -1))


_SHAPES: dict[Callable[..., object], tuple[tuple[int, ...], ...]] = {
    blocks: ((14,), (14,)),
    rows: ((4, 6), (4, 6)),
    row_sums: ((4, 6), (4,)),
    product: ((4, 6), (6, 4), (4, 4)),
    windows: ((8,), (6,)),
    columns: ((3, 5), (3, 5)),
}
"""Arrangements, and the shapes of the tensors that they are drawn for."""


def chain_tensors(page: Path = CHAINS) -> dict[str, Tensor]:
    """Run a page's program: the tensors of its pictures, as they are where the pictures stand.

    A picture ``drawn/chain_rows.svg`` is of the variable ``rows``.
    """
    variables: dict[str, object] = {}
    found: dict[str, Tensor] = {}
    with contextlib.redirect_stdout(io.StringIO()):
        for code, name in _STEP.findall(page.read_text(encoding="utf-8")):
            if name:
                # A later step may assign to a level of it.
                found[name] = copy.copy(variables[name])
            else:
                exec(compile(code, str(page), "exec"), variables)
    return found


def pictures() -> dict[str, str]:
    """All of them, as SVG, by the names of their files."""
    found = {"levels": Tensor(shape=(4, 6), name="x").tile((2, 3)).svg()}
    for arrangement, shapes in _SHAPES.items():
        tensors = tuple(Tensor(shape=shape) for shape in shapes)
        found[arrangement.__name__] = svg(arrangement_scene(arrangement, tensors))
    for operation in OPERATIONS:
        before, after = operation()
        found[f"{operation.__name__}_before"] = before.svg()
        found[f"{operation.__name__}_after"] = after.svg()
    for name, tensor in chain_tensors().items():
        found[f"chain_{name}"] = tensor.svg()
    return found


def draw(folder: Path) -> None:
    """Draw all of them into ``folder``, a file a picture."""
    for name, text in pictures().items():
        write_atomically(folder / f"{name}.svg", text)
