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


ROWS = "{0}.tile((1, B)).tile((-1, 1)).squeeze(0)"
BLOCKS = "{0}.tile((A, B)).tile((-1, 1)).squeeze(0)"
IN_LOOPS = (
    "a += READ",
    "b += READ * OTHER",
    "b += OTHER",
    "b = a",
    "a, b = b, a",
    "a = a + b",
    "a += b",
    "b = READ",
    "a += 1",
    "a += i",
    "a += READ + 1",
    "a += READ * i",
    "a += ntl.abs(READ - OTHER)",
    "a = READ + a",
    "a = a - READ",
    "a += FIRST",
    "a = ntl.maximum(a, READ)",
    "c += OTHER",
    "if s > 0:\n            a += READ",
    "if s < 0:\n            a = a * 0",
    "for j in range(2):\n            a += READ",
    "for j in range(2):\n            a += READ * j",
    "for j in range(x.shape[0]):\n            a += READ",
)
BEHIND = (
    "a += b",
    "a = a + c",
    "a = a * 2",
    "a += 1",
    "for j in range(2):\n        a += b",
    "b = a",
)
RESULTS = ("a", "a", "a", "b", "c", "ntl.cast(a, ntl.float16)", "a + b", "a / x.source.shape[0]")


@st.composite
def loops(draw: st.DrawFn) -> Program:
    """A kernel that loops over rows, or over blocks of them that it sums."""
    in_blocks = draw(st.booleans())
    reads = (
        ("ntl.sum(x[{0}], axis=0)", "ntl.sum(w[{0}], axis=0)")
        if in_blocks
        else ("x[{0}]", "w[{0}]")
    )
    if in_blocks and draw(st.booleans()):
        reads = ("ntl.sum(x[{0}] * w[{0}], axis=0)", reads[1])
    inside = draw(st.lists(st.sampled_from(IN_LOOPS), min_size=1, max_size=3))
    behind = draw(st.lists(st.sampled_from(BEHIND), max_size=1))
    zeros = "ntl.zeros(y.shape, dtype=ntl.float32)"
    lines = [f"    {name} = {zeros}" for name in "abc"]
    loop = draw(st.sampled_from(["x.shape[0]", "x.shape[0]", "w.shape[0]", "1, x.shape[0]"]))
    lines += [f"    for i in range({loop}):", *(f"        {line}" for line in inside)]
    lines += [*(f"    {line}" for line in behind), f"    y = {draw(st.sampled_from(RESULTS))}"]
    body = (
        "\n".join(lines).replace("READ", reads[0].format("i")).replace("FIRST", reads[0].format(0))
    )
    body = body.replace("OTHER", reads[1].format("i"))
    other = draw(st.sampled_from(["", "", "", ", other=1"]))
    squeezed = "" if in_blocks else "; {0}.dtype.dtype = {0}.dtype.dtype.squeeze(0)"
    arranged = f"{BLOCKS if in_blocks else ROWS}; {{0}}.dtype = {{0}}.dtype.squeeze(1){squeezed}"
    first, *rest = arranged.split("; ")
    source = [
        "import ninetoothed.language as ntl",
        "from ninetoothed import Tensor",
        f"A, B = {draw(st.integers(1, 3))}, {draw(st.integers(1, 4))}",
        f"TENSORS = (Tensor(2{other}), Tensor(2), Tensor(0), Tensor(1))",
        "def arrangement(x, w, s, y):",
        *(f"    {name} = {first.format(name)}" for name in "xw"),
        *(f"    {line.format(name)}" for line in rest for name in "xw"),
        "    return x, w, s, y.tile((B,))",
        "def application(x, w, s, y):",
        body,
        "",
    ]
    n, m = draw(st.integers(1, 7)), draw(st.integers(1, 7))
    shapes = {"x": (n, m), "w": (n, m), "y": (m,)}
    x, w, y = (Argument(name, shape, "fp32", "plain", n + m) for name, shape in shapes.items())
    sign = draw(st.sampled_from([-1, 1]))
    return Program("\n".join(source), (), [x, w, sign, y], ["x", "w", "s", "y"], {}, [], {}, "")


@tried(50)
@given(st.data())
def test_random_programs(data: st.DataObject) -> None:
    family = data.draw(st.sampled_from(["vectors", "matrices", "rows", "products", "columns"]))
    check(data, family, data.draw(programs(family)))


@tried(50)
@given(st.data())
def test_loops(data: st.DataObject) -> None:
    check(data, "loops", data.draw(loops()))


def check(data: st.DataObject, family: str, program: Program) -> None:
    """Check all rules of a program."""
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
