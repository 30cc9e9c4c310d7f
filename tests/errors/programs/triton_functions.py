# Mistakes with functions that are written for Triton.
# REQUIRES: triton

# ---- a constexpr parameter that is given a block
import triton
import triton.language as tl

@triton.jit
def scaled(x, BY: tl.constexpr):
    return x * BY

def application(x, output):
    output = scaled(x, x)
#            ^^^^^^^^^^^^
# error: TypeMismatchError: BY of scaled is a constexpr and takes a value that is known when compiling, not the tensor x

vectors(application)
# ---- a return under a condition of the run time in a Triton function
import triton
import triton.language as tl

@triton.jit
def larger(a, b):
    if tl.sum(a, 0) > 2:
        return a
# error: UnsupportedSyntaxError: `return` in a loop or under a condition that is known at run time only is not part of the language; assign to a variable and return it at the end
    return b

def application(x, output):
    output = larger(x, x + 1)
#            ^^^^^^^^^^^^^^^^ caller

vectors(application)
# ---- a name that only Triton has
import triton
import triton.language as tl

@triton.jit
def block(p):
    return tl.make_block_ptr(p, (1,), (1,), (0,), (1,), (0,))
#          ^^^^^^^^^^^^^^^^^
# error: UndefinedNameError: the module ninetoothed.language has no make_block_ptr

def application(x, output):
    output = block(x.source.data_ptr())
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^ caller

vectors(application)
# ---- a function that only Triton has
from triton.language import make_block_ptr

def application(x, output):
    output = make_block_ptr(x.source.data_ptr())
#            ^^^^^^^^^^^^^^
# error: UndefinedNameError: ntl has no make_block_ptr, which triton.language has

vectors(application)
# ---- a Triton function that calls itself
import triton
import triton.language as tl

@triton.jit
def power(x, n: tl.constexpr):
    return x * power(x, n - 1)
#              ^^^^^^^^^^^^^^^ error: UnsupportedSyntaxError: power calls itself; write a loop

def application(x, output):
    output = power(x, 3)
#            ^^^^^^^^^^^ caller

vectors(application)
# ---- a number of the run time where Triton computes when compiling
import triton

def application(x, output):
    output = x * triton.next_power_of_2(ntl.sum(x))
#                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: next_power_of_2 takes values that are known when compiling; of others, write what it computes

vectors(application)
# ---- a constexpr that is not one
def application(x, output):
    factor = ntl.constexpr(ntl.sum(x))
#            ^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: ntl.constexpr takes a value that is known when compiling, not a scalar of fp32
    output = x * factor

vectors(application, "fp32")
# ---- too few arguments of a Triton function
import triton

@triton.jit
def scaled(x, factor):
    return x * factor

def application(x, output):
    output = scaled(x)
#            ^^^^^^^^^
# error: ArgumentError: scaled(x, factor) does not take these arguments: missing a required argument: 'factor'

vectors(application)
