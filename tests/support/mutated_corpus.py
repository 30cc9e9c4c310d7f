"""Texts to mutate: what ``nt-opt`` dumps of the examples, golden files, and tests of the IR."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from ninetoothed.testing.filecheck import nt_opt, run_lines
from tests.support.imports import ROOT
from tests.support.mutated_runs import Run
from tests.support.mutations import mutated

KERNELS: tuple[tuple[str, str, str], ...] = (
    *(
        ("add", "add_kernel", ""),
        ("matmul", "matmul_kernel", ""),
        ("softmax", "softmax_kernel", ""),
    ),
    *(("addmm", "addmm_kernel", ""), ("argmax", "argmax_kernel", ""), ("bmm", "bmm_kernel", "")),
    *(("attention", "attention_kernel", "is_causal=True"), ("topk", "topk_kernel(64)", "")),
    *(("cross_entropy", "forward_kernel", ""), ("cumsum", "cumsum_kernel", "")),
    *(("dropout", "dropout_kernel", ""), ("embedding", "embedding_backward_kernel", "")),
    *(("conv2d", "make_kernel((1, 1), (0, 0), (1, 1))", ""), ("silu", "silu_kernel", "")),
    *(("max_pool2d", "make_kernel((2, 2), (2, 2), (0, 0), False)", ""),),
    *(("fp8_matmul", "fp8_matmul_kernel", ""), ("int8_matmul", "int8_matmul_kernel", "")),
    *(("grouped_matmul", "grouped_matmul_kernel", ""), ("swiglu", "swiglu_kernel", "")),
    *(("fused_linear", "fused_linear_kernel", ""), ("w4a16_matmul", "w4a16_matmul_kernel", "")),
    *(
        ("jagged_attention", "jagged_attention_kernel", "is_causal=True"),
        ("rms_norm", "rms_norm_kernel", ""),
    ),
    *(("jagged_padding", "unpad_kernel", ""), ("layer_norm", "layer_norm_backward_kernel", "")),
    *(("rotary_embedding", "rotary_embedding_kernel", ""),),
)
"""Example, kernel and the value that ``nt-opt`` asks for."""
_FILECHECK = ROOT / "tests" / "filecheck"
_GOLDEN = ROOT / "tests" / "golden"
_VALUE = re.compile(r"(BLOCK_SIZE_\d+)=(\d+)")
# Errors leave nt-opt as errors.
_LEFT_OUT = ("--verify-diagnostics", "--parsing-diagnostics", "2>&1")


@dataclass(frozen=True)
class Seed:
    """A text, and how ``nt-opt`` is run on a file with it."""

    name: str
    text: str
    arguments: Callable[[Path], Sequence[str]]


def dumped(folder: Path) -> list[Seed]:
    """All dumps of the examples' kernels, each of which goes on to TTIR."""
    for example, kernel, value in KERNELS:
        target = folder / f"{example}-{re.sub(r'[^a-z0-9_]', '', kernel)}"
        given = ["--set", value] if value else []
        path = str(ROOT / "examples" / f"{example}.py")
        result = nt_opt([path, "--kernel", kernel, *given, f"--dump-ir={target}"])
        assert result.code == 0, result.err
    return [_dump(path) for path in sorted(folder.rglob("*.mlir"))]


def _dump(path: Path) -> Seed:
    name = f"{path.parent.name}-{path.stem}"
    return Seed(name, path.read_text(encoding="utf-8"), lambda path: [str(path), "-t", "ttir"])


def with_run_lines() -> list[Seed]:
    """The tests of the IR and of passes, with the first of their RUN lines."""
    return [
        _test(path)
        for folder in ("ir", "passes", "pipelines")
        for path in sorted((_FILECHECK / folder).rglob("*.mlir"))
    ]


def _test(path: Path) -> Seed:
    text = path.read_text(encoding="utf-8")
    words = shlex.split(run_lines(text)[0].text)
    words = words[words.index("nt-opt") + 1 : words.index("|")]
    words = [word for word in words if word not in _LEFT_OUT]

    def arguments(path: Path) -> list[str]:
        return [str(path) if word == "%s" else word for word in words]

    return Seed(f"{path.parent.name}-{path.stem}", text, arguments)


def golden() -> list[Seed]:
    """The golden files in both dialects, which go on to TTIR."""
    found: list[Seed] = []
    for path in sorted(_GOLDEN.glob("*.mlir")):
        text = path.read_text(encoding="utf-8")
        chosen = ",".join(f'"{name}={value}"' for name, value in _VALUE.findall(text))
        # Without block sizes, whole rows are padded.
        options = f"values={chosen}" if chosen else "padded_sizes=1024,1024"
        goes_on = ["--from", "tt"]
        if path.name.endswith(".nt.mlir"):
            goes_on = ["-p", f"nt-specialize{{{options}}}", "--from", "nt-pad-blocks"]
        found.append(Seed(path.stem, text, _goes_on(goes_on)))
    return found


def _goes_on(options: Sequence[str]) -> Callable[[Path], Sequence[str]]:
    return lambda path: [str(path), *options, "-t", "ttir"]


def runs(seeds: Sequence[Seed], count: int, seed: str, folder: Path) -> list[Run]:
    """Runs on ``count`` mutated texts, written to ``folder``; names tell what was done."""
    chooser = Random(seed)
    found: list[Run] = []
    for number in range(count):
        one = chooser.choice(seeds)
        mutation = mutated(one.text, f"{seed}-{number}")
        path = folder / f"{number:04}.mlir"
        path.write_bytes(mutation.data)
        name = f"{number:04} {one.name}: {', '.join(mutation.kinds)}"
        found.append(Run(name, tuple(one.arguments(path))))
    return found


def unchanged(seeds: Sequence[Seed], folder: Path) -> list[Run]:
    """Runs on the texts as they are."""
    found: list[Run] = []
    for seed in seeds:
        path = folder / f"{seed.name}.mlir"
        path.write_text(seed.text, encoding="utf-8")
        found.append(Run(seed.name, tuple(seed.arguments(path))))
    return found
