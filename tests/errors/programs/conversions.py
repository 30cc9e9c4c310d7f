# Element types that do not become one another, or have none in common.

# ---- bits of another width
def application(x, output):
    output = x.to(ntl.int16, bitcast=True)
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: ntl.cast: fp32 has 32 bits and i16 16, so that no bits are both; leave bitcast out to convert the values

vectors(application, "fp32")
# ---- bits of a number
def application(x, output):
    output = ntl.cast(1.5, ntl.int64, bitcast=True)
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: ntl.cast: fp32 has 32 bits and i64 64, so that no bits are both; leave bitcast out to convert the values

vectors(application, "fp32", "i64")
# ---- bits that are rounded
def application(x, output):
    output = x.to(ntl.int32, "rtz", bitcast=True)
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: ArgumentError: ntl.cast: bitcast rounds nothing; leave fp_downcast_rounding out

vectors(application, "fp32")
# ---- an unknown rounding
def application(x, output):
    output = x.to(ntl.float16, fp_downcast_rounding="up")
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: ArgumentError: ntl.cast: fp_downcast_rounding is 'rtne', to the nearest, or 'rtz', towards zero, not 'up'

vectors(application, "fp32")
# ---- a rounding that widens
def application(x, output):
    output = x.to(ntl.float32, fp_downcast_rounding="rtne")
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: fp_downcast_rounding is for floats that become narrower, not for fp16 to fp32; leave it out

vectors(application, "fp16")
# ---- a rounding of integers
def application(x, output):
    output = x.to(ntl.float16, fp_downcast_rounding="rtz")
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: fp_downcast_rounding is for floats that become narrower, not for i32 to fp16; leave it out

vectors(application, "i32")
# ---- fp64 towards zero
def application(x, output):
    output = x.to(ntl.float32, fp_downcast_rounding="rtz")
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: no conversion of fp64 to fp32 rounds to zero; round to the nearest, or convert fp32 to fp16, bf16 or fp8e5

vectors(application, "fp64")
# ---- E4M3 towards zero
def application(x, output):
    output = x.to(ntl.float8e4nv, fp_downcast_rounding="rtz")
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: no conversion of fp32 to fp8e4nv rounds to zero; round to the nearest, or convert fp32 to fp16, bf16 or fp8e5

vectors(application, "fp32")
# ---- an eight-bit float as an integer
def application(x, output):
    output = x.to(ntl.int32)
#            ^^^^^^^^^^^^^^^
# error: TypeMismatchError: fp8e5 does not become i32; convert it to a wider float between, as in x.to(ntl.float32)

vectors(application, "fp8e5")
# ---- an integer as an eight-bit float
def application(x, output):
    output = x
#   ^^^^^^
# error: TypeMismatchError: i32 does not become fp8e5; convert it to a wider float between, as in x.to(ntl.float32)

vectors(application, "i32", "fp8e5")
# ---- an infinity as an integer
def application(x, output):
    output = ntl.cast(float("inf"), ntl.int32)
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: inf is no integer, which i32 holds; use a float

vectors(application, "i32")
# ---- a dtype that is none
def application(x, output):
    output = x.to("int")
#            ^^^^^^^^^^^
# error: TypeMismatchError: ntl.cast: 'int' is no element type; write for example ntl.float32

vectors(application, "i32")
# ---- a number beyond the block's type
def application(x, output):
    output = x + 300
#            ^^^^^^^
# error: TypeMismatchError: `+` of a block of shape (64,) of i8 and 300: 300 is no i8, which reaches from -128 to 127; convert the block first, as in ntl.cast(x, ntl.int32)

vectors(application, "i8")
# ---- a negative number and an unsigned block
def application(x, output):
    output = x > -1
#            ^^^^^^
# error: TypeMismatchError: `>` of a block of shape (64,) of u32 and -1: -1 is no u32, which reaches from 0 to 4294967295; convert the block first, as in ntl.cast(x, ntl.int32)

vectors(application, "u32")
# ---- a number beyond the type in a choice
def application(x, output):
    output = ntl.where(x > 3, x, 1000)
#            ^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: ntl.where of a block of shape (64,) of u8 and 1000: 1000 is no u8, which reaches from 0 to 255; convert the block first, as in ntl.cast(x, ntl.int32)

vectors(application, "u8")
# ---- an eight-bit float and an integer
def application(x, y, output):
    output = x + y
#            ^^^^^
# error: TypeMismatchError: `+` of a block of shape (64,) of fp8e5 and a block of shape (64,) of i32: fp8e5 and i32 have no type in common; convert one, as in ntl.cast(x, ntl.float32)

vectors(application, "fp8e5", "i32")
# ---- remainders of different sign
def application(x, y, output):
    output = x % y
#            ^^^^^
# error: TypeMismatchError: `%` of a block of shape (64,) of u8 and a block of shape (64,) of i8: u8 and i8 differ in sign; convert one, as in ntl.cast(x, ntl.int32)

vectors(application, "u8", "i8")
# ---- quotients of different sign
def application(x, y, output):
    output = x / y
#            ^^^^^
# error: TypeMismatchError: `/` of a block of shape (64,) of u64 and a block of shape (64,) of i8: u64 and i8 differ in sign; convert one, as in ntl.cast(x, ntl.int32)

vectors(application, "u64", "i8")
# ---- bits of floats
def application(x, output):
    output = x ^ 1
#            ^^^^^
# error: TypeMismatchError: `^` of a block of shape (64,) of fp32 and 1: it takes integers, not fp32; convert it first: ntl.cast(x, ntl.int32)

vectors(application, "fp32")
# ---- the inverse of a float
def application(x, output):
    output = ~x
#            ^^
# error: TypeMismatchError: `~` of a block of shape (64,) of fp32: it takes integers, not fp32; convert it first: ntl.cast(x, ntl.int32)

vectors(application, "fp32")
