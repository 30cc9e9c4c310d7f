# Sizes and dims that no tensor has.

# ---- a pad of too few pairs
Tensor(2, name="x").pad(((1, 1),))
# error: ArrangementError: pad: the list of pairs (1,) has length 1, but the tensor has 2 dims, of sizes (x_size_0, x_size_1); give one entry a dim
# ---- a pad of triples
Tensor(1).pad(((1, 1, 1),))
# error: ArrangementError: pad: (1, 1, 1) is no pair; write (left, right), one pair a dim
# ---- a pad of numbers
Tensor(1).pad((1, 1))
# error: ArrangementError: pad: 1 is no pair; write (left, right), one pair a dim
# ---- a pad that is a number
Tensor(1).pad(1)
# error: ArrangementError: pad: the list of pairs 1 must be a tuple, one entry a dim
# ---- a pad of floats
Tensor(1).pad(((0.5, 1),))
# error: ArrangementError: a pair of pad has the entry 0.5; entries are integers and symbols
# ---- a pad that crops more than there is
Tensor(shape=(4, 4)).pad(((0, 0), (-3, -2)))
# error: ArrangementError: pad: dim 1 of (4, 4) would have the size -1; crop no more than there is
# ---- an expansion to a negative size
Tensor(shape=(1,)).expand((-2,))
# error: ArrangementError: expand: a size of -2 in (-2,); sizes are at least 0, or -1 to keep the dim
# ---- an expansion that is a number
Tensor(1).expand(4)
# error: ArrangementError: the shape 4 must be a tuple, one entry a dim
# ---- an expansion to a float
Tensor(shape=(1,)).expand((4.0,))
# error: ArrangementError: the shape has the entry 4.0; entries are integers and symbols
# ---- an expansion of one of several dims, beside an empty one
Tensor(shape=(0, 4)).expand((4, 8))
# error: ArrangementError: expand: dim 1 of (0, 4) has size 4, and only dims of size at most 1 can be expanded, here to 8; write -1 to keep the dim
# ---- a squeeze of an empty dim and a larger one
Tensor(shape=(0, 4)).squeeze((0, 1))
# error: ArrangementError: squeeze: dim 1 of (0, 4) has size 4; only dims of size at most 1 can be removed
# ---- a squeeze of one of several dims
Tensor(shape=(1, 4)).squeeze((0, 1))
# error: ArrangementError: squeeze: dim 1 of (1, 4) has size 4; only dims of size at most 1 can be removed
# ---- a squeeze of a symbol
Tensor(1).squeeze(Symbol("dim"))
# error: ArrangementError: squeeze: a dim must be an integer, not dim
# ---- a squeeze of a boolean
Tensor(shape=(1,)).squeeze(False)
# error: ArrangementError: squeeze: a dim must be an integer, not False
# ---- a squeeze of a scalar
Tensor(0).squeeze(0)
# error: ArrangementError: squeeze: dim 0 is out of range for a tensor of 0 dims; it has none to name
# ---- an unsqueeze of a symbol
Tensor(1).unsqueeze(Symbol("dim"))
# error: ArrangementError: unsqueeze: a dim must be an integer, not dim
# ---- an unsqueeze before the front
Tensor(1).unsqueeze(-3)
# error: ArrangementError: unsqueeze: dim -3 is out of range for a tensor of 1 dim; write one from -2 to 1
# ---- a permutation of too few dims
Tensor(3).permute((1, 0))
# error: ArrangementError: permute: (1, 0) must name each of the 3 dims once
# ---- a permutation of a symbol
Tensor(2).permute((Symbol("dim"), 0))
# error: ArrangementError: permute: a dim must be an integer, not dim
# ---- a permutation that is a number
Tensor(1).permute(0)
# error: ArrangementError: permute: the dims 0 must be a tuple, one entry a dim
# ---- a permutation of one dim under two names
Tensor(2).permute((0, -2))
# error: ArrangementError: permute: (0, -2) must name each of the 2 dims once
# ---- a flatten from a symbol
Tensor(2).flatten(Symbol("dim"))
# error: ArrangementError: flatten: a dim must be an integer, not dim
# ---- a flatten to a float
Tensor(2).flatten(0, 1.5)
# error: ArrangementError: flatten: a dim must be an integer, not 1.5
# ---- a flatten before the front
Tensor(2).flatten(-3)
# error: ArrangementError: flatten: dim -3 is out of range for a tensor of 2 dims; write one from -2 to 1
# ---- a flatten from the end
Tensor(2).flatten(2)
# error: ArrangementError: flatten: dim 2 is out of range for a tensor of 2 dims; write one from -2 to 1
# ---- a flatten backwards
Tensor(3).flatten(2, 1)
# error: ArrangementError: flatten: dims 2 to 1, exclusive, are none; write an end_dim above start_dim
# ---- a flatten of a scalar
Tensor(0).flatten()
# error: ArrangementError: flatten: dims 0 to 0, exclusive, are none; write an end_dim above start_dim
# ---- a tile of too few sizes
Tensor(2, name="x").tile((16,))
# error: ArrangementError: tile: the tile shape (16,) has length 1, but the tensor has 2 dims, of sizes (x_size_0, x_size_1); give one entry a dim
# ---- a tile of a scalar
Tensor(0).tile((16,))
# error: ArrangementError: tile: the tile shape (16,) has length 1, but the tensor has 0 dims, of sizes (); give one entry a dim
# ---- dilations of the wrong length
Tensor(2, name="x").tile((16, 16), dilation=(1,))
# error: ArrangementError: tile: dilation (1,) has length 1, but the tensor has 2 dims, of sizes (x_size_0, x_size_1); give one entry a dim
# ---- a stride that is no integer
Tensor(1).tile((16,), strides=("all",))
# error: ArrangementError: strides has the entry 'all'; entries are integers and symbols
# ---- a size of a dim that is a symbol
Tensor(2).size(Symbol("dim"))
# error: ArrangementError: size: a dim must be an integer, not dim
# ---- sizes that are a number
Tensor(shape=4)
# error: ArrangementError: the shape 4 must be a tuple, one entry a dim
# ---- a shape that is set to a negative size
x = Tensor(1, name="x")
x.shape = (-4,)
#<^^^^^^ error: ArrangementError: the shape has the size -4; sizes are at least 0
# ---- a shape that is set to a number
x = Tensor(1, name="x")
x.shape = 4
#<^^^^^^ error: ArrangementError: the shape 4 must be a tuple, one entry a dim
# ---- a jagged dim that is the batch
Tensor(3, jagged_dim=0)
# error: ArrangementError: jagged_dim must be a dim behind the batch, 1 to 2, not 0
# ---- a jagged dim that does not exist
Tensor(3, jagged_dim=3)
# error: ArrangementError: jagged_dim must be a dim behind the batch, 1 to 2, not 3
# ---- a jagged dim of a vector
Tensor(1, jagged_dim=0)
# error: ArrangementError: a jagged tensor has a batch and a jagged dim, not 1 dim
# ---- a jagged dim of a known size
Tensor(shape=(None, 8), jagged_dim=1)
# error: ArrangementError: the size of the jagged dim is 8, but each sequence has its own; leave it out of the shape
# ---- a jagged dim that is no integer
Tensor(3, jagged_dim="rows")
# error: ArrangementError: jagged_dim must be a dim behind the batch, 1 to 2, not 'rows'
# ---- a flatten of a jagged dim with dims before it
Tensor(3, jagged_dim=1, name="x").flatten(0, 2)
# error: ArrangementError: flatten: the jagged dim of x cannot be merged with dims before it, since sequences differ in length; permute it to the front, or tile those dims
# ---- a dtype that is no level below
x = Tensor(1).tile((16,))
x.dtype = x
#<^^^^^^
# error: ArrangementError: only the level below, rearranged, can be assigned to dtype; write t.dtype = t.dtype.squeeze(0)
# ---- a dtype of the level after the next
x = Tensor(1).tile((16,)).tile((4,))
x.dtype = x.dtype.dtype
#<^^^^^^
# error: ArrangementError: only the level below, rearranged, can be assigned to dtype; write t.dtype = t.dtype.squeeze(0)
# ---- a dtype that was arranged apart
x = Tensor(1)
low, high = x.tile((16,)), x.tile((16,)).tile((4,))
low.dtype = high.dtype
#<^^^^^^^^
# error: ArrangementError: the assigned dtype was arranged apart from this tensor; write t.dtype = t.dtype.squeeze(0), with the operations on t.dtype itself
