# Calls that would store what was never read.

# ---- a sum of vectors of other sizes
def application(x, y, output):
    output = x + y

vectors(application)(torch.ones(50), torch.ones(60), torch.ones(60))
# error: ArgumentError: output is written where x has no element, so that nothing defined is stored: output_size_0 <= x_size_0 must hold, but they are (60, 50); pass tensors whose sizes fit, or declare what is read beyond the end, as in Tensor(1, other=0) for x
# ---- products of matrices: the second ends before the first
from examples.matmul import matmul_kernel

matmul_kernel(torch.ones(20, 65), torch.ones(30, 40), torch.ones(20, 40))
# error: ArgumentError: other ends before input, with which it is combined, so that what is stored in output is not defined: input_size_1 <= other_size_0 must hold, but they are (65, 30); pass tensors whose sizes fit, or declare what is read beyond the end, as in Tensor(2, other=0) for other
# ---- products of matrices: the first ends before the second
from examples.matmul import matmul_kernel

matmul_kernel(torch.ones(20, 30), torch.ones(65, 40), torch.ones(20, 40))
# error: ArgumentError: input ends before other, with which it is combined, so that what is stored in output is not defined: other_size_0 <= input_size_1 must hold, but they are (65, 30); pass tensors whose sizes fit, or declare what is read beyond the end, as in Tensor(2, other=0) for input
# ---- a sum of products of vectors of other sizes
def arrangement(x, y, output):
    return x.tile((64,)), y.tile((64,)), output.tile((1,))

def application(x, y, output):
    output = ntl.sum(x * y, keep_dims=True)

make(arrangement, application, (Tensor(1), Tensor(1), Tensor(1)))(torch.ones(40), torch.ones(30), torch.ones(1))
# error: ArgumentError: y ends before x, with which it is combined, so that what is stored in output is not defined: x_size_0 <= y_size_0 must hold, but they are (40, 30); pass tensors whose sizes fit, or declare what is read beyond the end, as in Tensor(1, other=0) for y
# ---- a store of padding
def arrangement(x, output):
    return x.pad(((1, 1),)).tile((64,)), output.tile((64,))

def application(x, output):
    output = x
#   ^^^^^^
# error: ArrangementError: output is written where x has no element, so that nothing defined is stored, whatever the sizes; declare what is read beyond the end, as in Tensor(1, other=0) for x

make(arrangement, application, (Tensor(1), Tensor(1)))(torch.ones(62), torch.ones(64))
# ---- keys and values of other lengths
def arrangement(q, k, v, output):
    return q.tile((1, -1)), k.tile((-1, -1)).expand((q.shape[0], -1)), v.tile((-1, -1)).expand((q.shape[0], -1)), output.tile((1, -1))

def application(q, k, v, output):
    scores = ntl.dot(q, ntl.trans(k))
    output = ntl.dot(ntl.exp(scores - ntl.max(scores, axis=1)[:, None]), v)

make(arrangement, application, (Tensor(2), Tensor(2), Tensor(2), Tensor(2)))(torch.ones(4, 16), torch.ones(32, 16), torch.ones(20, 16), torch.ones(4, 16))
# error: ArgumentError: in `output = ntl.dot(ntl.exp(scores - ntl.max(scores, axis=1)[:, None]), v)` the sizes v_size_0 and k_size_0 must be equal: they are (20,) and (32,)
