# Functions inside functions, and functions whose assignments would be lost.

# ---- a loop variable that a nested function reads
def application(x, output):
    for i in range(4):
        def scaled(value):
# error in application: UnsupportedSyntaxError: scaled reads the loop variable i of application; give scaled a parameter i, and pass it
            return value * i

        output = scaled(x)

vectors(application)
# ---- a loop variable that a function nested deeper reads
def application(x, output):
    def outer(value):
# error in application: UnsupportedSyntaxError: outer reads the loop variable i of application; give outer a parameter i, and pass it
        def inner():
            return value * i

        return inner()

    for i in ntl.static_range(4):
        output = outer(x)

vectors(application)
# ---- a nested function that calls itself
def application(x, output):
    def power(value, n):
        return value * power(value, n - 1)
#                      ^^^^^^^^^^^^^^^^^^^
# error: UnsupportedSyntaxError: power calls itself; write a loop

    output = power(x, 4)
#            ^^^^^^^^^^^ caller

vectors(application)
# ---- nested functions that call each other
def application(x, output):
    def even(value):
        return odd(value)
#              ^^^^^^^^^^ caller

    def odd(value):
        return even(value)
#              ^^^^^^^^^^^ error: UnsupportedSyntaxError: even calls itself; write a loop

    output = even(x)
#            ^^^^^^^ caller 2

vectors(application)
# ---- a nested function that calls the application
def application(x, output):
    def again():
        application(x, output)
# error: UnsupportedSyntaxError: application calls itself; write a loop

    again()
# caller

vectors(application)
# ---- a nested function with too few arguments
def application(x, output):
    def scaled(value, factor, *, more=1):
        return value * factor * more

    output = scaled(x)
#            ^^^^^^^^^
# error: ArgumentError: scaled(value, factor, *, more=1) does not take these arguments: missing a required argument: 'factor'

vectors(application)
# ---- a nested function that assigns an output
def application(x, output):
    def write(value):
# error in application: UnsupportedSyntaxError: write assigns output, which is a variable of its own there and not the parameter of application; give write a parameter output, and pass it
        output = value

    write(x)

vectors(application)
# ---- nonlocal
def application(x, output):
    total = x

    def add():
        nonlocal total
# error: UnsupportedSyntaxError: `nonlocal` is not part of the language; return the value, or assign to an output
        total = total + x

    add()
# caller
    output = total

vectors(application)
# ---- a decorated nested function
def plain(function):
    return function

def application(x, output):
    @plain
#    ^^^^^
# error: UnsupportedSyntaxError: a decorator inside an application is not part of the language; leave it out, or define the function outside
    def twice(value):
        return value * 2

    output = twice(x)

vectors(application)
# ---- an async nested function
def application(x, output):
    async def twice(value):
# error: UnsupportedSyntaxError: an async function is not part of the language; write it with def
        return value * 2

    output = x

vectors(application)
# ---- a nested function with the name of a parameter
def application(x, output):
    def output(value):
# error in application: TypeMismatchError: output is a parameter; give the function another name
        return value

vectors(application)
# ---- a nested function that is not always defined
def application(x, output):
    if ntl.sum(x) > 0:
        def twice(value):
            return value * 2

    output = twice(x)
#            ^^^^^
# error: UndefinedNameError: twice is assigned in one branch of the `if` at line 2 only; assign it in both, or before

vectors(application)
# ---- a name that a nested function does not find
def application(x, output):
    factor = 2

    def scaled(value):
        return value * facter
#                      ^^^^^^
# error: UndefinedNameError: there is no name facter; did you mean factor?

    output = scaled(x)
#            ^^^^^^^^^ caller

vectors(application)
# ---- a name that has no value when a nested function is called
def application(x, output):
    def scaled(value):
        return value * factor
#                      ^^^^^^ error: UndefinedNameError: factor has no value yet; assign it before

    output = scaled(x)
