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
# ---- star in a tuple
def application(x, output):
    pair = (*(1, 2), x)
#           ^^^^^^^
# error: UnsupportedSyntaxError: the operator * is not part of the language; write the elements one by one
    output = pair[2]

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
# ---- max of blocks
def application(x, output):
    output = max(x, 0.0)
#            ^^^^^^^^^^^
# error: TypeMismatchError: max takes numbers known when compiling; use ntl.maximum

vectors(application)
# ---- sum of a block
def application(x, output):
    output = sum(x)
#            ^^^^^^ error: TypeMismatchError: sum takes numbers known when compiling; use ntl.sum

vectors(application)
