# Wrong numbers for ``Tensor.eval`` and ``Tensor.subs``.

# ---- a size without a number
Tensor(2, name="x").eval()
# error: ArrangementError: eval: x_size_0, x_size_1 have no value; give them one each in subs, as in eval({x: {"shape": (4, 8)}, B: 2})
# ---- a symbol without a number
x = Tensor(1, name="x").tile((Symbol("B"),))
x.eval({x: {"shape": (8,)}})
# error: ArrangementError: eval: B has no value; give it one in subs, as in eval({x: {"shape": (4, 8)}, B: 2})
# ---- another tensor
Tensor(1, name="x").eval({Tensor(1): {"shape": (8,)}})
# error: ArrangementError: eval: x_size_0 has no value; give it one in subs, as in eval({x: {"shape": (4, 8)}, B: 2})
# ---- a shape of a wrong rank
x = Tensor(2, name="x")
x.eval({x: {"shape": (8,)}})
# error: ArrangementError: x has 2 dims, and is given the shape (8,); give one size a dim
# ---- a tensor of a wrong rank
x = Tensor(2, name="x")
x.eval({x: torch.ones(8)})
# error: ArrangementError: x has 2 dims, and is given the shape (8,); give one size a dim
# ---- a tensor that is given a tuple
x = Tensor(2, name="x")
x.eval({x: (4, 8)})
# error: ArrangementError: x is given (4, 8); write {"shape": (4, 8)}, or a tensor of that shape
# ---- a tensor that is given another key
x = Tensor(1, name="x")
x.eval({x: {"size": (8,)}})
# error: ArrangementError: x is given {'size': (8,)}; write {"shape": (4, 8)}, or a tensor of that shape
# ---- a tensor that is given a number
x = Tensor(1, name="x")
x.subs({x: 8})
# error: ArrangementError: x is given 8; write {"shape": (4, 8)}, or a tensor of that shape
# ---- a shape that is a number
x = Tensor(1, name="x")
x.eval({x: {"shape": 8}})
# error: ArrangementError: x is given {'shape': 8}; write {"shape": (4, 8)}, or a tensor of that shape
# ---- a size that is no integer
x = Tensor(1, name="x")
x.eval({x: {"shape": (8.0,)}})
# error: SymbolError: size 0 of x must be an integer, not 8.0
# ---- a size of None
x = Tensor(1, name="x")
x.eval({x: {"shape": (None,)}})
# error: SymbolError: size 0 of x must be an integer, not None
# ---- a negative size
x = Tensor(1, name="x")
x.eval({x: {"shape": (-8,)}})
# error: ArrangementError: size 0 of x is -8; sizes are at least 0
# ---- another size than it has
x = Tensor(shape=(4, 8), name="x")
x.eval({x: {"shape": (4, 9)}})
# error: ArrangementError: size 1 of x is 8, not 9; leave it as it is
# ---- a value that is no integer
B = Symbol("B")
Tensor(shape=(8,)).tile((B,)).eval({B: 2.0})
# error: SymbolError: the value of B must be an integer, not 2.0
# ---- a value that is a boolean
B = Symbol("B")
Tensor(shape=(8,)).tile((B,)).eval({B: True})
# error: SymbolError: the value of B must be an integer, not True
# ---- a value for an expression
B = Symbol("B")
Tensor(shape=(8,)).tile((B,)).eval({B + 1: 2})
# error: SymbolError: B + 1 is no tensor and no plain name; give numbers to the names in it
# ---- a value for a name
B = Symbol("B")
Tensor(shape=(8,)).tile((B,)).eval({"B": 2})
# error: SymbolError: 'B' is no tensor and no plain name; give numbers to the names in it
# ---- two values for one symbol
x = Tensor(1, name="x")
x.eval({x: {"shape": (4,)}, x.shape[0]: 5})
# error: ArrangementError: x_size_0 is given 4 and 5; one symbol has one value
# ---- no dict
Tensor(1, name="x").eval(8)
# error: ArrangementError: subs must be a dict of tensors and symbols, not 8
# ---- no dict for the function
ninetoothed.subs(Tensor(1, name="x"), 8)
# error: ArrangementError: subs must be a dict of tensors and symbols, not 8
# ---- an inner level
x = Tensor(shape=(8,), name="x").tile((2,))
x.dtype.eval()
# error: ArrangementError: eval: this is an inner level of x; evaluate the tensor itself
# ---- a tile of size zero
B = Symbol("B")
Tensor(shape=(8,)).tile((B,)).eval({B: 0})
#<^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error: ArrangementError: tile: a tile of size 0; sizes are at least 1
# ---- a squeezed dim that is not 1
x = Tensor(2, name="x")
x.squeeze(0).eval({x: {"shape": (2, 3)}})
#<^^^^^^^^^^^
# error: ArrangementError: squeeze: dim 0 of (2, 3) has size 2; only dims of size at most 1 can be removed
# ---- a slice that is too long
x = Tensor(1, name="x")
x[:3].eval({x: {"shape": (2,)}})
#<^^^^
# error: ArrangementError: slice: 3 <= 2 does not hold for a tensor of sizes (2,); slice inside it
# ---- something that is no tensor
ninetoothed.eval((4, 8))
# error: ArrangementError: (4, 8) is no symbolic tensor; write ninetoothed.Tensor(2)
# ---- a wrong number of lengths
x = Tensor(2, jagged_dim=1, name="x")
x.eval({x: {"shape": (3, (4, 5))}})
# error: ArrangementError: x has 3 sequences, and is given 2 lengths; give one a sequence
# ---- a negative length
x = Tensor(2, jagged_dim=1, name="x")
x.eval({x: {"shape": (2, (4, -5))}})
# error: ArrangementError: the lengths of x are (4, -5); lengths are integers of at least 0
# ---- lengths of a dim that is not jagged
x = Tensor(2, name="x")
x.eval({x: {"shape": (2, (4, 5))}})
# error: SymbolError: size 1 of x must be an integer, not (4, 5)
