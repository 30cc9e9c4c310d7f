"""The interpreter on ``nt``: accesses at every stage, guards, control flow, element types."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import pytest
import torch
from xdsl.dialects.builtin import ModuleOp

from examples.conv2d import conv2d
from ninetoothed.errors import ArgumentError, CompilerError, NineToothedError
from ninetoothed.interpreters import interpret
from ninetoothed.interpreters.elementwise import FUNCTIONS
from ninetoothed.interpreters.reductions import REDUCED, SCANNED
from ninetoothed.language.table import ELEMENTWISE, LIBDEVICE, REDUCTIONS, SCANS
from tests.support import counting
from tests.support.imports import ROOT
from tests.support.nt_modules import LOAD, MATMUL, V, parse, store, vector_kernel


def test_the_package_itself_needs_no_torch() -> None:
    code = "import ninetoothed.interpreters, sys; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False, cwd=ROOT).returncode == 0


def test_every_row_of_the_table_has_a_function() -> None:
    assert set(ELEMENTWISE) <= {*FUNCTIONS, "where", *(row.name for row in LIBDEVICE.values())}
    assert set(REDUCTIONS) == set(REDUCED)
    assert set(SCANS) == set(SCANNED)


@pytest.mark.parametrize("blocks", [(16, 32, 8), (7, 5, 3), (64, 64, 64)])
@pytest.mark.parametrize("lanes", ["1", "3000", None])
def test_matmul_before_composition(
    blocks: tuple[int, int, int], lanes: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if lanes is not None:
        monkeypatch.setenv("NINETOOTHED_INTERPRET_LANES", lanes)
    a, b = torch.randn(45, 29), torch.randn(50, 29).T
    c = torch.full((45, 50), torch.nan)
    interpret(parse(MATMUL), [a, b, c], dict(zip(("BM", "BN", "BK"), blocks, strict=True)))
    torch.testing.assert_close(c, a @ b)


@pytest.mark.parametrize(("m", "k", "n"), [(0, 3, 4), (3, 0, 4), (3, 4, 0)])
def test_matmul_of_nothing(m: int, k: int, n: int) -> None:
    a, b, c = torch.randn(m, k), torch.randn(k, n), torch.full((m, n), torch.nan)
    interpret(parse(MATMUL), [a, b, c], {"BM": 2, "BN": 2, "BK": 2})
    torch.testing.assert_close(c, a @ b)


def test_checks_name_the_numbers() -> None:
    arguments = [torch.zeros(2, 3), torch.zeros(4, 2), torch.zeros(2, 2)]
    with pytest.raises(ArgumentError, match=r"inner sizes \(3,\) and \(4,\)"):
        interpret(parse(MATMUL), arguments, {"BM": 2, "BN": 2, "BK": 2})


def test_arguments_must_fit() -> None:
    module = vector_kernel(f"{LOAD}\n{store('a')}")
    x = torch.zeros(4)
    for arguments, text in (
        ([x], r"takes 2 arguments \(x, z\), and 1 were given"),
        ([x, torch.zeros(5)], "size 0 of z is 5; it must be n, here 4"),
        ([x, 1.0], "z must be a tensor of 1 dims, not a number"),
        ([x, torch.zeros(2, 2)], "z must be a tensor of 1 dims, not a tensor of 2"),
        ([x, x.double()], "z must be a tensor of torch.float32, not of torch.float64"),
    ):
        with pytest.raises(ArgumentError, match=text):
            interpret(module, arguments, {"B": 4})
    with pytest.raises(ArgumentError, match="the value of B follows from no tensor"):
        interpret(module, [x, x])


@pytest.mark.parametrize("n", [0, 1, 63, 64, 1000])
@pytest.mark.parametrize("lanes", ["1", "200", "100000"])
def test_elementwise_in_chunks(n: int, lanes: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NINETOOTHED_INTERPRET_LANES", lanes)
    x, wide = torch.randn(n), torch.full((n, 2), torch.nan)
    module = vector_kernel(
        f"""{LOAD}
        %b = nt.elementwise "add"(%a, %a) : ({V}, {V}) -> {V}
        {store("b")}"""
    )
    interpret(module, [x, wide[:, 1]], {"B": 64})
    torch.testing.assert_close(wide[:, 1], 2 * x)
    assert wide[:, 0].isnan().all()


def test_a_load_is_a_copy() -> None:
    x, z = torch.arange(6.0), torch.arange(6.0) + 10
    module = vector_kernel(f"""
        {LOAD}
        %b = nt.load %z[] : {V}[] -> {V}
        nt.store %b, %x[] : {V}, {V}[]
        {store("a")}""")
    interpret(module, [x, z], {"B": 4})
    assert x.tolist() == [10, 11, 12, 13, 14, 15]
    assert z.tolist() == [0, 1, 2, 3, 4, 5]


def row_reduction(function: str, other: str) -> ModuleOp:
    """``z[i]`` is the reduction of row ``i`` of ``x``, in a block of 8 lanes."""
    tensor = "!nt.tensor<[r, n] x f32>"
    arranged = "!nt.tensor<[r] x !nt.tensor<[8] x f32>>"
    out = "!nt.tensor<[r] x !nt.tensor<[1] x f32>>"
    block, one = "!nt.tensor<[8] x f32>", "!nt.tensor<[1] x f32>"
    return parse(f"""
        nt.kernel @f arrange {{
          %x0 = nt.source "x" "tensor" strides [s0, s1] aligned false : {tensor}
          %x1 = nt.access %x0 <[[r], [8]] -> [g0, b0] if [[b0, n]]> : {tensor} -> {arranged}
          %z0 = nt.source "z" "tensor" strides [zs] aligned false : !nt.tensor<[r] x f32>
          %z1 = nt.access %z0 <[[r], [1]] -> [g0]> : !nt.tensor<[r] x f32> -> {out}
          nt.arranged %x1, %z1 : {arranged}, {out}
        }} apply {{
        ^bb0(%x : {block}, %z : {one}):
          %a = nt.load %x[] {other} : {block}[] -> {block}
          %one = arith.constant 1.0 : f32
          %ones = nt.full %one : f32 -> {block}
          %b = nt.elementwise "add"(%a, %ones) : ({block}, {block}) -> {block}
          %c = nt.reduce "{function}" %b axis 0 : {block} -> f32
          %d = nt.full %c : f32 -> {one}
          nt.store %d, %z[] : {one}, {one}[]
          nt.return
        }}""")


IDENTITIES: list[tuple[str, str, Callable[[torch.Tensor], torch.Tensor]]] = [
    ("sum", "", lambda rows: rows.sum(1) + 5),
    ("max", "", lambda rows: rows.amax(1) + 1),
    ("min", "", lambda rows: rows.amin(1) + 1),
    ("sum", "other 10.0 : f32", lambda rows: rows.sum(1) + 8 + 30),
    ("max", "other 10.0 : f32", lambda rows: torch.full((3,), 11.0)),
]


@pytest.mark.parametrize(("function", "other", "expected"), IDENTITIES)
def test_reductions_read_the_identity_where_a_lane_is_not_real(
    function: str, other: str, expected: Callable[[torch.Tensor], torch.Tensor]
) -> None:
    x = torch.randn(3, 5) - 20
    z = torch.zeros(3)
    interpret(row_reduction(function, other), [x, z])
    torch.testing.assert_close(z, expected(x))
    transposed = x.T.contiguous().T
    z.zero_()
    interpret(row_reduction(function, other), [transposed, z])
    torch.testing.assert_close(z, expected(x))


def test_reductions_skip_nan_unless_there_is_nothing_else() -> None:
    x = torch.tensor([[1.0, torch.nan, 3.0], [torch.nan] * 3, [2.0, 1.0, 0.0]])
    x = torch.cat([x, x[:, :1], x, x[:, :1]], 1)
    z = torch.zeros(3)
    interpret(row_reduction("max", ""), [x, z])
    torch.testing.assert_close(z, torch.tensor([4.0, torch.nan, 3.0]), equal_nan=True)


@pytest.mark.parametrize("columns", [0, 1, 37])
def test_a_block_may_be_a_whole_row_of_any_length(columns: int) -> None:
    tensor = "!nt.tensor<[r, n] x f32>"
    block, sums = "!nt.tensor<[1, n] x f32>", "!nt.tensor<[1] x f32>"
    arranged = f"!nt.tensor<[r, 1] x {block}>"
    module = parse(f"""
        nt.kernel @f arrange {{
          %x0 = nt.source "x" "tensor" strides [s0, s1] aligned false : {tensor}
          %x1 = nt.tile %x0 [1, n] strides [1, n] dilation [1, 1] floor false level 0 :
            {tensor} -> {arranged}
          %z0 = nt.source "z" "tensor" strides [t0] aligned false : !nt.tensor<[r] x f32>
          %z1 = nt.access %z0 <[[r, 1], [1]] -> [g0]> :
            !nt.tensor<[r] x f32> -> !nt.tensor<[r, 1] x {sums}>
          nt.arranged %x1, %z1 : {arranged}, !nt.tensor<[r, 1] x {sums}>
        }} apply {{
        ^bb0(%x : {block}, %z : {sums}):
          %a = nt.load %x[] : {block}[] -> {block}
          %b = nt.reduce "sum" %a axis 1 : {block} -> {sums}
          nt.store %b, %z[] : {sums}, {sums}[]
          nt.return
        }}""")
    x, z = torch.randn(5, columns), torch.full((5,), torch.nan)
    interpret(module, [x, z])
    torch.testing.assert_close(z, x.sum(1))


def test_where_takes_the_guard_of_what_it_chose() -> None:
    x, z = torch.arange(5.0), torch.zeros(5)
    bits = "!nt.tensor<[B] x i1>"
    module = vector_kernel(f"""
        {LOAD}
        %g = nt.guard %x[] : {V}[] -> {bits}
        %seven = arith.constant 7.0 : f32
        %sevens = nt.full %seven : f32 -> {V}
        %b = nt.elementwise "where"(%g, %a, %sevens) : ({bits}, {V}, {V}) -> {V}
        %s = nt.reduce "sum" %b axis 0 : {V} -> f32
        %c = nt.full %s : f32 -> {V}
        {store("c")}""")
    interpret(module, [x, z], {"B": 8})
    assert z.tolist() == [10 + 3 * 7] * 5


def test_flattened_and_overlapping_accesses() -> None:
    x = torch.arange(12.0).reshape(3, 4)
    tensor = "!nt.tensor<[3, 4] x f32>"
    arranged = "!nt.tensor<[3] x !nt.tensor<[5] x f32>>"
    z = torch.full((3, 5), torch.nan)
    module = parse(f"""
        nt.kernel @f arrange {{
          %x0 = nt.source "x" "tensor" strides [s0, s1] aligned false : {tensor}
          %x1 = nt.access %x0 <[[3], [5]] ->
            [(g0 * 4 + b0) floordiv 4, (g0 * 4 + b0) mod 4] if [[g0 * 4 + b0, 12]]> :
            {tensor} -> {arranged}
          %z0 = nt.source "z" "tensor" strides [t0, t1] aligned false : !nt.tensor<[3, 5] x f32>
          %z1 = nt.access %z0 <[[3], [5]] -> [g0, b0]> :
            !nt.tensor<[3, 5] x f32> -> {arranged}
          nt.arranged %x1, %z1 : {arranged}, {arranged}
        }} apply {{
        ^bb0(%x : !nt.tensor<[5] x f32>, %z : !nt.tensor<[5] x f32>):
          %a = nt.load %x[] other -1.0 : f32 : !nt.tensor<[5] x f32>[] -> !nt.tensor<[5] x f32>
          nt.store %a, %z[] : !nt.tensor<[5] x f32>, !nt.tensor<[5] x f32>[]
          nt.return
        }}""")
    interpret(module, [x.T.contiguous().T, z])
    assert z.tolist() == [[0, 1, 2, 3, 4], [4, 5, 6, 7, 8], [8, 9, 10, 11, -1]]


DIVERGENT_IF = f"""
    {LOAD}
    %s = nt.reduce "sum" %a axis 0 : {V} -> f32
    %zero = arith.constant 0.0 : f32
    %positive = nt.elementwise "gt"(%s, %zero) : (f32, f32) -> i1
    %two = arith.constant 2.0 : f32
    %twos = nt.full %two : f32 -> {V}
    %b = scf.if %positive -> ({V}) {{
      %c = nt.elementwise "mul"(%a, %twos) : ({V}, {V}) -> {V}
      nt.store %c, %z[] : {V}, {V}[]
      scf.yield %c : {V}
    }} else {{
      scf.yield %twos : {V}
    }}
    nt.store %b, %x[] : {V}, {V}[]"""


@pytest.mark.parametrize("lanes", ["1", "1000"])
def test_programs_take_both_sides(lanes: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NINETOOTHED_INTERPRET_LANES", lanes)
    x, z = torch.tensor([1.0, 2, -3, -4, 5]), torch.zeros(5)
    interpret(vector_kernel(DIVERGENT_IF), [x, z], {"B": 2})
    assert z.tolist() == [2, 4, 0, 0, 10]
    assert x.tolist() == [2, 4, 2, 2, 10]


LOOP = f"""
    {LOAD}
    %s = nt.reduce "sum" %a axis 0 : {V} -> f32
    %count = nt.cast %s : f32 -> i32
    %first = arith.constant 0 : i32
    %step = arith.constant 1 : i32
    %b = scf.for %i = %first to %count step %step iter_args(%c = %a) -> ({V}) : i32 {{
      %d = nt.elementwise "add"(%c, %c) : ({V}, {V}) -> {V}
      nt.store %d, %x[] : {V}, {V}[]
      scf.yield %d : {V}
    }}
    {store("b")}"""


@pytest.mark.parametrize("lanes", ["1", "1000"])
def test_loops_of_different_lengths(lanes: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NINETOOTHED_INTERPRET_LANES", lanes)
    x, z = torch.tensor([3.0, 0, 1, 2, 5]), torch.zeros(5)
    interpret(vector_kernel(LOOP), [x, z], {"B": 1})
    assert z.tolist() == [24, 0, 2, 8, 160]
    assert x.tolist() == [24, 0, 2, 8, 160]


def test_a_long_loop_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NINETOOTHED_INTERPRET_MAX_STEPS", "4")
    x, z = torch.tensor([5.0]), torch.zeros(1)
    with pytest.raises(
        NineToothedError, match="a loop runs 5 times, and the interpreter stops after 4"
    ):
        interpret(vector_kernel(LOOP), [x, z], {"B": 1})


def test_halves_round_after_each_operation() -> None:
    half = "!nt.tensor<[B] x f16>"
    body = f"""
        %a = nt.load %x[] : {half}[] -> {half}
        %one = arith.constant 1.0 : f16
        %ones = nt.full %one : f16 -> {half}
        %b = nt.elementwise "add"(%a, %ones) : ({half}, {half}) -> {half}
        %c = nt.elementwise "sub"(%b, %a) : ({half}, {half}) -> {half}
        {store("c", "f16")}"""
    x, z = torch.tensor([2048.0, 1.0]).half(), torch.zeros(2).half()
    interpret(vector_kernel(body, "f16"), [x, z], {"B": 2})
    assert z.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("dtype", "ir", "function", "left", "right", "expected"),
    [
        (torch.int32, "i32", "floordiv", -(2**31), -1, -(2**31)),
        (torch.int64, "i64", "mod", 5, 0, 5),
        (torch.uint32, "ui32", "shr", 2**31, 31, 1),
        (torch.uint64, "ui64", "floordiv", 2**64 - 1, 10, (2**64 - 1) // 10),
        (torch.uint64, "ui64", "mod", 2**64 - 1, 2**63 + 1, 2**63 - 2),
        (torch.uint64, "ui64", "maximum", 2**64 - 1, 1, 2**64 - 1),
        (torch.uint64, "ui64", "shr", 2**63, 62, 2),
        (torch.float8_e5m2, "f8E5M2", "add", 8.0, 1.0, 8.0),
    ],
)
def test_element_types(
    dtype: torch.dtype, ir: str, function: str, left: float, right: float, expected: float
) -> None:
    block = f"!nt.tensor<[B] x {ir}>"
    body = f"""
        %a = nt.load %x[] : {block}[] -> {block}
        %b = nt.load %z[] : {block}[] -> {block}
        %c = nt.elementwise "{function}"(%a, %b) : ({block}, {block}) -> {block}
        {store("c", ir)}"""
    x, z = (torch.tensor([value], dtype=dtype) for value in (left, right))
    interpret(vector_kernel(body, ir), [x, z], {"B": 1})
    assert z.tolist() == [expected]


@pytest.mark.parametrize("programs", [3, 6, 8])
def test_scheduled_programs_go_where_they_are_sent(programs: int) -> None:
    x = torch.zeros(2, 3)
    tensor = "!nt.tensor<[2, 3] x f32>"
    module = parse(f"""
        nt.kernel @f grid #nt.expr<{programs}> arrange {{
          %x0 = nt.source "x" "tensor" strides [s0, s1] aligned false : {tensor}
          nt.arranged %x0 : {tensor}
        }} apply {{
        ^bb0(%x : !nt.tensor<[] x f32>):
          %first = nt.program_id : index
          %step = nt.size <{programs}> : index
          %end = arith.constant 6 : index
          scf.for %p = %first to %end step %step {{
            %g0, %g1 = nt.program_index %p [2, 3] : index, index
            %i = arith.index_cast %p : index to i32
            %f = nt.cast %i : i32 -> f32
            nt.store %f, %x[] : f32, !nt.tensor<[] x f32>[]
          }}
          nt.return
        }}""")
    interpret(module, [x])
    assert x.tolist() == [[0, 1, 2], [3, 4, 5]]


def test_later_programs_write_last() -> None:
    x, z = torch.arange(1000.0), torch.zeros(1)
    one = "!nt.tensor<[1] x f32>"
    arranged = f"!nt.tensor<[n] x {one}>"
    module = parse(f"""
        nt.kernel @f arrange {{
          %x0 = nt.source "x" "tensor" strides [s0] aligned false : !nt.tensor<[n] x f32>
          %x1 = nt.access %x0 <[[n], [1]] -> [g0]> : !nt.tensor<[n] x f32> -> {arranged}
          %z0 = nt.source "z" "tensor" strides [t0] aligned false : {one}
          %z1 = nt.access %z0 <[[n], [1]] -> [0]> : {one} -> {arranged}
          nt.arranged %x1, %z1 : {arranged}, {arranged}
        }} apply {{
        ^bb0(%x : {one}, %z : {one}):
          %a = nt.load %x[] : {one}[] -> {one}
          nt.store %a, %z[] : {one}, {one}[]
          nt.return
        }}""")
    interpret(module, [x, z])
    assert z.tolist() == [999]


def test_an_access_outside_the_tensor_is_an_error() -> None:
    one = "!nt.tensor<[4] x f32>"
    arranged = f"!nt.tensor<[1] x {one}>"
    for index in ("b0 + 1", "b0 * b0 floordiv 2"):
        module = parse(f"""
            nt.kernel @f arrange {{
              %x0 = nt.source "x" "tensor" strides [s0] aligned false : {one}
              %x1 = nt.access %x0 <[[1], [4]] -> [{index}]> : {one} -> {arranged}
              nt.arranged %x1 : {arranged}
            }} apply {{
            ^bb0(%x : {one}):
              %a = nt.load %x[] : {one}[] -> {one}
              nt.return
            }}""")
        with pytest.raises(CompilerError, match=r"elements \d to 4 of x are addressed"):
            interpret(module, [torch.zeros(4)])


def test_an_unknown_op_is_named() -> None:
    module = vector_kernel(
        "%e = scf.execute_region -> (i32) {\n %c = arith.constant 1 : i32\n scf.yield %c : i32\n}"
    )
    with pytest.raises(
        CompilerError, match=r"^scf\.execute_region has no handler in the interpreter$"
    ):
        interpret(module, [torch.zeros(4), torch.zeros(4)], {"B": 4})


@pytest.mark.parametrize("chunks", [1, 4])
def test_operations_of_a_large_addition(chunks: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The 1,024 programs of a chunk run at once."""
    size = 2**20
    monkeypatch.setenv("NINETOOTHED_INTERPRET_LANES", str(size // chunks))
    x, z = torch.randn(size), torch.zeros(size)
    module = vector_kernel(f"""
        {LOAD}
        %b = nt.load %z[] : {V}[] -> {V}
        %c = nt.elementwise "add"(%a, %b) : ({V}, {V}) -> {V}
        {store("c")}""")
    with counting.Operations() as done:
        interpret(module, [x, z], {"B": 1024})
    assert done.count <= 150 * chunks
    assert done.elements <= 50 * size
    assert counting.lines(lambda: interpret(module, [x, z], {"B": 1024})) <= 8_000 * chunks
    torch.testing.assert_close(z, 2 * x)


def test_operations_of_a_convolution() -> None:
    """Rows and columns of a window's index are computed apart; blocks are as small as they can be.

    Half of the lanes of a block of 1,024 columns are there to fill up 576.
    """
    input, weight = torch.randn(2, 64, 28, 28), torch.randn(64, 64, 3, 3)
    conv2d(input, weight, 1, 1)
    with counting.Operations() as done:
        result = conv2d(input, weight, 1, 1)
    torch.testing.assert_close(
        result, torch.nn.functional.conv2d(input, weight, None, 1, 1), rtol=1e-3, atol=1e-3
    )
    assert done.elements <= 45 * (2 * 28 * 28) * (64 * 3 * 3)


@pytest.mark.parametrize("block", [512, 128])
def test_operations_of_a_large_matmul(block: int) -> None:
    """All programs run at once, an iteration of their loops at a time."""
    size, iterations = 512, 512 // block
    a, b, c = (torch.randn(size, size) for _ in range(3))
    constants: dict[str, int] = dict.fromkeys(("BM", "BN", "BK"), block)
    module = parse(MATMUL)
    interpret(module, [a, b, c], constants)
    with counting.Operations() as done:
        interpret(module, [a, b, c], constants)
    assert done.count <= 150 * (1 + iterations)
    assert done.elements <= 16 * size**2 * (1 + iterations)
    assert counting.lines(lambda: interpret(module, [a, b, c], constants)) <= 50_000
    torch.testing.assert_close(c, a @ b, rtol=1e-3, atol=1e-3)
