# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 1. Add two vectors

# %%
import torch

import ninetoothed
from ninetoothed import Tensor, block_size


def arrangement(x, y, z, BLOCK_SIZE=block_size()):
    return x.tile((BLOCK_SIZE,)), y.tile((BLOCK_SIZE,)), z.tile((BLOCK_SIZE,))


def application(x, y, z):
    z = x + y


add = ninetoothed.make(arrangement, application, (Tensor(1), Tensor(1), Tensor(1)))

x, y = torch.randn(1000), torch.randn(1000)
z = torch.empty_like(x)
add(x, y, z)
assert torch.equal(z, x + y)

# %% [markdown]
# The arrangement tiles all three vectors in the same way, so that program 0 has the first block of each, program 1 the second one, and so on.
#
# `block_size()` leaves the size of a block to the compiler. On a GPU it tries several and keeps the fastest; on a CPU it takes one. The application does
# not change with it, and neither does the result.
#
# `make` runs the arrangement once, with symbols for the sizes, and reads the application. So one kernel serves vectors of every size, and of every
# element type; what a new type or a new alignment needs is compiled when it is first met.

# %% [markdown]
# # 2. Sum the rows of a matrix

# %%
import torch

import ninetoothed
import ninetoothed.language as ntl
from ninetoothed import Tensor


def arrangement(x, sums):
    return x.tile((1, -1)), sums.tile((1,))[:, None]


def application(x, sums):
    sums = ntl.sum(x, axis=1)


row_sums = ninetoothed.make(arrangement, application, (Tensor(2), Tensor(1)))

x = torch.randn(5, 70)
sums = torch.empty(5)
row_sums(x, sums)
torch.testing.assert_close(sums, x.sum(dim=1))
print(row_sums.report())

# %% [markdown]
# `tile((1, -1))` makes a block of every row: `-1` stands for the whole dim. A program has one row, as a block of shape `(1, n)`, and `ntl.sum` along
# axis 1 reduces it to a block of shape `(1,)`. `ntl` is the language of applications: [its reference](../../language.md) lists every function.
#
# Both tensors must have one outermost shape, since their elements are the programs'. The rows make a level of shape `(m, 1)`. The sums, tiled by ones, make
# `(m,)`, to which `[:, None]` adds a dim.
#
# The row may have any length: lanes beyond its end count as 0 in a sum and as −∞ in a maximum. `report()` says what is proved of the kernel, for all sizes:
# every access is in bounds, every element of `sums` is written, and by one program only. [What is proved of a kernel](../../verification.md)
# explains each line.

# %% [markdown]
# # 3. Softmax

# %%
import torch

import ninetoothed
import ninetoothed.language as ntl
from ninetoothed import Tensor


def arrangement(x, y):
    return x.tile((1, -1)), y.tile((1, -1))


def application(x, y):
    row = ntl.cast(x, ntl.float32)
    shifted = ntl.exp(row - ntl.max(row, axis=1)[:, None])
    y = shifted / ntl.sum(shifted, axis=1)[:, None]


softmax = ninetoothed.make(arrangement, application, (Tensor(2), Tensor(2)), outputs=("y",))

x = torch.randn(6, 50)
torch.testing.assert_close(softmax(x), torch.softmax(x, dim=1))

# %% [markdown]
# The two reductions and everything between them are one kernel: a row is read once, and written once.
#
# - Indexing is NumPy's: `ntl.max(row, axis=1)` has shape `(1,)`, and `[:, None]` lines it up with the row.
# - `ntl.cast` computes in fp32, whatever the element type is; the store converts back.
# - `outputs=("y",)` lets calls leave `y` out: it is allocated and returned. Its shape follows from the arrangement, since both tensors have one row for
#   each program, and one length.

# %% [markdown]
# # 4. Multiply matrices

# %%
import torch

import ninetoothed
import ninetoothed.language as ntl
from ninetoothed import Tensor, block_size

BLOCK_SIZE_M, BLOCK_SIZE_N, BLOCK_SIZE_K = block_size(), block_size(), block_size()


def arrangement(lhs, rhs, output):
    output = output.tile((BLOCK_SIZE_M, BLOCK_SIZE_N))

    lhs = lhs.tile((BLOCK_SIZE_M, BLOCK_SIZE_K)).tile((1, -1)).expand((-1, output.shape[1]))
    lhs.dtype = lhs.dtype.squeeze(0)

    rhs = rhs.tile((BLOCK_SIZE_K, BLOCK_SIZE_N)).tile((-1, 1)).expand((output.shape[0], -1))
    rhs.dtype = rhs.dtype.squeeze(1)

    return lhs, rhs, output


