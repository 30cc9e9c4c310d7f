"""What Python shows above a message: the user's frames, and the line that is wrong last."""

from __future__ import annotations

import traceback
from pathlib import Path

import pytest

from ninetoothed import NineToothedError
from tests.support.messages import PACKAGE, run


def lines(error: BaseException, folder: Path) -> list[str]:
    """The lines of the program that a traceback shows, outermost first."""
    frames = traceback.extract_tb(error.__traceback__)
    return [frame.line or "" for frame in frames if Path(frame.filename).parent == folder]


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        (
            """
            def application(x, output):
                output = y


            def build():
                return make(blocks, application, (Tensor(1), Tensor(1)))


            build()
            """,
            [
                "build()",
                "return make(blocks, application, (Tensor(1), Tensor(1)))",
                "output = y",
            ],
        ),
        (
            """
            @jit
            def application(x: Tensor(1).tile((64,)), output: Tensor(1).tile((64,))):
                output = y
            """,
            ["@jit", "output = y"],
        ),
        (
            """
            @jit(num_warps=4)
            def application(x: Tensor(1).tile((64,)), output: Tensor(1).tile((64,))):
                output = y
            """,
            ["@jit(num_warps=4)", "output = y"],
        ),
        (
            """
            def application(x, output):
                output = ntl.exp(x)


            kernel = vectors(application)


            def launch(*tensors):
                kernel(*tensors)


            launch(torch.ones(4).half(), torch.ones(4).half())
            """,
            [
                "launch(torch.ones(4).half(), torch.ones(4).half())",
                "kernel(*tensors)",
                "output = ntl.exp(x)",
            ],
        ),
        (
            """
            def application(x, output):
                output = x


            kernel = vectors(application)
            kernel(torch.ones(4))
            """,
            ["kernel(torch.ones(4))", "kernel(torch.ones(4))"],
        ),
        (
            """
            def rows(tensor):
                return tensor.tile((1, 64)).squeeze(1)


            def arrangement(x, output):
                return tuple(map(rows, (x, output)))


            def application(x, output):
                output = x


            make(arrangement, application, (Tensor(shape=(4, 128)), Tensor(shape=(4, 128))))
            """,
            [
                "make(arrangement, application, (Tensor(shape=(4, 128)), Tensor(shape=(4, 128))))",
                "return tuple(map(rows, (x, output)))",
                "return tensor.tile((1, 64)).squeeze(1)",
            ],
        ),
        (
            """
            def inner(x):
                return ntl.exp(x, x)


            def outer(x):
                return inner(x)


            def application(x, output):
                output = outer(x)


            make(blocks, application, (Tensor(1), Tensor(1)))
            """,
            ["make(blocks, application, (Tensor(1), Tensor(1)))", "return ntl.exp(x, x)"],
        ),
    ],
    ids=["make", "jit", "jit with options", "a first call", "arguments", "arrangement", "inlined"],
)
def test_frames(source: str, shown: list[str], tmp_path: Path) -> None:
    assert lines(run(source, tmp_path), tmp_path) == shown


def test_nothing_of_ours_is_chained(tmp_path: Path) -> None:
    error = run(
        """
        def application(x, output):
            output = ntl.exp(x, x)


        make(blocks, application, (Tensor(1), Tensor(1)))
        """,
        tmp_path,
    )
    text = "".join(traceback.format_exception(error))
    assert "During handling" not in text
    assert "direct cause" not in text
    assert text.count(str(PACKAGE)) == 1


def test_mistakes_of_python_in_an_arrangement_are_pythons(tmp_path: Path) -> None:
    source = """
    def arrangement(x, output):
        return x.tile((BLOCK,)), output.tile((BLOCK,))


    def application(x, output):
        output = x


    make(arrangement, application, (Tensor(1), Tensor(1)))
    """
    with pytest.raises(NameError, match="BLOCK") as caught:
        run(source, tmp_path)
    assert lines(caught.value, tmp_path)[-1] == "return x.tile((BLOCK,)), output.tile((BLOCK,))"


def test_a_type_error_in_an_arrangement_is_pythons(tmp_path: Path) -> None:
    source = """
    def arrangement(x, output):
        return x.tile((64,) + 1), output


    make(arrangement, arrangement, (Tensor(1), Tensor(1)))
    """
    with pytest.raises(TypeError) as caught:
        run(source, tmp_path)
    assert not isinstance(caught.value, NineToothedError)


def test_deep_expressions(tmp_path: Path) -> None:
    output = " + ".join(["x"] * 900)
    source = f"def application(x, output):\n    output = {output}\n\n\nvectors(application)"
    error = run(source, tmp_path)
    assert error.message == "this expression is nested too deeply; split it into several statements"
    assert lines(error, tmp_path)[-1].startswith("output = x + x")
