# Levels and blocks: indices too many, too few, and no integers; outputs that are none.

# ---- a level above the block, not indexed
def arrangement(x, output):
    x = x.tile((1, 32)).tile((1, -1))
    x.dtype = x.dtype.squeeze(0)
    return x.squeeze(1), output.tile((1, 32)).squeeze(1)

def application(x, output):
    output = x
#   ^^^^^^
# error: ShapeError: x has a level of shape (-(-x_size_1 // 32),) above its block; index it, as in x[i]

make(arrangement, application, (Tensor(2), Tensor(2)))
# ---- too many indices
def arrangement(x, output):
    x = x.tile((1, 32)).tile((1, -1))
    x.dtype = x.dtype.squeeze(0)
    return x, output.tile((1, 32)).tile((1, 1))

def application(x, output):
    y = x[0, 0, 0, 0]
#       ^^^^^^^^^^^^^
# error: ShapeError: the block of x has 2 dims, of sizes (1, 32); give as many indices, or `:` for a whole dim, not 3

make(arrangement, application, (Tensor(2), Tensor(2)))
# ---- too few indices
def arrangement(x, output):
    return x.tile((1, 32)).tile((1, -1)), output.tile((1, 32)).tile((1, -1))

def application(x, output):
    output[0, 0] = x[0]
#                  ^^^^
# error: ShapeError: a level of x has 2 dims, of sizes (1, -(-x_size_1 // 32)); give as many indices, not 1

make(arrangement, application, (Tensor(2), Tensor(2)))
# ---- an index that is a float
def arrangement(x, output):
    return x.tile((32,)).tile((-1,)), output.tile((32,)).tile((-1,))

def application(x, output):
    output[0] = x[0.5]
#                 ^^^ error: TypeMismatchError: an index must be one integer, not a scalar of fp32

make(arrangement, application, (Tensor(1), Tensor(1)))
# ---- an index that is a block
def arrangement(x, output):
    return x.tile((32,)).tile((-1,)), output.tile((32,)).tile((-1,))

def application(x, output):
    output[0] = x[ntl.arange(0, 32)]
#                 ^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: an index must be one integer, not a block of shape (32,) of i32

make(arrangement, application, (Tensor(1), Tensor(1)))
# ---- an index that is a bool
def arrangement(x, output):
    return x.tile((32,)).tile((-1,)), output.tile((32,)).tile((-1,))

def application(x, output):
    output[0] = x[True]
#                 ^^^^ error: TypeMismatchError: an index must be one integer, not a scalar of i1

make(arrangement, application, (Tensor(1), Tensor(1)))
# ---- an index that is a slice
def arrangement(x, output):
    return x.tile((32,)).tile((-1,)), output.tile((32,)).tile((-1,))

def application(x, output):
    output[0] = x[0:2]
#                 ^^^
# error: UnsupportedSyntaxError: a slice is not part of the language; arrange the tensor so that the program sees the slice

make(arrangement, application, (Tensor(1), Tensor(1)))
# ---- a store without an index
def arrangement(x, output):
    return x.tile((32,)).tile((-1,)), output.tile((32,)).tile((-1,))

def application(x, output):
    output = x[0]
#   ^^^^^^
# error: ShapeError: output has a level of shape (-(-output_size_0 // 32),) above its block; index it, as in output[i]

make(arrangement, application, (Tensor(1), Tensor(1)))
# ---- too many indices of a block
def application(x, output):
    output = x[0, 1]
#            ^^^^^^^
# error: ShapeError: the block of x has 1 dim, of sizes (64,); give as many indices, or `:` for a whole dim, not 2

vectors(application)
# ---- star in an index of something that is no tuple
def application(x, output):
    output = x[*x]
#              ^^
# error: TypeMismatchError: * takes a tuple, not the tensor x; write the indices one by one

vectors(application)
# ---- too many indices of a block, in a tuple
def application(x, output):
    place = (0, 1)
    output = x[place]
#            ^^^^^^^^
# error: ShapeError: the block of x has 1 dim, of sizes (64,); give as many indices, or `:` for a whole dim, not 2

