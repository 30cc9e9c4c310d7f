# What an arrangement returns: tensors, as many as the application takes, of one outermost shape.

# ---- nothing
def arrangement(x, output):
    x.tile((16,)), output.tile((16,))

def application(x, output):
    output = x

make(arrangement, application, (Tensor(1), Tensor(1)))
# error: ArrangementError: the arrangement returned None; return the arranged tensors, as in return x.tile((64,)), y.tile((64,))
# ---- something that is no tensor
def arrangement(x, output):
    return x.tile((16,)), 16

def application(x, output):
    output = x

make(arrangement, application, (Tensor(1), Tensor(1)))
# error: ArrangementError: the arrangement returned 16 at position 1; return arranged tensors only
# ---- a shape
def arrangement(x, output):
    return x.tile((16,)).shape

def application(x, output):
    output = x

make(arrangement, application, (Tensor(1, name="x"), Tensor(1)))
# error: ArrangementError: the arrangement returned (x_size_0 - 15 - 1 + 16 - 1) // 16 + 1 at position 0; return arranged tensors only
# ---- an inner level
def arrangement(x, output):
    return x.tile((16,)).dtype, output.tile((16,))

def application(x, output):
    output = x

make(arrangement, application, (Tensor(1, name="x"), Tensor(1)))
# error: ArrangementError: the arrangement returned an inner level of x; return the tensor itself
# ---- fewer tensors than the application takes
def arrangement(x, output):
    return x.tile((16,))

def application(x, output):
    output = x

make(arrangement, application, (Tensor(1), Tensor(1)))
# error: ArgumentError: the arrangement returned 1 tensor, but application(x, output) takes 2 parameters; make them as many
# ---- more tensors than the application takes
def arrangement(x, y, output):
    return x.tile((16,)), y.tile((16,)), output.tile((16,))

def application(x, output):
    output = x

make(arrangement, application, (Tensor(1), Tensor(1), Tensor(1)))
# error: ArgumentError: the arrangement returned 3 tensors, but application(x, output) takes 2 parameters; make them as many
# ---- the size of a tensor that is not returned
def arrangement(x, like, output):
    return x.expand(like.shape).tile((16,)), output.tile((16,))

def application(x, output):
    output = x

make(arrangement, application, (Tensor(1), Tensor(1, name="like"), Tensor(1)))
# error: ArrangementError: like_size_0 is the size of a tensor that the arrangement did not return, so nothing gives it a value; return that tensor too
# ---- an arrangement of fewer tensors than are given
def arrangement(x):
    return x.tile((16,))

def application(x):
    x = x + 1

make(arrangement, application, (Tensor(1), Tensor(1)))
# error: ArrangementError: arrangement(x) does not take what tensors holds, 2 objects: too many positional arguments
# ---- an arrangement of more tensors than are given
def arrangement(x, output):
    return x.tile((16,)), output.tile((16,))

def application(x, output):
    output = x

make(arrangement, application, (Tensor(1),))
# error: ArrangementError: arrangement(x, output) does not take what tensors holds, 1 object: missing a required argument: 'output'
# ---- an arrangement that is no function
def application(x, output):
    output = x

make("arrangement", application, (Tensor(1), Tensor(1)))
# error: ArrangementError: the arrangement must be a function, not 'arrangement'
# ---- one tensor instead of several
def arrangement(x):
    return x.tile((16,))

def application(x):
    x = x + 1

make(arrangement, application, Tensor(1))
# error: ArgumentError: tensors must be a tuple of what the arrangement takes; write (tensor,)
# ---- two symbols of one name with different options
def arrangement(x, output):
    return x.tile((Symbol("N", constexpr=True),)), output.tile((Symbol("N", meta=True),))

def application(x, output):
    output = x

make(arrangement, application, (Tensor(1), Tensor(1)))
# error: SymbolError: two symbols named N have different options; give one of them another name, or use one Symbol object for both
# ---- a symbol named as a parameter
def arrangement(x, output):
    return x.tile((Symbol("x", constexpr=True),)), output.tile((Symbol("x", constexpr=True),))

def application(x, output):
    output = x