def application(lhs, rhs, output):
    accumulator = ntl.zeros(output.shape, dtype=ntl.float32)
    for k in range(lhs.shape[0]):
        accumulator += ntl.dot(lhs[k], rhs[k])
    output = accumulator


matmul = ninetoothed.make(
    arrangement, application, (Tensor(2), Tensor(2), Tensor(2)), outputs=("output",)
)

lhs, rhs = torch.randn(70, 100), torch.randn(100, 90)
torch.testing.assert_close(matmul(lhs, rhs), lhs @ rhs, rtol=1e-4, atol=1e-4)

# %% [markdown]
# A program computes one block of the output. [The picture](../../arrangements/index.md#operands-of-a-product) shows which blocks of the operands it
# needs: a row of blocks of the left one, a column of blocks of the right one.
#
# 1. `tile((BLOCK_SIZE_M, BLOCK_SIZE_K))` cuts the left operand into blocks.
# 2. `tile((1, -1))` puts each row of blocks together: a level in between, of shape `(1, blocks)`.
# 3. `expand((-1, output.shape[1]))` gives the row to every program of that row of the output.
# 4. `squeeze(0)` on the level below drops the dim of size 1, so that the application writes `lhs[k]` and not `lhs[0, k]`.
#
# The loop over `lhs.shape[0]` goes through the blocks, and `ntl.dot` multiplies two of them. No size need divide another: blocks at the borders are
# masked, and lanes behind the last column of `lhs` count as 0.

# %% [markdown]
# # 5. Tune it

# %%
import torch

import ninetoothed
import ninetoothed.language as ntl
from ninetoothed import Tensor, block_size
from ninetoothed.testing import check_kernel


def make_matmul(m, n, k, **options):
    def arrangement(lhs, rhs, output):
        output = output.tile((m, n))
        lhs = lhs.tile((m, k)).tile((1, -1)).expand((-1, output.shape[1]))
        lhs.dtype = lhs.dtype.squeeze(0)
        rhs = rhs.tile((k, n)).tile((-1, 1)).expand((output.shape[0], -1))
        rhs.dtype = rhs.dtype.squeeze(1)
        return lhs, rhs, output

    def application(lhs, rhs, output):
        accumulator = ntl.zeros(output.shape, dtype=ntl.float32)
        for i in range(lhs.shape[0]):
            accumulator += ntl.dot(lhs[i], rhs[i])
        output = accumulator

    return ninetoothed.make(arrangement, application, (Tensor(2), Tensor(2), Tensor(2)), **options)


tuned = make_matmul(block_size(), block_size(), block_size())
bounded = make_matmul(block_size(upper_bound=64), block_size(upper_bound=64), 32)
fixed = make_matmul(64, 64, 32, num_warps=4, num_stages=3)

assert len(tuned.configs) > len(bounded.configs) > len(fixed.configs) == 1
print(fixed.configs[0])

lhs, rhs, output = torch.randn(40, 70), torch.randn(70, 50), torch.empty(40, 50)
ran = check_kernel(bounded, (lhs, rhs, output), lambda lhs, rhs, output: lhs @ rhs)
assert len(ran) > 1
print(tuned.tuning_report(lhs, rhs, output))

# %% [markdown]
# How large blocks should be depends on the GPU and on the sizes. Each `block_size()` is a question to the compiler, and so are `num_warps` and `num_stages`
# where `make` does not give them. `kernel.configs` are the answers that may be tried, the best guess first:
#
# - `block_size()` is a power of two from 32 to 1,024; `lower_bound=` and `upper_bound=` say otherwise.
# - A number fixes it. With all fixed, there is one configuration, and nothing to tune.
#
# On a GPU the first call of a kernel times the most promising ones, for sizes alike, and keeps the result on disk; the caller's data is not changed by it.
# `tune="off"` takes the best guess, `"full"` times all that make sense, and `print(kernel.tuning_report(lhs, rhs, output))` shows what was tried.
# On a CPU nothing is timed, as the report says.
#
# The result must not depend on the block size. `check_kernel` runs the kernel with every choice, small blocks included, and compares each result with a
# reference: a loop that forgets to carry is found here, and not on the GPU. [Test](../../how_to/test.md) says more of it, and
# [Tune and ship](../../how_to/tune.md) of tuning.

