"""The page ``docs/nt-opt.md``: every option of ``nt-opt`` and ``nt-opt view``, from their help."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from ninetoothed.tools import view
from ninetoothed.tools.nt_opt.command_line import parser

_INTRODUCTION = """\
# nt-opt

{description} Written by `make docs` from `nt-opt --help` and
`nt-opt view --help`. What it shows: [stages](stages.md), [passes](passes/README.md),
[the page of a kernel](view.md).
"""
_TITLES = {"positional arguments": "input", "options": "help"}
"""Titles in the place of argparse's own."""


def page() -> str:
    """The page's text."""
    found, of_view = parser(), view.parser()
    title, _, rest = (found.epilog or "").partition("\n")
    examples, _, text = rest.partition("\n\n")
    parts = [
        _INTRODUCTION.format(description=found.description),
        *_groups(found, "##"),
        f"## {_sentence(title.rstrip(':'))}\n\n```text\n{examples}\n```\n\n{text}",
        f"## nt-opt view\n\n{of_view.description}",
        *_groups(of_view, "###"),
    ]
    return "\n".join(parts)


def _groups(found: argparse.ArgumentParser, heading: str) -> Iterator[str]:
    """A table of options for each group that has any."""
    # argparse has no other way to its groups.
    for group in found._action_groups:  # pyright: ignore[reportPrivateUsage]
        actions = group._group_actions  # pyright: ignore[reportPrivateUsage]
        rows = [_row(action) for action in actions]
        if rows:
            title = _sentence(_TITLES.get(group.title or "", group.title or ""))
            yield f"{heading} {title}\n\n| option | |\n|---|---|\n" + "".join(rows)


def _sentence(title: str) -> str:
    return title[:1].upper() + title[1:]


def _row(action: argparse.Action) -> str:
    value = action.metavar
    if value is None and action.choices is not None:
        value = "{" + ",".join(map(str, action.choices)) + "}"
    shown = str(value or "")
    if action.nargs == "?" and action.option_strings:
        names = [f"{name}[={shown}]" for name in action.option_strings]
    else:
        names = [f"{name} {shown}".strip() for name in action.option_strings] or [shown]
    spelled = ", ".join(f"`{name}`" for name in names).replace("|", "\\|")
    text = (action.help or "").replace("%%", "%").replace("|", "\\|")
    return f"| {spelled} | {text} |\n"
