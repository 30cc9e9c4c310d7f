"""Shapes of blocks that do not fit an operation or an output."""

from __future__ import annotations

from pathlib import Path

from tests.support.messages import Case, check, each


@each(
    Case(
        "shapes that do not broadcast",
        """
        def application(x, output):
            output = x + ntl.zeros((32,), dtype=ntl.float32)


        vectors(application)
        """,
        """
        ShapeError: shapes (64,) and (32,) do not broadcast: 64 is not 32; make them equal, or one of them 1
          File "kernel.py", line 2, column 14, in application
            output = x + ntl.zeros((32,), dtype=ntl.float32)
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "shapes that do not broadcast in where",
        """
        def application(x, output):
            output = ntl.where(x > 0, x, ntl.zeros((32,), dtype=ntl.float32))


        vectors(application)
        """,
        """
        ShapeError: shapes (64,) and (32,) do not broadcast: 64 is not 32; make them equal, or one of them 1
          File "kernel.py", line 2, column 14, in application
            output = ntl.where(x > 0, x, ntl.zeros((32,), dtype=ntl.float32))
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "blocks that do not fit since the arrangement is wrong",
        """
        def arrangement(x, output):
            return x.tile((16,)), output.tile((1, 16))


        def application(x, output):
            output = x + ntl.zeros((32,), dtype=ntl.float32)


        make(arrangement, application, (Tensor(1), Tensor(2)))
        """,
        """
        ArrangementError: the outermost shapes of x and output must be equal, one program an element, but they are (-(-x_size_0 // 16),) and (output_size_0, -(-output_size_1 // 16)); tile, expand or squeeze until they are
          File "kernel.py", line 2, column 27
            return x.tile((16,)), output.tile((1, 16))
                                  ^
        """,
    ),
    Case(
        "a block of more dims than the output",
        """
        def application(x, output):
            output = x[:, None] + x[None, :]


        vectors(application)
        """,
        """
        ShapeError: a block of shape (64, 64) of fp32 cannot be assigned to output, whose block has the shape (64,); reduce it, as in ntl.sum(x, 0), or arrange output anew
          File "kernel.py", line 2, column 5, in application
            output = x[:, None] + x[None, :]
            ^^^^^^
        """,
    ),
    Case(
        "a block of another size than the output",
        """
        def application(x, output):
            output = ntl.zeros((32,), dtype=ntl.float32)


        vectors(application)
        """,
        """
        ShapeError: a block of shape (32,) cannot become (64,): 32 is not 64, and only dims of size 1 are repeated
          File "kernel.py", line 2, column 5, in application
            output = ntl.zeros((32,), dtype=ntl.float32)
            ^^^^^^
        """,
    ),
    Case(
        "a tuple for an output",
        """
        def application(x, output):
            output = x, x


        vectors(application)
        """,
        """
        TypeMismatchError: the assigned value must be a number or a block, not a tuple of 2
          File "kernel.py", line 2, column 5, in application
            output = x, x
            ^^^^^^
        """,
    ),
    Case(
        "a string for an output",
        """
        def application(x, output):
            output = "x"


        vectors(application)
        """,
        """
        TypeMismatchError: the assigned value must be a number or a block, not 'x'
          File "kernel.py", line 2, column 5, in application
            output = "x"
            ^^^^^^
        """,
    ),
    Case(
        "None for an output",
        """
        def application(x, output):
            output = None


        vectors(application)
        """,
        """
        TypeMismatchError: the assigned value must be a number or a block, not None
          File "kernel.py", line 2, column 5, in application
            output = None
            ^^^^^^
        """,
    ),
    Case(
        "a function for an output",
        """
        def application(x, output):
            output = ntl.exp


        vectors(application)
        """,
        """
        TypeMismatchError: the assigned value must be a number or a block, not the function ntl.exp
          File "kernel.py", line 2, column 5, in application
            output = ntl.exp
            ^^^^^^
        """,
    ),
    Case(
        "a Python function for an output",
        """
        def double(x):
            return 2 * x


        def application(x, output):
            output = double


        vectors(application)
        """,
        """
        TypeMismatchError: the assigned value must be a number or a block, not the function double
          File "kernel.py", line 6, column 5, in application
            output = double
            ^^^^^^
        """,
    ),
    Case(
        "a module for an output",
        """
        def application(x, output):
            output = ntl


        vectors(application)
        """,
        """
        TypeMismatchError: the assigned value must be a number or a block, not the module ninetoothed.language
          File "kernel.py", line 2, column 5, in application
            output = ntl
            ^^^^^^
        """,
    ),
    Case(
        "too many values to unpack",
        """
        def application(x, output):
            a, b = x, x, x
            output = a


        vectors(application)
        """,
        """
        TypeMismatchError: 3 values cannot be unpacked into 2 targets; write as many
          File "kernel.py", line 2, column 5, in application
            a, b = x, x, x
            ^^^^
        """,
    ),
    Case(
        "unpacking of a block",
        """
        def application(x, output):
            a, b = x
            output = a


        vectors(application)
        """,
        """
        TypeMismatchError: the tensor x cannot be unpacked; only tuples can
          File "kernel.py", line 2, column 5, in application
            a, b = x
            ^^^^
        """,
    ),
    Case(
        "an axis out of range",
        """
        def application(x, output):
            output = x - ntl.max(x, axis=1)


        vectors(application)
        """,
        """
        ShapeError: ntl.max: axis 1 is out of range; give one from -1 to 0
          File "kernel.py", line 2, column 18, in application
            output = x - ntl.max(x, axis=1)
                         ^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "an axis that is a block",
        """
        def application(x, output):
            output = x - ntl.max(x, axis=x)


        vectors(application)
        """,
        """
        TypeMismatchError: ntl.max: axis must be an integer that is known when compiling, not the tensor x
          File "kernel.py", line 2, column 18, in application
            output = x - ntl.max(x, axis=x)
                         ^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a reduction of a scalar",
        """
        def application(x, output):
            output = ntl.sum(ntl.sum(x))


        vectors(application)
        """,
        """
        ShapeError: ntl.sum takes a block, not a scalar of fp32; leave it out, or make a block of it with ntl.full
          File "kernel.py", line 2, column 14, in application
            output = ntl.sum(ntl.sum(x))
                     ^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a reduction of a number",
        """
        def application(x, output):
            output = ntl.sum(1.0)


        vectors(application)
        """,
        """
        ShapeError: ntl.sum takes a block, not a scalar of fp32; leave it out, or make a block of it with ntl.full
          File "kernel.py", line 2, column 14, in application
            output = ntl.sum(1.0)
                     ^^^^^^^^^^^^
        """,
    ),
    Case(
        "a transposed vector",
        """
        def application(x, output):
            output = ntl.trans(x)


        vectors(application)
        """,
        """
        ShapeError: a block of shape (64,) of fp32 has no two dims to swap; give it another, as in ntl.expand_dims(x, 0)
          File "kernel.py", line 2, column 14, in application
            output = ntl.trans(x)
                     ^^^^^^^^^^^^
        """,
    ),
    Case(
        "dims inserted at the wrong number of places",
        """
        def application(x, output):
            y = x + 0
            output = ntl.sum(y[:, :, None], 1)


        vectors(application)
        """,
        """
        ShapeError: 2 `:` for a block of shape (64,) of fp32; write one a dim, as in x[:, None]
          File "kernel.py", line 3, column 22, in application
            output = ntl.sum(y[:, :, None], 1)
                             ^^^^^^^^^^^^^
        """,
    ),
    Case(
        "expand_dims out of range",
        """
        def application(x, output):
            output = ntl.expand_dims(x, 4)


        vectors(application)
        """,
        """
        ShapeError: ntl.expand_dims: axis 4 is out of range; give one from -2 to 1
          File "kernel.py", line 2, column 14, in application
            output = ntl.expand_dims(x, 4)
                     ^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "broadcast_to of a shape that does not fit",
        """
        def application(x, output):
            output = ntl.broadcast_to(x, (32,))


        vectors(application)
        """,
        """
        ShapeError: a block of shape (64,) cannot become (32,): 64 is not 32, and only dims of size 1 are repeated
          File "kernel.py", line 2, column 14, in application
            output = ntl.broadcast_to(x, (32,))
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "zeros of a shape that only a run knows",
        """
        def application(x, output):
            output = ntl.zeros((ntl.sum(x),), dtype=ntl.float32)


        vectors(application)
        """,
        """
        ShapeError: ntl.zeros: a shape holds sizes that are known when compiling, as in (64,) and x.shape; not (a scalar of fp32)
          File "kernel.py", line 2, column 14, in application
            output = ntl.zeros((ntl.sum(x),), dtype=ntl.float32)
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "zeros of a negative shape",
        """
        def application(x, output):
            output = ntl.zeros((-4,), dtype=ntl.float32)


        vectors(application)
        """,
        """
        ShapeError: ntl.zeros: the sizes of a block are 1 or more, not (-4,)
          File "kernel.py", line 2, column 14, in application
            output = ntl.zeros((-4,), dtype=ntl.float32)
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a block without lanes",
        """
        def application(x, output):
            output = ntl.full((2, 0), 1, ntl.float32)


        vectors(application)
        """,
        """
        ShapeError: ntl.full: the sizes of a block are 1 or more, not (2, 0)
          File "kernel.py", line 2, column 14, in application
            output = ntl.full((2, 0), 1, ntl.float32)
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "zeros of a float",
        """
        def application(x, output):
            output = ntl.zeros((64.0,), dtype=ntl.float32)


        vectors(application)
        """,
        """
        ShapeError: ntl.zeros: a shape holds sizes that are known when compiling, as in (64,) and x.shape; not (64.0)
          File "kernel.py", line 2, column 14, in application
            output = ntl.zeros((64.0,), dtype=ntl.float32)
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "full of a block",
        """
        def application(x, output):
            output = ntl.full((64,), x, dtype=ntl.float32)


        vectors(application)
        """,
        """
        ShapeError: ntl.full fills with one number, not a block of shape (64,) of fp32; write ntl.broadcast_to(x, shape)
          File "kernel.py", line 2, column 14, in application
            output = ntl.full((64,), x, dtype=ntl.float32)
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "full of text",
        """
        def application(x, output):
            output = ntl.full((64,), "x", dtype=ntl.float32)


        vectors(application)
        """,
        """
        TypeMismatchError: ntl.full: the value must be a number or a block, not 'x'
          File "kernel.py", line 2, column 14, in application
            output = ntl.full((64,), "x", dtype=ntl.float32)
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "arange of run-time bounds",
        """
        def application(x, output):
            output = ntl.arange(0, ntl.sum(x))


        vectors(application)
        """,
        """
        TypeMismatchError: ntl.arange: start and end must be integers that are known when compiling, as in ntl.arange(0, x.shape[0])
          File "kernel.py", line 2, column 14, in application
            output = ntl.arange(0, ntl.sum(x))
                     ^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "arange of nothing",
        """
        def application(x, output):
            output = ntl.arange(4, 4)


        vectors(application)
        """,
        """
        ShapeError: ntl.arange: from 4 to 4, exclusive, is nothing; end must be above start
          File "kernel.py", line 2, column 14, in application
            output = ntl.arange(4, 4)
                     ^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "arange backwards",
        """
        def application(x, output):
            output = ntl.arange(4, 0)


        vectors(application)
        """,
        """
        ShapeError: ntl.arange: from 4 to 0, exclusive, is nothing; end must be above start
          File "kernel.py", line 2, column 14, in application
            output = ntl.arange(4, 0)
                     ^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "dot of vectors",
        """
        def application(x, y, output):
            output = ntl.dot(x, y)


        vectors(application)
        """,
        """
        ShapeError: ntl.dot multiplies two blocks of two dims, or of three where the first counts matrices, not (64,) and (64,); insert dims, as in x[:, None]
          File "kernel.py", line 2, column 14, in application
            output = ntl.dot(x, y)
                     ^^^^^^^^^^^^^
        """,
    ),
    Case(
        "dot of shapes that do not multiply",
        """
        def application(x, y, output):
            output = ntl.dot(x, y)


        matrices(application)
        """,
        """
        ShapeError: ntl.dot: (16, 32) and (16, 32) do not multiply: 32 is not 16; transpose one with ntl.trans, or arrange it so that they agree
          File "kernel.py", line 2, column 14, in application
            output = ntl.dot(x, y)
                     ^^^^^^^^^^^^^
        """,
    ),
    Case(
        "dot with an accumulator of another shape",
        """
        def application(x, y, output):
            output = ntl.dot(x, ntl.trans(y), ntl.zeros((4, 4), dtype=ntl.float32))


        matrices(application)
        """,
        """
        ShapeError: a block of shape (4, 4) cannot become (16, 16): 4 is not 16, and only dims of size 1 are repeated
          File "kernel.py", line 2, column 14, in application
            output = ntl.dot(x, ntl.trans(y), ntl.zeros((4, 4), dtype=ntl.float32))
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "dot of an unknown precision",
        """
        def application(x, y, output):
            output = ntl.sum(ntl.dot(x, ntl.trans(y), input_precision="fp8"))


        matrices(application)
        """,
        """
        ArgumentError: ntl.dot: input_precision is 'tf32', 'tf32x3', 'ieee', 'bf16x3' or 'bf16x6', not 'fp8'
          File "kernel.py", line 2, column 22, in application
            output = ntl.sum(ntl.dot(x, ntl.trans(y), input_precision="fp8"))
                             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
)
def test_message(case: Case, tmp_path: Path) -> None:
    check(case, tmp_path)
