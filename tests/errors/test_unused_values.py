"""Statements that do nothing, and expressions that give nothing."""

from __future__ import annotations

from pathlib import Path

from tests.support.messages import Case, check, each


@each(
    Case(
        "a comparison in the place of an assignment",
        """
        def application(x, output):
            output == x + 1


        vectors(application)
        """,
        """
        UnsupportedSyntaxError: this statement does nothing, for its value is unused; write `output = x + 1` to store, or leave it out
          File "kernel.py", line 2, column 5, in application
            output == x + 1
            ^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "arithmetic whose value is unused",
        """
        def application(x, output):
            output = x
            output + 1


        vectors(application)
        """,
        """
        UnsupportedSyntaxError: this statement does nothing, for its value is unused; assign it, or leave it out
          File "kernel.py", line 3, column 5, in application
            output + 1
            ^^^^^^^^^^
        """,
    ),
    Case(
        "a function that is not called",
        """
        def application(x, output):
            ntl.debug_barrier
            output = x


        vectors(application)
        """,
        """
        UnsupportedSyntaxError: this statement does nothing, for its value is unused; assign it, or leave it out
          File "kernel.py", line 2, column 5, in application
            ntl.debug_barrier
            ^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a conversion whose value is unused",
        """
        def application(x, output):
            x.to(ntl.float16)
            output = x


        vectors(application)
        """,
        """
        UnsupportedSyntaxError: this statement does nothing, for its value is unused; assign it, or leave it out
          File "kernel.py", line 2, column 5, in application
            x.to(ntl.float16)
            ^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a function of the language whose value is unused",
        """
        def application(x, output):
            ntl.softmax(x)
            output = x


        vectors(application)
        """,
        """
        UnsupportedSyntaxError: this statement does nothing, for its value is unused; assign it, or leave it out
          File "kernel.py", line 2, column 5, in application
            ntl.softmax(x)
            ^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "stores as the sides of a conditional expression",
        """
        def store(y, value):
            y = value


        def application(x, output):
            store(output, x) if ntl.sum(x) > 0 else store(output, -x)


        vectors(application)
        """,
        """
        TypeMismatchError: both sides of a conditional expression must be values, and this one gives none; write an `if` statement
          File "kernel.py", line 6, column 5, in application
            store(output, x) if ntl.sum(x) > 0 else store(output, -x)
            ^^^^^^^^^^^^^^^^
        """,
    ),
)
def test_message(case: Case, tmp_path: Path) -> None:
    check(case, tmp_path)
