"""``Tensor.svg``, and what notebooks show: well-formed, self-contained, the same every time."""

from __future__ import annotations

import subprocess
import sys
import xml.etree.ElementTree as ET
from typing import Any

import pytest

from ninetoothed import Symbol, Tensor
from tests.support.imports import ROOT

SPACE = "{http://www.w3.org/2000/svg}"
B = Symbol("B")


def parsed(text: str) -> ET.Element:
    """The root of a document."""
    root = ET.fromstring(text)
    assert root.tag == f"{SPACE}svg"
    return root


def of_class(root: ET.Element, name: str) -> list[ET.Element]:
    """The elements of a class, in order."""
    return [one for one in root.iter() if one.get("class") == name]


BODY = """\
<rect class="ground" width="368.32" height="109.44"/>
<text class="page" x="18" y="18" font-size="10">x: (3,), from (2,)</text>
<rect class="element" x="18" y="36" width="30.24" height="30.24" fill="url(#nt-outside)">\
<title>outside of the tensor</title></rect>
<rect class="element" x="48.24" y="36" width="30.24" height="30.24" fill="#9ecae1">\
<title>x[0]</title></rect>
<text class="label" x="63.36" y="51.12" font-size="8">0</text>
<rect class="element" x="78.48" y="36" width="30.24" height="30.24" fill="#9ecae1">\
<title>x[1]</title></rect>
<text class="label" x="93.6" y="51.12" font-size="8">1</text>
<text class="page" x="18" y="77.04" font-size="8">\
Numbers are row-major positions in the source. Hatched: no element.</text>
</svg>
"""


def test_text_of_a_small_picture() -> None:
    head, _, body = Tensor(shape=(2,), name="x").pad(((1, 0),)).svg().partition("</defs>\n")
    assert body == BODY
    assert head.startswith(
        '<svg xmlns="http://www.w3.org/2000/svg" class="nt-picture" width="368.32pt" '
        'height="109.44pt" viewBox="0 0 368.32 109.44" role="img" aria-label="x: (3,), from (2,). '
        'Numbers are row-major positions in the source. Hatched: no element.">\n'
        "<title>x: (3,), from (2,)</title>\n<style>\n"
    )
    assert "@media (prefers-color-scheme: dark)" in head


def test_tiles() -> None:
    root = parsed(Tensor(shape=(3, 5), name="x").tile((2, 4)).svg())
    assert (root.get("role"), root[0].tag) == ("img", f"{SPACE}title")
    assert root.get("aria-label") == f"{root[0].text}. " + (
        "In the tensor, numbers are programs; in the tiles, row-major positions in the tensor. "
        "Hatched: no element."
    )
    assert [text.text for text in of_class(root, "head")] == [f"program {n}" for n in range(4)]
    elements = of_class(root, "element")
    assert len(of_class(root, "frame")) == 4
    assert len(elements) == 15 + 32
    assert [one.get("fill") == "url(#nt-outside)" for one in elements].count(True) == 32 - 15
    labels = [text.text for text in of_class(root, "label")]
    assert labels[:15] == list("000010000122223")


def test_everything_lies_on_the_ground() -> None:
    root = parsed(Tensor(shape=(50, 60, 70), name="x").tile((1, 8, 8)).svg())
    (ground,) = of_class(root, "ground")
    for one in of_class(root, "element"):
        for place, size in (("x", "width"), ("y", "height")):
            end = float(one.attrib[place]) + float(one.attrib[size])
            assert 0 < end < float(ground.attrib[size])


def test_shared_elements_are_marked() -> None:
    root = parsed(Tensor(shape=(5,)).tile((3,), strides=(2,)).svg())
    assert len(of_class(root, "mark")) == 1


def test_nothing_is_loaded() -> None:
    text = Tensor(shape=(4, 4)).tile((2, 2)).svg()
    assert text.count("http") == 1
    assert "<script" not in text
    assert "href" not in text


def test_names_are_escaped() -> None:
    root = parsed(Tensor(shape=(2,), name="a<b>&\"c'").tile((1,)).svg())
    assert root[0].text is not None
    assert root[0].text.startswith("a<b>&\"c': 2 programs")
    assert (root.get("aria-label") or "").startswith("a<b>&\"c': 2 programs")


def test_sizes_are_given_as_to_eval() -> None:
    x = Tensor(1, name="x")
    found = x.tile((B,)).svg({x: {"shape": (5,)}, B: 2})
    assert found == Tensor(shape=(5,), name="x").tile((2,)).svg()


@pytest.mark.parametrize(
    "tensor",
    [
        Tensor(shape=(), name="x"),
        Tensor(shape=(0,), name="x"),
        Tensor(shape=(3, 0), name="x").tile((1, -1)),
        Tensor(shape=(0, 3), name="x").tile((2, 2)),
        Tensor(shape=(1 << 40, 1 << 40), name="x").tile((1 << 20, 64)),
    ],
    ids=str,
)
def test_nothing_and_much(tensor: Tensor) -> None:
    assert len(of_class(parsed(tensor.svg()), "element")) <= 2 * 32 * 24


def test_notes_of_a_cut_are_drawn_and_told() -> None:
    root = parsed(Tensor(shape=(2, 1032), name="x").svg())
    assert "… 1,000 more columns" in [text.text for text in of_class(root, "page")]
    assert "… 1,000 more columns." in (root.get("aria-label") or "")


def test_notebooks_show_the_picture() -> None:
    tensor = Tensor(shape=(4,), name="x").tile((2,))
    shown: Any = tensor
    assert shown._repr_html_() == tensor.svg()


@pytest.mark.parametrize(
    ("tensor", "text"),
    [
        (Tensor(1, name="x<y"), "<pre>Tensor(x&lt;y: (x&lt;y_size_0))</pre>"),
        (Tensor(shape=(4, B), name="x"), "<pre>Tensor(x: (4, B))</pre>"),
        (Tensor(shape=(4,), name="x").tile((2,)).dtype, "<pre>Tensor(x: (2) of (2))</pre>"),
    ],
    ids=str,
)
def test_notebooks_show_text_where_a_size_is_unknown(tensor: Any, text: str) -> None:
    assert tensor._repr_html_() == text


def test_the_same_text_in_every_process() -> None:
    code = (
        "from ninetoothed import Tensor\nprint(Tensor(shape=(9, 7), name='x').tile((2, 3)).svg())"
    )
    texts = {
        subprocess.run(
            [sys.executable, "-c", code],
            cwd=ROOT,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(texts) == 1


def test_pictures_load_neither_torch_nor_xdsl() -> None:
    code = (
        "import sys\n"
        "from ninetoothed import Tensor\n"
        "Tensor(shape=(4,)).tile((2,)).svg()\n"
        "print(sorted({'matplotlib', 'torch', 'xdsl'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"