vectors(application)
# ---- an index in a tuple that is no integer
def application(x, output):
    place = (0.5,)
    output = x.source[place]
#                     ^^^^^
# error: TypeMismatchError: an index holds integers, not a scalar of fp32; convert it with .to(ntl.int32)

vectors(application)
# ---- too few indices of a block
def application(x, output):
    output[0] = x
#   ^^^^^^^^^
# error: ShapeError: the block of output has 2 dims, of sizes (16, 32); give as many indices, or `:` for a whole dim, not 1

matrices(application)
# ---- indices of a single element
def application(x, output):
    output = x[0]
#            ^^^^ error: ShapeError: x is a number and is not indexed; write x

make(lambda x, output: (x, output), application, (Tensor(0, other=0), Tensor(0)))
# ---- a slice of a parameter's block
def application(x, output):
    output[0:8] = x[0:8]
#                   ^^^
# error: UnsupportedSyntaxError: a slice is not part of the language; arrange the tensor so that the program sees the slice

vectors(application)
# ---- an index of a block that holds no integers
def application(x, output):
    output = x[x]
#              ^
# error: TypeMismatchError: an index holds integers, not a block of shape (64,) of fp32; convert it with .to(ntl.int32)

vectors(application, "fp32", "fp32")
# ---- a block of bits as an index
def application(x, output):
    output = x[x > 0]
#              ^^^^^
# error: TypeMismatchError: an index holds integers, not a block of shape (64,) of i1; convert it with .to(ntl.int32)

vectors(application)
# ---- indices of a block that do not broadcast
def application(x, output):
    output = x[ntl.arange(0, 4), ntl.arange(0, 8)]
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: ShapeError: shapes (4,) and (8,) do not broadcast: 4 is not 8; make them equal, or one of them 1

matrices(application)
# ---- a new dim beside an index
def application(x, output):
    output = x[0, None]
#            ^^^^^^^^^^
# error: UnsupportedSyntaxError: None stands beside : only, as in x[:, None]; pick lanes in a step of its own

vectors(application)
# ---- more than one element assigned to one
def application(x, output):
    output[0] = x
#   ^^^^^^^^^
# error: ShapeError: a block of shape (64,) of fp32 cannot be assigned to the one element that output[…] is; reduce it, as in ntl.sum(x, 0), or index by blocks

vectors(application)
# ---- more elements assigned than are indexed
def application(x, output):
    output[ntl.arange(0, 8)] = x
#   ^^^^^^^^^^^^^^^^^^^^^^^^
# error: ShapeError: a block of shape (64,) cannot become (8,): 64 is not 8, and only dims of size 1 are repeated

vectors(application)
# ---- too many indices of what is computed
def application(x, output):
    output = (x + 1)[0, 1]
#            ^^^^^^^^^^^^^
# error: ShapeError: a block of shape (64,) of fp32 has 1 dim; give as many indices, or `:` for a whole dim, not 2

vectors(application)
# ---- an index of what is computed out of range
def application(x, output):
    output = (x + 1)[-65]
#                    ^^^
# error: ShapeError: index -65 is out of range for a block of shape (64,) of fp32, of size 64 in that dim; count from 0

vectors(application)
# ---- a block of indices of what is computed in two dims
def application(x, output):
    output = (x + 1)[ntl.arange(0, 16), :]
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: UnsupportedSyntaxError: a block of indices picks lanes of a block of one dim, not of a block of shape (16, 32) of fp32; write ntl.gather(x, index, axis)

matrices(application)
# ---- a store to an index of a local
def application(x, output):
    y = x + 1
    y[0] = 2
#   ^^^^
# error: UnsupportedSyntaxError: only parameters are assigned by index; select lanes with ntl.where, or write to an output
    output = y

vectors(application)
# ---- a store to an index of a tuple
def application(x, output):
    y = (x, x)
    y[0] = 2
#   ^^^^
# error: UnsupportedSyntaxError: only parameters are assigned by index; select lanes with ntl.where, or write to an output
    output = y[0]

vectors(application)
# ---- an index of a function
def application(x, output):
    output = ntl.exp[x]
