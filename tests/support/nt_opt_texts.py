"""``nt-opt`` in this process: what a run prints."""

from __future__ import annotations

from ninetoothed.testing.filecheck import nt_opt


def text_of(*arguments: str, stdin: str = "") -> str:
    """What a run that succeeds prints."""
    result = nt_opt(arguments, stdin)
    assert result.code == 0, result.err
    return result.out
