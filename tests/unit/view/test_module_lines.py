"""Lines of our modules with their places in the source."""

from __future__ import annotations

from typing import Any

import ninetoothed
from ninetoothed import Tensor, block_size
from ninetoothed.artifacts.configuration import Config
from ninetoothed.compiler.compile import build
from ninetoothed.compiler.defaults import assumed_signature
from ninetoothed.view.module_lines import module_listing

BLOCK = block_size()


def doubled(value: Any) -> Any:
    return value + value


def arrangement(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    return x.tile((BLOCK,)).tile((-1,)), y.tile((BLOCK,)).tile((-1,))


def application(x: Any, y: Any) -> None:
    for i in range(x.shape[0]):
        y[i] = doubled(x[i])


def test_a_line_has_the_places_of_its_innermost_op() -> None:
    kernel = ninetoothed.make(arrangement, application, (Tensor(1), Tensor(1)))
    definition = kernel.definition
    module = build(definition, assumed_signature(definition, {}, {}), config=Config(()))
    listing = module_listing(module)
    assert len(listing.lines) == len(listing.places)
    head = application.__code__.co_firstlineno
    loop, store = (__file__, head + 1), (__file__, head + 2)
    added = ((__file__, doubled.__code__.co_firstlineno + 1), store)
    found = {
        line.strip().split(" : ")[0]: places
        for line, places in zip(listing.lines, listing.places, strict=True)
    }
    assert next(places for line, places in found.items() if "nt.store" in line) == (store,)
    assert next(places for line, places in found.items() if "nt.elementwise" in line) == added
    begin = next(i for i, line in enumerate(listing.lines) if "scf.for" in line)
    indent = " " * (len(listing.lines[begin]) - len(listing.lines[begin].lstrip()))
    end = listing.lines.index(f"{indent}}}", begin)
    assert listing.places[begin] == listing.places[end] == (loop,)
    # The module and the aliases in front of it have the place of its kernel.
    start = listing.lines.index("builtin.module {")
    assert start > 0
    assert {*listing.places[: start + 1], listing.places[-1]} == {((__file__, head),)}
    assert listing.linked == 1
