"""Calls inside an application: arguments, recursion, and the chain of callers."""

from __future__ import annotations

from pathlib import Path

from tests.support.messages import Case, check, each


@each(
    Case(
        "too many arguments",
        """
        def application(x, output):
            output = ntl.exp(x, 2)


        vectors(application)
        """,
        """
        ArgumentError: ntl.exp(x) takes 1 argument, not 2
          File "kernel.py", line 2, column 14, in application
            output = ntl.exp(x, 2)
                     ^^^^^^^^^^^^^
        """,
    ),
    Case(
        "too few arguments",
        """
        def application(x, output):
            output = ntl.maximum(x)


        vectors(application)
        """,
        """
        ArgumentError: ntl.maximum(x, y, propagate_nan='none') needs y
          File "kernel.py", line 2, column 14, in application
            output = ntl.maximum(x)
                     ^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "no arguments",
        """
        def application(x, output):
            output = ntl.exp()


        vectors(application)
        """,
        """
        ArgumentError: ntl.exp(x) needs x
          File "kernel.py", line 2, column 14, in application
            output = ntl.exp()
                     ^^^^^^^^^
        """,
    ),
    Case(
        "an unknown keyword",
        """
        def application(x, output):
            output = ntl.sum(x, dim=0)


        vectors(application)
        """,
        """
        ArgumentError: ntl.sum(input, axis=None, keep_dims=False, dtype=None) has no argument dim
          File "kernel.py", line 2, column 14, in application
            output = ntl.sum(x, dim=0)
                     ^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "an argument given twice",
        """
        def application(x, output):
            output = ntl.sum(x, 0, axis=0)


        vectors(application)
        """,
        """
        ArgumentError: ntl.sum(input, axis=None, keep_dims=False, dtype=None) is given axis twice
          File "kernel.py", line 2, column 14, in application
            output = ntl.sum(x, 0, axis=0)
                     ^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "an argument given twice to a method",
        """
        def application(x, output):
            output = x.sum(input=x)


        vectors(application)
        """,
        """
        ArgumentError: ntl.sum(input, axis=None, keep_dims=False, dtype=None) is given input twice
          File "kernel.py", line 2, column 14, in application
            output = x.sum(input=x)
                     ^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a keyword argument given twice to a function",
        """
        def scale(x, factor):
            return x * factor


        def application(x, output):
            output = scale(x, 2, factor=3)


        vectors(application)
        """,
        """
        ArgumentError: scale(x, factor) does not take these arguments: multiple values for argument 'factor'
          File "kernel.py", line 6, column 14, in application
            output = scale(x, 2, factor=3)
                     ^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "too few arguments of a function",
        """
        def scale(x, factor):
            return x * factor


        def application(x, output):
            output = scale(x)


        vectors(application)
        """,
        """
        ArgumentError: scale(x, factor) does not take these arguments: missing a required argument: 'factor'
          File "kernel.py", line 6, column 14, in application
            output = scale(x)
                     ^^^^^^^^
        """,
    ),
    Case(
        "too many arguments of a function",
        """
        def scale(x, factor):
            return x * factor


        def application(x, output):
            output = scale(x, 2, 3)


        vectors(application)
        """,
        """
        ArgumentError: scale(x, factor) does not take these arguments: too many positional arguments
          File "kernel.py", line 6, column 14, in application
            output = scale(x, 2, 3)
                     ^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "recursion",
        """
        def power(x, n):
            return x * power(x, n - 1)


        def application(x, output):
            output = power(x, 4)


        vectors(application)
        """,
        """
        UnsupportedSyntaxError: power calls itself; write a loop
          File "kernel.py", line 6, column 14, in application
            output = power(x, 4)
                     ^^^^^^^^^^^
          File "kernel.py", line 2, column 16, in power
            return x * power(x, n - 1)
                       ^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "mutual recursion",
        """
        def even(x):
            return odd(x)


        def odd(x):
            return even(x)


        def application(x, output):
            output = even(x)


        vectors(application)
        """,
        """
        UnsupportedSyntaxError: even calls itself; write a loop
          File "kernel.py", line 10, column 14, in application
            output = even(x)
                     ^^^^^^^
          File "kernel.py", line 2, column 12, in even
            return odd(x)
                   ^^^^^^
          File "kernel.py", line 6, column 12, in odd
            return even(x)
                   ^^^^^^^
        """,
    ),
    Case(
        "an application that calls itself",
        """
        def application(x, output):
            application(x, output)


        vectors(application)
        """,
        """
        UnsupportedSyntaxError: application calls itself; write a loop
          File "kernel.py", line 2, column 5, in application
            application(x, output)
            ^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a mistake in a function",
        """
        def scale(x, factor):
            return x * facter


        def application(x, output):
            output = scale(x, 2)


        vectors(application)
        """,
        """
        UndefinedNameError: there is no name facter; did you mean factor?
          File "kernel.py", line 6, column 14, in application
            output = scale(x, 2)
                     ^^^^^^^^^^^
          File "kernel.py", line 2, column 16, in scale
            return x * facter
                       ^^^^^^
        """,
    ),
    Case(
        "a mistake three functions deep",
        """
        def inner(x):
            return ntl.exp(x, x)


        def middle(x):
            y = inner(x) + 1
            return y


        def outer(x):
            return 2 * middle(
                x
            )


        def application(x, output):
            if ntl.sum(x) > 0:
                output = outer(x)


        vectors(application)
        """,
        """
        ArgumentError: ntl.exp(x) takes 1 argument, not 2
          File "kernel.py", line 18, column 18, in application
            output = outer(x)
                     ^^^^^^^^
          File "kernel.py", line 11, column 16, in outer
            return 2 * middle(
                       ^^^^^^^
          File "kernel.py", line 6, column 9, in middle
            y = inner(x) + 1
                ^^^^^^^^
          File "kernel.py", line 2, column 12, in inner
            return ntl.exp(x, x)
                   ^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a lambda that is called",
        """
        double = lambda x: 2 * x


        def application(x, output):
            output = double(x)


        vectors(application)
        """,
        """
        UnsupportedSyntaxError: a called function is a lambda; write it with def, with statements
          File "kernel.py", line 5, column 14, in application
            output = double(x)
                     ^^^^^^^^^
        """,
    ),
    Case(
        "a function without source",
        r"""
        namespace = {}
        exec("def double(x):\n    return 2 * x\n", namespace)
        double = namespace["double"]


        def application(x, output):
            output = double(x)


        vectors(application)
        """,
        """
        UnsupportedSyntaxError: the source of double in <string> cannot be read; kernels are compiled from source, so define it in a file
          File "kernel.py", line 7, column 14, in application
            output = double(x)
                     ^^^^^^^^^
        """,
    ),
    Case(
        "an async function that is called",
        """
        async def double(x):
            return 2 * x


        def application(x, output):
            output = double(x)


        vectors(application)
        """,
        """
        UnsupportedSyntaxError: double is async; write it with def
          File "kernel.py", line 6, column 14, in application
            output = double(x)
                     ^^^^^^^^^
        """,
    ),
    Case(
        "a function with star parameters and a mistake",
        """
        def total(*blocks):
            return blocks[0] + blocks[5]


        def application(x, output):
            output = total(x, x)


        vectors(application)
        """,
        """
        ShapeError: index 5 is out of range for a tuple of 2; count from 0
          File "kernel.py", line 6, column 14, in application
            output = total(x, x)
                     ^^^^^^^^^^^
          File "kernel.py", line 2, column 24, in total
            return blocks[0] + blocks[5]
                               ^^^^^^^^^
        """,
    ),
    Case(
        "a function that returns nothing",
        """
        def nothing(x):
            y = x


        def application(x, output):
            output = x + nothing(x)


        vectors(application)
        """,
        """
        TypeMismatchError: an operand must be a number or a block, not None
          File "kernel.py", line 6, column 14, in application
            output = x + nothing(x)
                     ^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a decorated application whose parameters are hidden",
        """
        import functools


        def twice(function):
            @functools.wraps(function)
            def wrapper(*tensors):
                function(*tensors)
                function(*tensors)

            return wrapper


        @twice
        def application(x, output):
            output += x


        make(blocks, application, (Tensor(1), Tensor(1)))
        """,
        """
        ArgumentError: wrapper, which decorates application, must take its tensors as plain parameters, without *, ** and keyword-only parameters; name one parameter a tensor
          File "kernel.py", line 6, column 18, in wrapper
            def wrapper(*tensors):
                         ^^^^^^^
        """,
    ),
    Case(
        "a cached application",
        """
        import functools


        @functools.cache
        def application(x, output):
            output = x


        make(blocks, application, (Tensor(1), Tensor(1)))
        """,
        """
        UnsupportedSyntaxError: the application must be a function written with def, not an object of class _lru_cache_wrapper; write one whose parameters are the tensors
          File "kernel.py", line 9, column 1, in <module>
            make(blocks, application, (Tensor(1), Tensor(1)))
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a primitive outside an application",
        """
        ntl.exp(1.0)
        """,
        """
        NineToothedError: ntl.exp has a meaning inside an application only; call a kernel that uses it
          File "kernel.py", line 1, column 1, in <module>
            ntl.exp(1.0)
            ^^^^^^^^^^^^
        """,
    ),
    Case(
        "zeros outside an application",
        """
        ntl.zeros((4,), dtype=ntl.float32)
        """,
        """
        NineToothedError: ntl.zeros has a meaning inside an application only; call a kernel that uses it
          File "kernel.py", line 1, column 1, in <module>
            ntl.zeros((4,), dtype=ntl.float32)
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
)
def test_message(case: Case, tmp_path: Path) -> None:
    check(case, tmp_path)
