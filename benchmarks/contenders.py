"""Who computes an operation: the providers that can run here, and their functions."""

from __future__ import annotations

import contextlib
import functools
import importlib
import sys
from collections.abc import Generator, Iterable
from typing import Any
from unittest import mock

import torch

from benchmarks.operation import (
    AUTOTUNED,
    COMPILED,
    OTHERS,
    OURS,
    TORCH,
    TRITON,
    Function,
    Operation,
)
from ninetoothed.kernel.kernel import Kernel

ON_CPU = (OURS, TORCH)
"""The providers that compute CPU tensors."""
_COMPILE_OPTIONS: dict[str, dict[str, Any]] = {
    # The default mode, as most use it.
    COMPILED: {},
    # Mode "max-autotune-no-cudagraphs": in a CUDA graph, each call would copy its inputs. Compiled
    # graphs are not kept on disk, as they hold what was chosen by the clock, on a GPU with others.
    AUTOTUNED: {"max_autotune": True, "coordinate_descent_tuning": True, "fx_graph_cache": False},
}
_REASON_LENGTH = 300


def left_out(names: Iterable[str], on_gpu: bool) -> dict[str, str]:
    """Of these providers, those that cannot run here, with the reasons."""
    reasons: dict[str, str] = {}
    for name in names:
        if not on_gpu and name not in ON_CPU:
            reasons[name] = "needs a GPU"
        elif name == TRITON or name in OTHERS:
            try:
                importlib.import_module("triton") if name == TRITON else _functions(name)
            except ModuleNotFoundError as error:
                reasons[name] = f"not installed ({error})"
            except Exception as error:
                reasons[name] = f"cannot be imported ({reason(error)})"
    return reasons


def function(provider: str, operation: Operation) -> Function | None:
    """The provider's function for the operation, or None: it has none."""
    if provider in OTHERS:
        return _functions(provider).get(operation.name)
    if provider == TRITON:
        return operation.triton()
    if provider not in _COMPILE_OPTIONS:
        return {OURS: operation.ours, TORCH: operation.torch}[provider]
    if provider == AUTOTUNED and not operation.is_autotuned:
        return None
    _set_up_compile()
    options = _COMPILE_OPTIONS[provider]
    compiled: Function = torch.compile(operation.torch, dynamic=False, options=options)
    return compiled


def start_case() -> None:
    """Forgets what ``torch.compile`` knows of other cases: it gives functions of many shapes up."""
    # Not by each provider that compiles: code of the others would be forgotten, too.
    dynamo: Any = sys.modules.get("torch._dynamo")
    if dynamo is not None:
        dynamo.reset()


def set_up() -> None:
    """Settings of torch for all providers of this process: fp32 means fp32."""
    torch.set_float32_matmul_precision("highest")
    torch.backends.cudnn.allow_tf32 = False


@functools.cache
def _set_up_compile() -> None:
    functorch: Any = importlib.import_module("torch._functorch.config")
    inductor: Any = importlib.import_module("torch._inductor.config")
    # A backward pass is called many times with the same saved tensors.
    functorch.donated_buffer = False
    # Compiled code is kept on disk, choices made by the clock are not.
    functorch.enable_autograd_cache = False
    inductor.autotune_local_cache = False


@functools.cache
def _functions(provider: str) -> dict[str, Function]:
    functions: dict[str, Function]
    functions = importlib.import_module(f"benchmarks.providers.{provider}").FUNCTIONS
    return functions


@contextlib.contextmanager
def observed_choices() -> Generator[dict[str, str]]:
    """The configurations with which our kernels and tuned Triton kernels run meanwhile, by name."""
    choices: dict[str, str] = {}
    launch = Kernel.__call__

    def call(self: Kernel, *args: Any, **kwargs: Any) -> None:
        launch(self, *args, **kwargs)
        config = self.best_config(*args, **kwargs)
        if config is not None:
            choices[self.__name__] = str(config)

    with contextlib.ExitStack() as stack:
        stack.enter_context(mock.patch.object(Kernel, "__call__", call))
        with contextlib.suppress(ImportError):
            tuner: Any = importlib.import_module("triton.runtime.autotuner").Autotuner
            run = tuner.run

            def observed(self: Any, *args: Any, **kwargs: Any) -> Any:
                result = run(self, *args, **kwargs)
                choices[self.base_fn.__name__] = str(self.best_config)
                return result

            stack.enter_context(mock.patch.object(tuner, "run", observed))
        yield choices


def reason(error: BaseException) -> str:
    """An exception as one line."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    text = " | ".join(lines[:2])
    return f"{type(error).__name__}: {text}"[:_REASON_LENGTH] if text else type(error).__name__
