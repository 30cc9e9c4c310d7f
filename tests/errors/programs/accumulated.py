# Blocks that are accumulated over loops from what is not all there.

# ---- the last block is not full
def arrangement(x, out):
    x = x.tile((1, 8)).tile((1, -1)).squeeze(1)
    x.dtype = x.dtype.squeeze(0)
    x.dtype.dtype = x.dtype.dtype.squeeze(0)
    return x, out

def application(x, out):
    total = ntl.zeros(x.dtype.shape, ntl.float32)
    for k in range(x.shape[0]):
        total += x[k]
    out = ntl.sum(total)

kernel = make(arrangement, application, (Tensor(2), Tensor(1)))
kernel(torch.zeros(3, 20), torch.zeros(3))
# error: ArgumentError: x is accumulated over a loop, block by block, and then reduced, but where a block reaches beyond its end nothing is read; say what is read there, as in other=0 for a sum: declare x as Tensor(2, other=0), or pass sizes that fill all blocks
# ---- sequences of any length
def arrangement(x, out):
    x = x.tile((1, 8, 4)).tile((1, -1, 1))
    x.dtype = x.dtype.squeeze((0, 2))
    x.dtype.dtype = x.dtype.dtype.squeeze(0)
    out = out.tile((1, 4)).unsqueeze(1)
    out.dtype = out.dtype.squeeze(0)
    return x, out

def application(x, out):
    total = ntl.zeros((8, 4), ntl.float32)
    for k in range(x.shape[0]):
        total += x[k]
# error: ShapeError: x is accumulated over a loop, block by block, and then reduced, but where a block reaches beyond its end nothing is read; say what is read there, as in other=0 for a sum: declare x as Tensor(3, other=0)
    out = ntl.sum(total, 0)

make(arrangement, application, (Tensor(3, jagged_dim=1), Tensor(2)))
# ---- a mask of each turn
def application(x, out):
    total = ntl.zeros((64,), ntl.float32)
    for k in range(4):
        offsets = ntl.arange(0, 64) + 64 * k
        total += ntl.load(x.source.data_ptr() + offsets, offsets < x.source.shape[0])
#                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: ShapeError: what is read under a mask is accumulated over a loop and then reduced, but where the mask is false it has no value; give it one, as in other=0
    out = ntl.sum(total)

vectors(application)(torch.zeros(64), torch.zeros(64))
