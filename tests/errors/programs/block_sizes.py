# Block sizes that the compiler chooses, beside sizes that are not equal for all its choices.

# ---- coordinates of two dims, which have one dim each
def arrangement(x, output):
    tile = block_size(), block_size()
    return x.tile(tile), output.tile(tile)

def application(x, output):
    output = ntl.where(x.offsets(1) >= x.offsets(0), x, 0)
#                      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: ShapeError: the sizes BLOCK_SIZE_0 and BLOCK_SIZE_1 must be equal whatever block sizes are chosen, and are 32 and 64 with BLOCK_SIZE_0 = 32 and BLOCK_SIZE_1 = 64; give both one size, as by one block_size() symbol or by x.shape, or set their dims apart, as in x[:, None]

make(arrangement, application, (Tensor(2), Tensor(2)))
# ---- two block sizes in arithmetic
def arrangement(x, y, output):
    BLOCK, OTHER = Symbol("BLOCK", meta=True), Symbol("OTHER", meta=True)
    return x.tile((BLOCK,)), y.tile((OTHER,)), output.tile((BLOCK,))

def application(x, y, output):
    output = x * y
#            ^^^^^
# error: ShapeError: the sizes OTHER and BLOCK must be equal whatever block sizes are chosen, and are 32 and 64 with OTHER = 32 and BLOCK = 64; give both one size, as by one block_size() symbol or by x.shape, or set their dims apart, as in x[:, None]

make(arrangement, application, (Tensor(1), Tensor(1), Tensor(1)))
# ---- two block sizes in an augmented assignment
def arrangement(x, output):
    return x.tile((block_size(),)), output.tile((block_size(),))

def application(x, output):
    output += x
# error: ShapeError: the sizes BLOCK_SIZE_0 and BLOCK_SIZE_1 must be equal whatever block sizes are chosen, and are 32 and 64 with BLOCK_SIZE_0 = 32 and BLOCK_SIZE_1 = 64; give both one size, as by one block_size() symbol or by x.shape, or set their dims apart, as in x[:, None]

make(arrangement, application, (Tensor(1), Tensor(1)))
# ---- a store to blocks of another size
def arrangement(x, output):
    return x.tile((block_size(),)), output.tile((block_size(),))

def application(x, output):
    output = x
#   ^^^^^^
# error: ShapeError: the sizes BLOCK_SIZE_0 and BLOCK_SIZE_1 must be equal whatever block sizes are chosen, and are 32 and 64 with BLOCK_SIZE_0 = 32 and BLOCK_SIZE_1 = 64; give both one size, as by one block_size() symbol or by x.shape, or set their dims apart, as in x[:, None]

make(arrangement, application, (Tensor(1), Tensor(1)))
# ---- two block sizes in where
def arrangement(x, y, output):
    BLOCK = block_size()
    return x.tile((BLOCK,)), y.tile((block_size(),)), output.tile((BLOCK,))

def application(x, y, output):
    output = ntl.where(x > 0, x, y)
#            ^^^^^^^^^^^^^^^^^^^^^^
# error: ShapeError: the sizes BLOCK_SIZE_1 and BLOCK_SIZE_0 must be equal whatever block sizes are chosen, and are 32 and 64 with BLOCK_SIZE_1 = 32 and BLOCK_SIZE_0 = 64; give both one size, as by one block_size() symbol or by x.shape, or set their dims apart, as in x[:, None]

make(arrangement, application, (Tensor(1), Tensor(1), Tensor(1)))
# ---- a number beside a block size
def arrangement(x, output):
    BLOCK = block_size()
    return x.tile((BLOCK,)), output.tile((BLOCK,))

def application(x, output):
    output = x + ntl.arange(0, 64)
#            ^^^^^^^^^^^^^^^^^^^^^
# error: ShapeError: the sizes 64 and BLOCK_SIZE_0 must be equal whatever block sizes are chosen, and are 64 and 32 with BLOCK_SIZE_0 = 32; give both one size, as by one block_size() symbol or by x.shape, or set their dims apart, as in x[:, None]

