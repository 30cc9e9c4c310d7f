from ninetoothed_cache_hints import CacheHintsPass

from ninetoothed.testing import assert_preserves_meaning


def test_meaning():
    assert_preserves_meaning(CacheHintsPass(level=2), count=20)
