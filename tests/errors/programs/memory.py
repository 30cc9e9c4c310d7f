# Coordinates, sources, pointers and atomics: what cannot be, and what to write instead.

# ---- a dim that the source does not have
def application(x, out):
    out = x.offsets(1)
#         ^^^^^^^^^^^^
# error: ShapeError: x.offsets: the source has 1 dim, and 1 is none of them; give one from -1 to 0

vectors(application)(*[torch.zeros(64) for _ in range(2)])
# ---- a dim that is not known
def application(x, out):
    out = x.offsets(x.offsets(0))
#         ^^^^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: x.offsets: the dim must be an integer that is known when compiling, not a block of shape (64,) of i32

vectors(application)(*[torch.zeros(64) for _ in range(2)])
# ---- a pointer that is a tensor
def application(x, out):
    out = ntl.load(x)
#         ^^^^^^^^^^^
# error: TypeMismatchError: ntl.load takes a pointer, not the tensor x; write x.source.data_ptr() + x.offsets()

vectors(application)(*[torch.zeros(64) for _ in range(2)])
# ---- a pointer that is a source
def application(x, out):
    out = ntl.load(x.source)
#         ^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: ntl.load takes a pointer, not the tensor x.source; write x.source.data_ptr()

vectors(application)(*[torch.zeros(64) for _ in range(2)])
# ---- a pointer that is a number
def application(x, out):
    out = ntl.load(3)
#         ^^^^^^^^^^^
# error: TypeMismatchError: ntl.load takes a pointer, not 3; take one from x.source.data_ptr()

vectors(application)(*[torch.zeros(64) for _ in range(2)])
# ---- other without a mask
def application(x, out):
    out = ntl.load(x.source.data_ptr() + x.offsets(), other=0)
#         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: ArgumentError: ntl.load: other is what masked lanes read; give a mask, too

vectors(application)(*[torch.zeros(64) for _ in range(2)])
# ---- arithmetic on what is a pointer
def application(x, out):
    out = x.source.data_ptr() * 2
#         ^^^^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: an operand must be a number or a block, not a pointer to fp32; read what it points to with ntl.load

vectors(application)(*[torch.zeros(64) for _ in range(2)])
# ---- a pointer moved by a float
def application(x, out):
    out = ntl.load(x.source.data_ptr() + 0.5)
#                  ^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: a pointer is moved by integers, not by a scalar of fp32; convert it with .to(ntl.int32)

vectors(application)(*[torch.zeros(64) for _ in range(2)])
# ---- a pointer added to a pointer
def application(x, out):
    out = x.source.data_ptr() + x.source.data_ptr()
#         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: `+` of a pointer to fp32 and a pointer to fp32: a pointer is moved by integers; write pointer + offset

vectors(application)(*[torch.zeros(64) for _ in range(2)])
# ---- a pointer taken from a number
def application(x, out):
    out = 1 - x.source.data_ptr()
#         ^^^^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: `-` of 1 and a pointer to fp32: a pointer is moved by integers; write pointer + offset

vectors(application)(*[torch.zeros(64) for _ in range(2)])
# ---- a pointer that is stored
def application(x, out):
    out = x.source.data_ptr()
#   ^^^
# error: TypeMismatchError: the assigned value must be a number or a block, not a pointer to fp32; read what it points to with ntl.load

vectors(application)(*[torch.zeros(64) for _ in range(2)])
# ---- bits of a float
def application(x, out):
    ntl.atomic_and(out.source.data_ptr(), 1)
# error: TypeMismatchError: ntl.atomic_and does not update fp32, only i32, u32, i64, u64; use a tensor of one of them

vectors(application)(*[torch.zeros(64) for _ in range(2)])
# ---- an order that does not exist
def application(x, out):
    ntl.atomic_add(out.source.data_ptr(), 1, sem="seq_cst")
# error: ArgumentError: ntl.atomic_add: sem is 'relaxed', 'acquire', 'release' or 'acq_rel', not 'seq_cst'

vectors(application)(*[torch.zeros(64) for _ in range(2)])
# ---- a scope that does not exist
def application(x, out):
    ntl.atomic_add(out.source.data_ptr(), 1, scope=3)
# error: ArgumentError: ntl.atomic_add: scope is 'gpu', 'cta' or 'sys', not 3

vectors(application)(*[torch.zeros(64) for _ in range(2)])
# ---- a block for one pointer
def application(x, out):
    ntl.atomic_add(out.source.data_ptr(), x)
# error: ShapeError: ntl.atomic_add: the pointer is one, and a block of shape (64,) of fp32 goes with it; add offsets to the pointer, or reduce the block

vectors(application)(*[torch.zeros(64) for _ in range(2)])
# ---- too many indices of a source
def application(x, out):
    out = x.source[0, x]