make(arrangement, application, (Tensor(1), Tensor(1)))
# ---- a tile of a number beside a block size
def arrangement(x, output):
    return x.tile((64,)), output.tile((block_size(),))

def application(x, output):
    output = x
#   ^^^^^^
# error: ShapeError: the sizes 64 and BLOCK_SIZE_0 must be equal whatever block sizes are chosen, and are 64 and 32 with BLOCK_SIZE_0 = 32; give both one size, as by one block_size() symbol or by x.shape, or set their dims apart, as in x[:, None]

make(arrangement, application, (Tensor(1), Tensor(1)))
# ---- a constexpr beside a block size
def arrangement(x, output, BLOCK=Symbol("BLOCK", constexpr=True)):
    return x.tile((BLOCK,)), output.tile((block_size(),))

def application(x, output):
    output = x
#   ^^^^^^
# error: ShapeError: the sizes BLOCK and BLOCK_SIZE_0 must be equal whatever block sizes are chosen, and no choice of BLOCK_SIZE_0 makes them so in every call; give both one size, as by one block_size() symbol or by x.shape, or set their dims apart, as in x[:, None]

make(arrangement, application, (Tensor(1), Tensor(1)))
# ---- a size of the call beside a block size
def arrangement(x, bias, output):
    BLOCK = block_size()
    return x.tile((BLOCK,)), bias.tile((-1,)).expand(x.tile((BLOCK,)).shape), output.tile((BLOCK,))

def application(x, bias, output):
    output = x + bias
#            ^^^^^^^^
# error: ShapeError: the sizes bias_size_0 and BLOCK_SIZE_0 must be equal whatever block sizes are chosen, and no choice of BLOCK_SIZE_0 makes them so in every call; give both one size, as by one block_size() symbol or by x.shape, or set their dims apart, as in x[:, None]

make(arrangement, application, (Tensor(1), Tensor(1), Tensor(1)))
# ---- a block size beside its double
def arrangement(x, output):
    BLOCK = block_size()
    return x.tile((BLOCK,)), output.tile((2 * BLOCK,))

def application(x, output):
    output = x
#   ^^^^^^
# error: ShapeError: the sizes BLOCK_SIZE_0 and BLOCK_SIZE_0 * 2 must be equal whatever block sizes are chosen, and are 32 and 64 with BLOCK_SIZE_0 = 32; give both one size, as by one block_size() symbol or by x.shape, or set their dims apart, as in x[:, None]

make(arrangement, application, (Tensor(1), Tensor(1)))
# ---- halves that are not a block for all of its sizes
def arrangement(x, output):
    BLOCK = block_size(lower_bound=1)
    return x.tile((BLOCK,)), output.tile((BLOCK,))

