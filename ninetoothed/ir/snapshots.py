"""Modules as they were at some point of a pipeline."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp


def equivalent(one: ModuleOp, other: ModuleOp) -> bool:
    """True if two modules are the same but for locations and the names of values."""
    # xDSL compares the types of block arguments, and not those of results.
    return one.is_structurally_equivalent(other) and all(
        mine.result_types == theirs.result_types
        for mine, theirs in zip(one.walk(), other.walk(), strict=True)
    )


class Snapshots:
    """An observer of a pipeline (see ``passes.pipeline.run``): the module behind each pass, by the
    pass's name, which is one object as long as no pass changes it: to compare is cheaper than to
    clone. It may begin with modules that nobody changes.
    """

    def __init__(self, *modules: tuple[str, ModuleOp]) -> None:
        self.modules = [*modules]

    def __call__(self, name: str, module: ModuleOp) -> None:
        last = self.modules[-1][1] if self.modules else None
        if last is None or not equivalent(last, module):
            last = module.clone()
        self.modules.append((name, last))
