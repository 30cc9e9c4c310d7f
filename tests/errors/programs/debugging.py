# What a program says and demands, hints, and assembly.

# ---- a prefix that is no string
def application(x, output):
    ntl.device_print(x)
# error: TypeMismatchError: ntl.device_print: prefix must be a string that is known when compiling, not the tensor x
    output = x

vectors(application).ir()
# ---- a prefix that is not ASCII
def application(x, output):
    ntl.device_print("größe", x)
# error: ArgumentError: ntl.device_print: a device prints ASCII only, not 'größe'; write the prefix with its letters
    output = x

vectors(application).ir()
# ---- a pointer that is printed
def application(x, output):
    ntl.device_print("x", x.source.data_ptr())
# error: TypeMismatchError: the value must be a number or a block, not a pointer to fp32; read what it points to with ntl.load
    output = x

vectors(application).ir()
# ---- hex that is not known
def application(x, output):
    ntl.device_print("x", x, hex=x)
# error: TypeMismatchError: ntl.device_print: hex must be True or False, known when compiling, not the tensor x
    output = x

vectors(application).ir()
# ---- an assertion's message that is no string
def application(x, output):
    ntl.device_assert(x > 0, 3)
# error: TypeMismatchError: ntl.device_assert: msg must be a string that is known when compiling, not 3
    output = x

vectors(application).ir()
# ---- an assertion's mask that does not broadcast
def application(x, output):
    ntl.device_assert(x > 0, mask=ntl.zeros((3,), ntl.int1))
# error: ShapeError: shapes (64,) and (3,) do not broadcast: 64 is not 3; make them equal, or one of them 1
    output = x

vectors(application).ir()
# ---- an assertion that fails
def application(x, output):
    ntl.device_assert(x < 66, "x is small")
# error: AssertionFailedError: x is small (program 1, lane 2)
    output = x

x = torch.arange(70.0)
vectors(application)(x, x.clone())
# ---- an assertion that fails, without a message
def application(x, output):
    ntl.device_assert(ntl.program_id(0) < 1)
# error: AssertionFailedError: the assertion does not hold (program 1)
    output = x

x = torch.arange(70.0)
vectors(application)(x, x.clone())
# ---- an assertion on a matrix that fails
def application(x, output):
    ntl.device_assert(x != 70.0, "not there")
# error: AssertionFailedError: not there (program 0, lane (2, 6))
    output = x

x = torch.arange(128.0).reshape(4, 32)
matrices(application)(x, x.clone())
# ---- a block that is assumed
def application(x, output):
    ntl.assume(x > 0)
# error: ShapeError: a condition must be one number, not a block of shape (64,) of i1; select lanes with ntl.where
    output = x

vectors(application).ir()
# ---- what is never true is assumed
def application(x, output):
    ntl.assume(1 > 2)
# error: ArgumentError: ntl.assume: the condition is never true; leave it out
    output = x

vectors(application).ir()
# ---- a hint that is not known
def application(x, output):
    output = ntl.multiple_of(x, ntl.program_id(0))
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: ntl.multiple_of: values must be integers that are known when compiling, not a scalar of i32

vectors(application).ir()
# ---- a hint below 1
def application(x, output):
    output = ntl.multiple_of(x, 0)
#            ^^^^^^^^^^^^^^^^^^^^^
# error: ArgumentError: ntl.multiple_of: values must be 1 or more, not 0

vectors(application).ir()
# ---- a hint a dim too many
def application(x, output):
    output = ntl.max_contiguous(x, [16, 16])
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: ShapeError: ntl.max_contiguous: 2 values for a block of shape (64,) of fp32; give one a dim

vectors(application).ir()
# ---- a hint on a scalar
def application(x, output):
    output = x + ntl.max_constancy(ntl.program_id(0), 4)
#                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: ShapeError: ntl.max_constancy takes a block, not a scalar of i32

vectors(application).ir()
# ---- assembly on CPU tensors
def application(x, output):
    output = ntl.inline_asm_elementwise(
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: DeviceError: ntl.inline_asm_elementwise runs on a GPU only; pass GPU tensors, or write it with functions of ntl
        "mov.b32 $0, $1;", "=f,f", [x], ntl.float32, True, 1
    )

x = torch.zeros(64)
vectors(application)(x, x.clone())
# ---- assembly that is no string
def application(x, output):
    output = ntl.inline_asm_elementwise(x, "=f,f", [x], ntl.float32, True, 1)
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: ntl.inline_asm_elementwise: asm must be a string that is known when compiling, not the tensor x

vectors(application).ir()
# ---- assembly without a list of arguments
def application(x, output):
    output = ntl.inline_asm_elementwise("", "=f,f", x, ntl.float32, True, 1)
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: ntl.inline_asm_elementwise: args must be a list of blocks and scalars, not the tensor x

vectors(application).ir()
# ---- assembly without a result
def application(x, output):
    output = ntl.inline_asm_elementwise("", "", [x], (), True, 1)
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: ArgumentError: ntl.inline_asm_elementwise: assembly gives a value at least; name its dtype

vectors(application).ir()
# ---- assembly of no element type
def application(x, output):
    output = ntl.inline_asm_elementwise("", "=f,f", [x], 7, True, 1)
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: ntl.inline_asm_elementwise: 7 is no element type; write for example ntl.float32

vectors(application).ir()
# ---- assembly of no lanes
def application(x, output):
    output = ntl.inline_asm_elementwise("", "=f,f", [x], ntl.float32, True, 0)
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: ArgumentError: ntl.inline_asm_elementwise: pack must be 1 or more, not 0

vectors(application).ir()
# ---- assembly that does not say whether it is pure
def application(x, output):
    output = ntl.inline_asm_elementwise("", "=f,f", [x], ntl.float32, 1, 1)
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: ntl.inline_asm_elementwise: is_pure must be True or False, known when compiling, not 1

vectors(application).ir()
# ---- a separator that is no string
def application(x, output):
    ntl.static_print(x, sep=1)
# error: TypeMismatchError: ntl.static_print: sep must be a string that is known when compiling, not 1
    output = x

vectors(application).ir()
