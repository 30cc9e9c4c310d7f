"""Element types that do not become one another, or have none in common."""

from __future__ import annotations

from pathlib import Path

from tests.support.messages import Case, check, each


@each(
    Case(
        "bits of another width",
        """
        def application(x, output):
            output = x.to(ntl.int16, bitcast=True)


        vectors(application, "fp32")
        """,
        """
        TypeMismatchError: ntl.cast: fp32 has 32 bits and i16 16, so that no bits are both; leave bitcast out to convert the values
          File "kernel.py", line 2, column 14, in application
            output = x.to(ntl.int16, bitcast=True)
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "bits of a number",
        """
        def application(x, output):
            output = ntl.cast(1.5, ntl.int64, bitcast=True)


        vectors(application, "fp32")
        """,
        """
        TypeMismatchError: ntl.cast: fp32 has 32 bits and i64 64, so that no bits are both; leave bitcast out to convert the values
          File "kernel.py", line 2, column 14, in application
            output = ntl.cast(1.5, ntl.int64, bitcast=True)
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "bits that are rounded",
        """
        def application(x, output):
            output = x.to(ntl.int32, "rtz", bitcast=True)


        vectors(application, "fp32")
        """,
        """
        ArgumentError: ntl.cast: bitcast rounds nothing; leave fp_downcast_rounding out
          File "kernel.py", line 2, column 14, in application
            output = x.to(ntl.int32, "rtz", bitcast=True)
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "an unknown rounding",
        """
        def application(x, output):
            output = x.to(ntl.float16, fp_downcast_rounding="up")


        vectors(application, "fp32")
        """,
        """
        ArgumentError: ntl.cast: fp_downcast_rounding is 'rtne', to the nearest, or 'rtz', towards zero, not 'up'
          File "kernel.py", line 2, column 14, in application
            output = x.to(ntl.float16, fp_downcast_rounding="up")
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a rounding that widens",
        """
        def application(x, output):
            output = x.to(ntl.float32, fp_downcast_rounding="rtne")


        vectors(application, "fp16")
        """,
        """
        TypeMismatchError: fp_downcast_rounding is for floats that become narrower, not for fp16 to fp32; leave it out
          File "kernel.py", line 2, column 14, in application
            output = x.to(ntl.float32, fp_downcast_rounding="rtne")
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a rounding of integers",
        """
        def application(x, output):
            output = x.to(ntl.float16, fp_downcast_rounding="rtz")


        vectors(application, "i32")
        """,
        """
        TypeMismatchError: fp_downcast_rounding is for floats that become narrower, not for i32 to fp16; leave it out
          File "kernel.py", line 2, column 14, in application
            output = x.to(ntl.float16, fp_downcast_rounding="rtz")
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "fp64 towards zero",
        """
        def application(x, output):
            output = x.to(ntl.float32, fp_downcast_rounding="rtz")


        vectors(application, "fp64")
        """,
        """
        TypeMismatchError: no conversion of fp64 to fp32 rounds to zero; round to the nearest, or convert fp32 to fp16, bf16 or fp8e5
          File "kernel.py", line 2, column 14, in application
            output = x.to(ntl.float32, fp_downcast_rounding="rtz")
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "E4M3 towards zero",
        """
        def application(x, output):
            output = x.to(ntl.float8e4nv, fp_downcast_rounding="rtz")


        vectors(application, "fp32")
        """,
        """
        TypeMismatchError: no conversion of fp32 to fp8e4nv rounds to zero; round to the nearest, or convert fp32 to fp16, bf16 or fp8e5
          File "kernel.py", line 2, column 14, in application
            output = x.to(ntl.float8e4nv, fp_downcast_rounding="rtz")
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "an eight-bit float as an integer",
        """
        def application(x, output):
            output = x.to(ntl.int32)


        vectors(application, "fp8e5")
        """,
        """
        TypeMismatchError: fp8e5 does not become i32; convert it to a wider float between, as in x.to(ntl.float32)
          File "kernel.py", line 2, column 14, in application
            output = x.to(ntl.int32)
                     ^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "an integer as an eight-bit float",
        """
        def application(x, output):
            output = x


        vectors(application, "i32", "fp8e5")
        """,
        """
        TypeMismatchError: i32 does not become fp8e5; convert it to a wider float between, as in x.to(ntl.float32)
          File "kernel.py", line 2, column 5, in application
            output = x
            ^^^^^^
        """,
    ),
    Case(
        "an infinity as an integer",
        """
        def application(x, output):
            output = ntl.cast(float("inf"), ntl.int32)


        vectors(application, "i32")
        """,
        """
        TypeMismatchError: inf is no integer, which i32 holds; use a float
          File "kernel.py", line 2, column 14, in application
            output = ntl.cast(float("inf"), ntl.int32)
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a dtype that is none",
        """
        def application(x, output):
            output = x.to("int")


        vectors(application, "i32")
        """,
        """
        TypeMismatchError: ntl.cast: 'int' is no element type; write for example ntl.float32
          File "kernel.py", line 2, column 14, in application
            output = x.to("int")
                     ^^^^^^^^^^^
        """,
    ),
)
def test_casts(case: Case, tmp_path: Path) -> None:
    check(case, tmp_path)


