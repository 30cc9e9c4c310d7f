# Jagged tensors: what they are declared as, arranged as, and called with.

# ---- several sequences a program
def arrangement(x):
    return x.tile((2, 16))
#          ^^^^^^^^^^^^^^^
# error: ArrangementError: a program sees several sequences of x, which differ in length; tile dim 0 of a jagged tensor by 1, so that a program sees one sequence

def application(x):
    x = x + 1

make(arrangement, application, (Tensor(2, jagged_dim=1),))
# ---- a jagged dim turned round
x = Tensor(2, jagged_dim=1, name="x")
x[:, ::-1]
# error: ArrangementError: the jagged dim of x is sliced from its end, which is another in each sequence; slice it from the front, or turn blocks round with ntl.flip
# ---- the longest length as another size
def arrangement(x):
    return x.tile((1, 16, 16))

def application(x):
    x = x + 1

length = Symbol("LENGTH")
x = Tensor(shape=(None, length, length), jagged_dim=1)
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: ArrangementError: x has the size LENGTH of its jagged dim in another dim, too; leave the jagged dim out of the shape, so that it has a size of its own
make(arrangement, application, (x,))
# ---- the stride of the batch
def arrangement(x):
    return x.tile((1, 16))

def application(x):
    x = x + x.source.stride(0)
#           ^^^^^^^^^^^^^^^^^^
# error: ShapeError: x.source has no stride along dim 0, since its sequences differ in length; index it, as in p.source[i, j], or use p.offsets()

make(arrangement, application, (Tensor(2, jagged_dim=1),))
