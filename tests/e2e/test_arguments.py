"""Arguments and declarations: values outside a tensor, element types, numbers and 0-dim tensors."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import ninetoothed
import ninetoothed.language as ntl
from ninetoothed import BoundsWarning, DtypeWarning, Symbol, Tensor
from ninetoothed.errors import ArgumentError
from tests.support.everywhere import everywhere


def padded(x, output):
    return x.pad(((2, 3),)).tile((16,)), output.tile((16,))


def copied(x, output):
    output = x


@pytest.mark.parametrize(
    ("dtype", "other", "expected"),
    [
        (torch.int8, float("inf"), 127),
        (torch.int8, float("-inf"), -128),
        (torch.int32, float("inf"), 2**31 - 1),
        (torch.int64, float("-inf"), -(2**63)),
        (torch.uint8, float("inf"), 255),
        (torch.uint8, float("-inf"), 0),
        (torch.uint64, float("inf"), 2**64 - 1),
        (torch.int32, -7.0, -7),
        (torch.int32, -0.0, 0),
        (torch.bool, float("inf"), True),
        (torch.bool, float("-inf"), True),
        (torch.bool, 0.5, True),
        (torch.bool, 0.0, False),
        (torch.float32, float("-inf"), float("-inf")),
    ],
    ids=str,
)
def test_what_lies_outside(device, dtype, other, expected):
    """Infinities of integers are the type's extremes; bits are `!= 0`."""
    x = torch.ones(20).to(dtype)

    def check(x, output):
        assert output.tolist() == [expected] * 2 + [1] * 20 + [expected] * 3

    tensors = (Tensor(1, other=other), Tensor(1))
    everywhere(device, padded, copied, (x, torch.zeros(25).to(dtype)), check, tensors)


# Element types.


def test_declared_types_give_way(device):
    """What was declared for another model runs with the tensors that are passed."""

    def halved(x, scale, output):
        output = x * scale

    def arrangement(x, scale, output):
        return x.tile((16,)), scale, output.tile((16,))

    x = torch.arange(50.0)

    def check(x, scale, output):
        assert torch.equal(output, x * 0.5)

    tensors = (Tensor(1, dtype="fp16"), Tensor(0, dtype="i32"), Tensor(1, dtype=int))
    with pytest.warns(DtypeWarning) as found:
        everywhere(device, arrangement, halved, (x, 0.5, torch.zeros(50)), check, tensors)
    names = {str(one.message).partition(" ")[0] for one in found}
    assert names == {"x", "scale", "output"}


def test_python_types_in_an_application(device):
    def application(x, output):
        output = x.to(int).to(float) + ntl.cast(ntl.zeros((16,), dtype=bool), int)

    def check(x, output):
        assert torch.equal(output.cpu(), torch.arange(50).double())

    x = torch.arange(50.0) + 0.5
    everywhere(device, vectors, application, (x, torch.zeros(50, dtype=torch.float64)), check)


# Numbers declared double.


def normalized(x, eps, output):
    x_32 = x.to(ntl.float32)
    mean_square = ntl.sum(x_32 * x_32) / x.shape[0]
    output = x_32 / ntl.sqrt(mean_square + eps)


def one_row(x, eps, output):
    def arranged(tensor):
        tensor = tensor.tile((1, -1)).squeeze(1)
        tensor.dtype = tensor.dtype.squeeze(0)
        return tensor

    return arranged(x), eps, arranged(output)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
def test_a_norm_with_a_double_epsilon(device, dtype):
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(5, 48, generator=generator).to(dtype)

    def check(x, eps, output):
        exact = x.double() / (x.double().pow(2).mean(1, keepdim=True) + eps).sqrt()
        torch.testing.assert_close(output.double(), exact, rtol=1e-2, atol=1e-2)

    wide = Tensor(0, dtype=ninetoothed.float64)
    tensors = (Tensor(2, shape_options={"constexpr": True}), wide, Tensor(2))
    everywhere(device, one_row, normalized, (x, 1e-5, torch.zeros_like(x)), check, tensors)


