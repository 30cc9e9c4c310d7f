# Element types and kinds of value that do not fit an operation.

# ---- exp of fp16
def application(x, output):
    output = ntl.exp(x)
#            ^^^^^^^^^^
# error: TypeMismatchError: ntl.exp of a block of shape (64,) of fp16: it takes fp32 or fp64, not fp16; convert it first: ntl.cast(x, ntl.float32)

vectors(application, "fp16")
# ---- exp of an integer block
def application(x, output):
    output = ntl.exp(x)
#            ^^^^^^^^^^
# error: TypeMismatchError: ntl.exp of a block of shape (64,) of i32: it takes fp32 or fp64, not i32; convert it first: ntl.cast(x, ntl.float32)

vectors(application, "i32")
# ---- exp of a number that is no float
def application(x, output):
    output = x + ntl.exp(2)
#                ^^^^^^^^^^
# error: TypeMismatchError: ntl.exp of 2: it takes fp32 or fp64, not i32; convert it first: ntl.cast(x, ntl.float32)

vectors(application)
# ---- sqrt method of fp16
def application(x, output):
    output = x.sqrt()
#            ^^^^^^^^
# error: TypeMismatchError: ntl.sqrt of a block of shape (64,) of bf16: it takes fp32 or fp64, not bf16; convert it first: ntl.cast(x, ntl.float32)

vectors(application, "bf16")
# ---- integer division of floats
def application(x, output):
    output = x // 2
#            ^^^^^^
# error: TypeMismatchError: `//` of a block of shape (64,) of fp32 and 2: // takes integers, not fp32; write ntl.floor(x / y) for floats

vectors(application, "fp32")
# ---- bits of floats
def application(x, output):
    output = x & 1
#            ^^^^^
# error: TypeMismatchError: `&` of a block of shape (64,) of fp32 and 1: it takes integers, not fp32; convert it first: ntl.cast(x, ntl.int32)

vectors(application, "fp32")
# ---- inverted floats
def application(x, output):
    output = ~x
#            ^^
# error: TypeMismatchError: `~` of a block of shape (64,) of fp32: it takes integers, not fp32; convert it first: ntl.cast(x, ntl.int32)

vectors(application, "fp32")
# ---- division of signed by unsigned
def application(x, y, output):
    output = x // y
#            ^^^^^^
# error: TypeMismatchError: `//` of a block of shape (64,) of i32 and a block of shape (64,) of u32: i32 and u32 differ in sign; convert one, as in ntl.cast(x, ntl.int32)

vectors(application, "i32", "u32")
# ---- dot of mixed types
def application(x, y, output):
    output = ntl.dot(x, ntl.trans(y))
#            ^^^^^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: ntl.dot: it takes two blocks of one element type, not fp16 and fp32; convert one with .to(dtype)

matrices(application, "fp16", "fp32")
# ---- dot of integers
def application(x, y, output):
    output = ntl.dot(x, ntl.trans(y))
#            ^^^^^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: ntl.dot: matrices of i32 cannot be multiplied; use floats or i8

matrices(application, "i32", "i32")
# ---- zeros without an element type
def application(x, output):
    output = ntl.zeros((64,), dtype=complex)
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: ntl.zeros: the class complex is no element type; write for example ntl.float32

vectors(application)
# ---- cast to an unknown type
def application(x, output):
    output = ntl.cast(x, "half")
#            ^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: ntl.cast: 'half' is no element type; write for example ntl.float32

vectors(application)
# ---- to without a type
def application(x, output):
    output = x.to(x)
#            ^^^^^^^
# error: TypeMismatchError: ntl.cast: the tensor x is no element type; write for example ntl.float32

vectors(application)
# ---- a number that is too large
def application(x, output):
    output = x + 2**70
#            ^^^^^^^^^
# error: TypeMismatchError: 1180591620717411303424 does not fit 64 bits; use a smaller number, or a float

vectors(application)
# ---- a number of many digits
def application(x, output):
    output = x + 2**1000
#            ^^^^^^^^^^^
# error: TypeMismatchError: an integer of 1001 bits does not fit 64 bits; use a smaller number, or a float

vectors(application)
# ---- a power that would take forever
def application(x, output):
    output = x + 9**9**9
#                ^^^^^^^
# error: TypeMismatchError: `**` of 9 and 387420489: the result has more than 4,096 bits

vectors(application)
# ---- a shift that would take forever
def application(x, output):
    output = x + (1 << 10**12)
#                 ^^^^^^^^^^^
# error: TypeMismatchError: `<<` of 1 and 1000000000000: the result has more than 4,096 bits

vectors(application)
# ---- a factorial that no number holds
import math


def application(x, output):
    output = x + math.factorial(2000)
#                ^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: math.factorial(2000) has no value that a number holds; give it other numbers

vectors(application)
# ---- arithmetic on a string
def application(x, output):
    output = x + "1"
#            ^^^^^^^ error: TypeMismatchError: an operand must be a number or a block, not '1'

