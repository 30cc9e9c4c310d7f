"""Statements that the language does not have, and what to write instead."""

from __future__ import annotations

from pathlib import Path

from tests.support.messages import Case, check, each

CASES = (
    Case(
        "try",
        """
        def application(x, output):
            try:
                output = x
            except ValueError:
                pass


        vectors(application)
        """,
        """
        UnsupportedSyntaxError: `try` is not part of the language; check for the mistake before it happens
          File "kernel.py", line 2, column 5, in application
            try:
            ^^^^
        """,
    ),
    Case(
        "with",
        """
        def application(x, output):
            with open("log") as log:
                output = x


        vectors(application)
        """,
        """
        UnsupportedSyntaxError: `with` is not part of the language; write its body without it
          File "kernel.py", line 2, column 5, in application
            with open("log") as log:
            ^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "class",
        """
        def application(x, output):
            class Scale:
                factor = 2

            output = x * Scale.factor


        vectors(application)
        """,
        """
        UnsupportedSyntaxError: a class is not part of the language; define the class outside the application
          File "kernel.py", line 2, column 5, in application
            class Scale:
            ^^^^^^^^^^^^
        """,
    ),
    Case(
        "async",
        """
        async def application(x, output):
            output = x


        make(blocks, application, (Tensor(1), Tensor(1)))
        """,
        """
        UnsupportedSyntaxError: application is async; write it with def
          File "kernel.py", line 5, column 1, in <module>
            make(blocks, application, (Tensor(1), Tensor(1)))
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "star in a target",
        """
        def application(x, output):
            first, *rest = x, 1, 2
            output = first


        vectors(application)
        """,
        """
        UnsupportedSyntaxError: the operator * is not part of the language; write the elements one by one
          File "kernel.py", line 2, column 12, in application
            first, *rest = x, 1, 2
                   ^^^^^
        """,
    ),
    Case(
        "continue",
        """
        def application(x, output):
            for i in range(4):
                if i == 2:
                    continue
                output = x


        vectors(application)
        """,
        """
        UnsupportedSyntaxError: `continue` is not part of the language; put the rest of the body into an `if`
          File "kernel.py", line 4, column 13, in application
            continue
            ^^^^^^^^
        """,
    ),
    Case(
        "return in a loop",
        """
        def application(x, output):
            for i in range(4):
                return


        vectors(application)
        """,
        """
        UnsupportedSyntaxError: `return` in a loop or under a condition that is known at run time only is not part of the language; assign to a variable and return it at the end
          File "kernel.py", line 3, column 9, in application
            return
            ^^^^^^
        """,
    ),
    Case(
        "return of a value",
        """
        def application(x, output):
            return x + 1


        vectors(application)
        """,
        """
        UnsupportedSyntaxError: an application returns nothing; assign the value to an output parameter
          File "kernel.py", line 2, column 5, in application
            return x + 1
            ^^^^^^^^^^^^
        """,
    ),
    Case(
        "return under a run-time condition",
        """
        def positive(value):
            if value > 0:
                return value
            return 0.0


        def application(x, output):
            output = x * positive(ntl.sum(x))


        vectors(application)
        """,
        """
        UnsupportedSyntaxError: `return` in a loop or under a condition that is known at run time only is not part of the language; assign to a variable and return it at the end
          File "kernel.py", line 8, column 18, in application
            output = x * positive(ntl.sum(x))
                         ^^^^^^^^^^^^^^^^^^^^
          File "kernel.py", line 3, column 9, in positive
            return value
            ^^^^^^^^^^^^
        """,
    ),
    Case(
        "else of a loop",
        """
        def application(x, output):
            for i in range(4):
                output = x
            else:
                output = x + 1


        vectors(application)
        """,
        """
        UnsupportedSyntaxError: `else` of a loop is not part of the language; write it after it
          File "kernel.py", line 2, column 5, in application
            for i in range(4):
            ^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a loop over a tuple",
        """
        def application(x, output):
            for i in (1, 2):
                output = x * i


        vectors(application)
        """,
        """
        UnsupportedSyntaxError: a loop goes over range(…); write `for i in range(n)`
          File "kernel.py", line 2, column 14, in application
            for i in (1, 2):
                     ^^^^^^
        """,
    ),
    Case(
        "a loop over a block",
        """
        def application(x, output):
            for value in x:
                output = value


        vectors(application)
        """,
        """
        UnsupportedSyntaxError: a loop goes over range(…); write `for i in range(n)`
          File "kernel.py", line 2, column 18, in application
            for value in x:
                         ^
        """,
    ),
    Case(
        "a loop with two variables",
        """
        def application(x, output):
            for i, j in enumerate(range(4)):
                output = x


        vectors(application)
        """,
        """
        UnsupportedSyntaxError: a loop has one variable; write `for i in range(n)`
          File "kernel.py", line 2, column 9, in application
            for i, j in enumerate(range(4)):
                ^^^^
        """,
    ),
    Case(
        "range of too many arguments",
        """
        def application(x, output):
            for i in range(0, 4, 1, 2):
                output = x


        vectors(application)
        """,
        """
        ArgumentError: range takes one to three integers, not 4
          File "kernel.py", line 2, column 14, in application
            for i in range(0, 4, 1, 2):
                     ^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "range of a keyword",
        """
        def application(x, output):
            for i in range(stop=4):
                output = x


        vectors(application)
        """,
        """
        UnsupportedSyntaxError: a loop goes over range(…); write `for i in range(n)`
          File "kernel.py", line 2, column 14, in application
            for i in range(stop=4):
                     ^^^^^^^^^^^^^
        """,
    ),
    Case(
        "range of a float",
        """
        def application(x, output):
            for i in range(4.0):
                output = x


        vectors(application)
        """,
        """
        TypeMismatchError: range takes integers, not 4.0
          File "kernel.py", line 2, column 14, in application
            for i in range(4.0):
                     ^^^^^^^^^^
        """,
    ),
    Case(
        "range of a starred tuple",
        """
        def application(x, output):
            for i in range(*(0, 4)):
                output = x


        vectors(application)
        """,
        """
        UnsupportedSyntaxError: the operator * is not part of the language; write the elements one by one
          File "kernel.py", line 2, column 20, in application
            for i in range(*(0, 4)):
                           ^^^^^^^
        """,
    ),
    Case(
        "global",
        """
        count = 0


        def application(x, output):
            global count
            count = 1
            output = x


        vectors(application)
        """,
        """
        UnsupportedSyntaxError: `global` is not part of the language; return the value, or assign to an output
          File "kernel.py", line 5, column 5, in application
            global count
            ^^^^^^^^^^^^
        """,
    ),
    Case(
        "import",
        """
        def application(x, output):
            import math

            output = x * math.pi


        vectors(application)
        """,
        """
        UnsupportedSyntaxError: `import` is not part of the language; import at the top of the file
          File "kernel.py", line 2, column 5, in application
            import math
            ^^^^^^^^^^^
        """,
    ),
    Case(
        "raise",
        """
        def application(x, output):
            raise ValueError("no")


        vectors(application)
        """,
        """
        UnsupportedSyntaxError: `raise` is not part of the language; check sizes before calling the kernel
          File "kernel.py", line 2, column 5, in application
            raise ValueError("no")
            ^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "del",
        """
        def application(x, output):
            y = x
            del y
            output = x


        vectors(application)
        """,
        """
        UnsupportedSyntaxError: `del` is not part of the language; leave the variable as it is
          File "kernel.py", line 3, column 5, in application
            del y
            ^^^^^
        """,
    ),
    Case(
        "an assertion that does not hold",
        """
        def application(x, output):
            assert x.shape[0] < 64, "give small blocks"
            output = x


        vectors(application)
        """,
        """
        AssertionFailedError: the assertion does not hold: give small blocks
          File "kernel.py", line 2, column 5, in application
            assert x.shape[0] < 64, "give small blocks"
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "an assertion without a text that does not hold",
        """
        def application(x, output):
            assert x.dtype == ntl.int32
            output = x


        vectors(application, "fp32")
        """,
        """
        AssertionFailedError: the assertion does not hold
          File "kernel.py", line 2, column 5, in application
            assert x.dtype == ntl.int32
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "an assertion that does not hold at run time",
        """
        def application(x, output):
            assert ntl.sum(x) < 64, "give small numbers"
            output = x


        vectors(application)(torch.ones(64), torch.ones(64))
        """,
        """
        AssertionFailedError: give small numbers (program 0)
          File "kernel.py", line 2, column 5
            assert ntl.sum(x) < 64, "give small numbers"
            ^
        """,
    ),
    Case(
        "print with a keyword",
        """
        def application(x, output):
            print(x, sep="")
            output = x


        vectors(application)
        """,
        """
        ArgumentError: print has no argument sep in the language; give it values only
          File "kernel.py", line 2, column 5, in application
            print(x, sep="")
            ^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "an assertion whose text is no string",
        """
        def application(x, output):
            assert x.shape[0] < 64, x
            output = x


        vectors(application)
        """,
        """
        TypeMismatchError: the text of an assert must be a string, not the tensor x
          File "kernel.py", line 2, column 29, in application
            assert x.shape[0] < 64, x
                                    ^
        """,
    ),
    Case(
        "an assertion with an f-string",
        """
        def application(x, output):
            assert x.shape[0] < 64, f"{x.shape[0]} lanes"
            output = x


        vectors(application)
        """,
        """
        UnsupportedSyntaxError: an f-string is not part of the language; write a plain string
          File "kernel.py", line 2, column 29, in application
            assert x.shape[0] < 64, f"{x.shape[0]} lanes"
                                    ^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "match",
        """
        def application(x, output):
            match 1:
                case 1:
                    output = x


        vectors(application)
        """,
        """
        UnsupportedSyntaxError: `match` is not part of the language; write `if`
          File "kernel.py", line 2, column 5, in application
            match 1:
            ^^^^^^^^
        """,
    ),
    Case(
        "an attribute as a target",
        """
        def application(x, output):
            output.data = x


        vectors(application)
        """,
        """
        UnsupportedSyntaxError: an assignment goes to a variable or to a parameter; attributes cannot be assigned
          File "kernel.py", line 2, column 5, in application
            output.data = x
            ^^^^^^^^^^^
        """,
    ),
    Case(
        "an attribute of a local in place",
        """
        def application(x, output):
            y = x + 1
            y.T += 1
            output = y


        vectors(application)
        """,
        """
        ShapeError: a block of shape (64,) of fp32 has no two dims to swap; give it another, as in ntl.expand_dims(x, 0)
          File "kernel.py", line 3, column 5, in application
            y.T += 1
            ^^^
        """,
    ),
)


@each(*CASES)
def test_message(case: Case, tmp_path: Path) -> None:
    check(case, tmp_path)
