"""Kernels that read packed copies of operands whose rows are not aligned, call after call."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import torch

import ninetoothed
import ninetoothed.language as ntl
from examples import bmm, matmul
from ninetoothed import Tensor
from ninetoothed.artifacts.artifact import Artifact
from ninetoothed.artifacts.configuration import Config
from ninetoothed.artifacts.target import Target
from ninetoothed.backend.device_function import device_function, packed_parameters
from ninetoothed.calls.arguments import bind
from ninetoothed.compiler.compile import compile_kernel, lower
from ninetoothed.compiler.packing import Copied, copy_module, copy_steps
from ninetoothed.compiler.space import space
from ninetoothed.interpreters import interpret
from ninetoothed.ir.dialects import context
from ninetoothed.kernel.kernel import Kernel
from ninetoothed.passes.pipeline import run
from ninetoothed.runtime import toolchain
from ninetoothed.runtime.launch.loaded import Host, LoadedKernel
from ninetoothed.runtime.toolchain.triton import compat
from ninetoothed.testing import check_kernel
from ninetoothed.verification.translation import validate
from tests.support.launched_products import (
    KeptCalls,
    Values,
    check,
    check_graph,
    check_threads,
    halves,
    product,
)
from tests.support.offline import offered

# Applications assign to their parameters, which is a store.
# pyright: reportUnusedVariable=false

CHOICE = "packed_operands"
TARGETS = ["sm_80", "sm_90", "sm_100", "gfx942"]


def configured(kernel: Kernel, values: Values, target: str, size: int, **choices: int) -> Any:
    """The module and the signature of a call, and a configuration with packed operands."""
    signature = bind(kernel.definition.interface, values, {}).signature
    module = kernel.composed(signature)
    config = space(module, signature, target=Target.parse(target)).configs[0]
    for name, value in {CHOICE: 1, **choices}.items():
        config = config.choosing(name, value)
    sizes = tuple((name, size) for name, _ in config.values)
    return module, signature, Config(sizes, 4, 3, config.choices)


def artifact(
    kernel: Kernel,
    values: Values,
    target: str = "sm_90",
    language: Any = "ttir",
    size: int = 64,
    **choices: int,
) -> Artifact:
    """The kernel of a call that reads packed operands."""
    module, signature, config = configured(kernel, values, target, size, **choices)
    return compile_kernel(module, signature, config, Target.parse(target), language)


def transposed(m: int, n: int, k: int, device: str = "cpu") -> Values:
    input, other = halves(k, m, device=device).T, halves(n, k, device=device).T
    return input, other, torch.full((m, n), torch.nan, dtype=torch.float16, device=device)


def misaligned(m: int, n: int, k: int, device: str = "cpu") -> Values:
    """Matrices that begin one element behind a multiple of 16 bytes."""
    flat = (halves(1 + rows * columns, device=device)[1:] for rows, columns in ((m, k), (k, n)))
    input, other = (one.view(-1, columns) for one, columns in zip(flat, (k, n), strict=True))
    return input, other, torch.full((m, n), torch.nan, dtype=torch.float16, device=device)


MATRICES = {"plain": product, "transposed": transposed, "misaligned": misaligned}
SIZES = [(1, 1, 1), (15, 17, 127), (17, 15, 1), (127, 31, 37), (61, 67, 129), (64, 80, 48)]


@pytest.mark.parametrize("size", [16, 64])
@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("matrices", MATRICES)
def test_interpreted(matrices: str, sizes: tuple[int, int, int], size: int) -> None:
    values = MATRICES[matrices](*sizes)
    module, signature, config = configured(matmul.matmul_kernel, values, "sm_90", size)
    interpret(lower(module, signature, config), values, {}, written=(2,))
    check(*values)


@pytest.mark.parametrize("choices", [{"split_reductions": 2}, {"descriptors": 1}])
def test_with_other_choices(choices: dict[str, int]) -> None:
    values = product(31, 37, 131)
    module, signature, config = configured(matmul.matmul_kernel, values, "sm_90", 16, **choices)
    interpret(lower(module, signature, config), values, {}, written=(2,))
    check(*values)


@pytest.mark.parametrize("kernel", [matmul.matmul_kernel, bmm.bmm_kernel])
def test_copies_are_moved_as_boxes(kernel: Kernel) -> None:
    """Their rows are aligned, and those that a program reads have elements."""
    batch = () if kernel is matmul.matmul_kernel else (3,)
    sizes = ((31, 131), (131, 37), (31, 37))
    values = tuple(torch.empty(*batch, *size).half() for size in sizes)
    found = artifact(kernel, values, size=16, descriptors=2)
    assert len(found.prologue) == 2
    boxes = [one.type for one in found.given if one.type.startswith("tensordesc")]
    assert len(boxes) == 2


def test_what_is_not_finite_stays_where_it_is() -> None:
    """Lanes behind the end of a row are zeros, whatever lies behind the tensor."""
    whole = torch.full((2, 17, 17), torch.inf).half()
    input, other = whole[0][:15, :13], whole[1][:13, :15]
    for one in (input, other):
        one.copy_(halves(*one.shape))
    values = input, other, torch.empty(15, 15).half()
    module, signature, config = configured(matmul.matmul_kernel, values, "sm_90", 16)
    interpret(lower(module, signature, config), values, {}, written=(2,))
    check(*values)


@pytest.mark.parametrize("sizes", [(0, 5, 3), (5, 0, 3), (5, 3, 0), (0, 0, 0)])
def test_empty(sizes: tuple[int, int, int]) -> None:
    values = product(*sizes)
    module, signature, config = configured(matmul.matmul_kernel, product(5, 3, 7), "sm_90", 16)
    interpret(lower(module, signature, config), values, {}, written=(2,))
    check(*values)


def test_batches() -> None:
    values = halves(3, 17, 33), halves(3, 33, 35), torch.empty(3, 17, 35).half()
    module, signature, config = configured(bmm.bmm_kernel, values, "sm_90", 16)
    lowered = lower(module, signature, config)
    found = packed_parameters(device_function(lowered))
    assert [one.decl.name for one in found] == ["input", "other"]
    interpret(lowered, values, {}, written=(2,))
    check(*values)


@pytest.mark.parametrize("matrices", MATRICES)
def test_copies(matrices: str) -> None:
    """The kernel that makes a copy moves each element, and fills up the rows."""
    values = MATRICES[matrices](23, 29, 139)
    module, signature, config = configured(matmul.matmul_kernel, values, "sm_90", 16)
    function = device_function(lower(module, signature, config))
    found = Host(artifact(matmul.matmul_kernel, values)).layouts(values)
    for packed, layout, value in zip(packed_parameters(function), found, values, strict=False):
        memory = torch.full((layout.bytes(1),), -1, dtype=torch.int16)
        copy = memory.as_strided(layout.shape, layout.stride())
        made = copy_module(Copied.of(packed, function))
        run(context(), made, copy_steps(32, None))
        interpret(made, (value, copy), {}, written=(1,))
        inner = packed.inner
        own = copy.narrow(inner, 0, value.shape[inner])
        assert own.view(torch.float16).equal(value)
        assert copy.narrow(inner, value.shape[inner], 16 - value.shape[inner] % 16).eq(0).all()
        assert all(one % 16 == 0 for dim, one in enumerate(layout.stride()) if dim != inner)


@pytest.mark.parametrize("matrices", MATRICES)
def test_no_pass_changes_an_address(matrices: str) -> None:
    values = MATRICES[matrices](23, 31, 37)
    module, signature, _ = configured(matmul.matmul_kernel, values, "sm_90", 16)
    target = Target.parse("sm_90")
    config = space(module, signature, target=target).configs[0].choosing(CHOICE, 1)
    report = validate(matmul.matmul_kernel.definition, signature, config)
    assert report.cases > 0
    assert report.evaluated["nt-pack-operands"] > 0


def test_kernels_are_told_apart_and_kept() -> None:
    found = artifact(matmul.matmul_kernel, product(63, 65, 67))
    assert [(one.param, one.places) for one in found.prologue] == [("input", (0,)), ("other", (1,))]
    names = [one.copy.name for one in found.prologue]
    assert names == ["matmul_kernel_pack_input", "matmul_kernel_pack_other"]
    assert Artifact.from_json(found.to_json()) == found
    again = artifact(matmul.matmul_kernel, product(63, 65, 67))
    assert again.hash == found.hash


def test_what_is_aligned_is_read_where_it_is() -> None:
    values = halves(63, 64), halves(64, 65), torch.empty(63, 65).half()
    found = artifact(matmul.matmul_kernel, values)
    assert [one.param for one in found.prologue] == ["other"]
    assert not artifact(matmul.matmul_kernel, product(64, 64, 64)).prologue


@pytest.mark.parametrize("language", ["ttir", "triton-python"])
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.skipif(not compat.available(), reason="Triton is not installed")
def test_triton_compiles_them(target: str, language: str) -> None:
    found = artifact(matmul.matmul_kernel, product(63, 65, 67), target, language)
    for one in (found, *(packing.copy for packing in found.prologue)):
        assert compat.compile_binary(one).code


def disassembler() -> str | None:
    try:
        import triton
    except ImportError:
        return None
    place = Path(triton.__file__).parent / "backends" / "nvidia" / "bin" / "nvdisasm"
    return str(place) if place.exists() else shutil.which("nvdisasm")


@pytest.mark.parametrize("matrices", MATRICES)
@pytest.mark.skipif(disassembler() is None, reason="there is no disassembler")
def test_loops_copy_16_bytes_at_once(matrices: str, tmp_path: Path) -> None:
    def instructions(one: Artifact, pattern: str) -> set[str]:
        path = tmp_path / "kernel.cubin"
        path.write_bytes(compat.compile_binary(one).code)
        command = [disassembler() or "", "-c", str(path)]
        text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        return set(re.findall(pattern, text))

    values = MATRICES[matrices](127, 129, 131)
    found = artifact(matmul.matmul_kernel, values, "sm_80")
    loads = instructions(found, r"\b(LDGSTS[\w.]*|LDG\.[\w.]*)")
    assert loads
    assert all(re.search(r"LDGSTS.*\.128$", one) for one in loads)
    for packing in found.prologue:
        stores = instructions(packing.copy, r"\bSTG[\w.]*")
        assert stores == {"STG.E.128"}


def test_results(device: str) -> None:
    input, other, output = product(67, 83, 149, device=device)
    expected = {"output": input.float() @ other.float()}
    levels = ("nt", "tt") if device == "cpu" else "nt"
    configs = 2 if device == "cpu" else 12
    check_kernel(
        matmul.matmul_kernel,
        (input, other, output),
        expected,
        levels=levels,
        configs=configs,
        rtol=2e-3,
        atol=2e-2,
    )


# On a GPU.


def launched(kernel: Kernel, values: Values, **choices: int) -> KeptCalls:
    found = artifact(kernel, values, str(toolchain.active().active_target()), **choices)
    assert found.prologue
    artifacts = (found, *(packing.copy for packing in found.prologue))
    driver = toolchain.active_driver()
    loaded, *copies = [driver.load(compat.compile_binary(one)) for one in artifacts]
    return KeptCalls(kernel, LoadedKernel(Host(found), loaded, copies))


@pytest.mark.gpu
@pytest.mark.parametrize("sizes", [*SIZES, (1021, 1031, 2053)])
@pytest.mark.parametrize("matrices", MATRICES)
def test_products(matrices: str, sizes: tuple[int, int, int]) -> None:
    """Each of several calls reads and writes its own."""
    make = MATRICES[matrices]
    if not artifact(matmul.matmul_kernel, make(*sizes), "sm_80").prologue:
        pytest.skip("all of it is aligned")
    given = [make(*sizes, "cuda") for _ in range(3)]
    kernel = launched(matmul.matmul_kernel, given[0])
    kept: list[bool] = []
    for _ in range(4):
        for values in given:
            values[2].fill_(torch.nan)
            kept.append(kernel(*values))
            check(*values)
    assert kept[-6:] == [True] * 6


@pytest.mark.gpu
@pytest.mark.parametrize("name", ["split_reductions", "descriptors"])
def test_other_choices(name: str) -> None:
    values = product(67, 83, 1031, "cuda")
    target = toolchain.active().active_target()
    module, signature, _ = configured(matmul.matmul_kernel, values, str(target), 64)
    legal = dict(space(module, signature, target=target).legal[0])
    if name not in legal and name != "descriptors":
        pytest.skip(f"the GPU has no {name}")
    if name == "descriptors" and torch.cuda.get_device_capability() < (9, 0):
        pytest.skip("the GPU has no tensor descriptors")
    kernel = launched(matmul.matmul_kernel, values, **{name: 2})
    given = kernel.kernel.artifact.given
    assert any("desc" in one.type for one in given) == (name == "descriptors")
    for _ in range(4):
        values[2].fill_(torch.nan)
        kernel(*values)
        check(*values)


@pytest.mark.gpu
def test_nothing_is_written_outside() -> None:
    input, other, _ = product(61, 67, 131, "cuda")
    rows = torch.full((63, 67), 7.0, dtype=torch.float16, device="cuda")
    values = input, other, rows[1:-1]
    before = [one.clone() for one in values[:2]]
    kernel = launched(matmul.matmul_kernel, values)
    for _ in range(3):
        kernel(*values)
        check(*values)
    assert rows[0].eq(7.0).all()
    assert rows[-1].eq(7.0).all()
    assert all(one.equal(two) for one, two in zip(values, before, strict=False))


@pytest.mark.gpu
def test_results_are_the_same_in_every_run() -> None:
    values = product(509, 521, 1031, "cuda")
    kernel = launched(matmul.matmul_kernel, values)
    kernel(*values)
    first = values[2].clone()
    for _ in range(20):
        kernel(*values)
        assert values[2].equal(first)


@pytest.mark.gpu
def test_sums_of_nothing() -> None:
    kernel = launched(matmul.matmul_kernel, product(61, 67, 131, "cuda"))
    values = product(61, 67, 0, "cuda")
    kernel.kernel.launch(values)
    assert values[2].eq(0).all()


@pytest.mark.gpu
def test_graphs() -> None:
    """A graph copies anew in each replay, into memory of its own."""
    check_graph(launched(matmul.matmul_kernel, product(95, 81, 143, "cuda")), 95, 81, 143)


@pytest.mark.gpu
def test_threads_and_streams() -> None:
    check_threads(launched(matmul.matmul_kernel, product(95, 81, 143, "cuda")), 95, 81, 143)


def test_elements_that_are_read_by_coordinates_are_no_operands() -> None:
    """No copy could have them begin at multiples of 16 bytes."""

    def application(input: Any, other: Any, output: Any) -> None:
        found = ntl.zeros(output.shape, dtype=ntl.float32)
        for k in range(input.shape[0]):
            row, column = other[k].offsets(0), other[k].offsets(1)
            found += ntl.dot(input[k], other.source[row[:, None], column[None, :]])
        output = found

    def is_offered(k: int) -> bool:
        tensors = tuple(Tensor(2, other=0) for _ in range(3))
        kernel = ninetoothed.make(matmul.arrangement, application, tensors)
        return CHOICE in offered(kernel, (halves(64, k), halves(k, 64), halves(64, 64)))

    assert is_offered(49)
    assert not is_offered(48)
