# Functions of the device libraries: element types, names, vendors.

# ---- element type that no form has
def application(x, output):
    output = ntl.libdevice.tanh(x)
#            ^^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: ntl.libdevice.tanh takes fp32 or fp64, not fp16; convert it first: ntl.cast(x, ntl.float32)

vectors(application, 'fp16').ir()
# ---- two element types
def application(x, y, output):
    output = ntl.libdevice.atan2(x, y)
#            ^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: ntl.libdevice.atan2 takes (fp32, fp32) or (fp64, fp64), not (fp32, fp64); convert it first: ntl.cast(x, ntl.float32)

vectors(application, 'fp32', 'fp64').ir()
# ---- a number that no form takes
def application(x, output):
    output = ntl.libdevice.popc(1.5) + x
#            ^^^^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: ntl.libdevice.popc takes i32 or i64, not fp32; convert it first: ntl.cast(x, ntl.int32)

vectors(application).ir()
# ---- a bool
def application(x, output):
    output = ntl.libdevice.pow(x, True)
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: ntl.libdevice.pow: y is True; give a number

vectors(application).ir()
# ---- too few arguments
def application(x, output):
    output = ntl.libdevice.pow(x)
#            ^^^^^^^^^^^^^^^^^^^^ error: ArgumentError: ntl.libdevice.pow(x, y) needs y

vectors(application).ir()
# ---- unknown function
def application(x, output):
    output = ntl.libdevice.tahn(x)
#            ^^^^^^^^^^^^^^^^^^
# error: UndefinedNameError: the module ninetoothed.language.libdevice has no tahn; did you mean tan?

vectors(application).ir()
# ---- unknown function of math
def application(x, output):
    output = ntl.math.sqrtt(x)
#            ^^^^^^^^^^^^^^
# error: UndefinedNameError: the module ninetoothed.language.math has no sqrtt; did you mean sqrt?

vectors(application).ir()
# ---- shapes that do not broadcast
def application(x, output):
    output = ntl.libdevice.pow(x, ntl.zeros((3,), ntl.float32))
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: ShapeError: shapes (64,) and (3,) do not broadcast: 64 is not 3; make them equal, or one of them 1

vectors(application).ir()
# ---- tanh
def application(x, output):
    output = ntl.tanh(x)
#            ^^^^^^^^^^^
# error: TypeMismatchError: ntl.libdevice.tanh takes fp32 or fp64, not bf16; convert it first: ntl.cast(x, ntl.float32)

vectors(application, 'bf16').ir()
# ---- outside an application
ntl.libdevice.tanh(1.0)
# error: NineToothedError: ntl.libdevice.tanh has a meaning inside an application only; call a kernel that uses it
# ---- no function for AMD
def application(x, output):
    output = ntl.libdevice.fast_tanf(x)
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: DeviceError: ntl.libdevice.fast_tanf: AMD's device libraries have no such function of fp32; compute it from others

kernel = vectors(application)
kernel.source(target="gfx942")
