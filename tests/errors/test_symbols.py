"""Symbols: names, options, and comparisons that nothing decides."""

from __future__ import annotations

from pathlib import Path

from tests.support.messages import Case, check, each


@each(
    Case(
        "a comparison that nothing decides",
        """
        n = Symbol("n")
        if n > 16:
            n = n // 2
        """,
        """
        SymbolError: whether n > 16 holds depends on values that are not known when compiling; give its symbols bounds (lower_bound, upper_bound) that decide it, or write it without `if`
          File "kernel.py", line 2, column 4, in <module>
            if n > 16:
               ^^^^^^
        """,
    ),
    Case(
        "a comparison in an arrangement",
        """
        def arrangement(x, output):
            block = 16 if x.shape[0] < 1024 else 1024
            return x.tile((block,)), output.tile((block,))


        def application(x, output):
            output = x


        make(arrangement, application, (Tensor(1, name="x"), Tensor(1)))
        """,
        """
        SymbolError: whether x_size_0 < 1024 holds depends on values that are not known when compiling; give its symbols bounds (lower_bound, upper_bound) that decide it, or write it without `if`
          File "kernel.py", line 2, column 19, in arrangement
            block = 16 if x.shape[0] < 1024 else 1024
                          ^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "the truth of a symbol",
        """
        n = Symbol("n")
        block = 16 if n else 32
        """,
        """
        SymbolError: whether n is 0 depends on values that are not known when compiling; give its symbols bounds (lower_bound, upper_bound) that decide it, or write it without `if`
          File "kernel.py", line 2, column 9, in <module>
            block = 16 if n else 32
                    ^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "min of symbols",
        """
        size = min(Symbol("m"), Symbol("n"))
        """,
        """
        SymbolError: whether n < m holds depends on values that are not known when compiling; give its symbols bounds (lower_bound, upper_bound) that decide it, or write it without `if`
          File "kernel.py", line 1, column 8, in <module>
            size = min(Symbol("m"), Symbol("n"))
                   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "equality of shapes",
        """
        if Tensor(1, name="x").shape == Tensor(1, name="y").shape:
            block = 16
        """,
        """
        SymbolError: whether x_size_0 == y_size_0 holds depends on values that are not known when compiling; give its symbols bounds (lower_bound, upper_bound) that decide it, or write it without `if`
          File "kernel.py", line 1, column 4, in <module>
            if Tensor(1, name="x").shape == Tensor(1, name="y").shape:
               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a conjunction that nothing decides",
        """
        n = Symbol("n")
        if (n > 16) & (n < 32):
            n = n // 2
        """,
        """
        SymbolError: whether n > 16 and n < 32 holds depends on values that are not known when compiling; give its symbols bounds (lower_bound, upper_bound) that decide it, or write it without `if`
          File "kernel.py", line 2, column 1, in <module>
            if (n > 16) & (n < 32):
            ^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a chain of comparisons",
        """
        n = Symbol("n")
        fits = 16 < n < 32
        """,
        """
        SymbolError: whether n > 16 holds depends on values that are not known when compiling; give its symbols bounds (lower_bound, upper_bound) that decide it, or write it without `if`
          File "kernel.py", line 2, column 8, in <module>
            fits = 16 < n < 32
                   ^^^^^^^^^^^
        """,
    ),
    Case(
        "the symbolic minimum with a float",
        """
        Symbol("n").minimum(1.5)
        """,
        """
        SymbolError: n is an integer, and 1.5 is not; symbols take integers and symbols
          File "kernel.py", line 1, column 1, in <module>
            Symbol("n").minimum(1.5)
            ^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "the symbolic maximum with a text",
        """
        Symbol("n").maximum("m")
        """,
        """
        SymbolError: n is an integer, and 'm' is not; symbols take integers and symbols
          File "kernel.py", line 1, column 1, in <module>
            Symbol("n").maximum("m")
            ^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a minimum of three",
        """
        Symbol("min(a, b, c)")
        """,
        """
        SymbolError: 'min(a, b, c)' is no symbol; write a name, or an expression of names, integers, + - * // %, comparisons, &, min and max
          File "kernel.py", line 1, column 1, in <module>
            Symbol("min(a, b, c)")
            ^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a name that is no name",
        """
        Symbol("block size")
        """,
        """
        SymbolError: 'block size' is no symbol; write a name, or an expression of names, integers, + - * // %, comparisons, &, min and max
          File "kernel.py", line 1, column 1, in <module>
            Symbol("block size")
            ^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "an operator that symbols do not have",
        """
        Symbol("n / 2")
        """,
        """
        SymbolError: 'n / 2' is no symbol; write a name, or an expression of names, integers, + - * // %, comparisons, &, min and max
          File "kernel.py", line 1, column 1, in <module>
            Symbol("n / 2")
            ^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a symbol of a float",
        """
        Symbol(1.5)
        """,
        """
        SymbolError: 1.5 is no symbol; write a name, or an expression of names, integers, + - * // %, comparisons, &, min and max
          File "kernel.py", line 1, column 1, in <module>
            Symbol(1.5)
            ^^^^^^^^^^^
        """,
    ),
    Case(
        "true division",
        """
        Symbol("n") / 2
        """,
        """
        SymbolError: symbols are integers; write n // 2
          File "kernel.py", line 1, column 1, in <module>
            Symbol("n") / 2
            ^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a power",
        """
        Symbol("n") ** 2
        """,
        """
        SymbolError: symbols have no power; write n * n, once a factor
          File "kernel.py", line 1, column 1, in <module>
            Symbol("n") ** 2
            ^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "division by zero",
        """
        Symbol("n") // 0
        """,
        """
        SymbolError: n is divided by zero; a divisor must be at least 1
          File "kernel.py", line 1, column 1, in <module>
            Symbol("n") // 0
            ^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "modulo zero",
        """
        Symbol("n") % 0
        """,
        """
        SymbolError: n is divided by zero; a divisor must be at least 1
          File "kernel.py", line 1, column 1, in <module>
            Symbol("n") % 0
            ^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a float operand",
        """
        Symbol("n") * 1.5
        """,
        """
        SymbolError: n is an integer, and 1.5 is not; symbols take integers and symbols
          File "kernel.py", line 1, column 1, in <module>
            Symbol("n") * 1.5
            ^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "bounds that cross",
        """
        Symbol("n", constexpr=True, lower_bound=64, upper_bound=32)
        """,
        """
        SymbolError: n: lower_bound=64 is above upper_bound=32; swap them
          File "kernel.py", line 1, column 1, in <module>
            Symbol("n", constexpr=True, lower_bound=64, upper_bound=32)
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a bound that is no integer",
        """
        Symbol("n", constexpr=True, lower_bound=1.5)
        """,
        """
        SymbolError: n: lower_bound must be an integer, not 1.5
          File "kernel.py", line 1, column 1, in <module>
            Symbol("n", constexpr=True, lower_bound=1.5)
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "meta that is no constexpr",
        """
        Symbol("n", meta=True, constexpr=False)
        """,
        """
        SymbolError: n: meta=True implies constexpr; leave constexpr out
          File "kernel.py", line 1, column 1, in <module>
            Symbol("n", meta=True, constexpr=False)
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "options of an expression",
        """
        Symbol("n * 2", constexpr=True)
        """,
        """
        SymbolError: n * 2 is no plain name, so it takes no options; give them to the names in it
          File "kernel.py", line 1, column 1, in <module>
            Symbol("n * 2", constexpr=True)
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "options of a number",
        """
        Symbol(64, meta=True)
        """,
        """
        SymbolError: 64 is no plain name, so it takes no options; give them to the names in it
          File "kernel.py", line 1, column 1, in <module>
            Symbol(64, meta=True)
            ^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "no power of two inside the bounds",
        """
        Symbol("n", meta=True, lower_bound=33, upper_bound=63)
        """,
        """
        SymbolError: n: no power of two lies between 33 and 63; widen the bounds, or write power_of_two=False
          File "kernel.py", line 1, column 1, in <module>
            Symbol("n", meta=True, lower_bound=33, upper_bound=63)
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "int() of a symbol",
        """
        int(Symbol("n"))
        """,
        """
        SymbolError: n is a symbol, whose value is not known here; compute with the symbol itself, or give it a number instead
          File "kernel.py", line 1, column 1, in <module>
            int(Symbol("n"))
            ^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "range() of a symbol",
        """
        for i in range(Symbol("n")):
            pass
        """,
        """
        SymbolError: n is a symbol, whose value is not known here; compute with the symbol itself, or give it a number instead
          File "kernel.py", line 1, column 10, in <module>
            for i in range(Symbol("n")):
                     ^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a block of no elements",
        """
        Symbol("n", meta=True, lower_bound=0, upper_bound=0)
        """,
        """
        SymbolError: n: lower_bound=0, but a block has at least 1 element
          File "kernel.py", line 1, column 1, in <module>
            Symbol("n", meta=True, lower_bound=0, upper_bound=0)
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
)
def test_message(case: Case, tmp_path: Path) -> None:
    check(case, tmp_path)
