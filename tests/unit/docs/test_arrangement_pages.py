"""The pages of docs/arrangements: every meta-operation has a section and pictures, and the chains
are those of the examples.
"""

from __future__ import annotations

import importlib
import inspect
import re
import sys
from types import ModuleType
from typing import Any

import pytest

from examples import attention, conv2d, matmul
from ninetoothed import Symbol, Tensor
from ninetoothed.layout.meta_ops import META_OPS, Renumber, Slice
from tests.support.imports import ROOT

FOLDER = ROOT / "docs" / "arrangements"
PAGE = (FOLDER / "meta_operations.md").read_text(encoding="utf-8")
CHAINS = (FOLDER / "chains.md").read_text(encoding="utf-8")
SECTIONS = re.findall(r"^## `(.+)`$", PAGE, re.M)
INDEXING = "t[…]"
NOT_META_OPERATIONS = {
    "innermost": "names a level",
    "subs": "puts numbers in the place of symbols",
}
"""Methods of a tensor that return another one, and are none."""


@pytest.fixture(scope="module")
def figures() -> ModuleType:
    """What draws the pictures, which imports what lies beside it."""
    sys.path.insert(0, str(FOLDER))
    try:
        return importlib.import_module("figures")
    finally:
        sys.path.remove(str(FOLDER))


def methods() -> dict[str, inspect.Signature]:
    """Meta-operations that users call, by the methods that return a tensor."""
    signatures = {
        name: inspect.signature(method)
        for name, method in vars(Tensor).items()
        if inspect.isroutine(method) and (not name.startswith("_") or name == "__getitem__")
    }
    return {
        INDEXING if name == "__getitem__" else name: signature
        for name, signature in signatures.items()
        if signature.return_annotation == "Tensor" and name not in NOT_META_OPERATIONS
    }


def test_every_meta_operation_has_a_section() -> None:
    assert sorted(SECTIONS) == sorted(methods())
    users = [op for op in META_OPS if op is not Renumber]
    assert {INDEXING if op is Slice else op.__name__.lower() for op in users} == set(SECTIONS)


def test_every_option_is_shown() -> None:
    text = (FOLDER / "meta_operations.py").read_text(encoding="utf-8")
    options = [
        parameter.name
        for signature in methods().values()
        for parameter in signature.parameters.values()
        if parameter.default is not parameter.empty
    ]
    assert "floor_mode" in options
    assert [name for name in options if f"{name}=" not in text] == []


def test_pictures_stand_below_their_code(figures: ModuleType) -> None:
    shown = re.findall(
        r"```{literalinclude} meta_operations.py\n:pyobject: (\w+)\n```\n\n"
        r"!\[Before: [^]]+\]\(drawn/(\w+)_before.svg\)\n!\[After: [^]]+\]\(drawn/(\w+)_after.svg\)",
        PAGE,
    )
    assert shown == [(operation.__name__,) * 3 for operation in figures.OPERATIONS]


def test_a_meta_operation_changes_the_tensor(figures: ModuleType) -> None:
    """And so its picture."""
    for operation in figures.OPERATIONS:
        before, after = operation()
        assert len(after.chain.ops) > len(before.chain.ops)
        assert before.svg() != after.svg()


def test_every_picture_is_shown(figures: ModuleType) -> None:
    """And nothing else is."""
    pages = [path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("*.md"))]
    shown = [name for page in pages for name in re.findall(r"\]\(drawn/(\w+)\.svg\)", page)]
    assert sorted(shown) == sorted(figures.pictures())


def test_pictures_are_the_same_each_time(figures: ModuleType) -> None:
    assert figures.pictures() == figures.pictures()


def test_steps_are_shown_one_by_one() -> None:
    """Of the chains, each step prints its tensor."""
    pairs = re.findall(r"^```python\n(.*?)^```\n\n(```text\n)?", CHAINS, re.M | re.S)
    silent = [code for code, text in pairs if not (text and "print(" in code)]
    assert silent == ["from ninetoothed import Tensor\n"]


def arranged(chains: dict[str, Tensor], *names: str) -> list[Any]:
    """What the page's program made, as numbers."""
    return [chains[name].eval().tolist() for name in names]


def numbers(tensors: Any, sizes: dict[Symbol, int]) -> list[Any]:
    """The same of what an example's arrangement makes, with these sizes of blocks."""
    return [tensor.eval(sizes).tolist() for tensor in tensors]


def test_matrix_product_is_the_example(figures: ModuleType) -> None:
    sizes = {matmul.BLOCK_SIZE_M: 2, matmul.BLOCK_SIZE_N: 2, matmul.BLOCK_SIZE_K: 3}
    tensors = [Tensor(shape=shape) for shape in ((4, 6), (6, 6), (4, 6))]
    found = arranged(figures.chain_tensors(), "input_arranged", "other_arranged")
    assert found == numbers(matmul.arrangement(*tensors)[:2], sizes)


def test_convolution_is_the_example(figures: ModuleType) -> None:
    sizes = {matmul.BLOCK_SIZE_M: 2, matmul.BLOCK_SIZE_N: 3, matmul.BLOCK_SIZE_K: 4}
    tensors = [Tensor(shape=shape) for shape in ((1, 2, 3, 2), (3, 2, 2, 2), (1, 3, 2, 3))]
    options = {"stride": (1, 1), "padding": (0, 1), "dilation": (1, 1)}
    names = ("windows_arranged", "filters_arranged", "result_arranged")
    found = arranged(figures.chain_tensors(), *names)
    assert found == numbers(conv2d.arrangement(*tensors, **options), sizes)


def test_attention_is_the_example(figures: ModuleType) -> None:
    sizes = {attention.BLOCK_SIZE_M: 2, attention.BLOCK_SIZE_N: 2}
    query, key = Tensor(shape=(1, 2, 2, 4, 3)), Tensor(shape=(1, 2, 5, 3))
    queries: Any = attention.queries(query)
    keys: Any = attention.keys_of(key, queries)
    sums: Any = attention.numbers_of_queries(Tensor(shape=(1, 2, 2, 4)))
    found = arranged(figures.chain_tensors(), "query_arranged", "key_arranged", "sums")
    assert found == numbers((queries, keys, sums), sizes)
