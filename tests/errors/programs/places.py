# Expressions over several lines: the line and the columns that are meant.

# ---- a chain of methods
def application(x, output):
    output = (
        x
        .exp()
        .foo()
#        ^^^
# error: UndefinedNameError: a block of shape (64,) has no attribute foo; did you mean floor?
    )

vectors(application)
# ---- a chain of methods whose last one is given too much
def application(x, output):
    output = (
        x
        .exp()
        .exp(1).log()
#        ^^^^^^ error: ArgumentError: ntl.exp(x) takes 1 argument, not 2
    )

vectors(application)
# ---- a method behind a call over several lines
def application(x, output):
    output = ntl.exp(
        x
    ).tanh(
#     ^^^^
# error: UndefinedNameError: a block of shape (64,) has no attribute tanh; a block has shape, dtype, ndim, T, to(dtype), and methods as sum(axis)
        2,
    )

vectors(application)
# ---- an attribute behind a call over several lines
def application(x, output):
    output = ntl.exp(
        x
    ).größe
#     ^^^^^
# error: UndefinedNameError: a block of shape (64,) has no attribute größe; a block has shape, dtype, ndim, T, to(dtype), and methods as sum(axis)

vectors(application)
# ---- a chain on one line
def application(x, output):
    output = x.exp().foo().log()
#            ^^^^^^^^^^^
# error: UndefinedNameError: a block of shape (64,) has no attribute foo; did you mean floor?

vectors(application)
