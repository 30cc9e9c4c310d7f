"""Prints, assertions, program ids, hints, inline assembly and cache policies."""

from __future__ import annotations

import inspect
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

import ninetoothed
import ninetoothed.language as ntl
from ninetoothed import Tensor
from ninetoothed.errors import AssertionFailedError
from ninetoothed.interpreters import interpret
from ninetoothed.kernel.kernel import Kernel
from ninetoothed.runtime.toolchain.triton import compat
from tests.support import offline
from tests.support.everywhere import everywhere, lowered
from tests.support.imports import ROOT
from tests.support.targets import TARGETS
from tests.support.ttir_stage import assembly


def blocks(*tensors: Tensor) -> tuple[Tensor, ...]:
    return tuple(tensor.tile((6,)) for tensor in tensors)


def tiles(*tensors: Tensor) -> tuple[Tensor, ...]:
    return tuple(tensor.tile((2, 3)) for tensor in tensors)


def made(application: Any, count: int = 2, arrangement: Any = blocks, ndim: int = 1) -> Kernel:
    return ninetoothed.make(arrangement, application, tuple(Tensor(ndim) for _ in range(count)))


def prints(x, out):
    ntl.device_print("x", x)
    ntl.device_print("both:", ntl.program_id(0), x > 1)
    ntl.device_print("100%")
    out = x


def test_a_line_a_real_lane(capsys: pytest.CaptureFixture[str]) -> None:
    x = torch.tensor([0.5, -1.0, 2.0, float("inf"), float("nan"), 5.0, 6.0, 7.25])
    made(prints)(x, x.clone())
    lines = capsys.readouterr().out.splitlines()
    shown = ["0.500000", "-1.000000", "2.000000", "inf", "nan", "5.000000"]
    assert lines[:6] == [f"pid (0, 0, 0) idx ({i}) x: {text}" for i, text in enumerate(shown)]
    assert lines[6:8] == ["pid (1, 0, 0) idx (0) x: 6.000000", "pid (1, 0, 0) idx (1) x: 7.250000"]
    assert lines[8:11] == [
        "pid (0, 0, 0) idx () both: (operand 0) 0",
        "pid (0, 0, 0) idx (0) both: (operand 1) 0",
        "pid (0, 0, 0) idx (1) both: (operand 1) 0",
    ]
    assert lines[-3:] == [
        "pid (1, 0, 0) idx (1) both: (operand 1) 1",
        "pid (0, 0, 0) 100%",
        "pid (1, 0, 0) 100%",
    ]
    assert len(lines) == 8 + 2 + 8 + 2


