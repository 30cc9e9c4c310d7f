"""Mistakes in loops: conditions, carried variables, loop variables."""

from __future__ import annotations

from pathlib import Path

from tests.support.messages import Case, check, each

CASES = (
    Case(
        "a loop that never ends",
        """
        def application(x, output):
            while True:
                output = x


        vectors(application)
        """,
        """
        UnsupportedSyntaxError: this condition is always true, so that the loop would never end; write one that the loop's body changes
          File "kernel.py", line 2, column 11, in application
            while True:
                  ^^^^
        """,
    ),
    Case(
        "a condition that the loop does not change",
        """
        def application(x, output):
            while x.shape[0] > 32:
                output = x


        vectors(application)
        """,
        """
        UnsupportedSyntaxError: this condition is always true, so that the loop would never end; write one that the loop's body changes
          File "kernel.py", line 2, column 11, in application
            while x.shape[0] > 32:
                  ^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "while of a block",
        """
        def application(x, output):
            total = x
            while total > 0:
                total = total - 1
            output = total


        vectors(application)
        """,
        """
        ShapeError: a condition must be one number, not a block of shape (64,) of i1; select lanes with ntl.where
          File "kernel.py", line 3, column 11, in application
            while total > 0:
                  ^^^^^^^^^
        """,
    ),
    Case(
        "else of while",
        """
        def application(x, output):
            i = 0
            while i < 4:
                i += 1
            else:
                output = x


        vectors(application)
        """,
        """
        UnsupportedSyntaxError: `else` of a loop is not part of the language; write it after it
          File "kernel.py", line 3, column 5, in application
            while i < 4:
            ^^^^^^^^^^^^
        """,
    ),
    Case(
        "return in while",
        """
        def application(x, output):
            i = 0
            while i < 4:
                i += 1
                return


        vectors(application)
        """,
        """
        UnsupportedSyntaxError: `return` in a loop or under a condition that is known at run time only is not part of the language; assign to a variable and return it at the end
          File "kernel.py", line 5, column 9, in application
            return
            ^^^^^^
        """,
    ),
    Case(
        "break in while",
        """
        def application(x, output):
            i = 0
            while i < 4:
                i += 1
                break


        vectors(application)
        """,
        """
        UnsupportedSyntaxError: `break` is not part of the language; write `while` with the condition to go on
          File "kernel.py", line 5, column 9, in application
            break
            ^^^^^
        """,
    ),
    Case(
        "a variable that changes its type in while",
        """
        def application(x, output):
            total = ntl.zeros((64,), dtype=ntl.int32)
            i = 0
            while i < 4:
                total = total + x
                i += 1
            output = total


        vectors(application, "fp32")
        """,
        """
        TypeMismatchError: total changes its type in the loop, from a block of shape (64,) of i32 to a block of shape (64,) of fp32; give it its last type before the loop
          File "kernel.py", line 5, column 9, in application
            total = total + x
            ^^^^^
        """,
    ),
    Case(
        "a variable that changes its shape in while",
        """
        def application(x, output):
            total = 0.0
            i = 0
            while i < 4:
                total = total + x
                i += 1
            output = total


        vectors(application)
        """,
        """
        ShapeError: total is a scalar before the loop and a block of shape (64,) behind its body; give it its last shape before the loop, as in ntl.zeros(x.shape, x.dtype)
          File "kernel.py", line 5, column 9, in application
            total = total + x
            ^^^^^
        """,
    ),
    Case(
        "a variable that is a tuple in while",
        """
        def application(x, output):
            pair = (x, x)
            i = 0
            while i < 4:
                pair = (pair[1], pair[0])
                i += 1
            output = pair[0]


        vectors(application)
        """,
        """
        TypeMismatchError: pair is a tuple of 2 and cannot be assigned in a loop; use another name
          File "kernel.py", line 5, column 9, in application
            pair = (pair[1], pair[0])
            ^^^^
        """,
    ),
    Case(
        "a variable that only while assigns",
        """
        def application(x, output):
            i = 0
            while i < 4:
                last = x * i
                i += 1
            output = last


        vectors(application)
        """,
        """
        UndefinedNameError: last is assigned in the loop at line 3, which may not run; assign it before the loop
          File "kernel.py", line 6, column 14, in application
            output = last
                     ^^^^
        """,
    ),
    Case(
        "a variable that while does not assign",
        """
        def application(x, output):
            while False:
                last = x
            output = last


        vectors(application)
        """,
        """
        UndefinedNameError: last is assigned in the loop at line 2, which does not run; assign it before the loop
          File "kernel.py", line 4, column 14, in application
            output = last
                     ^^^^
        """,
    ),
    Case(
        "a variable that one branch in while assigns",
        """
        def application(x, output):
            i = 0
            while i < 4:
                if i > 2:
                    y = x
                i += 1
                output = y


        vectors(application)
        """,
        """
        UndefinedNameError: y is assigned in one branch of the `if` at line 4 only; assign it in both, or before
          File "kernel.py", line 7, column 18, in application
            output = y
                     ^
        """,
    ),
    Case(
        "a loop variable behind its loop",
        """
        def application(x, output):
            for i in range(4):
                output = x
            output = x * i


        vectors(application)
        """,
        """
        UndefinedNameError: i is assigned in the loop at line 2, which may not run; assign it before the loop
          File "kernel.py", line 4, column 18, in application
            output = x * i
                         ^
        """,
    ),
    Case(
        "a loop variable that has been a variable before",
        """
        def application(x, output):
            i = 7
            for i in range(4):
                output = x
            output = x * i


        vectors(application)
        """,
        """
        UndefinedNameError: i is the variable of the loop at line 3, and has no value behind it; assign it to another variable in the loop
          File "kernel.py", line 5, column 18, in application
            output = x * i
                         ^
        """,
    ),
    Case(
        "a loop variable of a loop in a loop",
        """
        def application(x, output):
            j = 7
            for i in range(4):
                output = x * j
                for j in range(4):
                    output = x


        vectors(application)
        """,
        """
        UndefinedNameError: j is the variable of the loop at line 5, and has no value behind it; assign it to another variable in the loop
          File "kernel.py", line 4, column 22, in application
            output = x * j
                         ^
        """,
    ),
    Case(
        "a loop variable that is a parameter",
        """
        def application(x, output):
            for output in range(4):
                pass


        vectors(application)
        """,
        """
        TypeMismatchError: output is a parameter and cannot be the variable of a loop; use another name
          File "kernel.py", line 2, column 9, in application
            for output in range(4):
                ^^^^^^
        """,
    ),
)


@each(*CASES)
def test_message(case: Case, tmp_path: Path) -> None:
    check(case, tmp_path)
