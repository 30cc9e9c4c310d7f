"""Names and attributes that have no value, or one that an application cannot use."""

from __future__ import annotations

from pathlib import Path

from tests.support.messages import Case, check, each


@each(
    Case(
        "a name that is misspelt",
        """
        def application(lhs, rhs, output):
            output = lhs + rsh


        vectors(application)
        """,
        """
        UndefinedNameError: there is no name rsh; did you mean rhs?
          File "kernel.py", line 2, column 20, in application
            output = lhs + rsh
                           ^^^
        """,
    ),
    Case(
        "a name of nothing",
        """
        def application(x, output):
            output = x * quux


        vectors(application)
        """,
        """
        UndefinedNameError: there is no name quux; assign it first, or import it
          File "kernel.py", line 2, column 18, in application
            output = x * quux
                         ^^^^
        """,
    ),
    Case(
        "a member that an enumeration does not have",
        """
        import enum


        class Activation(enum.Enum):
            NONE = 0
            RELU = 1


        def application(x, activation, output):
            output = ntl.maximum(x, 0.0) if activation is Activation.RULE else x


        vectors(application)
        """,
        """
        UndefinedNameError: the class Activation has no member RULE; members are NONE, RELU
          File "kernel.py", line 10, column 51, in application
            output = ntl.maximum(x, 0.0) if activation is Activation.RULE else x
                                                          ^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a builtin that is misspelt",
        """
        def application(x, output):
            for i in rnge(4):
                output = x


        vectors(application)
        """,
        """
        UndefinedNameError: there is no name rnge; did you mean range?
          File "kernel.py", line 2, column 14, in application
            for i in rnge(4):
                     ^^^^
        """,
    ),
    Case(
        "a function of the language that is not there",
        """
        def application(x, output):
            output = ntl.expp(x)


        vectors(application)
        """,
        """
        UndefinedNameError: the module ninetoothed.language has no expp; did you mean exp?
          File "kernel.py", line 2, column 14, in application
            output = ntl.expp(x)
                     ^^^^^^^^
        """,
    ),
    Case(
        "an attribute of an element type",
        """
        def application(x, output):
            output = x * x.dtype.bits


        vectors(application, "fp32")
        """,
        """
        UndefinedNameError: 'fp32' has no attribute bits; an element type has name, primitive_bitwidth, itemsize, and tests as is_floating()
          File "kernel.py", line 2, column 18, in application
            output = x * x.dtype.bits
                         ^^^^^^^^^^^^
        """,
    ),
    Case(
        "an attribute of a block",
        """
        def application(x, output):
            output = x.summ()


        vectors(application)
        """,
        """
        UndefinedNameError: a block of shape (64,) has no attribute summ; did you mean sum?
          File "kernel.py", line 2, column 14, in application
            output = x.summ()
                     ^^^^^^
        """,
    ),
    Case(
        "an attribute of a number",
        """
        def application(x, output):
            output = x + (1).numerator


        vectors(application)
        """,
        """
        UndefinedNameError: 1 has no attribute numerator; a block has shape, dtype, ndim, T, to(dtype), and methods as sum(axis)
          File "kernel.py", line 2, column 18, in application
            output = x + (1).numerator
                         ^^^^^^^^^^^^^
        """,
    ),
    Case(
        "an attribute of a tuple",
        """
        def application(x, output):
            output = x + x.shape.count(1)


        vectors(application)
        """,
        """
        UndefinedNameError: a tuple of 1 has no attribute count in the language; parameters, blocks and modules have some
          File "kernel.py", line 2, column 18, in application
            output = x + x.shape.count(1)
                         ^^^^^^^^^^^^^
        """,
    ),
    Case(
        "an attribute of a module",
        """
        import math


        def application(x, output):
            output = x * math.pie


        vectors(application)
        """,
        """
        UndefinedNameError: the module math has no pie; did you mean pi?
          File "kernel.py", line 5, column 18, in application
            output = x * math.pie
                         ^^^^^^^^
        """,
    ),
    Case(
        "a constant of a module of numbers",
        """
        import math


        def application(x, output):
            output = x * math.sqrt(2.0)


        vectors(application)
        """,
        """
        TypeMismatchError: the function sqrt cannot be called inside an application; functions of ntl and plain Python functions can
          File "kernel.py", line 5, column 18, in application
            output = x * math.sqrt(2.0)
                         ^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a closure variable without a value",
        """
        def kernel():
            def application(x, output):
                output = x * scale

            vectors(application)
            scale = 2


        kernel()
        """,
        """
        UndefinedNameError: scale has no value yet; assign it before the kernel is made
          File "kernel.py", line 3, column 22, in application
            output = x * scale
                         ^^^^^
        """,
    ),
    Case(
        "a tensor from outside",
        """
        weights = torch.ones(64)


        def application(x, output):
            output = x * weights


        vectors(application)
        """,
        """
        TypeMismatchError: weights is a Tensor from outside the application, which cannot be used inside; numbers, element types, tuples and functions can, and tensors come in as parameters
          File "kernel.py", line 5, column 18, in application
            output = x * weights
                         ^^^^^^^
        """,
    ),
    Case(
        "a symbolic tensor from outside",
        """
        weights = Tensor(1)


        def application(x, output):
            output = x * weights


        vectors(application)
        """,
        """
        TypeMismatchError: weights is a Tensor from outside the application, which cannot be used inside; numbers, element types, tuples and functions can, and tensors come in as parameters
          File "kernel.py", line 5, column 18, in application
            output = x * weights
                         ^^^^^^^
        """,
    ),
    Case(
        "a symbol from outside",
        """
        BLOCK = block_size()


        def application(x, output):
            output = x + BLOCK


        vectors(application)
        """,
        """
        TypeMismatchError: BLOCK is a Symbol from outside the application, which cannot be used inside; numbers, element types, tuples and functions can, and tensors come in as parameters
          File "kernel.py", line 5, column 18, in application
            output = x + BLOCK
                         ^^^^^
        """,
    ),
    Case(
        "a dict from outside",
        """
        scales = {"x": 2.0}


        def application(x, output):
            output = x * scales["x"]


        vectors(application)
        """,
        """
        TypeMismatchError: scales is a dict from outside the application, which cannot be used inside; numbers, element types, tuples and functions can, and tensors come in as parameters
          File "kernel.py", line 5, column 18, in application
            output = x * scales["x"]
                         ^^^^^^
        """,
    ),
    Case(
        "an object in a module",
        """
        import sys


        def application(x, output):
            output = x * sys.implementation


        vectors(application)
        """,
        """
        TypeMismatchError: sys.implementation is a SimpleNamespace from outside the application, which cannot be used inside; numbers, element types, tuples and functions can, and tensors come in as parameters
          File "kernel.py", line 5, column 18, in application
            output = x * sys.implementation
                         ^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "assigned in one branch only",
        """
        def application(x, output):
            if ntl.sum(x) > 0:
                y = x
            output = y


        vectors(application)
        """,
        """
        UndefinedNameError: y is assigned in one branch of the `if` at line 2 only; assign it in both, or before
          File "kernel.py", line 4, column 14, in application
            output = y
                     ^
        """,
    ),
    Case(
        "assigned in the other branch only",
        """
        def application(x, output):
            if ntl.sum(x) > 0:
                pass
            else:
                y = x
            output = y


        vectors(application)
        """,
        """
        UndefinedNameError: y is assigned in one branch of the `if` at line 2 only; assign it in both, or before
          File "kernel.py", line 6, column 14, in application
            output = y
                     ^
        """,
    ),
    Case(
        "assigned in a loop only",
        """
        def application(x, output):
            for i in range(4):
                y = x
            output = y


        vectors(application)
        """,
        """
        UndefinedNameError: y is assigned in the loop at line 2, which may not run; assign it before the loop
          File "kernel.py", line 4, column 14, in application
            output = y
                     ^
        """,
    ),
    Case(
        "the variable of a loop after it",
        """
        def application(x, output):
            for i in range(4):
                y = x
            output = x + i


        vectors(application)
        """,
        """
        UndefinedNameError: i is assigned in the loop at line 2, which may not run; assign it before the loop
          File "kernel.py", line 4, column 18, in application
            output = x + i
                         ^
        """,
    ),
    Case(
        "used before it is assigned",
        """
        def application(x, output):
            output = y
            y = x


        vectors(application)
        """,
        """
        UndefinedNameError: y has no value yet; assign it before
          File "kernel.py", line 2, column 14, in application
            output = y
                     ^
        """,
    ),
    Case(
        "carried by a loop and first assigned in it",
        """
        def application(x, output):
            for i in range(4):
                total = total + x
            output = total


        vectors(application)
        """,
        """
        UndefinedNameError: total has no value yet; assign it before
          File "kernel.py", line 3, column 17, in application
            total = total + x
                    ^^^^^
        """,
    ),
    Case(
        "a local that is not assigned because of a global of its name",
        """
        y = 1


        def application(x, output):
            output = x + y
            y = 2


        vectors(application)
        """,
        """
        UndefinedNameError: y has no value yet; assign it before
          File "kernel.py", line 5, column 18, in application
            output = x + y
                         ^
        """,
    ),
    Case(
        "an unknown name in a kernel of constexprs",
        """
        def arrangement(lhs, rhs, output, BLOCK_SIZE=Symbol("BLOCK_SIZE", constexpr=True)):
            return tuple(tensor.tile((BLOCK_SIZE,)) for tensor in (lhs, rhs, output))


        def application(lhs, rhs, output):
            output = lhs + rsh


        make(arrangement, application, (Tensor(1), Tensor(1), Tensor(1)))
        """,
        """
        UndefinedNameError: there is no name rsh; did you mean rhs?
          File "kernel.py", line 6, column 20, in application
            output = lhs + rsh
                           ^^^
        """,
    ),
)
def test_message(case: Case, tmp_path: Path) -> None:
    check(case, tmp_path)
