"""…"""

from __future__ import annotations

from tests.support.idioms.idiom import Idiom

IDIOMS: tuple[Idiom, ...] = ()
