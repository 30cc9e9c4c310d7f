# Mistakes in loops: conditions, carried variables, loop variables.

# ---- a loop that never ends
def application(x, output):
    while True:
#         ^^^^
# error: UnsupportedSyntaxError: this condition is always true, so that the loop would never end; write one that the loop's body changes
        output = x

vectors(application)
# ---- a condition that the loop does not change
def application(x, output):
    while x.shape[0] > 32:
#         ^^^^^^^^^^^^^^^
# error: UnsupportedSyntaxError: this condition is always true, so that the loop would never end; write one that the loop's body changes
        output = x

vectors(application)
# ---- a lock that other programs wait for
def application(x, output):
    while ntl.atomic_cas(output.source.data_ptr(), 0, 1) != 0:
# error: NineToothedError: programs wait in this loop for what another program must do, which never happens here: an iteration changes neither a variable nor memory, and the interpreter runs each operation for all programs at once, so that none goes on while others wait; release a lock in the iteration that takes it, use atomics that need no lock, such as ntl.atomic_add, make two kernels of it, or run it on a GPU
        pass
    ntl.atomic_xchg(output.source.data_ptr(), 0)

vectors(application)(*[torch.zeros(128, dtype=torch.int32) for _ in range(2)])
# ---- a variable that stays what it is
def application(x, output):
    n = x.source.shape[0]
    while n > 1:
# error: NineToothedError: this loop never ends: an iteration changes neither a variable nor memory; write a condition that the loop's body changes
        n = n // 1
    output = x * n

vectors(application)(*[torch.zeros(128) for _ in range(2)])
# ---- while of a block
def application(x, output):
    total = x
    while total > 0:
#         ^^^^^^^^^
# error: ShapeError: a condition must be one number, not a block of shape (64,) of i1; select lanes with ntl.where
        total = total - 1
    output = total

vectors(application)
# ---- else of while
def application(x, output):
    i = 0
    while i < 4:
# error: UnsupportedSyntaxError: `else` of a loop is not part of the language; write it after it
        i += 1
    else:
        output = x

vectors(application)
# ---- return in while
def application(x, output):
    i = 0
    while i < 4:
        i += 1
        return
# error: UnsupportedSyntaxError: `return` in a loop or under a condition that is known at run time only is not part of the language; assign to a variable and return it at the end

vectors(application)
# ---- break in while
def application(x, output):
    i = 0
    while i < 4:
        i += 1
        break
# error: UnsupportedSyntaxError: `break` is not part of the language; write `while` with the condition to go on

vectors(application)
# ---- a variable that changes its type in while
def application(x, output):
    total = ntl.zeros((64,), dtype=ntl.int32)
    i = 0
    while i < 4:
        total = total + x
#       ^^^^^
# error: TypeMismatchError: total changes its type in the loop, from a block of shape (64,) of i32 to a block of shape (64,) of fp32; give it its last type before the loop
        i += 1
    output = total

vectors(application, "fp32")
# ---- a variable that changes its shape in while
def application(x, output):
    total = 0.0
    i = 0
    while i < 4:
        total = total + x
#       ^^^^^
# error: ShapeError: total is a scalar before the loop and a block of shape (64,) behind its body; give it its last shape before the loop, as in ntl.zeros(x.shape, x.dtype)
        i += 1
    output = total

vectors(application)
# ---- a variable that is a tuple in while
def application(x, output):
    pair = (x, x)
    i = 0
    while i < 4:
        pair = (pair[1], pair[0])
#       ^^^^
# error: TypeMismatchError: pair is a tuple of 2 and cannot be assigned in a loop; use another name
        i += 1
    output = pair[0]

vectors(application)
# ---- a variable that only while assigns
def application(x, output):
    i = 0
    while i < 4:
        last = x * i
        i += 1
    output = last
#            ^^^^
# error: UndefinedNameError: last is assigned in the loop at line 3, which may not run; assign it before the loop

vectors(application)
# ---- a variable that while does not assign
def application(x, output):
    while False:
        last = x
    output = last
#            ^^^^
# error: UndefinedNameError: last is assigned in the loop at line 2, which does not run; assign it before the loop

vectors(application)
# ---- a variable that one branch in while assigns
def application(x, output):
    i = 0
    while i < 4:
        if i > 2:
            y = x
        i += 1
        output = y
#                ^
# error: UndefinedNameError: y is assigned in one branch of the `if` at line 4 only; assign it in both, or before

vectors(application)
# ---- a loop variable behind its loop
def application(x, output):
    for i in range(4):
        output = x
    output = x * i
#                ^
# error: UndefinedNameError: i is assigned in the loop at line 2, which may not run; assign it before the loop

vectors(application)
# ---- a loop variable that has been a variable before
def application(x, output):
    i = 7
    for i in range(4):
        output = x
    output = x * i
#                ^
# error: UndefinedNameError: i is the variable of the loop at line 3, and has no value behind it; assign it to another variable in the loop

vectors(application)
# ---- a loop variable of a loop in a loop
def application(x, output):
    j = 7
    for i in range(4):
        output = x * j
#                    ^
# error: UndefinedNameError: j is the variable of the loop at line 5, and has no value behind it; assign it to another variable in the loop
        for j in range(4):
            output = x

vectors(application)
# ---- a loop variable that is a parameter
def application(x, output):
    for output in range(4):
#       ^^^^^^
# error: TypeMismatchError: output is a parameter and cannot be the variable of a loop; use another name
        pass

vectors(application)
# ---- a mistake beside the variable of a loop that is too long to be unrolled
def application(x, output):
    count = 0
    while count < 2000:
        count += 1
    output = (x + ntl.zeros((3,), ntl.float32)) * count
#             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: ShapeError: shapes (64,) and (3,) do not broadcast: 64 is not 3; make them equal, or one of them 1

vectors(application)
# ---- a loop that is unrolled and does not end in time
def application(x, output):
    step = 1
    while step > 0:
#         ^^^^^^^^
# error: UnsupportedSyntaxError: this loop runs when compiling, since a number that it computes is needed then, and after 1,024 iterations this still holds; write a condition that ends the loop before
        output = x + ntl.sum(ntl.zeros((step,), ntl.float32))
        step += 1

vectors(application)
# ---- a shape by a variable that no unrolling makes a number
def application(x, output):
    i = 1
    while i < x.source.shape[0]:
        output = x + ntl.sum(ntl.zeros((i,), ntl.float32))
#                            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: ShapeError: ntl.zeros: a shape holds sizes that are known when compiling, as in (64,) and x.shape; not (a scalar of i32)
        i += 1

vectors(application)
# ---- a shape that is wrong in the second iteration of an unrolled loop
def application(x, output):
    step = 32
    while step > 0:
        output = ntl.reshape(ntl.reshape(x, (64 // step, step)), (64,))
#                            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: ShapeError: ntl.reshape: a block of shape (64,) cannot become (5, 12): it has 64 lanes, not 60; give sizes with that product
        step -= 20

vectors(application)
# ---- return in a loop that is not unrolled for it
def application(x, output):
    i = 0
    while i < 4:
        output = x * i
        i += 1
        return
# error: UnsupportedSyntaxError: `return` in a loop or under a condition that is known at run time only is not part of the language; assign to a variable and return it at the end

vectors(application)
