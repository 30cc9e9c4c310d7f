# Numbers that have no meaning where they stand: beyond a type, divisors of 0, wide shifts.

# ---- integers // 0
def application(x, output):
    output = x // 0
#            ^^^^^^
# error: TypeMismatchError: `//` of a block of shape (64,) of i32 and 0: there is no quotient by 0; divide by another number

vectors(application, 'i32').ir()
# ---- integers % 0
def application(x, output):
    output = x % 0
#            ^^^^^
# error: TypeMismatchError: `%` of a block of shape (64,) of i32 and 0: there is no quotient by 0; divide by another number

vectors(application, 'i32').ir()
# ---- integers << 40
def application(x, output):
    output = x << 40
#            ^^^^^^^
# error: TypeMismatchError: `<<` of a block of shape (64,) of i32 and 40: i32 has 32 bits; shift by 0 to 31

vectors(application, 'i32').ir()
# ---- integers >> 32
def application(x, output):
    output = x >> 32
#            ^^^^^^^
# error: TypeMismatchError: `>>` of a block of shape (64,) of i32 and 32: i32 has 32 bits; shift by 0 to 31

vectors(application, 'i32').ir()
# ---- integers << -1
def application(x, output):
    output = x << -1
#            ^^^^^^^
# error: TypeMismatchError: `<<` of a block of shape (64,) of i32 and -1: i32 has 32 bits; shift by 0 to 31

vectors(application, 'i32').ir()
# ---- a block full of 300 of int8
def application(x, output):
    output = ntl.full((64,), 300, ntl.int8)
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: ntl.full: 300 is no i8, which reaches from -128 to 127; give one that it holds, or a wider type

vectors(application)
# ---- a block full of 2**70 of int64
def application(x, output):
    output = ntl.full((64,), 2**70, ntl.int64)
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: ntl.full: 1180591620717411303424 is no i64, which reaches from -9223372036854775808 to 9223372036854775807; give one that it holds, or a wider type

vectors(application)
# ---- a block full of 1.5 of int32
def application(x, output):
    output = ntl.full((64,), 1.5, ntl.int32)
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: ntl.full: 1.5 is no integer, which i32 holds; use a float

vectors(application)
# ---- a range of lanes from 2**40
def application(x, output):
    output = ntl.arange(2**40, 2**40 + 64)
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: ntl.arange counts in i32, which does not hold 1099511627776; count from 0, and add the start to ntl.cast(ntl.arange(0, n), ntl.int64)

vectors(application)
# ---- a range of lanes from 2**31 - 8
def application(x, output):
    output = ntl.arange(2**31 - 8, 2**31 + 56)
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: ntl.arange counts in i32, which does not hold 2147483704; count from 0, and add the start to ntl.cast(ntl.arange(0, n), ntl.int64)

vectors(application)
# ---- a wide multiple of shape[0]
def application(x, output):
    output = x.source.shape[0] * 2**40
#            ^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: the size x_size_0 * 1099511627776 is computed in i32, which does not hold its numbers; convert a size of the tensor first, as in ntl.cast(x.source.shape[0], ntl.int64)

vectors(application)
# ---- a wide multiple of stride(0)
def application(x, output):
    output = x.source.stride(0) * 2**40
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: the size x_stride_0 * 1099511627776 is computed in i32, which does not hold its numbers; convert a size of the tensor first, as in ntl.cast(x.source.shape[0], ntl.int64)

vectors(application)
# ---- an index of the block beyond its type
def application(x, output):
    output = x[2**40]
#              ^^^^^
# error: ShapeError: index 1099511627776 is out of range for the block of x, of size 64 in that dim; count from 0

vectors(application)
# ---- an element that is written beyond its type
def application(x, output):
    output[2**33] = 1.0
#          ^^^^^
# error: ShapeError: index 8589934592 is out of range for the block of output, of size 64 in that dim; count from 0

vectors(application)
# ---- a bound of a loop beyond its type
def application(x, output):
    for i in range(10, 2**70):
#            ^^^^^^^^^^^^^^^^
# error: TypeMismatchError: 1180591620717411303424 is no i64, the widest type of sizes and indices; use a smaller number
        output = x

vectors(application)
# ---- no number outside a tensor of integers
def application(x, output):
    output = x

copy = make(lambda x, output: (x.tile((16,)), output.tile((16,))), application, (Tensor(1, other=float("nan")), Tensor(1)))
#                                                                                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: x has elements of i32, which do not hold other=nan; give it an integer, or float('inf') for the largest
copy(torch.ones(4), torch.ones(4))
copy(torch.ones(4).int(), torch.ones(4).int())
# ---- no bit outside a tensor of bits
def application(x, output):
    output = x

