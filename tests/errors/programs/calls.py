# Calls of a kernel whose arguments do not fit.

# ---- too few arguments
def application(x, y, output):
    output = x + y

vectors(application)(torch.ones(4), torch.ones(4))
# error: ArgumentError: application(x, y, output) takes 3 arguments, but 2 were given; output is missing
# ---- no arguments
def application(x, y, output):
    output = x + y

vectors(application)()
# error: ArgumentError: application(x, y, output) takes 3 arguments, but 0 were given; x, y, output are missing
# ---- an argument that is missing beside keywords
def application(x, y, output):
    output = x + y

vectors(application)(torch.zeros(64), output=torch.zeros(64))
# error: ArgumentError: application(x, y, output) takes 3 arguments, but 2 were given; y is missing
# ---- too many arguments and a keyword
def application(x, output):
    output = x

vectors(application)(torch.zeros(64), torch.zeros(64), torch.zeros(64), output=torch.zeros(64))
# error: ArgumentError: application(x, output) takes 2 arguments, but 4 were given; leave the others out
# ---- a keyword of another name, where an argument is missing
def application(x, y, output):
    output = x + y

vectors(application)(torch.zeros(64), torch.zeros(64), outputs=torch.zeros(64))
# error: ArgumentError: application has no argument outputs; did you mean output?
# ---- too many arguments
def application(x, output):
    output = x

vectors(application)(torch.ones(4), torch.ones(4), torch.ones(4))
# error: ArgumentError: application(x, output) takes 2 arguments, but 3 were given; leave the others out
# ---- an argument given twice
def application(x, output):
    output = x

vectors(application)(torch.ones(4), torch.ones(4), x=torch.ones(4))
# error: ArgumentError: application(x, output) is given x twice, by position and by keyword
# ---- an unknown keyword
def application(x, output):
    output = x

vectors(application)(torch.ones(4), torch.ones(4), out=torch.ones(4))
# error: ArgumentError: application has no argument out; did you mean output?
# ---- an unknown keyword beside a constexpr
def arrangement(x, output, BLOCK_SIZE=Symbol("BLOCK_SIZE", constexpr=True)):
    return x.tile((BLOCK_SIZE,)), output.tile((BLOCK_SIZE,))

def application(x, output):
    output = x

make(arrangement, application, (Tensor(1), Tensor(1)))(torch.ones(4), torch.ones(4), BLOCKSIZE=4)
# error: ArgumentError: application has no argument BLOCKSIZE; did you mean BLOCK_SIZE?
# ---- a missing constexpr
def arrangement(x, output, BLOCK_SIZE=Symbol("BLOCK_SIZE", constexpr=True)):
    return x.tile((BLOCK_SIZE,)), output.tile((BLOCK_SIZE,))

def application(x, output):
    output = x

make(arrangement, application, (Tensor(1), Tensor(1)))(torch.ones(4), torch.ones(4))
# error: ArgumentError: application needs a value for BLOCK_SIZE; give it by keyword, as in BLOCK_SIZE=64
# ---- a constexpr given by position
def arrangement(x, output, BLOCK_SIZE=Symbol("BLOCK_SIZE", constexpr=True)):
    return x.tile((BLOCK_SIZE,)), output.tile((BLOCK_SIZE,))

def application(x, output):
    output = x

make(arrangement, application, (Tensor(1), Tensor(1)))(torch.ones(4), torch.ones(4), 64)
# error: ArgumentError: application(x, output) takes 2 arguments, but 3 were given; give BLOCK_SIZE by keyword
# ---- a constexpr that is a float
def arrangement(x, output, BLOCK_SIZE=Symbol("BLOCK_SIZE", constexpr=True)):
    return x.tile((BLOCK_SIZE,)), output.tile((BLOCK_SIZE,))

def application(x, output):
    output = x

make(arrangement, application, (Tensor(1), Tensor(1)))(torch.ones(4), torch.ones(4), BLOCK_SIZE=64.0)
# error: ArgumentError: BLOCK_SIZE must be an integer, not 64.0
# ---- a constexpr out of bounds
def arrangement(x, output, BLOCK_SIZE=Symbol("BLOCK_SIZE", constexpr=True)):
    return x.tile((BLOCK_SIZE,)), output.tile((BLOCK_SIZE,))
#          ^^^^^^^^^^^^^^^^^^^^^
# error: ArrangementError: tile: a tile of size 0; sizes are at least 1

def application(x, output):
    output = x

