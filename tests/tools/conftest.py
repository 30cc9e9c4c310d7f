"""What the tests of ``make test-tools`` share: a Chromium, or why there is none."""

from tests.support.chromium import chromium as chromium
