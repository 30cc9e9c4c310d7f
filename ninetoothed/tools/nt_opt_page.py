"""The page ``docs/nt-opt.md``: every option of ``nt-opt``, from its help."""

from __future__ import annotations

import argparse

from ninetoothed.tools.nt_opt.command_line import parser

_INTRODUCTION = """\
# nt-opt

{description} Written by `make docs` from `nt-opt --help`. What it
shows: [stages](stages.md), [passes](passes/README.md).
"""
_TITLES = {"positional arguments": "input", "options": "help"}
"""Titles in the place of argparse's own."""


def page() -> str:
    """The page's text."""
    found = parser()
    parts = [_INTRODUCTION.format(description=found.description)]
    # argparse has no other way to its groups.
    for group in found._action_groups:  # pyright: ignore[reportPrivateUsage]
        actions = group._group_actions  # pyright: ignore[reportPrivateUsage]
        rows = [_row(action) for action in actions]
        if rows:
            title = _sentence(_TITLES.get(group.title or "", group.title or ""))
            parts.append(f"## {title}\n\n| option | |\n|---|---|\n" + "".join(rows))
    title, _, rest = (found.epilog or "").partition("\n")
    examples, _, text = rest.partition("\n\n")
    parts.append(f"## {_sentence(title.rstrip(':'))}\n\n```text\n{examples}\n```\n\n{text}")
    return "\n".join(parts)


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
