"""Every sharding rule against brute force: the ranks' results, put together, are the whole's."""

from __future__ import annotations

import tempfile

import torch
from hypothesis import event, given
from hypothesis import strategies as st

from ninetoothed.artifacts.configuration import Config
from ninetoothed.calls.arguments import bind
from ninetoothed.compiler.compile import build
from ninetoothed.errors import collect_warnings
from ninetoothed.interpreters import interpret
from ninetoothed.testing.program_runs import arguments, load
from ninetoothed.testing.program_writer import Argument, Program
from ninetoothed.testing.random_programs import programs
from ninetoothed.verification.sharding_rules import derive
from tests.support.profiles import tried
from tests.support.ranks import Tensors, check_rule, fits


class Runs:
    """Runs of one program on tensors of any size, with its small blocks."""

    def __init__(self, program: Program, folder: str) -> None:
        self.program = program
        self.definition = load(program, folder)
        sizes = zip(self.definition.meta, program.choices, strict=True)
        self.config = Config(tuple(sizes))
        self.values = arguments(program)[1]
        self.dtypes = {
            given.name: given.dtype for given in program.arguments if isinstance(given, Argument)
        }
        self.before = {
            given.name: value
            for given, value in zip(program.arguments, self.values, strict=True)
            if isinstance(given, Argument)
        }

    def __call__(self, tensors: Tensors) -> None:
        """Run the program in place."""
        values = [
            tensors[given.name] if isinstance(given, Argument) else value
            for given, value in zip(self.program.arguments, self.values, strict=True)
        ]
        call = bind(self.definition.interface, values, self.program.keywords)
        module = build(self.definition, call.signature, config=self.config)
        constants = dict(call.signature.constants) | dict(self.config.values)
        interpret(module, values, constants)


def close(found: torch.Tensor, expected: torch.Tensor) -> None:
    """Sums of small numbers in another order: equal but for rounding."""
    torch.testing.assert_close(found, expected, rtol=1e-2, atol=1e-2, equal_nan=True)


@tried(150)
@given(st.data())
def test_random_programs(data: st.DataObject) -> None:
    family = data.draw(st.sampled_from(["vectors", "matrices", "rows", "products", "columns"]))
    program = data.draw(programs(family))
    with tempfile.TemporaryDirectory() as folder, collect_warnings():
        runs = Runs(program, folder)
        rules = derive(runs.definition, runs.dtypes, program.keywords).rules
        rules = [rule for rule in rules if fits(rule, runs.before)]
        if not rules:
            return
        after = {name: tensor.clone() for name, tensor in runs.before.items()}
        runs(after)
        for rule in rules:
            event(f"{family}: {rule.name}")
            ranks = data.draw(st.integers(2, 3))
            check_rule(rule, ranks, runs.before, after, runs, close)