# %% [markdown]
# # 6. Attention

# %%
import torch

import ninetoothed
import ninetoothed.language as ntl
from ninetoothed import Tensor, block_size

BLOCK_SIZE_M, BLOCK_SIZE_N = block_size(lower_bound=16), block_size(lower_bound=16)


def one_block(tensor):
    """A block of positions of one head for each program."""
    arranged = tensor.tile((1, BLOCK_SIZE_M, -1))
    arranged.dtype = arranged.dtype.squeeze(0)
    return arranged


def all_blocks(tensor, count):
    """All blocks of positions of the head, for each of `count` programs."""
    arranged = tensor.tile((1, BLOCK_SIZE_N, -1)).tile((1, -1, 1)).expand((-1, count, -1))
    arranged.dtype = arranged.dtype.squeeze((0, 2))
    arranged.dtype.dtype = arranged.dtype.dtype.squeeze(0)
    return arranged


def arrangement(query, key, value, scale, output):
    query = one_block(query)
    count = query.shape[1]
    return query, all_blocks(key, count), all_blocks(value, count), scale, one_block(output)


def application(query, key, value, scale, output):
    accumulator = ntl.zeros(output.shape, dtype=ntl.float32)
    largest = ntl.full((query.shape[0],), float("-inf"), dtype=ntl.float32)
    total = ntl.zeros((query.shape[0],), dtype=ntl.float32)

    for i in range(key.shape[0]):
        scores = ntl.dot(query, ntl.trans(key[i])) * scale
        inside = key[i].offsets(1) < key.source.shape[1]
        scores = ntl.where(inside[None, :], scores, float("-inf"))

        larger = ntl.maximum(largest, ntl.max(scores, axis=1))
        weights = ntl.exp(scores - larger[:, None])
        correction = ntl.exp(largest - larger)
        total = total * correction + ntl.sum(weights, axis=1)
        accumulator = accumulator * correction[:, None] + ntl.dot(weights, value[i])
        largest = larger

    output = accumulator / total[:, None]


# Positions that do not exist are read as 0, and so are lanes that pad the head dim.
tensors = (Tensor(3, other=0), Tensor(3, other=0), Tensor(3, other=0), Tensor(0), Tensor(3))
attention = ninetoothed.make(arrangement, application, tensors, outputs={"output": "query"})

query, key, value = torch.randn(3, 2, 50, 32).unbind()
output = attention(query, key, value, 32**-0.5)
reference = torch.nn.functional.scaled_dot_product_attention(query, key, value)
torch.testing.assert_close(output, reference, rtol=1e-4, atol=1e-4)

# %% [markdown]
# A program has a block of queries of one head, and walks over all blocks of the head's keys and values. The scores of a whole row never exist: each block's
# are turned into weights relative to the largest score so far, and what was summed before is corrected when a larger one is met. That is the
# *online softmax* of FlashAttention.
#
# - `all_blocks` is the arrangement of the product once more, with a dim for heads in front. It has three levels: programs, blocks of positions, and
#   the block itself; `arranged.dtype.dtype` is the innermost.
# - `key[i].offsets(1)` are the positions of a block's lanes in `key`. Those behind the end weigh nothing.
# - `Tensor(0)` is a number, which a call gives as it is.
# - `other=0` is what lanes outside a tensor read. Without it they have no value, and what would store such lanes is refused.
#
# [examples/attention.py](../../../examples/attention.py) has grouped heads, causal masks and fp16, too.

# %% [markdown]
# # 7. Its gradient in PyTorch

# %%
import torch
from torch.autograd.function import once_differentiable

import ninetoothed
import ninetoothed.language as ntl
from ninetoothed import Tensor, block_size

BLOCK_SIZE_M, BLOCK_SIZE_N = block_size(lower_bound=16), block_size(lower_bound=16)


def one_block(tensor, size):
    """A block of positions of one head for each program; of numbers, too."""
    arranged = tensor.tile((1, size, -1)) if tensor.ndim == 3 else tensor.tile((1, size))[..., None]
    arranged.dtype = arranged.dtype.squeeze(0)
    return arranged


