# What moves lanes: shapes that do not fit, dims that are not there.

# ---- a reshape to other lanes
def application(x, output):
    output = ntl.reshape(x, 32, 3)
#            ^^^^^^^^^^^^^^^^^^^^^
# error: ShapeError: ntl.reshape: a block of shape (64,) cannot become (32, 3): it has 64 lanes, not 96; give sizes with that product

vectors(application)
# ---- a reshape of a method
def application(x, output):
    output = x.reshape((8, 9))
#            ^^^^^^^^^^^^^^^^^
# error: ShapeError: ntl.reshape: a block of shape (64,) cannot become (8, 9): it has 64 lanes, not 72; give sizes with that product

vectors(application)
# ---- a view to other lanes
def application(x, output):
    output = ntl.view(x, 32, 3)
#            ^^^^^^^^^^^^^^^^^^
# error: ShapeError: ntl.view: a block of shape (64,) cannot become (32, 3): it has 64 lanes, not 96; give sizes with that product

vectors(application)
# ---- a reshape to what is no size
def application(x, output):
    output = x.reshape(x)
#            ^^^^^^^^^^^^
# error: ShapeError: ntl.reshape: a shape holds sizes that are known when compiling, as in (64,) and x.shape; not (the tensor x)

vectors(application)
# ---- a reshape with two sizes left out
def application(x, output):
    output = x.reshape(-1, -1)
#            ^^^^^^^^^^^^^^^^^ error: ShapeError: ntl.reshape: one size may be -1, not 2; give them

vectors(application)
# ---- a reshape whose size is not whole
def application(x, output):
    output = x.reshape(3, -1)
#            ^^^^^^^^^^^^^^^^
# error: ShapeError: ntl.reshape: a block of shape (64,) has 64 lanes, which is no multiple of 3; give the size that is -1

vectors(application)
# ---- a reshape of a scalar
def application(x, output):
    output = ntl.sum(x).reshape(2)
#            ^^^^^^^^^^^^^^^^^^^^^
# error: ShapeError: ntl.reshape: a scalar is one lane and cannot become a block of shape (2,); write ntl.broadcast_to(x, shape)

vectors(application)
# ---- a reshape to a scalar
def application(x, output):
    output = x.reshape(())
#            ^^^^^^^^^^^^^
# error: ShapeError: ntl.reshape: a block of shape (64,) cannot become (): it has 64 lanes, not 1; give sizes with that product

vectors(application)
# ---- an argument of a reshape by position
def application(x, output):
    output = ntl.reshape(x, (64,), True)
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: ShapeError: ntl.reshape: a shape holds sizes that are known when compiling, as in (64,) and x.shape; not (a tuple of 1, True)

vectors(application)
# ---- a permutation of too few dims
def application(x, output):
    output = x.permute(0)
#            ^^^^^^^^^^^^
# error: ShapeError: ntl.permute: 1 dim for a block of shape (16, 32) of fp32; name each of its 2 dims once

matrices(application)
# ---- a permutation with a dim twice
def application(x, output):
    output = x.permute(0, 0)
#            ^^^^^^^^^^^^^^^
# error: ShapeError: ntl.permute: dim 0 is named twice; name each dim once

matrices(application)
# ---- a permutation of a dim that is not there
def application(x, output):
    output = x.permute(0, 2)
#            ^^^^^^^^^^^^^^^
# error: ShapeError: ntl.permute: axis 2 is out of range; give one from -2 to 1

matrices(application)
# ---- a permutation by what is computed
def application(x, output):
    output = ntl.permute(x, x, 0)
#            ^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: ntl.permute: axis must be an integer that is known when compiling, not the tensor x

matrices(application)
# ---- a transposition of one dim
def application(x, output):
    output = x.trans()
#            ^^^^^^^^^
# error: ShapeError: a block of shape (64,) of fp32 has no two dims to swap; give it another, as in ntl.expand_dims(x, 0)

vectors(application)
# ---- an axis inserted twice
def application(x, output):
    output = ntl.expand_dims(x, (0, -3))
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: ShapeError: ntl.expand_dims: axis 0 is named twice; name each axis once

vectors(application)
# ---- a dim squeezed that is not 1
def application(x, output):
    output = ntl.squeeze(x, 1)
#            ^^^^^^^^^^^^^^^^^
# error: ShapeError: ntl.squeeze: dim 1 of a block of shape (16, 32) of fp32 has size 32, and only one of size 1 is removed; reduce it, as in ntl.sum(x, dim)

matrices(application)
# ---- a dim squeezed that is not there
def application(x, output):
    output = ntl.squeeze(x, 2)
