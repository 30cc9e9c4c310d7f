"""A few configurations that stand for all of a kernel."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp

from ninetoothed.artifacts.configuration import Config
from ninetoothed.artifacts.signature import Signature
from ninetoothed.compiler.space import space


def by_block_sizes(module: ModuleOp, signature: Signature) -> list[Config]:
    """The first configuration of each choice of block sizes, the best guess first."""
    found: dict[object, Config] = {}
    for config in space(module, signature).configs:
        found.setdefault(config.values, config)
    return list(found.values())
