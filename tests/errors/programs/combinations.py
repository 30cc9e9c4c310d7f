# Functions that combine lanes, and do more or less than that.

# ---- floats of eight bits in a combination
def combine(a, b):
    return a + b

def application(x, output):
    output = x + ntl.reduce(x.to(ntl.float8e5), 0, combine)
#                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: ntl.reduce does not combine fp8e5, since Triton computes with blocks of it only; convert it first: ntl.cast(x, ntl.float32)

vectors(application, "fp32", "fp32")
# ---- a combination of another type
def combine(a, b):
    return a > b

def application(x, output):
    output = x + ntl.reduce(x, 0, combine)
#                ^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: ntl.reduce: the function combine must return a scalar of fp32, as it takes, not a scalar of i1; convert with ntl.cast

vectors(application, "fp32", "fp32")
# ---- a combination of too few
def combine(a, b, c, d):
    return a + c

def application(x, output):
    output = ntl.associative_scan((x, x), 0, combine)[0]
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: ntl.associative_scan: the function combine must return 2 scalars, of fp32 and fp32, as it takes, not a scalar of fp32; convert with ntl.cast

vectors(application, "fp32", "fp32")
# ---- a combination that gives nothing
def combine(a, b):
    c = a + b

def application(x, output):
    output = x + ntl.reduce(x, 0, combine)
#                ^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: what the function combine returns must be a number or a block, not None

vectors(application, "fp32", "fp32")
# ---- a combination of other arguments
def combine(a):
    return a

def application(x, output):
    output = x + ntl.reduce(x, 0, combine)
#                ^^^^^^^^^^^^^^^^^^^^^^^^^
# error: ArgumentError: combine(a) does not take these arguments: too many positional arguments

vectors(application, "fp32", "fp32")
# ---- a combination that is no function
def application(x, output):
    output = x + ntl.reduce(x, 0, "max")
#                ^^^^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: 'max' cannot be called inside an application; functions of ntl and plain Python functions can

vectors(application, "fp32", "fp32")
# ---- a combination that reads
def application(x, output):
    def combine(a, b):
        return a + b * ntl.load(x.source.data_ptr())
#                               ^^^^^^^^^^^^^^^^^^^
# error: UnsupportedSyntaxError: ntl.reduce: the function combine combines scalars, and uses a value from outside that is known at run time only; give it as a block of the input

    output = x + ntl.reduce(x, 0, combine)
#                ^^^^^^^^^^^^^^^^^^^^^^^^^ caller

vectors(application, "fp32", "fp32")
# ---- a combination that writes
def combine(a, b):
    ntl.device_print("a", a)
# error: UnsupportedSyntaxError: ntl.reduce: the function combine combines scalars, and may not read, write or print; do so outside
    return a + b

def application(x, output):
    output = x + ntl.reduce(x, 0, combine)
#                ^^^^^^^^^^^^^^^^^^^^^^^^^ caller

vectors(application, "fp32", "fp32")
# ---- a combination that uses a value from outside
def application(x, output):
    largest = ntl.max(x)

    def combine(a, b):
        return (a + b) / largest
#              ^^^^^^^^^^^^^^^^^
# error: UnsupportedSyntaxError: ntl.reduce: the function combine combines scalars, and uses a value from outside that is known at run time only; give it as a block of the input

    output = x + ntl.reduce(x, 0, combine)
#                ^^^^^^^^^^^^^^^^^^^^^^^^^ caller

vectors(application, "fp32", "fp32")
# ---- a combination that uses a size from outside
def application(x, output):
    def combine(a, b):
        return (a + b) / x.source.shape[0]
#              ^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: UnsupportedSyntaxError: ntl.reduce: the function combine combines scalars, and uses a value from outside that is known at run time only; give it as a block of the input

    output = x + ntl.reduce(x, 0, combine)
#                ^^^^^^^^^^^^^^^^^^^^^^^^^ caller

vectors(application, "fp32", "fp32")
# ---- a combination that uses the program's number
def combine(a, b):
    return a + b * ntl.program_id(0)
#                  ^^^^^^^^^^^^^^^^^
# error: UnsupportedSyntaxError: ntl.reduce: the function combine combines scalars, and uses a value from outside that is known at run time only; give it as a block of the input

def application(x, output):
    output = x + ntl.reduce(x, 0, combine)
#                ^^^^^^^^^^^^^^^^^^^^^^^^^ caller

vectors(application, "fp32", "fp32")
# ---- a combination that makes a block
def combine(a, b):
    return a + b + ntl.sum(ntl.arange(0, 16))
#                          ^^^^^^^^^^^^^^^^^
# error: ShapeError: ntl.reduce: the function combine combines scalars, and makes a block of shape (16,) of i32; compute it outside

def application(x, output):
    output = x + ntl.reduce(x, 0, combine)
#                ^^^^^^^^^^^^^^^^^^^^^^^^^ caller

vectors(application, "fp32", "fp32")
# ---- a combination that loops
def combine(a, b):
    for _ in range(3):
# error: UnsupportedSyntaxError: ntl.reduce: the function combine combines scalars without loops; write `for i in ntl.static_range(n)`
        a = a * b
    return a

def application(x, output):
    output = x + ntl.reduce(x, 0, combine)
#                ^^^^^^^^^^^^^^^^^^^^^^^^^ caller

vectors(application, "fp32", "fp32")
