"""The cells of the tutorial's notebook."""

from __future__ import annotations

from pathlib import Path

from ninetoothed.tools import notebook_page


def test_cells(tmp_path: Path) -> None:
    (tmp_path / "2_b.md").write_text("# B\n\n```python file=b.py\nx = 1\n```\n", encoding="utf-8")
    text = "# A\n\n```python\nprint(1)\n```\n\n```text\n1\n```\n\n```shell run\nls\n```\n\nEnd.\n"
    (tmp_path / "1_a.md").write_text(text, encoding="utf-8")
    (tmp_path / "index.md").write_text("# Index\n", encoding="utf-8")
    cells = notebook_page.page(tmp_path).partition("# ---\n\n")[2]
    assert cells == (
        "# %% [markdown]\n# # A\n\n# %%\nprint(1)\n\n# %%\n# !ls\n\n# %% [markdown]\n# End.\n\n"
        "# %% [markdown]\n# # B\n\n# %%\n# %%writefile b.py\nx = 1\n"
    )
