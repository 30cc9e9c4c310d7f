"""What loops go over: steps, bounds and hints."""

from __future__ import annotations

from pathlib import Path

from tests.support.messages import Case, check, each


@each(
    Case(
        "a step of zero",
        """
        def application(x, output):
            for i in range(0, 4, 0):
                output = x


        vectors(application)
        """,
        """
        UnsupportedSyntaxError: a step of 0: the loop would never end; write another step
          File "kernel.py", line 2, column 26, in application
            for i in range(0, 4, 0):
                                 ^
        """,
    ),
    Case(
        "a step by keyword of zero",
        """
        def application(x, output):
            for i in ntl.static_range(0, 4, step=0):
                output = x


        vectors(application)
        """,
        """
        UnsupportedSyntaxError: a step of 0: the loop would never end; write another step
          File "kernel.py", line 2, column 42, in application
            for i in ntl.static_range(0, 4, step=0):
                                                 ^
        """,
    ),
    Case(
        "a step that only the call knows",
        """
        def arrangement(x, n, output):
            return x.tile((64,)), n, output.tile((64,))


        def application(x, n, output):
            for i in range(0, 4, n):
                output = x


        make(arrangement, application, (Tensor(1), Tensor(0, dtype="i32"), Tensor(1)))
        """,
        """
        UnsupportedSyntaxError: whether a loop of the step the tensor n counts up or down is not known when compiling; let it count by 1, and multiply the index by the step
          File "kernel.py", line 6, column 26, in application
            for i in range(0, 4, n):
                                 ^
        """,
    ),
    Case(
        "a step that may be zero",
        """
        def application(x, output):
            for i in range(
                8,
                0,
                -x.shape[1],
            ):
                output = x


        def arrangement(x, output):
            return x.tile((1, -1)).squeeze(1), output.tile((1, -1)).squeeze(1)


        make(arrangement, application, (Tensor(2), Tensor(2)))
        """,
        """
        UnsupportedSyntaxError: whether a loop of the step the size -x_size_1 counts up or down is not known when compiling; let it count by 1, and multiply the index by the step
          File "kernel.py", line 5, column 9, in application
            -x.shape[1],
            ^^^^^^^^^^^
        """,
    ),
    Case(
        "a float as a step",
        """
        def application(x, output):
            for i in range(0, 4, 0.5):
                output = x


        vectors(application)
        """,
        """
        UnsupportedSyntaxError: whether a loop of the step 0.5 counts up or down is not known when compiling; let it count by 1, and multiply the index by the step
          File "kernel.py", line 2, column 26, in application
            for i in range(0, 4, 0.5):
                                 ^^^
        """,
    ),
    Case(
        "a float as a bound",
        """
        def application(x, output):
            for i in range(4.0, 0, -1):
                output = x


        vectors(application)
        """,
        """
        TypeMismatchError: range takes integers, not 4.0
          File "kernel.py", line 2, column 14, in application
            for i in range(4.0, 0, -1):
                     ^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "an unrolled loop over a size",
        """
        def arrangement(x, output):
            return x.tile((1, -1)), output.tile((1, -1))


        def application(x, output):
            for i in ntl.static_range(x.shape[1]):
                output = x


        make(arrangement, application, (Tensor(2), Tensor(2)))
        """,
        """
        TypeMismatchError: ntl.static_range takes integers that are known when compiling, not the size x_size_1; write ntl.range
          File "kernel.py", line 6, column 14, in application
            for i in ntl.static_range(x.shape[1]):
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a variable of an unrolled loop that does not run",
        """
        def application(x, output):
            for i in ntl.static_range(0):
                y = x
            output = y


        vectors(application)
        """,
        """
        UndefinedNameError: y is assigned in the loop at line 2, which does not run; assign it before the loop
          File "kernel.py", line 4, column 14, in application
            output = y
                     ^
        """,
    ),
    Case(
        "too many bounds",
        """
        def application(x, output):
            for i in ntl.range(0, 4, 1, 2):
                output = x


        vectors(application)
        """,
        """
        ArgumentError: ntl.range takes one to three integers, not 4
          File "kernel.py", line 2, column 14, in application
            for i in ntl.range(0, 4, 1, 2):
                     ^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a step given twice",
        """
        def application(x, output):
            for i in ntl.range(0, 4, 1, step=2):
                output = x


        vectors(application)
        """,
        """
        ArgumentError: ntl.range is given step twice
          File "kernel.py", line 2, column 14, in application
            for i in ntl.range(0, 4, 1, step=2):
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "an unknown hint",
        """
        def application(x, output):
            for i in ntl.range(4, stages=2):
                output = x


        vectors(application)
        """,
        """
        ArgumentError: ntl.range has no argument stages; it takes step, num_stages, loop_unroll_factor, disallow_acc_multi_buffer, flatten, warp_specialize
          File "kernel.py", line 2, column 14, in application
            for i in ntl.range(4, stages=2):
                     ^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a hint of the wrong type",
        """
        def application(x, output):
            for i in ntl.range(4, num_stages=2.0):
                output = x


        vectors(application)
        """,
        """
        TypeMismatchError: ntl.range: num_stages must be an integer that is known when compiling, not 2.0
          File "kernel.py", line 2, column 38, in application
            for i in ntl.range(4, num_stages=2.0):
                                             ^^^
        """,
    ),
    Case(
        "a flag of the wrong type",
        """
        def application(x, output):
            for i in ntl.range(4, flatten=1):
                output = x


        vectors(application)
        """,
        """
        TypeMismatchError: ntl.range: flatten must be True or False, not 1
          File "kernel.py", line 2, column 35, in application
            for i in ntl.range(4, flatten=1):
                                          ^
        """,
    ),
    Case(
        "a range outside a loop",
        """
        def application(x, output):
            y = ntl.static_range(4)
            output = x


        vectors(application)
        """,
        """
        UnsupportedSyntaxError: ntl.static_range stands in a loop only; write `for i in ntl.static_range(n)`
          File "kernel.py", line 2, column 9, in application
            y = ntl.static_range(4)
                ^^^^^^^^^^^^^^^^^^^
        """,
    ),
)
def test_range(case: Case, tmp_path: Path) -> None:
    check(case, tmp_path)
