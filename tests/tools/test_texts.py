"""Every stage of every example prints, parses and prints alike, in lines that fit a screen."""

from __future__ import annotations

from pathlib import Path

import pytest
from xdsl.parser import Parser

from ninetoothed.ir.dialects import context
from ninetoothed.ir.line_wrapping import WIDTH
from ninetoothed.ir.parsing import parse_module
from ninetoothed.ir.printing import text_of
from tests.support import profiles
from tests.support.dumped_stages import dump
from tests.support.example_kernels import KERNELS, ExampleKernel

_EVERY = 4


@pytest.mark.parametrize(
    ("kernel", "debug_info"), profiles.pairs(KERNELS, [False, True], profiles.full()), ids=str
)
def test_stages(kernel: ExampleKernel, debug_info: bool, tmp_path: Path) -> None:
    paths, _ = dump(kernel, tmp_path, *(["--debug-info"] if debug_info else []))
    for number, path in enumerate(paths):
        text = path.read_text(encoding="utf-8")
        long = [line for line in text.splitlines() if len(line) > WIDTH]
        # Names of files and of functions, and the application's messages, are as long as they are.
        unbroken = ("loc(", " // ") if debug_info else (" // ",)
        assert all(any(one in line for one in unbroken) for line in long), (path.name, long)
        head = "".join(line for line in text.splitlines(keepends=True) if line.startswith("//"))
        modules = [parse_module(text)]
        if debug_info and number % _EVERY == 0:
            # That of other tools that know the dialects.
            modules.append(Parser(context(), text).parse_module())
        for module in modules:
            assert f"{head}{text_of(module, debug_info)}\n" == text, path.name
