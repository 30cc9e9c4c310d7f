"""``Kernel.svg``: what programs see is what they access when they are interpreted."""

from __future__ import annotations

import pickle
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from typing import Any

import pytest
import torch

import ninetoothed
from ninetoothed import Symbol, Tensor
from ninetoothed.artifacts.configuration import Config
from ninetoothed.interpreters import interpret
from ninetoothed.interpreters.trace import Trace
from ninetoothed.kernel.kernel import Kernel
from ninetoothed.kernel.kernel_pictures import arranged_tensors
from ninetoothed.layout.programs_of_elements import programs_of_elements
from ninetoothed.pictures.scene import sizes_of
from tests.support.example_calls import CALLS, ExampleCall
from tests.support.example_kernels import KERNELS, ExampleKernel

Pairs = set[tuple[str, int, int]]
"""A tensor, a program and an element."""


def drawn(kernel: Kernel, values: tuple[Any, ...], sizes: dict[str, int]) -> Pairs:
    """What pictures show, of all elements."""
    tensors, programs = arranged_tensors(kernel.definition, values, sizes)
    found: Pairs = set()
    for one in tensors:
        seen = programs_of_elements(one.chains, sizes_of(one.source), programs)
        assert seen.is_complete
        for element, numbers in enumerate(seen.numbers):
            found |= {(one.name, number, element) for number in numbers.tolist()}
    return found


def accessed(kernel: Kernel, values: tuple[Any, ...], sizes: dict[str, int]) -> Pairs:
    """What programs of these block sizes read and write."""
    constants = {name: size for name, size in sizes.items() if name in kernel.interface.keywords}
    chosen = {name: size for name, size in sizes.items() if name not in constants}
    signature = kernel.signature(values, constants)
    module = kernel.composed(signature, Config(tuple(chosen.items())))
    trace = Trace()
    bound = kernel.bound(values, constants)
    interpret(module, bound, {**dict(signature.constants), **chosen}, trace)
    # Of a tensor that is arranged in several ways, the parameters are one panel.
    panels = {
        name: one.name
        for one in arranged_tensors(kernel.definition, values, sizes)[0]
        for name in one.name.split(", ")
    }
    found: Pairs = set()
    for key in trace.keys:
        programs, offsets = trace.rows(key)[[0, -1]].numpy()
        found |= {(panels[key[0]], *pair) for pair in zip(programs, offsets, strict=True)}
    return found


def launched(call: ExampleCall, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Kernel, Any]]:
    """The kernels that an example launches, and with which arguments."""
    found: list[tuple[Kernel, tuple[Any, ...], dict[str, Any]]] = []
    plain = Kernel.__call__

    def launch(kernel: Kernel, *args: Any, **kwargs: Any) -> Any:
        found.append((kernel, args, kwargs))
        return plain(kernel, *args, **kwargs)

    monkeypatch.setattr(Kernel, "__call__", launch)
    call.called(*call.arguments("cpu", 1))
    for kernel, args, kwargs in found:
        sizes = {
            name: 32 if info.lower is None else info.lower
            for name, info in kernel.definition.meta.items()
        }
        yield kernel, (args, {**sizes, **kwargs})


WHOLE = ("add", "silu", "softmax", "rms_norm", "matmul", "bmm", "addmm", "rotary_embedding")
PARTLY = ("topk", "embedding", "attention", "conv2d", "max_pool2d", "causal_conv1d")
"""Examples whose programs need not access all that they see."""


@pytest.mark.parametrize(
    "call", [one for one in CALLS if one.function in (*WHOLE, *PARTLY)], ids=str
)
def test_programs_see_what_they_access(call: ExampleCall, monkeypatch: pytest.MonkeyPatch) -> None:
    count = 0
    for kernel, (args, kwargs) in launched(call, monkeypatch):
        values = tuple(args)
        shown, touched = drawn(kernel, values, kwargs), accessed(kernel, values, kwargs)
        assert touched
        assert touched <= shown
        if call.function in WHOLE:
            assert touched == shown
        count += 1
    assert count


def arrangement(x: Tensor, y: Tensor) -> Any:
    size = Symbol("SIZE", meta=True)
    return x.tile((size, -1)), y.tile((size,))


def sums(x: Any, y: Any) -> None:
    y = ninetoothed.language.sum(x, 1)  # pyright: ignore[reportUnusedVariable]


def of_sums() -> Kernel:
    """A kernel of sums of rows, in blocks of rows."""
    return ninetoothed.make(arrangement, sums, (Tensor(2), Tensor(1)))


def labels(text: str) -> list[str | None]:
    """The labels of elements."""
    return [one.text for one in ET.fromstring(text).iter() if one.get("class") == "label"]


