# What meta-operations need of sizes that only a call knows.

# ---- a dilation that a call shows to be below zero
def arrangement(x, output):
    step = Symbol("step")
    return x.tile((4,), dilation=(step,)), output.tile((4,))

def application(x, output):
    output = x

kernel = make(arrangement, application, (Tensor(1), Tensor(1)))
kernel(torch.ones(16), torch.ones(16), step=-2)
# error: ArgumentError: tile of x (kernel.py, line 3) needs 1 <= step, but they are (1, -2)
# ---- a tile of half a dim that a call shows to have no elements
def arrangement(x, output):
    half = x.shape[0] // 2
    return x.tile((half,)), output.tile((half,))

def application(x, output):
    output = x

kernel = make(arrangement, application, (Tensor(1), Tensor(1)))
kernel(torch.ones(1), torch.ones(1))
# error: ArgumentError: tile of x (kernel.py, line 3) needs 1 <= x_size_0 // 2, but they are (1, 0)
# ---- a crop that a call shows to be too large
def arrangement(x, output):
    return x.pad(((-3, -3),)).tile((4,)), output.tile((4,))

def application(x, output):
    output = x

kernel = make(arrangement, application, (Tensor(1), Tensor(1)))
kernel(torch.ones(5), torch.ones(0))
# error: ArgumentError: pad of x (kernel.py, line 2) needs 0 <= x_size_0 - 6, but they are (0, -1)
# ---- an expansion that a call shows to be impossible, of a level
def arrangement(x, output):
    x = x.tile((1, 4))
    x.dtype = x.dtype.squeeze(0)
    x = x.expand((output.shape[0], -1)).flatten()
    return x, output.flatten().tile((4,))

def application(x, output):
    output = x

kernel = make(arrangement, application, (Tensor(2), Tensor(2)))
kernel(torch.ones(3, 4), torch.ones(2, 4))
# error: ArgumentError: expand of x (kernel.py, line 4) needs the size x_size_0 to be at most 1: it is (3,)
# ---- a symbol that a call shows to be no 1
def arrangement(x, output):
    block = Symbol("block", constexpr=True)
    x = x.tile((block, 16))
    x.dtype = x.dtype.squeeze(0)
    return x.squeeze(0), output.tile((16,))

def application(x, output):
    output = x

kernel = make(arrangement, application, (Tensor(2), Tensor(1)))
kernel(torch.ones(4, 16), torch.ones(16), block=4)
# error: ArgumentError: squeeze of x (kernel.py, line 4) needs the size block to be at most 1: it is (4,)
# ---- a tile that a call shows to have no elements
def arrangement(x, output):
    block = Symbol("block")
    return x.tile((block,)), output.tile((block,))

def application(x, output):
    output = x

kernel = make(arrangement, application, (Tensor(1), Tensor(1)))
kernel(torch.ones(16), torch.ones(16), block=0)
# error: ArgumentError: tile of x (kernel.py, line 3) needs 1 <= block, but they are (1, 0)
# ---- a stride that a call shows to be none
def arrangement(x, output):
    step = Symbol("step")
    return x.tile((4,), strides=(step,)), output.tile((4,))

def application(x, output):
    output = x

kernel = make(arrangement, application, (Tensor(1), Tensor(1)))
kernel(torch.ones(16), torch.ones(16), step=0)
# error: ArgumentError: tile of x (kernel.py, line 3) needs 1 <= step, but they are (1, 0)
# ---- squeezed dims, of which a call shows one to be empty and one too large
def arrangement(x, output):
    return x.squeeze((0, 1)).tile((4,)), output.tile((4,))

def application(x, output):
    output = x
#   ^^^^^^
# error: ArrangementError: output is written where x has no element, so that nothing defined is stored, whatever the sizes; declare what is read beyond the end, as in Tensor(3, other=0) for x

kernel = make(arrangement, application, (Tensor(3), Tensor(1)))
kernel(torch.ones(0, 2, 16), torch.ones(16))
# ---- a squeezed number of whole blocks, of which there are none in some configurations
def arrangement(x, output, block=block_size()):
    return x.tile((block,), floor_mode=True).squeeze(0), output.tile((-1,)).squeeze(0)

def application(x, output):
    output = ntl.sum(x) + output

kernel = make(arrangement, application, (Tensor(1), Tensor(1)))
kernel(torch.ones(3), torch.ones(1))
# error: ArgumentError: squeeze of x (kernel.py, line 2) needs the size x_size_0 // BLOCK_SIZE_0 to be 1: it is (0,)
