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
# ---- an object that cannot be called
class Application:
    def run(self, x, output):
        output = x

make(lambda x: x.tile((16,)), Application(), (Tensor(1),))
# error: UnsupportedSyntaxError: the application must be a function written with def, not an object of class Application; write one whose parameters are the tensors
# ---- an object with too few parameters
class Application:
    def __call__(self, x):
        x = x + 1

make(blocks, Application(), (Tensor(1), Tensor(1)))
# error: ArgumentError: the arrangement returned 2 tensors, but Application(x) takes 1 parameter; make them as many
# ---- a method with too many parameters
class Kernels:
    def application(self, x, output, scale):
        output = x * scale

make(blocks, Kernels().application, (Tensor(1), Tensor(1)))
# error: ArgumentError: the arrangement returned 2 tensors, but application(x, output, scale) takes 3 parameters; make them as many
# ---- a parameter without a default before one with
def application(x, scale, output=None):
    output = x * scale

make(lambda x: x.tile((16,)), application, (Tensor(1),))
# error: ArgumentError: the arrangement returned 1 tensor, but application(x, scale, output) takes 3 parameters; make them as many
# ---- a method of C
make(lambda x: x.tile((16,)), [].append, (Tensor(1),))
# error: UnsupportedSyntaxError: the application must be a function written with def, not the builtin append; write one whose parameters are the tensors
# ---- a method that is assigned its object
class Kernels:
    def application(self, x, output):
        self = x
#       ^^^^
# error: TypeMismatchError: self is a parameter that is known when compiling and cannot be assigned; use another name
        output = self

make(blocks, Kernels().application, (Tensor(1), Tensor(1)))
# ---- an attribute that is assigned
class Kernels:
    last = 0

    def application(self, x, output):
        self.last = x
#       ^^^^^^^^^
# error: UnsupportedSyntaxError: an assignment goes to a variable or to a parameter; attributes cannot be assigned
        output = x

make(blocks, Kernels().application, (Tensor(1), Tensor(1)))
# ---- a parameter with a default that is assigned
def application(x, output, scale=2):
    scale = scale * 2
#   ^^^^^
# error: TypeMismatchError: scale is a parameter that is known when compiling and cannot be assigned; use another name
    output = x * scale

make(blocks, application, (Tensor(1), Tensor(1)))
# ---- a partial of a parameter that there is not
import functools

def application(x, output, scale):
# error: ArgumentError: application(x, output, scale) does not take what it is given: got an unexpected keyword argument 'scales'; a partial of it gives values to its parameters
    output = x * scale

make(blocks, functools.partial(application, scales=2), (Tensor(1), Tensor(1)))
# ---- a partial of too many values
import functools

def application(x, output):
# error: ArgumentError: application(x, output) does not take what it is given: too many positional arguments; a partial of it gives values to its parameters
    output = x

make(blocks, functools.partial(application, 1, 2, 3), (Tensor(1), Tensor(1)))
# ---- a partial of a builtin
import functools

make(blocks, functools.partial(print, sep=""), (Tensor(1), Tensor(1)))
# error: UnsupportedSyntaxError: the application must be a function written with def, not the builtin print; write one whose parameters are the tensors
# ---- a partial of star parameters
import functools

def application(x, output, *scales):
# error: ArgumentError: application(x, output, *scales) is given 1 value for *scales; name a parameter each
    output = x * scales[0]

make(blocks, functools.partial(application, 1, 2, 3), (Tensor(1), Tensor(1)))
# ---- a partial that holds a tensor
import functools

def application(x, output, scale):
#                          ^^^^^
# error: TypeMismatchError: scale is a Tensor from outside the application, which cannot be used inside; numbers, element types, tuples and functions can, and tensors come in as parameters
    output = x * scale

make(blocks, functools.partial(application, scale=torch.ones(3)), (Tensor(1), Tensor(1)))
# ---- a default that is an object
def application(x, output, scale=object):
    output = x * scale
#            ^^^^^^^^^
# error: TypeMismatchError: an operand must be a number or a block, not the class object

make(blocks, application, (Tensor(1), Tensor(1)))
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
