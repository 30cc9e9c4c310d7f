"""Products of halves, of kernels that are launched on a GPU as users launch them."""

from __future__ import annotations

import threading
from typing import Any

import torch

from ninetoothed.calls.numbers import number_class
from ninetoothed.kernel.kernel import Kernel
from ninetoothed.runtime.launch.launch_cache import LaunchCache
from ninetoothed.runtime.launch.loaded import LoadedKernel

Values = tuple[Any, ...]


def halves(*sizes: int, device: str = "cpu") -> torch.Tensor:
    return torch.randn(sizes, device=device).half()


def product(m: int, n: int, k: int, device: str = "cpu") -> Values:
    """Both matrices, and room for their product."""
    output = torch.full((m, n), torch.nan, dtype=torch.float16, device=device)
    return halves(m, k, device=device), halves(k, n, device=device), output


def check(input: torch.Tensor, other: torch.Tensor, output: torch.Tensor) -> None:
    torch.testing.assert_close(output.float(), input.float() @ other.float(), rtol=2e-3, atol=2e-2)


class KeptCalls:
    """A loaded kernel of one configuration, called as users call it: calls are kept."""

    def __init__(self, kernel: Kernel, loaded: LoadedKernel) -> None:
        self.kernel = loaded
        self.cache = LaunchCache(kernel.interface, number_class)

    def __call__(self, *values: Any) -> bool:
        """True if the call was launched as one like it before."""
        kept = self.cache.launch(values, {})
        if kept:
            return True
        launched = self.kernel.launch(values)
        if kept is None and launched is not None:
            self.cache.keep(values, {}, values, launched)
        return False


def check_graph(kernel: KeptCalls, m: int, n: int, k: int) -> None:
    """Check that a graph of two calls, of which the capture sees the second first, computes them
    in each replay, whatever is called between.
    """
    values, others = product(m, n, k, "cuda"), product(m, n, k, "cuda")
    for _ in range(3):
        kernel(*values)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        kernel(*values)
        kernel(*others)
    for _ in range(3):
        for one in (values, others):
            one[0].copy_(halves(m, k, device="cuda"))
            one[2].fill_(torch.nan)
        kernel(*product(m, n, k, "cuda"))
        graph.replay()
        torch.cuda.synchronize()
        check(*values)
        check(*others)


def check_threads(kernel: KeptCalls, m: int, n: int, k: int) -> None:
    """Check the calls of four threads, each on a stream of its own."""
    kernel(*product(m, n, k, "cuda"))
    torch.cuda.synchronize()
    failures: list[BaseException] = []

    def work() -> None:
        try:
            with torch.cuda.stream(torch.cuda.Stream()):
                given = [product(m, n, k, "cuda") for _ in range(3)]
                for _ in range(50):
                    for values in given:
                        values[2].fill_(torch.nan)
                        kernel(*values)
                        check(*values)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