@each(
    Case(
        "a number beyond the block's type",
        """
        def application(x, output):
            output = x + 300


        vectors(application, "i8")
        """,
        """
        TypeMismatchError: `+` of a block of shape (64,) of i8 and 300: 300 is no i8, which reaches from -128 to 127; convert the block first, as in ntl.cast(x, ntl.int32)
          File "kernel.py", line 2, column 14, in application
            output = x + 300
                     ^^^^^^^
        """,
    ),
    Case(
        "a negative number and an unsigned block",
        """
        def application(x, output):
            output = x > -1


        vectors(application, "u32")
        """,
        """
        TypeMismatchError: `>` of a block of shape (64,) of u32 and -1: -1 is no u32, which reaches from 0 to 4294967295; convert the block first, as in ntl.cast(x, ntl.int32)
          File "kernel.py", line 2, column 14, in application
            output = x > -1
                     ^^^^^^
        """,
    ),
    Case(
        "a number beyond the type in a choice",
        """
        def application(x, output):
            output = ntl.where(x > 3, x, 1000)


        vectors(application, "u8")
        """,
        """
        TypeMismatchError: ntl.where of a block of shape (64,) of u8 and 1000: 1000 is no u8, which reaches from 0 to 255; convert the block first, as in ntl.cast(x, ntl.int32)
          File "kernel.py", line 2, column 14, in application
            output = ntl.where(x > 3, x, 1000)
                     ^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "an eight-bit float and an integer",
        """
        def application(x, y, output):
            output = x + y


        vectors(application, "fp8e5", "i32")
        """,
        """
        TypeMismatchError: `+` of a block of shape (64,) of fp8e5 and a block of shape (64,) of i32: fp8e5 and i32 have no type in common; convert one, as in ntl.cast(x, ntl.float32)
          File "kernel.py", line 2, column 14, in application
            output = x + y
                     ^^^^^
        """,
    ),
    Case(
        "remainders of different sign",
        """
        def application(x, y, output):
            output = x % y


        vectors(application, "u8", "i8")
        """,
        """
        TypeMismatchError: `%` of a block of shape (64,) of u8 and a block of shape (64,) of i8: u8 and i8 differ in sign; convert one, as in ntl.cast(x, ntl.int32)
          File "kernel.py", line 2, column 14, in application
            output = x % y
                     ^^^^^
        """,
    ),
    Case(
        "quotients of different sign",
        """
        def application(x, y, output):
            output = x / y


        vectors(application, "u64", "i8")
        """,
        """
        TypeMismatchError: `/` of a block of shape (64,) of u64 and a block of shape (64,) of i8: u64 and i8 differ in sign; convert one, as in ntl.cast(x, ntl.int32)
          File "kernel.py", line 2, column 14, in application
            output = x / y
                     ^^^^^
        """,
    ),
    Case(
        "bits of floats",
        """
        def application(x, output):
            output = x ^ 1


        vectors(application, "fp32")
        """,
        """
        TypeMismatchError: `^` of a block of shape (64,) of fp32 and 1: it takes integers, not fp32; convert it first: ntl.cast(x, ntl.int32)
          File "kernel.py", line 2, column 14, in application
            output = x ^ 1
                     ^^^^^
        """,
    ),
    Case(
        "the inverse of a float",
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
)
def test_promotion(case: Case, tmp_path: Path) -> None:
    check(case, tmp_path)
