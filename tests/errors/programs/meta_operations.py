# Meta-operations, and tensors, that are impossible.

# ---- a tile shape of the wrong length
def arrangement(x, output):
    return x.tile((16, 16)), output.tile((16,))
#          ^^^^^^^^^^^^^^^^
# error: ArrangementError: tile: the tile shape (16, 16) has length 2, but the tensor has 1 dim, of sizes (x_size_0,); give one entry a dim

def application(x, output):
    output = x

make(arrangement, application, (Tensor(1, name="x"), Tensor(1)))
# ---- a tile of size zero
Tensor(2).tile((16, 0))
# error: ArrangementError: tile: a tile of size 0 in (16, 0); sizes are at least 1, or -1 for the whole dim
# ---- a negative tile
Tensor(2).tile((16, -2))
# error: ArrangementError: tile: a tile of size -2 in (16, -2); sizes are at least 1, or -1 for the whole dim
# ---- a tile shape that is a number
Tensor(1).tile(16)
# error: ArrangementError: the tile shape 16 must be a tuple, one entry a dim
# ---- a tile shape of a float
Tensor(1).tile((16.0,))
# error: ArrangementError: the tile shape has the entry 16.0; entries are integers and symbols
# ---- strides of the wrong length
Tensor(2, name="x").tile((16, 16), strides=(8,))
# error: ArrangementError: tile: strides (8,) has length 1, but the tensor has 2 dims, of sizes (x_size_0, x_size_1); give one entry a dim
# ---- a negative stride
Tensor(1).tile((16,), strides=(-2,))
# error: ArrangementError: tile: a stride of -2; strides are at least 1, 0 for one block that expand repeats, or -1 for the tile
# ---- a dilation of zero
Tensor(1).tile((16,), dilation=(0,))
# error: ArrangementError: tile: a dilation of 0; dilations are at least 1
# ---- expand of a dim that is not 1
Tensor(2, shape=(4, 8)).expand((4, 16))
# error: ArrangementError: expand: dim 1 of (4, 8) has size 8, and only dims of size at most 1 can be expanded, here to 16; write -1 to keep the dim
# ---- expand of a wrong number of dims
Tensor(2, name="x").expand((-1,))
# error: ArrangementError: expand: the shape (-1,) has length 1, but the tensor has 2 dims, of sizes (x_size_0, x_size_1); give one entry a dim
# ---- squeeze of a dim that is not 1
x = Tensor(2).tile((16, 32))
x.dtype = x.dtype.squeeze(0)
#         ^^^^^^^^^^^^^^^^^^
# error: ArrangementError: squeeze: dim 0 of (16, 32) has size 16; only dims of size at most 1 can be removed
# ---- squeeze of a dim that does not exist
Tensor(2).squeeze(2)
# error: ArrangementError: squeeze: dim 2 is out of range for a tensor of 2 dims; write one from -2 to 1
# ---- squeeze of something that is no dim
Tensor(2).squeeze("0")
# error: ArrangementError: squeeze: a dim must be an integer, not '0'
# ---- unsqueeze of a dim that does not exist
Tensor(2).unsqueeze(4)
# error: ArrangementError: unsqueeze: dim 4 is out of range for a tensor of 2 dims; write one from -3 to 2
# ---- permute that names a dim twice
Tensor(2).permute((0, 0))
# error: ArrangementError: permute: (0, 0) must name each of the 2 dims once
# ---- permute of a dim that does not exist
Tensor(2).permute((0, 2))
# error: ArrangementError: permute: dim 2 is out of range for a tensor of 2 dims; write one from -2 to 1
# ---- flatten of nothing
Tensor(3).flatten(2, 2)
# error: ArrangementError: flatten: dims 2 to 2, exclusive, are none; write an end_dim above start_dim
# ---- flatten out of range
Tensor(3).flatten(0, 4)
# error: ArrangementError: flatten: dim 4 is out of range for a tensor of 3 dims; write one from -3 to 3
# ---- a size of a dim that does not exist
Tensor(2).size(2)
# error: ArrangementError: size: dim 2 is out of range for a tensor of 2 dims; write one from -2 to 1
# ---- iteration over a symbolic tensor
rows, columns = Tensor(2)
#<^^^^^^^^^^^^
# error: ArrangementError: a symbolic tensor cannot be iterated over; iterate over range(t.ndim) or t.shape
# ---- neither ndim nor shape
Tensor()
# error: ArrangementError: a Tensor needs ndim or shape; write Tensor(2)
# ---- a shape of another length than ndim
Tensor(2, shape=(4,))
# error: ArrangementError: the shape (4,) has 1 size for 2 dims; give one size a dim, or leave ndim out
# ---- a negative ndim
Tensor(-1)
# error: ArrangementError: ndim must be a number of dims, not -1; write Tensor(2)
# ---- a size that is no size
Tensor(shape=(4.5,))
# error: ArrangementError: the shape has the entry 4.5; entries are integers and symbols
# ---- a negative size
Tensor(shape=(-4,))
# error: ArrangementError: the shape has the size -4; sizes are at least 0
# ---- constexpr with dims
Tensor(1, constexpr=True)
# error: ArrangementError: constexpr and value are for tensors of no dims; for the sizes of a tensor write shape_options={'constexpr': True}
# ---- shape options of the wrong length
Tensor(2, shape_options=({"constexpr": True},))
# error: ArrangementError: shape_options has length 1 for 2 dims; give one dict for all dims, or one a dim
# ---- shape options that do not exist
Tensor(1, shape_options={"multiple_of": 16})
# error: ArrangementError: shape_options has no option 'multiple_of'; options are constexpr, meta, lower_bound, upper_bound, power_of_two
# ---- shape options that are no dict
Tensor(1, shape_options=("constexpr",))
# error: ArrangementError: shape_options has the entry 'constexpr'; entries are dicts of options, or None
# ---- shape options for a size that is given
options = {"constexpr": True}
Tensor(shape=(None, 64), shape_options=options)
Tensor(shape=(None, 64), shape_options=(None, options))
# error: ArrangementError: shape_options has {'constexpr': True} for dim 1, whose size is given, 64; options are for sizes that only the call knows: leave shape_options out, or write shape=(None, None)
# ---- shape options for sizes that are all given
n = Symbol("n", constexpr=True)
Tensor(shape=(n,), shape_options=({"upper_bound": 64},))
# error: ArrangementError: shape_options has {'upper_bound': 64} for dim 0, whose size is given, n; options are for sizes that only the call knows: leave shape_options out, or write shape=(None,)
# ---- a shape set after arranging
x = Tensor(1, name="x").tile((16,))
x.shape = (64,)
#<^^^^^^
# error: ArrangementError: the shape of x cannot be set to (64,): it is arranged already; set the shape of a tensor before arranging it, one size a dim
# ---- a shape of another length
x = Tensor(1, name="x")
x.shape = (64, 64)
#<^^^^^^
# error: ArrangementError: the shape of x cannot be set to (64, 64): it has 1 dim; set the shape of a tensor before arranging it, one size a dim
# ---- a dtype of another tensor
x = Tensor(1).tile((16,))
y = Tensor(1).tile((16,))
x.dtype = y.dtype.unsqueeze(0)
#<^^^^^^
# error: ArrangementError: only the level below, rearranged, can be assigned to dtype; write t.dtype = t.dtype.squeeze(0)
# ---- an element type for a level
x = Tensor(1).tile((16,))
x.dtype = ninetoothed.float16
#<^^^^^^
# error: ArrangementError: the dtype of level 0 is a tensor; assign the element type to .innermost().dtype
# ---- an other that is no number
Tensor(1, other="zero")
# error: ArrangementError: other must be a number, not 'zero'
# ---- a value that is no number
Tensor(0, value="one")
# error: ArrangementError: value must be a number, not 'one'
# ---- a tensor whose ndim is no integer
Tensor("x")
# error: ArrangementError: ndim must be a number of dims, not 'x'; write Tensor(2)
# ---- squeeze in a helper of the arrangement
def row(x):
    return x.tile((1, 64)).squeeze(1)
#          ^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: ArrangementError: squeeze: dim 1 of (128, 2) has size 2; only dims of size at most 1 can be removed

def arrangement(x, output):
    return row(x), row(output)

def application(x, output):
    output = x

make(arrangement, application, (Tensor(2, shape=(128, 128)), Tensor(2)))
# ---- options that are none
Tensor(1, shape_options=5)
# error: ArrangementError: shape_options 5 must be a dict of options for all dims, or a tuple of them, one a dim
# ---- options that are no bounds
Tensor(1, shape_options={"upper_bound": "x"})
# error: ArrangementError: shape_options: upper_bound must be an integer, not 'x'
# ---- options that are no flags
Tensor(1, shape_options={"constexpr": "yes"})
# error: ArrangementError: shape_options: constexpr must be True or False, not 'yes'
# ---- a flag that is none
Tensor(0, constexpr="yes")
# error: ArrangementError: constexpr must be True or False, not 'yes'
# ---- more dims than any tensor has
Tensor(2**63)
# error: ArrangementError: a tensor has at most 64 dims, as torch's have
# ---- permute by a tensor of no dims
Tensor(1).permute(torch.tensor(2))
# error: ArrangementError: permute: the dims tensor(2) must be a tuple, one entry a dim
