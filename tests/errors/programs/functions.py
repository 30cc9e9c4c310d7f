# Calls inside an application: arguments, recursion, and the chain of callers.

# ---- too many arguments
def application(x, output):
    output = ntl.exp(x, 2)
#            ^^^^^^^^^^^^^ error: ArgumentError: ntl.exp(x) takes 1 argument, not 2

vectors(application)
# ---- too few arguments
def application(x, output):
    output = ntl.maximum(x)
#            ^^^^^^^^^^^^^^ error: ArgumentError: ntl.maximum(x, y, propagate_nan='none') needs y

vectors(application)
# ---- no arguments
def application(x, output):
    output = ntl.exp()
#            ^^^^^^^^^ error: ArgumentError: ntl.exp(x) needs x

vectors(application)
# ---- an unknown keyword
def application(x, output):
    output = ntl.sum(x, dim=0)
#            ^^^^^^^^^^^^^^^^^
# error: ArgumentError: ntl.sum(input, axis=None, keep_dims=False, dtype=None) has no argument dim

vectors(application)
# ---- an argument given twice
def application(x, output):
    output = ntl.sum(x, 0, axis=0)
#            ^^^^^^^^^^^^^^^^^^^^^
# error: ArgumentError: ntl.sum(input, axis=None, keep_dims=False, dtype=None) is given axis twice

vectors(application)
# ---- an argument given twice to a method
def application(x, output):
    output = x.sum(input=x)
#            ^^^^^^^^^^^^^^
# error: ArgumentError: ntl.sum(input, axis=None, keep_dims=False, dtype=None) is given input twice

vectors(application)
# ---- a keyword argument given twice to a function
def scale(x, factor):
    return x * factor

def application(x, output):
    output = scale(x, 2, factor=3)
#            ^^^^^^^^^^^^^^^^^^^^^
# error: ArgumentError: scale(x, factor) does not take these arguments: multiple values for argument 'factor'

vectors(application)
# ---- too few arguments of a function
def scale(x, factor):
    return x * factor

def application(x, output):
    output = scale(x)
#            ^^^^^^^^
# error: ArgumentError: scale(x, factor) does not take these arguments: missing a required argument: 'factor'

vectors(application)
# ---- too many arguments of a function
def scale(x, factor):
    return x * factor

def application(x, output):
    output = scale(x, 2, 3)
#            ^^^^^^^^^^^^^^
# error: ArgumentError: scale(x, factor) does not take these arguments: too many positional arguments

vectors(application)
# ---- recursion
def power(x, n):
    return x * power(x, n - 1)
#              ^^^^^^^^^^^^^^^ error: UnsupportedSyntaxError: power calls itself; write a loop

def application(x, output):
    output = power(x, 4)
#            ^^^^^^^^^^^ caller

vectors(application)
# ---- mutual recursion
def even(x):
    return odd(x)
#          ^^^^^^ caller

def odd(x):
    return even(x)
#          ^^^^^^^ error: UnsupportedSyntaxError: even calls itself; write a loop

def application(x, output):
    output = even(x)
#            ^^^^^^^ caller 2

vectors(application)
# ---- an application that calls itself
def application(x, output):
    application(x, output)
# error: UnsupportedSyntaxError: application calls itself; write a loop

vectors(application)
# ---- a mistake in a function
def scale(x, factor):
    return x * facter
#              ^^^^^^ error: UndefinedNameError: there is no name facter; did you mean factor?

def application(x, output):
    output = scale(x, 2)
#            ^^^^^^^^^^^ caller

vectors(application)
# ---- a mistake three functions deep
def inner(x):
    return ntl.exp(x, x)
#          ^^^^^^^^^^^^^ error: ArgumentError: ntl.exp(x) takes 1 argument, not 2

def middle(x):
    y = inner(x) + 1
#       ^^^^^^^^ caller
    return y

def outer(x):
    return 2 * middle(
#              ^^^^^^^ caller 2
        x
    )

def application(x, output):
    if ntl.sum(x) > 0:
        output = outer(x)
#                ^^^^^^^^ caller 3

vectors(application)
# ---- a lambda that is called
double = lambda x: 2 * x

def application(x, output):
    output = double(x)
#            ^^^^^^^^^
# error: UnsupportedSyntaxError: a called function is a lambda; write it with def, with statements

vectors(application)
# ---- a function without source
namespace = {}
exec("def double(x):\n    return 2 * x\n", namespace)
double = namespace["double"]

def application(x, output):
    output = double(x)
