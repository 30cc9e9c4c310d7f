"""Functions inside functions, and functions whose assignments would be lost."""

from __future__ import annotations

from pathlib import Path

from tests.support.messages import Case, check, each

CASES = (
    Case(
        "a loop variable that a nested function reads",
        """
        def application(x, output):
            for i in range(4):
                def scaled(value):
                    return value * i

                output = scaled(x)


        vectors(application)
        """,
        """
        UnsupportedSyntaxError: scaled reads the loop variable i of application; give scaled a parameter i, and pass it
          File "kernel.py", line 3, column 9, in application
            def scaled(value):
            ^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a loop variable that a function nested deeper reads",
        """
        def application(x, output):
            def outer(value):
                def inner():
                    return value * i

                return inner()

            for i in ntl.static_range(4):
                output = outer(x)


        vectors(application)
        """,
        """
        UnsupportedSyntaxError: outer reads the loop variable i of application; give outer a parameter i, and pass it
          File "kernel.py", line 2, column 5, in application
            def outer(value):
            ^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a nested function that calls itself",
        """
        def application(x, output):
            def power(value, n):
                return value * power(value, n - 1)

            output = power(x, 4)


        vectors(application)
        """,
        """
        UnsupportedSyntaxError: power calls itself; write a loop
          File "kernel.py", line 5, column 14, in application
            output = power(x, 4)
                     ^^^^^^^^^^^
          File "kernel.py", line 3, column 24, in power
            return value * power(value, n - 1)
                           ^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "nested functions that call each other",
        """
        def application(x, output):
            def even(value):
                return odd(value)

            def odd(value):
                return even(value)

            output = even(x)


        vectors(application)
        """,
        """
        UnsupportedSyntaxError: even calls itself; write a loop
          File "kernel.py", line 8, column 14, in application
            output = even(x)
                     ^^^^^^^
          File "kernel.py", line 3, column 16, in even
            return odd(value)
                   ^^^^^^^^^^
          File "kernel.py", line 6, column 16, in odd
            return even(value)
                   ^^^^^^^^^^^
        """,
    ),
    Case(
        "a nested function that calls the application",
        """
        def application(x, output):
            def again():
                application(x, output)

            again()


        vectors(application)
        """,
        """
        UnsupportedSyntaxError: application calls itself; write a loop
          File "kernel.py", line 5, column 5, in application
            again()
            ^^^^^^^
          File "kernel.py", line 3, column 9, in again
            application(x, output)
            ^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a nested function with too few arguments",
        """
        def application(x, output):
            def scaled(value, factor, *, more=1):
                return value * factor * more

            output = scaled(x)


        vectors(application)
        """,
        """
        ArgumentError: scaled(value, factor, *, more=1) does not take these arguments: missing a required argument: 'factor'
          File "kernel.py", line 5, column 14, in application
            output = scaled(x)
                     ^^^^^^^^^
        """,
    ),
    Case(
        "a nested function that assigns an output",
        """
        def application(x, output):
            def write(value):
                output = value

            write(x)


        vectors(application)
        """,
        """
        UnsupportedSyntaxError: write assigns output, which is a variable of its own there and not the parameter of application; give write a parameter output, and pass it
          File "kernel.py", line 2, column 5, in application
            def write(value):
            ^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "nonlocal",
        """
        def application(x, output):
            total = x

            def add():
                nonlocal total
                total = total + x

            add()
            output = total


        vectors(application)
        """,
        """
        UnsupportedSyntaxError: `nonlocal` is not part of the language; return the value, or assign to an output
          File "kernel.py", line 8, column 5, in application
            add()
            ^^^^^
          File "kernel.py", line 5, column 9, in add
            nonlocal total
            ^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a decorated nested function",
        """
        def plain(function):
            return function


        def application(x, output):
            @plain
            def twice(value):
                return value * 2

            output = twice(x)


        vectors(application)
        """,
        """
        UnsupportedSyntaxError: a decorator inside an application is not part of the language; leave it out, or define the function outside
          File "kernel.py", line 6, column 6, in application
            @plain
             ^^^^^
        """,
    ),
    Case(
        "an async nested function",
        """
        def application(x, output):
            async def twice(value):
                return value * 2

            output = x


        vectors(application)
        """,
        """
        UnsupportedSyntaxError: an async function is not part of the language; write it with def
          File "kernel.py", line 2, column 5, in application
            async def twice(value):
            ^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a nested function with the name of a parameter",
        """
        def application(x, output):
            def output(value):
                return value


        vectors(application)
        """,
        """
        TypeMismatchError: output is a parameter; give the function another name
          File "kernel.py", line 2, column 5, in application
            def output(value):
            ^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a nested function that is not always defined",
        """
        def application(x, output):
            if ntl.sum(x) > 0:
                def twice(value):
                    return value * 2

            output = twice(x)


        vectors(application)
        """,
        """
        UndefinedNameError: twice is assigned in one branch of the `if` at line 2 only; assign it in both, or before
          File "kernel.py", line 6, column 14, in application
            output = twice(x)
                     ^^^^^
        """,
    ),
    Case(
        "a name that a nested function does not find",
        """
        def application(x, output):
            factor = 2

            def scaled(value):
                return value * facter

            output = scaled(x)


        vectors(application)
        """,
        """
        UndefinedNameError: there is no name facter; did you mean factor?
          File "kernel.py", line 7, column 14, in application
            output = scaled(x)
                     ^^^^^^^^^
          File "kernel.py", line 5, column 24, in scaled
            return value * facter
                           ^^^^^^
        """,
    ),
    Case(
        "a name that has no value when a nested function is called",
        """
        def application(x, output):
            def scaled(value):
                return value * factor

            output = scaled(x)
            factor = 2


        vectors(application)
        """,
        """
        UndefinedNameError: factor has no value yet; assign it before
          File "kernel.py", line 5, column 14, in application
            output = scaled(x)
                     ^^^^^^^^^
          File "kernel.py", line 3, column 24, in scaled
            return value * factor
                           ^^^^^^
        """,
    ),
    Case(
        "a nested function as a value",
        """
        def application(x, output):
            def twice(value):
                return value * 2

            output = twice + x


        vectors(application)
        """,
        """
        TypeMismatchError: an operand must be a number or a block, not the function twice
          File "kernel.py", line 5, column 14, in application
            output = twice + x
                     ^^^^^^^^^
        """,
    ),
    Case(
        "an assignment that is lost",
        """
        def add(x, y, output):
            output = x + y


        def application(x, output):
            y = ntl.zeros(x.shape, x.dtype)
            add(x, x, y)
            output = y


        vectors(application)
        """,
        """
        TypeMismatchError: output is a value of the caller, where assigning it here changes nothing; pass an output parameter, or return the value
          File "kernel.py", line 7, column 5, in application
            add(x, x, y)
            ^^^^^^^^^^^^
          File "kernel.py", line 2, column 5, in add
            output = x + y
            ^^^^^^
        """,
    ),
    Case(
        "an assignment in place that is lost",
        """
        def accumulate(total, x):
            for i in range(4):
                total += x * i


        def application(x, output):
            total = x * 0
            accumulate(total, x)
            output = total


        vectors(application)
        """,
        """
        TypeMismatchError: total is a value of the caller, where assigning it here changes nothing; pass an output parameter, or return the value
          File "kernel.py", line 8, column 5, in application
            accumulate(total, x)
            ^^^^^^^^^^^^^^^^^^^^
          File "kernel.py", line 3, column 9, in accumulate
            total += x * i
            ^^^^^
        """,
    ),
    Case(
        "an output of a function that returns a value",
        """
        def write(target, value):
            target = value
            return value


        def application(x, output):
            write(output, x)


        vectors(application)
        """,
        """
        TypeMismatchError: write returns a value and so changes no parameter, and what is assigned to target is lost; let it return nothing, or this value, too
          File "kernel.py", line 7, column 5, in application
            write(output, x)
            ^^^^^^^^^^^^^^^^
          File "kernel.py", line 2, column 5, in write
            target = value
            ^^^^^^
        """,
    ),
    Case(
        "a function with ** in its parameters",
        """
        def scaled(x, **options):
            return x


        def application(x, output):
            output = scaled(x)


        vectors(application)
        """,
        """
        UnsupportedSyntaxError: ** in the parameters of scaled is not part of the language; name them
          File "kernel.py", line 6, column 14, in application
            output = scaled(x)
                     ^^^^^^^^^
        """,
    ),
    Case(
        "a partial of something else",
        """
        import functools

        total = functools.partial(sum, start=1)


        def application(x, output):
            output = total(x)


        vectors(application)
        """,
        """
        TypeMismatchError: a partial of the function sum cannot be called inside an application; functions written with def can
          File "kernel.py", line 7, column 14, in application
            output = total(x)
                     ^^^^^^^^
        """,
    ),
    Case(
        "a tensor as a default",
        """
        def scaled(x, by=torch.ones(3)):
            return x * by


        def application(x, output):
            output = scaled(x)


        vectors(application)
        """,
        """
        TypeMismatchError: by is a Tensor from outside the application, which cannot be used inside; numbers, element types, tuples and functions can, and tensors come in as parameters
          File "kernel.py", line 6, column 14, in application
            output = scaled(x)
                     ^^^^^^^^^
        """,
    ),
    Case(
        "a tensor in a tuple outside",
        """
        scales = (1, torch.ones(3))


        def application(x, output):
            output = x * scales[1]


        vectors(application)
        """,
        """
        TypeMismatchError: scales[1] is a Tensor from outside the application, which cannot be used inside; numbers, element types, tuples and functions can, and tensors come in as parameters
          File "kernel.py", line 5, column 18, in application
            output = x * scales[1]
                         ^^^^^^
        """,
    ),
    Case(
        "a class without the name",
        """
        class Steps:
            offset = 5


        def application(x, output):
            output = x + Steps.ofset


        vectors(application)
        """,
        """
        UndefinedNameError: the class Steps has no attribute ofset; did you mean offset?
          File "kernel.py", line 6, column 18, in application
            output = x + Steps.ofset
                         ^^^^^^^^^^^
        """,
    ),
)


@each(*CASES)
def test_message(case: Case, tmp_path: Path) -> None:
    check(case, tmp_path)
