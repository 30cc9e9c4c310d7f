"""Pages of the stages: ``docs/stages.md``, and one each with the IR of one kernel."""

from __future__ import annotations

import contextlib
import difflib
import io
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp

from ninetoothed.ir import nt
from ninetoothed.ir.parsing import parse_module
from ninetoothed.ir.stages import STAGES
from ninetoothed.passes.pipeline import ANNOTATED, SPECIALIZED
from ninetoothed.tools import nt_opt

FOLDER = "compiler/stages"
"""Where the pages lie below ``docs``."""
SOURCE = f"{FOLDER}/product.py"
"""The kernel that they show."""
EMITTED = "triton-python"
"""The text behind the last stage that has a page: it is ours, and needs no Triton."""
BLOCK_SIZES = {"BLOCK_SIZE_0": 64, "BLOCK_SIZE_1": 32}
"""The configuration."""

_TEXTS = {
    "arranged": (
        "What the user wrote. The first region lists the meta-operations that arranged each "
        "parameter, the second holds the application, over tiles whose sizes are symbols. Checks "
        "of the call, renumbered programs, forwarded values and barriers are in the IR."
    ),
    "composed": (
        "Each chain of meta-operations is one `nt.access`: a map from the indices of the program "
        "(`g0`), of the levels and of the block (`b0`) to those of the source, and the guards "
        "under which a lane exists. Reductions read their identity where it does not. One such "
        "module serves all configurations; it is asked which choices its passes have."
    ),
    "specialized": (
        "For one signature and one configuration: block sizes are numbers, and strides of 1 and "
        "sizes that are equal are known."
    ),
    "padded": (
        "Blocks have sizes that are powers of two. The added lanes are outside every guard."
    ),
    "scheduled": (
        "Programs have numbers, `nt.program_id`, and a grid. Loads, stores and dots are still ops "
        "on tiles, and so this is where most optimizations are."
    ),
    "addressed": (
        "Loads and stores have pointers, offsets and masks in `tt` and `arith`; what is computed "
        "with the tiles is still the user's."
    ),
    "tt": "A device function in `tt`, Triton's dialect: what the back ends print.",
}
_EMITTED_TEXT = """\
# triton-python

Behind stage [`tt`](tt.md), a back end prints the module. This is it in Triton's own language, as a
module that needs nothing of this package; comments name the lines of [product.py](product.py) that
the code below them is of. With `-t ttir`, [nt-opt](../../nt-opt.md#output) prints what Triton
compiles, and with `-t ptx` and others what that becomes.
"""
_INTRODUCTION = """\
# Stages

Every stage prints, parses back, and can be entered and left: `nt-opt examples/softmax.py -t STAGE`
prints one, with a first line that says how it goes on, and `nt-opt FILE.mlir -t STAGE` goes on from
it. Which passes lead from one to the next: [passes](passes/README.md). Legality is checked at the
end of each stage (`ninetoothed/ir/stages.py`); an own pass must leave what the stages around its
place allow. Written by `make docs`.

Each has a page with the IR of one kernel, the product of matrices below. Sizes stay symbols; from
stage `specialized` on it is that of one configuration, {configuration}.
"""
_MOST_LINES = 10
"""Changed lines that are shown as a diff."""


@dataclass(frozen=True)
class _Shown:
    """The kernel at a stage: what ``nt-opt`` prints, without the lines on how it goes on."""

    stage: str
    text: str

    @cached_property
    def module(self) -> ModuleOp:
        """The text, read back."""
        return parse_module(self.text, f"{self.stage}.mlir")

    @cached_property
    def ops(self) -> Counter[str]:
        """How many there are of each op."""
        return Counter(op.name for op in self.module.walk())

    @property
    def symbols(self) -> list[str]:
        """The symbols' names; of a device function none."""
        kernels = [op for op in self.module.walk() if isinstance(op, nt.KernelOp)]
        return [decl.name for kernel in kernels for decl in kernel.declarations]


def pages(docs: Path) -> dict[str, str]:
    """The pages' texts by their names below ``docs``, the folder that has the kernel's source."""
    rows = (*ANNOTATED, *SPECIALIZED)
    found = {"stages.md": _index((docs / SOURCE).read_text(encoding="utf-8"))}
    before: _Shown | None = None
    for stage, names in rows:
        shown = _Shown(stage, _printed(docs, stage))
        found[f"{FOLDER}/{stage}.md"] = _page(shown, names, before)
        before = shown
    text = _printed(docs, EMITTED)
    found[f"{FOLDER}/{EMITTED}.md"] = "\n".join(
        [_EMITTED_TEXT, _command(EMITTED), f"```python\n{text}```\n"]
    )
    return found


