# Reductions, scans, sorts and histograms that cannot be.

# ---- an axis that there is not
def application(x, output):
    output = x - ntl.cumsum(x, 1)
#                ^^^^^^^^^^^^^^^^
# error: ShapeError: ntl.cumsum: axis 1 is out of range; give one from -1 to 0

vectors(application, "fp32", "fp32")
# ---- an axis that is not known when compiling
def application(x, output):
    output = x / ntl.sum(x, ntl.program_id(0))
#                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: ntl.sum: axis must be an integer that is known when compiling, not a scalar of i32

vectors(application, "fp32", "fp32")
# ---- no axis for a scan
def application(x, output):
    output = ntl.cumprod(x, None)
#            ^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: ntl.cumprod: axis must be an integer that is known when compiling, not None

vectors(application, "fp32", "fp32")
# ---- a block for the axis along which the largest is
def application(x, output):
    output = x + ntl.argmax(x, x)
#                ^^^^^^^^^^^^^^^^
# error: TypeMismatchError: ntl.argmax: axis must be an integer that is known when compiling, not the tensor x

vectors(application, "fp32", "fp32")
# ---- an axis of a reduction of the user's
def combine(a, b):
    return a + b

def application(x, output):
    output = x + ntl.reduce(x, 2, combine)
#                ^^^^^^^^^^^^^^^^^^^^^^^^^
# error: ShapeError: ntl.reduce: axis 2 is out of range; give one from -2 to 1

matrices(application, "fp32", "fp32")
# ---- a scalar that is summed
def application(x, output):
    output = x + ntl.sum(ntl.max(x))
#                ^^^^^^^^^^^^^^^^^^^
# error: ShapeError: ntl.sum takes a block, not a scalar of fp32; leave it out, or make a block of it with ntl.full

vectors(application, "fp32", "fp32")
# ---- a scalar that is sorted
def application(x, output):
    output = x + ntl.sort(ntl.max(x))
#                ^^^^^^^^^^^^^^^^^^^^
# error: ShapeError: ntl.sort takes a block, not a scalar of fp32; leave it out, or make a block of it with ntl.full

vectors(application, "fp32", "fp32")
# ---- scalars that are combined
def combine(a, b):
    return a + b

def application(x, output):
    output = x + ntl.reduce((1.0, ntl.max(x)), 0, combine)
#                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: ShapeError: ntl.reduce takes a block, not a scalar of fp32; leave it out, or make a block of it with ntl.full

vectors(application, "fp32", "fp32")
# ---- no block to combine
def combine(a, b):
    return a + b

def application(x, output):
    output = x + ntl.reduce((), 0, combine)
#                ^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: ShapeError: ntl.reduce takes a block or a tuple of blocks, not an empty tuple

vectors(application, "fp32", "fp32")
# ---- blocks that do not fit
def combine(a, i, b, j):
    return a, j

def application(x, output):
    output = x + ntl.reduce((x, ntl.arange(0, 32)), 0, combine)[0]
#                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: ShapeError: shapes (64,) and (32,) do not broadcast: 64 is not 32; make them equal, or one of them 1

vectors(application, "fp32", "fp32")
# ---- keep_dims that is not known when compiling
def application(x, output):
    output = x + ntl.sum(x, 0, keep_dims=ntl.max(x) > 0)
#                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: ntl.sum: keep_dims must be known when compiling, not a scalar of i1

vectors(application, "fp32", "fp32")
# ---- reverse that is not known when compiling
def application(x, output):
    output = ntl.cumsum(x, reverse=ntl.max(x) > 0)
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: ntl.cumsum: reverse must be known when compiling, not a scalar of i1

vectors(application, "fp32", "fp32")
# ---- a sum in no element type
def application(x, output):
    output = x + ntl.sum(x, dtype="f")
#                ^^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: ntl.sum: 'f' is no element type; write for example ntl.float32

vectors(application, "fp32", "fp32")
# ---- floats of eight bits that are summed
def application(x, output):
    output = x + ntl.sum(x.to(ntl.float8e5))
#                ^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: ntl.sum does not combine fp8e5, since Triton computes with blocks of it only; convert it first: ntl.cast(x, ntl.float32)

vectors(application, "fp32", "fp32")
# ---- bits of floats
def application(x, output):
    output = x + ntl.xor_sum(x)
#                ^^^^^^^^^^^^^^
# error: TypeMismatchError: ntl.xor_sum: it takes integers, not fp32; convert it first: ntl.cast(x, ntl.int32)

vectors(application, "fp32", "fp32")
# ---- bits that some float has
def application(x, output):
    output = x + ntl.reduce_or(x, 0)
#                ^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: ntl.reduce_or: it takes integers, not fp32; convert it first: ntl.cast(x, ntl.int32)

vectors(application, "fp32", "fp32")
# ---- k that is not known when compiling
def application(x, output):
    output = x + ntl.max(ntl.topk(x, ntl.program_id(0)))
#                        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: ntl.topk: k must be an integer that is known when compiling, not a scalar of i32

vectors(application, "fp32", "fp32")
# ---- k of none
def application(x, output):
    output = x + ntl.max(ntl.topk(x, 0))
#                        ^^^^^^^^^^^^^^ error: ShapeError: ntl.topk: k is 0; it must be at least 1

vectors(application, "fp32", "fp32")
# ---- k of too many
def application(x, output):
    output = x + ntl.max(ntl.topk(x, 65))
#                        ^^^^^^^^^^^^^^^
# error: ShapeError: ntl.topk: k is 65, and there are 64 lanes along dim 0; give a smaller k

vectors(application, "fp32", "fp32")
# ---- no dim to sort
def application(x, output):
    output = ntl.sort(x, 2)
#            ^^^^^^^^^^^^^^
# error: ShapeError: ntl.sort: dim 2 is out of range; give one from -2 to 1

matrices(application, "fp32", "fp32")
# ---- descending that is not known when compiling
def application(x, output):
    output = ntl.sort(x, descending=ntl.max(x) > 0)
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: ntl.sort: descending must be known when compiling, not a scalar of i1

vectors(application, "fp32", "fp32")
# ---- a histogram of floats
def application(x, output):
    output = x + ntl.sum(ntl.histogram(x, 10))
#                        ^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: ntl.histogram counts integers, not fp32; convert with ntl.cast(x, ntl.int32)

vectors(application, "fp32", "fp32")
# ---- a histogram of a matrix
def application(x, output):
    output = x + ntl.sum(ntl.histogram(x.to(ntl.int32), 10))
#                        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: ShapeError: ntl.histogram counts the lanes of a block of one dim, not of a block of shape (16, 32) of i32; write ntl.ravel(x)

matrices(application, "fp32", "fp32")
# ---- a histogram of no numbers
def application(x, output):
    output = x + ntl.sum(ntl.histogram(x.to(ntl.int32), 0))
#                        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: ShapeError: ntl.histogram: num_bins is 0; it must be at least 1

vectors(application, "fp32", "fp32")
# ---- a histogram of a number of bins that is not known
def application(x, output):
    output = x + ntl.sum(ntl.histogram(x.to(ntl.int32), ntl.program_id(0)))
#                        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: ntl.histogram: num_bins must be an integer that is known when compiling, not a scalar of i32

vectors(application, "fp32", "fp32")
# ---- a mask that does not fit
def application(x, output):
    output = x + ntl.sum(ntl.histogram(x.to(ntl.int32), 10, ntl.arange(0, 32) > 3))
#                        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: ShapeError: a block of shape (32,) cannot become (64,): 32 is not 64, and only dims of size 1 are repeated

vectors(application, "fp32", "fp32")