def test_a_number_that_only_doubles_hold(device):
    def application(x, scale, output):
        output = x * scale

    def check(x, scale, output):
        assert output.tolist() == [1e-10] * 20

    x, output = torch.full((20,), 1e-50, dtype=torch.float64), torch.zeros(20, dtype=torch.float64)
    tensors = (Tensor(1), Tensor(0, dtype="fp64"), Tensor(1))

    def arrangement(x, scale, output):
        return x.tile((16,)), scale, output.tile((16,))

    everywhere(device, arrangement, application, (x, 1e40, output), check, tensors)


# Numbers of NumPy's and tensors of no dims.

HALF = np.float32(0.5)
STEPS = np.int64(3)
FLAG = np.bool_(True)
TENTH = torch.tensor(0.1, dtype=torch.float64)
COUNT = torch.tensor(2**40)


def with_numbers_from_outside(x, output, scale=TENTH, shift=(HALF, COUNT)):
    total = x.to(ntl.float64) * scale + shift[0]
    if FLAG:
        for _ in range(STEPS):
            total += shift[1]
    output = total + ntl.zeros((STEPS - 2,), ntl.float64)


def vectors(x, output):
    return x.tile((16,)), output.tile((16,))


def with_defaults(x, output):
    with_numbers_from_outside(x, output)


def test_numbers_from_outside(device):
    x = torch.arange(50.0)

    def check(x, output):
        assert torch.equal(output.cpu(), x.cpu().double() * 0.1 + 0.5 + 3 * 2**40)

    everywhere(device, vectors, with_defaults, (x, torch.zeros(50, dtype=torch.float64)), check)


def test_a_number_from_outside_is_read_when_the_kernel_is_made(device):
    scale = torch.tensor(2.0)

    def application(x, output):
        output = x * scale

    kernel = ninetoothed.make(vectors, application, (Tensor(1), Tensor(1)))
    scale.fill_(3.0)
    x, output = torch.ones(20, device=device), torch.zeros(20, device=device)
    kernel(x, output)
    assert output.tolist() == [2.0] * 20


@pytest.mark.parametrize(
    ("scale", "expected"),
    [
        (np.float32(0.1), torch.tensor(0.1)),
        (np.float64(0.1), torch.tensor(0.1, dtype=torch.float64)),
        (np.int64(7), torch.tensor(7.0)),
        (torch.tensor(0.1, dtype=torch.float64), torch.tensor(0.1, dtype=torch.float64)),
        (torch.tensor(-3, dtype=torch.int8), torch.tensor(-3.0)),
    ],
    ids=str,
)
def test_numbers_of_a_call(device, scale, expected):
    def application(x, scale, output):
        output = x * scale

    def arrangement(x, scale, output):
        return x.tile((16,)), scale, output.tile((16,))

    kernel = ninetoothed.make(arrangement, application, (Tensor(1), Tensor(0), Tensor(1)))
    for _ in range(3):
        x = torch.ones(20, device=device)
        output = torch.zeros(20, dtype=torch.float64, device=device)
        kernel(x, scale, output)
        assert output.tolist() == [expected.item()] * 20


def test_sizes_of_other_packages(device):
    block = np.int64(8) * Symbol("N", constexpr=True)

    def arrangement(x, output):
        return x.tile((block * torch.tensor(2),)), output.tile((torch.tensor(2) * block,))

    def check(x, output):
        assert torch.equal(output, x)

    everywhere(device, arrangement, copied, (torch.arange(50), torch.zeros(50).long()), check, N=4)


# Tensors of no dims in memory.


def alone(tensor):
    return tensor.unsqueeze(0).tile((1,))


def test_a_tensor_of_no_dims_is_an_output(device):
    def application(x, scale, output):
        output = ntl.sum(x) * scale + output

    def arrangement(x, scale, output):
        return x.tile((-1,)), alone(scale), alone(output)

    def check(x, scale, output):
        assert output.item() == 12.0 * 2.5 + 1

    x = torch.ones(12)
    tensors = (Tensor(1, shape_options={"constexpr": True}), Tensor(0), Tensor(0))
    values = (x, torch.tensor(2.5), torch.tensor(1.0))
    everywhere(device, arrangement, application, values, check, tensors)


