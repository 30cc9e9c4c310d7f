"""What a tensor means with numbers, as functions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ninetoothed.errors import ArrangementError, caller_loc, shown, user_facing
from ninetoothed.tensor import Tensor

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


@user_facing
def eval(tensor: Tensor, subs: Mapping[Any, Any] | None = None) -> npt.NDArray[np.int64]:
    """The offsets of a tensor's elements in its source, as :meth:`Tensor.eval`.

    Args:
        tensor: An arranged tensor.
        subs: Its sizes and symbols as numbers, as :meth:`Tensor.eval` takes them.

    Raises:
        ArrangementError: ``tensor`` is none; and as the method raises.

    Example:
        >>> x = Tensor(1)
        >>> ninetoothed.eval(x.tile((4,)), {x: {"shape": (6,)}}).tolist()
        [[0, 1, 2, 3], [4, 5, -1, -1]]
    """
    return _tensor(tensor).eval(subs)


@user_facing
def subs(tensor: Tensor, subs: Mapping[Any, Any]) -> Tensor:
    """A tensor with numbers for sizes and symbols, as :meth:`Tensor.subs`.

    Args:
        tensor: An arranged tensor.
        subs: Numbers for sizes and symbols, as :meth:`Tensor.subs` takes them.

    Raises:
        ArrangementError: ``tensor`` is none; and as the method raises.

    Example:
        >>> x = Tensor(1)
        >>> ninetoothed.subs(x.tile((4,)), {x: {"shape": (6,)}}).shape
        (2,)
    """
    return _tensor(tensor).subs(subs)


def _tensor(value: object) -> Tensor:
    if not isinstance(value, Tensor):
        raise ArrangementError(
            f"{shown(value)} is no symbolic tensor; write ninetoothed.Tensor(2)", caller_loc()
        )
    return value