#            ^^^^^^^^^ caller
    factor = 2

vectors(application)
# ---- a nested function as a value
def application(x, output):
    def twice(value):
        return value * 2

    output = twice + x
#            ^^^^^^^^^
# error: TypeMismatchError: an operand must be a number or a block, not the function twice

vectors(application)
# ---- an assignment to an expression
def add(x, y, output):
    output = x + y
#   ^^^^^^
# error: TypeMismatchError: output is a value of the caller, where assigning it here changes nothing; pass an output parameter, or return the value

def application(x, output):
    y = ntl.zeros(x.shape, x.dtype)
    add(x, x, y + 0)
# caller
    output = y

vectors(application)
# ---- an assignment in place to an expression
def accumulate(total, x):
    for i in range(4):
        total += x * i
#       ^^^^^
# error: TypeMismatchError: total is a value of the caller, where assigning it here changes nothing; pass an output parameter, or return the value

def application(x, output):
    total = x * 0
    accumulate(total.to(ntl.float32), x)
# caller
    output = total

vectors(application)
# ---- an assignment to a number that is known
def count_up(count):
    count += 1
#   ^^^^^
# error: TypeMismatchError: count is a value of the caller, where assigning it here changes nothing; pass an output parameter, or return the value

def application(x, output):
    count_up(3)
# caller
    output = x

vectors(application)
# ---- an assignment to a size
def halve(size):
    size //= 2
#   ^^^^
# error: TypeMismatchError: size is a value of the caller, where assigning it here changes nothing; pass an output parameter, or return the value

def application(x, output):
    halve(x.shape[0])
# caller
    output = x

vectors(application)
# ---- an assignment to an element of a tuple
def accumulate(total, x):
    total += x
#   ^^^^^
# error: TypeMismatchError: total is a value of the caller, where assigning it here changes nothing; pass an output parameter, or return the value

def application(x, output):
    totals = (x * 0, x * 1)
    accumulate(*totals)
# caller
    output = totals[0]

vectors(application)
# ---- one variable for two assigned parameters
def both(one, two, x):
    one = x
    two = x * 2

def application(x, output):
    y = x * 0
    both(y, two=y, x=x)
#               ^
# error: ArgumentError: both assigns one and two, which are given one variable; copy it first, as in `y = x`, and pass both
    output = y

vectors(application)
# ---- one variable for a parameter and another that a nested call assigns
def add(total, x):
    total += x

def both(one, two, x):
    one = x
    add(two, x)
#       ^^^
# error: ArgumentError: both assigns one and two, which are given one variable; copy it first, as in `y = x`, and pass both

def application(x, output):
    y = x * 0
    both(y, y, x)
# caller
    output = y

vectors(application)
# ---- one variable for two parameters that nested calls assign
def add(total, x):
    total += x

def both(one, two, x):
    add(one, x)
    add(two, x)
#       ^^^
# error: ArgumentError: both assigns one and two, which are given one variable; copy it first, as in `y = x`, and pass both

def application(x, output):
    y = x * 0
    both(y, y, x)
# caller
    output = y

vectors(application)
# ---- a variable of the function around the caller
def add(total, x):
    total += x
#   ^^^^^
# error: UnsupportedSyntaxError: add assigns total, which names y, a variable of application and not of more; give more a parameter y, and pass it

def application(x, output):
    y = x * 0

    def more():
        add(y, x)
# caller

    more()
# caller 2
    output = y

vectors(application)
# ---- a call in a loop that changes a type
def widen(value):
    value = value.to(ntl.float64)

def application(x, output):
    y = x
    for i in range(4):
        widen(y)
#             ^
# error: TypeMismatchError: y changes its type in the loop, from a block of shape (64,) of fp32 to a block of shape (64,) of fp64; give it its last type before the loop
    output = y

vectors(application, "float32", "float32")
# ---- a call in a loop that changes a shape
def shorten(value):
    value = ntl.sum(value, 0)

