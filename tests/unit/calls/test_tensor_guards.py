"""Guards of torch's compiler on tensors, and the fallback where torch has changed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

from ninetoothed.calls import tensor_guards

pytestmark = pytest.mark.skipif(
    tensor_guards.guard([torch.empty(1)]) is tensor_guards.never,
    reason="not with this version of torch",
)


def vectors(*sizes: int) -> list[torch.Tensor]:
    return [torch.empty(size) for size in sizes]


CHANGES: list[Callable[[torch.Tensor], Any]] = [
    lambda x: x[:3],
    lambda x: x.view(2, 2),
    lambda x: x.to(torch.float64),
    lambda x: x.view(torch.int32),
    lambda x: x.to("meta"),
    lambda x: torch.empty(8)[::2],
    lambda x: torch.empty(1).expand(4),
    lambda x: torch.nn.Parameter(x),
    lambda x: torch.zeros(4, dtype=torch.cfloat).conj().imag,
    lambda x: x.to_sparse(),
    lambda x: None,
]


@pytest.mark.parametrize("change", CHANGES)
def test_another_tensor(change: Callable[[torch.Tensor], Any]) -> None:
    x, y = vectors(4, 4)
    holds = tensor_guards.guard([x, y])
    assert holds(x, y)
    assert holds(y, x)
    assert not holds(change(x), y)
    assert not holds(x, change(y))


def test_tensors_of_any_size() -> None:
    x, y = vectors(4, 4)
    holds = tensor_guards.guard([x, y], of_any_size=True)
    for other in (x[:3], torch.empty(8)[::2], torch.empty(1).expand(4), torch.empty(1 << 20)):
        assert holds(x, other)
        assert holds(other, y)
        assert not tensor_guards.guard([x, y])(x, other)
    for change in CHANGES:
        other = change(x)
        if not (isinstance(other, torch.Tensor) and type(other) is torch.Tensor) or (
            other.dtype != x.dtype or other.dim() != 1 or other.is_neg() or other.is_sparse
        ):
            assert not holds(other, y)
    assert not holds(x.to("meta"), y)
    assert tensor_guards.guard([torch.empty(())], of_any_size=True)(torch.ones(()))
    assert not holds(torch.empty(()), y)


@pytest.mark.parametrize("is_recording", [True, False])
def test_a_guard_of_tensors_without_gradients(is_recording: bool) -> None:
    """It holds for none that needs them, whatever the mode that it was made in."""
    plain, needs = torch.empty(4), torch.empty(4, requires_grad=True)
    with torch.set_grad_enabled(is_recording):
        holds = tensor_guards.guard([plain], of_any_size=True)
    assert holds(plain)
    assert not holds(needs)


def test_nothing_is_held() -> None:
    (x,) = vectors(4)
    holds = tensor_guards.guard([x])
    # It tells of what a tensor is now.
    x.resize_(5)
    assert not holds(x)
    x.resize_(4)
    assert holds(x)
    other: Any = torch.empty(8)[::2]
    x.set_(other)
    assert not holds(x)


def test_one_tensor_in_several_places() -> None:
    x, y, z, u = vectors(4, 6, 4, 4)
    holds = tensor_guards.guard([x, y, x, x])
    assert holds(z, y, z, z)
    assert not holds(z, y, z, u)
    assert not holds(z, y, u, u)
    assert not holds(y, y, y, y)
    assert not holds(y, x, y, y)
    assert not tensor_guards.guard([x, y, z, u])(x, y, x, x)


def test_subclasses_have_none() -> None:
    class Own(torch.Tensor):
        pass

    x, y = vectors(4, 4)
    assert tensor_guards.guard([x, y.as_subclass(Own)]) is tensor_guards.never


def other_arguments(*tensors: torch.Tensor) -> None:
    pass


def test_a_torch_that_has_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tensor_guards, "_maker", lambda: other_arguments)
    assert tensor_guards.guard(vectors(4)) is tensor_guards.never


@pytest.mark.parametrize("version", ["2.10.1", "2.14.0a0+git1", "3.0.0", "unknown"])
def test_other_versions(monkeypatch: pytest.MonkeyPatch, version: str) -> None:
    monkeypatch.setattr(torch, "__version__", version)
    tensor_guards._maker.cache_clear()  # pyright: ignore[reportPrivateUsage]
    assert tensor_guards.guard(vectors(4)) is tensor_guards.never
    tensor_guards._maker.cache_clear()  # pyright: ignore[reportPrivateUsage]
