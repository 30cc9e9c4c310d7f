"""Functions of the device libraries: element types, names, vendors."""

from __future__ import annotations

from pathlib import Path

from tests.support.messages import Case, check, each


@each(
    Case(
        "element type that no form has",
        """
        def application(x, output):
            output = ntl.libdevice.tanh(x)


        vectors(application, 'fp16').ir()
        """,
        """
        TypeMismatchError: ntl.libdevice.tanh takes fp32 or fp64, not fp16; convert it first: ntl.cast(x, ntl.float32)
          File "kernel.py", line 2, column 14, in application
            output = ntl.libdevice.tanh(x)
                     ^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "two element types",
        """
        def application(x, y, output):
            output = ntl.libdevice.atan2(x, y)


        vectors(application, 'fp32', 'fp64').ir()
        """,
        """
        TypeMismatchError: ntl.libdevice.atan2 takes (fp32, fp32) or (fp64, fp64), not (fp32, fp64); convert it first: ntl.cast(x, ntl.float32)
          File "kernel.py", line 2, column 14, in application
            output = ntl.libdevice.atan2(x, y)
                     ^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a number that no form takes",
        """
        def application(x, output):
            output = ntl.libdevice.popc(1.5) + x


        vectors(application).ir()
        """,
        """
        TypeMismatchError: ntl.libdevice.popc takes i32 or i64, not fp32; convert it first: ntl.cast(x, ntl.int32)
          File "kernel.py", line 2, column 14, in application
            output = ntl.libdevice.popc(1.5) + x
                     ^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a bool",
        """
        def application(x, output):
            output = ntl.libdevice.pow(x, True)


        vectors(application).ir()
        """,
        """
        TypeMismatchError: ntl.libdevice.pow: y is True; give a number
          File "kernel.py", line 2, column 14, in application
            output = ntl.libdevice.pow(x, True)
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "too few arguments",
        """
        def application(x, output):
            output = ntl.libdevice.pow(x)


        vectors(application).ir()
        """,
        """
        ArgumentError: ntl.libdevice.pow(x, y) needs y
          File "kernel.py", line 2, column 14, in application
            output = ntl.libdevice.pow(x)
                     ^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "unknown function",
        """
        def application(x, output):
            output = ntl.libdevice.tahn(x)


        vectors(application).ir()
        """,
        """
        UndefinedNameError: the module ninetoothed.language.libdevice has no tahn; did you mean tan?
          File "kernel.py", line 2, column 14, in application
            output = ntl.libdevice.tahn(x)
                     ^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "unknown function of math",
        """
        def application(x, output):
            output = ntl.math.sqrtt(x)


        vectors(application).ir()
        """,
        """
        UndefinedNameError: the module ninetoothed.language.math has no sqrtt; did you mean sqrt?
          File "kernel.py", line 2, column 14, in application
            output = ntl.math.sqrtt(x)
                     ^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "shapes that do not broadcast",
        """
        def application(x, output):
            output = ntl.libdevice.pow(x, ntl.zeros((3,), ntl.float32))


        vectors(application).ir()
        """,
        """
        ShapeError: shapes (64,) and (3,) do not broadcast: 64 is not 3; make them equal, or one of them 1
          File "kernel.py", line 2, column 14, in application
            output = ntl.libdevice.pow(x, ntl.zeros((3,), ntl.float32))
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "tanh",
        """
        def application(x, output):
            output = ntl.tanh(x)


        vectors(application, 'bf16').ir()
        """,
        """
        TypeMismatchError: ntl.libdevice.tanh takes fp32 or fp64, not bf16; convert it first: ntl.cast(x, ntl.float32)
          File "kernel.py", line 2, column 14, in application
            output = ntl.tanh(x)
                     ^^^^^^^^^^^
        """,
    ),
    Case(
        "outside an application",
        """
        ntl.libdevice.tanh(1.0)
        """,
        """
        NineToothedError: ntl.libdevice.tanh has a meaning inside an application only; call a kernel that uses it
          File "kernel.py", line 1, column 1, in <module>
            ntl.libdevice.tanh(1.0)
            ^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "no function for AMD",
        """
        def application(x, output):
            output = ntl.libdevice.fast_tanf(x)


        kernel = vectors(application)
        kernel.source(target="gfx942")
        """,
        """
        DeviceError: ntl.libdevice.fast_tanf: AMD's device libraries have no such function of fp32; compute it from others
          File "kernel.py", line 2, column 14
            output = ntl.libdevice.fast_tanf(x)
                     ^
        """,
    ),
)
def test_error(case: Case, tmp_path: Path) -> None:
    check(case, tmp_path)
