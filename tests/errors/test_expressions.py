"""Expressions that the language does not have, and what to write instead."""

from __future__ import annotations

from pathlib import Path

from tests.support.messages import Case, check, each


@each(
    Case(
        "lambda",
        """
        def application(x, output):
            double = lambda value: 2 * value
            output = double(x)


        vectors(application)
        """,
        """
        UnsupportedSyntaxError: `lambda` is not part of the language; define a function with def
          File "kernel.py", line 2, column 14, in application
            double = lambda value: 2 * value
                     ^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "list comprehension",
        """
        def application(x, output):
            blocks = [x for i in range(2)]
            output = blocks[0]


        vectors(application)
        """,
        """
        UnsupportedSyntaxError: a comprehension is not part of the language; write a `for` loop
          File "kernel.py", line 2, column 14, in application
            blocks = [x for i in range(2)]
                     ^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "generator",
        """
        def application(x, output):
            output = sum(x for i in range(2))


        vectors(application)
        """,
        """
        UnsupportedSyntaxError: a generator is not part of the language; write a `for` loop
          File "kernel.py", line 2, column 17, in application
            output = sum(x for i in range(2))
                        ^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "yield",
        """
        def application(x, output):
            yield x


        vectors(application)
        """,
        """
        UnsupportedSyntaxError: `yield` is not part of the language; assign to an output
          File "kernel.py", line 2, column 5, in application
            yield x
            ^^^^^^^
        """,
    ),
    Case(
        "yield from",
        """
        def application(x, output):
            yield from x


        vectors(application)
        """,
        """
        UnsupportedSyntaxError: `yield` is not part of the language; assign to an output
          File "kernel.py", line 2, column 5, in application
            yield from x
            ^^^^^^^^^^^^
        """,
    ),
    Case(
        "await",
        """
        def application(x, output):
            output = x


        async def wait(x, output):
            output = await x


        make(blocks, wait, (Tensor(1), Tensor(1)))
        """,
        """
        UnsupportedSyntaxError: wait is async; write it with def
          File "kernel.py", line 9, column 1, in <module>
            make(blocks, wait, (Tensor(1), Tensor(1)))
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "star in a call of something that is no tuple",
        """
        def application(x, output):
            output = ntl.exp(*x)


        vectors(application)
        """,
        """
        TypeMismatchError: * takes a tuple, not the tensor x; name the arguments
          File "kernel.py", line 2, column 22, in application
            output = ntl.exp(*x)
                             ^^
        """,
    ),
    Case(
        "double star in a call",
        """
        def application(x, output):
            output = ntl.sum(x, **{"axis": 0})


        vectors(application)
        """,
        """
        UnsupportedSyntaxError: ** in a call is not part of the language; name the arguments
          File "kernel.py", line 2, column 14, in application
            output = ntl.sum(x, **{"axis": 0})
                     ^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "star in a tuple",
        """
        def application(x, output):
            pair = (*(1, 2), x)
            output = pair[2]


        vectors(application)
        """,
        """
        UnsupportedSyntaxError: the operator * is not part of the language; write the elements one by one
          File "kernel.py", line 2, column 13, in application
            pair = (*(1, 2), x)
                    ^^^^^^^
        """,
    ),
    Case(
        "f-string",
        """
        def application(x, output):
            print(f"{x}")
            output = x


        vectors(application)
        """,
        """
        UnsupportedSyntaxError: an f-string is not part of the language; write a plain string
          File "kernel.py", line 2, column 11, in application
            print(f"{x}")
                  ^^^^^^
        """,
    ),
    Case(
        "walrus",
        """
        def application(x, output):
            output = (y := x) + y


        vectors(application)
        """,
        """
        UnsupportedSyntaxError: the operator := is not part of the language; assign in a statement of its own
          File "kernel.py", line 2, column 15, in application
            output = (y := x) + y
                      ^^^^^^
        """,
    ),
    Case(
        "slice of a block",
        """
        def application(x, output):
            y = x + 1
            output = y[0:16]


        vectors(application)
        """,
        """
        UnsupportedSyntaxError: a slice is not part of the language; arrange the tensor so that the program sees the slice
          File "kernel.py", line 3, column 16, in application
            output = y[0:16]
                       ^^^^
        """,
    ),
    Case(
        "slice of a parameter",
        """
        def application(x, output):
            output = x[0:16]


        vectors(application)
        """,
        """
        UnsupportedSyntaxError: a slice is not part of the language; arrange the tensor so that the program sees the slice
          File "kernel.py", line 2, column 16, in application
            output = x[0:16]
                       ^^^^
        """,
    ),
    Case(
        "slice of a tuple with a run-time bound",
        """
        def application(x, output):
            pair = (1, 2, 3)
            output = x + pair[: ntl.sum(x)][0]


        vectors(application)
        """,
        """
        TypeMismatchError: a tuple of 3 is indexed by integers that are known when compiling
          File "kernel.py", line 3, column 18, in application
            output = x + pair[: ntl.sum(x)][0]
                         ^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "dict",
        """
        def application(x, output):
            table = {"x": x}
            output = table["x"]


        vectors(application)
        """,
        """
        UnsupportedSyntaxError: a dict is not part of the language; use a variable for each value
          File "kernel.py", line 2, column 13, in application
            table = {"x": x}
                    ^^^^^^^^
        """,
    ),
    Case(
        "set",
        """
        def application(x, output):
            values = {1, 2}
            output = x


        vectors(application)
        """,
        """
        UnsupportedSyntaxError: a set is not part of the language; write a tuple
          File "kernel.py", line 2, column 14, in application
            values = {1, 2}
                     ^^^^^^
        """,
    ),
    Case(
        "matrix operator",
        """
        def application(x, y, output):
            output = x @ y


        matrices(application)
        """,
        """
        UnsupportedSyntaxError: the operator @ is not part of the language; write ntl.dot(a, b)
          File "kernel.py", line 2, column 14, in application
            output = x @ y
                     ^^^^^
        """,
    ),
    Case(
        "matrix operator in place",
        """
        def application(x, y, output):
            x @= y
            output = x


        matrices(application)
        """,
        """
        UnsupportedSyntaxError: the operator @ is not part of the language; write ntl.dot(a, b)
          File "kernel.py", line 2, column 5, in application
            x @= y
            ^^^^^^
        """,
    ),
    Case(
        "power",
        """
        def application(x, output):
            output = x**0.5


        vectors(application)
        """,
        """
        UnsupportedSyntaxError: the operator ** with this exponent is not part of the language; write ntl.libdevice.pow(x, y), or a whole number above 0 that is known when compiling
          File "kernel.py", line 2, column 14, in application
            output = x**0.5
                     ^^^^^^
        """,
    ),
    Case(
        "power in place",
        """
        def application(x, output):
            y = x
            y **= x
            output = y


        vectors(application)
        """,
        """
        UnsupportedSyntaxError: the operator ** with this exponent is not part of the language; write ntl.libdevice.pow(x, y), or a whole number above 0 that is known when compiling
          File "kernel.py", line 3, column 5, in application
            y **= x
            ^^^^^^^
        """,
    ),
    Case(
        "a call of a builtin that is not there",
        """
        def application(x, output):
            repr(x)
            output = x


        vectors(application)
        """,
        """
        UnsupportedSyntaxError: the builtin repr is not part of the language
          File "kernel.py", line 2, column 5, in application
            repr(x)
            ^^^^^^^
        """,
    ),
    Case(
        "a call of a builtin on a block",
        """
        def application(x, output):
            output = float(x)


        vectors(application)
        """,
        """
        UnsupportedSyntaxError: the builtin float is not part of the language on the tensor x; write x.to(ntl.float32)
          File "kernel.py", line 2, column 14, in application
            output = float(x)
                     ^^^^^^^^
        """,
    ),
    Case(
        "max of blocks",
        """
        def application(x, output):
            output = max(x, 0.0)


        vectors(application)
        """,
        """
        TypeMismatchError: max takes numbers known when compiling; use ntl.maximum
          File "kernel.py", line 2, column 14, in application
            output = max(x, 0.0)
                     ^^^^^^^^^^^
        """,
    ),
    Case(
        "sum of a block",
        """
        def application(x, output):
            output = sum(x)


        vectors(application)
        """,
        """
        TypeMismatchError: sum takes numbers known when compiling; use ntl.sum
          File "kernel.py", line 2, column 14, in application
            output = sum(x)
                     ^^^^^^
        """,
    ),
)
def test_message(case: Case, tmp_path: Path) -> None:
    check(case, tmp_path)
