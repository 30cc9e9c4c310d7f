"""``kernel.explore``: its page, what it takes, and what it refuses."""

from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path
from typing import Any

import pytest
import torch

import ninetoothed
import ninetoothed.language as ntl
from ninetoothed import Symbol, Tensor
from ninetoothed.errors import ArgumentError
from ninetoothed.kernel.kernel import Kernel
from ninetoothed.view.exploration import exploration_page as pages
from tests.support.example_kernels import KERNELS, ExampleKernel
from tests.support.explored import all_touched, needs_node, run_core

BM, BN, BK = (Symbol(name, meta=True, lower_bound=2, upper_bound=64) for name in ("BM", "BN", "BK"))


def arrange_product(x: Tensor, y: Tensor, z: Any) -> tuple[Any, Any, Any]:
    z = z.tile((BM, BN))
    rows: Any = x.tile((BM, BK)).tile((1, -1)).expand((-1, z.shape[1]))
    columns: Any = y.tile((BK, BN)).tile((-1, 1)).expand((z.shape[0], -1))
    rows.dtype, columns.dtype = rows.dtype.squeeze(0), columns.dtype.squeeze(1)
    return rows, columns, z


def product(x: Any, y: Any, z: Any) -> None:
    total = ntl.zeros(z.shape, dtype=ntl.float32)
    for k in range(x.shape[0]):
        total += ntl.dot(x[k], y[k])
    z = total  # pyright: ignore[reportUnusedVariable]


MATMUL: Kernel = ninetoothed.make(arrange_product, product, (Tensor(2), Tensor(2), Tensor(2)))
SHAPES: dict[str, Any] = {"x": (10, 9), "y": (9, 12), "z": (10, 12)}
BLOCKS: dict[str, Any] = {"BM": 4, "BN": 4, "BK": 4}

WINDOW = Symbol("WINDOW", constexpr=True, lower_bound=1, upper_bound=8)


def arrange_windows(x: Tensor, scale: Tensor, y: Tensor) -> tuple[Tensor, ...]:
    return x.tile((WINDOW,)), scale, y.tile((WINDOW,))


def arrange_blocks(x: Tensor, is_shifted: Tensor, y: Tensor) -> tuple[Tensor, ...]:
    return x.tile((BM,)), is_shifted, y.tile((BM,))


def arrange_vectors(x: Tensor, y: Tensor) -> tuple[Tensor, ...]:
    return x.tile((BM,)), y.tile((BM,))


def arrange_rows(x: Tensor, y: Tensor) -> tuple[Tensor, ...]:
    return x.tile((1, 4)), y.tile((1, 4))


def scaled(x: Any, scale: Any, y: Any) -> None:
    y = x * scale  # pyright: ignore[reportUnusedVariable]


SCALED: Kernel = ninetoothed.make(arrange_windows, scaled, (Tensor(1), Tensor(0), Tensor(1)))


def script_of(path: Path) -> str:
    """The kernel in the script of a page: its first line."""
    found = re.search(r'<script type="module">(const KERNEL = .*)\n', path.read_text("utf-8"))
    assert found is not None
    return found[1]


@needs_node
def test_the_page_computes_for_other_sizes(tmp_path: Path) -> None:
    path = tmp_path / "matmul.html"
    MATMUL.explore(path, **SHAPES, **BLOCKS)
    other = {"x": (5, 7), "y": (7, 3), "z": (5, 3)}
    first, second = all_touched(
        script_of(path), [(SHAPES, BLOCKS), (other, {"BM": 2, "BN": 3, "BK": 4})]
    )
    assert (first["grid"], first["count"]) == ([3, 3], 9)
    assert (second["grid"], second["count"]) == ([3, 1], 3)
    # The last program has one row, and its blocks of x reach beyond both ends.
    assert ["x", 2, 16, 7] in second["lanes"]
    assert ["z", 2, 6, 3] in second["lanes"]
    assert {row[3] for row in second["rows"] if row[:3] == ["x", "read", 2]} == set(range(28, 35))


