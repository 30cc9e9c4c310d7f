"""Digests in two processes: equal where nothing has changed, and where a kernel would compute
something else, another or none.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.support.imports import ROOT


@dataclass(frozen=True)
class Read:
    """Something that an application may read. What an arrangement reads needs none: it always runs.

    ``text`` is a module's, whose application holds ``{}``: ``before`` in one process, ``after`` in
    another. ``is_known``: the kernel is found again by a process in which nothing has changed.
    """

    text: str
    before: str = "2"
    after: str = "3"
    is_known: bool = True


RUN = "@triton.constexpr_function\ndef run(n):\n    return {}\n\n\n"
"""A function that Python runs when compiling."""
OF_RUN = "def application(x, y):\n    y = x * run(1)\n"


def run(body: str, before: str = "2", after: str = "3", is_known: bool = False) -> Read:
    """A function that runs when compiling, after other lines."""
    lines, _, last = body.strip().rpartition("\n")
    return Read(f"{lines}\n{RUN.format(last)}{OF_RUN}", before, after, is_known)


def read(
    expression: str, lines: str = "", before: str = "2", after: str = "3", is_known: bool = True
) -> Read:
    """An expression of an application's, after other lines."""
    text = f"{lines}\ndef application(x, y):\n    y = x * {expression}\n"
    return Read(text, before, after, is_known)