def test_a_tensor_of_no_dims_in_memory_and_by_value(device):
    """One tensor, arranged and as it is: a call gives it once."""

    def application(x, scale, number, output):
        output = ntl.sum(x) * scale + number

    def arrangement(x, scale, output):
        return x.tile((-1,)), alone(scale), scale, alone(output)

    x, output = torch.ones(12, device=device), torch.zeros((), device=device)
    tensors = (Tensor(1, shape_options={"constexpr": True}), Tensor(0), Tensor(0))
    kernel = ninetoothed.make(arrangement, application, tensors)
    scale = torch.tensor(2.5, device=device)
    for arguments in ((x, scale, output), (x, scale, scale, output)):
        output.zero_()
        kernel(*arguments)
        assert output.item() == 12.0 * 2.5 + 2.5
    with pytest.raises(ArgumentError, match="are one tensor, arranged in two ways"):
        kernel(x, scale, torch.tensor(1.0), output)


def test_a_tensor_of_no_dims_for_every_program(device):
    """An input that all programs read, and a sum that all of them add to."""

    def application(x, scale, total):
        ntl.atomic_add(total.source.data_ptr(), ntl.sum(x * scale))

    def arrangement(x, scale, total):
        x = x.tile((16,))
        return (
            x,
            alone(scale).expand((x.shape[0],)),
            alone(total).expand((x.shape[0],)),
        )

    def check(x, scale, total):
        assert total.item() == 150

    values = (torch.ones(50), torch.tensor(3), torch.tensor(0.0))
    tensors = (Tensor(1, other=0), Tensor(0), Tensor(0))
    everywhere(device, arrangement, application, values, check, tensors)


def test_other_numbers_of_a_tensor_of_no_dims(device):
    """Its number is read at each call, whatever the calls before were."""

    def application(scale, x, output):
        output = x * scale

    def arrangement(scale, x, output):
        x = x.tile((16,))
        return alone(scale).expand((x.shape[0],)), x, output.tile((16,))

    kernel = ninetoothed.make(arrangement, application, (Tensor(0), Tensor(1), Tensor(1)))
    x, output = torch.arange(20.0, device=device), torch.zeros(20, device=device)
    for number in (1.0, 2.0, 3.0, 4.0):
        kernel(torch.tensor(number, device=device), x, output)
        assert torch.equal(output, x * number)


# Values of constexpr symbols outside their bounds.


@pytest.mark.parametrize("padding", [0, 3, -2])
def test_a_padding_of_any_size(device, padding):
    """The default bounds begin at 1, and are widened to the value of the call."""

    def application(x, output):
        output = ntl.sum(x, 1)

    x = torch.arange(40.0)
    expected = torch.nn.functional.pad(x, (padding, padding)).unfold(0, 3, 1).sum(1)

    def check(x, output):
        assert torch.equal(output.cpu(), expected)

    def arrangement(x, output, PADDING=Symbol("PADDING", constexpr=True)):
        windows = x.pad(((PADDING, PADDING),)).tile((3,), strides=(1,), floor_mode=True)
        return windows.ravel().tile((16, -1)).squeeze(1), output.tile((16,))

    values = (x, torch.zeros(38 + 2 * padding))
    tensors = (Tensor(1, other=0), Tensor(1))
    everywhere(device, arrangement, application, values, check, tensors, PADDING=padding)


def test_a_block_larger_than_declared(device):
    def arrangement(x, output, B=Symbol("B", constexpr=True, upper_bound=64)):
        return x.tile((B,)), output.tile((B,))

    def check(x, output):
        assert torch.equal(output, x)

    values = (torch.arange(300), torch.zeros(300).long())
    with pytest.warns(BoundsWarning, match="B=128 is outside its bounds, 1 to 64"):
        everywhere(device, arrangement, copied, values, check, B=128)
