# What can be an application, and what annotates the parameters of one for ``jit``.

# ---- a lambda
make(blocks, lambda x, output: x, (Tensor(1), Tensor(1)))
# error: UnsupportedSyntaxError: the application is a lambda; write it with def, with statements
# ---- a builtin
make(lambda x: x.tile((16,)), print, (Tensor(1),))
# error: UnsupportedSyntaxError: the application must be a function written with def, not the builtin print; write one whose parameters are the tensors
# ---- a function of C
import math

make(lambda x: x.tile((16,)), math.sin, (Tensor(1),))
# error: UnsupportedSyntaxError: the application must be a function written with def, not the builtin sin; write one whose parameters are the tensors
# ---- a class
class Application:
    def __call__(self, x, output):
        output = x

make(lambda x: x.tile((16,)), Application, (Tensor(1),))
# error: UnsupportedSyntaxError: the application must be a function written with def, not the class Application; write one whose parameters are the tensors
# ---- an object
class Application:
    def __call__(self, x, output):
        output = x

make(lambda x: x.tile((16,)), Application(), (Tensor(1),))
# error: UnsupportedSyntaxError: the application must be a function written with def, not an object of class Application; write one whose parameters are the tensors
# ---- a method
class Kernels:
    def application(self, x, output):
        output = x

make(lambda x: x.tile((16,)), Kernels().application, (Tensor(1),))
# error: UnsupportedSyntaxError: the application must be a function written with def, not the method application; write one whose parameters are the tensors
# ---- a partial
import functools

def application(x, output, scale):
    output = x * scale

make(lambda x: x.tile((16,)), functools.partial(application, scale=2), (Tensor(1),))
# error: UnsupportedSyntaxError: the application must be a function written with def, not an object of class partial; write one whose parameters are the tensors
# ---- no function at all
make(lambda x: x.tile((16,)), "application", (Tensor(1),))
# error: UnsupportedSyntaxError: the application must be a function written with def, not 'application'; write one whose parameters are the tensors
# ---- a function without source
namespace = {}
exec("def application(x, output):\n    output = x\n", namespace)
make(lambda x: x.tile((16,)), namespace["application"], (Tensor(1),))
# error: UnsupportedSyntaxError: the source of application in <string> cannot be read; kernels are compiled from source, so define it in a file
# ---- a generator
def application(x, output):
    yield x
# error: UnsupportedSyntaxError: `yield` is not part of the language; assign to an output

vectors(application)
# ---- star parameters
def application(*tensors):
#                ^^^^^^^
# error: ArgumentError: application must take its tensors as plain parameters, without *, ** and keyword-only parameters; name one parameter a tensor
    tensors[1] = tensors[0]

make(lambda x, y: (x.tile((16,)), y.tile((16,))), application, (Tensor(1), Tensor(1)))
# ---- keyword parameters
def application(x, *, output):
#                     ^^^^^^
# error: ArgumentError: application must take its tensors as plain parameters, without *, ** and keyword-only parameters; name one parameter a tensor
    output = x

make(lambda x, y: (x.tile((16,)), y.tile((16,))), application, (Tensor(1), Tensor(1)))
# ---- double star parameters
def application(x, **others):
#                    ^^^^^^
# error: ArgumentError: application must take its tensors as plain parameters, without *, ** and keyword-only parameters; name one parameter a tensor
    x = x + 1

make(lambda x: x.tile((16,)), application, (Tensor(1),))
# ---- a kernel as application
def application(x, output):
    output = x

kernel = vectors(application)
make(blocks, kernel, (Tensor(1), Tensor(1)))
# error: UnsupportedSyntaxError: the application must be a function written with def, not an object of class Kernel; write one whose parameters are the tensors
# ---- a kernel inside an application
def copy(x, output):
    output = x

kernel = vectors(copy)

def application(x, output):
    kernel(x, output)
#   ^^^^^^
# error: TypeMismatchError: kernel is a Kernel from outside the application, which cannot be used inside; numbers, element types, tuples and functions can, and tensors come in as parameters

vectors(application)
# ---- jit of a lambda
jit(lambda x: x)
# error: UnsupportedSyntaxError: what jit takes is a lambda; write it with def, with statements
# ---- jit of a class
@jit
#^^^
# error: UnsupportedSyntaxError: what jit takes must be a function written with def, not the class Application; write one whose parameters are the tensors
class Application:
    pass
# ---- jit without an annotation
@jit
def application(x: Tensor(1).tile((16,)), output):
#                                         ^^^^^^
# error: ArrangementError: the parameter output of application must be annotated with an arranged tensor, as in output: Tensor(1).tile((64,))
    output = x
# ---- jit with an annotation that is no tensor
@jit
def application(x: Tensor(1).tile((16,)), output: int):
#                                         ^^^^^^^^^^^
# error: ArrangementError: the parameter output of application must be annotated with an arranged tensor, as in output: Tensor(1).tile((64,))
    output = x
# ---- jit with an annotation that has an unknown name
from __future__ import annotations

@jit
def application(x: Tensor(1).tile((16,)), output: Tensr(1).tile((16,))):
#                                                 ^^^^^^^^^^^^^^^^^^^^
# error: UndefinedNameError: an annotation uses Tensr, and there is no such name; import it first
    output = x
# ---- jit with an impossible annotation
from __future__ import annotations

@jit
def application(x: Tensor(1).tile((16,)), output: Tensor(1, name="output").tile((16, 16))):
#                                                 ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error in <module>: ArrangementError: tile: the tile shape (16, 16) has length 2, but the tensor has 1 dim, of sizes (output_size_0,); give one entry a dim
    output = x
# ---- jit with an annotation that is no tensor, as text
from __future__ import annotations

@jit
def application(x: Tensor(1).tile((16,)), output: float):
#                                         ^^^^^^^^^^^^^
# error: ArrangementError: the parameter output of application must be annotated with an arranged tensor, as in output: Tensor(1).tile((64,))
    output = x
# ---- jit with star parameters
@jit
def application(*tensors: Tensor(1).tile((16,))):
#                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: ArgumentError: application must take its tensors as plain parameters, without *, ** and keyword-only parameters; name one parameter a tensor
    pass
# ---- jit of an application that is wrong
@jit(num_warps=4)
def application(x: Tensor(1).tile((16,)), output: Tensor(1).tile((16,))):
    output = y
#            ^ error: UndefinedNameError: there is no name y; assign it first, or import it
# ---- jit whose annotations disagree
@jit
def application(x: Tensor(1).tile((16,)), output: Tensor(2).tile((16, 1)).squeeze(0)):
    output = x
#   ^^^^^^
# error: ShapeError: a block of shape (1, 16) cannot become (16, 1): 16 is not 1, and only dims of size 1 are repeated