def test_tensors_lie_side_by_side() -> None:
    text = of_sums().svg(x=(5, 2), y=(5,), SIZE=2)
    assert labels(text) == list("0000111122" + "00112")
    (title,) = (one for one in ET.fromstring(text) if one.tag.endswith("title"))
    assert title.text == "sums: 3 programs; x: (5, 2); y: (5,)"
    assert "<title>x[4, 1]: program 2</title>" in text


def test_shapes_are_given_as_arguments_of_a_call() -> None:
    """By position or by name, as shapes, or as tensors that have them."""
    expected = of_sums().svg(x=(5, 2), y=(5,), SIZE=2)
    assert of_sums().svg((5, 2), (5,), SIZE=2) == expected
    assert of_sums().svg([5, 2], y=torch.Size((5,)), SIZE=2) == expected
    assert of_sums().svg(torch.empty(5, 2), torch.empty(5, device="meta"), SIZE=2) == expected


def test_symbols_of_calls_and_numbers_that_are_left_out() -> None:
    def scaled(x: Any, factor: Any, y: Any) -> None:
        y = x * factor  # pyright: ignore[reportUnusedVariable]

    def blocks(x: Tensor, factor: Tensor, y: Tensor) -> Any:
        size = Symbol("SIZE", constexpr=True)
        return x.tile((size,)), factor, y.tile((size,))

    kernel = ninetoothed.make(blocks, scaled, (Tensor(1), Tensor(0), Tensor(1)))
    assert labels(kernel.svg(x=(3,), y=(3,), SIZE=2)) == list("001" * 2)
    assert kernel.svg((3,), 0.5, (3,), SIZE=2) == kernel.svg(x=(3,), y=(3,), SIZE=2)


def test_tensor_that_is_arranged_twice_is_drawn_once() -> None:
    """It is given once, as in a call."""

    def halves(x: Tensor, y: Tensor) -> Any:
        return x[::2].tile((1,)), x[1::2].tile((1,)), y.tile((1,))

    def added(even: Any, odd: Any, y: Any) -> None:
        y = even + odd  # pyright: ignore[reportUnusedVariable]

    kernel = ninetoothed.make(halves, added, (Tensor(1), Tensor(1)))
    text = kernel.svg((4,), (2,))
    assert labels(text) == list("001101")
    assert "even, odd: (4,)" in text


def test_outputs_are_given_with_the_rest() -> None:
    def shape(x: Any) -> tuple[int, ...]:
        return (x.shape[0],)

    tensors = (Tensor(2), Tensor(1))
    kernel = ninetoothed.make(arrangement, sums, tensors, outputs={"y": shape})
    assert kernel.svg((5, 2), (5,), SIZE=2) == of_sums().svg((5, 2), (5,), SIZE=2)


def test_programs_behind_the_last_element_see_nothing() -> None:
    text = of_sums().svg((5, 2), (2,), SIZE=2)
    assert labels(text) == list("000011112200")


def test_elements_behind_the_last_program_are_grey() -> None:
    text = of_sums().svg((2, 1), (5,), SIZE=2)
    assert labels(text) == list("0000")
    assert "Grey: none sees it." in text
    assert "<title>y[2]: no program</title>" in text


def test_large_tensors_are_cut() -> None:
    text = of_sums().svg((100_000, 4096), (100_000,), SIZE=32)
    assert "… 4,064 more columns, 99,976 more rows" in text
    assert "… 99,872 more columns" in text
    assert set(labels(text)) == set("0123")


def test_notebooks_show_what_a_kernel_takes() -> None:
    kernel: Any = of_sums()
    assert kernel._repr_html_() == (
        "<div>kernel <code>sums(x, y)</code><ul><li><code>x</code>: a tensor of 2 dims</li>"
        "<li><code>y</code>: a tensor of 1 dim</li>"
        "<li><code>SIZE</code>: chosen by the compiler</li></ul></div>"
    )


@pytest.mark.parametrize("example", KERNELS, ids=str)
def test_notebooks_show_every_example(example: ExampleKernel) -> None:
    kernel: Any = example.kernel
    root = ET.fromstring(kernel._repr_html_())
    names = [one.text for one in root.iter("code")][1:]
    interface = kernel.interface
    assert names == [*interface.names, *interface.keywords, *interface.meta]


def test_notebooks_show_kernels_that_cannot_be_made() -> None:
    """One that was unpickled is made at its first use."""
    from examples import add

    kernel: Any = object.__new__(type(add.add_kernel))

    class Recipe:
        def make(self, recipe: object) -> object:
            raise pickle.UnpicklingError

    vars(kernel)["_recipe"] = Recipe()
    assert kernel._repr_html_() == "<div>kernel</div>"
