"""Registration of passes of other packages. This is no pass."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast, overload

from xdsl.passes import ModulePass

from ninetoothed.errors import ArgumentError, shown, user_facing
from ninetoothed.ir.optimization import Choice, Optimization
from ninetoothed.ir.stages import STAGES
from ninetoothed.passes import pass_names
from ninetoothed.passes.pipeline import SPECIALIZED, SYMBOLIC
from ninetoothed.passes.placement import optimizations_of, unknown_place
from ninetoothed.plugins import outside_passes
from ninetoothed.plugins.outside_passes import Place

_Pass = TypeVar("_Pass", bound=ModulePass)
_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_OPTIMIZATION = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")


@overload
def register(
    pass_: type[_Pass], *, before: str | None = None, after: str | None = None
) -> type[_Pass]: ...
@overload
def register(
    pass_: None = None, *, before: str | None = None, after: str | None = None
) -> Callable[[type[_Pass]], type[_Pass]]: ...
@user_facing
def register(pass_: Any = None, *, before: str | None = None, after: str | None = None) -> Any:
    """Register a pass of another package, so that ``make(..., pipeline=...)`` and ``nt-opt`` know
    its name. A call, or a decorator above ``@dataclass(frozen=True)``::

        @register(after="nt-specialize")
        @dataclass(frozen=True)
        class SomeWordsPass(KernelPass):
            name = "nt-some-words"
            optimizations = (Choice("some_words", name, "factor", "What it does.", legality),)
            factor: int = 1

            def apply_to(self, kernel: nt.KernelOp) -> None: ...

    A registered pass runs in the kernels alone whose pipeline names it. Behind it, the module is
    verified and must be as legal as its place asks: see ``ninetoothed.ir.stages``. What it compiles
    is told apart in every cache by its name, its version and the source of its whole package. The
    version is that of the distribution, where the pass was found by its entry point; else the
    class's attribute ``version``, else the package's ``__version__``.

    Its fields are its options, each with a default: integers, floats, truth values, texts, and
    tuples of these. ``optimizations`` declares which of them a name switches off and which the
    tuner chooses, by the same :class:`~ninetoothed.ir.optimization.Optimization` and
    :class:`~ninetoothed.ir.optimization.Choice` as the compiler's own. ``required_stages`` names
    the stages whose modules it takes, where it does not take all.

    Args:
        pass_: A ``KernelPass``, or any ``ModulePass`` of xDSL's.
        before: The pass, or the stage, in front of which it runs: of a stage, before its first
            pass.
        after: The pass, or the stage, behind which it runs. One of both is given.

    Returns:
        The class, as it is.

    Raises:
        ArgumentError: it is no pass, or its name, its place or an optimization is wrong or taken.
    """
    place = Place.of(before, after)
    if place is None:
        raise ArgumentError(
            "register takes a place; write for example register(MyPass, after='nt-specialize')"
        )

    def add(pass_: type[_Pass]) -> type[_Pass]:
        _check(pass_)
        _check_place(place)
        outside_passes.add(pass_, place)
        return pass_

    return user_facing(add) if pass_ is None else add(pass_)


def _check(pass_: type[ModulePass]) -> None:
    given_class = cast("object", pass_)
    if not (isinstance(given_class, type) and issubclass(given_class, ModulePass)):
        text = shown(cast("object", pass_))
        raise ArgumentError(f"register takes a class of passes, a KernelPass, not {text}")
    given: object = getattr(pass_, "name", None)
    where = f"{pass_.__module__}.{pass_.__qualname__}"
    if not isinstance(given, str) or not _NAME.fullmatch(given):
        raise ArgumentError(
            f"{where} has the name {shown(given)}; write lower case words with hyphens, as "
            "name = 'nt-some-words'"
        )
    if given in pass_names() or given in STAGES:
        raise ArgumentError(
            f"{given!r}, the name of {where}, is one of the compiler's; give it another"
        )
    if "__dataclass_fields__" not in vars(pass_):
        raise ArgumentError(
            f"{where} is no dataclass of its own; write @dataclass(frozen=True) above it, below "
            "@register"
        )
    fields = dataclasses.fields(pass_)
    for field in fields:
        if field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING:
            raise ArgumentError(f"option {field.name!r} of {where} has no default; give it one")
    missing = sorted(getattr(pass_, "__abstractmethods__", ()))
    if missing:
        raise ArgumentError(f"{where} does not define {missing[0]}, which runs the pass")
    _check_optimizations(pass_, where, [field.name for field in fields])


def _check_optimizations(pass_: type[ModulePass], where: str, options: Sequence[str]) -> None:
    declared = cast("object", optimizations_of(pass_))
    if not isinstance(declared, Sequence) or isinstance(declared, str):
        raise ArgumentError(
            f"optimizations of {where} is a tuple, also of one, not {shown(declared)}; write "
            "optimizations = (Choice(...),)"
        )
    given = pass_.name
    for one in cast("Sequence[object]", declared):
        if not isinstance(one, Optimization):
            raise ArgumentError(
                f"optimizations of {where} are instances of Optimization or Choice, not {shown(one)}"
            )
        if not _OPTIMIZATION.fullmatch(one.name):
            raise ArgumentError(
                f"an optimization of {where} has the name {shown(one.name)}; write lower case "
                "words with underscores, as 'some_words'"
            )
        if one.pass_name != given or one.option not in options:
            raise ArgumentError(
                f"optimization {one.name!r} of {where} is of option {one.option!r} of pass "
                f"{one.pass_name!r}; name an option of {given!r}"
            )
        if not isinstance(one, Choice) and getattr(pass_, one.option) is not True:
            raise ArgumentError(
                f"option {one.option!r} of {where}, which {one.name!r} switches off, is not True by "
                "default"
            )


def _check_place(place: Place) -> None:
    rows = (*SYMBOLIC, *SPECIALIZED)
    known = {stage for stage, _ in rows} | {name for _, names in rows for name in names}
    if place.name in known or place.name in outside_passes.registered():
        return
    outside = outside_passes.names()
    if place.name not in outside:
        raise unknown_place(place.name, {*known, *outside})
