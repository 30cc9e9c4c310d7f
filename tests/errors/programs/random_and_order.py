# Random numbers of wrong seeds and offsets, and what has no order to reverse.

# ---- a seed that is no integer
def application(x, output):
    output = ntl.rand(0.5, ntl.arange(0, 64))
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: the seed of random numbers must be an integer, not fp32; convert it first: ntl.cast(seed, ntl.int64)

vectors(application)
# ---- offsets that are no integers
def application(x, output):
    output = ntl.randn(1, x)
#            ^^^^^^^^^^^^^^^
# error: TypeMismatchError: the offsets of random numbers must be integers, not fp16; convert them first: ntl.cast(offsets, ntl.int32)

vectors(application, "fp16")
# ---- a seed of too many bits
def application(x, output):
    output = ntl.rand(2**64, ntl.arange(0, 64))
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: 18446744073709551616 does not fit 64 bits; use a smaller number

vectors(application)
# ---- a number of rounds that only the call knows
def application(x, output):
    output = ntl.rand(1, ntl.arange(0, 64), ntl.sum(x))
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: ntl.static_range takes integers that are known when compiling, not a scalar of fp32; write ntl.range

vectors(application, "fp32", "fp32")
# ---- counters of two widths
def application(x, output):
    lanes = ntl.arange(0, 64)
    output, _, _, _ = ntl.philox(1, lanes, lanes, lanes, lanes.to(ntl.int64))
#                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: the counters of ntl.philox must be integers of 32 bits, or all of 64, not i64; convert them first: ntl.cast(c, ntl.uint32)

vectors(application)
# ---- narrow counters
def application(x, output):
    output, _, _, _ = ntl.philox(1, x, x, x, x)
#                     ^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: the counters of ntl.philox must be integers of 32 bits, or all of 64, not i16; convert them first: ntl.cast(c, ntl.uint32)

vectors(application, "i16", "i16")
# ---- signed counters of rounds alone
def application(x, output):
    output = ntl.philox_impl(x, x, x, x, x, x)[0]
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: the counters of ntl.philox_impl must be u32 or u64, not i32; call ntl.philox, which converts them

vectors(application, "i32", "i32")
# ---- a uniform number of narrow bits
def application(x, output):
    output = ntl.uint_to_uniform_float(x)
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: ntl.uint_to_uniform_float takes integers of 32 or 64 bits, not i16; convert them first: ntl.cast(x, ntl.uint32)

vectors(application, "i16")
# ---- the upper half of a product of floats
def application(x, output):
    output = ntl.umulhi(x, 3)
#            ^^^^^^^^^^^^^^^^
# error: TypeMismatchError: ntl.umulhi of a block of shape (64,) of fp32 and 3: it takes integers of 32 or 64 bits, not fp32; convert it first: ntl.cast(x, ntl.uint32)

vectors(application, "fp32")
# ---- odd bits of floats
def application(x, output):
    output = ntl.xor_sum(x)
#            ^^^^^^^^^^^^^^
# error: TypeMismatchError: ntl.xor_sum: it takes integers, not fp32; convert it first: ntl.cast(x, ntl.int32)

vectors(application, "fp32")
# ---- a scalar in reverse
def application(x, output):
    output = ntl.flip(ntl.sum(x))
#            ^^^^^^^^^^^^^^^^^^^^
# error: ShapeError: ntl.flip reverses a block, not a scalar of fp32; leave it out

vectors(application)
# ---- a dim that there is not
def application(x, output):
    output = ntl.flip(x, 1)
#            ^^^^^^^^^^^^^^
# error: ShapeError: ntl.flip: axis 1 is out of range; give one from -1 to 0

vectors(application)
# ---- a dim that is no number
def application(x, output):
    output = ntl.flip(x, ntl.sum(x))
#            ^^^^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: ntl.flip: axis must be an integer that is known when compiling, not a scalar of fp32

vectors(application, "fp32", "fp32")
# ---- an assertion that does not hold
def application(x, output):
    ntl.static_assert(x.shape[0] == 32, "blocks of 32 elements")
# error: AssertionFailedError: the assertion does not hold: blocks of 32 elements
    output = x

vectors(application)
# ---- an assertion without a message
def application(x, output):
    ntl.static_assert(x.dtype == ntl.float16)
# error: AssertionFailedError: the assertion does not hold
    output = x

vectors(application, "fp32")
# ---- an assertion about values
def application(x, output):
    ntl.static_assert(ntl.sum(x) > 0)
# error: TypeMismatchError: ntl.static_assert takes a condition that is known when compiling, not a scalar of i1
    output = x

vectors(application)