make(arrangement, application, (Tensor(1), Tensor(1)))(torch.ones(4), torch.ones(4), BLOCK_SIZE=0)
# ---- a meta symbol given by keyword
def arrangement(x, output, BLOCK_SIZE=Symbol("BLOCK_SIZE", meta=True)):
    return x.tile((BLOCK_SIZE,)), output.tile((BLOCK_SIZE,))

def application(x, output):
    output = x

make(arrangement, application, (Tensor(1), Tensor(1)))(torch.ones(4), torch.ones(4), BLOCK_SIZE=64)
# error: ArgumentError: BLOCK_SIZE is chosen by the compiler; leave it out, or declare Symbol('BLOCK_SIZE', constexpr=True) to give it
# ---- a wrong rank
def application(x, output):
    output = x

vectors(application)(torch.ones(4, 4), torch.ones(4))
# error: ArgumentError: x must have 1 dim, but its shape is (4, 4)
# ---- a number for a tensor
def application(x, output):
    output = x

vectors(application)(4.0, torch.ones(4))
# error: ArgumentError: x must be a torch tensor of 1 dim, not 4.0
# ---- a list for a tensor
def application(x, output):
    output = x

vectors(application)([1.0, 2.0], torch.ones(2))
# error: ArgumentError: x must be a torch tensor of 1 dim, not a list
# ---- None for a tensor
def application(x, output):
    output = x

vectors(application)(torch.ones(2), None)
# error: ArgumentError: output must be a torch tensor of 1 dim, not None
# ---- a NumPy array for a tensor
import numpy

def application(x, output):
    output = x

vectors(application)(numpy.ones(2), torch.ones(2))
# error: ArgumentError: x must be a torch tensor of 1 dim, not a numpy.ndarray
# ---- a symbolic tensor for a tensor
def application(x, output):
    output = x

vectors(application)(Tensor(1), torch.ones(2))
# error: ArgumentError: x must be a torch tensor of 1 dim, not a ninetoothed.tensor.Tensor
# ---- a tensor for a number
def application(x, scale, output):
    output = x * scale

make(lambda x, scale, output: (x.tile((16,)), scale, output.tile((16,))), application, (Tensor(1), Tensor(0), Tensor(1)))(
# error: ArgumentError: scale must be a number, or a tensor of no dims, not a tensor of shape (4,)
    torch.ones(4), torch.ones(4), torch.ones(4)
)
# ---- text for a number
def application(x, scale, output):
    output = x * scale

make(lambda x, scale, output: (x.tile((16,)), scale, output.tile((16,))), application, (Tensor(1), Tensor(0), Tensor(1)))(
# error: ArgumentError: scale must be a number, or a tensor of no dims, not '2'
    torch.ones(4), "2", torch.ones(4)
)
# ---- a number that is too large
def application(x, scale, output):
    output = x * scale

make(lambda x, scale, output: (x.tile((16,)), scale, output.tile((16,))), application, (Tensor(1), Tensor(0), Tensor(1)))(
# error: ArgumentError: scale: 1180591620717411303424 does not fit 64 bits; pass a smaller number
    torch.ones(4), 2**70, torch.ones(4)
)
# ---- complex elements
def application(x, output):
    output = x

vectors(application)(torch.ones(4, dtype=torch.complex64), torch.ones(4))
# error: ArgumentError: x has elements of torch.complex64, which no kernel can hold; convert it, for example with .to(torch.float32)
# ---- quantized elements
def application(x, output):
    output = x

vectors(application)(torch.ones(4).to_sparse(), torch.ones(4))
# error: ArgumentError: x has no strided memory (its layout is torch.sparse_coo); convert it, for example with .to_dense()
# ---- a declared size that does not fit
def arrangement(x, output):
    return x.tile((16,)), output.tile((16,))

def application(x, output):
    output = x

make(arrangement, application, (Tensor(shape=(64,)), Tensor(shape=(64,))))(torch.ones(4), torch.ones(4))
# error: ArgumentError: size 0 of x is 4; it must be 64
# ---- a shared size that does not fit
def arrangement(x, output):
    return x.tile((16,)), output.tile((16,))

def application(x, output):
    output = x

n = Symbol("n")
make(arrangement, application, (Tensor(shape=(n,)), Tensor(shape=(n,))))(torch.ones(4), torch.ones(8))
# error: ArgumentError: size 0 of output is 8; it must be n, here 4
# ---- a type that the application cannot take
def application(x, output):
    output = ntl.exp(x)