READS: dict[str, Read] = {
    "a number in the text": read("{}"),
    "a global": read("N", "N = {}"),
    "a global of another module": read("other.N", "other = module('other', N={})"),
    "a global behind a module's attribute": read(
        "outer.inner.N", "outer = module('outer', inner=module('outer.inner', N={}))"
    ),
    "what a module computes": read("other.N", "other = computing('other', {})"),
    "a module that was loaded again": read(
        "N", "sys.modules['reloaded'] = module('reloaded', N=1)\nN = {}"
    ),
    "a closure": Read(
        "def outer(n):\n    def application(x, y):\n        y = x * n\n    return application\n"
        "application = outer({})\n"
    ),
    "a cell of a helper": Read(
        "def outer(n):\n    def helper(x):\n        return x * n\n    return helper\n"
        "helper = outer({})\ndef application(x, y):\n    y = helper(x)\n"
    ),
    "a default": Read(
        "def helper(x, n={}):\n    return x * n\ndef application(x, y):\n    y = helper(x)\n"
    ),
    "a default given later": Read(
        "def helper(x, n=1):\n    return x * n\nhelper.__defaults__ = ({},)\n"
        "def application(x, y):\n    y = helper(x)\n"
    ),
    "a default of a keyword": Read(
        "def helper(x, *, n=1):\n    return x * n\nhelper.__kwdefaults__['n'] = {}\n"
        "def application(x, y):\n    y = helper(x)\n"
    ),
    "code given later": Read(
        "def one(x):\n    return x * 2\ndef two(x):\n    return x * 3\n"
        "helper = {}\ndef application(x, y):\n    y = helper(x)\n",
        "one",
        "two",
    ),
    "a partial": Read(
        "def helper(n, x):\n    return x * n\nhelper = functools.partial(helper, {})\n"
        "def application(x, y):\n    y = helper(x)\n"
    ),
    "a partial's keyword": Read(
        "def helper(x, n):\n    return x * n\nhelper = functools.partial(helper, n={})\n"
        "def application(x, y):\n    y = helper(x)\n"
    ),
    "an application's partial": Read(
        "def scaled(n, x, y):\n    y = x * n\napplication = functools.partial(scaled, {})\n"
    ),
    "a list": read("N[0]", "N = [{}]"),
    "a list in a tuple": read("N[0][0]", "N = ([{}],)"),
    "an attribute of a class": read("A.N", "class A:\n    N = {}"),
    "an attribute of a class, given later": read("A.N", "class A:\n    N = 1\nA.N = {}"),
    "an inherited attribute": read("B.N", "class A:\n    N = {}\nclass B(A):\n    pass"),
    "bases": read(
        "C.N", "class A:\n    N = 2\nclass B:\n    N = 3\nclass C({}):\n    pass", "A", "B"
    ),
    "bases given later": read(
        "C.N",
        "class A:\n    N = 2\nclass B:\n    N = 3\nclass C(A):\n    pass\nC.__bases__ = ({},)",
        "A",
        "B",
    ),
    "a static method": Read(
        "class A:\n    @staticmethod\n    def f(x):\n        return x * {}\n"
        "def application(x, y):\n    y = A.f(x)\n"
    ),
    "a class method": Read(
        "class A:\n    N = {}\n    @classmethod\n    def f(cls, x):\n        return x * cls.N\n"
        "def application(x, y):\n    y = A.f(x)\n"
    ),
    "an attribute of an object": read("a.n", "a = Held({})"),
    "an attribute of an object's class": read("a.N", "class A:\n    N = {}\na = A()"),
    "an inherited attribute of an object": read(
        "a.N", "class A:\n    N = {}\nclass B(A):\n    pass\na = B()"
    ),
    "a slot": read("a.n", "class A:\n    __slots__ = ('n',)\na = A()\na.n = {}"),
    "an object in an object": read("a.n.n", "a = Held(Held({}))"),
    "an object in a tuple": read("a[0].n", "a = (Held({}),)"),
    "an enumeration": read(
        "Mode.N.value", "class Mode(enum.Enum):\n    N = {}\n"
    ),
    "a member": read("N.value", "class Mode(enum.IntEnum):\n    N = {}\nN = Mode.N"),
    "a dataclass": read("a.n", "@dataclass\nclass A:\n    n: int = {}\na = A()"),
    "a frozen dataclass": read("A.n", "@dataclass(frozen=True)\nclass A:\n    n: int = {}"),
    "a class made by a function": read("A.n", "A = make_dataclass('A', [('n', int, {})])"),
    "a class that claims to be of another module": read(
        "A.n", "class A:\n    __module__ = 'typing'\n    n = {}"
    ),
    "a class of a library's base": read("A.n", "class A(abc.ABC):\n    n = {}"),
    "an attribute put on a class of the library": read(
        "A.N", "class A(abc.ABC):\n    pass\nabc.ABC.N = {}"
    ),
    "an attribute put on an object's library base": read(
        "a.N", "class A(contextlib.ContextDecorator):\n    pass\n"
        "a = A()\ncontextlib.ContextDecorator.N = {}"
    ),
    "a named tuple": read("N[0]", "N = namedtuple('P', 'n')({})"),
    "an attribute put on a class of torch's": read(
        "torch.nn.Module.N", "torch.nn.Module.N = {}", is_known=False
    ),
    "an attribute put on torch": read("torch.N", "torch.N = {}"),
    "an attribute put on a class that torch has": read(
        "a.N", "class A(torch.nn.Module):\n    pass\na = A()\ntorch.nn.Module.N = {}"
    ),
    "an attribute put on torch's tensors": read(
        "torch.Tensor.N", "torch.Tensor.N = {}", is_known=False
    ),
    "an attribute put on this package": read("ninetoothed.N", "ninetoothed.N = {}"),
    "an attribute put on the language": read("ntl.N", "ntl.N = {}"),
    "a function put in the language's place": Read(
        "def doubled(x):\n    return x * 2\ndef tripled(x):\n    return x * 3\n"
        "ninetoothed.twice = {}\ndef application(x, y):\n    y = ninetoothed.twice(x)\n",
        "doubled",
        "tripled",
    ),
    "an attribute put on a class of this package": read("Tensor.N", "Tensor.N = {}"),
    "an attribute put on a function": Read(
        "def helper(x):\n    return x * 2\nhelper.n = {}\n"
        "def application(x, y):\n    y = helper(x)\n"
    ),
    "a name": Read(
        "def helper(x):\n    return x * 2\nhelper.__name__ = {}\n"
        "def application(x, y):\n    y = helper(x)\n",
        "'one'",
        "'two'",
    ),
    "a function behind one of the library": Read(
        "def helper(x):\n    return x * {}\n"
        "helper = functools.wraps(helper)(functools.partial(helper))\n"
        "def application(x, y):\n    y = helper(x)\n"
    ),
    "a builtin of one's own": read("max(1, 1)", "def max(one, two):\n    return {}"),
    "an environment variable": read("N", "N = int(os.environ['PATH'] and '{}')"),
    "the default type": read("N", "torch.set_default_dtype({})\n"
        "N = torch.get_default_dtype().itemsize\ntorch.set_default_dtype(torch.float32)",
        "torch.float32", "torch.float64"),
    "the largest number of the default type": read("N", "torch.set_default_dtype({})\n"
        "N = torch.finfo().eps\ntorch.set_default_dtype(torch.float32)",
        "torch.float32", "torch.float64"),
    "a random number": read("N", "import random\nrandom.seed({})\nN = random.random()"),
    "a file": read("N", "from pathlib import Path\n"
        "Path(__file__).with_suffix('.txt').write_text('{}')\n"
        "N = int(Path(__file__).with_suffix('.txt').read_text())"),
    "a tensor of no dims": read("N", "N = torch.tensor({})"),
    "a number of NumPy's": read("N", "N = numpy.float32({})"),
    "a constant of an own class": Read(
        "class Number(float):\n    pass\nN = Number({})\n"
        "def application(x, y):\n    y = x * N\n", is_known=False
    ),
    "a number, when compiling": run("{}", is_known=True),
    "a global, when compiling": run("N = {}\nN + n", is_known=True),
    "a list, when compiling": run("N = [{}]\nN[0] + max(N)", is_known=True),
    "a dict, when compiling": run("N = dict(a={})\nN['a']", is_known=True),
    "a helper, when compiling": run(
        "def helper(n):\n    return n * {}\nhelper(n) + math.floor(1.5)", is_known=True
    ),
    "match arguments": run(
        "class P:\n    __match_args__ = ('{}',)\n    a, b = 2, 3\n"
        "def helper(p):\n    match p:\n        case P(n):\n            return n\n"
        "P_ = P()\nhelper(P_)",
        "a", "b",
    ),
    "match arguments of a class made by a function": run(
        "P = make_dataclass('P', [('a', int), ('b', int)])\nP.__match_args__ = ('{}',)\n"
        "def helper(p):\n    match p:\n        case P(n):\n            return n\n"
        "helper(P(2, 3))",
        "a", "b",
    ),
    "bases of a class made by a function": run(
        "class A:\n    pass\nP = make_dataclass('P', [], bases=({}))\nissubclass(P, A) + 1",
        "A,", "object,",
    ),
    "names in a pattern": run(
        "def f():\n    pass\nf.__name__ = '{}'\n"
        "def helper():\n    match f:\n        case object(__name__='one'):\n            return 2\n"
        "    return 3\nhelper()",
        "one", "two",
    ),
    "qualified names in a pattern": run(
        "def f():\n    pass\nf.__qualname__ = '{}'\n"
        "def helper():\n    match f:\n        case object(__qualname__='one'):\n"
        "            return 2\n    return 3\nhelper()",
        "one", "two",
    ),
    "names by an operator": run(
        "def f():\n    pass\nf.__name__ = '{}'\nNAME = '_' '_name__'\n"
        "len(operator.attrgetter(NAME)(f))",
        "one", "three",
    ),
    "subclasses by registration": run(
        "{}\nisinstance(n, contextlib.AbstractContextManager) + 1",
        "contextlib.AbstractContextManager.register(int)", "",
    ),
    "subclasses of collections' by registration": run(
        "from collections import abc as classes\n{}\nisinstance(n, classes.Sequence) + 1",
        "classes.Sequence.register(int)", "",
    ),
    "the default type, when compiling": run(
        "torch.set_default_dtype({})\ntorch.finfo().bits",
        "torch.float32", "torch.float64",
    ),
    "attributes of torch's classes, when compiling": run(
        "torch.nn.Module.N = {}\ntorch.nn.Module.N"
    ),
    "attributes of this package, when compiling": run("ninetoothed.N = {}\nninetoothed.N"),
    "attributes of Triton's, when compiling": run("triton.N = {}\ntriton.N"),
    "attributes of a class of this package, when compiling": run("Tensor.N = {}\nTensor.N"),
    "attributes of the library, when compiling": run("math.n = {}\nmath.n"),
    "attributes of a class of the library, when compiling": run("abc.ABC.N = {}\nabc.ABC.N"),
    "keys, when compiling": run(
        "A, B = dict.fromkeys('abcdefgh', 1), dict.fromkeys('ghijkl', 1)\n"
        "['abcdefghijkl'.index(k) for k in A.keys() | B.keys()][0] + {}", "1", "1"
    ),
    "a set, when compiling": run(
        "A = 'one', 'two', 'three', 'four', 'five', 'six'\nlen(A) * 10 + A.index([*{{*A}}][0]) + {}",
        "1", "1",
    ),
    "a set by its class, when compiling": run(
        "A = 'one', 'two', 'three', 'four', 'five', 'six'\nA.index([*set(A)][0]) + {}", "1", "1"
    ),
    "a set in a constant, when compiling": run(
        "def helper():\n    for n in {{'one', 'three', 'fifteen', 'sixty one'}}:\n"
        "        return len(n)\nhelper() + {}", "1", "1"
    ),
    "a set of texts": read("N", "N = len([*{{'one', 'three', 'fifteen', 'sixty one'}}][0])",
        is_known=False),
    "a hash, when compiling": run("hash('a') % 1000 + {}", "1", "1"),
    "a text of an object, when compiling": run("sum(map(ord, str(math))) + {}", "1", "1"),
    "an address, when compiling": run(
        "def f():\n    pass\nfloat(int(f'{{f}}'.split()[-1][:-1], 16) % 4096) + {}", "1", "1"
    ),
    "an address by its format, when compiling": run(
        "def f():\n    pass\nfloat(int(('%s' % f).split()[-1][:-1], 16) % 4096) + {}", "1", "1"
    ),
    "the environment, when compiling": run("os.environ['N'] = '{}'\nint(os.environ['N'])"),
    "flags, when compiling": run("sys.ps1 = {}\nsys.ps1"),
    "the time, when compiling": run("import time\ntime.time() % 1 + {}", "1", "1"),
    "a memory, when compiling": run(
        "@functools.cache\ndef helper(n):\n    return n * {}\nhelper(n)"
    ),
    "a memory of another's, when compiling": run(
        "N = 1\n@functools.cache\ndef helper(n):\n    return n * N\nN = {}\nhelper(1)\n"
        "N = 7\nhelper(n)",
    ),
    "a property, when compiling": run(
        "class A:\n    @property\n    def n(self):\n        return {}\na = A()\na.n"
    ),
    "a descriptor, when compiling": run(
        "class D:\n    def __get__(self, *_):\n        return {}\n"
        "class A:\n    n = D()\nA.n"
    ),
    "attributes on request, when compiling": run(
        "class A:\n    def __getattr__(self, name):\n        return {}\na = A()\na.n"
    ),
    "an array, when compiling": run("N = numpy.full(1, {})\nN[0].item()"),
    "a tensor, when compiling": run("N = torch.full((1,), {})\nN[0].item()"),
    "a tensor of no dims, when compiling": run("N = torch.tensor({})\nN.item()"),
    "a generator's state, when compiling": run(
        "N = iter([{}, 2, 3, 4] * 99)\nnext(N)"
    ),
    "a named tuple, when compiling": run("P = namedtuple('P', 'n')\nN = P({})\nN.n"),
}  # fmt: skip

