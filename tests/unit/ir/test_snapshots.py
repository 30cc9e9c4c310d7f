"""Snapshots: one module as long as no pass changes it, and which modules are the same."""

from __future__ import annotations

import pytest

from ninetoothed.ir.snapshots import Snapshots, equivalent
from tests.support.nt_modules import parse

TEXT = """
builtin.module {
  %value = arith.constant 1 : i32
  %wide = arith.extsi %value : i32 to i64
}
"""


@pytest.mark.parametrize(
    ("before", "after", "same"),
    [
        ("%value", "%number", True),
        ("arith.extsi", "arith.extui", False),
        ("1 : i32", "2 : i32", False),
        ("to i64", "to i33", False),
    ],
)
def test_equivalent(before: str, after: str, same: bool) -> None:
    assert equivalent(parse(TEXT), parse(TEXT.replace(before, after))) is same


def test_a_module_is_kept_until_it_changes() -> None:
    module, snapshots = parse(TEXT), Snapshots()
    snapshots("first", module)
    snapshots("second", module)
    last = module.body.block.last_op
    assert last is not None
    last.detach()
    snapshots("third", module)
    assert [name for name, _ in snapshots.modules] == ["first", "second", "third"]
    (_, first), (_, second), (_, third) = snapshots.modules
    assert first is second is not module
    assert equivalent(first, parse(TEXT))
    assert not equivalent(third, first)
    assert equivalent(third, module)
