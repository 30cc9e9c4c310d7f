# Conditions, and variables that change their type or shape in loops and branches.

# ---- a condition that is a block
def application(x, output):
    if x > 0:
#      ^^^^^
# error: ShapeError: a condition must be one number, not a block of shape (64,) of i1; select lanes with ntl.where
        output = x

vectors(application)
# ---- a ternary whose condition is a block
def application(x, output):
    output = x if x > 0 else -x
#                 ^^^^^
# error: ShapeError: a condition must be one number, not a block of shape (64,) of i1; select lanes with ntl.where

vectors(application)
# ---- and of blocks as a condition
def application(x, y, output):
    if x > 0 and y > 0:
#      ^^^^^^^^^^^^^^^
# error: ShapeError: a condition must be one number, not a block of shape (64,) of i1; select lanes with ntl.where
        output = x

vectors(application)
# ---- a variable that changes its type in a loop
def application(x, output):
    total = ntl.zeros((64,), dtype=ntl.int32)
    for i in range(4):
        total = total + x
#       ^^^^^
# error: TypeMismatchError: total changes its type in the loop, from a block of shape (64,) of i32 to a block of shape (64,) of fp32; give it its last type before the loop
    output = total

vectors(application, "fp32")
# ---- a variable that changes its shape in a loop
def application(x, output):
    total = 0.0
    for i in range(4):
        total = total + x
#       ^^^^^
# error: ShapeError: total is a scalar before the loop and a block of shape (64,) behind its body; give it its last shape before the loop, as in ntl.zeros(x.shape, x.dtype)
    output = total

vectors(application)
# ---- a variable that becomes a scalar in a loop
def application(x, output):
    total = x
    for i in range(4):
        total = ntl.sum(total)
#       ^^^^^
# error: ShapeError: total is a block of shape (64,) before the loop and a scalar behind its body; give it its last shape before the loop, as in ntl.zeros(x.shape, x.dtype)
    output = total

vectors(application)
# ---- a variable that is a tuple in a loop
def application(x, output):
    pair = (x, x)
    for i in range(4):
        pair = (pair[1], pair[0])
#       ^^^^
# error: TypeMismatchError: pair is a tuple of 2 and cannot be assigned in a loop; use another name
    output = pair[0]

vectors(application)
# ---- a variable that is a function in a loop
def application(x, output):
    f = ntl.exp
    for i in range(4):
        f = ntl.log
#       ^
# error: TypeMismatchError: f is the function ntl.exp and cannot be assigned in a loop; use another name
    output = f(x)

vectors(application)
# ---- a variable that becomes a tuple in a loop
def application(x, output):
    y = x
    for i in range(4):
        y = (x, x)
#       ^ error: TypeMismatchError: y must be a number or a block, not a tuple of 2
    output = y

vectors(application)
# ---- branches of different types
def application(x, output):
    if ntl.sum(x) > 0:
        y = ntl.cast(x, ntl.int32)
    else:
        y = x
#       ^
# error: TypeMismatchError: y is a block of shape (64,) of i32 in one branch and a block of shape (64,) of fp32 in the other; convert one of them
    output = y

vectors(application, "fp32")
# ---- branches of different shapes
def application(x, output):
    y = x
    if ntl.sum(x) > 0:
        y = 0.0
#       ^
# error: ShapeError: y is a scalar in one branch and a block of shape (64,) in the other; give both one shape, as in ntl.full(x.shape, 0, x.dtype)
    output = y

vectors(application)
# ---- a branch that makes a tuple
def application(x, output):
    y = x
    if ntl.sum(x) > 0:
        y = (x, x)
#       ^ error: TypeMismatchError: y must be a number or a block, not a tuple of 2
    output = y

vectors(application)
