"""What a program says and demands, hints, and assembly."""

from __future__ import annotations

from pathlib import Path

from tests.support.messages import Case, check, each


@each(
    Case(
        "a prefix that is no string",
        """
        def application(x, output):
            ntl.device_print(x)
            output = x


        vectors(application).ir()
        """,
        """
        TypeMismatchError: ntl.device_print: prefix must be a string that is known when compiling, not the tensor x
          File "kernel.py", line 2, column 5, in application
            ntl.device_print(x)
            ^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a prefix that is not ASCII",
        """
        def application(x, output):
            ntl.device_print("größe", x)
            output = x


        vectors(application).ir()
        """,
        """
        ArgumentError: ntl.device_print: a device prints ASCII only, not 'größe'; write the prefix with its letters
          File "kernel.py", line 2, column 5, in application
            ntl.device_print("größe", x)
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a pointer that is printed",
        """
        def application(x, output):
            ntl.device_print("x", x.source.data_ptr())
            output = x


        vectors(application).ir()
        """,
        """
        TypeMismatchError: the value must be a number or a block, not a pointer to fp32; read what it points to with ntl.load
          File "kernel.py", line 2, column 5, in application
            ntl.device_print("x", x.source.data_ptr())
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "hex that is not known",
        """
        def application(x, output):
            ntl.device_print("x", x, hex=x)
            output = x


        vectors(application).ir()
        """,
        """
        TypeMismatchError: ntl.device_print: hex must be True or False, known when compiling, not the tensor x
          File "kernel.py", line 2, column 5, in application
            ntl.device_print("x", x, hex=x)
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "an assertion's message that is no string",
        """
        def application(x, output):
            ntl.device_assert(x > 0, 3)
            output = x


        vectors(application).ir()
        """,
        """
        TypeMismatchError: ntl.device_assert: msg must be a string that is known when compiling, not 3
          File "kernel.py", line 2, column 5, in application
            ntl.device_assert(x > 0, 3)
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "an assertion's mask that does not broadcast",
        """
        def application(x, output):
            ntl.device_assert(x > 0, mask=ntl.zeros((3,), ntl.int1))
            output = x


        vectors(application).ir()
        """,
        """
        ShapeError: shapes (64,) and (3,) do not broadcast: 64 is not 3; make them equal, or one of them 1
          File "kernel.py", line 2, column 5, in application
            ntl.device_assert(x > 0, mask=ntl.zeros((3,), ntl.int1))
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "an assertion that fails",
        """
        def application(x, output):
            ntl.device_assert(x < 66, "x is small")
            output = x


        x = torch.arange(70.0)
        vectors(application)(x, x.clone())
        """,
        """
        AssertionFailedError: x is small (program 1, lane 2)
          File "kernel.py", line 2, column 5
            ntl.device_assert(x < 66, "x is small")
            ^
        """,
    ),
    Case(
        "an assertion that fails, without a message",
        """
        def application(x, output):
            ntl.device_assert(ntl.program_id(0) < 1)
            output = x


        x = torch.arange(70.0)
        vectors(application)(x, x.clone())
        """,
        """
        AssertionFailedError: the assertion does not hold (program 1)
          File "kernel.py", line 2, column 5
            ntl.device_assert(ntl.program_id(0) < 1)
            ^
        """,
    ),
    Case(
        "an assertion on a matrix that fails",
        """
        def application(x, output):
            ntl.device_assert(x != 70.0, "not there")
            output = x


        x = torch.arange(128.0).reshape(4, 32)
        matrices(application)(x, x.clone())
        """,
        """
        AssertionFailedError: not there (program 0, lane (2, 6))
          File "kernel.py", line 2, column 5
            ntl.device_assert(x != 70.0, "not there")
            ^
        """,
    ),
    Case(
        "a block that is assumed",
        """
        def application(x, output):
            ntl.assume(x > 0)
            output = x


        vectors(application).ir()
        """,
        """
        ShapeError: a condition must be one number, not a block of shape (64,) of i1; select lanes with ntl.where
          File "kernel.py", line 2, column 5, in application
            ntl.assume(x > 0)
            ^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "what is never true is assumed",
        """
        def application(x, output):
            ntl.assume(1 > 2)
            output = x


        vectors(application).ir()
        """,
        """
        ArgumentError: ntl.assume: the condition is never true; leave it out
          File "kernel.py", line 2, column 5, in application
            ntl.assume(1 > 2)
            ^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a hint that is not known",
        """
        def application(x, output):
            output = ntl.multiple_of(x, ntl.program_id(0))


        vectors(application).ir()
        """,
        """
        TypeMismatchError: ntl.multiple_of: values must be integers that are known when compiling, not a scalar of i32
          File "kernel.py", line 2, column 14, in application
            output = ntl.multiple_of(x, ntl.program_id(0))
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a hint below 1",
        """
        def application(x, output):
            output = ntl.multiple_of(x, 0)


        vectors(application).ir()
        """,
        """
        ArgumentError: ntl.multiple_of: values must be 1 or more, not 0
          File "kernel.py", line 2, column 14, in application
            output = ntl.multiple_of(x, 0)
                     ^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a hint a dim too many",
        """
        def application(x, output):
            output = ntl.max_contiguous(x, [16, 16])


        vectors(application).ir()
        """,
        """
        ShapeError: ntl.max_contiguous: 2 values for a block of shape (64,) of fp32; give one a dim
          File "kernel.py", line 2, column 14, in application
            output = ntl.max_contiguous(x, [16, 16])
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a hint on a scalar",
        """
        def application(x, output):
            output = x + ntl.max_constancy(ntl.program_id(0), 4)


        vectors(application).ir()
        """,
        """
        ShapeError: ntl.max_constancy says something of a block, not of a scalar of i32
          File "kernel.py", line 2, column 18, in application
            output = x + ntl.max_constancy(ntl.program_id(0), 4)
                         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "assembly on CPU tensors",
        """
        def application(x, output):
            output = ntl.inline_asm_elementwise(
                "mov.b32 $0, $1;", "=f,f", [x], ntl.float32, True, 1
            )


        x = torch.zeros(64)
        vectors(application)(x, x.clone())
        """,
        """
        DeviceError: ntl.inline_asm_elementwise runs on a GPU only; pass GPU tensors, or write it with functions of ntl
          File "kernel.py", line 2, column 14
            output = ntl.inline_asm_elementwise(
                     ^
        """,
    ),
    Case(
        "assembly that is no string",
        """
        def application(x, output):
            output = ntl.inline_asm_elementwise(x, "=f,f", [x], ntl.float32, True, 1)


        vectors(application).ir()
        """,
        """
        TypeMismatchError: ntl.inline_asm_elementwise: asm must be a string that is known when compiling, not the tensor x
          File "kernel.py", line 2, column 14, in application
            output = ntl.inline_asm_elementwise(x, "=f,f", [x], ntl.float32, True, 1)
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "assembly without a list of arguments",
        """
        def application(x, output):
            output = ntl.inline_asm_elementwise("", "=f,f", x, ntl.float32, True, 1)


        vectors(application).ir()
        """,
        """
        TypeMismatchError: ntl.inline_asm_elementwise: args must be a list of blocks and scalars, not the tensor x
          File "kernel.py", line 2, column 14, in application
            output = ntl.inline_asm_elementwise("", "=f,f", x, ntl.float32, True, 1)
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "assembly without a result",
        """
        def application(x, output):
            output = ntl.inline_asm_elementwise("", "", [x], (), True, 1)


        vectors(application).ir()
        """,
        """
        ArgumentError: ntl.inline_asm_elementwise: assembly gives a value at least; name its dtype
          File "kernel.py", line 2, column 14, in application
            output = ntl.inline_asm_elementwise("", "", [x], (), True, 1)
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "assembly of no element type",
        """
        def application(x, output):
            output = ntl.inline_asm_elementwise("", "=f,f", [x], 7, True, 1)


        vectors(application).ir()
        """,
        """
        TypeMismatchError: ntl.inline_asm_elementwise: 7 is no element type; write for example ntl.float32
          File "kernel.py", line 2, column 14, in application
            output = ntl.inline_asm_elementwise("", "=f,f", [x], 7, True, 1)
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "assembly of no lanes",
        """
        def application(x, output):
            output = ntl.inline_asm_elementwise("", "=f,f", [x], ntl.float32, True, 0)


        vectors(application).ir()
        """,
        """
        ArgumentError: ntl.inline_asm_elementwise: pack must be 1 or more, not 0
          File "kernel.py", line 2, column 14, in application
            output = ntl.inline_asm_elementwise("", "=f,f", [x], ntl.float32, True, 0)
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "assembly that does not say whether it is pure",
        """
        def application(x, output):
            output = ntl.inline_asm_elementwise("", "=f,f", [x], ntl.float32, 1, 1)


        vectors(application).ir()
        """,
        """
        TypeMismatchError: ntl.inline_asm_elementwise: is_pure must be True or False, known when compiling, not 1
          File "kernel.py", line 2, column 14, in application
            output = ntl.inline_asm_elementwise("", "=f,f", [x], ntl.float32, 1, 1)
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a separator that is no string",
        """
        def application(x, output):
            ntl.static_print(x, sep=1)
            output = x


        vectors(application).ir()
        """,
        """
        TypeMismatchError: ntl.static_print: sep must be a string that is known when compiling, not 1
          File "kernel.py", line 2, column 5, in application
            ntl.static_print(x, sep=1)
            ^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
)
def test_error(case: Case, tmp_path: Path) -> None:
    check(case, tmp_path)
