"""Check that a module is legal in a stage, and fail at the first op that is not.

Why here: behind the last pass of each stage, where the pipeline itself does the same. As a pass it
stands in the text of a pipeline, so that what goes on from a file is checked where it would have
been, and a reproducer reproduces a check that fails. It changes nothing.

Before:

```mlir
// nt-opt -p 'nt-check-stage{stage="padded"}'
nt.kernel @k arrange {
  nt.arranged
} apply {
  nt.return
}
```

After:

```mlir
nt.kernel @k arrange {
  nt.arranged
} apply {
  nt.return
}
```
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from ninetoothed.errors import ArgumentError, did_you_mean
from ninetoothed.ir.stages import STAGES, check_stage


@dataclass(frozen=True)
class CheckStagePass(ModulePass):
    """The pass; ``stage`` is a stage's name."""

    name: ClassVar[str] = "nt-check-stage"

    stage: str

    def __post_init__(self) -> None:
        if self.stage not in STAGES:
            near = did_you_mean(self.stage, STAGES) or f"stages are {', '.join(STAGES)}"
            raise ArgumentError(f"there is no stage {self.stage}; {near}")

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        check_stage(op, self.stage)
