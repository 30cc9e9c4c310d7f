"""The host function of a launch: checks, programs, arguments."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from ninetoothed.artifacts.artifact import Argument
from ninetoothed.artifacts.configuration import Config
from ninetoothed.artifacts.reciprocals import multiplier, shift
from ninetoothed.artifacts.target import Target
from ninetoothed.backend.emit import emit
from ninetoothed.backend.launch_source import launch_source, reads_writes
from ninetoothed.errors import CompilerError
from tests.support.tt_modules import ADD, BRANCHES, MATMUL, SOFTMAX, launch, parse

TARGET = Target.parse("sm_90")


def load(text: str) -> dict[str, Any]:
    """The functions that the launch source of ``text`` defines."""
    scope: dict[str, Any] = {}
    exec(launch_source(parse(text)), scope)
    return scope


def test_check() -> None:
    def check(*call: torch.Tensor) -> str | None:
        message, programs, arguments = launch(*call)
        assert message is None or (programs, arguments) == (0, ())
        return message

    launch = load(MATMUL)["launch"]
    a, b, c = torch.empty(64, 48), torch.empty(48, 32), torch.empty(64, 32)
    assert check(a, b, c) is None
    assert check(a, torch.empty(40, 32), c) == "b.shape[0] is 40, but must be 48"
    assert check(a.T.contiguous().T, b, c) == "a.stride(0) is 1, but must be 48"
    assert check(torch.empty(60, 48), b, torch.empty(60, 32)) == "(28, 0) must be (0, 0)"


def test_what_fails() -> None:
    """A laxer class may take what fails by outermost levels alone, and none what would store lanes
    without a value.
    """
    checks = """#nt.check<agreement [m] = [k], "levels">, #nt.check<[n mod 2] = [0], "odd">,
                #nt.check<defined [m, n] = [min(m, n), n], "lanes">"""
    scope = load(MATMUL.replace("[#nt.check", f"[{checks}, #nt.check"))

    def failing(m: int, k: int, n: int) -> tuple[str, bool, bool]:
        call = torch.empty(m, k), torch.empty(k, n), torch.empty(m, n)
        return scope["launch"](*call)[0], scope["agrees"](*call), scope["is_undefined"](*call)

    assert failing(32, 32, 32) == (None, True, True)
    assert failing(64, 64, 32) == ("lanes", True, True)
    assert failing(64, 32, 32) == ("levels", False, False)
    assert failing(32, 64, 32) == ("levels", False, False)
    assert failing(32, 32, 31) == ("odd", True, False)
    assert failing(64, 32, 31) == ("levels", True, False)
    # Where no other class is, nobody asks.
    scope = load(MATMUL.replace("[#nt.check", '[#nt.check<defined [m] = [n], "x">, #nt.check'))
    assert not {"agrees", "is_undefined"} & {*scope}


def test_programs_and_arguments() -> None:
    launch = load(MATMUL)["launch"]
    a, b, c = torch.empty(64, 48), torch.empty(48, 96), torch.empty(64, 96)
    assert launch(a, b, c) == (None, 6, (a.data_ptr(), b.data_ptr(), c.data_ptr(), 96, 48))
    assert launch(torch.empty(0, 48), b, torch.empty(0, 96))[:2] == (None, 0)


class Read:
    """A tensor, and what was read of it, in order."""

    def __init__(self, tensor: torch.Tensor) -> None:
        self.tensor = tensor
        self.found: list[str] = []

    def __getattr__(self, name: str) -> Any:
        self.found.append(name)
        return getattr(self.tensor, name)


def test_a_launch_reads_each_tensor_once() -> None:
    tensors = [Read(torch.empty(*shape)) for shape in ((64, 48), (48, 96), (64, 96))]
    message, programs, _ = load(MATMUL)["launch"](*tensors)
    assert (message, programs) == (None, 6)
    assert all(sorted(one.found) == ["data_ptr", "shape", "stride"] for one in tensors)


def test_a_bound_that_is_checked() -> None:
    check = '#nt.check<defined [m, n] = [m, min(n, m)], "{left} beside {right}">'
    source = launch_source(parse(MATMUL.replace("[#nt.check", f"[{check}, #nt.check")))
    assert "if n > m:" in source
    scope: dict[str, Any] = {}
    exec(source, scope)
    a, b, c = torch.empty(64, 48), torch.empty(48, 96), torch.empty(64, 96)
    assert scope["launch"](a, b, c)[0] == "(64, 96) beside (64, 64)"
    assert scope["launch"](a, b[:, :64].contiguous(), c[:, :64].contiguous())[0] is None


def test_calls_in_which_all_guards_hold() -> None:
    vacuous = '"nt.vacuous" = #nt.exprs[n mod 128, 256 - n], "nt.checks"'
    source = launch_source(parse(ADD.replace('"nt.checks"', vacuous)))
    assert "    return n % 128 == 0 and 256 - n <= 0\n" in source
    is_full = load(ADD.replace('"nt.checks"', vacuous))["is_full"]
    sizes = (0, 128, 256, 257, 512)
    assert [is_full(*[torch.empty(n)] * 3) for n in sizes] == [False, False, True, False, True]
    assert "is_full" not in launch_source(parse(ADD))


