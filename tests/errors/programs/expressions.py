# Expressions that the language does not have, and what to write instead.

# ---- lambda
def application(x, output):
    double = lambda value: 2 * value
#            ^^^^^^^^^^^^^^^^^^^^^^^
# error: UnsupportedSyntaxError: `lambda` is not part of the language; define a function with def
    output = double(x)

vectors(application)
# ---- list comprehension
def application(x, output):
    blocks = [x for i in range(2)]
#            ^^^^^^^^^^^^^^^^^^^^^
# error: UnsupportedSyntaxError: a comprehension is not part of the language; write a `for` loop
    output = blocks[0]

vectors(application)
# ---- generator
def application(x, output):
    output = sum(x for i in range(2))
#               ^^^^^^^^^^^^^^^^^^^^^
# error: UnsupportedSyntaxError: a generator is not part of the language; write a `for` loop

vectors(application)
# ---- yield
def application(x, output):
    yield x
# error: UnsupportedSyntaxError: `yield` is not part of the language; assign to an output

vectors(application)
# ---- yield from
def application(x, output):
    yield from x
# error: UnsupportedSyntaxError: `yield` is not part of the language; assign to an output

vectors(application)
# ---- await
def application(x, output):
    output = x

async def wait(x, output):
    output = await x

make(blocks, wait, (Tensor(1), Tensor(1)))
# error: UnsupportedSyntaxError: wait is async; write it with def
# ---- star in a call of something that is no tuple
def application(x, output):
    output = ntl.exp(*x)
#                    ^^
# error: TypeMismatchError: * takes a tuple, not the tensor x; name the arguments

vectors(application)
# ---- double star in a call
def application(x, output):
    output = ntl.sum(x, **{"axis": 0})
#            ^^^^^^^^^^^^^^^^^^^^^^^^^
# error: UnsupportedSyntaxError: ** in a call is not part of the language; name the arguments

vectors(application)
# ---- star in a tuple of something that is no tuple
def application(x, output):
    pair = (*x, 1)
#           ^^
# error: TypeMismatchError: * takes a tuple, not the tensor x; write the elements one by one
    output = pair[1]

vectors(application)
# ---- f-string
def application(x, output):
    print(f"{x}")
#         ^^^^^^
# error: UnsupportedSyntaxError: an f-string is not part of the language; write a plain string
    output = x

vectors(application)
# ---- walrus
def application(x, output):
    output = (y := x) + y
#             ^^^^^^
# error: UnsupportedSyntaxError: the operator := is not part of the language; assign in a statement of its own

vectors(application)
# ---- slice of a block
def application(x, output):
    y = x + 1
    output = y[0:16]
#              ^^^^
# error: UnsupportedSyntaxError: a slice is not part of the language; arrange the tensor so that the program sees the slice

vectors(application)
# ---- slice of a parameter
def application(x, output):
    output = x[0:16]
#              ^^^^
# error: UnsupportedSyntaxError: a slice is not part of the language; arrange the tensor so that the program sees the slice

vectors(application)
# ---- slice of a tuple with a run-time bound
def application(x, output):
    pair = (1, 2, 3)
    output = x + pair[: ntl.sum(x)][0]
#                ^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: a tuple of 3 is indexed by integers that are known when compiling

vectors(application)
# ---- dict
def application(x, output):
    table = {"x": x}
#           ^^^^^^^^
# error: UnsupportedSyntaxError: a dict is not part of the language; use a variable for each value
    output = table["x"]

vectors(application)
# ---- set
def application(x, output):
    values = {1, 2}
#            ^^^^^^ error: UnsupportedSyntaxError: a set is not part of the language; write a tuple
    output = x

vectors(application)
# ---- matrix operator
def application(x, y, output):
    output = x @ y
#            ^^^^^
# error: UnsupportedSyntaxError: the operator @ is not part of the language; write ntl.dot(a, b)

matrices(application)
# ---- matrix operator in place
def application(x, y, output):
    x @= y
# error: UnsupportedSyntaxError: the operator @ is not part of the language; write ntl.dot(a, b)
    output = x

matrices(application)
# ---- power
def application(x, output):
    output = x**0.5
#            ^^^^^^
# error: UnsupportedSyntaxError: the operator ** with this exponent is not part of the language; write ntl.libdevice.pow(x, y), or a positive integer that is known when compiling

vectors(application)
# ---- power in place
def application(x, output):
    y = x
    y **= x
# error: UnsupportedSyntaxError: the operator ** with this exponent is not part of the language; write ntl.libdevice.pow(x, y), or a positive integer that is known when compiling
    output = y

