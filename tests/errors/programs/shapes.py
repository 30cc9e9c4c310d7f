# Shapes of blocks that do not fit an operation or an output.

# ---- shapes that do not broadcast
def application(x, output):
    output = x + ntl.zeros((32,), dtype=ntl.float32)
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: ShapeError: shapes (64,) and (32,) do not broadcast: 64 is not 32; make them equal, or one of them 1

vectors(application)
# ---- shapes that do not broadcast in where
def application(x, output):
    output = ntl.where(x > 0, x, ntl.zeros((32,), dtype=ntl.float32))
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: ShapeError: shapes (64,) and (32,) do not broadcast: 64 is not 32; make them equal, or one of them 1

vectors(application)
# ---- blocks that do not fit since the arrangement is wrong
def arrangement(x, output):
    n = Symbol("n", constexpr=True, lower_bound=0)
    return x[n : n + 8].tile((16,)), output.tile((16,))
#          ^^^^^^^^^^^^
# error: ArrangementError: slicing of x (kernel.py, line 3) needs n + 8 <= 4, which no call can give; write one that fits

def application(x, output):
    output = x + ntl.zeros((32,), dtype=ntl.float32)

make(arrangement, application, (Tensor(shape=(4,)), Tensor(1)))
# ---- a block of more dims than the output
def application(x, output):
    output = x[:, None] + x[None, :]
#   ^^^^^^
# error: ShapeError: a block of shape (64, 64) of fp32 cannot be assigned to output, whose block has the shape (64,); reduce it, as in ntl.sum(x, 0), or arrange output anew

vectors(application)
# ---- a block of another size than the output
def application(x, output):
    output = ntl.zeros((32,), dtype=ntl.float32)
#   ^^^^^^
# error: ShapeError: a block of shape (32,) cannot become (64,): 32 is not 64, and only dims of size 1 are repeated

vectors(application)
# ---- a tuple for an output
def application(x, output):
    output = x, x
#   ^^^^^^
# error: TypeMismatchError: the assigned value must be a number or a block, not a tuple of 2

vectors(application)
# ---- a string for an output
def application(x, output):
    output = "x"
#   ^^^^^^ error: TypeMismatchError: the assigned value must be a number or a block, not 'x'

vectors(application)
# ---- None for an output
def application(x, output):
    output = None
#   ^^^^^^ error: TypeMismatchError: the assigned value must be a number or a block, not None

vectors(application)
# ---- a function for an output
def application(x, output):
    output = ntl.exp
#   ^^^^^^
# error: TypeMismatchError: the assigned value must be a number or a block, not the function ntl.exp

vectors(application)
# ---- a Python function for an output
def double(x):
    return 2 * x

def application(x, output):
    output = double
#   ^^^^^^
# error: TypeMismatchError: the assigned value must be a number or a block, not the function double

vectors(application)
# ---- a module for an output
def application(x, output):
    output = ntl
#   ^^^^^^
# error: TypeMismatchError: the assigned value must be a number or a block, not the module ninetoothed.language

vectors(application)
# ---- too many values to unpack
def application(x, output):
    a, b = x, x, x
#   ^^^^ error: TypeMismatchError: 3 values cannot be unpacked into 2 targets; write as many
    output = a

vectors(application)
# ---- unpacking of a block
def application(x, output):
    a, b = x
#   ^^^^ error: TypeMismatchError: the tensor x cannot be unpacked; only tuples can
    output = a

vectors(application)
# ---- an axis out of range
def application(x, output):
    output = x - ntl.max(x, axis=1)
#                ^^^^^^^^^^^^^^^^^^
# error: ShapeError: ntl.max: axis 1 is out of range; give one from -1 to 0

vectors(application)
# ---- an axis that is a block
def application(x, output):
    output = x - ntl.max(x, axis=x)
#                ^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: ntl.max: axis must be an integer that is known when compiling, not the tensor x

vectors(application)
# ---- a reduction of a scalar
def application(x, output):
    output = ntl.sum(ntl.sum(x))
#            ^^^^^^^^^^^^^^^^^^^
# error: ShapeError: ntl.sum takes a block, not a scalar of fp32; leave it out, or make a block of it with ntl.full

vectors(application)
# ---- a reduction of a number
def application(x, output):
    output = ntl.sum(1.0)
#            ^^^^^^^^^^^^
# error: ShapeError: ntl.sum takes a block, not a scalar of fp32; leave it out, or make a block of it with ntl.full

vectors(application)
# ---- a transposed vector
def application(x, output):
    output = ntl.trans(x)
