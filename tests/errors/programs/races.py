# Programs that write one element, where that is an error.

# ---- an output whose indices are one place
def application(x, output):
    output = x

vectors(application)(torch.ones(4), torch.zeros(1).expand(4))
# error: ArgumentError: output is written, but several of its indices are one place in memory, as of what .expand() and .unfold() return; pass a tensor with memory for each, for example a .clone() of it
# ---- an output of windows that overlap
def arrangement(x, output):
    return x.tile((2, 4)), output.tile((2, 4))

def application(x, output):
    output = x

make(arrangement, application, (Tensor(2), Tensor(2)))(torch.ones(4, 3), torch.zeros(6).unfold(0, 3, 1))
# error: ArgumentError: output is written, but several of its indices are one place in memory, as of what .expand() and .unfold() return; pass a tensor with memory for each, for example a .clone() of it
# ---- strict
def arrangement(x, y):
    return x.tile((4,), strides=(2,)), y.tile((4,), strides=(2,))

def application(x, y):
    y = x
#   ^
# error: RaceError: two programs write one element of y: element (2,), by programs (0,) and (1,), where y_size_0 = 5; give each its own elements, add with ntl.atomic_add, or declare Tensor(..., allow_races=True)

make(arrangement, application, (Tensor(1), Tensor(1)), strict=True)
# ---- all rows to one
def arrangement(x, y):
    return x.tile((1, 64)), y.tile((1, 64)).expand((x.shape[0], -1))

def application(x, y):
    y = x
#   ^
# error: RaceError: two programs write one element of y: element (0, 0), by programs (0, 0) and (1, 0), where y_size_0 = 1, y_size_1 = 2, x_size_0 = 3; give each its own elements, add with ntl.atomic_add, or declare Tensor(..., allow_races=True)

make(arrangement, application, (Tensor(2), Tensor(2)), strict=True)
# ---- by jit
@jit(strict=True)
def kernel(x: Tensor(1).tile((2,)), y: Tensor(1).tile((4,), strides=(2,))):
    y = ntl.sum(x)
#   ^
# error: RaceError: two programs write one element of y: element (2,), by programs (0,) and (1,), where y_size_0 = 5; give each its own elements, add with ntl.atomic_add, or declare Tensor(..., allow_races=True)
# ---- strict by the environment
def arrangement(x, y):
    return x.tile((4,), strides=(2,)), y.tile((4,), strides=(2,))

def application(x, y):
    y = x
#   ^
# error: RaceError: two programs write one element of y: element (2,), by programs (0,) and (1,), where y_size_0 = 5; give each its own elements, add with ntl.atomic_add, or declare Tensor(..., allow_races=True)

monkeypatch.setenv("NINETOOTHED_STRICT", "1")
make(arrangement, application, (Tensor(1), Tensor(1)))
