# Statements that do nothing, and expressions that give nothing.

# ---- a comparison in the place of an assignment
def application(x, output):
    output == x + 1
# error: UnsupportedSyntaxError: this statement does nothing, for its value is unused; write `output = x + 1` to store, or leave it out

vectors(application)
# ---- arithmetic whose value is unused
def application(x, output):
    output = x
    output + 1
# error: UnsupportedSyntaxError: this statement does nothing, for its value is unused; assign it, or leave it out

vectors(application)
# ---- a function that is not called
def application(x, output):
    ntl.debug_barrier
# error: UnsupportedSyntaxError: this statement does nothing, for its value is unused; assign it, or leave it out
    output = x

vectors(application)
# ---- a conversion whose value is unused
def application(x, output):
    x.to(ntl.float16)
# error: UnsupportedSyntaxError: this statement does nothing, for its value is unused; assign it, or leave it out
    output = x

vectors(application)
# ---- a function of the language whose value is unused
def application(x, output):
    ntl.softmax(x)
# error: UnsupportedSyntaxError: this statement does nothing, for its value is unused; assign it, or leave it out
    output = x

vectors(application)
# ---- stores as the sides of a conditional expression
def store(y, value):
    y = value

def application(x, output):
    store(output, x) if ntl.sum(x) > 0 else store(output, -x)
#   ^^^^^^^^^^^^^^^^
# error: TypeMismatchError: both sides of a conditional expression must be values, and this one gives none; write an `if` statement

vectors(application)
