"""Our dialects and passes for xDSL's own tools, ``xdsl-opt`` and ``xdsl-run``.

They find it by its entry point in the group ``xdsl.universe``. What bears a name of xDSL's is left
to xDSL, since its tools end where a name is taken twice: ``arith``, ``scf``, ``canonicalize``. They
take modules up to stage ``scheduled``; behind it are comparisons of blocks, which xDSL's ``arith``
refuses and ``nt-opt`` takes.
"""

from __future__ import annotations

from xdsl.dialects import get_all_dialects
from xdsl.universe import Universe

from ninetoothed.ir.dialects import factories
from ninetoothed.passes import available_passes

UNIVERSE = Universe(
    all_dialects={
        name: factory for name, factory in factories().items() if name not in get_all_dialects()
    },
    all_passes={
        name: factory for name, factory in available_passes().items() if name.startswith("nt-")
    },
)
"""The dialects ``nt`` and ``tt``, and the compiler's passes, each imported when it is used."""
