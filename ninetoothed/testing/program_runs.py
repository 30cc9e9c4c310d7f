"""Modules of a program before the first pass and behind each, and their results."""

from __future__ import annotations

import importlib.util
import shutil
import tempfile
import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from xdsl.dialects.builtin import ModuleOp

from ninetoothed.artifacts.configuration import Choices, Config
from ninetoothed.calls.arguments import Arguments, bind
from ninetoothed.compiler.compile import build, lower
from ninetoothed.compiler.full_function import is_full
from ninetoothed.definition.define import define, run_arrangement
from ninetoothed.definition.definition import Definition
from ninetoothed.interpreters import interpret
from ninetoothed.ir.snapshots import Snapshots
from ninetoothed.passes.pipeline import Observer
from ninetoothed.testing.program_writer import Argument, Program


def load(program: Program, folder: str) -> Definition:
    """The kernel of a program, its source read from a file in the folder, as a user's is."""
    path = Path(folder) / "program.py"
    path.write_text(program.source, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    arranged = run_arrangement(module.arrangement, module.TENSORS).tensors
    return define("kernel", arranged, module.application)


def arguments(program: Program, device: str = "cpu") -> tuple[list[torch.Tensor], list[Any]]:
    """Fresh buffers, and the call's arguments in them."""
    buffers: list[torch.Tensor] = []
    values: list[Any] = []
    for argument in program.arguments:
        if isinstance(argument, Argument):
            buffers.append(argument.buffer().to(device))
            values.append(argument.view(buffers[-1]))
        else:
            values.append(argument)
    return buffers, values


class PassTrace:
    """The modules of one program behind each pass, and the call that they are compiled for.

    ``choices``: what the passes choose.
    """

    def __init__(
        self, program: Program, observers: Sequence[Observer] = (), choices: Choices = ()
    ) -> None:
        self.program = program
        # Functions that the application calls are read when they are.
        folder = tempfile.mkdtemp()
        weakref.finalize(self, shutil.rmtree, folder)
        self.definition = load(program, folder)
        call: Arguments = bind(self.definition.interface, arguments(program)[1], program.keywords)
        self.signature = call.signature
        sizes = zip(self.definition.meta, program.choices, strict=True)
        self.config = Config(tuple(sizes), choices=choices)
        snapshots = Snapshots()
        self.composed = build(self.definition, self.signature, [snapshots], self.config)
        self.final = lower(self.composed, self.signature, self.config, [snapshots])
        self.modules = snapshots.modules

    @property
    def full(self) -> ModuleOp | None:
        """The last module without guards, if all of them hold in the call."""
        if not is_full(self.final, arguments(self.program)[1]):
            return None
        return lower(self.composed, self.signature, self.config, full=True)

    def run(self, module: ModuleOp) -> list[torch.Tensor]:
        """The buffers as the module leaves them."""
        buffers, values = arguments(self.program)
        constants = dict(self.signature.constants) | dict(self.config.values)
        interpret(module, values, constants)
        return buffers
