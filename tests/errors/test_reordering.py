"""What moves lanes: shapes that do not fit, dims that are not there."""

from __future__ import annotations

from pathlib import Path

from tests.support.messages import Case, check, each


@each(
    Case(
        "a reshape to other lanes",
        """
        def application(x, output):
            output = ntl.reshape(x, 32, 3)


        vectors(application)
        """,
        """
        ShapeError: ntl.reshape: a block of shape (64,) cannot become (32, 3): it has 64 lanes, not 96; give sizes with that product
          File "kernel.py", line 2, column 14, in application
            output = ntl.reshape(x, 32, 3)
                     ^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a reshape of a method",
        """
        def application(x, output):
            output = x.reshape((8, 9))


        vectors(application)
        """,
        """
        ShapeError: ntl.reshape: a block of shape (64,) cannot become (8, 9): it has 64 lanes, not 72; give sizes with that product
          File "kernel.py", line 2, column 14, in application
            output = x.reshape((8, 9))
                     ^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a view to other lanes",
        """
        def application(x, output):
            output = ntl.view(x, 32, 3)


        vectors(application)
        """,
        """
        ShapeError: ntl.view: a block of shape (64,) cannot become (32, 3): it has 64 lanes, not 96; give sizes with that product
          File "kernel.py", line 2, column 14, in application
            output = ntl.view(x, 32, 3)
                     ^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a reshape to what is no size",
        """
        def application(x, output):
            output = x.reshape(x)


        vectors(application)
        """,
        """
        ShapeError: ntl.reshape: a shape holds sizes that are known when compiling, as in (64,) and x.shape; not (the tensor x)
          File "kernel.py", line 2, column 14, in application
            output = x.reshape(x)
                     ^^^^^^^^^^^^
        """,
    ),
    Case(
        "a reshape with two sizes left out",
        """
        def application(x, output):
            output = x.reshape(-1, -1)


        vectors(application)
        """,
        """
        ShapeError: ntl.reshape: one size may be -1, not 2; give them
          File "kernel.py", line 2, column 14, in application
            output = x.reshape(-1, -1)
                     ^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a reshape whose size is not whole",
        """
        def application(x, output):
            output = x.reshape(3, -1)


        vectors(application)
        """,
        """
        ShapeError: ntl.reshape: a block of shape (64,) has 64 lanes, which is no multiple of 3; give the size that is -1
          File "kernel.py", line 2, column 14, in application
            output = x.reshape(3, -1)
                     ^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a reshape of a scalar",
        """
        def application(x, output):
            output = ntl.sum(x).reshape(2)


        vectors(application)
        """,
        """
        ShapeError: ntl.reshape: a scalar is one lane and cannot become a block of shape (2,); write ntl.broadcast_to(x, shape)
          File "kernel.py", line 2, column 14, in application
            output = ntl.sum(x).reshape(2)
                     ^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a reshape to a scalar",
        """
        def application(x, output):
            output = x.reshape(())


        vectors(application)
        """,
        """
        ShapeError: ntl.reshape: a block of shape (64,) cannot become (): it has 64 lanes, not 1; give sizes with that product
          File "kernel.py", line 2, column 14, in application
            output = x.reshape(())
                     ^^^^^^^^^^^^^
        """,
    ),
    Case(
        "an argument of a reshape by position",
        """
        def application(x, output):
            output = ntl.reshape(x, (64,), True)


        vectors(application)
        """,
        """
        ShapeError: ntl.reshape: a shape holds sizes that are known when compiling, as in (64,) and x.shape; not (a tuple of 1, True)
          File "kernel.py", line 2, column 14, in application
            output = ntl.reshape(x, (64,), True)
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a permutation of too few dims",
        """
        def application(x, output):
            output = x.permute(0)


        matrices(application)
        """,
        """
        ShapeError: ntl.permute: 1 dim for a block of shape (16, 32) of fp32; name each of its 2 dims once
          File "kernel.py", line 2, column 14, in application
            output = x.permute(0)
                     ^^^^^^^^^^^^
        """,
    ),
    Case(
        "a permutation with a dim twice",
        """
        def application(x, output):
            output = x.permute(0, 0)


        matrices(application)
        """,
        """
        ShapeError: ntl.permute: dim 0 is named twice; name each dim once
          File "kernel.py", line 2, column 14, in application
            output = x.permute(0, 0)
                     ^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a permutation of a dim that is not there",
        """
        def application(x, output):
            output = x.permute(0, 2)


        matrices(application)
        """,
        """
        ShapeError: ntl.permute: axis 2 is out of range; give one from -2 to 1
          File "kernel.py", line 2, column 14, in application
            output = x.permute(0, 2)
                     ^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a permutation by what is computed",
        """
        def application(x, output):
            output = ntl.permute(x, x, 0)


        matrices(application)
        """,
        """
        TypeMismatchError: ntl.permute: axis must be an integer that is known when compiling, not the tensor x
          File "kernel.py", line 2, column 14, in application
            output = ntl.permute(x, x, 0)
                     ^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a transposition of one dim",
        """
        def application(x, output):
            output = x.trans()


        vectors(application)
        """,
        """
        ShapeError: a block of shape (64,) of fp32 has no two dims to swap; give it another, as in ntl.expand_dims(x, 0)
          File "kernel.py", line 2, column 14, in application
            output = x.trans()
                     ^^^^^^^^^
        """,
    ),
    Case(
        "an axis inserted twice",
        """
        def application(x, output):
            output = ntl.expand_dims(x, (0, -3))


        vectors(application)
        """,
        """
        ShapeError: ntl.expand_dims: axis 0 is named twice; name each axis once
          File "kernel.py", line 2, column 14, in application
            output = ntl.expand_dims(x, (0, -3))
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a dim squeezed that is not 1",
        """
        def application(x, output):
            output = ntl.squeeze(x, 1)


        matrices(application)
        """,
        """
        ShapeError: ntl.squeeze: dim 1 of a block of shape (16, 32) of fp32 has size 32, and only one of size 1 is removed; reduce it, as in ntl.sum(x, dim)
          File "kernel.py", line 2, column 14, in application
            output = ntl.squeeze(x, 1)
                     ^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a dim squeezed that is not there",
        """
        def application(x, output):
            output = ntl.squeeze(x, 2)


        matrices(application)
        """,
        """
        ShapeError: ntl.squeeze: axis 2 is out of range; give one from -2 to 1
          File "kernel.py", line 2, column 14, in application
            output = ntl.squeeze(x, 2)
                     ^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "cat of two shapes",
        """
        def application(x, output):
            output = ntl.cat(x, x.T)


        matrices(application)
        """,
        """
        ShapeError: ntl.cat takes two blocks of one shape, not (16, 32) and (32, 16); cut or fill one before
          File "kernel.py", line 2, column 14, in application
            output = ntl.cat(x, x.T)
                     ^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "cat of two ranks",
        """
        def application(x, output):
            output = ntl.cat(x, ntl.sum(x, 0))


        matrices(application)
        """,
        """
        ShapeError: ntl.cat takes two blocks of one shape, not (16, 32) and (32,); cut or fill one before
          File "kernel.py", line 2, column 14, in application
            output = ntl.cat(x, ntl.sum(x, 0))
                     ^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "cat of two types",
        """
        def application(x, output):
            output = ntl.cat(x, x.to(ntl.float16))


        vectors(application, "fp32", "fp32")
        """,
        """
        TypeMismatchError: ntl.cat takes two blocks of one element type, not a block of shape (64,) of fp32 and a block of shape (64,) of fp16; convert one with .to(dtype)
          File "kernel.py", line 2, column 14, in application
            output = ntl.cat(x, x.to(ntl.float16))
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "join of shapes that do not broadcast",
        """
        def application(x, output):
            output = ntl.join(x, x.T)


        matrices(application)
        """,
        """
        ShapeError: shapes (16, 32) and (32, 16) do not broadcast: 16 is not 32; make them equal, or one of them 1
          File "kernel.py", line 2, column 14, in application
            output = ntl.join(x, x.T)
                     ^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "join of two types",
        """
        def application(x, output):
            output = ntl.join(x, 1)


        vectors(application, "fp32", "fp32")
        """,
        """
        TypeMismatchError: ntl.join takes two blocks of one element type, not a block of shape (64,) of fp32 and a scalar of i32; convert one with .to(dtype)
          File "kernel.py", line 2, column 14, in application
            output = ntl.join(x, 1)
                     ^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a split of a last dim that is not 2",
        """
        def application(x, output):
            output = ntl.split(x)[0]


        vectors(application)
        """,
        """
        ShapeError: ntl.split takes a block whose last dim has size 2, not a block of shape (64,) of fp32; reshape it before, as in x.reshape(4, 8, 2)
          File "kernel.py", line 2, column 14, in application
            output = ntl.split(x)[0]
                     ^^^^^^^^^^^^
        """,
    ),
    Case(
        "a split of a scalar",
        """
        def application(x, output):
            output = ntl.split(ntl.sum(x))[0]


        vectors(application)
        """,
        """
        ShapeError: ntl.split takes a block whose last dim has size 2, not a scalar of fp32; reshape it before, as in x.reshape(4, 8, 2)
          File "kernel.py", line 2, column 14, in application
            output = ntl.split(ntl.sum(x))[0]
                     ^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "interleave of shapes that do not broadcast",
        """
        def application(x, output):
            output = ntl.interleave(x, x.T)


        matrices(application)
        """,
        """
        ShapeError: shapes (16, 32) and (32, 16) do not broadcast: 16 is not 32; make them equal, or one of them 1
          File "kernel.py", line 2, column 14, in application
            output = ntl.interleave(x, x.T)
                     ^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a flip of a scalar",
        """
        def application(x, output):
            output = ntl.flip(ntl.sum(x))


        vectors(application)
        """,
        """
        ShapeError: ntl.flip reverses a block, not a scalar of fp32; leave it out
          File "kernel.py", line 2, column 14, in application
            output = ntl.flip(ntl.sum(x))
                     ^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "gather without integers",
        """
        def application(x, output):
            output = x.gather(x, 0)


        vectors(application, "fp32", "fp32")
        """,
        """
        TypeMismatchError: ntl.gather: the index holds integers, not a block of shape (64,) of fp32; convert it with .to(ntl.int32)
          File "kernel.py", line 2, column 14, in application
            output = x.gather(x, 0)
                     ^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "gather of another rank",
        """
        def application(x, output):
            output = x.gather(ntl.arange(0, 16), 0)


        matrices(application)
        """,
        """
        ShapeError: ntl.gather: an index of shape (16,) has 1 dim, and the block of shape (16, 32) has 2; give the index as many
          File "kernel.py", line 2, column 14, in application
            output = x.gather(ntl.arange(0, 16), 0)
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "gather of other dims",
        """
        def application(x, output):
            output = ntl.gather(x, ntl.zeros((8, 8), ntl.int32), 0)


        matrices(application)
        """,
        """
        ShapeError: ntl.gather: along axis 0 an index of shape (8, 8) does not fit a block of shape (16, 32): 8 is not 32; give it the block's other dims
          File "kernel.py", line 2, column 14, in application
            output = ntl.gather(x, ntl.zeros((8, 8), ntl.int32), 0)
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "gather along an axis that is not there",
        """
        def application(x, output):
            output = ntl.gather(x, ntl.arange(0, 64), 1)


        vectors(application)
        """,
        """
        ShapeError: ntl.gather: axis 1 is out of range; give one from -1 to 0
          File "kernel.py", line 2, column 14, in application
            output = ntl.gather(x, ntl.arange(0, 64), 1)
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "gather of a scalar",
        """
        def application(x, output):
            output = ntl.gather(ntl.sum(x), 0, 0)


        vectors(application)
        """,
        """
        ShapeError: ntl.gather picks lanes of a block, not a scalar of fp32; leave it out
          File "kernel.py", line 2, column 14, in application
            output = ntl.gather(ntl.sum(x), 0, 0)
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a broadcast to fewer dims",
        """
        def application(x, output):
            output = x.broadcast_to(16)


        matrices(application)
        """,
        """
        ShapeError: a block of shape (16, 32) cannot become (16,): it has more dims; reduce them, as in ntl.sum(x, 0)
          File "kernel.py", line 2, column 14, in application
            output = x.broadcast_to(16)
                     ^^^^^^^^^^^^^^^^^^
        """,
    ),
)
def test_message(case: Case, tmp_path: Path) -> None:
    check(case, tmp_path)
