"""``ninetoothed.generation``: the cache folder by its public name."""

from __future__ import annotations

from pathlib import Path

import pytest

import ninetoothed
from ninetoothed import config, generation


def test_cache_dir_follows_the_setting(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("NINETOOTHED_CACHE_DIR", str(tmp_path / "one"))
    one = tmp_path / "one"
    assert one == generation.CACHE_DIR
    monkeypatch.setenv("NINETOOTHED_CACHE_DIR", str(tmp_path / "two"))
    assert ninetoothed.generation.CACHE_DIR == config.cache_dir() != one
    assert not generation.CACHE_DIR.exists()


def test_other_names() -> None:
    with pytest.raises(AttributeError, match="no attribute 'CACHE'"):
        _ = generation.CACHE
