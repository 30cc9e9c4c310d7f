"""Wrong numbers for ``Tensor.eval`` and ``Tensor.subs``."""

from __future__ import annotations

from pathlib import Path

from tests.support.messages import Case, check, each


@each(
    Case(
        "a size without a number",
        """
        Tensor(2, name="x").eval()
        """,
        """
        ArrangementError: eval: x_size_0, x_size_1 have no value; give them one each in subs, as in eval({x: {"shape": (4, 8)}, B: 2})
          File "kernel.py", line 1, column 1, in <module>
            Tensor(2, name="x").eval()
            ^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a symbol without a number",
        """
        x = Tensor(1, name="x").tile((Symbol("B"),))
        x.eval({x: {"shape": (8,)}})
        """,
        """
        ArrangementError: eval: B has no value; give it one in subs, as in eval({x: {"shape": (4, 8)}, B: 2})
          File "kernel.py", line 2, column 1, in <module>
            x.eval({x: {"shape": (8,)}})
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "another tensor",
        """
        Tensor(1, name="x").eval({Tensor(1): {"shape": (8,)}})
        """,
        """
        ArrangementError: eval: x_size_0 has no value; give it one in subs, as in eval({x: {"shape": (4, 8)}, B: 2})
          File "kernel.py", line 1, column 1, in <module>
            Tensor(1, name="x").eval({Tensor(1): {"shape": (8,)}})
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a shape of a wrong rank",
        """
        x = Tensor(2, name="x")
        x.eval({x: {"shape": (8,)}})
        """,
        """
        ArrangementError: x has 2 dims, and is given the shape (8,); give one size a dim
          File "kernel.py", line 2, column 1, in <module>
            x.eval({x: {"shape": (8,)}})
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a tensor of a wrong rank",
        """
        x = Tensor(2, name="x")
        x.eval({x: torch.ones(8)})
        """,
        """
        ArrangementError: x has 2 dims, and is given the shape (8,); give one size a dim
          File "kernel.py", line 2, column 1, in <module>
            x.eval({x: torch.ones(8)})
            ^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a tensor that is given a tuple",
        """
        x = Tensor(2, name="x")
        x.eval({x: (4, 8)})
        """,
        """
        ArrangementError: x is given (4, 8); write {"shape": (4, 8)}, or a tensor of that shape
          File "kernel.py", line 2, column 1, in <module>
            x.eval({x: (4, 8)})
            ^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a tensor that is given another key",
        """
        x = Tensor(1, name="x")
        x.eval({x: {"size": (8,)}})
        """,
        """
        ArrangementError: x is given {'size': (8,)}; write {"shape": (4, 8)}, or a tensor of that shape
          File "kernel.py", line 2, column 1, in <module>
            x.eval({x: {"size": (8,)}})
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a tensor that is given a number",
        """
        x = Tensor(1, name="x")
        x.subs({x: 8})
        """,
        """
        ArrangementError: x is given 8; write {"shape": (4, 8)}, or a tensor of that shape
          File "kernel.py", line 2, column 1, in <module>
            x.subs({x: 8})
            ^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a shape that is a number",
        """
        x = Tensor(1, name="x")
        x.eval({x: {"shape": 8}})
        """,
        """
        ArrangementError: x is given {'shape': 8}; write {"shape": (4, 8)}, or a tensor of that shape
          File "kernel.py", line 2, column 1, in <module>
            x.eval({x: {"shape": 8}})
            ^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a size that is no integer",
        """
        x = Tensor(1, name="x")
        x.eval({x: {"shape": (8.0,)}})
        """,
        """
        SymbolError: size 0 of x must be an integer, not 8.0
          File "kernel.py", line 2, column 1, in <module>
            x.eval({x: {"shape": (8.0,)}})
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a size of None",
        """
        x = Tensor(1, name="x")
        x.eval({x: {"shape": (None,)}})
        """,
        """
        SymbolError: size 0 of x must be an integer, not None
          File "kernel.py", line 2, column 1, in <module>
            x.eval({x: {"shape": (None,)}})
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a negative size",
        """
        x = Tensor(1, name="x")
        x.eval({x: {"shape": (-8,)}})
        """,
        """
        ArrangementError: size 0 of x is -8; sizes are at least 0
          File "kernel.py", line 2, column 1, in <module>
            x.eval({x: {"shape": (-8,)}})
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "another size than it has",
        """
        x = Tensor(shape=(4, 8), name="x")
        x.eval({x: {"shape": (4, 9)}})
        """,
        """
        ArrangementError: size 1 of x is 8, not 9; leave it as it is
          File "kernel.py", line 2, column 1, in <module>
            x.eval({x: {"shape": (4, 9)}})
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a value that is no integer",
        """
        B = Symbol("B")
        Tensor(shape=(8,)).tile((B,)).eval({B: 2.0})
        """,
        """
        SymbolError: the value of B must be an integer, not 2.0
          File "kernel.py", line 2, column 1, in <module>
            Tensor(shape=(8,)).tile((B,)).eval({B: 2.0})
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a value that is a boolean",
        """
        B = Symbol("B")
        Tensor(shape=(8,)).tile((B,)).eval({B: True})
        """,
        """
        SymbolError: the value of B must be an integer, not True
          File "kernel.py", line 2, column 1, in <module>
            Tensor(shape=(8,)).tile((B,)).eval({B: True})
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a value for an expression",
        """
        B = Symbol("B")
        Tensor(shape=(8,)).tile((B,)).eval({B + 1: 2})
        """,
        """
        SymbolError: B + 1 is no tensor and no plain name; give numbers to the names in it
          File "kernel.py", line 2, column 1, in <module>
            Tensor(shape=(8,)).tile((B,)).eval({B + 1: 2})
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a value for a name",
        """
        B = Symbol("B")
        Tensor(shape=(8,)).tile((B,)).eval({"B": 2})
        """,
        """
        SymbolError: 'B' is no tensor and no plain name; give numbers to the names in it
          File "kernel.py", line 2, column 1, in <module>
            Tensor(shape=(8,)).tile((B,)).eval({"B": 2})
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "two values for one symbol",
        """
        x = Tensor(1, name="x")
        x.eval({x: {"shape": (4,)}, x.shape[0]: 5})
        """,
        """
        ArrangementError: x_size_0 is given 4 and 5; one symbol has one value
          File "kernel.py", line 2, column 1, in <module>
            x.eval({x: {"shape": (4,)}, x.shape[0]: 5})
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "no dict",
        """
        Tensor(1, name="x").eval(8)
        """,
        """
        ArrangementError: subs must be a dict of tensors and symbols, not 8
          File "kernel.py", line 1, column 1, in <module>
            Tensor(1, name="x").eval(8)
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "no dict for the function",
        """
        ninetoothed.subs(Tensor(1, name="x"), 8)
        """,
        """
        ArrangementError: subs must be a dict of tensors and symbols, not 8
          File "kernel.py", line 1, column 1, in <module>
            ninetoothed.subs(Tensor(1, name="x"), 8)
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "an inner level",
        """
        x = Tensor(shape=(8,), name="x").tile((2,))
        x.dtype.eval()
        """,
        """
        ArrangementError: eval: this is an inner level of x; evaluate the tensor itself
          File "kernel.py", line 2, column 1, in <module>
            x.dtype.eval()
            ^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a tile of size zero",
        """
        B = Symbol("B")
        Tensor(shape=(8,)).tile((B,)).eval({B: 0})
        """,
        """
        ArrangementError: tile: a tile of size 0; sizes are at least 1
          File "kernel.py", line 2, column 1, in <module>
            Tensor(shape=(8,)).tile((B,)).eval({B: 0})
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a squeezed dim that is not 1",
        """
        x = Tensor(2, name="x")
        x.squeeze(0).eval({x: {"shape": (2, 3)}})
        """,
        """
        ArrangementError: squeeze: dim 0 of (2, 3) has size 2; only dims of size 1 can be removed
          File "kernel.py", line 2, column 1, in <module>
            x.squeeze(0).eval({x: {"shape": (2, 3)}})
            ^^^^^^^^^^^^
        """,
    ),
    Case(
        "a slice that is too long",
        """
        x = Tensor(1, name="x")
        x[:3].eval({x: {"shape": (2,)}})
        """,
        """
        ArrangementError: slice: 3 <= 2 does not hold for a tensor of sizes (2,); slice inside it
          File "kernel.py", line 2, column 1, in <module>
            x[:3].eval({x: {"shape": (2,)}})
            ^^^^^
        """,
    ),
    Case(
        "something that is no tensor",
        """
        ninetoothed.eval((4, 8))
        """,
        """
        ArrangementError: (4, 8) is no symbolic tensor; write ninetoothed.Tensor(2)
          File "kernel.py", line 1, column 1, in <module>
            ninetoothed.eval((4, 8))
            ^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a wrong number of lengths",
        """
        x = Tensor(2, jagged_dim=1, name="x")
        x.eval({x: {"shape": (3, (4, 5))}})
        """,
        """
        ArrangementError: x has 3 sequences, and is given 2 lengths; give one a sequence
          File "kernel.py", line 2, column 1, in <module>
            x.eval({x: {"shape": (3, (4, 5))}})
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a negative length",
        """
        x = Tensor(2, jagged_dim=1, name="x")
        x.eval({x: {"shape": (2, (4, -5))}})
        """,
        """
        ArrangementError: the lengths of x are (4, -5); lengths are integers of at least 0
          File "kernel.py", line 2, column 1, in <module>
            x.eval({x: {"shape": (2, (4, -5))}})
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "lengths of a dim that is not jagged",
        """
        x = Tensor(2, name="x")
        x.eval({x: {"shape": (2, (4, 5))}})
        """,
        """
        SymbolError: size 1 of x must be an integer, not (4, 5)
          File "kernel.py", line 2, column 1, in <module>
            x.eval({x: {"shape": (2, (4, 5))}})
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
)
def test_message(case: Case, tmp_path: Path) -> None:
    check(case, tmp_path)