vectors(application)
# ---- arithmetic on None
def application(x, output):
    output = x + None
#            ^^^^^^^^ error: TypeMismatchError: an operand must be a number or a block, not None

vectors(application)
# ---- arithmetic on a function
def application(x, output):
    output = x * ntl.exp
#            ^^^^^^^^^^^
# error: TypeMismatchError: an operand must be a number or a block, not the function ntl.exp

vectors(application)
# ---- arithmetic on a tuple
def application(x, output):
    output = x + (1, 2)
#            ^^^^^^^^^^
# error: TypeMismatchError: an operand must be a number or a block, not a tuple of 2

vectors(application)
# ---- arithmetic on strings
def application(x, output):
    output = x * ("a" - "b")
#                 ^^^^^^^^^
# error: TypeMismatchError: `-` of 'a' and 'b': unsupported operand type(s) for -: 'str' and 'str'

vectors(application)
# ---- division by zero
def application(x, output):
    output = x + 1 // 0
#                ^^^^^^
# error: TypeMismatchError: `//` of 1 and 0: there is no quotient by 0; divide by another number

vectors(application)
# ---- a size divided by zero
def arrangement(x, output, BLOCK=block_size()):
    return x.tile((BLOCK,)), output.tile((BLOCK,))

def application(x, output):
    output = x + x.shape[0] // 0
#                ^^^^^^^^^^^^^^^
# error: ShapeError: BLOCK_SIZE_0 is divided by zero; a divisor must be at least 1

make(arrangement, application, (Tensor(1), Tensor(1)))
# ---- negative of a string
def application(x, output):
    output = -"a"
#            ^^^^ error: TypeMismatchError: `-` of 'a': bad operand type for unary -: 'str'

vectors(application)
# ---- in on a block
def application(x, output):
    if ntl.sum(x) in (1, 2):
#      ^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: `in` takes a tuple of values that are known when compiling
        output = x

vectors(application)
# ---- comparison of strings with blocks
def application(x, output):
    output = x == "x"
#            ^^^^^^^^ error: TypeMismatchError: an operand must be a number or a block, not 'x'

vectors(application)
# ---- a call of a block
def application(x, output):
    output = x(x)
#            ^^^^
# error: TypeMismatchError: the tensor x cannot be called inside an application; functions of ntl and plain Python functions can

vectors(application)
# ---- a call of a torch function
def application(x, output):
    output = torch.exp(x)
#            ^^^^^^^^^^^^
# error: TypeMismatchError: the function exp cannot be called inside an application; functions of ntl and plain Python functions can

vectors(application)
# ---- a call of a class
class Scale:
    pass

def application(x, output):
    output = Scale(x)
#            ^^^^^^^^
# error: TypeMismatchError: the class Scale cannot be called inside an application; functions of ntl and plain Python functions can

vectors(application)
# ---- a call of a method
def application(x, output):
    output = "a".upper()
#            ^^^^^^^^^
# error: UndefinedNameError: 'a' has no attribute upper in the language; parameters, blocks and modules have some

vectors(application)
# ---- an element type compared with a misspelt one
def application(x, output):
    if x.dtype == "flaot32":
#      ^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: 'flaot32' is no element type; did you mean float32?
        output = x

vectors(application)
# ---- an element type compared with another string
def application(x, output):
    if x.dtype != "half precision":
#      ^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: 'half precision' is no element type; write one, as ntl.float32
        output = x

vectors(application)
# ---- an element type compared with a class of Python's
def application(x, output):
    if x.dtype == float:
#      ^^^^^^^^^^^^^^^^
# error: TypeMismatchError: the class float is no element type; compare with one, as ntl.float64
        output = x

vectors(application)
# ---- an element type compared with a number
def application(x, output):
    if x.dtype == 32:
#      ^^^^^^^^^^^^^
# error: TypeMismatchError: 32 is no element type; compare with one, as ntl.float32
        output = x

vectors(application)
# ---- an element type that is a class of Python's
def application(x, output):
    if x.dtype is int:
#      ^^^^^^^^^^^^^^
# error: TypeMismatchError: the class int is no element type; compare with one, as ntl.int64
        output = x

vectors(application)
# ---- an element type among misspelt ones
def application(x, output):
    if x.dtype in ("float16", "bfloat"):
#      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: 'bfloat' is no element type; did you mean bfloat16?
        output = x

vectors(application, "fp32")
# ---- element types in order
def application(x, output):
    if x.dtype < ntl.float32:
#      ^^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: element types have no order; compare their widths, as in x.dtype.primitive_bitwidth
        output = x

vectors(application)
# ---- a level compared with an element type
def arrangement(x, output):
    return x.tile((32,)).tile((-1,)), output.tile((32,))

def application(x, output):
    if x.dtype == ntl.float32:
#      ^^^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: a level of shape (32,) is no element type; its blocks have one: write .dtype once more, as in p.dtype.dtype
        output = x[0]

make(arrangement, application, (Tensor(1), Tensor(1)))