#            ^^^^^^^^^^
# error: TypeMismatchError: ntl.exp of a block of shape (64,) of fp16: it takes fp32 or fp64, not fp16; convert it first: ntl.cast(x, ntl.float32)

vectors(application)(torch.ones(4, dtype=torch.float16), torch.ones(4, dtype=torch.float16))
# ---- a type that a function of the application cannot take
def softplus(x):
    return ntl.log(1 + ntl.exp(x))
#                      ^^^^^^^^^^
# error: TypeMismatchError: ntl.exp of a block of shape (64,) of fp16: it takes fp32 or fp64, not fp16; convert it first: ntl.cast(x, ntl.float32)

def application(x, output):
    output = softplus(x)
#            ^^^^^^^^^^^ caller

kernel = vectors(application)
kernel(torch.ones(4, dtype=torch.float16), torch.ones(4, dtype=torch.float16))
# ---- best_config of wrong arguments
def application(x, output):
    output = x

vectors(application).best_config(torch.ones(4))
# error: ArgumentError: application(x, output) takes 2 arguments, but 1 was given; output is missing
# ---- outermost shapes that differ
def application(x, output):
    output = x

vectors(application)(torch.ones(100), torch.ones(200))
# error: ArgumentError: output is written, so its outermost level must have no more elements than there are programs, one an element of x: they are (4,) and (2,)
# ---- an integer type that the application cannot take
def application(x, output):
    output = x // 2
#            ^^^^^^
# error: TypeMismatchError: `//` of a block of shape (64,) of fp32 and 2: // takes integers, not fp32; write ntl.floor(x / y) for floats

kernel = vectors(application)
kernel(torch.ones(4, dtype=torch.int32), torch.ones(4, dtype=torch.int32))
kernel(torch.ones(4), torch.ones(4))
# ---- a meta tensor that is read
def application(x, output):
    output = x

vectors(application)(torch.ones(4, device="meta"), torch.ones(4))
# error: DeviceError: x is on the meta device, which holds no data, and the application reads or writes it; pass a tensor with data
# ---- a number for an arranged tensor of no dims
def application(x, scale, output):
    output = x * scale

kernel = make(lambda x, scale, output: (x.tile((16,)), scale.unsqueeze(0).tile((1,)), output.tile((16,))), application, (Tensor(1), Tensor(0), Tensor(1)))
kernel(torch.ones(4), torch.tensor(2.0), torch.ones(4))
kernel(torch.ones(4), 2.0, torch.ones(4))
# error: ArgumentError: scale must be a torch tensor of 0 dims, not 2.0; it is arranged, so that it lies in memory: pass torch.tensor(2.0), on the device of the others, or leave scale as it is in the arrangement
# ---- a value that contradicts what the arrangement decided
def arrangement(x, output, PADDING=Symbol("PADDING", constexpr=True)):
    if PADDING > 0:
#      ^^^^^^^^^^^
# error: ArrangementError: the arrangement took PADDING > 0 to be True by the bounds of its symbols, which is not known with PADDING=0; arrange without the condition, or declare other bounds (lower_bound, upper_bound) and make a kernel for each answer
        x = x.pad(((PADDING, PADDING),))
    return x.tile((16,)), output.tile((16,))

def application(x, output):
    output = x

kernel = make(arrangement, application, (Tensor(1, other=0), Tensor(1)))
kernel(torch.ones(4), torch.ones(8), PADDING=2)
kernel(torch.ones(4), torch.ones(4), PADDING=0)
# ---- a divisor outside its bounds
def arrangement(x, output, PARTS=Symbol("PARTS", constexpr=True)):
    return x.tile((64 // PARTS,)), output.tile((64 // PARTS,))
#          ^^^^^^^^^^^^^^^^^^^^^^
# error: ArrangementError: tile: 64 // PARTS is divided by 0 with PARTS=0; a divisor must be at least 1

def application(x, output):
    output = x

make(arrangement, application, (Tensor(1), Tensor(1)))(torch.ones(4), torch.ones(4), PARTS=0)
# ---- a block size divided by zero
def arrangement(x, output, PARTS=Symbol("PARTS", constexpr=True)):
    return x.tile((x.shape[0] // PARTS,)), output.tile((x.shape[0] // PARTS,))

def application(x, output):
    output = x

make(arrangement, application, (Tensor(1), Tensor(1)))(torch.ones(4), torch.ones(4), PARTS=0)
# error: ArgumentError: a block size is divided by zero with the values of this call: x_size_0 // PARTS; give others
