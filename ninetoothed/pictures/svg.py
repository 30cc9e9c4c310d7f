"""SVG of a scene: one text, which loads nothing and is readable on light and on dark pages.

It has a ground of its own, dark where the reader prefers that: a notebook may be dark where the
system is not. Elements have light colours and dark labels on both.
"""

from __future__ import annotations

from collections.abc import Iterator
from xml.sax.saxutils import escape, quoteattr

from ninetoothed.pictures.scene import Scene
from ninetoothed.pictures.sheet import POINTS, Element, Frame, Text, laid_out
from ninetoothed.pictures.tiles import Box

# Of a page that has several pictures, every rule and the pattern are the same.
_STYLE = """\
.nt-picture { max-width: 100%; height: auto; color: #222222; font-family: sans-serif; }
.nt-picture text { fill: currentColor; }
.nt-picture .ground { fill: #ffffff; }
.nt-picture .label { fill: #000000; text-anchor: middle; dominant-baseline: central; }
.nt-picture .head { text-anchor: middle; dominant-baseline: central; }
.nt-picture .page { dominant-baseline: hanging; }
.nt-picture .frame { fill: #808080; fill-opacity: 0.12; stroke: currentColor; }
.nt-picture .element { stroke: #555555; stroke-width: 0.6; }
.nt-picture .mark { fill: #222222; }
@media (prefers-color-scheme: dark) {
.nt-picture { color: #dddddd; }
.nt-picture .ground { fill: #1e1e1e; }
}"""
_PATTERN = """\
<pattern id="nt-outside" width="6" height="6" patternUnits="userSpaceOnUse">\
<rect width="6" height="6" fill="#ffffff"/>\
<path d="M-1 1l2-2M0 6l6-6M5 7l2-2" stroke="#808080"/></pattern>"""


def svg(scene: Scene) -> str:
    """The SVG document of a scene, without an XML declaration: HTML may hold it as it stands."""
    sheet = laid_out(scene)
    width, height = _number(sheet.width), _number(sheet.height)
    name = "; ".join([scene.heading, *(panel.title for panel in scene.panels)]).removeprefix("; ")
    notes = [note for panel in scene.panels for note in panel.notes]
    label = " ".join([f"{name}.", *(f"{note}." for note in notes), scene.caption])
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="nt-picture" width="{width}pt" '
        f'height="{height}pt" viewBox="0 0 {width} {height}" role="img" '
        f"aria-label={quoteattr(label)}>",
        f"<title>{escape(name)}</title>",
        f"<style>\n{_STYLE}\n</style>",
        f"<defs>{_PATTERN}</defs>",
        f'<rect class="ground" width="{width}" height="{height}"/>',
    ]
    for shape in sheet.shapes:
        lines += _lines(shape)
    return "\n".join([*lines, "</svg>", ""])


def _lines(shape: Frame | Element | Text) -> Iterator[str]:
    match shape:
        case Frame(box, _, line):
            yield f'<rect class="frame" {_place(box)} stroke-width="{line:g}"/>'
        case Element(box, face, _):
            fill = "url(#nt-outside)" if face.outside else face.color
            yield (
                f'<rect class="element" {_place(box)} fill="{fill}">'
                f"<title>{escape(face.meaning)}</title></rect>"
            )
            if face.marked:
                points = " ".join(f"{_number(x)},{_number(y)}" for x, y in shape.mark)
                yield f'<polygon class="mark" points="{points}"/>'
        case Text(text, x, y, size, on):
            kind = "page" if on is None else "label" if on else "head"
            yield (
                f'<text class="{kind}" x="{_number(x)}" y="{_number(y)}" font-size="{size:.3g}">'
                f"{escape(text)}</text>"
            )


def _place(box: Box) -> str:
    return (
        f'x="{_number(box.x)}" y="{_number(box.y)}" width="{_number(box.width)}" '
        f'height="{_number(box.height)}"'
    )


def _number(inches: float) -> str:
    """A length in points, the document's unit."""
    return f"{inches * POINTS:.2f}".rstrip("0").rstrip(".")