def test_scalars_are_passed_by_value() -> None:
    x, y = torch.empty(3, 5), torch.empty(3, 5)
    scope = load(SOFTMAX)
    assert scope["launch"](x, y, 0.5) == (None, 3, (x.data_ptr(), y.data_ptr(), 5, 0.5))


def test_unsigned_numbers_are_passed_as_signed_ones() -> None:
    text = """
    tt.func @f(%a: i32 {"nt.param" = "a", "nt.unsigned"}, %b: i64 {"nt.param" = "b", "nt.unsigned"})
        attributes {"nt.params" = [#nt.param<"a" scalar [] []>, #nt.param<"b" scalar [] []>],
        "nt.grid" = #nt.expr<1>, "nt.checks" = []} {
      tt.return
    }"""
    launch = load(text)["launch"]
    assert launch(5, 2**63 - 1) == (None, 1, (5, 2**63 - 1))
    assert launch(2**31 + 7, 2**64 - 1) == (None, 1, (-(2**31) + 7, -1))


def test_parameters_never_hide_what_the_source_uses() -> None:
    text = ADD.replace('"x"', '"max"').replace('"y"', '"n"').replace('"out"', '"lambda"')
    scope = load(text)
    tensors = [torch.empty(200) for _ in range(3)]
    pointers = tuple(tensor.data_ptr() for tensor in tensors)
    assert scope["launch"](*tensors) == (None, 2, (*pointers, 200))
    message = "n.shape[0] is 3, but must be 200"
    assert scope["launch"](tensors[0], torch.empty(3), tensors[2]) == (message, 0, ())


def test_an_unbound_symbol_is_an_error() -> None:
    with pytest.raises(CompilerError, match="'nowhere'"):
        launch_source(parse(ADD.replace("n ceildiv 128", "nowhere")))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (ADD, (("x", "y"), ("out",))),
        (MATMUL, (("a", "b"), ("c",))),
        (BRANCHES, (("x",), ("y",))),
    ],
)
def test_reads_and_writes(text: str, expected: tuple[tuple[str, ...], ...]) -> None:
    assert reads_writes(parse(text)) == expected


def test_pointers_are_traced_through_loops_and_branches() -> None:
    module = parse(
        f"""
        tt.func @f(%a: !tt.ptr<f32> {{"nt.param" = "a"}}, %b: !tt.ptr<f32> {{"nt.param" = "b"}},
                   %c: !tt.ptr<f32> {{"nt.param" = "c"}})
            attributes {{{launch(["a", "b", "c"])}}} {{
          %zero = arith.constant 0 : i32
          %one = arith.constant 1 : i32
          %end = scf.for %i = %zero to %one step %one iter_args(%p = %a) -> (!tt.ptr<f32>) : i32 {{
            %v = tt.load %p : !tt.ptr<f32>
            %next = tt.addptr %p, %one : !tt.ptr<f32>, i32
            scf.yield %next : !tt.ptr<f32>
          }}
          %bit = arith.cmpi eq, %zero, %one : i32
          %q = scf.if %bit -> (!tt.ptr<f32>) {{
            scf.yield %end : !tt.ptr<f32>
          }} else {{
            scf.yield %c : !tt.ptr<f32>
          }}
          %w = tt.load %b : !tt.ptr<f32>
          tt.store %q, %w : !tt.ptr<f32>
          tt.return
        }}
        """
    )
    assert reads_writes(module) == (("a", "b"), ("a", "c"))


def test_artifact() -> None:
    config = Config((("BLOCK", 128),), 2, 5)
    artifact = emit(parse(ADD), "ttir", TARGET, config)
    assert (artifact.name, artifact.language) == ("add", "ttir")
    assert artifact.params == ("x", "y", "out")
    assert artifact.arguments == (
        Argument("x", "*fp16", 16),
        Argument("y", "*fp16"),
        Argument("out", "*fp16"),
        Argument("n", "i32"),
    )
    assert (artifact.target, artifact.config) == (TARGET, config)
    softmax = emit(parse(SOFTMAX), "triton-python", TARGET, config)
    assert [argument.type for argument in softmax.arguments] == ["*fp32", "*fp32", "i32", "fp32"]


QUOTIENTS = """
tt.func @k(
  %x: !tt.ptr<f32> {nt.param = "x"}, %shift: i32 {nt.param = "shift"},
  %a: i32 {nt.reciprocal = "multiplier", nt.divisor = #nt.expr<n>},
  %b: i32 {nt.reciprocal = "shift", nt.divisor = #nt.expr<n>},
  %c: i32 {nt.reciprocal = "multiplier", nt.divisor = #nt.expr<n ceildiv 2>}
) attributes {
  nt.params = [#nt.param<"x" tensor [n] [1]>, #nt.param<"shift" scalar [] []>],
  nt.grid = #nt.expr<n ceildiv 16>, nt.checks = []
} {
  tt.return
}
"""


def test_reciprocals() -> None:
    """A parameter's name does not hide the function."""
    launch = load(QUOTIENTS)["launch"]
    x = torch.empty(7)
    assert launch(x, 5) == (
        *(None, 1),
        (x.data_ptr(), 5, multiplier(7), shift(7), multiplier(4)),
    )
    empty = torch.empty(0)
    assert launch(empty, 5) == (None, 0, (empty.data_ptr(), 5, 1, 0, 1))
