# Functions of numbers, and which program it is: element types, options, axes.

# ---- fma of integers
def application(x, output):
    output = ntl.fma(x, x, 1)
#            ^^^^^^^^^^^^^^^^
# error: TypeMismatchError: ntl.fma of a block of shape (64,) of i32 and a block of shape (64,) of i32 and 1: it takes floats of 16 bits and more, not i32; convert it first: ntl.cast(x, ntl.float32)

vectors(application, 'i32').ir()
# ---- fma with too few arguments
def application(x, output):
    output = ntl.fma(x, x)
#            ^^^^^^^^^^^^^ error: ArgumentError: ntl.fma(x, y, z) needs z

vectors(application).ir()
# ---- a precise root of fp64
def application(x, output):
    output = ntl.sqrt_rn(x)
#            ^^^^^^^^^^^^^^
# error: TypeMismatchError: ntl.sqrt_rn of a block of shape (64,) of fp64: it takes fp32, not fp64; convert it first: ntl.cast(x, ntl.float32)

vectors(application, 'fp64').ir()
# ---- a precise quotient of fp16
def application(x, output):
    output = ntl.div_rn(x, 2)
#            ^^^^^^^^^^^^^^^^
# error: TypeMismatchError: ntl.div_rn of a block of shape (64,) of fp16 and 2: it takes fp32, not fp16; convert it first: ntl.cast(x, ntl.float32)

vectors(application, 'fp16').ir()
# ---- a quotient of integers
def application(x, output):
    output = ntl.fdiv(x, x)
#            ^^^^^^^^^^^^^^
# error: TypeMismatchError: ntl.fdiv of a block of shape (64,) of i32 and a block of shape (64,) of i32: it takes floats, not i32; write x / y

vectors(application, 'i32').ir()
# ---- rounding that is not known
def application(x, output):
    output = ntl.fdiv(x, x, ieee_rounding=x)
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: ntl.fdiv: ieee_rounding must be True or False, known when compiling, not the tensor x

vectors(application).ir()
# ---- propagate_nan that is none
def application(x, output):
    output = ntl.maximum(x, 0.0, propagate_nan=True)
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: ArgumentError: ntl.maximum: propagate_nan is ntl.PropagateNan.NONE or ntl.PropagateNan.ALL, not True

vectors(application).ir()
# ---- propagate_nan without a member
def application(x, output):
    output = ntl.clamp(x, 0, 1, ntl.PropagateNan.SOME)
#                               ^^^^^^^^^^^^^^^^^^^^^
# error: UndefinedNameError: the class PropagateNan has no member SOME; members are NONE, ALL

vectors(application).ir()
# ---- clamp to what does not broadcast
def application(x, output):
    output = ntl.clamp(x, 0, ntl.zeros((3,), ntl.float32))
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: ShapeError: shapes (64,) and (3,) do not broadcast: 64 is not 3; make them equal, or one of them 1

vectors(application).ir()
# ---- an axis that there is not
def application(x, output):
    output = x + ntl.program_id(3)
#                ^^^^^^^^^^^^^^^^^ error: ArgumentError: ntl.program_id: axis is 0, 1 or 2, not 3

vectors(application).ir()
# ---- an axis that is not known
def application(x, output):
    output = x + ntl.num_programs(ntl.program_id(0))
#                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: ntl.num_programs: axis must be an integer that is known when compiling, not a scalar of i32

vectors(application).ir()
# ---- an axis below 0
def application(x, output):
    output = x + ntl.program_id(-1)
#                ^^^^^^^^^^^^^^^^^^ error: ArgumentError: ntl.program_id: axis is 0, 1 or 2, not -1

vectors(application).ir()
