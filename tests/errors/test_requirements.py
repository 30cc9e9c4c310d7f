"""What meta-operations need of sizes that only a call knows."""

from __future__ import annotations

from pathlib import Path

from tests.support.messages import Case, check, each


@each(
    Case(
        "a dilation that a call shows to be below zero",
        """
        def arrangement(x, output):
            step = Symbol("step")
            return x.tile((4,), dilation=(step,)), output.tile((4,))


        def application(x, output):
            output = x


        kernel = make(arrangement, application, (Tensor(1), Tensor(1)))
        kernel(torch.ones(16), torch.ones(16), step=-2)
        """,
        """
        ArgumentError: tile of x (kernel.py, line 3) needs 1 <= step, but they are (1, -2)
          File "kernel.py", line 11, column 1, in <module>
            kernel(torch.ones(16), torch.ones(16), step=-2)
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a tile of half a dim that a call shows to have no elements",
        """
        def arrangement(x, output):
            half = x.shape[0] // 2
            return x.tile((half,)), output.tile((half,))


        def application(x, output):
            output = x


        kernel = make(arrangement, application, (Tensor(1), Tensor(1)))
        kernel(torch.ones(1), torch.ones(1))
        """,
        """
        ArgumentError: tile of x (kernel.py, line 3) needs 1 <= x_size_0 // 2, but they are (1, 0)
          File "kernel.py", line 11, column 1, in <module>
            kernel(torch.ones(1), torch.ones(1))
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a crop that a call shows to be too large",
        """
        def arrangement(x, output):
            return x.pad(((-3, -3),)).tile((4,)), output.tile((4,))


        def application(x, output):
            output = x


        kernel = make(arrangement, application, (Tensor(1), Tensor(1)))
        kernel(torch.ones(5), torch.ones(0))
        """,
        """
        ArgumentError: pad of x (kernel.py, line 2) needs 0 <= x_size_0 - 6, but they are (0, -1)
          File "kernel.py", line 10, column 1, in <module>
            kernel(torch.ones(5), torch.ones(0))
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "an expansion that a call shows to be impossible, of a level",
        """
        def arrangement(x, output):
            x = x.tile((1, 4))
            x.dtype = x.dtype.squeeze(0)
            x = x.expand((output.shape[0], -1)).flatten()
            return x, output.flatten().tile((4,))


        def application(x, output):
            output = x


        kernel = make(arrangement, application, (Tensor(2), Tensor(2)))
        kernel(torch.ones(3, 4), torch.ones(2, 4))
        """,
        """
        ArgumentError: expand of x (kernel.py, line 4) needs the size x_size_0 to be 1: it is (3,)
          File "kernel.py", line 13, column 1, in <module>
            kernel(torch.ones(3, 4), torch.ones(2, 4))
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a symbol that a call shows to be no 1",
        """
        def arrangement(x, output):
            block = Symbol("block", constexpr=True)
            x = x.tile((block, 16))
            x.dtype = x.dtype.squeeze(0)
            return x.squeeze(0), output.tile((16,))


        def application(x, output):
            output = x


        kernel = make(arrangement, application, (Tensor(2), Tensor(1)))
        kernel(torch.ones(4, 16), torch.ones(16), block=4)
        """,
        """
        ArgumentError: squeeze of x (kernel.py, line 4) needs the size block to be 1: it is (4,)
          File "kernel.py", line 13, column 1, in <module>
            kernel(torch.ones(4, 16), torch.ones(16), block=4)
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a tile that a call shows to have no elements",
        """
        def arrangement(x, output):
            block = Symbol("block")
            return x.tile((block,)), output.tile((block,))


        def application(x, output):
            output = x


        kernel = make(arrangement, application, (Tensor(1), Tensor(1)))
        kernel(torch.ones(16), torch.ones(16), block=0)
        """,
        """
        ArgumentError: tile of x (kernel.py, line 3) needs 1 <= block, but they are (1, 0)
          File "kernel.py", line 11, column 1, in <module>
            kernel(torch.ones(16), torch.ones(16), block=0)
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a stride that a call shows to be none",
        """
        def arrangement(x, output):
            step = Symbol("step")
            return x.tile((4,), strides=(step,)), output.tile((4,))


        def application(x, output):
            output = x


        kernel = make(arrangement, application, (Tensor(1), Tensor(1)))
        kernel(torch.ones(16), torch.ones(16), step=0)
        """,
        """
        ArgumentError: tile of x (kernel.py, line 3) needs 1 <= step, but they are (1, 0)
          File "kernel.py", line 11, column 1, in <module>
            kernel(torch.ones(16), torch.ones(16), step=0)
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
)
def test_message(case: Case, tmp_path: Path) -> None:
    check(case, tmp_path)