#            ^^^^^^^^^
# error: UnsupportedSyntaxError: the source of double in <string> cannot be read; kernels are compiled from source, so define it in a file

vectors(application)
# ---- an async function that is called
async def double(x):
    return 2 * x

def application(x, output):
    output = double(x)
#            ^^^^^^^^^ error: UnsupportedSyntaxError: double is async; write it with def

vectors(application)
# ---- a function with star parameters and a mistake
def total(*blocks):
    return blocks[0] + blocks[5]
#                      ^^^^^^^^^
# error: ShapeError: index 5 is out of range for a tuple of 2; count from 0

def application(x, output):
    output = total(x, x)
#            ^^^^^^^^^^^ caller

vectors(application)
# ---- a function that returns nothing
def nothing(x):
    y = x

def application(x, output):
    output = x + nothing(x)
#            ^^^^^^^^^^^^^^
# error: TypeMismatchError: an operand must be a number or a block, not None

vectors(application)
# ---- an attribute that an object does not have
class Scaled:
    factor = 2

    def __call__(self, x):
        return x * self.facter
#                  ^^^^^^^^^^^
# error: UndefinedNameError: an object of class Scaled has no attribute facter; did you mean factor?

scaled = Scaled()

def application(x, output):
    output = scaled(x)
#            ^^^^^^^^^ caller

vectors(application)
# ---- a property
class Scaled:
    @property
    def factor(self):
        return 2

    def apply(self, x):
        return x * self.factor
#                  ^^^^^^^^^^^
# error: TypeMismatchError: Scaled.factor is a property, which Python computes; keep its value in an attribute, or in a variable outside

apply = Scaled().apply

def application(x, output):
    output = apply(x)
#            ^^^^^^^^ caller

vectors(application)
# ---- an attribute that is a tensor
class Scaled:
    def __init__(self):
        self.factor = torch.ones(3)

    def __call__(self, x):
        return x * self.factor
#                  ^^^^^^^^^^^
# error: TypeMismatchError: Scaled.factor is a Tensor from outside the application, which cannot be used inside; numbers, element types, tuples and functions can, and tensors come in as parameters

scaled = Scaled()

def application(x, output):
    output = scaled(x)
#            ^^^^^^^^^ caller

vectors(application)
# ---- an object as an operand
class Scaled:
    def __call__(self, x):
        return x

scaled = Scaled()

def application(x, output):
    output = x * scaled
#            ^^^^^^^^^^
# error: TypeMismatchError: an operand must be a number or a block, not an object of class Scaled

vectors(application)
# ---- a method with too few arguments
class Scaled:
    def apply(self, x, factor):
        return x * factor

apply = Scaled().apply

def application(x, output):
    output = apply(x)
#            ^^^^^^^^
# error: ArgumentError: apply(self, x, factor) does not take these arguments: missing a required argument: 'factor'

vectors(application)
# ---- a method that calls itself
class Powers:
    def power(self, x, n):
        return x * self.power(x, n - 1)
#                  ^^^^^^^^^^^^^^^^^^^^
# error: UnsupportedSyntaxError: power calls itself; write a loop

power = Powers().power

def application(x, output):
    output = power(x, 3)
#            ^^^^^^^^^^^ caller

vectors(application)
# ---- a module of torch
gelu = torch.nn.GELU()

def application(x, output):
    output = gelu(x)
#            ^^^^
# error: TypeMismatchError: gelu is a GELU from outside the application, which cannot be used inside; numbers, element types, tuples and functions can, and tensors come in as parameters

vectors(application)
# ---- a decorated application whose parameters are hidden
import functools

def twice(function):
    @functools.wraps(function)
    def wrapper(*tensors):
#                ^^^^^^^
# error: ArgumentError: wrapper, which decorates application, must take its tensors as plain parameters, without *, ** and keyword-only parameters; name one parameter a tensor
        function(*tensors)
        function(*tensors)

    return wrapper

@twice
def application(x, output):
    output += x

make(blocks, application, (Tensor(1), Tensor(1)))
# ---- a cached application
import functools

@functools.cache
def application(x, output):
    output = x

make(blocks, application, (Tensor(1), Tensor(1)))
# error: UnsupportedSyntaxError: the application must be a function written with def, not an object of class _lru_cache_wrapper; write one whose parameters are the tensors
# ---- a primitive outside an application
ntl.exp(1.0)
# error: NineToothedError: ntl.exp has a meaning inside an application only; call a kernel that uses it
# ---- zeros outside an application
ntl.zeros((4,), dtype=ntl.float32)
# error: NineToothedError: ntl.zeros has a meaning inside an application only; call a kernel that uses it
