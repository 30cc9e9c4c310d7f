"""Levels and blocks: indices too many, too few, and no integers; outputs that are none."""

from __future__ import annotations

from pathlib import Path

from tests.support.messages import Case, check, each


@each(
    Case(
        "a level above the block, not indexed",
        """
        def arrangement(x, output):
            x = x.tile((1, 32)).tile((1, -1))
            x.dtype = x.dtype.squeeze(0)
            return x.squeeze(1), output.tile((1, 32)).squeeze(1)


        def application(x, output):
            output = x


        make(arrangement, application, (Tensor(2), Tensor(2)))
        """,
        """
        ShapeError: x has a level of shape (-(-x_size_1 // 32),) above its block; index it, as in x[i]
          File "kernel.py", line 8, column 5, in application
            output = x
            ^^^^^^
        """,
    ),
    Case(
        "too many indices",
        """
        def arrangement(x, output):
            x = x.tile((1, 32)).tile((1, -1))
            x.dtype = x.dtype.squeeze(0)
            return x, output.tile((1, 32)).tile((1, 1))


        def application(x, output):
            y = x[0, 0, 0, 0]


        make(arrangement, application, (Tensor(2), Tensor(2)))
        """,
        """
        ShapeError: the block of x has 2 dims, of sizes (1, 32); give as many indices, or `:` for a whole dim, not 3
          File "kernel.py", line 8, column 9, in application
            y = x[0, 0, 0, 0]
                ^^^^^^^^^^^^^
        """,
    ),
    Case(
        "too few indices",
        """
        def arrangement(x, output):
            return x.tile((1, 32)).tile((1, -1)), output.tile((1, 32)).tile((1, -1))


        def application(x, output):
            output[0, 0] = x[0]


        make(arrangement, application, (Tensor(2), Tensor(2)))
        """,
        """
        ShapeError: a level of x has 2 dims, of sizes (1, -(-x_size_1 // 32)); give as many indices, not 1
          File "kernel.py", line 6, column 20, in application
            output[0, 0] = x[0]
                           ^^^^
        """,
    ),
    Case(
        "an index that is a float",
        """
        def arrangement(x, output):
            return x.tile((32,)).tile((-1,)), output.tile((32,)).tile((-1,))


        def application(x, output):
            output[0] = x[0.5]


        make(arrangement, application, (Tensor(1), Tensor(1)))
        """,
        """
        TypeMismatchError: an index must be one integer, not a scalar of fp32
          File "kernel.py", line 6, column 19, in application
            output[0] = x[0.5]
                          ^^^
        """,
    ),
    Case(
        "an index that is a block",
        """
        def arrangement(x, output):
            return x.tile((32,)).tile((-1,)), output.tile((32,)).tile((-1,))


        def application(x, output):
            output[0] = x[ntl.arange(0, 32)]


        make(arrangement, application, (Tensor(1), Tensor(1)))
        """,
        """
        TypeMismatchError: an index must be one integer, not a block of shape (32,) of i32
          File "kernel.py", line 6, column 19, in application
            output[0] = x[ntl.arange(0, 32)]
                          ^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "an index that is a bool",
        """
        def arrangement(x, output):
            return x.tile((32,)).tile((-1,)), output.tile((32,)).tile((-1,))


        def application(x, output):
            output[0] = x[True]


        make(arrangement, application, (Tensor(1), Tensor(1)))
        """,
        """
        TypeMismatchError: an index must be one integer, not a scalar of i1
          File "kernel.py", line 6, column 19, in application
            output[0] = x[True]
                          ^^^^
        """,
    ),
    Case(
        "an index that is a slice",
        """
        def arrangement(x, output):
            return x.tile((32,)).tile((-1,)), output.tile((32,)).tile((-1,))


        def application(x, output):
            output[0] = x[0:2]


        make(arrangement, application, (Tensor(1), Tensor(1)))
        """,
        """
        UnsupportedSyntaxError: a slice is not part of the language; arrange the tensor so that the program sees the slice
          File "kernel.py", line 6, column 19, in application
            output[0] = x[0:2]
                          ^^^
        """,
    ),
    Case(
        "a store without an index",
        """
        def arrangement(x, output):
            return x.tile((32,)).tile((-1,)), output.tile((32,)).tile((-1,))


        def application(x, output):
            output = x[0]


        make(arrangement, application, (Tensor(1), Tensor(1)))
        """,
        """
        ShapeError: output has a level of shape (-(-output_size_0 // 32),) above its block; index it, as in output[i]
          File "kernel.py", line 6, column 5, in application
            output = x[0]
            ^^^^^^
        """,
    ),
    Case(
        "too many indices of a block",
        """
        def application(x, output):
            output = x[0, 1]


        vectors(application)
        """,
        """
        ShapeError: the block of x has 1 dim, of sizes (64,); give as many indices, or `:` for a whole dim, not 2
          File "kernel.py", line 2, column 14, in application
            output = x[0, 1]
                     ^^^^^^^
        """,
    ),
    Case(
        "too few indices of a block",
        """
        def application(x, output):
            output[0] = x


        matrices(application)
        """,
        """
        ShapeError: the block of output has 2 dims, of sizes (16, 32); give as many indices, or `:` for a whole dim, not 1
          File "kernel.py", line 2, column 5, in application
            output[0] = x
            ^^^^^^^^^
        """,
    ),
    Case(
        "indices of a single element",
        """
        def application(x, output):
            output = x[0]


        make(lambda x, output: (x, output), application, (Tensor(0, other=0), Tensor(0)))
        """,
        """
        ShapeError: x is a number and is not indexed; write x
          File "kernel.py", line 2, column 14, in application
            output = x[0]
                     ^^^^
        """,
    ),
    Case(
        "a slice of a parameter's block",
        """
        def application(x, output):
            output[0:8] = x[0:8]


        vectors(application)
        """,
        """
        UnsupportedSyntaxError: a slice is not part of the language; arrange the tensor so that the program sees the slice
          File "kernel.py", line 2, column 21, in application
            output[0:8] = x[0:8]
                            ^^^
        """,
    ),
    Case(
        "an index of a block that holds no integers",
        """
        def application(x, output):
            output = x[x]


        vectors(application, "fp32", "fp32")
        """,
        """
        TypeMismatchError: an index holds integers, not a block of shape (64,) of fp32; convert it with .to(ntl.int32)
          File "kernel.py", line 2, column 16, in application
            output = x[x]
                       ^
        """,
    ),
    Case(
        "a block of bits as an index",
        """
        def application(x, output):
            output = x[x > 0]


        vectors(application)
        """,
        """
        TypeMismatchError: an index holds integers, not a block of shape (64,) of i1; convert it with .to(ntl.int32)
          File "kernel.py", line 2, column 16, in application
            output = x[x > 0]
                       ^^^^^
        """,
    ),
    Case(
        "indices of a block that do not broadcast",
        """
        def application(x, output):
            output = x[ntl.arange(0, 4), ntl.arange(0, 8)]


        matrices(application)
        """,
        """
        ShapeError: shapes (4,) and (8,) do not broadcast: 4 is not 8; make them equal, or one of them 1
          File "kernel.py", line 2, column 14, in application
            output = x[ntl.arange(0, 4), ntl.arange(0, 8)]
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a new dim beside an index",
        """
        def application(x, output):
            output = x[0, None]


        vectors(application)
        """,
        """
        UnsupportedSyntaxError: None stands beside : only, as in x[:, None]; pick lanes in a step of its own
          File "kernel.py", line 2, column 14, in application
            output = x[0, None]
                     ^^^^^^^^^^
        """,
    ),
    Case(
        "more than one element assigned to one",
        """
        def application(x, output):
            output[0] = x


        vectors(application)
        """,
        """
        ShapeError: a block of shape (64,) of fp32 cannot be assigned to the one element that output[…] is; reduce it, as in ntl.sum(x, 0), or index by blocks
          File "kernel.py", line 2, column 5, in application
            output[0] = x
            ^^^^^^^^^
        """,
    ),
    Case(
        "more elements assigned than are indexed",
        """
        def application(x, output):
            output[ntl.arange(0, 8)] = x


        vectors(application)
        """,
        """
        ShapeError: a block of shape (64,) cannot become (8,): 64 is not 8, and only dims of size 1 are repeated
          File "kernel.py", line 2, column 5, in application
            output[ntl.arange(0, 8)] = x
            ^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "too many indices of what is computed",
        """
        def application(x, output):
            output = (x + 1)[0, 1]


        vectors(application)
        """,
        """
        ShapeError: a block of shape (64,) of fp32 has 1 dim; give as many indices, or `:` for a whole dim, not 2
          File "kernel.py", line 2, column 14, in application
            output = (x + 1)[0, 1]
                     ^^^^^^^^^^^^^
        """,
    ),
    Case(
        "an index of what is computed out of range",
        """
        def application(x, output):
            output = (x + 1)[-65]


        vectors(application)
        """,
        """
        ShapeError: index -65 is out of range for a block of shape (64,) of fp32; count from 0
          File "kernel.py", line 2, column 14, in application
            output = (x + 1)[-65]
                     ^^^^^^^^^^^^
        """,
    ),
    Case(
        "a block of indices of what is computed in two dims",
        """
        def application(x, output):
            output = (x + 1)[ntl.arange(0, 16), :]


        matrices(application)
        """,
        """
        UnsupportedSyntaxError: a block of indices picks lanes of a block of one dim, not of a block of shape (16, 32) of fp32; write ntl.gather(x, index, axis)
          File "kernel.py", line 2, column 14, in application
            output = (x + 1)[ntl.arange(0, 16), :]
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a store to an index of a local",
        """
        def application(x, output):
            y = x + 1
            y[0] = 2
            output = y


        vectors(application)
        """,
        """
        UnsupportedSyntaxError: only parameters are assigned by index; select lanes with ntl.where, or write to an output
          File "kernel.py", line 3, column 5, in application
            y[0] = 2
            ^^^^
        """,
    ),
    Case(
        "a store to an index of a tuple",
        """
        def application(x, output):
            y = (x, x)
            y[0] = 2
            output = y[0]


        vectors(application)
        """,
        """
        UnsupportedSyntaxError: only parameters are assigned by index; select lanes with ntl.where, or write to an output
          File "kernel.py", line 3, column 5, in application
            y[0] = 2
            ^^^^
        """,
    ),
    Case(
        "an index of a function",
        """
        def application(x, output):
            output = ntl.exp[x]


        vectors(application)
        """,
        """
        TypeMismatchError: the function ntl.exp cannot be indexed
          File "kernel.py", line 2, column 14, in application
            output = ntl.exp[x]
                     ^^^^^^^^^^
        """,
    ),
    Case(
        "an index of a tuple out of range",
        """
        def application(x, output):
            output = x + x.shape[1]


        vectors(application)
        """,
        """
        ShapeError: index 1 is out of range for a tuple of 1; count from 0
          File "kernel.py", line 2, column 18, in application
            output = x + x.shape[1]
                         ^^^^^^^^^^
        """,
    ),
    Case(
        "an index of a tuple that only a run knows",
        """
        def application(x, output):
            pair = (1, 2)
            for i in range(2):
                output = x + pair[i]


        vectors(application)
        """,
        """
        TypeMismatchError: a tuple of 2 is indexed by integers that are known when compiling
          File "kernel.py", line 4, column 22, in application
            output = x + pair[i]
                         ^^^^^^^
        """,
    ),
    Case(
        "a level used as a value",
        """
        def arrangement(x, output):
            return x.tile((32,)).tile((-1,)), output.tile((32,)).tile((-1,))


        def application(x, output):
            output[0] = x.dtype


        make(arrangement, application, (Tensor(1), Tensor(1)))
        """,
        """
        TypeMismatchError: the assigned value must be a number or a block, not a level of shape (32,)
          File "kernel.py", line 6, column 5, in application
            output[0] = x.dtype
            ^^^^^^^^^
        """,
    ),
    Case(
        "an attribute of a level",
        """
        def arrangement(x, output):
            return x.tile((32,)).tile((-1,)), output.tile((32,)).tile((-1,))


        def application(x, output):
            output[0] = x.dtype.strides


        make(arrangement, application, (Tensor(1), Tensor(1)))
        """,
        """
        UndefinedNameError: a level of shape (32,) has no attribute strides; a level has shape, dtype and ndim
          File "kernel.py", line 6, column 17, in application
            output[0] = x.dtype.strides
                        ^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a method of a level above the block",
        """
        def arrangement(x, output):
            return x.tile((32,)).tile((-1,)), output.tile((32,)).tile((-1,))


        def application(x, output):
            output[0] = x.to(ntl.float32)


        make(arrangement, application, (Tensor(1), Tensor(1)))
        """,
        """
        ShapeError: x has a level of shape (-(-x_size_0 // 32),) above its block; index it, as in x[i]
          File "kernel.py", line 6, column 17, in application
            output[0] = x.to(ntl.float32)
                        ^^^^
        """,
    ),
    Case(
        "a store to a scalar",
        """
        def application(x, scale):
            scale = x


        make(lambda x, scale: (x.tile((16,)), scale), application, (Tensor(1), Tensor(0)))
        """,
        """
        TypeMismatchError: scale is a number, which is passed by value and cannot be assigned; use another name
          File "kernel.py", line 2, column 5, in application
            scale = x
            ^^^^^
        """,
    ),
    Case(
        "a store to a constexpr",
        """
        def application(x, scale):
            scale = 2
            x = x * scale


        make(lambda x, scale: (x.tile((16,)), scale), application, (Tensor(1), Tensor(0, value=1)))
        """,
        """
        TypeMismatchError: scale is a parameter that is known when compiling and cannot be assigned; use another name
          File "kernel.py", line 2, column 5, in application
            scale = 2
            ^^^^^
        """,
    ),
)
def test_message(case: Case, tmp_path: Path) -> None:
    check(case, tmp_path)
