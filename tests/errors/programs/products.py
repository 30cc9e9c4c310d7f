# Products of matrices that do not exist.

# ---- blocks of different ranks
def application(x, y, output):
    output = ntl.dot(x, ntl.expand_dims(y, 0))
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: ShapeError: ntl.dot multiplies two blocks of two dims, or of three where the first counts matrices, not (16, 32) and (1, 16, 32); insert dims, as in x[:, None]

matrices(application, "fp16", "fp16")
# ---- scalars
def application(x, output):
    output = ntl.dot(2.0, x)
#            ^^^^^^^^^^^^^^^
# error: ShapeError: ntl.dot multiplies two blocks of two dims, or of three where the first counts matrices, not () and (16, 32); insert dims, as in x[:, None]

matrices(application, "fp16")
# ---- unequal inner sizes
def application(x, y, output):
    output = ntl.dot(x, y)
#            ^^^^^^^^^^^^^
# error: ShapeError: ntl.dot: (16, 32) and (16, 32) do not multiply: 32 is not 16; transpose one with ntl.trans, or arrange it so that they agree

matrices(application, "fp16", "fp16")
# ---- unequal batches
def application(x, output):
    a = ntl.broadcast_to(x[None, :, :], (2, 16, 32))
    b = ntl.broadcast_to(ntl.trans(x)[None, :, :], (3, 32, 16))
    output = ntl.sum(ntl.dot(a, b), 0)
#                    ^^^^^^^^^^^^^
# error: ShapeError: ntl.dot: (2, 16, 32) and (3, 32, 16) do not multiply: 2 is not 3; transpose one with ntl.trans, or arrange it so that they agree

matrices(application, "fp16")
# ---- types that differ
def application(x, y, output):
    output = ntl.dot(x, ntl.trans(y))
#            ^^^^^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: ntl.dot: it takes two blocks of one element type, not fp16 and bf16; convert one with .to(dtype)

matrices(application, "fp16", "bf16")
# ---- an eight-bit float with another
def application(x, y, output):
    output = ntl.dot(x, ntl.trans(y))
#            ^^^^^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: ntl.dot: it takes two blocks of one element type, not fp8e5 and fp16; convert one with .to(dtype)

matrices(application, "fp8e5", "fp16")
# ---- unsigned bytes
def application(x, y, output):
    output = ntl.dot(x, ntl.trans(y))
#            ^^^^^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: ntl.dot: matrices of u8 cannot be multiplied; use floats or i8

matrices(application, "u8", "u8")
# ---- an unknown precision
def application(x, output):
    output = ntl.dot(x, ntl.trans(x), input_precision="fp19")
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: ArgumentError: ntl.dot: input_precision is 'tf32', 'tf32x3', 'ieee', 'bf16x3' or 'bf16x6', not 'fp19'

matrices(application)
# ---- two precisions
def application(x, output):
    output = ntl.dot(x, ntl.trans(x), input_precision="ieee", allow_tf32=True)
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: ArgumentError: ntl.dot: input_precision and allow_tf32 mean the same; give one of them

matrices(application)
# ---- a precision known at run time only
def application(x, output):
    output = ntl.dot(x, ntl.trans(x), allow_tf32=ntl.sum(x) > 0)
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: ntl.dot: allow_tf32 must be True or False, known when compiling, not a scalar of i1

matrices(application)
# ---- a negative count
def application(x, output):
    output = ntl.dot(x, ntl.trans(x), max_num_imprecise_acc=-1)
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: ArgumentError: ntl.dot: max_num_imprecise_acc is how many products may be summed imprecisely, an integer that is known when compiling, not -1

matrices(application, "fp8e5")
# ---- a result of bf16
def application(x, output):
    output = ntl.dot(x, ntl.trans(x), out_dtype=ntl.bfloat16)
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: ntl.dot: a dot gives no bf16; leave out_dtype out, and write .to(ntl.bfloat16)

matrices(application, "bf16")
# ---- a result of fp64
def application(x, output):
    output = ntl.dot(x, ntl.trans(x), out_dtype=ntl.float64)
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: ntl.dot: a dot of fp16 and fp16 gives fp32 or fp16, not fp64

matrices(application, "fp16")
# ---- an accumulator of another shape
def application(x, output):
    output = ntl.dot(x, ntl.trans(x), ntl.zeros((8, 16), dtype=ntl.float32))
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: ShapeError: a block of shape (8, 16) cannot become (16, 16): 8 is not 16, and only dims of size 1 are repeated

matrices(application, "fp16")
# ---- an accumulator of another type
def application(x, output):
    output = ntl.dot(x, ntl.trans(x), ntl.zeros((16, 16), dtype=ntl.float16))
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: ntl.dot: the accumulator of a dot of bf16 and bf16 is fp32, not fp16; convert it with .to(dtype)

matrices(application, "bf16")
# ---- an accumulator and another result
def application(x, output):
    acc = ntl.zeros((16, 16), dtype=ntl.float16)
    output = ntl.dot(x, ntl.trans(x), acc, out_dtype=ntl.float32)
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: ntl.dot: the accumulator is fp16, and out_dtype is fp32; make them equal

