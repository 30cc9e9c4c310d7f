"""Functions of numbers, and which program it is: element types, options, axes."""

from __future__ import annotations

from pathlib import Path

from tests.support.messages import Case, check, each


@each(
    Case(
        "fma of integers",
        """
        def application(x, output):
            output = ntl.fma(x, x, 1)


        vectors(application, 'i32').ir()
        """,
        """
        TypeMismatchError: ntl.fma of a block of shape (64,) of i32 and a block of shape (64,) of i32 and 1: it takes floats of 16 bits and more, not i32; convert it first: ntl.cast(x, ntl.float32)
          File "kernel.py", line 2, column 14, in application
            output = ntl.fma(x, x, 1)
                     ^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "fma with too few arguments",
        """
        def application(x, output):
            output = ntl.fma(x, x)


        vectors(application).ir()
        """,
        """
        ArgumentError: ntl.fma(x, y, z) needs z
          File "kernel.py", line 2, column 14, in application
            output = ntl.fma(x, x)
                     ^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a precise root of fp64",
        """
        def application(x, output):
            output = ntl.sqrt_rn(x)


        vectors(application, 'fp64').ir()
        """,
        """
        TypeMismatchError: ntl.sqrt_rn of a block of shape (64,) of fp64: it takes fp32, not fp64; convert it first: ntl.cast(x, ntl.float32)
          File "kernel.py", line 2, column 14, in application
            output = ntl.sqrt_rn(x)
                     ^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a precise quotient of fp16",
        """
        def application(x, output):
            output = ntl.div_rn(x, 2)


        vectors(application, 'fp16').ir()
        """,
        """
        TypeMismatchError: ntl.div_rn of a block of shape (64,) of fp16 and 2: it takes fp32, not fp16; convert it first: ntl.cast(x, ntl.float32)
          File "kernel.py", line 2, column 14, in application
            output = ntl.div_rn(x, 2)
                     ^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a quotient of integers",
        """
        def application(x, output):
            output = ntl.fdiv(x, x)


        vectors(application, 'i32').ir()
        """,
        """
        TypeMismatchError: ntl.fdiv of a block of shape (64,) of i32 and a block of shape (64,) of i32: it takes floats, not i32; write x / y
          File "kernel.py", line 2, column 14, in application
            output = ntl.fdiv(x, x)
                     ^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "rounding that is not known",
        """
        def application(x, output):
            output = ntl.fdiv(x, x, ieee_rounding=x)


        vectors(application).ir()
        """,
        """
        TypeMismatchError: ntl.fdiv: ieee_rounding must be True or False, known when compiling, not the tensor x
          File "kernel.py", line 2, column 14, in application
            output = ntl.fdiv(x, x, ieee_rounding=x)
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "propagate_nan that is none",
        """
        def application(x, output):
            output = ntl.maximum(x, 0.0, propagate_nan=True)


        vectors(application).ir()
        """,
        """
        ArgumentError: ntl.maximum: propagate_nan is ntl.PropagateNan.NONE or ntl.PropagateNan.ALL, not True
          File "kernel.py", line 2, column 14, in application
            output = ntl.maximum(x, 0.0, propagate_nan=True)
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "propagate_nan without a member",
        """
        def application(x, output):
            output = ntl.clamp(x, 0, 1, ntl.PropagateNan.SOME)


        vectors(application).ir()
        """,
        """
        UndefinedNameError: the class PropagateNan has no member SOME; members are NONE, ALL
          File "kernel.py", line 2, column 33, in application
            output = ntl.clamp(x, 0, 1, ntl.PropagateNan.SOME)
                                        ^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "clamp to what does not broadcast",
        """
        def application(x, output):
            output = ntl.clamp(x, 0, ntl.zeros((3,), ntl.float32))


        vectors(application).ir()
        """,
        """
        ShapeError: shapes (64,) and (3,) do not broadcast: 64 is not 3; make them equal, or one of them 1
          File "kernel.py", line 2, column 14, in application
            output = ntl.clamp(x, 0, ntl.zeros((3,), ntl.float32))
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "an axis that there is not",
        """
        def application(x, output):
            output = x + ntl.program_id(3)


        vectors(application).ir()
        """,
        """
        ArgumentError: ntl.program_id: axis is 0, 1 or 2, not 3
          File "kernel.py", line 2, column 18, in application
            output = x + ntl.program_id(3)
                         ^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "an axis that is not known",
        """
        def application(x, output):
            output = x + ntl.num_programs(ntl.program_id(0))


        vectors(application).ir()
        """,
        """
        TypeMismatchError: ntl.num_programs: axis must be an integer that is known when compiling, not a scalar of i32
          File "kernel.py", line 2, column 18, in application
            output = x + ntl.num_programs(ntl.program_id(0))
                         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "an axis below 0",
        """
        def application(x, output):
            output = x + ntl.program_id(-1)


        vectors(application).ir()
        """,
        """
        ArgumentError: ntl.program_id: axis is 0, 1 or 2, not -1
          File "kernel.py", line 2, column 18, in application
            output = x + ntl.program_id(-1)
                         ^^^^^^^^^^^^^^^^^^
        """,
    ),
)
def test_error(case: Case, tmp_path: Path) -> None:
    check(case, tmp_path)
