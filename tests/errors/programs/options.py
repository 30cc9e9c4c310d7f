# Options of ``make`` and ``jit``, and what a kernel is asked.

# ---- an unknown option of make
def application(x, output):
    output = x

make(blocks, application, (Tensor(1), Tensor(1)), num_warp=4)
# error: ArgumentError: make() got an unexpected keyword argument 'num_warp'
# ---- an unknown option of jit
@jit(num_warp=4)
#^^^^^^^^^^^^^^^ error: ArgumentError: jit() got an unexpected keyword argument 'num_warp'
def application(x: Tensor(1).tile((16,)), output: Tensor(1).tile((16,))):
    output = x
# ---- an unknown backend
def application(x, output):
    output = x

make(blocks, application, (Tensor(1), Tensor(1)), backend="cuda")
# error: ArgumentError: there is no backend 'cuda'; backends are ttir, triton-python, interpret
# ---- a caller that is not there
def application(x, output):
    output = x

make(blocks, application, (Tensor(1), Tensor(1)), caller="cuda")
# error: ArgumentError: kernels are made for Python, with caller='torch'; caller='cuda' would be a library that is built ahead of time, which is not part of this version; leave caller out
# ---- a caller that is not there, of jit
@jit(caller="cuda")
#^^^^^^^^^^^^^^^^^^
# error: ArgumentError: kernels are made for Python, with caller='torch'; caller='cuda' would be a library that is built ahead of time, which is not part of this version; leave caller out
def application(x: Tensor(1).tile((16,)), output: Tensor(1).tile((16,))):
    output = x
# ---- a library built ahead of time
def premake(size):
    return blocks, application, (Tensor(1, shape=(size,)),)


ninetoothed.build(premake, (((64,), {}, {}),), kernel_name="copy", output_dir=".")
# error: ArgumentError: build makes libraries ahead of time, and kernels are compiled at their first calls here; write arrangement, application, tensors = premake(…) and ninetoothed.make(arrangement, application, tensors), which keeps what it compiles in ninetoothed.generation.CACHE_DIR
# ---- no warps
def application(x, output):
    output = x

make(blocks, application, (Tensor(1), Tensor(1)), num_warps=0)
# error: ArgumentError: num_warps must be a positive integer or several, not 0
# ---- a number of warps that no device has
def application(x, output):
    output = x

make(blocks, application, (Tensor(1), Tensor(1)), num_warps=3)
# error: ArgumentError: num_warps must be a power of two, not 3; write 4 or 8
# ---- warps as text
def application(x, output):
    output = x

make(blocks, application, (Tensor(1), Tensor(1)), num_warps="4")
# error: ArgumentError: num_warps must be a positive integer or several, not '4'
# ---- warps of nothing
def application(x, output):
    output = x

make(blocks, application, (Tensor(1), Tensor(1)), num_warps=())
# error: ArgumentError: num_warps must be a positive integer or several, not ()
# ---- warps of a float
def application(x, output):
    output = x

make(blocks, application, (Tensor(1), Tensor(1)), num_warps=4.0)
# error: ArgumentError: num_warps must be a positive integer or several, not 4.0
# ---- stages of nothing
def application(x, output):
    output = x

make(blocks, application, (Tensor(1), Tensor(1)), num_stages=[0, 2])
# error: ArgumentError: num_stages must be a positive integer or several, not [0, 2]
# ---- a limit of no configurations
def application(x, output):
    output = x

make(blocks, application, (Tensor(1), Tensor(1)), max_num_configs=0)
# error: ArgumentError: max_num_configs must be a positive integer, not 0
# ---- a name that is no identifier
def application(x, output):
    output = x

make(blocks, application, (Tensor(1), Tensor(1)), kernel_name="add-kernel")
# error: ArgumentError: kernel_name must be a name as Python has them, not 'add-kernel'
# ---- a name that is no text
def application(x, output):
    output = x

make(blocks, application, (Tensor(1), Tensor(1)), kernel_name=4)
# error: ArgumentError: kernel_name must be a name as Python has them, not 4
# ---- a keyword as a name
def application(x, output):
    output = x

make(blocks, application, (Tensor(1), Tensor(1)), kernel_name="def")
# error: ArgumentError: kernel_name must be a name as Python has them, not 'def'
# ---- tensors left out
def application(x, output):
    output = x

make(blocks, application)
# error: ArgumentError: make() missing 1 required positional argument: 'tensors'
# ---- a stage that is not there
def application(x, output):
    output = x

vectors(application).ir("ptx")
# error: ArgumentError: there is no stage 'ptx'; stages are arranged, composed, specialized, padded, scheduled, addressed, tt
# ---- a parameter that is not there
def application(x, output):
    output = x

vectors(application).ir(dtypes={"y": "fp16"})
# error: ArgumentError: there is no parameter y; parameters are x, output
# ---- a dtype that is none
def application(x, output):
    output = x

vectors(application).ir(dtypes={"x": "half"})
# error: ArgumentError: 'half' is no element type; write for example fp16 or fp32
# ---- a language that is not there
def application(x, output):
    output = x

vectors(application).source(language="cuda")
# error: ArgumentError: there is no language 'cuda'; write 'ttir' or 'triton-python'
# ---- a target that is not there
def application(x, output):
    output = x

vectors(application).source(target="h200")
# error: DeviceError: unknown target 'h200'; write for example 'sm_90' or 'gfx942'
# ---- a constexpr that ir needs
def arrangement(x, output, BLOCK=Symbol("BLOCK", constexpr=True)):
    return x.tile((BLOCK,)), output.tile((BLOCK,))

def application(x, output):
    output = x

make(arrangement, application, (Tensor(1), Tensor(1))).ir()
# error: ArgumentError: application needs a value for BLOCK; give it by keyword, as in BLOCK=64
# ---- a symbol that ir does not know
def application(x, output):
    output = x

vectors(application).ir(values={"BLOCK": 16})
# error: ArgumentError: application has no argument BLOCK; it takes no other keywords
# ---- a meta symbol out of bounds
def arrangement(x, output, BLOCK=Symbol("BLOCK", meta=True)):
    return x.tile((BLOCK,)), output.tile((BLOCK,))

def application(x, output):
    output = x

make(arrangement, application, (Tensor(1), Tensor(1))).ir(values={"BLOCK": "x"})
# error: ArgumentError: BLOCK must be an integer, not 'x'
# ---- a meta symbol that no program can have
def arrangement(x, output, BLOCK=Symbol("BLOCK", meta=True, lower_bound=2**16, upper_bound=2**17)):
    return x.tile((BLOCK,)), output.tile((BLOCK,))

def application(x, output):
    output = x

make(arrangement, application, (Tensor(1), Tensor(1))).ir()
# error: ConfigurationError: no choice of block sizes fits: the smallest, {'BLOCK': 65536}, has a block of 65536 lanes, and at most 32768 can run; give block_size() a smaller lower_bound
# ---- configs without a constexpr
def arrangement(x, output, BLOCK=Symbol("BLOCK", constexpr=True)):
    return x.tile((BLOCK,)), output.tile((BLOCK,))

def application(x, output):
    output = x

make(arrangement, application, (Tensor(1), Tensor(1))).configs
# error: ArgumentError: application needs a value for BLOCK; give it by keyword, as in BLOCK=64
