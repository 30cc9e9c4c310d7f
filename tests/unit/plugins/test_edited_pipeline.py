"""What ``pipeline=`` takes, and the mistakes that are found before anything is imported."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ninetoothed.errors import ArgumentError
from ninetoothed.passes import Pipeline
from ninetoothed.plugins.edited_pipeline import BoundPipeline, Insertion, bound
from ninetoothed.plugins.outside_passes import Place
from tests.support.outside import COUNT, own_registry, write_metadata, write_package

OWN = ("nt-specialize", "cse")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path) -> Iterator[Path]:
    write_metadata(tmp_path, COUNT)
    write_package(tmp_path)
    with own_registry(tmp_path):
        yield tmp_path


def message(*given: Any) -> str:
    with pytest.raises(ArgumentError) as caught:
        bound(*given)
    return caught.value.message


def test_nothing_changes_nothing() -> None:
    for given in (None, (), Pipeline()):
        assert bound(given, OWN) is None


def test_a_name_several_names_and_a_pipeline() -> None:
    found = bound("nt-count", OWN)
    assert found is not None
    assert found == bound(["nt-count"], OWN) == bound(Pipeline().insert("nt-count"), OWN)
    assert found.pipeline.insertions == (Insertion("nt-count"),)
    (known,) = found.passes
    assert (known.name, known.module, known.version) == ("nt-count", "counting.passes", "1.2")
    assert "counting" not in sys.modules


def test_a_pipeline_does_not_change() -> None:
    first = Pipeline().insert("nt-count{factor=2}", after="nt-specialize")
    second = first.without("nt-hoist-loads").without("nt-hoist-loads")
    assert first.left_out == ()
    assert second.left_out == ("nt-hoist-loads",)
    (insertion,) = second.insertions
    assert insertion.name == "nt-count"
    assert insertion.place == Place("after", "nt-specialize")
    assert str(insertion) == "nt-count{factor=2} after='nt-specialize'"


def test_its_key_tells_places_options_versions_and_sources(folder: Path) -> None:
    def key(pipeline: Pipeline) -> tuple[object, ...]:
        with own_registry():
            found = bound(pipeline, OWN)
        assert found is not None
        return found.key

    keys = {
        key(Pipeline().insert("nt-count")),
        key(Pipeline().insert("nt-count{factor=2}")),
        key(Pipeline().insert("nt-count", after="nt-specialize")),
        key(Pipeline().insert("nt-count", before="nt-specialize")),
        key(Pipeline().insert("nt-count").without("nt-hoist-loads")),
    }
    write_package(folder, passes="pass")
    keys.add(key(Pipeline().insert("nt-count")))
    (folder / "counting-1.2.dist-info").rename(folder / "counting-1.3.dist-info")
    metadata = folder / "counting-1.3.dist-info" / "METADATA"
    metadata.write_text(metadata.read_text().replace("1.2", "1.3"))
    keys.add(key(Pipeline().insert("nt-count")))
    assert len(keys) == 7


def test_it_is_pickled_by_names() -> None:
    found = bound(Pipeline().insert("nt-count{factor=2}"), OWN)
    assert found is not None
    again: BoundPipeline = pickle.loads(pickle.dumps(found))
    assert again == found
    with own_registry():
        assert again.again(OWN) == found


def test_an_unknown_pass() -> None:
    how = (
        "asses of other packages are registered by ninetoothed.passes.register, or have an entry "
        "point in the group ninetoothed.passes"
    )
    assert message("nt-cuont", OWN) == (
        f"there is no pass 'nt-cuont'; did you mean nt-count? P{how}"
    )
    assert message("nt-else", OWN) == f"there is no pass 'nt-else'; p{how}"


def test_what_is_no_pipeline() -> None:
    assert message(3, OWN) == (
        "pipeline takes the name of a pass, several of them, or a ninetoothed.passes.Pipeline, not "
        "3"
    )
    for given, shown in ((3, "3"), (" ", "' '")):
        assert message([given], OWN) == (
            f"a pass is named by a text, as 'nt-some-words{{factor=4}}', not {shown}"
        )
    with pytest.raises(ArgumentError) as caught:
        Pipeline().without(3)  # pyright: ignore[reportArgumentType]
    assert caught.value.message == "a pass is named by a text, not 3"


def test_one_of_the_compilers_passes() -> None:
    assert message("cse", OWN) == (
        "cse is one of the compiler's passes, and has its place; pipeline takes passes of other "
        "packages"
    )


def test_a_pass_twice() -> None:
    assert message(("nt-count", "nt-count{factor=2}"), OWN) == (
        "the pipeline has nt-count twice; a pass runs once"
    )


def test_names_in_one_text() -> None:
    assert message("nt-count,nt-other{factor=2}", OWN) == (
        "the pipeline has 'nt-count,nt-other{factor=2}'; give passes one by one, in a tuple"
    )


def test_two_places() -> None:
    with pytest.raises(ArgumentError) as caught:
        Pipeline().insert("nt-count", before="cse", after="cse")
    assert caught.value.message == "a pass has one place; give before= or after=, not both"
    with pytest.raises(ArgumentError) as caught:
        Pipeline().insert("nt-count", before=3)  # pyright: ignore[reportArgumentType]
    assert caught.value.message == "before= takes the name of a pass or of a stage, not 3"
