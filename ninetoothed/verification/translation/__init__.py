"""Translation validation of addresses: no pass changes which elements a kernel touches.

For every parameter, the set of (program, lane) -> element before and after each pass is compared:
symbolically where the accesses are still attributes, else by running the module before and the
module after on small, adversarial arguments. ``samples`` chooses the arguments, ``views`` lays them
out in memory, ``proofs`` compares attributes, ``pass_trace`` keeps the modules after each pass, and
``check`` runs them and returns an ``outcome``. Accesses are recorded by ``interpreters.trace``.

The modules of this package import torch; the package itself does so only when it is called.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ninetoothed.verification.translation.outcome import Report

if TYPE_CHECKING:
    from ninetoothed.artifacts.configuration import Config
    from ninetoothed.artifacts.signature import Signature
    from ninetoothed.definition.definition import Definition

__all__ = ["Report", "validate"]


def validate(definition: Definition, signature: Signature, config: Config) -> Report:
    """Validate the passes on a kernel, for calls like those of ``signature`` and for ``config``.

    Element types, constexpr values and the width of indices are the signature's; sizes, strides and
    numbers are chosen, and so are smaller block sizes beside those of ``config``.

    Raises:
        CompilerError: a pass changed what is touched. Names the pass, the parameter, the sizes, an
            element that only one side touches, and the file that reproduces the pass. Or a pass
            failed in one of the calls; names both.
        PluginError: a pass of another package failed, likewise.
    """
    from ninetoothed.verification.translation.check import validate as check

    return check(definition, signature, config)
