"""Descriptors that the host makes, at ``tt``: what they mean, what Triton compiles, and what
Triton's own launcher would tell the driver of them.
"""

from __future__ import annotations

import ctypes
import importlib
import inspect
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from ninetoothed.artifacts.artifact import Artifact, DescriptorLayout
from ninetoothed.artifacts.configuration import Config
from ninetoothed.artifacts.target import Language, Target
from ninetoothed.backend.emit import emit
from ninetoothed.backend.launch_source import reads_writes
from ninetoothed.backend.triton.triton_python import emit_triton_python
from ninetoothed.errors import CompilerError
from ninetoothed.interpreters import interpret
from ninetoothed.runtime.launch import tensor_maps
from ninetoothed.runtime.launch.loaded import Host
from ninetoothed.runtime.toolchain.triton import compat
from tests.support.tt_modules import parse
from tests.support.ttir_stage import assembly

LANGUAGES: list[Language] = ["ttir", "triton-python"]
TARGETS = ["sm_90", "sm_100"]


def argument(name: str, box: str = "8x64xf32") -> str:
    """A descriptor of a matrix, in the form of an argument."""
    rows = (("size_0", "i32", "m"), ("size_1", "i32", "n"), ("stride_0", "i64", "n"))
    numbers = "".join(
        f', %{name}_{kind}: {type} {{"nt.of_descriptor" = "{name}_desc_{kind}", '
        f'"nt.number" = #nt.expr<{expr}>}}'
        for kind, type, expr in (*rows, ("stride_1", "i64", "1"))
    )
    return f'%{name}: !tt.tensordesc<tensor<{box}>> {{"nt.descriptor" = "{name}"}}{numbers}'


# Boxes begin 4 rows before both matrices, and 8 columns behind the start of the first one.
BOXES = f"""
tt.func @boxes({argument("x")}, {argument("y")}) attributes {{
    "nt.params" = [#nt.param<"x" tensor [m, n] [n, 1]>, #nt.param<"y" tensor [m, n] [n, 1]>],
    "nt.grid" = #nt.expr<(m + 4) ceildiv 8>, "nt.checks" = []}} {{
  %pid = tt.get_program_id 0 : i32
  %zero = arith.constant 0 : i32
  %four = arith.constant 4 : i32
  %eight = arith.constant 8 : i32
  %end = arith.muli %pid, %eight : i32
  %row = arith.subi %end, %four : i32
  %v = tt.descriptor_load %x[%row, %eight]
      : !tt.tensordesc<tensor<8x64xf32>> -> tensor<8x64xf32>
  tt.descriptor_store %y[%row, %zero], %v
      : !tt.tensordesc<tensor<8x64xf32>>, tensor<8x64xf32>
  tt.return
}}
"""


def compiled(target: str, language: Language) -> Artifact:
    return emit(parse(BOXES), language, Target.parse(target), Config((), 4, 3))


def test_boxes_are_zero_around_a_tensor_and_are_cut_at_its_ends() -> None:
    x = torch.randn(20, 48)
    y = torch.full_like(x, torch.nan)
    interpret(parse(BOXES), [x, y])
    assert torch.equal(y, torch.nn.functional.pad(x[:, 8:], (0, 8)))


def test_source_tells_what_is_passed() -> None:
    source = emit_triton_python(parse(BOXES))
    assert (
        "\n# x_desc: TensorDescriptor(x, [m, n], [n, 1], [8, 64])"
        "\n# y_desc: TensorDescriptor(y, [m, n], [n, 1], [8, 64])"
        "\n@triton.jit\ndef boxes(x_desc, y_desc):\n"
    ) in source
    assert "x_desc.load([" in source
    assert "y_desc.store([" in source
    # That is asked for what programs make.
    assert "set_allocator" not in source


def test_what_a_launch_is_told() -> None:
    artifact = compiled("sm_90", "ttir")
    assert reads_writes(parse(BOXES)) == (("x",), ("y",))
    assert [one.type for one in artifact.arguments] == [
        *("tensordesc<fp32[8, 64]>", "i32", "i32", "i64", "i64")
    ] * 2
    x, y = torch.empty(20, 48), torch.empty(20, 48)
    host = Host(artifact)
    assert host.checked((x, y)) == (
        *(3,),
        (x.data_ptr(), 20, 48, 48, 1, y.data_ptr(), 20, 48, 48, 1),
    )
    assert host.sources((x, y)) == (0, None, None, None, None, 1, None, None, None, None)


