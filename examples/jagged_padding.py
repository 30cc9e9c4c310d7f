"""Padding and unpadding: sequences of different lengths as one dense tensor, and back.

jagged   [ 0 0 0 ]                  dense   [ 0 0 0 | v v v ]     v: the value to pad with
         [ 1 1 1 | 1 1 ]   pad ──▶          [ 1 1 1 | 1 1 v ]
         [ 2 ]             ◀── unpad        [ 2 v v | v v v ]

Both are cut into blocks of one sequence, BLOCK_SIZE_M positions × BLOCK_SIZE_N features, a program
a block. What lies behind a sequence's end does not exist: it reads the value, and is not written.
"""

import torch

import ninetoothed
from examples.checks import check_jagged, check_ndim, check_no_gradients
from ninetoothed import Tensor, block_size

BLOCK_SIZE_M = block_size(lower_bound=1, upper_bound=16)
BLOCK_SIZE_N = block_size()


def blocks(tensor):
    arranged = tensor.tile((1, BLOCK_SIZE_M, BLOCK_SIZE_N))
    arranged.dtype = arranged.dtype.squeeze(0)
    return arranged


def pad_arrangement(input, output):
    missing = output.shape[1] - input.shape[1]
    return blocks(input.pad(((0, 0), (0, missing), (0, 0)))), blocks(output)


def unpad_arrangement(input, output):
    return blocks(input[:, : output.shape[1]]), blocks(output)


def application(input, output):
    output = input


@ninetoothed.factory
def pad_kernel(value: float) -> ninetoothed.Kernel:
    """The kernel that writes ``value`` behind the sequences."""
    return ninetoothed.make(
        pad_arrangement,
        application,
        (Tensor(3, jagged_dim=1, other=value), Tensor(3)),
        kernel_name="pad_kernel",
    )


unpad_kernel = ninetoothed.make(
    unpad_arrangement, application, (Tensor(3), Tensor(3, jagged_dim=1)), kernel_name="unpad_kernel"
)


def longest_of(jagged: torch.Tensor) -> int:
    """The length of the longest sequence: torch looks it up on the GPU once, and keeps it."""
    return jagged._get_max_seqlen() if jagged.shape[0] else 0


def as_sequences(values: torch.Tensor, like: torch.Tensor) -> torch.Tensor:
    """The rows of ``values`` as sequences of the lengths of the jagged tensor ``like``.

    The result knows its longest length, so that no call waits for the GPU to look it up.
    """
    return torch.nested.nested_tensor_from_jagged(
        values, like.offsets(), max_seqlen=longest_of(like)
    )


def pad(input: torch.Tensor, length: int, value: float = 0.0) -> torch.Tensor:
    """Jagged (batch, j, features) as dense (batch, length, features), filled up with ``value``.

    Raises:
        ValueError: a sequence is longer than ``length``.
    """
    check_jagged(input=input)
    check_no_gradients(input=input)
    longest = longest_of(input)
    if longest > length:
        raise ValueError(f"a sequence of {longest} does not fit into a length of {length}")
    batch, _, features = input.shape
    output = input.values().new_empty(batch, length, features)
    pad_kernel(value)(input, output)
    return output


def unpad(input: torch.Tensor, jagged_like: torch.Tensor) -> torch.Tensor:
    """Dense (batch, length, features) as jagged: sequences of the lengths of ``jagged_like``.

    What lies behind the sequences' ends is left out.
    """
    check_jagged(jagged_like=jagged_like)
    check_ndim(3, input=input)
    check_no_gradients(input=input)
    if jagged_like.lengths() is not None:
        jagged_like = jagged_like.contiguous()  # It has gaps, as torch.nested.narrow leaves them.
    positions = jagged_like.values().shape[0]
    output = as_sequences(input.new_empty(positions, input.shape[2]), jagged_like)
    unpad_kernel(input, output)
    return output


if __name__ == "__main__":
    from examples.runner import run

    def sequences(draw, batch, length, features):
        return draw.jagged(draw.integers(length + 1, batch).tolist(), features), length

    def there_and_back(input, length):
        padded = pad(input, length, value=-1.0)
        return padded, unpad(padded, input)

    def reference(input, length):
        size = (input.shape[0], length, input.shape[2])
        return torch.nested.to_padded_tensor(input, -1.0, size), input

    run(there_and_back, reference, sequences, small=(8, 100, 40), large=(256, 2048, 512))