def test_programs_in_chunks_say_it_in_their_order(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NINETOOTHED_INTERPRET_LANES", "1")
    x = torch.arange(8.0)
    made(prints)(x, x.clone())
    lines = capsys.readouterr().out.splitlines()
    programs = [line[5] for line in lines]
    assert programs == sorted(programs)


def hexadecimal(x, y, z, out):
    ntl.device_print("x ", x, hex=True)
    ntl.device_print(" y", y, y.to(ntl.uint64), hex=True)
    ntl.device_print("", z)
    ntl.device_print("z", z.to(ntl.float32), hex=True)
    out = x


def test_integers(capsys: pytest.CaptureFixture[str]) -> None:
    x = torch.tensor([-1, 26], dtype=torch.int16)
    y = torch.tensor([-1, 26], dtype=torch.int64)
    z = torch.tensor([255, 3], dtype=torch.uint8)
    made(hexadecimal, 4)(x, y, z, x.clone())
    texts = [
        line.partition(") ")[2].partition(") ")[2] for line in capsys.readouterr().out.split("\n")
    ]
    assert texts[:2] == ["x: 0xffff", "x: 0x001a"]
    assert texts[2:6] == [
        "y: (operand 0) 0xffffffffffffffff",
        "y: (operand 0) 0x000000000000001a",
        "y: (operand 1) 0xffffffffffffffff",
        "y: (operand 1) 0x000000000000001a",
    ]
    assert texts[8:10] == ["z: 0x1.fe00000000000p+7", "z: 0x1.8000000000000p+1"]


def test_what_is_lowered_says_it_too(capsys: pytest.CaptureFixture[str]) -> None:
    x, y, z = torch.tensor([-1]).short(), torch.tensor([-1]), torch.tensor([255]).byte()
    module, values = lowered(made(hexadecimal, 4), [x, y, z, x.clone()])
    interpret(module, values)
    lines = [line for line in capsys.readouterr().out.splitlines() if " idx (0)" in line]
    assert lines == [
        "pid (0, 0, 0) idx (0) x: 0xffff",
        "pid (0, 0, 0) idx (0) y: (operand 0) 0xffffffffffffffff",
        "pid (0, 0, 0) idx (0) y: (operand 1) 0xffffffffffffffff",
        "pid (0, 0, 0) idx (0): 255",
        "pid (0, 0, 0) idx (0) z: 0x1.fe00000000000p+7",
    ]


def sometimes(x, out):
    if ntl.program_id(0) > 0:
        ntl.device_print("late", ntl.program_id(0))
        ntl.device_print("nothing")
        ntl.device_assert(x < 8)
    out = x


def test_programs_that_do_not_take_part_say_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    x = torch.tensor([100.0, 1, 2, 3, 4, 5, 6, 7])
    kernel = made(sometimes)
    kernel(x, x.clone())
    lines = ["pid (1, 0, 0) idx () late: 1", "pid (1, 0, 0) nothing"]
    assert capsys.readouterr().out.splitlines() == lines
    x[7] = 9
    with pytest.raises(AssertionFailedError, match=r"does not hold \(program 1, lane 1\)"):
        kernel(x, x.clone())


def still(x, out):
    ntl.static_print("block", x.shape, x.dtype, 3, None, (x.shape[0],))
    ntl.static_print("a", "b", sep="-", end="!\n")
    ntl.static_print(x + 1)
    out = x


def test_static_print(capsys: pytest.CaptureFixture[str]) -> None:
    made(still).ir()
    lines = capsys.readouterr().out.splitlines()
    shown = ["block (6,) fp32 3 None (6,)", "a-b!", "a block of shape (6,) of fp32"]
    assert lines[:3] == shown
    assert set(lines) == set(shown)


# Assertions.


def demands(x, y, out):
    ntl.device_assert(x + 1 > 0, "x must be positive")
    ntl.device_assert(y != 0, "where x is below 3", mask=x < 3)
    ntl.device_assert(ntl.sum(x) > 0)
    ntl.device_assert(True, "never")
    ntl.device_assert(x < 0, "never", mask=False)
    out = x


LINE = inspect.getsourcelines(demands)[1]


@pytest.mark.parametrize("size", [1, 5, 6, 7, 781])
def test_padded_and_guarded_lanes_are_not_held_to_it(device: str, size: int) -> None:
    # Lanes that are not read are 0 in the interpreter, and may be anything on a device.
    x = torch.arange(1.0, size + 1)
    y = torch.where(x < 3, 1.0, 0.0)

    def check(x: Any, y: Any, out: Any) -> None:
        assert torch.equal(out, x)

    everywhere(device, blocks, demands, (x, y, torch.zeros(size)), check)


def below_zero(x, out):
    ntl.device_assert(x < 0)
    out = x


def test_lanes_outside_do_not_count(device: str) -> None:
    # The zeros there would not hold.
    x = -torch.ones(2, 4)

    def check(x: Any, out: Any) -> None:
        assert torch.equal(out, x)

    everywhere(device, tiles, below_zero, (x, torch.zeros(2, 4)), check)


@pytest.mark.parametrize("late", [False, True], ids=["nt", "tt"])
def test_an_assertion_names_program_lane_and_line(late: bool) -> None:
    x = torch.arange(1.0, 9.0)
    y = torch.ones(8)
    x[7] = -5
    kernel = made(demands, 3)
    module, values = lowered(kernel, [x, y, x.clone()])

    def run() -> None:
        if late:
            interpret(module, values)
        else:
            kernel(x, y, x.clone())

    with pytest.raises(AssertionFailedError, match=r"program 1, lane 1\)") as caught:
        run()
    assert caught.value.loc is not None
    assert (caught.value.loc.file, caught.value.loc.line) == (__file__, LINE + 1)
    assert "x must be positive" in str(caught.value)


def texts(application: Any, count: int = 2, target: str = "sm_90") -> tuple[str, str]:
    """TTIR and Triton-Python."""
    kernel = made(application, count)
    source = kernel.source(language="triton-python", target=target)
    # Without the user's own lines.
    lines = [line for line in source.splitlines() if not line.lstrip().startswith("#")]
    return kernel.source(language="ttir", target=target), "\n".join(lines)


def test_the_message_names_the_line() -> None:
    ttir, source = texts(demands, 3)
    wanted = f"{Path(__file__).name}:{LINE + 1}: x must be positive"
    assert f'message = "{wanted}"' in ttir
    assert repr(wanted) in source
    assert ttir.count('"tt.assert"') == source.count("tl.device_assert(") == 3


def in_order(x, out):
    ntl.device_print("one")
    out = x
    ntl.device_print("two", x)
    ntl.device_assert(x > 0, "three")
    ntl.debug_barrier()
    ntl.device_print("one")
    ntl.assume(ntl.num_programs(0) > 0)


def test_effects_keep_their_order() -> None:
    ttir, source = texts(in_order)
    names = [line.partition('"')[2].partition('"')[0] for line in ttir.splitlines()]
    effects = [
        name for name in names if name.startswith(("tt.print", "tt.assert", "tt.store", "gpu"))
    ]
    assert [effect for effect in effects if effect != "gpu.barrier"] == [
        *("tt.print", "tt.store", "tt.print", "tt.assert", "tt.print")
    ]
    words = ["' one'", "tl.store", "' two: '", "three", "tl.debug_barrier", "' one'", "tl.assume"]
    place = 0
    for word in words:
        place = source.index(word, place) + 1


CRASH = """
import torch
from tests.e2e.test_debugging import LINE, demands, made
x = torch.arange(1.0, 9.0, device="cuda")
x[7] = -5
try:
    made(demands, 3)(x, torch.ones_like(x), x.clone())
    torch.cuda.synchronize()
except Exception as error:
    print(type(error).__name__, error)
"""


@pytest.mark.gpu
def test_an_assertion_stops_a_device() -> None:
    # In a process of its own, whose context is lost.
    done = subprocess.run(
        [sys.executable, "-c", CRASH], cwd=ROOT, capture_output=True, text=True, check=False
    )
    said = done.stdout + done.stderr
    assert f"{Path(__file__).name}:{LINE + 1}" in said
    assert "x must be positive" in said


PRINT = """
import torch
from tests.e2e.test_debugging import made, prints
x = torch.tensor([0.5, -1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.25], device="cuda")
made(prints)(x, x.clone())
torch.cuda.synchronize()
"""


@pytest.mark.gpu
def test_a_device_prints_what_the_interpreter_does(capsys: pytest.CaptureFixture[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PRINT], cwd=ROOT, capture_output=True, text=True, check=True
    )
    x = torch.tensor([0.5, -1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.25])
    made(prints)(x, x.clone())
    wanted = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    said = [" ".join(line.replace("( ", "(").split()) for line in done.stdout.splitlines()]
    assert set(wanted) <= set(said)


# Which program.


def numbered(x, out, count):
    out = x * 0 + ntl.program_id(0) + ntl.program_id(axis=1)
    count = x * 0 + ntl.num_programs(0) * ntl.num_programs(2)


def test_programs_are_numbered_row_major(device: str) -> None:
    x = torch.zeros(5, 7)
    places = torch.arange(9.0).reshape(3, 3).repeat_interleave(2, 0).repeat_interleave(3, 1)

    def check(x: Any, out: Any, count: Any) -> None:
        assert torch.equal(out.cpu(), places[:5, :7])
        assert torch.equal(count.cpu(), torch.full((5, 7), 9.0))

    everywhere(device, tiles, numbered, (x, x, x.clone()), check)


# Hints.


def hinted(x, out):
    i = ntl.max_contiguous(ntl.multiple_of(ntl.arange(0, 8) * 2, [2]), 1)
    n = ntl.multiple_of(ntl.program_id(0) * 16, 16)
    c = ntl.max_constancy(ntl.arange(0, 8) // 4, (4,))
    p = ntl.multiple_of(x.source.data_ptr() + n, 16)
    out = x + ntl.sum(i) + n + ntl.sum(c) + ntl.load(p, mask=n < 1, other=0.0) * 0


def test_hints_reach_triton() -> None:
    ttir, source = texts(hinted)
    for kind in ("divisibility", "contiguity", "constancy"):
        assert f"tt.{kind} = dense<" in ttir
    assert "tl.max_contiguous(tl.multiple_of(" in source
    assert "tl.max_constancy(" in source


def test_hints_change_nothing(device: str) -> None:
    x = torch.arange(13.0)

    def check(x: Any, out: Any) -> None:
        programs = torch.arange(13) // 6 * 16
        assert torch.equal(out.cpu(), x.cpu() + 56 + programs + 4)

    everywhere(device, blocks, hinted, (x, torch.zeros(13)), check)


# Assembly.


def assembled(x, y, out, bits):
    both = ntl.inline_asm_elementwise(
        "add.f32 $0, $1, $2;", "=f,f,f", [x, y], ntl.float32, is_pure=True, pack=1
    )
    one, two = ntl.inline_asm_elementwise(
        asm="mov.b32 $0, $2;\n shr.u32 $1, $2, 31;",
        constraints="=r,=r,r",
        args=[x],
        dtype=(ntl.int32, ntl.uint32),
        is_pure=False,
        pack=1,
    )
    out = both
    bits = one + two


@pytest.mark.gpu
@pytest.mark.parametrize("backend", ["ttir", "triton-python"])
def test_assembly_runs(backend: Any) -> None:
    x, y = torch.randn(781, device="cuda"), torch.randn(781, device="cuda")
    out, bits = torch.empty_like(x), torch.empty_like(x, dtype=torch.int64)
    tensors = tuple(Tensor(1) for _ in range(4))
    ninetoothed.make(blocks, assembled, tensors, backend=backend)(x, y, out, bits)
    assert torch.equal(out, x + y)
    signs = x.view(torch.int32)
    assert torch.equal(bits.to(torch.int32), signs + (signs < 0).to(torch.int32))


def idle(x, out):
    ntl.inline_asm_elementwise("membar.gl; mov.u32 $0, 0;", "=r", [], ntl.int32, False, 1)
    _ = ntl.inline_asm_elementwise("mov.f32 $0, $1;", "=f,f", [x], ntl.float32, True, 1)
    out = x


def test_assembly_with_effects_stays() -> None:
    ttir, source = texts(idle)
    assert ttir.count('"tt.elementwise_inline_asm"') == 1
    assert "membar.gl" in source
    assert "mov.f32" not in source


# Caches.


def cached(x, out):
    p = x.source.data_ptr() + x.offsets()
    inside = x.offsets() < x.source.shape[0]
    one = ntl.load(p, mask=inside, other=0.0, cache_modifier=".cg")
    two = ntl.load(p, mask=inside, eviction_policy="evict_last")
    three = ntl.load(p, mask=inside, volatile=True)
    q = out.source.data_ptr() + out.offsets()
    ntl.store(q, one + two, mask=inside, cache_modifier=".wt")
    ntl.store(q, one + two + three, mask=inside, eviction_policy="evict_first")


def test_caches_change_nothing(device: str) -> None:
    x = torch.arange(13.0)

    def check(x: Any, out: Any) -> None:
        assert torch.equal(out, 3 * x)

    everywhere(device, blocks, cached, (x, torch.zeros(13)), check)


def volatile(x, out):
    p = x.source.data_ptr() + x.offsets()
    inside = x.offsets() < x.source.shape[0]
    one = ntl.load(p, mask=inside, volatile=True)
    two = ntl.load(p, mask=inside, volatile=True)
    ntl.load(p, mask=inside, volatile=True)
    out = one + two


def test_volatile_loads_stay() -> None:
    """Each reads anew, and one whose value nobody wants does, too."""
    ttir, source = texts(volatile)
    assert ttir.count("isVolatile = true") == 3
    assert source.count("volatile=True") == 3


# Offline.


@pytest.mark.skipif(not compat.available(), reason="Triton is not installed")
@pytest.mark.parametrize("language", ["ttir", "triton-python"])
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    ("application", "count"), [(prints, 2), (demands, 3), (in_order, 2), (hinted, 2), (cached, 2)]
)
def test_triton_compiles_it(application: Any, count: int, target: str, language: Any) -> None:
    text = assembly(offline.compiled(made(application, count), target, language))["ttir"]
    assert text.count("tt.print") == {prints: 3, in_order: 3}.get(application, 0)
    assert text.count("tt.assert") == {demands: 3, in_order: 1}.get(application, 0)
    if application is cached:
        # 3.9 has another attribute, and drops the old ones without a word.
        for word in ("cg", "evict_last", "wt", "evict_first", "isVolatile = true"):
            assert word in text, text
    if application is hinted:
        assert "tt.divisibility = dense<16>" in text


@pytest.mark.skipif(not compat.available(), reason="Triton is not installed")
@pytest.mark.parametrize("language", ["ttir", "triton-python"])
def test_triton_compiles_assembly(language: Any) -> None:
    assert assembly(offline.compiled(made(assembled, 4), "sm_90", language))["ptx"]