def _index(source: str) -> str:
    configuration = ", ".join(f"`{name}` = {value}" for name, value in BLOCK_SIZES.items())
    lines = [f"- [`{stage}`]({FOLDER}/{stage}.md): {text}" for stage, text in _TEXTS.items()]
    lines.append(f"- [`{EMITTED}`]({FOLDER}/{EMITTED}.md): the text that a back end prints of it.")
    return "\n".join(
        [
            _INTRODUCTION.format(configuration=configuration),
            "\n".join(lines) + "\n",
            f"## The kernel\n\n[product.py]({SOURCE}):\n\n```python\n{source}```\n",
        ]
    )


def _page(shown: _Shown, names: tuple[str, ...], before: _Shown | None) -> str:
    stage = shown.stage
    parts = [f"# {stage}\n", f"{_TEXTS[stage]}\n"]
    parts.append("Passes: " + ", ".join(_link(name) for name in names) + ".\n")
    if before is not None:
        parts.append(_legal(before.stage, stage))
        parts.append(_changes(before, shown))
    parts += ["## The kernel here\n", _command(stage), f"```mlir\n{shown.text}```\n"]
    return "\n".join(filter(None, parts))


def _legal(before: str, stage: str) -> str:
    """Lines of what a stage allows, and the one before it does not, and the reverse."""
    had, has = STAGES[before], STAGES[stage]
    lines = [
        _line("No longer legal", (f"`{name}`" for name in sorted(had.ops - has.ops))),
        _line("Newly legal", (f"`{name}`" for name in sorted(has.ops - had.ops))),
        _line("Whole dialects that are legal", (f"`{name}`" for name in has.dialects)),
    ]
    found = [f"- {line}" for line in lines if line]
    return "\n".join(["## What is legal\n", *found]) + "\n" if found else ""


def _changes(before: _Shown, shown: _Shown) -> str:
    """What is different from the stage before, as it follows from the two modules."""
    gone = [name for name in before.symbols if name not in shown.symbols] if shown.symbols else []
    lines = [
        _line("New ops", _counted(shown.ops, before.ops)),
        _line("Ops that are gone", _counted(before.ops, shown.ops)),
        _line("Ops of which there are more or fewer", _recounted(before.ops, shown.ops)),
        _line("Symbols that are gone", (f"`{name}`" for name in gone)),
    ]
    pair = before.text.splitlines(), shown.text.splitlines()
    matcher = difflib.SequenceMatcher(None, *pair, autojunk=False)
    same = sum(block.size for block in matcher.get_matching_blocks())
    lines.append(f"Lines that are the same: {same} of {len(pair[1])}.")
    parts = [
        f"## Since stage [`{before.stage}`]({before.stage}.md)\n",
        "\n".join(f"- {line}" for line in lines if line) + "\n",
    ]
    if len(pair[1]) - same <= _MOST_LINES:
        found = difflib.unified_diff(*pair, n=0, lineterm="")
        kept = [line for line in found if not line.startswith(("---", "+++", "@@"))]
        parts.append("\n".join(["```diff", *kept, "```\n"]))
    return "\n".join(parts)


def _counted(ops: Mapping[str, int], others: Mapping[str, int]) -> list[str]:
    """Those of ``ops`` that the others have not, each with how many there are."""
    return [f"`{name}` ({ops[name]})" for name in sorted(ops) if name not in others]


def _recounted(before: Mapping[str, int], after: Mapping[str, int]) -> list[str]:
    return [
        f"`{name}` ({before[name]} → {after[name]})"
        for name in sorted(after)
        if name in before and before[name] != after[name]
    ]


def _line(title: str, found: Iterable[str]) -> str:
    """A line of what was found, or nothing of nothing."""
    text = ", ".join(found)
    return f"{title}: {text}." if text else ""


def _link(name: str) -> str:
    return f"[`{name}`](../../passes/{name}.md)" if name.startswith("nt-") else f"`{name}`"


def _arguments(path: str, target: str) -> list[str]:
    sets = [word for name, value in BLOCK_SIZES.items() for word in ("--set", f"{name}={value}")]
    return [path, *sets, "-t", target]


def _command(target: str) -> str:
    """A line that says how to print what is below it."""
    return f"`nt-opt {' '.join(_arguments(f'docs/{SOURCE}', target))}`:\n"


def _printed(docs: Path, target: str) -> str:
    """What ``nt-opt`` prints of the kernel, without the lines on how it goes on."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()) as errors:
        status = nt_opt.main(_arguments(str(docs / SOURCE), target))
    if status:
        raise SystemExit(f"nt-opt fails on {SOURCE} with -t {target}: {errors.getvalue()}")
    lines = out.getvalue().splitlines()
    return "".join(f"{line}\n" for line in lines if not line.startswith("//")).lstrip("\n")