@pytest.mark.skipif(not compat.available(), reason="Triton is not installed")
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_triton_compiles_them(target: str, language: Language) -> None:
    artifact = compiled(target, language)
    text = assembly(artifact)["ptx"]
    assert "cp.async.bulk.tensor.2d" in text
    # By value, and aligned; each has four numbers behind it.
    for place in (0, 5):
        assert f".param .align 64 .b8 boxes_param_{place}[128]" in text
    assert "boxes_param_11" in text
    assert "boxes_param_12" not in text
    binary = compat.compile_binary(artifact)
    # Rows of 256 bytes are copied in two halves.
    assert binary.descriptors == (DescriptorLayout(7, 4, 3, (8, 32)),) * 2
    assert binary.scratch == 0


@pytest.mark.skipif(not compat.available(), reason="Triton is not installed")
def test_a_gpu_without_descriptors() -> None:
    with pytest.raises(CompilerError) as caught:
        compat.compile_binary(compiled("sm_80", "ttir"))
    assert caught.value.message == (
        "boxes: Triton has made 0 tensor descriptors of 2 for sm_80; those that the host makes "
        "need NVIDIA's GPUs from sm_90 on"
    )


Told = dict[str, Any]


def told_by_triton(
    row: dict[str, Any], tensor: torch.Tensor, box: list[int], patch: pytest.MonkeyPatch
) -> Told:
    """What Triton's launcher asks its function to encode."""
    driver: Any = importlib.import_module("triton.backends.nvidia.driver")
    descriptors: Any = importlib.import_module("triton.tools.tensor_descriptor")
    found: list[Any] = []

    def fill(*arguments: Any) -> None:
        found.extend(arguments)

    names = ("fill_tma_descriptor", "fill_tma_descriptor_tiled")
    active = SimpleNamespace(utils=SimpleNamespace(**dict.fromkeys(names, fill)))
    runtime = SimpleNamespace(driver=SimpleNamespace(active=active))
    patch.setattr(driver, "triton", SimpleNamespace(runtime=runtime))
    make = driver.make_tensordesc_arg
    others = [None] * (len(inspect.signature(make).parameters) - 2)
    made = make(descriptors.TensorDescriptor.from_tensor(tensor, box), row, *others)
    assert made[1:] == [*tensor.shape, *tensor.stride()]
    pointer, swizzle, size, type, block, shape, strides, padding = found
    return {
        "pointer": pointer,
        "swizzle": swizzle,
        "type": type,
        "box": block[::-1],
        "dims": [*shape][::-1],
        # The outermost stride of all is not told.
        "strides": [stride * size for stride in strides[-2::-1]],
        "fill": padding,
    }


class Recording:
    """A driver that records what it is asked to encode."""

    version = 13020

    def __init__(self) -> None:
        self.told: Told = {}

    def call(self, name: str, *arguments: Any) -> int:
        assert name == "TensorMapEncodeTiled"
        _, type, rank, pointer, dims, strides, box, steps, interleave, swizzle, lines, fill = (
            arguments
        )
        assert [*steps] == [1] * rank
        # No interleave, and lines of 128 bytes of the second cache.
        assert (interleave, lines) == (0, 2)
        assert isinstance(pointer, ctypes.c_void_p)
        self.told = {
            "pointer": pointer.value,
            "swizzle": swizzle,
            "type": type,
            "box": [*box],
            "dims": [*dims],
            "strides": [*strides][: rank - 1],
            "fill": fill,
        }
        return 0


@pytest.mark.skipif(not compat.available(), reason="Triton is not installed")
@pytest.mark.parametrize(
    ("dtype", "type"),
    [("f16", "float16"), ("bf16", "bfloat16"), ("f32", "float32"), ("i8", "int8")],
)
def test_the_driver_is_told_what_triton_tells_it(
    dtype: str, type: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = BOXES.replace("f32", dtype)
    artifact = emit(parse(text), "ttir", Target.parse("sm_90"), Config((), 4, 3))
    *_, (_, _, metadata) = compat.stages(artifact)
    layouts = compat.compile_binary(artifact).descriptors
    tensor = torch.empty(20, 160, dtype=getattr(torch, type))[:, :96]
    recording: Any = Recording()
    for row, layout in zip(metadata["tensordesc_meta"], layouts, strict=True):
        wanted = told_by_triton(row, tensor, [8, 64], monkeypatch)
        tensor_maps.encoded(recording, 0, layout, tensor.data_ptr(), tensor.shape, tensor.stride())
        assert recording.told == wanted
