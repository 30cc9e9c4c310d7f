"""Every kernel of every example, as ``nt-opt`` is given it."""

from __future__ import annotations

import importlib
from dataclasses import dataclass

from ninetoothed.kernel.kernel import Kernel
from tests.support.examples import FOLDER, NAMES


@dataclass(frozen=True)
class ExampleKernel:
    """A kernel of ``examples/FILE.py``; ``options`` choose it, and give what has no default."""

    file: str
    options: tuple[str, ...] = ()

    @property
    def arguments(self) -> list[str]:
        """The first words of a command line of ``nt-opt``."""
        return [str(FOLDER / f"{self.file}.py"), *self.options]

    @property
    def kernel(self) -> Kernel:
        """The kernel itself."""
        found = vars(importlib.import_module(f"examples.{self.file}"))
        if "--kernel" in self.options:
            return eval(self.options[self.options.index("--kernel") + 1], found)
        return next(one for one in found.values() if isinstance(one, Kernel))

    def __str__(self) -> str:
        """The file, and which of its kernels."""
        return "-".join((self.file, *(word for word in self.options if not word.startswith("-"))))


def _named(file: str, name: str, *options: str) -> ExampleKernel:
    return ExampleKernel(file, ("--kernel", name, *options))


_OTHERS = (
    *(
        _named("attention", name, "--set", "is_causal=True")
        for name in ("attention_kernel", "query_kernel", "key_value_kernel")
    ),
    _named("attention", "delta_kernel"),
    _named("avg_pool2d", "make_kernel((3, 3), (2, 2), (1, 1), True, False)"),
    _named("conv2d", "make_kernel((1, 1), (1, 1), (1, 1))"),
    _named("cross_entropy", "forward_kernel"),
    _named("cross_entropy", "backward_kernel"),
    _named("depthwise_conv2d", "make_kernel((1, 1), (1, 1), (1, 1))"),
    _named("embedding", "embedding_kernel"),
    _named("embedding", "embedding_backward_kernel"),
    ExampleKernel("jagged_attention", ("--set", "is_causal=True")),
    _named("layer_norm", "layer_norm_kernel"),
    _named("layer_norm", "layer_norm_training_kernel"),
    _named("layer_norm", "layer_norm_backward_kernel"),
    _named("max_pool2d", "make_kernel((3, 3), (2, 2), (1, 1), True)"),
    _named("rms_norm", "rms_norm_kernel"),
    _named("rms_norm", "add_rms_norm_kernel"),
    _named("rms_norm", "rms_norm_training_kernel"),
    _named("rms_norm", "add_rms_norm_training_kernel"),
    _named("rms_norm", "rms_norm_backward_kernel"),
    _named("rms_norm", "add_rms_norm_backward_kernel"),
    _named("rms_norm", "sums_kernel"),
    ExampleKernel("sliding_window_attention", ("--set", "is_capped=True")),
    _named("swiglu", "swiglu_kernel"),
    _named("swiglu", "swiglu_backward_kernel"),
    _named("topk", "topk_kernel(8)"),
    _named("topk", "chunks_kernel(8, 4096)"),
    _named("topk", "merge_kernel(8)"),
    ExampleKernel("varlen_attention", ("--set", "is_causal=True")),
)
_FILES = {kernel.file for kernel in _OTHERS}

KERNELS = (*(ExampleKernel(name) for name in NAMES if name not in _FILES), *_OTHERS)
"""The kernels of all examples."""
