"""Meta-operations, and tensors, that are impossible."""

from __future__ import annotations

from pathlib import Path

from tests.support.messages import Case, check, each


@each(
    Case(
        "a tile shape of the wrong length",
        """
        def arrangement(x, output):
            return x.tile((16, 16)), output.tile((16,))


        def application(x, output):
            output = x


        make(arrangement, application, (Tensor(1, name="x"), Tensor(1)))
        """,
        """
        ArrangementError: tile: the tile shape (16, 16) has length 2, but the tensor has 1 dim, of sizes (x_size_0,); give one entry a dim
          File "kernel.py", line 2, column 12, in arrangement
            return x.tile((16, 16)), output.tile((16,))
                   ^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a tile of size zero",
        """
        Tensor(2).tile((16, 0))
        """,
        """
        ArrangementError: tile: a tile of size 0 in (16, 0); sizes are at least 1, or -1 for the whole dim
          File "kernel.py", line 1, column 1, in <module>
            Tensor(2).tile((16, 0))
            ^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a negative tile",
        """
        Tensor(2).tile((16, -2))
        """,
        """
        ArrangementError: tile: a tile of size -2 in (16, -2); sizes are at least 1, or -1 for the whole dim
          File "kernel.py", line 1, column 1, in <module>
            Tensor(2).tile((16, -2))
            ^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a tile shape that is a number",
        """
        Tensor(1).tile(16)
        """,
        """
        ArrangementError: the tile shape 16 must be a tuple, one entry a dim
          File "kernel.py", line 1, column 1, in <module>
            Tensor(1).tile(16)
            ^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a tile shape of a float",
        """
        Tensor(1).tile((16.0,))
        """,
        """
        ArrangementError: the tile shape has the entry 16.0; entries are integers and symbols
          File "kernel.py", line 1, column 1, in <module>
            Tensor(1).tile((16.0,))
            ^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "strides of the wrong length",
        """
        Tensor(2, name="x").tile((16, 16), strides=(8,))
        """,
        """
        ArrangementError: tile: strides (8,) has length 1, but the tensor has 2 dims, of sizes (x_size_0, x_size_1); give one entry a dim
          File "kernel.py", line 1, column 1, in <module>
            Tensor(2, name="x").tile((16, 16), strides=(8,))
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a negative stride",
        """
        Tensor(1).tile((16,), strides=(-2,))
        """,
        """
        ArrangementError: tile: a stride of -2; strides are at least 1, 0 for one block that expand repeats, or -1 for the tile
          File "kernel.py", line 1, column 1, in <module>
            Tensor(1).tile((16,), strides=(-2,))
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a dilation of zero",
        """
        Tensor(1).tile((16,), dilation=(0,))
        """,
        """
        ArrangementError: tile: a dilation of 0; dilations are at least 1
          File "kernel.py", line 1, column 1, in <module>
            Tensor(1).tile((16,), dilation=(0,))
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "expand of a dim that is not 1",
        """
        Tensor(2, shape=(4, 8)).expand((4, 16))
        """,
        """
        ArrangementError: expand: dim 1 of (4, 8) has size 8, and only dims of size 1 can be expanded, here to 16; write -1 to keep the dim
          File "kernel.py", line 1, column 1, in <module>
            Tensor(2, shape=(4, 8)).expand((4, 16))
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "expand of a wrong number of dims",
        """
        Tensor(2, name="x").expand((-1,))
        """,
        """
        ArrangementError: expand: the shape (-1,) has length 1, but the tensor has 2 dims, of sizes (x_size_0, x_size_1); give one entry a dim
          File "kernel.py", line 1, column 1, in <module>
            Tensor(2, name="x").expand((-1,))
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "squeeze of a dim that is not 1",
        """
        x = Tensor(2).tile((16, 32))
        x.dtype = x.dtype.squeeze(0)
        """,
        """
        ArrangementError: squeeze: dim 0 of (16, 32) has size 16; only dims of size 1 can be removed
          File "kernel.py", line 2, column 11, in <module>
            x.dtype = x.dtype.squeeze(0)
                      ^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "squeeze of a dim that does not exist",
        """
        Tensor(2).squeeze(2)
        """,
        """
        ArrangementError: squeeze: dim 2 is out of range for a tensor of 2 dims; write one from -2 to 1
          File "kernel.py", line 1, column 1, in <module>
            Tensor(2).squeeze(2)
            ^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "squeeze of something that is no dim",
        """
        Tensor(2).squeeze("0")
        """,
        """
        ArrangementError: squeeze: a dim must be an integer, not '0'
          File "kernel.py", line 1, column 1, in <module>
            Tensor(2).squeeze("0")
            ^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "unsqueeze of a dim that does not exist",
        """
        Tensor(2).unsqueeze(4)
        """,
        """
        ArrangementError: unsqueeze: dim 4 is out of range for a tensor of 2 dims; write one from -3 to 2
          File "kernel.py", line 1, column 1, in <module>
            Tensor(2).unsqueeze(4)
            ^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "permute that names a dim twice",
        """
        Tensor(2).permute((0, 0))
        """,
        """
        ArrangementError: permute: (0, 0) must name each of the 2 dims once
          File "kernel.py", line 1, column 1, in <module>
            Tensor(2).permute((0, 0))
            ^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "permute of a dim that does not exist",
        """
        Tensor(2).permute((0, 2))
        """,
        """
        ArrangementError: permute: dim 2 is out of range for a tensor of 2 dims; write one from -2 to 1
          File "kernel.py", line 1, column 1, in <module>
            Tensor(2).permute((0, 2))
            ^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "flatten of nothing",
        """
        Tensor(3).flatten(2, 2)
        """,
        """
        ArrangementError: flatten: dims 2 to 2, exclusive, are none; write an end_dim above start_dim
          File "kernel.py", line 1, column 1, in <module>
            Tensor(3).flatten(2, 2)
            ^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "flatten out of range",
        """
        Tensor(3).flatten(0, 4)
        """,
        """
        ArrangementError: flatten: dim 4 is out of range for a tensor of 3 dims; write one from -3 to 3
          File "kernel.py", line 1, column 1, in <module>
            Tensor(3).flatten(0, 4)
            ^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a size of a dim that does not exist",
        """
        Tensor(2).size(2)
        """,
        """
        ArrangementError: size: dim 2 is out of range for a tensor of 2 dims; write one from -2 to 1
          File "kernel.py", line 1, column 1, in <module>
            Tensor(2).size(2)
            ^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "iteration over a symbolic tensor",
        """
        rows, columns = Tensor(2)
        """,
        """
        ArrangementError: a symbolic tensor cannot be iterated over; iterate over range(t.ndim) or t.shape
          File "kernel.py", line 1, column 1, in <module>
            rows, columns = Tensor(2)
            ^^^^^^^^^^^^^
        """,
    ),
    Case(
        "an unknown dtype",
        """
        Tensor(1, dtype="complex64")
        """,
        """
        ArrangementError: 'complex64' is no element type; write for example ninetoothed.float16 or torch.float16
          File "kernel.py", line 1, column 1, in <module>
            Tensor(1, dtype="complex64")
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a torch dtype that no kernel has",
        """
        Tensor(1, dtype=torch.complex64)
        """,
        """
        ArrangementError: torch.complex64 is no element type; write for example ninetoothed.float16 or torch.float16
          File "kernel.py", line 1, column 1, in <module>
            Tensor(1, dtype=torch.complex64)
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "neither ndim nor shape",
        """
        Tensor()
        """,
        """
        ArrangementError: a Tensor needs ndim or shape; write Tensor(2)
          File "kernel.py", line 1, column 1, in <module>
            Tensor()
            ^^^^^^^^
        """,
    ),
    Case(
        "a shape of another length than ndim",
        """
        Tensor(2, shape=(4,))
        """,
        """
        ArrangementError: the shape (4,) has 1 size for 2 dims; give one size a dim, or leave ndim out
          File "kernel.py", line 1, column 1, in <module>
            Tensor(2, shape=(4,))
            ^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a negative ndim",
        """
        Tensor(-1)
        """,
        """
        ArrangementError: ndim must be a number of dims, not -1; write Tensor(2)
          File "kernel.py", line 1, column 1, in <module>
            Tensor(-1)
            ^^^^^^^^^^
        """,
    ),
    Case(
        "a size that is no size",
        """
        Tensor(shape=(4.5,))
        """,
        """
        ArrangementError: the shape has the entry 4.5; entries are integers and symbols
          File "kernel.py", line 1, column 1, in <module>
            Tensor(shape=(4.5,))
            ^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a negative size",
        """
        Tensor(shape=(-4,))
        """,
        """
        ArrangementError: the shape has the size -4; sizes are at least 0
          File "kernel.py", line 1, column 1, in <module>
            Tensor(shape=(-4,))
            ^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "constexpr with dims",
        """
        Tensor(1, constexpr=True)
        """,
        """
        ArrangementError: constexpr and value are for tensors of no dims; for the sizes of a tensor write shape_options={'constexpr': True}
          File "kernel.py", line 1, column 1, in <module>
            Tensor(1, constexpr=True)
            ^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "shape options of the wrong length",
        """
        Tensor(2, shape_options=({"constexpr": True},))
        """,
        """
        ArrangementError: shape_options has length 1 for 2 dims; give one dict for all dims, or one a dim
          File "kernel.py", line 1, column 1, in <module>
            Tensor(2, shape_options=({"constexpr": True},))
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "shape options that do not exist",
        """
        Tensor(1, shape_options={"multiple_of": 16})
        """,
        """
        ArrangementError: shape_options has no option 'multiple_of'; options are constexpr, meta, lower_bound, upper_bound, power_of_two
          File "kernel.py", line 1, column 1, in <module>
            Tensor(1, shape_options={"multiple_of": 16})
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "shape options that are no dict",
        """
        Tensor(1, shape_options=("constexpr",))
        """,
        """
        ArrangementError: shape_options has the entry 'constexpr'; entries are dicts of options, or None
          File "kernel.py", line 1, column 1, in <module>
            Tensor(1, shape_options=("constexpr",))
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "shape options for a size that is given",
        """
        options = {"constexpr": True}
        Tensor(shape=(None, 64), shape_options=options)
        Tensor(shape=(None, 64), shape_options=(None, options))
        """,
        """
        ArrangementError: shape_options has {'constexpr': True} for dim 1, whose size is given, 64; options are for sizes that only the call knows: leave shape_options out, or write shape=(None, None)
          File "kernel.py", line 3, column 1, in <module>
            Tensor(shape=(None, 64), shape_options=(None, options))
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "shape options for sizes that are all given",
        """
        n = Symbol("n", constexpr=True)
        Tensor(shape=(n,), shape_options=({"upper_bound": 64},))
        """,
        """
        ArrangementError: shape_options has {'upper_bound': 64} for dim 0, whose size is given, n; options are for sizes that only the call knows: leave shape_options out, or write shape=(None,)
          File "kernel.py", line 2, column 1, in <module>
            Tensor(shape=(n,), shape_options=({"upper_bound": 64},))
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a shape set after arranging",
        """
        x = Tensor(1, name="x").tile((16,))
        x.shape = (64,)
        """,
        """
        ArrangementError: the shape of x cannot be set to (64,): it is arranged already; set the shape of a tensor before arranging it, one size a dim
          File "kernel.py", line 2, column 1, in <module>
            x.shape = (64,)
            ^^^^^^^
        """,
    ),
    Case(
        "a shape of another length",
        """
        x = Tensor(1, name="x")
        x.shape = (64, 64)
        """,
        """
        ArrangementError: the shape of x cannot be set to (64, 64): it has 1 dim; set the shape of a tensor before arranging it, one size a dim
          File "kernel.py", line 2, column 1, in <module>
            x.shape = (64, 64)
            ^^^^^^^
        """,
    ),
    Case(
        "a dtype of another tensor",
        """
        x = Tensor(1).tile((16,))
        y = Tensor(1).tile((16,))
        x.dtype = y.dtype.unsqueeze(0)
        """,
        """
        ArrangementError: only the level below, rearranged, can be assigned to dtype; write t.dtype = t.dtype.squeeze(0)
          File "kernel.py", line 3, column 1, in <module>
            x.dtype = y.dtype.unsqueeze(0)
            ^^^^^^^
        """,
    ),
    Case(
        "an element type for a level",
        """
        x = Tensor(1).tile((16,))
        x.dtype = ninetoothed.float16
        """,
        """
        ArrangementError: the dtype of level 0 is a tensor; assign the element type to .innermost().dtype
          File "kernel.py", line 2, column 1, in <module>
            x.dtype = ninetoothed.float16
            ^^^^^^^
        """,
    ),
    Case(
        "an other that is no number",
        """
        Tensor(1, other="zero")
        """,
        """
        ArrangementError: other must be a number, not 'zero'
          File "kernel.py", line 1, column 1, in <module>
            Tensor(1, other="zero")
            ^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a value that is no number",
        """
        Tensor(0, value="one")
        """,
        """
        ArrangementError: value must be a number, not 'one'
          File "kernel.py", line 1, column 1, in <module>
            Tensor(0, value="one")
            ^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a tensor whose ndim is no integer",
        """
        Tensor("x")
        """,
        """
        ArrangementError: ndim must be a number of dims, not 'x'; write Tensor(2)
          File "kernel.py", line 1, column 1, in <module>
            Tensor("x")
            ^^^^^^^^^^^
        """,
    ),
    Case(
        "squeeze in a helper of the arrangement",
        """
        def row(x):
            return x.tile((1, 64)).squeeze(1)


        def arrangement(x, output):
            return row(x), row(output)


        def application(x, output):
            output = x


        make(arrangement, application, (Tensor(2, shape=(128, 128)), Tensor(2)))
        """,
        """
        ArrangementError: squeeze: dim 1 of (128, 2) has size 2; only dims of size 1 can be removed
          File "kernel.py", line 2, column 12, in row
            return x.tile((1, 64)).squeeze(1)
                   ^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
)
def test_message(case: Case, tmp_path: Path) -> None:
    check(case, tmp_path)
