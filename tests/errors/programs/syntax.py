# Statements that the language does not have, and what to write instead.

# ---- try
def application(x, output):
    try:
# error: UnsupportedSyntaxError: `try` is not part of the language; check for the mistake before it happens
        output = x
    except ValueError:
        pass

vectors(application)
# ---- with
def application(x, output):
    with open("log") as log:
# error: UnsupportedSyntaxError: `with` is not part of the language; write its body without it
        output = x

vectors(application)
# ---- class
def application(x, output):
    class Scale:
# error: UnsupportedSyntaxError: a class is not part of the language; define the class outside the application
        factor = 2

    output = x * Scale.factor

vectors(application)
# ---- async
async def application(x, output):
    output = x

make(blocks, application, (Tensor(1), Tensor(1)))
# error: UnsupportedSyntaxError: application is async; write it with def
# ---- star in a target
def application(x, output):
    first, *rest = x, 1, 2
#          ^^^^^
# error: UnsupportedSyntaxError: the operator * is not part of the language; write the elements one by one
    output = first

vectors(application)
# ---- continue
def application(x, output):
    for i in range(4):
        if i == 2:
            continue
# error: UnsupportedSyntaxError: `continue` is not part of the language; put the rest of the body into an `if`
        output = x

vectors(application)
# ---- return in a loop
def application(x, output):
    for i in range(4):
        return
# error: UnsupportedSyntaxError: `return` in a loop or under a condition that is known at run time only is not part of the language; assign to a variable and return it at the end

vectors(application)
# ---- return of a value
def application(x, output):
    return x + 1
# error: UnsupportedSyntaxError: an application returns nothing; assign the value to an output parameter

vectors(application)
# ---- return under a run-time condition
def positive(value):
    if value > 0:
        return value
# error: UnsupportedSyntaxError: `return` in a loop or under a condition that is known at run time only is not part of the language; assign to a variable and return it at the end
    return 0.0

def application(x, output):
    output = x * positive(ntl.sum(x))
#                ^^^^^^^^^^^^^^^^^^^^ caller

vectors(application)
# ---- else of a loop
def application(x, output):
    for i in range(4):
# error: UnsupportedSyntaxError: `else` of a loop is not part of the language; write it after it
        output = x
    else:
        output = x + 1

vectors(application)
# ---- a loop over a tuple
def application(x, output):
    for i in (1, 2):
#            ^^^^^^
# error: UnsupportedSyntaxError: a loop iterates over range(…); write `for i in range(n)`
        output = x * i

vectors(application)
# ---- a loop over a block
def application(x, output):
    for value in x:
#                ^
# error: UnsupportedSyntaxError: a loop iterates over range(…); write `for i in range(n)`
        output = value

vectors(application)
# ---- a loop with two variables
def application(x, output):
    for i, j in enumerate(range(4)):
#       ^^^^ error: UnsupportedSyntaxError: a loop has one variable; write `for i in range(n)`
        output = x

vectors(application)
# ---- range of too many arguments
def application(x, output):
    for i in range(0, 4, 1, 2):
#            ^^^^^^^^^^^^^^^^^ error: ArgumentError: range takes one to three integers, not 4
        output = x

vectors(application)
# ---- range of a keyword
def application(x, output):
    for i in range(stop=4):
#            ^^^^^^^^^^^^^
# error: UnsupportedSyntaxError: a loop iterates over range(…); write `for i in range(n)`
        output = x

vectors(application)
# ---- range of a float
def application(x, output):
    for i in range(4.0):
#            ^^^^^^^^^^ error: TypeMismatchError: range takes integers, not 4.0
        output = x

vectors(application)
# ---- range of a starred tuple
def application(x, output):
    for i in range(*(0, 4)):
#                  ^^^^^^^
# error: UnsupportedSyntaxError: the operator * is not part of the language; write the elements one by one
        output = x

vectors(application)
# ---- global
count = 0

def application(x, output):
    global count
# error: UnsupportedSyntaxError: `global` is not part of the language; return the value, or assign to an output
    count = 1
    output = x

vectors(application)
# ---- import
def application(x, output):
    import math
# error: UnsupportedSyntaxError: `import` is not part of the language; import at the top of the file

    output = x * math.pi

vectors(application)
# ---- raise
def application(x, output):
    raise ValueError("no")
# error: UnsupportedSyntaxError: `raise` is not part of the language; check sizes before calling the kernel

vectors(application)
# ---- del
def application(x, output):
    y = x
    del y
# error: UnsupportedSyntaxError: `del` is not part of the language; leave the variable as it is
    output = x

vectors(application)
# ---- an assertion that does not hold
def application(x, output):
    assert x.shape[0] < 64, "give small blocks"
# error: AssertionFailedError: the assertion does not hold: give small blocks
    output = x

vectors(application)
# ---- an assertion without a text that does not hold
def application(x, output):
    assert x.dtype == ntl.int32
# error: AssertionFailedError: the assertion does not hold
    output = x

vectors(application, "fp32")
# ---- an assertion that does not hold at run time
def application(x, output):
    assert ntl.sum(x) < 64, "give small numbers"
# error: AssertionFailedError: give small numbers (program 0)
    output = x

vectors(application)(torch.ones(64), torch.ones(64))
# ---- print with a keyword
def application(x, output):
    print(x, sep="")
# error: ArgumentError: print has no argument sep in the language; give it values only
    output = x

vectors(application)
# ---- an assertion whose text is no string
def application(x, output):
    assert x.shape[0] < 64, x
#                           ^
# error: TypeMismatchError: the text of an assert must be a string, not the tensor x
    output = x

vectors(application)
# ---- an assertion with an f-string
def application(x, output):
    assert x.shape[0] < 64, f"{x.shape[0]} lanes"
#                           ^^^^^^^^^^^^^^^^^^^^^
# error: UnsupportedSyntaxError: an f-string is not part of the language; write a plain string
    output = x

vectors(application)
# ---- match
def application(x, output):
    match 1:
# error: UnsupportedSyntaxError: `match` is not part of the language; write `if`
        case 1:
            output = x

vectors(application)
# ---- an attribute as a target
def application(x, output):
    output.data = x
#   ^^^^^^^^^^^
# error: UnsupportedSyntaxError: an assignment goes to a variable or to a parameter; attributes cannot be assigned

vectors(application)
# ---- an attribute of a local in place
def application(x, output):
    y = x + 1
    y.T += 1
#   ^^^
# error: ShapeError: a block of shape (64,) of fp32 has no two dims to swap; give it another, as in ntl.expand_dims(x, 0)
    output = y

vectors(application)
