# Wrong programs for ``debugging`` and ``visualization``, which number the elements of tensors.

# ---- a tensor without sizes
x = Tensor(2, name="x")
ninetoothed.debugging.simulate_arrangement(blocks, (Tensor(shape=(8,)), x))
# error: ArrangementError: tensors[1] has the shape (x_size_0, x_size_1), and its elements cannot be numbered without sizes; give it numbers, as in Tensor(shape=(4, 5))
# ---- a tensor with the name of a size
x = Tensor(shape=(4, Symbol("N")), name="x")
ninetoothed.debugging.simulate_arrangement(blocks, (x,))
# error: ArrangementError: tensors[0] has the shape (4, N), and its elements cannot be numbered without sizes; give it numbers, as in Tensor(shape=(4, 5))
# ---- a tensor of torch
ninetoothed.debugging.simulate_arrangement(blocks, (torch.ones(2, 3),))
# error: ArgumentError: tensors[0] holds data, and an arrangement is of symbolic tensors; write Tensor(shape=(2, 3))
# ---- one tensor and no tuple
ninetoothed.debugging.simulate_arrangement(blocks, Tensor(shape=(8,)))
# error: ArgumentError: tensors must be a tuple of what the arrangement takes; write (tensor,)
# ---- an arrangement that takes another number of tensors
def arrangement(x, y):
    return x, y


ninetoothed.debugging.simulate_arrangement(arrangement, (Tensor(shape=(8,)),))
# error: ArrangementError: arrangement(x, y) does not take what tensors holds, 1 object: missing a required argument: 'y'
# ---- a block size that is a default
def arrangement(x, BLOCK_SIZE=block_size()):
    return x.tile((2 * BLOCK_SIZE,))


ninetoothed.debugging.simulate_arrangement(arrangement, (Tensor(shape=(8,)),))
# error: ArrangementError: a block_size() has no number, so what a program sees is not known; give the arrangement one: functools.partial(arrangement, BLOCK_SIZE=2)
# ---- a block size that the compiler would choose
B = block_size()


def arrangement(x):
    return x.tile((B,))


ninetoothed.debugging.simulate_arrangement(arrangement, (Tensor(shape=(8,)),))
# error: ArrangementError: a block_size() has no number, so what a program sees is not known; write one in its place, as in t.tile((2,))
# ---- a symbol of the arrangement
def arrangement(x):
    return x.tile((Symbol("BLOCK_SIZE", constexpr=True),))


ninetoothed.debugging.simulate_arrangement(arrangement, (Tensor(shape=(8,)),))
# error: ArrangementError: the symbol BLOCK_SIZE has no number, so what a program sees is not known; write one in its place, as in t.tile((2,))
# ---- a jagged tensor
x = Tensor(2, jagged_dim=1, name="x")
ninetoothed.debugging.simulate_arrangement(blocks, (x,))
# error: ArrangementError: x is jagged, and what a program sees of it depends on the lengths of its sequences; take one sequence, a tensor of a concrete shape
# ---- a jagged tensor that the arrangement makes
def arrangement(x):
    return x, Tensor(2, jagged_dim=1, name="y")


ninetoothed.debugging.simulate_arrangement(arrangement, (Tensor(shape=(8,)),))
# error: ArrangementError: y is jagged, and what a program sees of it depends on the lengths of its sequences; take one sequence, a tensor of a concrete shape
# ---- an arrangement that returns no tensors
def arrangement(x):
    return ()


ninetoothed.debugging.simulate_arrangement(arrangement, (Tensor(shape=(8,)),))
# error: ArrangementError: the arrangement returned no tensors; return those that it arranged
# ---- an arrangement that returns something else
def arrangement(x):
    return x.tile((2,)), x.shape


ninetoothed.debugging.simulate_arrangement(arrangement, (Tensor(shape=(8,), name="x"),))
# error: ArrangementError: the arrangement returned (8,) at position 1; return arranged tensors only
# ---- an arrangement that returns an inner level
def arrangement(x):
    return x.tile((2,)).dtype


ninetoothed.debugging.simulate_arrangement(arrangement, (Tensor(shape=(8,), name="x"),))
# error: ArrangementError: the arrangement returned an inner level of x; return the tensor itself
# ---- an arrangement that is impossible
def arrangement(x):
    return x.expand((3,))
#          ^^^^^^^^^^^^^^
# error: ArrangementError: expand: dim 0 of (8,) has size 8, and only dims of size at most 1 can be expanded, here to 3; write -1 to keep the dim


