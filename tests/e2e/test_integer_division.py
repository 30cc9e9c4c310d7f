"""``//`` and ``%`` of an application, which round toward zero: whenever their operands are known,
interpreted at `nt` and at `tt`, and on a GPU.
"""

from __future__ import annotations

import importlib.util
import itertools
import math
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest
import torch

import ninetoothed
import ninetoothed.language as ntl
from ninetoothed import Tensor
from ninetoothed.errors import NineToothedError
from tests.support.everywhere import everywhere

SIGNS = [(7, 2), (-7, 2), (7, -2), (-7, -2), (-8, 4), (-1, 3), (3, -7)]
SIZE = 12
"""Of a tensor, of whose size numbers of either sign are made."""


class Numbers:
    """A place that an application reads constants from."""

    left = 0
    right = 0


# The ways in which an application has a number: its text as the left operand, and as the right.
KINDS = {
    "literal": ("({left})", "({right})"),
    "constant": ("LEFT", "RIGHT"),
    "attribute": ("Numbers.left", "Numbers.right"),
    "constexpr": ("left_constexpr", "right_constexpr"),
    "static_range": ("left_unrolled", "right_unrolled"),
    "range": ("left_loop", "right_loop"),
    "block size": ("(x.shape[0] + ({left} - {size}))", "(x.shape[0] + ({right} - {size}))"),
    "size": ("(x.source.shape[0] + ({left} - {size}))", "(x.source.shape[0] + ({right} - {size}))"),
    "stride": ("(x.source.stride(0) * ({left}))", "(x.source.stride(0) * ({right}))"),
    "negated size": ("({left} + {size} - x.source.shape[0])", "({right} + {size} - x.shape[0])"),
    "scalar": ("left_scalar", "right_scalar"),
    "0-d": ("left_tensor", "right_tensor"),
    "element": ("left_element[0]", "right_element[0]"),
}

APPLICATION = """
def application(x, left_constexpr, right_constexpr, left_scalar, right_scalar, left_tensor,
                right_tensor, left_element, right_element, quotients, remainders):
    for left_unrolled in ntl.static_range({left}, {left} + 1):
        for right_unrolled in ntl.static_range({right}, {right} + 1):
            for left_loop in range({left}, {left} + 1):
                for right_loop in range({right}, {right} + 1):
                    {lines}
"""


def quotient(left: int, right: int) -> int:
    """``left / right``, rounded toward zero."""
    return math.trunc(left / right)


