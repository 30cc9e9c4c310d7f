"""Triton's own tuner, as every kernel here uses it."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

import triton

from benchmarks.triton_kernels import COMPILE_ONLY


def tuned(
    configs: Sequence[triton.Config], key: Sequence[str], **options: Any
) -> Callable[[Any], Any]:
    """``triton.autotune`` over ``configs``, anew for each value of the arguments in ``key``.

    A configuration's time is the median of 20 ms of launches after 5 ms of others, each with an L2
    that was filled with something else.
    """

    def bench(call: Callable[[], object], quantiles: Sequence[float]) -> Any:
        if os.environ.get(COMPILE_ONLY) == "1":
            call()
            return [0.0] * len(quantiles)
        return triton.testing.do_bench(call, warmup=5, rep=20, quantiles=quantiles)

    return triton.autotune(list(configs), list(key), do_bench=bench, **options)
