"""The page that explores a kernel: its accesses as JavaScript, and what draws them.

Names of the user's are text of the script alone, which shows them as text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ninetoothed.definition.definition import Definition
from ninetoothed.ir import nt
from ninetoothed.view.exploration.explored_kernel import (
    ExploredKernel,
    ExploredTensor,
    explored_kernel,
)
from ninetoothed.view.exploration.given_sizes import Given, given_sizes
from ninetoothed.view.exploration.kernel_script import kernel_script
from ninetoothed.view.skeleton import document, part

CORE = ("arithmetic.js", "core.js")
"""The scripts that compute, and know no document."""

LIMIT = 50_000
"""Bytes of a page."""

_PACKAGE = "ninetoothed.view.exploration"


def exploration_page(
    definition: Definition, dtypes: Mapping[str, Any], given: Mapping[str, Any]
) -> str:
    """The HTML page of a kernel (see ``Kernel.explore``); the same input gives the same text.

    A page has at most ``LIMIT`` bytes: what does not fit is left out, tensor by tensor, and
    the page says so.

    Raises:
        ArgumentError: what is given does not fit the kernel.
        NineToothedError: the application is wrong for these element types.
    """
    sizes, module = given_sizes(definition, dtypes, given)
    kernel = explored_kernel(nt.kernel_of(module), definition.name)
    text = _page(kernel, sizes)
    while len(text.encode()) > LIMIT and any(tensor.uses for tensor in kernel.tensors):
        kernel = _without_longest(kernel)
        text = _page(kernel, sizes)
    return text


def _without_longest(kernel: ExploredKernel) -> ExploredKernel:
    """The kernel without the uses of the tensor that has most expressions."""

    def count(tensor: ExploredTensor) -> int:
        return sum(len(list(part.expressions)) for use in tensor.uses for part in use.parts)

    longest = max(kernel.tensors, key=count)
    cut = replace(longest, uses=(), left_out="its expressions do not fit into the page")
    return replace(kernel, tensors=tuple(cut if one is longest else one for one in kernel.tensors))


def _page(kernel: ExploredKernel, sizes: Given) -> str:
    scripts = [part(name, _PACKAGE) for name in (*CORE, "explore.js")]
    return document(
        f"{kernel.name}: what its programs touch",
        part("explore.html", _PACKAGE),
        part("explore.css", _PACKAGE),
        "\n".join((kernel_script(kernel, sizes), *scripts)),
    )