matrices(application, "fp16")
# ---- the operator
def application(x, output):
    output = x @ ntl.trans(x)
#            ^^^^^^^^^^^^^^^^
# error: UnsupportedSyntaxError: the operator @ is not part of the language; write ntl.dot(a, b)

matrices(application, "fp16")
# ---- an unknown format
def application(x, output):
    output = ntl.dot_scaled(x, None, "e3m2", ntl.trans(x), None, "e2m1")
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: ArgumentError: ntl.dot_scaled: lhs_format is 'e2m1', 'e4m3', 'e5m2', 'bf16' or 'fp16', not 'e3m2'

matrices(application, "u8")
# ---- formats of 16 bits that differ
def application(x, y, output):
    output = ntl.dot_scaled(x, None, "fp16", ntl.trans(y), None, "bf16")
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: ArgumentError: ntl.dot_scaled multiplies no 'bf16' with 'fp16'; convert one with .to(dtype)

matrices(application, "fp16", "bf16")
# ---- a type that is not the format's
def application(x, output):
    output = ntl.dot_scaled(x, None, "e4m3", ntl.trans(x), None, "fp16")
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: ntl.dot_scaled: 'e4m3' lies in fp8e4nv or u8, not in fp16; pass such a tensor, or take its bits with .to(dtype, bitcast=True)

matrices(application, "fp16")
# ---- rows of a format that is not packed
def application(x, output):
    output = ntl.dot_scaled(x, None, "fp16", ntl.trans(x), None, "fp16", lhs_k_pack=False)
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: ArgumentError: ntl.dot_scaled: lhs_k_pack=False is for 'e2m1', which lies two a byte, not for 'fp16'; leave it out

matrices(application, "fp16")
# ---- a result that is not fp32
def application(x, output):
    output = ntl.dot_scaled(x, None, "fp16", ntl.trans(x), None, "fp16", out_dtype=ntl.float16)
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: ntl.dot_scaled gives fp32; leave out_dtype out, and convert with .to(dtype)

matrices(application, "fp16")
# ---- elements that do not multiply
def application(x, y, output):
    output = ntl.dot_scaled(x, None, "e2m1", ntl.trans(y), None, "fp16")
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: ShapeError: ntl.dot_scaled: elements of (16, 64) and (32, 16) do not multiply: 64 is not 32; arrange them so that they agree

matrices(application, "u8", "fp16")
# ---- a depth that scales do not cover
def application(x, output):
    output = ntl.dot_scaled(ntl.trans(x), None, "fp16", x, None, "fp16")
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: ShapeError: ntl.dot_scaled sums along 16 elements, which is no multiple of 32; choose a block size that is one

matrices(application, "fp16")
# ---- scales of another type
def application(x, s, output):
    output = ntl.dot_scaled(x, ntl.sum(s, 1, keep_dims=True), "fp16", ntl.trans(x), None, "fp16")
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: ntl.dot_scaled: lhs_scale holds exponents of two in u8, not fp32; pass a tensor of torch.uint8

matrices(application, "fp16", "fp32")
# ---- scales of another shape
def application(x, s, output):
    output = ntl.dot_scaled(x, s, "fp16", ntl.trans(x), None, "fp16")
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: ShapeError: ntl.dot_scaled: lhs_scale must have the shape (16, 1), one scale for 32 elements along K, not (16, 32)

matrices(application, "fp16", "u8")
# ---- a scaled accumulator of another type
def application(x, output):
    acc = ntl.zeros((16, 16), dtype=ntl.float16)
    output = ntl.dot_scaled(x, None, "fp16", ntl.trans(x), None, "fp16", acc)
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: ntl.dot_scaled: the accumulator is fp32, not fp16; convert it with .to(ntl.float32)

matrices(application, "fp16")
# ---- a type that the target has not
def application(x, output):
    output = x.to(ntl.float32) + 1
#            ^^^^ error: TypeMismatchError: sm_80 has no fp8e4nv; use fp8e5, or a target that has it

compiled(matrices(application, "fp8e4nv"), "sm_80")
# ---- a type of AMD's
def application(x, output):
    y = x * 2
    output = y.to(ntl.float8e4b8).to(ntl.float32)
#            ^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: sm_90 has no fp8e4b8; use fp8e4nv or fp8e5, or a target that has it

compiled(matrices(application, "fp32"), "sm_90")
# ---- a precision that the target has not
def application(x, output):
    output = ntl.sum(ntl.dot(x, ntl.trans(x), input_precision="tf32"))
#                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: ArgumentError: ntl.dot: gfx90a forms no products of fp32 in 'tf32'; input_precision can be 'ieee', 'bf16x3' or 'bf16x6'

compiled(matrices(application, "fp32"), "gfx90a")
# ---- more imprecise products than there are
def application(x, output):
    output = ntl.sum(ntl.dot(x, ntl.trans(x), max_num_imprecise_acc=64))
#                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: ArgumentError: ntl.dot: max_num_imprecise_acc is 64, and 32 products are summed; give no more

compiled(matrices(application, "fp8e5"), "sm_90")
