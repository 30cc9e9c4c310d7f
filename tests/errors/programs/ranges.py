# What loops go over: steps, bounds and hints.

# ---- a step of zero
def application(x, output):
    for i in range(0, 4, 0):
#                        ^
# error: UnsupportedSyntaxError: a step of 0: the loop would never end; write another step
        output = x

vectors(application)
# ---- a step by keyword of zero
def application(x, output):
    for i in ntl.static_range(0, 4, step=0):
#                                        ^
# error: UnsupportedSyntaxError: a step of 0: the loop would never end; write another step
        output = x

vectors(application)
# ---- a step that only the call knows
def arrangement(x, n, output):
    return x.tile((64,)), n, output.tile((64,))

def application(x, n, output):
    for i in range(0, 4, n):
#                        ^
# error: UnsupportedSyntaxError: whether a loop of the step the tensor n counts up or down is not known when compiling; let it count by 1, and multiply the index by the step
        output = x

make(arrangement, application, (Tensor(1), Tensor(0, dtype="i32"), Tensor(1)))
# ---- a step that may be zero
def application(x, output):
    for i in range(
        8,
        0,
        -x.shape[1],
#       ^^^^^^^^^^^
# error: UnsupportedSyntaxError: whether a loop of the step the size -x_size_1 counts up or down is not known when compiling; let it count by 1, and multiply the index by the step
    ):
        output = x

def arrangement(x, output):
    return x.tile((1, -1)).squeeze(1), output.tile((1, -1)).squeeze(1)

make(arrangement, application, (Tensor(2), Tensor(2)))
# ---- a float as a step
def application(x, output):
    for i in range(0, 4, 0.5):
#                        ^^^
# error: UnsupportedSyntaxError: whether a loop of the step 0.5 counts up or down is not known when compiling; let it count by 1, and multiply the index by the step
        output = x

vectors(application)
# ---- a float as a bound
def application(x, output):
    for i in range(4.0, 0, -1):
#            ^^^^^^^^^^^^^^^^^ error: TypeMismatchError: range takes integers, not 4.0
        output = x

vectors(application)
# ---- an unrolled loop over a size
def arrangement(x, output):
    return x.tile((1, -1)), output.tile((1, -1))

def application(x, output):
    for i in ntl.static_range(x.shape[1]):
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: ntl.static_range takes integers that are known when compiling, not the size x_size_1; write ntl.range
        output = x

make(arrangement, application, (Tensor(2), Tensor(2)))
# ---- a variable of an unrolled loop that does not run
def application(x, output):
    for i in ntl.static_range(0):
        y = x
    output = y
#            ^
# error: UndefinedNameError: y is assigned in the loop at line 2, which does not run; assign it before the loop

vectors(application)
# ---- too many bounds
def application(x, output):
    for i in ntl.range(0, 4, 1, 2):
#            ^^^^^^^^^^^^^^^^^^^^^
# error: ArgumentError: ntl.range takes one to three integers, not 4
        output = x

vectors(application)
# ---- a step given twice
def application(x, output):
    for i in ntl.range(0, 4, 1, step=2):
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^ error: ArgumentError: ntl.range is given step twice
        output = x

vectors(application)
# ---- an unknown hint
def application(x, output):
    for i in ntl.range(4, stages=2):
#            ^^^^^^^^^^^^^^^^^^^^^^
# error: ArgumentError: ntl.range has no argument stages; it takes step, num_stages, loop_unroll_factor, disallow_acc_multi_buffer, flatten, warp_specialize
        output = x

vectors(application)
# ---- a hint of the wrong type
def application(x, output):
    for i in ntl.range(4, num_stages=2.0):
#                                    ^^^
# error: TypeMismatchError: ntl.range: num_stages must be an integer that is known when compiling, not 2.0
        output = x

vectors(application)
# ---- a flag of the wrong type
def application(x, output):
    for i in ntl.range(4, flatten=1):
#                                 ^
# error: TypeMismatchError: ntl.range: flatten must be True or False, not 1
        output = x

vectors(application)
# ---- a range outside a loop
def application(x, output):
    y = ntl.static_range(4)
#       ^^^^^^^^^^^^^^^^^^^
# error: UnsupportedSyntaxError: ntl.static_range stands in a loop only; write `for i in ntl.static_range(n)`
    output = x

vectors(application)