#            ^^^^^^^^^^^^
# error: ShapeError: a block of shape (64,) of fp32 has no two dims to swap; give it another, as in ntl.expand_dims(x, 0)

vectors(application)
# ---- dims inserted at the wrong number of places
def application(x, output):
    y = x + 0
    output = ntl.sum(y[:, :, None], 1)
#                    ^^^^^^^^^^^^^
# error: ShapeError: 2 `:` for a block of shape (64,) of fp32; write one a dim, as in x[:, None]

vectors(application)
# ---- expand_dims out of range
def application(x, output):
    output = ntl.expand_dims(x, 4)
#            ^^^^^^^^^^^^^^^^^^^^^
# error: ShapeError: ntl.expand_dims: axis 4 is out of range; give one from -2 to 1

vectors(application)
# ---- broadcast_to of a shape that does not fit
def application(x, output):
    output = ntl.broadcast_to(x, (32,))
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: ShapeError: a block of shape (64,) cannot become (32,): 64 is not 32, and only dims of size 1 are repeated

vectors(application)
# ---- zeros of a shape that only a run knows
def application(x, output):
    output = ntl.zeros((ntl.sum(x),), dtype=ntl.float32)
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: ShapeError: ntl.zeros: a shape holds sizes that are known when compiling, as in (64,) and x.shape; not (a scalar of fp32)

vectors(application)
# ---- zeros of a negative shape
def application(x, output):
    output = ntl.zeros((-4,), dtype=ntl.float32)
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: ShapeError: ntl.zeros: the sizes of a block are 1 or more, not (-4,)

vectors(application)
# ---- a block without lanes
def application(x, output):
    output = ntl.full((2, 0), 1, ntl.float32)
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: ShapeError: ntl.full: the sizes of a block are 1 or more, not (2, 0)

vectors(application)
# ---- zeros of a float
def application(x, output):
    output = ntl.zeros((64.0,), dtype=ntl.float32)
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: ShapeError: ntl.zeros: a shape holds sizes that are known when compiling, as in (64,) and x.shape; not (64.0)

vectors(application)
# ---- full of a block
def application(x, output):
    output = ntl.full((64,), x, dtype=ntl.float32)
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: ShapeError: ntl.full fills with one number, not a block of shape (64,) of fp32; write ntl.broadcast_to(x, shape)

vectors(application)
# ---- full of text
def application(x, output):
    output = ntl.full((64,), "x", dtype=ntl.float32)
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: ntl.full: the value must be a number or a block, not 'x'

vectors(application)
# ---- arange of run-time bounds
def application(x, output):
    output = ntl.arange(0, ntl.sum(x))
#            ^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: ntl.arange: start and end must be integers that are known when compiling, as in ntl.arange(0, x.shape[0])

vectors(application)
# ---- arange of nothing
def application(x, output):
    output = ntl.arange(4, 4)
#            ^^^^^^^^^^^^^^^^
# error: ShapeError: ntl.arange: from 4 to 4, exclusive, is nothing; end must be above start

vectors(application)
# ---- arange backwards
def application(x, output):
    output = ntl.arange(4, 0)
#            ^^^^^^^^^^^^^^^^
# error: ShapeError: ntl.arange: from 4 to 0, exclusive, is nothing; end must be above start

vectors(application)
# ---- dot of vectors
def application(x, y, output):
    output = ntl.dot(x, y)
#            ^^^^^^^^^^^^^
# error: ShapeError: ntl.dot multiplies two blocks of two dims, or of three where the first counts matrices, not (64,) and (64,); insert dims, as in x[:, None]

vectors(application)
# ---- dot of shapes that do not multiply
def application(x, y, output):
    output = ntl.dot(x, y)
#            ^^^^^^^^^^^^^
# error: ShapeError: ntl.dot: (16, 32) and (16, 32) do not multiply: 32 is not 16; transpose one with ntl.trans, or arrange it so that they agree

matrices(application)
# ---- dot with an accumulator of another shape
def application(x, y, output):
    output = ntl.dot(x, ntl.trans(y), ntl.zeros((4, 4), dtype=ntl.float32))
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: ShapeError: a block of shape (4, 4) cannot become (16, 16): 4 is not 16, and only dims of size 1 are repeated

matrices(application)
# ---- dot of an unknown precision
def application(x, y, output):
    output = ntl.sum(ntl.dot(x, ntl.trans(y), input_precision="fp8"))
#                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: ArgumentError: ntl.dot: input_precision is 'tf32', 'tf32x3', 'ieee', 'bf16x3' or 'bf16x6', not 'fp8'

matrices(application)
