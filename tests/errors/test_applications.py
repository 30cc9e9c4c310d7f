"""What can be an application, and what annotates the parameters of one for ``jit``."""

from __future__ import annotations

from pathlib import Path

from tests.support.messages import Case, check, each


@each(
    Case(
        "a lambda",
        """
        make(blocks, lambda x, output: x, (Tensor(1), Tensor(1)))
        """,
        """
        UnsupportedSyntaxError: the application is a lambda; write it with def, with statements
          File "kernel.py", line 1, column 1, in <module>
            make(blocks, lambda x, output: x, (Tensor(1), Tensor(1)))
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a builtin",
        """
        make(lambda x: x.tile((16,)), print, (Tensor(1),))
        """,
        """
        UnsupportedSyntaxError: the application must be a function written with def, not the builtin print; write one whose parameters are the tensors
          File "kernel.py", line 1, column 1, in <module>
            make(lambda x: x.tile((16,)), print, (Tensor(1),))
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a function of C",
        """
        import math

        make(lambda x: x.tile((16,)), math.sin, (Tensor(1),))
        """,
        """
        UnsupportedSyntaxError: the application must be a function written with def, not the builtin sin; write one whose parameters are the tensors
          File "kernel.py", line 3, column 1, in <module>
            make(lambda x: x.tile((16,)), math.sin, (Tensor(1),))
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a class",
        """
        class Application:
            def __call__(self, x, output):
                output = x


        make(lambda x: x.tile((16,)), Application, (Tensor(1),))
        """,
        """
        UnsupportedSyntaxError: the application must be a function written with def, not the class Application; write one whose parameters are the tensors
          File "kernel.py", line 6, column 1, in <module>
            make(lambda x: x.tile((16,)), Application, (Tensor(1),))
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "an object",
        """
        class Application:
            def __call__(self, x, output):
                output = x


        make(lambda x: x.tile((16,)), Application(), (Tensor(1),))
        """,
        """
        UnsupportedSyntaxError: the application must be a function written with def, not an object of class Application; write one whose parameters are the tensors
          File "kernel.py", line 6, column 1, in <module>
            make(lambda x: x.tile((16,)), Application(), (Tensor(1),))
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a method",
        """
        class Kernels:
            def application(self, x, output):
                output = x


        make(lambda x: x.tile((16,)), Kernels().application, (Tensor(1),))
        """,
        """
        UnsupportedSyntaxError: the application must be a function written with def, not the method application; write one whose parameters are the tensors
          File "kernel.py", line 6, column 1, in <module>
            make(lambda x: x.tile((16,)), Kernels().application, (Tensor(1),))
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a partial",
        """
        import functools


        def application(x, output, scale):
            output = x * scale


        make(lambda x: x.tile((16,)), functools.partial(application, scale=2), (Tensor(1),))
        """,
        """
        UnsupportedSyntaxError: the application must be a function written with def, not an object of class partial; write one whose parameters are the tensors
          File "kernel.py", line 8, column 1, in <module>
            make(lambda x: x.tile((16,)), functools.partial(application, scale=2), (Tensor(1),))
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "no function at all",
        """
        make(lambda x: x.tile((16,)), "application", (Tensor(1),))
        """,
        """
        UnsupportedSyntaxError: the application must be a function written with def, not 'application'; write one whose parameters are the tensors
          File "kernel.py", line 1, column 1, in <module>
            make(lambda x: x.tile((16,)), "application", (Tensor(1),))
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a function without source",
        r"""
        namespace = {}
        exec("def application(x, output):\n    output = x\n", namespace)
        make(lambda x: x.tile((16,)), namespace["application"], (Tensor(1),))
        """,
        """
        UnsupportedSyntaxError: the source of application in <string> cannot be read; kernels are compiled from source, so define it in a file
          File "kernel.py", line 3, column 1, in <module>
            make(lambda x: x.tile((16,)), namespace["application"], (Tensor(1),))
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a generator",
        """
        def application(x, output):
            yield x


        vectors(application)
        """,
        """
        UnsupportedSyntaxError: `yield` is not part of the language; assign to an output
          File "kernel.py", line 2, column 5, in application
            yield x
            ^^^^^^^
        """,
    ),
    Case(
        "star parameters",
        """
        def application(*tensors):
            tensors[1] = tensors[0]


        make(lambda x, y: (x.tile((16,)), y.tile((16,))), application, (Tensor(1), Tensor(1)))
        """,
        """
        ArgumentError: application must take its tensors as plain parameters, without *, ** and keyword-only parameters; name one parameter a tensor
          File "kernel.py", line 1, column 18, in application
            def application(*tensors):
                             ^^^^^^^
        """,
    ),
    Case(
        "keyword parameters",
        """
        def application(x, *, output):
            output = x


        make(lambda x, y: (x.tile((16,)), y.tile((16,))), application, (Tensor(1), Tensor(1)))
        """,
        """
        ArgumentError: application must take its tensors as plain parameters, without *, ** and keyword-only parameters; name one parameter a tensor
          File "kernel.py", line 1, column 23, in application
            def application(x, *, output):
                                  ^^^^^^
        """,
    ),
    Case(
        "double star parameters",
        """
        def application(x, **others):
            x = x + 1


        make(lambda x: x.tile((16,)), application, (Tensor(1),))
        """,
        """
        ArgumentError: application must take its tensors as plain parameters, without *, ** and keyword-only parameters; name one parameter a tensor
          File "kernel.py", line 1, column 22, in application
            def application(x, **others):
                                 ^^^^^^
        """,
    ),
    Case(
        "a kernel as application",
        """
        def application(x, output):
            output = x


        kernel = vectors(application)
        make(blocks, kernel, (Tensor(1), Tensor(1)))
        """,
        """
        UnsupportedSyntaxError: the application must be a function written with def, not an object of class Kernel; write one whose parameters are the tensors
          File "kernel.py", line 6, column 1, in <module>
            make(blocks, kernel, (Tensor(1), Tensor(1)))
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a kernel inside an application",
        """
        def copy(x, output):
            output = x


        kernel = vectors(copy)


        def application(x, output):
            kernel(x, output)


        vectors(application)
        """,
        """
        TypeMismatchError: kernel is a Kernel from outside the application, which cannot be used inside; numbers, element types, tuples and functions can, and tensors come in as parameters
          File "kernel.py", line 9, column 5, in application
            kernel(x, output)
            ^^^^^^
        """,
    ),
    Case(
        "jit of a lambda",
        """
        jit(lambda x: x)
        """,
        """
        UnsupportedSyntaxError: what jit takes is a lambda; write it with def, with statements
          File "kernel.py", line 1, column 1, in <module>
            jit(lambda x: x)
            ^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "jit of a class",
        """
        @jit
        class Application:
            pass
        """,
        """
        UnsupportedSyntaxError: what jit takes must be a function written with def, not the class Application; write one whose parameters are the tensors
          File "kernel.py", line 1, column 2, in <module>
            @jit
             ^^^
        """,
    ),
    Case(
        "jit without an annotation",
        """
        @jit
        def application(x: Tensor(1).tile((16,)), output):
            output = x
        """,
        """
        ArrangementError: the parameter output of application must be annotated with an arranged tensor, as in output: Tensor(1).tile((64,))
          File "kernel.py", line 2, column 43, in application
            def application(x: Tensor(1).tile((16,)), output):
                                                      ^^^^^^
        """,
    ),
    Case(
        "jit with an annotation that is no tensor",
        """
        @jit
        def application(x: Tensor(1).tile((16,)), output: int):
            output = x
        """,
        """
        ArrangementError: the parameter output of application must be annotated with an arranged tensor, as in output: Tensor(1).tile((64,))
          File "kernel.py", line 2, column 43, in application
            def application(x: Tensor(1).tile((16,)), output: int):
                                                      ^^^^^^^^^^^
        """,
    ),
    Case(
        "jit with an annotation that has an unknown name",
        """
        from __future__ import annotations


        @jit
        def application(x: Tensor(1).tile((16,)), output: Tensr(1).tile((16,))):
            output = x
        """,
        """
        UndefinedNameError: an annotation uses Tensr, and there is no such name; import it first
          File "kernel.py", line 5, column 51, in application
            def application(x: Tensor(1).tile((16,)), output: Tensr(1).tile((16,))):
                                                              ^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "jit with an impossible annotation",
        """
        from __future__ import annotations


        @jit
        def application(x: Tensor(1).tile((16,)), output: Tensor(1, name="output").tile((16, 16))):
            output = x
        """,
        """
        ArrangementError: tile: the tile shape (16, 16) has length 2, but the tensor has 1 dim, of sizes (output_size_0,); give one entry a dim
          File "kernel.py", line 5, column 51, in <module>
            def application(x: Tensor(1).tile((16,)), output: Tensor(1, name="output").tile((16, 16))):
                                                              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "jit with an annotation that is no tensor, as text",
        """
        from __future__ import annotations


        @jit
        def application(x: Tensor(1).tile((16,)), output: float):
            output = x
        """,
        """
        ArrangementError: the parameter output of application must be annotated with an arranged tensor, as in output: Tensor(1).tile((64,))
          File "kernel.py", line 5, column 43, in application
            def application(x: Tensor(1).tile((16,)), output: float):
                                                      ^^^^^^^^^^^^^
        """,
    ),
    Case(
        "jit with star parameters",
        """
        @jit
        def application(*tensors: Tensor(1).tile((16,))):
            pass
        """,
        """
        ArgumentError: application must take its tensors as plain parameters, without *, ** and keyword-only parameters; name one parameter a tensor
          File "kernel.py", line 2, column 18, in application
            def application(*tensors: Tensor(1).tile((16,))):
                             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "jit of an application that is wrong",
        """
        @jit(num_warps=4)
        def application(x: Tensor(1).tile((16,)), output: Tensor(1).tile((16,))):
            output = y
        """,
        """
        UndefinedNameError: there is no name y; assign it first, or import it
          File "kernel.py", line 3, column 14, in application
            output = y
                     ^
        """,
    ),
    Case(
        "jit whose annotations disagree",
        """
        @jit
        def application(x: Tensor(1).tile((16,)), output: Tensor(2).tile((16, 1)).squeeze(0)):
            output = x
        """,
        """
        ShapeError: a block of shape (1, 16) cannot become (16, 1): 16 is not 1, and only dims of size 1 are repeated
          File "kernel.py", line 3, column 5, in application
            output = x
            ^^^^^^
        """,
    ),
)
def test_message(case: Case, tmp_path: Path) -> None:
    check(case, tmp_path)
