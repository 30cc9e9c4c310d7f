# Expressions that give nothing.

# ---- stores as the sides of a conditional expression
def store(y, value):
    y = value

def application(x, output):
    store(output, x) if ntl.sum(x) > 0 else store(output, -x)
#   ^^^^^^^^^^^^^^^^
# error: TypeMismatchError: both sides of a conditional expression must be values, and this one gives none; write an `if` statement

vectors(application)