#            ^^^^^^^^^^ error: TypeMismatchError: the function ntl.exp cannot be indexed

vectors(application)
# ---- an index of a tuple out of range
def application(x, output):
    output = x + x.shape[1]
#                ^^^^^^^^^^
# error: ShapeError: index 1 is out of range for a tuple of 1; count from 0

vectors(application)
# ---- an index of a tuple that only a run knows
def application(x, output):
    pair = (1, 2)
    for i in range(2):
        output = x + pair[i]
#                    ^^^^^^^
# error: TypeMismatchError: a tuple of 2 is indexed by integers that are known when compiling

vectors(application)
# ---- a level used as a value
def arrangement(x, output):
    return x.tile((32,)).tile((-1,)), output.tile((32,)).tile((-1,))

def application(x, output):
    output[0] = x.dtype
#   ^^^^^^^^^
# error: TypeMismatchError: the assigned value must be a number or a block, not a level of shape (32,)

make(arrangement, application, (Tensor(1), Tensor(1)))
# ---- an attribute of a level
def arrangement(x, output):
    return x.tile((32,)).tile((-1,)), output.tile((32,)).tile((-1,))

def application(x, output):
    output[0] = x.dtype.strides
#               ^^^^^^^^^^^^^^^
# error: UndefinedNameError: a level of shape (32,) has no attribute strides; a level has shape, dtype and ndim

make(arrangement, application, (Tensor(1), Tensor(1)))
# ---- a method of a level above the block
def arrangement(x, output):
    return x.tile((32,)).tile((-1,)), output.tile((32,)).tile((-1,))

def application(x, output):
    output[0] = x.to(ntl.float32)
#               ^^^^
# error: ShapeError: x has a level of shape (-(-x_size_0 // 32),) above its block; index it, as in x[i]

make(arrangement, application, (Tensor(1), Tensor(1)))
# ---- a store to a scalar
def application(x, scale):
    scale = x
#   ^^^^^
# error: TypeMismatchError: scale is a number, which is passed by value and cannot be assigned; use another name

make(lambda x, scale: (x.tile((16,)), scale), application, (Tensor(1), Tensor(0)))
# ---- a store to a constexpr
def application(x, scale):
    scale = 2
#   ^^^^^
# error: TypeMismatchError: scale is a parameter that is known when compiling and cannot be assigned; use another name
    x = x * scale

make(lambda x, scale: (x.tile((16,)), scale), application, (Tensor(1), Tensor(0, value=1)))
# ---- a number outside a block
def application(p, output):
    output = p[64]
#              ^^
# error: ShapeError: index 64 is out of range for the block of p, of size 64 in that dim; count from 0

vectors(application)
# ---- a number before a block
def application(p, output):
    output = p[-65]
#              ^^^
# error: ShapeError: index -65 is out of range for the block of p, of size 64 in that dim; count from 0

vectors(application)
# ---- a number outside a block, that is written
def application(p):
    p[64] = 1.0
#     ^^
# error: ShapeError: index 64 is out of range for the block of p, of size 64 in that dim; count from 0

vectors(application)
# ---- a number outside a block, that is added to
def application(p):
    p[64] += 1.0
#     ^^
# error: ShapeError: index 64 is out of range for the block of p, of size 64 in that dim; count from 0

vectors(application)
# ---- a number outside the second dim of a block
def application(p, output):
    output = p[0, 32]
#                 ^^
# error: ShapeError: index 32 is out of range for the block of p, of size 32 in that dim; count from 0

matrices(application)
# ---- a number outside a block of any size that the compiler chooses
def arrangement(p, output):
    return p.tile((block_size(upper_bound=128),)), output.tile((1,))

def application(p, output):
    output = p[128]
#              ^^^
# error: ShapeError: index 128 is out of range for the block of p, of size BLOCK_SIZE_0 in that dim; count from 0

make(arrangement, application, (Tensor(1), Tensor(1)))
# ---- a number outside what is computed
def application(p, output):
    output = (p * 2)[64]
