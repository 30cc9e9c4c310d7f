"""Convolutions whose loops go through channels of one tap, from where they are or packed copies."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import torch.nn.functional as F

from examples.conv2d import make_kernel, output_sizes
from ninetoothed.artifacts.artifact import Artifact
from ninetoothed.artifacts.configuration import Config
from ninetoothed.artifacts.target import Target
from ninetoothed.calls.arguments import bind
from ninetoothed.compiler.compile import compile_kernel, lower
from ninetoothed.compiler.space import space
from ninetoothed.interpreters import interpret
from ninetoothed.kernel.kernel import Kernel
from ninetoothed.runtime import toolchain
from ninetoothed.runtime.launch.loaded import Host, LoadedKernel
from ninetoothed.runtime.toolchain.triton import compat
from ninetoothed.verification.translation import validate

CHOICES = ["interchanged_reductions", "packed_operands"]
TARGETS = ["sm_80", "sm_90", "sm_100", "gfx942"]
Values = tuple[torch.Tensor, torch.Tensor, torch.Tensor]


class Convolution:
    """A convolution of images (n, c, h, w) with k filters (c, r, s)."""

    def __init__(
        self,
        *sizes: int,
        filters: tuple[int, int, int],
        stride: tuple[int, int] = (1, 1),
        padding: tuple[int, int] = (0, 0),
        dilation: tuple[int, int] = (1, 1),
    ) -> None:
        self.sizes, self.filters = sizes, filters
        self.numbers = stride, padding, dilation
        self.kernel: Kernel = make_kernel(*self.numbers)

    def values(self, device: str = "cpu", *, is_channels_last: bool = False) -> Values:
        """What a call is given; the output is full of NaN."""
        generator = torch.Generator().manual_seed(0)

        def drawn(*shape: int) -> torch.Tensor:
            return torch.randn(shape, generator=generator).half().to(device)

        input = drawn(*self.sizes)
        weight = drawn(self.filters[0], self.sizes[1], *self.filters[1:])
        if is_channels_last:
            input, weight = (
                x.contiguous(memory_format=torch.channels_last) for x in (input, weight)
            )
        shape = output_sizes(self.sizes[2:], self.filters[1:], *self.numbers)
        output = torch.full(
            (self.sizes[0], self.filters[0], *shape), torch.nan, dtype=torch.float16, device=device
        )
        return input, weight, output

    def check(self, values: Values) -> None:
        """Check what a call has written."""
        input, weight, output = values
        stride, padding, dilation = self.numbers
        expected = F.conv2d(input.double(), weight.double(), None, stride, padding, dilation)
        torch.testing.assert_close(output.double(), expected, rtol=2e-3, atol=2e-2)


CONVOLUTIONS = {
    "plain": Convolution(2, 17, 7, 9, filters=(5, 3, 3)),
    "padded": Convolution(1, 32, 8, 8, filters=(16, 3, 3), padding=(1, 1)),
    "strided": Convolution(3, 5, 11, 10, filters=(7, 3, 2), stride=(2, 3), padding=(2, 1)),
    "dilated": Convolution(1, 20, 12, 13, filters=(3, 2, 3), dilation=(3, 2), padding=(0, 2)),
    "of one channel": Convolution(2, 1, 9, 6, filters=(4, 5, 1), padding=(2, 0)),
    "of rows": Convolution(2, 33, 1, 19, filters=(8, 1, 4), padding=(0, 3)),
}


def configured(
    one: Convolution, values: Values, choice: str, target: str = "sm_90", **choices: int
) -> Any:
    """The module and the signature of a call, and a configuration with a choice."""
    signature = bind(one.kernel.interface, values, {}).signature
    module = one.kernel.composed(signature)
    first = space(module, signature, target=Target.parse(target)).configs[0]
    for name, value in {choice: 1, **choices}.items():
        first = first.choosing(name, value)
    sizes = tuple((name, 16) for name, _ in first.values)
    return module, signature, Config(sizes, 4, 3, first.choices)


@pytest.mark.parametrize("is_channels_last", [False, True])
@pytest.mark.parametrize("choice", CHOICES)
@pytest.mark.parametrize("name", CONVOLUTIONS)
def test_interpreted(name: str, choice: str, is_channels_last: bool) -> None:
    one = CONVOLUTIONS[name]
    values = one.values(is_channels_last=is_channels_last)
    module, signature, config = configured(one, values, choice)
    interpret(lower(module, signature, config), values, {}, written=(2,))
    one.check(values)


@pytest.mark.parametrize("choices", [{"split_reductions": 2}, {"descriptors": 1}])
def test_with_other_choices(choices: dict[str, int]) -> None:
    one = Convolution(1, 40, 6, 7, filters=(9, 3, 3), padding=(1, 1))
    values = one.values()
    module, signature, config = configured(one, values, "packed_operands", **choices)
    interpret(lower(module, signature, config), values, {}, written=(2,))
    one.check(values)


@pytest.mark.parametrize("choice", CHOICES)
def test_no_pass_changes_an_address(choice: str) -> None:
    one = CONVOLUTIONS["padded"]
    module, signature, config = configured(one, one.values(), choice)
    report = validate(one.kernel.definition, signature, config)
    assert report.cases > 0


def copies(one: Convolution, values: Values, target: str = "sm_90", **choices: int) -> Artifact:
    module, signature, config = configured(one, values, "packed_operands", target, **choices)
    return compile_kernel(module, signature, config, Target.parse(target), "ttir")


def test_copies_are_channels_last() -> None:
    one = Convolution(2, 40, 24, 24, filters=(48, 3, 3), padding=(1, 1))
    found = copies(one, one.values())
    assert [packing.param for packing in found.prologue] == ["input", "other"]
    layouts = Host(found).layouts(one.values())
    # Rows of 40 channels begin at multiples of 16.
    assert [layout.shape for layout in layouts] == [(2, 48, 24, 24), (48, 48, 3, 3)]
    assert [layout.stride()[1] for layout in layouts] == [1, 1]


def test_what_is_channels_last_is_read_where_it_is() -> None:
    one = Convolution(2, 32, 24, 24, filters=(48, 3, 3), padding=(1, 1))
    assert copies(one, one.values(is_channels_last=True)).prologue == ()


def test_filters_of_one_tap_have_nothing_to_interchange() -> None:
    one = Convolution(2, 32, 24, 24, filters=(48, 1, 1))
    module, signature, config = configured(one, one.values(), CHOICES[0])
    plain = config.choosing(CHOICES[0], None)
    assert str(lower(module, signature, config)) == str(lower(module, signature, plain))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.skipif(not compat.available(), reason="Triton is not installed")
def test_triton_compiles_them(target: str) -> None:
    one = Convolution(2, 40, 24, 24, filters=(48, 3, 3), padding=(1, 1))
    found = copies(one, one.values(), target)
    for artifact in (found, *(packing.copy for packing in found.prologue)):
        assert compat.compile_binary(artifact).code


@pytest.mark.gpu
@pytest.mark.parametrize("is_channels_last", [False, True])
@pytest.mark.parametrize("choice", CHOICES)
@pytest.mark.parametrize("name", CONVOLUTIONS)
def test_launched(name: str, choice: str, is_channels_last: bool) -> None:
    one = CONVOLUTIONS[name]
    values = one.values("cuda", is_channels_last=is_channels_last)
    target = toolchain.active().active_target()
    module, signature, config = configured(one, values, choice, str(target))
    found = compile_kernel(module, signature, config, target, "ttir")
    driver = toolchain.active_driver()
    artifacts = (found, *(packing.copy for packing in found.prologue))
    loaded, *others = [driver.load(compat.compile_binary(artifact)) for artifact in artifacts]
    kernel = LoadedKernel(Host(found), loaded, others)
    for _ in range(3):
        values[2].fill_(torch.nan)
        kernel.launch(values)
        one.check(values)
