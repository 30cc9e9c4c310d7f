"""Conditions, and variables that change their type or shape in loops and branches."""

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
        """,
        """
        ShapeError: a condition must be one number, not a block of shape (64,) of i1; select lanes with ntl.where
          File "kernel.py", line 2, column 8, in application
            if x > 0:
               ^^^^^
        """,
    ),
    Case(
        "a ternary whose condition is a block",
        """
        def application(x, output):
            output = x if x > 0 else -x


        vectors(application)
        """,
        """
        ShapeError: a condition must be one number, not a block of shape (64,) of i1; select lanes with ntl.where
          File "kernel.py", line 2, column 19, in application
            output = x if x > 0 else -x
                          ^^^^^
        """,
    ),
    Case(
        "and of blocks",
        """
        def application(x, y, output):
            output = ntl.where(x > 0 and y > 0, x, y)


        vectors(application)
        """,
        """
        ShapeError: a condition must be one number, not a block of shape (64,) of i1; select lanes with ntl.where
          File "kernel.py", line 2, column 24, in application
            output = ntl.where(x > 0 and y > 0, x, y)
                               ^^^^^^^^^^^^^^^
        """,
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
        """,
        """
        TypeMismatchError: total changes its type in the loop, from a block of shape (64,) of i32 to a block of shape (64,) of fp32; give it its last type before the loop
          File "kernel.py", line 4, column 9, in application
            total = total + x
            ^^^^^
        """,
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
        """,
        """
        ShapeError: total is a scalar before the loop and a block of shape (64,) behind its body; give it its last shape before the loop, as in ntl.zeros(x.shape, x.dtype)
          File "kernel.py", line 4, column 9, in application
            total = total + x
            ^^^^^
        """,
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
        """,
        """
        ShapeError: total is a block of shape (64,) before the loop and a scalar behind its body; give it its last shape before the loop, as in ntl.zeros(x.shape, x.dtype)
          File "kernel.py", line 4, column 9, in application
            total = ntl.sum(total)
            ^^^^^
        """,
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
        """,
        """
        TypeMismatchError: pair is a tuple of 2 and cannot be assigned in a loop; use another name
          File "kernel.py", line 4, column 9, in application
            pair = (pair[1], pair[0])
            ^^^^
        """,
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
        """,
        """
        TypeMismatchError: f is the function ntl.exp and cannot be assigned in a loop; use another name
          File "kernel.py", line 4, column 9, in application
            f = ntl.log
            ^
        """,
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
        """,
        """
        TypeMismatchError: y must be a number or a block, not a tuple of 2
          File "kernel.py", line 4, column 9, in application
            y = (x, x)
            ^
        """,
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
        """,
        """
        TypeMismatchError: y is a block of shape (64,) of i32 in one branch and a block of shape (64,) of fp32 in the other; convert one of them
          File "kernel.py", line 5, column 9, in application
            y = x
            ^
        """,
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
        """,
        """
        ShapeError: y is a scalar in one branch and a block of shape (64,) in the other; give both one shape, as in ntl.full(x.shape, 0, x.dtype)
          File "kernel.py", line 4, column 9, in application
            y = 0.0
            ^
        """,
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
        """,
        """
        TypeMismatchError: y must be a number or a block, not a tuple of 2
          File "kernel.py", line 4, column 9, in application
            y = (x, x)
            ^
        """,
    ),
)
def test_message(case: Case, tmp_path: Path) -> None:
    check(case, tmp_path)
