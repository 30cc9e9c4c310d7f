"""Changes of the pipeline that ``make(..., pipeline=...)`` takes: passes put in and left out."""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, cast

from ninetoothed.errors import ArgumentError, did_you_mean, shown
from ninetoothed.plugins import outside_passes
from ninetoothed.plugins.outside_passes import OutsidePass, Place


class Insertion(NamedTuple):
    """A pass that is put in: its text, as ``"nt-some-words{factor=4}"``, and its place; None: the
    one that it is registered with.
    """

    text: str
    place: Place | None = None

    @property
    def name(self) -> str:
        """The name of the pass."""
        return self.text.partition("{")[0].strip()

    def __str__(self) -> str:
        return self.text if self.place is None else f"{self.text} {self.place}"


@dataclass(frozen=True)
class Pipeline:
    """The compiler's pipeline with passes of other packages put in, and optional ones left out.

    ::

        pipeline = Pipeline().insert("nt-some-words{factor=4}", after="nt-specialize")
        kernel = ninetoothed.make(arrangement, application, tensors, pipeline=pipeline)

    It does not change: each method returns another one. What it names is looked for when a kernel
    is made.
    """

    insertions: tuple[Insertion, ...] = ()
    left_out: tuple[str, ...] = ()

    def insert(self, text: str, *, before: str | None = None, after: str | None = None) -> Pipeline:
        """Put a pass in: before or after a pass or a stage, else where it is registered.

        Args:
            text: The name of a pass of another package, with options as on ``nt-opt``'s command
                line: ``"nt-some-words{factor=4}"``.
            before: The name of a pass, or of a stage, before whose first pass it runs.
            after: The name of a pass, or of a stage, which it leaves as legal as it was. Of several
                passes in one place, the one that is put in first runs first.

        Raises:
            ArgumentError: both places are given, the text is none, or the pass is in already.
        """
        if not isinstance(cast("object", text), str) or not text.strip():
            raise ArgumentError(
                f"a pass is named by a text, as 'nt-some-words{{factor=4}}', not {shown(text)}"
            )
        new = Insertion(text.strip(), Place.of(before, after))
        if "," in new.name:
            raise ArgumentError(f"the pipeline has {text!r}; give passes one by one, in a tuple")
        if new.name in [one.name for one in self.insertions]:
            raise ArgumentError(f"the pipeline has {new.name} twice; a pass runs once")
        return replace(self, insertions=(*self.insertions, new))

    def without(self, name: str) -> Pipeline:
        """Leave out one of the compiler's own passes: one that only optimises.

        Raises:
            ArgumentError: the name is none.
        """
        if not isinstance(cast("object", name), str):
            raise ArgumentError(f"a pass is named by a text, not {shown(name)}")
        return replace(self, left_out=tuple(dict.fromkeys((*self.left_out, name))))


PipelineLike = str | Iterable[str] | Pipeline | None
"""What ``pipeline=`` takes: names of passes, which run where they are registered, or a pipeline."""


@dataclass(frozen=True)
class BoundPipeline:
    """Pipeline of a kernel, with the passes that its names mean in this process."""

    pipeline: Pipeline
    passes: tuple[OutsidePass, ...]

    @property
    def key(self) -> tuple[object, ...]:
        """What it is, in cache keys: names, places, versions and sources."""
        texts = tuple(map(str, self.pipeline.insertions))
        return (texts, self.pipeline.left_out, tuple(one.key for one in self.passes))

    def again(self, own: Iterable[str]) -> BoundPipeline | None:
        """The same in another process, which imports the modules that register its passes, but for
        those of entry points.
        """
        for one in self.passes:
            if outside_passes.find(one.name) is None and one.module != "__main__":
                # What cannot be imported is missed below, by its name.
                with contextlib.suppress(ImportError):
                    importlib.import_module(one.module)
        return bound(self.pipeline, own)


def bound(given: PipelineLike, own: Iterable[str]) -> BoundPipeline | None:
    """Look for the passes that ``pipeline=`` names, without importing them; None for no change.

    ``own``: the names of the compiler's passes.

    Raises:
        ArgumentError: it is no pipeline, or there is no pass of a name.
        PluginError: several distributions have a pass of one name.
    """
    pipeline = _pipeline(given)
    if pipeline == Pipeline():
        return None
    own = tuple(own)
    return BoundPipeline(pipeline, tuple(_known(one.name, own) for one in pipeline.insertions))


def _pipeline(given: PipelineLike) -> Pipeline:
    if given is None or isinstance(given, Pipeline):
        return given or Pipeline()
    if isinstance(given, str):
        given = (given,)
    if not isinstance(cast("object", given), Iterable):
        raise ArgumentError(
            "pipeline takes the name of a pass, several of them, or a "
            f"ninetoothed.passes.Pipeline, not {shown(given)}"
        )
    found = Pipeline()
    for text in given:
        found = found.insert(text)
    return found


def _known(name: str, own: Sequence[str]) -> OutsidePass:
    if name in own:
        raise ArgumentError(
            f"{name} is one of the compiler's passes, and has its place; pipeline takes passes of "
            "other packages"
        )
    found = outside_passes.find(name)
    if found is None:
        raise ArgumentError(unknown_pass(name, outside_passes.names()))
    return found


def unknown_pass(name: str, known: Iterable[str]) -> str:
    """What is wrong with the name of a pass that there is not."""
    meant = did_you_mean(name, known)
    meant = f"{meant} Passes" if meant else "passes"
    return (
        f"there is no pass {name!r}; {meant} of other packages are registered by "
        "ninetoothed.passes.register, or have an entry point in the group ninetoothed.passes"
    )