#            ^^^^^^^^^^^^^^^^^
# error: ShapeError: ntl.squeeze: axis 2 is out of range; give one from -2 to 1

matrices(application)
# ---- cat of two shapes
def application(x, output):
    output = ntl.cat(x, x.T)
#            ^^^^^^^^^^^^^^^
# error: ShapeError: ntl.cat takes two blocks of one shape, not (16, 32) and (32, 16); cut or fill one before

matrices(application)
# ---- cat of two ranks
def application(x, output):
    output = ntl.cat(x, ntl.sum(x, 0))
#            ^^^^^^^^^^^^^^^^^^^^^^^^^
# error: ShapeError: ntl.cat takes two blocks of one shape, not (16, 32) and (32,); cut or fill one before

matrices(application)
# ---- cat of two types
def application(x, output):
    output = ntl.cat(x, x.to(ntl.float16))
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: ntl.cat takes two blocks of one element type, not a block of shape (64,) of fp32 and a block of shape (64,) of fp16; convert one with .to(dtype)

vectors(application, "fp32", "fp32")
# ---- join of shapes that do not broadcast
def application(x, output):
    output = ntl.join(x, x.T)
#            ^^^^^^^^^^^^^^^^
# error: ShapeError: shapes (16, 32) and (32, 16) do not broadcast: 16 is not 32; make them equal, or one of them 1

matrices(application)
# ---- join of two types
def application(x, output):
    output = ntl.join(x, 1)
#            ^^^^^^^^^^^^^^
# error: TypeMismatchError: ntl.join takes two blocks of one element type, not a block of shape (64,) of fp32 and a scalar of i32; convert one with .to(dtype)

vectors(application, "fp32", "fp32")
# ---- a split of a last dim that is not 2
def application(x, output):
    output = ntl.split(x)[0]
#            ^^^^^^^^^^^^
# error: ShapeError: ntl.split takes a block whose last dim has size 2, not a block of shape (64,) of fp32; reshape it before, as in x.reshape(4, 8, 2)

vectors(application)
# ---- a split of a scalar
def application(x, output):
    output = ntl.split(ntl.sum(x))[0]
#            ^^^^^^^^^^^^^^^^^^^^^
# error: ShapeError: ntl.split takes a block whose last dim has size 2, not a scalar of fp32; reshape it before, as in x.reshape(4, 8, 2)

vectors(application)
# ---- interleave of shapes that do not broadcast
def application(x, output):
    output = ntl.interleave(x, x.T)
#            ^^^^^^^^^^^^^^^^^^^^^^
# error: ShapeError: shapes (16, 32) and (32, 16) do not broadcast: 16 is not 32; make them equal, or one of them 1

matrices(application)
# ---- a flip of a scalar
def application(x, output):
    output = ntl.flip(ntl.sum(x))
#            ^^^^^^^^^^^^^^^^^^^^
# error: ShapeError: ntl.flip reverses a block, not a scalar of fp32; leave it out

vectors(application)
# ---- gather without integers
def application(x, output):
    output = x.gather(x, 0)
#            ^^^^^^^^^^^^^^
# error: TypeMismatchError: ntl.gather: the index holds integers, not a block of shape (64,) of fp32; convert it with .to(ntl.int32)

vectors(application, "fp32", "fp32")
# ---- gather of another rank
def application(x, output):
    output = x.gather(ntl.arange(0, 16), 0)
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: ShapeError: ntl.gather: an index of shape (16,) has 1 dim, and the block of shape (16, 32) has 2; give the index as many

matrices(application)
# ---- gather of other dims
def application(x, output):
    output = ntl.gather(x, ntl.zeros((8, 8), ntl.int32), 0)
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: ShapeError: ntl.gather: along axis 0 an index of shape (8, 8) does not fit a block of shape (16, 32): 8 is not 32; give it the block's other dims

matrices(application)
# ---- gather along an axis that is not there
def application(x, output):
    output = ntl.gather(x, ntl.arange(0, 64), 1)
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: ShapeError: ntl.gather: axis 1 is out of range; give one from -1 to 0

vectors(application)
# ---- gather of a scalar
def application(x, output):
    output = ntl.gather(ntl.sum(x), 0, 0)
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: ShapeError: ntl.gather picks lanes of a block, not a scalar of fp32; leave it out

vectors(application)
# ---- a broadcast to fewer dims
def application(x, output):
    output = x.broadcast_to(16)
#            ^^^^^^^^^^^^^^^^^^
# error: ShapeError: a block of shape (16, 32) cannot become (16,): it has more dims; reduce them, as in ntl.sum(x, 0)

matrices(application)
