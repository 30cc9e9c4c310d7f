# Wrong programs for ``Tensor.svg``, ``Tensor.draw`` and ``Kernel.svg``.

# ---- a picture without sizes
x = Tensor(2, name="x")
x.svg()
# error: ArrangementError: svg: x_size_0, x_size_1 have no value; give them one each in subs, as in svg({x: {"shape": (4, 8)}, B: 2})
# ---- a picture without a block size
x = Tensor(1, name="x")
x.tile((Symbol("B"),)).draw({x: {"shape": (8,)}})
# error: ArrangementError: draw: B has no value; give it one in subs, as in draw({x: {"shape": (4, 8)}, B: 2})
# ---- a picture in which a tensor has another number of dims
x = Tensor(2, name="x")
x.svg({x: {"shape": (8,)}})
# error: ArrangementError: x has 2 dims, and is given the shape (8,); give one size a dim
# ---- a picture in which a block size is no number
x = Tensor(shape=(8,), name="x")
x.tile((Symbol("B"),)).svg({Symbol("B"): 2.5})
# error: SymbolError: the value of B must be an integer, not 2.5
# ---- a picture of sizes in no dict
x = Tensor(1, name="x")
x.svg((8,))
# error: ArrangementError: subs must be a dict of tensors and symbols, not (8,)
# ---- a picture of a jagged tensor
Tensor(2, jagged_dim=1, name="x").svg()
# error: ArrangementError: x is jagged, and what a program sees of it depends on the lengths of its sequences; take one sequence, a tensor of a concrete shape
# ---- a picture of an inner level
Tensor(shape=(8,), name="x").tile((2,)).dtype.svg()
# error: ArrangementError: svg: this is an inner level of x; draw the tensor itself
# ---- a picture of an impossible arrangement
B = Symbol("B", constexpr=True)
Tensor(shape=(8,), name="x").tile((B,)).draw({B: 0})
#<^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: ArrangementError: tile: a tile of size 0; sizes are at least 1
# ---- a picture of a kernel without block sizes
B = Symbol("B", meta=True)


@jit
def kernel(x: Tensor(1).tile((B,)), y: Tensor(1).tile((B,))):
    y = x


kernel.svg((8,), (8,))
# error: ArgumentError: svg: B has no value, by which kernel is drawn; give it by keyword, as in B=2
# ---- a picture of a kernel without one of its tensors
B = Symbol("B", meta=True)


@jit
def kernel(x: Tensor(1).tile((B,)), y: Tensor(1).tile((B,))):
    y = x


kernel.svg(x=(8,), B=2)
# error: ArgumentError: kernel(x, y) takes 2 arguments, but 1 was given; y is missing
# ---- a picture of a kernel of more than it takes
B = Symbol("B", meta=True)


@jit
def kernel(x: Tensor(1).tile((B,)), y: Tensor(1).tile((B,))):
    y = x


kernel.svg((8,), (8,), (8,), B=2)
# error: ArgumentError: kernel(x, y) takes 2 arguments, but 3 were given; leave the others out
# ---- a picture of a kernel with an argument that it does not have
B = Symbol("B", meta=True)


@jit
def kernel(x: Tensor(1).tile((B,)), y: Tensor(1).tile((B,))):
    y = x


kernel.svg(x=(8,), y=(8,), BLOCK=2)
# error: ArgumentError: svg: kernel has no argument BLOCK; it takes x, y, B
# ---- a picture of a kernel whose block size has nearly its name
BLOCK_SIZE = Symbol("BLOCK_SIZE", meta=True)


@jit
def kernel(x: Tensor(1).tile((BLOCK_SIZE,)), y: Tensor(1).tile((BLOCK_SIZE,))):
    y = x


kernel.svg(x=(8,), y=(8,), BLOK_SIZE=2)
# error: ArgumentError: svg: kernel has no argument BLOK_SIZE; did you mean BLOCK_SIZE?
# ---- a picture of a kernel of a number of elements
B = Symbol("B", meta=True)


@jit
def kernel(x: Tensor(1).tile((B,)), y: Tensor(1).tile((B,))):
    y = x


