# Symbols: names, options, and comparisons that nothing decides.

# ---- a comparison that nothing decides
n = Symbol("n")
if n > 16:
#  ^^^^^^
# error: SymbolError: whether n > 16 holds depends on values that are not known when compiling; give its symbols bounds (lower_bound, upper_bound) that decide it, or write it without `if`
    n = n // 2
# ---- a comparison in an arrangement
def arrangement(x, output):
    block = 16 if x.shape[0] < 1024 else 1024
#                 ^^^^^^^^^^^^^^^^^
# error: SymbolError: whether x_size_0 < 1024 holds depends on values that are not known when compiling; give its symbols bounds (lower_bound, upper_bound) that decide it, or write it without `if`
    return x.tile((block,)), output.tile((block,))

def application(x, output):
    output = x

make(arrangement, application, (Tensor(1, name="x"), Tensor(1)))
# ---- the truth of a symbol
n = Symbol("n")
block = 16 if n else 32
#       ^^^^^^^^^^^^^^^
# error: SymbolError: whether n is 0 depends on values that are not known when compiling; give its symbols bounds (lower_bound, upper_bound) that decide it, or write it without `if`
# ---- min of symbols
size = min(Symbol("m"), Symbol("n"))
#      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: SymbolError: whether n < m holds depends on values that are not known when compiling; give its symbols bounds (lower_bound, upper_bound) that decide it, or write it without `if`
# ---- equality of shapes
if Tensor(1, name="x").shape == Tensor(1, name="y").shape:
#  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: SymbolError: whether x_size_0 == y_size_0 holds depends on values that are not known when compiling; give its symbols bounds (lower_bound, upper_bound) that decide it, or write it without `if`
    block = 16
# ---- a conjunction that nothing decides
n = Symbol("n")
if (n > 16) & (n < 32):
# error: SymbolError: whether n > 16 and n < 32 holds depends on values that are not known when compiling; give its symbols bounds (lower_bound, upper_bound) that decide it, or write it without `if`
    n = n // 2
# ---- a chain of comparisons
n = Symbol("n")
fits = 16 < n < 32
#      ^^^^^^^^^^^
# error: SymbolError: whether n > 16 holds depends on values that are not known when compiling; give its symbols bounds (lower_bound, upper_bound) that decide it, or write it without `if`
# ---- the symbolic minimum with a float
Symbol("n").minimum(1.5)
# error: SymbolError: n is an integer, and 1.5 is not; symbols take integers and symbols
# ---- the symbolic maximum with a text
Symbol("n").maximum("m")
# error: SymbolError: n is an integer, and 'm' is not; symbols take integers and symbols
# ---- a minimum of three
Symbol("min(a, b, c)")
# error: SymbolError: 'min(a, b, c)' is no symbol; write a name, or an expression of names, integers, + - * // %, comparisons, &, min and max
# ---- a name that is no name
Symbol("block size")
# error: SymbolError: 'block size' is no symbol; write a name, or an expression of names, integers, + - * // %, comparisons, &, min and max
# ---- an operator that symbols do not have
Symbol("n / 2")
# error: SymbolError: 'n / 2' is no symbol; write a name, or an expression of names, integers, + - * // %, comparisons, &, min and max
# ---- a symbol of a float
Symbol(1.5)
# error: SymbolError: 1.5 is no symbol; write a name, or an expression of names, integers, + - * // %, comparisons, &, min and max
# ---- true division
Symbol("n") / 2
# error: SymbolError: symbols are integers; write n // 2
# ---- a power
Symbol("n") ** 2
# error: SymbolError: symbols have no power; write n * n, once a factor
# ---- division by zero
Symbol("n") // 0
# error: SymbolError: n is divided by zero; a divisor must be at least 1
# ---- modulo zero
Symbol("n") % 0
# error: SymbolError: n is divided by zero; a divisor must be at least 1
# ---- a float operand
Symbol("n") * 1.5
# error: SymbolError: n is an integer, and 1.5 is not; symbols take integers and symbols
# ---- bounds that cross
Symbol("n", constexpr=True, lower_bound=64, upper_bound=32)
# error: SymbolError: n: lower_bound=64 is above upper_bound=32; swap them
# ---- a bound that is no integer
Symbol("n", constexpr=True, lower_bound=1.5)
# error: SymbolError: n: lower_bound must be an integer, not 1.5
# ---- meta that is no constexpr
Symbol("n", meta=True, constexpr=False)
# error: SymbolError: n: meta=True implies constexpr; leave constexpr out
# ---- options of an expression
Symbol("n * 2", constexpr=True)
# error: SymbolError: n * 2 is no plain name, so it takes no options; give them to the names in it
# ---- options of a number
Symbol(64, meta=True)
# error: SymbolError: 64 is no plain name, so it takes no options; give them to the names in it
# ---- no power of two inside the bounds
Symbol("n", meta=True, lower_bound=33, upper_bound=63)
# error: SymbolError: n: no power of two lies between 33 and 63; widen the bounds, or write power_of_two=False
# ---- int() of a symbol
int(Symbol("n"))
# error: SymbolError: n is a symbol, whose value is not known here; compute with the symbol itself, or give it a number instead
# ---- range() of a symbol
for i in range(Symbol("n")):
#        ^^^^^^^^^^^^^^^^^^
# error: SymbolError: n is a symbol, whose value is not known here; compute with the symbol itself, or give it a number instead
    pass
# ---- a block of no elements
Symbol("n", meta=True, lower_bound=0, upper_bound=0)
# error: SymbolError: n: lower_bound=0, but a block has at least 1 element
# ---- half a size, of sympy's
import sympy

x = Tensor(1, name="x")
x.tile((sympy.sympify(x.shape[0]) / 2,))
# error: SymbolError: x_size_0/2 is no integer expression; write one of integers, symbols, +, -, *, floor, ceiling, Mod, Min, Max and comparisons, for example sympy.floor(n / 2)
# ---- a number of sympy's that is no integer
import sympy

Symbol("B", meta=True) + sympy.pi
# error: SymbolError: pi is no integer expression; write one of integers, symbols, +, -, *, floor, ceiling, Mod, Min, Max and comparisons, for example sympy.floor(n / 2)
