"""How a kernel was made: what is pickled of it, to make it again."""

from __future__ import annotations

import functools
import importlib
import operator
import pickle
import sys
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from ninetoothed.artifacts.options import Options
from ninetoothed.definition.callables import bound_function
from ninetoothed.definition.define import Arranged
from ninetoothed.errors import SerializationError

if TYPE_CHECKING:
    from ninetoothed.definition.outputs import OutputsLike
    from ninetoothed.plugins.edited_pipeline import BoundPipeline


@dataclass(frozen=True)
class Recipe:
    """What :func:`ninetoothed.make` was given.

    ``make`` makes the kernel of a recipe. ``arrangement`` is None where what it returned,
    ``arranged``, stands for it.
    """

    make: Callable[[Recipe], Any]
    application: Callable[..., object]
    options: Options
    arranged: Arranged
    arrangement: Callable[..., object] | None = None
    pipeline: BoundPipeline | None = None
    outputs: OutputsLike = None

    @property
    def import_path(self) -> tuple[str, str] | None:
        """Module and name by which the application would be imported."""
        function = _function(self.application)
        module = getattr(function, "__module__", None)
        name = getattr(function, "__qualname__", None)
        return (module, name) if isinstance(module, str) and isinstance(name, str) else None

    @property
    def _shape_functions(self) -> list[Callable[..., object]]:
        """The functions that ``outputs`` holds."""
        given = cast("object", self.outputs)
        if isinstance(given, Mapping):
            values = [*cast("Mapping[str, object]", given).values()]
        else:
            values = [given]
        return [one for one in values if callable(one)]

    def portable(self) -> Recipe:
        """The recipe for another process, which imports the functions.

        An arrangement that cannot be imported is left out.

        Raises:
            SerializationError: the application cannot be imported.
        """
        missing = _missing(self.application)
        if missing is not None:
            source = bound_function(self.application, "the application").source
            raise SerializationError(
                f"the kernel of {source.name} cannot be pickled, for another process would not "
                f"find {missing}; define it at the top level of a module, under that name",
                source.place(source.node),
            )
        for function in self._shape_functions:
            missing = _missing(function)
            if missing is not None:
                raise SerializationError(
                    f"the kernel of {_function(self.application).__name__} cannot be pickled, for "
                    f"another process would not find {missing}, which outputs= is given; define "
                    "it at the top level of a module, under that name"
                )
        if self.arrangement is None:
            return self
        given = self.arranged.given
        if _missing(self.arrangement) is None and _is_picklable(given):
            return replace(self, arranged=Arranged((), {}, (), given))
        return replace(self, arrangement=None, arranged=self.arranged._replace(given=()))


def imported(module: str, name: str) -> Any:
    """What a module has under a dotted name."""
    return operator.attrgetter(name)(importlib.import_module(module))


def found(module: str, name: str) -> Any:
    """What a loaded module has under a dotted name; None if it has not."""
    try:
        return operator.attrgetter(name)(sys.modules.get(module))
    except AttributeError:
        return None


def _function(function: Any) -> Any:
    while isinstance(function, functools.partial):
        function = function.func
    return function


def _missing(function: Any) -> str | None:
    """The name that cannot be imported of the function behind a callable; None if all can."""
    function = _function(function)
    owner: Any = function
    if isinstance(function, types.MethodType):
        owner = function.__self__
    if not isinstance(owner, types.FunctionType | types.BuiltinFunctionType | type):
        owner = cast("type[Any]", type(owner))
    if found(owner.__module__, owner.__qualname__) is owner:
        return None
    return f"{owner.__module__}.{owner.__qualname__}"


def _is_picklable(tensors: tuple[object, ...]) -> bool:
    try:
        pickle.dumps(tensors)
    except Exception:
        # What users' objects raise may be anything.
        return False
    return True