vectors(application)
# ---- a call of a builtin that is not there
def application(x, output):
    repr(x)
# error: UnsupportedSyntaxError: the builtin repr is not part of the language
    output = x

vectors(application)
# ---- a call of a builtin on a block
def application(x, output):
    output = float(x)
#            ^^^^^^^^
# error: UnsupportedSyntaxError: the builtin float is not part of the language on the tensor x; write x.to(ntl.float32)

vectors(application)
# ---- max of one block
def application(x, output):
    output = max(x)
#            ^^^^^^
# error: TypeMismatchError: max takes two values or more, not the tensor x alone; write ntl.max(x) for the largest lane of a block

vectors(application)
# ---- min of blocks by a key
def application(x, y, output):
    output = min(x, y, key=abs)
#            ^^^^^^^^^^^^^^^^^^
# error: ArgumentError: min has no argument key for values that are computed at run time; give it values only

vectors(application)
# ---- max of a block and a text
def application(x, output):
    output = max(x, "0")
#            ^^^^^^^^^^^ error: TypeMismatchError: an operand must be a number or a block, not '0'

vectors(application)
# ---- abs of a block
def application(x, output):
    output = abs(x)
#            ^^^^^^ error: TypeMismatchError: abs takes numbers known when compiling; use ntl.abs

vectors(application)
# ---- sum of a block
def application(x, output):
    output = sum(x)
#            ^^^^^^ error: TypeMismatchError: sum takes numbers known when compiling; use ntl.sum

vectors(application)
# ---- a function of math of a block
import math

def application(x, output):
    output = math.sqrt(x)
#            ^^^^^^^^^^^^
# error: TypeMismatchError: math.sqrt takes numbers that are known when compiling, not the tensor x; write ntl.sqrt(x)

vectors(application)
# ---- a function of math of integers
import math

def application(x, output):
    output = x * math.log2(x.source.shape[0])
#                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: math.log2 takes numbers that are known when compiling, not the size x_size_0; write ntl.log2(x.to(ntl.float32))

vectors(application)
# ---- a function of math that only the device library has
import math

def application(x, output):
    output = math.atan2(x, 1.0)
#            ^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: math.atan2 takes numbers that are known when compiling, not the tensor x; write ntl.libdevice.atan2(x)

vectors(application)
# ---- a function of math of another name
import math

def application(x, output):
    output = math.fabs(x)
#            ^^^^^^^^^^^^
# error: TypeMismatchError: math.fabs takes numbers that are known when compiling, not the tensor x; write ntl.abs(x)

vectors(application)
# ---- a function of math without a counterpart
import math

def application(x, output):
    output = x * math.prod(x.source.shape)
#                ^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: math.prod takes numbers that are known when compiling, not the size x_size_0; write what it computes with operators and functions of ntl

vectors(application)
# ---- a root of a negative number
import math

def application(x, output):
    output = x * math.sqrt(-2.0)
#                ^^^^^^^^^^^^^^^
# error: TypeMismatchError: math.sqrt(-2.0) has no value that a number holds; give it other numbers

vectors(application)
# ---- an exponential that no float holds
import math

def application(x, output):
    output = x * math.exp(1e4)
#                ^^^^^^^^^^^^^
# error: TypeMismatchError: math.exp(10000.0) has no value that a number holds; give it other numbers

vectors(application)
# ---- a power that is a complex number
def application(x, output):
    output = x * (-8) ** 0.5
#                ^^^^^^^^^^^
# error: TypeMismatchError: `**` of -8 and 0.5: the result is a complex number, which no block holds

vectors(application)
# ---- and of blocks of numbers
def application(x, y, output):
    output = ntl.where(x and y > 0, x, y)
#                      ^^^^^^^^^^^
# error: TypeMismatchError: `and` of blocks takes bits, not a block of shape (64,) of fp32; compare it, as in x != 0, or choose lanes with ntl.where

vectors(application, "fp32")
# ---- or of a block of bits and a number
def application(x, output):
    output = ntl.where(x > 0 or ntl.program_id(0), x, 0)
#                      ^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: `or` of blocks takes bits, not a scalar of i32; compare it, as in x != 0, or choose lanes with ntl.where

vectors(application)
# ---- and of a number of the run time and a block
def application(x, output):
    output = ntl.where(ntl.program_id(0) and x > 0, x, 0)
#                      ^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: `and` of blocks takes bits, not a scalar of i32; compare it, as in x != 0, or choose lanes with ntl.where

vectors(application)
