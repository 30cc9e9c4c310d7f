"""Guards of torch's compiler: one call that compares tensors with those of an earlier call.

torch's compiler has guards that compare all of a tensor's type, element type, device, layout, sizes
and strides in a fraction of the time that Python takes to read them. They are no public interface:
without them, calls are compared in Python.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Sequence
from typing import Any

from ninetoothed.calls.generated import defined

Guard = Callable[..., bool]

_KNOWN = ((2, 11), (2, 13))
"""The torch versions, from and to, with which this was tested."""


def never(*tensors: Any) -> bool:
    """Guard that holds for no call."""
    return False


def guard(tensors: Sequence[Any], of_any_size: bool = False) -> Guard:
    """Guard of as many tensors: true if each has its counterpart's properties, pointers apart; of
    any size, sizes and strides of its dims apart, too.

    It may be false where they are: for one tensor in two places where there were two, or the other
    way round, and under another mode of torch.
    """
    make = _maker()
    plain = plain_types()
    if make is None or any(type(tensor) not in plain for tensor in tensors):
        return never
    places = {id(tensor): place for place, tensor in reversed([*enumerate(tensors)])}
    firsts = tuple(places[id(tensor)] for tensor in tensors)
    # torch's guards take distinct tensors.
    given = [tensors[place] for place in sorted({*firsts})]
    try:
        dims = [[None] * tensor.dim() for tensor in given] if of_any_size else None
        check = make(*given, dynamic_dims_sizes=dims, dynamic_dims_strides=dims).check
    except Exception:
        # A build of torch that has other guards than its version.
        return never
    return check if len(given) == len(tensors) else _spread(firsts)(check)


@functools.cache
def _spread(firsts: tuple[int, ...]) -> Callable[[Guard], Guard]:
    """Extend a guard of distinct tensors to all; ``firsts``: the first position of each."""
    names = [f"t{place}" for place in range(len(firsts))]
    conditions = [
        f"{name} is t{first}"
        for name, first in zip(names, firsts, strict=True)
        if name != f"t{first}"
    ]
    given = ", ".join(f"t{place}" for place in sorted({*firsts}))
    source = (
        "def make(check):\n"
        f"    return lambda {', '.join(names)}: {' and '.join(conditions)} and check({given})\n"
    )
    (make,) = defined(("make",), source, {})
    return make


@functools.cache
def _maker() -> Any:
    torch: Any = importlib.import_module("torch")
    try:
        major, minor = (int(part) for part in torch.__version__.split(".")[:2])
        if not _KNOWN[0] <= (major, minor) <= _KNOWN[1]:
            return None
        return importlib.import_module("torch._C._dynamo.guards").TensorGuards
    except (ImportError, AttributeError, ValueError):
        return None


@functools.cache
def plain_types() -> tuple[type, ...]:
    """Tensor classes that report their own properties truly; a subclass may not."""
    torch: Any = importlib.import_module("torch")
    return torch.Tensor, torch.nn.Parameter
