# Slices of symbolic tensors that are impossible, or that a call shows to be.

# ---- an index out of range
x = Tensor(shape=(4, 8))
x[:, 8]
# error: ArrangementError: index 8 is out of range for dim 1, of size 8; write one from -8 to 7
# ---- a negative index out of range
Tensor(shape=(4, 8))[-5]
# error: ArrangementError: index -5 is out of range for dim 0, of size 4; write one from -4 to 3
# ---- an index of an empty dim
Tensor(shape=(0,))[0]
# error: ArrangementError: index 0 is out of range for dim 0, of size 0; it has no elements
# ---- too many indices
Tensor(2, name="x")[0, :, 1]
# error: ArrangementError: 3 indices for a tensor of 2 dims, of sizes (x_size_0, x_size_1); leave the others out
# ---- an index of a scalar
Tensor(0)[0]
# error: ArrangementError: 1 index for a tensor of 0 dims, of sizes (); leave the others out
# ---- two Ellipses
Tensor(3)[..., 0, ...]
# error: ArrangementError: an index has one Ellipsis at most; write `:` for the dims
# ---- a boolean
Tensor(1)[True]
# error: ArrangementError: a tensor is indexed by integers, symbols, slices, None and Ellipsis, not True
# ---- a float
Tensor(1)[1.5]
# error: ArrangementError: a tensor is indexed by integers, symbols, slices, None and Ellipsis, not 1.5
# ---- a list
Tensor(1)[[0, 1]]
# error: ArrangementError: a tensor is indexed by integers, symbols, slices, None and Ellipsis, not [0, 1]
# ---- a string
Tensor(1)["rows"]
# error: ArrangementError: a tensor is indexed by integers, symbols, slices, None and Ellipsis, not 'rows'
# ---- a tensor
x = Tensor(1, name="x")
x[x]
# error: ArrangementError: a tensor is indexed by integers, symbols, slices, None and Ellipsis, not Tensor(x: (x_size_0))
# ---- a torch tensor
Tensor(1)[torch.tensor(1)]
# error: ArrangementError: a tensor is indexed by integers, symbols, slices, None and Ellipsis, not tensor(1)
# ---- a start that is no integer
Tensor(1)[1.5:]
# error: ArrangementError: the start of a slice must be an integer, not 1.5
# ---- a stop that is no integer
Tensor(1)[:"end"]
# error: ArrangementError: the stop of a slice must be an integer, not 'end'
# ---- a stop that is a boolean
Tensor(1)[:True]
# error: ArrangementError: the stop of a slice must be an integer, not True
# ---- a step that is no integer
Tensor(1)[::0.5]
# error: ArrangementError: the step of a slice must be an integer, not 0.5
# ---- a step of 0
Tensor(2)[:, ::0]
# error: ArrangementError: the step of dim 1 is 0; write 1 or -1
# ---- a step of unknown sign
step = Symbol("step")
Tensor(2)[:, ::step]
# error: ArrangementError: the sign of the step step in dim 1 is unknown; give its symbols bounds (lower_bound, upper_bound) that decide it
# ---- a step that may be 0 or less
step = Symbol("step", lower_bound=-1, upper_bound=3)
Tensor(1)[::step]
# error: ArrangementError: the sign of the step step in dim 0 is unknown; give its symbols bounds (lower_bound, upper_bound) that decide it
# ---- a slice that is proved to be too long
def arrangement(x, output):
    n = Symbol("n", lower_bound=0)
    return x[6 : 8 + n].tile((4,)), output.tile((4,))
#          ^^^^^^^^^^^^
# error: ArrangementError: slicing of x (kernel.py, line 3) needs n + 8 <= 4, which no call can give; write one that fits

def application(x, output):
    output = x

kernel = make(arrangement, application, (Tensor(shape=(4,)), Tensor(1)))
kernel()
# ---- a slice of a level
x = Tensor(2).tile((16, 32))
x.dtype = x.dtype[:, 32]
#         ^^^^^^^^^^^^^^
# error: ArrangementError: index 32 is out of range for dim 1, of size 32; write one from -32 to 31
# ---- a slice that a call shows to be too long
def arrangement(x, output):
    return x[:8].tile((4,)), output.tile((4,))

def application(x, output):
    output = x

kernel = make(arrangement, application, (Tensor(1), Tensor(1)))
kernel(torch.ones(5), torch.ones(8))
# error: ArgumentError: slicing of x (kernel.py, line 2) needs 8 <= x_size_0, but they are (8, 5)
# ---- an index that a call shows to be out of range
def arrangement(x, output):
    return x[3].tile((4,)), output.tile((4,))

def application(x, output):
    output = x

kernel = make(arrangement, application, (Tensor(2), Tensor(1)))
kernel(torch.ones(3, 8), torch.ones(8))
# error: ArgumentError: slicing of x (kernel.py, line 2) needs 4 <= x_size_0, but they are (4, 3)
# ---- a slice that a call shows to begin before the front
def arrangement(x, output):
    return x[-8:].tile((4,)), output.tile((4,))

def application(x, output):
    output = x

kernel = make(arrangement, application, (Tensor(1), Tensor(1)))
kernel(torch.ones(5), torch.ones(8))
# error: ArgumentError: slicing of x (kernel.py, line 2) needs 0 <= x_size_0 - 8, but they are (0, -3)
# ---- bounds that a call shows to cross
def arrangement(x, output):
    n = x.shape[0]
    return x[2 : n - 2].tile((4,)), output.tile((4,))

def application(x, output):
    output = x

kernel = make(arrangement, application, (Tensor(1), Tensor(1)))
kernel(torch.ones(3), torch.ones(8))
# error: ArgumentError: slicing of x (kernel.py, line 3) needs 0 <= x_size_0 - 4, but they are (0, -1)
# ---- a symbol that a call shows to be out of range
def arrangement(x, output):
    row = Symbol("row", constexpr=True)
    return x[row].tile((4,)), output.tile((4,))

def application(x, output):
    output = x

kernel = make(arrangement, application, (Tensor(2), Tensor(1)))
kernel(torch.ones(3, 8), torch.ones(8), row=5)
# error: ArgumentError: slicing of x (kernel.py, line 3) needs row + 1 <= x_size_0, but they are (6, 3)
