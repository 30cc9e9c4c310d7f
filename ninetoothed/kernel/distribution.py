"""Distribution of a kernel's tensors over several devices: :func:`sharding`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ninetoothed.errors import ArgumentError, shown, user_facing
from ninetoothed.kernel.kernel import Kernel
from ninetoothed.verification.sharding_rules import Sharding, derive


@user_facing
def sharding(
    kernel: Kernel,
    dtypes: Mapping[str, Any] | None = None,
    values: Mapping[str, Any] | None = None,
) -> Sharding:
    """Derive the placements of the tensors on several devices under which a kernel gives the same
    result, and print as a table of them.

    Each is proved for all sizes, ranks and block sizes, where the dims that it splits have one
    size and the outermost levels agree. What cannot be proved is refused, with the reason.
    Nothing is compiled.

    Args:
        kernel: What :func:`ninetoothed.make` or :func:`ninetoothed.jit` gave.
        dtypes: Element types by parameter; others are fp32, or integers where that does not fit.
        values: Values of constexprs by name; those without a default are needed.

    Raises:
        ArgumentError: ``kernel`` is none; there is no such parameter or symbol, or a constexpr has
            no value.

    Example:
        >>> def arrangement(x, y, size=block_size()):
        ...     return x.tile((size,)), y.tile((size,))
        >>> def application(x, y):
        ...     y = 2 * x
        >>> double = ninetoothed.make(arrangement, application, (Tensor(1), Tensor(1)))
        >>> print(ninetoothed.sharding(double))
        g0  x: S0, y: S0
    """
    if not isinstance(kernel, Kernel):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise ArgumentError(
            f"sharding takes a kernel, not {shown(kernel)}; give what ninetoothed.make or "
            "ninetoothed.jit returned"
        )
    return derive(
        kernel.definition,
        {} if dtypes is None else dtypes,
        {} if values is None else values,
    )
