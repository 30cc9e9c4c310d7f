"""Random programs on a GPU, by both backends, against the interpreter; in several processes."""

from __future__ import annotations

import multiprocessing
import os
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass

import hypothesis
import torch
from hypothesis import HealthCheck, Phase, given, settings

from ninetoothed.artifacts.artifact import Artifact
from ninetoothed.artifacts.configuration import Config, Space
from ninetoothed.artifacts.signature import Signature
from ninetoothed.artifacts.target import Language, Target
from ninetoothed.calls.arguments import bind
from ninetoothed.compiler.compile import build, compile_kernel
from ninetoothed.runtime.dispatch import Dispatcher
from ninetoothed.testing.program_runs import PassTrace, arguments
from ninetoothed.testing.program_writer import Program
from ninetoothed.testing.random_programs import programs
from tests.property.agreement import agree
from tests.property.optimizations import Optimizations, optimizations

BACKENDS: tuple[Language, ...] = ("ttir", "triton-python")
_CHUNK = 10


@dataclass
class _Compiler:
    """Compiles one program, in its one configuration."""

    pass_trace: PassTrace
    language: Language

    def key(self, signature: Signature, target: Target) -> str:
        return f"{self.pass_trace.program.source} {signature} {target} {self.language}"

    def space(self, signature: Signature, target: Target) -> Space:
        return Space((self.pass_trace.config,), "")

    def artifact(
        self, signature: Signature, config: Config, target: Target, full: bool = False
    ) -> Artifact:
        module = build(self.pass_trace.definition, signature)
        return compile_kernel(module, signature, config, target, self.language, full)


def launched(pass_trace: PassTrace, language: Language) -> list[torch.Tensor]:
    """The buffers as the backend's kernel leaves them."""
    buffers, values = arguments(pass_trace.program, "cuda")
    call = bind(pass_trace.definition.interface, values, pass_trace.program.keywords)

    dispatcher = Dispatcher("kernel", _Compiler(pass_trace, language))
    dispatcher.launch(call.signature, call.values)
    return buffers


def check(program: Program, chosen: Optimizations) -> None:
    """Compare both backends with the interpreter."""
    with chosen.set():
        pass_trace = PassTrace(program, choices=chosen.choices)
        expected = pass_trace.run(pass_trace.modules[0][1])
        for language in BACKENDS:
            what = f"{language} on a GPU differs with {chosen}"
            agree(program, expected, launched(pass_trace, language), what)


def check_some(seed: int, count: int) -> int:
    """Check ``count`` programs, always the same ones of a seed; how many there were."""
    checked = 0

    @hypothesis.seed(seed)
    @settings(
        max_examples=count,
        database=None,
        deadline=None,
        phases=(Phase.generate,),
        suppress_health_check=[HealthCheck.too_slow],
    )
    @given(programs(), optimizations())
    def some(program: Program, chosen: Optimizations) -> None:
        nonlocal checked
        checked += 1
        check(program, chosen)

    some()
    return checked


def check_many(count: int) -> int:
    """Check ``count`` programs in a process a core; how many there were."""
    workers = max(1, min(len(os.sched_getaffinity(0)) - 1, -(-count // _CHUNK)))
    starts = range(0, count, _CHUNK)
    # A process that has used CUDA cannot be forked.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=context) as pool:
        counts = [min(_CHUNK, count - start) for start in starts]
        return sum(pool.map(check_some, starts, counts))