make(lambda x, output: (x.tile((16,)), output.tile((16,))), application, (Tensor(1, dtype=bool, other=float("nan")), Tensor(1, dtype=bool)))
#                                                                         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: x has elements of i1, which do not hold other=nan; give it an integer, or float('inf') for the largest
# ---- a fraction outside a tensor of integers
def application(x, output):
    output = x

x = Tensor(1, dtype="i64", other=1.5)
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: x has elements of i64, which do not hold other=1.5; give it an integer, or float('inf') for the largest
make(lambda x, output: (x.tile((16,)), output.tile((16,))), application, (x, Tensor(1)))
# ---- floats // when compiling
def application(x, output):
    output = x + 7.5 // 2
#                ^^^^^^^^
# error: TypeMismatchError: `//` of 7.5 and 2: // takes integers, not floats; write math.floor(x / y) to round down, or math.trunc(x / y) to round toward zero

vectors(application).ir()
# ---- floats % 0 when compiling
def application(x, output):
    output = x + 7.5 % 0.0
#                ^^^^^^^^^
# error: TypeMismatchError: `%` of 7.5 and 0.0: there is no quotient by 0; divide by another number

vectors(application).ir()
# ---- a size divided by one that the call shows to be 0
def application(x, output):
    output = x + 4 // (x.source.shape[0] - 12)
#                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: ShapeError: 4 is divided by x_size_0 - 12, which is 0; a divisor must be at least 1

kernel = make(lambda x, output: (x.tile((16,)), output.tile((16,))), application, (Tensor(1, shape_options={"constexpr": True}), Tensor(1)))
kernel(torch.ones(12), torch.ones(12))
# ---- a block divided by a size that the call shows to be 0
def application(x, output):
    output = x // (x.source.shape[0] - 12)
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: `//` of a block of shape (16,) of i32 and the size x_size_0 - 12: there is no quotient by 0; divide by another number

kernel = make(lambda x, output: (x.tile((16,)), output.tile((16,))), application, (Tensor(1, shape_options={"constexpr": True}), Tensor(1)))
kernel(torch.ones(12).int(), torch.ones(12).int())
# ---- Python's ceiling division
def application(x, output):
    output = x + -(-x.source.shape[0] // 4)
#                ^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: `-(-a // b)` is no ceiling division here: // rounds toward zero, as in Triton; write ntl.cdiv(a, b)

vectors(application).ir()
# ---- Python's ceiling division of a number of the run time
def application(x, output):
    for i in range(4):
        output = x + -(-i // 4)
#                    ^^^^^^^^^^
# error: TypeMismatchError: `-(-a // b)` is no ceiling division here: // rounds toward zero, as in Triton; write ntl.cdiv(a, b)

vectors(application).ir()
# ---- Python's distance to a multiple
def application(x, output):
    output = x + -x.source.shape[0] % 4
#                ^^^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: `-a % b` has the sign of its dividend here, as in Triton, not of b; write -(a % b), or (b - a % b) % b for what is missing to a multiple of b

vectors(application).ir()
# ---- an integer outside a tensor of narrow integers
def application(x, output):
    output = x

copy = make(lambda x, output: (x.tile((16,)), output.tile((16,))), application, (Tensor(1, other=300), Tensor(1)))
#                                                                                ^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: x has elements of i8, which reach from -128 to 127 and do not hold other=300; give it one of them, or float('inf') for the largest
copy(torch.ones(4).int(), torch.ones(4).int())
copy(torch.ones(4, dtype=torch.int8), torch.ones(4, dtype=torch.int8))
# ---- a negative number outside a tensor of unsigned integers
def application(x, output):
    output = x

make(lambda x, output: (x.tile((16,)), output.tile((16,))), application, (Tensor(1, dtype="u8", other=-1.0), Tensor(1)))
#                                                                         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: x has elements of u8, which reach from 0 to 255 and do not hold other=-1.0; give it one of them, or float('inf') for the largest
# ---- a number outside a tensor that no type holds
Tensor(1, other=2**64)
# error: ArrangementError: other: 18446744073709551616 does not fit 64 bits; give a smaller number
# ---- a block that no memory holds
def application(x, output):
    output = x

copy = make(lambda x, output: (x.tile((2**40,)), output.tile((2**40,))), application, (Tensor(1), Tensor(1)))
copy(torch.ones(4), torch.ones(4))
# error: ConfigurationError: a block has 1099511627776 lanes, and at most 268435456 are evaluated at once; tile it, and go through the tiles in a loop