HEAD = """
import abc, contextlib, enum, functools, math, numpy, operator, os, sys, torch, triton, types
import ninetoothed
import ninetoothed.language as ntl
from collections import namedtuple
from dataclasses import dataclass, make_dataclass
from ninetoothed import Tensor


class Held:
    def __init__(self, n):
        self.n = n


def module(name, **names):
    found = types.ModuleType(name)
    vars(found).update(names)
    return found


def computing(name, n):
    found = types.ModuleType(name)
    found.__getattr__ = lambda name: n
    return found


"""
PROGRAM = """
import importlib, json, sys, torch
from ninetoothed import Tensor, make
from ninetoothed.fingerprint.digest import examine


def arrangement(x, y):
    return x.tile((4,)), y.tile((4,))


found = {}
for name in sys.argv[1:]:
    module = importlib.import_module(name)
    examined = examine(module.application)
    y = torch.zeros(4)
    try:
        make(arrangement, module.application, (Tensor(1), Tensor(1)))(torch.ones(4), y)
        result = y[0].item()
    except Exception as error:
        result = f"{type(error).__name__}: {error}".replace("\\n", " ")[:200]
    found[name] = examined.digest, examined.reason, result
print(json.dumps(found))
"""


def found(folder: Path, which: str, seed: str) -> Mapping[str, Any]:
    """Digest, reason for having none, and result of each, in a process of its own."""
    for number, case in enumerate(READS.values()):
        text = case.text.replace("{{", "\0").replace("}}", "\1")
        text = text.replace("{}", getattr(case, which)).replace("\0", "{").replace("\1", "}")
        (folder / f"read_{number}.py").write_text(HEAD + text, encoding="utf-8")
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join((str(ROOT), str(folder))),
        "PYTHONHASHSEED": seed,
        "PYTHONDONTWRITEBYTECODE": "1",
        "NINETOOTHED_CACHE_DIR": str(folder / f"cache{seed}"),
    }
    names = [f"read_{number}" for number in range(len(READS))]
    command = [sys.executable, "-c", PROGRAM, *names]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert not done.returncode, done.stderr
    return dict(zip(READS, json.loads(done.stdout).values(), strict=True))


@pytest.fixture(scope="module")
def processes(tmp_path_factory: pytest.TempPathFactory) -> list[Mapping[str, Any]]:
    folder = tmp_path_factory.mktemp("reads")
    given = [("before", "1"), ("before", "2"), ("after", "3")]
    return [found(folder, which, seed) for which, seed in given]


@pytest.mark.parametrize("name", READS)
def test_a_change_is_noticed(processes: list[Mapping[str, Any]], name: str) -> None:
    results = {}
    for process in processes:
        digest, _, result = process[name]
        assert isinstance(result, float)
        if digest is not None:
            assert results.setdefault(digest, result) == result


@pytest.mark.parametrize("name", [name for name, read in READS.items() if read.is_known])
def test_what_has_not_changed_is_found_again(
    processes: list[Mapping[str, Any]], name: str
) -> None:
    first, second, _ = [process[name] for process in processes]
    assert first[1] is None
    assert first == second
