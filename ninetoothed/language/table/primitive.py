"""What a row of the table is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NoReturn

from ninetoothed.errors import NineToothedError, caller_loc, user_facing


@dataclass(frozen=True)
class Primitive:
    """A function of the language. It has a meaning inside an application only.

    ``op`` is the ``nt`` op that it becomes: ``"map"`` (elementwise), ``"reduce"``, or one of its
    own. ``parameters`` are names, with their defaults where they have one. ``rule`` gives, from the
    operands' element types, the type that they are brought to and the result's. ``identity`` is
    what lanes that are not real read in a reduction, from the element type. ``triton`` is Triton's
    spelling over ``{0}``, ``{1}``, …. ``symbol`` is Python's operator, for rows that have one; rows
    without ``public`` are operators only.
    """

    name: str
    op: str
    parameters: tuple[str, ...]
    doc: str
    rule: Callable[..., tuple[str, str]] | None = None
    triton: str = ""
    identity: Callable[[str], float | int] | None = None
    public: bool = True

    @property
    def __doc__(self) -> str:  # pyright: ignore[reportIncompatibleVariableOverride]
        """The signature and the documentation, for ``help``."""
        return f"{self.name}({', '.join(self.parameters)})\n\n{self.doc}"

    @user_facing
    def __call__(self, *args: object, **kwargs: object) -> NoReturn:
        raise NineToothedError(
            f"ntl.{self.name} has a meaning inside an application only; call a kernel that uses it",
            caller_loc(),
        )
