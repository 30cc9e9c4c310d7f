"""What the tests of ``make test-docs`` share: the site, built once."""

from __future__ import annotations

import pytest

from tests.support.site_pages import Site, build


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """The site, built from nothing."""
    return build(tmp_path_factory.mktemp("site"))