#                    ^^
# error: ShapeError: index 64 is out of range for a block of shape (64,) of fp32, of size 64 in that dim; count from 0

vectors(application)
# ---- the size of a block as an index
def arrangement(p, output):
    return p.tile((block_size(),)), output.tile((1,))

def application(p, output):
    output = p[p.shape[0]]
#              ^^^^^^^^^^
# error: ShapeError: index BLOCK_SIZE_0 is out of range for the block of p, of size BLOCK_SIZE_0 in that dim; count from 0

make(arrangement, application, (Tensor(1), Tensor(1)))
# ---- a number outside a level
def arrangement(p, output):
    return p.tile((32,)).tile((4,)), output.tile((32,))

def application(p, output):
    output = p[4]
#              ^
# error: ShapeError: index 4 is out of range for a level of p, of size 4 in that dim; count from 0

make(arrangement, application, (Tensor(1), Tensor(1)))
# ---- a negative number of a level
def arrangement(p, output):
    return p.tile((32,)).tile((-1,)), output.tile((32,))

def application(p, output):
    output = p[-1]
#              ^^
# error: ShapeError: index -1 is out of range for a level of p, of size -(-p_size_0 // 32) in that dim; count from 0

make(arrangement, application, (Tensor(1), Tensor(1)))
# ---- a negative coordinate of a source
def application(p, output):
    output = p.source[-1]
#                     ^^
# error: ShapeError: index -1 is out of range for p.source, of size p_size_0 in that dim; count from 0

vectors(application)
# ---- a coordinate outside a source of a known shape
def application(p, output):
    output = p.source[10]
#                     ^^
# error: ShapeError: index 10 is out of range for p.source, of size 10 in that dim; count from 0

make(blocks, application, (Tensor(shape=(10,)), Tensor(1)))
# ---- a level without dims, not indexed
def arrangement(y):
    y = y.tile((4,)).tile((1,))
    y.dtype = y.dtype.squeeze(0)
    return (y,)

def application(y):
    y = 1.0
#   ^ error: ShapeError: y has a level of shape () above its block; index it, as in y[()]

make(arrangement, application, (Tensor(1),))
# ---- two indices below a level without dims
def arrangement(y):
    y = y.tile((4,)).tile((1,))
    y.dtype = y.dtype.squeeze(0)
    return (y,)

def application(y):
    y[0, 0] = 1.0
#   ^^^^^^^
# error: ShapeError: the block of y has 1 dim, of sizes (4,); give as many indices, or `:` for a whole dim, not 2

make(arrangement, application, (Tensor(1),))
# ---- an ellipsis for a level
def arrangement(x, output):
    return x.tile((32,)).tile((-1,)), output.tile((32,))

def application(x, output):
    output = x[...]
#            ^^^^^^
# error: ShapeError: x has a level of shape (-(-x_size_0 // 32),) above its block; index it, as in x[i]

make(arrangement, application, (Tensor(1), Tensor(1)))
# ---- an ellipsis for a source
def application(x, output):
    output = x.source[...]
#                     ^^^
# error: UnsupportedSyntaxError: a slice is not part of the language; arrange the tensor so that the program sees the slice

vectors(application)
# ---- two ellipses
def application(x, output):
    output[...] = x[..., ...]
#                 ^^^^^^^^^^^
# error: ShapeError: an index holds one `...`, not 2; write `:` for a whole dim

vectors(application)
# ---- an ellipsis and too many indices
def application(x, output):
    output = x[0, ..., 0]
#            ^^^^^^^^^^^^
# error: ShapeError: the block of x has 1 dim, of sizes (64,); give as many indices, or `:` for a whole dim, not 2

vectors(application)
# ---- a level of four dims above the block
def arrangement(x, output):
    return x.tile((1, 1, 1, 32)).tile((-1, -1, -1, -1)), output.tile((32,))

def application(x, output):
    output = x
#   ^^^^^^
# error: ShapeError: x has a level of shape (x_size_0, x_size_1, x_size_2, -(-x_size_3 // 32)) above its block; index it, as in x[i, j, k, l]

make(arrangement, application, (Tensor(4), Tensor(1)))
