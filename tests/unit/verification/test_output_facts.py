"""What is known of outputs: which are written, and which as a whole without being read."""

# pyright: reportUnusedVariable=false

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import ninetoothed.language as ntl
from ninetoothed import Tensor, block_size
from ninetoothed.definition.define import define, run_arrangement
from ninetoothed.verification.verdicts import output_facts

NOTHING: Mapping[str, Any] = {}


def blocks(x: Any, y: Any) -> Any:
    return x.tile((64,)), y.tile((64,))


def facts(
    application: Callable[..., Any],
    arrangement: Callable[..., Any] = blocks,
    values: Mapping[str, Any] = NOTHING,
    tensors: tuple[Tensor, ...] | None = None,
) -> tuple[str, str]:
    arranged = run_arrangement(arrangement, tensors or (Tensor(1), Tensor(1)))
    definition = define(None, arranged.tensors, application, decisions=arranged.decisions)
    written, full, _ = output_facts(definition, {}, values)
    return " ".join(sorted(written)), " ".join(sorted(full))


def test_whole() -> None:
    def application(x: Any, y: Any) -> None:
        y = x * 2

    assert facts(application) == ("y", "y")


def test_read() -> None:
    def application(x: Any, y: Any) -> None:
        y = y + x

    assert facts(application) == ("y", "")


def test_read_through_a_pointer() -> None:
    def application(x: Any, y: Any) -> None:
        y = x + ntl.load(y.data_ptr())

    assert facts(application) == ("y", "")


def test_written_in_part() -> None:
    def sparse(x: Any, y: Any) -> Any:
        return x.tile((64,)), y.tile((64,), strides=(128,))

    def application(x: Any, y: Any) -> None:
        y = x * 2

    assert facts(application, sparse) == ("y", "")


def test_added_to() -> None:
    def application(x: Any, y: Any) -> None:
        ntl.atomic_add(y.data_ptr(), ntl.sum(x))

    assert facts(application) == ("y", "")


def test_written_if_a_constant_says_so() -> None:
    def arrangement(x: Any, flag: Any, y: Any) -> Any:
        return x.tile((64,)), flag, y.tile((64,))

    def application(x: Any, flag: Any, y: Any) -> None:
        if flag:
            y = x * 2

    def tensors() -> tuple[Tensor, ...]:
        return Tensor(1), Tensor(0, constexpr=True), Tensor(1)

    assert facts(application, arrangement, {"flag": True}, tensors()) == ("y", "y")
    assert facts(application, arrangement, {"flag": False}, tensors()) == ("", "")


def test_written_if_data_say_so() -> None:
    def application(x: Any, y: Any) -> None:
        if ntl.sum(x) > 0:
            y = x * 2

    assert facts(application) == ("y", "")


def test_written_by_some_block_sizes() -> None:
    size = block_size()

    def arrangement(x: Any, y: Any) -> Any:
        return x.tile((size,)), y.tile((size,))

    def application(x: Any, y: Any) -> None:
        if x.shape[0] >= 64:
            y = x * 2

    assert facts(application, arrangement) == ("x y", "")


def sizes(application: Callable[..., Any], arrangement: Callable[..., Any]) -> Any:
    arranged = run_arrangement(arrangement, (Tensor(2), Tensor(2)))
    definition = define(None, arranged.tensors, application, decisions=arranged.decisions)
    return output_facts(definition, {}, {}).equal_sizes


def rows(x: Any, y: Any) -> Any:
    return x.tile((1, -1)), y.tile((1, -1))


def tiles(x: Any, y: Any) -> Any:
    return x.tile((1, 64)), y.tile((1, 64))


def test_sizes_that_every_call_checks() -> None:
    def doubled(x: Any, y: Any) -> None:
        y = x * 2

    # Numbers of rows that differ are taken where programs are none the worse for it.
    assert sizes(doubled, rows) == (("x_size_1", "y_size_1"),)
    assert sizes(doubled, tiles) == ()


def test_sizes_that_may_differ() -> None:
    def total(x: Any, y: Any) -> None:
        y = ntl.sum(x)

    assert sizes(total, rows) == ()


def test_sizes_that_some_block_sizes_check() -> None:
    size = block_size()

    def blocks_of_rows(x: Any, y: Any) -> Any:
        return x.tile((size, -1)), y.tile((size, -1))

    def application(x: Any, y: Any) -> None:
        if x.shape[0] >= 64:
            y = x * 2

    assert sizes(application, blocks_of_rows) == ()


def test_sizes_that_it_is_specialized_on() -> None:
    def application(x: Any, y: Any) -> None:
        for _ in ntl.static_range(x.shape[1] // 16):
            y = x * 2

    tensors = Tensor(2, shape_options=(None, {"constexpr": True})), Tensor(2)
    assert facts(application, rows, tensors=tensors) == ("x y", "")
