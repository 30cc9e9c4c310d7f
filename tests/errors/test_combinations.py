"""Functions that combine lanes, and do more or less than that."""

from __future__ import annotations

from pathlib import Path

from tests.support.messages import Case, check, each


@each(
    Case(
        "floats of eight bits in a combination",
        """
        def combine(a, b):
            return a + b


        def application(x, output):
            output = x + ntl.reduce(x.to(ntl.float8e5), 0, combine)


        vectors(application, "fp32", "fp32")
        """,
        """
        TypeMismatchError: ntl.reduce does not combine fp8e5, since Triton computes with blocks of it only; convert it first: ntl.cast(x, ntl.float32)
          File "kernel.py", line 6, column 18, in application
            output = x + ntl.reduce(x.to(ntl.float8e5), 0, combine)
                         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a combination of another type",
        """
        def combine(a, b):
            return a > b


        def application(x, output):
            output = x + ntl.reduce(x, 0, combine)


        vectors(application, "fp32", "fp32")
        """,
        """
        TypeMismatchError: ntl.reduce: the function combine must return a scalar of fp32, as it takes, not a scalar of i1; convert with ntl.cast
          File "kernel.py", line 6, column 18, in application
            output = x + ntl.reduce(x, 0, combine)
                         ^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a combination of too few",
        """
        def combine(a, b, c, d):
            return a + c


        def application(x, output):
            output = ntl.associative_scan((x, x), 0, combine)[0]


        vectors(application, "fp32", "fp32")
        """,
        """
        TypeMismatchError: ntl.associative_scan: the function combine must return 2 scalars, of fp32 and fp32, as it takes, not a scalar of fp32; convert with ntl.cast
          File "kernel.py", line 6, column 14, in application
            output = ntl.associative_scan((x, x), 0, combine)[0]
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a combination that gives nothing",
        """
        def combine(a, b):
            c = a + b


        def application(x, output):
            output = x + ntl.reduce(x, 0, combine)


        vectors(application, "fp32", "fp32")
        """,
        """
        TypeMismatchError: what the function combine returns must be a number or a block, not None
          File "kernel.py", line 6, column 18, in application
            output = x + ntl.reduce(x, 0, combine)
                         ^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a combination of other arguments",
        """
        def combine(a):
            return a


        def application(x, output):
            output = x + ntl.reduce(x, 0, combine)


        vectors(application, "fp32", "fp32")
        """,
        """
        ArgumentError: combine(a) does not take these arguments: too many positional arguments
          File "kernel.py", line 6, column 18, in application
            output = x + ntl.reduce(x, 0, combine)
                         ^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a combination that is no function",
        """
        def application(x, output):
            output = x + ntl.reduce(x, 0, "max")


        vectors(application, "fp32", "fp32")
        """,
        """
        TypeMismatchError: 'max' cannot be called inside an application; functions of ntl and plain Python functions can
          File "kernel.py", line 2, column 18, in application
            output = x + ntl.reduce(x, 0, "max")
                         ^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a combination that reads",
        """
        def application(x, output):
            def combine(a, b):
                return a + b * ntl.load(x.source.data_ptr())

            output = x + ntl.reduce(x, 0, combine)


        vectors(application, "fp32", "fp32")
        """,
        """
        UnsupportedSyntaxError: ntl.reduce: the function combine combines scalars, and uses a value from outside that is known at run time only; give it as a block of the input
          File "kernel.py", line 5, column 18
            output = x + ntl.reduce(x, 0, combine)
                         ^
          File "kernel.py", line 3, column 33
            return a + b * ntl.load(x.source.data_ptr())
                                    ^
        """,
    ),
    Case(
        "a combination that writes",
        """
        def combine(a, b):
            ntl.device_print("a", a)
            return a + b


        def application(x, output):
            output = x + ntl.reduce(x, 0, combine)


        vectors(application, "fp32", "fp32")
        """,
        """
        UnsupportedSyntaxError: ntl.reduce: the function combine combines scalars, and may not read, write or print; do so outside
          File "kernel.py", line 7, column 18
            output = x + ntl.reduce(x, 0, combine)
                         ^
          File "kernel.py", line 2, column 5
            ntl.device_print("a", a)
            ^
        """,
    ),
    Case(
        "a combination that uses a value from outside",
        """
        def application(x, output):
            largest = ntl.max(x)

            def combine(a, b):
                return (a + b) / largest

            output = x + ntl.reduce(x, 0, combine)


        vectors(application, "fp32", "fp32")
        """,
        """
        UnsupportedSyntaxError: ntl.reduce: the function combine combines scalars, and uses a value from outside that is known at run time only; give it as a block of the input
          File "kernel.py", line 7, column 18
            output = x + ntl.reduce(x, 0, combine)
                         ^
          File "kernel.py", line 5, column 16
            return (a + b) / largest
                   ^
        """,
    ),
    Case(
        "a combination that uses a size from outside",
        """
        def application(x, output):
            def combine(a, b):
                return (a + b) / x.source.shape[0]

            output = x + ntl.reduce(x, 0, combine)


        vectors(application, "fp32", "fp32")
        """,
        """
        UnsupportedSyntaxError: ntl.reduce: the function combine combines scalars, and uses a value from outside that is known at run time only; give it as a block of the input
          File "kernel.py", line 5, column 18
            output = x + ntl.reduce(x, 0, combine)
                         ^
          File "kernel.py", line 3, column 16
            return (a + b) / x.source.shape[0]
                   ^
        """,
    ),
    Case(
        "a combination that uses the program's number",
        """
        def combine(a, b):
            return a + b * ntl.program_id(0)


        def application(x, output):
            output = x + ntl.reduce(x, 0, combine)


        vectors(application, "fp32", "fp32")
        """,
        """
        UnsupportedSyntaxError: ntl.reduce: the function combine combines scalars, and uses a value from outside that is known at run time only; give it as a block of the input
          File "kernel.py", line 6, column 18
            output = x + ntl.reduce(x, 0, combine)
                         ^
          File "kernel.py", line 2, column 20
            return a + b * ntl.program_id(0)
                           ^
        """,
    ),
    Case(
        "a combination that makes a block",
        """
        def combine(a, b):
            return a + b + ntl.sum(ntl.arange(0, 16))


        def application(x, output):
            output = x + ntl.reduce(x, 0, combine)


        vectors(application, "fp32", "fp32")
        """,
        """
        ShapeError: ntl.reduce: the function combine combines scalars, and makes a block of shape (16,) of i32; compute it outside
          File "kernel.py", line 6, column 18
            output = x + ntl.reduce(x, 0, combine)
                         ^
          File "kernel.py", line 2, column 28
            return a + b + ntl.sum(ntl.arange(0, 16))
                                   ^
        """,
    ),
    Case(
        "a combination that loops",
        """
        def combine(a, b):
            for _ in range(3):
                a = a * b
            return a


        def application(x, output):
            output = x + ntl.reduce(x, 0, combine)


        vectors(application, "fp32", "fp32")
        """,
        """
        UnsupportedSyntaxError: ntl.reduce: the function combine combines scalars without loops; write `for i in ntl.static_range(n)`
          File "kernel.py", line 8, column 18
            output = x + ntl.reduce(x, 0, combine)
                         ^
          File "kernel.py", line 2, column 5
            for _ in range(3):
            ^
        """,
    ),
)
def test_message(case: Case, tmp_path: Path) -> None:
    check(case, tmp_path)