def all_blocks(tensor, size, count):
    """All blocks of positions of the head, for each of `count` programs."""
    if tensor.ndim == 3:
        arranged = tensor.tile((1, size, -1)).tile((1, -1, 1)).expand((-1, count, -1))
        arranged.dtype = arranged.dtype.squeeze((0, 2))
    else:
        arranged = tensor.tile((1, size)).tile((1, -1))[..., None].expand((-1, count, -1))
        arranged.dtype = arranged.dtype.squeeze(0)
    arranged.dtype.dtype = arranged.dtype.dtype.squeeze(0)
    return arranged


def by_queries(query, key, value, scale, *others):
    """Programs have blocks of queries, and loop over those of keys."""
    query = one_block(query, BLOCK_SIZE_M)
    keys = (all_blocks(tensor, BLOCK_SIZE_N, query.shape[1]) for tensor in (key, value))
    return query, *keys, scale, *(one_block(tensor, BLOCK_SIZE_M) for tensor in others)


def by_keys(key, value, query, gradient, logsumexp, delta, scale, *others):
    """Programs have blocks of keys, and loop over those of queries."""
    key = one_block(key, BLOCK_SIZE_N)
    of_queries = (query, gradient, logsumexp, delta)
    queries = (all_blocks(tensor, BLOCK_SIZE_M, key.shape[1]) for tensor in of_queries)
    others = (one_block(tensor, BLOCK_SIZE_N) for tensor in others)
    return key, one_block(value, BLOCK_SIZE_N), *queries, scale, *others


def forward(query, key, value, scale, output, logsumexp):
    accumulator = ntl.zeros(output.shape, dtype=ntl.float32)
    largest = ntl.full((query.shape[0],), float("-inf"), dtype=ntl.float32)
    total = ntl.zeros((query.shape[0],), dtype=ntl.float32)

    for i in range(key.shape[0]):
        scores = ntl.dot(query, ntl.trans(key[i])) * scale
        inside = key[i].offsets(1) < key.source.shape[1]
        scores = ntl.where(inside[None, :], scores, float("-inf"))

        larger = ntl.maximum(largest, ntl.max(scores, axis=1))
        weights = ntl.exp(scores - larger[:, None])
        correction = ntl.exp(largest - larger)
        total = total * correction + ntl.sum(weights, axis=1)
        accumulator = accumulator * correction[:, None] + ntl.dot(weights, value[i])
        largest = larger

    output = accumulator / total[:, None]
    logsumexp = largest + ntl.log(total)


def query_backward(query, key, value, scale, gradient, logsumexp, delta, query_gradient):
    accumulator = ntl.zeros(query.shape, dtype=ntl.float32)
    for i in range(key.shape[0]):
        weights = ntl.exp(ntl.dot(query, ntl.trans(key[i])) * scale - logsumexp[:, None])
        change = weights * (ntl.dot(gradient, ntl.trans(value[i])) - delta[:, None])
        accumulator += ntl.dot(change, key[i])
    query_gradient = accumulator * scale


def key_backward(
    key, value, query, gradient, logsumexp, delta, scale, key_gradient, value_gradient
):
    key_sum = ntl.zeros(key.shape, dtype=ntl.float32)
    value_sum = ntl.zeros(value.shape, dtype=ntl.float32)
    for i in range(query.shape[0]):
        weights = ntl.exp(ntl.dot(key, ntl.trans(query[i])) * scale - logsumexp[i][None, :])
        change = weights * (ntl.dot(value, ntl.trans(gradient[i])) - delta[i][None, :])
        value_sum += ntl.dot(weights, gradient[i])
        key_sum += ntl.dot(change, query[i])
    key_gradient = key_sum * scale
    value_gradient = value_sum


def heads():
    """A tensor of heads, positions and a head dim."""
    return Tensor(3, other=0)


def numbers(other):
    """A tensor of a number a position."""
    return Tensor(2, other=other)


# Positions that do not exist weigh exp(-inf), and add nothing.
NOTHING = float("inf")


forward_kernel = ninetoothed.make(
    by_queries,
    forward,
    (heads(), heads(), heads(), Tensor(0), heads(), numbers(NOTHING)),
    outputs={"output": "query", "logsumexp": lambda query: query.shape[:2]},
)
query_kernel = ninetoothed.make(
    by_queries,
    query_backward,
    (heads(), heads(), heads(), Tensor(0), heads(), numbers(NOTHING), numbers(0), heads()),
    outputs={"query_gradient": "query"},
)
key_kernel = ninetoothed.make(
    by_keys,
    key_backward,
    (*(heads() for _ in range(4)), numbers(NOTHING), numbers(0), Tensor(0), heads(), heads()),
    outputs={"key_gradient": "key", "value_gradient": "value"},
)