@needs_node
def test_iterations_and_windows(tmp_path: Path) -> None:
    path = tmp_path / "matmul.html"
    MATMUL.explore(path, **SHAPES, **BLOCKS)
    shapes = {name: list(shape) for name, shape in SHAPES.items()}
    script = f"""{script_of(path)}
      const bound = bind(KERNEL, {shapes}, {BLOCKS}), x = KERNEL.tensors[0];
      const found = touched(bound, x, 4, [[5, 7], [3, 9]]);
      const rows = [...found.elements].map(([at, one]) => [at, [...one.steps]]);
    """
    value = run_core(
        script,
        "{ rows, lanes: found.lanes, inside: found.inside, of: programsOf(bound, x, 50, 9) }",
    )
    steps = {row * 9 + column: [column // 4] for row in (5, 6) for column in range(3, 9)}
    assert {at: one for at, one in value["rows"]} == steps
    # What lies beyond the window is counted, too.
    assert (value["lanes"], value["inside"]) == (48, 36)
    assert value["of"] == {"programs": [3, 4, 5], "looked": 9}


def arrange_by_odd_names(x: Tensor, y: Tensor) -> tuple[Tensor, ...]:
    size = Symbol("__proto__", meta=True, lower_bound=1, upper_bound=8)
    return x.tile((size,)), y.tile((size,))


@needs_node
def test_names_that_are_words_of_javascript(tmp_path: Path) -> None:
    sizes = Symbol("new"), Symbol("constructor")
    tensors = (Tensor(shape=(sizes[0],)), Tensor(shape=(sizes[1],)))
    kernel = ninetoothed.make(arrange_by_odd_names, copied, tensors)
    path = tmp_path / "odd.html"
    given: dict[str, Any] = {"x": (5,), "y": (5,), "__proto__": 2}
    kernel.explore(path, **given)
    (found,) = all_touched(script_of(path), [({"x": (5,), "y": (5,)}, {"__proto__": 2})])
    assert found["refusals"] == []
    assert ["y", 2, 2, 1] in found["lanes"]


def arrange_flat(x: Tensor, y: Tensor) -> tuple[Tensor, ...]:
    size = Symbol("B", meta=True, lower_bound=4, upper_bound=1 << 22)
    return x.flatten().tile((size,)), y.flatten().tile((size,))


@needs_node
def test_more_lanes_than_are_tried_are_cut(tmp_path: Path) -> None:
    kernel = ninetoothed.make(arrange_flat, copied, (Tensor(2), Tensor(2)))
    path = tmp_path / "flat.html"
    kernel.explore(path, x=(2048, 2048), y=(2048, 2048))
    script = f"""{script_of(path)}
      const shapes = {{ x: [2048, 2048], y: [2048, 2048] }}, [x] = KERNEL.tensors;
      const ask = (B) => {{
        const bound = bind(KERNEL, shapes, {{ B }});
        const found = touched(bound, x, bound.count - 1, [[2040, 2048], [0, 96]]);
        return [found.elements.size, found.lanes, found.inside, found.cut];
      }};
    """
    assert run_core(script, f"[ask({1 << 20}), ask({1 << 22})]") == [
        [8 * 96, 1 << 20, 1 << 20, False],
        # The window is at the end of the lanes, and those outside are not counted.
        [0, 1 << 22, None, True],
    ]


@needs_node
def test_refused_sizes_have_the_message_of_a_call(tmp_path: Path) -> None:
    path = tmp_path / "matmul.html"
    MATMUL.explore(path, **SHAPES, **BLOCKS)
    shapes = {"x": (10, 9), "y": (8, 12), "z": (10, 12)}
    (found,) = all_touched(script_of(path), [(shapes, BLOCKS)])
    with pytest.raises(ArgumentError) as caught:
        MATMUL(*(torch.zeros(shape) for shape in shapes.values()))
    assert caught.value.message in [one["text"] for one in found["refusals"]]
    assert found["rows"] == []
    (found,) = all_touched(script_of(path), [(SHAPES, {**BLOCKS, "BM": 65})])
    assert [one["text"] for one in found["refusals"]] == [
        "BM=65 is outside its bounds, 2 to 64; give Symbol('BM') others with lower_bound and "
        "upper_bound"
    ]


def copied(x: Any, y: Any) -> None:
    y = x  # pyright: ignore[reportUnusedVariable]


@needs_node
def test_sizes_that_follow_from_others(tmp_path: Path) -> None:
    n = Symbol("n")
    kernel = ninetoothed.make(
        arrange_vectors,
        copied,
        (Tensor(shape=(n,)), Tensor(shape=(n + 2 - 2,))),
    )
    path = tmp_path / "copied.html"
    kernel.explore(path, x=(8,))
    assert '"shape":[8]' not in script_of(path)
    assert script_of(path).count("shape:[8]") == 2
    (found,) = all_touched(script_of(path), [({"x": (8,), "y": (9,)}, {"BM": 4})])
    texts = [one["text"] for one in found["refusals"]]
    assert "size 0 of y is 9; it must be n, here 8" in texts


@needs_node
def test_outermost_levels_of_other_shapes(tmp_path: Path) -> None:
    """The accesses are those of the class of calls that takes the sizes."""
    kernel = ninetoothed.make(arrange_rows, copied, (Tensor(2), Tensor(2)))
    path = tmp_path / "rows.html"
    kernel.explore(path, x=(2, 8), y=(4, 4))
    (found,) = all_touched(script_of(path), [({"x": (2, 8), "y": (4, 4)}, {})])
    assert found["refusals"] == []
    for program in range(4):
        mine = [row[3] for row in found["rows"] if row[0] == "y" and row[2] == program]
        assert sorted(mine) == list(range(4 * program, 4 * program + 4))
    assert "the outermost levels have other shapes" in script_of(path)


def test_the_same_input_gives_the_same_bytes_and_loads_nothing(tmp_path: Path) -> None:
    texts: list[str] = []
    for name in ("one.html", "two.html"):
        MATMUL.explore(str(tmp_path / name), **SHAPES, **BLOCKS)
        texts.append((tmp_path / name).read_text("utf-8"))
    assert texts[0] == texts[1]
    assert "default-src 'none'" in texts[0]
    assert not re.search(r"https?://|\bsrc=|\bimport\b|fetch\(", texts[0])
    assert "in_bounds" in script_of(tmp_path / "one.html")


@pytest.mark.parametrize("example", KERNELS, ids=str)
def test_pages_of_examples_are_small(example: ExampleKernel, tmp_path: Path) -> None:
    kernel, path = example.kernel, tmp_path / "page.html"
    tensors = [one for one in kernel.definition.parameters if one.kind == "tensor"]
    constants: dict[str, Any] = {"is_causal": True} if "is_causal=True" in example.options else {}
    if "is_capped=True" in example.options:
        constants = {"is_capped": True}
    sizes: dict[str, Any] = {one.name: (16,) * len(one.source.shape) for one in tensors}
    kernel.explore(path, **sizes, **constants)
    assert path.stat().st_size <= 50_000
    assert "do not fit into the page" not in path.read_text("utf-8")


def test_what_does_not_fit_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    MATMUL.explore(tmp_path / "whole.html", **SHAPES)
    whole = (tmp_path / "whole.html").stat().st_size
    monkeypatch.setattr(pages, "LIMIT", whole - 200)
    MATMUL.explore(tmp_path / "cut.html", **SHAPES)
    assert (tmp_path / "cut.html").stat().st_size <= whole - 200
    assert script_of(tmp_path / "cut.html").count("its expressions do not fit into the page") == 1


def test_shapes_follow_as_those_of_outputs(tmp_path: Path) -> None:
    MATMUL.explore(tmp_path / "given.html", x=(10, 9), y=(9, 12), z=(10, 12))
    MATMUL.explore(tmp_path / "derived.html", x=(10, 9), y=(9, 12))
    assert (tmp_path / "derived.html").read_text() == (tmp_path / "given.html").read_text()


WRONG: list[tuple[Kernel, dict[str, Any], str]] = [
    (
        MATMUL,
        {**SHAPES, "w": (3,)},
        "product has no tensor or symbol w; it takes x, y, z, BM, BK, BN",
    ),
    (MATMUL, {**SHAPES, "BMM": 4}, "product has no tensor or symbol BMM; did you mean BM?"),
    (
        MATMUL,
        {"y": (9, 12)},
        "the shape of x does not follow from others; give it, as in x=(16, 16)",
    ),
    (
        MATMUL,
        {**SHAPES, "x": 10},
        "x is a tensor of 2 dims; give its shape, as in x=(16, 16), not 10",
    ),
    (
        MATMUL,
        {**SHAPES, "x": (10,)},
        "x is a tensor of 2 dims; give its shape, as in x=(16, 16), not (10,)",
    ),
    (MATMUL, {**SHAPES, "x": (10, -1)}, "x has sizes from 0 to 2**31 - 1; -1 is none of them"),
    (MATMUL, {**SHAPES, "x": (10, 2.5)}, "x has sizes from 0 to 2**31 - 1; 2.5 is none of them"),
    (
        MATMUL,
        {**SHAPES, "BM": 1},
        "BM=1 is outside its bounds, 2 to 64; give Symbol('BM') others with lower_bound and "
        "upper_bound",
    ),
    (MATMUL, {**SHAPES, "BM": "4"}, "BM must be an integer, not '4'"),
    (
        MATMUL,
        {**SHAPES, "dtypes": {"w": "fp16"}},
        "there is no parameter w; parameters are x, y, z",
    ),
    (
        SCALED,
        {"x": (8,), "y": (8,), "WINDOW": 4, "scale": 2.0},
        "scale is a number that a call gives, and no access depends on it; leave it out",
    ),
    (
        SCALED,
        {"x": (8,), "y": (8,)},
        "scaled needs a value for WINDOW; give it by keyword, as in WINDOW=64",
    ),
]


@pytest.mark.parametrize(("kernel", "given", "message"), WRONG, ids=[row[2] for row in WRONG])
def test_wrong_arguments(
    kernel: Kernel, given: dict[str, Any], message: str, tmp_path: Path
) -> None:
    path = tmp_path / "page.html"
    with pytest.raises(ArgumentError) as caught:
        kernel.explore(path, **given)
    assert caught.value.message == message
    assert not path.exists()


def test_a_constexpr_without_a_value(tmp_path: Path) -> None:
    def shifted(x: Any, is_shifted: Any, y: Any) -> None:
        y = x + 1 if is_shifted else x  # pyright: ignore[reportUnusedVariable]

    kernel = ninetoothed.make(
        arrange_blocks,
        shifted,
        (Tensor(1), Tensor(0, constexpr=True), Tensor(1)),
    )
    with pytest.raises(ArgumentError) as caught:
        kernel.explore(tmp_path / "page.html", x=(8,), y=(8,))
    assert caught.value.message == (
        "shifted needs a value for is_shifted, by which it is compiled; give it, as in "
        "is_shifted=True"
    )
    kernel.explore(tmp_path / "page.html", x=(8,), y=(8,), is_shifted=True)
    assert "is_shifted = True" in script_of(tmp_path / "page.html")


def test_the_page_is_named_by_its_policy(tmp_path: Path) -> None:
    """What runs is what the policy lets through."""
    path = tmp_path / "matmul.html"
    MATMUL.explore(path, **SHAPES)
    text = path.read_text("utf-8")
    script = re.search(r'<script type="module">(.*)</script>', text, re.S)
    assert script is not None
    digest = base64.b64encode(hashlib.sha256(script[1].encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in text
