"""Write the generated pages of the documentation: ``make docs``.

    python -m ninetoothed.tools.pages

It runs in the project's folder.
"""

from __future__ import annotations

from pathlib import Path

from ninetoothed.tools import language_page, notebook_page, nt_opt_page, pass_pages, stages_page


def pages(root: Path) -> dict[str, str]:
    """The generated pages of the project in ``root``, by their names below ``docs``."""
    language = (root / "docs" / "language.md").read_text(encoding="utf-8")
    return {
        "language.md": language_page.page(language),
        "nt-opt.md": nt_opt_page.page(),
        "start/tutorial/tutorial.py": notebook_page.page(root / "docs" / "start" / "tutorial"),
        **pass_pages.pages(),
        **stages_page.pages(root / "docs"),
    }


def stale(root: Path, found: dict[str, str]) -> list[Path]:
    """Pages of passes and stages that there are no more."""
    return [
        path
        for folder in ("passes", stages_page.FOLDER)
        for path in sorted((root / "docs" / folder).glob("*.md"))
        if f"{folder}/{path.name}" not in found
    ]


def main() -> None:
    """Write all pages anew."""
    root = Path()
    found = pages(root)
    for path in stale(root, found):
        path.unlink()
    for name, text in found.items():
        path = root / "docs" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