kernel = make(arrangement, application, (Tensor(1), Tensor(1)))
#        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: SymbolError: the symbol x has the name of a parameter of the application, and both are given by keyword; rename one
kernel(torch.ones(4), torch.ones(4), x=3)
# ---- more elements that are written than programs
def arrangement(x, output):
    return x.tile((16,)), output.tile((16,))
#                         ^^^^^^^^^^^^^^^^^^
# error: ArrangementError: output is written, and its outermost level has more elements than there are programs, one an element of x: their outermost shapes are (16,) and (8,); tile, expand or squeeze until they are equal, or return output first

def application(x, output):
    output = x

make(arrangement, application, (Tensor(shape=(128,)), Tensor(shape=(256,))))
# ---- fewer elements than programs, of a strict kernel
def arrangement(x, output):
    return x.tile((16,)), output.tile((16,))
#                         ^^^^^^^^^^^^^^^^^^
# error: ArrangementError: the outermost level of output has fewer elements than there are programs, one an element of x: their outermost shapes are (8,) and (16,); programs without an element write nothing; tile, expand or squeeze until they are equal

def application(x, output):
    output = x

make(arrangement, application, (Tensor(shape=(256,)), Tensor(shape=(128,))), strict=True)
# ---- more elements that are read than programs, of a strict kernel
def arrangement(output, x):
    return output.tile((16,)), x.tile((16,))
#                              ^^^^^^^^^^^^^
# error: ArrangementError: the outermost level of x has more elements than there are programs, one an element of output: their outermost shapes are (16,) and (8,); elements without a program are not reached; tile, expand or squeeze until they are equal

def application(output, x):
    output = x

make(arrangement, application, (Tensor(shape=(128,)), Tensor(shape=(256,))), strict=True)
# ---- outermost shapes that a call shows to differ
def arrangement(x, output):
    return x.tile((16,)), output.tile((16,))

def application(x, output):
    output = x

kernel = make(arrangement, application, (Tensor(1), Tensor(1)))
kernel(torch.ones(100), torch.ones(200))
# error: ArgumentError: output is written, so its outermost level must have no more elements than there are programs, one an element of x: they are (13,) and (7,)
# ---- block sizes that a call shows to differ
def arrangement(x, output, BLOCK=Symbol("BLOCK", constexpr=True)):
    return x.tile((BLOCK,)), output.tile((32,))

def application(x, output):
    output = x

kernel = make(arrangement, application, (Tensor(1), Tensor(1)))
kernel(torch.ones(100), torch.ones(100), BLOCK=16)
# error: ArgumentError: in `output = x` the sizes BLOCK and 32 must be equal: they are (16,) and (32,)
# ---- an expanded dim that a call shows not to be 1
def arrangement(x, output):
    return x.expand(output.shape).tile((16,)), output.tile((16,))

def application(x, output):
    output = x

kernel = make(arrangement, application, (Tensor(1), Tensor(1)))
kernel(torch.ones(2), torch.ones(100))
# error: ArgumentError: expand of x (kernel.py, line 2) needs the size x_size_0 to be at most 1: it is (2,)
# ---- a squeezed dim that a call shows not to be 1
def arrangement(x, output):
    return x.squeeze(1).tile((16,)), output.tile((16,))

def application(x, output):
    output = x

kernel = make(arrangement, application, (Tensor(2), Tensor(1)))
kernel(torch.ones(100, 2), torch.ones(100))
# error: ArgumentError: squeeze of x (kernel.py, line 2) needs the size x_size_1 to be at most 1: it is (2,)
# ---- a block whose size a call and the compiler give together
def arrangement(x, output):
    x = x.tile((block_size(),)).tile((-1,))
    x.dtype = x.dtype.ravel()
#             ^^^^^^^^^^^^^^^
# error: ArrangementError: the blocks of x have the size -(-x_size_0 // BLOCK_SIZE_0), of sizes that a call gives and of BLOCK_SIZE_0, which the compiler chooses; tile by one of them, and go through tiles in a loop
    return x, output.tile((1,))

def application(x, output):
    output = ntl.sum(x)

make(arrangement, application, (Tensor(1), Tensor(1)))