class Attention(torch.autograd.Function):
    @staticmethod
    def forward(ctx, query, key, value):
        ctx.scale = query.shape[-1] ** -0.5
        output, logsumexp = forward_kernel(query, key, value, ctx.scale)
        ctx.save_for_backward(query, key, value, output, logsumexp)
        return output

    @staticmethod
    @once_differentiable
    def backward(ctx, gradient):
        query, key, value, output, logsumexp = ctx.saved_tensors
        delta = (gradient * output).sum(-1)
        saved = gradient, logsumexp, delta
        of_query = query_kernel(query, key, value, ctx.scale, *saved)
        of_key, of_value = key_kernel(key, value, query, *saved, ctx.scale)
        return of_query, of_key, of_value


inputs = [torch.randn(2, 50, 32, requires_grad=True) for _ in range(3)]
output = Attention.apply(*inputs)
reference = torch.nn.functional.scaled_dot_product_attention(*inputs)
torch.testing.assert_close(output, reference, rtol=1e-4, atol=1e-4)

gradient = torch.randn_like(output)
found = torch.autograd.grad(output, inputs, gradient)
expected = torch.autograd.grad(reference, inputs, gradient)
torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-4)

# %% [markdown]
# No gradient flows through a kernel by itself: a call with tensors that require one warns of it. A `torch.autograd.Function` says what the backward pass
# is, by kernels of its own.
#
# With weights `p = exp(scores - logsumexp)`, the gradient of the scores is `p * (gradient · valueᵀ - delta)`, where `delta` is a number a query. The
# forward pass keeps `logsumexp`, and the backward passes compute the weights again instead of reading them from memory.
#
# One backward kernel has a block of queries a program and loops over the keys, the other has a block of keys and loops over the queries. So every element of
# a gradient is written by one program, and no atomics are needed. Positions that do not exist read `logsumexp` as ∞, so that they weigh `exp(-∞) = 0`.
#
# [Kernels in PyTorch programs](../../pytorch.md) goes on: `torch.compile`, operators with names, vmap, autocast.

# %% [markdown]
# # 8. Ship it
#
# A kernel is compiled when it is first called, and what is compiled is kept on disk. A program that is shipped should find it there at once: in a
# container's image, or on a file system that machines share. Here is the module with the kernel:

# %%
# %%writefile kernels.py
import ninetoothed
from ninetoothed import Tensor, block_size


def arrangement(x, y, z, BLOCK_SIZE=block_size()):
    return x.tile((BLOCK_SIZE,)), y.tile((BLOCK_SIZE,)), z.tile((BLOCK_SIZE,))


def application(x, y, z):
    z = x + y


add = ninetoothed.make(arrangement, application, (Tensor(1), Tensor(1), Tensor(1)))

# %% [markdown]
# `precompile` compiles what the first calls will need, for a GPU that need not be there. It takes the module and the name of the kernel, the target, and a
# description of a call:

# %%
# !python -m ninetoothed precompile kernels:add --target sm_90 --device 'NVIDIA H200' --call 'x=fp32[4096], y=fp32[4096], z=fp32[4096]' --refinements 0 -o cache

# %% [markdown]
# A process on the GPU takes the folder as its cache, `NINETOOTHED_CACHE_DIR=cache`, or as a second one that is only read,
# `NINETOOTHED_CACHE_READ_ONLY_DIR=cache`. A second process that makes a kernel finds it in the cache, and does not load the compiler, on a CPU as well:

# %%
import subprocess
import sys

import torch

from kernels import add

program = """
import sys

import kernels

print("ninetoothed.frontend" in sys.modules)
"""
command = [sys.executable, "-c", program]
print(subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip())

x = torch.ones(4096)
z = torch.empty(4096)
add(x, x, z)
assert torch.equal(z, x + x)

# %% [markdown]
# Results of tuning are shipped, too: `ninetoothed.tuning.export("tuned.json")` writes all that are known on a machine, and
# `ninetoothed.tuning.load("tuned.json")` takes them in elsewhere. With `make(..., tune="off")` a production process never times anything.
# [The cache folder](../../caching.md) says what two processes must have in common.
