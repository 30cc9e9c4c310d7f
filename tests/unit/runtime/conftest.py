"""The runtime's fixtures."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.dispatching import World, fake_world


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    """Compilers, a driver and a clock that are made up."""
    return fake_world(tmp_path, monkeypatch)