ninetoothed.debugging.simulate_arrangement(arrangement, (Tensor(shape=(8,)),))
# ---- a picture of a tensor without sizes
ninetoothed.visualization.visualize(Tensor(2, name="x"))
# error: ArrangementError: x has the shape (x_size_0, x_size_1), and its elements cannot be numbered without sizes; give it numbers, as in Tensor(shape=(4, 5))
# ---- a picture of a tensor with a block size
x = Tensor(shape=(8,), name="x")
ninetoothed.visualization.visualize(x.tile((Symbol("BLOCK_SIZE"),)))
# error: ArrangementError: the symbol BLOCK_SIZE of x has no number; write one in its place, as in t.tile((2,)), or give it one, as in t.subs({BLOCK_SIZE: 2})
# ---- a picture of a tensor with a block size that the compiler chooses
x = Tensor(shape=(8,), name="x")
ninetoothed.visualization.visualize(x.tile((block_size(),)))
# error: ArrangementError: a block_size() of x has no number; write one in its place, as in t.tile((2,)), or give it one, as in t.subs({BLOCK_SIZE: 2})
# ---- a picture of a jagged tensor
ninetoothed.visualization.visualize(Tensor(2, jagged_dim=1, name="x"))
# error: ArrangementError: x is jagged, and what a program sees of it depends on the lengths of its sequences; take one sequence, a tensor of a concrete shape
# ---- a picture of an inner level
x = Tensor(shape=(8,), name="x").tile((2,))
ninetoothed.visualization.visualize(x.dtype)
# error: ArrangementError: visualize: this is an inner level of x; draw the tensor itself
# ---- a picture of something else
ninetoothed.visualization.visualize((4, 8))
# error: ArgumentError: visualize draws a symbolic tensor, not (4, 8); write visualize(Tensor(shape=(4, 8)))
# ---- a picture of too many elements
ninetoothed.visualization.visualize(Tensor(shape=(64, 65), name="x").tile((8, 8)))
# error: ArrangementError: x has 4608 elements to draw, and a picture has room for 4096; give smaller sizes
# ---- a picture of too many tiles
ninetoothed.visualization.visualize(Tensor(shape=(8000, 0), name="x").tile((1, -1)))
# error: ArrangementError: x has 8000 elements to draw, and a picture has room for 4096; give smaller sizes
# ---- a picture in no colour
ninetoothed.visualization.visualize(Tensor(shape=(8,)), color="bleu")
# error: ArgumentError: 'bleu' is no colour of matplotlib; write a name such as 'orange', or '#ffa500'
# ---- a picture whose colour is a number
ninetoothed.visualization.visualize(Tensor(shape=(8,)), color=3)
# error: ArgumentError: 3 is no colour of matplotlib; write a name such as 'orange', or '#ffa500'
# ---- a picture in another format
ninetoothed.visualization.visualize(Tensor(shape=(8,)), save_path="x.pdf")
# error: ArgumentError: save_path is 'x.pdf', whose ending is no format of pictures; write a name that ends in .png or .svg
# ---- a picture without an ending
ninetoothed.visualization.visualize_arrangement(blocks, (Tensor(shape=(8,)),), "x")
# error: ArgumentError: save_path is 'x', whose ending is no format of pictures; write a name that ends in .png or .svg
# ---- a picture whose place is no path
ninetoothed.visualization.visualize(Tensor(shape=(8,)), save_path=3)
# error: ArgumentError: save_path must be a path, not 3; write 'picture.svg'
# ---- a picture in a folder that does not exist
ninetoothed.visualization.visualize(Tensor(shape=(8,)), save_path="no/such/folder/x.svg")
# error: ConfigurationError: no/such/folder/x.svg cannot be written (No such file or directory); write save_path=… with a folder that exists
# ---- a picture of an arrangement of too many elements
tensors = Tensor(shape=(4000,)), Tensor(shape=(4000,))
ninetoothed.visualization.visualize_arrangement(blocks, tensors)
# error: ArrangementError: the arrangement has 8000 elements to draw, and a picture has room for 4096; give smaller sizes
# ---- a picture of an arrangement of tensors of torch
ninetoothed.visualization.visualize_arrangement(blocks, (torch.ones(8),))
# error: ArgumentError: tensors[0] holds data, and an arrangement is of symbolic tensors; write Tensor(shape=(8,))
