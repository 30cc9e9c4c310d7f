"""The skeleton of a page: one HTML file that loads nothing.

What runs, and how it looks, is named by its digest in the page's security policy.
"""

from __future__ import annotations

import base64
import hashlib
import html
import re
from collections.abc import Mapping
from importlib import resources

_PACKAGE = "ninetoothed.view"


def document(title: str, body: str, style: str, script: str) -> str:
    """A page of a ``title``, which is text, and of the rest, which is HTML, CSS and JavaScript. The
    style of all pages stands in front of ``style``.
    """
    whole_style = f"{part('skeleton.css')}{style}"
    policy = (
        "default-src 'none'",
        f"script-src '{_digest(script)}'",
        f"style-src '{_digest(whole_style)}'",
    )
    texts = {
        "TITLE": html.escape(title),
        "POLICY": "; ".join(policy),
        "STYLE": whole_style,
        "BODY": body,
        "SCRIPT": script,
    }
    return filled(part("skeleton.html"), texts)


def filled(template: str, texts: Mapping[str, str]) -> str:
    """A template with a text in the place of each ``@NAME@``."""
    return re.sub("@([A-Z]+)@", lambda found: texts[found[1]], template)


def part(name: str, package: str = _PACKAGE) -> str:
    """The text of a file that is a part of a page."""
    return resources.files(package).joinpath(name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
