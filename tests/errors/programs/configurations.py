# Environment variables with values that are none, and kernels of which no configuration can run.

# ---- a number that is none
def application(x, output):
    output = x

kernel = vectors(application)
monkeypatch.setenv("NINETOOTHED_INTERPRET_LANES", "many")
kernel(torch.ones(4), torch.ones(4))
# error: ConfigurationError: NINETOOTHED_INTERPRET_LANES must be an integer of at least 1, not 'many'
# ---- a number that is too small
def application(x, output):
    for i in range(4):
        output = x

kernel = vectors(application)
monkeypatch.setenv("NINETOOTHED_INTERPRET_MAX_STEPS", "0")
kernel(torch.ones(4), torch.ones(4))
# error: ConfigurationError: NINETOOTHED_INTERPRET_MAX_STEPS must be an integer of at least 1, not '0'
# ---- a switch that is neither on nor off
def application(x, output):
    output = x

monkeypatch.setenv("NINETOOTHED_VERIFY_IR", "maybe")
make(blocks, application, (Tensor(1), Tensor(1)))
# error: ConfigurationError: NINETOOTHED_VERIFY_IR must be 0 or 1, not 'maybe'
# ---- block sizes that are all too large
def arrangement(x, output, BLOCK_SIZE=block_size(2**16, 2**17)):
    return x.tile((BLOCK_SIZE,)), output.tile((BLOCK_SIZE,))

def application(x, output):
    output = x

make(arrangement, application, (Tensor(1), Tensor(1))).source()
# error: ConfigurationError: no choice of block sizes fits: the smallest, {'BLOCK_SIZE_0': 65536}, has a block of 65536 lanes, and at most 32768 can run; give block_size() a smaller lower_bound
# ---- no configuration fits
from ninetoothed.runtime.toolchain import pool
from tests.support import fake_gpu

def arrangement(x, output, BLOCK_SIZE=block_size(32, 64)):
    return x.tile((BLOCK_SIZE,)), output.tile((BLOCK_SIZE,))

def application(x, output):
    output = x

def compile(artifacts, on_done):
    needed = [8 * block for artifact in artifacts for _, block in artifact.config.values]
    reasons = [f"it needs {n} bytes of shared memory, and the device has 128" for n in needed]
    for position, reason in enumerate(reasons):
        on_done(position, reason)
    return reasons

monkeypatch.setenv("NINETOOTHED_CACHE_DIR", __file__ + ".cache")
for owner, attribute, value in fake_gpu.patches():
    monkeypatch.setattr(owner, attribute, value)
monkeypatch.setattr(pool, "compile", compile)
kernel = make(arrangement, application, (Tensor(1), Tensor(1)), num_warps=1, num_stages=3)
kernel(Fake("cuda:0"), Fake("cuda:0"))
# error: ConfigurationError: no configuration of kernel 'application' can run on sm_90:
# |   BLOCK_SIZE_0=64, num_warps=1, num_stages=3: it needs 512 bytes of shared memory, and the device has 128
# |   BLOCK_SIZE_0=32, num_warps=1, num_stages=3: it needs 256 bytes of shared memory, and the device has 128
# | write smaller block sizes or a smaller num_stages, or leave the choice to the compiler with ninetoothed.block_size()
