"""``ntl.libdevice``: the functions of the device libraries, as in
``triton.language.extra.libdevice``.

They take fp32 and fp64, or integers, and convert nothing: see ``help(ntl.libdevice.tanh)``.
"""

from __future__ import annotations

from ninetoothed.language.table.libdevice import LIBDEVICE, Extern


def __getattr__(name: str) -> Extern:
    found = LIBDEVICE.get(name)
    if found is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return found


def __dir__() -> list[str]:
    return list(LIBDEVICE)
