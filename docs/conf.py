"""Settings of the documentation's site, which Sphinx reads: ``make docs``."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import ClassVar

from pygments.lexer import RegexLexer
from pygments.token import Comment, Keyword, Name, Number, String, Text
from sphinx.application import Sphinx

from ninetoothed.version import __version__

DOCS = Path(__file__).parent
ROOT = DOCS.parent
sys.path.insert(0, str(DOCS / "arrangements"))

project = "NineToothed"
release = __version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
html_theme = "furo"
html_title = f"NineToothed {release}"
html_copy_source = False
html_show_copyright = False
myst_heading_anchors = 4
# Signatures are long enough without the types, which the text says.
autodoc_typehints = "none"
autodoc_preserve_defaults = True


class MlirLexer(RegexLexer):
    """IR in MLIR's syntax, as ``nt-opt`` prints it."""

    name = "MLIR"
    aliases: ClassVar[list[str]] = ["mlir"]
    tokens: ClassVar[dict[str, list[tuple[str, object]]]] = {
        "root": [
            (r"//.*", Comment.Single),
            (r'"(?:\\.|[^"\\])*"', String),
            (r"%[\w.$-]+(?:[:#]\d+)?", Name.Variable),
            (r"\^\w+", Name.Label),
            (r"@[\w.$-]+", Name.Function),
            (r"[!#][A-Za-z_][\w.]*", Keyword.Type),
            (r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\b", Number),
            (r"\b(?:i|si|ui|f|bf)\d+\b|\bindex\b", Keyword.Type),
            (r"\b[a-z_]\w*\.[\w.]+", Keyword),
            (r"\w+", Name),
            (r"\s+|.", Text),
        ]
    }


def rebase_links(app: Sphinx, path: Path, docname: str, content: list[str]) -> None:
    """Of a file of the project's folder that a page includes: links lead from the page.

    ``content`` holds the file's text, and is changed.
    """
    if (DOCS / path).resolve().parent != ROOT:
        return
    folder = (DOCS / app.env.docname).parent

    def rebased(link: re.Match[str]) -> str:
        text, file, place = link.groups()
        target = Path(os.path.relpath(ROOT / file, folder)).as_posix()
        if file.endswith(".md") and not file.startswith("docs/"):
            return f"{{download}}`{text} <{target}>`"
        return f"[{text}]({target}{place}"

    content[0] = re.sub(r"\[([^]]*)\]\((?!https?:|#)([^)#\s]+)([^)]*)", rebased, content[0])


def draw_figures(app: Sphinx) -> None:
    """Draw the pictures of the pages on arrangements, beside them."""
    import figures

    figures.draw(DOCS / "arrangements" / "drawn")


def setup(app: Sphinx) -> None:
    """Sphinx calls it once it has read the settings."""
    app.add_lexer("mlir", MlirLexer)
    app.connect("include-read", rebase_links)
    app.connect("builder-inited", draw_figures)