def application(x, output):
    output = ntl.ravel(ntl.reshape(x, (x.shape[0] // 2, 2))) + x
#                      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: ShapeError: the sizes BLOCK_SIZE_0 and BLOCK_SIZE_0 // 2 * 2 must be equal whatever block sizes are chosen, and are 1 and 0 with BLOCK_SIZE_0 = 1; give both one size, as by one block_size() symbol or by x.shape, or set their dims apart, as in x[:, None]

make(arrangement, application, (Tensor(1), Tensor(1)))
# ---- two block sizes along the K of a dot
def arrangement(x, y, output):
    M, N = block_size(), block_size()
    return x.tile((M, block_size())), y.tile((block_size(), N)), output.tile((M, N))

def application(x, y, output):
    output = ntl.dot(x, y)
#            ^^^^^^^^^^^^^
# error: ShapeError: the sizes BLOCK_SIZE_2 and BLOCK_SIZE_1 must be equal whatever block sizes are chosen, and are 32 and 64 with BLOCK_SIZE_2 = 32 and BLOCK_SIZE_1 = 64; give both one size, as by one block_size() symbol or by x.shape, or set their dims apart, as in x[:, None]

make(arrangement, application, (Tensor(2), Tensor(2), Tensor(2)))
# ---- an accumulator of another block size than the dot's
def arrangement(x, y, output):
    M, N, K = block_size(), block_size(), block_size()
    return x.tile((M, K)), y.tile((K, N)), output.tile((N, M))

def application(x, y, output):
    output = ntl.dot(x, y, acc=ntl.zeros(output.shape, ntl.float32))
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: ShapeError: the sizes BLOCK_SIZE_2 and BLOCK_SIZE_0 must be equal whatever block sizes are chosen, and are 32 and 64 with BLOCK_SIZE_2 = 32 and BLOCK_SIZE_0 = 64; give both one size, as by one block_size() symbol or by x.shape, or set their dims apart, as in x[:, None]

make(arrangement, application, (Tensor(2), Tensor(2), Tensor(2)))
# ---- blocks of two sizes joined
def arrangement(x, y, output):
    BLOCK = block_size()
    return x.tile((BLOCK,)), y.tile((block_size(),)), output.tile((BLOCK,))

def application(x, y, output):
    output = ntl.sum(ntl.join(x, y), 1)
#                    ^^^^^^^^^^^^^^
# error: ShapeError: the sizes BLOCK_SIZE_1 and BLOCK_SIZE_0 must be equal whatever block sizes are chosen, and are 32 and 64 with BLOCK_SIZE_1 = 32 and BLOCK_SIZE_0 = 64; give both one size, as by one block_size() symbol or by x.shape, or set their dims apart, as in x[:, None]

make(arrangement, application, (Tensor(1), Tensor(1), Tensor(1)))
# ---- blocks of two sizes concatenated
def arrangement(x, y, output):
    BLOCK = block_size()
    return x.tile((BLOCK,)), y.tile((block_size(),)), output.tile((2 * BLOCK,))

def application(x, y, output):
    output = ntl.cat(x, y)
#            ^^^^^^^^^^^^^
# error: ShapeError: the sizes BLOCK_SIZE_1 and BLOCK_SIZE_0 must be equal whatever block sizes are chosen, and are 32 and 64 with BLOCK_SIZE_1 = 32 and BLOCK_SIZE_0 = 64; give both one size, as by one block_size() symbol or by x.shape, or set their dims apart, as in x[:, None]

make(arrangement, application, (Tensor(1), Tensor(1), Tensor(1)))
# ---- a number of lanes that is another one
def arrangement(x, output):
    BLOCK = block_size()
    return x.tile((BLOCK,)), output.tile((BLOCK,))

def application(x, output):
    output = ntl.sum(ntl.reshape(x, (16, 16)))
#                    ^^^^^^^^^^^^^^^^^^^^^^^^
# error: ShapeError: the sizes BLOCK_SIZE_0 and 256 must be equal whatever block sizes are chosen, and are 32 and 256 with BLOCK_SIZE_0 = 32; give both one size, as by one block_size() symbol or by x.shape, or set their dims apart, as in x[:, None]

make(arrangement, application, (Tensor(1), Tensor(1)))
# ---- a mask of another size than the pointers
def arrangement(x, output):
    BLOCK = block_size()
    return x.tile((BLOCK,)), output.tile((BLOCK,))

def application(x, output):
    output = ntl.load(x.source.data_ptr() + x.offsets(), mask=ntl.arange(0, 32) < 8)
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: ShapeError: the sizes 32 and BLOCK_SIZE_0 must be equal whatever block sizes are chosen, and are 32 and 64 with BLOCK_SIZE_0 = 64; give both one size, as by one block_size() symbol or by x.shape, or set their dims apart, as in x[:, None]

make(arrangement, application, (Tensor(1), Tensor(1)))
# ---- values of two sizes scattered
def arrangement(x, output):
    return x.tile((block_size(),)), output.tile((-1,))

def application(x, output):
    output[ntl.arange(0, 32)] = x
#   ^^^^^^^^^^^^^^^^^^^^^^^^^
# error: ShapeError: the sizes BLOCK_SIZE_0 and 32 must be equal whatever block sizes are chosen, and are 64 and 32 with BLOCK_SIZE_0 = 64; give both one size, as by one block_size() symbol or by x.shape, or set their dims apart, as in x[:, None]

make(arrangement, application, (Tensor(1), Tensor(1)))
# ---- indices that are gathered beside other dims
def arrangement(x, index, output):
    M, N = block_size(), block_size()
    return x.tile((M, N)), index.tile((block_size(), N)), output.tile((M, N))

def application(x, index, output):
    output = ntl.gather(x, index.to(ntl.int32), 1)
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: ShapeError: the sizes BLOCK_SIZE_2 and BLOCK_SIZE_0 must be equal whatever block sizes are chosen, and are 32 and 64 with BLOCK_SIZE_2 = 32 and BLOCK_SIZE_0 = 64; give both one size, as by one block_size() symbol or by x.shape, or set their dims apart, as in x[:, None]

make(arrangement, application, (Tensor(2), Tensor(2, dtype="i32"), Tensor(2)))
# ---- branches with blocks of two sizes
def arrangement(x, y, output):
    BLOCK = block_size()
    return x.tile((BLOCK,)), y.tile((block_size(),)), output.tile((BLOCK,))

def application(x, y, output):
    if ntl.program_id(0) == 0:
        value = x
    else:
        value = y
#       ^^^^^
# error: ShapeError: value is a block of shape (BLOCK_SIZE_0,) in one branch and a block of shape (BLOCK_SIZE_1,) in the other; give both one shape, as in ntl.full(x.shape, 0, x.dtype)
    output = value

make(arrangement, application, (Tensor(1), Tensor(1), Tensor(1)))
# ---- sides of a conditional expression of two sizes
def arrangement(x, y, output):
    BLOCK = block_size()
    return x.tile((BLOCK,)), y.tile((block_size(),)), output.tile((BLOCK,))

def application(x, y, output):
    output = x if ntl.program_id(0) == 0 else y
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: ShapeError: the sizes BLOCK_SIZE_1 and BLOCK_SIZE_0 must be equal whatever block sizes are chosen, and are 32 and 64 with BLOCK_SIZE_1 = 32 and BLOCK_SIZE_0 = 64; give both one size, as by one block_size() symbol or by x.shape, or set their dims apart, as in x[:, None]

make(arrangement, application, (Tensor(1), Tensor(1), Tensor(1)))
# ---- a variable that becomes a block of another size in a loop
def arrangement(x, y, output):
    BLOCK = block_size()
    return x.tile((BLOCK,)), y.tile((block_size(),)), output.tile((BLOCK,))

def application(x, y, output):
    value = x
    for i in range(3):
        value = y
#       ^^^^^
# error: ShapeError: value is a block of shape (BLOCK_SIZE_0,) before the loop and a block of shape (BLOCK_SIZE_1,) behind its body; give it its last shape before the loop, as in ntl.zeros(x.shape, x.dtype)
    output = value

make(arrangement, application, (Tensor(1), Tensor(1), Tensor(1)))
# ---- a number that is right for the smallest block only, on which the application is specialized
def arrangement(x, output):
    BLOCK = block_size()
    return x.tile((BLOCK,)), output.tile((BLOCK,))

def application(x, output):
    if x.shape[0] >= 32:
        output = x + ntl.arange(0, 32)
#                ^^^^^^^^^^^^^^^^^^^^^
# error: ShapeError: the sizes 32 and BLOCK_SIZE_0 must be equal whatever block sizes are chosen, and are 32 and 64 with BLOCK_SIZE_0 = 64; give both one size, as by one block_size() symbol or by x.shape, or set their dims apart, as in x[:, None]
    else:
        output = x

make(arrangement, application, (Tensor(1), Tensor(1)))
# ---- a number where a branch of other block sizes needs another one
def arrangement(x, y, output):
    BLOCK = block_size()
    return x.tile((BLOCK,)), y.tile((block_size(),)), output.tile((BLOCK,))

def application(x, y, output):
    if x.shape[0] > 32:
        if y.shape[0] > 32:
            output = ntl.zeros((128,), ntl.float32)
#           ^^^^^^
# error: ShapeError: the sizes 128 and BLOCK_SIZE_0 must be equal whatever block sizes are chosen, and are 128 and 64 with BLOCK_SIZE_0 = 64; give both one size, as by one block_size() symbol or by x.shape, or set their dims apart, as in x[:, None]
    else:
        output = x + ntl.sum(y)

make(arrangement, application, (Tensor(1), Tensor(1), Tensor(1)))
