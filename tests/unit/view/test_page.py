"""The page's text and data; ``tests/tools`` looks at it in a browser."""

from __future__ import annotations

import base64
import hashlib
import html.parser
import re
from dataclasses import replace
from operator import mul
from pathlib import Path
from typing import Any

import pytest

import ninetoothed
from ninetoothed import Tensor, block_size
from ninetoothed.artifacts.target import Target
from ninetoothed.compiler.defaults import assumed_signature, pick
from ninetoothed.errors import ConfigurationError, DeviceError
from ninetoothed.kernel.kernel import Kernel
from ninetoothed.runtime.toolchain.inspection import Inspection
from ninetoothed.view import collection
from ninetoothed.view import page as pages
from ninetoothed.view.collection import Compilation, collect
from ninetoothed.view.listing import Listing
from ninetoothed.view.page import page
from ninetoothed.view.skeleton import part
from tests.support.view_pages import data_of, places_of

BLOCK = block_size()
REMARKS = ("passed", "missed", "analysis")
TOKENS = ("keyword", "string", "value", "type", "op", "number")
"""Colours of texts, beside those of the page."""


def arrangement(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    return x.tile((BLOCK,)).tile((-1,)), y.tile((BLOCK,)).tile((-1,))


def application(x: Any, y: Any) -> None:
    # </script><script>document.title = "owned"</script><!-- & @DATA@
    for i in range(x.shape[0]):
        y[i] = x[i] * 2


kernel: Kernel = ninetoothed.make(arrangement, application, (Tensor(1), Tensor(1)))
HEAD = application.__code__.co_firstlineno
PTX = f'\t.file\t1 "{__file__}"\n\t.loc\t1 {HEAD + 3} 1\n\tadd.s32 %r1, %r2, 3;\n\tret;\n'


def compiled(monkeypatch: pytest.MonkeyPatch, made: Inspection | Exception) -> Compilation:
    """A compilation whose stages in Triton are ``made``, or fail with it."""

    def inspect(*_: object) -> Inspection:
        if isinstance(made, Exception):
            raise made
        return made

    monkeypatch.setattr(collection, "inspect", inspect)
    definition = kernel.definition
    signature = assumed_signature(definition, {}, {})
    module = kernel.composed(signature)
    signature, config = pick(definition, module, signature, {})
    return collect(definition, signature, config, Target.parse("sm_90"), assumed="// a\n// b\n")


@pytest.fixture
def compilation(monkeypatch: pytest.MonkeyPatch) -> Compilation:
    return compiled(monkeypatch, Inspection({"ptx": PTX}, registers=16, spills=0, shared=0))


def test_data_hold_every_stage(compilation: Compilation) -> None:
    data = data_of(page(compilation))
    names = [row["name"] for row in data["passes"]]
    assert names[0] == "frontend"
    assert {"nt-compose-arrangement", "nt-lower-accesses", "nt-lower-to-tt"} <= set(names)
    stages = [row["stage"] for row in data["passes"] if "stage" in row]
    assert stages[0] == "arranged"
    assert stages[-1] == "tt"
    assert all(row["ms"] >= 0 for row in data["passes"])
    assert data["resources"] == {"registers": 16, "spills": 0, "shared": 0}
    assert data["assumed"] == ["a", "b"]
    last = data["texts"][data["passes"][-1]["text"]]
    assert last["lines"][1].startswith(f"  tt.func @{kernel.definition.name}")
    # A pass that changes nothing shares the text, and has no diff.
    for before, row in zip(data["passes"], data["passes"][1:], strict=False):
        assert ("diff" in row) == (row["text"] != before["text"])


def test_a_diff_leads_from_one_text_to_the_next(compilation: Compilation) -> None:
    data = data_of(page(compilation))
    for before, row in zip(data["passes"], data["passes"][1:], strict=False):
        old, new = (data["texts"][one["text"]]["lines"] for one in (before, row))
        made: list[str] = []
        for tag, begin, end, start, stop in row.get("diff", []):
            made += old[begin:end] if tag == "equal" else new[start:stop]
        assert made in ([], new)


def test_lines_have_places(compilation: Compilation) -> None:
    data = data_of(page(compilation))
    assert data["files"][0]["name"] == __file__
    assert data["files"][0]["text"] == Path(__file__).read_text(encoding="utf-8")
    (stage,) = data["stages"]
    assert stage["name"] == "ptx"
    assert data["texts"][stage["text"]]["lines"] == ["\tadd.s32 %r1, %r2, 3;", "\tret;"]
    assert places_of(data, stage["text"], 0) == {(__file__, HEAD + 3)}


def test_remarks_have_places(compilation: Compilation) -> None:
    data = data_of(page(compilation))
    assert data["remarks"]
    for remark in data["remarks"]:
        file, line = remark["places"][0]
        assert data["files"][file]["name"] == __file__
        assert HEAD <= line <= HEAD + 3 or line < HEAD
    # The IR holds them, too, but is easier to read without.
    assert "nt.remark" not in "".join(data["forms"])


def test_nothing_of_the_users_is_markup(compilation: Compilation) -> None:
    text = page(replace(compilation, artifact=replace(compilation.artifact, name="<b>&@DATA@")))
    assert "owned" not in text
    assert "<title>&lt;b&gt;&amp;@DATA@, sm_90</title>" in text
    assert '</script><script>document.title = "owned"' in data_of(text)["files"][0]["text"]


def test_only_the_pages_own_script_may_run(compilation: Compilation) -> None:
    text = page(compilation)
    (script,) = re.findall(r'<script type="module">(.*?)</script>', text, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"default-src 'none'; script-src 'sha256-{digest}'" in text
    found: list[str] = []

    class Links(html.parser.HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            found.extend(name for name, _ in attrs if name in ("src", "href", "style", "onclick"))

    Links().feed(text)
    assert not found


def test_without_timings_the_same_input_gives_the_same_bytes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = Inspection({"ptx": PTX})
    first, second = (page(compiled(monkeypatch, made), timings=False) for _ in range(2))
    assert first == second
    assert all("ms" not in row for row in data_of(first)["passes"])


def luminance(colour: str) -> float:
    """Relative luminance, as WCAG defines it."""
    shares = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    linear = [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in shares]
    return sum(map(mul, (0.2126, 0.7152, 0.0722), linear))


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_text_stands_out_from_every_background(theme: int) -> None:
    css = part("skeleton.css") + part("page.css")
    rows = re.findall(r"--(\w+): light-dark\((#\w{6}), (#\w{6})\);", css)
    shades = {name: luminance(colours[theme]) for name, *colours in rows}
    for text in (*REMARKS, *TOKENS, "ink", "soft"):
        for background in ("bg", "paper", "hover", "pin", "hit", "add", "del"):
            low, high = sorted((shades[text], shades[background]))
            assert (high + 0.05) / (low + 0.05) >= 4.5, f"{text} on {background}"


@pytest.mark.parametrize(
    "error", [DeviceError("Triton is not installed"), ConfigurationError("too large")]
)
def test_without_triton_the_page_has_our_stages(
    monkeypatch: pytest.MonkeyPatch, error: DeviceError | ConfigurationError
) -> None:
    data = data_of(page(compiled(monkeypatch, error)))
    assert data["missing"] == error.message
    assert data["stages"] == []
    assert data["passes"][-1]["stage"] == "tt"


def test_the_end_of_a_text_is_left_out_where_it_does_not_fit(
    compilation: Compilation, monkeypatch: pytest.MonkeyPatch
) -> None:
    digests = (hashlib.sha256(str(i).encode()).hexdigest() for i in range(4000))
    long = Listing(tuple(f"x{digest}" for digest in digests), (None,) * 4000)
    many = replace(compilation, machine={**compilation.machine, "sass": long})
    monkeypatch.setattr(pages, "LIMIT", len(page(compilation)) + 100_000)
    text = page(many)
    assert len(text) <= pages.LIMIT
    data = data_of(text)
    by_name = {row["name"]: data["texts"][row["text"]]["lines"] for row in data["stages"]}
    assert len(by_name["ptx"]) == 2
    lines = by_name["sass"]
    assert lines[:-1] == list(long.lines[: len(lines) - 1])
    assert lines[-1] == f"… {4001 - len(lines)} more lines: nt-opt -t sass prints all"


def test_a_text_that_fits_is_whole(compilation: Compilation) -> None:
    long = Listing(tuple(f"add %r{i};" for i in range(20_000)), (None,) * 20_000)
    data = data_of(page(replace(compilation, machine={"sass": long})))
    assert data["texts"][data["stages"][0]["text"]]["lines"] == list(long.lines)
