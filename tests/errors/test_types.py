"""Element types and kinds of value that do not fit an operation."""

from __future__ import annotations

from pathlib import Path

from tests.support.messages import Case, check, each


@each(
    Case(
        "exp of fp16",
        """
        def application(x, output):
            output = ntl.exp(x)


        vectors(application, "fp16")
        """,
        """
        TypeMismatchError: ntl.exp of a block of shape (64,) of fp16: it takes fp32 or fp64, not fp16; convert it first: ntl.cast(x, ntl.float32)
          File "kernel.py", line 2, column 14, in application
            output = ntl.exp(x)
                     ^^^^^^^^^^
        """,
    ),
    Case(
        "exp of an integer block",
        """
        def application(x, output):
            output = ntl.exp(x)


        vectors(application, "i32")
        """,
        """
        TypeMismatchError: ntl.exp of a block of shape (64,) of i32: it takes fp32 or fp64, not i32; convert it first: ntl.cast(x, ntl.float32)
          File "kernel.py", line 2, column 14, in application
            output = ntl.exp(x)
                     ^^^^^^^^^^
        """,
    ),
    Case(
        "exp of a number that is no float",
        """
        def application(x, output):
            output = x + ntl.exp(2)


        vectors(application)
        """,
        """
        TypeMismatchError: ntl.exp of 2: it takes fp32 or fp64, not i32; convert it first: ntl.cast(x, ntl.float32)
          File "kernel.py", line 2, column 18, in application
            output = x + ntl.exp(2)
                         ^^^^^^^^^^
        """,
    ),
    Case(
        "sqrt method of fp16",
        """
        def application(x, output):
            output = x.sqrt()


        vectors(application, "bf16")
        """,
        """
        TypeMismatchError: ntl.sqrt of a block of shape (64,) of bf16: it takes fp32 or fp64, not bf16; convert it first: ntl.cast(x, ntl.float32)
          File "kernel.py", line 2, column 14, in application
            output = x.sqrt()
                     ^^^^^^^^
        """,
    ),
    Case(
        "integer division of floats",
        """
        def application(x, output):
            output = x // 2


        vectors(application, "fp32")
        """,
        """
        TypeMismatchError: `//` of a block of shape (64,) of fp32 and 2: // takes integers, not fp32; write ntl.floor(x / y) for floats
          File "kernel.py", line 2, column 14, in application
            output = x // 2
                     ^^^^^^
        """,
    ),
    Case(
        "bits of floats",
        """
        def application(x, output):
            output = x & 1


        vectors(application, "fp32")
        """,
        """
        TypeMismatchError: `&` of a block of shape (64,) of fp32 and 1: it takes integers, not fp32; convert it first: ntl.cast(x, ntl.int32)
          File "kernel.py", line 2, column 14, in application
            output = x & 1
                     ^^^^^
        """,
    ),
    Case(
        "inverted floats",
        """
        def application(x, output):
            output = ~x


        vectors(application, "fp32")
        """,
        """
        TypeMismatchError: `~` of a block of shape (64,) of fp32: it takes integers, not fp32; convert it first: ntl.cast(x, ntl.int32)
          File "kernel.py", line 2, column 14, in application
            output = ~x
                     ^^
        """,
    ),
    Case(
        "division of signed by unsigned",
        """
        def application(x, y, output):
            output = x // y


        vectors(application, "i32", "u32")
        """,
        """
        TypeMismatchError: `//` of a block of shape (64,) of i32 and a block of shape (64,) of u32: i32 and u32 differ in sign; convert one, as in ntl.cast(x, ntl.int32)
          File "kernel.py", line 2, column 14, in application
            output = x // y
                     ^^^^^^
        """,
    ),
    Case(
        "dot of mixed types",
        """
        def application(x, y, output):
            output = ntl.dot(x, ntl.trans(y))


        matrices(application, "fp16", "fp32")
        """,
        """
        TypeMismatchError: ntl.dot: it takes two blocks of one element type, not fp16 and fp32; convert one with .to(dtype)
          File "kernel.py", line 2, column 14, in application
            output = ntl.dot(x, ntl.trans(y))
                     ^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "dot of integers",
        """
        def application(x, y, output):
            output = ntl.dot(x, ntl.trans(y))


        matrices(application, "i32", "i32")
        """,
        """
        TypeMismatchError: ntl.dot: matrices of i32 cannot be multiplied; use floats or i8
          File "kernel.py", line 2, column 14, in application
            output = ntl.dot(x, ntl.trans(y))
                     ^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "zeros without an element type",
        """
        def application(x, output):
            output = ntl.zeros((64,), dtype=float)


        vectors(application)
        """,
        """
        TypeMismatchError: ntl.zeros: the class float is no element type; write for example ntl.float32
          File "kernel.py", line 2, column 14, in application
            output = ntl.zeros((64,), dtype=float)
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "cast to an unknown type",
        """
        def application(x, output):
            output = ntl.cast(x, "half")


        vectors(application)
        """,
        """
        TypeMismatchError: ntl.cast: 'half' is no element type; write for example ntl.float32
          File "kernel.py", line 2, column 14, in application
            output = ntl.cast(x, "half")
                     ^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "to without a type",
        """
        def application(x, output):
            output = x.to(x)


        vectors(application)
        """,
        """
        TypeMismatchError: ntl.cast: the tensor x is no element type; write for example ntl.float32
          File "kernel.py", line 2, column 14, in application
            output = x.to(x)
                     ^^^^^^^
        """,
    ),
    Case(
        "a number that is too large",
        """
        def application(x, output):
            output = x + 2**70


        vectors(application)
        """,
        """
        TypeMismatchError: 1180591620717411303424 does not fit 64 bits; use a smaller number, or a float
          File "kernel.py", line 2, column 14, in application
            output = x + 2**70
                     ^^^^^^^^^
        """,
    ),
    Case(
        "arithmetic on a string",
        """
        def application(x, output):
            output = x + "1"


        vectors(application)
        """,
        """
        TypeMismatchError: an operand must be a number or a block, not '1'
          File "kernel.py", line 2, column 14, in application
            output = x + "1"
                     ^^^^^^^
        """,
    ),
    Case(
        "arithmetic on None",
        """
        def application(x, output):
            output = x + None


        vectors(application)
        """,
        """
        TypeMismatchError: an operand must be a number or a block, not None
          File "kernel.py", line 2, column 14, in application
            output = x + None
                     ^^^^^^^^
        """,
    ),
    Case(
        "arithmetic on a function",
        """
        def application(x, output):
            output = x * ntl.exp


        vectors(application)
        """,
        """
        TypeMismatchError: an operand must be a number or a block, not the function ntl.exp
          File "kernel.py", line 2, column 14, in application
            output = x * ntl.exp
                     ^^^^^^^^^^^
        """,
    ),
    Case(
        "arithmetic on a tuple",
        """
        def application(x, output):
            output = x + (1, 2)


        vectors(application)
        """,
        """
        TypeMismatchError: an operand must be a number or a block, not a tuple of 2
          File "kernel.py", line 2, column 14, in application
            output = x + (1, 2)
                     ^^^^^^^^^^
        """,
    ),
    Case(
        "arithmetic on strings",
        """
        def application(x, output):
            output = x * ("a" - "b")


        vectors(application)
        """,
        """
        TypeMismatchError: `-` of 'a' and 'b': unsupported operand type(s) for -: 'str' and 'str'
          File "kernel.py", line 2, column 19, in application
            output = x * ("a" - "b")
                          ^^^^^^^^^
        """,
    ),
    Case(
        "division by zero",
        """
        def application(x, output):
            output = x + 1 // 0


        vectors(application)
        """,
        """
        TypeMismatchError: `//` of 1 and 0: integer division or modulo by zero
          File "kernel.py", line 2, column 18, in application
            output = x + 1 // 0
                         ^^^^^^
        """,
    ),
    Case(
        "a size divided by zero",
        """
        def arrangement(x, output, BLOCK=block_size()):
            return x.tile((BLOCK,)), output.tile((BLOCK,))


        def application(x, output):
            output = x + x.shape[0] // 0


        make(arrangement, application, (Tensor(1), Tensor(1)))
        """,
        """
        ShapeError: BLOCK_SIZE_0 is divided by zero; a divisor must be at least 1
          File "kernel.py", line 6, column 18, in application
            output = x + x.shape[0] // 0
                         ^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "negative of a string",
        """
        def application(x, output):
            output = -"a"


        vectors(application)
        """,
        """
        TypeMismatchError: `-` of 'a': bad operand type for unary -: 'str'
          File "kernel.py", line 2, column 14, in application
            output = -"a"
                     ^^^^
        """,
    ),
    Case(
        "in on a block",
        """
        def application(x, output):
            if ntl.sum(x) in (1, 2):
                output = x


        vectors(application)
        """,
        """
        TypeMismatchError: `in` takes a tuple of values that are known when compiling
          File "kernel.py", line 2, column 8, in application
            if ntl.sum(x) in (1, 2):
               ^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "comparison of strings with blocks",
        """
        def application(x, output):
            output = x == "x"


        vectors(application)
        """,
        """
        TypeMismatchError: an operand must be a number or a block, not 'x'
          File "kernel.py", line 2, column 14, in application
            output = x == "x"
                     ^^^^^^^^
        """,
    ),
    Case(
        "a call of a block",
        """
        def application(x, output):
            output = x(x)


        vectors(application)
        """,
        """
        TypeMismatchError: the tensor x cannot be called inside an application; functions of ntl and plain Python functions can
          File "kernel.py", line 2, column 14, in application
            output = x(x)
                     ^^^^
        """,
    ),
    Case(
        "a call of a torch function",
        """
        def application(x, output):
            output = torch.exp(x)


        vectors(application)
        """,
        """
        TypeMismatchError: the function exp cannot be called inside an application; functions of ntl and plain Python functions can
          File "kernel.py", line 2, column 14, in application
            output = torch.exp(x)
                     ^^^^^^^^^^^^
        """,
    ),
    Case(
        "a call of a class",
        """
        class Scale:
            pass


        def application(x, output):
            output = Scale(x)


        vectors(application)
        """,
        """
        TypeMismatchError: the class Scale cannot be called inside an application; functions of ntl and plain Python functions can
          File "kernel.py", line 6, column 14, in application
            output = Scale(x)
                     ^^^^^^^^
        """,
    ),
    Case(
        "a call of a method",
        """
        def application(x, output):
            output = "a".upper()


        vectors(application)
        """,
        """
        UndefinedNameError: 'a' has no attribute upper in the language; parameters, blocks and modules have some
          File "kernel.py", line 2, column 14, in application
            output = "a".upper()
                     ^^^^^^^^^
        """,
    ),
)
def test_message(case: Case, tmp_path: Path) -> None:
    check(case, tmp_path)