def application(x, output):
    y = x
    i = 0
    while i < 4:
        shorten(y)
#               ^
# error: ShapeError: y is a block of shape (64,) before the loop and a scalar behind its body; give it its last shape before the loop, as in ntl.zeros(x.shape, x.dtype)
        i += 1
    output = y

vectors(application)
# ---- a call in a branch that changes a type
def widen(value):
    value = value.to(ntl.float64)

def application(x, output):
    y = x
    if ntl.sum(x) > 0:
        widen(y)
#             ^
# error: TypeMismatchError: y is a block of shape (64,) of fp64 in one branch and a block of shape (64,) of fp32 in the other; convert one of them
    output = y

vectors(application, "float32", "float32")
# ---- a function that a call in a loop assigns
def choose(function):
    function = ntl.exp

def application(x, output):
    function = ntl.sin
    for i in range(4):
        choose(function)
#              ^^^^^^^^
# error: TypeMismatchError: function is the function ntl.sin and cannot be assigned in a loop; use another name
    output = function(x)

vectors(application)
# ---- a variable that a called function's loop takes
def count(i):
    for i in range(4):
        pass

def application(x, output):
    i = 2
    count(i)
    output = x * i
#                ^
# error: UndefinedNameError: i is the variable of the loop at line 2, and has no value behind it; assign it to another variable in the loop

vectors(application)
# ---- a condition that the loop's calls do not change
def step(i):
    return i + 1

def application(x, output):
    i = 0
    while i < 4:
#         ^^^^^
# error: UnsupportedSyntaxError: this condition is always true, so that the loop would never end; write one that the loop's body changes
        step(i)
        output = x

vectors(application)
# ---- a number of the call
def scale(x, factor):
    factor = factor * 2

def application(x, factor, output):
    factor = factor * 2
#   ^^^^^^
# error: TypeMismatchError: factor is a number, which is passed by value and cannot be assigned; use another name
    scale(x, factor)
    output = x * factor

def arrangement(x, factor, output):
    return x.tile((16,)), factor, output.tile((16,))

make(arrangement, application, (Tensor(1), Tensor(0), Tensor(1)))
# ---- an output of a function that returns a value
def write(target, value):
    target = value
#   ^^^^^^
# error: TypeMismatchError: write returns a value and so changes no parameter, and what is assigned to target is lost; let it return nothing, or this value, too
    return value

def application(x, output):
    write(output, x)
# caller

vectors(application)
# ---- a function with ** in its parameters
def scaled(x, **options):
    return x

def application(x, output):
    output = scaled(x)
#            ^^^^^^^^^
# error: UnsupportedSyntaxError: ** in the parameters of scaled is not part of the language; name them

vectors(application)
# ---- a partial of something else
import functools

total = functools.partial(sum, start=1)

def application(x, output):
    output = total(x)
#            ^^^^^^^^
# error: TypeMismatchError: a partial of the function sum cannot be called inside an application; functions of ntl and those written with def can

vectors(application)
# ---- a tensor as a default
def scaled(x, by=torch.ones(3)):
    return x * by

def application(x, output):
    output = scaled(x)
#            ^^^^^^^^^
# error: TypeMismatchError: by is a Tensor from outside the application, which cannot be used inside; numbers, element types, tuples and functions can, and tensors come in as parameters

vectors(application)
# ---- a tensor in a tuple outside
scales = (1, torch.ones(3))

def application(x, output):
    output = x * scales[1]
#                ^^^^^^
# error: TypeMismatchError: scales[1] is a Tensor from outside the application, which cannot be used inside; numbers, element types, tuples and functions can, and tensors come in as parameters

vectors(application)
# ---- a class without the name
class Steps:
    offset = 5

def application(x, output):
    output = x + Steps.ofset
#                ^^^^^^^^^^^
# error: UndefinedNameError: the class Steps has no attribute ofset; did you mean offset?

vectors(application)