#         ^^^^^^^^^^^^^^
# error: ShapeError: x.source has 1 dim, of sizes (x_size_0,); give as many indices, not 2

vectors(application)(*[torch.zeros(64) for _ in range(2)])
# ---- an index of a source that is no integer
def application(x, out):
    out = x.source[x]
#                  ^
# error: TypeMismatchError: an index holds integers, not a block of shape (64,) of fp32; convert it with .to(ntl.int32)

vectors(application)(*[torch.zeros(64) for _ in range(2)])
# ---- a slice of a source
def application(x, out):
    out = x.source[:]
#                  ^
# error: UnsupportedSyntaxError: a slice is not part of the language; arrange the tensor so that the program sees the slice

vectors(application)(*[torch.zeros(64) for _ in range(2)])
# ---- a block for one element
def application(x, out):
    out.source[0] = x
#   ^^^^^^^^^^^^^
# error: ShapeError: a block of shape (64,) of fp32 cannot be assigned to the one element that out.source[…] is; reduce it, as in ntl.sum(x, 0), or index by blocks

vectors(application)(*[torch.zeros(64) for _ in range(2)])
# ---- what a source does not have
def application(x, out):
    out = x.source.size(0)
#         ^^^^^^^^^^^^^
# error: UndefinedNameError: the tensor x.source has no attribute size; a source has shape, ndim, dtype, strides, stride(dim) and data_ptr()

vectors(application)(*[torch.zeros(64) for _ in range(2)])
# ---- too many arguments of a method
def application(x, out):
    out = x.source.stride(0, 1)
#         ^^^^^^^^^^^^^^^^^^^^^ error: ArgumentError: x.source.stride(dim) takes 1 argument, not 2

vectors(application)(*[torch.zeros(64) for _ in range(2)])
# ---- an unknown argument of a method
def application(x, out):
    out = x.offsets(axis=0)
#         ^^^^^^^^^^^^^^^^^ error: ArgumentError: x.offsets(dim=None) has no argument axis

vectors(application)(*[torch.zeros(64) for _ in range(2)])
# ---- pointers beyond the tensor
def application(x, out):
    ntl.store(out.source.data_ptr() + out.offsets(0) + 10, x)
# error: ArgumentError: elements 10 to 73 of out are addressed, but it has 0 to 63; mask the lanes outside

vectors(application)(*[torch.zeros(64) for _ in range(2)])
# ---- a compare-and-swap without a power of two
def application(x, out):
    ntl.atomic_cas(out.source.data_ptr() + ntl.arange(0, 5), 0, 1)
# error: ShapeError: ntl.atomic_cas has no mask, and its block has the size 5; give it a size that is a power of two

vectors(application)(*[torch.zeros(64) for _ in range(2)])
# ---- offsets of a number
def application(x, n, out):
    out = x + n.offsets()
#             ^^^^^^^^^
# error: TypeMismatchError: n is a number, which is passed by value and has no offsets; use those of a tensor

make(lambda x, n, out: (x, n, out), application, (Tensor(1), Tensor(0), Tensor(1)))(
    torch.zeros(4), 1, torch.zeros(4)
)
# ---- the source of a number
def application(x, n, out):
    out = x + n.source.shape[0]
#             ^^^^^^^^
# error: TypeMismatchError: n is a number, which is passed by value and has no source; use it as it is

make(lambda x, n, out: (x, n, out), application, (Tensor(1), Tensor(0), Tensor(1)))(
    torch.zeros(4), 1, torch.zeros(4)
)
# ---- offsets of a level above the block
def arrangement(x, out):
    return x.tile((32,)).tile((-1,)), out.tile((32,)).tile((-1,))

def application(x, out):
    i = x.offsets(0)
#       ^^^^^^^^^^^^
# error: ShapeError: x has a level of shape (-(-x_size_0 // 32),) above its block; index it, as in x[i]

make(arrangement, application, (Tensor(1), Tensor(1)))
# ---- too few indices of a tensor that is not arranged
def application(x, out):
    out = x[0]
#         ^^^^
# error: ShapeError: x has 2 dims, of sizes (x_size_0, x_size_1); give as many indices, not 1

make(lambda x, out: (x, out), application, (Tensor(2), Tensor(2)))
# ---- a block that does not fit pointers
def application(x, out):
    ntl.store(out.source.data_ptr() + ntl.arange(0, 32), x)
# error: ShapeError: shapes (32,) and (64,) do not broadcast: 32 is not 64; make them equal, or one of them 1

vectors(application)(*[torch.zeros(64) for _ in range(2)])
# ---- a tensor that torch negates
def application(x, output):
    output = x

z = torch.ones(4, dtype=torch.complex64)
vectors(application)(z.conj().imag, torch.ones(4))
# error: ArgumentError: x is a view of numbers that torch negates when it reads them, as z.conj().imag is; pass x.resolve_neg()
