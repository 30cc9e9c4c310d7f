"""Mistakes with functions that are written for Triton."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.messages import Case, check, each

pytest.importorskip("triton")

CASES = (
    Case(
        "a constexpr parameter that is given a block",
        """
        import triton
        import triton.language as tl


        @triton.jit
        def scaled(x, BY: tl.constexpr):
            return x * BY


        def application(x, output):
            output = scaled(x, x)


        vectors(application)
        """,
        """
        TypeMismatchError: BY of scaled is a constexpr and takes a value that is known when compiling, not the tensor x
          File "kernel.py", line 11, column 14, in application
            output = scaled(x, x)
                     ^^^^^^^^^^^^
        """,
    ),
    Case(
        "a return under a condition of the run time in a Triton function",
        """
        import triton
        import triton.language as tl


        @triton.jit
        def larger(a, b):
            if tl.sum(a, 0) > 2:
                return a
            return b


        def application(x, output):
            output = larger(x, x + 1)


        vectors(application)
        """,
        """
        UnsupportedSyntaxError: `return` in a loop or under a condition that is known at run time only is not part of the language; assign to a variable and return it at the end
          File "kernel.py", line 13, column 14, in application
            output = larger(x, x + 1)
                     ^^^^^^^^^^^^^^^^
          File "kernel.py", line 8, column 9, in larger
            return a
            ^^^^^^^^
        """,
    ),
    Case(
        "a name that only Triton has",
        """
        import triton
        import triton.language as tl


        @triton.jit
        def block(p):
            return tl.make_block_ptr(p, (1,), (1,), (0,), (1,), (0,))


        def application(x, output):
            output = block(x.source.data_ptr())


        vectors(application)
        """,
        """
        UndefinedNameError: the module ninetoothed.language has no make_block_ptr
          File "kernel.py", line 11, column 14, in application
            output = block(x.source.data_ptr())
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^
          File "kernel.py", line 7, column 12, in block
            return tl.make_block_ptr(p, (1,), (1,), (0,), (1,), (0,))
                   ^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a function that only Triton has",
        """
        from triton.language import make_block_ptr


        def application(x, output):
            output = make_block_ptr(x.source.data_ptr())


        vectors(application)
        """,
        """
        UndefinedNameError: ntl has no make_block_ptr, which triton.language has
          File "kernel.py", line 5, column 14, in application
            output = make_block_ptr(x.source.data_ptr())
                     ^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a Triton function that calls itself",
        """
        import triton
        import triton.language as tl


        @triton.jit
        def power(x, n: tl.constexpr):
            return x * power(x, n - 1)


        def application(x, output):
            output = power(x, 3)


        vectors(application)
        """,
        """
        UnsupportedSyntaxError: power calls itself; write a loop
          File "kernel.py", line 11, column 14, in application
            output = power(x, 3)
                     ^^^^^^^^^^^
          File "kernel.py", line 7, column 16, in power
            return x * power(x, n - 1)
                       ^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a number of the run time where Triton computes when compiling",
        """
        import triton


        def application(x, output):
            output = x * triton.next_power_of_2(ntl.sum(x))


        vectors(application)
        """,
        """
        TypeMismatchError: next_power_of_2 takes values that are known when compiling; of others, write what it computes
          File "kernel.py", line 5, column 18, in application
            output = x * triton.next_power_of_2(ntl.sum(x))
                         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a constexpr that is not one",
        """
        def application(x, output):
            factor = ntl.constexpr(ntl.sum(x))
            output = x * factor


        vectors(application, "fp32")
        """,
        """
        TypeMismatchError: ntl.constexpr takes a value that is known when compiling, not a scalar of fp32
          File "kernel.py", line 2, column 14, in application
            factor = ntl.constexpr(ntl.sum(x))
                     ^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "too few arguments of a Triton function",
        """
        import triton


        @triton.jit
        def scaled(x, factor):
            return x * factor


        def application(x, output):
            output = scaled(x)


        vectors(application)
        """,
        """
        ArgumentError: scaled(x, factor) does not take these arguments: missing a required argument: 'factor'
          File "kernel.py", line 10, column 14, in application
            output = scaled(x)
                     ^^^^^^^^^
        """,
    ),
)


@each(*CASES)
def test_message(case: Case, tmp_path: Path) -> None:
    check(case, tmp_path)
