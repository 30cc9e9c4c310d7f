# Names and attributes that have no value, or one that an application cannot use.

# ---- a name that is misspelt
def application(lhs, rhs, output):
    output = lhs + rsh
#                  ^^^ error: UndefinedNameError: there is no name rsh; did you mean rhs?

vectors(application)
# ---- a name of nothing
def application(x, output):
    output = x * quux
#                ^^^^
# error: UndefinedNameError: there is no name quux; assign it first, or import it

vectors(application)
# ---- a member that an enumeration does not have
import enum

class Activation(enum.Enum):
    NONE = 0
    RELU = 1

def application(x, activation, output):
    output = ntl.maximum(x, 0.0) if activation is Activation.RULE else x
#                                                 ^^^^^^^^^^^^^^^
# error: UndefinedNameError: the class Activation has no member RULE; members are NONE, RELU

vectors(application)
# ---- a builtin that is misspelt
def application(x, output):
    for i in rnge(4):
#            ^^^^ error: UndefinedNameError: there is no name rnge; did you mean range?
        output = x

vectors(application)
# ---- a function of the language that is not there
def application(x, output):
    output = ntl.expp(x)
#            ^^^^^^^^
# error: UndefinedNameError: the module ninetoothed.language has no expp; did you mean exp?

vectors(application)
# ---- an attribute of an element type
def application(x, output):
    output = x * x.dtype.bits
#                ^^^^^^^^^^^^
# error: UndefinedNameError: 'fp32' has no attribute bits; an element type has name, primitive_bitwidth, itemsize, and tests as is_floating()

vectors(application, "fp32")
# ---- an attribute of a block
def application(x, output):
    output = x.summ()
#            ^^^^^^
# error: UndefinedNameError: a block of shape (64,) has no attribute summ; did you mean sum?

vectors(application)
# ---- a method that torch has
def application(x, output):
    output = x.relu()
#            ^^^^^^
# error: UndefinedNameError: a block of shape (64,) has no attribute relu; write ntl.maximum(x, 0)

vectors(application)
# ---- a method that is not close to another
def application(x, output):
    output = x.var()
#            ^^^^^
# error: UndefinedNameError: a block of shape (64,) has no attribute var; a block has shape, dtype, ndim, T, to(dtype), and methods as sum(axis)

vectors(application)
# ---- an attribute of a number
def application(x, output):
    output = x + (1).numerator
#                ^^^^^^^^^^^^^
# error: UndefinedNameError: 1 has no attribute numerator; a block has shape, dtype, ndim, T, to(dtype), and methods as sum(axis)

vectors(application)
# ---- an attribute of a tuple
def application(x, output):
    output = x + x.shape.count(1)
#                ^^^^^^^^^^^^^
# error: UndefinedNameError: a tuple of 1 has no attribute count in the language; parameters, blocks and modules have some

vectors(application)
# ---- an attribute of a module
import math

def application(x, output):
    output = x * math.pie
#                ^^^^^^^^ error: UndefinedNameError: the module math has no pie; did you mean pi?

vectors(application)
# ---- a function of another module
import operator

def application(x, output):
    output = x * operator.add(2.0, 1.0)
#                ^^^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: the function add cannot be called inside an application; functions of ntl and plain Python functions can

vectors(application)
# ---- a closure variable without a value
def kernel():
    def application(x, output):
        output = x * scale
#                    ^^^^^
# error: UndefinedNameError: scale has no value yet; assign it before the kernel is made

    vectors(application)
    scale = 2

kernel()
# ---- a tensor from outside
weights = torch.ones(64)

def application(x, output):
    output = x * weights
#                ^^^^^^^
# error: TypeMismatchError: weights is a Tensor from outside the application, which cannot be used inside; numbers, element types, tuples and functions can, and tensors come in as parameters

vectors(application)
# ---- a symbolic tensor from outside
weights = Tensor(1)

def application(x, output):
    output = x * weights
#                ^^^^^^^
# error: TypeMismatchError: weights is a Tensor from outside the application, which cannot be used inside; numbers, element types, tuples and functions can, and tensors come in as parameters

vectors(application)
# ---- a symbol from outside
BLOCK = block_size()

def application(x, output):
    output = x + BLOCK
#                ^^^^^
# error: TypeMismatchError: BLOCK is a Symbol from outside the application, which cannot be used inside; numbers, element types, tuples and functions can, and tensors come in as parameters

vectors(application)
# ---- a dict from outside
scales = {"x": 2.0}

def application(x, output):
    output = x * scales["x"]
#                ^^^^^^
# error: TypeMismatchError: scales is a dict from outside the application, which cannot be used inside; numbers, element types, tuples and functions can, and tensors come in as parameters

vectors(application)
# ---- an object in a module
import sys

def application(x, output):
    output = x * sys.implementation
#                ^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: sys.implementation is a SimpleNamespace from outside the application, which cannot be used inside; numbers, element types, tuples and functions can, and tensors come in as parameters

vectors(application)
# ---- assigned in one branch only
def application(x, output):
    if ntl.sum(x) > 0:
        y = x
    output = y
#            ^
# error: UndefinedNameError: y is assigned in one branch of the `if` at line 2 only; assign it in both, or before

vectors(application)
# ---- assigned in the other branch only
def application(x, output):
    if ntl.sum(x) > 0:
        pass
    else:
        y = x
    output = y
#            ^
# error: UndefinedNameError: y is assigned in one branch of the `if` at line 2 only; assign it in both, or before

vectors(application)
# ---- assigned in a loop only
def application(x, output):
    for i in range(4):
        y = x
    output = y
#            ^
# error: UndefinedNameError: y is assigned in the loop at line 2, which may not run; assign it before the loop

vectors(application)
# ---- the variable of a loop after it
def application(x, output):
    for i in range(4):
        y = x
    output = x + i
#                ^
# error: UndefinedNameError: i is assigned in the loop at line 2, which may not run; assign it before the loop

vectors(application)
# ---- used before it is assigned
def application(x, output):
    output = y
#            ^ error: UndefinedNameError: y has no value yet; assign it before
    y = x

vectors(application)
# ---- carried by a loop and first assigned in it
def application(x, output):
    for i in range(4):
        total = total + x
#               ^^^^^ error: UndefinedNameError: total has no value yet; assign it before
    output = total

vectors(application)
# ---- a local that is not assigned because of a global of its name
y = 1

def application(x, output):
    output = x + y
#                ^ error: UndefinedNameError: y has no value yet; assign it before
    y = 2

vectors(application)
# ---- an unknown name in a kernel of constexprs
def arrangement(lhs, rhs, output, BLOCK_SIZE=Symbol("BLOCK_SIZE", constexpr=True)):
    return tuple(tensor.tile((BLOCK_SIZE,)) for tensor in (lhs, rhs, output))

def application(lhs, rhs, output):
    output = lhs + rsh
#                  ^^^ error: UndefinedNameError: there is no name rsh; did you mean rhs?

make(arrangement, application, (Tensor(1), Tensor(1), Tensor(1)))