kernel.svg(x=8, y=(8,), B=2)
# error: ArgumentError: svg: x is given 8; give its shape, as in x=(4,), or a tensor
# ---- a picture of a kernel with another number of dims
B = Symbol("B", meta=True)


@jit
def kernel(x: Tensor(1).tile((B,)), y: Tensor(1).tile((B,))):
    y = x


kernel.svg(x=(8, 8), y=(8,), B=2)
# error: ArrangementError: x has 1 dim, and is given the shape (8, 8); give one size a dim
# ---- a picture of a kernel with a size below 0
B = Symbol("B", meta=True)


@jit
def kernel(x: Tensor(1).tile((B,)), y: Tensor(1).tile((B,))):
    y = x


kernel.svg(x=(-8,), y=(8,), B=2)
# error: ArrangementError: size 0 of x is -8; sizes are at least 0
# ---- a picture of a kernel with a size that is no integer
B = Symbol("B", meta=True)


@jit
def kernel(x: Tensor(1).tile((B,)), y: Tensor(1).tile((B,))):
    y = x


kernel.svg(x=(2.5,), y=(8,), B=2)
# error: SymbolError: size 0 of x must be an integer, not 2.5
# ---- a picture of a kernel with a size that is a symbol
B = Symbol("B", meta=True)


@jit
def kernel(x: Tensor(1).tile((B,)), y: Tensor(1).tile((B,))):
    y = x


kernel.svg(x=(Symbol("N"),), y=(8,), B=2)
# error: ArgumentError: svg: x_size_0 is given N, which is no number; give one
# ---- a picture of a kernel whose block size is no integer
B = Symbol("B", meta=True)


@jit
def kernel(x: Tensor(1).tile((B,)), y: Tensor(1).tile((B,))):
    y = x


kernel.svg(x=(8,), y=(8,), B="2")
# error: ArgumentError: B must be an integer, not '2'
# ---- a picture of a kernel whose block size is 0
B = Symbol("B", meta=True)


@jit
def kernel(x: Tensor(1).tile((B,)), y: Tensor(1).tile((B,))):
#             ^^^^^^^^^^^^^^^^^^^^
# error in <module>: ArrangementError: tile: a tile of size 0; sizes are at least 1
    y = x


kernel.svg(x=(8,), y=(8,), B=0)
# ---- a picture of a kernel without the value of a symbol
B = Symbol("B", constexpr=True)


@jit
def kernel(x: Tensor(1).tile((B,)), y: Tensor(1).tile((B,))):
    y = x


kernel.svg(x=(8,), y=(8,))
# error: ArgumentError: kernel needs a value for B; give it by keyword, as in B=64
# ---- a picture of a kernel with a jagged tensor
@jit
def kernel(x: Tensor(2, jagged_dim=1).tile((1, 2)), y: Tensor(2, jagged_dim=1).tile((1, 2))):
    y = x


kernel.svg(x=(8, 9), y=(8, 9))
# error: ArrangementError: x is jagged, and what a program sees of it depends on the lengths of its sequences; take one sequence, a tensor of a concrete shape
# ---- a picture of a kernel for sizes outside of bounds by which it was arranged
def arrangement(x, y):
    size = 2 if x.shape[0] <= 8 else 4
#               ^^^^^^^^^^^^^^^
# error: ArrangementError: the arrangement took x_size_0 <= 8 to be True by the bounds of its symbols, which does not hold for these sizes; give others
    return x.tile((size,)), y.tile((size,))


def application(x, y):
    y = x


x = Tensor(1, shape_options={"upper_bound": 8})
make(arrangement, application, (x, Tensor(1))).svg(x=(9,), y=(9,))
# ---- a picture of a kernel whose symbol has a value outside of bounds by which it was arranged
B = Symbol("B", constexpr=True)


def arrangement(x, y):
    size = B if B > 0 else 1
#               ^^^^^
# error: ArrangementError: the arrangement took B > 0 to be True by the bounds of its symbols, which is not known with B=0; arrange without the condition, or declare other bounds (lower_bound, upper_bound) and make a kernel for each answer
    return x.tile((size,)), y.tile((size,))


def application(x, y):
    y = x


make(arrangement, application, (Tensor(1), Tensor(1))).svg(x=(9,), y=(9,), B=0)
