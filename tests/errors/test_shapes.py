"""Shapes of blocks that do not fit, and variables that change theirs."""

from __future__ import annotations

from pathlib import Path

from tests.support.messages import Case, check, each


@each(
    Case(
        "a condition that is a block",
        """
        def application(x, output):
            if x > 0:
                output = x


        vectors(application)
        """
        """
        ShapeError: a condition must be one number, not a block of shape (64,) of i1; select lanes with ntl.where
          File "kernel.py", line 2, column 8, in application
            if x > 0:
               ^^^^^
        """
    ),
    Case(
        "a ternary whose condition is a block",
        """
        def application(x, output):
            output = x if x > 0 else -x


        vectors(application)
        """
        """
        ShapeError: a condition must be one number, not a block of shape (64,) of i1; select lanes with ntl.where
          File "kernel.py", line 2, column 19, in application
            output = x if x > 0 else -x
                          ^^^^^
        """
    ),
    Case(
        "and of blocks",
        """
        def application(x, y, output):
            output = ntl.where(x > 0 and y > 0, x, y)


        vectors(application)
        """
        """
        ShapeError: a condition must be one number, not a block of shape (64,) of i1; select lanes with ntl.where
          File "kernel.py", line 2, column 24, in application
            output = ntl.where(x > 0 and y > 0, x, y)
                               ^^^^^^^^^^^^^^^
        """
    ),
    Case(
        "a variable that changes its type in a loop",
        """
        def application(x, output):
            total = ntl.zeros((64,), dtype=ntl.int32)
            for i in range(4):
                total = total + x
            output = total


        vectors(application, "fp32")
        """
        """
        TypeMismatchError: total changes its type in the loop, from a block of shape (64,) of i32 to a block of shape (64,) of fp32; give it its last type before the loop
          File "kernel.py", line 4, column 9, in application
            total = total + x
            ^^^^^
        """
    ),
    Case(
        "a variable that changes its shape in a loop",
        """
        def application(x, output):
            total = 0.0
            for i in range(4):
                total = total + x
            output = total


        vectors(application)
        """
        """
        ShapeError: total is a scalar before the loop and a block of shape (64,) behind its body; give it its last shape before the loop, as in ntl.zeros(x.shape, x.dtype)
          File "kernel.py", line 4, column 9, in application
            total = total + x
            ^^^^^
        """
    ),
    Case(
        "a variable that becomes a scalar in a loop",
        """
        def application(x, output):
            total = x
            for i in range(4):
                total = ntl.sum(total)
            output = total


        vectors(application)
        """
        """
        ShapeError: total is a block of shape (64,) before the loop and a scalar behind its body; give it its last shape before the loop, as in ntl.zeros(x.shape, x.dtype)
          File "kernel.py", line 4, column 9, in application
            total = ntl.sum(total)
            ^^^^^
        """
    ),
    Case(
        "a variable that is a tuple in a loop",
        """
        def application(x, output):
            pair = (x, x)
            for i in range(4):
                pair = (pair[1], pair[0])
            output = pair[0]


        vectors(application)
        """
        """
        TypeMismatchError: pair is a tuple of 2 and cannot be assigned in a loop; use another name
          File "kernel.py", line 4, column 9, in application
            pair = (pair[1], pair[0])
            ^^^^
        """
    ),
    Case(
        "a variable that is a function in a loop",
        """
        def application(x, output):
            f = ntl.exp
            for i in range(4):
                f = ntl.log
            output = f(x)


        vectors(application)
        """
        """
        TypeMismatchError: f is the function ntl.exp and cannot be assigned in a loop; use another name
          File "kernel.py", line 4, column 9, in application
            f = ntl.log
            ^
        """
    ),
    Case(
        "a variable that becomes a tuple in a loop",
        """
        def application(x, output):
            y = x
            for i in range(4):
                y = (x, x)
            output = y


        vectors(application)
        """
        """
        TypeMismatchError: y must be a number or a block, not a tuple of 2
          File "kernel.py", line 4, column 9, in application
            y = (x, x)
            ^
        """
    ),
    Case(
        "branches of different types",
        """
        def application(x, output):
            if ntl.sum(x) > 0:
                y = ntl.cast(x, ntl.int32)
            else:
                y = x
            output = y


        vectors(application, "fp32")
        """
        """
        TypeMismatchError: y is a block of shape (64,) of i32 in one branch and a block of shape (64,) of fp32 in the other; convert one of them
          File "kernel.py", line 5, column 9, in application
            y = x
            ^
        """
    ),
    Case(
        "branches of different shapes",
        """
        def application(x, output):
            y = x
            if ntl.sum(x) > 0:
                y = 0.0
            output = y


        vectors(application)
        """
        """
        ShapeError: y is a scalar in one branch and a block of shape (64,) in the other; give both one shape, as in ntl.full(x.shape, 0, x.dtype)
          File "kernel.py", line 4, column 9, in application
            y = 0.0
            ^
        """
    ),
    Case(
        "a branch that makes a tuple",
        """
        def application(x, output):
            y = x
            if ntl.sum(x) > 0:
                y = (x, x)
            output = y


        vectors(application)
        """
        """
        TypeMismatchError: y must be a number or a block, not a tuple of 2
          File "kernel.py", line 4, column 9, in application
            y = (x, x)
            ^
        """
    ),
    Case(
        "shapes that do not broadcast",
        """
        def application(x, output):
            output = x + ntl.zeros((32,), dtype=ntl.float32)


        vectors(application)
        """
        """
        ShapeError: shapes (64,) and (32,) do not broadcast: 64 is not 32; make them equal, or one of them 1
          File "kernel.py", line 2, column 14, in application
            output = x + ntl.zeros((32,), dtype=ntl.float32)
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """
    ),
    Case(
        "shapes that do not broadcast in where",
        """
        def application(x, output):
            output = ntl.where(x > 0, x, ntl.zeros((32,), dtype=ntl.float32))


        vectors(application)
        """
        """
        ShapeError: shapes (64,) and (32,) do not broadcast: 64 is not 32; make them equal, or one of them 1
          File "kernel.py", line 2, column 14, in application
            output = ntl.where(x > 0, x, ntl.zeros((32,), dtype=ntl.float32))
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """
    ),
    Case(
        "a block of more dims than the output",
        """
        def application(x, output):
            output = x[:, None] + x[None, :]


        vectors(application)
        """
        """
        ShapeError: a block of shape (64, 64) of fp32 cannot be assigned to output, whose block has the shape (64,); reduce it, as in ntl.sum(x, 0), or arrange output anew
          File "kernel.py", line 2, column 5, in application
            output = x[:, None] + x[None, :]
            ^^^^^^
        """
    ),
    Case(
        "a block of another size than the output",
        """
        def application(x, output):
            output = ntl.zeros((32,), dtype=ntl.float32)


        vectors(application)
        """
        """
        ShapeError: a block of shape (32,) cannot become (64,): 32 is not 64, and only dims of size 1 are repeated
          File "kernel.py", line 2, column 5, in application
            output = ntl.zeros((32,), dtype=ntl.float32)
            ^^^^^^
        """
    ),
    Case(
        "a tuple for an output",
        """
        def application(x, output):
            output = x, x


        vectors(application)
        """
        """
        TypeMismatchError: the assigned value must be a number or a block, not a tuple of 2
          File "kernel.py", line 2, column 5, in application
            output = x, x
            ^^^^^^
        """
    ),
    Case(
        "a string for an output",
        """
        def application(x, output):
            output = "x"


        vectors(application)
        """
        """
        TypeMismatchError: the assigned value must be a number or a block, not 'x'
          File "kernel.py", line 2, column 5, in application
            output = "x"
            ^^^^^^
        """
    ),
    Case(
        "None for an output",
        """
        def application(x, output):
            output = None


        vectors(application)
        """
        """
        TypeMismatchError: the assigned value must be a number or a block, not None
          File "kernel.py", line 2, column 5, in application
            output = None
            ^^^^^^
        """
    ),
    Case(
        "a function for an output",
        """
        def application(x, output):
            output = ntl.exp


        vectors(application)
        """
        """
        TypeMismatchError: the assigned value must be a number or a block, not the function ntl.exp
          File "kernel.py", line 2, column 5, in application
            output = ntl.exp
            ^^^^^^
        """
    ),
    Case(
        "a Python function for an output",
        """
        def double(x):
            return 2 * x


        def application(x, output):
            output = double


        vectors(application)
        """
        """
        TypeMismatchError: the assigned value must be a number or a block, not the function double
          File "kernel.py", line 6, column 5, in application
            output = double
            ^^^^^^
        """
    ),
    Case(
        "a module for an output",
        """
        def application(x, output):
            output = ntl


        vectors(application)
        """
        """
        TypeMismatchError: the assigned value must be a number or a block, not the module ninetoothed.language
          File "kernel.py", line 2, column 5, in application
            output = ntl
            ^^^^^^
        """
    ),
    Case(
        "too many values to unpack",
        """
        def application(x, output):
            a, b = x, x, x
            output = a


        vectors(application)
        """
        """
        TypeMismatchError: 3 values cannot be unpacked into 2 targets; write as many
          File "kernel.py", line 2, column 5, in application
            a, b = x, x, x
            ^^^^
        """
    ),
    Case(
        "unpacking of a block",
        """
        def application(x, output):
            a, b = x
            output = a


        vectors(application)
        """
        """
        TypeMismatchError: the tensor x cannot be unpacked; only tuples can
          File "kernel.py", line 2, column 5, in application
            a, b = x
            ^^^^
        """
    ),
    Case(
        "an axis out of range",
        """
        def application(x, output):
            output = x - ntl.max(x, axis=1)


        vectors(application)
        """
        """
        ShapeError: ntl.max: axis 1 is out of range; give one from -1 to 0
          File "kernel.py", line 2, column 18, in application
            output = x - ntl.max(x, axis=1)
                         ^^^^^^^^^^^^^^^^^^
        """
    ),
    Case(
        "an axis that is a block",
        """
        def application(x, output):
            output = x - ntl.max(x, axis=x)


        vectors(application)
        """
        """
        TypeMismatchError: ntl.max: axis must be an integer that is known when compiling, not the tensor x
          File "kernel.py", line 2, column 18, in application
            output = x - ntl.max(x, axis=x)
                         ^^^^^^^^^^^^^^^^^^
        """
    ),
    Case(
        "a reduction of a scalar",
        """
        def application(x, output):
            output = ntl.sum(ntl.sum(x))


        vectors(application)
        """
        """
        ShapeError: ntl.sum reduces a block, not a scalar of fp32; leave it out
          File "kernel.py", line 2, column 14, in application
            output = ntl.sum(ntl.sum(x))
                     ^^^^^^^^^^^^^^^^^^^
        """
    ),
    Case(
        "a reduction of a number",
        """
        def application(x, output):
            output = ntl.sum(1.0)


        vectors(application)
        """
        """
        ShapeError: ntl.sum reduces a block, not a scalar of fp32; leave it out
          File "kernel.py", line 2, column 14, in application
            output = ntl.sum(1.0)
                     ^^^^^^^^^^^^
        """
    ),
    Case(
        "a transposed vector",
        """
        def application(x, output):
            output = ntl.trans(x)


        vectors(application)
        """
        """
        ShapeError: a block of shape (64,) of fp32 has no two dims to swap; give it another, as in ntl.expand_dims(x, 0)
          File "kernel.py", line 2, column 14, in application
            output = ntl.trans(x)
                     ^^^^^^^^^^^^
        """
    ),
    Case(
        "dims inserted at the wrong number of places",
        """
        def application(x, output):
            y = x + 0
            output = ntl.sum(y[:, :, None], 1)


        vectors(application)
        """
        """
        ShapeError: 2 `:` for a block of shape (64,) of fp32; write one a dim, as in x[:, None]
          File "kernel.py", line 3, column 22, in application
            output = ntl.sum(y[:, :, None], 1)
                             ^^^^^^^^^^^^^
        """
    ),
    Case(
        "expand_dims out of range",
        """
        def application(x, output):
            output = ntl.expand_dims(x, 4)


        vectors(application)
        """
        """
        ShapeError: ntl.expand_dims: axis 4 is out of range; give one from -2 to 1
          File "kernel.py", line 2, column 14, in application
            output = ntl.expand_dims(x, 4)
                     ^^^^^^^^^^^^^^^^^^^^^
        """
    ),
    Case(
        "broadcast_to of a shape that does not fit",
        """
        def application(x, output):
            output = ntl.broadcast_to(x, (32,))


        vectors(application)
        """
        """
        ShapeError: a block of shape (64,) cannot become (32,): 64 is not 32, and only dims of size 1 are repeated
          File "kernel.py", line 2, column 14, in application
            output = ntl.broadcast_to(x, (32,))
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^
        """
    ),
    Case(
        "zeros of a shape that only a run knows",
        """
        def application(x, output):
            output = ntl.zeros((ntl.sum(x),), dtype=ntl.float32)


        vectors(application)
        """
        """
        ShapeError: ntl.zeros: a shape holds sizes that are known when compiling, as in (64,) and x.shape; not (a scalar of fp32)
          File "kernel.py", line 2, column 14, in application
            output = ntl.zeros((ntl.sum(x),), dtype=ntl.float32)
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """
    ),
    Case(
        "zeros of a negative shape",
        """
        def application(x, output):
            output = ntl.zeros((-4,), dtype=ntl.float32)


        vectors(application)
        """
        """
        ShapeError: ntl.zeros: a shape holds sizes that are known when compiling, as in (64,) and x.shape; not (-4)
          File "kernel.py", line 2, column 14, in application
            output = ntl.zeros((-4,), dtype=ntl.float32)
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """
    ),
    Case(
        "zeros of a float",
        """
        def application(x, output):
            output = ntl.zeros((64.0,), dtype=ntl.float32)


        vectors(application)
        """
        """
        ShapeError: ntl.zeros: a shape holds sizes that are known when compiling, as in (64,) and x.shape; not (64.0)
          File "kernel.py", line 2, column 14, in application
            output = ntl.zeros((64.0,), dtype=ntl.float32)
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """
    ),
    Case(
        "full of a block",
        """
        def application(x, output):
            output = ntl.full((64,), x, dtype=ntl.float32)


        vectors(application)
        """
        """
        ShapeError: ntl.full fills with one number, not a block of shape (64,) of fp32; write ntl.broadcast_to(x, shape)
          File "kernel.py", line 2, column 14, in application
            output = ntl.full((64,), x, dtype=ntl.float32)
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """
    ),
    Case(
        "full of text",
        """
        def application(x, output):
            output = ntl.full((64,), "x", dtype=ntl.float32)


        vectors(application)
        """
        """
        TypeMismatchError: ntl.full: the value must be a number or a block, not 'x'
          File "kernel.py", line 2, column 14, in application
            output = ntl.full((64,), "x", dtype=ntl.float32)
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """
    ),
    Case(
        "arange of run-time bounds",
        """
        def application(x, output):
            output = ntl.arange(0, ntl.sum(x))


        vectors(application)
        """
        """
        TypeMismatchError: ntl.arange: start and end must be integers that are known when compiling, as in ntl.arange(0, x.shape[0])
          File "kernel.py", line 2, column 14, in application
            output = ntl.arange(0, ntl.sum(x))
                     ^^^^^^^^^^^^^^^^^^^^^^^^^
        """
    ),
    Case(
        "arange of nothing",
        """
        def application(x, output):
            output = ntl.arange(4, 4)


        vectors(application)
        """
        """
        ShapeError: ntl.arange: from 4 to 4, exclusive, is nothing; end must be above start
          File "kernel.py", line 2, column 14, in application
            output = ntl.arange(4, 4)
                     ^^^^^^^^^^^^^^^^
        """
    ),
    Case(
        "arange backwards",
        """
        def application(x, output):
            output = ntl.arange(4, 0)


        vectors(application)
        """
        """
        ShapeError: ntl.arange: from 4 to 0, exclusive, is nothing; end must be above start
          File "kernel.py", line 2, column 14, in application
            output = ntl.arange(4, 0)
                     ^^^^^^^^^^^^^^^^
        """
    ),
    Case(
        "dot of vectors",
        """
        def application(x, y, output):
            output = ntl.dot(x, y)


        vectors(application)
        """
        """
        ShapeError: ntl.dot multiplies two-dimensional blocks, not (64,) and (64,); insert dims, as in x[:, None]
          File "kernel.py", line 2, column 14, in application
            output = ntl.dot(x, y)
                     ^^^^^^^^^^^^^
        """
    ),
    Case(
        "dot of shapes that do not multiply",
        """
        def application(x, y, output):
            output = ntl.dot(x, y)


        matrices(application)
        """
        """
        ShapeError: ntl.dot: (16, 32) and (16, 32) do not multiply: 32 is not 16; transpose one with ntl.trans, or arrange it so that they agree
          File "kernel.py", line 2, column 14, in application
            output = ntl.dot(x, y)
                     ^^^^^^^^^^^^^
        """
    ),
    Case(
        "dot with an accumulator of another shape",
        """
        def application(x, y, output):
            output = ntl.dot(x, ntl.trans(y), ntl.zeros((4, 4), dtype=ntl.float32))


        matrices(application)
        """
        """
        ShapeError: a block of shape (4, 4) cannot become (16, 16): 4 is not 16, and only dims of size 1 are repeated
          File "kernel.py", line 2, column 14, in application
            output = ntl.dot(x, ntl.trans(y), ntl.zeros((4, 4), dtype=ntl.float32))
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """
    ),
    Case(
        "dot of an unknown precision",
        """
        def application(x, y, output):
            output = ntl.sum(ntl.dot(x, ntl.trans(y), input_precision="fp8"))


        matrices(application)
        """
        """
        ArgumentError: ntl.dot: input_precision is 'tf32', 'tf32x3' or 'ieee', not 'fp8'
          File "kernel.py", line 2, column 22, in application
            output = ntl.sum(ntl.dot(x, ntl.trans(y), input_precision="fp8"))
                             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """
    ),
)
def test_message(case: Case, tmp_path: Path) -> None:
    check(case, tmp_path)