def written(path: Path, text: str) -> ModuleType:
    """A module of this text."""
    path.write_text("import ninetoothed.language as ntl\n" + text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def application(tmp_path: Path) -> Iterator[Callable[[int, int], Callable[..., None]]]:
    """Makes the application that divides every kind of number by every kind."""
    names: list[str] = []

    def make(left: int, right: int) -> Callable[..., None]:
        lines: list[str] = []
        for place, (one, two) in enumerate(itertools.product(KINDS.values(), repeat=2)):
            operands = one[0], two[1]
            lines.append(f"quotients[{place}] = {operands[0]} // {operands[1]}")
            lines.append(f"remainders[{place}] = {operands[0]} % {operands[1]}")
        text = APPLICATION.replace("{lines}", "\n                    ".join(lines))
        names.append(f"quotients_of_{left}_and_{right}".replace("-", "minus_"))
        module = written(
            tmp_path / f"{names[-1]}.py", text.format(left=left, right=right, size=SIZE)
        )
        numbers = type("Numbers", (), {"left": left, "right": right})
        vars(module).update(LEFT=left, RIGHT=right, Numbers=numbers)
        return module.application

    yield make
    for name in names:
        del sys.modules[name]


def whole(*tensors: Tensor) -> tuple[Tensor, ...]:
    """Tensors as one block each, numbers as they are."""
    return tuple(tensor.tile((-1,)) if tensor.ndim else tensor for tensor in tensors)


@pytest.mark.parametrize(("left", "right"), SIGNS)
def test_every_pair_of_numbers(
    application: Callable[[int, int], Callable[..., None]], left: int, right: int, device: str
) -> None:
    count = len(KINDS) ** 2
    values = (
        *(torch.zeros(SIZE), left, right, left, right),
        *(torch.tensor(left), torch.tensor(right), torch.tensor([left]), torch.tensor([right])),
        *(torch.zeros(count, dtype=torch.int32), torch.zeros(count, dtype=torch.int32)),
    )
    tensors = (
        Tensor(1),
        *(Tensor(0, constexpr=True) for _ in range(2)),
        *(Tensor(0) for _ in range(4)),
        *(Tensor(1) for _ in range(4)),
    )
    names = list(itertools.product(KINDS, repeat=2))

    def check(*results: torch.Tensor) -> None:
        found = [dict(zip(names, out.tolist(), strict=True)) for out in results[-2:]]
        expected = quotient(left, right)
        assert found[0] == dict.fromkeys(names, expected)
        assert found[1] == dict.fromkeys(names, left - right * expected)

    everywhere(device, whole, application(left, right), values, check, tensors)


def halved(number, by):
    return number // by, number % by


def digits(number):
    """Both results of ``number`` and 2, as expressions and in place."""
    whole, rest = halved(number, 2)
    augmented = number
    augmented //= 2
    remaining = number
    remaining %= 2
    return 1000 * whole + 100 * rest + 10 * augmented + remaining


def test_a_negative_that_has_a_name(device: str) -> None:
    def application(x, s, out):
        constant = 7
        size = x.source.shape[0] - 5
        m = -constant
        out[0] = m % 3 - 10 * -(m // 3)
        m = -s
        out[1] = m % 3 - 10 * -(m // 3)
        m = -size
        out[2] = m % 3 - 10 * -(m // 3)

    def check(x: torch.Tensor, s: int, out: torch.Tensor) -> None:
        assert out.tolist() == [-21] * 3

    values = (torch.zeros(12), 7, torch.zeros(3, dtype=torch.int32))
    everywhere(device, whole, application, values, check)


def test_functions_and_assignments(device: str) -> None:
    def application(x, s, out):
        known = -7
        out[0] = digits(known)
        out[1] = digits(s)
        out[2] = digits(x.source.shape[0] - 19)

    def check(x: torch.Tensor, s: int, out: torch.Tensor) -> None:
        assert out.tolist() == [-3000 - 100 - 30 - 1] * 3

    values = (torch.zeros(12), -7, torch.zeros(3, dtype=torch.int32))
    everywhere(device, whole, application, values, check)


def test_quotients_of_sizes_are_sizes(device: str) -> None:
    def application(x, out):
        ones = ntl.zeros((ntl.cdiv(x.shape[0] - 3, 4) + (x.shape[0] - 15) // 4,), ntl.float32) + 1
        out = ntl.sum(ones)

    def check(x: torch.Tensor, out: torch.Tensor) -> None:
        assert out.tolist() == [3]

    tensors = (Tensor(1, shape_options={"constexpr": True}), Tensor(1))
    everywhere(device, whole, application, (torch.zeros(12), torch.zeros(1)), check, tensors)


@pytest.mark.parametrize(
    ("left", "right"), [(7.5, 2.0), (-7.5, 2.0), (7.5, -2.0), (-7.5, -2.0), (-1.0, math.inf)]
)
def test_remainders_of_floats(left: float, right: float, device: str) -> None:
    constant = right

    def application(x, left, right, constexpr, out):
        out[0] = left % right
        out[1] = constexpr % right
        out[2] = constexpr % constant
        out[3] = x[0] % right
        out[4] = x[0] % constant

    def check(*results: object) -> None:
        out = results[-1]
        assert isinstance(out, torch.Tensor)
        assert out.tolist() == [math.fmod(left, right)] * 5

    values = (torch.tensor([left]), left, right, left, torch.zeros(5))
    tensors = (Tensor(1), Tensor(0), Tensor(0), Tensor(0, constexpr=True), Tensor(1))
    everywhere(device, whole, application, values, check, tensors)


def test_a_divisor_of_unknown_sign_may_be_a_size(device: str) -> None:
    def application(x, out):
        out = 9 // (x.source.shape[0] - 14) * 10 + 9 % (x.source.shape[0] - 14)

    def check(x: torch.Tensor, out: torch.Tensor) -> None:
        assert out.tolist() == [-39]

    everywhere(device, whole, application, (torch.zeros(12), torch.zeros(1)), check)


@pytest.mark.parametrize("options", [None, {"constexpr": True}])
@pytest.mark.parametrize("operator", ["//", "%"])
@pytest.mark.parametrize("left", ["1", "x", "x.shape[0]", "s", "x.source.stride(0)"])
def test_a_divisor_that_is_known_to_be_zero(
    tmp_path: Path, left: str, operator: str, options: dict[str, bool] | None
) -> None:
    divisors = ["0", "ZERO", "x.source.shape[0] - 12"] if options else ["0", "ZERO"]
    for place, divisor in enumerate(divisors):
        module = written(
            tmp_path / f"by_zero_{place}.py",
            f"ZERO = 0\ndef application(x, s, out):\n    out = {left} {operator} ({divisor})\n",
        )
        tensors = (Tensor(1, shape_options=options), Tensor(0), Tensor(1))
        arguments = (torch.zeros(12, dtype=torch.int64), 3, torch.zeros(12))
        with pytest.raises(NineToothedError) as error:
            ninetoothed.make(whole, module.application, tensors)(*arguments)
        assert error.value.loc is not None
        assert error.value.loc.line == 4


def test_functions_of_triton() -> None:
    triton = pytest.importorskip("triton")

    @triton.jit
    def quotients(number, BY: triton.language.constexpr):
        return number // BY * 10 + number % BY

    def application(x, s, out):
        out[0] = quotients(-7, 2)
        out[1] = quotients(s, 2)
        out[2] = quotients(x[0], 2)

    def check(*results: object) -> None:
        out = results[-1]
        assert isinstance(out, torch.Tensor)
        assert out.tolist() == [-31] * 3

    values = (torch.tensor([-7]), -7, torch.zeros(3, dtype=torch.int32))
    everywhere("cpu", whole, application, values, check)
